#include "cluster/run/state.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

DualState::DualState(Layout &layout, const Model &model) noexcept
    : multipliers(layout.take<double>(model.message_count)),
      bounds(layout.take<double>(model.cliques.size() + model.chains.size())),
      by_chain(layout.take<std::int32_t>(model.members.size())),
      by_clique(layout.take<std::int32_t>(model.members.size())) {}

Ranking::Ranking(Layout &layout, const Model &model) noexcept
    : order(layout.take<std::int32_t>(model.cliques.size())),
      disagreement(layout.take<std::int32_t>(model.cliques.size())) {
  std::int32_t members = 0;
  for (const Clique &clique : model.cliques)
    members = std::max(members, clique.all_members());
  gathered = layout.take<std::int32_t>(members);
}

RunState::RunState(Layout &layout, const Model &model, const RunOptions &options) noexcept
    : own(layout, model), best(layout, model), now(layout, model),
      to_chain(layout, model.message_count, model.members.size(), options.messages),
      to_clique(layout, model.message_count, model.members.size(), options.messages),
      chain_needs(layout.take<std::uint8_t>(model.chains.size())),
      clique_needs(layout.take<std::uint8_t>(model.cliques.size())) {
  if (options.schedule == CHORALE_SCHEDULE_DISAGREEMENT)
    ranking = Ranking(layout, model);
  if (options.bound_steps > 0)
    dual = DualState(layout, model);
}

void Alternation::add(std::uint64_t labelling_hash) noexcept {
  std::copy_backward(last_, last_ + 3, last_ + 4);
  last_[0] = std::max<std::uint64_t>(labelling_hash, 1);
  found = last_[0] != last_[1] && last_[0] == last_[2] && last_[1] == last_[3];
}

void Tally::take(gsl::span<Worker> workers) noexcept {
  for (Worker &worker : workers) {
    chain_updates += std::exchange(worker.chain_updates, 0);
    clique_updates += std::exchange(worker.clique_updates, 0);
    messages_changed += std::exchange(worker.messages_changed, 0);
  }
}

void RunState::reset(const Model &model) noexcept {
  to_chain.clear();
  to_clique.clear();
  for (std::int64_t i = 0; i < model.chains.size(); ++i)
    chain_needs[i] =
        static_cast<std::uint8_t>(kNeedsOwn | (model.chains[i].slots > 0 ? kNeedsUpdate : 0));
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    clique_needs[c] = model.cliques[c].all_members() > 0 ? kAnswersNow : 0;
  for (Assignment *assignment : {&own, &best, &now}) {
    assignment->labels.clear(); // the hash of a labelling reads gaps between chains too
    assignment->set_totals({kForbidden, 0}, {});
  }
  standing = {};
  tally = {};
  dual.progress = {};
  course = {};
}

void RunState::take_over(const Model &model, const RunState &earlier) noexcept {
  own.copy(earlier.own);
  best.copy(earlier.best);
  now.copy(earlier.now);
  std::copy_n(earlier.chain_needs, model.chains.size(), chain_needs);
  std::copy_n(earlier.clique_needs, model.cliques.size(), clique_needs);
  standing = earlier.standing;
  leave_round(model);
}

void RunState::leave_round(const Model &model) noexcept {
  course.round = {};
  course.scored = 0;
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    clique_needs[c] = clique_needs[c] != 0 ? kAnswersNow : 0;
}

void RunState::go_on_from_best(const Model &model) noexcept {
  best.set_totals({kForbidden, 0}, {});
  if (!standing.has_labelling)
    now.copy(best); // a placeholder until round 0 fills `now`
  standing.pending = standing.fill_in_own = standing.has_labelling = true;
  standing.is_polished = false;
  leave_round(model);
  course = {};
}

void RunState::replaced_scores(const Model &model) noexcept {
  standing.pending = true;
  standing.converged = standing.infeasible = standing.is_polished = false;
  standing.alternation = {};
  standing.upper_bound = kInfinity;
  dual.progress = {.started = dual.progress.started};
  leave_round(model);
  course = {};
}

} // namespace chorale
