// Message rounds and the evaluation of equation 1.
//
// Chains write what cliques read and the other way round, each in a loop of its own; a loop's steps
// write to rows and places of their own, and flags of the other side are only ever raised.
#include "cluster/run/run.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr std::int64_t kChainGrain = 16;
constexpr std::int64_t kCliqueGrain = 4;
// The first step of a call may take so long, in seconds, however short the call is to be, but for a
// limit of 0: so every call gets on. Twice as long after each call whose first step took longer.
constexpr double kFirstStep = 0.04;
constexpr int kMostDoublings = 40;
constexpr std::int64_t kScoredMembers = 1 << 17; // scored between two looks at the limits

// What a clique waits for: an answer in this round, or in the next.
constexpr std::uint8_t kAnswersNow = 1;
constexpr std::uint8_t kAnswersLater = 2;

void raise(std::uint8_t &flags, std::uint8_t bits) noexcept {
  std::atomic_ref<std::uint8_t> shared(flags);
  if ((shared.load(std::memory_order_relaxed) & bits) != bits)
    shared.fetch_or(bits, std::memory_order_relaxed);
}

} // namespace
} // namespace chorale

using namespace chorale;

void chorale_run::begin_call() noexcept {
  const bool was_fruitless =
      stop.load(std::memory_order_relaxed) == 1 && !has_worked.load(std::memory_order_relaxed);
  fruitless_calls = was_fruitless ? std::min(fruitless_calls + 1, kMostDoublings) : 0;
  stop.store(0, std::memory_order_relaxed);
  failure.store(RunFailure::none, std::memory_order_relaxed);
  has_worked.store(false, std::memory_order_relaxed);
  limits = Limits(options.time_limit, options.cancel);
  const double first_step =
      options.time_limit > 0
          ? std::ldexp(std::max(options.time_limit, kFirstStep), fruitless_calls)
          : options.time_limit;
  const Limits first(first_step, options.cancel);
  for (std::int32_t w = 0; w < options.executor.workers; ++w)
    at.workers[w].limits = first;
}

// Whether to go on.
bool chorale_run::check_limits(Worker &worker) noexcept {
  if (must_stop())
    return false;
  if (has_worked.load(std::memory_order_relaxed))
    worker.limits.shorten(limits);
  const Interruption interruption = worker.limits.check_now();
  if (interruption == Interruption::none)
    return true;
  stop.store(interruption == Interruption::deadline ? 1 : 2, std::memory_order_relaxed);
  return false;
}

void chorale_run::give_up(const ChainProgram &program, Worker &worker) noexcept {
  fail(program.failure);
  if (program.interrupted())
    check_limits(worker);
}

void chorale_run::add_up() noexcept {
  for (std::int32_t w = 0; w < options.executor.workers; ++w) {
    Worker &worker = at.workers[w];
    chain_updates += std::exchange(worker.chain_updates, 0);
    clique_updates += std::exchange(worker.clique_updates, 0);
    messages_changed += std::exchange(worker.changed, 0);
  }
}

void chorale_run::update_chain(std::int32_t number, Worker &worker) noexcept {
  const std::uint8_t needs = at.chain_needs[number];
  const Chain &chain = model->chains[number];
  Layout layout(worker.room);
  ChainProgram program(layout, *model, number, view_of(number), options.joint);
  program.set_room(worker.room + layout.bytes());
  const bool updates = (needs & kNeedsUpdate) != 0;
  const bool together = updates && zero_messages;

  if ((needs & kNeedsOwn) != 0) {
    std::fill_n(program.incoming, program.row_entries, 0.0);
    const bool found = together ? program.decode_and_send(true, nullptr, worker.limits)
                                : program.decode_own(worker.limits);
    if (program.interrupted()) {
      check_limits(worker);
      return;
    }
    if (!found)
      program.score = kForbidden;
    if (program.failure != RunFailure::none) {
      fail(program.failure);
      return;
    }
    if (!found) {
      std::fill_n(program.labels, chain.length, 0);
      std::fill_n(program.shown, chain.slots, -1);
    }
    at.own.set(number, program.labels, program.shown, program.score);
    at.now.set(number, program.labels, program.shown, program.score);
  }
  if (updates) {
    if (!together || (needs & kNeedsOwn) == 0) {
      for (std::int32_t s = 0; s < chain.slots; ++s)
        at.to_chain.load(program.row_place(s), program.columns_of(s),
                         program.incoming + program.row_begin()[s]);
      const bool found = program.decode_and_send(false, &at.now, worker.limits);
      if (program.interrupted()) {
        check_limits(worker);
        return;
      }
      if (program.failure != RunFailure::none) {
        fail(program.failure);
        return;
      }
      if (found)
        at.now.set(number, program.labels, program.shown, program.score);
    }
    for (std::int32_t s = 0; s < chain.slots; ++s)
      if (at.to_clique.store(program.row_place(s), program.columns_of(s),
                             program.outgoing + program.row_begin()[s], 0))
        raise(at.clique_needs[program.slots()[s].clique], kAnswersNow);
  }
  at.chain_needs[number] = 0;
  ++worker.chain_updates;
  finish_step();
}

