#include "cluster/run/inputs.hpp"

#include <algorithm>

namespace chorale {

Inputs::View *Inputs::lower_bound(std::int32_t chain) noexcept {
  return std::lower_bound(views_.begin(), views_.end(), chain,
                          [](const View &a, std::int32_t b) { return a.chain < b; });
}

const Inputs::View *Inputs::find_view(std::int32_t chain) const noexcept {
  if (views_.empty())
    return nullptr;
  const View *place = const_cast<Inputs *>(this)->lower_bound(chain);
  return place != views_.end() && place->chain == chain ? place : nullptr;
}

bool Inputs::replace(std::int32_t chain, const ChainView &view) noexcept {
  const std::int64_t index = lower_bound(chain) - views_.begin();
  if (index < views_.size() && views_[index].chain == chain) {
    views_[index].view = view;
    return true;
  }
  if (!views_.push({chain, view}))
    return false;
  std::rotate(views_.begin() + index, views_.end() - 1, views_.end());
  return true;
}

void Inputs::restore(std::int32_t chain) noexcept {
  View *place = lower_bound(chain);
  std::rotate(place, place + 1, views_.end());
  views_.truncate(views_.size() - 1);
}

void Inputs::restore_all() noexcept {
  views_.truncate(0);
  if (takes_edits()) {
    std::fill_n(masked_.data(), masked_.size(), 0);
    std::fill_n(strengths_.data(), strengths_.size(), 1.0);
  }
  edited_ = 0;
  use_absent(false);
}

void Inputs::take(Layout &layout, bool edits, bool kept) noexcept {
  absent_ = layout.take_span<std::int32_t>(model_.cliques.size());
  if (kept)
    kept_ = layout.take_span<std::uint8_t>(model_.count_count);
  if (!edits)
    return;
  masks_ = layout.take_span<std::uint8_t>(
      saturating_product(to_size(model_.label_count), to_size(model_.most_labels)));
  masked_ = layout.take_span<std::int32_t>(model_.chains.size());
  strengths_ = layout.take_span<double>(model_.cliques.size());
}

// The mask of a chain is used only while it forbids some label. So an edit of a chain whose mask
// forbids none initialises it, and masks of chains without edits are never initialised.
void Inputs::set_allowed(std::int32_t chain, std::int32_t position,
                         gsl::span<const std::uint8_t> allowed) noexcept {
  const Chain of = model_.chains[chain];
  const std::int64_t m = of.labels;
  Expects(allowed.empty() || allowed.size() >= to_size(m));
  std::uint8_t *mask = mask_of(chain);
  if (masked_.data()[chain] == 0)
    std::fill_n(mask, of.length * m, std::uint8_t{1});
  std::uint8_t *row = mask + position * m;
  const auto is_masked = [&] { return std::find(row, row + m, 0) != row + m ? 1 : 0; };
  const std::int32_t before = is_masked();
  for (std::int64_t y = 0; y < m; ++y)
    row[y] = allowed.empty() || allowed.data()[y] != 0 ? 1 : 0;
  const std::int32_t change = is_masked() - before;
  masked_.data()[chain] += change;
  edited_ += change;
}

bool Inputs::leaves_any(std::int32_t chain, std::int32_t position,
                        gsl::span<const std::uint8_t> allowed) const noexcept {
  ChainView view = view_of(chain);
  Expects(allowed.size() >= to_size(view.labels));
  view.masked = nullptr;
  for (std::int32_t y = 0; y < view.labels; ++y)
    if (allowed.data()[y] != 0 && view.allows(position, y) &&
        view.unary_at(position, y) > kForbidden)
      return true;
  return false;
}

void Inputs::set_strength(std::int64_t clique, double factor) noexcept {
  double &strength = strengths_.data()[clique];
  edited_ += (factor != 1 ? 1 : 0) - (strength != 1 ? 1 : 0);
  strength = factor;
}

} // namespace chorale
