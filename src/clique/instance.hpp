// A clique problem as algorithms see it: the scores of n members at K columns, and a potential
// prepared for n members. psi_iv is the score of member i at column v. A labelling x gives each
// member i one column x_i. The score of a labelling is
//
//     sum_i psi_i,x_i + C
//
// where the potential C depends only on the numbers n_v of members at each column v. For a SUM, C =
// sum_v f_v(n_v), with a table f_v for each column v.
//
// A potential counts some values and may leave the others uncounted (potential.h). The columns are
// the counted values and, if some value is uncounted, one *rest column* that stands for all
// uncounted values. A member's score in the rest column is that of its best uncounted value. The
// caller's matrix of scores by value is read once and turned into scores by column. A fixed member
// may take only the column of its value: its scores at all other columns become minus infinity. The
// best and the second-best column of each member are stored, since every pass of alpha-pass
// (passes/alpha_pass.hpp) needs both.
//
// Members may have weights: a member of weight w counts w times, n_v is the sum of the weights of
// the members at column v, and C is a convex SUM. Think of such a member as w equal parts, each with
// scores psi / w. If the parts of one member take two columns, the score is a convex function of the
// number of parts in the first of them, so it does not fall if all parts move to the better of the
// two columns. So the algorithms of convex SUMs treat the parts as one, and keep their guarantees:
// alpha-pass sorts members by their gain for each unit of weight, as it would sort the parts.
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
  gsl::span<const std::int32_t> fixed; // by member: value it must take, or -1; empty: all free
  gsl::span<const std::int64_t> weights; // by member: how often it counts; empty: every member once

  std::int32_t members() const noexcept { return static_cast<std::int32_t>(scores.rows); }
  std::int32_t values() const noexcept { return static_cast<std::int32_t>(scores.columns); }
};

struct Instance {
  // `in_place`: the caller's matrix has no gaps and may serve as `scores`. It does so if there is
  // no rest column, and is then written to if members are fixed or max-marginals are computed.
  // `rows`: the number of members; 0 means kind.members. Needed where members have weights:
  // kind.members is then the sum of the weights.
  Instance(Layout &layout, const CliqueKind &kind, bool in_place = false,
           std::int32_t rows = 0) noexcept;
  // Fills the arrays below from the caller's scores. A value is *admissible* for a member if its score
  // is above minus infinity and the member is not fixed to another value. False if some member has no
  // admissible value, or if `limits` (NULL: none) interrupted the call. If exactly one member has no
  // admissible value, writes this member to `*only_without`, otherwise -1. Before an algorithm runs,
  // potential.prepare() must be called too.
  bool load(const ProblemView &problem, std::int32_t *only_without = nullptr,
            Limits *limits = nullptr) noexcept;
  // Announces `work` elementary steps to the limits. False if the limits interrupt the computation.
  bool spend(std::int64_t work) const noexcept { return potential.spend(work); }
  // True once spend() has returned false.
  bool interrupted() const noexcept { return potential.interrupted(); }
  // Computes best[i], second[i] and their scores anew, after the scores of member i were changed.
  // True if some column is admissible for the member.
  bool note_best(std::int64_t i) noexcept;

  // Return `array`, which has one entry for each member or for each column, as a span.
  template <class T> gsl::span<T> by_member(T *array) const noexcept {
    return {array, to_size(members)};
  }
  template <class T> gsl::span<T> by_column(T *array) const noexcept {
    return {array, to_size(columns)};
  }
  // Returns `array`, which has one entry for each member and column and no gaps, as a matrix.
  template <class T> Matrix<T> by_entry(T *array) const noexcept {
    return {array, members, columns, columns};
  }
  const double *row(std::int64_t i) const noexcept {
    Expects(!kContracts || (i >= 0 && i < members));
    return scores + i * columns;
  }
  std::int64_t weight(std::int64_t i) const noexcept { return weights ? weights[i] : 1; }
  double score(std::int64_t i, std::int64_t v) const noexcept {
    Expects(!kContracts || (v >= 0 && v < columns));
    return row(i)[v];
  }
  // SUM: returns f_v(k), and the potential at `counts` (by column).
  double entry(std::int64_t v, std::int64_t k) const noexcept { return potential.entry(v, k); }
  double clique_score(gsl::span<const std::int32_t> counts) const noexcept;

