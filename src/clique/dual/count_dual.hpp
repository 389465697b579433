// The Lagrangian dual of a SUM clique, split by column and limited to a *box* of counts, a range
// lo_v .. hi_v for the count of each column v.
//
// Let each member choose a column and each column choose its members independently, with Lagrange
// multipliers mu_iv for the constraint that the choices agree. A member i then scores at best u_i =
// max_v (psi_iv - mu_iv), the *price* of i. For given prices the best multipliers are mu_iv =
// psi_iv - u_i: a lower mu_iv would raise u_i, and a higher mu_iv would raise the best score of
// column v. So the dual has one variable for each member:
//
//     D(u) = sum_i u_i + sum_v max { H_v(k) : lo_v <= k <= hi_v },
//     H_v(k) = (sum of the k largest psi_iv - u_i) + f_v(k).
//
// Column v *chooses* the k members with the largest psi_iv - u_i, for the best k. Every D(u) is an
// upper bound on the score of all labellings whose counts lie in the box. An *entry* is a pair of a
// member i and a column v that i may take. If D(u) with column v forced to a count is below the best
// known score, reduce() drops the count.
//
// If members have weights w_i, column v chooses the first members by descending (psi_iv - u_i) /
// w_i, up to the best rank: some best set of members is of this form, since f_v is convex. All counts
// of this class, and the box, are then numbers of members, not sums of weights, and reduce() must not
// be called.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class CountDual {
public:
  CountDual(Layout &layout, std::int32_t members, std::int32_t columns) noexcept;

  // Loads all entries of the instance that are not forbidden. The box has all counts that these
  // entries allow. All functions of this class obey the limits of the instance. Once interrupted,
  // evaluate() returns plus infinity, and what load() or evaluate() was computing is invalid;
  // reduce() then drops fewer counts.
  void load(const Instance &in) noexcept;
  // The box becomes lo[v] .. hi[v].
  void restrict_to(gsl::span<const std::int32_t> lo, gsl::span<const std::int32_t> hi) noexcept;

  // Returns D(u), or minus infinity if some column has no feasible count in its box. `u`: n prices.
  // Each column stays sorted from call to call, so after small changes of u this takes O(n K). The
  // result includes rounding(), an upper bound on its rounding error. `negligible`: the greatest
  // rounding() that is replaced by 0.
  double evaluate(gsl::span<const double> u, double negligible = 0) noexcept;
  // Below, u is the argument of the latest call of evaluate().
  //
  // Returns the subgradient of D at u: for each member, 1 minus the number of columns that choose
  // it.
  gsl::span<const double> slope() const noexcept { return span_of(slope_, members_); }
  // Returns the count that column v chooses at u, in 0 .. n.
  std::int32_t chosen_count(std::int32_t v) const noexcept { return chosen_[v]; }
  // Returns the sum of the weights of the members that column v chooses at u.
  std::int32_t chosen_weight(std::int32_t v) const noexcept { return chosen_weight_[v]; }
  // Returns the member of rank r in column v, by descending psi_iv - u_i, divided by w_i if members
  // have weights. Column v chooses the members of ranks below chosen_count(v).
  std::int32_t member(std::int32_t v, std::int64_t r) const noexcept {
    return entries_[v * members_ + r].member;
  }
  // Returns the array of H_v(k) at u, by k; valid for lo_v <= k <= hi_v.
  const double *values_of_counts(std::int32_t v) const noexcept {
    return value_of_count_ + v * (members_ + 1);
  }
  // Returns sum_i u_i.
  double price_sum() const noexcept { return price_sum_; }
  // Returns an upper bound on the rounding error of the latest evaluate(), computed from the
  // magnitude of the terms; 0 if it is at most the `negligible` of that call.
  double rounding() const noexcept { return rounding_; }

  // Drops counts that no labelling with a score above `level` has. Requires that D(u) exceeds
  // `level`. Raises *dropped to the highest upper bound on the labellings that have a dropped
  // count. False if no labelling above `level` is left. If interrupted, drops fewer.
  bool reduce(double level, double *dropped) noexcept;
  // Drops counts that are impossible because all counts add up to n. False if no counts are left.
  bool tighten_box() noexcept;

  std::int32_t *lo() noexcept { return lo_; }
  std::int32_t *hi() noexcept { return hi_; }
  const std::int32_t *lo() const noexcept { return lo_; }
  const std::int32_t *hi() const noexcept { return hi_; }

private:
  struct Entry {
    double gain; // (psi_iv - u_i) / w_i
    std::int32_t member;
  };
  bool sort_column(std::int32_t v) noexcept;
  bool sort_by_insertion(Entry *entry, std::int64_t length) noexcept;

  std::int64_t members_;
  std::int64_t columns_;
  const Instance *instance_ = nullptr;
  bool fresh_ = true; // entries_ are not sorted for any prices yet
  double value_ = 0;    // result of the latest evaluate()
  double rounding_ = 0; // see rounding()
  const double *prices_ = nullptr; // n: the latest u, in the caller's memory
  double price_sum_ = 0;
  Entry *entries_;          // K x n: in row v, the first length_[v], by descending gain once sorted
  double *scores_;          // K x n: scores by column, then member
  std::int32_t *length_;    // K: number of entries
  std::int32_t *lo_, *hi_;  // K: the box
  std::int32_t *chosen_;    // K: chosen counts
  std::int32_t *chosen_weight_; // K: sums of the weights of the chosen members
  double *best_;            // K: H_v(chosen_[v])
  double *value_of_count_;  // K x (n + 1): H_v(k) for k up to min(hi, length)
  double *slope_;           // n: see slope()
};

} // namespace chorale
