// Distributes the members to the columns so that the sum of their scores is greatest, where columns
// limit their numbers of members, or score them by concave tables: a min-cost flow by shortest
// augmenting paths.
//
// The network has a node for each column and one *slack node*. An arc u -> v moves one member of
// column u to column v: the member that loses least score by this move. This *loss* is the length of
// the arc. Each column has a *demand*, the number of members that it is to have. An arc from a column
// to the slack node raises the demand by one, an arc from the slack node to a column lowers it by one;
// the loss is what the column's table loses by the change, or 0 without tables. The *excess* of a
// column is the number of its members minus its demand; the excess of the slack node makes all
// excesses add up to 0. A path leads from a node with positive excess to one with negative excess.
//
// A flow has a labelling x and a price p_v for each column. They always satisfy
//
//     theta_i,x_i - p_x_i >= theta_iv - p_v  for all members i and columns v,
//
// where theta are the scores, and minus p_v lies between the steps of column v's table on both sides
// of its demand: at most the step to the demand, at least the step to one member more. (Without a
// table, steps up to the column's limit are 0 and the next one is minus infinity.) So the labelling
// is optimal once all excesses are 0.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// All functions may be interrupted (Instance::spend()). After an interruption the flow is not usable.
class ColumnFlow {
public:
  // `residuals`: true to take the memory for find_residuals() as well, (min(n, K) + 1)^2 numbers.
  // Without it, find_residuals() must not be called.
  ColumnFlow(Layout &layout, const Instance &instance, bool residuals = false) noexcept;

  // Gives every member its best column by `scores` (n x K, without gaps), which the flow reads until
  // the next call of load(), and sets all prices to 0. Returns the number of members that have no
  // finite score; the flow is usable only if there are none.
  std::int32_t load(const double *scores) noexcept;

  // Limits column v to at most `most` members; if `exactly`, it must have this number.
  void limit(std::int32_t v, std::int32_t most, bool exactly) noexcept {
    most_[v] = most;
    is_exact_[v] = exactly;
  }
  // Begins a flow, from the present labelling and prices, for the limits that were set for all
  // columns.
  void begin() noexcept;
  // Begins a flow from the labelling of load(). Column v with k members scores tables[v][k]; the
  // tables are concave and may be minus infinity only from some k > 0 on.
  void begin(const double *const *tables) noexcept;
  // Returns the number of augmenting paths that are still needed.
  std::int64_t out_of_place() const noexcept { return out_of_place_; }
  // Makes one augmenting path. False if none exists or if interrupted. If none exists, no labelling
  // is feasible: out_of_place() members at least would have to be left out.
  bool augment() noexcept;

  // Returns the greatest sum of member scores over the labellings with counts[v] members in each
  // column v (a transportation problem); assignment() is then such a labelling. Minus infinity if
  // there is none or if interrupted. `counts`: K numbers that add up to n.
  double transport(const double *scores, gsl::span<const std::int32_t> counts,
                   Limits &limits) noexcept;

  // Return the column of each member (n), and the number of members of each column (K).
  gsl::span<const std::int32_t> assignment() const noexcept { return {x_, to_size(members_)}; }
  gsl::span<const std::int32_t> counts() const noexcept { return {counts_, to_size(columns_)}; }
  // Returns the price p_v of column v.
  double price(std::int32_t v) const noexcept { return potential_[slack_node()] - potential_[v]; }
  // Returns the scores of member i by column (K).
  const double *theta(std::int64_t i) const noexcept { return theta_ + i * columns_; }

  // Computes residual(v, u) for all columns v and all columns u that have members, in a finished
  // flow: the least loss of a chain of moves that follows the move of one member from u to v. The
  // chain moves other members; it takes one member out of v and brings one into u. It may lead
  // through the slack node. Infinite if there is none; 0 if u = v. False if interrupted.
  // O(m K + m^3) for m = min(n, K).
  bool find_residuals() noexcept;
  double residual(std::int32_t v, std::int32_t u) const noexcept;

protected:
  double score_of_members() const noexcept;

  const Instance *instance_;
  std::int32_t members_;
  std::int32_t columns_;
  double total_ = 0; // sum_i theta_i,x_i

private:
  std::int32_t nodes() const noexcept { return columns_ + 1; }
  std::int32_t slack_node() const noexcept { return columns_; }
  double *row(std::int32_t u) const noexcept {
    return cost_ + row_of_[u] * std::int64_t{columns_};
  }
  double cost(std::int32_t u, std::int32_t v) const noexcept;
  std::int32_t steps_above(std::int32_t v, double gain) const noexcept;

  void unlink(std::int32_t i) noexcept;
  void link(std::int32_t i, std::int32_t v) noexcept;
  template <class Body>
  void for_members(std::int32_t u, std::int64_t work, Body &&body) noexcept;
  void rebuild_row(std::int32_t u) noexcept;
  void add_to_row(std::int32_t u, std::int32_t i) noexcept;
  void open_slack(std::int32_t v) noexcept;
  template <class Demand> void set_demands(Demand &&demand) noexcept;
  std::int32_t settle(std::int32_t source) noexcept;
  std::int32_t trace(std::int32_t sink) noexcept;
  void shift(std::int32_t length) noexcept;

  const double *theta_ = nullptr;           // n x K: the scores
  const double *const *tables_ = nullptr;   // K tables, or NULL
  std::int32_t *x_;        // n: the labelling
  std::int32_t *next_;     // n: next member of the same column, or -1
  std::int32_t *previous_; // n: previous member of the same column, or -1
  std::int32_t *first_;    // K: first member of the column, or -1
  std::int32_t *counts_;   // K: number of members by column
  std::int32_t *most_;     // K: greatest demand by column
  bool *is_exact_;         // K: the demand is always most_
  // Losses of arcs; infinite: no arc. Rows of arcs between columns belong to columns with members.
  double *cost_;           // min(n, K) rows x K
  std::int32_t *row_of_;   // K: row of the column, or -1
  std::int32_t *unused_;   // min(n, K): a stack of unused rows
  double *to_slack_;       // K: by column, of its arc to the slack node
  double *from_slack_;     // K: by column, of the arc from the slack node
  // Arrays with an entry for each of the K + 1 nodes; the last is the slack node.
  double *potential_;     // node potential of the shortest paths: minus the price, plus a constant
  double *distance_;      // distance from the node at which the path begins, by reduced costs
  double *closed_;        // 0, or infinite once the distance is final
  std::int64_t *excess_;  // members minus demand; all add up to 0
  std::int32_t *settled_; // nodes in the order in which they were settled
  std::int32_t *path_;    // nodes from source to sink
  std::int32_t *moved_;   // member that moves from path_[j] to path_[j + 1], or -1
  double *residual_; // (min(n, K) + 1)^2: by row of u and row of v, the slack node last; or NULL
  std::int32_t rows_;
  std::int32_t unused_count_ = 0;
  std::int32_t settled_count_ = 0;
  std::int64_t out_of_place_ = 0;
};

} // namespace chorale
