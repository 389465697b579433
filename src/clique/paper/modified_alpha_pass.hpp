// The modified alpha-pass for MAJORITY of the paper named in chorale/potential.h. The potential is
// b_alpha + sum_v w_alpha,v n_v if alpha is the column with the most members. Alpha-pass is run on
// the scores psi_iv + w_alpha,v, and only labellings in which alpha is the majority are kept.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class ModifiedAlphaPass {
public:
  ModifiedAlphaPass(Layout &layout, const Instance &instance) noexcept;

  // For every alpha and k = 1 .. n, scores the labelling in which the k members that lose least by
  // alpha have alpha, and each remaining member its best column other than alpha. Considers only
  // the labellings in which no counted column has more members than alpha, and writes the best of
  // them to `solution`, with its exact score. If the labelling with all members in the rest column
  // (the uncounted values) is better, writes that labelling instead. Gives neither a guarantee nor
  // a bound, and may find no labelling.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  // Sorts the members by their gain from alpha. False if interrupted.
  bool prepare(std::int32_t alpha) noexcept;
  bool label(std::int32_t alpha, std::int32_t k) noexcept;
  bool sweep(std::int32_t alpha, Limits &limits, Solution &solution) noexcept;

  const Instance *instance_;
  double *gains_;            // n: psi + w at alpha minus psi + w at the best other column
  std::int32_t *other_;      // n: the best other column, or -1
  std::int32_t *order_;      // n: members by descending gain
  std::int32_t *assignment_; // n: scratch, a labelling
  gsl::span<std::int32_t> counts_; // K: number of members by column
  std::int32_t bound_to_;    // number of members to which only alpha is allowed
  std::int32_t able_;        // number of members to which alpha is allowed
  MajorityScore score_;
};

} // namespace chorale
