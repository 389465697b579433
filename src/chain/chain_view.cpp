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

void ChainView::mark_leaves(gsl::span<std::uint8_t> leaves) const noexcept {
  Expects(leaves.size() >= to_size(length));
  std::uint8_t *is_leaf = leaves.data();
  std::fill_n(is_leaf, length, std::uint8_t{1});
  for (std::int32_t t = 0; t < length; ++t)
    if (parents[t] >= 0)
      is_leaf[parents[t]] = 0;
}

double ChainView::score(gsl::span<const std::int32_t> labelling,
                        gsl::span<const std::uint8_t> leaves) const noexcept {
  // These checks are made only in debug and sanitizer builds (kContracts): most calls score a chain
  // of one position, for which a check would take a large part of the time.
  Expects(!kContracts || labelling.size() >= to_size(length));
  Expects(!kContracts || leaves.empty() || leaves.size() >= to_size(length));
  const std::int32_t *labels_at = labelling.data();
  const std::uint8_t *leaf_at = leaves.data();
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
    if (ends && (leaf_at ? leaf_at[t] != 0 : is_leaf(t)))
      total += end_at(y);
  }
  return total;
}

} // namespace chorale
