#include "clique/plan.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int32_t kMostPolished = 4;

// Returns the number of passes of alpha-pass, 1 to kMostPolished, whose best labelling is improved
// by moves of single members in a SUM. With more members there is less to gain, so fewer passes are
// used. Measured on random Potts cliques of n = 100 members and 24 values, with tables lambda k^2
// and lambda from 0.80 / n to 0.95 / n: the mean score after these moves is 0.99989 of the optimum,
// and 63 % of the labellings are optimal (2,000 cliques; tests/bench/run.sh, potts.fresh).
std::int32_t polished_passes(std::int64_t members) noexcept {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(1000 / members, 1, kMostPolished));
}

// Returns why `algorithm` does not fit the clique, or Misfit::none. `set`: Algorithm::solves if the
// call finds a labelling, Algorithm::marginals if it computes max-marginals.
Misfit misfit_of(const CliqueKind &kind, const Algorithm &algorithm,
                 FormSet Algorithm::*set) noexcept {
  if (!(algorithm.*set).has(kind.form))
    return Misfit::family;
  if (algorithm.needs == TableShape::convex && !kind.convex)
    return Misfit::not_convex;
  if (algorithm.needs == TableShape::concave && !kind.concave)
    return Misfit::not_concave;
  return Misfit::none;
}

Plan plan_auto(const CliqueKind &kind, bool gap_requested) noexcept {
  Plan plan;
  chorale_algorithm algorithm = CHORALE_ALGORITHM_ALPHA_PASS;
  if (!is_pass_exact(kind)) {
    switch (kind.form) {
    case Form::max:
      break;
    case Form::majority:
      algorithm = CHORALE_ALGORITHM_EXACT_MAJORITY;
      break;
    case Form::sum:
      if (kind.concave) {
        algorithm = CHORALE_ALGORITHM_CONCAVE_FLOW;
        break;
      }
      plan.expansion = !kind.convex;
      plan.single_moves = polished_passes(kind.members);
      if (gap_requested)
        algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
      break;
    case Form::pairs:
    case Form::callback:
      plan.single_moves = 1;
      break;
    }
  }
  plan.algorithm = find_algorithm(algorithm);
  return plan;
}

// Returns the plan for a clique whose members have weights. `set`: as in misfit_of().
Plan plan_weighted(const CliqueKind &kind, chorale_algorithm asked, bool gap_requested,
                   FormSet Algorithm::*set) noexcept {
  Plan plan;
  const bool chooses = asked == CHORALE_ALGORITHM_AUTO;
  plan.single_moves = chooses ? kMostPolished : 0;
  plan.algorithm = find_algorithm(!chooses        ? asked
                                  : gap_requested ? CHORALE_ALGORITHM_DUAL_BOUND
                                                  : CHORALE_ALGORITHM_ALPHA_PASS);
  if (!kind.takes_weights())
    plan.misfit = Misfit::weights_potential;
  else if (!plan.algorithm->weights || !(plan.algorithm->*set).has(Form::sum))
    plan.misfit = Misfit::weights_algorithm;
  return plan;
}

} // namespace

Plan plan_solve(const CliqueKind &kind, chorale_algorithm asked, bool gap_requested) noexcept {
  if (kind.weighted)
    return plan_weighted(kind, asked, gap_requested, &Algorithm::solves);
  if (asked == CHORALE_ALGORITHM_AUTO)
    return plan_auto(kind, gap_requested);
  Plan plan;
  plan.algorithm = find_algorithm(asked);
  plan.misfit = misfit_of(kind, *plan.algorithm, &Algorithm::solves);
  return plan;
}

Plan plan_marginals(const CliqueKind &kind, chorale_algorithm asked, bool exact) noexcept {
  if (kind.weighted) {
    Plan plan = plan_weighted(kind, asked, false, &Algorithm::marginals);
    if (plan.misfit == Misfit::none && exact)
      plan.misfit = Misfit::weights_exact;
    return plan;
  }
  Plan plan = plan_auto(kind, false);
  const auto is_exact = [&] {
    return plan.algorithm->exact.has(kind.form) || is_pass_exact(kind);
  };
  if (asked != CHORALE_ALGORITHM_AUTO) {
    plan.algorithm = find_algorithm(asked);
    plan.misfit = misfit_of(kind, *plan.algorithm, &Algorithm::marginals);
  } else if (exact && kind.form == Form::sum && !is_exact()) {
    plan.algorithm = find_algorithm(CHORALE_ALGORITHM_COUNT_BOXES);
  }
  if (plan.misfit == Misfit::none && exact && !is_exact())
    plan.misfit = Misfit::no_exact_solver;
  return plan;
}

} // namespace chorale
