// single_bounded.hpp explains the words used here.
#include "chain/single_bounded.hpp"

#include "base/lanes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

// All functions that take or return vectors are inlined, so the warning about their ABI does not
// apply.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace chorale {
namespace {

constexpr std::int64_t kFewestValues = 8;     // with fewer, following all rows is cheaper
constexpr std::int64_t kMostBoundRows = 4096; // greatest number of backward rows, T x states
constexpr std::int32_t kManyClasses = 8;      // with more classes, find_columns() takes all labels

// Calls body.operator()<V>(y) with V = Lanes for as many whole vectors of labels as there are, then
// with V = double for each label that is left.
template <class Body> CHORALE_INLINE void each_lanes(std::int32_t count, Body &&body) noexcept {
  std::int32_t y = 0;
  for (; y + kLanes <= count; y += kLanes)
    body.template operator()<Lanes>(y);
  for (; y < count; ++y)
    body.template operator()<double>(y);
}
// Vectors are passed by reference, since how they are passed by value depends on the vector unit.
template <class V> CHORALE_INLINE void read_at(const double *from, V &to) noexcept {
  std::memcpy(&to, from, sizeof to);
}
template <class V> CHORALE_INLINE void write_at(double *to, const V &from) noexcept {
  std::memcpy(to, &from, sizeof from);
}
template <class V> CHORALE_INLINE void raise_lanes(V &to, const V &other) noexcept {
  to = other > to ? other : to;
}

CHORALE_INLINE void set_sum(std::int32_t count, const double *a, const double *b,
                            double *to) noexcept {
  each_lanes(count, [=]<class V>(std::int32_t y) CHORALE_INLINE_LAMBDA {
    V one;
    V other;
    read_at(a + y, one);
    read_at(b + y, other);
    write_at<V>(to + y, one + other);
  });
}

// to[y] = max(to[y], from[y])
CHORALE_INLINE void raise_row(std::int32_t count, const double *from, double *to) noexcept {
  each_lanes(count, [=]<class V>(std::int32_t y) CHORALE_INLINE_LAMBDA {
    V one;
    V most;
    read_at(from + y, one);
    read_at(to + y, most);
    raise_lanes(most, one);
    write_at(to + y, most);
  });
}

// to[y] = max(to[y], a[y] + b[y])
CHORALE_INLINE void raise_to_sum(std::int32_t count, const double *a, const double *b,
                                 double *to) noexcept {
  each_lanes(count, [=]<class V>(std::int32_t y) CHORALE_INLINE_LAMBDA {
    V one;
    V other;
    V most;
    read_at(a + y, one);
    read_at(b + y, other);
    read_at(to + y, most);
    raise_lanes<V>(most, one + other);
    write_at(to + y, most);
  });
}

// Writes to `to` an upper bound on the score of a labelling that fires its value again. `score`:
// its score up to a position; `before`: the entry of unfired() for the same position, state and
// label; `own`: the greatest sum of gains of the value (find_hopes()). In states to which only
// firings lead, `before` is minus infinity. The bound is then `any`, a bound on the labellings that
// fire any value again.
template <class V>
CHORALE_INLINE void bound_gain(const V &score, const V &before, const V &own, const V &any,
                               V &to) noexcept {
  const V hope = score - before + own;
  to = before > V{} + kForbidden ? hope : any;
}

} // namespace

bool BoundedSingle::serves(const ChainView &view, const Property &property,
                           std::int64_t codes) noexcept {
  return view.length > 0 && property.states > 1 && codes / property.states >= kFewestValues &&
         std::int64_t{view.length} * property.states <= kMostBoundRows;
}