void chorale_run::update_clique(std::int32_t number, Worker &worker) noexcept {
  const Clique &clique = model->cliques[number];
  Layout layout(worker.room);
  const bool restricted = !kept.empty() && kept[number].count > 0;
  CliqueProgram program(layout, clique, options.clique, restricted ? &kept[number] : nullptr);
  program.set_room(worker.room + layout.bytes());
  at.to_clique.load(clique.row_place(0), clique.members, clique.columns(), program.incoming);
  if (clique.centred())
    at.to_clique.load(clique.row_place(clique.members), clique.centre_values(),
                      program.incoming + std::int64_t{clique.members} * clique.columns());
  const bool done = program.answer(worker.limits);
  fail(program.failure);
  if (!done) {
    check_limits(worker);
    return;
  }
  ++worker.clique_updates;
  bool changed = false;
  for (std::int32_t i = 0; i < clique.all_members(); ++i) {
    double *row = program.outgoing + std::int64_t{i} * clique.columns();
    if (at.to_chain.store(clique.row_place(i), clique.width(i), row, options.damping)) {
      ++worker.changed;
      changed = true;
      raise(at.chain_needs[model->chain_of(clique, i)], kNeedsUpdate);
    }
  }
  // A damped answer goes only part of the way: the clique answers again in the next round.
  at.clique_needs[number] = changed && options.damping > 0 ? kAnswersLater : 0;
  finish_step();
}

void chorale_run::update_chains() noexcept {
  parallel_for(options.executor, model->chains.size(), kChainGrain,
               [this](std::int64_t i, std::int32_t w) noexcept {
                 if (at.chain_needs[i] != 0 && check_limits(at.workers[w]))
                   update_chain(static_cast<std::int32_t>(i), at.workers[w]);
               });
}

void chorale_run::update_cliques() noexcept {
  parallel_for(options.executor, model->cliques.size(), kCliqueGrain,
               [this](std::int64_t c, std::int32_t w) noexcept {
                 if ((at.clique_needs[c] & kAnswersNow) != 0 && check_limits(at.workers[w]))
                   update_clique(static_cast<std::int32_t>(c), at.workers[w]);
               });
}

// Most members off the commonest value first; of equals the lower number.
void chorale_run::rank_cliques() noexcept {
  const std::int64_t cliques = model->cliques.size();
  parallel_for(options.executor, cliques, kCliqueGrain,
               [this](std::int64_t c, std::int32_t w) noexcept {
                 if (!check_limits(at.workers[w]))
                   return;
                 const Clique &clique = model->cliques[c];
                 auto *counts = reinterpret_cast<std::int64_t *>(at.workers[w].room);
                 count_columns(clique, counts,
                               [&](std::int32_t i) noexcept { return at.now.shown(clique, i); });
                 const std::int64_t most = *std::max_element(counts, counts + clique.columns());
                 at.disagreement[c] = static_cast<std::int32_t>(clique.members - most);
                 at.order[c] = static_cast<std::int32_t>(c);
               });
  if (must_stop())
    return;
  std::sort(at.order, at.order + cliques, [this](std::int32_t a, std::int32_t b) {
    return at.disagreement[a] != at.disagreement[b] ? at.disagreement[a] > at.disagreement[b]
                                                    : a < b;
  });
  finish_step();
}

