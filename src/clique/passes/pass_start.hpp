// Where a pass of alpha-pass begins, in sums over many columns.
//
// At most 2 n columns are ever a default of some member. All others have a count of 0 in every
// labelling of a pass but alpha's own, so a running score that is reset from one pass to the next
// looks at the default columns, at alpha, and at those that add something by a count of 0: O(n) a
// pass instead of O(K), adding up in the same order.
#pragma once

#include "clique/instance.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

class PassStart {
public:
  PassStart(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), columns_(layout.take<std::int32_t>(instance.columns)) {}

  // Once the best columns of the members are noted.
  void begin() noexcept {
    const Instance &in = *instance_;
    std::fill(columns_, columns_ + in.columns, 0);
    // If interrupted, the next pass is so too.
    in_stretches(in, in.members, 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        columns_[in.best[i]] = 1;
        if (in.second[i] >= 0)
          columns_[in.second[i]] = 1;
      }
    });
    count_ = 0;
    for (std::int32_t v = 0; v < in.columns; ++v)
      if (columns_[v] != 0 || in.potential.tables[v][0] != 0)
        columns_[count_++] = v;
    alpha_ = -1;
  }

  // Sets `score` to the counts with which the pass of alpha begins.
  template <class Score>
  void reset(Score &score, const std::int32_t *counts, std::int32_t alpha) noexcept {
    const std::int32_t before = std::exchange(alpha_, alpha);
    if (before < 0 || 2 * count_ > instance_->columns) {
      score.reset(counts);
      return;
    }
    score.put(before, 0);
    score.restart();
    const std::int32_t *const first = columns_;
    const std::int32_t *const end = first + count_;
    const std::int32_t *at = std::lower_bound(first, end, alpha);
    for (const std::int32_t *v = first; v != at; ++v)
      score.put(*v, counts[*v]);
    score.put(alpha, counts[alpha]);
    for (const std::int32_t *v = at != end && *at == alpha ? at + 1 : at; v != end; ++v)
      score.put(*v, counts[*v]);
  }

private:
  const Instance *instance_;
  std::int32_t *columns_; // K: the first `count_` are those to look at, ascending
  std::int32_t count_ = 0;
  std::int32_t alpha_ = -1; // of the last pass
};

} // namespace chorale
