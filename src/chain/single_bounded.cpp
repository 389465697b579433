#include "chain/single_bounded.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

constexpr std::int64_t kFewestValues = 8;     // with fewer, all rows cost less than their bounds
constexpr std::int64_t kMostBoundRows = 4096; // backward rows; longer chains follow all rows
constexpr std::int32_t kManyClasses = 8;      // more are not scanned for find_columns()

} // namespace

bool BoundedSingle::serves(const ChainView &view, const Property &property,
                           std::int64_t codes) noexcept {
  return view.length > 0 && property.states > 1 && codes / property.states >= kFewestValues &&
         std::int64_t{view.length} * property.states <= kMostBoundRows;
}

BoundedSingle::BoundedSingle(Layout &layout, const ChainView &view, const Property &property,
                             std::int64_t codes) noexcept
    : labels_(view.labels), states_(property.states), dead_(property.states - 1) {
  const std::int64_t values = codes / states_;
  const auto rows = [&](std::int64_t number) {
    return saturating_product(to_size(number), static_cast<std::size_t>(labels_));
  };
  const std::int64_t all = std::int64_t{view.length} * states_;
  silent_ = layout.take<double>(rows(all));
  firing_ = layout.take<double>(rows(all));
  has_dead_ = layout.take<std::uint8_t>(view.length);
  for (int k = 0; k < 2; ++k) {
    rows_[k] = layout.take<double>(rows(values * states_));
    empty_[k] = layout.take<double>(rows(states_));
    codes_[k] = layout.take<std::int32_t>(values * states_);
  }
  is_next_ = layout.take<std::uint8_t>(values * states_);
  work_ = layout.take<double>(labels_);
  more_work_ = layout.take<double>(labels_);
  firings_ = layout.take<Firing>(rows(all));
  best_ = layout.take<Firing>(values);
  bounds_ = layout.take<double>(values);
  leads_ = layout.take<std::int32_t>(rows(states_));
  fires_ = layout.take<std::int32_t>(rows(states_));
  keeps_ = layout.take<double>(rows(states_));
  pays_ = layout.take<double>(rows(states_));
  others_ = layout.take<std::int32_t>(rows(states_));
  payers_ = layout.take<std::int32_t>(rows(states_));
  usual_ = layout.take<std::int32_t>(states_);
  other_count_ = layout.take<std::int32_t>(states_);
  payer_count_ = layout.take<std::int32_t>(states_);
  keeper_count_ = layout.take<std::int32_t>(states_);
  meets_dead_ = layout.take<std::uint8_t>(states_);
  first_column_ = layout.take<std::int32_t>(states_);
  end_column_ = layout.take<std::int32_t>(states_);
}

double BoundedSingle::either(std::int32_t t, std::int32_t state, std::int32_t y) const noexcept {
  const double without = silent(t, state)[y];
  if (state == dead_)
    return without;
  const double with = firing(t, state)[y];
  return without < with ? with : without;
}

// Many states occur under few labels only, so their completions are needed for these alone.
void BoundedSingle::find_columns() noexcept {
  const Property &automaton = *property_->attached.property;
  const bool scans = automaton.classes <= kManyClasses;
  for (std::int32_t s = 0; s < states_; ++s) {
    first_column_[s] = scans && s != dead_ ? labels_ : 0;
    end_column_[s] = scans && s != dead_ ? 0 : labels_;
  }
  const std::int64_t cells = scans ? std::int64_t{dead_} * automaton.classes : 0;
  for (std::int64_t cell = 0; cell < cells; ++cell)
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t s = automaton.next[cell * labels_ + y];
      first_column_[s] = std::min(first_column_[s], y);
      end_column_[s] = std::max(end_column_[s], y + 1);
    }
  // The loops want at least one vector.
  constexpr std::int32_t kVector = 4;
  for (std::int32_t s = 0; s < states_; ++s) {
    end_column_[s] = std::min(labels_, std::max(end_column_[s], first_column_[s] + kVector));
    first_column_[s] = std::max(0, std::min(first_column_[s], end_column_[s] - kVector));
  }
}

