// joint_chain.hpp explains the words used here.
#include "chain/joint_chain.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Relative tolerance for rounding errors in pruning.
constexpr double kJointRounding = 1e-9;

} // namespace

JointChain::JointChain(Layout &layout, const ChainView &view, const KeyLayout &keys,
                       std::int32_t count, std::int64_t most, std::int32_t width,
                       std::int64_t codes, JointUse use) noexcept
    : length_(view.length), labels_(view.labels), words_(keys.words()),
      decode_(use == JointUse::decoding), width_(width),
      now_(layout, staging_room(most, width, view.labels), keys.words(), view.labels,
           decode_ ? 1 : 0, true),
      next_(layout, staging_room(most, width, view.labels), keys.words(), view.labels,
            decode_ ? 1 : 0, true),
      beam_(layout, staging_room(most, width, view.labels), codes),
      completion_(layout.take<double>(saturating_product(static_cast<std::size_t>(view.length),
                                                         static_cast<std::size_t>(view.labels)))),
      kept_(layout.take<std::int32_t>(staging_room(most, width, view.labels))),
      row_(layout.take<double>(view.labels)), from_(layout.take<std::int32_t>(view.labels)),
      is_marked_(layout.take<std::uint8_t>(view.labels)),
      marked_(layout.take<std::int32_t>(view.labels)), classes_(layout.take<std::int32_t>(count)) {
  const std::size_t all =
      saturating_product(static_cast<std::size_t>(length_), static_cast<std::size_t>(width));
  if (use == JointUse::decoding) {
    history_ =
        layout.take<std::int32_t>(saturating_product(all, static_cast<std::size_t>(labels_)));
    history_begin_ = layout.take<std::int64_t>(length_);
  } else if (use == JointUse::marginals || use == JointUse::sums) {
    forward_keys_ =
        layout.take<std::uint64_t>(saturating_product(all, static_cast<std::size_t>(words_)));
    forward_rows_ = layout.take<double>(saturating_product(all, static_cast<std::size_t>(labels_)));
    forward_counts_ = layout.take<std::int32_t>(length_);
    if (use == JointUse::sums) {
      rank_ = layout.take<double>(staging_room(most, width, labels_));
      by_.weights = layout.take<double>(
          saturating_product(static_cast<std::size_t>(labels_), static_cast<std::size_t>(labels_)));
      by_.most = layout.take<double>(labels_);
      by_.from = layout.take<double>(labels_);
    }
  }
}

// Stores the arguments of a run and makes the only configuration before the first position.
void JointChain::begin(gsl::span<const BoundProperty> properties, gsl::span<const KeyField> fields,
                       const JointLimits &limits, std::int32_t outgoing,
                       JointOutcome &outcome) noexcept {
  Expects(fields.size() == properties.size());
  properties_ = properties.data();
  fields_ = fields.data();
  count_ = static_cast<std::int32_t>(properties.size());
  limits_ = limits;
  outgoing_ = outgoing;
  outcome_ = &outcome;
  lowered_ = 0;
  lost_ = kForbidden;
  dropped_ = 0;
  lost_part_ = 0;
  now_.reset();
  next_.reset();
  std::fill_n(is_marked_, labels_, std::uint8_t{0});
  Key first{};
  double paid = 0;
  for (std::int32_t k = 0; k < count_; ++k)
    fields_[k].set(first.word, properties_[k].first_code(paid));
  now_.clear(labels_);
  std::fill_n(now_.row(now_.append(first.word)), labels_, paid);
  outcome.most = std::max<std::int64_t>(outcome.most, 1);
}

