// edits.hpp explains the words used here.
#include "cluster/run/edits.hpp"

#include "cluster/run/closed.hpp"
#include "cluster/run/evaluation.hpp"
#include "cluster/run/improve.hpp"
#include "cluster/run/sending.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

// The next solve covers the whole model if more than max(kMostChains, all chains / kShareOfAll)
// chains were edited, or if the edited cliques have more than max(kMostMembers, all members /
// kShareOfAll) members.
constexpr std::int64_t kMostChains = 64;
constexpr std::int64_t kMostMembers = 4096;
constexpr std::int64_t kShareOfAll = 16;
// Cliques with more than kMostAnswering members compute messages, and improve their other members
// when one member moves, only if they were edited themselves.
constexpr std::int32_t kMostAnswering = 256;
// Closed cliques with more than kMostSolved members are solved again only if they were edited
// themselves.
constexpr std::int32_t kMostSolved = 4096;
// After this many visits in a stage, chains with repeats (several slots in one clique) are skipped.
constexpr std::int64_t kRepeatVisits = 1024;
// After this many visits, a stage empties the queue without further search. Ends a stage in which
// rounding errors count as gains again and again.
constexpr std::int64_t kMostVisits = 1 << 20;

} // namespace

// ---- Preparation -------------------------------------------------------------------------------

bool Edits::settle() noexcept {
  if (edits_.settled)
    return true;
  Limits &limits = setting_.worker(0).limits;
  state_.now.copy(state_.best);
  const auto score_all = [&]() noexcept {
    for (std::int32_t c = 0; c < model_.cliques.size(); ++c) {
      if (!limits.spend(16 + 16 * std::int64_t{model_.cliques[c].columns()}))
        return false;
      edits_.clique_score.data()[c] = score_now(c);
      edits_.own_clique_score.data()[c] = score_counted(c, state_.own, edits_.own_counts);
    }
    return !setting_.call.failed();
  };
  if (!edits_.counts.count(model_, state_.best, limits) ||
      !edits_.own_counts.count(model_, state_.own, limits) || !score_all()) {
    setting_.check(0);
    return false;
  }
  edits_.changed_chains = 0;
  for (std::int32_t i = 0; i < model_.chains.size(); ++i)
    edits_.changed_chains += state_.best.agrees(i, state_.own) ? 0 : 1;
  edits_.chain_sums.renew_all(state_.best.scores());
  edits_.clique_sums.renew_all(edits_.clique_score);
  edits_.own_chain_sums.renew_all(state_.own.scores());
  edits_.own_clique_sums.renew_all(edits_.own_clique_score);
  sum_up();
  edits_.converged = state_.standing.converged;
  edits_.settled = true;
  return true;
}

// Sets the totals of `best` and `own` to the sums of their terms.
void Edits::sum_up() noexcept {
  state_.best.set_totals(edits_.chain_sums.total(), edits_.clique_sums.total());
  state_.own.set_totals(edits_.own_chain_sums.total(), edits_.own_clique_sums.total());
}

// Returns the strength times C of a clique. Takes its counts from `counts`, and the value of its
// centre from the labelling `of`.
double Edits::score_counted(std::int32_t number, const Assignment &of,
                            const CountStore &counts) noexcept {
  const Clique clique = model_.cliques[number];
  const gsl::span<std::int64_t> counted = edits_.counted.first(to_size(clique.columns()));
  counts.load(model_.first_count(number), counted);
  CallbackFailure failed = CallbackFailure::none;
  const double score =
      clique_score(clique, setting_.inputs.strength(number), counted, of.centre(clique), &failed);
  setting_.call.fail(RunFailure::of(failed, clique));
  return score;
}

double Edits::score_now(std::int32_t clique) noexcept {
  return score_counted(clique, state_.now, edits_.counts);
}

// ---- Recording edits ----------------------------------------------------------------------------

// Discards an unfinished solve. The next solve repeats the work for all edits since the last
// solution; the chains and cliques whose messages were still to be computed stay in their lists.
void Edits::abandon() noexcept {
  revert();
  edits_.queue.clear();
  if (edits_.stage == EditStage::cliques)
    edits_.answering.drop(edits_.next);
  if (edits_.stage == EditStage::chains)
    edits_.sending.drop(edits_.next);
  edits_.stage = EditStage::none;
}

void Edits::note_chain(std::int32_t chain) noexcept {
  if (edits_.stage != EditStage::none)
    abandon();
  edits_.chains.add(chain);
  state_.replaced_inputs();
}

