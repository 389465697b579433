#include "chain/scores.hpp"

#include <algorithm>

namespace chorale {

bool Scores::copies_unary() const noexcept {
  return view_.single || view_.unary_column != 1 || view_.limits_labels() || view_.added;
}

Scores::Scores(Layout &layout, const ChainView &view) noexcept : view_(view) {
  const auto m = static_cast<std::size_t>(view.labels);
  if (copies_unary())
    owned_unary_ =
        layout.take<double>(saturating_product(static_cast<std::size_t>(view.length), m));
  start_ = layout.take<double>(m);
  end_ = layout.take<double>(m);
  if (!has_steps())
    return;
  const auto padded = static_cast<std::size_t>(padded_labels(view.labels));
  if (!view.has_edges()) {
    owned_forward_ = layout.take_span<double>(padded);
    return;
  }
  const std::size_t square = saturating_product(m, padded);
  const bool shared = view.transitions && !view.edges;
  if (shared ? !shared_in_place() : !in_place(view.edge_from, view.edge_to))
    owned_forward_ = layout.take_span<double>(square);
  if (!shared && !in_place(view.edge_to, view.edge_from))
    owned_backward_ = layout.take_span<double>(square);
}

void Scores::copy(const void *from, std::ptrdiff_t at, gsl::span<double> to) const noexcept {
  if (view_.single)
    std::copy_n(static_cast<const float *>(from) + at, to.size(), to.data());
  else
    std::copy_n(static_cast<const double *>(from) + at, to.size(), to.data());
}

void Scores::write(std::int32_t t, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
                   gsl::span<double> rows) const noexcept {
  const std::int32_t m = view_.labels;
  const auto padded = static_cast<std::ptrdiff_t>(padded_labels(m));
  Expects(rows.size() >= to_size(m) * to_size(padded));
  double *to = rows.data();
  const std::ptrdiff_t base = view_.edge_each ? (t - 1) * view_.edge_matrix : 0;
  for (std::int32_t r = 0; r < m; ++r, to += padded) {
    if (column_stride == 1)
      copy(view_.edges, base + r * row_stride, {to, to_size(m)});
    else
      for (std::int32_t c = 0; c < m; ++c)
        to[c] = view_.number(view_.edges, base + r * row_stride + c * column_stride);
    std::fill(to + m, to + padded, kForbidden);
  }
}

void Scores::into(std::int32_t t, std::int32_t y, gsl::span<double> to) const noexcept {
  Expects(!kContracts || to.size() >= to_size(view_.labels));
  double *row = to.data();
  for (std::int32_t x = 0; x < view_.labels; ++x)
    row[x] = view_.edge_at(t, x, y);
}

bool Scores::write_unary() noexcept {
  const std::int64_t m = view_.labels;
  const bool picks = view_.limits_labels() || view_.unary_column != 1;
  const bool sums = !picks && view_.added && !view_.single && view_.unary_row == m;
  return in_stretches(limits(), view_.length, 4 * m, [&](std::int64_t begin, std::int64_t end) {
    double *to = owned_unary_ + begin * m;
    if (picks) {
      for (auto t = static_cast<std::int32_t>(begin); t < end; ++t)
        for (std::int32_t y = 0; y < m; ++y)
          *to++ = view_.allows(t, y) ? view_.unary_at(t, y) : kForbidden;
    } else if (sums) {
      const double *unary = static_cast<const double *>(view_.unary) + begin * m;
      const double *added = view_.added + begin * m;
      for (std::int64_t i = 0; i < (end - begin) * m; ++i)
        to[i] = unary[i] + added[i];
      return;
    } else {
      for (std::int64_t t = begin; t < end; ++t, to += m)
        copy(view_.unary, static_cast<std::ptrdiff_t>(t) * view_.unary_row, {to, to_size(m)});
    }
    if (view_.added)
      for (std::int64_t i = begin * m; i < end * m; ++i)
        owned_unary_[i] += view_.added[i];
  });
}

bool Scores::load(Limits *limits) noexcept {
  const std::int32_t m = view_.labels;
  limits_ = limits;
  max_plus_ = &max_plus_here();
  const bool copies_edges =
      view_.has_edges() && (owned_forward_.data() || owned_backward_.data());
  if (!spend(8 * std::int64_t{m} + (copies_edges ? 2 * std::int64_t{m} * m : 0)))
    return false;
  if (owned_unary_) {
    if (!write_unary())
      return false;
    unary_ = owned_unary_;
    unary_stride_ = m;
  } else {
    unary_ = static_cast<const double *>(view_.unary);
    unary_stride_ = view_.unary_row;
  }
  if (view_.start)
    copy(view_.start, 0, {start_, to_size(m)});
  else if (view_.transitions && view_.transitions->start)
    std::copy_n(view_.transitions->start, m, start_);
  else
    std::fill_n(start_, m, 0.0);
  if (view_.end)
    copy(view_.end, 0, {end_, to_size(m)});
  else if (view_.transitions && view_.transitions->end)
    std::copy_n(view_.transitions->end, m, end_);
  else
    std::fill_n(end_, m, 0.0);

  if (!has_steps())
    return true;
  const auto padded = static_cast<std::ptrdiff_t>(padded_labels(m));
  forward_stride_ = backward_stride_ = padded;
  if (!view_.has_edges()) {
    std::fill_n(owned_forward_.data(), owned_forward_.size(), 0.0);
    forward_ = backward_ = owned_forward_.data();
    forward_stride_ = backward_stride_ = 0;
  } else if (!view_.edges) {
    forward_ = view_.transitions->matrix;
    if (!shared_in_place()) {
      const std::ptrdiff_t stride = view_.transitions->row_stride;
      for (std::int32_t x = 0; x < m; ++x) {
        double *row = owned_forward_.data() + std::ptrdiff_t{x} * padded;
        std::copy_n(forward_ + x * stride, m, row);
        std::fill(row + m, row + padded, kForbidden);
      }
      forward_ = owned_forward_.data();
    }
    backward_ = view_.transitions->transposed;
  } else {
    if (in_place(view_.edge_from, view_.edge_to)) {
      forward_ = static_cast<const double *>(view_.edges);
      forward_stride_ = view_.edge_from;
    } else {
      forward_ = owned_forward_.data();
      if (!view_.edge_each)
        write(1, view_.edge_from, view_.edge_to, owned_forward_);
    }
    if (in_place(view_.edge_to, view_.edge_from)) {
      backward_ = static_cast<const double *>(view_.edges);
      backward_stride_ = view_.edge_to;
    } else {
      backward_ = owned_backward_.data();
      if (!view_.edge_each)
        write(1, view_.edge_to, view_.edge_from, owned_backward_);
    }
  }
  return true;
}

const double *Scores::forward(std::int32_t t) noexcept {
  if (!view_.edges || !view_.edge_each)
    return forward_;
  if (!owned_forward_.data())
    return forward_ + (t - 1) * view_.edge_matrix;
  write(t, view_.edge_from, view_.edge_to, owned_forward_);
  return owned_forward_.data();
}

const double *Scores::backward(std::int32_t t) noexcept {
  if (!view_.edges || !view_.edge_each)
    return backward_;
  if (!owned_backward_.data())
    return backward_ + (t - 1) * view_.edge_matrix;
  write(t, view_.edge_to, view_.edge_from, owned_backward_);
  return owned_backward_.data();
}

bool Scores::complete(gsl::span<double> completion, gsl::span<double> scratch,
                      gsl::span<std::int32_t> labelling) noexcept {
  const std::int32_t T = length();
  const std::int32_t m = labels();
  Expects(labelling.size() >= to_size(T));
  if (!complete(max_plus(), completion, scratch))
    return false;
  double *const row = scratch.data();
  std::int32_t *const best = labelling.data();
  const double *before = start();
  for (std::int32_t t = 0; t < T; ++t) {
    if (!spend(16 + 2 * std::int64_t{m} * m))
      return false;
    for (std::int32_t y = 0; y < m; ++y)
      row[y] = unary(t)[y] + before[y];
    best[t] = max_plus().best_sum(row, completion.data() + std::int64_t{t} * m, m);
    if (best[t] < 0)
      return false;
    if (t + 1 < T)
      before = forward(t + 1) + best[t] * forward_stride();
  }
  return true;
}

} // namespace chorale
