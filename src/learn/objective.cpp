// objective.hpp explains the words used here.
#include "learn/objective.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chorale {
namespace {

constexpr std::int32_t kMostSweeps = 2000;
constexpr std::int32_t kStepsInGroup = 4;
// Every kWholeSweep-th sweep visits all groups. The other sweeps skip the groups whose part of the
// duality gap was small at their last visit.
constexpr std::int32_t kWholeSweep = 6;

} // namespace

bool Pools::make(std::int64_t weights, std::int64_t groups) noexcept {
  weights_ = weights;
  Array<double> &zeros = numbers_; // the plane of the gold labelling of each group
  if (!zeros.resize(groups * (weights + 1)) || !next_.resize(groups) || !first_.resize(groups) ||
      !last_.resize(groups) || !kept_.resize(groups))
    return false;
  std::fill(zeros.begin(), zeros.end(), 0.0);
  std::fill(next_.begin(), next_.end(), -1);
  std::fill(kept_.begin(), kept_.end(), 1);
  for (std::int64_t g = 0; g < groups; ++g)
    first_[g] = last_[g] = static_cast<std::int32_t>(g);
  return true;
}

bool Pools::add(std::int64_t group, double constant, gsl::span<const double> slopes) noexcept {
  Expects(slopes.size() == to_size(weights_));
  for (std::int32_t k = first_[group]; k >= 0; k = next_[k])
    if (this->constant(k) == constant &&
        std::equal(slopes.begin(), slopes.end(), this->slopes(k).begin()))
      return true;
  std::int64_t plane = planes();
  if (kept_[group] < kMostInGroup) {
    if (plane == INT32_MAX || !next_.reserve(plane + 1) ||
        !numbers_.resize((plane + 1) * (weights_ + 1)))
      return false;
    next_.push(-1);
    ++kept_[group];
  } else { // replaces the oldest plane after gold: the list goes from the oldest to the newest
    const std::int32_t gold = first_[group];
    plane = next_[gold];
    next_[gold] = next_[plane];
    next_[plane] = -1;
  }
  double *to = numbers_.begin() + plane * (weights_ + 1);
  to[0] = constant;
  std::copy(slopes.begin(), slopes.end(), to + 1);
  next_[last_[group]] = static_cast<std::int32_t>(plane);
  last_[group] = static_cast<std::int32_t>(plane);
  return true;
}

double Pools::value(std::int32_t plane, gsl::span<const double> theta) const noexcept {
  const double *at = slopes(plane).data();
  const double *weight = theta.data();
  double total = constant(plane);
  for (std::int64_t i = 0; i < weights_; ++i)
    total += at[i] * weight[i];
  return total;
}

double Pools::highest(std::int64_t group, gsl::span<const double> theta) const noexcept {
  double best = 0; // value of the plane of the gold labelling
  for (std::int32_t k = first(group); k >= 0; k = next(k))
    best = std::max(best, value(k, theta));
  return best;
}

double Direction::product(gsl::span<const double> vector) const noexcept {
  return std::inner_product(numbers.begin(), numbers.end(), vector.begin() + first, 0.0);
}

// The derivative of the dual by the step is
//     constant difference + (the total over i of difference[i] theta[i]),
// where difference[i] is slope i of plane `to` minus slope i of plane `from`, and the constant
// difference is that of their constants. After a step, theta[i] is -(sum[i] + step difference[i]) /
// strength, clipped to its bounds; for each direction D, s D[i] is added, where s is the same with
// the products D sum and D difference. The derivative decreases in the step, and is linear between
// the steps at which some theta[i] meets a bound. So bisection over these steps, then linear
// interpolation, finds the step at which the derivative is 0.
double exact_step(const Objective &objective, gsl::span<const double> sum_of, std::int32_t from,
                  std::int32_t to, double most_step, gsl::span<double> scratch) noexcept {
  const Pools &pools = objective.pools;
  const double *sum = sum_of.data();
  double *breaks = scratch.data();
  const double *slopes_from = pools.slopes(from).data();
  const double *slopes_to = pools.slopes(to).data();
  const double *least = objective.least.data();
  const double *most = objective.most.data();
  const std::int64_t d = pools.weights();
  const double strength = objective.strength;
  double start =
      pools.constant(to) - pools.constant(from); // the part that has no bounds, at step 0
  double slope = 0;                              // its derivative
  for (const Direction &direction : objective.directions) {
    const double difference =
        direction.product(pools.slopes(to)) - direction.product(pools.slopes(from));
    start -= difference * direction.product(sum_of) / strength;
    slope -= difference * difference / strength;
  }
  const auto derivative = [&](double step) {
    double total = start + step * slope;
    for (std::int64_t i = 0; i < d; ++i) {
      const double difference = slopes_to[i] - slopes_from[i];
      if (difference != 0)
        total +=
            difference * std::clamp(-(sum[i] + step * difference) / strength, least[i], most[i]);
    }
    return total;
  };
  if (derivative(most_step) >= 0)
    return most_step;
  std::int64_t count = 0;
  breaks[count++] = 0;
  breaks[count++] = most_step;
  for (std::int64_t i = 0; i < d; ++i) {
    const double difference = slopes_to[i] - slopes_from[i];
    if (difference == 0)
      continue;
    for (const double bound : {least[i], most[i]})
      if (const double at = (-strength * bound - sum[i]) / difference; at > 0 && at < most_step)
        breaks[count++] = at;
  }
  std::sort(breaks, breaks + count);
  std::int64_t low = 0; // the derivative is above 0 here, and below 0 at `high`
  std::int64_t high = count - 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (derivative(breaks[middle]) > 0 ? low : high) = middle;
  }
  const double above = derivative(breaks[low]);
  const double below = derivative(breaks[high]);
  if (above <= 0)
    return breaks[low];
  return breaks[low] + (breaks[high] - breaks[low]) * (above / (above - below));
}