  // The functions below take a labelling: the column of each member.
  // Writes the number of members at each column, or the sum of their weights, to `counts`. False if
  // interrupted.
  bool count(gsl::span<const std::int32_t> assignment,
             gsl::span<std::int32_t> counts) const noexcept;
  // Returns the sum of the members' scores at their columns, added up in the order of the members,
  // and the sum of the magnitudes of these scores. If interrupted, the total is minus infinity.
  MeasuredSum member_sum(gsl::span<const std::int32_t> assignment) const noexcept;
  double member_score(gsl::span<const std::int32_t> assignment) const noexcept {
    return member_sum(assignment).total;
  }

  CliquePotential potential;
  std::int32_t members; // n, the number of members
  std::int32_t columns; // K, the number of columns
  const std::int64_t *weights = nullptr; // by member; NULL if all are 1
  // members x columns, no gaps; minus infinity: forbidden. Once load() has returned true, every row
  // has a finite entry.
  double *scores;
  std::int32_t *best;   // by member: its best column; of equally good columns, the lowest
  std::int32_t *second; // by member: its second-best column; -1 if it may take only one
  double *best_score;   // by member: score at `best`
  double *second_score; // by member: score at `second`; minus infinity if `second` is -1
  // By member: its best uncounted value, for which the rest column stands; -1 if the member is fixed
  // to a counted value. NULL without a rest column.
  std::int32_t *rest_value;

  std::int32_t value_of(std::int64_t i, std::int32_t column) const noexcept {
    return column == potential.rest ? rest_value[i] : potential.value_of_column[column];
  }

private:
  // Fills rows begin .. last - 1 of `scores`, and of rest_value, from the caller's matrix.
  void gather(const ProblemView &problem, std::int64_t begin, std::int64_t last) noexcept;
};

// Sets the messages (members x columns), which are max-marginals minus the member's own score, to
// minus infinity. False if interrupted.
inline bool clear_messages(const Instance &in, Matrix<double> messages) noexcept {
  return in_stretches(in, in.members, in.columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::fill_n(messages.row(i).data(), in.columns, kForbidden);
  });
}

// Takes account of the labelling with all members in the rest column, whose potential is 0: raises
// the message of each member at the rest column to at least the sum of the other members' scores at
// the rest column, if all these other members may take it. Requires that there is a rest column.
// False if interrupted.
bool raise_all_at_rest(const Instance &in, Matrix<double> messages) noexcept;

// Options of a call, checked, with defaults filled in.
struct SolveOptions {
  std::int32_t subset_size = 2;     // generalised alpha-pass: greatest number of columns in a set
  std::int64_t iteration_limit = 0; // 0: the algorithm's default; clique.h: what is counted
  std::int64_t node_limit = 0;      // COUNT_BOXES: greatest number of nodes; 0: no limit
  std::int64_t node_pool = 0;       // COUNT_BOXES: nodes to have room for; 0: see node_pool.hpp
  double tolerance = 1e-3;          // Lagrangian: see Lagrangian::run()
  double gap = -1; // searches end when closes_gap() holds for this gap; negative: no gap requested
};

// The result of one algorithm, or of several that run one after another. Except by rounding, no
// algorithm lowers `score`, the score of the best labelling found, or raises `bound`, an upper
// bound on the scores of all labellings.
struct Solution {
  Solution(Layout &layout, const Instance &of) noexcept
      : instance(&of), assignment(layout.take_span<std::int32_t>(of.members)) {}

  bool found() const noexcept { return score > kForbidden; }
  bool proven() const noexcept { return gap_reached(kProvenGap); }
  bool gap_reached(double gap) const noexcept {
    return gap >= 0 && found() && bound < kInfinity &&
           closes_gap(score, magnitude(), bound, gap);
  }
  // Returns the magnitude of the score: the magnitudes of the member scores and of the potential,
  // added up. If interrupted, returns |score|, which is at most that sum. Requires found().
  double magnitude() const noexcept {
    const MeasuredSum members = instance->member_sum(assignment);
    return members.total == kForbidden ? std::fabs(score)
                                       : members.magnitude + std::fabs(score - members.total);
  }

  const Instance *instance;
  gsl::span<std::int32_t> assignment; // the column of each member; valid if found()
  double score = kForbidden;
  double bound = kInfinity;
  bool infeasible = false; // proven: no labelling scores above minus infinity
  bool iteration_limit_hit = false;
  bool node_limit_hit = false;
  CallbackFailure failure = CallbackFailure::none;
  std::int64_t iterations = 0; // as SolveOptions::iteration_limit counts them
  std::int64_t nodes = 0;      // COUNT_BOXES: number of boxes whose bound was computed
};

} // namespace chorale
