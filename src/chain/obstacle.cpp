#include "chain/obstacle.hpp"

#include "base/numeric.hpp"

#include <algorithm>

namespace chorale {

// Goes from the last position to the first, so that a position is visited after its children (in a
// chain: the next position). After the visit of t, flag open[t * m + y] is 1 if some labelling of t
// and of all positions below it has label y at t and is allowed. Before, the flag is 0 if label y
// is impossible because of a child visited so far.
Obstacle find_obstacle(const ChainView &view, gsl::span<std::uint8_t> open) noexcept {
  const std::int32_t T = view.length;
  const std::int64_t m = view.labels;
  Expects(open.size() >= to_size(T * (m + 1)));
  std::uint8_t *const flags = open.data();
  const auto is_allowed = [&](std::int32_t t, std::int32_t y) {
    return view.allows(t, y) && view.unary_at(t, y) > kForbidden;
  };
  std::fill_n(flags, T * m, std::uint8_t{1});
  const gsl::span<std::uint8_t> leaves = open.subspan(to_size(T * m));
  if (view.parents)
    view.mark_leaves(leaves);
  for (std::int32_t t = T - 1; t >= 0; --t) {
    std::uint8_t *row = flags + t * m;
    const std::int32_t parent = view.parent(t);
    const bool is_leaf =
        view.has_end() && (view.parents ? leaves.data()[t] != 0 : t == T - 1);
    bool any_allowed = false;
    bool any_open = false;
    for (std::int32_t y = 0; y < m; ++y) {
      const bool allowed = is_allowed(t, y);
      const bool ends = !is_leaf || view.end_at(y) > kForbidden;
      const bool starts = parent >= 0 || view.start_at(y) > kForbidden;
      row[y] = row[y] != 0 && allowed && ends && starts ? 1 : 0;
      any_allowed = any_allowed || allowed;
      any_open = any_open || row[y] != 0;
    }
    if (!any_open)
      return {t, any_allowed ? CHORALE_OBSTACLE_TRANSITIONS : CHORALE_OBSTACLE_SCORES};
    for (std::int32_t x = 0; parent >= 0 && view.has_edges() && x < m; ++x) {
      const auto follows = [&](std::int32_t y) {
        return row[y] != 0 && view.edge_at(t, x, y) > kForbidden;
      };
      bool any = false;
      for (std::int32_t y = 0; y < m && !any; ++y)
        any = follows(y);
      if (!any)
        flags[parent * m + x] = 0;
    }
  }
  return {};
}

} // namespace chorale
