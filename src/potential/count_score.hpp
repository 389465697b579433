// Running scores: the value C of a potential, kept up to date while members move from column to
// column.
//
// Every class has the same interface, so that an algorithm is written once and compiled for each
// form:
//
//     void reset(counts)                  sets the counts of all columns and computes the total
//     double total() const                C of the counts
//     double after(u, v)                  C after a move of one member from column u to v != u
//     void weigh(w)                       the members that move next have weight w; without effect
//                                         where members have no weights
//     void move(u, v)                     performs this move
//     int32_t count(v) const              members in column v, or the sum of their weights
//     CallbackFailure failure() const     why a callback failed; `none` for all other forms
//     int64_t work_of_after() const       upper bound on the elementary steps of after()
//     int64_t work_of_move() const        upper bound on the elementary steps of move()
//
// reset() announces its own steps to the limits of the potential. If the limits interrupt it, what
// the object stores may be wrong, and the total of MAJORITY and PAIRS is minus infinity. Once they
// have interrupted the computation, or the callback has failed, CallbackScore does not call it any
// more, and its total is minus infinity.
//
// FiniteSumScore and SumScore can also be reset column by column: by restart(), and then put() for
// each column.
//
//     void restart()                      sets the total to 0
//     void put(v, n)                      sets the count of column v to n, and adds entry n of the
//                                         column's table to the total
//
// If all members are in the rest column (no member has a counted value), the potential is 0 by
// definition, or minus infinity if it is a SUM with a table that forbids a count of 0.
#pragma once

#include "base/cpu.hpp"
#include "potential/clique_potential.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace chorale {

class CountScoreBase {
public:
  CountScoreBase(Layout &layout, const CliquePotential &potential) noexcept
      : potential_(&potential), counts_(layout.take<std::int32_t>(potential.columns)) {}
  double total() const noexcept { return total_; }
  void weigh(std::int64_t) noexcept {}
  std::int32_t count(std::int32_t v) const noexcept { return counts_[v]; }
  const std::int32_t *counts() const noexcept { return counts_; }
  CallbackFailure failure() const noexcept { return CallbackFailure::none; }
  std::int64_t work_of_after() const noexcept { return 4 + 2 * columns(); }
  std::int64_t work_of_move() const noexcept { return 4 + 2 * columns(); }

protected:
  void take_counts(gsl::span<const std::int32_t> counts) noexcept {
    Expects(counts.size() >= to_size(columns()));
    // A reset visits all columns. If spend() interrupts the computation here, the loops of the
    // algorithm notice it at their next call of spend().
    potential_->spend(8 * columns());
    std::copy_n(counts.data(), columns(), counts_);
  }
  bool nothing_counts() const noexcept {
    return potential_->has_rest() && counts_[potential_->rest] == potential_->members;
  }
  // True if all members are in the rest column after one member moves from another column to v.
  bool nothing_counts_after(std::int32_t v) const noexcept {
    return potential_->has_rest() && v == potential_->rest &&
           counts_[potential_->rest] == potential_->members - 1;
  }
  std::int64_t columns() const noexcept { return potential_->columns; }

  const CliquePotential *potential_;
  std::int32_t *counts_;
  double total_ = 0;
};

