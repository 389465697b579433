#include "cluster/run/outcome.hpp"

#include "base/json.hpp"
#include "base/outcome.hpp"
#include "chain/obstacle.hpp"
#include "cluster/run/chain_program.hpp"
#include "cluster/run/evaluation.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace chorale {
namespace {

// An array with one count for each column of a clique. Throws std::bad_alloc if memory runs out.
class Counts {
public:
  Counts(const Memory &memory, std::int32_t columns)
      : columns_(to_size(columns)),
        block_(columns <= kFew
                   ? Block()
                   : Block(memory, static_cast<std::size_t>(columns) * sizeof(std::int64_t))) {
    if (columns > kFew && !block_)
      throw std::bad_alloc();
  }
  gsl::span<std::int64_t> span() noexcept {
    return {block_ ? reinterpret_cast<std::int64_t *>(block_.data()) : few_, columns_};
  }

private:
  static constexpr std::int32_t kFew = 256;
  std::size_t columns_;
  std::int64_t few_[kFew];
  Block block_;
};

// Counts the columns that the members of a clique show in a labelling.
void count(const Clique &clique, const Assignment &of, gsl::span<std::int64_t> counts) noexcept {
  count_columns(clique, counts, [&](std::int32_t i) noexcept { return of.shown(clique, i); });
}

} // namespace

chorale_run_result Outcome::result() const noexcept {
  chorale_run_result result{};
  result.struct_size = sizeof result;
  const Standing &standing = state_.standing;
  const bool found = state_.found();
  // An upper bound of minus infinity proves that no labelling is allowed.
  if (standing.infeasible || (!standing.pending && !found && standing.upper_bound == kForbidden))
    result.outcome = CHORALE_OUTCOME_INFEASIBLE;
  else
    result.outcome = outcome_of(call_.stopped(), !standing.pending && !found
                                                     ? CHORALE_OUTCOME_NOTHING_FOUND
                                                 : standing.converged
                                                     ? CHORALE_OUTCOME_COMPLETE
                                                     : CHORALE_OUTCOME_ITERATION_LIMIT);
  result.rounds = state_.tally.rounds;
  result.best_round = standing.best_round;
  const bool has_labels = standing.has_labelling;
  result.score = found ? state_.answer().total() : kForbidden;
  result.chain_score = has_labels ? state_.answer().chain_total : kForbidden;
  result.clique_score = has_labels ? state_.answer().clique_total : 0.0;
  result.own_score = standing.own_score;
  result.rounds_score = standing.rounds_score;
  result.local_search_score = standing.local_search_score;
  result.local_search_own_score = standing.local_search_own_score;
  result.upper_bound = standing.infeasible ? kForbidden : standing.upper_bound;
  result.gap = found ? standing.upper_bound - result.score : kInfinity;
  result.proven =
      found && closes_gap(result.score, state_.answer().magnitude, standing.upper_bound) ? 1 : 0;
  if (found && state_.is_settled() && &state_.answer() == &state_.best)
    result.changed_chains = state_.edits->changed_chains;
  else
    for (std::int32_t i = 0; has_labels && i < model_.chains.size(); ++i)
      result.changed_chains += has_changed(i) ? 1 : 0;
  result.messages_changed = state_.tally.messages_changed;
  result.chain_updates = state_.tally.chain_updates;
  result.clique_updates = state_.tally.clique_updates;
  result.left_out = standing.left_out;
  return result;
}

// Returns strength times C of a clique at `counts`, which may be overwritten. Writes *failure only
// if the callback of the potential fails: a call that succeeds does not erase the failure of an
// earlier one.
double Outcome::counted_score(std::int64_t number, gsl::span<std::int64_t> counts,
                              std::int32_t centre, RunFailure *failure) const noexcept {
  CallbackFailure failed = CallbackFailure::none;
  const Clique clique = inputs_.clique(number);
  const double score =
      clique_score(clique, inputs_.strength(number), counts, centre, &failed);
  if (failed != CallbackFailure::none)
    *failure = RunFailure::of(failed, clique);
  return score;
}

