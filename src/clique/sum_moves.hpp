// Single-member moves (ICM) in sums without forbidden counts, the common case: the moves of
// SingleMoves, with far fewer looks.
//
// A look at a member says by how much staying beats its best move. Until moves of others have eaten
// that up, the member is passed over: a move from u to v changes what u and v offer and nothing
// else, so one running sum bounds what any member has lost since, and one a column what its own
// members have lost besides.
#pragma once

#include "clique/sum_view.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumMoves {
public:
  SumMoves(Layout &layout, const Instance &instance) noexcept;

  // As SingleMoves::improve. Compiled for the machine at hand at run time (AVX2 or not), with the
  // same bits.
  double improve(std::int32_t *assignment, Limits &limits, std::int64_t &sweeps) noexcept;
  double improve(const SumView &view, std::int32_t *assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept;

  CallbackFailure failure() const noexcept { return CallbackFailure::none; }

private:
  template <class Rows>
  double improve_rows(const Rows &in, std::int32_t *assignment, Limits &limits,
                      std::int64_t &sweeps) noexcept;
  void move(std::int32_t from, std::int32_t to) noexcept;

  struct Variants;

  const Instance *instance_;
  FiniteSumScore score_;
  std::int32_t *counts_; // K
  double *lost_at_;      // K: what members of the column have lost beyond lost_
  double *safe_;         // n: the loss up to which the member stays for sure
  double lost_ = 0;      // at least what any member has lost by the moves so far
};

} // namespace chorale
