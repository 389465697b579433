// The Lagrangian dual of a SUM clique, split by column and limited to a box of counts.
//
// Let each member choose a column and each column choose its members independently, with Lagrange
// multipliers mu_iv for the constraint that the choices agree. For a given maximum u_i of member i,
// the *price* of i, the best multipliers are mu_iv = psi_iv - u_i: a lower mu_iv would raise the
// member's maximum, a higher one the column's. So the dual has one variable for each member:
//
//     D(u) = sum_i u_i + sum_v max { H_v(k) : lo_v <= k <= hi_v },
//     H_v(k) = (sum of the k largest psi_iv - u_i) + f_v(k).
//
// Every D(u) is an upper bound on the score of all labellings whose counts lie in the box. If
// forcing a count, or forcing an entry (i, v) in or out, lowers D(u) below the best known score,
// reduce() drops the count or entry, which shrinks the box.
#pragma once

#include "clique/sum_view.hpp"

namespace chorale {

class CountDual {
public:
  CountDual(Layout &layout, std::int32_t members, std::int32_t columns) noexcept;

  // Loads all entries of the view that are not forbidden, with the whole range of counts as the
  // box. All calls obey the limits of the view. Once interrupted, evaluate() returns plus infinity,
  // and all other results are invalid until the next `load` or `restrict_to`.
  void load(const SumView &view) noexcept;
  // Keeps the loaded entries whose bit i * K + v of `mask` is set; the box becomes lo, hi (K each).
  void restrict_to(const std::uint64_t *mask, const std::int32_t *lo,
                   const std::int32_t *hi) noexcept;
  // Writes the bits of the remaining entries to `mask`, mask_words() words.
  void save_mask(std::uint64_t *mask) const noexcept;
  std::size_t mask_words() const noexcept;

  // Returns D(u); minus infinity if some column has no feasible count in its box. Each column stays
  // sorted from call to call, so small changes of u cost O(n K). D(u) includes an upper bound on
  // its rounding error unless that is at most `negligible`.
  double evaluate(const double *u, double negligible = 0) noexcept;
  // n: subgradient of D at the last u: 1 - the number of columns that choose member i.
  const double *slope() const noexcept { return slope_; }
  // The count that column v chooses at the last u, in 0 .. n.
  std::int32_t chosen_count(std::int32_t v) const noexcept { return chosen_[v]; }
  // The member of rank r in column v, by descending gain; v chooses ranks below chosen_count(v).
  std::int32_t member(std::int32_t v, std::int64_t r) const noexcept {
    return entries_[v * members_ + r].member;
  }
  // values_of_counts(v)[k]: H_v(k) for lo_v <= k <= hi_v at the last u. price_sum(): sum_i u_i.
  const double *values_of_counts(std::int32_t v) const noexcept {
    return value_of_count_ + v * (members_ + 1);
  }
  double price_sum() const noexcept { return price_sum_; }
  // Upper bound on the rounding error of D(u), from the magnitude of the terms; 0 if negligible.
  // D(u) includes this bound.
  double rounding() const noexcept { return rounding_; }

  // Drops counts and entries that no labelling with a score above `level` has; requires D(u) >
  // level. Raises *dropped to the highest upper bound among them. False if no labelling is left. If
  // interrupted, drops fewer.
  bool reduce(double level, double *dropped) noexcept;
  // Shrinks the box by sum_v n_v = n. False if no count vector is left.
  bool tighten_box() noexcept;

  std::int32_t *lo() noexcept { return lo_; }
  std::int32_t *hi() noexcept { return hi_; }
  const std::int32_t *lo() const noexcept { return lo_; }
  const std::int32_t *hi() const noexcept { return hi_; }

  // Writes to bounds[v] (K) an upper bound on the score with x_i = v, without member i's own score,
  // over all counts. Requires `load`, then `evaluate`, and u unchanged. O(n K).
  void bounds_of_member(std::int64_t i, double *bounds) const noexcept;

private:
  struct Entry {
    double gain; // psi_iv - u_i
    std::int32_t member;
  };
  std::int64_t ranked_entries(std::int32_t v) const noexcept;
  bool sort_column(std::int32_t v, const double *u) noexcept;
  bool sort_by_insertion(Entry *entry, std::int64_t length) noexcept;
  void merge_behind(Entry *entry, std::int64_t length, const Entry *added,
                           std::int64_t more) noexcept;

  std::int64_t members_;
  std::int64_t columns_;
  const SumView *view_ = nullptr;
  bool fresh_ = true; // entries_ are not sorted for any prices yet
  double value_ = 0;
  double rounding_ = 0;
  const double *prices_ = nullptr;
  double price_sum_ = 0;
  Entry *entries_;          // K x n: remaining entries of column v, the first length_[v] of its row
  double *scores_;          // K x n: scores by column, then member
  std::int32_t *length_;    // K: number of remaining entries
  std::int32_t *sorted_;    // K: length of the sorted prefix; later entries have no higher gain
  std::int32_t *lo_, *hi_;  // K: the box
  std::int32_t *chosen_;    // K: chosen counts
  double *best_;            // K: H_v(chosen_[v])
  double *value_of_count_;  // K x (n + 1): H_v(k) for k up to min(hi, length)
  double *slope_;           // n: see slope()
  double *leave_loss_;      // n: losses of the columns that chose the member, if they may not
  double *own_leave_loss_;  // K x n: this loss of one column, by column and rank
  double *suffix_;          // max(n + 2, K): scratch, suffix maxima
  Entry *moved_;            // 3 x n: scratch of sort_column
  std::int32_t *remaining_; // n: number of remaining entries of the member
  std::int32_t *forced_;    // K: number of members whose only remaining column is v
};

} // namespace chorale