// SUM without forbidden counts, the common case. Stores, for each column, the change of the total
// if a member joins or leaves it, so that the scores of a member's moves to all columns are
// computed in one loop over contiguous memory. O(1) for each move.
class FiniteSumScore : public CountScoreBase {
public:
  FiniteSumScore(Layout &layout, const CliquePotential &potential) noexcept
      : CountScoreBase(layout, potential), join_(layout.take<double>(potential.columns)),
        leave_(layout.take<double>(potential.columns)) {}

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    total_ = 0;
    for (std::int64_t v = 0; v < columns(); ++v) {
      total_ += potential_->tables[v][counts_[v]];
      look_around(v);
    }
  }
  void restart() noexcept { total_ = 0; }
  void put(std::int32_t v, std::int32_t count) noexcept {
    counts_[v] = count;
    total_ += potential_->tables[v][count];
    look_around(v);
  }
  double after(std::int32_t u, std::int32_t v) const noexcept {
    return total_ + (leave_[u] + join_[v]);
  }
  CHORALE_INLINE_NATIVE void move(std::int32_t u, std::int32_t v) noexcept {
    total_ = after(u, v);
    --counts_[u];
    ++counts_[v];
    look_around(u);
    look_around(v);
  }

  std::int64_t work_of_after() const noexcept { return 8; }
  std::int64_t work_of_move() const noexcept { return 8; }

  // One entry for each column v, with table f_v and count n_v. join: f_v(n_v + 1) - f_v(n_v);
  // leave: f_v(n_v - 1) - f_v(n_v). 0 beyond the ends of a table.
  double *join() noexcept { return join_; }
  const double *leave() const noexcept { return leave_; }

private:
  // Updates join_ and leave_ of column v after its count has changed.
  CHORALE_INLINE_NATIVE void look_around(std::int64_t v) noexcept {
    const double *f = potential_->tables[v] + counts_[v];
    join_[v] = f[counts_[v] < potential_->members] - f[0];
    leave_[v] = f[-std::int64_t{counts_[v] > 0}] - f[0];
  }

  double *join_;
  double *leave_;
};

// Scores in which a move from u to v changes the total by leave()[u] + join()[v].
template <class Score>
concept LinearMoves = requires(Score &score) {
  score.join();
  score.leave();
};

// Any SUM whose members have no weights. O(1) for each move, except if the total is minus infinity:
// differences are then undefined, and the total is added up again in O(K).
class SumScore : public CountScoreBase {
public:
  using CountScoreBase::CountScoreBase;

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    add_up();
  }
  void restart() noexcept { total_ = 0; }
  void put(std::int32_t v, std::int32_t count) noexcept {
    counts_[v] = count;
    total_ += potential_->tables[v][count];
  }
  double after(std::int32_t u, std::int32_t v) const noexcept {
    const double *f = potential_->tables[u] + counts_[u];
    const double *g = potential_->tables[v] + counts_[v];
    if (total_ == kForbidden) {
      double total = f[-1] + g[1];
      for (std::int64_t w = 0; w < columns(); ++w)
        if (w != u && w != v)
          total += potential_->tables[w][counts_[w]];
      return total;
    }
    return total_ + ((f[-1] - f[0]) + (g[1] - g[0]));
  }
  void move(std::int32_t u, std::int32_t v) noexcept {
    if (is_finite_) {
      const double *f = potential_->tables[u] + counts_[u]--;
      const double *g = potential_->tables[v] + counts_[v]++;
      total_ += (f[-1] - f[0]) + (g[1] - g[0]);
      return;
    }
    const bool was_forbidden = total_ == kForbidden;
    const double next = after(u, v);
    --counts_[u];
    ++counts_[v];
    if (was_forbidden)
      add_up();
    else
      total_ = next;
  }

private:
  const bool is_finite_ = potential_->finite; // no count is forbidden

  void add_up() noexcept {
    total_ = 0;
    for (std::int64_t w = 0; w < columns(); ++w)
      total_ += potential_->tables[w][counts_[w]];
  }
};

