// Message rounds and the evaluation of equation 1.
//
// Chains write what cliques read and the other way round, each in a loop of its own; a loop's steps
// write to rows and places of their own, and flags of the other side are only ever raised.
#include "cluster/run.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kChainGrain = 16;
constexpr std::int64_t kCliqueGrain = 4;

void raise(std::uint8_t &flags, std::uint8_t bits) noexcept {
  std::atomic_ref<std::uint8_t> shared(flags);
  if ((shared.load(std::memory_order_relaxed) & bits) != bits)
    shared.fetch_or(bits, std::memory_order_relaxed);
}

} // namespace
} // namespace chorale

using namespace chorale;

void chorale_run::begin_call() noexcept {
  stop.store(0, std::memory_order_relaxed);
  failure.store(RunFailure::none, std::memory_order_relaxed);
  used_up = false;
  const Limits limits(options.time_limit, options.cancel);
  for (std::int32_t w = 0; w < options.executor.workers; ++w)
    at.workers[w].limits = limits;
}

// Whether to go on.
bool chorale_run::check_limits(Worker &worker) noexcept {
  if (must_stop())
    return false;
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
  ++worker.chain_updates;

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
        raise(at.clique_needs[program.slots()[s].clique], 1);
  }
  at.chain_needs[number] = 0;
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
  // A damped answer has some way to go yet.
  at.clique_needs[number] = changed && options.damping > 0 ? 1 : 0;
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
                 if (at.clique_needs[c] != 0 && check_limits(at.workers[w]))
                   update_clique(static_cast<std::int32_t>(c), at.workers[w]);
               });
}

// Most members off the commonest value first; of equals the lower number.
void chorale_run::rank_cliques() noexcept {
  const std::int64_t cliques = model->cliques.size();
  parallel_for(options.executor, cliques, kCliqueGrain,
               [this](std::int64_t c, std::int32_t w) noexcept {
                 const Clique &clique = model->cliques[c];
                 auto *counts = reinterpret_cast<std::int64_t *>(at.workers[w].room);
                 count_columns(clique, counts,
                               [&](std::int32_t i) noexcept { return at.now.shown(clique, i); });
                 const std::int64_t most = *std::max_element(counts, counts + clique.columns());
                 at.disagreement[c] = static_cast<std::int32_t>(clique.members - most);
                 at.order[c] = static_cast<std::int32_t>(c);
               });
  std::sort(at.order, at.order + cliques, [this](std::int32_t a, std::int32_t b) {
    return at.disagreement[a] != at.disagreement[b] ? at.disagreement[a] > at.disagreement[b]
                                                    : a < b;
  });
}

void chorale_run::update_by_disagreement() noexcept {
  rank_cliques();
  for (std::int64_t k = 0; k < model->cliques.size() && !must_stop(); ++k) {
    const std::int32_t number = at.order[k];
    if (at.clique_needs[number] == 0 || !check_limits(at.workers[0]))
      continue;
    update_clique(number, at.workers[0]);
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
  }
}

void chorale_run::evaluate(Assignment &of) noexcept {
  of.chain_total = 0;
  for (std::int64_t i = 0; i < model->chains.size(); ++i)
    of.chain_total += of.score[i];
  // Programs are at rest, but for the counts of a clique.
  auto *clique_value = reinterpret_cast<double *>(behind(count_bytes()));
  parallel_for(options.executor, model->cliques.size(), kCliqueGrain,
               [&](std::int64_t c, std::int32_t w) noexcept {
                 const Clique &clique = model->cliques[c];
                 auto *counts = reinterpret_cast<std::int64_t *>(at.workers[w].room);
                 CallbackFailure failed = CallbackFailure::none;
                 clique_value[c] = score_of_clique(clique, of, counts, &failed);
                 if (failed != CallbackFailure::none)
                   fail(failed == CallbackFailure::stopped ? RunFailure::potential_stopped
                                                           : RunFailure::potential_value);
               });
  of.clique_total = 0;
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    of.clique_total += clique_value[c];
}

void chorale_run::offer_now() noexcept {
  evaluate(at.now);
  if (failure.load(std::memory_order_relaxed) == RunFailure::none &&
      at.now.total() > at.best.total()) {
    at.best.copy(at.now);
    best_round = rounds;
  }
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
  if (options.progress(options.progress_user, &progress) != 0)
    stop.store(2, std::memory_order_relaxed);
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
  update_chains();
  add_up();
  if (must_stop())
    return;
  evaluate(at.own);
  if (must_stop())
    return;
  own_score = at.own.total();
  infeasible = at.own.chain_total == kForbidden;
  // What is there already is from an earlier run, or from before some scores changed.
  if (std::exchange(fill_in_own, false)) {
    for (std::int32_t i = 0; i < model->chains.size(); ++i)
      if (at.best.score[i] == kForbidden)
        take_own(at.best, i);
  }
  if (has_labelling)
    evaluate(at.best);
  if (!has_labelling || own_score >= at.best.total()) {
    at.best.copy(at.own);
    best_round = 0;
  }
  has_labelling = !infeasible;
  pending = false;
  if (infeasible)
    return;
  rounds_score = own_score;
  offer_now();
  rounds_score = std::max(rounds_score, at.now.total());
  report_progress();
}

bool chorale_run::step() noexcept {
  if (pending) {
    messages_changed = 0;
    is_polished = false;
    first_round();
    return !must_stop() && !infeasible;
  }
  if (infeasible || converged)
    return !infeasible;
  messages_changed = 0;
  is_polished = false;
  if (options.schedule == CHORALE_SCHEDULE_ALL) {
    update_cliques();
    zero_messages = false;
    if (!must_stop())
      update_chains();
  } else {
    zero_messages = false;
    update_by_disagreement();
  }
  add_up();
  if (must_stop())
    return false;
  ++rounds;
  converged = std::find(at.clique_needs, at.clique_needs + model->cliques.size(), 1) ==
              at.clique_needs + model->cliques.size();
  offer_now();
  rounds_score = std::max(rounds_score, at.now.total());
  report_progress();
  return !must_stop();
}

void chorale_run::solve() noexcept {
  std::int64_t left = options.rounds;
  while (pending || (left > 0 && !converged)) {
    left -= pending ? 0 : 1;
    if (!step())
      return;
  }
  used_up = !converged;
  if (options.polish && !is_polished)
    polish();
  if (options.bound_steps > 0 && !must_stop())
    tighten(options.bound_steps);
}
