// joint_tree.hpp explains the words used here.
#include "chain/joint_tree.hpp"

#include <algorithm>

namespace chorale {

JointTree::JointTree(Layout &layout, const ChainView &view, std::int32_t count, std::int64_t most,
                     std::int32_t width, std::int64_t codes, bool decode) noexcept
    : JointProgram(layout, view, count, width, staging_room(most, width, view.labels), codes),
      parents_(view.parents),
      keys_(layout.take<std::int32_t>(product_of_counts(length_ + 1, width, count))),
      rows_(layout.take<double>(product_of_counts(length_ + 1, width, labels_))),
      counts_(layout.take<std::int32_t>(length_ + 1)),
      lifted_(layout, staging_room(most, width, labels_), count, labels_, decode ? 1 : 0, true),
      merged_(layout, staging_room(most, width, labels_), count, labels_, decode ? 2 : 0, true),
      zeros_(layout.take<double>(labels_)), alike_(layout.take<std::uint8_t>(labels_)) {
  if (!decode)
    return;
  const std::size_t all = product_of_counts(length_, width, labels_);
  lift_back_ = layout.take<std::int32_t>(all);
  merge_back_ = layout.take<std::int32_t>(saturating_product(all, 2));
  chosen_ = layout.take<std::int32_t>(length_ + 1);
}

JointTree::Place JointTree::place(std::int32_t t) const noexcept {
  return {keys_ + std::int64_t{t} * width_ * count_, rows_ + std::int64_t{t} * width_ * labels_,
          counts_[t]};
}

double JointTree::run(Scores &scores, gsl::span<const BoundProperty> properties,
                      const JointLimits &limits, const JointTargets &targets, const LogSums *sums,
                      JointOutcome &outcome) noexcept {
  start(scores, properties, limits, targets, sums, outcome);
  lifted_.reset();
  merged_.reset();
  std::fill_n(counts_, length_ + 1, 0);
  std::fill_n(zeros_, labels_, 0.0);
  begin_position(scores, length_, false);
  for (std::int32_t t = length_ - 1; t >= 0; --t) {
    if (!scores.spend(std::int64_t{labels_} * (labels_ + 8) * (count_ + 1)))
      return kForbidden;
    begin_position(scores, t, true); // its children, if it has any, have begun it before
    if (parents_[t] >= 0)
      begin_position(scores, parents_[t], false);
    if (!lift(scores, t) || !merge(t)) {
      outcome.overflow = scores.limits().interruption() == Interruption::none;
      return kForbidden;
    }
  }
  return finish();
}

// Initialises the set of position t, unless it already exists: one configuration in which nothing
// has fired, with the scores of t itself.
void JointTree::begin_position(const Scores &scores, std::int32_t t, bool is_leaf) noexcept {
  if (counts_[t] > 0)
    return;
  counts_[t] = 1;
  const Place at = place(t);
  double paid = 0;
  for (std::int32_t k = 0; k < count_; ++k)
    at.keys[k] = properties_[k].first_code(paid);
  // Properties with local scores add their message for EMPTY once, above the roots.
  if (t == length_) {
    at.rows[0] = paid;
    return;
  }
  for (std::int32_t y = 0; y < labels_; ++y)
    at.rows[y] = scores.unary(t)[y] + (parents_[t] < 0 ? scores.start()[y] : 0.0) +
                 (is_leaf ? scores.end()[y] : 0.0);
}

const std::int32_t *JointTree::actions(std::int32_t k, std::int32_t t,
                                       std::int32_t y) const noexcept {
  const Attached &attached = properties_[k].attached;
  const std::int64_t row = std::int64_t{attached.class_at(t)} * labels_ + y;
  // The last action of a row is that of positions without a parent.
  return attached.property->local_actions + row * (labels_ + 1) + (parents_[t] < 0 ? labels_ : 0);
}

std::int32_t JointTree::insert(Configurations &set, std::int32_t columns) noexcept {
  const std::int32_t found = set.find(key_);
  if (found >= 0)
    return found;
  if (set.full() && !prune(set, columns)) {
    outcome_->overflow = true;
    return -1;
  }
  return set.append(key_);
}

bool JointTree::raise(std::int32_t t, std::int32_t i, std::int32_t y, std::int32_t first,
                      std::int32_t end) noexcept {
  const Place at = place(t);
  double paid = 0;
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    key_[k] = at.keys[std::int64_t{i} * count_ + k];
    if (!property.fire(key_[k], property.local(actions(k, t, y)[first], t), t, paid))
      return true;
  }
  const std::int32_t to = paid == kForbidden ? -1 : insert(lifted_, columns_above(t));
  if (to < 0)
    return paid == kForbidden;
  const double own = at.rows[std::int64_t{i} * labels_ + y];
  const double *edges = edges_ + y * edge_stride_;
  double *row = lifted_.row(to);
  std::int32_t *back = decode_ ? lifted_.back(to) : nullptr;
  for (std::int32_t x = first; x < end && sums_; ++x)
    row[x] = sums_->add(row[x], own + edges[x] + paid);
  for (std::int32_t x = first; x < end && !sums_ && !back; ++x)
    row[x] = std::max(row[x], own + edges[x] + paid);
  for (std::int32_t x = first; x < end && back; ++x)
    if (const double score = own + edges[x] + paid; score > row[x]) {
      row[x] = score;
      back[x] = i * labels_ + y;
    }
  return true;
}

