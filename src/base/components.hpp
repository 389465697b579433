// Connected components by union and find.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chorale {

// A view of `above`, the caller's: above[i] is i itself or a lower number of the same component, so
// that the lowest number of each component is the root of its tree.
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
  // Replaces every above[i], i < count, by the lowest number of the component.
  void flatten(std::int64_t count) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
      above_[i] = above_[above_[i]];
  }

private:
  std::int32_t *above_;
};

} // namespace chorale
