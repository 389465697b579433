// repair.hpp explains the words used here.
#include "cluster/run/repair.hpp"

#include "cluster/run/polish.hpp"
#include "cluster/run/slot_order.hpp"
#include "potential/member_row.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

constexpr std::int32_t kPasses = 100;
// A search decodes chains at most kDecodes + kDecodesOfAll * (number of chains) times.
constexpr std::int64_t kDecodes = 20000;
constexpr std::int64_t kDecodesOfAll = 20;
// If a chain has several slots in one clique (repeats), at most this many of them are moved alone,
// one after the other, with all other repeats fixed.
constexpr std::int32_t kAlone = 8;
// First penalty for a violation of 1, in units of messages (message_unit.hpp). It doubles at local
// optima, up to kLargestScore.
constexpr double kFirstPrice = 16;

// Scratch for one chain.
struct RepairScratch {
  RepairScratch(Layout &layout, const Model &model, std::int32_t number) noexcept
      : order(layout, model.chains[number].slots) {
    const Chain &chain = model.chains[number];
    std::int32_t columns = 1;
    for (std::int32_t s = 0; s < chain.slots; ++s)
      columns =
          std::max(columns, model.cliques.type(model.clique_of(chain.first_slot + s)).columns);
    counts = layout.take_span<std::int64_t>(columns);
    shown = layout.take<std::int32_t>(chain.slots);
  }
  gsl::span<std::int64_t> counts; // of one clique, by column
  std::int32_t *shown;            // by slot: column shown now, or -1
  SlotOrder order;
};

// Searches for an allowed labelling by changing the labelling `now` in place.
class Search {
public:
  // own: tells which chains are left out.
  Search(const Setting &setting, const Assignment &own, Assignment &now,
         RepairCourse &course) noexcept
      : setting_(setting), model_(setting.model), call_(setting.call), worker_(setting.worker(0)),
        own_(own), now_(now), course_(course), layout_(setting.rooms.behind(setting.rooms.bytes().chain)),
        memory_(layout_, model_) {}

  // Starts a search. `unit`: the unit of messages (message_unit.hpp), the scale of scores.
  void begin(double unit) noexcept {
    course_.price = kFirstPrice * unit;
    course_.decodes = kDecodes + kDecodesOfAll * model_.chains.size();
    course_.is_hopeless = find_hopeless();
    count();
    std::fill_n(memory_.weight.data(), memory_.weight.size(), 1);
  }

  // Changes the labelling until no clique forbids it, or the allowed passes or decodes are used up;
  // not if some clique forbids every labelling of a chain. False if the call must end.
  bool run() noexcept {
    if (course_.is_hopeless)
      return true;
    for (; course_.pass < kPasses; ++course_.pass) {
      for (; course_.clique < model_.cliques.size(); ++course_.clique) {
        if (!repair_clique(course_.clique, setting_.inputs.clique(course_.clique)))
          return false;
        if (course_.decodes <= 0)
          return true;
      }
      if (!course_.forbids)
        return true;
      if (!course_.gains && !break_out())
        return false;
      course_.forbids = course_.gains = false;
      course_.clique = 0;
    }
    return true;
  }

