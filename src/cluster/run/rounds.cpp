#include "cluster/run/rounds.hpp"

#include "cluster/run/closed.hpp"
#include "cluster/run/message_unit.hpp"
#include "cluster/run/sending.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

// Least number of consecutive chains or cliques that one thread takes (Setting::each).
constexpr std::int64_t kChainGrain = 16;
constexpr std::int64_t kCliqueGrain = 4;

bool is_interrupted(const Worker &worker) noexcept {
  return worker.limits.interruption() != Interruption::none;
}

} // namespace

// Does for a chain what its flags ask for, as far as `update` says: decodes it without messages into
// `own` and `now`; decodes it under its messages into `now`, and sends its messages. While all messages
// are 0, one pass does all of this. Leaves the chain out if it has no labelling that those of its
// cliques with one member allow too (ChainProgram::is_shut_out). The flags stay while work is left
// (Update::own, interrupted, failed), so that the next call does it.
void Rounds::update_chain(std::int32_t number, Worker &worker, Update update) noexcept {
  const Model &model = setting_.model;
  Call &call = setting_.call;
  std::uint8_t &flags = state_.chain_needs.data()[number];
  const std::uint8_t needs = update == Update::all ? flags : flags & kNeedsOwn;
  Limits none;
  Limits &limits = update == Update::all ? worker.limits : none;
  const Chain &chain = model.chains[number];
  if (chain.is_item() && (chain.slots == 0 || model.is_closed(chain))) {
    update_item(number, worker);
    return;
  }
  PlacedChain placed(setting_, worker.room, number);
  ChainProgram &program = placed.program;
  const auto ends = [&](bool is_interrupted) noexcept {
    if (is_interrupted)
      call.check(worker);
    else if (program.failure != RunFailure::none)
      call.fail(program.failure);
    return is_interrupted || program.failure != RunFailure::none;
  };
  const bool updates = (needs & kNeedsUpdate) != 0;
  const bool together = updates && state_.standing.zero_messages;

  if ((needs & kNeedsOwn) != 0) {
    if (!state_.set_aside_by.empty())
      state_.set_aside_by.data()[number] = -1;
    std::fill_n(program.incoming.data(), program.incoming.size(), 0.0);
    const bool found = together ? program.decode_and_send(true, nullptr, limits)
                                : program.decode_own(limits);
    if (ends(program.interrupted()))
      return;
    if (found)
      for (Assignment *of : {&state_.own, &state_.now})
        of->set(number, program.labels, program.shown, program.score);
    const bool leaves_out = !found || program.score == kForbidden || program.is_shut_out(limits);
    if (ends(program.interrupted()))
      return;
    if (leaves_out)
      for (Assignment *of : {&state_.own, &state_.now})
        of->leave_out(number);
    worker.met_infeasible = worker.met_infeasible || leaves_out;
  }
  const bool takes_part = state_.own.phi(number) > kForbidden;
  if (update == Update::own && takes_part) {
    call.finish_step();
    return;
  }
  if (updates && takes_part) {
    if (!together || (needs & kNeedsOwn) == 0) {
      const bool found = placed.load(state_.to_chain, worker.limits) &&
                         program.decode_and_send(false, &state_.now, worker.limits);
      if (ends(is_interrupted(worker)))
        return;
      if (found)
        state_.now.set(number, program.labels, program.shown, program.score);
    }
    if (!send_from_chain(setting_, state_, program, worker, [](std::int32_t) {}))
      return;
  }
  flags = static_cast<std::uint8_t>(takes_part ? flags & ~needs : 0);
  worker.chain_updates += flags == 0 && (needs & kSendsAgain) == 0 ? 1 : 0;
  call.finish_step();
}

// Decodes, without messages, an item that has the flag kNeedsOwn. If it has kNeedsUpdate, flags its
// closed clique (closed.hpp) to be solved again.
void Rounds::update_item(std::int32_t item, Worker &worker) noexcept {
  const Model &model = setting_.model;
  const std::uint8_t needs = std::exchange(state_.chain_needs.data()[item], std::uint8_t{0});
  if ((needs & kNeedsOwn) != 0) {
    const ItemLabel best = best_label(setting_, item);
    worker.met_infeasible = worker.met_infeasible || best.score == kForbidden;
    for (Assignment *of : {&state_.own, &state_.now})
      of->set_item(item, model.chains[item].first_label, best.label, best.score);
  }
  if ((needs & kNeedsUpdate) != 0)
    raise(state_.clique_needs.data()[model.clique_of(model.chains[item].first_slot)], kAnswersNow);
  ++worker.chain_updates;
  setting_.call.finish_step();
}

void Rounds::update_clique(std::int32_t number, Worker &worker) noexcept {
  if (setting_.model.cliques[number].closed())
    solve_closed(setting_, state_, number, worker);
  else
    send_from_clique(setting_, state_, number, worker, [](std::int32_t) {});
}

void Rounds::update_chains(Update update) noexcept {
  const std::uint8_t *needs = state_.chain_needs.data();
  const auto is_due = [update](std::uint8_t flags) noexcept {
    return update == Update::all ? flags != 0 : (flags & kNeedsOwn) != 0;
  };
  const auto may_start = [this, update](std::int32_t w) noexcept {
    return update == Update::own || setting_.check(w);
  };
  setting_.each(setting_.model.chains.size(), kChainGrain,
                [&](std::int64_t i, std::int32_t w) noexcept {
                  if (is_due(needs[i]) && may_start(w))
                    update_chain(static_cast<std::int32_t>(i), setting_.worker(w), update);
                });
}

