// Collects positions by a key (such as a token) within groups (such as documents), so that the
// positions of a group that have the same key can become a clique.
#pragma once

#include "base/array.hpp"

#include <gsl/span>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace chorale {

class KeyedPositions {
public:
  struct Entry {
    std::int32_t key;
    std::int32_t chain;
    std::int32_t position;
  };

  explicit KeyedPositions(const Memory &memory) noexcept
      : entries_(memory), left_out_(memory), order_(memory) {}

  // Sets the keys that add() ignores, in any order. False if memory runs out.
  bool leave_out(gsl::span<const std::int32_t> keys) noexcept {
    if (!left_out_.assign(keys))
      return false;
    std::sort(left_out_.begin(), left_out_.end());
    return true;
  }
  // Adds an entry; called by the `collect` of each(). Ignores an entry whose key is negative or was
  // passed to leave_out(). False if memory runs out.
  bool add(const Entry &entry) noexcept {
    return entry.key < 0 || std::binary_search(left_out_.begin(), left_out_.end(), entry.key) ||
           entries_.push(entry);
  }
  // Calls visit(entries) for each pair (group, key) with at least `minimum` entries, in ascending
  // order of pairs; the entries are sorted by chain and position. group(i) must return the group of
  // chain i. collect(i) must call add() for each entry of chain i. Only the entries of one group
  // are in memory at a time. Stops and returns false if collect or visit returns false, or if
  // memory runs out.
  template <class Group, class Collect, class Visit>
  bool each(std::int32_t chains, std::int64_t minimum, Group &&group, Collect &&collect,
            Visit &&visit) noexcept {
    bool ascends = true;
    for (std::int32_t i = 1; i < chains; ++i)
      ascends = ascends && group(i - 1) <= group(i);
    if (!order_.resize(ascends ? 0 : chains))
      return false;
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](std::int32_t i, std::int32_t j) {
      return std::make_tuple(group(i), i) < std::make_tuple(group(j), j);
    });
    const auto chain_at = [&](std::int32_t k) { return ascends ? k : order_[k]; };
    for (std::int32_t k = 0; k < chains; ++k) {
      if (!collect(chain_at(k)))
        return false;
      const bool ends = k + 1 == chains || group(chain_at(k + 1)) != group(chain_at(k));
      if (ends && !each_key(minimum, visit))
        return false;
    }
    return true;
  }

private:
  template <class Visit> bool each_key(std::int64_t minimum, Visit &&visit) noexcept {
    std::sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
      return std::tie(a.key, a.chain, a.position) < std::tie(b.key, b.chain, b.position);
    });
    const Entry *end = entries_.begin();
    for (const Entry *first = end; first != entries_.end(); first = end) {
      while (end != entries_.end() && end->key == first->key)
        ++end;
      const auto same = gsl::make_span(first, static_cast<std::size_t>(end - first));
      if (end - first >= minimum && !visit(same))
        return false;
    }
    entries_.truncate(0);
    return true;
  }

  Array<Entry> entries_;         // the entries of the current group
  Array<std::int32_t> left_out_; // the keys of leave_out(), ascending
  Array<std::int32_t> order_;    // the chains sorted by group; empty if they are sorted already
};

} // namespace chorale