void chorale_run::update_by_disagreement() noexcept {
  for (; course.place < model->cliques.size(); ++course.place) {
    const std::int32_t number = at.order[course.place];
    if (!course.answered) {
      if (at.clique_needs[number] == 0)
        continue;
      if (check_limits(at.workers[0]))
        update_clique(number, at.workers[0]);
      if (must_stop())
        return;
      course.answered = true;
    }
    const Clique &clique = model->cliques[number];
    std::int64_t count = 0;
    for (std::int32_t i = 0; i < clique.all_members(); ++i)
      if (const std::int32_t chain = model->chain_of(clique, i);
          at.chain_needs[chain] != 0 && (count == 0 || at.gathered[count - 1] != chain))
        at.gathered[count++] = chain;
    std::sort(at.gathered, at.gathered + count);
    count = std::unique(at.gathered, at.gathered + count) - at.gathered;
    parallel_for(options.executor, count, kChainGrain,
                 [this](std::int64_t i, std::int32_t w) noexcept {
                   if (check_limits(at.workers[w]))
                     update_chain(at.gathered[i], at.workers[w]);
                 });
    if (must_stop())
      return;
    course.answered = false;
  }
}

double chorale_run::score_clique(const Assignment &of, std::int64_t number,
                                 const Worker &worker) noexcept {
  auto *counts = reinterpret_cast<std::int64_t *>(worker.room);
  CallbackFailure failed = CallbackFailure::none;
  const double score = score_of_clique(model->cliques[number], of, counts, &failed);
  if (failed != CallbackFailure::none)
    fail(failed == CallbackFailure::stopped ? RunFailure::potential_stopped
                                            : RunFailure::potential_value);
  return score;
}

// Stretch by stretch: what has been added up stays in `of`.
bool chorale_run::evaluate(Assignment &of) noexcept {
  if (course.scored == 0) {
    MeasuredSum chains;
    for (std::int64_t i = 0; i < model->chains.size(); ++i)
      chains.add(of.score[i]);
    of.set_totals(chains, {});
  }
  auto *values = reinterpret_cast<double *>(behind(count_bytes()));
  while (course.scored < model->cliques.size()) {
    if (!check_limits(at.workers[0]))
      return false;
    const std::int64_t first = course.scored;
    std::int64_t end = first;
    for (std::int64_t members = 0;
         end < model->cliques.size() && end - first < kScoredCliques && members < kScoredMembers;
         ++end)
      members += model->cliques[end].members;
    parallel_for(options.executor, end - first, kCliqueGrain,
                 [&](std::int64_t k, std::int32_t w) noexcept {
                   values[k] = score_clique(of, first + k, at.workers[w]);
                 });
    if (failure.load(std::memory_order_relaxed) != RunFailure::none) {
      course.scored = 0;
      return false;
    }
    for (std::int64_t k = 0; k < end - first; ++k) {
      of.clique_total += values[k];
      of.magnitude += magnitude_of(values[k]);
    }
    course.scored = end;
    finish_step();
  }
  course.scored = 0;
  return true;
}

bool chorale_run::offer_now() noexcept {
  if (!evaluate(at.now))
    return false;
  if (at.now.total() > at.best.total()) {
    at.best.copy(at.now);
    best_round = rounds;
  }
  return true;
}

void chorale_run::report_progress() noexcept {
  if (!options.progress)
    return;
  chorale_progress progress{};
  progress.struct_size = sizeof progress;
  progress.round = rounds;
  progress.messages_changed = messages_changed;
  progress.score = at.now.total();
  progress.best_score = at.best.total();
  progress.upper_bound = upper_bound;
  activity.store(Activity::telling, std::memory_order_relaxed);
  if (options.progress(options.progress_user, &progress) != 0)
    stop.store(2, std::memory_order_relaxed);
  activity.store(Activity::working, std::memory_order_relaxed);
}

void chorale_run::take_own(Assignment &of, std::int32_t number) noexcept {
  const Chain &chain = model->chains[number];
  for (std::int32_t t = 0; t < chain.length; ++t)
    of.labels.set(chain.first_label + t, at.own.labels.get(chain.first_label + t));
  for (std::int32_t s = 0; s < chain.wholes(); ++s) {
    const std::int32_t whole = model->whole_of(chain.first_slot + s);
    of.whole[whole] = at.own.whole[whole];
  }
  of.score[number] = at.own.score[number];
}

