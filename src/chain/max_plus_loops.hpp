// Loops of max_plus.cpp, which includes this file once for each instruction set. So the file has no
// include guard; max_plus.cpp includes all headers that it needs.
//
// CHORALE_ENTRY precedes functions that are not inlined, such as those that are called from
// outside, CHORALE_LOOP functions that are inlined into them. If CHORALE_AVX2 is 1, both select the
// instruction set, vectors have four doubles, and FMA is available; otherwise vectors have two
// doubles, possibly emulated.

constexpr int kLanes = CHORALE_AVX2 ? 4 : 2;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Indices = std::int64_t __attribute__((vector_size(kLanes * sizeof(std::int64_t))));

// Returns a + b. `ones`: from ones_here(). On many processors additions and comparisons share
// units, while FMA units are idle. So with AVX2 the sum is computed as 1 * a + b, which rounds once
// and gives the same number. ones_here() hides the value of `ones` from the compiler, which would
// otherwise remove the multiplication.
CHORALE_LOOP Lanes sum_of([[maybe_unused]] Lanes ones, Lanes a, Lanes b) noexcept {
#if CHORALE_AVX2
  return reinterpret_cast<Lanes>(_mm256_fmadd_pd(
      reinterpret_cast<__m256d>(ones), reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b)));
#else
  return a + b;
#endif
}
CHORALE_LOOP Lanes all_lanes(double number) noexcept { return number - Lanes{}; }
CHORALE_LOOP Indices all_lanes(std::int32_t number) noexcept { return number - Indices{}; }
CHORALE_LOOP Indices first_indices() noexcept {
#if CHORALE_AVX2
  return Indices{0, 1, 2, 3};
#else
  return Indices{0, 1};
#endif
}
CHORALE_LOOP Lanes ones_here() noexcept {
  Lanes ones = all_lanes(1.0);
#if CHORALE_AVX2
  asm("" : "+x"(ones));
#endif
  return ones;
}

// Returns a bit mask: bit i is set if lane i is nonzero. In each lane all bits must be 0, or all 1.
CHORALE_LOOP unsigned bits_of(Indices lanes) noexcept {
#if CHORALE_AVX2
  return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(lanes)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(lanes)));
#elif defined(__wasm_simd128__)
  return wasm_i64x2_bitmask(reinterpret_cast<v128_t>(lanes));
#else
  return static_cast<unsigned>((lanes[0] & 1) | (lanes[1] & 2));
#endif
}

CHORALE_LOOP Lanes load(const double *from) noexcept {
  Lanes numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  return numbers;
}
CHORALE_LOOP void store(double *to, Lanes numbers) noexcept {
  std::memcpy(to, &numbers, sizeof numbers);
}
CHORALE_LOOP Lanes larger(Lanes a, Lanes b) noexcept {
#if defined(__wasm_simd128__)
  // This is one instruction. From the comparison below Clang would make several.
  return reinterpret_cast<Lanes>(
      wasm_f64x2_pmax(reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(a)));
#else
  return a > b ? a : b;
#endif
}

// mask_of(labels) marks the lanes of the last vector of a row that lie before the end of the row.
// load_last() loads these lanes and zeros for the others, and reads nothing behind the row.
CHORALE_LOOP Indices mask_of(std::int32_t labels) noexcept {
  return all_lanes(labels - (labels - 1) / kLanes * kLanes) > first_indices();
}
CHORALE_LOOP Lanes load_last(const double *from, Indices mask) noexcept {
#if CHORALE_AVX2
  return reinterpret_cast<Lanes>(_mm256_maskload_pd(from, reinterpret_cast<__m256i>(mask)));
#else
  return mask[1] ? load(from) : Lanes{from[0], 0};
#endif
}
// Loads the unary scores of the kLanes labels from `at` on; lanes behind the last label are zero.
CHORALE_LOOP Lanes load_unary(const double *unary, std::int32_t at, std::int32_t labels,
                              Indices mask) noexcept {
  if (at + kLanes <= labels)
    return load(unary + at);
  return at < labels ? load_last(unary + at, mask) : Lanes{};
}

// ---- One step ---------------------------------------------------------------------------------

// Raises the maximum of each column, in `best` (kBlocks vectors in registers), to at least `from`
// plus the entry of this column in the matrix row `row`. The last vector begins at column `last`,
// so that it ends at the last column; it may repeat columns of the vector before it.
template <int kBlocks>
CHORALE_LOOP void take_row(Lanes ones, double from, const double *row, std::int32_t last,
                           Lanes (&best)[kBlocks]) noexcept {
  const Lanes score = all_lanes(from);
  for (int b = 0; b < kBlocks; ++b)
    best[b] =
        larger(sum_of(ones, score, load(row + (b + 1 < kBlocks ? b * kLanes : last))), best[b]);
}

