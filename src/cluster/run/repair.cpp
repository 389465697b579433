// repair.hpp explains the words used here.
#include "cluster/run/repair.hpp"

#include "base/random.hpp"
#include "cluster/run/chain_block.hpp"
#include "cluster/run/polish.hpp"
#include "potential/member_row.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

// Greatest number of passes over the cliques.
constexpr std::int32_t kPasses = 100;
// A search ends after about kDecodes + kDecodesOfAll * (number of chains) decodes.
constexpr std::int64_t kDecodes = 20000;
constexpr std::int64_t kDecodesOfAll = 20;
// If a chain has several slots in one clique (repeats), at most this many of them are moved alone,
// one after the other, with all other repeats fixed.
constexpr std::int32_t kAlone = 8;
// First penalty for a violation of 1, in units of messages (message_unit.hpp). It doubles at local
// optima, up to kLargestScore.
constexpr double kFirstPrice = 16;

// Searches for an allowed labelling by changing the labelling `now` in place.
class Search {
public:
  // own: tells which chains are left out.
  Search(const Setting &setting, const Assignment &own, Assignment &now,
         RepairCourse &course) noexcept
      : setting_(setting), model_(setting.model), call_(setting.call), worker_(setting.worker(0)),
        own_(own), now_(now), course_(course), layout_(setting.rooms.behind(setting.rooms.bytes().chain)),
        memory_(layout_, model_) {}

  // Starts a search. `unit`: the unit of messages (message_unit.hpp), the scale of scores. False if
  // the call must end.
  bool begin(double unit) noexcept {
    course_.price = kFirstPrice * unit;
    course_.decodes = kDecodes + kDecodesOfAll * model_.chains.size();
    course_.is_hopeless = find_hopeless();
    std::fill_n(memory_.weight.data(), memory_.weight.size(), 1);
    if (memory_.counts.count(model_, now_, worker_.limits))
      return true;
    return call_.end(worker_);
  }

  // Changes the labelling until no clique forbids it, or the passes or decodes are used up. Does
  // nothing if some clique forbids every labelling of a chain (RepairCourse::is_hopeless). False if the
  // call must end.
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

  // Finds the chains to set aside (repair.hpp). The clique that is the reason has all of its members in
  // the chain and forbids the labelling, or if the search is hopeless, every labelling. Writes for each
  // chain that is not left out this clique, or -1, to its entry of set_aside_by. Sets *any to true
  // if a chain is to be set aside, otherwise to false. If no chain would be left to label, none is
  // set aside. False if the call must end.
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
  // True if the clique is a SUM without centre whose tables forbid every labelling of its members.
  // Other cliques are not tested.
  static bool forbids_all(const Clique &clique) noexcept {
    return !clique.centred() && clique.total() > 0 &&
           forbids_all_counts(*clique.potential(), clique.total());
  }
  // True if a clique with all members in one chain forbids every labelling.
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

