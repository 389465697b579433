// Search for a better labelling of one chain, while all other chains keep their labels.
//
// The incoming row of a slot holds, for each column that the slot could show, the score C of its
// clique if nothing else changes. If no clique has two slots of the chain, decoding the chain under
// these rows finds its best labelling. Several slots of the chain in one clique are *repeats*: if
// two of them move, the clique's gain is not the sum of the gains of moving each alone. For a chain
// with repeats, two labellings are tried in turn, until one raises the exact score:
//  1. The best labelling under these rows, as if the gains of repeats added up.
//  2. The best labelling in which one repeat of each clique may move. Moving a repeat costs a
//     penalty, and max-marginals then give the gain of moving each repeat alone. In each clique the
//     repeat that gains most is allowed to move (it is *freed*), and one decode moves all freed
//     repeats.
#include "cluster/run/improve.hpp"

namespace chorale {
namespace {

class ChainSearch {
public:
  ChainSearch(Layout &layout, const Setting &setting, const Assignment &now,
              const CountStore &counts, std::int32_t chain, Worker &worker) noexcept
      : setting_(setting), now_(now), worker_(worker),
        block(layout, setting, now, counts, chain),
        program(layout, setting.model, setting.inputs, chain, setting.options.joint) {
    program.set_room(worker.room + layout.bytes());
  }

  // Must be called first. False if interrupted.
  bool load() noexcept { return block.load(worker_.limits) && block.sort(worker_.limits); }

  // True if a better labelling is found; `program` then holds it. False also if interrupted or
  // failed. `own`: the greatest phi of the chain over all labellings.
  bool run(double own) noexcept {
    Limits &limits = worker_.limits;
    if (!block.fill_rows(program, limits) ||
        (!block.has_repeats() && block.is_at_best(program, own, limits)))
      return false;
    if (decode())
      return true;
    if (!block.has_repeats() || was_cut_short(setting_, worker_))
      return false;
    double most = program.score;
    Pace pace(limits, kRowSteps, program.slot_count());
    for (std::int32_t s = 0; s < program.slot_count() && most > kForbidden; ++s) {
      if (!pace.next())
        return false;
      const std::int32_t column = program.shown.data()[s];
      most += column < 0 ? kForbidden : program.incoming_row(s).data()[column];
    }
    if (block.move_best(program, most, limits))
      return decode();
    return setting_.call.give_up(program, worker_);
  }

  // Finds the best labelling that obeys `shift`. True if there is one and no clique forbids it or
  // the current labelling; `program` then holds it. False also if interrupted or failed.
  bool force(const Shift &shift) noexcept {
    if (!block.fill_rows(program, worker_.limits))
      return false;
    for (std::int32_t s = 0; s < program.slot_count(); ++s) {
      const Slot &slot = block.slot(s);
      if (!shift.cliques->has(slot.clique))
        continue;
      const std::int32_t column = shift.wanted(slot.member, block.shown().data()[s]);
      double *const row = program.incoming_row(s).data();
      for (std::int32_t v = 0; column >= 0 && v < program.columns_of(s); ++v)
        row[v] = v == column ? row[v] : kForbidden;
    }
    if (program.decode(worker_.limits, &now_))
      return compare() && after.total > kForbidden && before.total > kForbidden;
    return setting_.call.give_up(program, worker_);
  }

private:
  // True if the labelling in `program` scores more than the current one.
  bool gains_now() noexcept { return compare() && gains(before, after.total); }
  // Sums into `before` and `after` the terms of equation 1 that differ between the current
  // labelling and the one in `program`. False if interrupted.
  bool compare() noexcept {
    before = after = {};
    return block.compare(program.score, program.shown, before, after, worker_.limits);
  }
  bool decode() noexcept {
    if (program.decode(worker_.limits, &now_))
      return gains_now();
    return setting_.call.give_up(program, worker_);
  }

  const Setting &setting_;
  const Assignment &now_;
  Worker &worker_;

public:
  ChainBlock block;
  ChainProgram program;
  MeasuredSum before;
  MeasuredSum after;
};

} // namespace

bool was_cut_short(const Setting &setting, const Worker &worker) noexcept {
  return worker.limits.interruption() != Interruption::none || setting.call.failed();
}

Improvement improve_chain(const Setting &setting, const Assignment &own, const Assignment &now,
                          const CountStore &counts, std::int32_t chain, bool moves_repeats,
                          Worker &worker, const Shift *shift) noexcept {
  Layout layout(worker.room);
  ChainSearch search(layout, setting, now, counts, chain, worker);
  if (!search.load())
    return {};
  const bool repeats = search.block.has_repeats();
  if ((repeats && !moves_repeats) || !(shift ? search.force(*shift) : search.run(own.phi(chain))))
    return {};
  const ChainProgram &found = search.program;
  return {true, repeats, found.labels, found.shown, found.score, search.before, search.after};
}

} // namespace chorale
