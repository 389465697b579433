// Sweeps (max_plus.hpp) for few labels: rows stay in registers from one step to the next. Included
// by max_plus_loops.hpp if vectors have four doubles.
//
// A step adds unary scores to the row, copies the score of each label to all lanes, adds the
// label's matrix row, and takes the maximum over the labels. It needs the result of the step
// before, so latency dominates: maxima are taken in a tree instead of a sequence, and sums are
// distributed over all units of the processor that can add.

template <int kLane> CHORALE_LOOP Lanes one_lane(Lanes from) noexcept {
  return __builtin_shufflevector(from, from, kLane, kLane, kLane, kLane);
}

// Returns from[kLane] plus block b (the vector with index b) of rows[kLane], the matrix row of the
// label in this lane. If rows are short (at most three blocks), half of the sums are plain
// additions instead of FMAs. Additions run on the units that compare, which have nothing to do
// before the first sums are ready.
template <int kBlocks, int kLane>
CHORALE_LOOP Lanes label_sum(Lanes ones, Lanes from, const double *rows, int b) noexcept {
  const Lanes score = one_lane<kLane>(from);
  const Lanes row = load(rows + (kLane * kBlocks + b) * kLanes);
  if constexpr (kBlocks <= 3 && kLane >= 2)
    return score + row;
  else
    return sum_of(ones, score, row);
}

// Raises best[y] to the maximum of from[x] + rows[x][y] over the four labels x whose scores `from`
// holds, for all y in the first kWide blocks. If kFirst is true, sets best[y] to this maximum:
// `best` is not initialised yet.
template <int kBlocks, int kWide, bool kFirst>
CHORALE_LOOP void take_four(Lanes ones, Lanes from, const double *rows,
                            Lanes (&best)[kBlocks]) noexcept {
  for (int b = 0; b < kWide; ++b) {
    const Lanes most = larger(larger(label_sum<kBlocks, 0>(ones, from, rows, b),
                                     label_sum<kBlocks, 1>(ones, from, rows, b)),
                              larger(label_sum<kBlocks, 2>(ones, from, rows, b),
                                     label_sum<kBlocks, 3>(ones, from, rows, b)));
    best[b] = kFirst ? most : larger(most, best[b]);
  }
}

// Like take_four(), but for the first `count` of the four labels, and for all blocks.
template <int kBlocks, bool kFirst>
CHORALE_LOOP void take_some(Lanes ones, Lanes from, const double *rows, std::int32_t count,
                            Lanes (&best)[kBlocks]) noexcept {
  if (count == kLanes)
    return take_four<kBlocks, kBlocks, kFirst>(ones, from, rows, best);
  for (int b = 0; b < kBlocks; ++b) {
    Lanes most = label_sum<kBlocks, 0>(ones, from, rows, b);
    if (count > 1)
      most = larger(most, label_sum<kBlocks, 1>(ones, from, rows, b));
    if (count > 2)
      most = larger(most, label_sum<kBlocks, 2>(ones, from, rows, b));
    best[b] = kFirst ? most : larger(most, best[b]);
  }
}

// Calls take_four() for each vector of `from` whose index is one of kWhole.
template <int kBlocks, int kWide, std::size_t... kWhole>
CHORALE_LOOP void take_whole([[maybe_unused]] Lanes ones, const Lanes (&from)[kBlocks],
                             const double *matrix, Lanes (&best)[kBlocks],
                             std::index_sequence<kWhole...>) noexcept {
  (take_four<kBlocks, kWide, kWhole == 0>(ones, from[kWhole],
                                          matrix + kWhole * kLanes * kLanes * kBlocks, best),
   ...);
}

// State of a sweep: `best` holds the current row in registers.
template <int kBlocks> struct NarrowSweep {
  CHORALE_LOOP explicit NarrowSweep(const Sweep &sweep) noexcept
      : unary(sweep.unary), unary_step(sweep.unary_step), row(sweep.rows), row_step(sweep.row_step),
        matrix(sweep.matrix), mask(mask_of(sweep.labels)),
        left(sweep.labels - (kBlocks - 1) * kLanes) {
    for (int b = 0; b < kBlocks; ++b)
      best[b] = load(row + b * kLanes);
  }
  CHORALE_LOOP void step(Lanes ones) noexcept {
    Lanes from[kBlocks];
    for (int b = 0; b < kBlocks; ++b)
      from[b] = best[b] +
                (b + 1 < kBlocks ? load(unary + b * kLanes) : load_last(unary + b * kLanes, mask));
    take_whole<kBlocks, kBlocks>(ones, from, matrix, best, std::make_index_sequence<kBlocks - 1>{});
    take_some<kBlocks, kBlocks == 1>(
        ones, from[kBlocks - 1], matrix + (kBlocks - 1) * kLanes * kBlocks * kLanes, left, best);
    unary += unary_step;
    row += row_step;
    for (int b = 0; b < kBlocks; ++b)
      store(row + b * kLanes, best[b]);
  }

  const double *unary;
  std::ptrdiff_t unary_step;
  double *row;
  std::ptrdiff_t row_step;
  const double *matrix;
  Indices mask;
  std::int32_t left; // number of labels in the last vector
  Lanes best[kBlocks];
};

