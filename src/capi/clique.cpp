// Exported C functions of clique.h.
#include "base/rows.hpp"
#include "capi/solver_handle.hpp"
#include "clique/computation.hpp"
#include "clique/solver.hpp"
#include "potential/checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// Checks the caller's arguments, turns them into a CliqueTask (clique/computation.hpp) and runs it.
class CliqueCall {
public:
  explicit CliqueCall(const Report &report) noexcept : report_(report) {}

  CliqueTask task;
  chorale_clique_options options{};

  // Checks the weights and passes them to the task unless all are 1.
  chorale_status take_weights(const std::int64_t *weights) noexcept {
    std::int64_t total = 0;
    CHORALE_CHECK(check_weights(report_, "problem->weights", by_member(weights), 0, total));
    if (total == task.problem.members())
      return CHORALE_OK;
    CHORALE_CHECK(check_tables_serve(report_, *potential_, total, "potential"));
    task.problem.weights = by_member(weights);
    task.kind = CliqueKind(*potential_, gsl::narrow_cast<std::int32_t>(total));
    task.kind.weighted = true;
    return CHORALE_OK;
  }

  // Reads the caller's problem and checks its shape, every score, fixed value and weight.
  chorale_status take_problem(const chorale_potential *potential,
                              const chorale_clique_problem *given) noexcept {
    CHORALE_CHECK(check_given(report_, "potential", potential));
    potential_ = potential;
    chorale_clique_problem problem{};
    CHORALE_CHECK(take_struct(report_, "problem", given, problem));
    CHORALE_CHECK(check_size(report_, "problem->members", problem.members));
    CHORALE_CHECK(check_size(report_, "problem->values", problem.values));
    if (problem.values != potential_->values)
      return report_.fail(CHORALE_ERROR_VALUES_MISMATCH, "problem->values is ", problem.values,
                          "; it must be that of the potential, ", potential_->values);
    CHORALE_CHECK(check_given(report_, "problem->scores", problem.scores));
    CHORALE_CHECK(take_row_stride(report_, "problem->members", problem.members, "problem->values",
                                  problem.values, "problem->row_stride", problem.row_stride));
    CHORALE_CHECK(check_tables_serve(report_, *potential_, problem.members, "potential"));
    task.problem.scores = {problem.scores, problem.members, problem.values,
                           gsl::narrow_cast<std::ptrdiff_t>(problem.row_stride)};
    task.kind = CliqueKind(*potential_, gsl::narrow_cast<std::int32_t>(problem.members));
    // The time limit does not end the check of the numbers. But the time that a long check takes is
    // subtracted from the limit (in run()).
    if (problem.members * problem.values > kLongCheck)
      start_ = std::chrono::steady_clock::now();
    const RowScans &scans = row_scans_here();
    const auto are_scores = [&](const double *row, std::int64_t count) {
      return scans.are_scores({row, static_cast<std::size_t>(count)});
    };
    const bool in_one = problem.row_stride == problem.values &&
                        are_scores(problem.scores, problem.members * problem.values);
    for (std::int64_t i = in_one ? problem.members : 0; i < problem.members; ++i) {
      const double *row = problem.scores + i * problem.row_stride;
      if (are_scores(row, problem.values))
        continue;
      for (std::int64_t v = 0; v < problem.values; ++v)
        if (!is_score(row[v]))
          return fail_number(report_, row[v], true, "problem->scores[", i, "][", v, "]");
    }
    CHORALE_CHECK(check_entries(report_, problem.fixed, problem.members, -1, problem.values - 1,
                                "problem->fixed"));
    task.problem.fixed = span_of(problem.fixed, problem.members);
    return problem.weights ? take_weights(problem.weights) : CHORALE_OK;
  }

