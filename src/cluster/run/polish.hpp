// Block polish: one chain at a time is decoded anew given what all others show, until none gains.
// Never lowers equation 1.
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

// What became of a chain of a batch. unchanged: no clique of the chain has changed since it was
// looked at last.
enum class Verdict : std::int32_t { unknown, unchanged, stays, gains };

// What a chain of the batch would show.
struct Proposal {
  std::int32_t chain;
  std::int32_t first_label; // in PolishMemory::proposed_labels
  std::int32_t first_whole; // in PolishMemory::proposed_wholes
  Verdict verdict;
  bool repeats; // the chain has several slots in one clique
  double score;
};

// What a polish remembers from call to call, behind the rooms of chain programs.
struct PolishMemory {
  PolishMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts;        // of every clique's columns
  std::int32_t *changed_at; // by clique: PolishCourse::stamp when its counts last changed
  std::int32_t *visited_at; // by chain: the stamp of the counts it was last decoded against
  LabelStore proposed_labels;
  std::int32_t *proposed_wholes; // what whole-chain slots would show
  Proposal *batch;
  std::int64_t proposal_labels; // room for so many labels
  std::int64_t proposal_wholes; // and whole-chain slots
  std::int64_t batch_chains;    // and chains
};

// Bytes a polish needs for a chain beside its program.
std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept;

class Polish {
public:
  Polish(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // From the best labelling, then from the chains' own where that is another one; or the rest of
  // what a call has left.
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