// SUM whose members have weights. Stores the entry of each column's table at its count, since
// entries are computed when they are needed. O(1) for each move.
class WeightedSumScore : public CountScoreBase {
public:
  WeightedSumScore(Layout &layout, const CliquePotential &potential) noexcept
      : CountScoreBase(layout, potential), entries_(layout.take<double>(potential.columns)) {}

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    total_ = 0;
    for (std::int64_t v = 0; v < columns(); ++v) {
      entries_[v] = potential_->entry(v, counts_[v]);
      total_ += entries_[v];
    }
  }
  void weigh(std::int64_t weight) noexcept { weight_ = static_cast<std::int32_t>(weight); }
  double after(std::int32_t u, std::int32_t v) const noexcept {
    return total_ + ((potential_->entry(u, counts_[u] - weight_) - entries_[u]) +
                     (potential_->entry(v, counts_[v] + weight_) - entries_[v]));
  }
  void move(std::int32_t u, std::int32_t v) noexcept {
    total_ = after(u, v);
    counts_[u] -= weight_;
    counts_[v] += weight_;
    entries_[u] = potential_->entry(u, counts_[u]);
    entries_[v] = potential_->entry(v, counts_[v]);
  }
  std::int64_t work_of_after() const noexcept { return 16; }
  std::int64_t work_of_move() const noexcept { return 32; }

private:
  double *entries_;
  std::int32_t weight_ = 1;
};

// MAX. O(K) for each move.
class MaxScore : public CountScoreBase {
public:
  using CountScoreBase::CountScoreBase;

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    total_ = nothing_counts() ? 0.0 : highest(-1, -1);
  }
  double after(std::int32_t u, std::int32_t v) const noexcept {
    return nothing_counts_after(v) ? 0.0 : highest(u, v);
  }
  void move(std::int32_t u, std::int32_t v) noexcept {
    total_ = after(u, v);
    --counts_[u];
    ++counts_[v];
  }

private:
  // Returns the highest entry of any column but the rest column after a move of one member from u
  // to v. u = v = -1: without a move.
  double highest(std::int32_t u, std::int32_t v) const noexcept {
    const std::int64_t counted = columns() - (potential_->has_rest() ? 1 : 0);
    double best = kForbidden;
    for (std::int32_t w = 0; w < counted; ++w)
      best = std::max(best, potential_->tables[w][counts_[w] - (w == u) + (w == v)]);
    return best;
  }
};

// MAJORITY. Stores b_a + sum_v w_av n_v for every column a, with the biases b, weights w and counts
// n. C is this number for the column a of highest count, without the rest column; if several
// columns have this count, the greatest of their numbers. O(K) for each move.
class MajorityScore : public CountScoreBase {
public:
  MajorityScore(Layout &layout, const CliquePotential &potential) noexcept
      : CountScoreBase(layout, potential), rows_(layout.take<double>(potential.columns)) {}

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    const bool whole = in_stretches(
        *potential_, columns(), 2 * columns(), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t a = begin; a < end; ++a) {
            rows_[a] = potential_->bias[a];
            for (std::int64_t v = 0; v < columns(); ++v)
              rows_[a] += potential_->weights[a * columns() + v] * counts_[v];
          }
        });
    total_ = !whole ? kForbidden : nothing_counts() ? 0.0 : of_majority_after(0, 0);
  }
  double after(std::int32_t u, std::int32_t v) const noexcept {
    return nothing_counts_after(v) ? 0.0 : of_majority_after(u, v);
  }
  void move(std::int32_t u, std::int32_t v) noexcept {
    total_ = after(u, v);
    for (std::int64_t a = 0; a < columns(); ++a) {
      const double *w = potential_->weights + a * columns();
      rows_[a] += w[v] - w[u];
    }
    --counts_[u];
    ++counts_[v];
  }

private:
  std::int64_t counted() const noexcept { return columns() - (potential_->has_rest() ? 1 : 0); }
  // Returns C after a move of one member from u to v; u = v: C of the present counts. Some member
  // must then have a counted value.
  double of_majority_after(std::int32_t u, std::int32_t v) const noexcept {
    std::int32_t most = 0;
    double best = kForbidden;
    for (std::int64_t a = 0; a < counted(); ++a) {
      const std::int32_t n = counts_[a] - (a == u) + (a == v);
      if (n < most)
        continue;
      const double *w = potential_->weights + a * columns();
      const double row = rows_[a] + (w[v] - w[u]);
      best = n > most ? row : std::max(best, row);
      most = n;
    }
    return best;
  }

  double *rows_;
};

