// What a run has found, and why.
#include "cluster/run/json.hpp"
#include "cluster/run/run.hpp"

#include <algorithm>
#include <new>

namespace chorale {
namespace {

// How a run can end.
std::string_view name_of(chorale_outcome outcome) noexcept {
  switch (outcome) {
  case CHORALE_OUTCOME_COMPLETE:
    return "complete";
  case CHORALE_OUTCOME_ITERATION_LIMIT:
    return "iteration-limit";
  case CHORALE_OUTCOME_DEADLINE:
    return "deadline";
  case CHORALE_OUTCOME_CANCELLED:
    return "cancelled";
  case CHORALE_OUTCOME_INFEASIBLE:
    return "infeasible";
  default:
    return "nothing-found";
  }
}

// Counts of a clique's columns while a result is being read, which may be on any thread: no room of
// the run is used.
class Counts {
public:
  Counts(const Memory &memory, std::int32_t columns)
      : block_(columns <= kFew
                   ? Block()
                   : Block(memory, static_cast<std::size_t>(columns) * sizeof(std::int64_t))) {
    if (columns > kFew && !block_)
      throw std::bad_alloc();
  }
  std::int64_t *data() noexcept {
    return block_ ? reinterpret_cast<std::int64_t *>(block_.data()) : few_;
  }

private:
  static constexpr std::int32_t kFew = 256;
  std::int64_t few_[kFew];
  Block block_;
};

} // namespace
} // namespace chorale

using namespace chorale;

chorale_run_result chorale_run::result() const noexcept {
  chorale_run_result result{};
  result.struct_size = sizeof result;
  const bool found = has_labelling && at.best.total() > kForbidden;
  const std::int32_t stopped = stop.load(std::memory_order_relaxed);
  // A bound of minus infinity proves it.
  if (infeasible || (!pending && !found && upper_bound == kForbidden))
    result.outcome = CHORALE_OUTCOME_INFEASIBLE;
  else if (stopped == 1)
    result.outcome = CHORALE_OUTCOME_DEADLINE;
  else if (stopped == 2)
    result.outcome = CHORALE_OUTCOME_CANCELLED;
  else if (!pending && !found)
    result.outcome = CHORALE_OUTCOME_NOTHING_FOUND;
  else
    result.outcome = converged ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_ITERATION_LIMIT;
  result.rounds = rounds;
  result.best_round = best_round;
  result.score = found ? at.best.total() : kForbidden;
  result.chain_score = found ? at.best.chain_total : kForbidden;
  result.clique_score = found ? at.best.clique_total : 0.0;
  result.own_score = own_score;
  result.rounds_score = rounds_score;
  result.polished_score = polished_score;
  result.polished_own_score = polished_own_score;
  result.upper_bound = infeasible ? kForbidden : upper_bound;
  result.gap = found ? upper_bound - result.score : kInfinity;
  result.proven = found && closes_gap(result.score, at.best.magnitude, upper_bound) ? 1 : 0;
  for (std::int32_t i = 0; found && i < model->chains.size(); ++i)
    result.changed_chains += has_changed(i) ? 1 : 0;
  result.messages_changed = messages_changed;
  result.chain_updates = chain_updates;
  result.clique_updates = clique_updates;
  return result;
}

bool chorale_run::has_changed(std::int32_t number) const noexcept {
  const Chain &chain = model->chains[number];
  if (!at.best.labels.same(chain.first_label, chain.length, at.own.labels))
    return true;
  for (std::int32_t s = 0; s < chain.wholes(); ++s) {
    const std::int32_t whole = model->whole_of(chain.first_slot + s);
    if (at.best.whole[whole] != at.own.whole[whole])
      return true;
  }
  return false;
}

double chorale_run::clique_score(const Assignment &of, const Clique &clique) const {
  Counts counts(memory, clique.columns());
  CallbackFailure failed = CallbackFailure::none;
  return score_of_clique(clique, of, counts.data(), &failed);
}

