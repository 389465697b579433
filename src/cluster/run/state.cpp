// state.hpp explains the words used here.
#include "cluster/run/state.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace chorale {
namespace {

// Constructs a State in the memory of the layout. Returns NULL if the layout only measures memory.
template <class State> State *place_state(Layout &layout, const Model &model) noexcept {
  const State made(layout, model);
  auto *place = layout.take<State>(1);
  return place ? new (place) State(made) : nullptr;
}

} // namespace

DualState::DualState(Layout &layout, const Model &model) noexcept
    : multipliers(layout.take_span<double>(model.message_count)),
      clique_bounds(layout.take_span<double>(model.cliques.size())),
      chain_bounds(layout.take_span<double>(model.chains.size())),
      by_chain(layout.take_span<std::int32_t>(model.members.size())),
      by_clique(layout.take_span<std::int32_t>(model.members.size())) {}

RunState::RunState(Layout &layout, const Model &model, const RunOptions &options) noexcept
    : own(layout, model), best(layout, model), now(layout, model),
      to_chain(layout, model.message_count, options.messages),
      to_clique(layout, model.message_count, options.messages),
      chain_needs(layout.take_span<std::uint8_t>(model.chains.size())),
      clique_needs(layout.take_span<std::uint8_t>(model.cliques.size())) {
  bool may_forbid = false;
  for (const Clique &clique : model.cliques)
    may_forbid = may_forbid || (!clique.closed() && clique.may_forbid_some());
  set_aside_by = layout.take_span<std::int32_t>(may_forbid ? model.chains.size() : 0);
  if (options.bound_steps > 0)
    dual = place_state<DualState>(layout, model);
  if (options.edits)
    edits = place_state<EditState>(layout, model);
  if (model.parts.count() > 1)
    for (gsl::span<double> *scores : {&parts.kept, &parts.offered})
      *scores = layout.take_span<double>(model.parts.count());
}

EditState::EditState(Layout &layout, const Model &model) noexcept
    : counts(layout, model), own_counts(layout, model),
      clique_score(layout.take_span<double>(model.cliques.size())),
      own_clique_score(layout.take_span<double>(model.cliques.size())),
      chain_sums(layout, model.chains.size()), clique_sums(layout, model.cliques.size()),
      own_chain_sums(layout, model.chains.size()), own_clique_sums(layout, model.cliques.size()),
      chains(layout, model.chains.size()), cliques(layout, model.cliques.size()),
      queue(layout, model.chains.size(), model.chains.size()),
      counted(layout.take_span<std::int64_t>(model.most_columns)),
      touched(layout, model.chains.size()), touched_cliques(layout, model.cliques.size()),
      sending(layout, model.chains.size()), answering(layout, model.cliques.size()),
      reached(layout, model.chains.size()) {}

void EditState::leave() noexcept {
  settled = false;
  edited_members = 0;
  queue.clear();
  stage = EditStage::none;
  each_list([](WorkList &list) { list.clear(); });
}

void EditState::initialise() noexcept {
  each_list([](WorkList &list) { list.initialise(); });
  queue.initialise();
  leave();
}

void EditState::Sums::renew(gsl::span<const double> terms, std::int64_t term) noexcept {
  const std::int64_t b = term / BlockedSum::kBlock;
  const std::int64_t end =
      std::min((b + 1) * BlockedSum::kBlock, static_cast<std::int64_t>(terms.size()));
  MeasuredSum sum;
  for (std::int64_t i = b * BlockedSum::kBlock; i < end; ++i)
    sum.add(terms.data()[i]);
  block.data()[b] = sum;
}

MeasuredSum EditState::Sums::total() const noexcept {
  MeasuredSum all;
  for (const MeasuredSum &sum : block)
    all += sum;
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
  std::fill_n(set_aside_by.data(), set_aside_by.size(), -1);
  // All chains get kNeedsOwn; chains that send messages get kNeedsUpdate too. Items in closed cliques,
  // and chains in no clique, send none.
  std::fill_n(chain_needs.data(), chain_needs.size(), kNeedsOwn);
  for (std::int64_t i = 0; !model.items_alone && i < model.chains.size(); ++i) {
    const Chain chain = model.chains[i];
    if (chain.slots > 0 && !model.is_closed(chain))
      chain_needs.data()[i] = kNeedsOwn | kNeedsUpdate;
  }
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    clique_needs.data()[c] = model.cliques[c].all_members() > 0 ? kAnswersNow : 0;
  for (Assignment *assignment : {&own, &best, &now}) {
    assignment->labels.clear();
    assignment->set_totals({kForbidden, 0}, {});
    assignment->is_partial = false;
  }
  standing = {};
  tally = {};
  if (dual)
    dual->progress = {};
  course = {};
  parts.known = false;
  if (edits)
    edits->initialise();
}

