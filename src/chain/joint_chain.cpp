// joint_chain.hpp explains the words used here.
#include "chain/joint_chain.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace chorale {
namespace {

// Relative tolerance for rounding errors in threshold().
constexpr double kJointRounding = 1e-9;
// Capacity of JointChain::all_, unless twice the rows of a set are more, or fewer configurations
// are possible. When all_ is full, configurations without rows are forgotten. Memory that is never
// touched costs nothing.
constexpr std::int64_t kConfigurations = 16384;
// Number of rows of backpointers that a decoding of JointUse::reach has memory for, in all
// positions together: kTracedPositions times the greatest number at one position, plus kTracedRows
// for each position.
constexpr std::int64_t kTracedPositions = 4;
constexpr std::int64_t kTracedRows = 8;

} // namespace

JointChain::JointChain(Layout &layout, const ChainView &view, std::int32_t count, std::int64_t most,
                       std::int32_t width, std::int64_t codes, JointUse use) noexcept
    : JointChain(layout, view, count, most, width, codes, use,
                 use == JointUse::reach ? width : staging_room(most, width, view.labels)) {}

JointChain::JointChain(Layout &layout, const ChainView &view, std::int32_t count, std::int64_t most,
                       std::int32_t width, std::int64_t codes, JointUse use,
                       std::int32_t room) noexcept
    : JointProgram(layout, view, count, width, room, codes),
      now_(layout, room, count, view.labels, decodes(use) ? 1 : 0, false),
      next_(layout, room, count, view.labels, decodes(use) ? 1 : 0, false),
      all_(layout,
           static_cast<std::int32_t>(
               std::min({std::max(kConfigurations, 2 * std::int64_t{room} + 1), most,
                         std::int64_t{INT32_MAX}})),
           count, 0, 0, true),
      bounds_(layout.take<double>(all_.capacity())),
      quiet_(layout.take<std::uint64_t>(all_.capacity())),
      has_quiet_(layout.take<std::uint8_t>(all_.capacity())),
      row_at_(layout.take<std::int32_t>(all_.capacity())),
      row_of_(layout.take<std::int32_t>(all_.capacity())),
      completion_(layout.take<double>(saturating_product(static_cast<std::size_t>(view.length),
                                                         static_cast<std::size_t>(view.labels)))),
      row_(layout.take<double>(view.labels)), alive_(layout.take<std::int32_t>(view.labels)),
      cells_(layout.take<Cell>(count)), most_slack_(layout.take<double>(count)) {
  const std::size_t all =
      saturating_product(static_cast<std::size_t>(length_), static_cast<std::size_t>(width));
  if (decodes(use)) {
    std::size_t rows = all;
    if (use == JointUse::reach)
      rows = std::min(rows, to_size(kTracedPositions * width + kTracedRows * length_));
    const std::size_t entries = saturating_product(rows, static_cast<std::size_t>(labels_));
    history_ = layout.take<std::int32_t>(entries);
    history_limit_ = static_cast<std::int64_t>(entries);
    history_begin_ = layout.take<std::int64_t>(length_);
  } else if (use == JointUse::marginals || use == JointUse::sums) {
    forward_keys_ =
        layout.take<std::int32_t>(saturating_product(all, static_cast<std::size_t>(count)));
    forward_rows_ = layout.take<double>(saturating_product(all, static_cast<std::size_t>(labels_)));
    forward_counts_ = layout.take<std::int32_t>(length_);
    if (use == JointUse::sums) {
      by_.weights = layout.take<double>(
          saturating_product(static_cast<std::size_t>(labels_), static_cast<std::size_t>(labels_)));
      by_.most = layout.take<double>(labels_);
      by_.from = layout.take<double>(labels_);
    }
  }
}