double chorale_run::payment(const Slot &slot) const {
  const Clique &clique = model->cliques[slot.clique];
  Counts room(memory, clique.columns());
  std::int64_t *counts = room.data();
  const std::int32_t own = at.own.shown(slot);
  count_columns(clique, counts, [&](std::int32_t i) noexcept {
    return i == slot.member ? own : at.best.shown(clique, i);
  });
  std::int32_t centre = 0;
  if (clique.centred())
    centre = slot.member == clique.members ? own : at.best.shown(clique, clique.members);
  CallbackFailure failed = CallbackFailure::none;
  const double so = chorale::clique_score(clique, counts, centre, &failed);
  const double now = clique_score(at.best, clique);
  return so == kForbidden ? kInfinity : now - so;
}

RunFailure chorale_run::chain_marginals(std::int32_t number, double *marginals,
                                        std::ptrdiff_t row_stride, double *margins) noexcept {
  const Chain &chain = model->chains[number];
  Layout layout(at.workers[0].room);
  ChainProgram program(layout, *model, number, view_of(number), options.joint);
  program.set_room(at.workers[0].room + layout.bytes());
  for (std::int32_t s = 0; s < chain.slots; ++s)
    at.to_chain.load(program.row_place(s), program.columns_of(s),
                     program.incoming + program.row_begin()[s]);
  Limits none;
  program.marginals(marginals, row_stride, margins, none);
  return program.failure;
}

std::size_t chorale_run::write_json(char *buffer, std::size_t capacity) const {
  JsonWriter json(buffer, capacity);
  const chorale_run_result all = result();
  const auto number = [&](std::string_view name, double value) {
    json.key(name);
    json.number(value);
  };
  const auto integer = [&](std::string_view name, std::int64_t value) {
    json.key(name);
    json.integer(value);
  };
  const auto labels = [&](std::string_view name, const Assignment &of, const Chain &chain) {
    json.key(name);
    json.open('[');
    for (std::int64_t t = chain.first_label; t < chain.first_label + chain.length; ++t)
      json.integer(of.labels.get(t));
    json.close(']');
  };
  json.open('{');
  json.key("outcome");
  json.string(name_of(all.outcome));
  json.key("proven");
  json.boolean(all.proven != 0);
  integer("rounds", all.rounds);
  integer("best_round", all.best_round);
  number("score", all.score);
  number("chain_score", all.chain_score);
  number("clique_score", all.clique_score);
  number("own_score", all.own_score);
  number("upper_bound", all.upper_bound);
  number("gap", all.gap);
  integer("changed_chains", all.changed_chains);

  json.key("chains");
  json.open('[');
  for (std::int32_t i = 0; i < model->chains.size(); ++i) {
    const Chain &chain = model->chains[i];
    const bool changed = has_changed(i);
    json.open('{');
    number("score", at.best.score[i]);
    labels("labels", at.best, chain);
    json.key("changed");
    json.boolean(changed);
    if (changed) {
      number("own_score", at.own.score[i]);
      labels("own_labels", at.own, chain);
      json.key("payments");
      json.open('[');
      for (std::int32_t s = 0; s < chain.slots; ++s) {
        const Slot slot = model->slot(i, s);
        if (at.best.shown(slot) == at.own.shown(slot))
          continue;
        json.open('{');
        integer("clique", slot.clique);
        integer("member", slot.member);
        integer("position", slot.position);
        const Clique &clique = model->cliques[slot.clique];
        integer("own_value", clique.value_of(at.own.shown(slot)));
        integer("value", clique.value_of(at.best.shown(slot)));
        number("amount", payment(slot));
        json.close('}');
      }
      json.close(']');
    }
    json.close('}');
  }
  json.close(']');
  json.key("cliques");
  json.open('[');
  for (const Clique &clique : model->cliques) {
    json.open('{');
    number("score", clique_score(at.best, clique));
    json.key("values");
    json.open('[');
    for (std::int32_t k = 0; k < clique.all_members(); ++k)
      json.integer(clique.value_of(at.best.shown(clique, k)));
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.close('}');
  return json.finish();
}
