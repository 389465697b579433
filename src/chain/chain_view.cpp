#include "chain/chain_view.hpp"

#include <algorithm>
#include <bitset>

namespace chorale {

void ChainView::mark_leaves(gsl::span<std::uint8_t> leaves) const noexcept {
  Expects(leaves.size() >= to_size(length));
  std::uint8_t *is_leaf = leaves.data();
  std::fill_n(is_leaf, length, std::uint8_t{1});
  for (std::int32_t t = 0; t < length; ++t)
    if (const std::int32_t above = parent(t); above >= 0)
      is_leaf[above] = 0;
}

template <class IsLeaf>
double ChainView::add_up(const std::int32_t *labels_at, IsLeaf &&is_leaf) const noexcept {
  double total = 0;
  const bool ends = has_end();
  for (std::int32_t t = 0; t < length; ++t) {
    const std::int32_t y = labels_at[t];
    if (!allows(t, y))
      return kForbidden;
    const std::int32_t above = parent(t);
    if (above >= 0)
      total += edge_at(t, labels_at[above], y);
    else
      total += start_at(y);
    total += unary_at(t, y);
    if (ends && is_leaf(t))
      total += end_at(y);
  }
  return total;
}

double ChainView::score(gsl::span<const std::int32_t> labelling,
                        gsl::span<const std::uint8_t> leaves) const noexcept {
  // These checks are made only in debug and sanitizer builds (kContracts): most calls score a chain
  // of one position, for which a check would take a large part of the time.
  Expects(!kContracts || labelling.size() >= to_size(length));
  Expects(!kContracts || leaves.empty() || leaves.size() >= to_size(length));
  if (!parents)
    return add_up(labelling.data(), [this](std::int32_t t) { return t == length - 1; });
  const std::uint8_t *leaf_at = leaves.data();
  return leaf_at ? add_up(labelling.data(), [=](std::int32_t t) { return leaf_at[t] != 0; })
                 : score_without_leaves(labelling);
}

double ChainView::score_without_leaves(gsl::span<const std::int32_t> labelling) const noexcept {
  std::bitset<kLeavesAtOnce> has_child; // of the positions of a block
  return add_up(labelling.data(), [&](std::int32_t t) {
    if (t % kLeavesAtOnce == 0) {
      has_child.reset();
      for (std::int32_t c = t + 1; c < length; ++c) // parents come before their children
        if (parents[c] >= t && parents[c] - t < kLeavesAtOnce)
          has_child.set(to_size(parents[c] - t));
    }
    return !has_child[to_size(t % kLeavesAtOnce)];
  });
}

} // namespace chorale