void JointChain::begin() noexcept {
  drops_ = targets_.lower > kForbidden;
  for (std::int32_t k = 0; k < count_ && drops_; ++k)
    if (properties_[k].role == Role::outgoing)
      most_slack_[k] = greatest(targets_.slack.row(k).first(to_size(properties_[k].entries())));
  lowered_ = 0;
  lost_ = kForbidden;
  lost_part_ = 0;
  is_classless_ = true;
  for (std::int32_t k = 0; k < count_; ++k)
    is_classless_ = is_classless_ && properties_[k].attached.property->classes == 1;
  now_.reset();
  next_.reset();
  all_.reset();
  all_.clear(0);
  stamp_ = 0;
  double paid = 0;
  for (std::int32_t k = 0; k < count_; ++k)
    key_[k] = properties_[k].first_code(paid);
  clear_next();
  std::fill_n(next_.row(append(intern(key_))), labels_, paid);
  std::swap(now_, next_);
}

double JointChain::run(Scores &scores, gsl::span<const BoundProperty> properties,
                       const JointLimits &limits, const JointTargets &targets,
                       JointOutcome &outcome) noexcept {
  start(scores, properties, limits, targets, nullptr, outcome);
  return go_forward(scores) ? finish(scores) : kForbidden;
}

bool JointChain::go_forward(Scores &scores) noexcept {
  begin();
  for (std::int32_t t = 0; t < length_; ++t) {
    if (!step(scores, t)) {
      outcome_->overflow = scores.limits().interruption() == Interruption::none;
      return false;
    }
    if (forward_rows_)
      keep_forward(t);
  }
  return true;
}

bool JointChain::step(Scores &scores, std::int32_t t) noexcept {
  const double *unary = scores.unary(t);
  const double *edges = t > 0 ? scores.forward(t) : nullptr;
  const std::ptrdiff_t stride = scores.forward_stride();
  const MaxPlus &max_plus = scores.max_plus();
  after_ = completion_ + std::int64_t{t} * labels_;
  into_ = decode_ && t > 0 ? scores.backward(t) : nullptr;
  clear_next();
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
      for (std::int32_t y = 0; y < labels_; ++y)
        row_[y] = before[y] + (scores.start()[y] + unary[y]);
    } else if (sums_) {
      sums_->step(before, labels_, by_, labels_, unary, row_);
    } else {
      max_plus.step(before, labels_, edges, stride, labels_, unary, row_);
    }
    spread(i, t);
    if (outcome_->overflow)
      return false;
  }
  if (next_.count() > limits_.width && !make_room())
    return false;
  outcome_->most = std::max<std::int64_t>(outcome_->most, next_.count());
  std::swap(now_, next_);
  if (decode_ && !record(t))
    return false;
  if (sums_)
    lowered_ += lower_to_zero({now_.row(0), to_size(std::int64_t{now_.count()} * labels_)});
  return true;
}

// Returns a threshold for the configuration `key`: a partial labelling may be dropped if the sum of
// its score and of its best completion without properties is below this number. To matter to a
// target (the best score, or an outgoing message), this sum must be at least the least score that
// matters to the target (JointTargets), minus the most that messages can still add, minus a
// tolerance for rounding. The threshold is the least of these numbers over all targets.
double JointChain::threshold(const std::int32_t *key) const noexcept {
  double most = kForbidden;
  for (std::int32_t but = 0; but <= count_; ++but) {
    double slack = -targets_.lower;
    if (but < count_) {
      if (properties_[but].role != Role::outgoing)
        continue;
      slack = properties_[but].greatest_after(key[but], targets_.slack.row(but).data(),
                                              most_slack_[but]);
    }
    double hope = 0;
    for (std::int32_t k = 0; k < count_; ++k)
      hope += k == but ? 0.0 : properties_[k].greatest_payment(key[k]);
    if (hope == kForbidden || slack == kForbidden)
      continue;
    if (slack == kInfinity)
      return kForbidden;
    most = std::max(most, slack + hope + kJointRounding * (std::fabs(slack) + std::fabs(hope)));
  }
  return -most;
}