// Computes kBlocks vectors of columns of a step() (MaxPlus), with all their maxima in registers.
// `last`: the first column of the last vector, as in take_row().
template <int kBlocks>
CHORALE_LOOP void columns_of(const double *from, std::int32_t rows, const double *matrix,
                             std::ptrdiff_t stride, std::int32_t last, const double *add,
                             double *out) noexcept {
  const Lanes ones = ones_here();
  Lanes best[kBlocks];
  for (int b = 0; b < kBlocks; ++b)
    best[b] = all_lanes(kForbidden);
  // Skips vectors of minus infinity entries; the test costs little when there are none.
  std::int32_t x = 0;
  for (; x + kLanes <= rows; x += kLanes) {
    if (bits_of(load(from + x) > all_lanes(kForbidden)) == 0)
      continue;
    for (int lane = 0; lane < kLanes; ++lane)
      take_row<kBlocks>(ones, from[x + lane], matrix + (x + lane) * stride, last, best);
  }
  for (; x < rows; ++x)
    take_row<kBlocks>(ones, from[x], matrix + x * stride, last, best);
  for (int b = 0; b < kBlocks; ++b) {
    const std::int32_t at = b + 1 < kBlocks ? b * kLanes : last;
    store(out + at, add ? best[b] + load(add + at) : best[b]);
  }
}

// Calls columns_of() for `blocks` vectors, from 1 to kMost.
template <int kMost>
CHORALE_LOOP void some_columns(int blocks, const double *from, std::int32_t rows,
                               const double *matrix, std::ptrdiff_t stride, std::int32_t last,
                               const double *add, double *out) noexcept {
  if constexpr (kMost > 1)
    if (blocks < kMost)
      return some_columns<kMost - 1>(blocks, from, rows, matrix, stride, last, add, out);
  columns_of<kMost>(from, rows, matrix, stride, last, add, out);
}

CHORALE_LOOP void all_columns(const double *from, std::int32_t rows, const double *matrix,
                              std::ptrdiff_t stride, std::int32_t columns, const double *add,
                              double *out) noexcept {
  for (std::int32_t y = 0; columns < kLanes && y < columns; ++y) {
    double best = kForbidden;
    for (std::int32_t x = 0; x < rows; ++x)
      best = std::max(best, from[x] + matrix[x * stride + y]);
    out[y] = add ? best + add[y] : best;
  }
  // Processes as many columns at once as registers hold.
  constexpr int kWidest = 8;
  for (std::int32_t begin = 0; columns >= kLanes && begin < columns;) {
    const std::int32_t left = columns - begin;
    // A remainder narrower than one vector is avoided: this block becomes one vector narrower.
    std::int32_t width = left <= kWidest * kLanes ? left : kWidest * kLanes;
    if (left > width && left - width < kLanes)
      width -= kLanes;
    const std::int32_t last = width - kLanes;
    const double *from_column = matrix + begin;
    const double *more = add ? add + begin : nullptr;
    double *to = out + begin;
    some_columns<kWidest>((width + kLanes - 1) / kLanes, from, rows, from_column, stride, last, more,
                          to);
    begin += width;
  }
}

// Does what all_columns() does for a stride of 0: all rows of the matrix are one.
CHORALE_LOOP void one_row(const double *from, std::int32_t rows, const double *row,
                          std::int32_t columns, const double *add, double *out) noexcept {
  double most = kForbidden;
  for (std::int32_t x = 0; x < rows; ++x)
    most = from[x] > most ? from[x] : most;
  for (std::int32_t y = 0; y < columns; ++y)
    out[y] = most + row[y] + (add ? add[y] : 0.0);
}

CHORALE_ENTRY void step(const double *from, std::int32_t rows, const double *matrix,
                        std::ptrdiff_t stride, std::int32_t columns, const double *add,
                        double *out) noexcept {
  if (stride == 0)
    return one_row(from, rows, matrix, columns, add, out);
  all_columns(from, rows, matrix, stride, columns, add, out);
}

// ---- All steps of a chain ---------------------------------------------------------------------

#if CHORALE_AVX2
#include "chain/max_plus_narrow.hpp"
#endif

CHORALE_LOOP void sweep_wide(const Sweep &sweep) noexcept {
  const auto padded = static_cast<std::int32_t>(padded_labels(sweep.labels));
  const Indices mask = mask_of(sweep.labels);
  const double *unary = sweep.unary;
  double *row = sweep.rows;
  for (std::int32_t i = 1; i < sweep.length; ++i) {
    for (std::int32_t y = 0; y < padded; y += kLanes)
      store(sweep.work + y, load(row + y) + load_unary(unary, y, sweep.labels, mask));
    unary += sweep.unary_step;
    row += sweep.row_step;
    all_columns(sweep.work, sweep.labels, sweep.matrix, padded, padded, nullptr, row);
  }
}

