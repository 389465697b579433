// bound_property.hpp explains the words used here.
#include "chain/bound_property.hpp"

#include "base/sort.hpp"

#include <algorithm>
#include <functional>

namespace chorale {
namespace {

constexpr std::int64_t kLookUp = 32; // elementary steps of a binary search

} // namespace

BoundTables::BoundTables(Layout &layout, const Attached &attached, bool tree) noexcept {
  const Property &property = *attached.property;
  const auto T = static_cast<std::size_t>(attached.length);
  // fill() first collects values with duplicates in `numbers`, which must have room for all of
  // them.
  numbers = layout.take<std::int32_t>(property.constants.size() + (property.fires_table ? T : 0));
  constant_local = layout.take<std::int32_t>(property.constants.size());
  table_local = layout.take<std::int32_t>(property.fires_table ? T : 0);
  if (tree) {
    subtree_firing = layout.take<std::int32_t>(T);
  } else {
    words = (property.states + 63) / 64;
    may = layout.take<std::uint64_t>(saturating_product(T + 1, static_cast<std::size_t>(words)));
  }
}

BoundProperty::BoundProperty(Layout &layout, const Attached &from, bool tree,
                             BoundTables *shared) noexcept
    : BoundTables(shared ? BoundTables() : BoundTables(layout, from, tree)), attached(from),
      message(layout.take<double>(local_limit() + 2)), shared_(shared), tree_(tree),
      states_(tree ? 1 : from.property->states) {}

std::int64_t BoundProperty::local_limit() const noexcept {
  const Property &property = *attached.property;
  return std::min<std::int64_t>(attached.values(),
                                static_cast<std::int64_t>(property.constants.size()) +
                                    (property.fires_table ? attached.length : 0));
}

std::int64_t BoundProperty::code_limit(Role in) const noexcept {
  switch (in) {
  case Role::outgoing:
  case Role::paid:
    return (local_limit() + 2) * states_ + 1;
  case Role::local:
    return states_;
  case Role::local_required:
    return 2 * std::int64_t{states_};
  }
  return 0;
}

bool BoundProperty::bind(gsl::span<const std::int32_t> parents, Limits &limits) noexcept {
  BoundTables &tables = shared_ ? *shared_ : *this;
  if (!tables.is_filled && !tables.fill(attached, parents, limits))
    return false;
  static_cast<BoundTables &>(*this) = tables;
  for (std::int32_t v = 0; v < local_count + 2; ++v)
    message[v] = !attached.message ? 0.0
                 : v < local_count ? attached.message[numbers[v]]
                                   : attached.message[attached.values() + v - local_count];
  greatest_message = *std::max_element(message, message + local_count + 2);
  return true;
}

bool BoundTables::fill(const Attached &attached, gsl::span<const std::int32_t> parents,
                       Limits &limits) noexcept {
  const Property &property = *attached.property;
  const std::int32_t T = attached.length;
  const auto constants = static_cast<std::int32_t>(property.constants.size());
  const std::int32_t *above = parents.data();

  // Collects the clique's numbers of all values that can fire, with duplicates.
  std::int32_t *end = numbers;
  if (!limits.spend(16 * std::int64_t{constants}))
    return false;
  for (std::int32_t i = 0; i < constants; ++i) {
    const std::int32_t number = attached.number(property.constants.data()[i]);
    constant_local[i] = number < 0 ? kOutside : number;
    if (number >= 0)
      *end++ = number;
  }
  if (property.fires_table) {
    for (std::int32_t t = 0; t < T; ++t) {
      if (!limits.spend(kLookUp))
        return false;
      const std::int32_t value = attached.table_value(t);
      table_local[t] = value < 0 ? -1 : attached.number(value);
      if (value >= 0 && table_local[t] < 0)
        table_local[t] = kOutside;
      if (table_local[t] >= 0)
        *end++ = table_local[t];
    }
  }
  if (!std::is_sorted(numbers, end) &&
      !sort_within(limits, numbers, end - numbers, std::less<std::int32_t>()))
    return false;
  end = std::unique(numbers, end);
  local_count = static_cast<std::int32_t>(end - numbers);
  const auto localise = [&](std::int32_t &number) {
    if (number >= 0)
      number = static_cast<std::int32_t>(std::lower_bound(numbers, end, number) - numbers);
  };
  for (std::int32_t i = 0; i < constants; ++i)
    localise(constant_local[i]);
  for (std::int32_t t = 0; t < T && property.fires_table; ++t) {
    if (!limits.spend(kLookUp))
      return false;
    localise(table_local[t]);
  }
  const bool covered = attached.dictionary && attached.dictionary->covers_firings;
  fires_outside = !covered && std::find(constant_local, constant_local + constants, kOutside) !=
                                  constant_local + constants;
  if (property.fires_table && !covered)
    fires_outside =
        fires_outside || std::find(table_local, table_local + T, kOutside) != table_local + T;

  const std::int64_t m = property.labels;
  // True if one of `count` actions fires a value at t.
  const auto any_fires = [&](const std::int32_t *actions, std::int64_t count, std::int32_t t) {
    return std::any_of(actions, actions + count, [&](std::int32_t action) {
      return action >= 0 || (action == CHORALE_FIRE_TABLE && t >= 0 && table_local[t] != -1);
    });
  };
  if (above) {
    std::fill_n(subtree_firing, T, 0);
    total_firing = 0;
    for (std::int32_t t = T - 1; t >= 0; --t) {
      const std::int32_t *actions = property.local_actions + attached.class_at(t) * m * (m + 1);
      std::int32_t own = 0;
      for (std::int64_t y = 0; y < m && own == 0; ++y) {
        if (!limits.spend(8 + m))
          return false;
        own = any_fires(actions + y * (m + 1), m + 1, t) ? 1 : 0;
      }
      total_firing += own;
      subtree_firing[t] += own;
      if (above[t] >= 0)
        subtree_firing[above[t]] += subtree_firing[t];
    }
    return is_filled = true;
  }
  // Fills the rows of `may` (one bit for each state) from the last to the first. If all positions
  // have the same class and the property does not fire values of its table, row t < T
  // depends only on row t + 1. So once two consecutive rows are equal, all earlier rows are too.
  const bool is_uniform = property.classes == 1 && !property.fires_table;
  for (std::int32_t t = T; t >= 0; --t) {
    if (!limits.spend(8 + words))
      return false;
    std::uint64_t *now = may + std::int64_t{t} * words;
    if (is_uniform && t + 3 <= T && std::equal(now + words, now + 2 * words, now + 2 * words)) {
      std::copy_n(now + words, words, now);
      continue;
    }
    std::fill_n(now, words, std::uint64_t{0});
    const std::int32_t position_class = t < T ? attached.class_at(t) : 0;
    for (std::int32_t s = 0; s < property.dead(); ++s) {
      if (!limits.spend(4 + 2 * m))
        return false;
      const std::int64_t at = property.cell(s, position_class) * m;
      bool can = false;
      for (std::int64_t y = 0; y < m && t < T && !can; ++y)
        can = may_fire(t + 1, property.next[at + y]);
      can = can || (t < T ? any_fires(property.actions + at, m, t)
                          : any_fires(property.end_actions + s * (m + 1), m + 1, T - 1));
      if (can)
        now[s / 64] |= std::uint64_t{1} << (s % 64);
    }
  }
  return is_filled = true;
}

void BoundProperty::assign(Role to) noexcept {
  role = to == Role::local && message[empty()] == kForbidden ? Role::local_required : to;
}

bool BoundProperty::advance(std::int32_t &code, std::int32_t next, std::int32_t value,
                            std::int32_t read, double &paid) const noexcept {
  if (value == kOutside)
    return false;
  if (!may_fire(read, next))
    next = states_ - 1; // nothing can fire on the rest of this chain: the dead state
  if (!tracked()) {
    std::int32_t fired = role == Role::local ? 0 : fired_of(code);
    if (value >= 0) {
      paid += normalised(value);
      fired = role == Role::local ? 0 : 1;
    }
    code = fired * states_ + next;
    return role == Role::local || fired == 1 || next != states_ - 1;
  }
  const std::int32_t fired = value < 0 ? fired_of(code) : join(fired_of(code), value);
  if (fired == conflict() && !fires_outside)
    next = states_ - 1;
  if (next == states_ - 1 && role == Role::paid) {
    paid += message[fired];
    code = settled();
    return message[fired] > kForbidden;
  }
  code = fired * states_ + next;
  return true;
}

std::int32_t BoundProperty::first_code(double &paid) const noexcept {
  if (role == Role::local)
    paid += message[empty()];
  std::int32_t code = tracked() ? empty() * states_ : 0;
  if (tree_)
    return code;
  const std::int32_t start = attached.property->start;
  if (!may_fire(0, start) && role == Role::paid) {
    paid += message[empty()];
    return settled();
  }
  return code + (may_fire(0, start) ? start : states_ - 1);
}

double BoundProperty::final_payment(std::int32_t code, std::int32_t value,
                                    std::int32_t &fired) const noexcept {
  fired = -1;
  if (value == kOutside)
    return kForbidden;
  switch (role) {
  case Role::outgoing:
    fired = value < 0 ? fired_of(code) : join(fired_of(code), value);
    return 0;
  case Role::paid:
    if (code == settled())
      return 0;
    fired = value < 0 ? fired_of(code) : join(fired_of(code), value);
    return message[fired];
  case Role::local:
    return value < 0 ? 0 : normalised(value);
  case Role::local_required:
    if (value >= 0)
      return normalised(value);
    return fired_of(code) == 1 ? 0 : kForbidden;
  }
  return kForbidden;
}

double BoundProperty::greatest_payment(std::int32_t code) const noexcept {
  return !tracked() || code == settled() ? 0 : greatest_after(code, message, greatest_message);
}

double BoundProperty::greatest_after(std::int32_t code, const double *row,
                                     double most) const noexcept {
  const std::int32_t fired = fired_of(code);
  if (state_of(code) == attached.property->dead())
    return row[fired];
  return fired == empty() ? most : std::max(row[fired], row[conflict()]);
}

double BoundProperty::expected_payment(std::int32_t code) const noexcept {
  if (role != Role::paid || code == settled())
    return 0;
  const double now = message[fired_of(code)];
  if (now > kForbidden)
    return now;
  // The message forbids the value fired so far, so this value must still change: EMPTY may become
  // any value, another value only CONFLICT.
  double best = message[conflict()];
  if (fired_of(code) == empty())
    for (std::int32_t v = 0; v < local_count; ++v)
      best = std::max(best, message[v]);
  return best;
}

std::int32_t BoundProperty::combine(std::int32_t a, std::int32_t b) const noexcept {
  if (!tracked())
    return a | b;
  if (a == settled() || b == settled())
    return settled();
  return join(a, b);
}

bool BoundProperty::fire(std::int32_t &code, std::int32_t value, std::int32_t t,
                         double &paid) const noexcept {
  if (value == kOutside)
    return false;
  if (!tracked()) {
    if (value >= 0) {
      paid += normalised(value);
      code = role == Role::local ? 0 : 1;
    }
    return true;
  }
  if (code == settled())
    return true;
  if (value >= 0)
    code = join(code, value);
  if (role == Role::paid && closes(t)) {
    paid += message[code];
    const bool possible = message[code] > kForbidden;
    code = settled();
    return possible;
  }
  return true;
}

} // namespace chorale
