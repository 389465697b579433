#include "chain/chain_view.hpp"

#include <algorithm>

namespace chorale {

bool ChainView::is_leaf(std::int32_t t) const noexcept {
  if (!parents)
    return t == length - 1;
  for (std::int32_t c = t + 1; c < length; ++c)
    if (parents[c] == t)
      return false;
  return true;
}

void ChainView::mark_leaves(std::uint8_t *leaves) const noexcept {
  std::fill_n(leaves, length, std::uint8_t{1});
  for (std::int32_t t = 0; t < length; ++t)
    if (parents[t] >= 0)
      leaves[parents[t]] = 0;
}

double ChainView::score(const std::int32_t *labelling, const std::uint8_t *leaves) const noexcept {
  double total = 0;
  const bool ends = has_end();
  for (std::int32_t t = 0; t < length; ++t) {
    const std::int32_t y = labelling[t];
    if (!allows(t, y))
      return kForbidden;
    const std::int32_t above = parent(t);
    if (above >= 0)
      total += edge_at(t, labelling[above], y);
    else
      total += start_at(y);
    total += unary_at(t, y);
    if (ends && (leaves ? leaves[t] != 0 : is_leaf(t)))
      total += end_at(y);
  }
  return total;
}

} // namespace chorale
