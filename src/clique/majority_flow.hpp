// G_a(k): the best labelling in which column a has exactly k members and no other counted column
// more, by shortest augmenting paths over the columns.
//
// The network has a node for each column and one for slack. An arc u -> v moves the cheapest member
// of u to v; the arcs between a column and the slack node fill and free its room below k. Nothing
// limits the rest column, whose arcs to and from the slack node are always open. Labelling and
// prices together always satisfy
//
//     theta_i,x_i - p_x_i >= theta_iv - p_v  for all i, v;     p_v >= 0 for v != a;     p_rest = 0
//
// where theta_iv = psi_iv + w_av, so that at any moment, finished or not, and for every k at once
//
//     G_a(k) <= b_a + sum_i (theta_i,x_i - p_x_i) + k sum_v p_v,
//
// and at the end the bound is attained. This is also what lets it go on from one k to the next, or
// turn to another k half-way: only the columns out of balance are mended.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// The bound at + slope * k on G_a(k).
struct CountLine {
  double at_zero;
  double slope;
  double at(std::int64_t k) const noexcept { return at_zero + slope * static_cast<double>(k); }
};

class MajorityFlow {
public:
  MajorityFlow(Layout &layout, const Instance &instance) noexcept;

  // Takes a as the majority column and gives every member its best entry, at prices 0. A forbidden
  // entry counts as `forbidden`: minus infinity, or a penalty that no labelling makes up for.
  // False where a member has no entry above minus infinity. All of this goes by the limits of the
  // instance: where these end it, the flow is of no use.
  bool load(std::int32_t a, double forbidden) noexcept;

  // Turns to the count k >= 1: from where it stands, or from the labelling of `load` if fewer
  // members are out of place there.
  void turn_to(std::int64_t k) noexcept;
  // Members still out of place.
  std::int64_t out_of_place() const noexcept { return out_of_place_; }
  // Mends one of them. False where that is impossible: no labelling has this count. (Or interrupted.)
  bool augment() noexcept;

  // The bound that the present prices give; at the end of a flow a tangent of G_a at k.
  CountLine line() const noexcept;

  std::int32_t majority() const noexcept { return a_; }
  const std::int32_t *assignment() const noexcept { return x_; }
  const std::int32_t *counts() const noexcept { return counts_; }
  // theta of member i: row of K.
  const double *theta(std::int64_t i) const noexcept { return theta_ + i * columns_; }
  double price(std::int32_t v) const noexcept { return potential_[slack_node()] - potential_[v]; }
  // sum_i theta_i,x_i + b_a, added up afresh.
  double score() const noexcept;

  // Residual distances of a finished flow: row u, entry v at `distances` + u * nodes() + v is the
  // least loss in moving one member out of v and one into u, paths through the slack node
  // included; infinite where there is no path. nodes() x nodes() doubles. False when interrupted.
  // O(K^3).
  bool distances_to(double *distances, Limits &limits) const noexcept;
  std::int32_t nodes() const noexcept { return columns_ + 1; }

private:
  std::int32_t slack_node() const noexcept { return columns_; }
  bool has_room_limit(std::int32_t v) const noexcept { return v != a_ && v != rest_; }
  double *row(std::int32_t u) const noexcept { return cost_ + std::int64_t{u} * nodes(); }

  double score_of_members() const noexcept;
  void take_free_labelling() noexcept;
  void unlink(std::int32_t i) noexcept;
  void link(std::int32_t i, std::int32_t v) noexcept;
  void rebuild_row(std::int32_t u) noexcept;
  void add_to_row(std::int32_t u, std::int32_t i) noexcept;
  void open_slack(std::int32_t v) noexcept;
  std::int32_t settle() noexcept;
  std::int32_t trace(std::int32_t sink) noexcept;
  void shift(std::int32_t length) noexcept;

  const Instance *instance_;
  std::int32_t members_;
  std::int32_t columns_;
  std::int32_t rest_;
  double *theta_;             // n x K
  std::int32_t *x_;           // n
  std::int32_t *free_;        // n: the labelling of `load`
  std::int32_t *next_;        // n: members of a column, doubly linked, -1 at both ends
  std::int32_t *previous_;    // n
  std::int32_t *first_;       // K
  std::int32_t *counts_;      // K
  std::int32_t *free_counts_; // K
  // K + 1 nodes, the last the slack node:
  double *cost_;      // rows of arcs out of a node; infinite: no arc
  double *potential_; // minus the price, up to a constant
  double *distance_;
  double *closed_;        // 0, or infinite once the distance of a node is final
  std::int64_t *excess_;  // members (and slack) above k; the sum over all nodes is 0
  std::int64_t *slack_;   // K: room below k, of columns with a limit
  std::int32_t *settled_; // nodes in the order in which they were settled
  std::int32_t *path_;    // nodes from the source to the sink
  std::int32_t *moved_;   // the member that moves from path_[j] to path_[j + 1], or -1
  std::int32_t settled_count_;
  std::int32_t a_;
  std::int64_t k_;
  std::int64_t out_of_place_;
  bool is_free_; // the present labelling and prices are those of `load`
  double total_; // sum_i theta_i,x_i
};

} // namespace chorale
