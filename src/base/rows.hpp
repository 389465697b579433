// Searches over whole rows of scores.
//
// The variant (AVX2 or generic) is chosen at run time. Both only compare: the bits are the same.
#pragma once

#include <cstddef>
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
  // True if is_score() holds for `count` numbers.
  bool (*are_scores)(const double *row, std::int64_t count) noexcept;
  // Writes `rows` entries of each array in `top`, for a matrix of rows x columns without gaps.
  void (*top_two)(const double *matrix, std::int64_t rows, std::int32_t columns,
                  const TopTwo &top) noexcept;
};

// Returns the variant for this machine. Called once a run.
const RowScans &row_scans_here() noexcept;

} // namespace chorale