void Edits::note_clique(std::int32_t clique) noexcept {
  if (edits_.stage != EditStage::none)
    abandon();
  if (!edits_.cliques.has(clique))
    edits_.edited_members += model_.cliques[clique].all_members();
  edits_.cliques.add(clique);
  state_.replaced_inputs();
}

bool Edits::serves() const noexcept {
  return edits_.stage != EditStage::none ||
         (edits_.settled && state_.standing.pending &&
          edits_.chains.size() <= std::max(kMostChains, model_.chains.size() / kShareOfAll) &&
          edits_.edited_members <= std::max(kMostMembers, model_.members.size() / kShareOfAll));
}

// ---- Changes of labellings ---------------------------------------------------------------------

// Sets the labels and phi of a chain in `now`. `shown`: the new column of each slot. If `spreads`,
// queues the chains that may gain because of the change.
void Edits::set_now(std::int32_t chain, gsl::span<const std::int32_t> labels,
                    gsl::span<const std::int32_t> shown, double score, bool spreads) noexcept {
  edits_.counts.set_chain(model_, chain, state_.now, labels, shown, score,
                          [&](const Slot &slot) noexcept {
                            edits_.touched_cliques.add(slot.clique);
                            if (spreads)
                              spread(slot);
                          });
  edits_.touched.add(chain);
}

// Copies a chain from another labelling to `now`. If `spreads`, queues the chains that may gain
// because of the change.
void Edits::take_now(std::int32_t chain, const Assignment &from, bool spreads) noexcept {
  edits_.counts.take_chain(model_, chain, state_.now, from, [&](const Slot &slot) noexcept {
    edits_.touched_cliques.add(slot.clique);
    if (spreads)
      spread(slot);
  });
  edits_.touched.add(chain);
}

// Sets the labels and phi of a chain in `own`. `shown`: the new column of each slot.
void Edits::set_own(std::int32_t chain, gsl::span<const std::int32_t> labels,
                    gsl::span<const std::int32_t> shown, double score) noexcept {
  edits_.changed_chains -= state_.best.agrees(chain, state_.own) ? 0 : 1;
  WorkList &cliques = edits_.touched_cliques; // empty here, so it serves as scratch
  edits_.own_counts.set_chain(model_, chain, state_.own, labels, shown, score,
                              [&](const Slot &slot) noexcept { cliques.add(slot.clique); });
  edits_.own_chain_sums.renew(state_.own.scores(), chain);
  for (const std::int32_t clique : cliques)
    score_own(clique);
  cliques.clear();
  edits_.changed_chains += state_.best.agrees(chain, state_.own) ? 0 : 1;
}

// Computes the term of a clique in the score of `own`.
void Edits::score_own(std::int32_t clique) noexcept {
  edits_.own_clique_score.data()[clique] = score_counted(clique, state_.own, edits_.own_counts);
  edits_.own_clique_sums.renew(edits_.own_clique_score, clique);
}

// True if `now` scores more than `best`. Compares the chains and cliques in which the two may
// differ.
bool Edits::is_better() noexcept {
  MeasuredSum before;
  MeasuredSum after;
  for (const std::int32_t chain : edits_.touched) {
    before.add(state_.best.phi(chain));
    after.add(state_.now.phi(chain));
  }
  for (const std::int32_t clique : edits_.touched_cliques) {
    before.add(edits_.clique_score.data()[clique]);
    after.add(score_now(clique));
  }
  return gains(before, after.total);
}

// Copies from `now` to `best` every chain in which the two labellings may differ.
void Edits::commit() noexcept {
  state_.parts.known = false;
  for (const std::int32_t chain : edits_.touched) {
    edits_.changed_chains -= state_.best.agrees(chain, state_.own) ? 0 : 1;
    state_.best.take_chain(chain, state_.now);
    edits_.changed_chains += state_.best.agrees(chain, state_.own) ? 0 : 1;
    edits_.chain_sums.renew(state_.best.scores(), chain);
  }
  for (const std::int32_t clique : edits_.touched_cliques) {
    edits_.clique_score.data()[clique] = score_now(clique);
    edits_.clique_sums.renew(edits_.clique_score, clique);
  }
  edits_.touched.clear();
  edits_.touched_cliques.clear();
}

void Edits::keep_if_better() noexcept {
  if (is_better())
    commit();
  else
    revert();
}

// Copies from `best` to `now` every chain in which the two labellings may differ.
void Edits::revert() noexcept {
  for (const std::int32_t chain : edits_.touched)
    take_now(chain, state_.best, false);
  edits_.touched.clear();
  edits_.touched_cliques.clear();
}

// ---- Labellings without messages ---------------------------------------------------------------

