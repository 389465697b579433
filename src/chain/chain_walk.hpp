// Moves of single positions along a chain.
//
// Some positions of the chain are *held* to a set of labels each, the others are free. A walk goes
// from the first position to the last and sets the held positions free one at a time, each while
// all others are held: what the rest of the chain is worth beside each label of a position comes
// from the scores of both sides. The scores in front are brought up to date on the way, so that a
// position may be held to other labels as soon as it has been looked at. A walk costs as much as
// the two sweeps of forward-backward, however many positions it moves.
#pragma once

#include "chain/programs.hpp"

#include <algorithm>

namespace chorale {

// What a walk asks about positions. `row` and `others` have one number a label.
//   held.write(t, row)      writes the scores of position t, minus infinity for labels that it is
//                           not held to
//   held.visit(t, others)   true if position t is held to other labels from now on; `others`: the
//                           best that the rest of the chain adds to each label of t
//   held.goes_on(t)         false ends the walk at position t
class ChainWalk {
public:
  ChainWalk(Layout &layout, const ChainView &view) noexcept
      : step_(static_cast<std::ptrdiff_t>(padded_labels(view.labels))),
        rows_(layout.take<double>(ChainSweep::row_entries(view))),
        side_(layout.take<double>(padded_labels(view.labels))),
        work_(layout.take<double>(padded_labels(view.labels))) {}

  // True if any position moved. False also where the walk was ended.
  template <class Held> bool run(Scores &scores, Held &held) noexcept {
    return sweep<false>(scores, held) && sweep<true>(scores, held) && moved_;
  }

  // The best labelling within what positions are held to, after run(); of equals the lowest label.
  // False where there is none.
  template <class Held>
  bool trace(const Scores &scores, Held &held, std::int32_t *labelling) noexcept {
    const std::int32_t m = scores.labels();
    const double *behind = scores.end();
    for (std::int32_t t = scores.length() - 1; t >= 0; --t) {
      held.write(t, work_);
      const double *front = rows_ + t * step_;
      for (std::int32_t y = 0; y < m; ++y)
        work_[y] = (front[y] + work_[y]) + behind[y];
      const std::int32_t y = index_of_greatest(work_, m);
      if (y < 0)
        return false;
      labelling[t] = y;
      if (t > 0)
        scores.into(t, y, side_);
      behind = side_;
    }
    return true;
  }

private:
  // Backward, leaves in each row the scores behind its position; forward, visits each position and
  // replaces these by the scores in front of it. False where it was ended.
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
  double *rows_; // T rows: the best of everything on one side of each position
  double *side_; // the same of the position that a sweep has come to; in trace, edges
  double *work_;
  bool moved_ = false;
};

} // namespace chorale