  // For each chain with all members of a clique that forbids the labelling (if the search is
  // hopeless: every labelling), writes this clique to set_aside_by; *any is true if there is such a
  // chain. If they are all chains that take part, there is nothing else to label, and the function
  // writes none. False if the call must end.
  bool find_aside(gsl::span<std::int32_t> set_aside_by, bool *any) noexcept {
    *any = false;
    if (set_aside_by.empty())
      return true;
    std::int64_t others = 0;
    for (std::int32_t i = 0; i < model_.chains.size(); ++i)
      if (!own_.lacks(i)) {
        set_aside_by.data()[i] = -1;
        ++others;
      }
    for (std::int32_t c = 0; c < model_.cliques.size(); ++c) {
      const Clique clique = setting_.inputs.clique(c);
      worker_.limits.spend(clique.all_members());
      if (!goes_on(clique))
        return false;
      const std::int32_t chain = only_chain(clique);
      if (chain < 0 || own_.lacks(chain) || set_aside_by.data()[chain] >= 0 ||
          !(course_.is_hopeless ? forbids_all(clique) : violation_of(c, clique) > 0))
        continue;
      set_aside_by.data()[chain] = c;
      *any = --others > 0;
    }
    if (others == 0)
      for (std::int32_t i = 0; i < model_.chains.size(); ++i)
        if (!own_.lacks(i))
          set_aside_by.data()[i] = -1;
    return true;
  }

private:
  // True if the tables of a clique forbid every labelling of its members.
  static bool forbids_all(const Clique &clique) noexcept {
    return !clique.centred() && clique.total() > 0 &&
           forbids_all_counts(*clique.potential(), clique.total());
  }
  bool find_hopeless() const noexcept {
    for (std::int32_t c = 0; c < model_.cliques.size(); ++c)
      if (const Clique clique = setting_.inputs.clique(c);
          forbids_all(clique) && only_chain(clique) >= 0)
        return true;
    return false;
  }

  // Returns the chain that has all members of a clique; -1 if there are several chains, or none.
  std::int32_t only_chain(const Clique &clique) const noexcept {
    const std::int32_t members = clique.all_members();
    const std::int32_t chain = members > 0 ? model_.chain_of(clique, 0) : -1;
    for (std::int32_t i = 1; i < members; ++i)
      if (model_.chain_of(clique, i) != chain)
        return -1;
    return chain;
  }

  // Announces the work of a violation. False if the call must end.
  bool goes_on(const Clique &clique) noexcept {
    return worker_.limits.spend(16 + 8 * std::int64_t{clique.columns()}) ||
           call_.check(worker_);
  }

  void count() noexcept {
    memory_.counts.clear();
    for (std::int64_t c = 0; c < model_.cliques.size(); ++c)
      memory_.counts.add_clique(model_, c, now_);
  }

  // Leaves a local optimum: raises the penalty and the weights and makes a random move. False if
  // the call must end.
  bool break_out() noexcept {
    if (course_.walked < 0) {
      course_.price = std::min(2 * course_.price, kLargestScore);
      std::int32_t forbidding = 0;
      course_.walked = 0;
      for (std::int32_t c = 0; c < model_.cliques.size(); ++c)
        if (violation_of(c, setting_.inputs.clique(c)) > 0) {
          ++memory_.weight.data()[c];
          if (draw(++forbidding) == 0)
            course_.walked = c;
        }
    }
    const RepairCourse before = course_;
    walk(course_.walked);
    if (call_.must_end()) {
      course_ = before;
      return false;
    }
    course_.walked = -1;
    call_.finish_step();
    return true;
  }

  // Gives a random member of clique `number` a random value, and changes the labelling of its chain
  // accordingly.
  void walk(std::int32_t number) noexcept {
    const Clique clique = setting_.inputs.clique(number);
    const std::int32_t i = draw(clique.all_members());
    const std::int32_t v = draw(clique.width(i));
    const std::int32_t chain = model_.chain_of(clique, i);
    if (own_.lacks(chain))
      return;
    with_chain(chain, [&](ChainProgram &program, RepairScratch &scratch, std::int32_t slots) {
      for (std::int32_t s = 0; s < slots; ++s)
        if (program.slot(s).clique == number && program.slot(s).member == i)
          show_only(program, s, v);
      return renew(chain, program, scratch, slots, true);
    });
  }

  // Returns a pseudorandom number from 0 to below - 1. Every run draws the same sequence.
  std::int32_t draw(std::int32_t below) noexcept {
    return static_cast<std::int32_t>(draw_below(course_.random, below));
  }

