// The plain dynamic programs: best labelling, max-marginals, k best labellings.
//
// Each is a class that takes its memory from a Layout and runs on loaded scores. Chains run over
// contiguous rows from left to right and back; trees from the last position to the first (children
// come after their parents) and back. All go by the limits of the scores, but for the k best.
#pragma once

#include "chain/scores.hpp"

namespace chorale {

// The recursions of a chain. Rows are padded (max_plus.hpp) and leave the unary scores of their
// position out: forward, the best of everything before t and the edge to t; backward, of everything
// after t and the edge from t.
class ChainSweep {
public:
  static std::size_t row_entries(const ChainView &view) noexcept;
  static std::size_t work_entries(const ChainView &view) noexcept;

  // work: room for work_entries numbers.
  ChainSweep(Scores &scores, double *work) noexcept;

  // All three: false where the limits ended it.
  bool forward(double *rows) noexcept;
  // Down to position `first`.
  bool backward(double *rows, std::int32_t first) noexcept;
  // The two of them: quicker side by side.
  bool both_ways(double *before, double *after, std::int32_t first) noexcept;
  // From forward rows to the best labelling and its score; false where all are forbidden.
  bool trace(double *rows, std::int32_t *labelling, double &score) noexcept;

private:
  void begin_with(const double *scores, double *row) const noexcept;
  // The first row, and what is to follow; without a matrix where every edge has its own.
  Sweep begin_forward(double *rows) const noexcept;
  Sweep begin_backward(double *rows, std::int32_t first) const noexcept;
  double *with_unary(const double *row, std::int32_t t) noexcept;
  // The work of one step, and the steps between two looks.
  std::int64_t step_work() const noexcept { return 16 + scores_.labels() * padded_; }
  std::int32_t stretch() const noexcept {
    return static_cast<std::int32_t>(std::max<std::int64_t>(Limits::kStretch / step_work(), 1));
  }
  bool run(const Sweep &sweep, std::int32_t first_step) noexcept;

  Scores &scores_;
  std::ptrdiff_t padded_;
  double *work_;
};

// Best labelling of a chain (forward) or tree (upward).
class BestLabelling {
public:
  BestLabelling(Layout &layout, const ChainView &view) noexcept;
  // False when every labelling is forbidden; else `labelling` holds the best one.
  bool run(Scores &scores) noexcept;

  std::int32_t *labelling;   // T
  double score = kForbidden; // its phi

private:
  bool run_tree(Scores &scores) noexcept;

  double *rows_; // T rows: chains as ChainSweep has them, trees m scores of the subtree of t
  double *work_; // as ChainSweep wants it
  std::uint8_t *is_leaf_ = nullptr; // T, trees
};

struct MarginalTargets {
  double *marginals; // T rows, or NULL
  std::ptrdiff_t row_stride;
  double *edge_marginals; // (T - 1) x m x m, or NULL
  double *margins;        // T, or NULL
};

class MaxMarginals {
public:
  MaxMarginals(Layout &layout, const ChainView &view) noexcept;
  void run(Scores &scores, const MarginalTargets &targets) noexcept;
  // What a run does on a chain (not a tree), in parts: the sweeps, the one back down to position
  // `first`; the m max-marginals of a position from there on; the best labelling, as BestLabelling
  // finds it.
  // `sweep` is false where the limits ended it.
  bool sweep(Scores &scores, std::int32_t first) noexcept;
  void write_row(const Scores &scores, std::int32_t t, double *to) const noexcept;
  bool trace(Scores &scores, std::int32_t *labelling, double &score) noexcept;

private:
  void run_chain(Scores &scores, const MarginalTargets &targets) noexcept;
  void run_tree(Scores &scores, const MarginalTargets &targets) noexcept;
  void write_margin(std::int32_t t, const double *row, const MarginalTargets &targets) noexcept;

  std::int32_t labels_;
  std::ptrdiff_t row_step_; // chains
  // Chains: rows of ChainSweep, forward and backward.
  // Trees, m to a row: of the subtree of t, and of everything but the subtree of t.
  double *inside_;
  double *outside_;
  double *work_; // as ChainSweep wants it
  // Trees: message of t to its parent, and what later siblings send there (T x m; roots use column
  // 0, their common parent having one label).
  double *message_ = nullptr;
  double *later_ = nullptr;
  std::uint8_t *is_leaf_ = nullptr;
};

class KBest {
public:
  KBest(Layout &layout, const ChainView &view, std::int64_t k) noexcept;
  // Fills the caller's arrays (each may be NULL) and returns how many labellings there are.
  std::int64_t run(Scores &scores, std::int32_t *labellings, std::ptrdiff_t row_stride,
                   double *ranking) noexcept;

private:
  // A candidate: the rank-th best way to end at label `from`, prolonged.
  struct Head {
    double score;
    std::int32_t from;
    std::int32_t rank;
  };
  // Extends the lists of all labels to one label; returns the length of its list.
  template <class EdgeScore, class Push>
  std::int32_t merge(std::int32_t limit, const double *lists, const std::int32_t *lengths,
                     EdgeScore &&edge, Push &&push) noexcept;

  std::int32_t labels_;
  std::int64_t k_;
  std::int32_t depth_; // list length: k, or fewer where there cannot be as many labellings
  double *now_;        // m x depth
  double *next_;
  std::int32_t *lengths_; // m
  std::int32_t *next_lengths_;
  std::int32_t *back_from_; // T x m x depth; position 0 unused
  std::int32_t *back_rank_;
  Head *heap_; // m
};

} // namespace chorale
