// Polish: block coordinate ascent on equation 1, the score of a whole labelling. Looks for a better
// labelling of one chain at a time, with all other chains fixed, until no chain gains. Never lowers
// equation 1. Chains are searched in *batches*. First all chains of a batch are searched in
// parallel, under the counts of the cliques at the beginning of the batch. Those that gain are then
// searched again, one after the other, under the counts as they are by then, and changed if they
// still gain.
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

// Result for a chain of a batch. done: no better labelling was found, or the chain needs no search:
// it is an item of a closed clique, it is left out, or nothing that members of its cliques show has
// changed since it was last searched.
enum class Verdict : std::uint8_t { unknown, gains, done };

// Memory of a polish that persists between calls. It lies in the last room (rooms.hpp), behind the
// chain program. Takes no memory if there is no chain to search: if every chain has one position
// and every clique is closed (Model::items_alone).
struct PolishMemory {
  PolishMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts; // of all cliques, under the current labelling
  // By clique: PolishCourse::stamp when what its members or its centre show last changed.
  gsl::span<std::int32_t> changed_at;
  // By chain: PolishCourse::stamp of the counts under which it was last searched; -1: not searched.
  gsl::span<std::int32_t> visited_at;
  gsl::span<Verdict> batch; // by chain of the batch
};

// Improves `now` one chain at a time until no chain gains (or kPolishSweeps in polish.cpp are
// done). course.stage must be `counts` before the first call. False if the call must end; the next
// call then goes on where this one ended. `own`: the best labelling of each chain without messages.
bool sweep_chains(const Setting &setting, const Assignment &own, Assignment &now,
                  PolishCourse &course) noexcept;

class Polish {
public:
  Polish(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // Polishes the best labelling, and then the labelling without messages, unless the best one comes
  // from round 0 and has the same score. Resumes an interrupted polish.
  void run() noexcept;

private:
  void offer_so_far() noexcept;
  void take_closed() noexcept;
  bool end_start() noexcept;

  const Setting &setting_;
  RunState &state_;
  Evaluation evaluation_;
};

} // namespace chorale