// Decodes the edited chains without messages, ignoring the limits: so every call leaves a
// labelling. Sets is_infeasible if one of them is to be left out. False on failure.
bool Edits::decode_own() noexcept {
  Limits none;
  for (; edits_.next < edits_.chains.size(); ++edits_.next) {
    const std::int32_t number = edits_.chains[edits_.next];
    std::uint8_t &needs = state_.chain_needs.data()[number];
    if ((needs & kNeedsOwn) == 0)
      continue;
    Worker &worker = setting_.worker(0);
    PlacedChain placed(setting_, worker.room, number);
    ChainProgram &program = placed.program;
    const bool found = program.decode_own(none);
    if (found)
      set_own(number, program.labels, program.shown, program.score);
    const bool leaves_out = !found || program.is_shut_out(none);
    if (program.failure != RunFailure::none) {
      setting_.call.fail(program.failure);
      return false;
    }
    ++worker.chain_updates;
    setting_.call.finish_step();
    if (leaves_out) {
      edits_.is_infeasible = true;
      continue;
    }
    const Chain chain = model_.chains[number];
    if (model_.is_closed(chain))
      state_.clique_needs.data()[model_.clique_of(chain.first_slot)] = kAnswersNow;
    needs = static_cast<std::uint8_t>(needs & ~kNeedsOwn);
  }
  return true;
}

// Adapts `best` and its score to the edited inputs. Edited chains whose labels in `best` are now
// forbidden, and edited chains in no clique, take their best labellings without messages.
void Edits::take_edited() noexcept {
  for (const std::int32_t chain : edits_.chains) {
    edits_.touched.add(chain); // the same labels may have another phi
    if (state_.best.phi(chain) == kForbidden || model_.chains[chain].slots == 0)
      take_now(chain, state_.own, setting_.options.polish);
  }
  for (const std::int32_t clique : edits_.cliques) {
    edits_.touched_cliques.add(clique);
    score_own(clique);
  }
  commit();
  state_.standing.fill_in_own = false;
}

// ---- Polish ------------------------------------------------------------------------------------

void Edits::enqueue_members(std::int32_t number) noexcept {
  const Clique clique = model_.cliques[number];
  for (std::int32_t i = 0; i < clique.all_members(); ++i)
    enqueue(model_.chain_of(clique, i));
}

// Visits the queued chains, and the chains that their changes queue, until the queue is empty.
// False if the call must end.
bool Edits::polish() noexcept {
  while (!edits_.queue.empty()) {
    if (!setting_.check(0))
      return false;
    const std::int32_t chain = edits_.queue.front();
    if (edits_.visits < kMostVisits && !improve(chain))
      return false;
    setting_.call.finish_step();
    ++edits_.visits;
    // The chain leaves the queue only now, so its own visit could not queue it again.
    edits_.queue.pop();
  }
  edits_.visits = 0;
  return true;
}

// Visits a chain in a polish: searches for a better labelling of it with all other chains fixed, or
// solves its closed clique. False if the call must end.
bool Edits::improve(std::int32_t number) noexcept {
  const Chain chain = model_.chains[number];
  if (model_.is_closed(chain)) {
    const std::int32_t clique = model_.clique_of(chain.first_slot);
    if (model_.cliques[clique].members <= kMostSolved || edits_.cliques.has(clique))
      return state_.clique_needs.data()[clique] == 0 || solve_closed_clique(clique);
    edits_.leaves_messages = true;
  }
  if (!setting_.options.polish)
    return true;
  Worker &worker = setting_.worker(0);
  const Improvement found = improve_chain(setting_, state_.own, state_.now, edits_.counts, number,
                                          edits_.visits < kRepeatVisits, worker);
  if (was_cut_short(setting_, worker))
    return setting_.call.end(worker);
  if (!found.gains)
    return true;
  set_now(number, found.labels, found.shown, found.score, true);
  return true;
}

// Solves a closed clique and keeps the new labels if they are better. False if the call must end.
bool Edits::solve_closed_clique(std::int32_t number) noexcept {
  commit(); // all changes of the polish so far are improvements
  const Clique clique = model_.cliques[number];
  if (!solve_closed(setting_, state_, number, setting_.worker(0)))
    return false;
  count_columns(clique, edits_.counted,
                [&](std::int32_t i) noexcept { return state_.now.shown(clique, i); });
  for (std::int32_t v = 0; v < clique.columns(); ++v)
    edits_.counts.set(model_.first_count(number) + v, edits_.counted.data()[v]);
  for (std::int32_t i = 0; i < clique.members; ++i)
    if (const std::int32_t chain = model_.chain_of(clique, i);
        !state_.now.agrees(chain, state_.best))
      edits_.touched.add(chain);
  edits_.touched_cliques.add(number);
  keep_if_better();
  return true;
}

