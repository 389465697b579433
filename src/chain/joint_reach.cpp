// joint_reach.hpp explains the words used here.
#include "chain/joint_reach.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace chorale {
namespace {

// Relative tolerance for rounding errors in pruning.
constexpr double kReachRounding = 1e-9;
// Capacities. Most passes use a small part of them, and memory that is never touched costs nothing.
constexpr std::int32_t kConfigurations = 16384;       // configurations of a whole pass
constexpr std::uint32_t kSlots = 2 * kConfigurations; // greatest number of slots in the hash table
constexpr std::uint32_t kFewSlots = 256; // slots at first: most passes have few configurations
// Rows of one position: kRowScores / m, but at least kLeastRows and at most kMostRows.
constexpr std::int64_t kRowScores = std::int64_t{1} << 17;
constexpr std::int64_t kLeastRows = 2048;
constexpr std::int64_t kMostRows = 8192;
// Rows of all positions together, in a tracing pass, which keeps them: kTracedPositions times the
// greatest number for one position, plus kTracedRows * T.
constexpr std::int64_t kTracedPositions = 4;
constexpr std::int64_t kTracedRows = 8;

std::int64_t rows_of(std::int32_t labels) noexcept {
  return std::clamp(kRowScores / labels, kLeastRows, kMostRows);
}

} // namespace

JointReach::JointReach(Layout &layout, const ChainView &view, const Attachments &attachments,
                       BoundTables *shared) noexcept
    : labelling(layout.take_span<std::int32_t>(view.length)), length_(view.length),
      labels_(view.labels), count_(attachments.count), scores_(layout, view),
      properties_(layout.take<BoundProperty>(count_)),
      row_limit_(rows_of(view.labels)),
      traced_rows_(kTracedPositions * row_limit_ + kTracedRows * view.length) {
  for (std::int32_t k = 0; k < count_; ++k) {
    BoundTables *tables = shared && !layout.measuring() ? shared + k : shared;
    const BoundProperty property(layout, attachments.at(k), false, tables);
    message_limit_ = std::max(message_limit_, property.code_limit(Role::outgoing));
    if (!layout.measuring())
      new (properties_ + k) BoundProperty(property);
  }
  const auto rows = [&](std::int64_t number) {
    return saturating_product(to_size(number), static_cast<std::size_t>(labels_));
  };
  completion_ = layout.take<double>(rows(length_));
  row_ = layout.take<double>(labels_);
  kept_ = layout.take<std::int32_t>(labels_);
  outgoing_ = layout.take<double>(
      saturating_product(to_size(message_limit_), static_cast<std::size_t>(count_)));
  steady_ = layout.take<double>(
      saturating_product(to_size(message_limit_), static_cast<std::size_t>(count_)));
  most_steady_ = layout.take<double>(count_);
  attained_ = layout.take<double>(count_ + 1);
  least_ = layout.take<double>(count_ + 1);
  values_ = layout.take<std::int32_t>(count_);
  memories_ = layout.take<Memory>(std::int64_t{kConfigurations} * count_);
  slack_ = layout.take<double>(kConfigurations);
  quiet_ = layout.take<std::uint64_t>(kConfigurations);
  has_quiet_ = layout.take<std::uint8_t>(kConfigurations);
  row_at_ = layout.take<std::int32_t>(kConfigurations);
  row_of_ = layout.take<std::int32_t>(kConfigurations);
  table_ = layout.take<std::int32_t>(std::int64_t{kSlots});
  successor_ = layout.take<Memory>(count_);
  next_ = layout.take<const std::int32_t *>(count_);
  fires_ = layout.take<const std::int32_t *>(count_);
  for (int k = 0; k < 2; ++k) {
    rows_[k] = layout.take<double>(rows(row_limit_));
    numbers_[k] = layout.take<std::int32_t>(row_limit_);
  }
  all_rows_ = layout.take<double>(rows(traced_rows_));
  all_backs_ = layout.take<std::int32_t>(rows(traced_rows_));
  all_numbers_ = layout.take<std::int32_t>(traced_rows_);
  row_begin_ = layout.take<std::int64_t>(std::int64_t{length_} + 1);
}

