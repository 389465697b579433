// bound_store.hpp explains the words used here.
#include "cluster/run/bound_store.hpp"

#include <algorithm>
#include <new>

namespace chorale {
namespace {

// Lays out the tables of all properties of a chain, one BoundTables for each whole-chain slot.
// Creates them unless `layout` only measures. Returns the first.
BoundTables *place_tables(Layout &layout, const Model &model, std::int32_t number) noexcept {
  const Chain chain = model.chains[number];
  auto *tables = layout.take<BoundTables>(chain.wholes());
  for (std::int32_t k = 0; k < chain.wholes(); ++k) {
    const BoundTables empty(layout, model.attached(model.slot(number, k)),
                            chain.view().parents != nullptr);
    if (!layout.measuring())
      new (tables + k) BoundTables(empty);
  }
  return tables;
}

} // namespace

void BoundStore::place(Layout &layout, const Model &model) noexcept {
  if (model.wholes.empty())
    return;
  const std::size_t most =
      saturating_sum(layout.bytes(), std::max(model.score_bytes, kLeastBytes));
  tables_ = layout.take<BoundTables *>(model.chains.size());
  for (std::int32_t i = 0; i < model.chains.size(); ++i) {
    BoundTables *tables = nullptr;
    const Chain chain = model.chains[i];
    if (!chain.is_instance && chain.wholes() > 0) {
      Layout own;
      place_tables(own, model, i);
      if (saturating_sum(layout.bytes(), own.bytes()) <= most)
        tables = place_tables(layout, model, i);
    }
    if (!layout.measuring())
      tables_[i] = tables;
  }
}

} // namespace chorale