bool minimise(const Memory &memory, const Objective &objective, double gap, Array<double> &shares,
              gsl::span<double> theta) noexcept {
  const Pools &pools = objective.pools;
  const std::int64_t d = pools.weights();
  const std::int64_t known = shares.size();
  const std::uint8_t *takes_part = objective.takes_part.data();
  Array<double> sum(memory);
  Array<double> breaks(memory);
  // By group: 1 if its part of the gap was small at the last visit.
  Array<std::uint8_t> settled(memory);
  if (!shares.resize(pools.planes()) || !sum.resize(d) || !breaks.resize(2 * d + 2) ||
      !settled.resize(pools.groups()))
    return false;
  const double little = gap / static_cast<double>(2 * pools.groups());
  std::fill(shares.begin() + known, shares.end(), 0.0);
  if (known == 0)
    for (std::int64_t g = 0; g < pools.groups(); ++g)
      shares[pools.first(g)] = 1;
  std::fill(sum.begin(), sum.end(), 0.0);
  for (std::int64_t g = 0; g < pools.groups(); ++g)
    for (std::int32_t k = pools.first(g); takes_part[g] != 0 && k >= 0; k = pools.next(k))
      for (std::int64_t i = 0; shares[k] > 0 && i < d; ++i)
        sum[i] += shares[k] * pools.slopes(k).data()[i];
  const auto place = [&](std::int64_t i) {
    theta.data()[i] = std::clamp(-sum[i] / objective.strength, objective.least.data()[i],
                                 objective.most.data()[i]) +
                      0.0;
  };
  const auto follow_directions = [&] {
    for (const Direction &direction : objective.directions) {
      const double s = -direction.product(sum) / objective.strength;
      double *weight = theta.data() + direction.first;
      for (const double number : direction.numbers)
        *weight++ += s * number;
    }
  };
  for (std::int64_t i = 0; i < d; ++i)
    place(i);
  follow_directions();
  bool is_settled = false; // all groups visited in the last sweep are settled
  for (std::int32_t pass = 0; pass < kMostSweeps; ++pass) {
    const bool whole = is_settled || pass % kWholeSweep == 0;
    is_settled = true;
    double open = 0; // the duality gap; each group's part is measured when visited
    for (std::int64_t g = 0; g < pools.groups(); ++g) {
      if (takes_part[g] == 0 || (!whole && settled[g] != 0))
        continue;
      for (std::int32_t s = 0; s < kStepsInGroup; ++s) {
        std::int32_t to = -1;
        std::int32_t from = -1;
        double highest = 0;
        double lowest = 0;
        double mean = 0;
        for (std::int32_t k = pools.first(g); k >= 0; k = pools.next(k)) {
          const double value = pools.value(k, theta);
          mean += shares[k] * value;
          if (to < 0 || value > highest) {
            to = k;
            highest = value;
          }
          if (shares[k] > 0 && (from < 0 || value < lowest)) {
            from = k;
            lowest = value;
          }
        }
        if (s == 0) {
          open += highest - mean;
          settled[g] = highest - mean <= little ? 1 : 0;
          is_settled = is_settled && settled[g] != 0;
        }
        if (from == to || highest <= lowest)
          break;
        const double step = exact_step(objective, sum, from, to, shares[from], breaks);
        if (step <= 0)
          break;
        for (std::int64_t i = 0; i < d; ++i) {
          sum[i] += step * (pools.slopes(to).data()[i] - pools.slopes(from).data()[i]);
          place(i);
        }
        follow_directions();
        shares[to] += step;
        shares[from] = step >= shares[from] ? 0 : shares[from] - step;
      }
    }
    if (whole && open <= gap)
      break;
  }
  return true;
}

} // namespace chorale
