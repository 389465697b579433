// Messages of a clique to its members, as a run computes them, against enumeration. A message
// leaves out the scores of the member that receives it, and its fixed value, and so is defined also
// for a member without allowed values.
#include "base/limits.hpp"
#include "clique/computation.hpp"

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include <setjmp.h>

#include "../fixture.h"
}

using chorale::CliqueAnswer;
using chorale::CliqueTask;

namespace {

struct Messages {
  std::vector<double> values; // members x values
  CliqueAnswer answer;
};

Messages messages_of(const chorale_potential &potential, const chorale_clique_problem &given,
                     bool exact) {
  Messages out;
  out.values.assign(std::size_t(given.members * given.values), 12345);
  std::int32_t total = 0;
  for (std::int64_t i = 0; i < given.members; ++i)
    total += given.weights ? std::int32_t(given.weights[i]) : 1;
  CliqueTask task;
  task.kind = chorale::CliqueKind(potential, total);
  task.kind.weighted = given.weights != nullptr;
  task.problem.scores = {given.scores, given.members, given.values, given.row_stride};
  task.problem.fixed = chorale::span_of(given.fixed, given.members);
  task.problem.weights = chorale::span_of(given.weights, given.members);
  task.plan = chorale::plan_marginals(task.kind, CHORALE_ALGORITHM_AUTO, exact);
  if (task.plan.misfit == chorale::Misfit::no_exact_solver)
    task.plan = chorale::plan_marginals(task.kind, CHORALE_ALGORITHM_AUTO, false);
  task.wants_marginals = task.wants_messages = true;
  task.marginals = {out.values.data(), given.members, given.values, given.values};
  std::vector<std::byte> memory(chorale::measure(task) + chorale::kAlignment);
  const auto place = reinterpret_cast<std::uintptr_t>(memory.data()) % chorale::kAlignment;
  chorale::Limits limits;
  out.answer = chorale::compute(task, limits, memory.data() + (chorale::kAlignment - place));
  return out;
}

const char *check_messages(const Problem *problem, void *) {
  chorale_error error;
  chorale_potential *potential = nullptr;
  if (make_potential(problem, nullptr, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Oracle oracle;
  enumerate(problem, &oracle);
  chorale_clique_problem described;
  describe_problem(problem, &described);
  const char *why = nullptr;
  for (int exact = 0; exact < 2 && !why; ++exact) {
    const Messages found = messages_of(*potential, described, exact != 0);
    for (std::size_t e = 0; e < found.values.size() && !why; ++e) {
      const double message = found.values[e];
      const double truth = oracle.messages[e];
      if (std::isnan(message) || message == INFINITY)
        why = complain("message entry %zu is %g", e, message);
      else if (found.answer.marginals_exact ? !is_close(message, truth)
                                            : !is_at_most(message, truth))
        why = complain("message entry %zu is %.17g, enumeration %.17g, exact %d", e, message, truth,
                       int(found.answer.marginals_exact));
    }
  }
  chorale_potential_release(potential);
  return why;
}

void messages_agree_with_enumeration(void **) {
  check_kinds("messages", KIND_POTTS, KIND_CALLBACK, test_rounds(1000), check_messages, nullptr);
}

// A member without allowed values makes the problem infeasible, but gets its message.
void a_member_without_values_gets_its_message(void **) {
  Problem problem{};
  problem.kind = KIND_MAX_SHARED;
  problem.members = 3;
  problem.values = problem.row_stride = 2;
  problem.table_count = 1;
  problem.length = 4;
  for (int k = 0; k < 4; ++k)
    problem.tables[k] = k * k;
  const double scores[6] = {1, 2, -INFINITY, -INFINITY, 3, 1};
  std::memcpy(problem.scores, scores, sizeof scores);
  chorale_error error;
  chorale_potential *potential = nullptr;
  OK(make_potential(&problem, nullptr, &potential, &error));
  Oracle oracle;
  enumerate(&problem, &oracle);
  chorale_clique_problem described;
  describe_problem(&problem, &described);
  const Messages found = messages_of(*potential, described, false);
  assert_int_equal(found.answer.outcome, CHORALE_OUTCOME_INFEASIBLE);
  for (std::size_t e = 0; e < 6; ++e)
    assert_true(is_close(found.values[e], oracle.messages[e]));
  chorale_potential_release(potential);
}

void so_does_one_with_a_weight(void **) {
  const double scores[4] = {-INFINITY, -INFINITY, 1, 0};
  const std::int64_t weights[] = {3, 2};
  chorale_clique_problem problem{};
  problem.struct_size = sizeof problem;
  problem.members = problem.values = problem.row_stride = 2;
  problem.scores = scores;
  problem.weights = weights;
  chorale_potential *potts = nullptr;
  assert_int_equal(chorale_potential_create_potts(nullptr, 2, 1, nullptr, &potts, nullptr),
                   CHORALE_OK);
  const Messages found = messages_of(*potts, problem, false);
  assert_int_equal(found.answer.outcome, CHORALE_OUTCOME_INFEASIBLE);
  assert_true(is_close(found.values[0], 1 + 25.0)); // 5^2 + 1
  assert_true(is_close(found.values[1], 0 + 25.0)); // 5^2, above 2^2 + 3^2 + 1
  assert_true(found.values[2] == -INFINITY && found.values[3] == -INFINITY);
  chorale_potential_release(potts);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(messages_agree_with_enumeration),
      cmocka_unit_test(a_member_without_values_gets_its_message),
      cmocka_unit_test(so_does_one_with_a_weight),
  };
  return cmocka_run_group_tests_name("clique messages", tests, nullptr, nullptr);
}
