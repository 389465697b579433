#include "cluster/run/evaluation.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kGrain = 4;
// Cliques are scored in batches, with a check of the limits before each batch. A batch ends after
// kScoredCliques cliques, or earlier when its cliques together have at least kScoredMembers
// members.
constexpr std::int64_t kScoredCliques = 1024;
constexpr std::int64_t kScoredMembers = 1 << 17;

} // namespace

double score_of_clique(const Clique &clique, double strength, const Assignment &of,
                       gsl::span<std::int64_t> counts, CallbackFailure *failure) noexcept {
  *failure = CallbackFailure::none;
  count_columns(clique, counts, [&](std::int32_t i) noexcept { return of.shown(clique, i); });
  return clique_score(clique, strength, counts, of.centre(clique), failure);
}

std::size_t scored_bytes(const Model &model) noexcept {
  Layout layout;
  layout.take<double>(std::min(model.cliques.size(), kScoredCliques));
  return layout.bytes();
}

double Evaluation::score_clique(const Assignment &of, std::int64_t number,
                                std::int32_t worker) noexcept {
  const Clique clique = setting_.inputs.clique(number);
  Layout layout(setting_.worker(worker).room);
  const auto counts = layout.take_span<std::int64_t>(clique.columns());
  CallbackFailure failed = CallbackFailure::none;
  const double score =
      score_of_clique(clique, setting_.inputs.strength(number), of, counts, &failed);
  setting_.call.fail(RunFailure::of(failed, clique));
  return score;
}

// Evaluates the labelling in which each part p of the model (parts.hpp) is labelled as in the
// assignment choose(p), and writes the sums to `totals`. Scores cliques in batches; Course holds
// the partial sum between calls. `part_scores`: receives equation 1 of each part; may be empty.
// False if the call must end.
template <class Choose>
bool Evaluation::evaluate(Choose &&choose, gsl::span<double> part_scores, Totals &totals) noexcept {
  const Model &model = setting_.model;
  double *by_part = part_scores.data();
  std::int64_t &scored = state_.course.scored;
  BlockedSum &sum = state_.course.scored_sum;
  if (scored == 0) {
    sum = {};
    if (by_part)
      std::fill_n(by_part, model.parts.count(), 0.0);
  }
  Layout layout(setting_.rooms.behind(setting_.rooms.bytes().counts));
  auto *values = layout.take<double>(std::min(model.cliques.size(), kScoredCliques));
  while (scored < model.cliques.size() && !setting_.call.failed()) {
    if (!ignores_limits_ && !setting_.check(0))
      return false;
    const std::int64_t first = scored;
    std::int64_t end = first;
    for (std::int64_t members = 0;
         end < model.cliques.size() && end - first < kScoredCliques && members < kScoredMembers;
         ++end)
      members += model.cliques[end].members;
    setting_.each(end - first, kGrain, [&](std::int64_t k, std::int32_t w) noexcept {
      values[k] = score_clique(choose(model.part_of_clique(first + k)), first + k, w);
    });
    for (; scored < end; ++scored) {
      const double value = values[scored - first];
      sum.add(value);
      if (by_part)
        by_part[model.part_of_clique(scored)] += value;
    }
    setting_.call.finish_step();
  }
  scored = 0;
  if (setting_.call.failed())
    return false;
  BlockedSum chains;
  const bool is_partial = state_.own.is_partial;
  for (std::int32_t i = 0; i < model.chains.size(); ++i) {
    const std::int32_t part = model.parts.of(i);
    const double value = choose(part).phi(i);
    if (is_partial && state_.own.phi(i) == kForbidden)
      continue; // the chain is left out
    chains.add(value);
    if (by_part)
      by_part[part] += value;
  }
  totals = {chains.sum(), sum.sum()};
  return true;
}

bool Evaluation::evaluate(Assignment &of, gsl::span<double> by_part) noexcept {
  Totals totals;
  if (!evaluate([&](std::int32_t) -> const Assignment & { return of; }, by_part, totals))
    return false;
  of.set_totals(totals.chains, totals.cliques);
  return true;
}

