#include "clique/computation.hpp"

#include "clique/dual/count_boxes.hpp"
#include "clique/dual/dual_bound.hpp"
#include "clique/flows/concave_flow.hpp"
#include "clique/kept_labelling.hpp"
#include "clique/majority/exact_majority.hpp"
#include "clique/moves/alpha_expansion.hpp"
#include "clique/moves/group_moves.hpp"
#include "clique/moves/moves.hpp"
#include "clique/moves/sum_moves.hpp"
#include "clique/paper/generalised_alpha_pass.hpp"
#include "clique/paper/lagrangian.hpp"
#include "clique/paper/modified_alpha_pass.hpp"
#include "clique/passes/alpha_pass.hpp"
#include "clique/passes/max_pass.hpp"
#include "clique/passes/pair_messages.hpp"
#include "clique/passes/pass_bounds.hpp"
#include "clique/passes/price_starts.hpp"
#include "clique/passes/sum_pass_marginals.hpp"
#include "clique/passes/threshold_bounds.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <type_traits>

namespace chorale {
namespace {

// A start or a polish that is still going on after this many sweeps is not worth more.
constexpr std::int64_t kSweepLimit = 1000;

// Of so many scores, all are read and a labelling is found, however early the limits end; it takes
// a few milliseconds. Of more, once all have been read.
constexpr std::int64_t kAlwaysRead = 1 << 20;

// In smaller cliques bounds on passes cost as much as the passes that they save.
constexpr std::int32_t kBoundedMembers = 16;

template <class Score>
using Moves = std::conditional_t<LinearMoves<Score>, SumMoves, SingleMoves<Score>>;

// Goes through the phases of a task. On a measuring layout it only takes their buffers; otherwise
// it runs each where it stands. Phases use the same room one after the other.
class Computation {
public:
  Computation(Layout &layout, const CliqueTask &task, Limits &limits) noexcept
      : layout_(layout), task_(task), limits_(limits),
        instance_(layout, *task.potential, task.problem.members, task.in_place || reads_only()),
        solution_(layout, instance_),
        candidate_(layout.take<std::int32_t>(instance_.members)),
        kept_(layout, instance_, task.is_quick && !is_small()),
        messages_(!task.wants_marginals ? nullptr
                  : writes_in_place()   ? task.marginals
                                        : layout.take<double>(saturating_product(
                                            static_cast<std::size_t>(instance_.members),
                                            static_cast<std::size_t>(instance_.columns)))) {}

  CliqueAnswer carry_out() noexcept {
    if (runs() && !load()) {
      is_unread_ = is_interrupted();
      solution_.infeasible = !is_unread_;
      if (task_.wants_marginals)
        std::fill(messages_, messages_ + (is_unread_ ? 0 : entries()), kForbidden);
      return answer();
    }
    if (task_.wants_marginals)
      find_marginals();
    else
      find_values();
    return runs() ? answer() : CliqueAnswer{};
  }

private:
  bool runs() const noexcept { return !layout_.measuring(); }
  std::int64_t entries() const noexcept {
    return std::int64_t{instance_.members} * instance_.columns;
  }
  bool is_small() const noexcept {
    return std::int64_t{instance_.members} * task_.problem.values <= kAlwaysRead;
  }
  bool is_interrupted() const noexcept { return limits_.interruption() != Interruption::none; }
  // Without messages nothing writes to the scores, so the caller's own serve where they lie as the
  // instance wants them.
  bool reads_only() const noexcept {
    const ProblemView &problem = task_.problem;
    return !task_.wants_marginals && problem.scores && !problem.fixed &&
           problem.row_stride == problem.values;
  }
  bool writes_in_place() const noexcept {
    return task_.in_place && task_.marginal_form == CHORALE_MARGINAL_MESSAGE &&
           !instance_.potential.has_rest() && task_.marginals_stride == instance_.columns;
  }

