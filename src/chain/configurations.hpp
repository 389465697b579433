// Sets of configurations: what a partial labelling must remember, with one row of scores each.
//
// A key packs the codes of all properties into a few words, each in a field of its own.
#pragma once

#include "base/workspace.hpp"
#include "chain/bound_property.hpp"

namespace chorale {

inline constexpr std::int32_t kKeyWords = 8;

struct Key {
  std::uint64_t word[kKeyWords];
};

// Where each property's code lies in a key.
struct KeyField {
  std::int32_t word;
  std::int32_t shift;
  std::uint64_t mask;

  std::int32_t get(const std::uint64_t *key) const noexcept {
    return static_cast<std::int32_t>(key[word] >> shift & mask);
  }
  void set(std::uint64_t *key, std::int32_t code) const noexcept {
    key[word] = (key[word] & ~(mask << shift)) | static_cast<std::uint64_t>(code) << shift;
  }
};

// Lays fields out one after the other; `fits` turns false when the words are used up.
class KeyLayout {
public:
  KeyField add(std::int64_t codes) noexcept;
  bool fits() const noexcept { return word_ < kKeyWords; }
  std::int32_t words() const noexcept { return word_ + 1; }

private:
  std::int32_t word_ = 0;
  std::int32_t used_ = 0;
};

// Configurations with their rows, found by key.
class Configurations {
public:
  // `backs`: numbers noted beside every score (0, 1 or 2).
  Configurations(Layout &layout, std::int32_t capacity, std::int32_t words, std::int32_t columns,
                 std::int32_t backs, bool indexed) noexcept;

  void reset() noexcept; // at the start of a run
  void clear(std::int32_t columns) noexcept;
  std::int32_t count() const noexcept { return count_; }
  std::int32_t capacity() const noexcept { return capacity_; }
  bool full() const noexcept { return count_ == capacity_; }

  // The index of `key`, or -1.
  std::int32_t find(const std::uint64_t *key) const noexcept;
  // A new configuration, its row minus infinity. The set must not be full; an indexed one must not
  // hold the key.
  std::int32_t append(const std::uint64_t *key) noexcept;
  // Keeps the configurations of `order` (ascending indices).
  void keep(const std::int32_t *order, std::int32_t count) noexcept;

  const std::uint64_t *key(std::int32_t i) const noexcept {
    return keys_ + std::int64_t{i} * words_;
  }
  double *row(std::int32_t i) const noexcept { return rows_ + std::int64_t{i} * columns_; }
  std::int32_t *back(std::int32_t i) const noexcept {
    return back_ + std::int64_t{i} * columns_ * backs_;
  }

  void swap(Configurations &other) noexcept;

private:
  void link(std::int32_t i) noexcept;
  std::uint64_t slot_of(const std::uint64_t *key) const noexcept;

  std::int32_t capacity_;
  std::int32_t words_;
  std::int32_t columns_;
  std::int32_t backs_;
  std::int32_t count_ = 0;
  std::uint64_t *keys_;
  double *rows_;
  std::int32_t *back_ = nullptr;
  // Open addressing; a slot counts only if it carries the mark of the present filling.
  std::uint64_t slot_mask_ = 0;
  std::int32_t *slots_ = nullptr;
  std::uint32_t *marks_ = nullptr;
  std::uint32_t mark_ = 0;
};

// How many configurations may be alive, and what happened.
struct JointLimits {
  std::int32_t width = 1;
  bool exact = true; // more than `width` is a failure; otherwise a beam keeps the best
};
struct JointOutcome {
  bool overflow = false;
  bool pruned = false;
  std::int64_t most = 0;
};

// Room for the configurations that follow `width` others, before a beam cuts them back.
std::int32_t staging_room(std::int64_t most, std::int32_t width, std::int32_t labels) noexcept;

// Chooses what a beam keeps: the best of every code of the property whose message is wanted, as far
// as there is room, then the best of all.
class Beam {
public:
  // codes: more than any code of a property can be.
  Beam(Layout &layout, std::int32_t capacity, std::int64_t codes) noexcept
      : codes_(codes), rank_(layout.take<double>(capacity)),
        order_(layout.take<std::int32_t>(capacity)), leads_(layout.take<std::uint8_t>(capacity)),
        leader_(layout.take<std::int32_t>(codes)) {}
  // outgoing: index of the property whose message is wanted, or -1.
  void prune(Configurations &set, std::int32_t columns, std::int32_t width,
             const BoundProperty *properties, const KeyField *fields, std::int32_t count,
             std::int32_t outgoing) noexcept;

private:
  std::int64_t codes_;
  double *rank_;
  std::int32_t *order_;
  std::uint8_t *leads_;
  std::int32_t *leader_; // the best configuration of each code
};

} // namespace chorale
