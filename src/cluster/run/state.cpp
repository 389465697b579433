// state.hpp explains the words used here.
#include "cluster/run/state.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace chorale {

DualState::DualState(Layout &layout, const Model &model) noexcept
    : multipliers(layout.take<double>(model.message_count)),
      bounds(layout.take<double>(model.cliques.size() + model.chains.size())),
      by_chain(layout.take<std::int32_t>(model.members.size())),
      by_clique(layout.take<std::int32_t>(model.members.size())) {}

PartScores::PartScores(Layout &layout, const Model &model) noexcept
    : kept(layout.take<double>(2 * std::int64_t{model.parts.count()})),
      offered(kept ? kept + model.parts.count() : nullptr) {}

Ranking::Ranking(Layout &layout, const Model &model) noexcept
    : order(layout.take<std::int32_t>(model.cliques.size())),
      disagreement(layout.take<std::int32_t>(model.cliques.size())) {
  std::int32_t members = 0;
  for (const Clique &clique : model.cliques)
    members = std::max(members, clique.all_members());
  gathered = layout.take<std::int32_t>(members);
}

// In a model of items alone, the phi of an item is one of its unary scores, so the assignments read
// the inputs and store no scores. A run with edits stores all scores, because it sums single terms
// again.
RunState::RunState(Layout &layout, const Model &model, const RunOptions &options,
                   const Inputs &inputs) noexcept
    : own(layout, model, model.items_alone && !options.edits ? &inputs : nullptr),
      best(layout, model, model.items_alone && !options.edits ? &inputs : nullptr),
      now(layout, model, model.items_alone && !options.edits ? &inputs : nullptr),
      to_chain(layout, model.message_count, model.members.size(), options.messages),
      to_clique(layout, model.message_count, model.members.size(), options.messages),
      chain_needs(layout.take<std::uint8_t>(model.chains.size())),
      clique_needs(layout.take<std::uint8_t>(model.cliques.size())) {
  if (options.schedule == CHORALE_SCHEDULE_DISAGREEMENT)
    ranking = Ranking(layout, model);
  if (options.bound_steps > 0)
    dual = DualState(layout, model);
  if (options.edits)
    if (const EditState made(layout, model); auto *place = layout.take<EditState>(1))
      edits = new (place) EditState(made);
  if (model.parts.count() > 1)
    parts = PartScores(layout, model);
}

EditState::EditState(Layout &layout, const Model &model) noexcept
    : counts(layout, model), own_counts(layout, model),
      clique_score(layout.take<double>(model.cliques.size())),
      own_clique_score(layout.take<double>(model.cliques.size())),
      chain_sums(layout, model.chains.size()), clique_sums(layout, model.cliques.size()),
      own_chain_sums(layout, model.chains.size()), own_clique_sums(layout, model.cliques.size()),
      chains(layout, model.chains.size()), cliques(layout, model.cliques.size()),
      queue(layout.take<std::int32_t>(model.chains.size())),
      queued(layout.take<std::uint8_t>(model.chains.size())), capacity(model.chains.size()),
      touched(layout, model.chains.size()),
      touched_cliques(layout, model.cliques.size()), sending(layout, model.chains.size()),
      answering(layout, model.cliques.size()), reached(layout, model.chains.size()) {
  std::int32_t widest = 1;
  for (const Clique &clique : model.cliques)
    widest = std::max({widest, clique.columns(), clique.centre_values()});
  counted = layout.take<std::int64_t>(widest);
  varied = layout.take<std::int64_t>(widest);
  row_before = layout.take<double>(widest);
  row_after = layout.take<double>(widest);
}

void EditState::empty_queue() noexcept {
  for (; waiting > 0; --waiting) {
    queued[queue[head]] = 0;
    head = (head + 1) % capacity;
  }
}

void EditState::leave() noexcept {
  settled = false;
  settling = edited_members = 0;
  empty_queue();
  stage = EditStage::none;
  for (WorkList *list : {&chains, &cliques, &touched, &touched_cliques, &sending, &answering,
                         &reached, &chain_sums.stale, &clique_sums.stale, &own_chain_sums.stale,
                         &own_clique_sums.stale})
    list->clear();
}

