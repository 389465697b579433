// The slots of a chain sorted by clique, so that slots in the same clique are adjacent. Several
// slots of the chain in one clique are *repeats*: the score of the clique is not a sum over them,
// so the gains of changing each alone do not add up.
#pragma once

#include "base/sort.hpp"
#include "base/workspace.hpp"
#include "cluster/model/model.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {

class SlotOrder {
public:
  SlotOrder(Layout &layout, std::int32_t slots) noexcept
      : count_(slots), order_(layout.take<std::int32_t>(slots)) {}

  // Sorts the slots by clique. all_slots: all slots of the chain, in the order of the chain; the
  // array must outlive this object. False if interrupted.
  bool sort(gsl::span<const Slot> all_slots, Limits &limits) noexcept {
    Expects(all_slots.size() == to_size(count_));
    slots_ = all_slots.data();
    std::iota(order_, order_ + count_, 0);
    return sort_within(limits, order_, count_, [slots = slots_](std::int32_t a, std::int32_t b) {
      return slots[a].clique != slots[b].clique ? slots[a].clique < slots[b].clique : a < b;
    });
  }

  // Returns the index, among the slots of the chain, of the k-th slot in the order by clique.
  std::int32_t operator[](std::int32_t k) const noexcept { return order_[k]; }
  std::int32_t clique(std::int32_t k) const noexcept { return slots_[order_[k]].clique; }
  bool is_repeat(std::int32_t k) const noexcept {
    return (k > 0 && clique(k - 1) == clique(k)) || (k + 1 < count_ && clique(k + 1) == clique(k));
  }
  bool has_repeats() const noexcept {
    for (std::int32_t k = 1; k < count_; ++k)
      if (clique(k - 1) == clique(k))
        return true;
    return false;
  }
  // Calls group(begin, end) for each clique; the slots in that clique are (*this)[begin .. end -
  // 1].
  template <class Group> void each_clique(Group &&group) const noexcept {
    for (std::int32_t begin = 0, end; begin < count_; begin = end) {
      for (end = begin + 1; end < count_ && clique(end) == clique(begin); ++end) {
      }
      group(begin, end);
    }
  }

private:
  std::int32_t count_;          // number of slots
  std::int32_t *order_;         // the slots' indices in the chain, sorted by clique
  const Slot *slots_ = nullptr; // in the order of the chain
};

} // namespace chorale
