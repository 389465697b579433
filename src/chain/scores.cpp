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
  forward_.row = backward_.column = view.edge_from;
  forward_.column = backward_.row = view.edge_to;
  if (!has_steps())
    return;
  const auto padded = static_cast<std::size_t>(padded_labels(view.labels));
  const std::size_t square = saturating_product(m, padded);
  if (!view.has_edges()) {
    forward_.owned = layout.take_span<double>(padded);
  } else if (!view.edges) {
    if (!shared_in_place())
      forward_.owned = layout.take_span<double>(square);
  } else {
    for (Direction *to : {&forward_, &backward_})
      if (!in_place(*to))
        to->owned = layout.take_span<double>(square);
  }
}

void Scores::copy(const void *from, std::ptrdiff_t at, gsl::span<double> to) const noexcept {
  if (view_.single)
    std::copy_n(static_cast<const float *>(from) + at, to.size(), to.data());
  else
    std::copy_n(static_cast<const double *>(from) + at, to.size(), to.data());
}

void Scores::copy_ends(const void *given, const double *shared, double *to) const noexcept {
  const std::int32_t m = view_.labels;
  if (given)
    copy(given, 0, {to, to_size(m)});
  else if (shared)
    std::copy_n(shared, m, to);
  else
    std::fill_n(to, m, 0.0);
}

void Scores::write(std::int32_t t, const Direction &to) const noexcept {
  const std::int32_t m = view_.labels;
  const auto padded = static_cast<std::ptrdiff_t>(padded_labels(m));
  Expects(to.owned.size() >= to_size(m) * to_size(padded));
  double *row = to.owned.data();
  const std::ptrdiff_t base = view_.edge_each ? (t - 1) * view_.edge_matrix : 0;
  for (std::int32_t r = 0; r < m; ++r, row += padded) {
    if (to.column == 1)
      copy(view_.edges, base + r * to.row, {row, to_size(m)});
    else
      for (std::int32_t c = 0; c < m; ++c)
        row[c] = view_.number(view_.edges, base + r * to.row + c * to.column);
    std::fill(row + m, row + padded, kForbidden);
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
      view_.has_edges() && (forward_.owned.data() || backward_.owned.data());
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
  const Transitions *shared = view_.transitions;
  copy_ends(view_.start, shared ? shared->start : nullptr, start_);
  copy_ends(view_.end, shared ? shared->end : nullptr, end_);
  if (!has_steps())
    return true;
  const auto padded = static_cast<std::ptrdiff_t>(padded_labels(m));
  double *const owned = forward_.owned.data();
  forward_.stride = backward_.stride = padded;
  if (!view_.has_edges()) {
    std::fill_n(owned, padded, 0.0);
    forward_.matrix = backward_.matrix = owned;
    forward_.stride = backward_.stride = 0;
  } else if (!view_.edges) {
    forward_.matrix = shared_in_place() ? shared->matrix : owned;
    for (std::int32_t x = 0; x < m && !shared_in_place(); ++x) {
      double *row = owned + x * padded;
      std::copy_n(shared->matrix + x * shared->row_stride, m, row);
      std::fill(row + m, row + padded, kForbidden);
    }
    backward_.matrix = shared->transposed;
  } else {
    for (Direction *to : {&forward_, &backward_}) {
      to->matrix = to->owned.data();
      if (in_place(*to)) {
        to->matrix = static_cast<const double *>(view_.edges);
        to->stride = to->row;
      } else if (!view_.edge_each) {
        write(1, *to);
      }
    }
  }
  return true;
}

const double *Scores::matrix(const Direction &of, std::int32_t t) const noexcept {
  if (!view_.edges || !view_.edge_each)
    return of.matrix;
  if (!of.owned.data())
    return of.matrix + (t - 1) * view_.edge_matrix;
  write(t, of);
  return of.matrix;
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