bool JointTree::lift(Scores &scores, std::int32_t t) noexcept {
  const std::int32_t columns = columns_above(t);
  lifted_.clear(columns);
  edges_ = parents_[t] < 0 ? zeros_ : scores.backward(t);
  edge_stride_ = parents_[t] < 0 ? 1 : scores.backward_stride();
  std::int64_t runs = 0; // calls of raise() for one configuration
  for (std::int32_t y = 0; y < labels_; ++y) {
    alike_[y] = 1;
    for (std::int32_t k = 0; k < count_ && alike_[y] != 0; ++k) {
      const std::int32_t *of = actions(k, t, y);
      alike_[y] = std::all_of(of, of + columns, [of](std::int32_t action) { return action == *of; });
    }
    runs += alike_[y] != 0 ? 1 : columns;
  }
  for (std::int32_t i = 0; i < counts_[t]; ++i) {
    if (!scores.spend((sums_ ? LogSums::kWork : MaxPlus::kWork) * labels_ * columns +
                      8 * (count_ + 1) * runs))
      return false;
    for (std::int32_t y = 0; y < labels_; ++y) {
      if (place(t).rows[std::int64_t{i} * labels_ + y] == kForbidden)
        continue;
      const std::int32_t step = alike_[y] != 0 ? columns : 1;
      for (std::int32_t x = 0; x < columns; x += step)
        if (!raise(t, i, y, x, x + step))
          return false;
    }
  }
  if (lifted_.count() > limits_.width && !prune(lifted_, columns))
    return false;
  outcome_->most = std::max<std::int64_t>(outcome_->most, lifted_.count());
  if (decode_ && lifted_.count() > 0)
    std::copy_n(lifted_.back(0), std::int64_t{lifted_.count()} * columns,
                lift_back_ + std::int64_t{t} * width_ * labels_);
  return true;
}

bool JointTree::merge(std::int32_t t) noexcept {
  const std::int32_t columns = columns_above(t);
  const std::int32_t above = parents_[t] < 0 ? length_ : parents_[t];
  const Place at = place(above);
  merged_.clear(columns);
  for (std::int32_t a = 0; a < at.count; ++a)
    for (std::int32_t b = 0; b < lifted_.count(); ++b) {
      if (!scores_->spend(4 * (columns + 8 * std::int64_t{count_})))
        return false;
      for (std::int32_t k = 0; k < count_; ++k)
        key_[k] = properties_[k].combine(at.keys[std::int64_t{a} * count_ + k], lifted_.key(b)[k]);
      const std::int32_t to = insert(merged_, columns);
      if (to < 0)
        return false;
      const double *left = at.rows + std::int64_t{a} * columns;
      const double *right = lifted_.row(b);
      double *row = merged_.row(to);
      for (std::int32_t x = 0; x < columns; ++x)
        if (sums_) {
          row[x] = sums_->add(row[x], left[x] + right[x]);
        } else if (left[x] + right[x] > row[x]) {
          row[x] = left[x] + right[x];
          if (decode_) {
            merged_.back(to)[2 * x] = a;
            merged_.back(to)[2 * x + 1] = b;
          }
        }
    }
  if (merged_.count() > limits_.width && !prune(merged_, columns))
    return false;
  outcome_->most = std::max<std::int64_t>(outcome_->most, merged_.count());
  const std::int64_t n = merged_.count();
  counts_[above] = merged_.count();
  if (n == 0) {
    // Every labelling is forbidden. A count of 0 would mean that the set is not initialised, so it
    // keeps one configuration with a row of minus infinity.
    counts_[above] = 1;
    std::fill_n(at.rows, columns, kForbidden);
    if (decode_)
      std::fill_n(merge_back_ + 2 * (std::int64_t{t} * width_ * labels_), 2 * columns, 0);
    return true;
  }
  std::copy_n(merged_.key(0), n * count_, at.keys);
  std::copy_n(merged_.row(0), n * columns, at.rows);
  if (decode_)
    std::copy_n(merged_.back(0), 2 * n * columns,
                merge_back_ + 2 * (std::int64_t{t} * width_ * labels_));
  return true;
}

double JointTree::finish() noexcept {
  const Place at = place(length_);
  double best = kForbidden;
  std::int32_t best_configuration = -1;
  for (std::int32_t i = 0; i < at.count; ++i) {
    double score = at.rows[i];
    for (std::int32_t k = 0; k < count_ && score > kForbidden; ++k)
      score += properties_[k].final_payment(at.keys[std::int64_t{i} * count_ + k], -1, fired_[k]);
    if (score == kForbidden)
      continue;
    const double total = collect(score);
    if (sums_) {
      best = sums_->add(best, total);
    } else if (total > best) {
      best = total;
      best_configuration = i;
    }
  }
  std::int32_t *labels = targets_.labelling.data();
  if (!decode_ || best == kForbidden)
    return best;
  Expects(targets_.labelling.size() >= to_size(length_));
  chosen_[length_] = best_configuration;
  for (std::int32_t t = 0; t < length_; ++t) {
    const bool root = parents_[t] < 0;
    const std::int32_t above = root ? length_ : parents_[t];
    const std::int32_t x = root ? 0 : labels[above];
    const std::int32_t columns = columns_above(t);
    const std::int32_t *pair = merge_back_ + 2 * (std::int64_t{t} * width_ * labels_ +
                                                  std::int64_t{chosen_[above]} * columns + x);
    const std::int32_t back =
        lift_back_[std::int64_t{t} * width_ * labels_ + std::int64_t{pair[1]} * columns + x];
    chosen_[above] = pair[0];
    chosen_[t] = back / labels_;
    labels[t] = back % labels_;
  }
  return best;
}

} // namespace chorale