// Prunes next_ to the beam width. False if pruning is not allowed.
bool JointChain::make_room() noexcept {
  for (std::int32_t i = 0; i < next_.count(); ++i)
    row_at_[next_.number(i)] = -1;
  if (sums_ && !limits_.exact)
    thin();
  else if (!prune(next_, labels_))
    return false;
  for (std::int32_t i = 0; i < next_.count(); ++i) {
    row_at_[next_.number(i)] = stamp_;
    row_of_[next_.number(i)] = i;
  }
  return true;
}

std::int32_t JointChain::intern(const std::int32_t *key) noexcept {
  const std::int32_t found = all_.find(key);
  if (found >= 0)
    return found;
  if (all_.full()) {
    all_.clear(0);
    for (std::int32_t i = 0; i < now_.count(); ++i)
      now_.number(i) = intern(now_.key(i));
    for (std::int32_t i = 0; i < next_.count(); ++i) {
      next_.number(i) = intern(next_.key(i));
      row_at_[next_.number(i)] = stamp_;
      row_of_[next_.number(i)] = i;
    }
    return intern(key);
  }
  const std::int32_t number = all_.append(key);
  bounds_[number] = drops_ ? threshold(key) : kForbidden;
  has_quiet_[number] = 0;
  row_at_[number] = -1;
  return number;
}

void JointChain::clear_next() noexcept {
  next_.clear(labels_);
  ++stamp_;
}

std::int32_t JointChain::append(std::int32_t number) noexcept {
  const std::int32_t to = next_.append(all_.key(number));
  next_.number(to) = number;
  row_at_[number] = stamp_;
  row_of_[number] = to;
  return to;
}

void JointChain::read_cells(const std::int32_t *key, std::int32_t t) noexcept {
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    const Property &automaton = *property.attached.property;
    const std::int32_t code = key[k];
    const bool is_settled = property.tracked() && code == property.settled();
    const std::int32_t state = is_settled ? automaton.dead() : property.state_of(code);
    const std::int64_t at = automaton.cell(state, property.attached.class_at(t)) * labels_;
    cells_[k] = {automaton.next + at, automaton.actions + at, state, is_settled};
  }
}

std::uint64_t JointChain::quiet_labels(std::int32_t number, std::int32_t t) noexcept {
  // A state that cannot fire any more is replaced by the dead one (BoundProperty::advance()), so no
  // label leads back to it.
  for (std::int32_t k = 0; k < count_; ++k)
    if (cells_[k].state != properties_[k].attached.property->dead() &&
        !properties_[k].may_fire(t + 1, cells_[k].state))
      return 0;
  if (has_quiet_[number] == 0 || !is_classless_) {
    has_quiet_[number] = 1;
    quiet_[number] = 0;
    for (std::int32_t y = 0; y < std::min(labels_, 64); ++y) {
      bool stays = true;
      for (std::int32_t k = 0; k < count_ && stays; ++k)
        stays = cells_[k].next[y] == cells_[k].state && cells_[k].fires[y] == CHORALE_FIRE_NOTHING;
      quiet_[number] |= std::uint64_t{stays} << y;
    }
  }
  return quiet_[number];
}

bool JointChain::successor(const std::int32_t *from, std::int32_t t, std::int32_t label,
                           double &paid) noexcept {
  std::copy_n(from, count_, key_);
  for (std::int32_t k = 0; k < count_; ++k) {
    if (cells_[k].is_settled)
      continue;
    const BoundProperty &property = properties_[k];
    std::int32_t code = from[k];
    if (!property.advance(code, cells_[k].next[label], property.local(cells_[k].fires[label], t),
                          t + 1, paid))
      return false;
    key_[k] = code;
  }
  return paid > kForbidden;
}

void JointChain::take(std::int32_t to, std::int32_t y, double score, std::int32_t i) noexcept {
  double &best = next_.row(to)[y];
  if (sums_) {
    best = sums_->add(best, score);
  } else if (score > best) {
    best = score;
    if (decode_)
      next_.back(to)[y] =
          i * labels_ + (into_ ? scores_->max_plus().best_sum(
                                     now_.row(i), into_ + y * scores_->backward_stride(), labels_)
                               : 0);
  }
}

