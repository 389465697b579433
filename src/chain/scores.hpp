// Scores of a chain in the form that dynamic programs read: contiguous rows of doubles, minus
// infinity for forbidden labels. Scores of labels, and matrices, that already have this form (with
// the padding of max_plus.hpp where one matrix serves all edges) are read in place.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "chain/chain_view.hpp"
#include "chain/max_plus.hpp"

#include <algorithm>

namespace chorale {

class Scores {
public:
  // Takes the memory; load() fills it. Start and end scores are not added to the unary scores.
  Scores(Layout &layout, const ChainView &view) noexcept;
  // Fills the memory. `limits` also apply to the programs that run on these scores; NULL: no
  // limits. False if interrupted. Results of an interrupted program must not be used.
  bool load(Limits *limits = nullptr) noexcept;

  // Announces `work` elementary steps of a program (Limits::spend). False if the limits interrupt
  // it.
  bool spend(std::int64_t work) noexcept { return limits().spend(work); }
  Limits &limits() noexcept { return limits_ ? *limits_ : none_; }

  const ChainView &view() const noexcept { return view_; }
  std::int32_t length() const noexcept { return view_.length; }
  const MaxPlus &max_plus() const noexcept { return *max_plus_; }
  std::int32_t labels() const noexcept { return view_.labels; }

  const double *unary(std::int32_t t) const noexcept { return unary_ + t * unary_stride_; }
  std::ptrdiff_t unary_step() const noexcept { return unary_stride_; }
  const double *start() const noexcept { return start_; } // m, zeros if the chain has none
  const double *end() const noexcept { return end_; }

  // The matrix shared by all edges: a row for each "from" label (forward) or each "to" label
  // (backward), with the stride padded_labels(). NULL if every edge has its own matrix, if there
  // are no transition scores, or if the chain has at most one position.
  const double *forward_of_all() const noexcept {
    return is_one_matrix() ? forward_.matrix : nullptr;
  }
  const double *backward_of_all() const noexcept {
    return is_one_matrix() ? backward_.matrix : nullptr;
  }
  // Writes the m transition scores from each label at the position before t to label y at t.
  void into(std::int32_t t, std::int32_t y, gsl::span<double> to) const noexcept;

  // Return the matrix of the edge into t, with a row for each "from" label (forward) or each "to"
  // label (backward). It is valid until the next call of the same function, which may copy another
  // edge's matrix over it. Without transition scores all rows are one row of zeros, with stride 0.
  const double *forward(std::int32_t t) noexcept { return matrix(forward_, t); }
  const double *backward(std::int32_t t) noexcept { return matrix(backward_, t); }
  std::ptrdiff_t forward_stride() const noexcept { return forward_.stride; }
  std::ptrdiff_t backward_stride() const noexcept { return backward_.stride; }

  // Writes to completion[t * m + y] the best score of the positions after t, given label y at t,
  // with the edge out of t and the end score; or the log-sum (log_sums.hpp) of these scores, if
  // `products` are LogSums, not MaxPlus. `scratch`: m numbers. False if interrupted. Not for trees.
  // O(T m^2).
  template <class Products>
  bool complete(const Products &products, gsl::span<double> completion,
                gsl::span<double> scratch) noexcept;
  // Does the same with best scores, and writes the best labelling of the chain to `labelling` (T
  // labels). False also if every labelling is forbidden.
  bool complete(gsl::span<double> completion, gsl::span<double> scratch,
                gsl::span<std::int32_t> labelling) noexcept;

private:
  // The matrices of transition scores, with rows for "from" labels or for "to" labels.
  struct Direction {
    gsl::span<double> owned; // m x padded labels, or a row of zeros; empty if not needed
    const double *matrix = nullptr;
    std::ptrdiff_t stride = 0;
    std::ptrdiff_t row = 0; // strides of the rows and columns in the caller's `edges`
    std::ptrdiff_t column = 0;
  };

  // False for chains of at most one position. They have no edges, so they need no memory for
  // matrices, which would be large for many labels.
  bool has_steps() const noexcept { return view_.length > 1; }
  bool is_one_matrix() const noexcept { return view_.has_edges() && !view_.edge_each; }
  bool copies_unary() const noexcept;
  bool write_unary() noexcept;
  // True if a matrix of `edges` can be read in place: it has doubles without gaps within a row and,
  // if all edges share it, no gaps between rows, which must need no padding (ends_padded() of
  // max_plus.hpp).
  bool in_place(const Direction &of) const noexcept {
    return !view_.single && of.column == 1 &&
           (view_.edge_each || ends_padded(of.row, view_.labels));
  }
  // True if the matrix of shared transitions can be read in place.
  bool shared_in_place() const noexcept { return view_.transitions->is_padded; }
  // Copies consecutive numbers of a caller's array, from index `at` on, until `to` is full.
  void copy(const void *from, std::ptrdiff_t at, gsl::span<double> to) const noexcept;
  // Copies the start or end scores: those of the caller, else the shared ones, else zeros.
  void copy_ends(const void *given, const double *shared, double *to) const noexcept;
  // Writes the matrix of the edge into t to to.owned, as m padded rows.
  void write(std::int32_t t, const Direction &to) const noexcept;
  const double *matrix(const Direction &of, std::int32_t t) const noexcept;

  ChainView view_;
  Limits none_;
  Limits *limits_ = nullptr;
  const MaxPlus *max_plus_ = nullptr; // set by load()
  double *owned_unary_ = nullptr;     // T x m, or NULL if read in place
  double *start_ = nullptr;
  double *end_ = nullptr;
  const double *unary_ = nullptr;
  std::ptrdiff_t unary_stride_ = 0;
  Direction forward_;
  Direction backward_;
};

template <class Products>
bool Scores::complete(const Products &products, gsl::span<double> completion,
                      gsl::span<double> scratch) noexcept {
  const std::int32_t m = labels();
  Expects(completion.size() >= to_size(length()) * to_size(m) && scratch.size() >= to_size(m));
  if (length() == 0)
    return true;
  double *const row = scratch.data();
  double *after = completion.data() + std::int64_t{length() - 1} * m;
  std::copy_n(end(), m, after);
  for (std::int32_t t = length() - 1; t > 0; --t, after -= m) {
    if (!spend(16 + (2 + Products::kWork) * m * m))
      return false;
    for (std::int32_t y = 0; y < m; ++y)
      row[y] = unary(t)[y] + after[y];
    products.step(row, m, backward(t), backward_stride(), m, nullptr, after - m);
  }
  return true;
}

} // namespace chorale
