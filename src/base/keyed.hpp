// Positions collected by a key (a token, say) within groups (documents), to make a clique of each.
#pragma once

#include "base/array.hpp"

#include <gsl/span>

#include <tuple>

namespace chorale {

class KeyedPositions {
public:
  struct Entry {
    std::int64_t group;
    std::int32_t key;
    std::int32_t chain;
    std::int32_t position;
  };

  explicit KeyedPositions(const Memory &memory) noexcept : entries_(memory), left_out_(memory) {}

  // Keys that add() ignores, in any order. False if memory runs out.
  bool leave_out(gsl::span<const std::int32_t> keys) noexcept {
    if (!left_out_.resize(static_cast<std::int64_t>(keys.size())))
      return false;
    std::copy(keys.begin(), keys.end(), left_out_.begin());
    std::sort(left_out_.begin(), left_out_.end());
    return true;
  }
  // Ignores negative keys as well. False if memory runs out.
  bool add(const Entry &entry) noexcept {
    return entry.key < 0 || std::binary_search(left_out_.begin(), left_out_.end(), entry.key) ||
           entries_.push(entry);
  }
  // Calls visit(entries) for each (group, key) with at least `minimum` entries: pairs in ascending
  // order, entries by chain and position. False as soon as visit returns false.
  template <class Visit> bool each(std::int64_t minimum, Visit &&visit) noexcept {
    std::sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
      return std::tie(a.group, a.key, a.chain, a.position) <
             std::tie(b.group, b.key, b.chain, b.position);
    });
    const Entry *end = entries_.begin();
    for (const Entry *first = end; first != entries_.end(); first = end) {
      while (end != entries_.end() && end->group == first->group && end->key == first->key)
        ++end;
      const auto same = gsl::make_span(first, static_cast<std::size_t>(end - first));
      if (end - first >= minimum && !visit(same))
        return false;
    }
    return true;
  }

private:
  Array<Entry> entries_;
  Array<std::int32_t> left_out_; // ascending
};

} // namespace chorale
