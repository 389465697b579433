// Repair: local search for a labelling that no clique forbids, if rounds and polish found none.
//
// The *violation* of a clique is 0 if its potential allows the counts. Otherwise it is the distance
// to allowed counts, or 1 for families that give no distance (violation_of_counts). One chain at a
// time is decoded. Instead of messages, its incoming rows hold for each column of each slot minus a
// penalty for the violation that would remain if the slot showed this column. The new labelling is
// accepted if it lowers sum_p weight_p * violation_p over all cliques p. If no chain lowers this
// sum in a pass over the cliques, the search leaves the local optimum: violated cliques get more
// weight (breakout local search), the penalty doubles, and a random member of a random violated
// clique gets a random value, whatever that costs (random walk).
//
// Deciding whether an allowed labelling exists is NP-hard: cliques can encode the clauses of a
// satisfiability problem. So passes and decodes are limited, and failure proves nothing. If all members
// of a clique that still forbids the labelling are in one chain, this chain is then *set aside*: it is
// left out, so that all others can be labelled, but keeps its own labels, since it may have an allowed
// labelling.
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

// The part of a repair's memory that keeps its contents between calls, except `scratch`. It lies in
// the last room (rooms.hpp), behind the chain program.
struct RepairMemory {
  RepairMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts;               // counts of all cliques under the current labelling
  gsl::span<std::int32_t> weight;  // by clique: weight of its violation in the sum
  gsl::span<std::int64_t> scratch; // counts of one clique, by column
};

class Repair {
public:
  Repair(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // If a clique forbids the best labelling, searches for an allowed labelling, and polishes it if
  // the options ask for a polish. Resumes an interrupted repair. If it sets chains aside, round 0
  // is pending, and all other chains are to be solved once more.
  void run() noexcept;

private:
  const Setting &setting_;
  RunState &state_;
  Evaluation evaluation_;
};

} // namespace chorale