bool JointReach::prepare(Limits *limits) noexcept {
  bool goes_on = scores_.load(limits);
  for (std::int32_t k = 0; k < count_ && goes_on; ++k)
    goes_on = properties_[k].bind({}, scores_.limits());
  is_classless_ = true;
  for (std::int32_t k = 0; k < count_; ++k)
    is_classless_ = is_classless_ && properties_[k].attached.property->classes == 1;
  std::fill_n(attained_, count_ + 1, kForbidden);
  std::fill_n(steady_, count_ * message_limit_, 0.0);
  return goes_on && scores_.complete({completion_, to_size(length_) * to_size(labels_)},
                                     {row_, to_size(labels_)}, labelling);
}

bool JointReach::read_values(gsl::span<const std::int32_t> labels,
                             gsl::span<const std::int32_t> shown) noexcept {
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    const std::int32_t value = shown.data()[k];
    const std::int32_t beyond = value - property.attached.values();
    if (value < 0 || (property.watches_conflicts() && property.attached.fires_outside(labels, {})))
      return false;
    const std::int32_t *end = property.numbers + property.local_count;
    values_[k] = beyond >= 0 ? property.local_count + beyond
                             : static_cast<std::int32_t>(std::lower_bound<const std::int32_t *>(
                                                             property.numbers, end, value) -
                                                         property.numbers);
  }
  return true;
}

bool JointReach::offer(gsl::span<const std::int32_t> labels, double score,
                       gsl::span<const std::int32_t> shown) noexcept {
  Expects(labels.size() >= to_size(length_) && shown.size() >= to_size(count_));
  const ChainView &view = scores_.view();
  const std::int32_t *label_at = labels.data();
  for (std::int32_t t = 0; t < length_ && view.limits_labels(); ++t)
    if (!view.allows(t, label_at[t]))
      return false;
  if (!read_values(labels, shown))
    return false;
  bool is_best = false;
  for (std::int32_t but = 0; but <= count_; ++but) {
    double total = score;
    for (std::int32_t k = 0; k < count_; ++k)
      total += (k == but ? steady_part(k) : properties_[k].message)[values_[k]];
    is_best = total > kForbidden && total >= attained_[but];
    attained_[but] = std::max(attained_[but], total);
  }
  return is_best;
}

double JointReach::most_paid(std::int32_t k, const Memory &memory, const double *row,
                             double greatest) const noexcept {
  const BoundProperty &property = properties_[k];
  if (memory.state == property.attached.property->dead())
    return row[memory.fired];
  if (memory.fired == property.empty())
    return greatest;
  return std::max(row[memory.fired], row[property.conflict()]);
}

double JointReach::slack_of(const Memory *of) const noexcept {
  double most = kForbidden;
  for (std::int32_t but = 0; but <= count_; ++but) {
    if (least_[but] == kInfinity)
      continue;
    double hope = 0;
    for (std::int32_t k = 0; k < count_; ++k)
      hope += k == but
                  ? most_paid(k, of[k], steady_part(k), most_steady_[k])
                  : most_paid(k, of[k], properties_[k].message, properties_[k].greatest_message);
    if (hope == kForbidden)
      continue;
    if (least_[but] == kForbidden)
      return kInfinity;
    most = std::max(most, hope - least_[but] +
                              kReachRounding * (std::fabs(hope) + std::fabs(least_[but])));
  }
  return most;
}

// Returns the slot of the hash table at which the search for a configuration begins.
std::uint32_t JointReach::first_slot(const Memory *of) const noexcept {
  std::uint64_t hash = 0;
  for (std::int32_t k = 0; k < count_; ++k) {
    hash = (hash ^ static_cast<std::uint32_t>(of[k].state)) * 0x9e3779b97f4a7c15;
    hash = (hash ^ static_cast<std::uint32_t>(of[k].fired)) * 0x9e3779b97f4a7c15;
  }
  return static_cast<std::uint32_t>(hash >> 32) & (slots_ - 1);
}