// State of a sweep if the number of labels is one more than a multiple of the vector length. The
// matrix column of the last label is kept in vectors. So the maximum for this label is taken over
// four previous labels at a time, and is then in all lanes, as the next step needs it.
template <int kBlocks> struct LoneSweep {
  static constexpr int kWhole = kBlocks - 1;
  static constexpr int kLone = kWhole * kLanes;

  CHORALE_LOOP explicit LoneSweep(const Sweep &sweep) noexcept
      : unary(sweep.unary), unary_step(sweep.unary_step), row(sweep.rows), row_step(sweep.row_step),
        matrix(sweep.matrix), lone_row(matrix + kLone * kBlocks * kLanes),
        corner(all_lanes(lone_row[kLone])) {
    constexpr int stride = kBlocks * kLanes;
    for (int b = 0; b < kWhole; ++b) {
      const double *from = matrix + b * kLanes * stride + kLone;
      column[b] = Lanes{from[0], from[stride], from[2 * stride], from[3 * stride]};
      best[b] = load(row + b * kLanes);
    }
    best[kWhole] = all_lanes(row[kLone]);
  }
  CHORALE_LOOP void step(Lanes ones) noexcept {
    Lanes from[kBlocks];
    for (int b = 0; b < kBlocks; ++b)
      from[b] = best[b] + (b < kWhole ? load(unary + b * kLanes) : all_lanes(unary[kLone]));
    take_whole<kBlocks, kWhole>(ones, from, matrix, best, std::make_index_sequence<kWhole>{});
    for (int b = 0; b < kWhole; ++b)
      best[b] = larger(best[b], sum_of(ones, from[kWhole], load(lone_row + b * kLanes)));
    Lanes lone = sum_of(ones, from[kWhole], corner);
    for (int b = 0; b < kWhole; ++b)
      lone = larger(sum_of(ones, from[b], column[b]), lone);
    lone = larger(lone, __builtin_shufflevector(lone, lone, 1, 0, 3, 2));
    best[kWhole] = larger(lone, __builtin_shufflevector(lone, lone, 2, 3, 0, 1));
    unary += unary_step;
    row += row_step;
    for (int b = 0; b < kWhole; ++b)
      store(row + b * kLanes, best[b]);
    const Indices first = first_indices() < all_lanes(1);
    store(row + kLone, first ? best[kWhole] : all_lanes(kForbidden));
  }

  const double *unary;
  std::ptrdiff_t unary_step;
  double *row;
  std::ptrdiff_t row_step;
  const double *matrix;
  const double *lone_row;
  Lanes corner;
  Lanes column[kWhole];
  Lanes best[kBlocks];
};

// Each instance of this template is a function of its own (CHORALE_ENTRY). Without optimisation, a
// single function into which all instances are inlined could have a frame too large for small
// stacks.
template <class Steps> CHORALE_ENTRY void sweep_in_registers(const Sweep &sweep) noexcept {
  const Lanes ones = ones_here();
  Steps steps(sweep);
  for (std::int32_t i = 1; i < sweep.length; ++i)
    steps.step(ones);
}

template <int kBlocks> CHORALE_LOOP void sweep_few(const Sweep &sweep) noexcept {
  if constexpr (kBlocks > 1)
    if (sweep.labels == (kBlocks - 1) * kLanes + 1)
      return sweep_in_registers<LoneSweep<kBlocks>>(sweep);
  sweep_in_registers<NarrowSweep<kBlocks>>(sweep);
}

// Interleaves two sweeps with equal numbers of labels to hide the latency of their steps.
template <class Steps>
CHORALE_ENTRY void two_in_registers(const Sweep &longer, const Sweep &shorter) noexcept {
  const Lanes ones = ones_here();
  Steps steps(longer);
  Steps beside(shorter);
  std::int32_t i = 1;
  for (; i < shorter.length; ++i) {
    steps.step(ones);
    beside.step(ones);
  }
  for (; i < longer.length; ++i)
    steps.step(ones);
}

template <int kBlocks>
CHORALE_LOOP void two_sweeps_few(const Sweep &longer, const Sweep &shorter) noexcept {
  if constexpr (kBlocks > 1)
    if (longer.labels == (kBlocks - 1) * kLanes + 1)
      return two_in_registers<LoneSweep<kBlocks>>(longer, shorter);
  two_in_registers<NarrowSweep<kBlocks>>(longer, shorter);
}
