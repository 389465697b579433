// The public run: owns state and scratch memory, and calls rounds, polish, repair, regroup, solves
// after edits and dual bound.
//
// Memory lies in two blocks: one for the state (state.hpp), the inputs (inputs.hpp) and the Worker
// structs, and the scratch memory of the workers (rooms.hpp). A list of replaced scores is added by
// replace(). T is the length of a chain, m its number of labels.
#pragma once

#include "cluster/run/outcome.hpp"
#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// Result of chorale_run::replace(). Unless `done`, nothing is replaced. state_space: the joint states
// of the chain's properties exceed the budget (chorale_run::try_joint_states).
enum class Replacement : std::int32_t { done, no_memory, state_space };

} // namespace chorale

struct chorale_run {
  chorale_run(const chorale::Memory &from, const chorale::Model &of,
              const chorale::RunOptions &with) noexcept;
  ~chorale_run();
  chorale_run(const chorale_run &) = delete;
  chorale_run &operator=(const chorale_run &) = delete;

  // ---- Creation: called once each, in this order; start_from() only for a warm start ----
  // Chooses the number format of messages, if options.messages leaves the choice open.
  void choose_messages() noexcept;
  // Allocates and initialises state and scratch memory. False if memory runs out.
  bool prepare() noexcept;
  // Looks for a chain whose properties cannot be decoded jointly: the joint program exceeds its
  // budget in a mode where that is an error (EXACT, LOCAL_SCORES). Returns the first such chain; -1
  // if there is none.
  std::int32_t try_joint_states() noexcept;
  // With options.restrict_range: determines the columns to which the messages of each property
  // clique are restricted. If a computation failed, call.failure() tells the failure.
  void restrict_ranges() noexcept;
  // Warm start: copies the messages and labels of those cliques and chains that have the same shape
  // in both models. If the models are the same and the earlier run has neither replaced scores nor
  // edits, copies all labellings and their scores (RunState::take_over).
  void start_from(const chorale_run &earlier) noexcept;

  // Returns how many bytes the run needs.
  std::size_t estimate() const noexcept;

  // ---- Work. If limits interrupted the last call of step, solve, polish or tighten, the next call
  // of the same function resumes it ----
  void reset() noexcept;
  // Replaces the scores of a chain.
  chorale::Replacement replace(std::int32_t chain, const chorale::ChainView &view) noexcept;
  void begin_call() noexcept { call.begin(options, rooms.workers); }
  // Makes `labels` the best labelling, until round 0 compares it with the one without messages.
  // labels: the label of every position, chain after chain; -1 for none. Instances, and chains with
  // a position without label or with forbidden labels, get their best labels without messages in
  // round 0.
  void set_labels(gsl::span<const std::int32_t> labels) noexcept;
  // Edits of a run with options.edits. set_allowed() allows at a position the labels y with
  // allowed[y] != 0 and no others; all labels if `allowed` is empty. set_strength() sets the factor
  // of a clique's potential.
  void set_allowed(std::int32_t chain, std::int32_t position,
                   gsl::span<const std::uint8_t> allowed) noexcept;
  void set_strength(std::int32_t clique, double factor) noexcept;
  // True if step() would start a round or finish an interrupted one.
  bool has_round_to_do() const noexcept {
    return state.course.round.stage != chorale::RoundStage::none || !state.standing.at_end();
  }
  bool step() noexcept;
  void solve() noexcept;
  void polish() noexcept;
  void tighten(std::int64_t steps) noexcept;
  // Writes T x m max-marginals of a chain under its incoming messages, and T margins. The margin of
  // a position is the difference of its two greatest max-marginals. Either array may be empty.
  chorale::RunFailure chain_marginals(std::int32_t chain, const chorale::Matrix<double> &marginals,
                                      gsl::span<double> margins) noexcept;
  // Writes T x m probabilities of the labels of a chain under its incoming messages. `exact`: set
  // to false if the joint states of the properties exceed the budget, so that labellings were left
  // out or properties have local scores (chain/joint.hpp). `found`: set to false, with no
  // probability written, if every labelling is forbidden.
  chorale::RunFailure chain_probabilities(std::int32_t chain, double temperature,
                                          const chorale::Matrix<double> &probabilities, bool &exact,
                                          bool &found) noexcept;

  chorale::Outcome outcome() const noexcept {
    return {memory, *model, options, inputs, state, call};
  }
  // True if labels can be read: a labelling is known, and it is complete. (After a warm start or
  // an edit, round 0 may still have to fill in chains.) A clique may forbid the labelling.
  bool has_result() const noexcept {
    return state.standing.has_labelling && !state.standing.fill_in_own;
  }

  chorale::Memory memory;
  chorale_model *model;
  chorale::RunOptions options;
  chorale::Inputs inputs;
  chorale::Rooms rooms;
  chorale::Call call;
  chorale::RunState state;

private:
  bool fits_joint_state(std::int32_t chain) noexcept;
  bool find_fired(std::int32_t clique, gsl::span<std::uint8_t> kept) noexcept;
  void renew_chain(std::int32_t chain) noexcept;
  void settle(chorale::Settling after) noexcept;
  bool resumes(chorale::Settling kind) noexcept;
  void judge_chain(chorale::Assignment &of, std::int32_t chain) noexcept;
  void copy_messages(const chorale_run &earlier) noexcept;
  void copy_labels(const chorale_run &earlier) noexcept;

  chorale::Setting setting_;
  chorale::Block block_; // memory of `state`, `inputs` and rooms.workers
};

namespace chorale {
using Run = ::chorale_run;
}
