// lagrangian.hpp explains the words used here.
#include "clique/paper/lagrangian.hpp"

#include "clique/majority/majority.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Changes of a multiplier below this fraction of the largest useful multiplier count as 0, and so
// do decreases of L below this fraction of L's magnitude.
constexpr double kTie = 1e-12;
// For the line search of the golden-section rule.
constexpr double kGolden = 0.6180339887498949; // 1 / golden ratio
constexpr std::int32_t kSections = 29;        // cuts, which reduce the interval to a millionth
// For the subgradient rule. The step size is a factor on the step that would close the gap if L
// were linear.
constexpr double kMemory = 0.3;       // weight of the old direction in the new one
constexpr double kFirstStep = 1.0;    // step size at the beginning
constexpr std::int32_t kPatience = 5; // steps without a lower L after which the step size is halved
constexpr double kLastStep = 1e-4;    // the relaxation ends when the step size is below this number

constexpr std::int64_t kSweepsOfRepair = 100; // greatest number of sweeps of single moves

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
    : instance_(&instance), rule_(rule), counted_(counted_columns(instance.potential)), alpha_(0),
      weights_(layout.take<double>(instance.columns)),
      multiplier_(layout.take<double>(instance.columns)),
      level_(layout.take<double>(instance.columns)),
      direction_(layout.take<double>(instance.columns)),
      best_other_(layout.take<double>(instance.members)),
      x_(layout.take_span<std::int32_t>(instance.members)),
      counts_(layout.take_span<std::int32_t>(instance.columns)),
      changed_(layout.take<std::uint8_t>(static_cast<std::size_t>(instance.members))),
      stuck_(layout.take<std::uint8_t>(static_cast<std::size_t>(instance.columns))),
      bounds_(layout.take<double>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)), score_(layout, instance.potential),
      moves_(layout, instance), member_score_(0), magnitude_(0), largest_(0), step_size_(0),
      least_(0), failures_(0) {}

void Lagrangian::set_levels() noexcept {
  double sum = 0;
  for (std::int32_t v = 0; v < instance_->columns; ++v) {
    level_[v] = weights_[v] - multiplier_[v];
    sum += multiplier_[v];
  }
  level_[alpha_] = weights_[alpha_] + sum;
}

double Lagrangian::choose() noexcept {
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
  score_.reset(counts_);
  member_score_ = instance_->member_score(x_);
  magnitude_ = sum.magnitude;
  return instance_->interrupted() ? kInfinity : sum.total;
}

// Offers the paper's first candidate to `solution`: alpha for every member that may take alpha, and
// the best column for the others.
void Lagrangian::offer_all(Solution &solution) noexcept {
  Pace pace(*instance_, 8, instance_->members);
  for (std::int32_t i = 0; i < instance_->members && pace.next(); ++i)
    x_.data()[i] = instance_->score(i, alpha_) > kForbidden ? alpha_ : instance_->best[i];
  if (instance_->count(x_, counts_))
    offer(*instance_, x_, counts_, solution);
}

// Returns an upper bound on useful multipliers: if lambda_v exceeds it, no member that may take
// alpha prefers column v to alpha, so that a greater lambda_v moves no such member.
double Lagrangian::largest_multiplier() const noexcept {
  double largest = 0;
  Pace pace(*instance_, 8 + 2 * std::int64_t{counted_}, instance_->members);
  for (std::int64_t i = 0; i < instance_->members && pace.next(); ++i) {
    const double own = instance_->score(i, alpha_) + weights_[alpha_];
    if (own > kForbidden)
      for (std::int32_t v = 0; v < counted_; ++v)
        largest = std::max(largest, instance_->score(i, v) + weights_[v] - own);
  }
  return largest;
}