void BoundedSingle::read_position(std::int32_t t) noexcept {
  const Property &automaton = *property_->attached.property;
  if (t == position_)
    return;
  if (position_ >= 0 && automaton.classes == 1 && !automaton.fires_table) {
    bool alike = true;
    for (std::int32_t s = 0; s < dead_ && alike; ++s)
      alike = property_->may_fire(t, s) == property_->may_fire(position_, s) &&
              property_->may_fire(t + 1, s) == property_->may_fire(position_ + 1, s);
    if (alike) {
      position_ = t;
      return;
    }
  }
  position_ = t;
  for (std::int32_t s = 0; s < dead_; ++s) {
    if (!property_->may_fire(t, s))
      continue;
    const std::int64_t cell = automaton.cell(s, property_->attached.class_at(t));
    const std::int64_t at = std::int64_t{s} * labels_;
    usual_[s] = alive_after(t, automaton.default_next[cell]);
    other_count_[s] = payer_count_[s] = keeper_count_[s] = 0;
    meets_dead_[s] = 0;
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t value = property_->local(automaton.actions[cell * labels_ + y], t);
      const std::int32_t next = alive_after(t, automaton.next[cell * labels_ + y]);
      fires_[at + y] = value;
      leads_[at + y] = next;
      keeps_[at + y] = value == -1 && next == usual_[s] ? 0.0 : kForbidden;
      pays_[at + y] = value >= 0 && next == usual_[s] ? 0.0 : kForbidden;
      if (value == BoundProperty::kOutside)
        continue;
      if (next != usual_[s])
        others_[at + other_count_[s]++] = y;
      if (value >= 0)
        payers_[at + payer_count_[s]++] = y;
      else if (next == usual_[s])
        ++keeper_count_[s];
      if (next == dead_)
        meets_dead_[s] = 1;
    }
    const auto lower = [this, at](std::int32_t a, std::int32_t b) {
      return fires_[at + a] != fires_[at + b] ? fires_[at + a] < fires_[at + b] : a < b;
    };
    std::int32_t *payers = payers_ + at;
    if (!std::is_sorted(payers, payers + payer_count_[s], lower))
      std::sort(payers, payers + payer_count_[s], lower);
  }
}

void BoundedSingle::find_dead_rows(std::int32_t length) noexcept {
  bool needed = !property_->may_fire(0, property_->attached.property->start);
  for (std::int32_t t = 0; t < length; ++t) {
    if (!needed) {
      read_position(t);
      for (std::int32_t s = 0; s < dead_; ++s)
        needed = needed || (property_->may_fire(t, s) && meets_dead_[s] != 0);
    }
    has_dead_[t] = needed ? 1 : 0;
  }
}

// Completions, from the last position to the first.
bool BoundedSingle::complete(Scores &scores) noexcept {
  const Property &automaton = *property_->attached.property;
  const MaxPlus &kernels = scores.max_plus();
  const std::int32_t last = scores.length() - 1;
  const double *end = scores.end();
  for (std::int32_t s = 0; s < states_; ++s)
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t value =
          s == dead_ ? -1
                     : property_->local(automaton.end_actions[s * (labels_ + std::int64_t{1}) + y],
                                        last);
      silent(last, s)[y] = value == -1 ? end[y] : kForbidden;
      firing(last, s)[y] = value >= 0 ? end[y] : kForbidden;
    }
  for (std::int32_t t = last; t > 0; --t) {
    if (!scores.spend(std::int64_t{states_} * (2 * labels_ + 16) * labels_))
      return false;
    const double *edges = scores.backward(t);
    const std::ptrdiff_t stride = scores.backward_stride();
    const double *unary = scores.unary(t);
    read_position(t);
    if (has_dead_[t - 1] != 0) {
      const double *after = silent(t, dead_);
      for (std::int32_t y = 0; y < labels_; ++y)
        work_[y] = unary[y] + after[y];
      kernels.step(work_, labels_, edges, stride, labels_, nullptr, silent(t - 1, dead_));
    }
    for (std::int32_t s = 0; s < dead_; ++s) {
      if (!property_->may_fire(t, s) || first_column_[s] >= end_column_[s])
        continue;
      const std::int64_t at = std::int64_t{s} * labels_;
      const double *keeps = keeps_ + at;
      const double *pays = pays_ + at;
      const std::int32_t usual = usual_[s];
      const double *without = silent(t, usual);
      const double *with = firing(t, usual);
      if (usual == dead_ && has_dead_[t] == 0) {
        std::fill_n(work_, labels_, kForbidden);
        std::fill_n(more_work_, labels_, kForbidden);
      } else if (usual == dead_) {
        for (std::int32_t y = 0; y < labels_; ++y) {
          work_[y] = unary[y] + without[y] + keeps[y];
          more_work_[y] = unary[y] + without[y] + pays[y];
        }
      } else {
        for (std::int32_t y = 0; y < labels_; ++y) {
          const double paid = (without[y] < with[y] ? with[y] : without[y]) + pays[y];
          const double kept = with[y] + keeps[y];
          work_[y] = unary[y] + (without[y] + keeps[y]);
          more_work_[y] = unary[y] + (kept < paid ? paid : kept);
        }
      }
      for (std::int32_t i = 0; i < other_count_[s]; ++i) {
        const std::int32_t y = others_[at + i];
        const std::int32_t next = leads_[at + y];
        if (fires_[at + y] >= 0) {
          more_work_[y] = unary[y] + either(t, next, y);
        } else {
          work_[y] = unary[y] + silent(t, next)[y];
          more_work_[y] = next == dead_ ? kForbidden : unary[y] + firing(t, next)[y];
        }
      }
      const std::int32_t first = first_column_[s];
      const std::int32_t columns = end_column_[s] - first;
      double *to = silent(t - 1, s);
      double *to_more = firing(t - 1, s);
      if (columns < labels_) {
        std::fill_n(to, labels_, kForbidden);
        std::fill_n(to_more, labels_, kForbidden);
      }
      kernels.step(work_, labels_, edges + first, stride, columns, nullptr, to + first);
      kernels.step(more_work_, labels_, edges + first, stride, columns, nullptr, to_more + first);
    }
  }
  return true;
}

