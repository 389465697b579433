// One call of the clique API as a computation: every phase of a plan over one workspace.
#pragma once

#include "clique/instance.hpp"
#include "clique/plan.hpp"

namespace chorale {

struct CliqueTask {
  const Potential *potential = nullptr;
  ProblemView problem{}; // measuring looks at members and values only
  Plan plan;
  SolveOptions options;
  chorale_start start = CHORALE_START_INDEPENDENT;
  std::int32_t start_value = 0;
  const std::int32_t *start_assignment = nullptr;

  bool wants_marginals = false;
  // Where max-marginals are those of restricted passes: no search for a labelling beside them.
  bool messages_only = false;
  chorale_marginal_form marginal_form = CHORALE_MARGINAL_SCORE;
  double *marginals = nullptr;
  std::ptrdiff_t marginals_stride = 0;
  std::int32_t *assignment = nullptr; // may be NULL
  // The arrays of scores and messages are the computation's own to work in, where they are as it
  // wants them; scores may be changed then.
  bool in_place = false;
};

struct CliqueAnswer {
  chorale_outcome outcome = CHORALE_OUTCOME_COMPLETE;
  bool proven = false;
  bool marginals_exact = false;
  double member_score = kForbidden;
  double clique_score = 0;
  double magnitude = 0; // sum_i |psi_i,x_i| + |clique_score|
  double upper_bound = kInfinity;
  std::int64_t iterations = 0;
  std::int64_t nodes = 0;
  CallbackFailure failure = CallbackFailure::none;
};

// The bytes `compute` needs for the task.
std::size_t measure(const CliqueTask &task) noexcept;
// Carries the task out in that much memory.
CliqueAnswer compute(const CliqueTask &task, Limits &limits, std::byte *memory) noexcept;

// F of an assignment of values by its definition: the member part in the order of the members, the
// potential by its own formula. `counts` has room for `values` numbers.
void evaluate(const Potential &potential, const ProblemView &problem,
              const std::int32_t *assignment, std::int64_t *counts, CliqueAnswer &answer) noexcept;

} // namespace chorale
