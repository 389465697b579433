#include "cluster/run/inputs.hpp"

#include "potential/recolumn.hpp"

#include <algorithm>

namespace chorale {

Inputs::~Inputs() {
  for (const KeptColumns &columns : kept_)
    release(columns.potential);
}

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

bool Inputs::keep_all() noexcept {
  if (!kept_.resize(model_.cliques.size()))
    return false;
  std::fill(kept_.begin(), kept_.end(), KeptColumns{});
  return true;
}

bool Inputs::keep(std::int64_t clique, const Array<std::int32_t> &columns) noexcept {
  const auto count = static_cast<std::int32_t>(columns.size());
  const Potential *potential = recolumn(memory_, *model_.cliques[clique].potential(),
                                        columns.begin(), count);
  if (!potential)
    return false;
  kept_[clique] = {nullptr, count, potential};
  for (const std::int32_t v : columns)
    if (!columns_.push(v))
      return false;
  return true;
}

void Inputs::settle_kept() noexcept {
  const std::int32_t *next = columns_.begin();
  for (KeptColumns &columns : kept_) {
    columns.columns = next;
    next += columns.count;
  }
}

} // namespace chorale
