// Finds *idle* passes of alpha-pass. A pass is idle if its best labelling is the independent
// labelling, in which every member has its best column. Only for convex sums without forbidden
// counts, with few members and at least four columns.
//
// Let alpha be no member's best column. Labelling k of its pass gives alpha to the k members with
// the greatest gain psi_i,alpha - psi_i,best, which is at most 0. The score of labelling k is that
// of the independent labelling, plus the sum of these gains, plus f_alpha(k) - f_alpha(0), minus
// what the tables of the other columns lose when the k members leave. As f_v is convex, each member
// that leaves column v lowers f_v by at least f_v(1) - f_v(0). This gives an upper bound on how
// much more labelling k scores than the independent labelling. If the bound is negative for all
// k > 0, the pass is idle.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class IdlePasses {
public:
  IdlePasses(Layout &layout, const Instance &instance) noexcept;

  // Finds the passes of the loaded instance that are idle by the bound described above; finds none
  // if fits() is false.
  void find() noexcept;
  // True if find() has found that the pass of alpha is idle.
  bool operator[](std::int64_t alpha) const noexcept { return idle_ && idle_[alpha] != 0; }

private:
  static constexpr std::int32_t kMostMembers = 15;

  // True if the instance is of the kind described above.
  static bool fits(const Instance &instance) noexcept;
  void find_all() noexcept;

  const Instance *instance_;
  std::uint8_t *idle_; // K; NULL: no pass is idle
};

} // namespace chorale