// Rows "nothing fired yet", and all labellings that fire at most once. Lists the firings after
// which others may matter.
bool BoundedSingle::fire_once(Scores &scores) noexcept {
  const Property &automaton = *property_->attached.property;
  const MaxPlus &kernels = scores.max_plus();
  const std::int32_t length = scores.length();
  double *now = empty_[0];
  double *next = empty_[1];
  firing_count_ = 0;
  std::fill_n(bounds_, property_->local_count, kForbidden);
  for (std::int32_t t = 0; t < length; ++t) {
    if (!scores.spend(std::int64_t{states_} * (labels_ + 16) * labels_))
      return false;
    const double *unary = scores.unary(t);
    const double *edges = t > 0 ? scores.forward(t) : nullptr;
    read_position(t);
    std::fill_n(next, std::int64_t{dead_} * labels_, kForbidden);
    for (std::int32_t s = 0; s < dead_; ++s) {
      if (!property_->may_fire(t, s) || (t == 0 && s != automaton.start))
        continue;
      const std::int64_t at = std::int64_t{s} * labels_;
      if (edges) {
        kernels.step(row(now, s), labels_, edges, scores.forward_stride(), labels_, unary, work_);
      } else {
        for (std::int32_t y = 0; y < labels_; ++y)
          work_[y] = scores.start()[y] + unary[y];
      }
      if (t == 0)
        for (std::int32_t y = 0; y < labels_; ++y)
          if (fires_[at + y] == -1)
            message_[property_->empty()] = std::max(message_[property_->empty()],
                                                    work_[y] + silent(t, leads_[at + y])[y]);
      for (std::int32_t i = 0; i < payer_count_[s]; ++i) {
        const std::int32_t y = payers_[at + i];
        const std::int32_t value = fires_[at + y];
        const std::int32_t to = leads_[at + y];
        message_[value] = std::max(message_[value], work_[y] + silent(t, to)[y]);
        if (to == dead_)
          continue;
        const double bound = work_[y] + firing(t, to)[y];
        if (bound == kForbidden)
          continue;
        const Firing one{t, y, to, value, work_[y]};
        firings_[firing_count_++] = one;
        if (bound > bounds_[value]) {
          bounds_[value] = bound;
          best_[value] = one;
        }
      }
      if (usual_[s] != dead_ && keeper_count_[s] > 0)
        kernels.max_masked(work_, keeps_ + at, labels_, row(next, usual_[s]));
      for (std::int32_t i = 0; i < other_count_[s]; ++i) {
        const std::int32_t y = others_[at + i];
        double &to = row(next, leads_[at + y])[y];
        if (fires_[at + y] == -1 && leads_[at + y] != dead_)
          to = std::max(to, work_[y]);
      }
    }
    std::swap(now, next);
  }
  if (!property_->may_fire(0, automaton.start))
    for (std::int32_t y = 0; y < labels_; ++y)
      message_[property_->empty()] =
          std::max(message_[property_->empty()],
                   scores.start()[y] + scores.unary(0)[y] + silent(0, dead_)[y]);
  for (std::int32_t s = 0; s < dead_ && automaton.fires_at_end; ++s)
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t value = property_->local(
          automaton.end_actions[s * (labels_ + std::int64_t{1}) + y], length - 1);
      if (value >= 0)
        message_[value] = std::max(message_[value], row(now, s)[y] + scores.end()[y]);
    }
  return true;
}

