// polish.hpp explains the words used here.
#include "cluster/run/polish.hpp"

#include "cluster/run/improve.hpp"
#include "cluster/run/closed.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

// Least number of consecutive chains that one thread takes (Setting::each).
constexpr std::int64_t kPolishGrain = 4;
// Greatest number of sweeps, in case rounding errors count as gains without end. Chains with
// several slots in one clique (repeats) take part only in the first kVisits sweeps, so a polish
// costs about as much as a few message rounds.
constexpr std::int32_t kPolishSweeps = 1000;
constexpr std::int32_t kVisits = 24;
// A batch has at most 1 / kBatchShare of the chains, but this limit is never below kLeastBatch nor
// above kMostBatch.
constexpr std::int64_t kBatchShare = 16;
constexpr std::int64_t kLeastBatch = 64;
constexpr std::int64_t kMostBatch = 4096;
// An interrupted polish evaluates its labelling before it returns, but only if the model has at
// most this many slots and chains together.
constexpr std::int64_t kScoredAtOnce = 1 << 20;

// Polishes one labelling in place, in sweeps over all chains.
class Sweeps {
public:
  // own: the best labelling of each chain without messages.
  Sweeps(const Setting &setting, const Assignment &own, Assignment &now,
         PolishCourse &course) noexcept
      : setting_(setting), model_(setting.model), own_(own), now_(now), course_(course),
        layout_(setting.rooms.behind(setting.rooms.bytes().chain)), memory_(layout_, model_) {}

  // Repeats sweeps until no chain gains or kPolishSweeps are done. False if the call must end.
  bool run() noexcept {
    if (course_.stage == PolishStage::counts) {
      if (!count())
        return false;
      course_.stage = PolishStage::sweeps;
    }
    while (course_.sweep < kPolishSweeps) {
      if (!sweep())
        return false;
      course_.next = 0;
      ++course_.sweep;
      if (!std::exchange(course_.changed, false))
        break;
    }
    return true;
  }

private:
  // Counts the columns of all cliques. False if the call must end.
  bool count() noexcept {
    if (!memory_.counts.count(model_, now_, setting_.worker(0).limits)) {
      setting_.check(0);
      return false;
    }
    std::fill_n(memory_.changed_at.data(), memory_.changed_at.size(), 0);
    std::fill_n(memory_.visited_at.data(), memory_.visited_at.size(), -1);
    setting_.call.finish_step();
    return true;
  }

  // True if the chain takes part, and what members of its cliques show has changed since it was
  // last searched.
  bool is_due(std::int32_t number) const noexcept {
    const Chain &chain = model_.chains[number];
    if (model_.is_closed(chain) || own_.lacks(number))
      return false;
    const std::int32_t visited = memory_.visited_at.data()[number];
    for (std::int64_t s = chain.first_slot; s < chain.first_slot + chain.slots; ++s)
      if (memory_.changed_at.data()[model_.clique_of(s)] > visited)
        return true;
    return false;
  }

  // Searches and changes all chains, batch by batch (polish.hpp), or those that an interrupted sweep
  // has left. False if the call must end.
  bool sweep() noexcept {
    Verdict *const verdicts = memory_.batch.data();
    while (course_.next < model_.chains.size()) {
      if (course_.batch == 0) {
        course_.batch = std::min(static_cast<std::int64_t>(memory_.batch.size()),
                                 model_.chains.size() - course_.next);
        course_.judged = 0;
        std::fill_n(verdicts, course_.batch, Verdict::unknown);
      }
      setting_.each(course_.batch, kPolishGrain, [&](std::int64_t k, std::int32_t w) noexcept {
        const auto chain = static_cast<std::int32_t>(course_.next + k);
        if (verdicts[k] != Verdict::unknown)
          return;
        if (!is_due(chain))
          verdicts[k] = Verdict::done;
        else if (setting_.check(w))
          search(chain, setting_.worker(w), verdicts[k]);
      });
      if (setting_.call.must_end())
        return false;
      for (; course_.judged < course_.batch; ++course_.judged)
        if (verdicts[course_.judged] == Verdict::gains &&
            (!setting_.check(0) ||
             !change(static_cast<std::int32_t>(course_.next + course_.judged))))
          return false;
      course_.next += course_.batch;
      course_.batch = 0;
    }
    return true;
  }

  // Searches for a better labelling of a chain, and stores in `verdict` whether there is one. If
  // interrupted or failed, leaves `verdict` as it is and returns none.
  Improvement search(std::int32_t chain, Worker &worker, Verdict &verdict) noexcept {
    const Improvement found = improve_chain(setting_, own_, now_, memory_.counts, chain,
                                            course_.sweep < kVisits, worker);
    if (was_cut_short(setting_, worker)) {
      setting_.call.check(worker);
      return {};
    }
    memory_.visited_at.data()[chain] = course_.stamp;
    verdict = found.gains ? Verdict::gains : Verdict::done;
    setting_.call.finish_step();
    return found;
  }