// PAIRS. Stores sum_v pair[u][v] n_v for every column u, where n_v is the count of column v.
// after() is O(1), move() O(K).
class PairsScore : public CountScoreBase {
public:
  PairsScore(Layout &layout, const CliquePotential &potential) noexcept
      : CountScoreBase(layout, potential), rows_(layout.take<double>(potential.columns)) {}

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    std::fill_n(rows_, columns(), 0.0);
    total_ = kForbidden;
    for (std::int64_t v = 0; v < columns(); ++v) {
      if (counts_[v] == 0)
        continue;
      if (!potential_->spend(2 * columns()))
        return;
      for (std::int64_t u = 0; u < columns(); ++u)
        rows_[u] += at(v, u) * counts_[v]; // the scores of pairs are symmetric
    }
    total_ = 0;
    for (std::int64_t u = 0; u < columns(); ++u)
      total_ += (rows_[u] - at(u, u)) * counts_[u];
  }
  std::int64_t work_of_after() const noexcept { return 8; }
  double after(std::int32_t u, std::int32_t v) const noexcept {
    return total_ + 2 * ((rows_[v] - rows_[u]) + (at(u, u) - at(u, v)));
  }
  void move(std::int32_t u, std::int32_t v) noexcept {
    total_ = after(u, v);
    for (std::int64_t w = 0; w < columns(); ++w)
      rows_[w] += at(w, v) - at(w, u);
    --counts_[u];
    ++counts_[v];
  }

private:
  double at(std::int64_t u, std::int64_t v) const noexcept {
    return potential_->pair[u * columns() + v];
  }
  double *rows_;
};

// CALLBACK. Each reset(), after() and move() calls the callback once; not at all if no member has a
// counted value, after a failure of the callback, or after the limits have interrupted.
class CallbackScore : public CountScoreBase {
public:
  using CountScoreBase::CountScoreBase;

  void reset(gsl::span<const std::int32_t> counts) noexcept {
    take_counts(counts);
    total_ = compute();
  }
  double after(std::int32_t u, std::int32_t v) noexcept {
    shift(u, v);
    const double total = compute();
    shift(v, u);
    return total;
  }
  void move(std::int32_t u, std::int32_t v) noexcept {
    shift(u, v);
    total_ = compute();
  }
  CallbackFailure failure() const noexcept { return failure_; }

private:
  void shift(std::int32_t u, std::int32_t v) noexcept {
    --counts_[u];
    ++counts_[v];
  }
  double compute() noexcept {
    if (!potential_->spend(Limits::kBetweenLooks / 8))
      return kForbidden;
    if (failure_ != CallbackFailure::none || nothing_counts())
      return failure_ == CallbackFailure::none ? 0.0 : kForbidden;
    for (std::int64_t u = 0; u < columns(); ++u)
      if (potential_->value_of_column[u] >= 0)
        potential_->value_counts[potential_->value_of_column[u]] = counts_[u];
    return potential_->source->call(
        span_of(potential_->value_counts, potential_->source->values), potential_->members,
        &failure_);
  }

  CallbackFailure failure_ = CallbackFailure::none;
};

// Calls `use` with a std::type_identity of the score class for the potential's form, and returns
// the result of `use`.
template <class Use> decltype(auto) with_count_score(const CliquePotential &potential, Use &&use) {
  switch (potential.form) {
  case Form::sum:
    if (potential.weighted)
      return use(std::type_identity<WeightedSumScore>{});
    return potential.finite ? use(std::type_identity<FiniteSumScore>{})
                            : use(std::type_identity<SumScore>{});
  case Form::max:
    return use(std::type_identity<MaxScore>{});
  case Form::majority:
    return use(std::type_identity<MajorityScore>{});
  case Form::pairs:
    return use(std::type_identity<PairsScore>{});
  default:
    return use(std::type_identity<CallbackScore>{});
  }
}

} // namespace chorale