  chorale_status take_options(const chorale_clique_options *given) noexcept {
    CHORALE_CHECK(read_struct(report_, "options", given, options));
    if (!find_algorithm(options.algorithm))
      return report_.unknown_constant("options->algorithm", options.algorithm,
                                      "a CHORALE_ALGORITHM_ constant");
    if (options.start < CHORALE_START_INDEPENDENT || options.start > CHORALE_START_ALPHA_PASS)
      return report_.unknown_constant("options->start", options.start, "a CHORALE_START_ constant");
    if (options.start == CHORALE_START_VALUE)
      CHORALE_CHECK(check_index(report_, "options->start_value", options.start_value,
                                potential_->values));
    CHORALE_CHECK(check_size(report_, "options->subset_size", options.subset_size, 0));
    CHORALE_CHECK(check_limit("options->iteration_limit", options.iteration_limit));
    CHORALE_CHECK(check_limit("options->node_limit", options.node_limit));
    CHORALE_CHECK(check_limit("options->node_pool", options.node_pool));
    CHORALE_CHECK(check_positive("options->tolerance", options.tolerance));
    CHORALE_CHECK(check_positive("options->gap", options.gap));
    CHORALE_CHECK(check_flag(report_, options.prove, "options->prove"));
    CHORALE_CHECK(check_seconds(report_, "options->time_limit", options.time_limit));
    CHORALE_CHECK(check_flag(report_, options.exact_marginals, "options->exact_marginals"));
    task.options.subset_size = value_or(options.subset_size, task.options.subset_size);
    task.options.iteration_limit = options.iteration_limit;
    task.options.node_limit = options.node_limit;
    task.options.node_pool = options.node_pool;
    task.options.tolerance = value_or(options.tolerance, task.options.tolerance);
    task.options.gap = options.prove != 0 ? 0 : value_or(options.gap, task.options.gap);
    task.start = options.start;
    task.start_value = options.start_value;
    return CHORALE_OK;
  }

  // If the options ask for a start assignment, checks it and passes it to the task: its values must
  // be in range, and allowed by scores and by `fixed`.
  chorale_status take_start() noexcept {
    if (options.start != CHORALE_START_ASSIGNMENT)
      return CHORALE_OK;
    CHORALE_CHECK(check_given(report_, "options->start_assignment", options.start_assignment));
    const gsl::span<const std::int32_t> values =
        by_member<const std::int32_t>(options.start_assignment);
    CHORALE_CHECK(check_assignment("options->start_assignment", values));
    const std::int32_t *fixed = task.problem.fixed.data();
    for (std::int64_t i = 0; i < task.problem.scores.rows; ++i) {
      const std::int32_t v = values.data()[i];
      const bool fixed_elsewhere = fixed && fixed[i] >= 0 && fixed[i] != v;
      if (fixed_elsewhere || task.problem.scores.row(i).data()[v] == kForbidden)
        return report_.fail(
            CHORALE_ERROR_FORBIDDEN_VALUE, "options->start_assignment[", i, "] is ", v,
            "; it must be a value that problem->scores and problem->fixed allow member ", i);
    }
    task.start_assignment = values;
    return CHORALE_OK;
  }

  // Returns the caller's array with one entry for each member; empty if `array` is NULL.
  template <class T> gsl::span<T> by_member(T *array) const noexcept {
    return span_of(array, task.problem.scores.rows);
  }

  // Checks that the value of each member is in range.
  chorale_status check_assignment(std::string_view name,
                                  gsl::span<const std::int32_t> assignment) noexcept {
    return check_entries(report_, assignment.data(), task.problem.scores.rows, 0,
                         task.problem.values() - 1, name);
  }

