// Sends the messages of one chain or one clique: stores those that changed, and flags the receivers.
// Rounds do this for all chains and cliques whose flags ask for it (RunState::chain_needs,
// clique_needs), solves after edits for those that edits reach.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// Sets `bits` of `flags`. Atomic, since workers of one loop may set the same flag at the same time.
inline void raise(std::uint8_t &flags, std::uint8_t bits) noexcept {
  std::atomic_ref<std::uint8_t> shared(flags);
  if ((shared.load(std::memory_order_relaxed) & bits) != bits)
    shared.fetch_or(bits, std::memory_order_relaxed);
}

// Stores the outgoing rows of a chain's program, and flags the cliques to which a message changed.
// Calls passed(s) for each slot s whose message changed. False if the call must end; the next call
// then updates the chain again and stores the other messages.
template <class Passed>
bool send_from_chain(const Setting &setting, RunState &state, const ChainProgram &program,
                     Worker &worker, Passed &&passed) noexcept {
  for (std::int32_t s = 0; s < program.slot_count(); ++s) {
    if (!worker.limits.spend(kRowSteps + 8 * std::int64_t{program.columns_of(s)}))
      return setting.call.end(worker);
    if (state.to_clique.store(program.row_place(s), program.outgoing_row(s), 0)) {
      raise(state.clique_needs.data()[program.slot(s).clique], kAnswersNow);
      passed(s);
    }
  }
  return true;
}

// Computes and stores the messages of a clique, and flags the chains to which a message changed.
// Calls passed(chain) for the chain of each message that changed. False if the call must end; the
// next call then updates the clique again.
template <class Passed>
bool send_from_clique(const Setting &setting, RunState &state, std::int32_t number, Worker &worker,
                      Passed &&passed) noexcept {
  const double damping = setting.options.damping;
  PlacedClique placed(setting, worker.room, number, state.own);
  CliqueProgram &program = placed.program;
  const Clique &clique = placed.clique;
  if (!placed.load(state.to_clique, worker.limits))
    return setting.call.end(worker);
  if (!program.answer(worker.limits))
    return setting.call.give_up(program, worker);
  ++worker.clique_updates;
  bool changed = false;
  for (std::int32_t i = 0; i < clique.all_members(); ++i) {
    // If a limit ends this loop, the next call updates the clique again and stores the other
    // messages. With damping the loop goes on to its end, since a message stored twice would be
    // damped twice.
    if (!worker.limits.spend(kRowSteps + 8 * std::int64_t{clique.width(i)}) && damping == 0)
      return setting.call.end(worker);
    if (!state.to_chain.store(clique.row(i), program.outgoing_row(i), damping))
      continue;
    changed = true;
    ++worker.messages_changed;
    const std::int32_t chain = setting.model.chain_of(clique, i);
    raise(state.chain_needs.data()[chain], kNeedsUpdate);
    passed(chain);
  }
  // With damping, a message that changed has not yet reached its new value, so the clique sends again
  // in the next round.
  state.clique_needs.data()[number] = changed && damping > 0 ? kAnswersLater : 0;
  setting.call.finish_step();
  return true;
}

} // namespace chorale
