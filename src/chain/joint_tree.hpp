// The joint dynamic program of a tree under local properties: labels x what has fired.
//
// Positions are taken from the last to the first, so children before their parents. Every position
// has a set of configurations of its subtree so far; a position that is done is lifted over its
// edge, where it fires, and merged into its parent's set. All roots hang under one more position of
// a single label.
#pragma once

#include "chain/configurations.hpp"
#include "chain/scores.hpp"

namespace chorale {

class JointTree {
public:
  JointTree(Layout &layout, const ChainView &view, const KeyLayout &keys,
            const KeyLayout &firing_keys, std::int32_t count, std::int64_t most, std::int32_t width,
            std::int64_t codes, bool decode) noexcept;

  // As in JointChain.
  double run(Scores &scores, const BoundProperty *properties, const KeyField *fields,
             std::int32_t count, const JointLimits &limits, std::int32_t outgoing, double *message,
             std::int32_t *labelling, JointOutcome &outcome) noexcept;

private:
  // The configurations of one position, in its own room.
  struct Place {
    std::uint64_t *keys;
    double *rows;
    std::int32_t count; // 0: no child has been merged
  };
  Place place(std::int32_t t) const noexcept;
  std::int32_t columns_above(std::int32_t t) const noexcept {
    return parents_[t] < 0 ? 1 : labels_;
  }

  void begin_position(const Scores &scores, std::int32_t t) noexcept;
  void find_firings(std::int32_t t) noexcept;
  bool lift(Scores &scores, std::int32_t t) noexcept;
  void lift_alike(std::int32_t t, std::int32_t i) noexcept;
  void lift_apart(std::int32_t t, std::int32_t i) noexcept;
  bool merge(std::int32_t t) noexcept;
  std::int32_t insert(Configurations &set, const Key &key, std::int32_t columns) noexcept;
  bool cut(Configurations &set, std::int32_t columns) noexcept;
  std::int32_t after_firing(std::int32_t t, std::int32_t i, std::int32_t firing) noexcept;
  double finish(double *message, std::int32_t *labelling) noexcept;

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t width_;
  std::int32_t words_;
  bool decode_;
  const std::int32_t *parents_;
  std::uint8_t *is_leaf_;
  // (T + 1) x width keys and rows: the sets of all positions, the one above the roots last.
  std::uint64_t *keys_;
  double *rows_;
  std::int32_t *counts_;
  Configurations lifted_;
  Configurations merged_;
  Beam beam_;
  double *row_;        // m
  double *out_;        // m
  std::int32_t *from_; // m
  double *zeros_;      // m: the edges of a root
  // What fires at a position for (label, parent's label): distinct combinations of the properties'
  // local values, numbered.
  Configurations firings_;
  std::int32_t *firing_of_; // m x m
  std::int32_t *uniform_;   // m: the combination of a label under any parent, or -1
  std::int32_t *target_;    // of each combination: where a configuration goes; kUnknown, or -1
  double *target_paid_;
  KeyField *firing_fields_; // count
  // Decoding: T x width x m: configuration * m + label of the child; and pairs (parent's
  // configuration before, lifted configuration).
  std::int32_t *lift_back_ = nullptr;
  std::int32_t *merge_back_ = nullptr;
  std::int32_t *chosen_ = nullptr; // T + 1: the configuration of each position on the way back

  const double *edges_ = nullptr; // of the position being lifted, rows its own labels
  std::ptrdiff_t edge_stride_ = 0;
  Scores *scores_ = nullptr;
  const MaxPlus *max_plus_ = nullptr;
  const BoundProperty *properties_ = nullptr;
  const KeyField *fields_ = nullptr;
  std::int32_t count_ = 0;
  std::int32_t outgoing_ = -1;
  JointLimits limits_;
  JointOutcome *outcome_ = nullptr;
};

} // namespace chorale
