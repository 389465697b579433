// chain_block.hpp explains the words used here.
#include "cluster/run/chain_block.hpp"

#include "potential/member_row.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// The steps that walk() announces to the limits for each label of each slot.
constexpr std::int64_t kStepsALabel = 20;

std::int32_t widest_row(const Model &model, const Chain &chain) noexcept {
  std::int32_t widest = 1;
  for (std::int32_t s = 0; s < chain.slots; ++s) {
    const CliqueType &type = model.cliques.type(model.clique_of(chain.first_slot + s));
    widest = std::max({widest, type.columns, type.centre_values});
  }
  return widest;
}

} // namespace

bool gains(const MeasuredSum &before, double after) noexcept {
  if (before.total == kForbidden)
    return after > kForbidden;
  return after - before.total > 1e-12 * before.magnitude;
}

BlockMemory::BlockMemory(Layout &layout, const Model &model, std::int32_t number) noexcept
    : order(layout, model.chains[number].slots) {
  const Chain &chain = model.chains[number];
  const std::int32_t widest = widest_row(model, chain);
  counts = layout.take<std::int64_t>(widest);
  varied = layout.take<std::int64_t>(widest);
  row = layout.take<double>(widest);
  scores = layout.take<double>(chain.labels);
  slots = layout.take<Slot>(chain.slots);
  shown = layout.take<std::int32_t>(chain.slots);
  values = layout.take<std::int32_t>(chain.slots);
  count_slot = layout.take<std::int32_t>(chain.slots);
  labels = layout.take<std::int32_t>(std::int64_t{chain.length} + 1);
}

ChainBlock::ChainBlock(Layout &layout, const Setting &setting, const Assignment &now,
                       const CountStore &counts, std::int32_t number) noexcept
    : setting_(setting), model_(setting.model), now_(now), all_counts_(counts), number_(number),
      chain_(model_.chains[number]), memory_(layout, model_, number), order_(memory_.order) {}

bool ChainBlock::load(Limits &limits) noexcept {
  return in_stretches(limits, chain_.slots, kRowSteps, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      memory_.slots[s] = model_.slot(number_, static_cast<std::int32_t>(s));
      memory_.shown[s] = now_.shown(memory_.slots[s]);
    }
  });
}

bool ChainBlock::sort(Limits &limits) noexcept {
  if (!order_.sort({memory_.slots, to_size(chain_.slots)}, limits) ||
      !limits.spend(4 * std::int64_t{chain_.slots}))
    return false;
  has_repeats_ = order_.has_repeats();
  std::fill_n(memory_.count_slot, chain_.slots, -1);
  return true;
}

// ---- Gain of a labelling -----------------------------------------------------------------------

bool ChainBlock::compare(double score, gsl::span<const std::int32_t> values, MeasuredSum &before,
                         MeasuredSum &after, Limits &limits) noexcept {
  Expects(values.size() >= to_size(chain_.slots));
  before.add(now_.phi(number_));
  after.add(score);
  bool goes_on = true;
  order_.each_clique([&](std::int32_t begin, std::int32_t end) noexcept {
    goes_on = goes_on && spend_row(order_[begin], limits) &&
              limits.spend(kRowSteps * std::int64_t{end - begin});
    bool changes = false;
    for (std::int32_t k = begin; goes_on && k < end; ++k)
      changes = changes || memory_.shown[order_[k]] != values.data()[order_[k]];
    if (changes) {
      before.add(score_with(begin, end, memory_.shown));
      after.add(score_with(begin, end, values.data()));
    }
  });
  return goes_on;
}

gsl::span<const std::int32_t> ChainBlock::read(const LabelStore &from, std::int32_t first_label,
                                               gsl::span<const std::int32_t> wholes) noexcept {
  Expects(wholes.size() >= to_size(chain_.wholes()));
  from.read(first_label, {memory_.labels, to_size(chain_.length)});
  for (std::int32_t s = 0; s < chain_.slots; ++s)
    memory_.values[s] =
        slot(s).position < 0 ? wholes.data()[s] : column_of(s, memory_.labels[slot(s).position]);
  return by_slot(memory_.values);
}

// Returns C of the clique whose slots are order_[begin .. end - 1], if these slots show `values`.
double ChainBlock::score_with(std::int32_t begin, std::int32_t end,
                              const std::int32_t *values) noexcept {
  const std::int32_t number = order_.clique(begin);
  const Clique clique = setting_.inputs.clique(number);
  std::int64_t *counts = memory_.varied;
  all_counts_.load(model_.first_count(number), {counts, to_size(clique.columns())});
  std::int32_t centre = centre_value(clique);
  for (std::int32_t k = begin; k < end; ++k) {
    const std::int32_t s = order_[k];
    if (is_centre(s, clique)) {
      centre = values[s];
      continue;
    }
    const std::int32_t weight = clique.weight(slot(s).member);
    if (memory_.shown[s] >= 0)
      counts[memory_.shown[s]] -= weight;
    if (values[s] >= 0)
      counts[values[s]] += weight;
  }
  return evaluate(clique, setting_.inputs.strength(number), centre);
}

