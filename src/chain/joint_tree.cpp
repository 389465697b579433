// joint_tree.hpp explains the words used here.
#include "chain/joint_tree.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int32_t kUnknown = -2;

// Upper bound on the number of distinct firings at one position: one for each pair of labels.
std::int32_t firing_limit(std::int32_t labels, std::int32_t properties) noexcept {
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(properties == 0 ? 1 : std::int64_t{labels} * labels, INT32_MAX));
}

} // namespace

JointTree::JointTree(Layout &layout, const ChainView &view, const KeyLayout &keys,
                     const KeyLayout &firing_keys, std::int32_t count, std::int64_t most,
                     std::int32_t width, std::int64_t codes, bool decode) noexcept
    : JointProgram(layout, view, keys, count, width, staging_room(most, width, view.labels), codes),
      parents_(view.parents), is_leaf_(layout.take_span<std::uint8_t>(view.length)),
      keys_(layout.take<std::uint64_t>(product_of_counts(length_ + 1, width, words_))),
      rows_(layout.take<double>(product_of_counts(length_ + 1, width, labels_))),
      counts_(layout.take<std::int32_t>(length_ + 1)),
      lifted_(layout, staging_room(most, width, labels_), words_, labels_, decode ? 1 : 0, true),
      merged_(layout, staging_room(most, width, labels_), words_, labels_, decode ? 2 : 0, true),
      row_(layout.take<double>(labels_)),
      out_(layout.take<double>(labels_)), zeros_(layout.take<double>(labels_)),
      firings_(layout, firing_limit(labels_, count), firing_keys.words(), 0, 0, true),
      firing_of_(layout.take<std::int32_t>(product_of_counts(labels_, labels_))),
      uniform_(layout.take<std::int32_t>(labels_)),
      target_(layout.take<std::int32_t>(firing_limit(labels_, count))),
      target_paid_(layout.take<double>(firing_limit(labels_, count))),
      firing_fields_(layout.take<KeyField>(count)) {
  if (!decode)
    return;
  const std::size_t all = product_of_counts(length_, width, labels_);
  lift_back_ = layout.take<std::int32_t>(all);
  merge_back_ = layout.take<std::int32_t>(saturating_product(all, 2));
  chosen_ = layout.take<std::int32_t>(length_ + 1);
}

JointTree::Place JointTree::place(std::int32_t t) const noexcept {
  return {keys_ + std::int64_t{t} * width_ * words_, rows_ + std::int64_t{t} * width_ * labels_,
          counts_[t]};
}

double JointTree::run(Scores &scores, gsl::span<const BoundProperty> properties,
                      gsl::span<const KeyField> fields, const JointLimits &limits,
                      const JointTargets &targets, const LogSums *sums,
                      JointOutcome &outcome) noexcept {
  start(scores, properties, fields, limits, targets, sums, outcome);
  max_plus_ = &scores.max_plus();
  lifted_.reset();
  merged_.reset();
  firings_.reset();
  std::fill_n(counts_, length_ + 1, 0);
  std::fill_n(zeros_, labels_, 0.0);
  scores.view().mark_leaves(is_leaf_);
  KeyLayout firing_layout;
  for (std::int32_t k = 0; k < count_; ++k)
    firing_fields_[k] = firing_layout.add(properties_[k].code_limit(Role::outgoing));

  begin_position(scores, length_);
  for (std::int32_t t = length_ - 1; t >= 0; --t) {
    if (!scores.spend(std::int64_t{labels_} * (labels_ + 8) * (count_ + 1)))
      return kForbidden;
    begin_position(scores, t);
    if (parents_[t] >= 0)
      begin_position(scores, parents_[t]);
    find_firings(t);
    if (!lift(scores, t) || !merge(t)) {
      outcome.overflow = scores.limits().interruption() == Interruption::none;
      return kForbidden;
    }
  }
  return finish();
}

