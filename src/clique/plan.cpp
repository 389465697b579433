#include "clique/plan.hpp"

#include "clique/moves/sum_moves.hpp"

#include <algorithm>

namespace chorale {
namespace {

// How many passes of alpha-pass give single moves a start in a SUM, up to four. Over 500 contended
// Potts cliques of 100 members that were drawn afresh, the mean score from there is 0.99989 of the
// optimum; starts from prices instead of all passes but one, and moves of groups, make it 0.99998
// to 0.99999 and 0.82 to 0.89 of the labellings optimal (tests/bench/run.sh, potts.fresh). The more
// members, the less is left to gain.
std::int32_t polished_passes(std::int64_t members) noexcept {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(1000 / members, 1, 4));
}

Misfit misfit_of(const CliqueKind &kind, chorale_algorithm algorithm) noexcept {
  const bool sum = kind.form == Form::sum;
  switch (algorithm) {
  case CHORALE_ALGORITHM_ALPHA_PASS:
  case CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS:
  case CHORALE_ALGORITHM_ICM:
    return Misfit::none;
  case CHORALE_ALGORITHM_POLISH:
    return !sum ? Misfit::family : kind.convex ? Misfit::none : Misfit::not_convex;
  case CHORALE_ALGORITHM_CONCAVE_FLOW:
    return !sum ? Misfit::family : kind.concave ? Misfit::none : Misfit::not_concave;
  case CHORALE_ALGORITHM_ALPHA_EXPANSION:
  case CHORALE_ALGORITHM_COUNT_BOXES:
  case CHORALE_ALGORITHM_DUAL_BOUND:
    return sum ? Misfit::none : Misfit::family;
  default:
    return kind.form == Form::majority ? Misfit::none : Misfit::family;
  }
}

} // namespace

CliqueKind::CliqueKind(const Potential &potential, std::int64_t members_) noexcept
    : members(members_), form(form_of(potential)),
      pass_is_exact(is_pass_exact(members, columns_of(potential))),
      convex(form == Form::sum && is_convex(potential, members)),
      concave(form == Form::sum && is_concave(potential, members)) {}

Plan plan_solve(const CliqueKind &kind, chorale_algorithm asked, bool gap_requested) noexcept {
  Plan plan;
  if (asked != CHORALE_ALGORITHM_AUTO) {
    plan.algorithm = asked;
    plan.misfit = misfit_of(kind, asked);
    return plan;
  }
  plan.algorithm = CHORALE_ALGORITHM_ALPHA_PASS;
  if (kind.pass_is_exact)
    return plan;
  switch (kind.form) {
  case Form::max:
    break;
  case Form::majority:
    plan.algorithm = CHORALE_ALGORITHM_EXACT_MAJORITY;
    break;
  case Form::sum:
    if (kind.concave) {
      plan.algorithm = CHORALE_ALGORITHM_CONCAVE_FLOW;
      break;
    }
    plan.expansion = !kind.convex;
    plan.single_moves = polished_passes(kind.members);
    plan.group_moves = kind.convex && kind.members <= SumMoves::kFewMembers;
    if (gap_requested)
      plan.algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
    break;
  case Form::pairs:
  case Form::callback:
    plan.single_moves = 1;
    break;
  }
  return plan;
}

Plan plan_marginals(const CliqueKind &kind, chorale_algorithm asked, bool exact) noexcept {
  Plan plan = plan_solve(kind, CHORALE_ALGORITHM_AUTO, false);
  plan.group_moves = false;
  switch (asked) {
  case CHORALE_ALGORITHM_AUTO:
    if (plan.algorithm == CHORALE_ALGORITHM_ALPHA_PASS && exact && kind.form == Form::sum &&
        !kind.pass_is_exact)
      plan.algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
    break;
  case CHORALE_ALGORITHM_EXACT_MAJORITY:
  case CHORALE_ALGORITHM_CONCAVE_FLOW:
  case CHORALE_ALGORITHM_COUNT_BOXES:
  case CHORALE_ALGORITHM_ALPHA_PASS:
    plan.algorithm = asked;
    plan.misfit = misfit_of(kind, asked);
    break;
  default:
    plan.misfit = Misfit::family;
    return plan;
  }
  const bool is_exact = plan.algorithm != CHORALE_ALGORITHM_ALPHA_PASS ||
                        kind.form == Form::max || kind.pass_is_exact;
  if (plan.misfit == Misfit::none && exact && !is_exact)
    plan.misfit = Misfit::no_exact_solver;
  return plan;
}

std::string_view fitting_solvers(Form form) noexcept {
  switch (form) {
  case Form::sum:
    return "auto, alpha-pass, generalised-alpha-pass, alpha-expansion, polish (convex), icm, "
           "concave-flow (concave), count-boxes or dual-bound";
  case Form::majority:
    return "auto, alpha-pass, generalised-alpha-pass, icm, modified-alpha-pass, "
           "lagrangian-subgradient, lagrangian-golden-section, lagrangian-conservative or "
           "exact-majority";
  default:
    return "auto, alpha-pass, generalised-alpha-pass or icm";
  }
}

std::string_view fitting_marginals(Form form) noexcept {
  switch (form) {
  case Form::sum:
    return "auto, alpha-pass, concave-flow (concave) or count-boxes";
  case Form::majority:
    return "auto, alpha-pass or exact-majority";
  default:
    return "auto or alpha-pass";
  }
}

std::string_view algorithm_name(chorale_algorithm algorithm) noexcept {
  switch (algorithm) {
  case CHORALE_ALGORITHM_AUTO:
    return "auto";
  case CHORALE_ALGORITHM_ALPHA_PASS:
    return "alpha-pass";
  case CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS:
    return "generalised-alpha-pass";
  case CHORALE_ALGORITHM_ALPHA_EXPANSION:
    return "alpha-expansion";
  case CHORALE_ALGORITHM_POLISH:
    return "polish";
  case CHORALE_ALGORITHM_ICM:
    return "icm";
  case CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS:
    return "modified-alpha-pass";
  case CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT:
    return "lagrangian-subgradient";
  case CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION:
    return "lagrangian-golden-section";
  case CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE:
    return "lagrangian-conservative";
  case CHORALE_ALGORITHM_EXACT_MAJORITY:
    return "exact-majority";
  case CHORALE_ALGORITHM_CONCAVE_FLOW:
    return "concave-flow";
  case CHORALE_ALGORITHM_COUNT_BOXES:
    return "count-boxes";
  case CHORALE_ALGORITHM_DUAL_BOUND:
    return "dual-bound";
  default:
    return {};
  }
}

std::string_view family_name(Form form) noexcept {
  switch (form) {
  case Form::sum:
    return "SUM";
  case Form::max:
    return "MAX";
  case Form::majority:
    return "MAJORITY";
  case Form::pairs:
    return "PAIRS";
  case Form::callback:
    return "CALLBACK";
  }
  return {};
}

} // namespace chorale