void EditState::clear(const Model &model) noexcept {
  if (!queue)
    return;
  const std::int64_t of_chains = model.chains.size();
  const std::int64_t of_cliques = model.cliques.size();
  const auto empty = [](WorkList &list, std::int64_t limit) {
    std::fill_n(list.has, limit, std::uint8_t{0});
    list.count = 0;
  };
  for (WorkList *list : {&chains, &touched, &sending, &reached})
    empty(*list, of_chains);
  for (WorkList *list : {&cliques, &touched_cliques, &answering})
    empty(*list, of_cliques);
  for (Sums *sums : {&chain_sums, &own_chain_sums})
    empty(sums->stale, BlockedSum::blocks(of_chains));
  for (Sums *sums : {&clique_sums, &own_clique_sums})
    empty(sums->stale, BlockedSum::blocks(of_cliques));
  std::fill_n(queued, of_chains, std::uint8_t{0});
  waiting = head = 0;
  leave();
}

MeasuredSum EditState::Sums::total(const double *terms, std::int64_t count) noexcept {
  for (std::int64_t k = 0; k < stale.count; ++k) {
    const std::int64_t begin = stale.items[k] * BlockedSum::kBlock;
    MeasuredSum sum;
    for (std::int64_t i = begin; i < std::min(begin + BlockedSum::kBlock, count); ++i)
      sum.add(terms[i]);
    block[stale.items[k]] = sum;
  }
  stale.clear();
  MeasuredSum all;
  for (std::int64_t b = 0; b < BlockedSum::blocks(count); ++b)
    all += block[b];
  return all;
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
  // All cliques are flagged below. Items alone send no messages, so they need no kNeedsUpdate.
  std::fill_n(chain_needs, model.chains.size(), kNeedsOwn);
  for (std::int64_t i = 0; !model.items_alone && i < model.chains.size(); ++i) {
    const Chain chain = model.chains[i];
    if (chain.slots > 0 && !model.is_closed(chain))
      chain_needs[i] = kNeedsOwn | kNeedsUpdate;
  }
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    clique_needs[c] = model.cliques[c].all_members() > 0 ? kAnswersNow : 0;
  for (Assignment *assignment : {&own, &best, &now}) {
    assignment->labels.clear(); // the hash covers unused bytes between chains too
    assignment->set_totals({kForbidden, 0}, {});
  }
  standing = {};
  tally = {};
  dual.progress = {};
  course = {};
  parts.known = false;
  if (edits)
    edits->clear(model);
}

void RunState::take_over(const Model &model, const RunState &earlier) noexcept {
  own.copy(earlier.own);
  best.copy(earlier.best);
  now.copy(earlier.now);
  std::copy_n(earlier.chain_needs, model.chains.size(), chain_needs);
  std::copy_n(earlier.clique_needs, model.cliques.size(), clique_needs);
  standing = earlier.standing;
  parts.known = false;
  leave_round(model);
}

void RunState::leave_round(const Model &model) noexcept {
  course.round = {};
  course.scored = 0;
  course.offer = OfferStage::scores;
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    clique_needs[c] = clique_needs[c] != 0 ? kAnswersNow : 0;
}

void RunState::go_on_from_best(const Model &model) noexcept {
  best.set_totals({kForbidden, 0}, {});
  if (!standing.has_labelling)
    now.copy(best); // only until round 0 fills `now`
  standing.pending = standing.fill_in_own = standing.has_labelling = true;
  standing.is_polished = false;
  leave_round(model);
  course = {};
  parts.known = false;
}

void RunState::replaced_scores(const Model &model) noexcept {
  replaced_inputs();
  leave_round(model);
}

void RunState::replaced_inputs() noexcept {
  course = {};
  parts.known = false;
  standing.pending = true;
  standing.converged = standing.infeasible = standing.is_polished = false;
  standing.alternation = {};
  standing.upper_bound = kInfinity;
  dual.progress = {.started = dual.progress.started};
}

} // namespace chorale
