// The scores of a chain as dynamic programs read them: contiguous rows of doubles, with forced
// labels and allowed sets folded in. What already lies that way is read in place.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "chain/chain_view.hpp"
#include "chain/max_plus.hpp"

namespace chorale {

class Scores {
public:
  // Takes the memory; `load` then fills it. Start and end are kept apart from the unary scores.
  Scores(Layout &layout, const ChainView &view) noexcept;
  // False where the limits (NULL: none) ended it. Programs on these scores go by the same limits:
  // where these end one, what it leaves is of no use.
  bool load(Limits *limits = nullptr) noexcept;

  // Whether a program is to go on with `work` more steps, see Limits.
  bool spend(std::int64_t work) noexcept { return limits().spend(work); }
  Limits &limits() noexcept { return limits_ ? *limits_ : none_; }

  const ChainView &view() const noexcept { return view_; }
  std::int32_t length() const noexcept { return view_.length; }
  const MaxPlus &max_plus() const noexcept { return *max_plus_; }
  std::int32_t labels() const noexcept { return view_.labels; }

  const double *unary(std::int32_t t) const noexcept { return unary_ + t * unary_stride_; }
  std::ptrdiff_t unary_step() const noexcept { return unary_stride_; }
  const double *start() const noexcept { return start_; } // m, zeros where there is none
  const double *end() const noexcept { return end_; }

  // The matrices of all edges where they are one, as sweeps read them (padded rows "from" and rows
  // "to"); NULL where every edge has its own.
  const double *forward_of_all() const noexcept { return view_.edge_each ? nullptr : forward_; }
  const double *backward_of_all() const noexcept { return view_.edge_each ? nullptr : backward_; }
  // The scores of coming to y at t from every label, into `to`.
  void into(std::int32_t t, std::int32_t y, double *to) const noexcept;

  // The transitions of the edge to t: rows "from" (forward), rows "to" (backward). Valid until the
  // next call of the same function; matrices of single edges may be put in order on the way.
  const double *forward(std::int32_t t) noexcept;
  const double *backward(std::int32_t t) noexcept;
  std::ptrdiff_t forward_stride() const noexcept { return forward_stride_; }
  std::ptrdiff_t backward_stride() const noexcept { return backward_stride_; }

private:
  bool copies_unary() const noexcept;
  bool write_unary() noexcept;
  // Whether a matrix of the chain's own can be read in place, rows running over `column_stride`:
  // one for all edges only if it is padded.
  bool in_place(std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) const noexcept {
    return view_.edges && !view_.single && column_stride == 1 &&
           (view_.edge_each || row_stride == padded_labels(view_.labels));
  }
  // Whether the matrix of shared transitions can be: borrowed ones may lack the padding.
  bool shared_in_place() const noexcept {
    return view_.transitions->row_stride == padded_labels(view_.labels);
  }
  void copy(const void *from, std::ptrdiff_t at, double *to) const noexcept;
  void write(std::int32_t t, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
             double *to) const noexcept;

  ChainView view_;
  Limits none_;
  Limits *limits_ = nullptr;
  const MaxPlus *max_plus_ = nullptr; // from `load` on
  double *owned_unary_ = nullptr;
  double *start_ = nullptr;
  double *end_ = nullptr;
  double *owned_forward_ = nullptr;
  double *owned_backward_ = nullptr;
  const double *unary_ = nullptr;
  const double *forward_ = nullptr;
  const double *backward_ = nullptr;
  std::ptrdiff_t unary_stride_ = 0;
  std::ptrdiff_t forward_stride_ = 0;
  std::ptrdiff_t backward_stride_ = 0;
};

} // namespace chorale
