// exact_majority.hpp explains the words used here.
#include "clique/majority/exact_majority.hpp"

#include "clique/majority/majority.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chorale {
namespace {

constexpr double kFlowRounding = 1e-12; // slack_ as a fraction of the score's magnitude

} // namespace

ExactMajority::ExactMajority(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), flow_(layout, instance),
      transposed_(layout.take<double>(product_of_counts(instance.columns, instance.columns))),
      bounds_(layout.take<double>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)),
      assignment_(layout.take<std::int32_t>(instance.members)),
      counts_(layout.take_span<std::int32_t>(instance.columns)),
      levels_(layout.take<double>(product_of_counts(instance.columns, instance.columns))),
      moved_score_(layout, instance.potential) {}

void ExactMajority::Counts::cut(const CountLine &line, double least) noexcept {
  while (!empty() && line.at(lowest) <= least)
    ++lowest;
  while (!empty() && line.at(highest) <= least)
    --highest;
}

// Computes bounds_ and order_. The bound of majority column a is b_a plus the sum over all members
// i of max_v (psi_iv + w_av). False if interrupted.
bool ExactMajority::bound_majorities(Limits &limits) noexcept {
  const CliquePotential &potential = instance_->potential;
  const std::int32_t K = instance_->columns;
  const std::int32_t counted = counted_columns(potential);
  for (std::int32_t v = 0; v < K; ++v) {
    if (!limits.spend(Limits::kScattered * std::int64_t{K}))
      return false;
    for (std::int32_t a = 0; a < counted; ++a)
      transposed_[std::int64_t{v} * K + a] = potential.weights[a * std::int64_t{K} + v];
  }
  std::fill(bounds_, bounds_ + K, 0.0);
  double *const best = levels_;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double *psi = instance_->row(i);
      std::fill(best, best + K, kForbidden);
      for (std::int32_t v = 0; v < K; ++v) {
        const double *w = transposed_ + std::int64_t{v} * K;
        for (std::int32_t a = 0; a < counted; ++a)
          best[a] = best[a] < psi[v] + w[a] ? psi[v] + w[a] : best[a];
      }
      for (std::int32_t a = 0; a < counted; ++a)
        bounds_[a] += best[a];
    }
  };
  if (!in_stretches(limits, instance_->members, 4 * std::int64_t{K} * K, add))
    return false;
  for (std::int32_t a = 0; a < counted; ++a) {
    bounds_[a] += potential.bias[a];
    order_[a] = a;
  }
  std::sort(order_, order_ + counted, [this](std::int32_t a, std::int32_t b) {
    return bounds_[a] != bounds_[b] ? bounds_[a] > bounds_[b] : a < b;
  });
  return true;
}

// Returns a range that contains all counts that majority column a can have. The highest is the
// number of members that may take a. (If any count is feasible, this one is.) The lowest is the
// number of members that may not take the rest column, divided by the number of counted columns and
// rounded up, or 1 if that is 0.
ExactMajority::Counts ExactMajority::possible_counts(std::int32_t a) const noexcept {
  const std::int32_t rest = instance_->potential.rest;
  Counts counts{1, 0};
  std::int64_t must_count = 0;
  Pace pace(*instance_, 8, instance_->members);
  for (std::int64_t i = 0; i < instance_->members && pace.next(); ++i) {
    counts.highest += instance_->score(i, a) > kForbidden;
    must_count += rest < 0 || instance_->score(i, rest) == kForbidden;
  }
  const std::int64_t counted = counted_columns(instance_->potential);
  counts.lowest = std::max<std::int64_t>(1, (must_count + counted - 1) / counted);
  return counts;
}

// Searches the counts of majority column a, which flow_ has loaded, for the best labelling, and
// offers it to `solution`. False if interrupted.
bool ExactMajority::search_counts(std::int32_t a, Limits &limits, Solution &solution) noexcept {
  Counts open = possible_counts(a);
  CountLine rising{bounds_[a], 0};
  CountLine falling{bounds_[a], 0};
  std::int64_t step = 1;
  std::int64_t k = last_k_;
  while (!open.empty()) {
    k = std::clamp(k, open.lowest, open.highest);
    flow_.turn_to(k);
    if (!limits.spend(64 + 8 * std::int64_t{instance_->columns}) || instance_->interrupted())
      return false;
    ++solution.iterations;
    bool possible = true;
    CountLine line = flow_.line();
    for (;;) {
      open.cut(line, solution.score + slack_);
      if (k < open.lowest || k > open.highest || flow_.out_of_place() == 0)
        break;
      if (!limits.spend(instance_->columns))
        return false;
      possible = flow_.augment();
      if (instance_->interrupted())
        return false;
      if (!possible)
        break;
      line = flow_.line();
    }
    if (!possible) {
      // The feasible counts, if any, are an interval up to possible_counts(a).highest. So no count
      // below k is feasible either.
      open.lowest = k + 1;
      k += step;
      step *= 2;
      continue;
    }
    if (flow_.out_of_place() == 0) {
      offer(*instance_, flow_.assignment(), flow_.counts(), solution);
      last_k_ = k;
      if (line.slope == 0)
        return true;
    }
    // The sign of the slope tells on which side of k the best count lies. (It does so even if
    // `line` ruled out k before the flow was finished, since the line then rules out all counts on
    // the other side too.) Once there are lines from both sides, the next k is their crossing;
    // before that, k moves by steps that are doubled each time.
    if (line.slope > 0) {
      open.lowest = std::max(open.lowest, k + 1);
      rising = line;
    } else {
      open.highest = std::min(open.highest, k - 1);
      falling = line;
    }
    if (open.empty())
      return true;
    if (rising.slope > 0 && falling.slope < 0) {
      const double crossing = (falling.at_zero - rising.at_zero) / (rising.slope - falling.slope);
      k = static_cast<std::int64_t>(std::clamp(crossing + 0.5, static_cast<double>(open.lowest),
                                               static_cast<double>(open.highest) + 0.5));
    } else {
      k = line.slope > 0 ? k + step : k - step;
      step *= 2;
    }
  }
  return true;
}

