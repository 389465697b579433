// dual.hpp explains the words used here.
#include "cluster/run/dual.hpp"

#include "cluster/run/closed.hpp"
#include "cluster/run/polish.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace chorale {
namespace {

constexpr std::int64_t kDualGrain = 2;
// After kDualPatience steps that do not lower the bound, the step size is multiplied by kSlower.
constexpr std::int64_t kDualPatience = 6;
constexpr double kSlower = 0.7;
// A step aims at a target below D. The magnitude of D is the sum of the absolute values of its
// terms. If a labelling is known, the target is the best known score, but at least kLeastReach
// times the magnitude below D. If no labelling is known, the target is kReach times the magnitude
// below D.
constexpr double kReach = 0.01;
constexpr double kLeastReach = 1e-9;
constexpr double kFar = 10; // see Dual::run()
// The first labellings of the chains are nearly those without messages and those of the rounds, and
// are not polished.
constexpr std::int64_t kUnpolished = 4;
constexpr double kToBeComputed = std::numeric_limits<double>::quiet_NaN();

} // namespace

void Dual::run(std::int64_t steps) noexcept {
  if (shows_outside())
    return;
  if (course_.stage == DualStage::none) {
    state_.leave_round();
    state_.course.polish = {};
    course_.left = steps;
    course_.stage = dual_.progress.started ? DualStage::steps : DualStage::plain;
  }
  double value = 0;
  // First computes D_0, with all multipliers 0, and then, if there are messages, D_1, with half of
  // each message as multiplier. Both are upper bounds. The steps start from the multipliers of D_1
  // if D_1 - D_0 is at most kFar times the difference between D_0 and the best score. Otherwise
  // they start from 0: messages that have not converged may be far from good multipliers.
  if (course_.stage == DualStage::plain) {
    if (!course_.evaluating)
      std::fill_n(dual_.multipliers.data(), dual_.multipliers.size(), 0.0);
    if (!evaluate(value))
      return;
    dual_.progress.started = true;
    course_.stage =
        value == kInfinity || state_.standing.zero_messages ? DualStage::steps : DualStage::half;
    take(value);
    if (setting_.call.must_end())
      return;
  }
  if (course_.stage == DualStage::half) {
    if ((!course_.evaluating && !load_half()) || !evaluate(value))
      return;
    course_.stage = DualStage::steps;
    const double plain = dual_.progress.bound;
    course_.keeps_bounds =
        value - plain <=
        kFar * std::max(plain - state_.best.total(), kLeastReach * magnitude_);
    if (!course_.keeps_bounds)
      std::fill_n(dual_.multipliers.data(), dual_.multipliers.size(), 0.0);
    take(value);
    if (setting_.call.must_end())
      return;
  }
  for (; course_.left > 0; --course_.left) {
    if (!course_.evaluating && state_.standing.has_labelling &&
        closes_gap(state_.best.total(), state_.best.magnitude, state_.standing.upper_bound))
      break;
    if (!evaluate(value))
      return;
    take(value);
    if (value == kInfinity || value == kForbidden || !move(value))
      break;
    if (setting_.call.must_end()) {
      --course_.left;
      return;
    }
  }
  course_ = {};
}

// True if some labelling may show a value outside a dictionary that has no UNLISTED. Equation 1
// counts such a labelling but joint programs leave it out, so D would be no upper bound.
bool Dual::shows_outside() const noexcept {
  for (const Clique &clique : model_.cliques)
    if (clique.dictionary() && clique.members > 0 &&
        !clique.dictionary()->holds_all(clique.property()->values))
      return true;
  return false;
}

// Sets each multiplier to half of the entry of the message from the clique to the chain; to 0 if
// that entry is minus infinity. False if the call must end.
bool Dual::load_half() noexcept {
  Worker &worker = setting_.worker(0);
  for (const Clique &clique : model_.cliques)
    for (std::int32_t i = 0; i < (clique.closed() ? 0 : clique.all_members()); ++i) {
      if (!spend_row(clique, i, worker))
        return setting_.call.end(worker);
      state_.to_chain.load(clique.row(i), multiplier_row(clique, i));
    }
  double *const first = dual_.multipliers.data();
  std::transform(first, first + dual_.multipliers.size(), first,
                 [](double entry) { return entry == kForbidden ? 0.0 : entry / 2; });
  return true;
}

