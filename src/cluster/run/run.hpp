// The public run: owns what it remembers and what it works in, and lets the parts work on it.
//
// All memory is in two blocks: the state (state.hpp), and the rooms of the workers (rooms.hpp).
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
  // Settles which numbers messages are stored in, where that is left to the run.
  void choose_messages() noexcept;
  // Lays everything out; false where there is no memory.
  bool prepare() noexcept;
  // The first chain whose joint state, asked to be exact or absorbed, exceeds the budget, or whose
  // properties are too many; or -1.
  std::int32_t try_joint_states() noexcept;
  // Finds the columns each property clique keeps. False where something failed (`call` says what)
  // or there is no memory.
  bool restrict_ranges() noexcept;
  // Starts where another run has ended, as far as the models agree.
  void start_from(const chorale_run &earlier) noexcept;

  // Bytes of all of it, as far as they are known before ranges are restricted.
  std::size_t estimate() const noexcept;

  // ---- Work. Each goes on where limits have ended the last call of its kind ----
  void reset() noexcept;
  chorale::Replacement replace(std::int32_t chain, const chorale::ChainView &view) noexcept;
  void begin_call() noexcept { call.begin(options, rooms.workers); }
  // Goes on from these labels of all positions, chain by chain, as the best labelling.
  void set_labels(const std::int32_t *labels) noexcept;
  bool step() noexcept;
  void solve() noexcept;
  void polish() noexcept;
  void tighten(std::int64_t steps) noexcept;
  // T x m max-marginals of a chain under its messages, and T margins; either may be NULL.
  chorale::RunFailure chain_marginals(std::int32_t chain, double *marginals,
                                      std::ptrdiff_t row_stride, double *margins) noexcept;

  chorale::Outcome outcome() const noexcept { return {memory, *model, state, call}; }
  // True if results can be read: not while some chains of the best labelling are still to be filled
  // in.
  bool has_result() const noexcept { return state.found() && !state.standing.fill_in_own; }

  chorale::Memory memory;
  chorale_model *model;
  chorale::RunOptions options;
  chorale::Inputs inputs;
  chorale::Rooms rooms;
  chorale::Call call;
  chorale::RunState state;

private:
  bool fits_joint_state(std::int32_t chain) noexcept;
  bool find_fired(const chorale::Clique &clique, chorale::Array<std::int32_t> &fired,
                  bool &all) noexcept;
  void judge_chain(chorale::Assignment &of, std::int32_t chain) noexcept;
  void copy_messages(const chorale_run &earlier) noexcept;
  void copy_labels(const chorale_run &earlier) noexcept;

  chorale::Setting setting_;
  chorale::Block block_; // of the state and the workers
};

namespace chorale {
using Run = ::chorale_run;
}
