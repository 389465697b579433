// chain_block.hpp explains the words used here.
#include "cluster/run/chain_block.hpp"

#include "base/sort.hpp"
#include "potential/member_row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chorale {
std::int64_t violation(const Clique &clique, gsl::span<std::int64_t> counts, std::int32_t centre,
                       CallbackFailure *failure) noexcept {
  if (clique.all_members() == 0 || (clique.centred() ? centre < 0 : clique.total() == 0))
    return 0;
  return violation_of_counts(clique.potential_at(centre), counts, clique.total(), failure);
}

bool gains(const MeasuredSum &before, double after) noexcept {
  if (before.total == kForbidden)
    return after > kForbidden;
  return after - before.total > 1e-12 * before.magnitude;
}

BlockMemory::BlockMemory(Layout &layout, const Model &model, std::int32_t number) noexcept {
  const Chain &chain = model.chains[number];
  counts = layout.take<std::int64_t>(model.most_columns);
  varied = layout.take<std::int64_t>(model.most_columns);
  slots = layout.take<Slot>(chain.slots);
  shown = layout.take<std::int32_t>(chain.slots);
  freed = layout.take<std::int32_t>(chain.slots);
  order = layout.take<std::int32_t>(chain.slots);
}

ChainBlock::ChainBlock(Layout &layout, const Setting &setting, const Assignment &now,
                       const CountStore &counts, std::int32_t number,
                       const Penalties *penalties) noexcept
    : setting_(setting), model_(setting.model), now_(now), all_counts_(counts),
      penalties_(penalties), number_(number),
      chain_(model_.chains[number]), memory_(layout, model_, number) {}

bool ChainBlock::load(Limits &limits) noexcept {
  return in_stretches(limits, chain_.slots, kRowSteps, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      memory_.slots[s] = model_.slot(number_, static_cast<std::int32_t>(s));
      memory_.shown[s] = now_.shown(memory_.slots[s]);
    }
  });
}

bool ChainBlock::sort(Limits &limits) noexcept {
  std::iota(memory_.order, memory_.order + chain_.slots, 0);
  if (!sort_within(limits, memory_.order, chain_.slots,
                   [slots = memory_.slots](std::int32_t a, std::int32_t b) {
                     return slots[a].clique != slots[b].clique ? slots[a].clique < slots[b].clique
                                                               : a < b;
                   }) ||
      !limits.spend(4 * std::int64_t{chain_.slots}))
    return false;
  each_clique([&](std::int32_t begin, std::int32_t end) {
    has_repeats_ = has_repeats_ || end - begin > 1;
  });
  return true;
}

// ---- Gain of a labelling -----------------------------------------------------------------------

bool ChainBlock::compare(double score, gsl::span<const std::int32_t> values, MeasuredSum &before,
                         MeasuredSum &after, Limits &limits) noexcept {
  Expects(values.size() >= to_size(chain_.slots));
  if (!penalties_) {
    before.add(now_.phi(number_));
    after.add(score);
  }
  bool goes_on = true;
  each_clique([&](std::int32_t begin, std::int32_t end) noexcept {
    goes_on = goes_on && spend_row(memory_.order[begin], limits) &&
              limits.spend(kRowSteps * std::int64_t{end - begin});
    bool changes = false;
    for (std::int32_t k = begin; goes_on && k < end; ++k)
      changes = changes || memory_.shown[memory_.order[k]] != values.data()[memory_.order[k]];
    if (changes) {
      before.add(score_with(begin, end, memory_.shown));
      after.add(score_with(begin, end, values.data()));
    }
  });
  return goes_on;
}