  // Tries to lower the violation of a clique by changing each of its chains in turn, beginning with
  // another chain in every pass. False if the call must end.
  bool repair_clique(std::int32_t number, const Clique &clique) noexcept {
    if (!goes_on(clique))
      return false;
    if (!std::exchange(course_.in_clique, true)) {
      course_.member = 0;
      course_.last = -1;
    }
    for (; course_.member < clique.all_members() && violation_of(number, clique) > 0;
         ++course_.member) {
      course_.forbids = true;
      const std::int32_t i = (course_.member + course_.pass) % clique.all_members();
      const std::int32_t chain = model_.chain_of(clique, i);
      if (chain == course_.last || own_.lacks(chain))
        continue; // the same chain was just tried, or it is left out
      if (course_.decodes <= 0)
        break;
      if (!call_.check(worker_))
        return false;
      const RepairCourse before = course_;
      const bool gains = with_chain(chain, [&](auto &...of) { return repair_chain(chain, of...); });
      if (call_.must_end()) {
        course_ = before;
        return false;
      }
      course_.gains |= gains;
      course_.last = chain;
      call_.finish_step();
    }
    course_.in_clique = false;
    return true;
  }

  // ---- Violations ----

  // Returns the distance of `counts` from counts that the potential allows. May overwrite `counts`.
  std::int64_t violation(const Clique &clique, std::int64_t *counts, std::int32_t centre) noexcept {
    if (clique.all_members() == 0 || (clique.centred() ? centre < 0 : clique.total() == 0))
      return 0;
    CallbackFailure failed = CallbackFailure::none;
    const std::int64_t found =
        violation_of_counts(clique.potential_at(centre), span_of(counts, clique.columns()),
                            clique.total(), &failed);
    call_.fail(RunFailure::of(failed, clique));
    return found;
  }

  std::int32_t centre_value(const Clique &clique) const noexcept {
    return clique.centred() ? now_.shown(clique, clique.members) : 0;
  }

  std::int64_t violation_of(std::int32_t number, const Clique &clique) noexcept {
    return violation_at(number, clique, centre_value(clique));
  }
  std::int64_t violation_at(std::int32_t number, const Clique &clique,
                            std::int32_t centre) noexcept {
    memory_.counts.load(model_.first_count(number),
                        memory_.scratch.first(to_size(clique.columns())));
    return graded(violation(clique, memory_.scratch.data(), centre));
  }
  // Returns how much a violation counts in the current pass. In the first half of the passes it
  // counts as it is: the distance to the nearest allowed counts. It is possible that no labelling
  // attains those counts. So in the second half every violation counts 1, whatever the distance.
  std::int64_t graded(std::int64_t violation) const noexcept {
    return course_.pass < kPasses / 2 ? violation : std::min<std::int64_t>(violation, 1);
  }

  // ---- One chain ----

  // Calls use(program, scratch, slots) with the program of a chain, whose incoming rows hold the
  // penalties, and with the chain's number of slots. Returns the result of the call.
  template <class Use> bool with_chain(std::int32_t number, Use &&use) noexcept {
    Layout layout(worker_.room);
    ChainProgram program(layout, model_, setting_.inputs, number, setting_.options.joint);
    RepairScratch scratch(layout, model_, number);
    program.set_room(worker_.room + layout.bytes());
    const std::int32_t slots = model_.chains[number].slots;
    load(program, scratch, slots);
    fill_rows(program, scratch, slots);
    return use(program, scratch, slots);
  }

  // Decodes a chain. Accepts the new labelling, and returns true, if the sum of weighted violations
  // falls; with `at_any_cost`, even if it does not.
  bool renew(std::int32_t number, ChainProgram &program, RepairScratch &scratch,
             std::int32_t slots, bool at_any_cost = false) noexcept {
    return decode(program, slots) && take(number, program, scratch, at_any_cost);
  }

  bool repair_chain(std::int32_t number, ChainProgram &program, RepairScratch &scratch,
                    std::int32_t slots) noexcept {
    if (renew(number, program, scratch, slots))
      return true;
    // The row of a slot takes no account of moves of other slots of the chain in the same clique.
    // So slots that share a clique are moved one at a time.
    if (!scratch.order.sort(program.slots(), worker_.limits)) {
      call_.check(worker_);
      return false;
    }
    std::int32_t tries = kAlone;
    const std::int32_t first = draw(slots);
    for (std::int32_t next = 0; next < slots && tries > 0 && !call_.must_end(); ++next) {
      const std::int32_t k = (first + next) % slots;
      if (!scratch.order.is_repeat(k))
        continue;
      --tries;
      fill_rows(program, scratch, slots);
      for (std::int32_t j = 0; j < slots; ++j)
        if (const std::int32_t s = scratch.order[j];
            j != k && scratch.shown[s] >= 0 && scratch.order.is_repeat(j))
          show_only(program, s, scratch.shown[s]);
      if (renew(number, program, scratch, slots))
        return true;
    }
    return false;
  }

