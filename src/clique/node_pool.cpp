#include "clique/node_pool.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kOwnBytes = 16 << 20;
constexpr std::int64_t kFewest = 16;
constexpr std::int64_t kMost = 8192;

std::int64_t own_size(std::int64_t members, std::int64_t columns, std::size_t mask_words) noexcept {
  const std::int64_t node_bytes =
      8 * members + 8 * columns + 8 * static_cast<std::int64_t>(mask_words) + 32;
  return std::clamp(kOwnBytes / node_bytes, kFewest, kMost);
}

std::size_t product(std::int64_t a, std::int64_t b) noexcept {
  return saturating_product(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
}

} // namespace

NodePool::NodePool(Layout &layout, std::int64_t members, std::int64_t columns,
                   std::size_t mask_words, std::int64_t nodes) noexcept
    : members_(members), columns_(columns), mask_words_(static_cast<std::int64_t>(mask_words)),
      capacity_(nodes > 0 ? nodes : own_size(members, columns, mask_words)),
      heap_(layout.take<std::int64_t>(capacity_)),
      free_slots_(layout.take<std::int64_t>(capacity_)), bound_(layout.take<double>(capacity_)),
      sequence_(layout.take<std::int64_t>(capacity_)),
      prices_(layout.take<double>(product(capacity_, members))),
      boxes_(layout.take<std::int32_t>(product(capacity_, 2 * columns))),
      masks_(layout.take<std::uint64_t>(product(capacity_, mask_words_))) {}

void NodePool::clear() noexcept {
  open_ = 0;
  pushed_ = 0;
  for (free_ = 0; free_ < capacity_; ++free_)
    free_slots_[free_] = capacity_ - 1 - free_;
}

void NodePool::push(std::int64_t slot, double bound) noexcept {
  bound_[slot] = bound;
  sequence_[slot] = pushed_++;
  std::int64_t at = open_++;
  for (; at > 0 && before(slot, heap_[(at - 1) / 2]); at = (at - 1) / 2)
    heap_[at] = heap_[(at - 1) / 2];
  heap_[at] = slot;
}

std::int64_t NodePool::pop() noexcept {
  const std::int64_t best = heap_[0];
  const std::int64_t moved = heap_[--open_];
  std::int64_t at = 0;
  for (std::int64_t child = 1; child < open_; child = 2 * at + 1) {
    if (child + 1 < open_ && before(heap_[child + 1], heap_[child]))
      ++child;
    if (!before(heap_[child], moved))
      break;
    heap_[at] = heap_[child];
    at = child;
  }
  if (open_ > 0)
    heap_[at] = moved;
  return best;
}

} // namespace chorale