bool BoundedSingle::try_conflict(Scores &scores, const Firing &first) noexcept {
  std::int32_t state = first.state;
  std::int32_t label = first.label;
  bool conflicts = false;
  bool fires = false; // something has fired after `first`
  for (std::int32_t t = first.t + 1; t < scores.length() && !conflicts && state != dead_; ++t) {
    if (!scores.spend(8 * std::int64_t{labels_}))
      return false;
    read_position(t);
    const std::int64_t at = std::int64_t{state} * labels_;
    const double *edges = scores.forward(t) + label * scores.forward_stride();
    double best = kForbidden;
    for (std::int32_t y = 0; y < labels_; ++y) {
      if (fires_[at + y] == BoundProperty::kOutside)
        continue;
      const std::int32_t next = leads_[at + y];
      const double after = fires || fires_[at + y] >= 0 ? either(t, next, y)
                           : next == dead_              ? kForbidden
                                                        : firing(t, next)[y];
      const double score = edges[y] + scores.unary(t)[y] + after;
      if (score > best) {
        best = score;
        label = y;
      }
    }
    if (best == kForbidden)
      return true;
    const std::int32_t value = fires_[at + label];
    fires = fires || value >= 0;
    conflicts = value >= 0 && value != first.value;
    state = leads_[at + label];
  }
  if (!conflicts && state != dead_) {
    const Property &automaton = *property_->attached.property;
    const std::int32_t value =
        property_->local(automaton.end_actions[state * (labels_ + std::int64_t{1}) + label],
                         scores.length() - 1);
    conflicts = value >= 0 && value != first.value;
  }
  double &conflict = message_[property_->conflict()];
  if (conflicts)
    conflict = std::max(conflict, first.score + firing(first.t, first.state)[first.label]);
  return true;
}

double *BoundedSingle::next_row(std::int32_t code) noexcept {
  double *to = row(next_, code);
  if (is_next_[code] == 0) {
    is_next_[code] = 1;
    codes_[1][next_count_++] = code;
    std::fill_n(to, labels_, kForbidden);
  }
  return to;
}

void BoundedSingle::put(std::int32_t t, std::int32_t value, std::int32_t state, std::int32_t y,
                        double score) noexcept {
  if (state == dead_ || !(score + firing(t, state)[y] > attained(value)))
    return;
  double *to = next_row(value * states_ + state);
  to[y] = std::max(to[y], score);
}

// What goes to the dead state, or on without firing, was counted when the value fired.
void BoundedSingle::move(Scores &scores, std::int32_t t, std::int32_t code) noexcept {
  const std::int32_t value = code / states_;
  const std::int32_t state = code % states_;
  const std::int64_t at = std::int64_t{state} * labels_;
  const double *before = row(now_, code);
  const double *edges = scores.forward(t);
  const double *unary = scores.unary(t);
  const std::ptrdiff_t stride = scores.forward_stride();
  const std::int32_t *payers = payers_ + at;
  const std::int32_t *end = payers + payer_count_[state];
  if (is_conflict_known_) {
    const auto fires_less = [this, at](std::int32_t y, std::int32_t v) {
      return fires_[at + y] < v;
    };
    payers = std::lower_bound(payers, end, value, fires_less);
    end = std::lower_bound(payers, end, value + 1, fires_less);
  }
  const std::int32_t usual = usual_[state];
  const bool is_kept = usual != dead_ && keeper_count_[state] > 0;
  const std::int32_t first = first_column_[state];
  const std::int32_t rows = end_column_[state] - first;
  const auto into = [&](std::int32_t y) {
    double best = kForbidden;
    for (std::int32_t x = first; x < first + rows; ++x) {
      const double score = before[x] + edges[x * stride + y];
      best = best < score ? score : best;
    }
    return best + unary[y];
  };
  // A single label costs about a fourth of a vector of labels, but more than its part of a row.
  const bool is_whole = is_kept || 8 * (end - payers + other_count_[state]) > labels_;
  if (is_whole)
    scores.max_plus().step(before + first, rows, edges + first * stride, stride, labels_, unary,
                           work_);
  for (; payers != end; ++payers) {
    const std::int32_t y = *payers;
    const std::int32_t next = leads_[at + y];
    const double score = is_whole ? work_[y] : into(y);
    if (fires_[at + y] != value) {
      double &conflict = message_[property_->conflict()];
      conflict = std::max(conflict, score + either(t, next, y));
      continue;
    }
    message_[value] = std::max(message_[value], score + silent(t, next)[y]);
    put(t, value, next, y, score);
  }
  for (std::int32_t i = 0; i < other_count_[state]; ++i)
    if (const std::int32_t y = others_[at + i]; fires_[at + y] == -1 && leads_[at + y] != dead_)
      put(t, value, leads_[at + y], y, is_whole ? work_[y] : into(y));
  if (!is_kept)
    return;
  const double *keeps = keeps_ + at;
  const double *bound = firing(t, usual);
  const double least = attained(value);
  double best = kForbidden;
  for (std::int32_t y = 0; y < labels_; ++y) {
    const double hope = work_[y] + bound[y] + keeps[y];
    work_[y] = hope > least ? work_[y] : kForbidden;
    best = hope > best ? hope : best;
  }
  if (best > least) {
    double *to = next_row(value * states_ + usual);
    for (std::int32_t y = 0; y < labels_; ++y)
      to[y] = to[y] < work_[y] ? work_[y] : to[y];
  }
}

