// Inner loops of the dynamic programs: products of a vector and a matrix in the (max, +) semiring.
//
// The variant (AVX2 with FMA, or generic) is chosen at run time. All variants give the same bits:
// they only add and compare, and a maximum does not depend on the order.
#pragma once

#include "base/span.hpp"

#include <cstddef>
#include <cstdint>

namespace chorale {

// Returns the number of labels rounded up to a multiple of four. Rows of sweeps and of their
// matrices have this length. No result depends on the numbers in the padding. The number returned
// has 64 bits, since sizes are also computed for problems that are too large to run.
constexpr std::int64_t padded_labels(std::int64_t labels) noexcept { return (labels + 3) / 4 * 4; }
// True if sweeps can read a caller's matrix with this row stride in place. If rows need padding,
// they cannot, whatever the stride: the caller's array may end with the last number of the last
// row.
constexpr bool ends_padded(std::ptrdiff_t row_stride, std::int64_t labels) noexcept {
  return row_stride == labels && labels == padded_labels(labels);
}

// Arguments of a sweep: all max-product steps along a chain whose edges have the same matrix.
// Strides are signed, so that a chain can be passed in either direction. A sweep computes
//     rows[i][y] = max_x ((rows[i - 1][x] + unary[i - 1][x]) + matrix[x][y]),   0 < i < length.
// The caller writes rows[0], with numbers in its padding and without negative zeros. Then no other
// row has a negative zero, and a maximum has the same bits in any order. Rows of `unary` are not
// padded.
struct Sweep {
  std::int32_t length;
  std::int32_t labels;
  const double *unary;
  std::ptrdiff_t unary_step;
  const double *matrix; // labels x padded_labels, without gaps
  double *rows;
  std::ptrdiff_t row_step;
  double *work; // padded_labels: scratch
};

struct MaxPlus {
  // The work of one maximum, in the elementary steps that Limits counts (as LogSums::kWork).
  static constexpr std::int64_t kWork = 1;

  // Writes to out[y], for y < columns, the maximum over x < rows of from[x] + matrix[x * stride +
  // y], plus add[y]. With a stride of 0, all rows of the matrix are the same. `add` may be NULL.
  // `out` must not overlap the inputs. Consecutive entries of minus infinity in `from` take little
  // time.
  void (*step)(const double *from, std::int32_t rows, const double *matrix, std::ptrdiff_t stride,
               std::int32_t columns, const double *add, double *out) noexcept;
  // Computes rows 1 .. length - 1, as stated at Sweep.
  void (*sweep)(const Sweep &chain) noexcept;
  // Writes the `length` labels of the best path that ends at label `last`. Ties go to the lowest
  // label at the last position where paths differ. `chain`: the arguments of the forward sweep that
  // filled the rows, but with a transposed matrix, whose rows belong to "to" labels.
  void (*trace)(const Sweep &chain, std::int32_t last, std::int32_t *labelling) noexcept;
  // Returns the lowest x with the greatest a[x] + b[x]; -1 if all sums are minus infinity.
  std::int32_t (*best_sum)(const double *a, const double *b, std::int32_t count) noexcept;
  // to[x] = max(to[x], row[x] + mask[x]). True if any row[x] + mask[x] is above minus infinity.
  bool (*max_masked)(const double *row, const double *mask, std::int32_t count,
                     double *to) noexcept;
};

// Returns the fastest variant for this machine. Scores::load() calls it for all dynamic programs.
const MaxPlus &max_plus_here() noexcept;
// Returns the generic variant, the reference in tests.
const MaxPlus &max_plus_anywhere() noexcept;

// Returns the greatest entry; minus infinity if there is none.
double greatest(gsl::span<const double> of) noexcept;

} // namespace chorale
