// Solves after edits (changed scores, allowed labels or strengths): starts from the last solution
// and works only on the chains and cliques that edits reach.
//
// settle() computes, for a complete solution, the counts of the cliques and the terms of equation 1
// (phi of each chain, strength times C of each clique). From then on counts and terms are updated
// only where they change. The solve changes chains of the labelling `now`. The labellings `now` and
// `best` are then compared over the changed chains and cliques alone. If `now` is better, these
// chains are copied to `best` (commit); otherwise they are copied back from `best` (revert). So
// once `best` fits the edited inputs (take_edited), its score does not fall. Closed cliques
// (closed.hpp) are independent of the rest of the model and solved directly.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

enum class EditEnd {
  done,    // a solution for the edited inputs has been found
  stopped, // the call must end
  whole    // the solution found is not good enough, or some chain has no labelling: the whole model
           // must be solved
};

class Edits {
public:
  Edits(const Setting &setting, RunState &state) noexcept
      : setting_(setting), model_(setting.model), state_(state), edits_(*state.edits) {}

  // Computes the counts and terms of a complete solution, unless they are known. False if the call
  // must end; nothing is prepared then.
  bool settle() noexcept;
  // Must be called after scores or allowed labels of a chain, or the strength of a clique, have
  // changed. Needs EditState::settled.
  void note_chain(std::int32_t chain) noexcept;
  void note_clique(std::int32_t clique) noexcept;
  // True if run() can be used: a solve after edits is unfinished, or there are edits since the last
  // complete solution, and few enough (kMostChains, kMostMembers in edits.cpp).
  bool serves() const noexcept;
  // Solves for the edits, or resumes an unfinished solve.
  EditEnd run() noexcept;

private:
  EditEnd go_on() noexcept;
  void abandon() noexcept;
  bool decode_own() noexcept;
  void take_edited() noexcept;
  void enqueue(std::int32_t chain) noexcept { edits_.queue.push(chain); }
  void enqueue_members(std::int32_t clique) noexcept;
  void take_own_of_reached() noexcept;
  bool polish() noexcept;
  bool improve(std::int32_t chain) noexcept;
  bool solve_closed_clique(std::int32_t clique) noexcept;
  void spread(const Slot &slot) noexcept;
  bool update_chain(std::int32_t chain) noexcept;
  void keep_damped() noexcept;
  void end_round() noexcept;
  EditEnd finish() noexcept;

  void set_now(std::int32_t chain, gsl::span<const std::int32_t> labels,
               gsl::span<const std::int32_t> shown, double score, bool spreads) noexcept;
  void take_now(std::int32_t chain, const Assignment &from, bool spreads) noexcept;
  void set_own(std::int32_t chain, gsl::span<const std::int32_t> labels,
               gsl::span<const std::int32_t> shown, double score) noexcept;
  bool is_better() noexcept;
  void keep_if_better() noexcept;
  void commit() noexcept;
  void revert() noexcept;
  void score_own(std::int32_t clique) noexcept;
  double score_now(std::int32_t clique) noexcept;
  double score_counted(std::int32_t clique, const Assignment &of,
                       const CountStore &counts) noexcept;
  void sum_up() noexcept;

  const Setting &setting_;
  const Model &model_;
  RunState &state_;
  EditState &edits_;
};

} // namespace chorale
