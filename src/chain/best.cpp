#include "chain/max_plus.hpp"
#include "chain/programs.hpp"

#include <algorithm>

namespace chorale {
namespace {

std::size_t tree_rows_of(const ChainView &view) noexcept {
  return saturating_product(static_cast<std::size_t>(view.length),
                            static_cast<std::size_t>(view.labels));
}

// Returns the steps of `sweep` that follow row `first_step`, at most `steps` of them.
Sweep part_of(const Sweep &sweep, std::int32_t first_step, std::int32_t steps) noexcept {
  Sweep part = sweep;
  part.length = std::min(sweep.length - first_step, steps + 1);
  part.unary += first_step * sweep.unary_step;
  part.rows += first_step * sweep.row_step;
  return part;
}

// Return what one tree of a forest contributes to scores at positions of the other trees: the best
// score of its own labellings. With log-sums any number serves, since run_sums() may add a number
// to a whole row: returns 0, or minus infinity if all labellings of the tree are forbidden. `row`:
// best score, or log-sum, of the tree, by label of its root.
double total_of(const MaxPlus &, const double *row, std::int32_t columns) noexcept {
  return greatest({row, to_size(columns)});
}
double total_of(const LogSums &, const double *row, std::int32_t columns) noexcept {
  return greatest({row, to_size(columns)}) == kForbidden ? kForbidden : 0.0;
}
// Keeps the log-sums of long chains small; maxima must stay as they are.
void lower(const MaxPlus &, double *, std::int32_t) noexcept {}
void lower(const LogSums &, double *row, std::int32_t columns) noexcept {
  lower_to_zero({row, to_size(columns)});
}

} // namespace

std::size_t ChainSweep::row_entries(const ChainView &view) noexcept {
  return saturating_product(static_cast<std::size_t>(view.length),
                            static_cast<std::size_t>(padded_labels(view.labels)));
}

std::size_t ChainSweep::work_entries(const ChainView &view) noexcept {
  return 2 * static_cast<std::size_t>(padded_labels(view.labels));
}

ChainSweep::ChainSweep(Scores &scores, gsl::span<double> work) noexcept
    : scores_(scores), padded_(static_cast<std::ptrdiff_t>(padded_labels(scores.labels()))),
      work_(work.data()) {
  Expects(work.size() >= work_entries(scores.view()));
}

double *ChainSweep::with_unary(const double *row, std::int32_t t) noexcept {
  const double *unary = scores_.unary(t);
  for (std::int32_t y = 0; y < scores_.labels(); ++y)
    work_[y] = row[y] + unary[y];
  return work_;
}

// Makes one step at a time if the edges do not share a matrix: each has its own, or there are no
// transition scores.
bool ChainSweep::sweep(gsl::span<double> rows, std::int32_t first, bool forward) noexcept {
  Expects(rows.size() >= row_entries(scores_.view()));
  const std::int32_t m = scores_.labels();
  const std::int32_t begin = forward ? 0 : scores_.length() - 1;
  const std::ptrdiff_t direction = forward ? 1 : -1;
  double *row = rows.data() + begin * padded_;
  const double *scores = forward ? scores_.start() : scores_.end();
  for (std::int32_t y = 0; y < m; ++y)
    row[y] = scores[y] + 0.0; // turns a negative zero into zero
  std::fill(row + m, row + padded_, 0.0);
  const Sweep all{scores_.length() - first,
                  m,
                  scores_.unary(begin),
                  direction * scores_.unary_step(),
                  forward ? scores_.forward_of_all() : scores_.backward_of_all(),
                  row,
                  direction * padded_,
                  work_};
  for (std::int32_t i = 0; all.matrix && i < all.length; i += stretch()) {
    const Sweep part = part_of(all, i, stretch());
    if (!scores_.spend(part.length * step_work()))
      return false;
    scores_.max_plus().sweep(part);
  }
  for (std::int32_t i = 1; !all.matrix && i < all.length; ++i) {
    if (!scores_.spend(2 * step_work()))
      return false;
    const std::int32_t t = forward ? i - 1 : begin - i + 1;
    const double *from = with_unary(row, t);
    row += direction * padded_;
    scores_.max_plus().step(from, m, forward ? scores_.forward(t + 1) : scores_.backward(t),
                            forward ? scores_.forward_stride() : scores_.backward_stride(), m,
                            nullptr, row);
  }
  return true;
}

bool ChainSweep::trace(gsl::span<double> rows, gsl::span<std::int32_t> labelling,
                       double &score) noexcept {
  const std::int32_t T = scores_.length();
  Expects(rows.size() >= row_entries(scores_.view()) && labelling.size() >= to_size(T));
  double *const first_row = rows.data();
  std::int32_t *const labels = labelling.data();
  const std::int32_t m = scores_.labels();
  const MaxPlus &max_plus = scores_.max_plus();
  const auto row = [&](std::int32_t t) { return first_row + std::ptrdiff_t{t} * padded_; };
  with_unary(row(T - 1), T - 1);
  std::int32_t y = max_plus.best_sum(work_, scores_.end(), m);
  if (y < 0)
    return false;
  score = work_[y] + scores_.end()[y]; // summed in the same order as phi
  // Finds the previous label again at each position of the path. This is cheaper than storing the
  // best previous label of every label at every position.
  if (const double *matrix = scores_.backward_of_all()) {
    // Traces the path in parts, and checks the limits before each. Consecutive parts overlap in one
    // position.
    const auto steps = static_cast<std::int32_t>(
        std::max<std::int64_t>(Limits::kStretch / (16 + padded_), 1));
    for (std::int32_t last = T - 1;;) {
      const std::int32_t first = std::max(last - steps, 0);
      if (!scores_.spend((last - first + 1) * (16 + padded_)))
        return false;
      max_plus.trace({last - first + 1, m, scores_.unary(first), scores_.unary_step(), matrix,
                      row(first), padded_, work_},
                     y, labels + first);
      if (first == 0)
        return true;
      last = first;
      y = labels[first];
    }
  }
  double *into = work_ + padded_;
  for (std::int32_t t = T - 1; t > 0; --t) {
    if (!scores_.spend(8 * padded_))
      return false;
    labels[t] = y;
    scores_.into(t, y, {into, to_size(m)});
    y = max_plus.best_sum(with_unary(row(t - 1), t - 1), into, m);
  }
  labels[0] = y;
  return true;
}

BestLabelling::BestLabelling(Layout &layout, const ChainView &view) noexcept
    : labelling(layout.take_span<std::int32_t>(view.length)) {
  if (view.parents && view.length > 1) { // a tree of one position is treated as a chain
    tree_.emplace(layout, view, 0, 1, 1, 1, true);
    return;
  }
  rows_ = layout.take_span<double>(ChainSweep::row_entries(view));
  work_ = layout.take_span<double>(ChainSweep::work_entries(view));
}

bool BestLabelling::run(Scores &scores) noexcept {
  if (scores.length() == 0) {
    score = 0;
    return true;
  }
  if (!tree_) {
    ChainSweep sweep(scores, work_);
    return sweep.forward(rows_) && sweep.trace(rows_, labelling, score);
  }
  JointTargets targets;
  targets.labelling = labelling;
  JointOutcome outcome;
  if (tree_->run(scores, {}, {}, targets, nullptr, outcome) == kForbidden)
    return false;
  score = scores.view().score(labelling);
  return true;
}

MaxMarginals::MaxMarginals(Layout &layout, const ChainView &view) noexcept
    : labels_(view.labels), row_step_(static_cast<std::ptrdiff_t>(padded_labels(view.labels))),
      inside_(layout.take_span<double>(ChainSweep::row_entries(view))),
      outside_(layout.take_span<double>(ChainSweep::row_entries(view))),
      work_(layout.take_span<double>(ChainSweep::work_entries(view))) {
  message_ = layout.take_span<double>(tree_rows_of(view));
  later_ = layout.take_span<double>(tree_rows_of(view));
  is_leaf_ = layout.take_span<std::uint8_t>(view.length);
}

void MaxMarginals::run(Scores &scores, const MarginalTargets &targets) noexcept {
  const std::size_t T = to_size(scores.length());
  const std::size_t m = to_size(labels_);
  if (T == 0)
    return;
  Expects(!targets.marginals ||
          (targets.marginals.rows >= scores.length() && targets.marginals.columns >= labels_));
  Expects(targets.edge_marginals.empty() || targets.edge_marginals.size() >= (T - 1) * m * m);
  Expects(targets.margins.empty() || targets.margins.size() >= T);
  if (scores.view().parents || !targets.edge_marginals.empty())
    run_tree(scores, scores.max_plus(), targets);
  else
    run_chain(scores, targets);
}

void MaxMarginals::run_sums(Scores &scores, const LogSums &sums,
                            const Matrix<double> &to) noexcept {
  if (scores.length() == 0)
    return;
  Expects(to && to.rows >= scores.length() && to.columns >= labels_);
  run_tree(scores, sums, {to, {}, {}});
}

bool MaxMarginals::sweep(Scores &scores, std::int32_t first) noexcept {
  ChainSweep sweep(scores, work_);
  return sweep.forward(inside_) && sweep.backward(outside_, first);
}

void MaxMarginals::write_row(const Scores &scores, std::int32_t t,
                             gsl::span<double> to) const noexcept {
  Expects(!kContracts || to.size() >= to_size(labels_));
  const double *unary = scores.unary(t);
  const double *before = inside_.data() + t * row_step_;
  const double *after = outside_.data() + t * row_step_;
  double *row = to.data();
  for (std::int32_t y = 0; y < labels_; ++y)
    row[y] = before[y] + unary[y] + after[y];
}

bool MaxMarginals::trace(Scores &scores, gsl::span<std::int32_t> labelling,
                         double &score) noexcept {
  score = 0;
  return scores.length() == 0 || ChainSweep(scores, work_).trace(inside_, labelling, score);
}

void MaxMarginals::write_margin(std::int32_t t, gsl::span<const double> row,
                                const MarginalTargets &targets) noexcept {
  TwoBest top;
  const double *scores = row.data();
  const auto columns = static_cast<std::int32_t>(row.size());
  for (std::int32_t y = 0; y < columns; ++y)
    top.add(scores[y]);
  targets.margins.data()[t] = top.margin();
}

void MaxMarginals::run_chain(Scores &scores, const MarginalTargets &targets) noexcept {
  if (!sweep(scores, 0))
    return;
  for (std::int32_t t = 0; t < scores.length(); ++t) {
    if (!scores.spend(8 + 4 * labels_))
      return;
    const gsl::span<double> to = targets.marginals ? targets.marginals.row(t) : work_;
    write_row(scores, t, to);
    if (!targets.margins.empty())
      write_margin(t, to.first(to_size(labels_)), targets);
  }
}

// All roots are children of one virtual node with a single label. The message from a node to a
// child is computed, by a step over the edge, from the sum of the node's own scores, the message
// from the node's parent, and the messages of the child's earlier and later siblings. Since no
// message is ever subtracted, entries of minus infinity are no problem.
template <class Products>
void MaxMarginals::run_tree(Scores &scores, const Products &products,
                            const MarginalTargets &targets) noexcept {
  const ChainView &view = scores.view();
  const std::int32_t T = scores.length();
  const std::int32_t m = labels_;
  const auto at = [m](gsl::span<double> rows, std::int32_t t) {
    return rows.data() + std::int64_t{t} * m;
  };
  view.mark_leaves(is_leaf_);
  const std::uint8_t *const is_leaf = is_leaf_.data();
  double *const edge_marginals = targets.edge_marginals.data();
  double top = 0;
  for (std::int32_t t = 0; t < T; ++t) {
    if (!scores.spend(8 * m))
      return;
    for (std::int32_t y = 0; y < m; ++y) {
      at(inside_, t)[y] = scores.unary(t)[y] + (view.parent(t) < 0 ? scores.start()[y] : 0.0) +
                          (is_leaf[t] ? scores.end()[y] : 0.0);
      // In the upward pass, outside_ holds the sum of the messages of the children visited so far.
      at(outside_, t)[y] = 0.0;
    }
  }
  for (std::int32_t t = T - 1; t >= 0; --t) {
    if (!scores.spend(16 + Products::kWork * m * m))
      return;
    for (std::int32_t y = 0; y < m; ++y)
      at(inside_, t)[y] += at(outside_, t)[y];
    const std::int32_t parent = view.parent(t);
    if (parent < 0) {
      at(later_, t)[0] = top;
      at(message_, t)[0] = total_of(products, at(inside_, t), m);
      top += at(message_, t)[0];
    } else {
      products.step(at(inside_, t), m, scores.backward(t), scores.backward_stride(), m, nullptr,
                    at(message_, t));
      lower(products, at(message_, t), m);
      std::copy_n(at(outside_, parent), m, at(later_, t));
      for (std::int32_t y = 0; y < m; ++y)
        at(outside_, parent)[y] += at(message_, t)[y];
    }
  }
  // Downward pass. After the marginals of t are written, inside_ of t is replaced by the own scores
  // of t plus the message from its parent. Then each child of t adds its message to this row. So
  // each child finds in its parent's inside_ everything but the messages of itself and of later
  // siblings.
  double earlier = 0;
  for (std::int32_t t = 0; t < T; ++t) {
    if (!scores.spend(16 + 2 * Products::kWork * m * m))
      return;
    const std::int32_t parent = view.parent(t);
    if (parent < 0) {
      std::fill_n(at(outside_, t), m, earlier + at(later_, t)[0]);
      earlier += at(message_, t)[0];
      if (edge_marginals && t > 0)
        std::fill_n(edge_marginals + std::int64_t{t - 1} * m * m, std::int64_t{m} * m,
                    kForbidden);
    } else {
      double *before = at(inside_, parent); // own scores, message from above, earlier siblings
      double *rest = at(later_, t);
      for (std::int32_t y = 0; y < m; ++y) {
        rest[y] += before[y];
        before[y] += at(message_, t)[y];
      }
      products.step(rest, m, scores.forward(t), scores.forward_stride(), m, nullptr,
                    at(outside_, t));
      lower(products, at(outside_, t), m);
      if (edge_marginals) {
        const double *edge = scores.forward(t);
        double *to = edge_marginals + std::int64_t{t - 1} * m * m;
        for (std::int32_t x = 0; x < m; ++x)
          for (std::int32_t y = 0; y < m; ++y)
            *to++ = rest[x] + edge[x * scores.forward_stride() + y] + at(inside_, t)[y];
      }
    }
    const auto row =
        (targets.marginals ? targets.marginals.row(t) : work_).first(static_cast<std::size_t>(m));
    double *to = row.data();
    for (std::int32_t y = 0; y < m; ++y)
      to[y] = at(inside_, t)[y] + at(outside_, t)[y];
    if (!targets.margins.empty())
      write_margin(t, row, targets);
    for (std::int32_t y = 0; y < m; ++y)
      at(inside_, t)[y] = scores.unary(t)[y] + (parent < 0 ? scores.start()[y] : 0.0) +
                          (is_leaf[t] ? scores.end()[y] : 0.0) + at(outside_, t)[y];
  }
}

} // namespace chorale