void ExactMajority::run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept {
  const std::int32_t counted = counted_columns(instance_->potential);
  last_k_ = 0;
  // Offers two labellings first, so that even an interrupted run returns a labelling.
  const gsl::span<const std::int32_t> best = instance_->by_member(instance_->best);
  if (instance_->count(best, counts_))
    offer(*instance_, best, counts_, solution);
  offer_all_in_rest(*instance_, instance_->by_member(assignment_), counts_, solution);
  if (!bound_majorities(limits) || instance_->interrupted())
    return;
  for (std::int32_t j = 0; j < counted; ++j) {
    const std::int32_t a = order_[j];
    const double magnitude = solution.magnitude();
    slack_ = kFlowRounding * magnitude;
    if (bounds_[a] <= solution.score + slack_)
      break;
    const double bound = std::min(solution.bound, std::max(solution.score, bounds_[a]));
    solution.iteration_limit_hit =
        options.iteration_limit > 0 && solution.iterations >= options.iteration_limit;
    if (!limits.spend(instance_->columns) || solution.iteration_limit_hit ||
        closes_gap(solution.score, magnitude, bound, options.gap)) {
      solution.bound = bound;
      return;
    }
    flow_.load(a, kForbidden);
    if (!instance_->interrupted())
      offer(*instance_, flow_.assignment(), flow_.counts(), solution);
    if (instance_->interrupted()) {
      solution.bound = bound;
      return;
    }
    // In the labelling of load(), each member has its column of greatest theta. If a is the majority
    // column of this labelling, its score is bounds_[a], so no count needs to be searched.
    const std::int32_t *const counts = flow_.counts().data();
    const std::int32_t most = *std::max_element(counts, counts + counted);
    if (most > 0 && counts[a] == most)
      continue;
    if (last_k_ == 0) // the first guess: halfway between the counts of a and of the fullest column
      last_k_ = (std::int64_t{counts[a]} + most + 1) / 2;
    if (!search_counts(a, limits, solution)) {
      solution.bound = std::min(solution.bound, std::max(solution.score, bounds_[a]));
      return;
    }
  }
  solution.bound = std::min(solution.bound, solution.score);
}

// ---- Max-marginals ----------------------------------------------------------------------------

// Sets the message to each member and column v to the score of a known labelling after the member
// has moved to v, minus the member's own score at v. The known labelling is the solution's; without
// a solution, that of each member's best column. So the messages are finite if any labelling
// exists. Also raises the messages to the score of the labelling with all members in the rest
// column: this labelling has no majority column, so no flow finds it.
void ExactMajority::seed_messages(const Solution &solution, Matrix<double> messages) noexcept {
  const std::int64_t K = instance_->columns;
  const std::int32_t *x = solution.found() ? solution.assignment.data() : instance_->best;
  if (!instance_->count(instance_->by_member(x), counts_))
    return;
  moved_score_.reset(counts_);
  const std::int32_t *const counts = counts_.data();
  for (std::int32_t u = 0; u < K; ++u) {
    if (counts[u] == 0)
      continue;
    const auto fill = [&](std::int64_t begin, std::int64_t end) {
      for (auto v = static_cast<std::int32_t>(begin); v < end; ++v)
        levels_[u * K + v] = u == v ? moved_score_.total() : moved_score_.after(u, v);
    };
    if (!in_stretches(*instance_, K, moved_score_.work_of_after(), fill))
      return;
  }
  double all = 0;
  Pace sum(*instance_, 8, instance_->members);
  for (std::int32_t i = 0; i < instance_->members && sum.next(); ++i)
    all += instance_->score(i, x[i]);
  Pace seed(*instance_, 2 * K, instance_->members);
  for (std::int32_t i = 0; i < instance_->members && seed.next(); ++i) {
    double *to = messages.row(i).data();
    for (std::int32_t v = 0; v < K; ++v)
      to[v] = (all - instance_->score(i, x[i])) + levels_[x[i] * K + v];
  }

  if (instance_->potential.has_rest())
    raise_all_at_rest(*instance_, messages);
}