  // Whether there is anything to compute. One member without an admissible value makes the problem
  // infeasible, and yet messages to that member are defined, since they leave out its own score:
  // they are found with a row of zeros in its place.
  bool load() noexcept {
    using Clock = std::chrono::steady_clock;
    const bool keeps = task_.is_quick && !is_small() && limits_.can_come();
    const Clock::time_point start = keeps ? Clock::now() : Clock::time_point{};
    std::int32_t only = -1;
    if (instance_.load(task_.problem, &only, is_small() ? nullptr : &limits_)) {
      instance_.potential.limits = &limits_;
      return !keeps || keep_labellings(start);
    }
    if (instance_.interrupted())
      return false;
    instance_.potential.limits = &limits_;
    if (only < 0 || !task_.wants_marginals || task_.marginal_form != CHORALE_MARGINAL_MESSAGE)
      return false;
    double *row = instance_.scores + std::int64_t{only} * instance_.columns;
    std::fill(row, row + instance_.columns, 0.0);
    instance_.note_best(only);
    only_member_ = only;
    return true;
  }

  // From now on there is a labelling to answer with. `start`: when the scores began to be read. To
  // rate a labelling takes no longer than that took, to write messages no more than twice as long.
  bool keep_labellings(std::chrono::steady_clock::time_point start) noexcept {
    if (!kept_.begin(limits_))
      return false;
    instance_.kept = &kept_;
    last_ = limits_;
    limits_.keep_back((std::chrono::steady_clock::now() - start) * (task_.wants_marginals ? 2 : 1));
    return true;
  }

  // Builds an algorithm in the room that phases share and, unless measuring, lets `use` run it.
  template <class Algorithm, class Use, class... Arguments>
  void phase(Use &&use, const Arguments &...arguments) noexcept {
    const std::size_t mark = layout_.mark();
    Algorithm algorithm(layout_, instance_, arguments...);
    if (runs() && solution_.failure == CallbackFailure::none && !is_interrupted())
      use(algorithm);
    layout_.rewind(mark);
  }

  void find_values() noexcept {
    switch (task_.plan.algorithm) {
    case CHORALE_ALGORITHM_ALPHA_PASS:
      search();
      break;
    case CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS:
      // Sets of one are alpha-pass, which has its own exact form for MAX.
      if (instance_.potential.form == Form::max)
        alpha_pass();
      with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
        phase<GeneralisedAlphaPass<Score>>([&](auto &pass) { pass.run(limits_, solution_); },
                                           task_.options.subset_size);
      });
      if (is_pass_exact(instance_.members, instance_.columns))
        close_bound();
      break;
    case CHORALE_ALGORITHM_ALPHA_EXPANSION:
      begin();
      alpha_expansion();
      break;
    case CHORALE_ALGORITHM_POLISH:
      begin();
      phase<MonotonePolish>([&](auto &polish) { improve_solution(polish); });
      break;
    case CHORALE_ALGORITHM_ICM:
      begin();
      single_moves();
      break;
    case CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS:
      solve_by<ModifiedAlphaPass>();
      break;
    case CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT:
      solve_by<Lagrangian>(StepRule::subgradient);
      break;
    case CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION:
      solve_by<Lagrangian>(StepRule::golden_section);
      break;
    case CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE:
      solve_by<Lagrangian>(StepRule::conservative);
      break;
    case CHORALE_ALGORITHM_EXACT_MAJORITY:
      solve_by<ExactMajority>();
      break;
    case CHORALE_ALGORITHM_CONCAVE_FLOW:
      solve_by<ConcaveFlow>(false);
      break;
    case CHORALE_ALGORITHM_COUNT_BOXES:
      search();
      solve_by<CountBoxes>(task_.options);
      break;
    case CHORALE_ALGORITHM_DUAL_BOUND:
      search();
      solve_by<DualBound>();
      break;
    default:
      break;
    }
  }

  template <class Algorithm, class... Arguments>
  void solve_by(const Arguments &...arguments) noexcept {
    phase<Algorithm>([&](auto &algorithm) { algorithm.run(task_.options, limits_, solution_); },
                     arguments...);
  }

