// Chooses the algorithms of a task from what is known of the clique before its scores.
#pragma once

#include "clique/algorithms.hpp"

namespace chorale {

// True if alpha-pass is exact whatever the potential: it sees a best labelling of every count
// vector. With two columns the counts follow from the number of members at alpha; one member takes
// every column in turn.
constexpr bool is_pass_exact(const CliqueKind &kind) noexcept {
  return kind.columns <= 2 || kind.members == 1;
}

enum class Misfit : std::uint8_t {
  none,
  family,
  not_convex,
  not_concave,
  no_exact_solver,
  // The members have weights, which the potential, the algorithm, or exact max-marginals do not
  // take.
  weights_potential,
  weights_algorithm,
  weights_exact
};

struct Plan {
  const Algorithm *algorithm = nullptr; // the one that is entered and reported; never AUTO
  // Further steps of AUTO, in the order in which they run.
  bool expansion = false;        // ALPHA_EXPANSION from the best labelling of alpha-pass
  std::int32_t single_moves = 0; // ICM from the best labellings of so many passes
  // ICM from labellings that prices promise, or from fewer members of alpha, by size; then moves of
  // groups.
  bool group_moves = false;
  Misfit misfit = Misfit::none;
};

// Plans for the algorithm `asked` for, which must be in the table.
Plan plan_solve(const CliqueKind &kind, chorale_algorithm asked, bool gap_requested) noexcept;
Plan plan_marginals(const CliqueKind &kind, chorale_algorithm asked, bool exact) noexcept;

} // namespace chorale
