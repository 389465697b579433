// Cliques whose members have weights, in convex sums: a member of weight w counts w times
// (clique.h, "Weights"). n_v is the sum of the weights of the members at column v.
//
// Think of a member of weight w as w equal parts, each with scores psi / w. If the parts of one
// member take two columns, the score is a convex function of the number of parts in the first of
// them. So the score does not fall if all parts move to the better of the two columns. Three things
// follow:
//
// - Alpha-pass on all sum_i w_i parts sorts them by gain from alpha, that is, by the member's gain
//   per unit of weight. This order keeps the parts of a member together, and some best labelling of
//   a pass divides no member. So the passes here, over whole members, find what alpha-pass on the
//   parts finds, and they have the guarantees of alpha-pass.
// - The dual (count_dual.hpp) needs, for each column v, a set S of members that maximises
//   sum_{i in S} (psi_iv - u_i) + f_v(weight of S), where u_i is the price of member i. The first
//   members in descending order of (psi_iv - u_i) / w_i, up to some rank, are such a set.
// - Convex tables lie above their tangents. So the score never falls if every member takes the
//   column of greatest psi_iv + w_i s_v at once, where s_v is the slope of f_v at n_v.
//
// Since sums of weights may be large, entries of tables are computed when they are needed, and not
// stored for all counts.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
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
    // Per unit of weight: in a pass, score at alpha minus score at the best other column; in the
    // dual, score at a column minus the member's price.
    double gain;
    std::int32_t member;
  };
  // The labelling of a pass in which the first `length` entries have alpha.
  struct Prefix {
    double score;
    std::int32_t length;
  };

  bool load() noexcept;
  void gather(const double *from, std::int32_t only, std::int64_t i) noexcept;
  void find_best() noexcept;
  void find_marginals() noexcept;
  CliqueAnswer answer() noexcept;

  // These functions read and change the working labelling: x_, with counts_ and x_score_. keep()
  // copies it to kept_ if it scores more than the labelling in kept_.
  void write_start() noexcept;
  // Makes the labelling in kept_ the working labelling.
  void take_kept() noexcept;
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

  template <class T> gsl::span<T> by_member(T *array) const noexcept {
    return {array, to_size(members_)};
  }
  double score(std::int64_t i, std::int64_t v) const noexcept { return scores_[i * columns_ + v]; }
  // Returns f_v(k), multiplied by factor_.
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
  // Returns the slope of a tangent of f_v at a count: of a line through f_v(count) that does not
  // exceed f_v anywhere.
  double slope(std::int32_t v, std::int64_t count) const noexcept {
    const std::int64_t k = std::min<std::int64_t>(count, kind_.members - 1);
    return table(v, k + 1) - table(v, k);
  }
  std::int32_t default_column(std::int64_t i, std::int32_t alpha) const noexcept {
    return best_[i] == alpha ? second_[i] : best_[i];
  }
  // Returns the column of member i's best value; of several best values, the lowest. best_[i] may
  // be another column, since the rest column is the last even if it stands for a low value.
  std::int32_t best_column(std::int64_t i) const noexcept {
    const std::int32_t best = best_[i];
    return kind_.has_rest() && score(i, kind_.rest) == score(i, best) &&
                   rest_value_[i] < value_of_column_[best]
               ? kind_.rest
               : best;
  }
  std::int32_t column_of(std::int32_t value) const noexcept {
    return kind_.column_of(value, span_of(value_of_column_, columns_));
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
  double factor_ = 1;         // the tables of the potential are multiplied by this
  // Last entry of the table of the rest column, which stands for all uncounted values; all other
  // entries of this table are 0. The last entry applies if all members are in the rest column. It
  // is minus the sum of f_v(0) over the other columns, so that the potential is then 0.
  double nothing_counts_ = 0;

  double *scores_ = nullptr;     // n x K, by column
  double *messages_ = nullptr;   // n x K, or NULL
  std::int32_t *value_of_column_; // K; -1 for the rest column
  std::int32_t *rest_value_;     // n: the value for which the rest column stands; or NULL
  std::int32_t *best_;           // n: best column; of equally good columns, the lowest
  std::int32_t *second_;         // n: best of the other columns, or -1
  std::int32_t *x_;              // n: column of each member
  std::int32_t *kept_;           // n: the best labelling found
  std::int32_t *response_;       // n: scratch
  std::int64_t *counts_;         // K: weight of the members at each column in x_
  std::int64_t *chosen_;         // K: counts that the columns choose in the dual
  std::int64_t *value_counts_;   // one entry for each value: scratch, to score a labelling
  Entry *entries_;               // n: members in the order of a pass or of a column of the dual
  Prefix *prefixes_;             // n + 1: the labellings of a pass
  double *pass_score_;           // K: best score of the pass of each column
  double *joins_;                // K: join() of each column for one weight; or the tables' slopes
  double *price_ = nullptr;      // n: u_i; this and the next two arrays are NULL without the dual
  double *best_price_ = nullptr; // n: the u_i with the lowest bound so far
  double *slope_ = nullptr;      // n: 1 - number of columns that choose the member

  std::int64_t entry_count_ = 0;
  double x_score_ = kForbidden;
  double kept_score_ = kForbidden;
  double bound_ = kInfinity;
  std::int64_t iterations_ = 0;
  bool limit_hit_ = false;
  bool infeasible_ = false;
  bool is_unread_ = false; // the limits ended the call before all scores were read
  // If messages are asked for: the only member without an admissible value, or -1.
  std::int64_t only_member_ = -1;
};

} // namespace chorale