// Gives the hash table `slots` slots, a power of two, and enters all configurations again.
void JointReach::resize_table(std::uint32_t slots) noexcept {
  slots_ = slots;
  std::fill_n(table_, slots, -1);
  for (std::int32_t number = 0; number < configurations_; ++number) {
    std::uint32_t slot = first_slot(memories(number));
    while (table_[slot] >= 0)
      slot = (slot + 1) & (slots_ - 1);
    table_[slot] = number;
  }
}

std::int32_t JointReach::intern(const Memory *of) noexcept {
  std::uint32_t slot = first_slot(of);
  for (; table_[slot] >= 0; slot = (slot + 1) & (slots_ - 1)) {
    const Memory *other = memories(table_[slot]);
    bool equal = true;
    for (std::int32_t k = 0; k < count_ && equal; ++k)
      equal = other[k].state == of[k].state && other[k].fired == of[k].fired;
    if (equal)
      return table_[slot];
  }
  if (configurations_ == kConfigurations)
    return -1;
  const std::int32_t number = configurations_++;
  std::copy_n(of, count_, memories(number));
  slack_[number] = slack_of(of);
  row_at_[number] = -1;
  has_quiet_[number] = 0;
  table_[slot] = number;
  if (slots_ < kSlots && 2 * static_cast<std::uint32_t>(configurations_) > slots_)
    resize_table(2 * slots_);
  return number;
}

// Returns the labels (bit y for label y; only the first 64) at which no property fires or changes
// its state, so that the configuration of_ is its own successor.
std::uint64_t JointReach::quiet_labels() const noexcept {
  std::uint64_t quiet = 0;
  for (std::int32_t y = 0; y < std::min(labels_, 64); ++y) {
    bool stays = true;
    for (std::int32_t k = 0; k < count_ && stays; ++k)
      stays = next_[k][y] == of_[k].state && fires_[k][y] == CHORALE_FIRE_NOTHING;
    quiet |= std::uint64_t{stays} << y;
  }
  return quiet;
}

// Sets next_ and fires_ for the configuration of_ and position t.
void JointReach::read_cells(std::int32_t t) noexcept {
  for (std::int32_t k = 0; k < count_; ++k) {
    const Property &automaton = *properties_[k].attached.property;
    const std::int64_t cell =
        automaton.cell(of_[k].state, properties_[k].attached.class_at(t)) * labels_;
    next_[k] = automaton.next + cell;
    fires_[k] = automaton.actions + cell;
  }
}

// True if every automaton state of the configuration of_ is dead or may still fire after position
// t. If not, follow() replaces some state by the dead one, so that even quiet_labels() change the
// configuration.
bool JointReach::lives_on(std::int32_t t) const noexcept {
  for (std::int32_t k = 0; k < count_; ++k)
    if (of_[k].state != properties_[k].attached.property->dead() &&
        !properties_[k].may_fire(t + 1, of_[k].state))
      return false;
  return true;
}

bool JointReach::follow(std::int32_t t, std::int32_t label) noexcept {
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    const std::int32_t dead = property.attached.property->dead();
    const std::int32_t value = property.local(fires_[k][label], t);
    if (value == BoundProperty::kOutside)
      return false;
    Memory &to = successor_[k];
    to.state = next_[k][label];
    to.fired = value < 0 ? of_[k].fired : property.join(of_[k].fired, value);
    if (!property.may_fire(t + 1, to.state) ||
        (to.fired == property.conflict() && !property.watches_conflicts()))
      to.state = dead;
  }
  return true;
}

