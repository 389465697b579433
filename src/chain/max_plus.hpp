// The inner loops of every dynamic program here: vector times matrix in the (max, +) semiring.
//
// Chosen for the machine at hand at run time (AVX2 with multiply-add, or not), with the same bits:
// only additions and comparisons, whose results do not depend on their order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorale {

// Rows of sweeps, and of the matrices they run over, are whole vectors; what pads a matrix is minus
// infinity. Sizes are also measured for more labels than a chain that runs can have.
constexpr std::int64_t padded_labels(std::int64_t labels) noexcept { return (labels + 3) / 4 * 4; }

// All steps of a chain over one matrix, in either direction (the steps are signed):
//     rows[i][y] = max_x ((rows[i - 1][x] + unary[i - 1][x]) + matrix[x][y]),   0 < i < length.
// rows[0] is given, its padding too, without negative zeros: there are none in other rows then, and
// a maximum is the same bits in any order. No row of `unary` is read beyond its labels.
struct Sweep {
  std::int32_t length;
  std::int32_t labels;
  const double *unary;
  std::ptrdiff_t unary_step;
  const double *matrix; // labels x padded_labels, no gaps
  double *rows;
  std::ptrdiff_t row_step;
  double *work; // padded_labels
};

struct MaxPlus {
  // out[y] = max_x (from[x] + matrix[x * stride + y]) + add[y], x < rows, y < columns; add may be
  // NULL. Entries of minus infinity in `from` cost next to nothing. `out` must not overlap.
  void (*step)(const double *from, std::int32_t rows, const double *matrix, std::ptrdiff_t stride,
               std::int32_t columns, const double *add, double *out) noexcept;
  // The same, and the lowest x that attains the maximum (-1 where it is minus infinity).
  void (*step_arg)(const double *from, std::int32_t rows, const double *matrix,
                   std::ptrdiff_t stride, std::int32_t columns, const double *add, double *out,
                   std::int32_t *arg) noexcept;
  void (*sweep)(const Sweep &chain) noexcept;
  // Two sweeps over as many labels each, the second no longer than the first; they may share their
  // work space and no rows.
  void (*two_sweeps)(const Sweep &longer, const Sweep &shorter) noexcept;
  // The labels of a best way to `last` at the end, after a sweep forward; of equals the lowest.
  // `matrix` is transposed: rows "to".
  void (*trace)(const Sweep &chain, std::int32_t last, std::int32_t *labelling) noexcept;
  // The lowest x with the greatest a[x] + b[x]; -1 where all are minus infinity.
  std::int32_t (*best_sum)(const double *a, const double *b, std::int32_t count) noexcept;
  // to[x] = max(to[x], row[x] + mask[x]); whether any row[x] + mask[x] is above minus infinity.
  bool (*max_masked)(const double *row, const double *mask, std::int32_t count,
                     double *to) noexcept;
};

// The variant for this machine. Asked for once a run.
const MaxPlus &max_plus_here() noexcept;
// The variant for any machine: what the others are tested against.
const MaxPlus &max_plus_anywhere() noexcept;

// to[y] = max(to[y], from[y]).
void max_into(const double *from, std::int32_t columns, double *to) noexcept;

// The greatest entry.
double greatest(const double *row, std::int32_t columns) noexcept;

// The lowest index of the greatest entry; -1 where all are minus infinity.
std::int32_t index_of_greatest(const double *row, std::int32_t columns) noexcept;

} // namespace chorale