// Initialises the set of position t, unless it already exists: one configuration in which nothing
// has fired, with the scores of t itself.
void JointTree::begin_position(const Scores &scores, std::int32_t t) noexcept {
  if (counts_[t] > 0)
    return;
  counts_[t] = 1;
  const Place at = place(t);
  Key first{};
  double paid = 0;
  for (std::int32_t k = 0; k < count_; ++k)
    fields_[k].set(first.word, properties_[k].first_code(paid));
  std::copy_n(first.word, words_, at.keys);
  // Properties with local scores add their message for EMPTY once, above the roots.
  if (t == length_) {
    at.rows[0] = paid;
    return;
  }
  for (std::int32_t y = 0; y < labels_; ++y)
    at.rows[y] = scores.unary(t)[y] + (parents_[t] < 0 ? scores.start()[y] : 0.0) +
                 (is_leaf_.data()[t] != 0 ? scores.end()[y] : 0.0);
}

void JointTree::find_firings(std::int32_t t) noexcept {
  const std::int32_t columns = columns_above(t);
  const std::int32_t first = parents_[t] < 0 ? labels_ : 0; // roots have actions of their own
  firings_.clear(0);
  std::int32_t latest = -1; // firing found last; the next label often has the same firing
  for (std::int32_t y = 0; y < labels_; ++y) {
    // Returns the actions of property k at t under label y: one for each label of the parent, or a
    // single one for a root.
    const auto actions = [&](std::int32_t k) {
      const std::int64_t row = std::int64_t{properties_[k].attached.class_at(t)} * labels_ + y;
      return properties_[k].attached.property->local_actions + row * (labels_ + 1) + first;
    };
    const auto find = [&](std::int32_t above) {
      Key key{};
      for (std::int32_t k = 0; k < count_; ++k) {
        const std::int32_t value = properties_[k].local(actions(k)[above], t);
        if (value == BoundProperty::kOutside)
          return -1;
        firing_fields_[k].set(key.word, value + 1);
      }
      if (latest < 0 || !firings_.has_key(latest, key.word))
        latest = firings_.find(key.word);
      return latest = latest < 0 ? firings_.append(key.word) : latest;
    };
    // Most properties fire the same whatever the parent's label.
    std::int32_t different = 0;
    for (std::int32_t k = 0; k < count_; ++k) {
      const std::int32_t *of = actions(k);
      for (std::int32_t above = 1; above < columns; ++above)
        different |= of[above] ^ of[0];
    }
    std::int32_t *firing = firing_of_ + std::int64_t{y} * columns;
    firing[0] = uniform_[y] = find(0);
    for (std::int32_t above = 1; above < columns && different != 0; ++above) {
      firing[above] = find(above);
      if (firing[above] != firing[0])
        uniform_[y] = kUnknown;
    }
  }
}

bool JointTree::cut(Configurations &set, std::int32_t columns) noexcept {
  // Pruning renumbers the configurations, so indices in target_ are invalid.
  std::fill_n(target_, firings_.count(), kUnknown);
  return prune(set, columns);
}

std::int32_t JointTree::insert(Configurations &set, const Key &key, std::int32_t columns) noexcept {
  const std::int32_t found = set.find(key.word);
  if (found >= 0)
    return found;
  if (set.full() && !cut(set, columns)) {
    outcome_->overflow = true;
    return -1;
  }
  return set.append(key.word);
}

// Returns the index in lifted_ of the configuration that follows configuration i of position t when
// `firing` fires, or -1 if it is forbidden. Writes to target_paid_[firing] the sum of the message
// scores that this adds.
std::int32_t JointTree::after_firing(std::int32_t t, std::int32_t i, std::int32_t firing) noexcept {
  if (firing < 0)
    return -1;
  if (target_[firing] != kUnknown)
    return target_[firing];
  Key key{};
  std::copy_n(place(t).keys + std::int64_t{i} * words_, words_, key.word);
  double paid = 0;
  for (std::int32_t k = 0; k < count_; ++k) {
    std::int32_t code = fields_[k].get(key.word);
    const std::int32_t value = firing_fields_[k].get(firings_.key(firing)) - 1;
    if (!properties_[k].fire(code, value, t, paid)) {
      paid = kForbidden;
      break;
    }
    fields_[k].set(key.word, code);
  }
  const std::int32_t to = paid == kForbidden ? -1 : insert(lifted_, key, columns_above(t));
  target_paid_[firing] = paid;
  target_[firing] = to;
  return to;
}