  chorale_status take_plan(bool wants_marginals) noexcept {
    task.wants_marginals = wants_marginals;
    task.plan = wants_marginals
                    ? plan_marginals(task.kind, options.algorithm, options.exact_marginals != 0)
                    : plan_solve(task.kind, options.algorithm, task.options.gap >= 0);
    const std::string_view asked = find_algorithm(options.algorithm)->name;
    const std::string_view family = family_name(task.kind.form);
    switch (task.plan.misfit) {
    case Misfit::family:
      return report_.fail(CHORALE_ERROR_ALGORITHM_MISMATCH, "options->algorithm is ", asked,
                          ", which does not fit ", family,
                          task.wants_marginals ? " max-marginals" : "", "; it must be one of ",
                          AlgorithmNames{task.wants_marginals ? &Algorithm::marginals
                                                              : &Algorithm::solves,
                                         FormSet(task.kind.form)});
    case Misfit::not_convex:
      return report_.fail(CHORALE_ERROR_NOT_CONVEX, "options->algorithm is ", asked,
                          ", which needs convex tables; those of the potential are not convex for ",
                          task.problem.members(),
                          " members (to 1e-12 of the largest entry), nor "
                          "declared so");
    case Misfit::not_concave:
      return report_.fail(CHORALE_ERROR_NOT_CONCAVE, "options->algorithm is ", asked,
                          ", which needs concave tables that allow a count of 0; those of the "
                          "potential are not concave for ",
                          task.problem.members(),
                          " members (to 1e-12 of the largest entry), "
                          "nor declared so");
    case Misfit::no_exact_solver:
      return report_.fail(CHORALE_ERROR_NOT_EXACT, "options->exact_marginals is 1; ", asked,
                          " gives no exact max-marginals for ", family,
                          "; it must be 0, or options->algorithm another");
    case Misfit::weights_potential:
      return fail_weights(report_, task.kind, task.problem.members(), "problem->weights");
    case Misfit::weights_algorithm:
      return report_.fail(CHORALE_ERROR_WEIGHTS, "options->algorithm is ", asked,
                          "; with problem->weights above 1 it must be one of ",
                          WeightedNames{task.wants_marginals});
    case Misfit::weights_exact:
      return report_.fail(CHORALE_ERROR_WEIGHTS,
                          "options->exact_marginals is 1; with problem->weights above 1 "
                          "max-marginals are lower bounds, and it must be 0");
    case Misfit::none:
      break;
    }
    return CHORALE_OK;
  }

  chorale_status reserve(chorale_clique_solver &solver, std::size_t bytes) const noexcept {
    if (solver.workspace.reserve(bytes))
      return CHORALE_OK;
    if (bytes == SIZE_MAX)
      return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the workspace of ", task.problem.members(),
                          " members and ", task.problem.values(),
                          " values exceeds the address space");
    return report_.out_of_memory(bytes);
  }

  // Runs the task and writes its result.
  chorale_status run(chorale_clique_solver &solver, chorale_clique_result *result) noexcept {
    // Subtracts the time that the check took from the limit. The result is at least 0, since a
    // negative number would mean no limit.
    const std::chrono::duration<double> gone =
        start_ == Time{} ? Time::duration{} : std::chrono::steady_clock::now() - start_;
    const double seconds = seconds_of(options.time_limit);
    Limits limits(seconds < 0 ? seconds : std::max(seconds - gone.count(), 0.0), options.cancel);
    CHORALE_CHECK(reserve(solver, measure(task)));
    const CliqueAnswer answer = compute(task, limits, solver.workspace.data());
    CHORALE_CHECK(callback_status(report_, answer.failure));
    solver.log.write(CHORALE_LOG_DEBUG, "clique of ", task.problem.members(),
                     " members: ", task.plan.algorithm->name, ", score ",
                     answer.score(), ", upper bound ", answer.upper_bound);
    write(answer, result);
    return CHORALE_OK;
  }

  void write(const CliqueAnswer &answer, chorale_clique_result *result) const noexcept {
    chorale_clique_result full{};
    full.outcome = answer.outcome;
    full.algorithm = task.plan.algorithm ? task.plan.algorithm->id : CHORALE_ALGORITHM_AUTO;
    full.proven = answer.proven;
    full.marginals_exact = answer.marginals_exact;
    full.score = answer.score();
    full.member_score = answer.member_score;
    full.clique_score = answer.clique_score;
    full.upper_bound = answer.upper_bound;
    full.iterations = answer.iterations;
    full.nodes = answer.nodes;
    write_struct(result, full);
  }

