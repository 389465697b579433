// Connected components of the numbers 0 .. n - 1, by union-find.
#pragma once

#include <gsl/span>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace chorale {

// Works on the caller's array `above` of n entries; the caller sets above[i] = i for all i. Later,
// above[i] is i itself or a lower number of the same component, so each component is a tree whose
// root is its lowest number.
class Components {
public:
  explicit Components(gsl::span<std::int32_t> above) noexcept
      : above_(above.data()), count_(above.size()) {}

  // Returns the lowest number of the component of i, and shortens the path to it.
  std::int32_t lowest(std::int32_t i) noexcept {
    while (above_[i] != i)
      i = above_[i] = above_[above_[i]];
    return i;
  }
  // Joins the component of i and the component of j.
  void join(std::int32_t i, std::int32_t j) noexcept {
    const std::int32_t a = lowest(i);
    const std::int32_t b = lowest(j);
    above_[std::max(a, b)] = std::min(a, b);
  }
  // Replaces each above[i] by the lowest number of the component of i. One step up the tree is
  // enough: if j = above[i] is less than i, then above[j] has already been replaced by the lowest
  // number.
  void flatten() noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      above_[i] = above_[above_[i]];
  }

private:
  std::int32_t *above_;
  std::size_t count_;
};

} // namespace chorale
