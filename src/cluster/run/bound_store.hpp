// Tables of the properties of chains (chain/bound_property.hpp), kept for a whole run: the first
// joint program of a chain fills them, all later ones read them. They depend on the model alone, so
// neither edits nor replaced scores change them.
//
// Chains get tables in their order while these need less memory than the scores of the model or
// kLeastBytes, whichever is more. Programs of the other chains have tables of their own. Results do
// not depend on what is kept.
//
// A chain is worked on by one thread at a time, so its tables need no lock.
#pragma once

#include "chain/bound_property.hpp"
#include "cluster/model/model.hpp"

namespace chorale {

class BoundStore {
public:
  // Takes the memory of the tables, none if no chain has properties, and creates them unfilled.
  void place(Layout &layout, const Model &model) noexcept;
  // Returns the tables of a chain by whole-chain slot; NULL if they are not kept.
  BoundTables *of(std::int32_t chain) const noexcept { return tables_ ? tables_[chain] : nullptr; }

private:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 24;

  BoundTables **tables_ = nullptr; // by chain
};

} // namespace chorale
