// Coordinate ascent along a chain: a walk visits the positions from the first to the last. At each
// position it tells the caller the best score of the rest of the chain, and the caller may change
// the set of labels that this position may have.
//
// Some positions of the chain are *held*: each is restricted to a set of labels. The other
// positions are free. At position t the caller is given, for each label of t, the best score of all
// other positions under their restrictions, and may change the restriction of t. A backward sweep
// computes the scores of the positions after each t in advance; the scores of the positions before
// t are computed along the walk, with the new restrictions. So a walk costs as much as a forward
// and a backward sweep.
#pragma once

#include "chain/programs.hpp"

#include <algorithm>

namespace chorale {

// The caller's object `held` knows the restrictions and has these callbacks. `row` and `others`
// have m entries.
//   held.write(t, row)      writes the unary scores of position t; minus infinity for labels
//                           outside its restriction
//   held.visit(t, others)   may restrict position t to other labels; returns true if it did.
//                           `others`: best score of the rest of the chain for each label of t
//   held.goes_on(t)         false stops the walk at position t
class ChainWalk {
public:
  ChainWalk(Layout &layout, const ChainView &view) noexcept
      : step_(static_cast<std::ptrdiff_t>(padded_labels(view.labels))),
        rows_(layout.take<double>(ChainSweep::row_entries(view))),
        side_(layout.take<double>(padded_labels(view.labels))),
        work_(layout.take<double>(padded_labels(view.labels))) {}

  // Walks along the chain. True if the restriction of any position has changed. False if not, or if
  // goes_on() stopped the walk.
  template <class Held> bool run(Scores &scores, Held &held) noexcept {
    return sweep<false>(scores, held) && sweep<true>(scores, held) && moved_;
  }

  // After run(): writes the best labelling within the restrictions; ties go to the lowest label.
  // False if every labelling is forbidden.
  template <class Held>
  bool trace(const Scores &scores, Held &held, gsl::span<std::int32_t> labelling) noexcept {
    Expects(labelling.size() >= to_size(scores.length()));
    std::int32_t *labels = labelling.data();
    const std::int32_t m = scores.labels();
    const double *behind = scores.end();
    for (std::int32_t t = scores.length() - 1; t >= 0; --t) {
      held.write(t, work_);
      const double *front = rows_ + t * step_;
      for (std::int32_t y = 0; y < m; ++y)
        work_[y] = (front[y] + work_[y]) + behind[y];
      const std::int32_t y = index_of_greatest({work_, to_size(m)});
      if (y < 0)
        return false;
      labels[t] = y;
      if (t > 0)
        scores.into(t, y, {side_, to_size(m)});
      behind = side_;
    }
    return true;
  }

private:
  // The backward sweep writes the best score of the positions after t to row t of rows_. The
  // forward sweep visits each position t and then replaces row t by the best score of the positions
  // before t. False if goes_on() stopped the sweep.
  template <bool kForward, class Held> bool sweep(Scores &scores, Held &held) noexcept {
    const std::int32_t T = scores.length();
    const std::int32_t m = scores.labels();
    moved_ = false;
    std::copy_n(kForward ? scores.start() : scores.end(), m, side_);
    for (std::int32_t k = 0; k < T; ++k) {
      const std::int32_t t = kForward ? k : T - 1 - k;
      if (!held.goes_on(t))
        return false;
      double *row = rows_ + t * step_;
      if constexpr (kForward) {
        for (std::int32_t y = 0; y < m; ++y)
          work_[y] = side_[y] + row[y];
        moved_ |= held.visit(t, work_);
      }
      std::copy_n(side_, m, row);
      if (k + 1 == T)
        break;
      held.write(t, work_);
      for (std::int32_t y = 0; y < m; ++y)
        work_[y] += side_[y];
      const double *matrix = kForward ? scores.forward(t + 1) : scores.backward(t);
      scores.max_plus().step(work_, m, matrix,
                             kForward ? scores.forward_stride() : scores.backward_stride(), m,
                             nullptr, side_);
    }
    return true;
  }

  std::ptrdiff_t step_;
  double *rows_; // T x padded labels: best score of one side of each position, see sweep()
  double *side_; // m: best score of the positions swept so far, by label of the current position;
                 // in trace(), transition scores
  double *work_;
  bool moved_ = false;
};

} // namespace chorale
