// The Lagrangian dual of a SUM clique, split by column and limited to a box of counts.
//
// Let each member choose a column and each column choose its members, with multipliers mu_iv
// between them. For a fixed price u_i of member i, the best multipliers are mu_iv = psi_iv - u_i
// (less would raise what the member can get, more what the column can), so one price a member is
// all that is left to choose:
//
//     D(u) = sum_i u_i + sum_v max { H_v(k) : lo_v <= k <= hi_v },
//     H_v(k) = (sum of the k largest psi_iv - u_i) + f_v(k).
//
// Every D(u) bounds the score of all labellings whose counts lie in the box. What a column would
// lose by another count, or by taking or leaving a member, tells which counts and which entries
// (i, v) no labelling above a given level can have: these are dropped, and the box shrinks.
#pragma once

#include "clique/sum_view.hpp"

namespace chorale {

class CountDual {
public:
  CountDual(Layout &layout, std::int32_t members, std::int32_t columns) noexcept;

  // Takes all entries that are not forbidden; the box is the whole range. This and all that follows
  // goes by the limits of the view: where these end it, nothing here is of use until the next
  // `load` or `restrict_to`; bounds are plus infinity then.
  void load(const SumView &view) noexcept;
  // Keeps the entries whose bit i * K + v is set, of those of `load`; lo and hi as given.
  void restrict_to(const std::uint64_t *mask, const std::int32_t *lo,
                   const std::int32_t *hi) noexcept;
  // The bits of the entries left, into mask_words() words.
  void save_mask(std::uint64_t *mask) const noexcept;
  std::size_t mask_words() const noexcept;

  // D(u); minus infinity when some column has no count within its box. Columns' orders are kept
  // from call to call, so small changes of u cost O(n K). Rounding up to `negligible` is left out.
  double evaluate(const double *u, double negligible = 0) noexcept;
  // At the last u evaluated: 1 - the number of columns that choose member i.
  const double *slope() const noexcept { return slope_; }
  // The columns' choices there: counts, and for how many members each column chooses.
  std::int32_t chosen_count(std::int32_t v) const noexcept { return chosen_[v]; }
  // The r-th member in the order of column v, r < chosen_count(v) for those chosen.
  std::int32_t member(std::int32_t v, std::int64_t r) const noexcept {
    return entries_[v * members_ + r].member;
  }
  // H_v(k), for k in the box, and the sum of the prices.
  const double *values_of_counts(std::int32_t v) const noexcept {
    return value_of_count_ + v * (members_ + 1);
  }
  double price_sum() const noexcept { return price_sum_; }
  // More than D(u) can be off by rounding, which goes by the greatest numbers that are added up; 0
  // where that is negligible. It is in D(u) already.
  double rounding() const noexcept { return rounding_; }

  // Drops counts and entries that no labelling above `level` can have; D(u) must be above it.
  // False when nothing is left. Raises *dropped to the highest bound among what was dropped. Where
  // the limits end it some of that is not dropped.
  bool reduce(double level, double *dropped) noexcept;
  // What follows for the box from sum_v n_v = n. False when no count vector is left.
  bool tighten_box() noexcept;

  std::int32_t *lo() noexcept { return lo_; }
  std::int32_t *hi() noexcept { return hi_; }
  const std::int32_t *lo() const noexcept { return lo_; }
  const std::int32_t *hi() const noexcept { return hi_; }

  // For every v, bounds[v] on F with x_i = v, member i's own score left out, over the full range of
  // counts. After `load` and `evaluate` without reductions, u as it was. O(n K).
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
  bool fresh_ = true; // orders are not yet those of any prices
  double value_ = 0;  // D(u)
  double rounding_ = 0;
  const double *prices_ = nullptr;
  double price_sum_ = 0;
  Entry *entries_;          // K x n, the first length_[v] of each
  double *scores_;          // K x n: the scores, by column
  std::int32_t *length_;    // K
  std::int32_t *sorted_;    // K: entries by falling gain; those behind them have no more
  std::int32_t *lo_, *hi_;  // K
  std::int32_t *chosen_;    // K
  double *best_;            // K: H_v(chosen)
  double *value_of_count_;  // K x (n + 1): H_v(k) up to the lesser of hi and length
  double *slope_;           // n
  double *leave_loss_;      // n: what the columns that chose a member lose without it
  double *own_leave_loss_;  // K x n: by column and rank
  double *suffix_;          // max(n + 2, K)
  Entry *moved_;            // 3 x n
  std::int32_t *remaining_; // n: entries left
  std::int32_t *forced_;    // K: members with no other entry
};

} // namespace chorale