void RunState::take_over(const RunState &earlier, const Model &model, Inputs &inputs) noexcept {
  own.copy(earlier.own);
  best.copy(earlier.best);
  now.copy(earlier.now);
  standing = earlier.standing;
  if (standing.left_out > 0)
    leave_out(model, inputs);
  // The flags are copied last: leave_out() flags cliques to be recomputed, but here it only repeats what
  // the earlier run has done.
  std::copy_n(earlier.chain_needs.data(), chain_needs.size(), chain_needs.data());
  std::copy_n(earlier.clique_needs.data(), clique_needs.size(), clique_needs.data());
  std::copy_n(earlier.set_aside_by.data(), set_aside_by.size(), set_aside_by.data());
  parts.known = false;
  leave_round();
}

void RunState::leave_out(const Model &model, Inputs &inputs) noexcept {
  const std::int64_t before = std::exchange(standing.left_out, 0);
  for (std::int32_t i = 0; i < model.chains.size(); ++i)
    standing.left_out += own.phi(i) == kForbidden ? 1 : 0;
  standing.infeasible = standing.left_out > 0 && standing.left_out == model.chains.size();
  for (Assignment *assignment : {&own, &best, &now})
    assignment->is_partial = standing.left_out > 0;
  // The messages of a chain depend on the reach of its cliques (ChainProgram::set_reach), which depends
  // on the number of members that take part.
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const Clique clique = inputs.clique(c);
    const std::int32_t absent = standing.left_out > 0 ? absent_weight(model, clique, own) : 0;
    inputs.set_absent(c, absent);
    const bool has_changed = clique.centred() ? standing.left_out != before : absent != clique.absent;
    for (std::int32_t i = 0; has_changed && i < clique.all_members(); ++i) {
      const std::int32_t chain = model.chain_of(clique, i);
      if (chain_needs.data()[chain] == 0 && own.phi(chain) > kForbidden && !clique.closed())
        chain_needs.data()[chain] = kNeedsOwn | kNeedsUpdate | kSendsAgain;
    }
  }
  inputs.use_absent(standing.left_out > 0);
  // The messages of a clique depend on the number of members that take part, too.
  for (std::int64_t c = 0; c < model.cliques.size(); ++c)
    clique_needs.data()[c] = model.cliques[c].all_members() > 0 ? kAnswersNow : 0;
}

void RunState::set_aside(const Model &model, Inputs &inputs) noexcept {
  leave_edits();
  for (std::int32_t i = 0; i < model.chains.size(); ++i)
    if (is_aside(i))
      for (Assignment *assignment : {&own, &best, &now}) {
        assignment->take_chain(i, own);
        assignment->set_aside(i);
      }
  leave_out(model, inputs);
  go_on_from_best();
  standing.converged = false;
  standing.has_aside = true;
  standing.best_round = tally.rounds = 0;
}

void RunState::take_back_aside() noexcept {
  if (!std::exchange(standing.has_aside, false))
    return;
  for (std::size_t i = 0; i < set_aside_by.size(); ++i)
    if (set_aside_by.data()[i] >= 0)
      chain_needs.data()[i] = kNeedsOwn | kNeedsUpdate;
}

void RunState::leave_round() noexcept {
  course.round = {};
  course.scored = 0;
  course.offer = OfferStage::scores;
  std::transform(clique_needs.data(), clique_needs.data() + clique_needs.size(),
                 clique_needs.data(),
                 [](std::uint8_t needs) { return needs != 0 ? kAnswersNow : std::uint8_t{0}; });
}

void RunState::go_on_from_best() noexcept {
  best.set_totals({kForbidden, 0}, {});
  if (!standing.has_labelling)
    now.copy(best); // only until round 0 fills `now`
  standing.pending = standing.fill_in_own = standing.has_labelling = true;
  standing.is_polished = standing.is_regrouped = false;
  leave_round();
  course = {};
  parts.known = false;
}

void RunState::replaced_scores() noexcept {
  take_back_aside();
  replaced_inputs();
  leave_round();
}

void RunState::replaced_inputs() noexcept {
  course = {};
  parts.known = false;
  standing.pending = true;
  standing.converged = standing.infeasible = standing.is_polished = false;
  standing.is_regrouped = false;
  standing.alternation = {};
  standing.upper_bound = kInfinity;
  if (dual)
    dual->progress = {.started = dual->progress.started};
}

} // namespace chorale