  // Announces the steps of computing a violation of the clique to the limits. False if the call
  // must end.
  bool goes_on(const Clique &clique) noexcept {
    return worker_.limits.spend(16 + 8 * std::int64_t{clique.columns()}) ||
           call_.check(worker_);
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

  // Gives a random member of clique `number` a random value: relabels its chain so that the member
  // shows it. Does nothing if the chain is left out or has no such labelling.
  void walk(std::int32_t number) noexcept {
    const Clique clique = setting_.inputs.clique(number);
    const std::int32_t i = draw(clique.all_members());
    const std::int32_t v = draw(clique.width(i));
    const std::int32_t chain = model_.chain_of(clique, i);
    if (own_.lacks(chain))
      return;
    with_chain(chain, [&](ChainBlock &block, ChainProgram &program) {
      for (std::int32_t s = 0; s < program.slot_count(); ++s)
        if (block.slot(s).clique == number && block.slot(s).member == i) {
          const gsl::span<double> row = program.incoming_row(s);
          std::fill_n(row.data(), row.size(), kForbidden);
          row.data()[v] = 0;
        }
      return renew(chain, block, program, true);
    });
  }

  // Returns a pseudorandom number from 0 to `below` - 1. Every run draws the same sequence.
  std::int32_t draw(std::int32_t below) noexcept {
    return static_cast<std::int32_t>(draw_below(course_.random, below));
  }

  // While a clique forbids the labelling and decodes are left, tries to change each of its chains
  // in turn, beginning with another member in every pass. False if the call must end.
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
      const bool gains = with_chain(chain, [&](ChainBlock &block, ChainProgram &program) {
        return repair_chain(chain, block, program);
      });
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

  Penalties penalties() const noexcept {
    // In the first half of the passes a violation counts as it is: the distance to the nearest
    // allowed counts. It is possible that no labelling attains those counts. So in the second half
    // every violation counts 1, whatever the distance.
    return {course_.price, memory_.weight, course_.pass < kPasses / 2};
  }

  // Returns the violation of a clique under the current labelling.
  std::int64_t violation_of(std::int32_t number, const Clique &clique) noexcept {
    const gsl::span<std::int64_t> counts = memory_.scratch.first(to_size(clique.columns()));
    memory_.counts.load(model_.first_count(number), counts);
    CallbackFailure failed = CallbackFailure::none;
    const std::int64_t found = violation(clique, counts, now_.centre(clique), &failed);
    call_.fail(RunFailure::of(failed, clique));
    return found;
  }

  // Calls use(block, program) with the program of a chain, whose incoming rows hold the penalties.
  // Returns what use() returns; false if interrupted.
  template <class Use> bool with_chain(std::int32_t number, Use &&use) noexcept {
    const Penalties of = penalties();
    Layout layout(worker_.room);
    ChainBlock block(layout, setting_, now_, memory_.counts, number, &of);
    ChainProgram program(layout, model_, setting_.inputs, number, setting_.options.joint);
    program.set_room(worker_.room + layout.bytes());
    if (block.load(worker_.limits) && block.sort(worker_.limits) &&
        block.fill_rows(program, worker_.limits))
      return use(block, program);
    return call_.end(worker_);
  }

  // Decodes a chain under its rows. Takes the new labelling, and returns true, if every slot shows
  // a column (none shows -1) and the sum of weighted violations falls. With `at_any_cost`, the sum
  // may rise. False also if the call must end.
  bool renew(std::int32_t number, ChainBlock &block, ChainProgram &program,
             bool at_any_cost = false) noexcept {
    --course_.decodes;
    program.score = kForbidden;
    double value = 0;
    if (!program.bound(&value, worker_.limits))
      return call_.give_up(program, worker_);
    const std::int32_t *shown = program.shown.data();
    if (program.score == kForbidden ||
        !std::all_of(shown, shown + program.slot_count(), [](std::int32_t v) { return v >= 0; }))
      return false;
    MeasuredSum before;
    MeasuredSum after;
    if (!block.compare(program.score, program.shown, before, after, worker_.limits))
      call_.check(worker_);
    if (call_.must_end() || (!at_any_cost && after.total <= before.total))
      return false;
    memory_.counts.set_chain(model_, number, now_, program.labels, program.shown, program.score,
                             [](const Slot &) {});
    return true;
  }

  // Tries to lower the weighted violations by a new labelling of a chain. True if it did.
  bool repair_chain(std::int32_t number, ChainBlock &block, ChainProgram &program) noexcept {
    if (renew(number, block, program))
      return true;
    // The penalties in the row of a slot are exact only if no other slot of its clique moves. So of
    // the slots that share a clique, up to kAlone are tried, each alone, with the others fixed.
    const std::int32_t slots = program.slot_count();
    std::int32_t tries = kAlone;
    const std::int32_t first = draw(slots);
    for (std::int32_t next = 0; next < slots && tries > 0 && !call_.must_end(); ++next) {
      const std::int32_t k = (first + next) % slots;
      if (!block.is_repeat(k))
        continue;
      --tries;
      if (!block.fill_rows(program, worker_.limits))
        return call_.end(worker_);
      block.free_only(program, k);
      if (renew(number, block, program))
        return true;
    }
    return false;
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
    : counts(layout, model), weight(layout.take_span<std::int32_t>(model.cliques.size())),
      scratch(layout.take_span<std::int64_t>(model.most_columns)) {}

void Repair::run() noexcept {
  RepairStage &stage = state_.course.repair.stage;
  if (stage == RepairStage::none) {
    if (!state_.standing.has_labelling || state_.best.total() > kForbidden ||
        setting_.model.slots.empty() || setting_.call.must_end())
      return;
    state_.leave_round();
    state_.course.dual = {};
    state_.course.repair = {};
    if (!Search(setting_, state_.own, state_.now, state_.course.repair)
             .begin(state_.to_chain.unit()))
      return;
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