// Moves row_ on to next_: row_[y], the score at position t with label y reached from row i of now_,
// goes to the row of the configuration that label y leads to. Forbidden scores and those below the
// thresholds in bounds_ are dropped.
void JointChain::spread(std::int32_t i, std::int32_t t) noexcept {
  const double bound = bounds_[now_.number(i)];
  std::int32_t count = 0;
  for (std::int32_t y = 0; y < labels_; ++y) {
    alive_[count] = y;
    count += row_[y] > kForbidden && (!drops_ || row_[y] + after_[y] >= bound) ? 1 : 0;
  }
  if (count == 0)
    return;
  const std::int32_t *from = now_.key(i);
  read_cells(from, t);
  const std::uint64_t quiet = quiet_labels(now_.number(i), t);
  for (std::int32_t e = 0; e < count; ++e) {
    const std::int32_t y = alive_[e];
    double score = row_[y];
    std::int32_t to = now_.number(i);
    if (y >= 64 || (quiet >> y & 1) == 0) {
      double paid = 0;
      if (!successor(from, t, y, paid))
        continue;
      score += paid;
      to = intern(key_);
      if (drops_ && !(score + after_[y] >= bounds_[to]))
        continue;
    }
    if (row_at_[to] != stamp_) {
      if (next_.full() && !make_room()) {
        outcome_->overflow = true;
        return;
      }
      append(to);
    }
    take(row_of_[to], y, score, i);
  }
}

// Keeps the backpointers of now_. False if there is no memory for them.
bool JointChain::record(std::int32_t t) noexcept {
  const std::int64_t begin =
      t == 0 ? 0 : history_begin_[t - 1] + std::int64_t{previous_count_} * labels_;
  const std::int64_t entries = std::int64_t{now_.count()} * labels_;
  if (entries > history_limit_ - begin)
    return false;
  history_begin_[t] = begin;
  previous_count_ = now_.count();
  if (entries > 0)
    std::copy_n(now_.back(0), entries, history_ + begin);
  return true;
}

double JointChain::final_score(const Scores &scores, const std::int32_t *key,
                               std::int32_t label) noexcept {
  const bool empty = length_ == 0;
  double score = empty ? 0.0 : scores.end()[label];
  for (std::int32_t k = 0; k < count_ && score > kForbidden; ++k) {
    const BoundProperty &property = properties_[k];
    const Property &automaton = *property.attached.property;
    const std::int32_t code = key[k];
    std::int32_t value = -1;
    if (!(property.tracked() && code == property.settled()) && automaton.fires_at_end)
      value = property.local(
          automaton.end_actions[std::int64_t{property.state_of(code)} * (labels_ + 1) +
                                (empty ? labels_ : label)],
          length_ - 1);
    score += property.final_payment(code, value, fired_[k]);
  }
  return score;
}

double JointChain::finish(Scores &scores) noexcept {
  const std::int32_t columns = length_ == 0 ? 1 : labels_;
  double best = kForbidden;
  std::int32_t best_configuration = -1;
  std::int32_t best_label = -1;
  for (std::int32_t i = 0; i < now_.count(); ++i) {
    if (!scores.spend(step_work()))
      return kForbidden;
    const double *row = now_.row(i);
    for (std::int32_t y = 0; y < columns; ++y) {
      const double score =
          row[y] == kForbidden ? kForbidden : row[y] + final_score(scores, now_.key(i), y);
      if (score == kForbidden)
        continue;
      if (const double total = collect(score); total > best) {
        best = total;
        best_configuration = i;
        best_label = y;
      }
    }
  }
  std::int32_t *labels = targets_.labelling.data();
  if (!decode_ || best == kForbidden)
    return best;
  Expects(targets_.labelling.size() >= to_size(length_));
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
