// Which algorithms a task runs: the table of DESIGN as code.
#pragma once

#include "clique/instance.hpp"

#include <chorale/clique.h>

#include <string_view>

namespace chorale {

// What decides: known before any scores are.
struct CliqueKind {
  CliqueKind(const Potential &potential, std::int64_t members) noexcept;

  std::int64_t members;
  Form form;
  bool pass_is_exact; // alpha-pass sees a best labelling of every count vector
  bool convex;        // SUM only
  bool concave;       // SUM only
};

// At most two columns, or one member, who takes every column in turn.
constexpr bool is_pass_exact(std::int64_t members, std::int64_t columns) noexcept {
  return columns <= 2 || members == 1;
}

enum class Misfit : std::int32_t { none, family, not_convex, not_concave, no_exact_solver };

struct Plan {
  chorale_algorithm algorithm = CHORALE_ALGORITHM_AUTO; // the one that is reported
  // Further steps of AUTO, in the order in which they run.
  bool expansion = false;        // ALPHA_EXPANSION from the best labelling of alpha-pass
  std::int32_t single_moves = 0; // ICM from the best labellings of so many passes
  // ICM from labellings that prices promise, or from fewer members of alpha, by size; then moves of
  // groups.
  bool group_moves = false;
  Misfit misfit = Misfit::none;
};

Plan plan_solve(const CliqueKind &kind, chorale_algorithm asked, bool gap_requested) noexcept;
Plan plan_marginals(const CliqueKind &kind, chorale_algorithm asked, bool exact) noexcept;

// All that fit, for messages: "alpha-pass, icm and auto" say.
std::string_view fitting_solvers(Form form) noexcept;
std::string_view fitting_marginals(Form form) noexcept;

std::string_view algorithm_name(chorale_algorithm algorithm) noexcept; // empty: unknown
std::string_view family_name(Form form) noexcept;

} // namespace chorale
