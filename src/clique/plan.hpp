// Chooses the algorithms of a call from the kind of the clique (CliqueKind), without reading
// scores.
#pragma once

#include "clique/algorithms.hpp"

namespace chorale {

// True if alpha-pass (passes/alpha_pass.hpp) finds the optimum whatever the potential is. It does
// so if, for every possible vector of counts, it visits a labelling with the greatest sum of member
// scores among those with these counts. This holds with at most two columns, where the number of
// members at alpha determines the counts, and with one member, which takes every column in turn.
// (If members have weights, it holds for their parts, see instance.hpp. So alpha-pass finds the
// optimum at two columns, but its max-marginals are not exact.)
constexpr bool is_pass_exact(const CliqueKind &kind) noexcept {
  return kind.columns <= 2 || kind.members == 1;
}

// Why an algorithm cannot be used for a clique.
enum class Misfit : std::uint8_t {
  none,
  family,          // for this form of potential the algorithm does not compute what is asked for
  not_convex,      // the algorithm needs convex tables
  not_concave,     // the algorithm needs concave tables
  no_exact_solver, // exact max-marginals are asked for, and the algorithm cannot give them
  weights_potential, // the members have weights, which the potential does not permit
  weights_algorithm, // with weights, the algorithm does not compute what is asked for
  weights_exact      // the members have weights, and exact max-marginals are asked for
};

struct Plan {
  const Algorithm *algorithm = nullptr; // the algorithm that is run and reported; never AUTO
  // Further steps that AUTO makes after alpha-pass (without weights, plan_marginals() also plans
  // them for an algorithm that the caller has chosen). First ICM, which moves single members,
  // improves the best labellings of `single_moves` passes. Then, if `expansion`, ALPHA_EXPANSION
  // improves the best result, and ICM improves it again.
  bool expansion = false;
  std::int32_t single_moves = 0;
  Misfit misfit = Misfit::none;
};

// Return the plan for a call that asks for the algorithm `asked`: AUTO or any other id of
// algorithms(). plan_solve: the call finds the best labelling; plan_marginals: it computes
// max-marginals. `gap_requested`: the call asks for an upper bound within some gap of the score.
// `exact`: the max-marginals must be exact.
Plan plan_solve(const CliqueKind &kind, chorale_algorithm asked, bool gap_requested) noexcept;
Plan plan_marginals(const CliqueKind &kind, chorale_algorithm asked, bool exact) noexcept;

} // namespace chorale
