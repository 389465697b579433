// The minimum over planes, steps along them, and tests of chance: against plain searches and
// counts.
#include "learn/chance.hpp"
#include "learn/objective.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

namespace {

using namespace chorale;

int failures = 0;
void expect(bool holds, const char *what, unsigned seed) {
  if (holds)
    return;
  std::printf("FAILED: %s (seed %u)\n", what, seed);
  ++failures;
}

double lowest(double low, double high, const std::function<double(double)> &of) {
  for (int k = 0; k < 90; ++k) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (of(a) <= of(b) ? high : low) = of(a) <= of(b) ? b : a;
  }
  return (low + high) / 2;
}

struct Drawn {
  explicit Drawn(unsigned seed, std::int64_t d) : pools(memory) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    const std::int64_t groups = 1 + static_cast<std::int64_t>(seed % 5);
    pools.make(d, groups);
    for (std::int64_t g = 0; g < groups; ++g) {
      in.push_back(seed % 7 == 0 && g == 0 && groups > 1 ? 0 : 1);
      for (int k = static_cast<int>(seed % 4); k < 5; ++k) {
        std::vector<double> slopes(static_cast<std::size_t>(d));
        for (double &slope : slopes)
          slope = 4 * unit(random);
        pools.add(g, 2 * unit(random), slopes);
      }
    }
    for (std::int64_t i = 0; i < d; ++i) {
      least.push_back(i == 0 ? 0.0 : -1.5);
      most.push_back(seed % 3 == 0 && i == 1 ? -0.25 : 2.0);
    }
    strength = 0.2 + static_cast<double>(seed % 10);
  }
  Objective objective() const { return {pools, in, least, most, strength}; }
  double value(const double *theta) const {
    double total = 0;
    for (std::int64_t i = 0; i < pools.weights(); ++i)
      total += strength / 2 * theta[i] * theta[i];
    for (std::int64_t g = 0; g < pools.groups(); ++g)
      if (in[static_cast<std::size_t>(g)] != 0)
        total += pools.highest(g, {theta, static_cast<std::size_t>(pools.weights())});
    return total;
  }

  Memory memory{nullptr};
  Pools pools;
  std::vector<std::uint8_t> in;
  std::vector<double> least;
  std::vector<double> most;
  double strength;
};

void minima() {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Drawn drawn(seed, 2);
    const Objective objective = drawn.objective();
    double theta[2] = {};
    Array<double> shares(drawn.memory);
    if (seed % 2 == 0) { // a start that another objective leaves
      const Objective other{drawn.pools, drawn.in, drawn.least, drawn.most, 5 * drawn.strength};
      expect(minimise(drawn.memory, other, 1e-3, shares, theta), "memory", seed);
    }
    expect(minimise(drawn.memory, objective, 1e-10, shares, theta), "memory", seed);
    expect(theta[0] >= drawn.least[0] && theta[0] <= drawn.most[0] && theta[1] >= drawn.least[1] &&
               theta[1] <= drawn.most[1],
           "bounds hold", seed);
    const auto inner = [&](double x) {
      const double y = lowest(drawn.least[1], drawn.most[1], [&](double at) {
        const double both[] = {x, at};
        return drawn.value(both);
      });
      const double both[] = {x, y};
      return drawn.value(both);
    };
    const double best = inner(lowest(drawn.least[0], drawn.most[0], inner));
    expect(drawn.value(theta) <= best + 1e-6, "the minimum is found", seed);
  }
}

// A direction is the same as one more weight without bounds, whose slope is the sum of the products
// of D and the other slopes.
void directions() {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    constexpr std::size_t d = 4;
    const Drawn drawn(seed, d);
    const std::size_t first = seed % 3;
    const std::vector<double> numbers = {unit(random), 2 * unit(random)};
    const Direction direction{static_cast<std::int64_t>(first), numbers};
    Pools more(drawn.memory);
    more.make(d + 1, drawn.pools.groups());
    for (std::int64_t g = 0; g < drawn.pools.groups(); ++g)
      for (std::int32_t k = drawn.pools.first(g); k >= 0; k = drawn.pools.next(k)) {
        const auto slopes = drawn.pools.slopes(k);
        std::vector<double> all(slopes.begin(), slopes.end());
        all.push_back(numbers[0] * all[first] + numbers[1] * all[first + 1]);
        more.add(g, drawn.pools.constant(k), all);
      }
    std::vector<double> least = drawn.least;
    std::vector<double> most = drawn.most;
    least.push_back(-INFINITY);
    most.push_back(INFINITY);
    double found[d] = {};
    double expected[d + 1] = {};
    Array<double> shares(drawn.memory);
    Array<double> other_shares(drawn.memory);
    Objective objective = drawn.objective();
    objective.directions = {&direction, 1};
    const Objective other{more, drawn.in, least, most, drawn.strength};
    expect(minimise(drawn.memory, objective, 1e-11, shares, found), "memory", seed);
    expect(minimise(drawn.memory, other, 1e-11, other_shares, expected), "memory", seed);
    expected[first] += expected[d] * numbers[0];
    expected[first + 1] += expected[d] * numbers[1];
    for (std::size_t i = 0; i < d; ++i)
      expect(std::fabs(found[i] - expected[i]) <= 1e-4, "a direction is a weight more", seed);
  }
}