// Returns `strength` times C for the counts in memory_.varied, which may be overwritten.
double ChainBlock::evaluate(const Clique &clique, double strength, std::int32_t centre) noexcept {
  CallbackFailure failed = CallbackFailure::none;
  const double score =
      clique_score(clique, strength, {memory_.varied, to_size(clique.columns())}, centre, &failed);
  setting_.call.fail(RunFailure::of(failed, clique));
  return score;
}

// ---- Scores of a clique by value of a slot -----------------------------------------------------

// Loads the counts of the clique of slot s into memory_.counts. A repeat that is held
// (chain_block.hpp) counts for the column to which it is held.
void ChainBlock::load_counts(std::int32_t s) noexcept {
  const std::int32_t clique = slot(s).clique;
  const std::int32_t columns = model_.cliques.type(clique).columns;
  if (is_held(s))
    std::transform(held_counts(memory_.count_slot[s]), held_counts(memory_.count_slot[s]) + columns,
                   memory_.counts, [](double count) { return static_cast<std::int64_t>(count); });
  else
    all_counts_.load(model_.first_count(clique), {memory_.counts, to_size(columns)});
}

// Returns the value of the centre of the clique of slot s. If the centre is a held repeat of this
// chain, returns the value to which it is held.
std::int32_t ChainBlock::centre_value(const Clique &clique, std::int32_t s) const noexcept {
  if (!clique.centred() || !is_held(s))
    return centre_value(clique);
  const std::int32_t position = model_.site(clique, clique.members) - chain_.first_label;
  if (position < 0 || position >= chain_.length)
    return centre_value(clique);
  std::int32_t centre = memory_.labels[position];
  while (slot(centre).clique != slot(s).clique || slot(centre).member != clique.members)
    ++centre;
  return memory_.values[centre];
}

// Writes to row[v] the score C of the clique of slot s if the slot changes from its column `own` to
// v.
bool ChainBlock::fill_row(std::int32_t s, std::int32_t own, gsl::span<double> row,
                          Limits &limits) noexcept {
  const Clique &clique = clique_of(s);
  Expects(!kContracts || row.size() == to_size(clique.width(slot(s).member)));
  load_counts(s);
  if (is_centre(s, clique)) {
    for (std::int32_t c = 0; c < clique.centre_values(); ++c) {
      if (!limits.spend(4 * std::int64_t{clique.columns()}))
        return false;
      std::copy_n(memory_.counts, clique.columns(), memory_.varied);
      row.data()[c] = evaluate(clique, strength_of(s), c);
    }
    return true;
  }
  const std::int32_t centre = centre_value(clique, s);
  if (centre < 0) { // the centre is left out
    std::fill_n(row.data(), row.size(), 0.0);
    return true;
  }
  const std::int32_t weight = clique.weight(slot(s).member);
  if (own >= 0)
    memory_.counts[own] -= weight;
  CallbackFailure failed = CallbackFailure::none;
  const std::int32_t K = clique.columns();
  const bool whole = fill_member_row(clique.potential_at(centre),
                                     span_of(memory_.counts, K), clique.total(), weight,
                                     span_of(memory_.varied, K), row, &failed, &limits);
  strengthen(s, row);
  setting_.call.fail(RunFailure::of(failed, clique));
  return whole;
}

bool ChainBlock::fill_rows(ChainProgram &program, Limits &limits) noexcept {
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    if (!spend_row(s, limits) ||
        !fill_row(s, memory_.shown[s], program.incoming_row(s), limits))
      return false;
  }
  return true;
}

bool ChainBlock::is_at_best(const ChainProgram &program, double own,
                            Limits &limits) const noexcept {
  double most = own;
  double total = now_.phi(number_);
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    if (!spend_row(s, limits))
      return false;
    const double *row = program.incoming_row(s).data();
    most += *std::max_element(row, row + program.columns_of(s));
    total += memory_.shown[s] < 0 ? kForbidden : row[memory_.shown[s]];
  }
  return total > kForbidden && total >= most;
}