double JointChain::run(Scores &scores, gsl::span<const BoundProperty> properties,
                       gsl::span<const KeyField> fields, const JointLimits &limits,
                       std::int32_t outgoing, gsl::span<double> message,
                       gsl::span<const double> lower, gsl::span<std::int32_t> labelling,
                       JointOutcome &outcome) noexcept {
  begin(properties, fields, limits, outgoing, outcome);
  sums_ = nullptr;
  lower_ = lower.data();
  if (lower_) {
    const std::size_t entries = outgoing < 0 ? 1 : to_size(properties_[outgoing].local_count + 2);
    Expects(lower.size() >= entries);
    least_lower_ = *std::min_element(lower_, lower_ + entries);
  }
  for (std::int32_t t = 0; t < length_; ++t)
    if (!step(scores, t)) {
      outcome.overflow = scores.limits().interruption() == Interruption::none;
      return kForbidden;
    }
  return finish(scores, message, labelling);
}

bool JointChain::step(Scores &scores, std::int32_t t) noexcept {
  const double *unary = scores.unary(t);
  const double *edges = t > 0 ? scores.forward(t) : nullptr;
  const std::ptrdiff_t stride = scores.forward_stride();
  const MaxPlus &max_plus = scores.max_plus();
  read_classes(t);
  at_ = t;
  next_.clear(labels_);
  // These steps include the copy of a matrix that Scores::forward() may have made.
  if (!scores.spend(16 + (sums_ ? LogSums::kWork : 2) * std::int64_t{labels_} * labels_))
    return false;
  if (sums_ && edges)
    weigh({edges, labels_, labels_, stride});
  for (std::int32_t i = 0; i < now_.count(); ++i) {
    if (!scores.spend(step_work()))
      return false;
    const double *before = now_.row(i);
    if (!edges) {
      for (std::int32_t y = 0; y < labels_; ++y) {
        row_[y] = before[y] + (scores.start()[y] + unary[y]);
        from_[y] = 0;
      }
    } else if (sums_) {
      sum_step(i, unary, t);
    } else if (decode_) {
      max_plus.step_arg(before, labels_, edges, stride, labels_, unary, row_, from_);
    } else {
      max_plus.step(before, labels_, edges, stride, labels_, unary, row_);
    }
    spread(i, t);
    if (outcome_->overflow)
      return false;
  }
  drop_hopeless(t);
  if (sums_ && !limits_.exact)
    thin(limits_.width);
  if (next_.count() > limits_.width && !make_room())
    return false;
  outcome_->most = std::max<std::int64_t>(outcome_->most, next_.count());
  now_.swap(next_);
  if (sums_)
    lowered_ += lower_to_zero({now_.row(0), to_size(std::int64_t{now_.count()} * labels_)});
  if (decode_)
    record(t);
  return true;
}

// Returns a threshold for the configuration `key`: a partial labelling can be pruned if its score
// plus its best completion without properties is below this number. lower_ holds scores that
// labellings are known to attain: one for each entry of the outgoing message, or a single one
// without such a message. The threshold is the least of them over the entries to which the
// configuration can still lead, minus the most that messages can still add, minus a tolerance for
// rounding.
double JointChain::threshold(const std::uint64_t *key) const noexcept {
  double least = least_lower_;
  double hope = 0;
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    const std::int32_t code = fields_[k].get(key);
    if (k != outgoing_) {
      hope += property.greatest_payment(code);
    } else if (const std::int32_t fired = property.fired_of(code); fired != property.empty()) {
      least = property.state_of(code) == property.attached.property->dead()
                  ? lower_[fired]
                  : std::min(lower_[fired], lower_[property.conflict()]);
    }
  }
  if (least == kForbidden || hope == kForbidden)
    return hope == kForbidden ? kInfinity : kForbidden;
  return least - hope - kJointRounding * (std::fabs(least) + std::fabs(hope));
}

void JointChain::drop_hopeless(std::int32_t t) noexcept {
  if (!lower_)
    return;
  const double *after = completion_ + std::int64_t{t} * labels_;
  std::int32_t kept = 0;
  for (std::int32_t i = 0; i < next_.count(); ++i) {
    const double least = threshold(next_.key(i));
    double *row = next_.row(i);
    bool any = false;
    for (std::int32_t y = 0; y < labels_; ++y) {
      if (!(row[y] + after[y] >= least))
        row[y] = kForbidden;
      any = any || row[y] > kForbidden;
    }
    if (any)
      kept_[kept++] = i;
  }
  if (kept < next_.count())
    next_.keep({kept_, to_size(kept)});
}

