#include "clique/dual/node_pool.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::size_t kOwnBytes = 16 << 20;              // size by default, in bytes
constexpr std::size_t kFewest = 16;                      // least number of nodes by default
constexpr std::size_t kMostNodes = 8192;                 // greatest number of nodes by default
constexpr std::size_t kMostBytes = std::size_t{1} << 30; // greatest size on request

// Returns the greatest number of disjoint boxes of counts: (members + 1)^columns, saturated.
std::size_t most_boxes(std::int64_t members, std::int64_t columns) noexcept {
  std::size_t boxes = 1;
  for (std::int64_t v = 0; v < columns && boxes < SIZE_MAX; ++v)
    boxes = saturating_product(boxes, to_size(members) + 1);
  return boxes;
}

} // namespace

NodePool::NodePool(Layout &layout, std::int64_t members, std::int64_t columns,
                   std::int64_t nodes) noexcept
    : members_(members), columns_(columns),
      node_bytes_(static_cast<std::int64_t>(sizeof(Head)) + 8 * members + 8 * columns) {
  const auto one = static_cast<std::size_t>(node_bytes_);
  const std::size_t asked =
      nodes > 0 ? saturating_product(std::min(to_size(nodes), most_boxes(members, columns)), one)
                : std::max(saturating_product(kFewest, one),
                           std::min(saturating_product(kMostNodes, one), kOwnBytes));
  const std::size_t bytes = nodes > 0 ? std::min(asked, std::max(one, kMostBytes)) : asked;
  capacity_ = static_cast<std::int64_t>(bytes / one);
  nodes_ = layout.take<std::byte>(bytes);
}

void NodePool::push(std::int64_t slot, double bound) noexcept {
  head(slot).bound = bound;
  head(slot).sequence = pushed_++;
  std::int64_t at = open_++;
  for (; at > 0 && before(slot, heap((at - 1) / 2)); at = (at - 1) / 2)
    heap(at) = heap((at - 1) / 2);
  heap(at) = slot;
}

std::int64_t NodePool::pop() noexcept {
  const std::int64_t best = heap(0);
  const std::int64_t moved = heap(--open_);
  std::int64_t at = 0;
  for (std::int64_t child = 1; child < open_; child = 2 * at + 1) {
    if (child + 1 < open_ && before(heap(child + 1), heap(child)))
      ++child;
    if (!before(heap(child), moved))
      break;
    heap(at) = heap(child);
    at = child;
  }
  if (open_ > 0)
    heap(at) = moved;
  return best;
}

} // namespace chorale