private:
  chorale_status check_positive(std::string_view name, double number) const noexcept {
    CHORALE_CHECK(check_finite(report_, name, number));
    return number >= 0 ? CHORALE_OK
                       : report_.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", number,
                                      "; it must not be negative");
  }

  chorale_status check_limit(std::string_view name, std::int64_t limit) const noexcept {
    return limit >= 0 ? CHORALE_OK
                      : report_.fail(CHORALE_ERROR_SIZE, name, " is ", limit,
                                     "; it must be at least 0, where 0 is none");
  }

  // If there are more scores than this, the time that their check takes is subtracted from
  // options.time_limit.
  static constexpr std::int64_t kLongCheck = 1 << 16;
  const Report &report_;
  const Potential *potential_ = nullptr;
  using Time = std::chrono::steady_clock::time_point;
  Time start_{}; // when the check of more than kLongCheck scores began
};

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

const char *chorale_algorithm_name(chorale_algorithm algorithm) {
  const Algorithm *known = find_algorithm(algorithm);
  return known ? known->name.data() : "unknown algorithm";
}

chorale_status chorale_clique_solver_create(const chorale_host *host,
                                            chorale_clique_solver **solver, chorale_error *error) {
  return create_solver(host, solver, error);
}

void chorale_clique_solver_destroy(chorale_clique_solver *solver) { destroy(solver); }

chorale_status chorale_clique_solve(chorale_clique_solver *solver,
                                    const chorale_potential *potential,
                                    const chorale_clique_problem *problem,
                                    const chorale_clique_options *options, int32_t *assignment,
                                    chorale_clique_result *result, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver));
    CliqueCall call(report);
    CHORALE_CHECK(call.take_problem(potential, problem));
    CHORALE_CHECK(call.take_options(options));
    CHORALE_CHECK(call.take_start());
    CHORALE_CHECK(call.take_plan(false));
    CHORALE_CHECK(check_result(report, result));
    call.task.assignment = call.by_member(assignment);
    return call.run(*solver, result);
  });
}

chorale_status chorale_clique_max_marginals(
    chorale_clique_solver *solver, const chorale_potential *potential,
    const chorale_clique_problem *problem, const chorale_clique_options *options, double *marginals,
    int64_t row_stride, int32_t *assignment, chorale_clique_result *result, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver));
    CliqueCall call(report);
    CHORALE_CHECK(call.take_problem(potential, problem));
    CHORALE_CHECK(call.take_options(options));
    CHORALE_CHECK(check_given(report, "marginals", marginals));
    CHORALE_CHECK(take_row_stride(report, "problem->members", call.task.problem.members(),
                                  "problem->values", call.task.problem.values(), "row_stride",
                                  row_stride));
    CHORALE_CHECK(call.take_plan(true));
    CHORALE_CHECK(check_result(report, result));
    call.task.marginals = {marginals, call.task.problem.members(), call.task.problem.values(),
                           gsl::narrow_cast<std::ptrdiff_t>(row_stride)};
    call.task.assignment = call.by_member(assignment);
    return call.run(*solver, result);
  });
}

chorale_status chorale_clique_score(chorale_clique_solver *solver,
                                       const chorale_potential *potential,
                                       const chorale_clique_problem *problem,
                                       const int32_t *assignment, chorale_clique_result *result,
                                       chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver, "assignment", assignment,
                              "result", result));
    CliqueCall call(report);
    CHORALE_CHECK(call.take_problem(potential, problem));
    const gsl::span<const std::int32_t> given = call.by_member(assignment);
    CHORALE_CHECK(call.check_assignment("assignment", given));
    CHORALE_CHECK(check_result(report, result));
    Layout measure;
    measure.take<std::int64_t>(potential->values);
    CHORALE_CHECK(call.reserve(*solver, measure.bytes()));
    Layout layout(solver->workspace.data());
    CliqueAnswer answer;
    evaluate(*potential, call.task.problem, given,
             layout.take_span<std::int64_t>(potential->values), answer);
    CHORALE_CHECK(callback_status(report, answer.failure));
    call.write(answer, result);
    return CHORALE_OK;
  });
}

} // extern "C"
