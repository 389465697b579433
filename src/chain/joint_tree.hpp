// Joint dynamic program of a tree with local properties, over labels x fired values.
//
// On a tree, the value that a property *fires* at a position depends only on the position and on
// the labels of the position and its parent. A configuration holds one number for each property,
// the property's *code*: the value fired so far (bound_property.hpp). Values that can fire on this
// tree are numbered 0 .. F - 1 (*local* values).
//
// Positions are visited from the last to the first, so children before their parents. Every
// position has a set of configurations of its subtree. A finished position is *lifted* over the
// edge to its parent, where its properties fire, and then merged into the parent's set. All roots
// are children of a virtual position with one label.
#pragma once

#include "chain/configurations.hpp"

namespace chorale {

class JointTree : JointProgram {
public:
  JointTree(Layout &layout, const ChainView &view, const KeyLayout &keys,
            const KeyLayout &firing_keys, std::int32_t count, std::int64_t most, std::int32_t width,
            std::int64_t codes, bool decode) noexcept;

  // Runs the program, with each property in its role (bound_property.hpp), and returns the best
  // score with all messages. If `sums` is not NULL, takes log-sums (log_sums.hpp) in the place of
  // maxima and returns the log-sum of the scores of all labellings; there are then no targets.
  double run(Scores &scores, gsl::span<const BoundProperty> properties,
             gsl::span<const KeyField> fields, const JointLimits &limits,
             const JointTargets &targets, const LogSums *sums, JointOutcome &outcome) noexcept;

private:
  // The configurations of one position.
  struct Place {
    std::uint64_t *keys;
    double *rows;
    std::int32_t count; // 0: not initialised yet
  };
  Place place(std::int32_t t) const noexcept;
  std::int32_t columns_above(std::int32_t t) const noexcept {
    return parents_[t] < 0 ? 1 : labels_;
  }

  void begin_position(const Scores &scores, std::int32_t t) noexcept;
  // Fills firings_, firing_of_ and uniform_ for position t.
  void find_firings(std::int32_t t) noexcept;
  // Fills lifted_ with the successors of the configurations of t, with rows by label of the parent.
  // For configuration i, lift_alike() does so under the labels of t that fire the same whatever the
  // parent's label, lift_apart() under the other labels. lift() returns false if interrupted or
  // over the limits.
  bool lift(Scores &scores, std::int32_t t) noexcept;
  void lift_alike(std::int32_t t, std::int32_t i) noexcept;
  void lift_apart(std::int32_t t, std::int32_t i) noexcept;
  // Combines each configuration of the parent of t with each of lifted_; the results replace the
  // parent's set. False if interrupted or over the limits.
  bool merge(std::int32_t t) noexcept;
  // Returns the index of `key` in `set`; a key that is not in the set is added. -1 on overflow.
  std::int32_t insert(Configurations &set, const Key &key, std::int32_t columns) noexcept;
  // Prunes `set` to the beam width. False if pruning is not allowed.
  bool cut(Configurations &set, std::int32_t columns) noexcept;
  std::int32_t after_firing(std::int32_t t, std::int32_t i, std::int32_t firing) noexcept;
  // Writes the message and the labelling from the set above the roots; returns the best score.
  double finish() noexcept;

  const std::int32_t *parents_;
  gsl::span<std::uint8_t> is_leaf_; // T flags
  // (T + 1) x width keys and rows: the sets of all positions; last, the set of the virtual position
  // above the roots.
  std::uint64_t *keys_;
  double *rows_;
  std::int32_t *counts_;
  Configurations lifted_;
  Configurations merged_;
  double *row_;        // m: scores of the labels with a given firing, others minus infinity
  double *out_;        // m: row_ after its step to the parent, by parent label
  double *zeros_;      // m zeros: transition scores from the virtual position to a root
  // A *firing* is a combination of local values, one for each property, that the properties fire
  // for some pair (label, parent's label). firings_ holds the distinct firings at the current
  // position.
  Configurations firings_;
  std::int32_t *firing_of_; // m x m: index in firings_, by label and parent label; -1: forbidden
  std::int32_t *uniform_;   // m: firing of a label if no parent label changes it, else kUnknown
  std::int32_t *target_;    // by firing: index in lifted_; -1: forbidden, kUnknown: not computed
  double *target_paid_;     // by firing: message scores added
  KeyField *firing_fields_; // by property: bit field in the keys of firings_
  // Backpointers for decoding, T x width x m. lift_back_: configuration * m + label of the child.
  // merge_back_: pairs of the parent's configuration before the merge and the lifted configuration.
  std::int32_t *lift_back_ = nullptr;
  std::int32_t *merge_back_ = nullptr;
  std::int32_t *chosen_ = nullptr; // T + 1: configuration of each position in the best labelling

  const double *edges_ = nullptr; // transitions to the parent, with rows by the child's labels
  std::ptrdiff_t edge_stride_ = 0;
  const double *into_ = nullptr; // decoding: the same with rows by the parent's labels
  std::ptrdiff_t into_stride_ = 0;
  const MaxPlus *max_plus_ = nullptr;
};

} // namespace chorale