bool Evaluation::offer(Assignment &of, std::int64_t round) noexcept {
  OfferStage &stage = state_.course.offer;
  if (stage == OfferStage::scores) {
    if (!evaluate(of, state_.parts.offered))
      return false;
    stage = OfferStage::kept;
  }
  if (stage == OfferStage::kept && !state_.standing.has_labelling) {
    keep_all(of, round);
    stage = OfferStage::scores;
    return true;
  }
  if (stage == OfferStage::kept) {
    if (!state_.parts.known && !evaluate(state_.best, state_.parts.kept))
      return false;
    state_.parts.known = true;
    stage = OfferStage::take;
  }
  if (!take(of, round))
    return false;
  stage = OfferStage::scores;
  return true;
}

// Copies to `best` the parts in which the evaluated labelling `from` is better. False if the call
// must end.
bool Evaluation::take(const Assignment &from, std::int64_t round) noexcept {
  const Model &model = setting_.model;
  Assignment &best = state_.best;
  double *const kept = state_.parts.kept.data();
  const double *const offered = state_.parts.offered.data();
  // If scores are equal, `own` (the labelling without messages) replaces `best`, and any other
  // labelling does not.
  const auto is_better = [&](double score, double before) {
    return &from == &state_.own ? score >= before : score > before;
  };
  if (model.parts.count() == 1) {
    if (is_better(from.total(), best.total()))
      keep_all(from, round);
    return true;
  }
  const auto takes = [&](std::int32_t part) { return is_better(offered[part], kept[part]); };
  std::int32_t better = 0;
  std::int32_t worse = 0;
  for (std::int32_t p = 0; p < model.parts.count(); ++p) {
    better += takes(p) ? 1 : 0;
    worse += offered[p] < kept[p] ? 1 : 0;
  }
  if (better == 0)
    return true;
  if (worse == 0) {
    keep_all(from, round);
    return true;
  }
  Totals totals;
  if (!evaluate([&](std::int32_t p) -> const Assignment & { return takes(p) ? from : best; }, {},
                totals))
    return false;
  for (std::int32_t i = 0; i < model.chains.size(); ++i)
    if (takes(model.parts.of(i)))
      best.take_chain(i, from);
  for (std::int32_t p = 0; p < model.parts.count(); ++p)
    kept[p] = takes(p) ? offered[p] : kept[p];
  best.set_totals(totals.chains, totals.cliques);
  state_.standing.best_round = round;
  return true;
}

// Copies all of the evaluated labelling `from` to `best`.
void Evaluation::keep_all(const Assignment &from, std::int64_t round) noexcept {
  state_.best.copy(from);
  const gsl::span<const double> offered = state_.parts.offered;
  std::copy_n(offered.data(), offered.size(), state_.parts.kept.data());
  state_.parts.known = true;
  state_.standing.best_round = round;
}

bool Evaluation::offer_in_full(Assignment &of, std::int64_t round) noexcept {
  ignores_limits_ = true;
  const bool done = offer(of, round);
  ignores_limits_ = false;
  return done;
}

void Evaluation::renew_best(std::int64_t round) noexcept {
  ignores_limits_ = true;
  state_.parts.known = evaluate(state_.best, state_.parts.kept);
  ignores_limits_ = false;
  state_.standing.best_round = round;
}

void Evaluation::report_progress() noexcept {
  const RunOptions &options = setting_.options;
  if (!options.progress)
    return;
  Call &call = setting_.call;
  chorale_progress progress{};
  progress.struct_size = sizeof progress;
  progress.round = state_.tally.rounds;
  progress.messages_changed = state_.tally.messages_changed;
  progress.score = state_.now.total();
  progress.best_score = state_.best.total();
  progress.upper_bound = state_.standing.upper_bound;
  call.activity.store(Activity::telling, std::memory_order_relaxed);
  if (options.progress(options.progress_user, &progress) != 0)
    call.cancel();
  call.activity.store(Activity::working, std::memory_order_relaxed);
}

} // namespace chorale
