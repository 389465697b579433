// Computes G_a(k), the best score of labellings in which column a has exactly k members and no
// other counted column has more, as a min-cost flow by shortest augmenting paths over the columns.
//
// The network has a node for each column and one slack node. An arc u -> v moves one member of u to
// v: the member with the least loss by this move. The *slack* of a column is k minus its number of
// members: the number of further members that it may take. An arc from a column to the slack
// node uses one unit of slack, an arc from the slack node to the column frees one. The rest column
// (the uncounted values) has unlimited capacity, so its arcs to and from the slack node always
// exist. A flow has a labelling x and prices p. They always satisfy
//
//     theta_i,x_i - p_x_i >= theta_iv - p_v  for all i, v;     p_v >= 0 for v != a;     p_rest = 0
//
// where theta_iv = psi_iv + w_av. So at every step of the flow, and for every k,
//
//     G_a(k) <= b_a + sum_i (theta_i,x_i - p_x_i) + k sum_v p_v,
//
// with equality for the flow's k once the flow is finished. These conditions do not depend on k, so
// the flow can change k at any time. It then needs further paths only for columns whose number of
// members is not allowed for the new k. Their *excess* is the number of members that they have too
// many; it is negative if they have too few.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v. w_av
// and b_a are the weights and biases of the potential.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// A linear upper bound on G_a: at_zero + slope * k.
struct CountLine {
  double at_zero;
  double slope;
  double at(std::int64_t k) const noexcept { return at_zero + slope * static_cast<double>(k); }
};

class MajorityFlow {
public:
  MajorityFlow(Layout &layout, const Instance &instance) noexcept;

  // Makes a the majority column, gives every member its column of greatest theta and sets all prices
  // to 0. `forbidden`: the score of a forbidden entry, minus infinity or minus forbidding_penalty().
  // False if some member has no entry above minus infinity, or if interrupted. All calls obey the
  // limits of the instance; once interrupted, the flow is invalid.
  bool load(std::int32_t a, double forbidden) noexcept;

  // Sets the count k >= 1. Continues from the current labelling.
  void turn_to(std::int64_t k) noexcept;
  // Returns the number of augmenting paths that are still needed.
  std::int64_t out_of_place() const noexcept { return out_of_place_; }
  // Makes one augmenting path. False if none exists (no labelling has this count) or if
  // interrupted.
  bool augment() noexcept;

  // Returns the upper bound on G_a that the current prices give. For a finished flow it is a
  // tangent of G_a at k.
  CountLine line() const noexcept;

  std::int32_t majority() const noexcept { return a_; } // the column a
  // Returns the column of each member (n).
  gsl::span<const std::int32_t> assignment() const noexcept { return {x_, to_size(members_)}; }
  // Returns the number of members of each column (K).
  gsl::span<const std::int32_t> counts() const noexcept { return {counts_, to_size(columns_)}; }
  // Returns theta_iv of member i, by column v (K).
  const double *theta(std::int64_t i) const noexcept { return theta_ + i * columns_; }
  double price(std::int32_t v) const noexcept { return potential_[slack_node()] - potential_[v]; }
  // Returns sum_i theta_i,x_i + b_a. Adds up all terms anew, so that rounding errors do not
  // accumulate.
  double score() const noexcept;

  // Writes the residual distances of a finished flow to `distances` (nodes() x nodes()). Entry u *
  // nodes() + v is the least loss of a chain of moves after which v has one member fewer and u one
  // more; the chain may lead through the slack node. Infinite if there is no such chain. False if
  // interrupted. O(K^3).
  bool distances_to(gsl::span<double> distances, Limits &limits) const noexcept;
  std::int32_t nodes() const noexcept { return columns_ + 1; }

private:
  std::int32_t slack_node() const noexcept { return columns_; }
  bool has_room_limit(std::int32_t v) const noexcept { return v != a_ && v != rest_; }
  double *row(std::int32_t u) const noexcept { return cost_ + std::int64_t{u} * nodes(); }

  double score_of_members() const noexcept;
  void begin() noexcept;
  void unlink(std::int32_t i) noexcept;
  void link(std::int32_t i, std::int32_t v) noexcept;
  template <class Body>
  void for_members(std::int32_t u, std::int64_t work, Body &&body) noexcept;
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
  double *theta_;             // n x K: theta_iv
  std::int32_t *x_;           // n: the labelling
  std::int32_t *next_;        // n: next member of the same column, or -1
  std::int32_t *previous_;    // n: previous member of the same column, or -1
  std::int32_t *first_;       // K: first member of the column, or -1
  std::int32_t *counts_;      // K: number of members by column
  // Arrays with an entry for each of the K + 1 nodes, unless stated; the last is the slack node.
  double *cost_;          // (K + 1) x (K + 1): loss of arc u -> v at row u; infinite: no arc
  double *potential_;     // minus the price, up to a common constant
  double *distance_;      // distance from the nearest node with positive excess, by reduced costs
  double *closed_;        // 0, or infinite once the distance is final
  std::int64_t *excess_;  // surplus members (slack node: units of slack); they add up to 0
  std::int64_t *slack_;   // K: slack by column; 0 for a and the rest column
  std::int32_t *settled_; // nodes in the order in which they were settled
  std::int32_t *path_;    // nodes from source to sink
  std::int32_t *moved_;   // member that moves from path_[j] to path_[j + 1], or -1
  std::int32_t settled_count_;
  std::int32_t a_;
  std::int64_t k_;
  std::int64_t out_of_place_;
  double total_; // sum_i theta_i,x_i
};

} // namespace chorale
