// Tables of the properties of chains (chain/bound_property.hpp), kept for a whole run. The first
// joint program (chain/joint.hpp) of a chain fills the chain's tables, and all later programs read
// them. Tables depend on the model alone, so neither edits nor replaced scores change them.
//
// All tables together take no more memory than the scores of the model, or kLeastBytes if that is
// more. Chains are considered in ascending order, and a chain whose tables still fit gets tables. A
// program of any other chain has tables of its own. Results do not depend on which tables are kept.
//
// One thread at a time works on a chain, so the tables of a chain need no lock.
#pragma once

#include "chain/bound_property.hpp"
#include "cluster/model/model.hpp"

namespace chorale {

class BoundStore {
public:
  // Takes the memory of the tables from `layout` and creates them unfilled. Takes none if no chain
  // has properties.
  void place(Layout &layout, const Model &model) noexcept;
  // Returns the tables of a chain, one BoundTables for each whole-chain slot; NULL if the run keeps
  // no tables for this chain.
  BoundTables *of(std::int32_t chain) const noexcept { return tables_ ? tables_[chain] : nullptr; }

private:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 24;

  BoundTables **tables_ = nullptr; // by chain: its tables, or NULL if they are not kept
};

} // namespace chorale
