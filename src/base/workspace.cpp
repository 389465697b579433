// workspace.hpp explains the words used here.
#include "base/workspace.hpp"

namespace chorale {

bool Workspace::reserve(std::size_t bytes) noexcept {
  if (bytes <= capacity())
    return true;
  if (bytes == SIZE_MAX)
    return false;
  // Grows by at least half, so that slowly growing problems do not allocate each time. If there is
  // no memory for that, grows to `bytes`.
  const std::size_t generous = std::max(bytes, saturating_sum(block_.bytes(), block_.bytes() / 2));
  Block grown(memory_, generous);
  if (!grown && generous > bytes)
    grown = Block(memory_, bytes);
  if (!grown)
    return false;
  block_.swap(grown);
  return true;
}

} // namespace chorale
