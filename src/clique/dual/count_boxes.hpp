// Exact solver for SUM potentials of any shape: branch and bound on the counts of the columns.
//
// A node of the search tree has a *box* (a range lo_v .. hi_v for the count of each column v) and
// prices for the Lagrangian dual, which bounds from above the scores of all labellings whose counts
// lie in the box (count_dual.hpp). Minimising the dual starts from the parent's prices. If the dual
// stays above the best score, the box is split in two at one column's count. If every count is
// fixed, the best labelling in the box is found by solving a transportation problem. Open nodes are
// kept in a pool, highest bound first. When the pool is full, the subtree of the node with the
// highest bound is searched depth first, storing only the path.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/dual/count_plan.hpp"
#include "clique/dual/dual_ascent.hpp"
#include "clique/dual/node_pool.hpp"
#include "clique/flows/column_flow.hpp"

namespace chorale {

class CountBoxes {
public:
  // Reads only node_pool of `options`.
  CountBoxes(Layout &layout, const Instance &instance, const SolveOptions &options) noexcept;

  // Finds the best labelling, starting from that in `solution`, if any. Exponential at worst.
  // options.iteration_limit limits the steps in each node. After a complete search
  // solution.proven() or solution.infeasible is true. Otherwise (gap reached, node limit,
  // interruption) solution.bound is the highest bound of all boxes, open or finished, unless it was
  // lower before.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // Writes to entry v of messages.row(i) the best score of a labelling with x_i = v, minus the
  // score of member i at v; minus infinity if no such labelling exists. Searches for the best
  // labelling, then once for each entry, from the prices of the root. False if some entries may be
  // too low (node limit, interruption); such an entry is still the score of some labelling, or minus
  // infinity.
  bool messages(const SolveOptions &options, Limits &limits, Solution &solution,
                Matrix<double> messages) noexcept;

private:
  // A branching on the path of a depth-first search.
  struct Cut {
    std::int32_t column;
    std::int32_t at; // lower half: n_v <= at; upper half: n_v > at
    bool upper;      // the half being searched is the upper one
    bool both;       // the other half has already been searched
  };
  // State of one branch and bound.
  struct Search {
    const Instance &in;
    const SolveOptions &options;
    Limits &limits;
    Incumbent incumbent;
    Cutoff cutoff;
    // Highest upper bound on the labellings in finished boxes, or with a count that was dropped
    // (CountDual::reduce()).
    double closed = kForbidden;
    bool complete = false;
    bool node_limit_hit = false;
    std::int64_t nodes = 0;

    bool must_stop() noexcept;
    bool interrupted() const noexcept {
      return limits.interruption() != Interruption::none || in.interrupted();
    }
    bool reaches_gap(double bound) const noexcept;
  };

  // Runs the branch and bound over all labellings of s.in and puts the best one found into
  // s.incumbent. Returns an upper bound on the scores of all labellings. Sets s.complete only if no
  // box is left open: not if the gap is reached, a limit or an interruption ends the search, or no
  // column of an open box can be divided. `prices` (n): the prices (count_dual.hpp) from which the
  // minimisation of the root's dual starts. (The box of the root contains all labellings.)
  // `root_prices` (n, or empty): receives the best prices found for the root; may be the same array
  // as `prices`.
  double search(Search &s, gsl::span<const double> prices, gsl::span<double> root_prices) noexcept;
  // Returns an upper bound on the scores of the labellings in the box of dual_, by minimising the
  // dual from prices_ on; prices_ then has the best prices found. This may drop counts from the
  // box: then raises s.closed to the bound on the labellings that have them. If all counts are
  // fixed, at first or by dropping others, finds the best labelling in the box. `inherited`: the
  // upper bound of the parent.
  double bound_box(Search &s, double inherited) noexcept;
  double plan_counts(Search &s, double bound) noexcept;
  void push_halves(std::int64_t slot, double bound, std::int32_t column, std::int32_t at) noexcept;
  void save_node(std::int64_t slot) noexcept;
  // Searches the subtree of the node in `slot`, whose upper bound is `bound`. When it is called,
  // dual_ must have the box of the node, and prices_ its prices. False if the search had to stop
  // before the end.
  bool search_depth_first(Search &s, std::int64_t slot, double bound) noexcept;
  bool is_fixed() const noexcept;
  void note_labelling(gsl::span<const std::int32_t> labelling, double score,
                      Matrix<double> messages) noexcept;

  const Instance *instance_;
  CountDual dual_;
  DualAscent ascent_;
  ColumnFlow flow_;
  CountPlan plan_;
  NodePool pool_;
  Cut *path_;               // K x (bits of n, plus 1): branchings of a depth-first search
  gsl::span<double> prices_;      // n: prices of the current node
  gsl::span<double> root_prices_; // n: the best prices found for the root
  std::int32_t *labelling_; // n: incumbent of a search with one member fixed
  double *own_row_;         // K: the scores of the member that is fixed to a column
  double *magnitudes_;      // n x K: sums of the magnitudes of the terms of the messages
  std::int32_t *counts_;    // K: number of members by column
};

} // namespace chorale