// Must be called for each slot that changes its column. Queues the chains of the other members of
// the slot's clique, which may gain by this, if the clique has at most kMostAnswering members or
// was edited; otherwise sets leaves_messages.
void Edits::spread(const Slot &slot) noexcept {
  const Clique clique = model_.cliques[slot.clique];
  if (clique.members > kMostAnswering && !edits_.cliques.has(slot.clique)) {
    edits_.leaves_messages = true;
    return;
  }
  for (std::int32_t i = 0; i < clique.all_members(); ++i)
    if (i != slot.member)
      enqueue(model_.chain_of(clique, i));
}

// ---- Message rounds ----------------------------------------------------------------------------

// Decodes a chain under the messages of its cliques and computes its messages to them. Cliques to
// which a message changed are added to the list `answering`, if they may compute messages
// (kMostAnswering). False if the call must end.
bool Edits::update_chain(std::int32_t number) noexcept {
  if (!setting_.check(0))
    return false;
  Worker &worker = setting_.worker(0);
  edits_.reached.add(number);
  PlacedChain placed(setting_, worker.room, number);
  ChainProgram &program = placed.program;
  const bool found = placed.load(state_.to_chain, worker.limits) &&
                     program.decode_and_send(false, &state_.now, worker.limits);
  if (was_cut_short(setting_, worker) || program.failure != RunFailure::none) {
    setting_.call.fail(program.failure);
    return setting_.call.end(worker);
  }
  const auto passed = [&](std::int32_t s) noexcept {
    const std::int32_t clique = program.slot(s).clique;
    if (program.clique_of(s).members <= kMostAnswering || edits_.cliques.has(clique))
      edits_.answering.add(clique);
    else
      edits_.leaves_messages = true;
  };
  if (!send_from_chain(setting_, state_, program, worker, passed))
    return false;
  if (found) {
    // If the labels are those of `now`, decode_and_send() may have left `shown` unwritten.
    if (state_.now.has(model_.chains[number], program.labels))
      state_.now.set_phi(number, program.score);
    else
      set_now(number, program.labels, program.shown, program.score, false);
  }
  state_.chain_needs.data()[number] = 0;
  ++worker.chain_updates;
  setting_.call.finish_step();
  return true;
}

// Ends a round: copies its labelling, `now`, to `best` if it scores more.
void Edits::end_round() noexcept {
  if (!is_better())
    return;
  commit();
  edits_.round_found = true;
  state_.standing.best_round = state_.tally.rounds;
}

// ---- Solve -------------------------------------------------------------------------------------

EditEnd Edits::run() noexcept {
  const EditEnd end = go_on();
  state_.tally.take(setting_.workers());
  if (setting_.call.failed())
    edits_.leave(); // the terms of equation 1 are incomplete
  else if (end == EditEnd::stopped) {
    sum_up(); // the caller may read the labellings, and their scores, between calls
    state_.standing.own_score = state_.own.total();
  }
  return end;
}