bool ChainBlock::fill_linear(ChainProgram &program, Limits &limits) noexcept {
  bool any = false;
  for (std::int32_t k = 0; k < chain_.slots; ++k) {
    const std::int32_t s = order_[k];
    if (!spend_row(s, limits))
      return false;
    const Clique &clique = clique_of(s);
    if (!order_.is_repeat(k) || clique.centred())
      continue;
    load_counts(s);
    const gsl::span<double> row = program.incoming_row(s);
    if (fill_linear_row(*clique.potential(), span_of(memory_.counts, clique.columns()),
                        clique.total(), row)) {
      if (const std::int32_t weight = clique.weight(slot(s).member); weight != 1)
        std::transform(row.data(), row.data() + row.size(), row.data(),
                       [weight](double slope) { return weight * slope; });
      strengthen(s, row);
      any = true;
    }
  }
  return any;
}

// ---- One repeat at a time ----------------------------------------------------------------------

// The callbacks of a ChainWalk over this chain (chain/chain_walk.hpp).
struct ChainBlock::Held {
  void write(std::int32_t t, double *row) const noexcept { block.write_held(scores, t, row); }
  bool visit(std::int32_t t, const double *others) const noexcept {
    return block.visit(scores, t, others, limits);
  }
  bool goes_on(std::int32_t t) const noexcept { return limits.spend(block.walk_work(t)); }
  ChainBlock &block;
  const Scores &scores;
  Limits &limits;
};

bool ChainBlock::walk(ChainProgram &program, Limits &limits) noexcept {
  if (!hold_all(program, limits))
    return false;
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    if (!spend_row(s, limits))
      return false;
    if (is_held(s))
      std::fill_n(program.incoming_row(s).data(), program.columns_of(s), 0.0);
  }
  for (std::int32_t t = 0, s = 0; t <= chain_.length; ++t) {
    while (s < chain_.slots && slot(s).position < t)
      ++s;
    memory_.labels[t] = s;
  }
  bool found = false;
  program.with_walk(limits, [&](Scores &scores, ChainWalk &walk) noexcept {
    Held held{*this, scores, limits};
    found = walk.run(scores, held) && walk.trace(scores, held, program.labels);
  });
  return found && program.show(limits);
}

std::int64_t ChainBlock::walk_work(std::int32_t t) const noexcept {
  const std::int64_t m = chain_.labels;
  return m * (m + kStepsALabel * (1 + memory_.labels[t + 1] - memory_.labels[t]));
}

// Holds all repeats to the columns that they show. Stores the counts of each clique with repeats in
// the outgoing row of one of its repeats, since walk() does not use outgoing rows otherwise.
bool ChainBlock::hold_all(ChainProgram &program, Limits &limits) noexcept {
  std::copy_n(memory_.shown, chain_.slots, memory_.values);
  held_by_ = &program;
  bool goes_on = true;
  order_.each_clique([&](std::int32_t begin, std::int32_t end) noexcept {
    goes_on = goes_on && spend_row(order_[begin], limits) &&
              limits.spend(4 * std::int64_t{end - begin});
    if (end - begin == 1 || !goes_on)
      return;
    const Clique &clique = clique_of(order_[begin]);
    // The row of a centre is not used: its entries, one for each value of the centre, may be fewer
    // than the columns.
    const std::int32_t first = order_[is_centre(order_[begin], clique) ? begin + 1 : begin];
    load_counts(first);
    std::copy_n(memory_.counts, clique.columns(), held_counts(first));
    for (std::int32_t k = begin; k < end; ++k)
      memory_.count_slot[order_[k]] = first;
  });
  return goes_on;
}

// Changes the column to which one repeat is held.
void ChainBlock::hold(std::int32_t s, std::int32_t value) noexcept {
  std::int32_t &held = memory_.values[s];
  const Clique &clique = clique_of(s);
  if (!is_centre(s, clique)) {
    double *counts = held_counts(memory_.count_slot[s]);
    const std::int32_t weight = clique.weight(slot(s).member);
    if (held >= 0)
      counts[held] -= weight;
    counts[value] += weight;
  }
  held = value;
}

bool ChainBlock::shows_held(std::int32_t t, std::int32_t label) const noexcept {
  for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s)
    if (is_held(s) && column_of(s, label) != memory_.values[s])
      return false;
  return true;
}

// Writes the scores of the m labels of position t to `row`; minus infinity for a label under which
// a held repeat would change its column.
void ChainBlock::write_held(const Scores &scores, std::int32_t t, double *row) const noexcept {
  const std::int32_t m = scores.labels();
  std::copy_n(scores.unary(t), m, row);
  for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s) {
    if (!is_held(s))
      continue;
    const Clique &clique = clique_of(s);
    for (std::int32_t y = 0; y < m; ++y)
      if (clique.column_of(slot(s).member, y) != memory_.values[s])
        row[y] = kForbidden;
  }
}

