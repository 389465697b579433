// Sets a running score (a class of count_score.hpp: counts, and the value of a sum at these counts)
// to the first labelling of a pass of alpha-pass. Fast if there are many columns.
//
// At most 2 n columns are the best or second-best column of some of the n members. Every other
// column has count 0 in all labellings except those of its own pass. So a reset between two passes
// visits only the best and second-best columns, alpha, the previous alpha, and the columns with
// f_v(0) != 0. If most f_v(0) are 0, this takes O(n) instead of O(K) for K columns. The columns are
// visited in ascending order. A reset that visits all columns adds up the sum in this order too, so
// the value has the same bits.
#pragma once

#include "clique/instance.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

class PassStart {
public:
  PassStart(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), columns_(layout.take<std::int32_t>(instance.columns)) {}

  // Collects the columns to visit. Requires a loaded instance (Instance::load()).
  void begin() noexcept {
    const Instance &in = *instance_;
    // Results are ignored: if the limits interrupt a step here, they interrupt the next pass too.
    in.spend(8 * std::int64_t{in.columns});
    std::fill(columns_, columns_ + in.columns, 0);
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

  // Sets `score` to `by_column` (K), the counts of the first labelling of the pass of alpha.
  template <class Score>
  void reset(Score &score, gsl::span<const std::int32_t> by_column, std::int32_t alpha) noexcept {
    const std::int32_t before = std::exchange(alpha_, alpha);
    if (before < 0 || 2 * count_ > instance_->columns) {
      score.reset(by_column);
      return;
    }
    const std::int32_t *counts = by_column.data();
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
  std::int32_t *columns_; // K: the first count_ entries are the columns to visit, ascending
  std::int32_t count_ = 0;
  std::int32_t alpha_ = -1; // alpha of the previous pass; -1 before the first
};

} // namespace chorale
