// Joint dynamic program of a tree with local properties, over labels x fired values.
//
// On a tree, the value that a property *fires* at a position depends only on the position and on
// the labels of the position and its parent. A configuration holds one number for each property,
// the property's *code*: the value fired so far (bound_property.hpp). Values that can fire on this
// tree are numbered 0 .. F - 1 (*local* values); F is EMPTY, F + 1 CONFLICT.
//
// Positions are visited from the last to the first, so children before their parents. Every
// position has a set of configurations of its subtree. A finished position is *lifted* over the
// edge to its parent, where properties fire by the labels of both, and then merged into the
// parent's set. All roots are children of a virtual position with one label.
#pragma once

#include "chain/configurations.hpp"

namespace chorale {

class JointTree : JointProgram {
public:
  JointTree(Layout &layout, const ChainView &view, std::int32_t count, std::int64_t most,
            std::int32_t width, std::int64_t codes, bool decode) noexcept;

  // Runs the program, with each property in its role (bound_property.hpp), and returns the best
  // score with all messages; minus infinity on an overflow, or if interrupted. If `sums` is not
  // NULL, takes log-sums (log_sums.hpp) in the place of maxima and returns the log-sum of the
  // scores of all labellings; `targets` must then be empty.
  double run(Scores &scores, gsl::span<const BoundProperty> properties, const JointLimits &limits,
             const JointTargets &targets, const LogSums *sums, JointOutcome &outcome) noexcept;

private:
  // The configurations of one position.
  struct Place {
    std::int32_t *keys;
    double *rows;
    std::int32_t count; // 0: not initialised yet
  };
  Place place(std::int32_t t) const noexcept;
  std::int32_t columns_above(std::int32_t t) const noexcept {
    return parents_[t] < 0 ? 1 : labels_;
  }

  void begin_position(const Scores &scores, std::int32_t t, bool is_leaf) noexcept;
  // Returns the actions of property k at t under label y: one for each label of the parent, or a
  // single one for a root.
  const std::int32_t *actions(std::int32_t k, std::int32_t t, std::int32_t y) const noexcept;
  // Fills lifted_ with the successors of the configurations of t, with rows by label of the parent.
  // False if interrupted, or if there are too many (limits_).
  bool lift(Scores &scores, std::int32_t t) noexcept;
  // Lifts label y of configuration i of t, under the parent's labels first .. end - 1, under which
  // all properties fire alike. False if lifted_ has too many configurations (limits_).
  bool raise(std::int32_t t, std::int32_t i, std::int32_t y, std::int32_t first,
             std::int32_t end) noexcept;
  // Combines each configuration of the parent of t with each of lifted_; the results replace the
  // parent's set. False if interrupted, or if there are too many (limits_).
  bool merge(std::int32_t t) noexcept;
  // Returns the index of the key key_ in `set`, to which it is added if it is new. -1 on overflow.
  std::int32_t insert(Configurations &set, std::int32_t columns) noexcept;
  // Fills the messages and the labelling of targets_ from the set above the roots. Returns the best
  // score, or the log-sum.
  double finish() noexcept;

  const std::int32_t *parents_;
  // (T + 1) x width keys and rows: the sets of all positions; last, the set of the virtual position
  // above the roots.
  std::int32_t *keys_;
  double *rows_;
  std::int32_t *counts_;
  Configurations lifted_;
  Configurations merged_;
  double *zeros_; // m zeros: transition scores from the virtual position to a root
  std::uint8_t *alike_; // m: 1 if a label fires the same under every label of the parent
  // Backpointers for decoding, T x width x m. lift_back_: configuration * m + label of the child.
  // merge_back_: pairs of the parent's configuration before the merge and the lifted configuration.
  std::int32_t *lift_back_ = nullptr;
  std::int32_t *merge_back_ = nullptr;
  std::int32_t *chosen_ = nullptr; // T + 1: configuration of each position in the best labelling

  const double *edges_ = nullptr; // transitions from the parent, with rows by the child's labels
  std::ptrdiff_t edge_stride_ = 0;
};

} // namespace chorale