// Finds the best label of position t, with the repeats at t free. If it gains, holds these repeats
// to the columns that they show under it, and returns true. `others`: for each label, the best
// score of all other positions.
bool ChainBlock::visit(const Scores &scores, std::int32_t t, const double *others,
                       Limits &limits) noexcept {
  const std::int32_t m = scores.labels();
  double *total = memory_.scores;
  double rows = 0; // sum of |C| over the cliques of the repeats at t, under the columns held now
  bool any = false;
  for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s) {
    if (!is_held(s))
      continue;
    if (!any)
      for (std::int32_t y = 0; y < m; ++y)
        total[y] = others[y] + scores.unary(t)[y];
    any = true;
    const Clique &clique = clique_of(s);
    if (!fill_row(s, memory_.values[s], {memory_.row, to_size(clique.width(slot(s).member))},
                  limits))
      return false;
    for (std::int32_t y = 0; y < m; ++y)
      total[y] += memory_.row[clique.column_of(slot(s).member, y)];
    rows += memory_.values[s] < 0 ? 0.0 : magnitude_of(memory_.row[memory_.values[s]]);
  }
  if (!any)
    return false;
  const std::int32_t best = index_of_greatest({total, to_size(m)});
  if (best < 0)
    return false;
  MeasuredSum stays{kForbidden, 0};
  for (std::int32_t y = 0; y < m; ++y)
    if (total[y] > stays.total && shows_held(t, y))
      stays = {total[y], std::fabs(others[y]) + std::fabs(scores.unary(t)[y]) + rows};
  if (!gains(stays, total[best]))
    return false;
  for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s)
    if (is_held(s))
      hold(s, column_of(s, best));
  return true;
}

// Subtracts `penalty` from the row entries of each repeat, except the entry of the column that the
// repeat shows. Skips slots s with freed[s] != 0; skips no slot if `freed` is empty.
void ChainBlock::hold_by(ChainProgram &program, double penalty,
                         gsl::span<const std::int32_t> freed) noexcept {
  for (std::int32_t k = 0; k < chain_.slots; ++k) {
    const std::int32_t s = order_[k];
    const std::int32_t shows = memory_.shown[s];
    if (!order_.is_repeat(k) || shows < 0 || (!freed.empty() && freed.data()[s] != 0))
      continue;
    double *row = program.incoming_row(s).data();
    for (std::int32_t v = 0; v < program.columns_of(s); ++v)
      if (v != shows)
        row[v] -= penalty;
    if (row[shows] == kForbidden)
      row[shows] = 0.0;
  }
}

bool ChainBlock::move_best(ChainProgram &program, double most, Limits &limits) noexcept {
  MeasuredSum now;
  now.add(now_.phi(number_));
  if (!limits.spend(kRowSteps * std::int64_t{chain_.slots}))
    return false;
  for (std::int32_t s = 0; s < chain_.slots; ++s)
    now.add(memory_.shown[s] < 0 ? kForbidden : program.incoming_row(s).data()[memory_.shown[s]]);
  if (!gains(now, most))
    return false;
  // A penalty, twice the greatest possible gain, is subtracted for each repeat that moves. The
  // message of a slot leaves out the slot's own row, so it does not charge this slot for moving. A
  // labelling in which another repeat moves too scores less than the current labelling.
  hold_by(program, 2 * (most - now.total), {});
  if (!program.send(limits))
    return false;
  bool any = false;
  std::int32_t *freed = memory_.values;
  std::fill_n(freed, chain_.slots, 0);
  if (!fill_rows(program, limits))
    return false;
  order_.each_clique([&](std::int32_t begin, std::int32_t end) noexcept {
    std::int32_t best = -1;
    double best_gain = 0;
    for (std::int32_t k = begin; end - begin > 1 && k < end; ++k) {
      const std::int32_t s = order_[k];
      const std::int32_t shows = memory_.shown[s];
      const double *own = program.incoming_row(s).data();
      const double *others = program.outgoing_row(s).data();
      if (shows < 0)
        continue;
      // Rounding errors of messages are relative to the sums over the whole chain.
      const MeasuredSum stays = {others[shows] + own[shows],
                                 now.magnitude + magnitude_of(own[shows])};
      double moves = kForbidden;
      for (std::int32_t v = 0; v < program.columns_of(s); ++v)
        moves = std::max(moves, others[v] + own[v]);
      if (!gains(stays, moves))
        continue;
      const double gain = stays.total == kForbidden ? kInfinity : moves - stays.total;
      if (gain > best_gain) {
        best_gain = gain;
        best = s;
      }
    }
    if (best >= 0) {
      freed[best] = 1;
      any = true;
    }
  });
  if (any)
    hold_by(program, kInfinity, by_slot(freed));
  return any;
}

} // namespace chorale