// Every chain that has to is decoded by itself.
void chorale_run::first_round() noexcept {
  RoundStage &stage = course.round;
  if (stage == RoundStage::none) {
    messages_changed = 0;
    stage = RoundStage::own;
  }
  if (stage == RoundStage::own) {
    update_chains();
    add_up();
    if (must_stop())
      return;
    stage = RoundStage::own_score;
  }
  if (stage == RoundStage::own_score) {
    if (!evaluate(at.own))
      return;
    own_score = at.own.total();
    infeasible = at.own.chain_total == kForbidden;
    // What is there already is from an earlier run, or from before some scores changed.
    if (std::exchange(fill_in_own, false)) {
      for (std::int32_t i = 0; i < model->chains.size(); ++i)
        if (at.best.score[i] == kForbidden)
          take_own(at.best, i);
    }
    stage = RoundStage::kept_score;
  }
  if (stage == RoundStage::kept_score) {
    if (has_labelling && !evaluate(at.best))
      return;
    if (!has_labelling || own_score >= at.best.total()) {
      at.best.copy(at.own);
      best_round = 0;
    }
    has_labelling = !infeasible;
    rounds_score = infeasible ? rounds_score : own_score;
    stage = infeasible ? RoundStage::none : RoundStage::own_offer;
  }
  if (stage == RoundStage::own_offer) {
    if (!offer_now())
      return;
    rounds_score = std::max(rounds_score, at.now.total());
    stage = RoundStage::none;
    pending = false;
    report_progress();
  }
  pending = false;
}

void chorale_run::drop_round() noexcept {
  course.round = RoundStage::none;
  course.scored = 0;
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    at.clique_needs[c] = at.clique_needs[c] != 0 ? kAnswersNow : 0;
}

// After the last chain of a round: the verdict on its labelling. False where the call must end.
bool chorale_run::end_round() noexcept {
  ++rounds;
  if (!offer_now()) {
    --rounds; // not done yet
    return false;
  }
  drop_round();
  converged = std::find(at.clique_needs, at.clique_needs + model->cliques.size(), kAnswersNow) ==
              at.clique_needs + model->cliques.size();
  rounds_score = std::max(rounds_score, at.now.total());
  if (course.rounds_left > 0)
    --course.rounds_left;
  report_progress();
  return !must_stop();
}

bool chorale_run::step() noexcept {
  RoundStage &stage = course.round;
  if (stage == RoundStage::none) {
    if (!pending && (infeasible || converged))
      return !infeasible;
    is_polished = false;
    course.polish = {};
    course.repair = {};
    course.dual = {};
  }
  if (pending) {
    choose_unit();
    first_round();
    return !must_stop() && !infeasible;
  }
  if (stage == RoundStage::none) {
    messages_changed = 0;
    zero_messages = false;
    stage = options.schedule == CHORALE_SCHEDULE_ALL ? RoundStage::cliques : RoundStage::rank;
  }
  if (stage == RoundStage::cliques) {
    update_cliques();
    if (!must_stop())
      stage = RoundStage::chains;
  }
  if (stage == RoundStage::chains) {
    update_chains();
    if (!must_stop())
      stage = RoundStage::offer;
  }
  if (stage == RoundStage::rank) {
    rank_cliques();
    course.place = 0;
    course.answered = false;
    if (!must_stop())
      stage = RoundStage::ranked;
  }
  if (stage == RoundStage::ranked) {
    update_by_disagreement();
    if (!must_stop())
      stage = RoundStage::offer;
  }
  add_up();
  return stage == RoundStage::offer && end_round();
}

void chorale_run::solve() noexcept {
  if (!course.solving) {
    course.solving = true;
    course.rounds_left = options.rounds;
  }
  while (pending || course.round != RoundStage::none || (course.rounds_left > 0 && !converged))
    if (!step()) {
      course.solving = must_stop();
      return;
    }
  if (course.dual.stage == DualStage::none) {
    if (options.polish && !is_polished)
      polish();
    if (!must_stop())
      repair();
  }
  if (options.bound_steps > 0 && !must_stop())
    tighten(options.bound_steps);
  course.solving = must_stop();
}
