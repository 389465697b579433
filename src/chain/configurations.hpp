// Sets of configurations. A configuration is the joint state of the properties after a partial
// labelling; it has a key and one row of scores.
//
// A key holds the code of each property, which is the number that a dynamic program remembers of
// one property (bound_property.hpp).
#pragma once

#include "base/workspace.hpp"
#include "chain/bound_property.hpp"
#include "chain/log_sums.hpp"
#include "chain/scores.hpp"

namespace chorale {

// Configurations with their rows of scores; indexed sets find a configuration by its key.
class Configurations {
public:
  // `codes`: number of codes in a key. `columns`: greatest number of scores in a row. `backs`:
  // number of backpointers for each score (0, 1 or 2). `indexed`: allows find().
  Configurations(Layout &layout, std::int32_t capacity, std::int32_t codes, std::int32_t columns,
                 std::int32_t backs, bool indexed) noexcept;

  // Initialises the memory. Must be called once in each run of a dynamic program, before the first
  // clear().
  void reset() noexcept;
  // Empties the set. Rows have `columns` entries from now on.
  void clear(std::int32_t columns) noexcept;
  std::int32_t count() const noexcept { return count_; }
  std::int32_t capacity() const noexcept { return capacity_; }
  bool full() const noexcept { return count_ == capacity_; }

  // Returns the index of the configuration with this key, or -1.
  std::int32_t find(const std::int32_t *key) const noexcept;
  // Adds a configuration with a row of minus infinity and returns its index. The set must not be
  // full; an indexed set must not contain `key`.
  std::int32_t append(const std::int32_t *key) noexcept;
  // Drops all configurations but those listed in `order` (ascending indices), and renumbers these.
  void keep(gsl::span<const std::int32_t> order) noexcept;

  const std::int32_t *key(std::int32_t i) const noexcept {
    return keys_ + std::int64_t{i} * codes_;
  }
  double *row(std::int32_t i) const noexcept { return rows_ + std::int64_t{i} * columns_; }
  // A number that the caller keeps with configuration i; append() does not set it.
  std::int32_t &number(std::int32_t i) const noexcept { return numbers_[i]; }
  std::int32_t *back(std::int32_t i) const noexcept {
    return back_ + std::int64_t{i} * columns_ * backs_;
  }

private:
  // Empties the hash table, which has `count` slots from now on, a power of two.
  void use_slots(std::size_t count) noexcept;
  // Puts configurations `first` and above into the hash table.
  void link_from(std::int32_t first) noexcept;
  std::uint64_t slot_of(const std::int32_t *key) const noexcept;

  std::int32_t capacity_;
  std::int32_t codes_;
  std::int32_t columns_;
  std::int32_t backs_;
  std::int32_t count_ = 0;
  std::int32_t *keys_;           // capacity x codes: keys
  double *rows_;                 // capacity x columns: scores
  std::int32_t *numbers_;        // capacity: number()
  std::int32_t *back_ = nullptr; // capacity x columns x backs: backpointers
  // Hash table with open addressing, of at least twice as many slots as configurations. A slot is
  // in use if marks_[slot] == mark_. So clear() is O(1): it increments mark_, which frees all slots.
  std::uint64_t slot_mask_ = 0;
  std::int32_t *slots_ = nullptr;
  std::uint32_t *marks_ = nullptr;
  std::uint32_t mark_ = 0;
};

// `width`: greatest number of configurations at a position.
struct JointLimits {
  std::int32_t width = 1;
  bool exact = true; // true: fail if `width` is exceeded; false: a beam keeps the best
};
struct JointOutcome {
  // The program gave up: configurations exceeded the width and no beam was allowed, or there was no
  // memory for backpointers. With sums: also if only forbidden labellings were kept.
  bool overflow = false;
  bool pruned = false;   // a beam dropped configurations
  std::int64_t most = 0; // greatest number of configurations kept at a position
};

// What a joint program computes, and which partial labellings it may drop on the way.
struct JointTargets {
  // T labels: receives the best labelling; empty if it is not wanted.
  gsl::span<std::int32_t> labelling;
  // Row k receives the message of property k, if this property has the role outgoing: the best
  // score for each local value, EMPTY and CONFLICT.
  Matrix<double> messages;
  // Chains only: `lower` is a score that some labelling attains; minus infinity: nothing is
  // dropped; infinity: the best score is not wanted. Entry v of the message of property k is only
  // needed if it plus entry v of row k of `slack` is at least 0; other entries may come out too
  // small.
  double lower = kForbidden;
  Matrix<const double> slack;
};

// Returns the capacity of a set that receives the successors of `width` configurations, before a
// beam prunes it. `most`: greatest number of configurations possible.
std::int32_t staging_room(std::int64_t most, std::int32_t width, std::int32_t labels) noexcept;

// What the joint programs of chains and of trees share: the arguments of a run, the beam, and how
// messages are collected from complete labellings.
class JointProgram {
protected:
  // `count`: number of properties. `width`: upper bound on JointLimits::width. `room`: greatest
  // number of configurations in a set. `codes`: greater than every code of every property.
  JointProgram(Layout &layout, const ChainView &view, std::int32_t count, std::int32_t width,
               std::int32_t room, std::int64_t codes) noexcept;
  // Stores the arguments of a run, and fills the messages with minus infinity.
  void start(Scores &scores, gsl::span<const BoundProperty> properties, const JointLimits &limits,
             const JointTargets &targets, const LogSums *sums, JointOutcome &outcome) noexcept;
  // Prunes `set`, which has at least limits_.width configurations with rows of `columns` entries,
  // to this width. The rank of a configuration is its best score plus the sum of
  // expected_payment(). False, with nothing done, if limits_.exact.
  bool prune(Configurations &set, std::int32_t columns) noexcept;
  // Beam pruning by rank_. Keeps first the configuration of the greatest rank for each code of the
  // property with the role outgoing (the last one, if several have it), so that as few entries of
  // its message as possible are lost; then those of the greatest ranks among the others, until the
  // width is reached. Returns the former indices of those that were dropped.
  gsl::span<const std::int32_t> keep_best(Configurations &set) noexcept;
  // Takes complete labellings on which each property k with the role outgoing has the value
  // fired_[k]. `score`: their best score, without the incoming messages of these properties. Raises
  // entry fired_[k] of each outgoing message to at least `score` plus the incoming messages of the
  // other ones of these properties. Returns `score` plus all their incoming messages.
  double collect(double score) noexcept;

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t count_; // properties
  std::int32_t width_;
  std::int64_t codes_;
  double *rank_;         // by configuration, for keep_best()
  std::int32_t *order_;  // indices of configurations
  std::uint8_t *leads_;  // by configuration: 1 if leader_ contains its index
  std::int32_t *leader_; // by code of the outgoing property: best configuration with this code
  std::int32_t *fired_; // by property: the value of a whole labelling
  std::int32_t *key_;   // scratch: a key

  Scores *scores_ = nullptr;
  const BoundProperty *properties_ = nullptr;
  JointLimits limits_;
  JointTargets targets_;
  bool decode_ = false;           // the targets have a labelling
  const LogSums *sums_ = nullptr; // NULL if the program computes maxima
  JointOutcome *outcome_ = nullptr;
};

} // namespace chorale