// Returns C of the clique in which the chain has the slots order[begin .. end - 1], if each of
// these slots s shows column values[s].
double ChainBlock::score_with(std::int32_t begin, std::int32_t end,
                              const std::int32_t *values) noexcept {
  const std::int32_t number = sorted_clique(begin);
  const Clique clique = setting_.inputs.clique(number);
  std::int64_t *counts = memory_.varied;
  all_counts_.load(model_.first_count(number), {counts, to_size(clique.columns())});
  std::int32_t centre = now_.centre(clique);
  for (std::int32_t k = begin; k < end; ++k) {
    const std::int32_t s = memory_.order[k];
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
  return evaluate(number, clique, centre);
}

// Returns the potential of a clique, times its strength, for the counts in memory_.varied, which may
// be overwritten, and for the value `centre` of its centre, if it has one. With penalties, returns
// minus the penalty for the violation of these counts instead; the strength does not affect it.
double ChainBlock::evaluate(std::int32_t number, const Clique &clique,
                            std::int32_t centre) noexcept {
  CallbackFailure failed = CallbackFailure::none;
  const gsl::span<std::int64_t> counts{memory_.varied, to_size(clique.columns())};
  const double score =
      penalties_ ? penalties_->score(number, violation(clique, counts, centre, &failed))
                 : clique_score(clique, setting_.inputs.strength(number), counts, centre, &failed);
  setting_.call.fail(RunFailure::of(failed, clique));
  return score;
}

// ---- Scores of a clique by value of a slot -----------------------------------------------------

// Writes to row[v] the score C of the clique of slot s if the slot changes to column v.
bool ChainBlock::fill_row(std::int32_t s, gsl::span<double> row, Limits &limits) noexcept {
  const Clique &clique = clique_of(s);
  Expects(!kContracts || row.size() == to_size(clique.width(slot(s).member)));
  all_counts_.load(model_.first_count(slot(s).clique),
                   {memory_.counts, to_size(clique.columns())});
  const bool moves_centre = is_centre(s, clique);
  const std::int32_t centre = moves_centre ? 0 : now_.centre(clique);
  if (centre < 0 || (penalties_ && !moves_centre && !may_forbid(clique.potential_at(centre)))) {
    std::fill_n(row.data(), row.size(), 0.0); // the centre is left out, or there is no penalty
    return true;
  }
  const std::int32_t weight = clique.weight(slot(s).member);
  if (const std::int32_t own = memory_.shown[s]; !moves_centre && own >= 0)
    memory_.counts[own] -= weight;
  const Potential &potential = clique.potential_at(centre);
  if (penalties_ && !moves_centre && potential.family == Form::sum) {
    // A column changes only its own term of the violation, which is a sum over the columns.
    const std::int64_t others = violation_of_counts(
        potential, {memory_.counts, to_size(clique.columns())}, clique.total(), nullptr);
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(row.size()); ++v)
      row.data()[v] =
          penalties_->score(slot(s).clique, others + distance_change(potential, v, memory_.counts[v],
                                                                     weight, clique.total()));
    return true;
  }
  if (moves_centre || penalties_) {
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(row.size()); ++v) {
      if (!limits.spend(4 * std::int64_t{clique.columns()}))
        return false;
      std::copy_n(memory_.counts, clique.columns(), memory_.varied);
      if (!moves_centre)
        memory_.varied[v] += weight;
      row.data()[v] = evaluate(slot(s).clique, clique, moves_centre ? v : centre);
    }
    return true;
  }
  CallbackFailure failed = CallbackFailure::none;
  const std::int32_t K = clique.columns();
  const bool whole = fill_member_row(potential, span_of(memory_.counts, K), clique.total(), weight,
                                     span_of(memory_.varied, K), row, &failed, &limits);
  strengthen(s, row);
  setting_.call.fail(RunFailure::of(failed, clique));
  return whole;
}

bool ChainBlock::fill_rows(ChainProgram &program, Limits &limits) noexcept {
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    if (!spend_row(s, limits) || !fill_row(s, program.incoming_row(s), limits))
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

// ---- One repeat at a time ----------------------------------------------------------------------

void ChainBlock::hold_by(ChainProgram &program, double penalty,
                         gsl::span<const std::int32_t> freed) noexcept {
  for (std::int32_t k = 0; k < chain_.slots; ++k) {
    const std::int32_t s = memory_.order[k];
    const std::int32_t shows = memory_.shown[s];
    if (!is_repeat(k) || shows < 0 || (!freed.empty() && freed.data()[s] != 0))
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
  std::int32_t *freed = memory_.freed;
  std::fill_n(freed, chain_.slots, 0);
  if (!fill_rows(program, limits))
    return false;
  each_clique([&](std::int32_t begin, std::int32_t end) noexcept {
    std::int32_t best = -1;
    double best_gain = 0;
    for (std::int32_t k = begin; end - begin > 1 && k < end; ++k) {
      const std::int32_t s = memory_.order[k];
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
