// search.hpp explains the words used here.
#include "clique/computation.hpp"

#include "base/outcome.hpp"
#include "clique/search.hpp"
#include "potential/member_row.hpp"

namespace chorale {
namespace {

// One call: reads the problem, runs the search, and makes the answer.
class Computation : CliqueSearch {
public:
  using CliqueSearch::CliqueSearch;

  CliqueAnswer carry_out() noexcept {
    if (runs() && !load()) {
      is_unread_ = is_interrupted();
      solution_.infeasible = !is_unread_;
      if (task_.wants_marginals)
        std::fill_n(messages_, is_unread_ ? 0 : entries(), kForbidden);
      return answer();
    }
    if (task_.wants_marginals)
      find_marginals();
    else if (is_prepared())
      task_.plan.algorithm->solve(*this);
    return runs() ? answer() : CliqueAnswer{};
  }

private:
  // Reads the scores. False if interrupted, or if the problem is infeasible and no messages can be
  // computed. A single member without an admissible value makes the problem infeasible, but the
  // messages to this member are defined, since a message leaves out the scores of the member that
  // receives it. These messages are computed with the member's scores set to zero.
  bool load() noexcept {
    std::int32_t only = -1;
    const bool loaded = instance_.load(task_.problem, &only, is_small() ? nullptr : &limits_);
    if (instance_.interrupted())
      return false;
    if (!loaded) {
      if (only < 0 || !task_.wants_marginals || !task_.wants_messages)
        return false;
      double *row = instance_.scores + std::int64_t{only} * instance_.columns;
      std::fill(row, row + instance_.columns, 0.0);
      instance_.note_best(only);
      only_member_ = only;
    }
    is_prepared_ =
        instance_.potential.prepare(instance_.potential.size() <= kAlwaysRead ? nullptr : &limits_);
    instance_.potential.limits = &limits_;
    return true;
  }
  // True if the algorithm may be called: either the call only adds up sizes, or load() has prepared
  // the potential without an interruption. (A potential of at most kAlwaysRead numbers is prepared
  // whatever the limits.)
  bool is_prepared() const noexcept { return !runs() || is_prepared_; }

  void find_marginals() noexcept {
    // Minus infinity stays in the entries that are not computed before the limits end the search. A
    // caller that wants messages only discards them after an interruption, so for it they are
    // filled only if no algorithm runs at all.
    if (runs() && is_small() && (!task_.messages_only || !is_prepared()))
      std::fill_n(messages_, entries(), kForbidden);
    if (is_prepared())
      task_.plan.algorithm->find_marginals(*this);
    if (!runs())
      return;
    marginals_exact_ = marginals_exact_ && !is_interrupted();
    if (is_interrupted() && !is_small())
      return;
    if (interrupted_without_labelling())
      take_independent();
    if (solution_.found()) {
      const std::int32_t *x = solution_.assignment.data();
      for (std::int64_t i = 0; i < instance_.members; ++i) {
        double &own = messages_[i * instance_.columns + x[i]];
        own = std::max(own, solution_.score - instance_.score(i, x[i]));
      }
    }
    if (only_member_ >= 0) {
      const std::int64_t K = instance_.columns;
      std::fill(messages_, messages_ + only_member_ * K, kForbidden);
      std::fill(messages_ + (only_member_ + 1) * K, messages_ + instance_.members * K, kForbidden);
      solution_.infeasible = true;
      solution_.score = kForbidden;
    }
  }