// Computes D into `value`, then compares the labelling found with the best known one (offer()).
// Recomputes the terms whose bounds in DualState are NaN: all terms, or after move() only the terms
// whose multipliers changed. False if the call must end.
bool Dual::evaluate(double &value) noexcept {
  double *clique_value = dual_.clique_bounds.data();
  double *chain_value = dual_.chain_bounds.data();
  if (!std::exchange(course_.evaluating, true) && !std::exchange(course_.keeps_bounds, false))
    for (const gsl::span<double> bounds : {dual_.clique_bounds, dual_.chain_bounds})
      std::fill_n(bounds.data(), bounds.size(), kToBeComputed);
  setting_.each(model_.cliques.size(), kDualGrain, [&](std::int64_t c, std::int32_t w) noexcept {
    if (std::isnan(clique_value[c]) && setting_.check(w))
      bound_clique(c, setting_.worker(w), clique_value[c]);
  });
  setting_.each(model_.chains.size(), kDualGrain, [&](std::int64_t i, std::int32_t w) noexcept {
    if (std::isnan(chain_value[i]) && setting_.check(w))
      bound_chain(static_cast<std::int32_t>(i), setting_.worker(w), chain_value[i]);
  });
  if (setting_.call.must_end())
    return false;
  const auto total = [](gsl::span<const double> bounds) {
    MeasuredSum sum;
    for (const double *of = bounds.data(), *end = of + bounds.size();
         of != end && sum.total > kForbidden; ++of)
      sum.add(*of);
    return sum;
  };
  const MeasuredSum chains = total(dual_.chain_bounds);
  const MeasuredSum cliques = total(dual_.clique_bounds);
  value = chains.total == kForbidden || cliques.total == kForbidden
              ? kForbidden
              : chains.total + cliques.total;
  magnitude_ = chains.magnitude + cliques.magnitude;
  if (value > kForbidden && state_.standing.has_labelling && !offer(value))
    return false;
  course_.evaluating = false;
  return true;
}

// Compares the labelling that the chains now have (RunState::now) with the best known one. The 4th,
// 8th, 16th, .. that is compared is polished before (dual.hpp). `value`: D. False if the call must
// end.
bool Dual::offer(double value) noexcept {
  PolishCourse &polish = state_.course.polish;
  std::int64_t &offered = dual_.progress.offered;
  if (polish.stage == PolishStage::none && setting_.options.polish && !model_.items_alone &&
      offered >= kUnpolished && (offered & (offered - 1)) == 0 &&
      !closes_gap(state_.best.total(), state_.best.magnitude,
                  std::min(value, state_.standing.upper_bound)))
    polish.stage = PolishStage::counts;
  if (polish.stage == PolishStage::counts || polish.stage == PolishStage::sweeps) {
    if (!sweep_chains(setting_, state_.own, state_.now, polish))
      return false;
    polish.stage = PolishStage::score;
  }
  if (!evaluation_.offer(state_.now, state_.tally.rounds))
    return false;
  polish = {};
  ++offered;
  return true;
}

// Writes to `known` the term of a chain in D, or an upper bound on it. Stores the labelling found
// in RunState::now, and the columns shown in DualState::by_chain. Leaves `known` as it is (NaN) if
// the call must end.
void Dual::bound_chain(std::int32_t number, Worker &worker, double &known) noexcept {
  const Chain &chain = model_.chains[number];
  if (model_.is_closed(chain)) {
    known = 0; // the scores of the chain are part of the term of its closed clique (closed.hpp)
    return;
  }
  if (state_.own.lacks(number)) {
    known = 0;
    for (std::int32_t s = 0; s < chain.slots; ++s)
      dual_.by_chain.data()[model_.slots[chain.first_slot + s]] = -1;
    return;
  }
  PlacedChain placed(setting_, worker.room, number);
  ChainProgram &program = placed.program;
  for (std::int32_t s = 0; s < chain.slots; ++s) {
    if (!worker.limits.spend(kRowSteps + 2 * std::int64_t{program.columns_of(s)})) {
      setting_.call.check(worker);
      return;
    }
    std::copy_n(dual_.multipliers.data() + program.row_place(s), program.columns_of(s),
                program.incoming_row(s).data());
  }
  double value = 0;
  if (!program.bound(&value, worker.limits, &state_.now)) {
    setting_.call.give_up(program, worker);
    return;
  }
  if (program.score > kForbidden)
    state_.now.set(number, program.labels, program.shown, program.score);
  for (std::int32_t s = 0; s < chain.slots; ++s)
    dual_.by_chain.data()[model_.slots[chain.first_slot + s]] =
        program.score > kForbidden ? program.shown.data()[s] : -1;
  known = value;
  setting_.call.finish_step();
}

