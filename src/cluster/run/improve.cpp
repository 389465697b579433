// The incoming row of a slot holds C of its clique for each value of this slot, all else fixed. If
// no clique has two slots of the chain, decoding under these rows gives the best labelling of the
// block. With several slots in one clique (*repeats*) gains do not add up, so three decodes are
// tried in turn, and a result is accepted only if it gains:
//  1. Under the same rows.
//  2. With convex SUMs linearised at the counts. The linearisation is a minorant: a gain under it
//     is a gain.
//  3. With repeats moved one at a time and all others held, so that every gain is exact. On a chain
//     without properties, by a walk (chain_walk.hpp), which costs as much as forward-backward. On
//     trees, under properties and in instances, messages under a penalty on moving repeats give the
//     gain of moving each alone; then the best repeat of each clique is freed, and one decode moves
//     the freed ones together.
#include "cluster/run/improve.hpp"

namespace chorale {
namespace {

// Searches for a better labelling of one chain.
class ChainSearch {
public:
  ChainSearch(Layout &layout, const Setting &setting, const Assignment &now, const CountStore &counts,
         std::int32_t chain, Worker &worker) noexcept
      : setting_(setting), now_(now), worker_(worker),
        block(layout, setting, now, counts, chain),
        program(layout, setting.model, setting.inputs, chain, setting.options.joint,
                setting.bound.of(chain)) {
    program.set_room(worker.room + layout.bytes());
    block.sort();
  }

  // True if a better labelling is found; `program` then holds it. `own`: greatest phi of the chain.
  bool run(double own) noexcept {
    block.fill_rows(program);
    if (!block.has_repeats() && block.is_at_best(program, own))
      return false;
    if (decode())
      return true;
    if (!block.has_repeats() || was_cut_short(setting_, worker_))
      return false;
    double most = program.score;
    for (std::int32_t s = 0; s < program.slot_count() && most > kForbidden; ++s)
      most += program.shown[s] < 0 ? kForbidden
                                   : program.incoming[program.row_begin()[s] + program.shown[s]];
    if (block.fill_linear(program) && decode())
      return true;
    block.fill_rows(program);
    if (block.is_plain() ? block.walk(program, worker_.limits)
                         : block.move_best(program, most, worker_.limits))
      return block.is_plain() ? gains_now() : decode();
    setting_.call.give_up(program, worker_);
    return false;
  }

private:
  // True if the labelling in `program` is better than the current one.
  bool gains_now() noexcept {
    MeasuredSum before;
    MeasuredSum after;
    block.compare(program.score, program.shown, before, after);
    return gains(before, after.total);
  }
  bool decode() noexcept {
    if (program.decode(worker_.limits, &now_))
      return gains_now();
    setting_.call.give_up(program, worker_);
    return false;
  }

  const Setting &setting_;
  const Assignment &now_;
  Worker &worker_;

public:
  ChainBlock block;
  ChainProgram program;
};

} // namespace

bool was_cut_short(const Setting &setting, const Worker &worker) noexcept {
  return worker.limits.interruption() != Interruption::none || setting.call.failed();
}

Improvement improve_chain(const Setting &setting, const Assignment &own, const Assignment &now,
                          const CountStore &counts, std::int32_t chain, bool moves_repeats,
                          Worker &worker) noexcept {
  Layout layout(worker.room);
  ChainSearch search(layout, setting, now, counts, chain, worker);
  const bool repeats = search.block.has_repeats();
  if ((repeats && !moves_repeats) || !search.run(own.phi(chain)))
    return {};
  const ChainProgram &found = search.program;
  return {true, repeats, found.labels, found.shown, found.score};
}

} // namespace chorale
