// SUM potentials of any shape, exactly: branch and bound on the counts of the columns.
//
// A node is a box of counts, the entries that can still matter in it, and prices for its dual. The
// dual is lowered from the parent's prices; if it stays above the best score, the box is cut in two
// at one column's count. Where every count is fixed, what is left is a transportation problem.
// Nodes wait in a pool, the highest bound first. When the pool is full, the subtree of the best
// node is searched depth first with nothing but the path to remember.
#pragma once

#include "clique/count_plan.hpp"
#include "clique/dual_ascent.hpp"
#include "clique/node_pool.hpp"
#include "clique/transport.hpp"

namespace chorale {

class CountBoxes {
public:
  // Reads options.node_pool alone.
  CountBoxes(Layout &layout, const Instance &instance, const SolveOptions &options) noexcept;

  // Starts from the labelling in `solution`, if any. Exponential at worst. iteration_limit is per
  // node. Complete: solution.proven() or solution.infeasible. Otherwise (gap reached, node limit,
  // interruption) solution.bound is the highest bound of what is open.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // messages[i * K + v]: the best F with x_i = v, member i's own score counted as 0; minus infinity
  // where there is none. One search for F, then one for each entry that neither a bound from F's
  // root nor the labellings found so far settle. False when some may be too low (node limit,
  // interruption); they are then scores of labellings.
  bool messages(const SolveOptions &options, Limits &limits, Solution &solution,
                double *messages) noexcept;

private:
  // A branching on the path of a depth-first search.
  struct Cut {
    std::int32_t column;
    std::int32_t at; // n_v <= at on the lower side, n_v > at on the upper
    bool upper;      // the side being searched
    bool both;       // the other side is done
  };
  struct Search {
    const SumView &view;
    const SolveOptions &options;
    Limits &limits;
    Incumbent incumbent;
    Cutoff cutoff;
    double closed = kForbidden; // the highest bound of what needs no more searching
    bool complete = false;
    bool node_limit_hit = false;
    std::int64_t nodes = 0;

    bool must_stop() noexcept;
    bool interrupted() const noexcept {
      return limits.interruption() != Interruption::none || view.interrupted();
    }
    bool reaches_gap(double bound) const noexcept;
  };

  // Fills s.complete; the result bounds all labellings of the view. `root_prices` (or NULL)
  // receives where the root's ascent ended, and may be `prices`.
  double search(Search &s, const double *prices, double *root_prices) noexcept;
  // Bounds the box that dual_ holds, from prices_; searches it where its counts are fixed.
  double bound_box(Search &s, double inherited) noexcept;
  double plan_counts(Search &s, double bound) noexcept;
  void push_halves(std::int64_t slot, double bound, std::int32_t column, std::int32_t at) noexcept;
  void save_node(std::int64_t slot) noexcept;
  // False when it had to stop.
  bool search_depth_first(Search &s, std::int64_t slot, double bound) noexcept;
  bool is_fixed() const noexcept;
  double price_of_fixed(const SumView &view, std::int32_t v) const noexcept;
  void note_labelling(const std::int32_t *assignment, double score, double *messages) noexcept;

  const Instance *instance_;
  CountDual dual_;
  DualAscent ascent_;
  Transport transport_;
  CountPlan plan_;
  NodePool pool_;
  Cut *path_;               // as deep as halving every column's counts can go
  double *prices_;          // n: of the node at hand
  double *root_prices_;     // n: where the root's ascent ended
  std::int32_t *labelling_; // n: incumbent of a restricted search
  double *only_row_;        // K
  double *bounds_;          // n x K: on the messages
  double *magnitudes_;      // n x K: of the messages
  std::int32_t *counts_;    // K
};

} // namespace chorale