  // Fills the incoming row of a slot so that it must show `column`: 0 for this column, minus
  // infinity for all others.
  static void show_only(ChainProgram &program, std::int32_t slot, std::int32_t column) noexcept {
    double *row = program.incoming_row(slot).data();
    std::fill_n(row, program.columns_of(slot), kForbidden);
    row[column] = 0;
  }

  // Fills scratch.shown with the columns that the slots of the chain show now.
  void load(const ChainProgram &program, const RepairScratch &scratch,
            std::int32_t slots) const noexcept {
    for (std::int32_t s = 0; s < slots; ++s) {
      scratch.shown[s] = now_.shown(program.slot(s));
    }
  }

  // Decodes a chain. True if every slot shows a column under the new labelling (none shows -1).
  bool decode(ChainProgram &program, std::int32_t slots) noexcept {
    --course_.decodes;
    program.score = kForbidden;
    double value = 0;
    if (!program.bound(&value, worker_.limits)) {
      call_.give_up(program, worker_);
      return false;
    }
    const std::int32_t *shown = program.shown.data();
    return program.score > kForbidden &&
           std::all_of(shown, shown + slots, [](std::int32_t v) { return v >= 0; });
  }

  // Fills the incoming rows: entry v of the row of a slot is minus the penalty for the violation
  // that remains in its clique if this slot alone changes to column v.
  void fill_rows(ChainProgram &program, const RepairScratch &scratch, std::int32_t slots) noexcept {
    for (std::int32_t s = 0; s < slots; ++s)
      fill_row(program.slot(s), program.clique_of(s), scratch.shown[s], scratch.counts,
               program.incoming_row(s).data());
  }

  void fill_row(const Slot &slot, const Clique &clique, std::int32_t own,
                gsl::span<std::int64_t> scratch, double *row) noexcept {
    const double price = -course_.price * memory_.weight.data()[slot.clique];
    const auto set = [&](std::int32_t v, std::int64_t cost) {
      row[v] = cost > 0 ? std::max(price * static_cast<double>(graded(cost)), -kLargestScore) : 0.0;
    };
    if (slot.member == clique.members) {
      for (std::int32_t c = 0; c < clique.centre_values(); ++c)
        set(c, violation_at(slot.clique, clique, c));
      return;
    }
    const std::int32_t centre = centre_value(clique);
    if (centre < 0 || !may_forbid(clique.potential_at(centre))) { // centre < 0: it is left out
      std::fill_n(row, clique.columns(), 0.0);
      return;
    }
    const Potential &potential = clique.potential_at(centre);
    memory_.counts.load(model_.first_count(slot.clique), scratch.first(to_size(clique.columns())));
    std::int64_t *counts = scratch.data();
    const std::int32_t weight = clique.weight(slot.member);
    if (own >= 0)
      counts[own] -= weight;
    if (potential.family == CHORALE_FAMILY_SUM) {
      const std::int64_t others = violation(clique, counts, centre);
      for (std::int32_t v = 0; v < clique.columns() && goes_on(clique); ++v)
        set(v, !potential.counts(v)
                   ? others
                   : others - distance_to_allowed(potential, v, counts[v], clique.total()) +
                         distance_to_allowed(potential, v, counts[v] + weight, clique.total()));
      return;
    }
    for (std::int32_t v = 0; v < clique.columns() && goes_on(clique); ++v) {
      std::int64_t *varied = memory_.scratch.data();
      std::copy_n(counts, clique.columns(), varied);
      varied[v] += weight;
      set(v, violation(clique, varied, centre));
    }
  }