BoundedSingle::BoundedSingle(Layout &layout, const ChainView &view, const Property &property,
                             std::int64_t codes) noexcept
    : labels_(view.labels), states_(property.states), dead_(property.dead()),
      behaviour_(layout, property, view.length, codes / property.states) {
  const std::int64_t values = codes / states_;
  const auto rows = [&](std::int64_t number) {
    return layout.take<double>(
        saturating_product(to_size(number), static_cast<std::size_t>(labels_)));
  };
  for (double **all : {&silent_, &firing_, &unfired_, &paid_, &again_})
    *all = rows(std::int64_t{view.length} * states_);
  for (int k = 0; k < 2; ++k) {
    rows_[k] = rows(values * states_);
    codes_[k] = layout.take<std::int32_t>(values * states_);
  }
  is_next_ = layout.take<std::uint8_t>(values * states_);
  for (double **one : {&work_, &more_work_, &hope_, &never_})
    *one = rows(1);
  attained_ = rows(states_);
  bound_ = rows(states_);
  bounds_ = layout.take<double>(values);
  hopes_ = layout.take<double>(values);
  first_column_ = layout.take<std::int32_t>(states_);
  end_column_ = layout.take<std::int32_t>(states_);
}

double BoundedSingle::either(std::int32_t t, std::int32_t state, std::int32_t y) const noexcept {
  const double without = silent(t, state)[y];
  const double with = firing(t, state)[y];
  return without < with ? with : without;
}

// Finds the labels that lead to each state. Many states have few such labels, and their completions
// are needed for these labels only.
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
  // Each range is widened to at least one vector of labels, since the loops are slow with fewer.
  constexpr std::int32_t kVector = 4;
  for (std::int32_t s = 0; s < states_; ++s) {
    end_column_[s] = std::min(labels_, std::max(end_column_[s], first_column_[s] + kVector));
    first_column_[s] = std::max(0, std::min(first_column_[s], end_column_[s] - kVector));
  }
}

bool BoundedSingle::find_dead_rows(Scores &scores) noexcept {
  const std::int32_t length = scores.length();
  first_dead_row_ = property_->may_fire(0, property_->attached.property->start) ? length : 0;
  for (std::int32_t t = 0; t < first_dead_row_; ++t) {
    if (behaviour_.is_like(t))
      continue;
    if (!behaviour_.read(t, scores.limits()))
      return false;
    for (std::int32_t s = 0; s < dead_; ++s)
      if (property_->may_fire(t, s) && behaviour_[s].meets_dead)
        first_dead_row_ = t;
  }
  return true;
}

// Writes to work_ and more_work_, by label of t, the best scores of the positions from t on without
// and with a firing. `in`: the behaviour at t in the state before t.
CHORALE_INLINE void BoundedSingle::complete_state(std::int32_t t, const Behaviour::State &in,
                                                  const double *unary) noexcept {
  double *work = work_;
  double *more = more_work_;
  const double *keeps = in.keeps;
  const double *pays = in.pays;
  const double *silent_kept = silent(t, in.quiet_next);
  const double *silent_paid = silent(t, in.paid_next);
  const double *firing_kept = firing(t, in.quiet_next);
  const double *firing_paid = firing(t, in.paid_next);
  each_lanes(labels_, [=]<class V>(std::int32_t y) CHORALE_INLINE_LAMBDA {
    V own;
    V keep;
    V pay;
    V kept_silent;
    V kept_firing;
    V paid_silent;
    V paid;
    read_at(unary + y, own);
    read_at(keeps + y, keep);
    read_at(pays + y, pay);
    read_at(silent_kept + y, kept_silent);
    read_at(firing_kept + y, kept_firing);
    read_at(silent_paid + y, paid_silent);
    read_at(firing_paid + y, paid);
    raise_lanes(paid, paid_silent);
    paid += pay;
    raise_lanes<V>(paid, kept_firing + keep);
    write_at<V>(work + y, own + (kept_silent + keep));
    write_at<V>(more + y, own + paid);
  });
  for (std::int32_t i = 0; i < in.other_count; ++i) {
    const std::int32_t y = in.others[i];
    const std::int32_t next = in.leads[y];
    if (in.fires[y] >= 0) {
      more[y] = unary[y] + either(t, next, y);
    } else {
      work[y] = unary[y] + silent(t, next)[y];
      more[y] = unary[y] + firing(t, next)[y];
    }
  }
}