JointReach::End JointReach::step(std::int32_t t) noexcept {
  const double *unary = scores_.unary(t);
  const double *edges = t > 0 ? scores_.forward(t) : nullptr;
  const double *after = completion_ + std::int64_t{t} * labels_;
  const MaxPlus &max_plus = scores_.max_plus();
  const std::int64_t room =
      traces_ ? std::min(traced_rows_ - row_begin_[t], row_limit_) : row_limit_;
  if (!scores_.spend(16 + 2 * std::int64_t{labels_} * labels_))
    return End::interrupted;
  after_count_ = 0;
  for (std::int32_t i = 0; i < now_count_; ++i) {
    if (!scores_.spend(std::int64_t{labels_} * (labels_ + 16) + 64 * count_))
      return End::interrupted;
    const double *before = now_ + std::int64_t{i} * labels_;
    if (edges)
      max_plus.step(before, labels_, edges, scores_.forward_stride(), labels_, unary, row_);
    else
      for (std::int32_t y = 0; y < labels_; ++y)
        row_[y] = before[y] + (scores_.start()[y] + unary[y]);
    const std::int32_t number = now_numbers_[i];
    const double slack = slack_[number];
    std::int32_t kept = 0;
    for (std::int32_t y = 0; y < labels_; ++y) {
      kept_[kept] = y;
      kept += row_[y] > kForbidden && row_[y] + after[y] + slack >= 0 ? 1 : 0;
    }
    if (kept == 0)
      continue;
    of_ = memories(number);
    bool has_cells = false;
    if (!has_quiet_[number] || !is_classless_) {
      read_cells(t);
      has_cells = true;
      quiet_[number] = quiet_labels();
      has_quiet_[number] = 1;
    }
    const std::uint64_t quiet = lives_on(t) ? quiet_[number] : 0;
    for (std::int32_t e = 0; e < kept; ++e) {
      const std::int32_t y = kept_[e];
      std::int32_t to = number;
      if (y >= 64 || (quiet >> y & 1) == 0) {
        if (!has_cells)
          read_cells(t);
        has_cells = true;
        if (!follow(t, y))
          continue;
        to = intern(successor_);
        if (to < 0)
          return End::overflow;
        if (!(row_[y] + after[y] + slack_[to] >= 0))
          continue;
      }
      if (row_at_[to] != t) {
        if (after_count_ == room)
          return End::overflow;
        row_at_[to] = t;
        row_of_[to] = after_count_;
        after_numbers_[after_count_] = to;
        std::fill_n(after_ + std::int64_t{after_count_} * labels_, labels_, kForbidden);
        ++after_count_;
      }
      const std::int64_t at = std::int64_t{row_of_[to]} * labels_ + y;
      if (row_[y] > after_[at]) {
        after_[at] = row_[y];
        if (traces_)
          all_backs_[row_begin_[t] * labels_ + at] = i;
      }
    }
  }
  return End::done;
}

JointReach::End JointReach::pass(bool sends, bool traces) noexcept {
  traces_ = traces;
  configurations_ = 0;
  // The steps of growing the table later are few beside those of the rows that fill it, so they are
  // not counted.
  if (!scores_.spend(kFewSlots / 8))
    return End::interrupted;
  resize_table(kFewSlots);
  for (std::int32_t k = 0; k < count_; ++k) {
    const BoundProperty &property = properties_[k];
    const std::int32_t start = property.attached.property->start;
    const std::int32_t dead = property.attached.property->dead();
    successor_[k] = {property.may_fire(0, start) ? start : dead, property.empty()};
  }
  // The initial row is in rows_[1], since the rows of position 0 are written to rows_[0].
  now_ = rows_[1];
  now_numbers_ = numbers_[1];
  now_numbers_[0] = intern(successor_);
  now_count_ = 1;
  std::fill_n(now_, labels_, 0.0);
  row_begin_[0] = 0;
  for (std::int32_t t = 0; t < length_; ++t) {
    after_ = traces ? all_rows_ + row_begin_[t] * labels_ : rows_[t % 2];
    after_numbers_ = traces ? all_numbers_ + row_begin_[t] : numbers_[t % 2];
    if (const End end = step(t); end != End::done)
      return end;
    row_begin_[t + 1] = row_begin_[t] + after_count_;
    now_ = after_;
    now_numbers_ = after_numbers_;
    now_count_ = after_count_;
  }
  if (!scores_.spend(std::int64_t{now_count_} * labels_ * (8 + count_)))
    return End::interrupted;
  finish(sends);
  return End::done;
}

