// Dynamic programs without properties: best labelling, max-marginals, log-sums (log_sums.hpp), k
// best labellings.
//
// Each is a class that takes its memory from a Layout and runs on Scores after Scores::load(). For
// chains, BestLabelling and MaxMarginals use ChainSweep, whose memory its caller provides. Chains
// are processed left to right and back; trees, and chains for log-sums and edge marginals, from the
// last position to the first (children come after their parents) and back. The limits that
// Scores::load() receives can interrupt all except KBest.
#pragma once

#include "chain/joint_tree.hpp"

#include <optional>

namespace chorale {

// Forward and backward recursions of a chain of at least one position. Entry y of forward row t is
// the best score of the positions before t and the edge into t, given label y at t; in row 0, the
// start score. Entry y of backward row t is the best score of the edge out of t and the positions
// after t, given label y at t; in the last row, the end score. Neither contains the unary scores of
// t. Rows are padded (max_plus.hpp).
class ChainSweep {
public:
  static std::size_t row_entries(const ChainView &view) noexcept;
  static std::size_t work_entries(const ChainView &view) noexcept;

  // `work`: work_entries() numbers.
  ChainSweep(Scores &scores, gsl::span<double> work) noexcept;

  // In the functions below, `rows` holds the rows of all positions in one direction, row_entries()
  // numbers.

  // Computes all forward rows. False if interrupted.
  bool forward(gsl::span<double> rows) noexcept { return sweep(rows, 0, true); }
  // Computes the backward rows from the last position down to `first`. False if interrupted.
  bool backward(gsl::span<double> rows, std::int32_t first) noexcept {
    return sweep(rows, first, false);
  }
  // Finds the best labelling and its score from forward rows. False if every labelling is forbidden
  // or if interrupted.
  bool trace(gsl::span<double> rows, gsl::span<std::int32_t> labelling, double &score) noexcept;

private:
  bool sweep(gsl::span<double> rows, std::int32_t first, bool forward) noexcept;
  // Writes a row plus the unary scores of t to work_, and returns work_.
  double *with_unary(const double *row, std::int32_t t) noexcept;
  // The work of one row, in elementary steps, and the number of rows between two checks of the
  // limits.
  std::int64_t step_work() const noexcept { return 16 + scores_.labels() * padded_; }
  std::int32_t stretch() const noexcept {
    return static_cast<std::int32_t>(std::max<std::int64_t>(Limits::kStretch / step_work(), 1));
  }

  Scores &scores_;
  std::ptrdiff_t padded_;
  double *work_;
};

// Finds the best labelling of a chain, by a forward pass, or of a tree, by JointTree without
// properties.
class BestLabelling {
public:
  BestLabelling(Layout &layout, const ChainView &view) noexcept;
  // Writes the best labelling to `labelling`. False if every labelling is forbidden or if
  // interrupted.
  bool run(Scores &scores) noexcept;

  gsl::span<std::int32_t> labelling; // T: best labelling
  double score = kForbidden;         // phi of `labelling`, on a chain plus ChainView::added

private:
  gsl::span<double> rows_;        // chains: forward rows of ChainSweep
  gsl::span<double> work_;        // chains: scratch, ChainSweep::work_entries()
  std::optional<JointTree> tree_; // trees
};

// Arrays that MaxMarginals writes; each may be empty.
struct MarginalTargets {
  Matrix<double> marginals;         // T x m
  gsl::span<double> edge_marginals; // (T - 1) x m x m
  gsl::span<double> margins;        // T: best max-marginal minus the second best
};

// Max-marginals of a chain or tree: score of the best labelling with a given label at a position,
// or a given pair of labels at an edge.
class MaxMarginals {
public:
  MaxMarginals(Layout &layout, const ChainView &view) noexcept;
  void run(Scores &scores, const MarginalTargets &targets) noexcept;
  // Writes T rows of log-sums: entry y of row t is the log-sum of the scores of all labellings with
  // label y at t, plus a number that is the same for the whole row.
  void run_sums(Scores &scores, const LogSums &sums, const Matrix<double> &to) noexcept;
  // For a chain (not a tree): max-marginals of some positions, and the best labelling from the same
  // recursions. sweep() must be called first; it runs both recursions, the backward recursion down
  // to position `first`; false if interrupted. write_row() writes the m max-marginals of a position
  // t >= first. trace() finds the same best labelling as BestLabelling; false if interrupted or if
  // all labellings are forbidden.
  bool sweep(Scores &scores, std::int32_t first) noexcept;
  void write_row(const Scores &scores, std::int32_t t, gsl::span<double> to) const noexcept;
  bool trace(Scores &scores, gsl::span<std::int32_t> labelling, double &score) noexcept;

private:
  void run_chain(Scores &scores, const MarginalTargets &targets) noexcept;
  // For trees and chains. `products`: MaxPlus or LogSums.
  template <class Products>
  void run_tree(Scores &scores, const Products &products, const MarginalTargets &targets) noexcept;
  void write_margin(std::int32_t t, gsl::span<const double> row,
                    const MarginalTargets &targets) noexcept;

  std::int32_t labels_;
  std::ptrdiff_t row_step_; // number of entries of a row; chains only
  // sweep(): forward and backward rows of ChainSweep.
  // run_tree() (T x m), by label of t: best score of the subtree of t, and of all outside it.
  gsl::span<double> inside_;
  gsl::span<double> outside_;
  gsl::span<double> work_; // scratch, ChainSweep::work_entries()
  // run_tree() (T x m). message_: the message of t to its parent, which is the best score of the
  // subtree of t and of the edge to the parent, by label of the parent. later_: the sum of the
  // messages of later siblings of t to the parent. All roots are children of a virtual node with a
  // single label, so they use column 0.
  gsl::span<double> message_;
  gsl::span<double> later_;
  gsl::span<std::uint8_t> is_leaf_;
};

// The k best labellings of a chain.
class KBest {
public:
  KBest(Layout &layout, const ChainView &view, std::int64_t k) noexcept;
  // Writes the labellings (k x T) and their scores (k entries), best first; an empty array is not
  // written. Returns the number of labellings found.
  std::int64_t run(Scores &scores, const Matrix<std::int32_t> &labellings,
                   gsl::span<double> ranking) noexcept;

private:
  // The current entry of a label's list in merge(): the partial labelling with rank `rank` (from 0)
  // among the best that end at label `from`, and its score with the edge to a new label.
  struct Head {
    double score;
    std::int32_t from;
    std::int32_t rank;
  };
  // Adds edge(x) to the scores in the list of each label x in now_, and merges these lists into
  // one, sorted by descending score, of at most `limit` entries. edge(x): the score of the
  // transition from x to a new label, or the end score of x. Calls push(index, head) for each entry
  // of the merged list. Returns the number of entries.
  template <class EdgeScore, class Push>
  std::int32_t merge(std::int32_t limit, EdgeScore &&edge, Push &&push) noexcept;

  std::int32_t labels_;
  std::int64_t k_;
  std::int32_t depth_; // greatest length of a list: min(k, m^T)
  // m x depth_: for each label, the scores of the best partial labellings that end at the current
  // position with this label, in descending order. next_: the same for the next position.
  double *now_;
  double *next_;
  std::int32_t *lengths_; // m: length of the list of each label
  std::int32_t *next_lengths_;
  // T x m x depth_, for each entry of a list: the label at the position before, and the rank in the
  // list of that label. Position 0 is unused.
  std::int32_t *back_from_;
  std::int32_t *back_rank_;
  Head *heap_; // m: heap of merge()
};

} // namespace chorale