// Computes the rows of silent() and firing(), from the last position to the first. False if
// interrupted.
CHORALE_INLINE bool BoundedSingle::complete(Scores &scores) noexcept {
  const Property &automaton = *property_->attached.property;
  const MaxPlus &kernels = scores.max_plus();
  const std::int32_t last = scores.length() - 1;
  const double *end = scores.end();
  for (std::int32_t s = 0; s < states_; ++s)
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t value =
          s == dead_
              ? -1
              : property_->local(automaton.end_actions[s * (labels_ + std::int64_t{1}) + y], last);
      row(silent_, last, s)[y] = value == -1 ? end[y] : kForbidden;
      row(firing_, last, s)[y] = value >= 0 ? end[y] : kForbidden;
    }
  for (std::int32_t t = last; t > 0; --t) {
    if (!scores.spend((labels_ + std::int64_t{16}) * labels_) ||
        !behaviour_.read(t, scores.limits()))
      return false;
    const double *edges = scores.backward(t);
    const std::ptrdiff_t stride = scores.backward_stride();
    const double *unary = scores.unary(t);
    if (t - 1 >= first_dead_row_) {
      set_sum(labels_, unary, silent(t, dead_), work_);
      kernels.step(work_, labels_, edges, stride, labels_, nullptr, silent(t - 1, dead_));
    }
    for (std::int32_t s = 0; s < dead_; ++s) {
      const std::int32_t first = first_column_[s];
      const std::int32_t columns = end_column_[s] - first;
      if (!property_->may_fire(t, s) || columns <= 0)
        continue;
      if (!scores.spend((2 * std::int64_t{labels_} + 16) * labels_))
        return false;
      complete_state(t, behaviour_[s], unary);
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

// Enters the scores of work_ into the rows of position t. work_[y] is the best score up to t of the
// labellings with label y at t that fire nothing before t and are in state s before t. For labels
// that fire nothing, raises entries of unfired(). For labels that fire, sets entries of paid(t, s)
// and raises entries of attained_ and bound_.
CHORALE_INLINE void BoundedSingle::pay(std::int32_t t, std::int32_t s) noexcept {
  const Behaviour::State &in = behaviour_[s];
  if (in.quiet_next != dead_ && in.keeper_count > 0)
    raise_to_sum(labels_, work_, in.keeps, unfired(t, in.quiet_next));
  double *fired = paid(t, s);
  double *attained = row(attained_, s);
  double *bound = row(bound_, s);
  if (in.payer_count > 0) {
    set_sum(labels_, work_, in.pays, fired);
    raise_to_sum(labels_, fired, silent(t, in.paid_next), attained);
    raise_to_sum(labels_, fired, firing(t, in.paid_next), bound);
  }
  for (std::int32_t i = 0; i < in.other_count; ++i) {
    const std::int32_t y = in.others[i];
    const std::int32_t next = in.leads[y];
    const double score = work_[y];
    if (in.fires[y] >= 0) {
      fired[y] = score;
      attained[y] = std::max(attained[y], score + silent(t, next)[y]);
      bound[y] = std::max(bound[y], score + firing(t, next)[y]);
    } else if (next != dead_) {
      double &to = unfired(t, next)[y];
      to = std::max(to, score);
    }
  }
}

// Raises the entries of message_ and bounds_ to those of attained_ and bound_, whose positions all
// have the behaviour read last. Then sets attained_ and bound_ to minus infinity.
void BoundedSingle::take_firings() noexcept {
  for (std::int32_t s = 0; s < dead_; ++s) {
    const Behaviour::State &in = behaviour_[s];
    for (std::int32_t i = 0; i < in.payer_count; ++i) {
      const std::int32_t y = in.payers[i];
      double &entry = message_[in.fires[y]];
      double &bound = bounds_[in.fires[y]];
      entry = std::max(entry, row(attained_, s)[y]);
      bound = std::max(bound, row(bound_, s)[y]);
    }
  }
  std::fill_n(attained_, std::int64_t{dead_} * labels_, kForbidden);
  std::fill_n(bound_, std::int64_t{dead_} * labels_, kForbidden);
}

// Computes the rows of unfired() and paid(), bounds_, and the entries of the message from all
// labellings that fire at most once. False if interrupted.
CHORALE_INLINE bool BoundedSingle::fire_once(Scores &scores) noexcept {
  const Property &automaton = *property_->attached.property;
  const MaxPlus &kernels = scores.max_plus();
  const std::int32_t last = scores.length() - 1;
  double &empty = message_[property_->empty()];
  std::fill_n(bounds_, property_->local_count, kForbidden);
  std::fill_n(attained_, std::int64_t{dead_} * labels_, kForbidden);
  std::fill_n(bound_, std::int64_t{dead_} * labels_, kForbidden);
  for (std::int32_t t = 0; t <= last; ++t) {
    if (!scores.spend(std::int64_t{states_} * labels_))
      return false;
    const double *unary = scores.unary(t);
    const double *edges = t > 0 ? scores.forward(t) : nullptr;
    if (!behaviour_.is_like(t))
      take_firings();
    if (!behaviour_.read(t, scores.limits()))
      return false;
    std::fill_n(unfired(t, 0), std::int64_t{dead_} * labels_, kForbidden);
    for (std::int32_t s = 0; s < dead_; ++s) {
      if (!is_open(t, s))
        continue;
      if (!scores.spend((labels_ + std::int64_t{16}) * labels_))
        return false;
      if (edges)
        kernels.step(unfired(t - 1, s), labels_, edges, scores.forward_stride(), labels_, unary,
                     work_);
      else
        set_sum(labels_, scores.start(), unary, work_);
      const Behaviour::State &in = behaviour_[s];
      for (std::int32_t y = 0; y < labels_ && t == 0; ++y)
        if (in.fires[y] == -1)
          empty = std::max(empty, work_[y] + silent(t, in.leads[y])[y]);
      pay(t, s);
    }
  }
  take_firings();
  for (std::int32_t y = 0; y < labels_ && !property_->may_fire(0, automaton.start); ++y)
    empty = std::max(empty, scores.start()[y] + scores.unary(0)[y] + silent(0, dead_)[y]);
  for (std::int32_t s = 0; s < dead_ && automaton.fires_at_end; ++s)
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t value =
          property_->local(automaton.end_actions[s * (labels_ + std::int64_t{1}) + y], last);
      if (value >= 0)
        message_[value] = std::max(message_[value], unfired(last, s)[y] + scores.end()[y]);
    }
  return true;
}

// ---- Values that fire more than once -----------------------------------------------------------

// Writes to more_work_, for each label that fires at t in state s, the greatest sum of the gains of
// this firing and of any later firings of the same value (find_hopes()).
CHORALE_INLINE void BoundedSingle::find_gains(std::int32_t t, std::int32_t s) noexcept {
  const Behaviour::State &in = behaviour_[s];
  const double *fired = paid(t, s);
  const double *later = again(t, s);
  double *to = more_work_;
  const double *without = silent(t, in.paid_next);
  const double *with = firing(t, in.paid_next);
  const double *before = unfired(t, in.paid_next);
  each_lanes(labels_, [=]<class V>(std::int32_t y) CHORALE_INLINE_LAMBDA {
    V score;
    V completion;
    V any;
    V entry;
    V own;
    V most;
    read_at(fired + y, score);
    read_at(without + y, completion);
    read_at(with + y, any);
    read_at(before + y, entry);
    read_at(later + y, own);
    bound_gain<V>(score, entry, own, score + any, most);
    raise_lanes<V>(most, score + completion);
    write_at(to + y, most);
  });
  for (std::int32_t i = 0; i < in.other_count && in.pays_elsewhere; ++i) {
    const std::int32_t y = in.others[i];
    const std::int32_t next = in.leads[y];
    if (in.fires[y] < 0)
      continue;
    bound_gain(fired[y], unfired(t, next)[y], later[y], fired[y] + firing(t, next)[y], to[y]);
    to[y] = std::max(to[y], fired[y] + silent(t, next)[y]);
  }
}

// Computes again(): for each value, the greatest sum of gains over all sequences of firings of the
// value after t. The gain of a firing is
//     score - entry of unfired() after the firing, if it is not the last of the sequence, and
//     score + entry of silent() after the firing, if it is the last,
// where the score is that of the best labelling whose first firing is this one. Suppose a labelling
// has fired only this value, has the score s up to t, and has a state and a label at t for which
// the entry of unfired() is u. If it fires the value again, its whole score is at most s - u plus
// the sum of gains. False if interrupted.
CHORALE_INLINE bool BoundedSingle::find_hopes(Scores &scores) noexcept {
  const Property &automaton = *property_->attached.property;
  const std::int32_t last = scores.length() - 1;
  std::fill_n(hopes_, property_->local_count, kForbidden);
  for (std::int32_t s = 0; s < dead_ && automaton.fires_at_end; ++s)
    for (std::int32_t y = 0; y < labels_; ++y) {
      const std::int32_t value =
          property_->local(automaton.end_actions[s * (labels_ + std::int64_t{1}) + y], last);
      if (value >= 0)
        hopes_[value] = std::max(hopes_[value], unfired(last, s)[y] + scores.end()[y]);
    }
  const auto exchange = [this](bool stores) {
    for (std::int32_t s = 0; s < dead_ && behaviour_.has_owners(); ++s)
      for (std::int32_t i = 0; i < behaviour_[s].payer_count; ++i) {
        const std::int32_t y = behaviour_[s].payers[i];
        double &of_value = hopes_[behaviour_[s].fires[y]];
        (stores ? of_value : hope_[y]) = stores ? hope_[y] : of_value;
      }
  };
  std::fill_n(hope_, labels_, kForbidden);
  if (!behaviour_.read(last, scores.limits()))
    return false;
  exchange(false);
  for (std::int32_t t = last; t >= 0; --t) {
    if (!scores.spend(std::int64_t{states_} * (4 * labels_ + 16)))
      return false;
    if (!behaviour_.is_like(t)) {
      exchange(true);
      if (!behaviour_.read(t, scores.limits()))
        return false;
      std::fill_n(hope_, labels_, kForbidden);
      exchange(false);
    }
    const bool has_owners = behaviour_.has_owners();
    const auto pays = [&](std::int32_t s) {
      return is_open(t, s) && behaviour_[s].payer_count > 0;
    };
    for (std::int32_t s = 0; s < dead_; ++s) {
      if (!pays(s))
        continue;
      double *later = again(t, s);
      if (has_owners) {
        std::copy_n(hope_, labels_, later);
        continue;
      }
      const Behaviour::State &in = behaviour_[s];
      std::fill_n(later, labels_, kForbidden);
      for (std::int32_t i = 0; i < in.payer_count; ++i)
        later[in.payers[i]] = hopes_[in.fires[in.payers[i]]];
    }
    for (std::int32_t s = 0; s < dead_; ++s) {
      if (!pays(s))
        continue;
      find_gains(t, s);
      if (has_owners) {
        raise_row(labels_, more_work_, hope_);
        continue;
      }
      const Behaviour::State &in = behaviour_[s];
      for (std::int32_t i = 0; i < in.payer_count; ++i) {
        double &to = hopes_[in.fires[in.payers[i]]];
        to = std::max(to, more_work_[in.payers[i]]);
      }
    }
  }
  return true;
}

bool BoundedSingle::try_conflict(Scores &scores, const Firing &first) noexcept {
  std::int32_t state = first.state;
  std::int32_t label = first.label;
  bool conflicts = false;
  bool fires = false; // something has fired after `first`
  for (std::int32_t t = first.t + 1; t < scores.length() && !conflicts && state != dead_; ++t) {
    if (!scores.spend(8 * std::int64_t{labels_}) || !behaviour_.read(t, scores.limits()))
      return false;
    const Behaviour::State &in = behaviour_[state];
    complete_state(t, in, scores.unary(t));
    if (fires)
      raise_row(labels_, work_, more_work_);
    label = scores.max_plus().best_sum(scores.forward(t) + label * scores.forward_stride(),
                                       more_work_, labels_);
    if (label < 0)
      return true;
    const std::int32_t value = in.fires[label];
    fires = fires || value >= 0;
    conflicts = value >= 0 && value != first.value;
    state = in.leads[label];
  }
  if (!conflicts && state != dead_) {
    const Property &automaton = *property_->attached.property;
    const std::int32_t value = property_->local(
        automaton.end_actions[state * (labels_ + std::int64_t{1}) + label], scores.length() - 1);
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

// Copies to `to` the entries of `scores` for which firing again may raise an entry of the message,
// and writes minus infinity in the place of all others. True if any entry is left. `scores`: by
// label of t, the best labellings up to t that have fired one value alone, with `state` after t;
// `least`: the message entry of this value; `own`: the greatest sum of gains of this value after t.
// `least` and `own` have one entry for each label if kStep is 1, or one entry in all if it is 0.
template <int kStep>
CHORALE_INLINE bool BoundedSingle::keep_hopeful(std::int32_t t, std::int32_t state,
                                                const double *scores, const double *least,
                                                const double *own, double *to) const noexcept {
  const double *with = firing(t, state);
  const double *before = unfired(t, state);
  const double conflict = is_conflict_known_ ? kInfinity : message_[property_->conflict()];
  double most = kForbidden;
  Lanes most_lanes = Lanes{} + kForbidden;
  each_lanes(labels_, [&]<class V>(std::int32_t y) CHORALE_INLINE_LAMBDA {
    V low = V{} + *least;
    V gain = V{} + *own;
    V score;
    V any;
    V entry;
    V reach;
    if constexpr (kStep != 0) {
      read_at(least + y, low);
      read_at(own + y, gain);
    }
    read_at(scores + y, score);
    read_at(with + y, any);
    read_at(before + y, entry);
    any += score;
    bound_gain(score, entry, gain, any, reach);
    const V none = V{} + kForbidden;
    V kept = any > low ? score : none;
    kept = reach > low ? kept : none;
    kept = any > V{} + conflict ? score : kept;
    write_at(to + y, kept);
    if constexpr (sizeof(V) == sizeof(double))
      raise_lanes(most, kept);
    else
      raise_lanes(most_lanes, kept);
  });
  for (int lane = 0; lane < kLanes; ++lane)
    most = std::max<double>(most, most_lanes[lane]);
  return most > kForbidden;
}

void BoundedSingle::put(std::int32_t t, std::int32_t value, std::int32_t state, std::int32_t y,
                        double score) noexcept {
  if (state == dead_)
    return;
  const double any = score + firing(t, state)[y];
  double reach = any;
  bound_gain(score, unfired(t, state)[y], hopes_[value], any, reach);
  const double least = message_[value];
  if (!(any > least && reach > least) &&
      (is_conflict_known_ || !(any > message_[property_->conflict()])))
    return;
  double *to = next_row(value * states_ + state);
  to[y] = std::max(to[y], score);
}

bool BoundedSingle::read_attained(Scores &scores, std::int32_t t) noexcept {
  if (!behaviour_.read(t, scores.limits()))
    return false;
  for (std::int32_t s = 0; s < dead_; ++s) {
    const Behaviour::State &in = behaviour_[s];
    std::fill_n(row(attained_, s), labels_, kForbidden);
    for (std::int32_t i = 0; i < in.payer_count; ++i)
      row(attained_, s)[in.payers[i]] = message_[in.fires[in.payers[i]]];
  }
  return true;
}

CHORALE_INLINE void BoundedSingle::start_rows(std::int32_t t) noexcept {
  for (std::int32_t s = 0; s < dead_; ++s) {
    const Behaviour::State &in = behaviour_[s];
    if (!is_open(t, s) || in.payer_count == 0)
      continue;
    const double *fired = paid(t, s);
    const double *later = again(t, s);
    const bool any = in.paid_next != dead_ &&
                     keep_hopeful<1>(t, in.paid_next, fired, row(attained_, s), later, work_);
    for (std::int32_t i = 0; i < in.payer_count && (any || in.pays_elsewhere); ++i) {
      const std::int32_t y = in.payers[i];
      if (in.leads[y] == in.paid_next && (!any || work_[y] == kForbidden))
        continue;
      hopes_[in.fires[y]] = later[y];
      put(t, in.fires[y], in.leads[y], y, fired[y]);
    }
  }
}

// Completions in which nothing more fires, such as those through the dead state, are left out: the
// message already got their scores when the value of the row fired.
CHORALE_INLINE void BoundedSingle::move(Scores &scores, std::int32_t t,
                                        std::int32_t code) noexcept {
  const std::int32_t value = code / states_;
  const std::int32_t state = code % states_;
  const Behaviour::State &in = behaviour_[state];
  const double *moved = row(now_, code);
  const double *edges = scores.forward(t);
  const double *unary = scores.unary(t);
  const std::ptrdiff_t stride = scores.forward_stride();
  const std::int32_t *payers = in.payers;
  const std::int32_t *end = payers + in.payer_count;
  if (is_conflict_known_) {
    const auto fires_less = [&in](std::int32_t y, std::int32_t v) { return in.fires[y] < v; };
    payers = std::lower_bound(payers, end, value, fires_less);
    end = std::lower_bound(payers, end, value + 1, fires_less);
  }
  const bool is_kept = in.quiet_next != dead_ && in.keeper_count > 0;
  const std::int32_t first = first_column_[state];
  const std::int32_t rows = end_column_[state] - first;
  const auto into = [&](std::int32_t y) {
    double best = kForbidden;
    for (std::int32_t x = first; x < first + rows; ++x) {
      const double score = moved[x] + edges[x * stride + y];
      best = best < score ? score : best;
    }
    return best + unary[y];
  };
  // One label computed alone costs several times its part of a whole row, so if more than an eighth
  // of the labels are needed, the whole row is computed.
  const bool is_whole = is_kept || 8 * (end - payers + in.other_count) > labels_;
  if (is_whole)
    scores.max_plus().step(moved + first, rows, edges + first * stride, stride, labels_, unary,
                           work_);
  for (; payers != end; ++payers) {
    const std::int32_t y = *payers;
    const std::int32_t next = in.leads[y];
    const double score = is_whole ? work_[y] : into(y);
    if (in.fires[y] != value) {
      double &conflict = message_[property_->conflict()];
      conflict = std::max(conflict, score + either(t, next, y));
      continue;
    }
    message_[value] = std::max(message_[value], score + silent(t, next)[y]);
    put(t, value, next, y, score);
  }
  for (std::int32_t i = 0; i < in.other_count; ++i)
    if (const std::int32_t y = in.others[i]; in.fires[y] == -1 && in.leads[y] != dead_)
      put(t, value, in.leads[y], y, is_whole ? work_[y] : into(y));
  if (!is_kept)
    return;
  set_sum(labels_, work_, in.keeps, more_work_);
  if (keep_hopeful<0>(t, in.quiet_next, more_work_, message_ + value, hopes_ + value, work_))
    raise_row(labels_, work_, next_row(value * states_ + in.quiet_next));
}

std::int32_t BoundedSingle::greatest_bound(std::int32_t but) const noexcept {
  std::int32_t found = -1;
  for (std::int32_t v = 0; v < property_->local_count; ++v)
    if (v != but && bounds_[v] > (found < 0 ? kForbidden : bounds_[found]))
      found = v;
  return found;
}

bool BoundedSingle::find_firing(Scores &scores, std::int32_t value, Firing &found) noexcept {
  for (std::int32_t t = 0; t < scores.length(); ++t) {
    if (!scores.spend(std::int64_t{states_} + labels_) || !behaviour_.read(t, scores.limits()))
      return false;
    for (std::int32_t s = 0; s < dead_; ++s) {
      const Behaviour::State &in = behaviour_[s];
      for (std::int32_t i = 0; i < in.payer_count && is_open(t, s); ++i)
        if (const std::int32_t y = in.payers[i]; in.fires[y] == value && in.leads[y] != dead_) {
          found = {t, y, in.leads[y], value, paid(t, s)[y]};
          if (found.score + firing(t, found.state)[y] == bounds_[value])
            return true;
        }
    }
  }
  return false;
}

CHORALE_INLINE bool BoundedSingle::fire_again(Scores &scores, std::int64_t &most) noexcept {
  const Property &automaton = *property_->attached.property;
  const std::int32_t count = property_->local_count;
  const std::int32_t length = scores.length();
  // bounds_[v] is the best score of a labelling that fires v first, and then any value again. So
  // the entry of CONFLICT is at most the greatest of bounds_. It is equal if a labelling with this
  // score fires two values. This is tried with the values that have the two greatest bounds.
  const double &conflict = message_[property_->conflict()];
  const std::int32_t first = greatest_bound(-1);
  is_conflict_known_ = first < 0;
  for (std::int32_t value = first, tries = 0; value >= 0 && tries < 2 && !is_conflict_known_;
       value = greatest_bound(first), ++tries) {
    Firing firing;
    const bool is_found = find_firing(scores, value, firing);
    if (!scores.spend(0) || (is_found && !try_conflict(scores, firing)))
      return false;
    is_conflict_known_ = conflict >= bounds_[first];
  }
  bool goes_on = false;
  for (std::int32_t v = 0; v < count; ++v)
    goes_on = goes_on ||
              bounds_[v] > (is_conflict_known_ ? message_[v] : std::min(message_[v], conflict));
  if (!goes_on)
    return true;
  if (!find_hopes(scores))
    return false;

  now_ = rows_[0];
  next_ = rows_[1];
  std::int32_t now_count = 0;
  next_count_ = 0;
  std::fill_n(is_next_, std::int64_t{count} * states_, std::uint8_t{0});
  for (std::int32_t t = 0; t < length; ++t) {
    if (!scores.spend(std::int64_t{states_} * labels_) ||
        ((t == 0 || !behaviour_.is_like(t)) && !read_attained(scores, t)))
      return false;
    for (std::int32_t s = 0; s < dead_ && now_count > 0; ++s)
      for (std::int32_t i = 0; i < behaviour_[s].payer_count && is_open(t, s); ++i)
        hopes_[behaviour_[s].fires[behaviour_[s].payers[i]]] = again(t, s)[behaviour_[s].payers[i]];
    for (std::int32_t i = 0; i < now_count; ++i) {
      if (!scores.spend((std::int64_t{labels_} + 8) * labels_))
        return false;
      move(scores, t, codes_[0][i]);
    }
    start_rows(t);
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
          automaton.end_actions[state * (labels_ + std::int64_t{1}) + y], length - 1);
      if (fired < 0)
        continue;
      double &to = message_[property_->join(value, fired)];
      to = std::max(to, row(now_, codes_[0][i])[y] + scores.end()[y]);
    }
  }
  return true;
}

CHORALE_INLINE bool BoundedSingle::run_all(Scores &scores, std::int64_t &most) noexcept {
  return complete(scores) && fire_once(scores) && fire_again(scores, most);
}

double BoundedSingle::run(Scores &scores, const BoundProperty &property, gsl::span<double> message,
                          std::int64_t &most) noexcept {
  const std::int32_t entries = property.local_count + 2;
  Expects(message.size() >= to_size(entries));
  property_ = &property;
  message_ = message.data();
  std::fill_n(message_, entries, kForbidden);
  most = std::max<std::int64_t>(most, states_);
  if (!scores.spend(16 * (std::int64_t{states_} + labels_) * std::int64_t{labels_}))
    return kForbidden;
  std::fill_n(never_, labels_, kForbidden);
  behaviour_.begin(property);
  find_columns();
  const bool is_done =
      find_dead_rows(scores) &&
      on_best_units([&, this]() CHORALE_INLINE_LAMBDA { return run_all(scores, most); });
  return is_done ? *std::max_element(message_, message_ + entries) : kForbidden;
}

} // namespace chorale
