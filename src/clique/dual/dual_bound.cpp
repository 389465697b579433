#include "clique/dual/dual_bound.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kSteps = 1000;
constexpr double kRoundings = 4; // gaps up to this many times CountDual::rounding() count as 0

} // namespace

DualBound::DualBound(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), dual_(layout, instance.members, instance.columns),
      ascent_(layout, instance), prices_(layout.take_span<double>(instance.members)) {}

void DualBound::run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept {
  const Instance &in = *instance_;
  Incumbent incumbent = incumbent_of(solution);
  Cutoff cutoff = cutoff_for(in, incumbent);
  dual_.load(in);
  if (in.interrupted())
    return;
  double dropped = kForbidden;
  double bound = kForbidden;
  ascent_.reset_steps();
  const std::int64_t limit = options.iteration_limit > 0 ? options.iteration_limit : kSteps;
  if (in.weights || dual_.tighten_box()) {
    start_prices(in, prices_);
    bound = ascent_.run(dual_, in, prices_, incumbent, cutoff, options.gap, limit, true, limits,
                        &dropped);
    solution.iteration_limit_hit = ascent_.limit_hit();
  }
  bound = std::max(bound, dropped);
  // The bound includes an allowance for rounding; a gap of about this size counts as closed.
  if (incumbent.found() && bound - incumbent.score <= kRoundings * dual_.rounding())
    bound = incumbent.score;
  solution.score = incumbent.score;
  solution.iterations += ascent_.steps();
  if (!incumbent.found() && bound <= cutoff.level)
    solution.infeasible = true;
  else
    solution.bound = std::min(solution.bound, std::max(bound, solution.score));
}

} // namespace chorale
