// Stores the open boxes of a branch and bound (count_boxes.hpp), which are still to be searched, in
// memory of fixed size. Hands them out by descending bound.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "base/span.hpp"
#include "base/workspace.hpp"

namespace chorale {

class NodePool {
public:
  // `nodes`: the number of nodes to have room for; 0 means as many as fit in 16 MiB, but at least
  // 16 and at most 8192. A number other than 0 is reduced to the greatest number of disjoint boxes
  // that the clique can have, and to the number that fits in 1 GiB, but not below one. The size in
  // bytes never falls when `members`, `columns` or a number of nodes above 0 grows, so memory for a
  // larger clique suffices for a smaller one.
  NodePool(Layout &layout, std::int64_t members, std::int64_t columns,
           std::int64_t nodes) noexcept;

  void clear() noexcept { open_ = released_ = untouched_ = pushed_ = 0; }
  bool empty() const noexcept { return open_ == 0; }
  // Returns the number of free slots.
  std::int64_t room() const noexcept { return released_ + (capacity_ - untouched_); }

  // Returns a free slot, whose prices, lo and hi the caller writes before push(). Requires room() > 0.
  std::int64_t acquire() noexcept {
    return released_ > 0 ? head(--released_).released_slot : untouched_++;
  }
  // Makes the node in `slot` an open node with this upper bound.
  void push(std::int64_t slot, double bound) noexcept;
  // Returns the bound of the best open node. Requires a pool that is not empty.
  double highest() const noexcept { return head(heap(0)).bound; }
  // Removes the open node with the highest bound. If several nodes have this bound, removes the one
  // pushed last, so that nodes with equal bounds are searched depth first. Returns the slot of the
  // node, which the caller later passes to push() or release().
  std::int64_t pop() noexcept;
  void release(std::int64_t slot) noexcept { head(released_++).released_slot = slot; }

  gsl::span<double> prices(std::int64_t slot) const noexcept {
    return span_of(first_price(slot), members_);
  }
  gsl::span<std::int32_t> lo(std::int64_t slot) const noexcept {
    return span_of(first_lo(slot), columns_);
  }
  gsl::span<std::int32_t> hi(std::int64_t slot) const noexcept {
    return span_of(first_lo(slot) + columns_, columns_);
  }

private:
  // A node in memory consists of this head, n prices, lo (K) and hi (K). `bound` and
  // `sequence` belong to the node. The stack of released slots and the heap of open slots need one
  // entry for each slot. Entry j of both is stored in head(j), but does not refer to slot j.
  struct Head {
    double bound;
    std::int64_t sequence;
    std::int64_t released_slot;
    std::int64_t heap_slot;
  };
  std::byte *node(std::int64_t slot) const noexcept { return nodes_ + slot * node_bytes_; }
  double *first_price(std::int64_t slot) const noexcept {
    return reinterpret_cast<double *>(node(slot) + sizeof(Head));
  }
  std::int32_t *first_lo(std::int64_t slot) const noexcept {
    return reinterpret_cast<std::int32_t *>(first_price(slot) + members_);
  }
  Head &head(std::int64_t slot) const noexcept { return *reinterpret_cast<Head *>(node(slot)); }
  std::int64_t &heap(std::int64_t at) const noexcept { return head(at).heap_slot; }
  bool before(std::int64_t a, std::int64_t b) const noexcept {
    const Head &first = head(a);
    const Head &other = head(b);
    return first.bound > other.bound ||
           (first.bound == other.bound && first.sequence > other.sequence);
  }

  std::int64_t members_;
  std::int64_t columns_;
  std::int64_t node_bytes_;
  std::int64_t capacity_;
  std::int64_t open_ = 0;      // number of open nodes
  std::int64_t released_ = 0;  // number of released slots
  std::int64_t untouched_ = 0; // slots from this index on have never been used
  std::int64_t pushed_ = 0;    // number of calls of push() since clear(): the next `sequence`
  std::byte *nodes_;
};

} // namespace chorale