CHORALE_ENTRY void sweep(const Sweep &chain) noexcept {
#if CHORALE_AVX2
  if (chain.labels <= kFewBlocks * kLanes)
    return sweep_blocks<kFewBlocks>(chain);
#endif
  sweep_wide(chain);
}

// ---- Traceback --------------------------------------------------------------------------------

// Returns the label before label y of position t > 0: the lowest x for which entry x of the row of
// t - 1, plus the unary score of x at t - 1, plus the transition score from x to y equals entry y
// of the row of t.
CHORALE_LOOP std::int32_t label_before(const Sweep &chain, Indices mask, std::int32_t t,
                                       std::int32_t y) noexcept {
  const auto padded = static_cast<std::int32_t>(padded_labels(chain.labels));
  const double *row = chain.rows + (t - 1) * chain.row_step;
  const double *unary = chain.unary + (t - 1) * chain.unary_step;
  const double *into = chain.matrix + std::ptrdiff_t{y} * padded;
  const Lanes wanted = all_lanes(row[chain.row_step + y]);
  // Compares up to eight vectors before it branches: the processor could not predict in which of
  // them the label is.
  unsigned found = 0;
  for (std::int32_t x = 0; x < padded && found == 0; x += 8 * kLanes) {
    for (std::int32_t b = 0; b < 8 && x + b * kLanes < padded; ++b) {
      const std::int32_t at = x + b * kLanes;
      const Lanes own = load(row + at) + load_unary(unary, at, chain.labels, mask);
      found |= bits_of(own + load(into + at) == wanted) << b * kLanes;
    }
    if (found != 0)
      y = x + __builtin_ctz(found);
  }
  return y;
}

// Goes from the last position to the first. Each step waits for the one before it, so two halves
// are traced at the same time. The path of the first half starts from a guessed label, kAhead
// positions after the end of this half: paths from different labels soon meet. If it does not join
// the path of the second half, the first half is traced again, backwards, to where the new path
// meets the old one.
CHORALE_ENTRY void trace(const Sweep &chain, std::int32_t last, std::int32_t *labelling) noexcept {
  constexpr std::int32_t kAhead = 4;
  const Indices mask = mask_of(chain.labels);
  const std::int32_t half = std::max(0, (chain.length - kAhead) / 2);
  const std::int32_t between = chain.length - half - kAhead; // of positions traced together
  std::int32_t y = last;
  std::int32_t guess = 0;
  for (std::int32_t t = chain.length - 1; t >= half && t > 0; --t) {
    labelling[t] = y;
    y = label_before(chain, mask, t, y);
    const std::int32_t ahead = t - between;
    if (half > 0 && ahead >= 0) {
      labelling[ahead] = guess;
      guess = ahead > 0 ? label_before(chain, mask, ahead, guess) : 0;
    }
  }
  std::int32_t t = std::max(half, 1) - 1;
  for (; t > 0 && labelling[t] != y; --t) {
    labelling[t] = y;
    y = label_before(chain, mask, t, y);
  }
  if (t == 0)
    labelling[0] = y;
}

// ---- Single rows ------------------------------------------------------------------------------

CHORALE_ENTRY std::int32_t best_sum(const double *a, const double *b, std::int32_t count) noexcept {
  Lanes best = all_lanes(kForbidden);
  Indices index = all_lanes(-1);
  Indices here = first_indices();
  std::int32_t x = 0;
  for (; x + kLanes <= count; x += kLanes) {
    const Lanes sum = load(a + x) + load(b + x);
    const Indices better = sum > best;
    best = better ? sum : best;
    index = better ? here : index;
    here += kLanes;
  }
  // Without branches, since the processor could not predict which lane has the greatest sum.
  double greatest_sum = best[0];
  for (int i = 1; i < kLanes; ++i)
    greatest_sum = std::max(greatest_sum, best[i]);
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

CHORALE_ENTRY bool max_masked(const double *row, const double *mask, std::int32_t count,
                              double *to) noexcept {
  Indices any{};
  std::int32_t x = 0;
  for (; x + kLanes <= count; x += kLanes) {
    const Lanes sum = load(row + x) + load(mask + x);
    any |= sum > all_lanes(kForbidden);
    store(to + x, larger(sum, load(to + x)));
  }
  bool found = bits_of(any) != 0;
  for (; x < count; ++x) {
    const double sum = row[x] + mask[x];
    found = found || sum > kForbidden;
    to[x] = sum > to[x] ? sum : to[x];
  }
  return found;
}

constexpr MaxPlus kLoops{step, sweep, trace, best_sum, max_masked};
