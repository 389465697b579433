// Searches over whole rows of scores, compiled for several kinds of vector units (cpu.hpp).
#pragma once

#include <gsl/gsl>

#include <cstdint>

namespace chorale {

// Four arrays with an entry for each row of a matrix: the column with the highest score, the column
// with the second-highest score, and these two scores. If columns have equal scores, the lowest of
// them comes first. A column with score minus infinity is never chosen: if too few other columns
// are left, the entries are column -1 and score minus infinity.
struct TopTwo {
  std::int32_t *best;
  std::int32_t *second;
  double *best_score;
  double *second_score;
};

struct RowScans {
  // True if is_score() holds for all numbers.
  bool (*are_scores)(gsl::span<const double> numbers) noexcept;
  // Writes `rows` entries to each array of `top`, for a matrix of rows x columns without gaps.
  void (*top_two)(const double *matrix, std::int64_t rows, std::int32_t columns,
                  const TopTwo &top) noexcept;
};

// Returns the functions compiled for the vector units of this machine.
const RowScans &row_scans_here() noexcept;

} // namespace chorale