  void find_marginals() noexcept {
    // What is not found before the limits.
    if (runs() && is_small() && !task_.messages_only)
      std::fill(messages_, messages_ + entries(), kForbidden);
    switch (task_.plan.algorithm) {
    case CHORALE_ALGORITHM_EXACT_MAJORITY:
      phase<ExactMajority>(
          [&](auto &exact) { exact_marginals_ = exact.messages(limits_, solution_, messages_); });
      break;
    case CHORALE_ALGORITHM_CONCAVE_FLOW:
      phase<ConcaveFlow>(
          [&](auto &flow) { exact_marginals_ = flow.messages(limits_, solution_, messages_); },
          true);
      break;
    case CHORALE_ALGORITHM_COUNT_BOXES:
      search();
      phase<CountBoxes>(
          [&](auto &boxes) {
            exact_marginals_ = boxes.messages(task_.options, limits_, solution_, messages_);
          },
          task_.options);
      break;
    default:
      find_restricted_passes();
      break;
    }
    if (!runs())
      return;
    exact_marginals_ = exact_marginals_ && !is_interrupted();
    if (is_interrupted() && !is_small())
      return;
    if (interrupted_without_labelling())
      take_independent();
    if (solution_.found())
      for (std::int64_t i = 0; i < instance_.members; ++i) {
        const std::int32_t v = solution_.assignment[i];
        double &own = messages_[i * instance_.columns + v];
        own = std::max(own, solution_.score - instance_.score(i, v));
      }
    if (only_member_ >= 0) {
      const std::int64_t K = instance_.columns;
      std::fill(messages_, messages_ + only_member_ * K, kForbidden);
      std::fill(messages_ + (only_member_ + 1) * K, messages_ + instance_.members * K, kForbidden);
      solution_.infeasible = true;
      solution_.score = kForbidden;
    }
  }

