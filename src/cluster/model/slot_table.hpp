// Members of a model under construction, and the table that finds one that is added twice.
#pragma once

#include "base/array.hpp"
#include "cluster/model/model.hpp"

namespace chorale {

// A member of a clique under construction.
struct AddedSlot : Slot {
  std::int32_t weight;
};

// A hash table of slots with key (clique, chain, position): open addressing, at most half full. The slots
// themselves lie in an array of the builder. Before a search with has(), follow() must be called, to
// add the slots that have been appended to the array.
class SlotTable {
public:
  explicit SlotTable(const Memory &memory) noexcept : entries_(memory) {}

  // Adds the slots that were appended to the array since the last call. False if memory runs out.
  bool follow(const Array<AddedSlot> &slots) noexcept {
    if (slots.size() >= entries_.size() / 2 && !grow(slots.size()))
      return false;
    for (; known_ < slots.size(); ++known_) {
      const Slot &slot = slots[known_];
      std::int64_t at = first(slot.clique, slot.chain, slot.position);
      while (entries_[at] >= 0)
        at = after(at);
      entries_[at] = static_cast<std::int32_t>(known_);
    }
    return true;
  }
  bool has(const Array<AddedSlot> &slots, std::int32_t clique, std::int32_t chain,
           std::int32_t position) const noexcept {
    for (std::int64_t at = first(clique, chain, position); entries_[at] >= 0; at = after(at)) {
      const Slot &slot = slots[entries_[at]];
      if (slot.clique == clique && slot.chain == chain && slot.position == position)
        return true;
    }
    return false;
  }
  // Empties the table; the next follow() adds all slots again. Must be called when slots are removed
  // from the array, before the next follow() or has().
  void forget() noexcept {
    entries_.truncate(0);
    known_ = 0;
  }

private:
  // Empties the table and enlarges it for twice as many slots. False if memory runs out.
  bool grow(std::int64_t slots) noexcept {
    std::int64_t size = 256;
    while (size < 4 * slots)
      size *= 2;
    forget();
    return entries_.fill(size, -1);
  }
  // Returns the entry that a search tries after entry `at`.
  std::int64_t after(std::int64_t at) const noexcept { return (at + 1) & (entries_.size() - 1); }
  // Returns the entry at which the search for a key begins.
  std::int64_t first(std::int32_t clique, std::int32_t chain,
                     std::int32_t position) const noexcept {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
    std::uint64_t h = static_cast<std::uint32_t>(clique);
    for (const std::int32_t number : {chain, position}) {
      h = (h ^ h >> 32) * kOdd;
      h ^= static_cast<std::uint32_t>(number);
    }
    h *= kOdd;
    return static_cast<std::int64_t>((h ^ h >> 32) &
                                     static_cast<std::uint64_t>(entries_.size() - 1));
  }

  Array<std::int32_t> entries_; // indices of slots, or -1 if free; the size is a power of two
  std::int64_t known_ = 0;      // how many slots of the array are in the table
};

} // namespace chorale
