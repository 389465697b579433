// Connected components by union-find.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chorale {

// Works on the caller's array `above`, which must start with above[i] == i. above[i] is i itself or
// a lower number of the same component, so the root of a component's tree is its lowest number.
class Components {
public:
  explicit Components(std::int32_t *above) noexcept : above_(above) {}

  std::int32_t lowest(std::int32_t i) noexcept {
    while (above_[i] != i)
      i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::int32_t i, std::int32_t j) noexcept {
    const std::int32_t a = lowest(i);
    const std::int32_t b = lowest(j);
    above_[std::max(a, b)] = std::min(a, b);
  }
  // Replaces above[i] by the lowest number of the component of i, for i = 0 .. count - 1.
  void flatten(std::int64_t count) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
      above_[i] = above_[above_[i]];
  }

private:
  std::int32_t *above_;
};

} // namespace chorale
