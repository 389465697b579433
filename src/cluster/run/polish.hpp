// Polish: block coordinate ascent on equation 1, the score of a whole labelling. Finds the best
// labelling of one chain at a time with all other chains fixed, until no chain gains. Never lowers
// equation 1. Chains are searched in *batches*: all chains of a batch, in parallel, propose
// labellings, which are then accepted or rejected in order (polish.cpp).
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

// Result for a chain of a batch. unknown: not yet computed; unchanged: skipped, since no counts of
// the chain's cliques have changed since the chain was last searched; stays: no better labelling
// was found; gains: the proposal holds a better labelling.
enum class Verdict : std::int32_t { unknown, unchanged, stays, gains };

// A labelling proposed for a chain of the batch.
struct Proposal {
  std::int32_t chain;
  std::int32_t first_label; // its labels begin here in PolishMemory::proposed_labels
  std::int32_t first_whole; // its columns begin here in PolishMemory::proposed_wholes
  Verdict verdict;
  bool repeats; // the chain has several slots in one clique
  double score; // phi of the labels
};

// Memory of a polish that persists between calls. It lies in the last room (rooms.hpp), behind the
// chain program. Takes no memory if there is no chain to search: if every chain has one position
// and every clique is closed (Model::items_alone).
struct PolishMemory {
  PolishMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts; // of all cliques, under the current labelling
  // By clique: PolishCourse::stamp when its counts last changed.
  gsl::span<std::int32_t> changed_at;
  // By chain: the stamp of the counts under which it was last searched.
  gsl::span<std::int32_t> visited_at;
  LabelStore proposed_labels;       // labels of all proposals of the batch, end to end
  std::int64_t proposal_labels = 0; // capacity of proposed_labels
  // Columns of the whole-chain slots of all proposals, end to end.
  gsl::span<std::int32_t> proposed_wholes;
  gsl::span<Proposal> batch;
};

// Returns the bytes that a polish needs for a chain in addition to its ChainProgram.
std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept;

// Improves `now` one chain at a time until no chain gains. `course` begins at stage `counts`. False if
// the call must end; the next call then resumes. `own`: the best labelling of each chain without
// messages.
bool sweep_chains(const Setting &setting, const Assignment &own, Assignment &now,
                  PolishCourse &course) noexcept;

class Polish {
public:
  Polish(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // Polishes the best labelling, and then the labelling without messages if the two differ. Resumes
  // an interrupted polish.
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