// Returns the reason for a slot. `counts` and `own_counts`: the counts of the slot's clique in the
// answer and in `own`. `scratch`: an array of at least this length. The amount is what the clique
// gains because the slot changed: the clique's score in the answer, minus its score if this slot
// alone still showed the column that it shows in `own`. Plus infinity if only the second score is
// minus infinity, 0 if both are.
chorale_reason Outcome::reason(const Slot &slot, gsl::span<const std::int64_t> counts,
                               gsl::span<const std::int64_t> own_counts,
                               gsl::span<std::int64_t> scratch,
                               RunFailure *failure) const noexcept {
  const Clique clique = inputs_.clique(slot.clique);
  const std::int32_t before = state_.own.shown(slot);
  const std::int32_t after = state_.answer().shown(slot);
  const std::int32_t centre = state_.answer().centre(clique);
  const auto columns = to_size(clique.columns());
  Expects(counts.size() >= columns && scratch.size() >= columns);
  std::int64_t *const varied = scratch.data();
  chorale_reason made{};
  made.agreement = -1;
  made.clique = slot.clique;
  made.chain = slot.chain;
  made.member = slot.member;
  made.position = slot.position;
  made.own_value = clique.value_of(before);
  made.value = clique.value_of(after);
  std::copy_n(counts.data(), columns, varied);
  const double now = counted_score(slot.clique, scratch, centre, failure);
  std::copy_n(counts.data(), columns, varied);
  const bool is_centre = slot.member == clique.members;
  if (!is_centre) { // the values of a centre are not those of the other members
    const std::int32_t weight = clique.weight(slot.member);
    made.others = clique.total() - weight;
    if (after >= 0) {
      made.agreeing_before = own_counts.data()[after];
      made.agreeing = varied[after] -= weight;
    }
    if (before >= 0)
      varied[before] += weight;
  }
  const double so = counted_score(slot.clique, scratch, is_centre ? before : centre, failure);
  made.amount = now == so ? 0.0 : so == kForbidden ? kInfinity : now - so;
  return made;
}

// Sorts the reasons by clique, so that the members of each clique are counted once, and then
// restores their order: `agreement` holds the original index of a reason until then.
std::int64_t Outcome::reasons(std::int32_t begin, std::int32_t end, gsl::span<chorale_reason> to,
                              RunFailure *failure) const {
  chorale_reason *const first = to.data();
  const auto capacity = static_cast<std::int64_t>(to.size());
  std::int64_t found = 0;
  std::int32_t columns = 1;
  for (std::int32_t chain = begin; chain < end; ++chain) {
    if (!has_changed(chain))
      continue;
    for (std::int32_t s = 0; s < model_.chains[chain].slots; ++s) {
      const Slot slot = model_.slot(chain, s);
      if (state_.answer().shown(slot) == state_.own.shown(slot))
        continue;
      if (found < capacity) {
        columns = std::max(columns, model_.cliques[slot.clique].columns());
        first[found] = {};
        first[found].agreement = found;
        first[found].clique = slot.clique;
        first[found].member = slot.member;
      }
      ++found;
    }
  }
  chorale_reason *last = first + std::min(found, capacity);
  std::sort(first, last, [](const chorale_reason &a, const chorale_reason &b) {
    return a.clique != b.clique ? a.clique < b.clique : a.agreement < b.agreement;
  });
  Counts counts(memory_, columns);
  Counts own_counts(memory_, columns);
  Counts scratch(memory_, columns);
  std::int64_t counted = -1; // the clique whose members were counted last
  for (chorale_reason *made = first; made != last; ++made) {
    const auto number = static_cast<std::int32_t>(made->clique);
    if (number != std::exchange(counted, number)) {
      count(model_.cliques[number], state_.answer(), counts.span());
      count(model_.cliques[number], state_.own, own_counts.span());
    }
    const std::int64_t index = made->agreement;
    *made = reason(model_.member(number, static_cast<std::int32_t>(made->member)), counts.span(),
                   own_counts.span(), scratch.span(), failure);
    made->agreement = index;
  }
  std::sort(first, last, [](const chorale_reason &a, const chorale_reason &b) {
    return a.agreement < b.agreement;
  });
  for (chorale_reason *made = first; made != last; ++made)
    made->agreement = -1;
  return found;
}

// Returns the clique of the first slot such that the chain itself and those of its cliques up to
// this slot that have one member are proven to forbid every labelling
// (ChainProgram::shutting_slot). -1 if there is no such slot: the callback of a potential fails, or
// inputs have changed since the chain was left out. Throws std::bad_alloc if memory runs out.
std::int64_t Outcome::shutting_clique(std::int32_t chain) const {
  Layout measure;
  const ChainProgram measured(measure, model_, inputs_, chain, options_.joint);
  const std::size_t bytes = saturating_sum(measure.bytes(), measured.room_bytes());
  const Block block(memory_, bytes);
  if (!block)
    throw std::bad_alloc();
  Layout layout(block.data());
  ChainProgram program(layout, model_, inputs_, chain, options_.joint);
  program.set_room(block.data() + layout.bytes());
  Limits none;
  const std::int32_t slot = program.shutting_slot(none);
  return slot >= 0 ? program.slot(slot).clique : -1;
}

