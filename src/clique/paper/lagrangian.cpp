// lagrangian.hpp explains the words used here.
#include "clique/paper/lagrangian.hpp"

#include "clique/majority/majority.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace chorale {
namespace {

// Changes of a multiplier below this fraction of the largest useful multiplier count as 0, and so
// do decreases of L below this fraction of L's magnitude.
constexpr double kTie = 1e-12;
// For the line search of the golden-section rule.
constexpr double kGolden = 0.6180339887498949; // 1 / golden ratio
constexpr std::int32_t kSections = 29;         // cuts, which reduce the interval to a millionth
// For the subgradient rule.
constexpr std::int32_t kPatience = 5; // steps without a lower L after which the step size is halved
constexpr double kLastStep = 1e-4;    // the relaxation ends when the step size is below this number

constexpr std::int64_t kSweepsOfRepair = 100; // greatest number of sweeps of single moves

// Returns the default limit of steps in one relaxation.
std::int64_t own_limit(StepRule rule, std::int64_t members, std::int64_t columns) noexcept {
  switch (rule) {
  case StepRule::subgradient:
    return 300;
  case StepRule::golden_section:
    return 10 * columns;
  default:
    return 10 * (members + columns);
  }
}

} // namespace

bool restore_majority(const Instance &in, std::int32_t alpha, gsl::span<const double> level_of,
                      gsl::span<std::int32_t> labelling, gsl::span<std::int32_t> by_column,
                      Limits &limits) noexcept {
  const double *levels = level_of.data();
  std::int32_t *x = labelling.data();
  std::int32_t *counts = by_column.data();
  const std::int32_t counted = counted_columns(in.potential);
  for (;;) {
    std::int32_t fullest = alpha;
    for (std::int32_t v = 0; v < counted; ++v)
      fullest = counts[v] > counts[fullest] ? v : fullest;
    if (fullest == alpha)
      return !in.interrupted();
    double least = kInfinity;
    std::int32_t who = -1;
    std::int32_t where = -1;
    Pace pace(limits, 4 + 4 * in.columns, in.members);
    for (std::int32_t i = 0; i < in.members; ++i) {
      if (!pace.next())
        return false;
      if (x[i] != fullest)
        continue;
      const double own = in.score(i, fullest) + levels[fullest];
      for (std::int32_t v = 0; v < in.columns; ++v) {
        const bool has_room = v == alpha || v >= counted || counts[v] < counts[alpha];
        const double loss = own - (in.score(i, v) + levels[v]);
        if (has_room && v != fullest && loss < least) {
          least = loss;
          who = i;
          where = v;
        }
      }
    }
    if (who < 0)
      return false;
    --counts[fullest];
    ++counts[where];
    x[who] = where;
  }
}

Lagrangian::Lagrangian(Layout &layout, const Instance &instance, StepRule rule) noexcept
    : instance_(&instance), rule_(rule), counted_(counted_columns(instance.potential)),
      multiplier_(layout.take<double>(instance.columns)),
      level_(layout.take_span<double>(instance.columns)),
      best_other_(layout.take<double>(instance.members)),
      moved_(layout.take<std::uint8_t>(instance.members)),
      x_(layout.take_span<std::int32_t>(instance.members)),
      counts_(layout.take_span<std::int32_t>(instance.columns)),
      stuck_(layout.take<std::uint8_t>(instance.columns)),
      bounds_(layout.take<double>(instance.columns)), moves_(layout, instance) {}

void Lagrangian::set_levels() noexcept {
  const double *weights = instance_->potential.weights + std::int64_t{alpha_} * instance_->columns;
  double sum = 0;
  for (std::int32_t v = 0; v < instance_->columns; ++v) {
    level_.data()[v] = weights[v] - multiplier_[v];
    sum += multiplier_[v];
  }
  level_.data()[alpha_] = weights[alpha_] + sum;
}

double Lagrangian::choose(Solution &solution) noexcept {
  MeasuredSum sum;
  sum.add(instance_->potential.bias[alpha_]);
  const auto take_best = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int32_t best = 0;
      double highest = level(i, 0);
      for (std::int32_t v = 1; v < instance_->columns; ++v) {
        const double score = level(i, v);
        best = score > highest ? v : best;
        highest = score > highest ? score : highest;
      }
      x_.data()[i] = best;
      sum.add(highest);
    }
  };
  if (!in_stretches(*instance_, instance_->members, 8 + 2 * instance_->columns, take_best) ||
      !instance_->count(x_, counts_))
    return kInfinity;
  magnitude_ = sum.magnitude;
  offer(*instance_, x_, counts_, solution);
  return sum.total;
}

