// One call of the clique API as a computation: runs all phases of a plan in one workspace.
#pragma once

#include "clique/instance.hpp"
#include "clique/plan.hpp"

namespace chorale {

struct CliqueTask {
  CliqueKind kind;
  ProblemView problem{}; // measure() reads only its members and values
  Plan plan;
  SolveOptions options;
  chorale_start start = CHORALE_START_INDEPENDENT;
  std::int32_t start_value = 0;
  const std::int32_t *start_assignment = nullptr;

  bool wants_marginals = false;
  // True if the call must return within milliseconds of an interruption. `limits` are then those of
  // this task alone.
  bool is_quick = false;
  // If max-marginals come from restricted passes, skips the search for a labelling.
  bool messages_only = false;
  chorale_marginal_form marginal_form = CHORALE_MARGINAL_SCORE;
  double *marginals = nullptr;
  std::ptrdiff_t marginals_stride = 0;
  std::int32_t *assignment = nullptr; // may be NULL
  // True if the caller lends the arrays of scores and marginals as scratch: each is worked on in
  // place if its layout fits. Scores may then be overwritten.
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

// Returns the number of bytes that `compute` needs for the task.
std::size_t measure(const CliqueTask &task) noexcept;
// Runs the task in `memory`, of at least measure(task) bytes.
CliqueAnswer compute(const CliqueTask &task, Limits &limits, std::byte *memory) noexcept;

// Writes messages (n x K, by column) to the caller's array, by value, in the form that the task asks
// for.
void write_marginals(const CliqueTask &task, const double *messages) noexcept;

// Scores an assignment of values by the definition: the member scores in the order of the members,
// and the potential by its own formula. `assignment`: one entry a member; `counts`: scratch, one
// entry a value.
void evaluate(const Potential &potential, const ProblemView &problem,
              gsl::span<const std::int32_t> assignment, gsl::span<std::int64_t> counts,
              CliqueAnswer &answer) noexcept;

} // namespace chorale
