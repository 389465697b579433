// Exact solver for SUM potentials with concave tables: a min-cost flow (column_flow.hpp).
//
// The rest column stands for the uncounted values. If all members are in it, the potential is 0 by
// definition, though the tables of the other columns, at count 0, may add up to less. The last
// entry of the rest column's table then makes up for the difference, so this table rises there and
// is not concave. In that case the flow uses a table of zeros for the rest column, and the
// labelling with all members in the rest column is compared separately.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/flows/column_flow.hpp"

namespace chorale {

class ConcaveFlow {
public:
  // `messages`: true to take the memory for messages() as well. O(n K) bytes in both cases.
  ConcaveFlow(Layout &layout, const Instance &instance, bool messages = true) noexcept;

  // Writes the optimum to `solution`, with itself as the bound, or marks the problem as infeasible.
  // If interrupted, writes neither. O(n (K^2 + n K)) at worst.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // Writes to entry v of messages.row(i) the best score of a labelling with x_i = v, where the
  // score of member i counts as 0; minus infinity if there is no such labelling. Also writes the
  // optimum to `solution`. Takes one flow and O(m^3 + n K) for m = min(n, K). If no labelling is
  // feasible, but one may become feasible if one member is allowed its forbidden columns, takes n
  // more flows. False if interrupted; entries may then be too low, down to minus infinity.
  bool messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept;

private:
  // Runs the flow and returns 0 if all members can be placed, otherwise a lower bound on the number
  // of members that cannot. Does not run the flow if some members have no finite score, and returns
  // their number. Stops if interrupted.
  std::int64_t place_all(const Instance &in, Limits &limits) noexcept;
  // Offers the flow's labelling to `solution`. If rises_, also offers the labelling with all
  // members in the rest column.
  void take_optimum(const Instance &in, Solution &solution) noexcept;
  // Returns the instance with tables that are all concave; it shares the scores. Sets rises_.
  Instance concave_form() noexcept;
  bool is_interrupted(const Limits &limits) const noexcept {
    return limits.interruption() != Interruption::none || instance_->interrupted();
  }

  const Instance *instance_;
  ColumnFlow flow_;
  double *own_row_;       // K: the scores of a member that count as 0 for now
  const double **tables_; // K: tables, with flat_ for the rest column; NULL without a rest column
  double *flat_;          // n + 1 zeros; NULL without a rest column
  bool rises_ = false;    // the rest column's own table rises at its last entry
};

} // namespace chorale
