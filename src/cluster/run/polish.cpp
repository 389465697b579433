// The chains of a batch make proposals in parallel, all under the same counts. Then the proposals
// are accepted or rejected in the order of the chains, under counts that the proposals accepted so
// far have changed.
#include "cluster/run/polish.hpp"

#include "cluster/run/improve.hpp"
#include "cluster/run/closed.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

constexpr std::int64_t kPolishGrain = 4;
// Greatest number of sweeps, in case that gains within rounding errors never end. Chains with
// several slots in one clique (repeats) take part only in the first kVisits sweeps, so a polish
// costs about as much as a few message rounds.
constexpr std::int32_t kPolishSweeps = 1000;
constexpr std::int32_t kVisits = 24;
constexpr std::int32_t kCounted = 1 << 16; // members counted between two checks of the limits
// Limits on the size of a batch, so that it needs little memory in comparison with the run. A batch
// has at most 1 / kProposedShare of the labels of the model and at most kProposals labels, but
// always room for one chain; the same limits hold for whole-chain slots. It has at most 1 /
// kProposedShare of the chains, but this last limit is never below kLeastBatch nor above
// kMostBatch.
constexpr std::int64_t kProposals = 1 << 17;
constexpr std::int64_t kProposedShare = 16;
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
  bool count() noexcept {
    if (course_.clique == 0 && course_.member == 0) {
      memory_.counts.clear();
      std::fill_n(memory_.changed_at.data(), memory_.changed_at.size(), 0);
      std::fill_n(memory_.visited_at.data(), memory_.visited_at.size(), -1);
    }
    std::int32_t left = 0;
    for (; course_.clique < model_.cliques.size(); ++course_.clique, course_.member = 0) {
      const Clique &clique = model_.cliques[course_.clique];
      if (clique.closed())
        continue;
      const std::int64_t first = model_.first_count(course_.clique);
      for (std::int32_t &i = course_.member; i < clique.members; ++i) {
        if (left == 0) {
          if (!setting_.check(0))
            return false;
          setting_.call.finish_step();
          left = kCounted;
        }
        --left;
        if (const std::int32_t v = now_.shown(clique, i); v >= 0)
          memory_.counts.add(first + v, clique.weight(i));
      }
    }
    return true;
  }

  bool is_stale(const Chain &chain, std::int32_t visited) const noexcept {
    for (std::int64_t s = chain.first_slot; s < chain.first_slot + chain.slots; ++s)
      if (memory_.changed_at.data()[model_.clique_of(s)] > visited)
        return true;
    return false;
  }

  // Starts a new batch: as many chains, from chain course_.next on, as the memory for proposals
  // holds.
  void take_batch() noexcept {
    std::int32_t labels = 0;
    std::int32_t wholes = 0;
    std::int64_t &next = course_.next;
    std::int64_t &count = course_.batch;
    const auto most_chains = static_cast<std::int64_t>(memory_.batch.size());
    const auto most_wholes = static_cast<std::int64_t>(memory_.proposed_wholes.size());
    for (; next < model_.chains.size() && count < most_chains; ++next) {
      const Chain &chain = model_.chains[next];
      if (chain.slots == 0 || model_.is_closed(chain) ||
          own_.lacks(static_cast<std::int32_t>(next)))
        continue;
      const std::int32_t length = chain.length;
      if (count > 0 &&
          (labels + length > memory_.proposal_labels || wholes + chain.wholes() > most_wholes))
        break;
      memory_.batch.data()[count] = {
          static_cast<std::int32_t>(next), labels, wholes, Verdict::unknown, false, 0};
      labels += length;
      wholes += chain.wholes();
      ++count;
    }
    course_.judged = 0;
    course_.batch_stamp = course_.stamp;
  }

  // Visits all chains, or those that an interrupted sweep has not yet visited. False if the call
  // must end.
  bool sweep() noexcept {
    while (course_.batch > 0 || course_.next < model_.chains.size()) {
      if (course_.batch == 0)
        take_batch();
      setting_.each(course_.batch, kPolishGrain, [&](std::int64_t k, std::int32_t w) noexcept {
        Proposal &proposal = memory_.batch.data()[k];
        if (proposal.verdict == Verdict::unknown && setting_.check(w))
          propose(proposal, setting_.worker(w));
      });
      if (setting_.call.must_end())
        return false;
      for (; course_.judged < course_.batch; ++course_.judged) {
        const Proposal &proposal = memory_.batch.data()[course_.judged];
        if (proposal.verdict == Verdict::gains && !setting_.check(0))
          return false;
        judge(proposal);
        if (setting_.call.must_end())
          return false;
      }
      course_.batch = 0;
    }
    return true;
  }

  // Computes a proposal. Its verdict stays unknown if the search was interrupted.
  void propose(Proposal &proposal, Worker &worker) noexcept {
    const bool is_due =
        is_stale(model_.chains[proposal.chain], memory_.visited_at.data()[proposal.chain]);
    const Verdict verdict = !is_due                     ? Verdict::unchanged
                            : improve(proposal, worker) ? Verdict::gains
                                                        : Verdict::stays;
    if (was_cut_short(setting_, worker)) {
      setting_.call.check(worker);
      return;
    }
    proposal.verdict = verdict;
    setting_.call.finish_step();
  }

  // Searches for a better labelling of the chain. True if one was found and stored in the proposal.
  bool improve(Proposal &proposal, Worker &worker) noexcept {
    const Chain &chain = model_.chains[proposal.chain];
    const Improvement found =
        improve_chain(setting_, own_, now_, memory_.counts, proposal.chain,
                      course_.sweep < kVisits, worker);
    if (!found.gains)
      return false;
    memory_.proposed_labels.write(proposal.first_label, found.labels);
    std::copy_n(found.shown.data(), chain.wholes(), proposed_wholes(proposal).data());
    proposal.score = found.score;
    proposal.repeats = found.repeats;
    return true;
  }

  // Accepts a proposal if it gains under the current counts.
  void judge(const Proposal &proposal) noexcept {
    const std::int32_t number = proposal.chain;
    if (proposal.verdict == Verdict::unchanged)
      return;
    std::int32_t &visited_at = memory_.visited_at.data()[number];
    const std::int32_t visited = std::exchange(visited_at, course_.batch_stamp);
    if (proposal.verdict == Verdict::stays)
      return;
    const bool was_current = !is_stale(model_.chains[number], course_.batch_stamp);
    Layout layout(setting_.worker(0).room);
    ChainBlock block(layout, setting_, now_, memory_.counts, number);
    Worker &worker = setting_.worker(0);
    if (!block.load(worker.limits)) {
      setting_.call.check(worker);
      visited_at = visited;
      return;
    }
    const gsl::span<const std::int32_t> shown =
        block.read(memory_.proposed_labels, proposal.first_label, proposed_wholes(proposal));
    // The proposal was computed under the counts at the beginning of the batch. It still gains if
    // no clique of the chain has changed since then.
    if (!was_current) {
      MeasuredSum before;
      MeasuredSum after;
      if (!block.sort(worker.limits) ||
          !block.compare(proposal.score, shown, before, after, worker.limits))
        setting_.call.check(worker);
      if (setting_.call.must_end())
        visited_at = visited;
      if (setting_.call.must_end() || !gains(before, after.total))
        return;
    }
    ++course_.stamp;
    course_.changed = course_.moved = true;
    memory_.counts.move_chain(
        model_, number, now_,
        [&](std::int32_t s, const Slot &) noexcept { return shown.data()[s]; },
        [&](const Slot &slot) noexcept {
          memory_.changed_at.data()[slot.clique] = course_.stamp;
        });
    now_.set(number, block.labels(), shown, proposal.score);
    // Without repeats, this is the best labelling under the current counts, so the chain needs no
    // visit until counts of its cliques change.
    if (was_current && !proposal.repeats)
      visited_at = course_.stamp;
  }

  // Returns the columns of the whole-chain slots of a proposal.
  gsl::span<std::int32_t> proposed_wholes(const Proposal &proposal) const noexcept {
    return {memory_.proposed_wholes.data() + proposal.first_whole,
            to_size(model_.chains[proposal.chain].wholes())};
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
  std::int32_t longest = 0;
  std::int32_t most_wholes = 0;
  for (const Chain &chain : model.chains) {
    longest = std::max(longest, chain.length);
    most_wholes = std::max(most_wholes, chain.wholes());
  }
  const auto share = [](std::int64_t all, std::int64_t least, std::int64_t most) {
    return std::max(least, std::min(most, all / kProposedShare));
  };
  proposal_labels = share(model.chains.sites(), longest, kProposals);
  counts = CountStore(layout, model);
  changed_at = layout.take_span<std::int32_t>(model.cliques.size());
  visited_at = layout.take_span<std::int32_t>(model.chains.size());
  proposed_labels = LabelStore(layout, proposal_labels, model.most_labels);
  proposed_wholes =
      layout.take_span<std::int32_t>(share(model.wholes.size(), most_wholes, kProposals));
  batch = layout.take_span<Proposal>(
      std::min(model.chains.size(), share(model.chains.size(), kLeastBatch, kMostBatch)));
}

std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept {
  Layout layout;
  const BlockMemory memory(layout, model, chain);
  return layout.bytes();
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

// Copies the items of closed cliques from `best` to `now`; the first start has solved these
// cliques.
void Polish::take_closed() noexcept {
  const Model &model = setting_.model;
  for (std::int64_t c = 0; c < (model.closed_slots > 0 ? model.cliques.size() : 0); ++c)
    if (const Clique clique = model.cliques[c]; clique.closed())
      for (std::int32_t i = 0; i < clique.members; ++i)
        state_.now.take_chain(model.chain_of(clique, i), state_.best);
}

// Compares the labelling of an interrupted polish with the best one, unless that would take long.
void Polish::offer_so_far() noexcept {
  PolishCourse &course = state_.course.polish;
  const Model &model = setting_.model;
  if (setting_.call.failed() || model.slots.size() + model.chains.size() > kScoredAtOnce ||
      !std::exchange(course.moved, false))
    return;
  evaluation_.offer_at_once(course.from_own ? 0 : state_.tally.rounds);
}

} // namespace chorale