// Goes through the stages that EditStage lists, from the current one on.
EditEnd Edits::go_on() noexcept {
  EditStage &stage = edits_.stage;
  const RunOptions &options = setting_.options;
  Standing &standing = state_.standing;
  if (stage == EditStage::none) {
    edits_.next = edits_.round = edits_.visits = 0;
    edits_.is_infeasible = edits_.round_found = edits_.leaves_messages = false;
    edits_.reached.clear();
    state_.tally.messages_changed = 0;
    stage = EditStage::own;
  }
  if (stage == EditStage::own) {
    if (!decode_own())
      return EditEnd::stopped;
    if (edits_.is_infeasible) { // round 0 will leave the chain out
      edits_.leave();
      return EditEnd::whole;
    }
    if (options.polish || options.rounds > 0) {
      for (const std::int32_t chain : edits_.chains)
        enqueue(chain);
      for (const std::int32_t clique : edits_.cliques)
        enqueue_members(clique);
    }
    take_edited();
    stage = EditStage::polish;
  }
  if (stage == EditStage::polish) {
    if (!polish())
      return EditEnd::stopped;
    commit();
    edits_.next = 0;
    stage = EditStage::send;
  }
  if (stage == EditStage::send) {
    for (; options.rounds > 0 && edits_.next < edits_.chains.size(); ++edits_.next) {
      const std::int32_t number = edits_.chains[edits_.next];
      const Chain chain = model_.chains[number];
      if (chain.slots > 0 && !model_.is_closed(chain) && !update_chain(number))
        return EditEnd::stopped;
    }
    if (options.rounds > 0)
      for (const std::int32_t clique : edits_.cliques)
        if (!model_.cliques[clique].closed())
          edits_.answering.add(clique);
    end_round();
    edits_.next = 0;
    stage = EditStage::cliques;
  }
  while (stage == EditStage::cliques || stage == EditStage::chains) {
    if (stage == EditStage::cliques) {
      if (edits_.round == options.rounds || (edits_.answering.empty() && edits_.sending.empty())) {
        if (edits_.round_found)
          revert(); // the polish starts from the best labelling
        if (options.polish)
          for (const std::int32_t chain : edits_.reached)
            enqueue(chain);
        stage = EditStage::from_rounds;
        break;
      }
      if (edits_.next == 0) {
        state_.tally.take(setting_.workers());
        state_.tally.messages_changed = 0;
      }
      standing.zero_messages = false;
      for (; edits_.next < edits_.answering.size(); ++edits_.next)
        if (!setting_.check(0) ||
            !send_from_clique(setting_, state_, edits_.answering[edits_.next], setting_.worker(0),
                              [&](std::int32_t chain) noexcept { edits_.sending.add(chain); }))
          return EditEnd::stopped;
      keep_damped();
      edits_.next = 0;
      stage = EditStage::chains;
    }
    for (; edits_.next < edits_.sending.size(); ++edits_.next)
      if (!update_chain(edits_.sending[edits_.next]))
        return EditEnd::stopped;
    edits_.sending.clear();
    edits_.next = 0;
    ++edits_.round;
    ++state_.tally.rounds;
    end_round();
    stage = EditStage::cliques;
  }
  if (stage == EditStage::from_rounds) {
    if (!polish())
      return EditEnd::stopped;
    keep_if_better();
    if (options.polish)
      take_own_of_reached();
    stage = EditStage::from_own;
  }
  if (!polish())
    return EditEnd::stopped;
  keep_if_better();
  return finish();
}

// Prepares another start of the polish: the edited chains, the chains that messages reached, and
// the members of small edited cliques take their best labellings without messages.
void Edits::take_own_of_reached() noexcept {
  const auto take = [&](std::int32_t chain) noexcept {
    if (model_.is_closed(model_.chains[chain]) || state_.now.agrees(chain, state_.own))
      return;
    take_now(chain, state_.own, true);
    enqueue(chain);
  };
  for (const WorkList *list : {&edits_.chains, &edits_.reached})
    std::for_each(list->begin(), list->end(), take);
  for (const std::int32_t number : edits_.cliques)
    if (const Clique clique = model_.cliques[number]; clique.members <= kMostAnswering)
      for (std::int32_t i = 0; i < clique.all_members(); ++i)
        take(model_.chain_of(clique, i));
}

// Keeps in the list `answering` only the cliques with a message that changed under damping: such a
// message has not reached its final value, so the next round computes it again.
void Edits::keep_damped() noexcept {
  edits_.answering.keep_if([this](std::int32_t clique) noexcept {
    std::uint8_t &needs = state_.clique_needs.data()[clique];
    needs = needs != 0 ? kAnswersNow : std::uint8_t{0};
    return needs != 0;
  });
}

// Ends the solve. Returns `stopped` on failure; `whole` if some clique forbids the labelling found,
// or the labelling without messages scores more; otherwise records the solution and returns `done`.
EditEnd Edits::finish() noexcept {
  Standing &standing = state_.standing;
  edits_.stage = EditStage::none;
  sum_up();
  if (setting_.call.failed())
    return EditEnd::stopped;
  if (state_.best.total() == kForbidden || state_.own.total() > state_.best.total())
    return EditEnd::whole;
  standing.pending = false;
  standing.own_score = standing.local_search_own_score = state_.own.total();
  standing.rounds_score = standing.local_search_score = state_.best.total();
  standing.is_polished = setting_.options.polish;
  standing.is_regrouped = true;
  standing.converged = edits_.converged && edits_.answering.empty() && !edits_.leaves_messages;
  edits_.converged = standing.converged;
  edits_.chains.clear();
  edits_.cliques.clear();
  edits_.edited_members = 0;
  edits_.answering.clear();
  edits_.sending.clear();
  state_.now.set_totals({state_.best.chain_total, state_.best.magnitude},
                        {state_.best.clique_total, 0});
  Evaluation(setting_, state_).report_progress();
  return EditEnd::done;
}

} // namespace chorale
