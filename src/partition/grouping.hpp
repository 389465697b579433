// Local search for the groups of a scored graph.
#pragma once

#include "base/limits.hpp"
#include "partition/scored_graph.hpp"

namespace chorale {

// A first-in, first-out queue of indices below n. It has each index at most once.
class IndexQueue {
public:
  explicit IndexQueue(const Memory &memory) noexcept : indices_(memory), is_in_(memory) {}
  // Allocates memory for the indices below n. False if memory runs out.
  bool prepare(std::int64_t n) noexcept { return indices_.resize(n) && is_in_.fill(n, 0); }
  std::int64_t size() const noexcept { return size_; }
  std::int32_t operator[](std::int64_t k) const noexcept {
    const std::int64_t at = first_ + k;
    return indices_[at < indices_.size() ? at : at - indices_.size()];
  }
  // Adds an index at the end. False if the queue has the index already.
  bool add(std::int32_t index) noexcept {
    if (is_in_[index] != 0)
      return false;
    is_in_[index] = 1;
    const std::int64_t at = first_ + size_++;
    indices_[at < indices_.size() ? at : at - indices_.size()] = index;
    return true;
  }
  std::int32_t take() noexcept {
    const std::int32_t index = (*this)[0];
    is_in_[index] = 0;
    first_ = first_ + 1 < indices_.size() ? first_ + 1 : 0;
    --size_;
    return index;
  }
  void clear() noexcept {
    while (size_ > 0)
      take();
  }

private:
  Array<std::int32_t> indices_; // a ring
  Array<std::uint8_t> is_in_;   // by index: 1 if it is in the queue
  std::int64_t first_ = 0, size_ = 0;
};

// Searches for groups of units with a high score. At first each unit is a group of its own.
// settle() moves single units to the group with which they score most, and merges whole groups, as
// long as that gains. After this, each call of reform() dissolves a few neighbouring groups and
// forms them anew, and undoes its changes unless they gain. Pseudorandom choices are the same in
// every call.
class Grouping {
public:
  Grouping(const Memory &memory, const ScoredGraph &graph, Limits &limits) noexcept
      : graph_(graph), limits_(limits), group_(memory), head_(memory), next_(memory),
        previous_(memory), records_(memory), sums_(memory), near_(memory), empty_(memory),
        waiting_(memory), touched_(memory), moved_(memory), was_(memory), chosen_(memory),
        mark_of_source_(memory) {}

  // Allocates all memory, and makes each unit a group. False if memory runs out.
  bool prepare() noexcept;
  // Searches; to be called once, after prepare(). The number of calls of reform() is `effort` times
  // the usual one; 0: none. If the limits interrupt the search, the groups found so far are kept.
  void run(double effort) noexcept;
  // Returns the number of the group of a unit. It is below the number of units, but not all numbers
  // below are groups.
  std::int32_t group_of(std::int32_t unit) const noexcept { return group_[unit]; }

private:
  double settle() noexcept;
  double improve(std::int32_t unit) noexcept;
  double merge(std::int32_t group) noexcept;
  void reform(std::int32_t unit, std::int64_t others) noexcept;
  void choose(std::int32_t group) noexcept;
  void add_up(std::int32_t unit) noexcept;
  void forget_sums() noexcept;
  bool may_join(std::int32_t group, std::int64_t records) noexcept;
  void mark_sources(std::int32_t unit) noexcept;
  void move(std::int32_t unit, std::int32_t to) noexcept;
  void wake_neighbours(std::int32_t unit) noexcept;
  std::int32_t empty() noexcept;

  const ScoredGraph &graph_;
  Limits &limits_;
  double least_ = 0;          // gains up to this one may be rounding errors and do not count
  Array<std::int32_t> group_; // by unit
  // The units of a group are a doubly linked list. head_: by group, its first unit; next_,
  // previous_: by unit, the next and the previous unit of its group; -1: none.
  Array<std::int32_t> head_, next_, previous_;
  Array<std::int64_t> records_; // by group: number of records
  Array<double> sums_;          // by group: what add_up() has added; 0 if the group is not in near_
  IndexQueue near_;             // groups that have a sum in sums_
  IndexQueue empty_;            // groups: all that are empty, and some that are not
  IndexQueue waiting_;          // units that may gain by a move
  IndexQueue touched_;          // groups that may gain by a merge
  IndexQueue moved_;            // units that the present call of reform() has moved
  Array<std::int32_t> was_;     // by unit in moved_: its group before that call
  Array<std::int32_t> chosen_;  // units of the groups that reform() dissolves
  Array<std::int64_t> mark_of_source_; // by source: equal to mark_ if the source is marked
  std::int64_t mark_ = 0;              // higher for each new set of marked sources
  std::uint64_t random_ = 1;           // state of draw_below()
};

} // namespace chorale
