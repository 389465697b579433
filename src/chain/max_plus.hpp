// The inner loops of every dynamic program here: vector times matrix in the (max, +) semiring.
//
// Compiled for the machine at hand at run time (AVX2 or not), with the same bits: only additions
// and comparisons, in the same order for every column.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorale {

struct MaxPlus {
  // out[y] = max_x (from[x] + matrix[x * stride + y]) + add[y], x < rows, y < columns; add may be
  // NULL. Entries of minus infinity in `from` cost next to nothing. `out` must not overlap.
  void (*step)(const double *from, std::int32_t rows, const double *matrix, std::ptrdiff_t stride,
               std::int32_t columns, const double *add, double *out) noexcept;
  // The same, and the lowest x that attains the maximum (-1 where it is minus infinity).
  void (*step_arg)(const double *from, std::int32_t rows, const double *matrix,
                   std::ptrdiff_t stride, std::int32_t columns, const double *add, double *out,
                   std::int32_t *arg) noexcept;
  // The lowest x with the greatest a[x] + b[x]; -1 where all are minus infinity.
  std::int32_t (*best_sum)(const double *a, const double *b, std::int32_t count) noexcept;
  // to[x] = max(to[x], row[x] + mask[x]); whether any row[x] + mask[x] is above minus infinity.
  bool (*max_masked)(const double *row, const double *mask, std::int32_t count,
                     double *to) noexcept;
};

// The variant for this machine. Asked for once a run.
const MaxPlus &max_plus_here() noexcept;

// to[y] = max(to[y], from[y]).
void max_into(const double *from, std::int32_t columns, double *to) noexcept;

// The greatest entry.
double greatest(const double *row, std::int32_t columns) noexcept;

// The lowest index of the greatest entry; -1 where all are minus infinity.
std::int32_t index_of_greatest(const double *row, std::int32_t columns) noexcept;

} // namespace chorale
