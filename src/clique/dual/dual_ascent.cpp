// dual_ascent.hpp explains the words used here.
#include "clique/dual/dual_ascent.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// cutoff.level - cutoff.target, as a fraction of the gap at which an optimum counts as proven.
// Below 1, so that an optimum still counts as proven although labellings that score up to
// cutoff.level are dropped.
constexpr double kSlack = 0.5;
constexpr double kNegligible = 0.2; // rounding error to ignore, as a fraction of level - target
constexpr double kFade = 0.1;       // weight of the newest step in the moving averages
constexpr double kFirstAscentStep = 1.0;  // initial factor on Polyak's step length
// Multiplies the factor, and the distance of the target if no labelling is known, after more than
// kAscentPatience steps that did not lower the bound.
constexpr double kShorter = 0.6;
constexpr double kLeastStep = 0.02; // the ascent ends when the factor is below this number
constexpr std::int32_t kAscentPatience = 10;
// Unless run() is told to be `patient`, the ascent ends if ten steps lower the bound by less than
// this fraction of its distance from the target.
constexpr double kFading = 0.1;
constexpr std::int64_t kRoundEvery = 10; // steps between roundings to labellings
// A column's excess (see branch_column) below this fraction of the magnitudes of its terms, added
// up, counts as 0.
constexpr double kNoise = 1e-12;

} // namespace

Cutoff cutoff_for(const Instance &in, const Incumbent &incumbent) noexcept {
  if (incumbent.found())
    return {incumbent.score,
            incumbent.score + kSlack * tolerated_gap(incumbent.score, incumbent.magnitude), true};
  // With weights no count is forbidden, so alpha-pass has found a labelling (the incumbent).
  Expects(!in.weights);
  double lowest = 0;
  double magnitude = 0;
  // Adds the least of the finite numbers to `lowest`, and their greatest magnitude to `magnitude`.
  // With these sums, `floor` below is less than the score of every labelling, by more than the
  // rounding error of a bound, which is proportional to the magnitude.
  const auto add_least = [&](const double *numbers, std::int64_t count) {
    double least = kInfinity;
    double greatest = 0;
    for (std::int64_t k = 0; k < count; ++k)
      if (numbers[k] > kForbidden) {
        least = std::min(least, numbers[k]);
        greatest = std::max(greatest, std::fabs(numbers[k]));
      }
    if (least < kInfinity) {
      lowest += least;
      magnitude += greatest;
    }
  };
  Pace rows(in, 4 + 2 * std::int64_t{in.columns}, in.members);
  for (std::int64_t i = 0; i < in.members && rows.next(); ++i)
    add_least(in.row(i), in.columns);
  for (std::int64_t v = 0; v < in.columns && in.spend(4 * std::int64_t{in.members}); ++v)
    add_least(in.potential.tables[v], std::int64_t{in.members} + 1);
  if (in.interrupted())
    return {kForbidden, kForbidden, false};
  const double floor = lowest - (magnitude > 0 ? 1e-6 * magnitude : 1.0);
  return {floor, floor, false};
}

void start_prices(const Instance &in, gsl::span<double> prices) noexcept {
  Pace pace(in, 4 + 2 * std::int64_t{in.columns}, in.members);
  for (std::int64_t i = 0; i < in.members && pace.next(); ++i) {
    const double best = *std::max_element(in.row(i), in.row(i) + in.columns);
    prices.data()[i] = best > kForbidden ? best : 0.0;
  }
}

DualAscent::DualAscent(Layout &layout, const Instance &instance) noexcept
    : rounding_(layout, instance), members_(instance.members), columns_(instance.columns),
      price_(layout.take_span<double>(instance.members)),
      average_count_(layout.take<double>(instance.columns)),
      average_score_(layout.take<double>(instance.columns)) {}

void DualAscent::average(const CountDual &dual, double fade) noexcept {
  for (std::int32_t v = 0; tables_ && v < columns_; ++v) {
    const std::int32_t k = dual.chosen_count(v);
    average_count_[v] += fade * (k - average_count_[v]);
    average_score_[v] += fade * (tables_[v][k] - average_score_[v]);
  }
}

