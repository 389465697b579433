#include "chain/max_plus.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"
#include "base/numeric.hpp"

#include <algorithm>
#include <cstring>

namespace chorale {
namespace {

// kBlocks vectors of columns stay in registers while the rows go by. The last vector is shifted
// left to end at the last column, so it may repeat columns of the one before.
template <int kBlocks>
CHORALE_INLINE void columns_of(const double *from, std::int32_t rows, const double *matrix,
                               std::ptrdiff_t stride, std::int32_t last, const double *add,
                               double *out) noexcept {
  Lanes best[kBlocks];
  for (int b = 0; b < kBlocks; ++b)
    best[b] = Lanes{kForbidden, kForbidden, kForbidden, kForbidden};
  const auto take = [&](std::int32_t x) __attribute__((always_inline)) {
    const double f = from[x];
    const Lanes score = {f, f, f, f};
    const double *row = matrix + x * stride;
    for (int b = 0; b < kBlocks; ++b) {
      Lanes sum;
      std::memcpy(&sum, row + (b + 1 < kBlocks ? b * kLanes : last), sizeof sum);
      sum += score;
      best[b] = sum > best[b] ? sum : best[b];
    }
  };
  // Rows that nothing reaches are skipped by fours, which costs dense rows little.
  std::int32_t x = 0;
  for (; x + 4 <= rows; x += 4) {
    if (from[x] == kForbidden && from[x + 1] == kForbidden && from[x + 2] == kForbidden &&
        from[x + 3] == kForbidden)
      continue;
    take(x);
    take(x + 1);
    take(x + 2);
    take(x + 3);
  }
  for (; x < rows; ++x)
    take(x);
  for (int b = 0; b < kBlocks; ++b) {
    const std::int32_t at = b + 1 < kBlocks ? b * kLanes : last;
    if (add) {
      Lanes sum;
      std::memcpy(&sum, add + at, sizeof sum);
      best[b] += sum;
    }
    std::memcpy(out + at, &best[b], sizeof best[b]);
  }
}

template <int kBlocks>
CHORALE_INLINE void columns_of_arg(const double *from, std::int32_t rows, const double *matrix,
                                   std::ptrdiff_t stride, std::int32_t last, const double *add,
                                   double *out, std::int32_t *arg) noexcept {
  Lanes best[kBlocks];
  Indices index[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    best[b] = Lanes{kForbidden, kForbidden, kForbidden, kForbidden};
    index[b] = Indices{-1, -1, -1, -1};
  }
  for (std::int32_t x = 0; x < rows; ++x) {
    const double f = from[x];
    if (f == kForbidden)
      continue;
    const Lanes score = {f, f, f, f};
    const Indices here = {x, x, x, x};
    const double *row = matrix + x * stride;
    for (int b = 0; b < kBlocks; ++b) {
      Lanes sum;
      std::memcpy(&sum, row + (b + 1 < kBlocks ? b * kLanes : last), sizeof sum);
      sum += score;
      const Indices better = sum > best[b];
      best[b] = better ? sum : best[b];
      index[b] = better ? here : index[b];
    }
  }
  for (int b = 0; b < kBlocks; ++b) {
    const std::int32_t at = b + 1 < kBlocks ? b * kLanes : last;
    if (add) {
      Lanes sum;
      std::memcpy(&sum, add + at, sizeof sum);
      best[b] += sum;
    }
    std::memcpy(out + at, &best[b], sizeof best[b]);
    for (int i = 0; i < kLanes; ++i)
      arg[at + i] = static_cast<std::int32_t>(index[b][i]);
  }
}

template <int kBlocks, bool kArg>
CHORALE_INLINE void some_columns(const double *from, std::int32_t rows, const double *matrix,
                                 std::ptrdiff_t stride, std::int32_t last, const double *add,
                                 double *out, std::int32_t *arg) noexcept {
  if constexpr (kArg)
    columns_of_arg<kBlocks>(from, rows, matrix, stride, last, add, out, arg);
  else
    columns_of<kBlocks>(from, rows, matrix, stride, last, add, out);
}

template <bool kArg>
CHORALE_INLINE void few_columns(const double *from, std::int32_t rows, const double *matrix,
                                std::ptrdiff_t stride, std::int32_t columns, const double *add,
                                double *out, std::int32_t *arg) noexcept {
  for (std::int32_t y = 0; y < columns; ++y) {
    double best = kForbidden;
    std::int32_t index = -1;
    for (std::int32_t x = 0; x < rows; ++x)
      if (const double sum = from[x] + matrix[x * stride + y]; sum > best) {
        best = sum;
        index = x;
      }
    out[y] = add ? best + add[y] : best;
    if constexpr (kArg)
      arg[y] = index;
  }
}

template <bool kArg>
CHORALE_INLINE void all_columns(const double *from, std::int32_t rows, const double *matrix,
                                std::ptrdiff_t stride, std::int32_t columns, const double *add,
                                double *out, std::int32_t *arg) noexcept {
  if (columns < kLanes) {
    few_columns<kArg>(from, rows, matrix, stride, columns, add, out, arg);
    return;
  }
  // As many columns at once as registers hold, and the rest evenly.
  constexpr std::int32_t kWidest = kArg ? 4 : 8;
  for (std::int32_t begin = 0; begin < columns;) {
    const std::int32_t left = columns - begin;
    // A remainder narrower than a vector joins what is before it.
    std::int32_t width = left <= kWidest * kLanes ? left : kWidest * kLanes;
    if (left > width && left - width < kLanes)
      width -= kLanes;
    const std::int32_t last = width - kLanes;
    const double *from_column = matrix + begin;
    const double *more = add ? add + begin : nullptr;
    double *to = out + begin;
    std::int32_t *to_arg = kArg ? arg + begin : nullptr;
    switch ((width + kLanes - 1) / kLanes) {
    case 1:
      some_columns<1, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    case 2:
      some_columns<2, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    case 3:
      some_columns<3, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    case 4:
      some_columns<4, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    case 5:
      some_columns<5, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    case 6:
      some_columns<6, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    case 7:
      some_columns<7, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    default:
      some_columns<8, kArg>(from, rows, from_column, stride, last, more, to, to_arg);
      break;
    }
    begin += width;
  }
}

CHORALE_INLINE void max_rows(const double *from, std::int32_t columns, double *to) noexcept {
  for (std::int32_t y = 0; y < columns; ++y)
    to[y] = from[y] > to[y] ? from[y] : to[y];
}

CHORALE_INLINE std::int32_t best_sum_of(const double *a, const double *b,
                                        std::int32_t count) noexcept {
  Lanes best = {kForbidden, kForbidden, kForbidden, kForbidden};
  Indices index = {-1, -1, -1, -1};
  Indices here = {0, 1, 2, 3};
  std::int32_t x = 0;
  for (; x + kLanes <= count; x += kLanes) {
    Lanes sum;
    Lanes more;
    std::memcpy(&sum, a + x, sizeof sum);
    std::memcpy(&more, b + x, sizeof more);
    sum += more;
    const Indices better = sum > best;
    best = better ? sum : best;
    index = better ? here : index;
    here += kLanes;
  }
  // Without branches: which lane wins is anybody's guess.
  double greatest_sum = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  std::int64_t lowest = INT64_MAX;
  for (int i = 0; i < kLanes; ++i)
    lowest = std::min(lowest, best[i] == greatest_sum ? index[i] : INT64_MAX);
  auto at = static_cast<std::int32_t>(lowest);
  for (; x < count; ++x)
    if (const double sum = a[x] + b[x]; sum > greatest_sum) {
      greatest_sum = sum;
      at = x;
    }
  return at;
}

CHORALE_INLINE bool max_masked_of(const double *row, const double *mask, std::int32_t count,
                                  double *to) noexcept {
  const Lanes forbidden = {kForbidden, kForbidden, kForbidden, kForbidden};
  Indices any = {0, 0, 0, 0};
  std::int32_t x = 0;
  for (; x + kLanes <= count; x += kLanes) {
    Lanes sum;
    Lanes more;
    Lanes old;
    std::memcpy(&sum, row + x, sizeof sum);
    std::memcpy(&more, mask + x, sizeof more);
    std::memcpy(&old, to + x, sizeof old);
    sum += more;
    any |= sum > forbidden;
    old = sum > old ? sum : old;
    std::memcpy(to + x, &old, sizeof old);
  }
  bool found = (any[0] | any[1] | any[2] | any[3]) != 0;
  for (; x < count; ++x) {
    const double sum = row[x] + mask[x];
    found = found || sum > kForbidden;
    to[x] = sum > to[x] ? sum : to[x];
  }
  return found;
}

void step_anywhere(const double *from, std::int32_t rows, const double *matrix,
                   std::ptrdiff_t stride, std::int32_t columns, const double *add,
                   double *out) noexcept {
  all_columns<false>(from, rows, matrix, stride, columns, add, out, nullptr);
}
void step_arg_anywhere(const double *from, std::int32_t rows, const double *matrix,
                       std::ptrdiff_t stride, std::int32_t columns, const double *add, double *out,
                       std::int32_t *arg) noexcept {
  all_columns<true>(from, rows, matrix, stride, columns, add, out, arg);
}
std::int32_t best_sum_anywhere(const double *a, const double *b, std::int32_t count) noexcept {
  return best_sum_of(a, b, count);
}
bool max_masked_anywhere(const double *row, const double *mask, std::int32_t count,
                         double *to) noexcept {
  return max_masked_of(row, mask, count, to);
}
constexpr MaxPlus kAnywhere{step_anywhere, step_arg_anywhere, best_sum_anywhere,
                            max_masked_anywhere};

#if CHORALE_HAS_AVX2_VARIANTS
[[gnu::target("avx2")]] void step_avx2(const double *from, std::int32_t rows, const double *matrix,
                                       std::ptrdiff_t stride, std::int32_t columns,
                                       const double *add, double *out) noexcept {
  all_columns<false>(from, rows, matrix, stride, columns, add, out, nullptr);
}
[[gnu::target("avx2")]] void step_arg_avx2(const double *from, std::int32_t rows,
                                           const double *matrix, std::ptrdiff_t stride,
                                           std::int32_t columns, const double *add, double *out,
                                           std::int32_t *arg) noexcept {
  all_columns<true>(from, rows, matrix, stride, columns, add, out, arg);
}
[[gnu::target("avx2")]] std::int32_t best_sum_avx2(const double *a, const double *b,
                                                   std::int32_t count) noexcept {
  return best_sum_of(a, b, count);
}
[[gnu::target("avx2")]] bool max_masked_avx2(const double *row, const double *mask,
                                             std::int32_t count, double *to) noexcept {
  return max_masked_of(row, mask, count, to);
}
constexpr MaxPlus kAvx2{step_avx2, step_arg_avx2, best_sum_avx2, max_masked_avx2};
#endif

} // namespace

const MaxPlus &max_plus_here() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  if (has_avx2())
    return kAvx2;
#endif
  return kAnywhere;
}

void max_into(const double *from, std::int32_t columns, double *to) noexcept {
  max_rows(from, columns, to);
}

double greatest(const double *row, std::int32_t columns) noexcept {
  double best = kForbidden;
  for (std::int32_t y = 0; y < columns; ++y)
    best = std::max(best, row[y]);
  return best;
}

std::int32_t index_of_greatest(const double *row, std::int32_t columns) noexcept {
  double best = kForbidden;
  std::int32_t index = -1;
  for (std::int32_t y = 0; y < columns; ++y)
    if (row[y] > best) {
      best = row[y];
      index = y;
    }
  return index;
}

} // namespace chorale
