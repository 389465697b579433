// Single-member moves (ICM) in sums without forbidden counts: like SingleMoves (moves.hpp), with
// far fewer evaluations.
//
// join_v is the change of the potential when a member joins column v, leave_u the change when a
// member leaves column u. The *lead* of a member i in column u is psi_iu - max (psi_iv + join_v),
// where the maximum is over the other columns v. To evaluate a member is to compute its lead. After
// the evaluation, a move of the member changes the score by at most
//
//     leave_u - lead + (greatest rise of any join since the evaluation)
//
// While this is negative, no move of the member gains, and the member is skipped.
//
// The sum, over all moves so far, of the greatest rise of any join by the move bounds these rises:
// since an evaluation, no join has risen by more than this sum has grown.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v.
#pragma once

#include "clique/sum_view.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumMoves {
public:
  SumMoves(Layout &layout, const Instance &instance) noexcept;

  // Improve `labelling`, the column of each member, and return the score of the result. Return
  // minus infinity if interrupted before the first sweep, or if some member may not take its
  // column. `sweeps`: number of sweeps over all members that may still be made; each sweep
  // decrements it. `view`: has the member scores to be used in place of the instance's. The code is
  // selected for the vector units of the machine (cpu.hpp).
  double improve(gsl::span<std::int32_t> labelling, Limits &limits, std::int64_t &sweeps) noexcept;
  double improve(const SumView &view, gsl::span<std::int32_t> labelling, Limits &limits,
                 std::int64_t &sweeps) noexcept;

  CallbackFailure failure() const noexcept { return CallbackFailure::none; }

private:
  template <class Rows>
  double improve_rows(const Rows &in, gsl::span<std::int32_t> labelling, Limits &limits,
                      std::int64_t &sweeps) noexcept;

  const Instance *instance_;
  FiniteSumScore score_;
  std::int32_t *counts_;  // K: number of members by column
  double *safe_;          // n: lead + least gain; the member is skipped while leave + rise is less
  std::int32_t *waiting_; // n: members to evaluate in a sweep
};

} // namespace chorale