// Returns the column whose multiplier is to be changed, among those not marked in stuck_: the
// column whose count exceeds alpha's by most. If no count exceeds alpha's, returns the column with
// the greatest product of its multiplier and (alpha's count - its own count), if this product is
// above `tolerated`. The golden-section rule instead takes, among the columns with a greater count
// than alpha and those with such a product above `tolerated`, the column whose count differs most
// from alpha's.
Lagrangian::Violation Lagrangian::worst(double tolerated) const noexcept {
  const bool by_difference = rule_ == StepRule::golden_section;
  Violation above{-1, true};
  Violation below{-1, false};
  double most_above = 0;
  double most_below = 0;
  for (std::int32_t v = 0; v < counted_; ++v) {
    if (!is_constrained(v) || stuck_[v])
      continue;
    const double excess = score_.count(v) - score_.count(alpha_);
    const double paid = -excess * multiplier_[v];
    const double size = by_difference ? -excess : paid;
    if (excess > most_above) {
      most_above = excess;
      above.column = v;
    } else if (paid > tolerated && size > most_below) {
      most_below = size;
      below.column = v;
    }
  }
  if (above.column < 0 || (by_difference && most_below > most_above))
    return below;
  return above;
}

// Changes the multiplier of a column v until some member is indifferent between two columns, and
// moves this member. Raising lambda_v by t lowers the level of v by t and raises alpha's by t. So a
// member at v becomes indifferent between v and alpha when t is half the difference of their
// levels; a member at a third column becomes indifferent between that column and alpha when t is
// the whole difference.
Lagrangian::Progress Lagrangian::step_conservative(const Violation &violation,
                                                   Solution &solution) noexcept {
  const std::int32_t v = violation.column;
  const std::int32_t leaving = violation.above ? v : alpha_; // the column whose level falls
  const std::int32_t gaining = violation.above ? alpha_ : v;
  double step = kInfinity;
  double held = kInfinity; // least step at which a member marked in changed_ would change again
  std::int32_t who = -1;
  std::int32_t where = -1;
  const auto consider = [&](std::int32_t i, std::int32_t to, double change) {
    if (changed_[i]) {
      held = std::min(held, change);
    } else if (change < step) {
      step = change;
      who = i;
      where = to;
    }
  };
  Pace pace(*instance_, 16 + 2 * std::int64_t{counted_}, instance_->members);
  for (std::int32_t i = 0; i < instance_->members; ++i) {
    if (!pace.next())
      return Progress::stepped;
    const std::int32_t u = x_.data()[i];
    if (u == gaining)
      continue;
    const double own = level(i, u);
    if (u != leaving) {
      consider(i, gaining, std::max(0.0, own - level(i, gaining)));
      continue;
    }
    for (std::int32_t w = 0; w < instance_->columns; ++w)
      if (w != u) {
        const double loss = std::max(0.0, own - level(i, w));
        consider(i, w, w == gaining ? loss / 2 : loss);
      }
  }
  const double tie = kTie * largest_;
  const double reach = std::min(step, held);
  const bool to_zero = !violation.above && reach >= multiplier_[v];
  if (!to_zero && reach == kInfinity)
    return Progress::unbounded;
  // The next member to change its column would be one marked in changed_, which must not change
  // again before the multipliers have changed. So there is no step.
  if (!to_zero && reach <= tie && step > tie) {
    stuck_[v] = 1;
    return Progress::stuck;
  }
  const double change = to_zero ? multiplier_[v] : reach;
  if (change > tie || to_zero) {
    multiplier_[v] = to_zero ? 0.0 : multiplier_[v] + (violation.above ? change : -change);
    set_levels();
    std::fill(changed_, changed_ + instance_->members, std::uint8_t{0});
    std::fill(stuck_, stuck_ + instance_->columns, std::uint8_t{0});
  }
  if (to_zero || (held < step && step > tie))
    return Progress::stepped;
  score_.move(x_.data()[who], where);
  member_score_ += instance_->score(who, where) - instance_->score(who, x_.data()[who]);
  x_.data()[who] = where;
  changed_[who] = 1;
  if (member_score_ + score_.total() > solution.score)
    offer(*instance_, x_, instance_->by_column(score_.counts()), solution);
  return Progress::stepped;
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

Lagrangian::Progress Lagrangian::step_golden(const Violation &violation, double *relaxed,
                                             Solution &solution) noexcept {
  const std::int32_t v = violation.column;
  double low = -multiplier_[v];
  double high = 0;
  if (violation.above)
    low = 0;
  Pace pace(*instance_, 8 + 2 * std::int64_t{counted_}, instance_->members);
  for (std::int64_t i = 0; i < instance_->members && pace.next(); ++i) {
    best_other_[i] = kForbidden;
    for (std::int32_t w = 0; w < instance_->columns; ++w)
      if (w != v && w != alpha_)
        best_other_[i] = std::max(best_other_[i], level(i, w));
    if (violation.above && x_.data()[i] == v) {
      const double leaves =
          std::min(level(i, v) - best_other_[i], (level(i, v) - level(i, alpha_)) / 2);
      if (leaves < kInfinity)
        high = std::max(high, leaves);
    }
  }
  const double present = along(v, 0);
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = along(v, left);
  double at_right = along(v, right);
  for (std::int32_t section = 0; section < kSections && !instance_->interrupted(); ++section) {
    // If both values are equal, the convex function has a minimum between left and right, and
    // either cut keeps this interval.
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = along(v, left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = along(v, right);
    }
  }
  const double change = at_left <= at_right ? left : right;
  if (instance_->interrupted())
    return Progress::stepped;
  if (!(along(v, change) < present - kTie * magnitude_)) {
    stuck_[v] = 1;
    return Progress::stuck;
  }
  multiplier_[v] = std::max(0.0, multiplier_[v] + change);
  set_levels();
  std::fill(stuck_, stuck_ + instance_->columns, std::uint8_t{0});
  *relaxed = std::min(*relaxed, choose());
  if (!instance_->interrupted())
    offer(*instance_, x_, instance_->by_column(score_.counts()), solution);
  return Progress::stepped;
}

Lagrangian::Progress Lagrangian::step_subgradient(double *relaxed, Solution &solution) noexcept {
  double squares = 0;
  for (std::int32_t v = 0; v < counted_; ++v) {
    if (!is_constrained(v))
      continue;
    const double violated = score_.count(v) - score_.count(alpha_);
    direction_[v] = (1 - kMemory) * violated + kMemory * direction_[v];
    if (multiplier_[v] == 0 && direction_[v] < 0)
      direction_[v] = 0;
    squares += direction_[v] * direction_[v];
  }
  if (squares == 0 || step_size_ < kLastStep)
    return Progress::stuck;
  const double gap = solution.found() ? std::max(0.0, least_ - solution.score) : largest_;
  for (std::int32_t v = 0; v < counted_; ++v)
    if (is_constrained(v))
      multiplier_[v] = std::max(0.0, multiplier_[v] + step_size_ * gap / squares * direction_[v]);
  set_levels();
  const double value = choose();
  if (instance_->interrupted())
    return Progress::stepped;
  offer(*instance_, x_, instance_->by_column(score_.counts()), solution);
  if (value < least_) {
    least_ = value;
    failures_ = 0;
  } else if (++failures_ == kPatience) {
    step_size_ /= 2;
    failures_ = 0;
  }
  *relaxed = std::min(*relaxed, value);
  return Progress::stepped;
}

void Lagrangian::take(std::int32_t alpha) noexcept {
  const std::int32_t K = instance_->columns;
  alpha_ = alpha;
  const double *w = instance_->potential.weights + std::int64_t{alpha} * K;
  std::copy(w, w + K, weights_);
  std::fill(multiplier_, multiplier_ + K, 0.0);
  set_levels();
}

double Lagrangian::relax(std::int32_t alpha, std::int64_t limit, double tolerance, Limits &limits,
                         Solution &solution) noexcept {
  const std::int32_t K = instance_->columns;
  take(alpha);
  std::fill(direction_, direction_ + K, 0.0);
  std::fill(stuck_, stuck_ + K, std::uint8_t{0});
  std::fill(changed_, changed_ + instance_->members, std::uint8_t{0});
  offer_all(solution);
  double relaxed = choose();
  if (instance_->interrupted())
    return relaxed;
  offer(*instance_, x_, instance_->by_column(score_.counts()), solution);
  largest_ = largest_multiplier();
  least_ = relaxed;
  step_size_ = kFirstStep;
  failures_ = 0;

  double estimate = relaxed; // conservative rule: upper bound on L at the current multipliers
  for (std::int64_t step = 0; std::min(relaxed, estimate) > solution.score; ++step) {
    const Violation violation = worst(tolerance * largest_);
    if (violation.column < 0)
      break;
    if (step == limit) {
      solution.iteration_limit_hit = true;
      break;
    }
    if (!limits.spend(4 * std::int64_t{K}) || instance_->interrupted())
      break;
    ++solution.iterations;
    Progress progress = Progress::stepped;
    if (rule_ == StepRule::conservative) {
      const double before = multiplier_[violation.column];
      const std::int32_t excess = score_.count(violation.column) - score_.count(alpha);
      progress = step_conservative(violation, solution);
      estimate -= (multiplier_[violation.column] - before) * excess;
    } else if (rule_ == StepRule::golden_section) {
      progress = step_golden(violation, &relaxed, solution);
      estimate = relaxed;
    } else {
      progress = step_subgradient(&relaxed, solution);
      estimate = relaxed;
      if (progress == Progress::stuck)
        break;
    }
    if (progress == Progress::unbounded)
      return kForbidden; // no labelling has majority alpha
  }
  if (rule_ == StepRule::conservative) {
    relaxed = std::min(relaxed, choose());
    if (!instance_->interrupted())
      offer(*instance_, x_, instance_->by_column(score_.counts()), solution);
  }
  if (instance_->count(x_, counts_) && relaxed > solution.score &&
      restore_majority(*instance_, alpha, instance_->by_column(level_), x_, counts_, limits)) {
    std::int64_t sweeps = kSweepsOfRepair;
    moves_.improve(*instance_, x_, limits, sweeps);
    if (instance_->count(x_, counts_))
      offer(*instance_, x_, counts_, solution);
  }
  return relaxed;
}

void Lagrangian::run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept {
  const std::int64_t limit = options.iteration_limit > 0
                                 ? options.iteration_limit
                                 : own_limit(rule_, instance_->members, instance_->columns);
  offer_all_in_rest(*instance_, x_, counts_, solution);
  // Sorts the alphas by L at multipliers 0, highest first: a good labelling found early ends later
  // relaxations sooner.
  for (std::int32_t alpha = 0; alpha < counted_; ++alpha) {
    if (alpha > 0 && !limits.spend(instance_->columns))
      return;
    take(alpha);
    bounds_[alpha] = choose();
    order_[alpha] = alpha;
    if (instance_->interrupted())
      return;
    offer(*instance_, x_, counts_, solution);
  }
  std::sort(order_, order_ + counted_, [this](std::int32_t a, std::int32_t b) {
    return bounds_[a] != bounds_[b] ? bounds_[a] > bounds_[b] : a < b;
  });
  for (std::int32_t j = 0; j < counted_ && limits.interruption() == Interruption::none; ++j) {
    const std::int32_t alpha = order_[j];
    bounds_[alpha] = std::min(bounds_[alpha],
                              relax(alpha, limit, options.tolerance, limits, solution));
  }
  const double bound = counted_ > 0 ? *std::max_element(bounds_, bounds_ + counted_) : kForbidden;
  // The bound holds for every labelling: either the labelling has a majority column, or all its
  // members are in the rest column, and offer_all_in_rest() has offered it to the solution.
  solution.bound = std::min(solution.bound, std::max(bound, solution.score));
}

} // namespace chorale
