#include "cluster/run/evaluation.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kGrain = 4;
// Greatest numbers of cliques and of their members scored between two checks of the limits.
constexpr std::int64_t kScoredCliques = 1024;
constexpr std::int64_t kScoredMembers = 1 << 17;

} // namespace

double score_of_clique(const Clique &clique, double strength, const Assignment &of,
                       std::int64_t *counts, CallbackFailure *failure) noexcept {
  *failure = CallbackFailure::none;
  count_columns(clique, counts, [&](std::int32_t i) noexcept { return of.shown(clique, i); });
  const std::int32_t centre = clique.centred() ? of.shown(clique, clique.members) : 0;
  return clique_score(clique, strength, counts, centre, failure);
}

std::size_t scored_bytes(const Model &model) noexcept {
  return static_cast<std::size_t>(std::min(model.cliques.size(), kScoredCliques)) * sizeof(double);
}

double Evaluation::score_clique(const Assignment &of, std::int64_t number,
                                std::int32_t worker) noexcept {
  auto *counts = reinterpret_cast<std::int64_t *>(setting_.worker(worker).room);
  CallbackFailure failed = CallbackFailure::none;
  const double score = score_of_clique(
      setting_.model.cliques[number], setting_.inputs.strength(number), of, counts, &failed);
  setting_.call.fail(failed);
  return score;
}

// Scores cliques in batches. The course holds the partial sum between calls.
bool Evaluation::evaluate(Assignment &of) noexcept {
  const Model &model = setting_.model;
  std::int64_t &scored = state_.course.scored;
  if (scored == 0)
    state_.course.scored_sum = {};
  auto *values = reinterpret_cast<double *>(setting_.rooms.behind(setting_.rooms.bytes().counts));
  while (scored < model.cliques.size()) {
    if (!setting_.check(0))
      return false;
    const std::int64_t first = scored;
    std::int64_t end = first;
    for (std::int64_t members = 0;
         end < model.cliques.size() && end - first < kScoredCliques && members < kScoredMembers;
         ++end)
      members += model.cliques[end].members;
    setting_.each(end - first, kGrain, [&](std::int64_t k, std::int32_t w) noexcept {
      values[k] = score_clique(of, first + k, w);
    });
    if (setting_.call.failed()) {
      scored = 0;
      return false;
    }
    for (std::int64_t k = 0; k < end - first; ++k)
      state_.course.scored_sum.add(values[k]);
    scored = end;
    setting_.call.finish_step();
  }
  scored = 0;
  BlockedSum chains;
  for (std::int64_t i = 0; i < model.chains.size(); ++i)
    chains.add(of.score[i]);
  of.set_totals(chains.sum(), state_.course.scored_sum.sum());
  return true;
}

void Evaluation::take(std::int64_t round) noexcept {
  if (state_.now.total() > state_.best.total()) {
    state_.best.copy(state_.now);
    state_.standing.best_round = round;
  }
}

bool Evaluation::offer() noexcept {
  if (!evaluate(state_.now))
    return false;
  take(state_.tally.rounds);
  return true;
}

void Evaluation::offer_at_once(std::int64_t round) noexcept {
  const Model &model = setting_.model;
  BlockedSum chains;
  BlockedSum cliques;
  for (std::int64_t i = 0; i < model.chains.size(); ++i)
    chains.add(state_.now.score[i]);
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    cliques.add(score_clique(state_.now, c, 0));
  state_.now.set_totals(chains.sum(), cliques.sum());
  if (!setting_.call.failed())
    take(round);
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