// Lifts the labels of configuration i that fire the same values under every parent label
// (uniform_): for each firing, one max-product step of the row of its labels.
void JointTree::lift_alike(std::int32_t t, std::int32_t i) noexcept {
  const std::int32_t columns = columns_above(t);
  const double *own = place(t).rows + std::int64_t{i} * labels_;
  for (std::int32_t firing = 0; firing < firings_.count(); ++firing) {
    bool any = false;
    for (std::int32_t y = 0; y < labels_; ++y) {
      row_[y] = uniform_[y] == firing ? own[y] : kForbidden;
      any = any || row_[y] > kForbidden;
    }
    const std::int32_t to = any ? after_firing(t, i, firing) : -1;
    if (to < 0)
      continue;
    const double paid = target_paid_[firing];
    double *row = lifted_.row(to);
    if (sums_) {
      sums_->step(row_, labels_, edges_, edge_stride_, columns, nullptr, out_);
      for (std::int32_t x = 0; x < columns; ++x)
        row[x] = sums_->add(row[x], out_[x] + paid);
      continue;
    }
    max_plus_->step(row_, labels_, edges_, edge_stride_, columns, nullptr, out_);
    for (std::int32_t x = 0; x < columns; ++x)
      if (out_[x] + paid > row[x]) {
        row[x] = out_[x] + paid;
        if (decode_)
          lifted_.back(to)[x] =
              i * labels_ + max_plus_->best_sum(row_, into_ + x * into_stride_, labels_);
      }
  }
}

void JointTree::lift_apart(std::int32_t t, std::int32_t i) noexcept {
  const std::int32_t columns = columns_above(t);
  const double *own = place(t).rows + std::int64_t{i} * labels_;
  for (std::int32_t y = 0; y < labels_; ++y) {
    if (uniform_[y] != kUnknown || own[y] == kForbidden)
      continue;
    const double *edges = edges_ + y * edge_stride_;
    for (std::int32_t x = 0; x < columns; ++x) {
      const std::int32_t firing = firing_of_[std::int64_t{y} * columns + x];
      const std::int32_t to = after_firing(t, i, firing);
      if (to < 0)
        continue;
      const double score = own[y] + edges[x] + target_paid_[firing];
      if (sums_) {
        lifted_.row(to)[x] = sums_->add(lifted_.row(to)[x], score);
      } else if (score > lifted_.row(to)[x]) {
        lifted_.row(to)[x] = score;
        if (decode_)
          lifted_.back(to)[x] = i * labels_ + y;
      }
    }
  }
}

bool JointTree::lift(Scores &scores, std::int32_t t) noexcept {
  lifted_.clear(columns_above(t));
  edges_ = parents_[t] < 0 ? zeros_ : scores.backward(t);
  edge_stride_ = parents_[t] < 0 ? 1 : scores.backward_stride();
  into_ = parents_[t] < 0 ? zeros_ : decode_ ? scores.forward(t) : nullptr;
  into_stride_ = scores.forward_stride();
  for (std::int32_t i = 0; i < counts_[t]; ++i) {
    if (!scores.spend((sums_ ? LogSums::kWork : MaxPlus::kWork) * labels_ * labels_ *
                      (firings_.count() + 4)))
      return false;
    std::fill_n(target_, firings_.count(), kUnknown);
    lift_alike(t, i);
    lift_apart(t, i);
    if (outcome_->overflow)
      return false;
  }
  if (lifted_.count() > limits_.width && !cut(lifted_, columns_above(t)))
    return false;
  outcome_->most = std::max<std::int64_t>(outcome_->most, lifted_.count());
  if (decode_ && lifted_.count() > 0)
    std::copy_n(lifted_.back(0), std::int64_t{lifted_.count()} * columns_above(t),
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
      Key key{};
      for (std::int32_t k = 0; k < count_; ++k)
        fields_[k].set(key.word,
                       properties_[k].combine(fields_[k].get(at.keys + std::int64_t{a} * words_),
                                              fields_[k].get(lifted_.key(b))));
      const std::int32_t to = insert(merged_, key, columns);
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
  if (merged_.count() > limits_.width && !cut(merged_, columns))
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
  std::copy_n(merged_.key(0), n * words_, at.keys);
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
      score += properties_[k].final_payment(fields_[k].get(at.keys + std::int64_t{i} * words_), -1,
                                            fired_[k]);
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
