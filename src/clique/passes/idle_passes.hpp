// Passes of alpha-pass that find nothing but the independent labelling, in which every member has
// its best column. For convex sums without forbidden counts over few members.
//
// Let alpha be no member's best column. Labelling k of its pass has the k members with the greatest
// gain psi_i,alpha - psi_i,best <= 0 at alpha, and differs from the independent labelling by the
// sum of these gains, by f_alpha(k) - f_alpha(0), and by what k members leave in other columns.
// As f_v is convex, each of these leaves at least f_v(1) - f_v(0). If the sum of the three is
// negative for all k, the pass is idle.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class IdlePasses {
public:
  IdlePasses(Layout &layout, const Instance &instance) noexcept;

  // Finds the idle passes, none for instances that this class is not for. The instance is loaded.
  void find() noexcept;
  bool operator[](std::int64_t alpha) const noexcept { return idle_ && idle_[alpha] != 0; }

private:
  static constexpr std::int32_t kMostMembers = 15;

  // True if the class is for this instance.
  static bool fits(const Instance &instance) noexcept;
  void find_all() noexcept;

  const Instance *instance_;
  std::uint8_t *idle_; // K; NULL: no pass is idle
};

} // namespace chorale