// Returns the number that an upper bound on G_a(k) must exceed for count k to raise any message. If
// x_i = v is fixed, the bound falls by (theta_iu - p_u) - (theta_iv - p_v), where p are the prices
// of the flow and u is the column of member i in the flow.
double ExactMajority::least_useful(Matrix<double> messages) const noexcept {
  const std::int64_t K = instance_->columns;
  const double *w = flow_.weights();
  double *offset = levels_;
  for (std::int32_t v = 0; v < K; ++v)
    offset[v] = flow_.price(v) - w[v];
  double least = kInfinity;
  in_stretches(*instance_, instance_->members, 16 + 2 * K, [&](std::int64_t begin,
                                                               std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double *message = messages.row(i).data();
      double lowest = kInfinity;
      for (std::int32_t v = 0; v < K; ++v)
        lowest = std::min(lowest, message[v] + offset[v]);
      const std::int32_t u = flow_.assignment().data()[i];
      least = std::min(least, lowest + (flow_.theta(i)[u] - flow_.price(u)));
    }
  });
  return least;
}

// Raises the messages to the max-marginals of the finished flow. False if interrupted.
bool ExactMajority::raise_messages(Limits &limits, Matrix<double> messages) noexcept {
  const std::int64_t K = instance_->columns;
  const double *w = flow_.weights();
  if (!flow_.find_residuals())
    return false;
  const double score = flow_.score();
  if (instance_->interrupted())
    return false;
  for (std::int32_t u = 0; u < K; ++u) {
    if (!limits.spend(2 * K))
      return false;
    for (std::int32_t v = 0; v < K && flow_.counts().data()[u] > 0; ++v)
      levels_[u * K + v] = (score + w[v]) - flow_.residual(v, u);
  }
  // The score of a labelling with a forbidden entry contains a penalty (penalty_), so it is below the
  // messages of seed_messages() and raises none.
  Pace pace(*instance_, 16 + 2 * K, instance_->members);
  for (std::int64_t i = 0; i < instance_->members; ++i) {
    if (!pace.next())
      return false;
    const std::int32_t u = flow_.assignment().data()[i];
    const double own = flow_.theta(i)[u];
    const double *level = levels_ + u * K;
    double *message = messages.row(i).data();
    for (std::int32_t v = 0; v < K; ++v) {
      const double raised = level[v] - own;
      message[v] = raised > message[v] ? raised : message[v];
    }
  }
  return true;
}

// Raises the messages to the max-marginals of the flows for majority column a, for every count
// whose bound is high enough to raise some message. Begins at last_k_, goes on downwards, then
// upwards. False if interrupted.
bool ExactMajority::sweep_counts(std::int32_t a, Limits &limits, Solution &solution,
                                 Matrix<double> messages) noexcept {
  if (!flow_.load(a, -penalty_))
    return false;
  const std::int64_t counted = counted_columns(instance_->potential);
  const bool has_rest = instance_->potential.has_rest();
  Counts open{has_rest ? 1 : (instance_->members + counted - 1) / counted, instance_->members};
  open.cut(flow_.line(), least_useful(messages) + slack_);
  if (instance_->interrupted())
    return false;
  if (open.empty())
    return true;
  std::int64_t below = std::clamp<std::int64_t>(last_k_, open.lowest, open.highest);
  std::int64_t above = below + 1;
  double highest = kForbidden;
  while (below >= open.lowest || above <= open.highest) {
    const bool down = below >= open.lowest;
    const std::int64_t k = down ? below-- : above++;
    // Finishes the flow for count k. This is not possible if no labelling has this count.
    flow_.turn_to(k);
    ++solution.iterations;
    bool possible = true;
    while (possible && flow_.out_of_place() > 0) {
      if (!limits.spend(instance_->columns))
        return false;
      possible = flow_.augment();
    }
    if (instance_->interrupted())
      return false;
    if (possible) {
      if (flow_.score() > highest) {
        highest = flow_.score();
        last_k_ = k;
      }
      if (!raise_messages(limits, messages))
        return false;
      open.cut(flow_.line(), least_useful(messages) + slack_);
    } else if (down) {
      open.lowest = std::max(open.lowest, below + 2);
    }
    below = std::min(below, open.highest);
    above = std::max(above, open.lowest);
  }
  return true;
}

bool ExactMajority::messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
  const std::int64_t K = instance_->columns;
  if (!clear_messages(*instance_, messages))
    return false;
  run(SolveOptions{}, limits, solution);
  slack_ = solution.found() ? kFlowRounding * solution.magnitude() : 0.0;
  const std::int32_t counted = counted_columns(instance_->potential);
  seed_messages(solution, messages);
  penalty_ = forbidding_penalty(*instance_);
  bool exact = true;
  for (std::int32_t j = 0; exact && j < counted; ++j)
    exact = limits.spend(K) && sweep_counts(order_[j], limits, solution, messages);
  return exact;
}

} // namespace chorale
