// search.hpp explains the words used here.
#include "clique/search.hpp"

#include "clique/moves/alpha_expansion.hpp"
#include "clique/moves/moves.hpp"
#include "clique/passes/alpha_pass.hpp"
#include "clique/passes/max_pass.hpp"
#include "clique/passes/pair_messages.hpp"
#include "clique/passes/pass_bounds.hpp"
#include "clique/passes/threshold_bounds.hpp"
#include "clique/passes/weighted_marginals.hpp"
#include "potential/member_row.hpp"

#include <algorithm>
#include <type_traits>

namespace chorale {
namespace {

// Greatest number of iterations (sweeps of ICM, steps of polish, rounds of alpha-expansion) in one
// call of improve_candidate(), if the caller sets no limit.
constexpr std::int64_t kSweepLimit = 1000;

// With fewer members, bounds on passes cost as much as the passes that they save.
constexpr std::int32_t kBoundedMembers = 16;

} // namespace

CliqueSearch::CliqueSearch(Layout &layout, const CliqueTask &task, Limits &limits) noexcept
    : layout_(layout), task_(task), limits_(limits),
      instance_(layout, task.kind, task.in_place || reads_only(), task.problem.members()), solution_(layout, instance_),
      candidate_(layout.take_span<std::int32_t>(instance_.members)),
      value_counts_(layout.take_span<std::int64_t>(task.kind.source->values)),
      messages_(!task.wants_marginals ? nullptr
                : writes_in_place()   ? task.marginals.data
                                      : layout.take<double>(product_of_counts(
                                            instance_.members, instance_.columns))) {}

bool CliqueSearch::is_small() const noexcept {
  return std::int64_t{instance_.members} * task_.problem.values() <= kAlwaysRead;
}

// True if no step writes to the scores, and the caller's matrix has no gaps and no fixed members,
// so that the instance may use it without a copy.
bool CliqueSearch::reads_only() const noexcept {
  const ProblemView &problem = task_.problem;
  return !task_.wants_marginals && problem.scores && problem.fixed.empty() &&
         problem.scores.stride == problem.scores.columns;
}

bool CliqueSearch::writes_in_place() const noexcept {
  return task_.in_place && task_.wants_messages && !instance_.potential.has_rest() &&
         task_.marginals.stride == instance_.columns;
}

// ---- Starts ------------------------------------------------------------------------------------

void CliqueSearch::start() noexcept {
  if (task_.start == CHORALE_START_ALPHA_PASS) {
    run_alpha_pass();
    return;
  }
  if (!runs())
    return;
  const gsl::span<std::int32_t> assignment = solution_.assignment;
  switch (task_.start) {
  case CHORALE_START_VALUE:
    write_all_at(task_.start_value, assignment);
    break;
  case CHORALE_START_ASSIGNMENT:
    write_each(assignment, [this, values = task_.start_assignment.data()](std::int64_t i) {
      return column_of(values[i]);
    });
    break;
  default:
    write_independent(assignment);
    break;
  }
  started_ = true;
  rate_solution();
}

void CliqueSearch::write_independent(gsl::span<std::int32_t> assignment) const noexcept {
  write_each(assignment, [&](std::int64_t i) { return best_column(i); });
}

// Writes column(i) to assignment[i] for every member i. In small cliques ignores the limits. In
// large cliques the limits may end the loop; the search then ends too, without reading
// `assignment`.
template <class Column>
void CliqueSearch::write_each(gsl::span<std::int32_t> assignment, Column &&column) const noexcept {
  std::int32_t *to = assignment.data();
  const auto write = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      to[i] = column(i);
  };
  if (is_small())
    in_stretches(NoLimits{}, instance_.members, 8, write);
  else
    in_stretches(limits_, instance_.members, 8, write);
}

// Writes the column of `value` for each member that may take `value`, and the best column for each
// other member. Reads the caller's scores: several uncounted values share the rest column, whose
// score does not tell whether a member may take `value`.
void CliqueSearch::write_all_at(std::int32_t value,
                                gsl::span<std::int32_t> assignment) const noexcept {
  const std::int32_t common = column_of(value);
  const ProblemView &problem = task_.problem;
  const std::int32_t *fixed = problem.fixed.data();
  write_each(assignment, [&](std::int64_t i) {
    const bool open = problem.scores.row(i).data()[value] > kForbidden &&
                      (!fixed || fixed[i] < 0 || fixed[i] == value);
    return open ? common : best_column(i);
  });
}

