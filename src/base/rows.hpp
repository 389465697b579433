// What is looked for in whole rows of scores.
//
// Compiled for the machine at hand at run time (AVX2 or not), with the same bits: comparisons
// alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorale {

// The best and the second-best column of each row of a matrix; of equals the lowest. -1 and minus
// infinity where there is none.
struct TopTwo {
  std::int32_t *best;
  std::int32_t *second;
  double *best_score;
  double *second_score;
};

struct RowScans {
  // is_score of all numbers of a row.
  bool (*are_scores)(const double *row, std::int64_t count) noexcept;
  // Of `rows` rows of `columns` scores without gaps, into the arrays of `top` from 0 on.
  void (*top_two)(const double *matrix, std::int64_t rows, std::int32_t columns,
                  const TopTwo &top) noexcept;
};

// The variant for this machine. Asked for once a run.
const RowScans &row_scans_here() noexcept;

} // namespace chorale