// Prunes next_ to the beam width. False if pruning is not allowed.
bool JointChain::make_room() noexcept {
  if (limits_.exact)
    return false;
  outcome_->pruned = true;
  if (sums_) {
    thin(limits_.width);
    return true;
  }
  beam_.prune(next_, labels_, limits_.width, properties(), fields(), outgoing_);
  return true;
}

void JointChain::read_classes(std::int32_t t) noexcept {
  for (std::int32_t k = 0; k < count_; ++k)
    classes_[k] = properties_[k].attached.class_at(t);
}

bool JointChain::successor(const std::uint64_t *from, std::int32_t t, std::int32_t label, Key &key,
                           double &paid) const noexcept {
  std::copy_n(from, words_, key.word);
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    std::int32_t code = fields_[k].get(from);
    if (property.tracked() && code == property.settled())
      continue;
    const Property &automaton = *property.attached.property;
    const std::int64_t cell = automaton.cell(property.state_of(code), classes_[k]);
    const std::int32_t next =
        label < 0 ? automaton.default_next[cell] : automaton.next[cell * automaton.labels + label];
    const std::int32_t action = label < 0 ? automaton.default_action[cell]
                                          : automaton.actions[cell * automaton.labels + label];
    if (!property.advance(code, next, property.local(action, t), t + 1, paid))
      return false;
    fields_[k].set(key.word, code);
  }
  return paid > kForbidden;
}

std::int32_t JointChain::follow(std::int32_t i, std::int32_t t, std::int32_t label,
                                double &paid) noexcept {
  Key key;
  if (!successor(now_.key(i), t, label, key, paid))
    return -1;
  const std::int32_t found = next_.find(key.word);
  if (found >= 0)
    return found;
  if (next_.full() && !make_room()) {
    outcome_->overflow = true;
    return -1;
  }
  return next_.append(key.word);
}

std::int32_t JointChain::mark(const std::uint64_t *key) noexcept {
  std::int32_t marked = 0;
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    const std::int32_t code = fields_[k].get(key);
    if (property.tracked() && code == property.settled())
      continue;
    const Property &automaton = *property.attached.property;
    const std::int64_t cell = automaton.cell(property.state_of(code), classes_[k]);
    for (std::int32_t e = automaton.exception_begin[cell]; e < automaton.exception_begin[cell + 1];
         ++e) {
      const std::int32_t y = automaton.exceptions[e];
      if (is_marked_[y] == 0) {
        is_marked_[y] = 1;
        marked_[marked++] = y;
      }
    }
  }
  for (std::int32_t e = 0; e < marked; ++e)
    is_marked_[marked_[e]] = 0;
  return marked;
}

// Distributes row_ over the configurations of next_. row_[y] is the score at position t with label
// y, coming from configuration i. Labels in marked_ are moved one by one; all other labels lead to
// the same configuration.
void JointChain::spread(std::int32_t i, std::int32_t t) noexcept {
  if (lower_) {
    const double least = threshold(now_.key(i));
    const double *after = completion_ + std::int64_t{t} * labels_;
    for (std::int32_t y = 0; y < labels_; ++y)
      row_[y] = row_[y] + after[y] >= least ? row_[y] : kForbidden;
  }
  const std::int32_t marked = mark(now_.key(i));
  for (std::int32_t e = 0; e < marked; ++e) {
    const std::int32_t y = marked_[e];
    const double score = row_[y];
    row_[y] = kForbidden;
    if (score == kForbidden || outcome_->overflow)
      continue;
    double paid = 0;
    const std::int32_t to = follow(i, t, y, paid);
    if (to >= 0 && sums_) {
      next_.row(to)[y] = sums_->add(next_.row(to)[y], score + paid);
    } else if (to >= 0 && score + paid > next_.row(to)[y]) {
      next_.row(to)[y] = score + paid;
      if (decode_)
        next_.back(to)[y] = i * labels_ + from_[y];
    }
  }
  if (outcome_->overflow || greatest({row_, to_size(labels_)}) == kForbidden)
    return;
  double paid = 0;
  const std::int32_t to = follow(i, t, -1, paid);
  if (to < 0)
    return;
  if (paid != 0)
    for (std::int32_t y = 0; y < labels_; ++y)
      row_[y] += paid;
  double *row = next_.row(to);
  if (sums_) {
    sums_->add_into({row_, to_size(labels_)}, {row, to_size(labels_)});
    return;
  }
  if (!decode_) {
    max_into({row_, to_size(labels_)}, {row, to_size(labels_)});
    return;
  }
  std::int32_t *back = next_.back(to);
  for (std::int32_t y = 0; y < labels_; ++y)
    if (row_[y] > row[y]) {
      row[y] = row_[y];
      back[y] = i * labels_ + from_[y];
    }
}

