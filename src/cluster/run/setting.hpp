// References that every part of a run needs, and the chain and clique programs placed in scratch
// memory.
#pragma once

#include "cluster/run/chain_program.hpp"
#include "cluster/run/clique_program.hpp"
#include "cluster/run/message_store.hpp"
#include "cluster/run/rooms.hpp"

namespace chorale {

struct Setting {
  const Model &model;
  const RunOptions &options;
  Inputs &inputs;
  const Rooms &rooms;
  Call &call;

  Worker &worker(std::int32_t w) const noexcept { return rooms.workers.data()[w]; }
  gsl::span<Worker> workers() const noexcept { return rooms.workers; }
  // True if worker w may start another step. False if the call must end (deadline, cancellation,
  // failure).
  bool check(std::int32_t w) const noexcept { return call.check(worker(w)); }
  // Calls step(i, worker) for i = 0 .. count - 1, on several threads if the options say so.
  // `grain`: the least number of consecutive steps that one thread takes. If the caller's executor
  // does not run every step exactly once, the call fails.
  template <class Step>
  void each(std::int64_t count, std::int64_t grain, Step &&step) const noexcept {
    if (!parallel_for(options.executor, count, grain, std::forward<Step>(step)))
      call.fail(RunFailure::executor);
  }
};

// Cost, in steps (Limits::spend), of reaching a row of scores or messages in memory. Loading or
// storing its entries costs more steps.
inline constexpr std::int64_t kRowSteps = 64;

// The program of a chain, laid out at the beginning of `room`, with the rest of the room as its
// scratch memory.
struct PlacedChain {
  PlacedChain(const Setting &setting, std::byte *room, std::int32_t chain) noexcept
      : layout(room),
        program(layout, setting.model, setting.inputs, chain, setting.options.joint) {
    program.set_room(room + layout.bytes());
  }
  // Loads the messages from the cliques into the incoming rows of the program. False if interrupted.
  bool load(const MessageStore &to_chain, Limits &limits) noexcept {
    for (std::int32_t s = 0; s < program.slot_count(); ++s) {
      if (!limits.spend(kRowSteps + 2 * std::int64_t{program.columns_of(s)}))
        return false;
      to_chain.load(program.row_place(s), program.incoming_row(s));
    }
    return true;
  }

  Layout layout;
  ChainProgram program;
};

// The program of a clique, laid out in `room` as PlacedChain lays out the program of a chain.
struct PlacedClique {
  // The program leaves out the members whose chains are left out in `own`.
  PlacedClique(const Setting &setting, std::byte *room, std::int64_t number,
               const Assignment &own) noexcept
      : layout(room), clique(setting.inputs.clique(number)),
        program(layout, clique, setting.options.clique, setting.inputs.kept(number),
                setting.inputs.strength(number)) {
    program.set_room(room + layout.bytes(), setting.rooms.bytes().worker - layout.bytes());
    program.leave_out(setting.model, own);
  }
  PlacedClique(const PlacedClique &) = delete; // the program points to the clique
  PlacedClique &operator=(const PlacedClique &) = delete;
  // Loads the messages from the members into the incoming rows of the program. Not for a closed
  // clique, which has no messages. False if interrupted.
  bool load(const MessageStore &to_clique, Limits &limits) noexcept {
    const std::int64_t columns = clique.columns();
    const auto load_rows = [&](std::int64_t begin, std::int64_t end) {
      to_clique.load(clique.row(static_cast<std::int32_t>(begin)),
                     program.incoming.subspan(to_size(begin * columns),
                                              to_size((end - begin) * columns)));
    };
    if (!in_stretches(limits, clique.members, 2 * columns, load_rows))
      return false;
    if (clique.centred())
      to_clique.load(clique.row(clique.members),
                     program.incoming.subspan(to_size(clique.members * columns)));
    return true;
  }

  Layout layout;
  Clique clique;
  CliqueProgram program;
};

} // namespace chorale