  // Searches a chain again and changes it if it still gains. False if the call must end.
  bool change(std::int32_t chain) noexcept {
    Verdict verdict = Verdict::unknown;
    const Improvement found = search(chain, setting_.worker(0), verdict);
    if (verdict != Verdict::gains)
      return verdict == Verdict::done;
    ++course_.stamp;
    course_.changed = course_.moved = true;
    memory_.counts.set_chain(model_, chain, now_, found.labels, found.shown, found.score,
                             [&](const Slot &slot) noexcept {
                               memory_.changed_at.data()[slot.clique] = course_.stamp;
                             });
    // Without repeats, the new labelling is the best one under the new counts too, so the chain needs
    // no search until other chains change counts of its cliques.
    if (!found.repeats)
      memory_.visited_at.data()[chain] = course_.stamp;
    return true;
  }

  const Setting &setting_;
  const Model &model_;
  const Assignment &own_;
  Assignment &now_;
  PolishCourse &course_;
  Layout layout_;
  PolishMemory memory_;
};

} // namespace

PolishMemory::PolishMemory(Layout &layout, const Model &model) noexcept {
  if (model.items_alone)
    return; // no chain is left for the sweeps
  const std::int64_t chains = model.chains.size();
  counts = CountStore(layout, model);
  changed_at = layout.take_span<std::int32_t>(model.cliques.size());
  visited_at = layout.take_span<std::int32_t>(chains);
  batch = layout.take_span<Verdict>(
      std::min(chains, std::clamp(chains / kBatchShare, kLeastBatch, kMostBatch)));
}

bool sweep_chains(const Setting &setting, const Assignment &own, Assignment &now,
                  PolishCourse &course) noexcept {
  return Sweeps(setting, own, now, course).run();
}

void Polish::run() noexcept {
  PolishCourse &course = state_.course.polish;
  Standing &standing = state_.standing;
  if (!standing.has_labelling)
    return;
  if (course.stage == PolishStage::none || state_.course.dual.stage != DualStage::none) {
    state_.leave_round();
    state_.course.dual = {};
    course = {};
    course.score_before = state_.best.total();
    course.round_before = standing.best_round;
    const Model &model = setting_.model;
    const std::uint8_t *needs = state_.clique_needs.data();
    const bool all_solved = std::all_of(needs, needs + state_.clique_needs.size(),
                                        [](std::uint8_t flags) { return flags == 0; });
    // If all slots are in closed cliques that are solved already, there is nothing to improve.
    if (model.slots.size() == (all_solved ? model.closed_slots : 0)) {
      standing.local_search_score = standing.local_search_own_score = state_.best.total();
      return;
    }
    state_.now.copy(state_.best);
    course.stage = PolishStage::closed;
  }
  if (course.stage == PolishStage::closed) {
    if (!solve_all_closed(setting_, state_))
      return;
    course.stage = PolishStage::counts;
  }
  do {
    if (course.stage != PolishStage::score) {
      if (!setting_.model.items_alone &&
          !sweep_chains(setting_, state_.own, state_.now, course)) {
        offer_so_far();
        return;
      }
      course.stage = PolishStage::score;
    }
    if (!evaluation_.offer(state_.now, course.from_own ? 0 : state_.tally.rounds))
      return;
  } while (end_start());
}

// Ends one of the two starts of the polish, after its result has been compared with `best`. After
// the first start, if a second start is needed, prepares the second and returns true; otherwise
// returns false.
bool Polish::end_start() noexcept {
  PolishCourse &course = state_.course.polish;
  Standing &standing = state_.standing;
  (course.from_own ? standing.local_search_own_score : standing.local_search_score) = state_.now.total();
  if (!course.from_own &&
      (course.round_before > 0 || course.score_before != standing.own_score)) {
    course = {};
    course.stage = PolishStage::counts;
    course.from_own = true;
    course.score_before = state_.best.total();
    course.round_before = standing.best_round;
    state_.now.copy(state_.own);
    take_closed();
    return true;
  }
  if (!course.from_own)
    standing.local_search_own_score = standing.local_search_score;
  course = {};
  standing.is_polished = true;
  return false;
}

// Copies the items of closed cliques from `best` to `now`, since the first start has solved these
// cliques.
void Polish::take_closed() noexcept {
  const Model &model = setting_.model;
  for (std::int64_t c = 0; c < (model.closed_slots > 0 ? model.cliques.size() : 0); ++c)
    if (const Clique clique = model.cliques[c]; clique.closed())
      for (std::int32_t i = 0; i < clique.members; ++i)
        state_.now.take_chain(model.chain_of(clique, i), state_.best);
}

// Keeps what an interrupted polish has gained so far: offers its labelling (Evaluation::offer).
// Does not do so in large models (kScoredAtOnce).
void Polish::offer_so_far() noexcept {
  PolishCourse &course = state_.course.polish;
  const Model &model = setting_.model;
  if (setting_.call.failed() || model.slots.size() + model.chains.size() > kScoredAtOnce ||
      !std::exchange(course.moved, false))
    return;
  if (!evaluation_.offer_in_full(state_.now, course.from_own ? 0 : state_.tally.rounds))
    state_.course.offer = OfferStage::scores; // a callback or the executor has failed
}

} // namespace chorale