  // Changes the counts slot by slot, members before centres, and sums the changes in weighted
  // violations. Accepts the labelling if the sum falls, or if `always`; otherwise restores the
  // counts.
  bool take(std::int32_t number, const ChainProgram &program, const RepairScratch &scratch,
            bool always) noexcept {
    const std::int32_t slots = model_.chains[number].slots;
    std::int64_t change = 0;
    for (std::int32_t s = 0; s < slots; ++s) {
      const Slot &slot = program.slot(s);
      const Clique &clique = program.clique_of(s);
      const std::int32_t shown = program.shown.data()[s];
      if (shown == scratch.shown[s] || slot.member == clique.members)
        continue;
      // If the call must end, `change` does not matter, and all moves are undone.
      const bool counts = goes_on(clique);
      const std::int64_t before = counts ? violation_of(slot.clique, clique) : 0;
      move(slot, scratch.shown[s], shown);
      if (counts)
        change += memory_.weight.data()[slot.clique] * (violation_of(slot.clique, clique) - before);
    }
    for (std::int32_t s = 0; s < slots; ++s) {
      const Slot &slot = program.slot(s);
      const Clique &clique = program.clique_of(s);
      const std::int32_t shown = program.shown.data()[s];
      if (shown != scratch.shown[s] && slot.member == clique.members)
        change += memory_.weight.data()[slot.clique] *
                  (violation_at(slot.clique, clique, shown) -
                   violation_at(slot.clique, clique, scratch.shown[s]));
    }
    if ((change < 0 || always) && !call_.must_end()) {
      now_.set(number, program.labels, program.shown, program.score);
      return true;
    }
    for (std::int32_t s = 0; s < slots; ++s)
      if (program.slot(s).member != program.clique_of(s).members)
        move(program.slot(s), program.shown.data()[s], scratch.shown[s]);
    return false;
  }

  void move(const Slot &slot, std::int32_t from, std::int32_t to) noexcept {
    memory_.counts.move(model_.first_count(slot.clique), from, to,
                        model_.cliques[slot.clique].weight(slot.member));
  }

  const Setting &setting_;
  const Model &model_;
  Call &call_;
  Worker &worker_;
  const Assignment &own_;
  Assignment &now_;
  RepairCourse &course_;
  Layout layout_;
  RepairMemory memory_;
};

} // namespace

RepairMemory::RepairMemory(Layout &layout, const Model &model) noexcept
    : counts(layout, model), weight(layout.take_span<std::int32_t>(model.cliques.size())) {
  std::int32_t columns = 1;
  for (const Clique &clique : model.cliques)
    columns = std::max(columns, clique.columns());
  scratch = layout.take_span<std::int64_t>(columns);
}

std::size_t repair_bytes(const Model &model, std::int32_t chain) noexcept {
  Layout layout;
  const RepairScratch scratch(layout, model, chain);
  return layout.bytes();
}

void Repair::run() noexcept {
  RepairStage &stage = state_.course.repair.stage;
  if (stage == RepairStage::none) {
    if (!state_.standing.has_labelling || state_.best.total() > kForbidden ||
        setting_.model.slots.empty() || setting_.call.must_end())
      return;
    state_.leave_round();
    state_.course.dual = {};
    state_.course.repair = {};
    Search(setting_, state_.own, state_.now, state_.course.repair).begin(state_.to_chain.unit());
    stage = RepairStage::search;
  }
  if (stage == RepairStage::search) {
    Search search(setting_, state_.own, state_.now, state_.course.repair);
    bool sets_aside = false;
    if (!search.run() || !search.find_aside(state_.set_aside_by, &sets_aside))
      return;
    if (sets_aside) {
      state_.set_aside(setting_.model, setting_.inputs);
      return;
    }
    if (state_.course.repair.is_hopeless)
      state_.standing.upper_bound = kForbidden;
    stage = RepairStage::score;
  }
  if (stage == RepairStage::score) {
    if (!evaluation_.offer(state_.now, state_.tally.rounds))
      return;
    stage = setting_.options.polish && state_.best.total() > kForbidden ? RepairStage::polish
                                                                        : RepairStage::none;
  }
  if (stage == RepairStage::polish) {
    Polish(setting_, state_).run();
    if (!setting_.call.must_end())
      stage = RepairStage::none;
  }
}

} // namespace chorale