// Writes to `known` the term of a clique in D, or an upper bound on it, and to DualState::by_clique
// the columns of its best assignment. For a closed clique, the term includes the scores of its
// items, whose labels are stored in RunState::now. Leaves `known` as it is (NaN) if the call must
// end.
void Dual::bound_clique(std::int64_t number, Worker &worker, double &known) noexcept {
  if (model_.cliques[number].all_members() == 0) {
    known = 0;
    return;
  }
  PlacedClique placed(setting_, worker.room, number, state_.own);
  CliqueProgram &program = placed.program;
  const Clique &clique = placed.clique;
  const std::int64_t entries = clique.closed() ? 0 : clique.entries();
  const double *multipliers = dual_.multipliers.data() + (entries > 0 ? clique.row(0) : 0);
  std::transform(multipliers, multipliers + entries, program.incoming.data(), std::negate<>());
  if (clique.closed() && !load_items(setting_, clique, program.incoming, worker.limits)) {
    setting_.call.check(worker);
    return;
  }
  bool found = false;
  double value = 0;
  if (!program.bound(&value, &found, worker.limits)) {
    setting_.call.give_up(program, worker);
    return;
  }
  if (clique.closed() && found)
    show_items(setting_, clique, program.shown, state_.now);
  for (std::int32_t i = 0; i < clique.all_members(); ++i)
    dual_.by_clique.data()[clique.first_slot + i] =
        found && !clique.closed() ? program.shown.data()[i] : -1;
  known = value;
  setting_.call.finish_step();
}

// Records a value of D: lowers the upper bound of the run, and the step size if the bound has not
// fallen for kDualPatience steps.
void Dual::take(double value) noexcept {
  if (value < dual_.progress.bound) {
    dual_.progress.bound = value;
    dual_.progress.stalled = 0;
  } else if (++dual_.progress.stalled >= kDualPatience) {
    dual_.progress.stalled = 0;
    dual_.progress.pace *= kSlower;
  }
  state_.standing.upper_bound = std::min(state_.standing.upper_bound, value);
  // Because of rounding, a tight bound may lie slightly below the best score.
  if (state_.standing.has_labelling)
    state_.standing.upper_bound = std::max(state_.standing.upper_bound, state_.best.total());
  if (state_.standing.upper_bound < kInfinity)
    evaluation_.report_progress();
}

// Does one subgradient step from multipliers under which D is `value`. False if each slot shows the
// same column in the best labelling of its chain and in the best assignment of its clique (slots
// for which one of the two is unknown do not count): the subgradient is then 0.
bool Dual::move(double value) noexcept {
  std::int64_t differences = 0;
  // Announces its steps to the limits but ignores whether they end the call, since a step that
  // moved only some multipliers could not be resumed.
  Limits &limits = setting_.worker(0).limits;
  const auto each = [&](auto &&visit) {
    for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
      const Clique &clique = model_.cliques[c];
      limits.spend(16 * (1 + std::int64_t{clique.all_members()}));
      for (std::int32_t i = 0; i < clique.all_members(); ++i) {
        const std::int32_t wanted = dual_.by_clique.data()[clique.first_slot + i];
        const std::int32_t shown = dual_.by_chain.data()[clique.first_slot + i];
        if (wanted >= 0 && shown >= 0 && wanted != shown)
          visit(c, i, shown, wanted);
      }
    }
  };
  each([&](std::int64_t, std::int32_t, std::int32_t, std::int32_t) { ++differences; });
  if (differences == 0)
    return false;
  const bool knows_labelling = state_.standing.has_labelling && state_.best.total() > kForbidden;
  const double gap = knows_labelling
                         ? std::max(value - state_.best.total(), kLeastReach * magnitude_)
                         : kReach * magnitude_;
  const double size = dual_.progress.pace * gap / static_cast<double>(2 * differences);
  each([&](std::int64_t c, std::int32_t i, std::int32_t shown, std::int32_t wanted) {
    const Clique &clique = model_.cliques[c];
    double *row = multiplier_row(clique, i).data();
    row[shown] -= size;
    row[wanted] += size;
    dual_.clique_bounds.data()[c] = kToBeComputed;
    dual_.chain_bounds.data()[model_.chain_of(clique, i)] = kToBeComputed;
  });
  course_.keeps_bounds = true;
  return true;
}

} // namespace chorale
