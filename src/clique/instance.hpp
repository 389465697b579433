// A clique problem as algorithms see it: n members x K columns of scores, and a prepared potential.
// A labelling x gives each member i one column x_i; its score is sum_i psi_i,x_i + C, where psi_iv
// is the score of member i at column v and the potential C depends only on the numbers n_v of
// members at each column (for a SUM, C = sum_v f_v(n_v), with the tables f_v).
//
// Columns are the counted values and, if some value is uncounted, one *rest column* that stands for
// all uncounted values. A member's score in the rest column is that of its best uncounted value.
// The caller's matrix is read once: its scores are gathered into columns, a fixed member keeps one
// entry, and the best and second-best column of each member are stored, since every pass of
// alpha-pass needs both.
#pragma once

#include "base/contract.hpp"
#include "base/limits.hpp"
#include "base/numeric.hpp"
#include "base/span.hpp"
#include "base/workspace.hpp"
#include "potential/clique_potential.hpp"

#include <gsl/gsl>

namespace chorale {

// The problem as the caller states it. Its sizes have been checked, and no score is NaN.
struct ProblemView {
  Matrix<const double> scores;         // members x values
  gsl::span<const std::int32_t> fixed; // by member: the value it is fixed to, or -1; empty: all -1
  gsl::span<const std::int64_t> weights; // by member: how often it counts; empty: once

  std::int32_t members() const noexcept { return static_cast<std::int32_t>(scores.rows); }
  std::int32_t values() const noexcept { return static_cast<std::int32_t>(scores.columns); }
};

class KeptLabelling;

struct Instance {
  // `in_place`: the caller's matrix has no gaps and may be used without a copy. The instance uses
  // this permission if its columns are exactly the values.
  Instance(Layout &layout, const CliqueKind &kind, bool in_place = false) noexcept;
  // Gathers the scores and prepares the potential. False if some member has no admissible value, or
  // if `limits` (NULL: none) interrupted the call. If exactly one member has no admissible value,
  // writes this member to `*only_without`, otherwise -1. Later computations on the instance obey
  // the same limits.
  bool load(const ProblemView &problem, std::int32_t *only_without = nullptr,
            Limits *limits = nullptr) noexcept;
  // Counts `work` elementary steps. False if the limits interrupt the computation.
  bool spend(std::int64_t work) const noexcept { return potential.spend(work); }
  // True once spend() has returned false.
  bool interrupted() const noexcept { return potential.interrupted(); }
  // Computes best[i], second[i] and their scores anew, after the scores of member i were changed.
  // True if some column is admissible for the member.
  bool note_best(std::int64_t i) noexcept;

  // Return, as a span, an array with one entry for each member or for each column.
  template <class T> gsl::span<T> by_member(T *array) const noexcept {
    return {array, to_size(members)};
  }
  template <class T> gsl::span<T> by_column(T *array) const noexcept {
    return {array, to_size(columns)};
  }
  // Returns, as a matrix, an array with one entry for each member and column, without gaps.
  template <class T> Matrix<T> by_entry(T *array) const noexcept {
    return {array, members, columns, columns};
  }
  const double *row(std::int64_t i) const noexcept {
    Expects(!kContracts || (i >= 0 && i < members));
    return scores + i * columns;
  }
  double score(std::int64_t i, std::int64_t v) const noexcept {
    Expects(!kContracts || (v >= 0 && v < columns));
    return row(i)[v];
  }

  // The functions below take a labelling: the column of each member.
  // Writes the number of members at each column to `counts`. False if interrupted.
  bool count(gsl::span<const std::int32_t> assignment,
             gsl::span<std::int32_t> counts) const noexcept;
  // Returns the sum of the members' scores at their columns, added up in the order of the members;
  // minus infinity if interrupted.
  double member_score(gsl::span<const std::int32_t> assignment) const noexcept;
  // Returns the sum of member_score() together with the sum of the magnitudes of its terms.
  MeasuredSum member_sum(gsl::span<const std::int32_t> assignment) const noexcept;

  // Offers a labelling to `kept`, which keeps the best one ready for an interruption. `score`: as
  // computed by the search. Searches call this function between their steps, even if the labelling
  // has not changed.
  void offer_kept(gsl::span<const std::int32_t> assignment, double score) const noexcept {
    if (kept) [[unlikely]]
      offer_to_kept(assignment, score);
  }

  CliquePotential potential;
  KeptLabelling *kept = nullptr; // NULL if no labelling is kept ready, as in small cliques
  std::int32_t members; // n, the number of members
  std::int32_t columns; // K, the number of columns
  // members x columns, no gaps; minus infinity: forbidden. Every row has a finite entry.
  double *scores;
  std::int32_t *best;   // by member: its best column, the lowest of equals
  std::int32_t *second; // by member: the best of its other columns, or -1 if those are forbidden
  double *best_score;   // by member: score at `best`
  double *second_score; // by member: score at `second`; minus infinity if `second` is -1
  // By member: its best uncounted value, for which the rest column stands; NULL without a rest
  // column.
  std::int32_t *rest_value;

  std::int32_t value_of(std::int64_t i, std::int32_t column) const noexcept {
    return column == potential.rest ? rest_value[i] : potential.value_of_column[column];
  }

private:
  void offer_to_kept(gsl::span<const std::int32_t> assignment, double score) const noexcept;
  // Copies the scores of members begin .. last - 1 from the caller's matrix, by column.
  void gather(const ProblemView &problem, std::int64_t begin, std::int64_t last) noexcept;
};

// Sets the messages (members x columns) to minus infinity. False if interrupted.
inline bool clear_messages(const Instance &in, Matrix<double> messages) noexcept {
  return in_stretches(in, in.members, in.columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::fill_n(messages.row(i).data(), in.columns, kForbidden);
  });
}

// Options of a call, checked, with defaults filled in.
struct SolveOptions {
  std::int32_t subset_size = 2;
  std::int64_t iteration_limit = 0; // 0: the algorithm's default
  std::int64_t node_limit = 0;
  std::int64_t node_pool = 0;
  double tolerance = 1e-3;
  double gap = -1;
};

// Result of an algorithm, or of several in turn: none of them lowers `score` or raises `bound`.
struct Solution {
  Solution(Layout &layout, const Instance &of) noexcept
      : instance(&of), assignment(layout.take_span<std::int32_t>(of.members)) {}

  bool found() const noexcept { return score > kForbidden; }
  // Offers the labelling to Instance::kept, which keeps the best one ready for an interruption.
  void keep() const noexcept { instance->offer_kept(assignment, score); }
  bool proven() const noexcept { return gap_reached(kProvenGap); }
  bool gap_reached(double gap) const noexcept {
    return gap >= 0 && found() && bound < kInfinity &&
           closes_gap(score, magnitude(), bound, gap);
  }
  // Returns the magnitude of the score: the magnitudes of the member scores and of the potential,
  // added up. If interrupted, returns |score|, which is no greater. Requires found().
  double magnitude() const noexcept {
    const MeasuredSum members = instance->member_sum(assignment);
    return members.total == kForbidden ? std::fabs(score)
                                       : members.magnitude + std::fabs(score - members.total);
  }

  const Instance *instance;
  gsl::span<std::int32_t> assignment; // the column of each member; undefined until found
  double score = kForbidden;
  double bound = kInfinity;
  bool infeasible = false; // proven: no labelling scores above minus infinity
  bool iteration_limit_hit = false;
  bool node_limit_hit = false;
  CallbackFailure failure = CallbackFailure::none;
  std::int64_t iterations = 0;
  std::int64_t nodes = 0;
};

} // namespace chorale