// Sets the score of the solution to that of its labelling, which is minus infinity if the potential
// forbids the labelling. Leaves the score unchanged if the limits have ended the call on a large
// clique: write_each() may then have written a part of the labelling only.
void CliqueSearch::rate_solution() noexcept {
  if (!is_small() && is_interrupted())
    return;
  Rated rated;
  rate(solution_.assignment, {}, rated);
  solution_.score = rated.score();
  solution_.failure = rating_failure_;
}

std::int32_t CliqueSearch::best_column(std::int64_t i) const noexcept {
  const Instance &in = instance_;
  const std::int32_t best = in.best[i];
  const std::int32_t rest = in.potential.rest;
  return rest >= 0 && in.score(i, rest) == in.best_score[i] &&
                 in.value_of(i, rest) < in.value_of(i, best)
             ? rest
             : best;
}

void CliqueSearch::rate(gsl::span<const std::int32_t> assignment, gsl::span<std::int32_t> values,
                        Rated &to) noexcept {
  const Instance &in = instance_;
  Expects(assignment.empty() || assignment.size() >= to_size(in.members));
  Expects(values.empty() || values.size() >= to_size(in.members));
  const std::int32_t *const x = assignment.data();
  std::int32_t *const to_values = values.data();
  std::int64_t *const counts = value_counts_.data();
  std::fill_n(counts, value_counts_.size(), std::int64_t{0});
  MeasuredSum members;
  for (std::int64_t i = 0; i < in.members; ++i) {
    const std::int32_t column = x ? x[i] : best_column(i);
    members.add(in.score(i, column));
    const std::int32_t value = in.value_of(i, column);
    if (to_values)
      to_values[i] = value;
    counts[value] += in.weight(i);
  }
  to.member_score = members.total;
  to.clique_score = evaluate_counted(*in.potential.source, value_counts_, in.potential.members,
                                     &rating_failure_);
  to.magnitude = members.magnitude + magnitude_of(to.clique_score);
}

bool CliqueSearch::interrupted_without_labelling() const noexcept {
  return !is_unread_ && !solution_.found() && !solution_.infeasible && only_member_ < 0 &&
         solution_.failure == CallbackFailure::none && is_interrupted();
}

void CliqueSearch::take_independent() noexcept {
  write_independent(solution_.assignment);
  rate_solution();
}

// ---- Passes ------------------------------------------------------------------------------------

void CliqueSearch::run_planned_passes() noexcept {
  run_alpha_pass(task_.plan.single_moves);
  if (task_.plan.expansion) {
    run_alpha_expansion();
    run_single_moves();
  }
}

void CliqueSearch::start_from_passes() noexcept {
  run_planned_passes();
  if (!runs() || !solution_.found())
    return;
  rate_solution();
  close_bound_of_pass();
}

void CliqueSearch::run_alpha_pass(std::int32_t polished) noexcept {
  if (instance_.potential.form == Form::max) {
    solve_by<MaxPass>();
    return;
  }
  with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
    // FiniteSumScore keeps the change of the score by every possible move up to date. A pass
    // evaluates only one move from each labelling, so it uses SumScore instead.
    using PassScore = std::conditional_t<LinearMoves<Score>, SumScore, Score>;
    const std::size_t mark = layout_.mark();
    AlphaPass<PassScore> pass(layout_, instance_);
    const auto run = [&]<class Bounds>(std::type_identity<Bounds>) {
      phase<Bounds>([&](Bounds &bounds) {
        if (bounds.run())
          pass.run(bounds, limits_, solution_);
      });
    };
    if (!LinearMoves<Score> || !instance_.potential.convex || instance_.members < kBoundedMembers)
      run(std::type_identity<AllPasses>());
    else if (ThresholdBounds::pay_for(instance_))
      run(std::type_identity<ThresholdBounds>());
    else
      run(std::type_identity<PassBounds>());
    if (polished > 0)
      phase<SingleMoves<Score>>([&](auto &moves) {
        improve_solution(moves);
        for (std::int32_t rank = 1; rank < polished && pass.write(rank, candidate_); ++rank)
          improve_candidate(moves);
        solution_.failure = moves.failure();
      });
    layout_.rewind(mark);
  });
  close_bound_of_pass();
}

