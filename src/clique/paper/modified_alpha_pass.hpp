// The modified alpha-pass for MAJORITY of the paper named in chorale/potential.h. The potential is
// b_alpha + sum_v w_alpha,v n_v if alpha is the column with the most members. Alpha-pass is run on
// the scores psi_iv + w_alpha,v, and only labellings in which alpha is the majority are kept.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v.
#pragma once

#include "clique/passes/alpha_sweep.hpp"

namespace chorale {

class ModifiedAlphaPass {
public:
  ModifiedAlphaPass(Layout &layout, const Instance &instance) noexcept;

  // For every alpha and every possible k >= 1, scores the labelling in which the k members that
  // lose least by alpha have alpha, and each remaining member its best column other than alpha
  // (both by the scores psi_iv + w_alpha,v). Ends after options.iteration_limit passes. Considers
  // only the labellings in which no counted column has more members than alpha, and writes the best
  // of them to `solution`, with its exact score. If the labelling with all members in the rest
  // column (the uncounted values) is better, writes that labelling instead. Gives neither a
  // guarantee nor a bound, and may find no labelling.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  // Counts of the columns while members move, for AlphaSweep::walk().
  struct Counts {
    std::int32_t *of;
    void move(std::int32_t u, std::int32_t v) noexcept {
      --of[u];
      ++of[v];
    }
    void weigh(std::int64_t) noexcept {}
    std::int64_t work_of_move() const noexcept { return 8; }
  };

  // Fills shifted_ with the scores psi_iv + w_alpha,v. False if interrupted.
  bool load(std::int32_t alpha) noexcept;
  bool pass(std::int32_t alpha, Solution &solution) noexcept;

  const Instance *instance_;
  Instance shifted_; // the instance with scores psi_iv + w_alpha,v
  AlphaSweep sweep_;
  gsl::span<std::int32_t> assignment_; // n: scratch, a labelling
  gsl::span<std::int32_t> counts_;     // K: number of members by column
};

} // namespace chorale