  void find_restricted_passes() noexcept {
    if (!task_.messages_only)
      search();
    if (instance_.potential.form == Form::max) {
      phase<MaxPass>(
          [&](auto &pass) { exact_marginals_ = pass.messages(limits_, solution_, messages_); });
      return;
    }
    with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
      using Marginals =
          std::conditional_t<LinearMoves<Score>, SumPassMarginals, AlphaPassMarginals<Score>>;
      if (LinearMoves<Score> && PairMessages::fits(instance_))
        return phase<PairMessages>([&](auto &pair) { pair.run(messages_); });
      phase<Marginals>([&](auto &marginals) { marginals.run(limits_, solution_, messages_); });
    });
    exact_marginals_ = is_pass_exact(instance_.members, instance_.columns);
    if (!task_.messages_only)
      follow_best_marginal();
  }

  // With single moves from the best labellings of `polished` passes.
  void alpha_pass(std::int32_t polished = 0) noexcept {
    if (instance_.potential.form == Form::max) {
      phase<MaxPass>([&](auto &pass) { pass.run(limits_, solution_); });
      return;
    }
    with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
      // A pass looks at one move a step: upkeep of all moves would not pay.
      using PassScore = std::conditional_t<LinearMoves<Score>, SumScore, Score>;
      const std::size_t mark = layout_.mark();
      AlphaPass<PassScore> pass(layout_, instance_);
      if constexpr (LinearMoves<Score>) {
        if (instance_.members >= kBoundedMembers &&
            is_convex(*task_.potential, instance_.members)) {
          const auto promising_passes = [&]<class Bounds>(std::type_identity<Bounds>) {
            Bounds bounds(layout_, instance_);
            Moves<Score> moves(layout_, instance_);
            std::optional<GroupMoves> groups;
            std::optional<PriceStarts> starts;
            if (task_.plan.group_moves && GroupMoves::pay_for(instance_)) {
              groups.emplace(layout_, instance_);
              if (PriceStarts::pay_for(instance_))
                starts.emplace(layout_, instance_);
            }
            if (!runs())
              return;
            if (bounds.run())
              pass.run(bounds, limits_, solution_, candidate_, [&]() noexcept {
                if (polished > 0)
                  improve_candidate(moves);
                // The best pass is start enough besides those of prices.
                polished = starts ? 0 : polished - 1;
                if constexpr (std::is_same_v<Bounds, PassBounds>)
                  if (starts) {
                    starts->run(bounds, solution_.score);
                    start_from_prices(*starts, moves);
                    starts.reset();
                  }
              });
            if (groups && limits_.interruption() == Interruption::none)
              move_groups(*groups, moves);
          };
          if (ThresholdBounds::pay_for(instance_))
            promising_passes(std::type_identity<ThresholdBounds>{});
          else
            promising_passes(std::type_identity<PassBounds>{});
          layout_.rewind(mark);
          return;
        }
      }
      if (runs() && solution_.failure == CallbackFailure::none)
        pass.run(limits_, solution_);
      if (polished > 0)
        phase<Moves<Score>>([&](auto &moves) {
          for (std::int32_t rank = 0; rank < polished && pass.write(rank, candidate_); ++rank)
            improve_candidate(moves);
          solution_.failure = moves.failure();
        });
      layout_.rewind(mark);
    });
    if (is_pass_exact(instance_.members, instance_.columns))
      close_bound();
  }

  // Single moves from labellings with two or three large columns.
  void start_from_prices(PriceStarts &starts, SumMoves &moves) noexcept {
    for (std::int32_t rank = 0; rank < starts.count() && !is_interrupted(); ++rank)
      if (starts.is_near(starts.write(rank, candidate_), solution_.score))
        improve_candidate(moves, true);
  }

  // Single moves from where groups of members have gone.
  void move_groups(GroupMoves &groups, SumMoves &moves) noexcept {
    const auto begin = [&] {
      std::copy(solution_.assignment, solution_.assignment + instance_.members, candidate_);
      return candidate_;
    };
    if (!solution_.found() || groups.nearly_agree(solution_.assignment))
      return;
    // Starts from prices have seen smaller columns.
    if (!PriceStarts::pay_for(instance_) && groups.thin_fullest(begin()))
      improve_candidate(moves, true);
    while (limits_.interruption() == Interruption::none && groups.move_group(begin())) {
      const double before = solution_.score;
      improve_candidate(moves, true);
      if (!(solution_.score > before) ||
          !(solution_.score > before + kLeastImprovement * solution_.magnitude()))
        return;
    }
  }

  // Such a pass has seen a best labelling of every count vector.
  void close_bound() noexcept {
    if (!runs() || is_interrupted())
      return;
    solution_.bound = solution_.score;
    solution_.infeasible = !solution_.found();
  }

  // What AUTO does for families without an exact algorithm.
  void search() noexcept {
    alpha_pass(task_.plan.single_moves);
    if (task_.plan.expansion) {
      alpha_expansion();
      single_moves();
    }
  }

  void alpha_expansion() noexcept {
    phase<AlphaExpansion>([&](auto &expansion) { improve_solution(expansion); });
  }

  void single_moves() noexcept {
    with_count_score(instance_.potential, [&]<class Score>(std::type_identity<Score>) {
      phase<Moves<Score>>([&](auto &moves) {
        improve_solution(moves);
        solution_.failure = moves.failure();
      });
    });
  }

  // Runs an improver on the solution's own labelling.
  template <class Improver> void improve_solution(Improver &improver) noexcept {
    if (!has_labelling())
      return;
    std::copy(solution_.assignment, solution_.assignment + instance_.members, candidate_);
    improve_candidate(improver);
  }

  // again: see SumMoves::improve_again.
  template <class Improver>
  void improve_candidate(Improver &improver, bool again = false) noexcept {
    const std::int64_t limit =
        task_.options.iteration_limit > 0 ? task_.options.iteration_limit : kSweepLimit;
    std::int64_t left = limit;
    double score = 0;
    if constexpr (std::is_same_v<Improver, SumMoves>)
      score = again ? improver.improve_again(candidate_, limits_, left)
                    : improver.improve(candidate_, limits_, left);
    else
      score = improver.improve(candidate_, limits_, left);
    offer_candidate(score);
    solution_.iterations += limit - left;
    solution_.iteration_limit_hit = left == 0;
  }

  void offer_candidate(double score) noexcept {
    if (score > solution_.score) {
      solution_.score = score;
      std::swap(solution_.assignment, candidate_);
    }
  }

  // ---- Starts ----------------------------------------------------------------------------------

  bool has_labelling() const noexcept { return started_ || solution_.found(); }

  void begin() noexcept {
    if (task_.start == CHORALE_START_ALPHA_PASS) {
      alpha_pass();
      return;
    }
    if (!runs())
      return;
    switch (task_.start) {
    case CHORALE_START_VALUE:
      write_all_at(task_.start_value, solution_.assignment);
      break;
    case CHORALE_START_ASSIGNMENT:
      for_members([&](std::int64_t i) {
        solution_.assignment[i] = column_of(task_.start_assignment[i]);
      });
      break;
    default:
      write_independent(solution_.assignment);
      break;
    }
    started_ = true;
    rate_solution();
  }

  // Scores the labelling the solution holds; it may turn out forbidden by the potential. Where the
  // limits come first there is none.
  void rate_solution() noexcept {
    Rated rated;
    if (!rate(solution_.assignment, nullptr, rated))
      return;
    solution_.score = rated.score();
    solution_.failure = kept_.failure();
  }

  // In small cliques whatever the limits.
  bool rate(const std::int32_t *assignment, std::int32_t *values, Rated &to) noexcept {
    return is_small() ? kept_.rate(NoLimits{}, assignment, values, to)
                      : kept_.rate(limits_, assignment, values, to);
  }

  bool interrupted_without_labelling() const noexcept {
    return !is_unread_ && !solution_.found() && !solution_.infeasible && only_member_ < 0 &&
           solution_.failure == CallbackFailure::none && is_interrupted();
  }

  void take_independent() noexcept {
    write_independent(solution_.assignment);
    rate_solution();
  }

  void write_independent(std::int32_t *assignment) const noexcept {
    for_members([&](std::int64_t i) { assignment[i] = kept_.best_column(i); });
  }

  // In small cliques whatever the limits. If they come, what follows ends at once.
  template <class Body> void for_members(Body &&body) const noexcept {
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        body(i);
    };
    if (is_small())
      in_stretches(NoLimits{}, instance_.members, 8, some);
    else
      in_stretches(limits_, instance_.members, 8, some);
  }

  // The value must be open to the member itself: its column may be so by another value that does
  // not count either.
  void write_all_at(std::int32_t value, std::int32_t *assignment) const noexcept {
    const std::int32_t column = column_of(value);
    const ProblemView &problem = task_.problem;
    for_members([&](std::int64_t i) {
      const bool open = problem.scores[i * problem.row_stride + value] > kForbidden &&
                        (!problem.fixed || problem.fixed[i] < 0 || problem.fixed[i] == value);
      assignment[i] = open ? column : kept_.best_column(i);
    });
  }

  std::int32_t column_of(std::int32_t value) const noexcept {
    const CliquePotential &potential = instance_.potential;
    if (!potential.source->counts(value))
      return potential.rest;
    return static_cast<std::int32_t>(
        std::lower_bound(potential.value_of_column,
                         potential.value_of_column + potential.source->counted_values, value) -
        potential.value_of_column);
  }

  // ---- Marginals -------------------------------------------------------------------------------

  // Restricted passes see more labellings than the plain one. Where one of them beats the solution,
  // runs it again by itself to have the labelling.
  void follow_best_marginal() noexcept {
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
    if (best_member >= 0) {
      double *own = instance_.scores + best_member * K;
      std::copy(own, own + K, row);
      std::fill(own, own + K, kForbidden);
      own[best_column] = row[best_column];
      instance_.note_best(best_member);
    }
    if (!runs() || best_member >= 0)
      alpha_pass();
    if (best_member >= 0) {
      std::copy(row, row + K, instance_.scores + best_member * K);
      instance_.note_best(best_member);
    }
  }

  void write_marginals() const noexcept {
    const Potential &potential = *task_.potential;
    const std::int64_t K = instance_.columns;
    for (std::int64_t i = 0; i < instance_.members; ++i) {
      const double *own = task_.problem.scores + i * task_.problem.row_stride;
      const std::int32_t only = task_.problem.fixed ? task_.problem.fixed[i] : -1;
      const double *from = messages_ + i * K;
      double *to = task_.marginals + i * task_.marginals_stride;
      std::int32_t column = 0;
      for (std::int32_t v = 0; v < task_.problem.values; ++v) {
        const double message =
            potential.counts(v) ? from[column++] : from[instance_.potential.rest];
        if (task_.marginal_form == CHORALE_MARGINAL_MESSAGE)
          to[v] = message;
        else
          to[v] = own[v] == kForbidden || message == kForbidden || (only >= 0 && only != v)
                      ? kForbidden
                      : message + own[v];
      }
    }
  }

  // ---- The answer ------------------------------------------------------------------------------

  CliqueAnswer answer() noexcept {
    CliqueAnswer answer;
    // Straight to the caller, unless something is read yet, or the labelling may be refused.
    const bool straight = !kept_.is_active() && !task_.wants_marginals &&
                          !task_.potential->callback && task_.potential->finite_tables;
    const std::int32_t *values = straight ? task_.assignment : candidate_;
    answer.failure = solution_.failure;
    bool found = solution_.found();
    Rated rated;
    if (answer.failure == CallbackFailure::none) {
      if (kept_.is_active()) {
        const bool cut = is_interrupted();
        is_solution_rated_ =
            found ? kept_.finish(last_, solution_.assignment, solution_.score, !cut) : !cut;
        rated = kept_.rated();
        values = kept_.values();
        if (!is_solution_rated_)
          found = !solution_.infeasible && rated.score() > kForbidden;
      } else if (const bool independent = interrupted_without_labelling(); found || independent) {
        // Nobody looks at what limits leave of a large clique of a run.
        if (is_small() || !is_interrupted() || task_.assignment)
          kept_.rate(NoLimits{}, independent ? nullptr : solution_.assignment,
                     straight ? task_.assignment : candidate_, rated);
        if (independent)
          solution_.score = rated.score();
        found = solution_.found() && only_member_ < 0;
      }
      answer.failure = kept_.failure();
    }
    // A callback that failed is not called again, and the caller's arrays stay as they are.
    if (answer.failure != CallbackFailure::none)
      return answer;
    answer.iterations = solution_.iterations;
    answer.nodes = solution_.nodes;
    answer.upper_bound = solution_.infeasible ? kForbidden : solution_.bound;
    answer.marginals_exact =
        exact_marginals_ || (task_.wants_marginals && solution_.infeasible && only_member_ < 0);
    if (task_.wants_marginals && !writes_in_place() && (!is_interrupted() || is_small()))
      write_marginals();
    if (found) {
      answer.member_score = rated.member_score;
      answer.clique_score = rated.clique_score;
      answer.magnitude = rated.magnitude;
      if (task_.assignment && !straight)
        std::copy(values, values + instance_.members, task_.assignment);
      const double score = rated.score();
      // A bound that rounding left a hair below the score is the score.
      answer.upper_bound = std::max(answer.upper_bound, score);
      answer.proven = closes_gap(score, answer.magnitude, answer.upper_bound);
      // So is one that met the sum an algorithm kept from move to move, whose rounding may be more
      // than a part of what the labelling itself adds up.
      if (!answer.proven && is_solution_rated_ && solution_.bound <= solution_.score) {
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
    const Interruption interruption =
        is_interrupted() || is_solution_rated_ ? limits_.interruption() : last_.interruption();
    if (interruption == Interruption::deadline)
      return CHORALE_OUTCOME_DEADLINE;
    if (interruption == Interruption::cancelled)
      return CHORALE_OUTCOME_CANCELLED;
    if (found && !answer.proven && solution_.gap_reached(task_.options.gap))
      return CHORALE_OUTCOME_GAP_REACHED;
    if (solution_.node_limit_hit)
      return CHORALE_OUTCOME_NODE_LIMIT;
    if (solution_.iteration_limit_hit)
      return CHORALE_OUTCOME_ITERATION_LIMIT;
    return found ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_NOTHING_FOUND;
  }

  Layout &layout_;
  const CliqueTask &task_;
  Limits &limits_;
  Instance instance_;
  Solution solution_;
  std::int32_t *candidate_; // n: a labelling under improvement
  KeptLabelling kept_;
  Limits last_; // for what follows the search: they come a little later than its own
  bool is_solution_rated_ = true; // the labelling of the answer is the solution's
  double *messages_;        // n x K
  bool started_ = false;
  bool exact_marginals_ = false;
  bool is_unread_ = false; // the limits came before all scores were read
  std::int64_t only_member_ = -1; // the one member without an admissible value, under messages
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

void evaluate(const Potential &potential, const ProblemView &problem,
              const std::int32_t *assignment, std::int64_t *counts, CliqueAnswer &answer) noexcept {
  std::fill(counts, counts + potential.values, 0);
  MeasuredSum members;
  for (std::int64_t i = 0; i < problem.members; ++i) {
    members.add(problem.scores[i * problem.row_stride + assignment[i]]);
    ++counts[assignment[i]];
  }
  answer.member_score = members.total;
  answer.clique_score = score_counts(potential, problem.members, counts, &answer.failure);
  answer.magnitude = members.magnitude + magnitude_of(answer.clique_score);
}

} // namespace chorale
