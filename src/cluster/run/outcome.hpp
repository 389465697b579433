// What a run has found, and why. Reads alone; any thread may while the run is at rest, so scratch
// is the caller's or allocated, never a room of the run.
#pragma once

#include "cluster/run/call.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

class Outcome {
public:
  Outcome(const Memory &memory, const Model &model, const RunState &state,
          const Call &call) noexcept
      : memory_(memory), model_(model), state_(state), call_(call) {}

  chorale_run_result result() const noexcept;
  // True if the best labelling of a chain differs from its own.
  bool has_changed(std::int32_t chain) const noexcept {
    return !state_.best.agrees(chain, state_.own);
  }
  double clique_score(const Assignment &of, std::int64_t clique) const;
  // What the cliques pay for what slots of a chain show now: C of the best labelling, less C if the
  // slot alone showed what the chain's own best labelling shows. Fills the first `capacity` and
  // returns how many there are.
  std::int64_t payments(std::int32_t chain, chorale_payment *to, std::int64_t capacity) const;
  // Writes as much as fits, with a closing zero, and returns the bytes of all.
  std::size_t write_json(char *buffer, std::size_t capacity) const;

private:
  double amount(const Slot &slot, const std::int64_t *counts, std::int64_t *scratch) const noexcept;

  const Memory &memory_;
  const Model &model_;
  const RunState &state_;
  const Call &call_;
};

} // namespace chorale