bool BoundedSingle::fire_again(Scores &scores, std::int64_t &most) noexcept {
  const Property &automaton = *property_->attached.property;
  const std::int32_t count = property_->local_count;
  // The greatest bound of all is the CONFLICT entry if its labelling fires two values.
  const auto greatest_bound = [&](std::int32_t but) {
    std::int32_t found = -1;
    for (std::int32_t v = 0; v < count; ++v)
      if (v != but && bounds_[v] > (found < 0 ? kForbidden : bounds_[found]))
        found = v;
    return found;
  };
  const std::int32_t first = greatest_bound(-1);
  if (first < 0)
    return true;
  if (!try_conflict(scores, best_[first]))
    return false;
  if (message_[property_->conflict()] < bounds_[first])
    if (const std::int32_t second = greatest_bound(first);
        second >= 0 && !try_conflict(scores, best_[second]))
      return false;

  is_conflict_known_ = message_[property_->conflict()] >= bounds_[first];

  now_ = rows_[0];
  next_ = rows_[1];
  std::int32_t now_count = 0;
  next_count_ = 0;
  std::fill_n(is_next_, std::int64_t{count} * states_, std::uint8_t{0});
  std::int64_t at = 0;
  const auto goes_on = [&](const Firing &one) {
    return one.score + firing(one.t, one.state)[one.label] > attained(one.value);
  };
  for (std::int32_t t = 0; t < scores.length(); ++t) {
    if (now_count == 0) {
      while (at < firing_count_ && !goes_on(firings_[at]))
        ++at;
      if (at == firing_count_)
        return true;
      t = firings_[at].t;
    }
    if (!scores.spend(16 + now_count * (std::int64_t{labels_} + 8) * labels_))
      return false;
    if (now_count > 0) {
      read_position(t);
      for (std::int32_t i = 0; i < now_count; ++i)
        move(scores, t, codes_[0][i]);
    }
    for (; at < firing_count_ && firings_[at].t == t; ++at)
      put(t, firings_[at].value, firings_[at].state, firings_[at].label, firings_[at].score);
    std::swap(now_, next_);
    std::swap(codes_[0], codes_[1]);
    now_count = next_count_;
    next_count_ = 0;
    most = std::max<std::int64_t>(most, states_ + now_count);
    for (std::int32_t i = 0; i < now_count; ++i)
      is_next_[codes_[0][i]] = 0;
  }
  for (std::int32_t i = 0; i < now_count && automaton.fires_at_end; ++i) {
    const std::int32_t value = codes_[0][i] / states_;
    const std::int32_t state = codes_[0][i] % states_;
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t fired = property_->local(
          automaton.end_actions[state * (labels_ + std::int64_t{1}) + y], scores.length() - 1);
      if (fired < 0)
        continue;
      double &to = message_[property_->join(value, fired)];
      to = std::max(to, row(now_, codes_[0][i])[y] + scores.end()[y]);
    }
  }
  return true;
}

double BoundedSingle::run(Scores &scores, const BoundProperty &property, double *message,
                          std::int64_t &most) noexcept {
  property_ = &property;
  message_ = message;
  position_ = -1;
  const std::int32_t entries = property.local_count + 2;
  std::fill_n(message, entries, kForbidden);
  most = std::max<std::int64_t>(most, states_);
  if (!scores.spend(16 * (std::int64_t{states_} + labels_) * std::int64_t{labels_}))
    return kForbidden;
  find_columns();
  find_dead_rows(scores.length());
  if (!complete(scores) || !fire_once(scores) || !fire_again(scores, most))
    return kForbidden;
  return *std::max_element(message, message + entries);
}

} // namespace chorale