void CliqueSearch::close_bound_of_pass() noexcept {
  if (!(is_pass_exact(instance_.potential) || instance_.members == 1) || !runs() ||
      is_interrupted())
    return;
  solution_.bound = solution_.score;
  solution_.infeasible = !solution_.found();
}

// ---- Improvements ------------------------------------------------------------------------------

void CliqueSearch::run_alpha_expansion() noexcept {
  phase<AlphaExpansion>([&](auto &expansion) { improve_solution(expansion); });
}

void CliqueSearch::run_local_search() noexcept {
  phase<MonotonePolish>([&](auto &polish) { improve_solution(polish); });
}

void CliqueSearch::run_single_moves() noexcept {
  with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
    phase<SingleMoves<Score>>([&](auto &moves) {
      improve_solution(moves);
      solution_.failure = moves.failure();
    });
  });
}

// Improves a copy of the solution's labelling, which becomes the solution if it scores more.
template <class Improver> void CliqueSearch::improve_solution(Improver &improver) noexcept {
  if (!started_ && !solution_.found())
    return;
  std::copy_n(solution_.assignment.data(), instance_.members, candidate_.data());
  improve_candidate(improver);
}

// Improves the labelling candidate_, which becomes the solution if it scores more.
template <class Improver> void CliqueSearch::improve_candidate(Improver &improver) noexcept {
  const std::int64_t limit =
      task_.options.iteration_limit > 0 ? task_.options.iteration_limit : kSweepLimit;
  std::int64_t left = limit;
  const double score = improver.improve(instance_, candidate_, limits_, left);
  if (score > solution_.score) {
    solution_.score = score;
    std::swap(solution_.assignment, candidate_);
  }
  solution_.iterations += limit - left;
  solution_.iteration_limit_hit = left == 0;
}

// ---- Max-marginals -----------------------------------------------------------------------------

void CliqueSearch::find_pass_marginals() noexcept {
  if (!task_.messages_only)
    run_planned_passes();
  if (instance_.potential.form == Form::max)
    return find_marginals_by<MaxPass>();
  with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
    using Marginals = std::conditional_t<std::is_same_v<Score, WeightedSumScore>,
                                         WeightedMarginals, AlphaPassMarginals<Score>>;
    if (LinearMoves<Score> && PairMessages::fits(instance_))
      return phase<PairMessages>([&](auto &pair) { pair.run(messages()); });
    phase<Marginals>([&](auto &marginals) { marginals.run(limits_, solution_, messages()); });
  });
  marginals_exact_ = is_pass_exact(instance_.potential) && !instance_.potential.weighted;
  if (!task_.messages_only)
    follow_best_marginal();
}

// The passes with one member fixed to a column may find a labelling better than the solution, but
// give only its score. If the best of these scores exceeds the solution's, finds the labelling by
// running alpha-pass with the same member fixed to the same column.
void CliqueSearch::follow_best_marginal() noexcept {
  const std::int64_t K = instance_.columns;
  double *row = layout_.take<double>(K);
  std::int64_t best_member = -1;
  std::int32_t best_column = -1;
  if (runs() && solution_.failure == CallbackFailure::none) {
    double best = solution_.score;
    Pace pace(limits_, 4 * K, instance_.members);
    for (std::int64_t i = 0; i < instance_.members && pace.next(); ++i)
      for (std::int32_t v = 0; v < K; ++v)
        if (instance_.score(i, v) > kForbidden &&
            messages_[i * K + v] + instance_.score(i, v) > best) {
          best = messages_[i * K + v] + instance_.score(i, v);
          best_member = i;
          best_column = v;
        }
  }
  if (best_member < 0) {
    if (!runs())
      run_alpha_pass();
    return;
  }
  double *own = instance_.scores + best_member * K;
  std::copy(own, own + K, row);
  std::fill(own, own + K, kForbidden);
  own[best_column] = row[best_column];
  instance_.note_best(best_member);
  run_alpha_pass();
  std::copy(row, row + K, own);
  instance_.note_best(best_member);
}

} // namespace chorale
