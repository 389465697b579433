// Numbers objects in the order in which they first occur.
#pragma once

#include "base/array.hpp"

#include <algorithm>
#include <functional>

namespace chorale {

template <class T> class Numbering {
public:
  explicit Numbering(const Memory &memory) noexcept : entries_(memory), things_(memory) {}

  // Notes that an object occurs; NULL is ignored. To be called for all occurrences in order. False
  // if memory runs out.
  bool meet(const T *thing) noexcept {
    if (!thing || (!entries_.empty() && (entries_.end() - 1)->thing == thing))
      return true;
    return entries_.push({thing, static_cast<std::int32_t>(entries_.size())});
  }
  // Assigns the numbers. Must be called once, after all calls of meet(). False if memory runs out.
  bool number() noexcept {
    const auto by_thing = [](const Entry &a, const Entry &b) {
      return a.thing != b.thing ? std::less<>()(a.thing, b.thing) : a.number < b.number;
    };
    std::sort(entries_.begin(), entries_.end(), by_thing);
    Entry *end = std::unique(entries_.begin(), entries_.end(),
                             [](const Entry &a, const Entry &b) { return a.thing == b.thing; });
    entries_.truncate(end - entries_.begin());
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry &a, const Entry &b) { return a.number < b.number; });
    if (!things_.resize(entries_.size()))
      return false;
    for (std::int64_t k = 0; k < entries_.size(); ++k) {
      things_[k] = entries_[k].thing;
      entries_[k].number = static_cast<std::int32_t>(k);
    }
    std::sort(entries_.begin(), entries_.end(), by_thing);
    return true;
  }

  // Returns the number of an object that meet() was called with; -1 for NULL.
  std::int32_t of(const T *thing) const noexcept {
    if (!thing)
      return -1;
    return std::lower_bound(entries_.begin(), entries_.end(), thing,
                            [](const Entry &a, const T *b) { return std::less<>()(a.thing, b); })
        ->number;
  }
  const Array<const T *> &things() const noexcept { return things_; }

private:
  struct Entry {
    const T *thing;
    std::int32_t number;
  };
  Array<Entry> entries_;    // number() leaves them sorted by address, so that of() can search
  Array<const T *> things_; // things_[k] has the number k
};

} // namespace chorale
