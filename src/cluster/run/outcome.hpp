// Results of a run and their explanation. The functions only read the run, so several threads may
// call them at once while no call changes the run. Therefore they allocate their scratch memory
// instead of using a room (rooms.hpp); those that are not noexcept throw std::bad_alloc if memory
// runs out. If the callback of a potential fails, *failure says why, and what the function returns
// or writes is of no use. *failure must be `none` before the call.
#pragma once

#include "cluster/run/call.hpp"
#include "cluster/run/inputs.hpp"
#include "cluster/run/options.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

class Outcome {
public:
  Outcome(const Memory &memory, const Model &model, const RunOptions &options, const Inputs &inputs,
          const RunState &state, const Call &call) noexcept
      : memory_(memory), model_(model), options_(options), inputs_(inputs), state_(state),
        call_(call) {}

  chorale_run_result result() const noexcept;
  // True if the labels of a chain, or the columns that its whole-chain slots show, differ between
  // the answer (RunState::answer) and `own`, its best labelling without messages.
  bool has_changed(std::int32_t chain) const noexcept {
    return !state_.answer().agrees(chain, state_.own);
  }
  // Computes a reason for each slot of the chains begin .. end - 1 that shows different columns in
  // the answer and in `own`. Writes as many reasons as `to` holds, chain by chain, and returns how
  // many there are in all. Counts the members of a clique once, however many of these slots it has.
  std::int64_t reasons(std::int32_t begin, std::int32_t end, gsl::span<chorale_reason> to,
                       RunFailure *failure) const;
  // Writes an entry for each chain that is left out, but no more than `to` holds. Returns how many
  // chains are left out.
  std::int64_t left_out(gsl::span<chorale_left_out> to) const;
  // Writes a NUL-terminated JSON text, cut off at the length of `buffer`. Returns the length of the
  // whole text in bytes, with its NUL.
  std::size_t write_json(gsl::span<char> buffer, RunFailure *failure) const;

private:
  template <class Visit> void each_left_out(Visit &&visit) const;
  std::int64_t shutting_clique(std::int32_t chain) const;
  chorale_reason reason(const Slot &slot, gsl::span<const std::int64_t> counts,
                        gsl::span<const std::int64_t> own_counts, gsl::span<std::int64_t> scratch,
                        RunFailure *failure) const noexcept;
  double counted_score(std::int64_t clique, gsl::span<std::int64_t> counts, std::int32_t centre,
                       RunFailure *failure) const noexcept;

  const Memory &memory_;
  const Model &model_;
  const RunOptions &options_;
  const Inputs &inputs_;
  const RunState &state_;
  const Call &call_;
};

} // namespace chorale