void JointChain::record(std::int32_t t) noexcept {
  const std::int64_t begin =
      t == 0 ? 0 : history_begin_[t - 1] + std::int64_t{previous_count_} * labels_;
  history_begin_[t] = begin;
  previous_count_ = now_.count();
  if (now_.count() > 0)
    std::copy_n(now_.back(0), std::int64_t{now_.count()} * labels_, history_ + begin);
}

double JointChain::final_score(const Scores &scores, const std::uint64_t *key, std::int32_t label,
                               std::int32_t &shown) const noexcept {
  const bool empty = length_ == 0;
  double score = empty ? 0.0 : scores.end()[label];
  shown = -1;
  for (std::int32_t k = 0; k < count_ && score > kForbidden; ++k) {
    const BoundProperty &property = properties_[k];
    const Property &automaton = *property.attached.property;
    const std::int32_t code = fields_[k].get(key);
    std::int32_t value = -1;
    if (!(property.tracked() && code == property.settled()) && automaton.fires_at_end)
      value = property.local(
          automaton.end_actions[std::int64_t{property.state_of(code)} * (labels_ + 1) +
                                (empty ? labels_ : label)],
          length_ - 1);
    std::int32_t fired = -1;
    score += property.final_payment(code, value, fired);
    if (k == outgoing_)
      shown = fired;
  }
  return score;
}

double JointChain::finish(Scores &scores, gsl::span<double> message,
                          gsl::span<std::int32_t> labelling) noexcept {
  const std::int32_t columns = length_ == 0 ? 1 : labels_;
  double *entries = message.data();
  if (outgoing_ >= 0) {
    const std::int32_t count = properties_[outgoing_].local_count + 2;
    Expects(message.size() >= to_size(count));
    std::fill_n(entries, count, kForbidden);
  }
  double best = kForbidden;
  std::int32_t best_configuration = -1;
  std::int32_t best_label = -1;
  for (std::int32_t i = 0; i < now_.count(); ++i) {
    if (!scores.spend(step_work()))
      return kForbidden;
    const double *row = now_.row(i);
    for (std::int32_t y = 0; y < columns; ++y) {
      std::int32_t shown = -1;
      const double score =
          row[y] == kForbidden ? kForbidden : row[y] + final_score(scores, now_.key(i), y, shown);
      if (score == kForbidden)
        continue;
      if (outgoing_ >= 0)
        entries[shown] = std::max(entries[shown], score);
      if (score > best) {
        best = score;
        best_configuration = i;
        best_label = y;
      }
    }
  }
  std::int32_t *labels = labelling.data();
  if (!labels || best == kForbidden)
    return best;
  Expects(labelling.size() >= to_size(length_));
  for (std::int32_t t = length_ - 1; t >= 0; --t) {
    if (!scores.spend(32)) // a step costs a cache miss
      return kForbidden;
    labels[t] = best_label;
    const std::int32_t back =
        history_[history_begin_[t] + std::int64_t{best_configuration} * labels_ + best_label];
    best_configuration = back / labels_;
    best_label = back % labels_;
  }
  return best;
}

} // namespace chorale