// The dual along a step, up to a constant: step x difference of constants + min over theta within
// bounds.
void steps() {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const std::int64_t d = 1 + seed % 4;
    const Drawn drawn(seed, d);
    const Objective objective = drawn.objective();
    std::vector<double> sum(static_cast<std::size_t>(d), 0.3);
    std::vector<double> breaks(static_cast<std::size_t>(2 * d + 2));
    const std::int32_t from = drawn.pools.first(0);
    const std::int32_t to = drawn.pools.next(from);
    const auto minus_dual = [&](double step) {
      double total = step * (drawn.pools.constant(to) - drawn.pools.constant(from));
      for (std::int64_t i = 0; i < d; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double s =
            sum[at] + step * (drawn.pools.slopes(to)[at] - drawn.pools.slopes(from)[at]);
        const double theta = std::clamp(-s / drawn.strength, drawn.least[at], drawn.most[at]);
        total += drawn.strength / 2 * theta * theta + s * theta;
      }
      return -total;
    };
    const double step = exact_step(objective, sum, from, to, 0.8, breaks);
    const double best = lowest(0, 0.8, minus_dual);
    expect(step >= 0 && step <= 0.8, "a step within its range", seed);
    expect(minus_dual(step) <= minus_dual(best) + 1e-12, "the step is exact", seed);
  }
}

void chances() {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> differences(1 + seed % 9);
    for (double &difference : differences)
      difference = static_cast<double>(static_cast<int>(random() % 7) - 2);
    double total = 0;
    for (const double difference : differences)
      total += difference;
    int as_great = 0;
    const int ways = 1 << differences.size();
    for (int w = 0; w < ways; ++w) {
      double sum = 0;
      for (std::size_t k = 0; k < differences.size(); ++k)
        sum += (w >> k & 1) != 0 ? -differences[k] : differences[k];
      as_great += sum >= total ? 1 : 0;
    }
    const auto count = static_cast<std::int64_t>(differences.size());
    expect(std::fabs(sign_flip_p(NoLimits{}, span_of(differences.data(), count)) -
                     static_cast<double>(as_great) / ways) < 1e-12,
           "sign flips are counted", seed);
  }
  // Many differences: near the normal approximation, and the interval near the sum +- 1.96 errors.
  std::vector<double> many(100);
  for (std::size_t k = 0; k < many.size(); ++k)
    many[k] = static_cast<double>(k % 10) - 3.5;
  std::vector<double> sums(kBootstraps);
  const Interval interval = bootstrap(NoLimits{}, many, sums);
  const double error = standard_error(many);
  expect(std::fabs(error - std::sqrt(100 * 825.0 / 99)) < 1e-9, "standard error", 0);
  expect(std::fabs(interval.lower - (100 - 1.96 * error)) < 0.3 * error &&
             std::fabs(interval.upper - (100 + 1.96 * error)) < 0.3 * error,
         "bootstrap", 0);
  expect(sign_flip_p(NoLimits{}, many) < 0.002, "p of many", 0);
  expect(flips_for(0.05, 1) == kFlips && flips_for(0.05, 1000) == 640000 &&
             flips_for(1e-9, 1000) == 1 << 20,
         "flips", 0);
  // The normal approximation: 100 / sqrt(825 + 100) = 3.29 standard deviations, p = 0.0005.
  const double fine = sign_flip_p(NoLimits{}, many, flips_for(0.05, 1000));
  expect(fine > 0.0002 && fine < 0.0009, "p with more flips", 0);
  expect(std::fabs(student_t(10) - 2.2281) < 0.01 && std::fabs(student_t(30) - 2.0423) < 0.005, "t",
         0);
}

// A group keeps gold and the newest planes.
void pools_are_capped() {
  const Memory memory{nullptr};
  Pools pools(memory);
  pools.make(1, 2);
  for (int k = 1; k <= 1000; ++k) {
    const double slope = k;
    pools.add(0, -1, {&slope, 1});
  }
  const double slope = 7;
  pools.add(1, -1, {&slope, 1});
  std::vector<double> slopes;
  for (std::int32_t k = pools.first(0); k >= 0; k = pools.next(k))
    slopes.push_back(pools.slopes(k)[0]);
  const std::size_t most = Pools::kMostInGroup;
  bool newest = slopes.size() == most && slopes[0] == 0;
  for (std::size_t k = 1; k < slopes.size(); ++k)
    newest = newest && slopes[k] == static_cast<double>(1000 - most + 1 + k);
  expect(newest, "gold and the newest planes, oldest first", 0);
  const std::int64_t planes = pools.planes();
  expect(planes == Pools::kMostInGroup + 2, "memory for planes that are kept", 0);
  const double again = 990;
  pools.add(0, -1, {&again, 1});
  expect(pools.slopes(pools.next(pools.first(0)))[0] == static_cast<double>(1000 - most + 2),
         "a plane that is there takes no place", 0);
  const double one = 1;
  expect(pools.highest(0, {&one, 1}) == 999 && pools.highest(1, {&one, 1}) == 6, "highest", 0);
}

} // namespace

int main() {
  pools_are_capped();
  minima();
  directions();
  steps();
  chances();
  return failures == 0 ? 0 : 1;
}
