// The public run: owns state and scratch memory, and calls rounds, polish, repair and dual bound.
//
// Memory is in two blocks: state (state.hpp) with tables of properties (bound_store.hpp), and
// scratch memory of the workers (rooms.hpp).
#pragma once

#include "cluster/run/outcome.hpp"
#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

enum class Replacement : std::int32_t { done, no_memory, state_space };

} // namespace chorale

struct chorale_run {
  chorale_run(const chorale::Memory &from, const chorale::Model &of,
              const chorale::RunOptions &with) noexcept;
  ~chorale_run();
  chorale_run(const chorale_run &) = delete;
  chorale_run &operator=(const chorale_run &) = delete;

  // ---- Creation, in this order ----
  // Chooses the number format of messages if the options leave it open.
  void choose_messages() noexcept;
  // Allocates and initialises state and scratch memory. False if memory is exhausted.
  bool prepare() noexcept;
  // Returns the first chain with too many properties for a key, or whose joint program exceeds the
  // budget in a mode (EXACT, ABSORPTION) where that is an error; -1 if there is none.
  std::int32_t try_joint_states() noexcept;
  // Determines the columns that each property clique keeps. False on failure (see call.failure())
  // or if memory is exhausted.
  bool restrict_ranges() noexcept;
  // Warm start: copies messages and labels of another run as far as the models agree.
  void start_from(const chorale_run &earlier) noexcept;

  // Returns the bytes of the run; with restricted ranges, an upper bound.
  std::size_t estimate() const noexcept;

  // ---- Work. step, solve, polish, tighten: resume what limits interrupted in the last call ----
  void reset() noexcept;
  chorale::Replacement replace(std::int32_t chain, const chorale::ChainView &view) noexcept;
  void begin_call() noexcept { call.begin(options, rooms.workers); }
  // Makes the best labelling the given one: labels of all positions, chain by chain.
  void set_labels(const std::int32_t *labels) noexcept;
  // Allows labels of a position, or sets the strength of a clique; of a run with options.edits.
  void set_allowed(std::int32_t chain, std::int32_t position, const std::uint8_t *allowed) noexcept;
  void set_strength(std::int32_t clique, double factor) noexcept;
  // True if step() would do a round, or the rest of an interrupted one.
  bool has_round_to_do() const noexcept {
    return state.course.round.stage != chorale::RoundStage::none || !state.standing.at_end();
  }
  bool step() noexcept;
  void solve() noexcept;
  void polish() noexcept;
  void tighten(std::int64_t steps) noexcept;
  // Writes T x m max-marginals of a chain under its incoming messages, and T margins; either may be
  // NULL.
  chorale::RunFailure chain_marginals(std::int32_t chain, double *marginals,
                                      std::ptrdiff_t row_stride, double *margins) noexcept;
  // Writes T x m probabilities of the labels of a chain under its incoming messages; `exact` as in
  // ChainProgram. Sets `found`, without change, to false if every labelling is forbidden.
  chorale::RunFailure chain_probabilities(std::int32_t chain, double temperature,
                                          double *probabilities, std::ptrdiff_t row_stride,
                                          bool &exact, bool &found) noexcept;

  chorale::Outcome outcome() const noexcept { return {memory, *model, inputs, state, call}; }
  // True if results can be read. False while round 0 has yet to complete the best labelling.
  bool has_result() const noexcept { return state.found() && !state.standing.fill_in_own; }

  chorale::Memory memory;
  chorale_model *model;
  chorale::RunOptions options;
  chorale::Inputs inputs;
  chorale::Rooms rooms;
  chorale::BoundStore bound;
  chorale::Call call;
  chorale::RunState state;

private:
  bool fits_joint_state(std::int32_t chain) noexcept;
  bool find_fired(const chorale::Clique &clique, chorale::Array<std::int32_t> &fired,
                  bool &all) noexcept;
  void renew_chain(std::int32_t chain) noexcept;
  void settle(chorale::Settling after) noexcept;
  void judge_chain(chorale::Assignment &of, std::int32_t chain) noexcept;
  void copy_messages(const chorale_run &earlier) noexcept;
  void copy_labels(const chorale_run &earlier) noexcept;

  chorale::Setting setting_;
  chorale::Block block_; // memory of `state` and of rooms.workers
};

namespace chorale {
using Run = ::chorale_run;
}
