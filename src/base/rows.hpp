// Searches over whole rows of scores, for the vector units of the machine (cpu.hpp).
#pragma once

#include <gsl/gsl>

#include <cstdint>

namespace chorale {

// Best and second-best column of each row of a matrix, and their scores; ties go to the lowest
// column. -1 and minus infinity if a row has no such column.
struct TopTwo {
  std::int32_t *best;
  std::int32_t *second;
  double *best_score;
  double *second_score;
};

struct RowScans {
  // True if is_score() holds for all numbers.
  bool (*are_scores)(gsl::span<const double> numbers) noexcept;
  // Writes `rows` entries of each array in `top`, for a matrix of rows x columns without gaps.
  void (*top_two)(const double *matrix, std::int64_t rows, std::int32_t columns,
                  const TopTwo &top) noexcept;
};

// Returns the functions for this machine. Called once a run.
const RowScans &row_scans_here() noexcept;

} // namespace chorale
