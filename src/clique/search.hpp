// The state of one call of the clique API, and the steps of which the algorithms in algorithms.hpp
// are made. Each step improves the solution or finds max-marginals.
//
// A Layout hands out memory; a Layout without memory only adds up the sizes asked for. A search on
// such a layout takes the buffers of every step but runs no step, so that calling the same steps
// gives the number of bytes that a run needs.
#pragma once

#include "clique/computation.hpp"

namespace chorale {

class CliqueSearch {
public:
  CliqueSearch(Layout &layout, const CliqueTask &task, Limits &limits) noexcept;

  const CliquePotential &potential() const noexcept { return instance_.potential; }
  const SolveOptions &options() const noexcept { return task_.options; }

  // ---- Steps ------------------------------------------------------------------------------------

  // Runs a solver, which improves the solution. `arguments`: the arguments of the solver's
  // constructor after the layout and the instance.
  template <class Solver, class... Arguments>
  void solve_by(const Arguments &...arguments) noexcept {
    phase<Solver>(
        [&](Solver &solver) {
          if constexpr (requires { solver.run(limits_, solution_); })
            solver.run(limits_, solution_);
          else
            solver.run(task_.options, limits_, solution_);
        },
        arguments...);
  }
  // Runs a solver for max-marginals, which writes messages_ and tells whether they are exact. A
  // message is a max-marginal minus the member's own score.
  template <class Solver, class... Arguments>
  void find_marginals_by(const Arguments &...arguments) noexcept {
    phase<Solver>(
        [&](Solver &solver) {
          if constexpr (requires { solver.messages(limits_, solution_, messages()); })
            marginals_exact_ = solver.messages(limits_, solution_, messages());
          else
            marginals_exact_ = solver.messages(task_.options, limits_, solution_, messages());
        },
        arguments...);
  }
  // Writes to messages_, for every member i and column v, the best score of the passes of
  // alpha-pass in which member i is fixed to v, minus the score of member i at v. (MaxPass,
  // PairMessages and WeightedMarginals replace these passes for MAX, for sums with two members and
  // no forbidden count, and for weights.) Unless only messages are wanted, calls
  // run_planned_passes() first, and afterwards improves the solution if a message belongs to a
  // better labelling.
  void find_pass_marginals() noexcept;

  // Writes to the solution the labelling that the task starts from, and its score. Called by
  // algorithms that improve a given labelling.
  void start() noexcept;
  // Runs alpha-pass. Moves single members from the best labelling of each of the `polished` passes
  // with the best scores.
  void run_alpha_pass(std::int32_t polished = 0) noexcept;
  // Runs alpha-pass, then the further steps of the task's plan: moves of single members from the best
  // passes, and alpha-expansion followed by moves of single members. The plan has no further steps
  // if the caller asked for a labelling by ALPHA_PASS itself.
  void run_planned_passes() noexcept;
  // Runs run_planned_passes(), then adds up the score of the solution anew, as the first step of
  // COUNT_BOXES and DUAL_BOUND. Passes and moves update the score move by move; if its terms differ
  // much in magnitude, its rounding error may become greater than a proof of optimality allows.
  void start_from_passes() noexcept;
  // If alpha-pass, which has been run, is exact for the clique: marks the solution as optimal, or the
  // problem as infeasible if no labelling was found.
  void close_bound_of_pass() noexcept;
  // Improve the solution's labelling. After start(), this may be one that the potential forbids,
  // whose score is minus infinity. Without a labelling, do nothing.
  void run_alpha_expansion() noexcept;
  void run_local_search() noexcept;
  void run_single_moves() noexcept;

protected:
  bool runs() const noexcept { return !layout_.measuring(); }
  bool is_interrupted() const noexcept { return limits_.interruption() != Interruption::none; }
  // True if the clique is so small that all its scores are read and a labelling is found even if
  // the limits end the call at once.
  bool is_small() const noexcept;
  std::int64_t entries() const noexcept {
    return std::int64_t{instance_.members} * instance_.columns;
  }
  Matrix<double> messages() const noexcept { return instance_.by_entry(messages_); }
  // True if messages are computed in the caller's array of marginals.
  bool writes_in_place() const noexcept;

  // True if all scores were read, but the limits ended the search before it found a labelling or a
  // proof that there is none. False if a callback has failed, or if only_member_ is set: that
  // member has no admissible value, so there is no labelling.
  bool interrupted_without_labelling() const noexcept;
  // Scores a labelling, whatever the limits, and writes the result to `to`. `assignment`: the column
  // of each member; empty means each member's best value. Writes the value of each member to
  // `values` unless `values` is empty.
  void rate(gsl::span<const std::int32_t> assignment, gsl::span<std::int32_t> values,
            Rated &to) noexcept;
  // Makes each member's best value the solution.
  void take_independent() noexcept;

private:
  // Constructs a solver in memory that later steps use again. Then calls use(solver), unless the
  // layout has no memory, the search was interrupted or a callback has failed.
  template <class Solver, class Use, class... Arguments>
  void phase(Use &&use, const Arguments &...arguments) noexcept {
    const std::size_t mark = layout_.mark();
    Solver solver(layout_, instance_, arguments...);
    if (runs() && solution_.failure == CallbackFailure::none && !is_interrupted())
      use(solver);
    layout_.rewind(mark);
  }

  bool reads_only() const noexcept;
  // Returns the column of member i's best value; of several best values, the lowest. This may
  // differ from Instance::best[i], the lowest of several best columns: the rest column is the last
  // column, even if the uncounted value for which it stands is a low one.
  std::int32_t best_column(std::int64_t i) const noexcept;
  template <class Improver> void improve_solution(Improver &improver) noexcept;
  template <class Improver> void improve_candidate(Improver &improver) noexcept;
  void follow_best_marginal() noexcept;

  void rate_solution() noexcept;
  template <class Column>
  void write_each(gsl::span<std::int32_t> assignment, Column &&column) const noexcept;
  void write_independent(gsl::span<std::int32_t> assignment) const noexcept;
  void write_all_at(std::int32_t value, gsl::span<std::int32_t> assignment) const noexcept;
  std::int32_t column_of(std::int32_t value) const noexcept {
    return instance_.potential.column_of(
        value, span_of(instance_.potential.value_of_column, instance_.potential.columns));
  }

protected:
  Layout &layout_;
  const CliqueTask &task_;
  Limits &limits_;
  Instance instance_;
  Solution solution_;
  // By member: its column in the labelling that is being improved; at the end, its value in the
  // answer.
  gsl::span<std::int32_t> candidate_;
  gsl::span<std::int64_t> value_counts_; // by value: number of members, scratch of rate()
  CallbackFailure rating_failure_ = CallbackFailure::none; // set by rate()
  // Members x columns: max-marginals minus the member's own score. NULL if they are not wanted.
  double *messages_;
  bool started_ = false;         // start() has written a labelling; the potential may forbid it
  bool marginals_exact_ = false;
  bool is_unread_ = false;       // the limits ended the call before all scores were read
  // The only member without an admissible value, if the caller asks for messages: the message to it
  // leaves out its own scores and so is defined all the same. Otherwise -1.
  std::int64_t only_member_ = -1;
};

} // namespace chorale
