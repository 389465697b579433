// The open boxes of a branch and bound, in memory sized beforehand; the highest bound comes first.
#pragma once

#include "base/workspace.hpp"

namespace chorale {

class NodePool {
public:
  // `nodes` 0: a size of its own, within some 16 MB but at least 16.
  NodePool(Layout &layout, std::int64_t members, std::int64_t columns, std::size_t mask_words,
           std::int64_t nodes) noexcept;

  void clear() noexcept;
  bool empty() const noexcept { return open_ == 0; }
  // Slots neither open nor held.
  std::int64_t room() const noexcept { return free_; }

  // A slot to fill, held until `push` or `release`.
  std::int64_t acquire() noexcept { return free_slots_[--free_]; }
  void push(std::int64_t slot, double bound) noexcept;
  // The bound of the best open node; the pool must not be empty.
  double highest() const noexcept { return bound_[heap_[0]]; }
  // Takes the best open node out; of equal bounds the one pushed last, so that the search dives.
  // Its slot is held.
  std::int64_t pop() noexcept;
  void release(std::int64_t slot) noexcept { free_slots_[free_++] = slot; }

  double bound(std::int64_t slot) const noexcept { return bound_[slot]; }
  double *prices(std::int64_t slot) noexcept { return prices_ + slot * members_; }
  std::int32_t *lo(std::int64_t slot) noexcept { return boxes_ + slot * 2 * columns_; }
  std::int32_t *hi(std::int64_t slot) noexcept { return lo(slot) + columns_; }
  std::uint64_t *mask(std::int64_t slot) noexcept { return masks_ + slot * mask_words_; }

private:
  bool before(std::int64_t a, std::int64_t b) const noexcept {
    return bound_[a] > bound_[b] || (bound_[a] == bound_[b] && sequence_[a] > sequence_[b]);
  }

  std::int64_t members_;
  std::int64_t columns_;
  std::int64_t mask_words_;
  std::int64_t capacity_;
  std::int64_t open_ = 0;
  std::int64_t free_ = 0;
  std::int64_t pushed_ = 0;
  std::int64_t *heap_;       // slots of open nodes
  std::int64_t *free_slots_; // a stack
  double *bound_;
  std::int64_t *sequence_;
  double *prices_;       // capacity x n
  std::int32_t *boxes_;  // capacity x 2 x K
  std::uint64_t *masks_; // capacity x mask_words
};

} // namespace chorale
