// Searches over whole rows of scores, compiled for several kinds of vector units (cpu.hpp).
#pragma once

#include <gsl/gsl>

#include <cstdint>

namespace chorale {

// For each row of a matrix, its best and second-best column and their scores; of equal scores the
// lowest column is better. Column -1 and score minus infinity if the row has no such column.
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

// Returns the functions for this machine. Called once in each run.
const RowScans &row_scans_here() noexcept;

} // namespace chorale