double DualAscent::run(CountDual &dual, const Instance &in, gsl::span<double> best_prices,
                       Incumbent &incumbent, Cutoff &cutoff, double gap, std::int64_t limit,
                       bool patient, Limits &limits, double *dropped) noexcept {
  double *prices = best_prices.data();
  double *price = price_.data();
  tables_ = in.potential.tables;
  copy_within(limits, prices, members_, price);
  double bound = kInfinity;
  double checkpoint = kInfinity;
  double factor = kFirstAscentStep;
  double reach = 0; // without a labelling: distance of the target below the bound
  std::int32_t in_vain = 0;
  limit_hit_ = false;
  std::fill(average_count_, average_count_ + columns_, 0.0);
  std::fill(average_score_, average_score_ + columns_, 0.0);
  const auto round = [&] {
    const double before = incumbent.score;
    rounding_.round(in, dual, limits, incumbent);
    if (incumbent.score > before)
      cutoff = cutoff_for(in, incumbent);
  };
  for (std::int64_t step = 0;; ++step) {
    const double value =
        dual.evaluate(price_, cutoff.known ? kNegligible * (cutoff.level - cutoff.target) : 0.0);
    ++steps_;
    if (in.interrupted())
      return bound;
    if (value == kForbidden)
      return kForbidden;
    average(dual, step == 0 ? 1 : kFade);

    if (step % kRoundEvery == 0)
      round();
    if (value < bound - 1e-12 * std::fabs(bound) || step == 0) {
      bound = value;
      copy_within(limits, price, members_, prices);
      in_vain = 0;
      reach = step == 0 ? 0.01 * (bound - cutoff.target) : 2 * reach;
      if (bound <= cutoff.level)
        return bound;
      if (!in.weights && !dual.reduce(cutoff.level, dropped))
        return kForbidden;
      if (incumbent.found() && closes_gap(incumbent.score, incumbent.magnitude, bound, gap))
        return bound;
    } else if (++in_vain > kAscentPatience) {
      factor *= kShorter;
      reach *= kShorter;
      in_vain = 0;
      if (factor < kLeastStep)
        break;
      copy_within(limits, prices, members_, price);
      continue;
    }
    if (step + 1 >= limit) {
      limit_hit_ = true;
      break;
    }
    const double target = cutoff.known ? cutoff.target : std::max(cutoff.target, bound - reach);
    if (!patient && step % 10 == 9) {
      if (checkpoint - bound < kFading * (bound - target))
        break;
      checkpoint = bound;
    }

    const double *slope = dual.slope().data();
    double square = 0;
    if (!in_stretches(limits, members_, 4, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            square += slope[i] * slope[i] * static_cast<double>(in.weight(i));
        }))
      break;
    // A zero subgradient: exactly one column chooses each member, so the choices are an optimal
    // labelling of the box.
    if (square == 0)
      break;
    const double length = factor * (value - target) / square;
    if (!in_stretches(limits, members_, 4, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            price[i] -= length * slope[i] * static_cast<double>(in.weight(i));
        }))
      break;
  }
  round();
  return bound;
}

void DualAscent::offer(const Instance &in, gsl::span<const std::int32_t> assignment,
                       Incumbent &incumbent, Cutoff &cutoff) noexcept {
  const double before = incumbent.score;
  rounding_.offer(in, assignment, incumbent);
  if (incumbent.score > before)
    cutoff = cutoff_for(in, incumbent);
}

std::int32_t DualAscent::branch_column(const CountDual &dual, std::int32_t *at) const noexcept {
  std::int32_t chosen = -1;
  double most = -1;
  double most_central = 0;
  for (std::int32_t v = 0; v < columns_; ++v) {
    const std::int32_t lo = dual.lo()[v];
    const std::int32_t hi = dual.hi()[v];
    if (lo >= hi)
      continue;
    const double count = std::clamp(average_count_[v], double(lo), double(hi));
    const std::int32_t below = std::min(static_cast<std::int32_t>(count), hi - 1);
    const double *f = tables_[v] + below;
    const double part = count - below;
    double excess = kInfinity;
    if (f[0] > kForbidden && f[1] > kForbidden) {
      excess = average_score_[v] - (f[0] + part * (f[1] - f[0]));
      if (!(excess > kNoise * (std::fabs(average_score_[v]) + std::fabs(f[0]) + std::fabs(f[1]))))
        excess = 0;
    }
    // Among columns with the greatest excess, chooses the column whose average count is farthest
    // from both ends of its range.
    const double central = std::min(count - lo, hi - count);
    if (excess > most || (excess == most && central > most_central)) {
      most = excess;
      most_central = central;
      chosen = v;
      *at = below;
    }
  }
  return chosen;
}

} // namespace chorale
