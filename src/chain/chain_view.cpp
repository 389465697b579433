#include "chain/chain_view.hpp"

#include <algorithm>

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

double ChainView::score(gsl::span<const std::int32_t> labelling) const noexcept {
  // This check is made only in debug and sanitizer builds (kContracts): most calls score a chain
  // of one position, for which a check would take a large part of the time.
  Expects(!kContracts || labelling.size() >= to_size(length));
  if (!parents || !has_end())
    return add_up(labelling.data(), [this](std::int32_t t) { return t == length - 1; });
  // Finds the leaves of a tree block by block, by a pass over the parents for each block: flags of
  // a block fit on the stack, so nothing is allocated.
  constexpr std::int32_t kBlock = 1 << 16;
  constexpr std::int32_t kBits = 64;
  std::uint64_t has_child[kBlock / kBits];
  return add_up(labelling.data(), [&](std::int32_t t) {
    const std::int32_t at = t % kBlock;
    if (at == 0) {
      std::fill_n(has_child, (std::min(kBlock, length - t) + kBits - 1) / kBits, std::uint64_t{0});
      for (std::int32_t c = t + 1; c < length; ++c) // parents come before their children
        if (const std::int32_t of = parents[c] - t; of >= 0 && of < kBlock)
          has_child[of / kBits] |= std::uint64_t{1} << of % kBits;
    }
    return (has_child[at / kBits] >> at % kBits & 1) == 0;
  });
}

} // namespace chorale