void Rounds::update_cliques() noexcept {
  setting_.each(setting_.model.cliques.size(), kCliqueGrain,
                [this](std::int64_t c, std::int32_t w) noexcept {
                  if ((state_.clique_needs.data()[c] & kAnswersNow) != 0 && setting_.check(w))
                    update_clique(static_cast<std::int32_t>(c), setting_.worker(w));
                });
}

// Runs round 0: decodes the flagged chains without messages, computes their messages, and evaluates the
// labellings `own` and `now`. If a limit ends the call and RunOptions::always_labels() is true, the
// chains are decoded and `own` is evaluated all the same, so that every call leaves a labelling; the
// next call computes the messages and evaluates again.
void Rounds::first_round() noexcept {
  const Call &call = setting_.call;
  Standing &standing = state_.standing;
  RoundStage &stage = state_.course.round.stage;
  const auto offer = [&](Assignment &of, std::int64_t round) noexcept {
    return setting_.options.always_labels() ? evaluation_.offer_in_full(of, round)
                                          : evaluation_.offer(of, round);
  };
  if (stage == RoundStage::none) {
    state_.tally.messages_changed = 0;
    state_.course.round.knows_own = false;
    stage = RoundStage::own;
  }
  if (stage == RoundStage::own) {
    update_chains();
    bool &knows_own = state_.course.round.knows_own;
    if (call.must_end() && !call.failed() && !knows_own && setting_.options.always_labels())
      update_chains(Update::own);
    state_.tally.take(setting_.workers());
    if (call.failed() || (call.must_end() && !setting_.options.always_labels()))
      return;
    knows_own = true;
    bool met_infeasible = false;
    for (Worker &worker : setting_.workers())
      met_infeasible = std::exchange(worker.met_infeasible, false) || met_infeasible;
    if (met_infeasible || standing.left_out > 0) {
      state_.leave_out(setting_.model, setting_.inputs);
      if (!call.must_end())
        update_chains(); // chains flagged kSendsAgain
      state_.tally.take(setting_.workers());
      if (call.failed())
        return;
    }
    const bool fills_in = std::exchange(standing.fill_in_own, false) || standing.left_out > 0;
    if (standing.has_labelling && fills_in)
      for (std::int32_t i = 0; i < setting_.model.chains.size(); ++i)
        if (state_.best.phi(i) == kForbidden || state_.own.phi(i) == kForbidden)
          state_.best.take_chain(i, state_.own);
    stage = RoundStage::own_score;
  }
  if (stage == RoundStage::own_score) {
    // If no chain has a labelling, nothing is evaluated.
    if (standing.infeasible) {
      standing.own_score = kForbidden;
      standing.has_labelling = standing.pending = false;
      stage = RoundStage::none;
      return;
    }
    // `best` may hold a labelling already: from an earlier run, from the caller, or from before
    // scores were replaced. So `own` must be compared with it.
    if (!offer(state_.own, 0))
      return;
    standing.own_score = state_.own.total();
    standing.has_labelling = true;
    standing.rounds_score = standing.own_score;
    stage = RoundStage::own_offer;
  }
  if (stage == RoundStage::own_offer) {
    // If a limit ended the call, some chains of `now` may not have been decoded under their
    // messages. A solve without limits never evaluates such a labelling, so `now` is not compared
    // with `best`.
    if (call.must_end()) {
      stage = RoundStage::own;
      return;
    }
    // If `now` equals `own`, it has been compared with `best` already.
    if (state_.now.equals(state_.own))
      state_.now.copy_totals(state_.own);
    else if (!offer(state_.now, state_.tally.rounds))
      return;
    standing.rounds_score = std::max(standing.rounds_score, state_.now.total());
    stage = RoundStage::none;
    standing.pending = false;
    evaluation_.report_progress();
  }
}

// Finishes a round: evaluates its labelling and tests for convergence. False if the call must end.
bool Rounds::end_round() noexcept {
  ++state_.tally.rounds;
  if (!evaluation_.offer(state_.now, state_.tally.rounds)) {
    --state_.tally.rounds; // the round is unfinished
    return false;
  }
  state_.leave_round();
  Standing &standing = state_.standing;
  const gsl::span<const std::uint8_t> needs = state_.clique_needs;
  standing.converged = std::count(needs.data(), needs.data() + needs.size(), kAnswersNow) == 0;
  standing.rounds_score = std::max(standing.rounds_score, state_.now.total());
  standing.alternation.add(state_.now.labels.hash());
  if (state_.course.rounds_left > 0)
    --state_.course.rounds_left;
  evaluation_.report_progress();
  return !setting_.call.must_end();
}

bool Rounds::step() noexcept {
  Course &course = state_.course;
  Standing &standing = state_.standing;
  RoundStage &stage = course.round.stage;
  const Call &call = setting_.call;
  if (stage == RoundStage::none) {
    if (standing.at_end())
      return !standing.infeasible;
    standing.is_polished = standing.is_regrouped = false;
    course.polish = {};
    course.repair = {};
    course.regroup = {};
    course.dual = {};
  }
  if (standing.pending) {
    if (!std::exchange(standing.has_unit, true))
      state_.set_unit(message_unit(setting_.model, setting_.inputs));
    first_round();
    return !call.must_end() && !standing.infeasible;
  }
  if (stage == RoundStage::none) {
    state_.tally.messages_changed = 0;
    standing.zero_messages = false;
    stage = RoundStage::cliques;
  }
  if (stage == RoundStage::cliques) {
    update_cliques();
    if (!call.must_end())
      stage = RoundStage::chains;
  }
  if (stage == RoundStage::chains) {
    update_chains();
    if (!call.must_end())
      stage = RoundStage::offer;
  }
  state_.tally.take(setting_.workers());
  return stage == RoundStage::offer && end_round();
}

} // namespace chorale
