// Local search for the groups of a scored graph.
#pragma once

#include "base/limits.hpp"
#include "partition/scored_graph.hpp"

namespace chorale {

// A queue of indices below n, in the order in which they were added, each in it at most once.
class IndexQueue {
public:
  explicit IndexQueue(const Memory &memory) noexcept : indices_(memory), is_in_(memory) {}
  // Allocates the memory. False if it runs out.
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

// Single units move to the group with which they score most, and whole groups are merged, while that
// gains (settle). Then a few neighbouring groups at a time are dissolved and formed anew; what does not
// gain is undone (reform). Random choices are the same in every call.
class Grouping {
public:
  Grouping(const Memory &memory, const ScoredGraph &graph, Limits &limits) noexcept
      : graph_(graph), limits_(limits), group_(memory), head_(memory), next_(memory),
        previous_(memory), records_(memory), sums_(memory), near_(memory), empty_(memory),
        waiting_(memory), touched_(memory), moved_(memory), was_(memory), chosen_(memory),
        mark_of_source_(memory) {}

  // Allocates the memory. False if it runs out.
  bool prepare() noexcept;
  // Searches, with `effort` times the usual number of reforms.
  void run(double effort) noexcept;
  // Returns the group of a unit, any number below the number of units.
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
  double least_ = 0; // gains up to this one may be rounding errors and do not count
  Array<std::int32_t> group_;
  // The members of a group are a doubly linked list. By group: its first member; by unit: the next
  // and the previous member of its group; -1: none.
  Array<std::int32_t> head_, next_, previous_;
  Array<std::int64_t> records_; // by group: number of records
  Array<double> sums_;          // by group: sum of scores; 0 for groups that are not in near_
  IndexQueue near_;             // groups that have a sum in sums_
  IndexQueue empty_;            // groups: all that are empty, and some that are not
  IndexQueue waiting_;          // units that may gain by a move
  IndexQueue touched_;          // groups that may gain by a merge
  IndexQueue moved_;            // units that have moved since the last reform
  Array<std::int32_t> was_;     // by unit in moved_: the group from which it came
  Array<std::int32_t> chosen_;  // units of the groups that are dissolved
  Array<std::int64_t> mark_of_source_; // by source: mark_ if a unit that is to join a group has it
  std::int64_t mark_ = 0;
  std::uint64_t random_ = 1;
};

} // namespace chorale
