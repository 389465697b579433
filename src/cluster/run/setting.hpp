// References that every part of a run needs: model, options, inputs, memory, tables, current call.
#pragma once

#include "cluster/run/bound_store.hpp"
#include "cluster/run/chain_program.hpp"
#include "cluster/run/clique_program.hpp"
#include "cluster/run/rooms.hpp"

namespace chorale {

struct Setting {
  const Model &model;
  const RunOptions &options;
  const Inputs &inputs;
  const Rooms &rooms;
  const BoundStore &bound;
  Call &call;

  Worker &worker(std::int32_t w) const noexcept { return rooms.workers[w]; }
  gsl::span<Worker> workers() const noexcept {
    return {rooms.workers, static_cast<std::size_t>(options.executor.workers)};
  }
  // True if worker w may start another step.
  bool check(std::int32_t w) const noexcept { return call.check(worker(w)); }
  // Calls step(i, worker) for i = 0 .. count - 1, in parallel if the options say so. Fails the call
  // if the executor does not carry out the loop.
  template <class Step>
  void each(std::int64_t count, std::int64_t grain, Step &&step) const noexcept {
    if (!parallel_for(options.executor, count, grain, std::forward<Step>(step)))
      call.fail(RunFailure::executor);
  }
};

// Program of a chain, placed at the beginning of `room` and ready to compute.
struct PlacedChain {
  PlacedChain(const Setting &setting, std::byte *room, std::int32_t chain) noexcept
      : layout(room),
        program(layout, setting.model, setting.inputs, chain, setting.options.joint,
                setting.bound.of(chain)) {
    program.set_room(room + layout.bytes());
  }
  // Loads the messages of the cliques to the chain.
  void load(const MessageStore &to_chain) noexcept {
    for (std::int32_t s = 0; s < program.slot_count(); ++s)
      to_chain.load(program.row_place(s), program.columns_of(s),
                    program.incoming + program.row_begin()[s]);
  }

  Layout layout;
  ChainProgram program;
};

// Program of a clique that exchanges messages, placed likewise.
struct PlacedClique {
  PlacedClique(const Setting &setting, std::byte *room, std::int32_t number) noexcept
      : layout(room), clique(setting.model.cliques[number]),
        program(layout, clique, setting.options.clique, setting.inputs.kept(number),
                setting.inputs.strength(number)) {
    program.set_room(room + layout.bytes());
  }
  PlacedClique(const PlacedClique &) = delete; // the program points to the clique
  PlacedClique &operator=(const PlacedClique &) = delete;
  // Loads the messages of the members to the clique.
  void load(const MessageStore &to_clique) noexcept {
    to_clique.load(clique.row_place(0), clique.members, clique.columns(), program.incoming);
    if (clique.centred())
      to_clique.load(clique.row_place(clique.members), clique.centre_values(),
                     program.incoming + std::int64_t{clique.members} * clique.columns());
  }

  Layout layout;
  Clique clique;
  CliqueProgram program;
};

} // namespace chorale
