// Repair: looks for a labelling that no clique forbids, where rounds and polish have met none.
//
// A clique's *violation* is 0 where its potential allows the counts, and otherwise tells how far
// they are from allowed ones. One chain at a time is decoded under rows that charge, for each value
// of each slot, the violation which would be left, and is taken over where the sum of weight times
// violation over all cliques falls. Where no chain lowers the sum, the cliques that still forbid
// weigh more from then on (breakout local search), violations are charged more against the scores
// of chains, and some member of some clique that forbids is given some other value, at any cost
// (random walk): several slots of a chain may have to move together.
//
// Whether any labelling is allowed is NP-hard to decide (each clique may ask for one of two labels
// of its members, as the clauses of a satisfiability problem do), so passes and decodes are
// limited: what is not found is not proven to be nothing.
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

// What a repair remembers from call to call, behind the rooms of chain programs.
struct RepairMemory {
  RepairMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts;     // of every clique's columns
  std::int32_t *weight;  // of each clique
  std::int64_t *scratch; // counts of one clique
};

// Bytes a repair needs for a chain beside its program.
std::size_t repair_bytes(const Model &model, std::int32_t chain) noexcept;

class Repair {
public:
  Repair(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // Where every labelling met so far is forbidden: looks for another, and polishes it; or the rest
  // of what a call has left.
  void run() noexcept;

private:
  const Setting &setting_;
  RunState &state_;
  Evaluation evaluation_;
};

} // namespace chorale
