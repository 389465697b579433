// Regroup: local search from the best labelling by moves of several chains. Never lowers
// equation 1, the score of a whole labelling.
//
// A polish moves one chain at a time, so it ends where only several chains together would gain: for
// example, if all members of a clique would have to change to the same other value. A *shift*
// forces some members of one clique, or of several neighbouring cliques, to other values, whatever
// that costs (Shift in improve.hpp). A *move* makes one to five shifts, each near the one before.
// Then it improves, one at a time, the chains that share a clique with a changed chain, and finally
// the forced chains themselves. If the sum of all these exact changes of equation 1 is a gain, the
// move is kept; otherwise it is undone. Moves are drawn at random; every run draws the same
// sequence. The search ends when it has worked for long without a gain, or after a greatest amount
// of work (kVisitsAlone and kVisitsInAll in regroup.cpp).
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

// The part of the search's memory that keeps its contents during a call. It lies in the last room
// (rooms.hpp), behind the chain program. Takes no memory in models that are not searched.
struct RegroupMemory {
  RegroupMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts;              // of all cliques, under RunState::now
  ChainQueue queue;               // chains to improve
  WorkList touched;               // chains that may differ in `now` and `best`
  // Chains that the current move forced. They are not improved until the queue of the others is empty.
  WorkList forced;
  gsl::span<std::int32_t> begins; // the cliques in which moves begin
  WorkList region;                // the cliques that the present shift concerns
};

class Regroup {
public:
  Regroup(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // Searches from RunState::best. Resumes an interrupted search.
  void run() noexcept;

private:
  const Setting &setting_;
  RunState &state_;
  Evaluation evaluation_;
};

} // namespace chorale
