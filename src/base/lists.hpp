// Lists, numbered from 0, whose entries are stored one list after the other in one array.
#pragma once

#include "base/array.hpp"
#include "base/span.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {

template <class Entry> class Lists {
public:
  explicit Lists(const Memory &memory) noexcept : first_(memory), entries_(memory) {}

  // Makes `count` lists. fill(add) must call add(list, entry) for every entry; the entries of a
  // list get the order of these calls. fill() is called twice, first only to count the entries, and
  // must make the same calls both times. False if memory runs out.
  template <class Fill> bool make(std::int64_t count, Fill &&fill) noexcept {
    if (!first_.fill(count + 2, 0))
      return false;
    // The entries of list k are counted in first_[k + 2], so after the prefix sums first_[k + 1] is
    // the index of the first entry of list k. The second fill() advances first_[k + 1] to the end
    // of list k, which is where list k + 1 begins.
    fill([this](std::int64_t list, const Entry &) { ++first_[list + 2]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    if (!entries_.resize(first_[count + 1]))
      return false;
    fill([this](std::int64_t list, const Entry &entry) { entries_[first_[list + 1]++] = entry; });
    return true;
  }
  gsl::span<const Entry> operator[](std::int64_t list) const noexcept {
    return {entries_.begin() + first_[list], to_size(first_[list + 1] - first_[list])};
  }
  gsl::span<Entry> operator[](std::int64_t list) noexcept {
    return {entries_.begin() + first_[list], to_size(first_[list + 1] - first_[list])};
  }
  bool empty() const noexcept { return entries_.empty(); }

private:
  Array<std::int64_t> first_;
  Array<Entry> entries_;
};

} // namespace chorale