// Calls visit() with an entry for each chain that is left out. Throws std::bad_alloc if memory runs
// out.
template <class Visit> void Outcome::each_left_out(Visit &&visit) const {
  constexpr std::size_t kFew = 1024;
  std::uint8_t few[kFew];
  Block block;
  for (std::int32_t i = 0; state_.own.is_partial && i < model_.chains.size(); ++i) {
    if (!state_.own.lacks(i))
      continue;
    const Chain &chain = model_.chains[i];
    chorale_left_out one{i, -1, CHORALE_OBSTACLE_UNKNOWN, 0, -1};
    if (state_.is_aside(i)) {
      one.obstacle = CHORALE_OBSTACLE_UNDECIDED;
      one.clique = state_.set_aside_by.data()[i];
    } else if (!chain.is_instance) {
      const std::size_t bytes = to_size(std::int64_t{chain.length} * (chain.labels + 1));
      if (bytes > kFew && !(block = Block(memory_, bytes)))
        throw std::bad_alloc();
      std::uint8_t *flags = bytes > kFew ? reinterpret_cast<std::uint8_t *>(block.data()) : few;
      const Obstacle found = find_obstacle(inputs_.view_of(i), {flags, bytes});
      one.position = found.position;
      one.obstacle = found.kind;
      if (found.position < 0) {
        one.obstacle = CHORALE_OBSTACLE_CLIQUES;
        one.clique = shutting_clique(i);
      }
    }
    visit(one);
  }
}

std::int64_t Outcome::left_out(gsl::span<chorale_left_out> to) const {
  std::int64_t found = 0;
  if (to.empty()) {
    for (std::int32_t i = 0; state_.own.is_partial && i < model_.chains.size(); ++i)
      found += state_.own.lacks(i) ? 1 : 0;
    return found;
  }
  each_left_out([&](const chorale_left_out &one) {
    if (found < static_cast<std::int64_t>(to.size()))
      to.data()[found] = one;
    ++found;
  });
  return found;
}

std::size_t Outcome::write_json(gsl::span<char> buffer, RunFailure *failure) const {
  JsonWriter json(buffer.data(), buffer.size());
  const chorale_run_result all = result();
  const auto chains = static_cast<std::int32_t>(model_.chains.size());
  const std::int64_t changes = reasons(0, chains, {}, failure);
  const Block block(memory_, sizeof(chorale_reason) * to_size(changes + 1));
  if (!block)
    throw std::bad_alloc();
  auto *const first = reinterpret_cast<chorale_reason *>(block.data());
  reasons(0, chains, {first, to_size(changes)}, failure);
  const chorale_reason *next = first; // the next reason to write
  Counts counts(memory_, model_.most_columns);
  const auto field = [&](std::string_view name, auto value) {
    json.key(name);
    json.value(value);
  };
  const auto labels = [&](std::string_view name, const Assignment &of, const Chain &chain,
                          bool is_out) {
    json.key(name);
    json.open('[');
    for (std::int64_t t = chain.first_label; t < chain.first_label + chain.length; ++t)
      json.integer(is_out ? -1 : of.labels.get(t));
    json.close(']');
  };
  json.open('{');
  json.key("outcome");
  json.string(outcome_name(all.outcome));
  field("proven", all.proven != 0);
  field("rounds", all.rounds);
  field("best_round", all.best_round);
  field("score", all.score);
  field("chain_score", all.chain_score);
  field("clique_score", all.clique_score);
  field("own_score", all.own_score);
  field("upper_bound", all.upper_bound);
  field("gap", all.gap);
  field("changed_chains", all.changed_chains);

  json.key("chains");
  json.open('[');
  for (std::int32_t i = 0; i < chains; ++i) {
    const Chain &chain = model_.chains[i];
    const bool changed = has_changed(i);
    json.open('{');
    field("score", state_.answer().phi(i));
    labels("labels", state_.answer(), chain, state_.answer().lacks(i) && !state_.is_aside(i));
    field("changed", changed);
    if (changed) {
      field("own_score", state_.own.phi(i));
      labels("own_labels", state_.own, chain, false);
      json.key("reasons");
      json.open('[');
      for (; next != first + changes && next->chain == i; ++next) {
        json.open('{');
        field("clique", next->clique);
        field("member", next->member);
        field("position", next->position);
        field("own_value", next->own_value);
        field("value", next->value);
        field("amount", next->amount);
        field("others", next->others);
        field("agreeing_before", next->agreeing_before);
        field("agreeing", next->agreeing);
        json.close('}');
      }
      json.close(']');
    }
    json.close('}');
  }
  json.close(']');
  json.key("cliques");
  json.open('[');
  for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
    const Clique clique = inputs_.clique(c);
    count(clique, state_.answer(), counts.span());
    json.open('{');
    field("score", counted_score(c, counts.span(), state_.answer().centre(clique), failure));
    json.key("values");
    json.open('[');
    for (std::int32_t k = 0; k < clique.all_members(); ++k)
      json.integer(clique.value_of(state_.answer().shown(clique, k)));
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.key("left_out");
  json.open('[');
  each_left_out([&](const chorale_left_out &one) {
    json.open('{');
    field("chain", one.chain);
    field("position", one.position);
    json.key("obstacle");
    json.string(obstacle_name(one.obstacle));
    field("clique", one.clique);
    json.close('}');
  });
  json.close(']');
  json.close('}');
  return json.bytes();
}

} // namespace chorale
