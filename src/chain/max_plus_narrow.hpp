// Sweeps (max_plus.hpp) for few labels: rows stay in registers from one step to the next. Included
// by max_plus_loops.hpp if vectors have four doubles.
//
// A step adds unary scores to the row, copies the score of each label to all lanes, adds the
// label's matrix row, and takes the maximum over the labels. Each step needs the result of the step
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
// holds, for all y. If kFirst is true, sets best[y] to this maximum, whatever it was.
template <int kBlocks, bool kFirst>
CHORALE_LOOP void take_four(Lanes ones, Lanes from, const double *rows,
                            Lanes (&best)[kBlocks]) noexcept {
  for (int b = 0; b < kBlocks; ++b) {
    const Lanes most = larger(larger(label_sum<kBlocks, 0>(ones, from, rows, b),
                                     label_sum<kBlocks, 1>(ones, from, rows, b)),
                              larger(label_sum<kBlocks, 2>(ones, from, rows, b),
                                     label_sum<kBlocks, 3>(ones, from, rows, b)));
    best[b] = kFirst ? most : larger(most, best[b]);
  }
}

// Like take_four(), but for the first `count` of the four labels.
template <int kBlocks, bool kFirst>
CHORALE_LOOP void take_some(Lanes ones, Lanes from, const double *rows, std::int32_t count,
                            Lanes (&best)[kBlocks]) noexcept {
  if (count == kLanes)
    return take_four<kBlocks, kFirst>(ones, from, rows, best);
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
template <int kBlocks, std::size_t... kWhole>
CHORALE_LOOP void take_whole([[maybe_unused]] Lanes ones, const Lanes (&from)[kBlocks],
                             const double *matrix, Lanes (&best)[kBlocks],
                             std::index_sequence<kWhole...>) noexcept {
  (take_four<kBlocks, kWhole == 0>(ones, from[kWhole],
                                   matrix + kWhole * kLanes * kLanes * kBlocks, best),
   ...);
}

// Makes a sweep whose rows have kBlocks vectors. CHORALE_ENTRY and not CHORALE_LOOP, which is
// inlined in every build: in a build without optimisation, one function with all instances inlined
// could have a frame too large for small stacks.
template <int kBlocks> CHORALE_ENTRY void sweep_few(const Sweep &sweep) noexcept {
  const Lanes ones = ones_here();
  const Indices mask = mask_of(sweep.labels);
  const std::int32_t left = sweep.labels - (kBlocks - 1) * kLanes; // labels in the last vector
  const double *unary = sweep.unary;
  double *row = sweep.rows;
  Lanes best[kBlocks]; // the current row
  for (int b = 0; b < kBlocks; ++b)
    best[b] = load(row + b * kLanes);
  for (std::int32_t i = 1; i < sweep.length; ++i) {
    Lanes from[kBlocks];
    for (int b = 0; b < kBlocks; ++b)
      from[b] = best[b] +
                (b + 1 < kBlocks ? load(unary + b * kLanes) : load_last(unary + b * kLanes, mask));
    take_whole<kBlocks>(ones, from, sweep.matrix, best, std::make_index_sequence<kBlocks - 1>{});
    take_some<kBlocks, kBlocks == 1>(
        ones, from[kBlocks - 1], sweep.matrix + (kBlocks - 1) * kLanes * kBlocks * kLanes, left,
        best);
    unary += sweep.unary_step;
    row += sweep.row_step;
    for (int b = 0; b < kBlocks; ++b)
      store(row + b * kLanes, best[b]);
  }
}

// Greatest number of vectors in a row for which a sweep keeps rows in registers.
constexpr int kFewBlocks = 5;
// Calls sweep_few() for as many vectors as a row has, at most kMost.
template <int kMost> CHORALE_LOOP void sweep_blocks(const Sweep &sweep) noexcept {
  if constexpr (kMost > 1)
    if (sweep.labels <= (kMost - 1) * kLanes)
      return sweep_blocks<kMost - 1>(sweep);
  sweep_few<kMost>(sweep);
}