void JointReach::finish(bool sends) noexcept {
  best_ = kForbidden;
  best_row_ = best_label_ = -1;
  for (std::int32_t k = 0; k < count_ && sends; ++k)
    std::fill_n(message(k), entries(k), kForbidden);
  for (std::int32_t i = 0; i < now_count_; ++i) {
    const Memory *of = memories(now_numbers_[i]);
    for (std::int32_t y = 0; y < labels_; ++y) {
      const double score = now_[std::int64_t{i} * labels_ + y] + scores_.end()[y];
      if (score == kForbidden)
        continue;
      bool outside = false;
      for (std::int32_t k = 0; k < count_; ++k) {
        const BoundProperty &property = properties_[k];
        const Property &automaton = *property.attached.property;
        values_[k] = of[k].fired;
        if (!automaton.fires_at_end)
          continue;
        const std::int32_t value = property.local(
            automaton.end_actions[std::int64_t{of[k].state} * (labels_ + 1) + y], length_ - 1);
        outside = outside || value == BoundProperty::kOutside;
        if (value >= 0)
          values_[k] = property.join(values_[k], value);
      }
      if (outside)
        continue;
      for (std::int32_t but = sends ? 0 : count_; but <= count_; ++but) {
        double total = score;
        for (std::int32_t k = 0; k < count_; ++k)
          total += k == but ? 0.0 : properties_[k].message[values_[k]];
        if (but < count_) {
          double &to = message(but)[values_[but]];
          to = std::max(to, total);
        } else if (total > best_) {
          best_ = total;
          best_row_ = i;
          best_label_ = y;
        }
      }
    }
  }
}

JointReach::End JointReach::run(gsl::span<const double> reaches) noexcept {
  Expects(reaches.empty() || reaches.size() >= to_size(count_));
  const double *reach = reaches.data();
  for (std::int32_t k = 0; k < count_; ++k)
    least_[k] = !reach                       ? kInfinity
                : attained_[k] == kForbidden ? kForbidden
                                             : attained_[k] - reach[k];
  least_[count_] = offered();
  for (std::int32_t k = 0; k < count_; ++k)
    most_steady_[k] = *std::max_element(steady_part(k), steady_part(k) + entries(k));
  End end = pass(reach, !reach);
  has_trace_ = !reach && end == End::done;
  // If the rows of all positions do not fit into the memory, a pass that does not keep them finds
  // the best score. trace() then prunes all partial labellings that cannot reach it.
  if (!reach && end == End::overflow)
    end = pass(false, false);
  if (end != End::done)
    return end;
  best_ = std::max(best_, offered());
  for (std::int32_t k = 0; k < count_ && reach; ++k) {
    double *to = message(k);
    const double *steady = steady_part(k);
    double most = attained_[k];
    for (std::int32_t v = 0; v < entries(k); ++v)
      most = std::max(most, to[v] + steady[v]);
    for (std::int32_t v = 0; v < entries(k); ++v)
      to[v] = std::max(to[v], most - reach[k] - steady[v]);
  }
  return end;
}

void JointReach::write_message(std::int32_t k, gsl::span<double> row) const noexcept {
  const BoundProperty &property = properties_[k];
  const std::int32_t values = property.attached.values();
  Expects(row.size() >= to_size(values + 2));
  double *to = row.data();
  const double *entries = message(k);
  std::fill_n(to, values, kForbidden);
  for (std::int32_t v = 0; v < property.local_count; ++v)
    to[property.numbers[v]] = entries[v];
  to[values] = entries[property.empty()];
  to[values + 1] = entries[property.conflict()];
}

JointReach::End JointReach::trace() noexcept {
  if (!has_trace_) {
    std::fill_n(least_, count_, kInfinity);
    least_[count_] = best_;
    if (const End end = pass(false, true); end != End::done)
      return end;
  }
  std::int32_t *labels = labelling.data();
  std::int32_t row = best_row_;
  std::int32_t label = best_label_;
  if (row < 0)
    return End::overflow;
  for (std::int32_t t = length_ - 1; t >= 0; --t) {
    if (!scores_.spend(32 + 2 * std::int64_t{labels_}))
      return End::interrupted;
    labels[t] = label;
    if (t == 0)
      break;
    row = all_backs_[(row_begin_[t] + row) * labels_ + label];
    const double *before = all_rows_ + (row_begin_[t - 1] + row) * labels_;
    scores_.into(t, label, {row_, to_size(labels_)});
    for (std::int32_t y = 0; y < labels_; ++y)
      row_[y] += before[y];
    label = index_of_greatest({row_, to_size(labels_)});
  }
  return End::done;
}

} // namespace chorale
