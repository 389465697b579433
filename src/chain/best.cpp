#include "chain/max_plus.hpp"
#include "chain/programs.hpp"

#include <algorithm>

namespace chorale {
namespace {

std::size_t rows_of(const ChainView &view) noexcept {
  return saturating_product(static_cast<std::size_t>(view.length),
                            static_cast<std::size_t>(view.labels));
}

void mark_leaves(const ChainView &view, std::uint8_t *is_leaf) noexcept {
  std::fill_n(is_leaf, view.length, std::uint8_t{1});
  for (std::int32_t t = 0; t < view.length; ++t)
    if (view.parents[t] >= 0)
      is_leaf[view.parents[t]] = 0;
}

// From the best scores up to every position back to the labelling; `work` has room for m numbers.
bool trace_chain(Scores &scores, const double *rows, double *work, std::int32_t *labelling,
                 double &score) noexcept {
  const std::int32_t T = scores.length();
  const std::int32_t m = scores.labels();
  const double *row = rows + std::int64_t{T - 1} * m;
  for (std::int32_t y = 0; y < m; ++y)
    work[y] = row[y] + scores.end()[y];
  std::int32_t y = index_of_greatest(work, m);
  if (y < 0)
    return false;
  score = work[y]; // added in the order of phi
  // Which label came before is found again along the path: cheaper than noting it everywhere.
  for (std::int32_t t = T - 1; t > 0; --t) {
    labelling[t] = y;
    row -= m;
    y = scores.max_plus().best_sum(row, scores.backward(t) + y * scores.backward_stride(), m);
  }
  labelling[0] = y;
  return true;
}

} // namespace

BestLabelling::BestLabelling(Layout &layout, const ChainView &view) noexcept
    : labelling(layout.take<std::int32_t>(view.length)), rows_(layout.take<double>(rows_of(view))),
      work_(layout.take<double>(view.labels)),
      is_leaf_(view.parents ? layout.take<std::uint8_t>(view.length) : nullptr) {}

bool BestLabelling::run(Scores &scores) noexcept {
  if (scores.length() == 0) {
    score = 0;
    return true;
  }
  if (!scores.view().parents)
    return run_chain(scores);
  if (!run_tree(scores))
    return false;
  score = scores.view().score(labelling);
  return true;
}

bool BestLabelling::run_chain(Scores &scores) noexcept {
  const std::int32_t T = scores.length();
  const std::int32_t m = scores.labels();
  for (std::int32_t y = 0; y < m; ++y)
    rows_[y] = scores.start()[y] + scores.unary(0)[y];
  for (std::int32_t t = 1; t < T; ++t)
    scores.max_plus().step(rows_ + std::int64_t{t - 1} * m, m, scores.forward(t),
                           scores.forward_stride(), m, scores.unary(t),
                           rows_ + std::int64_t{t} * m);
  return trace_chain(scores, rows_, work_, labelling, score);
}

bool BestLabelling::run_tree(Scores &scores) noexcept {
  const ChainView &view = scores.view();
  const std::int32_t T = scores.length();
  const std::int32_t m = scores.labels();
  mark_leaves(view, is_leaf_);
  for (std::int32_t t = 0; t < T; ++t) {
    double *row = rows_ + std::int64_t{t} * m;
    for (std::int32_t y = 0; y < m; ++y)
      row[y] = scores.unary(t)[y] + (view.parents[t] < 0 ? scores.start()[y] : 0.0) +
               (is_leaf_[t] ? scores.end()[y] : 0.0);
  }
  for (std::int32_t t = T - 1; t >= 0; --t) {
    const double *row = rows_ + std::int64_t{t} * m;
    const std::int32_t parent = view.parents[t];
    if (parent < 0) {
      if (greatest(row, m) == kForbidden)
        return false;
      continue;
    }
    scores.max_plus().step(row, m, scores.backward(t), scores.backward_stride(), m, nullptr, work_);
    double *above = rows_ + std::int64_t{parent} * m;
    for (std::int32_t y = 0; y < m; ++y)
      above[y] += work_[y];
  }
  for (std::int32_t t = 0; t < T; ++t) {
    const double *row = rows_ + std::int64_t{t} * m;
    if (view.parents[t] < 0) {
      labelling[t] = index_of_greatest(row, m);
      continue;
    }
    const double *edge = scores.forward(t) + labelling[view.parents[t]] * scores.forward_stride();
    for (std::int32_t y = 0; y < m; ++y)
      work_[y] = edge[y] + row[y];
    labelling[t] = index_of_greatest(work_, m);
  }
  return true;
}

MaxMarginals::MaxMarginals(Layout &layout, const ChainView &view) noexcept
    : labels_(view.labels), inside_(layout.take<double>(rows_of(view))),
      outside_(layout.take<double>(rows_of(view))), work_(layout.take<double>(view.labels)) {
  if (view.parents) {
    message_ = layout.take<double>(rows_of(view));
    later_ = layout.take<double>(rows_of(view));
    is_leaf_ = layout.take<std::uint8_t>(view.length);
  }
}

void MaxMarginals::run(Scores &scores, const MarginalTargets &targets) noexcept {
  if (scores.length() == 0)
    return;
  if (scores.view().parents)
    run_tree(scores, targets);
  else
    run_chain(scores, targets);
}

bool MaxMarginals::trace(Scores &scores, std::int32_t *labelling) noexcept {
  double score = 0;
  return scores.length() == 0 || trace_chain(scores, inside_, work_, labelling, score);
}

void MaxMarginals::write_position(std::int32_t t, const double *a, const double *b,
                                  const MarginalTargets &targets) noexcept {
  double *to = targets.marginals ? targets.marginals + t * targets.row_stride : work_;
  for (std::int32_t y = 0; y < labels_; ++y)
    to[y] = a[y] + b[y];
  if (!targets.margins)
    return;
  double first = kForbidden;
  double second = kForbidden;
  for (std::int32_t y = 0; y < labels_; ++y) {
    second = std::max(second, std::min(first, to[y]));
    first = std::max(first, to[y]);
  }
  targets.margins[t] = first == kForbidden ? 0.0 : first - second;
}

void MaxMarginals::run_chain(Scores &scores, const MarginalTargets &targets) noexcept {
  const std::int32_t T = scores.length();
  const std::int32_t m = labels_;
  const auto at = [m](double *rows, std::int32_t t) { return rows + std::int64_t{t} * m; };
  for (std::int32_t y = 0; y < m; ++y)
    inside_[y] = scores.start()[y] + scores.unary(0)[y];
  for (std::int32_t t = 1; t < T; ++t)
    scores.max_plus().step(at(inside_, t - 1), m, scores.forward(t), scores.forward_stride(), m,
                           scores.unary(t), at(inside_, t));
  std::copy_n(scores.end(), m, at(outside_, T - 1));
  for (std::int32_t t = T - 1; t > targets.first; --t) {
    const double *unary = scores.unary(t);
    const double *after = at(outside_, t);
    for (std::int32_t y = 0; y < m; ++y)
      work_[y] = unary[y] + after[y];
    scores.max_plus().step(work_, m, scores.backward(t), scores.backward_stride(), m, nullptr,
                           at(outside_, t - 1));
    if (targets.edge_marginals) {
      const double *edge = scores.forward(t);
      double *to = targets.edge_marginals + std::int64_t{t - 1} * m * m;
      for (std::int32_t x = 0; x < m; ++x)
        for (std::int32_t y = 0; y < m; ++y)
          *to++ = at(inside_, t - 1)[x] + edge[x * scores.forward_stride() + y] + work_[y];
    }
  }
  for (std::int32_t t = targets.first; t < T; ++t)
    write_position(t, at(inside_, t), at(outside_, t), targets);
}

// All roots are children of one more node, of a single label. What a node hears from everywhere but
// one child is the sum of what came before that child and what came after it: nothing is ever
// subtracted, so forbidden scores do no harm.
void MaxMarginals::run_tree(Scores &scores, const MarginalTargets &targets) noexcept {
  const ChainView &view = scores.view();
  const std::int32_t T = scores.length();
  const std::int32_t m = labels_;
  const auto at = [m](double *rows, std::int32_t t) { return rows + std::int64_t{t} * m; };
  mark_leaves(view, is_leaf_);
  double top = 0;
  for (std::int32_t t = 0; t < T; ++t)
    for (std::int32_t y = 0; y < m; ++y)
      at(inside_, t)[y] = scores.unary(t)[y] + (view.parents[t] < 0 ? scores.start()[y] : 0.0) +
                          (is_leaf_[t] ? scores.end()[y] : 0.0);
  // outside_ holds the sum of the children seen so far, until the way down.
  std::fill_n(outside_, std::int64_t{T} * m, 0.0);
  for (std::int32_t t = T - 1; t >= 0; --t) {
    for (std::int32_t y = 0; y < m; ++y)
      at(inside_, t)[y] += at(outside_, t)[y];
    const std::int32_t parent = view.parents[t];
    if (parent < 0) {
      at(later_, t)[0] = top;
      at(message_, t)[0] = greatest(at(inside_, t), m);
      top += at(message_, t)[0];
    } else {
      scores.max_plus().step(at(inside_, t), m, scores.backward(t), scores.backward_stride(), m,
                             nullptr, at(message_, t));
      std::copy_n(at(outside_, parent), m, at(later_, t));
      for (std::int32_t y = 0; y < m; ++y)
        at(outside_, parent)[y] += at(message_, t)[y];
    }
  }
  // On the way down inside_ of a node with all its children done turns into everything the next
  // child does not hear of itself: the own scores, what came from above, the earlier children.
  // `own` scores are needed twice, so marginals are written before.
  double earlier = 0;
  for (std::int32_t t = 0; t < T; ++t) {
    const std::int32_t parent = view.parents[t];
    if (parent < 0) {
      std::fill_n(at(outside_, t), m, earlier + at(later_, t)[0]);
      earlier += at(message_, t)[0];
      if (targets.edge_marginals && t > 0)
        std::fill_n(targets.edge_marginals + std::int64_t{t - 1} * m * m, std::int64_t{m} * m,
                    kForbidden);
    } else {
      double *before = at(inside_, parent); // turned, see below
      double *rest = at(later_, t);
      for (std::int32_t y = 0; y < m; ++y) {
        rest[y] += before[y];
        before[y] += at(message_, t)[y];
      }
      scores.max_plus().step(rest, m, scores.forward(t), scores.forward_stride(), m, nullptr,
                             at(outside_, t));
      if (targets.edge_marginals) {
        const double *edge = scores.forward(t);
        double *to = targets.edge_marginals + std::int64_t{t - 1} * m * m;
        for (std::int32_t x = 0; x < m; ++x)
          for (std::int32_t y = 0; y < m; ++y)
            *to++ = rest[x] + edge[x * scores.forward_stride() + y] + at(inside_, t)[y];
      }
    }
    write_position(t, at(inside_, t), at(outside_, t), targets);
    for (std::int32_t y = 0; y < m; ++y)
      at(inside_, t)[y] = scores.unary(t)[y] + (parent < 0 ? scores.start()[y] : 0.0) +
                          (is_leaf_[t] ? scores.end()[y] : 0.0) + at(outside_, t)[y];
  }
}

} // namespace chorale