// Offers the paper's first candidate to `solution`: alpha for every member that may take alpha, and
// the best column for the others. Returns an upper bound on useful multipliers: if lambda_v exceeds
// it, none of the members that may take alpha prefers column v to alpha.
double Lagrangian::offer_all(Solution &solution) noexcept {
  double largest = 0;
  Pace pace(*instance_, 16 + 2 * std::int64_t{counted_}, instance_->members);
  for (std::int32_t i = 0; i < instance_->members && pace.next(); ++i) {
    const bool may = instance_->score(i, alpha_) > kForbidden;
    x_.data()[i] = may ? alpha_ : instance_->best[i];
    for (std::int32_t v = 0; may && v < counted_; ++v)
      largest = std::max(largest, level(i, v) - level(i, alpha_));
  }
  if (instance_->count(x_, counts_))
    offer(*instance_, x_, counts_, solution);
  return largest;
}

// Returns the column, among those not marked in stuck_, whose count exceeds alpha's by most. If
// there is none, the column with the greatest product of its multiplier and (alpha's count - its
// own count), if this product exceeds `tolerated`; otherwise -1.
std::int32_t Lagrangian::worst(double tolerated) const noexcept {
  std::int32_t above = -1;
  std::int32_t below = -1;
  std::int32_t most_above = 0;
  double most_below = tolerated;
  for (std::int32_t v = 0; v < counted_; ++v) {
    if (v == alpha_ || stuck_[v])
      continue;
    if (excess(v) > most_above) {
      most_above = excess(v);
      above = v;
    } else if (-excess(v) * multiplier_[v] > most_below) {
      most_below = -excess(v) * multiplier_[v];
      below = v;
    }
  }
  return above >= 0 ? above : below;
}

// Changes the multiplier of a column v until some member is indifferent between two columns, and
// moves this member. Raising lambda_v by t lowers the level of v by t and raises alpha's by t. So a
// member at v becomes indifferent between v and alpha when t is half the difference of their
// levels; a member at a third column becomes indifferent between that column and alpha when t is
// the whole difference. Lowering lambda_v is the same with v and alpha exchanged, and ends at 0.
bool Lagrangian::step_conservative(std::int32_t v, Solution &solution) noexcept {
  const bool is_above = excess(v) > 0;
  const std::int32_t leaving = is_above ? v : alpha_; // the column whose level falls
  const std::int32_t gaining = is_above ? alpha_ : v;
  double step = is_above ? kInfinity : multiplier_[v];
  std::int32_t who = -1;
  std::int32_t where = -1;
  Pace pace(*instance_, 16 + 2 * std::int64_t{counted_}, instance_->members);
  for (std::int32_t i = 0; i < instance_->members; ++i) {
    if (!pace.next())
      return false;
    const std::int32_t u = x_.data()[i];
    if (u == gaining)
      continue;
    const std::int32_t last = u == leaving ? instance_->columns - 1 : gaining;
    for (std::int32_t w = u == leaving ? 0 : gaining; w <= last; ++w) {
      const double loss = level(i, u) - level(i, w);
      const double change = loss <= kTie * largest_        ? 0
                            : u == leaving && w == gaining ? loss / 2
                                                           : loss;
      if (w != u && (change < step || (change == step && who >= 0 && moved_[who] && !moved_[i]))) {
        step = change;
        who = i;
        where = w;
      }
    }
  }
  if (step == kInfinity) {
    least_ = kForbidden; // L has no lower bound: no labelling has majority alpha
    return false;
  }
  if (step > 0) {
    forget_stuck();
  } else if (moved_[who]) { // a second move at the same multipliers could repeat without end
    stuck_[v] = 1;
    return true;
  }
  least_ -= step * std::abs(excess(v));
  multiplier_[v] += is_above ? step : -step;
  set_levels();
  if (who >= 0) {
    --counts_.data()[x_.data()[who]];
    ++counts_.data()[where];
    x_.data()[who] = where;
    moved_[who] = 1;
    offer(*instance_, x_, counts_, solution);
  }
  return true;
}

// Returns L, up to a constant, with lambda_v changed by `change`. Requires best_other_.
double Lagrangian::along(std::int32_t v, double change) const noexcept {
  double total = 0;
  in_stretches(*instance_, instance_->members, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      total += std::max(best_other_[i], std::max(level(i, v) - change, level(i, alpha_) + change));
  });
  return total;
}

