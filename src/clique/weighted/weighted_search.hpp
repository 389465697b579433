// Cliques whose members count more than once (clique.h, "Weights"), in convex sums.
//
// Let a member of weight w be w members of score psi / w. If these took two columns, the score
// would be convex in how many take the one, so that all at one of the two columns score no less.
// Three things follow, with n_v the sum of the weights at column v:
//   - Alpha-pass on those sum_i w_i members sorts by loss per unit of weight, which keeps the parts
//     of a member together, and the best k of a pass is at the end of a member. So the passes here,
//     over whole members, find what alpha-pass finds there, with its guarantee.
//   - The problem of one column in the dual (count_dual.hpp), max over sets S of the sum over S of
//     psi_iv - u_i plus f_v of the weight of S, is solved by a prefix in the same order.
//   - Tangents of the tables are minorants: the best response to prices never scores less.
// Tables are evaluated where they are needed: sums of weights may be large, so no table of all
// counts is written.
#pragma once

#include "clique/computation.hpp"

namespace chorale {

class WeightedSearch {
public:
  // Takes the memory of the search; task.kind.weighted must be set.
  WeightedSearch(Layout &layout, const CliqueTask &task, Limits &limits) noexcept;
  CliqueAnswer carry_out() noexcept;

private:
  struct Entry {
    double gain; // per unit of weight
    std::int32_t member;
  };
  struct Prefix {
    double score;
    std::int32_t length;
  };

  bool load() noexcept;
  void find_best() noexcept;
  void find_marginals() noexcept;
  CliqueAnswer answer() noexcept;

  // Working labelling: x_ with its counts and its score.
  void write_start() noexcept;
  void take_labelling(const std::int32_t *from) noexcept;
  void count_labelling() noexcept;
  void move(std::int32_t i, std::int32_t to) noexcept;
  void keep() noexcept;
  bool improve_by_prices() noexcept;
  bool improve_by_moves() noexcept;
  void improve() noexcept;

  bool sort_entries() noexcept;
  bool begin_pass(std::int32_t alpha) noexcept;
  void restart_pass(std::int32_t alpha) noexcept;
  bool run_pass(std::int32_t alpha) noexcept;
  bool run_passes(std::int32_t improved) noexcept;
  void run_dual() noexcept;
  double dual_value() noexcept;
  void round_dual() noexcept;

  bool spread_pass(std::int32_t alpha) noexcept;
  bool spread() noexcept;
  void fill_joins(std::int64_t weight) noexcept;

  double score(std::int64_t i, std::int64_t v) const noexcept { return scores_[i * columns_ + v]; }
  // Returns f_v(k), scaled, of a column.
  double table(std::int32_t v, std::int64_t k) const noexcept {
    if (v == kind_.rest)
      return k == kind_.members ? nothing_counts_ : 0.0;
    return scale_score(kind_.source->table_entry(value_of_column_[v], k, kind_.members), factor_);
  }
  double join(std::int32_t v, std::int64_t weight) const noexcept {
    return table(v, counts_[v] + weight) - table(v, counts_[v]);
  }
  double leave(std::int32_t v, std::int64_t weight) const noexcept {
    return table(v, counts_[v] - weight) - table(v, counts_[v]);
  }
  // Returns a slope of the table at a count: a tangent that lies below the table.
  double slope(std::int32_t v, std::int64_t count) const noexcept {
    const std::int64_t k = std::min<std::int64_t>(count, kind_.members - 1);
    return table(v, k + 1) - table(v, k);
  }
  std::int32_t default_column(std::int64_t i, std::int32_t alpha) const noexcept {
    return best_[i] == alpha ? second_[i] : best_[i];
  }
  std::int32_t column_of(std::int32_t value) const noexcept {
    return kind_.column_of(value, value_of_column_);
  }
  bool is_interrupted() const noexcept { return limits_.interruption() != Interruption::none; }
  bool is_exact() const noexcept { return columns_ <= 2 || members_ == 1; }

  const CliqueTask &task_;
  const CliqueKind &kind_; // kind_.members: sum of the weights
  Limits &limits_;
  const bool measuring_;
  const std::int32_t members_; // n
  const std::int32_t columns_; // K
  const std::int64_t *weights_;
  double factor_ = 1;         // of the tables
  double nothing_counts_ = 0; // last entry of the rest column's table: makes C 0

  double *scores_ = nullptr;     // n x K, by column
  double *messages_ = nullptr;   // n x K, or NULL
  std::int32_t *value_of_column_; // K; -1 for the rest column
  std::int32_t *rest_value_;     // n: value that the rest column stands for; NULL without one
  std::int32_t *best_;           // n: best column
  std::int32_t *second_;         // n: best of the others, or -1
  std::int32_t *x_;              // n: column of each member
  std::int32_t *kept_;           // n: the best labelling found
  std::int32_t *response_;       // n: scratch
  std::int64_t *counts_;         // K: of x_
  std::int64_t *chosen_;         // K: counts that the columns choose in the dual
  std::int64_t *value_counts_;   // R: scratch, to rate a labelling
  Entry *entries_;               // n
  Prefix *prefixes_;             // n + 1, or K
  double *pass_score_;           // K: best score of the pass of each column
  double *joins_;                // K: join() of each column for one weight
  double *price_ = nullptr;      // n: u_i; the next three for the dual alone
  double *best_price_ = nullptr; // n
  double *slope_ = nullptr;      // n: 1 - number of columns that choose the member

  std::int64_t entry_count_ = 0;
  double x_score_ = kForbidden;
  double kept_score_ = kForbidden;
  double bound_ = kInfinity;
  std::int64_t iterations_ = 0;
  bool limit_hit_ = false;
  bool infeasible_ = false;
  std::int64_t only_member_ = -1; // under messages: the one member without an admissible value
};

} // namespace chorale