  CliqueAnswer answer() noexcept {
    CliqueAnswer answer;
    answer.failure = solution_.failure;
    bool found = solution_.found();
    Rated rated;
    if (answer.failure == CallbackFailure::none) {
      if (const bool independent = interrupted_without_labelling(); found || independent) {
        // A caller that wants messages only, such as a run of a model (src/cluster), does not read
        // the labelling. So after an interruption the labelling of a large clique is not scored for
        // it. The values go to candidate_ first, since a call that fails or finds no labelling must
        // leave the caller's array for the labelling unchanged.
        if (is_small() || !is_interrupted() || !task_.messages_only)
          rate(independent ? gsl::span<const std::int32_t>() : solution_.assignment, candidate_,
               rated);
        if (independent)
          solution_.score = rated.score();
        found = solution_.found() && only_member_ < 0;
      }
      answer.failure = rating_failure_;
    }
    // After a failure of a callback the caller's arrays stay unchanged (but see writes_in_place()).
    if (answer.failure != CallbackFailure::none)
      return answer;
    answer.iterations = solution_.iterations;
    answer.nodes = solution_.nodes;
    answer.upper_bound = solution_.infeasible ? kForbidden : solution_.bound;
    answer.marginals_exact =
        marginals_exact_ || (task_.wants_marginals && solution_.infeasible && only_member_ < 0);
    if (task_.wants_marginals && !writes_in_place() && (!is_interrupted() || is_small()))
      write_marginals(task_, messages());
    if (found) {
      static_cast<Rated &>(answer) = rated;
      if (!task_.assignment.empty())
        std::copy_n(candidate_.data(), instance_.members, task_.assignment.data());
      const double score = rated.score();
      // The bound may be a little below the score by rounding.
      answer.upper_bound = std::max(answer.upper_bound, score);
      answer.proven = closes_gap(score, answer.magnitude, answer.upper_bound);
      // An algorithm may update its score move by move, and its bound may be equal to this score.
      // By rounding, the updated score may differ from `score`, which is added up anew, by more
      // than closes_gap() tolerates. The labelling is proven optimal in this case too.
      if (!answer.proven && solution_.bound <= solution_.score) {
        answer.upper_bound = score;
        answer.proven = true;
      }
    }
    answer.outcome = outcome(answer, found);
    return answer;
  }

  chorale_outcome outcome(const CliqueAnswer &answer, bool found) const noexcept {
    if (solution_.infeasible)
      return CHORALE_OUTCOME_INFEASIBLE;
    if (limits_.interruption() != Interruption::none)
      return outcome_of(limits_.interruption(), CHORALE_OUTCOME_COMPLETE);
    if (found && !answer.proven && solution_.gap_reached(task_.options.gap))
      return CHORALE_OUTCOME_GAP_REACHED;
    if (solution_.node_limit_hit)
      return CHORALE_OUTCOME_NODE_LIMIT;
    if (solution_.iteration_limit_hit)
      return CHORALE_OUTCOME_ITERATION_LIMIT;
    return found ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_NOTHING_FOUND;
  }

  bool is_prepared_ = false;
};

} // namespace

std::size_t measure(const CliqueTask &task) noexcept {
  Layout layout;
  Limits limits;
  Computation(layout, task, limits).carry_out();
  return layout.peak();
}

CliqueAnswer compute(const CliqueTask &task, Limits &limits, std::byte *memory) noexcept {
  Layout layout(memory);
  return Computation(layout, task, limits).carry_out();
}

void write_marginals(const CliqueTask &task, Matrix<const double> messages) noexcept {
  const CliqueKind &kind = task.kind;
  const ProblemView &problem = task.problem;
  Expects(messages.rows == problem.scores.rows && messages.columns == kind.columns);
  const std::int32_t *fixed = problem.fixed.data();
  const std::int32_t values = problem.values();
  for (std::int64_t i = 0; i < problem.scores.rows; ++i) {
    const double *own = problem.scores.row(i).data();
    const std::int32_t only = fixed ? fixed[i] : -1;
    const double *from = messages.row(i).data();
    double *to = task.marginals.row(i).data();
    std::int32_t column = 0;
    for (std::int32_t v = 0; v < values; ++v) {
      const double message = kind.source->counts(v) ? from[column++] : from[kind.rest];
      if (task.wants_messages)
        to[v] = message;
      else
        to[v] = own[v] == kForbidden || message == kForbidden || (only >= 0 && only != v)
                    ? kForbidden
                    : message + own[v];
    }
  }
}

void evaluate(const Potential &potential, const ProblemView &problem,
              gsl::span<const std::int32_t> assignment, gsl::span<std::int64_t> counts,
              CliqueAnswer &answer) noexcept {
  std::fill(counts.begin(), counts.end(), 0);
  MeasuredSum members;
  const double *row = problem.scores.data;
  const std::int64_t *weight = problem.weights.data();
  std::int64_t total = 0;
  for (const std::int32_t v : assignment) {
    members.add(row[v]);
    row += problem.scores.stride;
    const std::int64_t times = weight ? *weight++ : 1;
    counts.data()[v] += times;
    total += times;
  }
  answer.member_score = members.total;
  answer.clique_score = evaluate_counted(potential, counts, total, &answer.failure);
  answer.magnitude = members.magnitude + magnitude_of(answer.clique_score);
}

} // namespace chorale