// Minimises L over lambda_v by golden-section search. If column v has more members than alpha,
// lambda_v rises by 0 .. largest_; otherwise it falls, at most to 0.
bool Lagrangian::step_golden(std::int32_t v, Solution &solution) noexcept {
  Pace pace(*instance_, 8 + 2 * std::int64_t{counted_}, instance_->members);
  for (std::int64_t i = 0; i < instance_->members && pace.next(); ++i) {
    best_other_[i] = kForbidden;
    for (std::int32_t w = 0; w < instance_->columns; ++w)
      if (w != v && w != alpha_)
        best_other_[i] = std::max(best_other_[i], level(i, w));
  }
  double low = excess(v) > 0 ? 0 : -multiplier_[v];
  double high = excess(v) > 0 ? largest_ : 0;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = along(v, left);
  double at_right = along(v, right);
  for (std::int32_t section = 0; section < kSections && !instance_->interrupted(); ++section) {
    // If both values are equal, the convex function has a minimum between left and right, and
    // either cut keeps this interval.
    if (at_left <= at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = along(v, left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = along(v, right);
    }
  }
  if (instance_->interrupted())
    return false;
  if (!(along(v, left) < along(v, 0) - kTie * magnitude_)) {
    stuck_[v] = 1;
    return true;
  }
  forget_stuck();
  multiplier_[v] = std::max(0.0, multiplier_[v] + left);
  set_levels();
  least_ = std::min(least_, choose(solution));
  return true;
}

// Changes all multipliers by step_size_ times the step that, if L were linear, would lower L to the
// best known score (Polyak's rule), or lower it by largest_ if no labelling is known.
bool Lagrangian::step_subgradient(Solution &solution) noexcept {
  const auto slope = [this](std::int32_t v) -> double {
    return v == alpha_ || (multiplier_[v] == 0 && excess(v) < 0) ? 0 : excess(v);
  };
  double squares = 0;
  for (std::int32_t v = 0; v < counted_; ++v)
    squares += slope(v) * slope(v);
  if (squares == 0 || step_size_ < kLastStep)
    return false;
  const double gap = solution.found() ? least_ - solution.score : largest_;
  for (std::int32_t v = 0; v < counted_; ++v)
    multiplier_[v] = std::max(0.0, multiplier_[v] + step_size_ * gap / squares * slope(v));
  set_levels();
  const double value = choose(solution);
  in_vain_ = value < least_ ? 0 : in_vain_ + 1;
  least_ = std::min(least_, value);
  if (in_vain_ == kPatience) {
    step_size_ /= 2;
    in_vain_ = 0;
  }
  return true;
}

void Lagrangian::forget_stuck() noexcept {
  std::fill(moved_, moved_ + instance_->members, std::uint8_t{0});
  std::fill(stuck_, stuck_ + instance_->columns, std::uint8_t{0});
}

void Lagrangian::start(std::int32_t alpha) noexcept {
  alpha_ = alpha;
  std::fill(multiplier_, multiplier_ + instance_->columns, 0.0);
  set_levels();
}

double Lagrangian::relax(std::int32_t alpha, const SolveOptions &options, Limits &limits,
                         Solution &solution) noexcept {
  const std::int64_t limit = options.iteration_limit > 0
                                 ? options.iteration_limit
                                 : own_limit(rule_, instance_->members, instance_->columns);
  start(alpha);
  forget_stuck();
  largest_ = offer_all(solution);
  least_ = choose(solution);
  step_size_ = 1;
  in_vain_ = 0;
  for (std::int64_t step = 0; least_ > solution.score; ++step) {
    const std::int32_t v = worst(options.tolerance * largest_);
    if (v < 0)
      break;
    if (step == limit) {
      solution.iteration_limit_hit = true;
      break;
    }
    if (!limits.spend(4 * std::int64_t{instance_->columns}) || instance_->interrupted())
      break;
    ++solution.iterations;
    if (!(rule_ == StepRule::conservative     ? step_conservative(v, solution)
          : rule_ == StepRule::golden_section ? step_golden(v, solution)
                                              : step_subgradient(solution)))
      break;
  }
  if (rule_ == StepRule::conservative && least_ > kForbidden)
    least_ = choose(solution); // without the rounding errors of the steps
  if (least_ > solution.score && instance_->count(x_, counts_) &&
      restore_majority(*instance_, alpha, level_, x_, counts_, limits)) {
    std::int64_t sweeps = kSweepsOfRepair;
    moves_.improve(*instance_, x_, limits, sweeps);
    if (instance_->count(x_, counts_))
      offer(*instance_, x_, counts_, solution);
  }
  return least_;
}

void Lagrangian::run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept {
  offer_all_in_rest(*instance_, x_, counts_, solution);
  for (std::int32_t alpha = 0; alpha < counted_; ++alpha) {
    start(alpha);
    bounds_[alpha] = choose(solution);
    if (instance_->interrupted())
      return;
  }
  // Relaxes the columns by descending bounds_: a good labelling found early ends later relaxations
  // sooner.
  double bound = kForbidden;
  for (;;) {
    double *highest = std::max_element(bounds_, bounds_ + counted_);
    if (counted_ == 0 || *highest <= solution.score)
      break;
    bound = std::max(bound, relax(static_cast<std::int32_t>(highest - bounds_), options, limits,
                                  solution));
    *highest = kForbidden;
    if (limits.interruption() != Interruption::none)
      return;
  }
  // The bound holds for every labelling: either the labelling has a majority column, or all its
  // members are in the rest column, and offer_all_in_rest() has offered it to the solution.
  solution.bound = std::min(solution.bound, std::max(bound, solution.score));
}

} // namespace chorale
