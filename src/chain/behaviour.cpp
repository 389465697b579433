#include "chain/behaviour.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Majority vote of Boyer and Moore: if more than half of the states that were added are the same,
// `state` is this state, otherwise any of them. `none`: the state if none was added.
struct Majority {
  explicit Majority(std::int32_t none) noexcept : state(none) {}
  void add(std::int32_t one) noexcept {
    if (lead == 0)
      state = one;
    lead += one == state ? 1 : -1;
  }
  std::int32_t state;
  std::int32_t lead = 0;
};

} // namespace

Behaviour::Behaviour(Layout &layout, const Property &automaton, std::int32_t length,
                     std::int64_t values) noexcept
    : labels_(automaton.labels), dead_(automaton.dead()),
      states_(layout.take<State>(automaton.states)), groups_(layout.take<std::int32_t>(length)),
      owners_(layout.take<std::int32_t>(values)), owned_(layout.take<std::int32_t>(labels_)) {
  for (std::int32_t s = 0; s < dead_; ++s) {
    State state{};
    state.leads = layout.take<std::int32_t>(labels_);
    state.fires = layout.take<std::int32_t>(labels_);
    state.keeps = layout.take<double>(labels_);
    state.pays = layout.take<double>(labels_);
    state.others = layout.take<std::int32_t>(labels_);
    state.payers = layout.take<std::int32_t>(labels_);
    if (!layout.measuring())
      states_[s] = state;
  }
}

void Behaviour::begin(const BoundProperty &property) noexcept {
  property_ = &property;
  group_ = -1;
  const Property &automaton = *property.attached.property;
  const std::int32_t length = property.attached.length;
  const bool is_uniform = automaton.classes == 1 && !automaton.fires_table;
  for (std::int32_t s = 0; s < dead_; ++s)
    states_[s].payer_count = 0;
  for (std::int32_t t = 0; t < length; ++t) {
    bool alike = is_uniform && t > 0;
    for (std::int32_t s = 0; s < dead_ && alike; ++s)
      alike = property.may_fire(t, s) == property.may_fire(t - 1, s) &&
              property.may_fire(t + 1, s) == property.may_fire(t, s);
    groups_[t] = alike ? groups_[t - 1] : t;
  }
}

bool Behaviour::read(std::int32_t t, Limits &limits) noexcept {
  if (is_like(t))
    return true;
  group_ = groups_[t];
  for (std::int32_t s = 0; s < dead_; ++s) {
    if (!limits.spend(16 * std::int64_t{labels_}))
      return false;
    states_[s].payer_count = 0;
    if (property_->may_fire(t, s))
      read_state(t, s);
  }
  has_owners_ = find_owners();
  return true;
}

void Behaviour::read_state(std::int32_t t, std::int32_t s) noexcept {
  const Property &automaton = *property_->attached.property;
  State &state = states_[s];
  const std::int64_t cell = automaton.cell(s, property_->attached.class_at(t));
  state.other_count = state.payer_count = state.keeper_count = 0;
  state.pays_elsewhere = state.meets_dead = false;
  Majority quiet(dead_);
  Majority paid(dead_);
  for (std::int32_t y = 0; y < labels_; ++y) {
    const std::int32_t value = property_->local(automaton.actions[cell * labels_ + y], t);
    const std::int32_t next = automaton.next[cell * labels_ + y];
    state.fires[y] = value;
    state.leads[y] = property_->may_fire(t + 1, next) ? next : dead_;
    if (value != BoundProperty::kOutside)
      (value < 0 ? quiet : paid).add(state.leads[y]);
  }
  state.quiet_next = quiet.state;
  state.paid_next = paid.state;
  for (std::int32_t y = 0; y < labels_; ++y) {
    const std::int32_t value = state.fires[y];
    const std::int32_t next = state.leads[y];
    const bool keeps = value == -1 && next == state.quiet_next;
    const bool pays = value >= 0 && next == state.paid_next;
    state.keeps[y] = keeps ? 0.0 : kForbidden;
    state.pays[y] = pays ? 0.0 : kForbidden;
    state.keeper_count += keeps ? 1 : 0;
    if (value == BoundProperty::kOutside)
      continue;
    if (value >= 0)
      state.payers[state.payer_count++] = y;
    if (!keeps && !pays)
      state.others[state.other_count++] = y;
    state.pays_elsewhere = state.pays_elsewhere || (value >= 0 && !pays);
    state.meets_dead = state.meets_dead || next == dead_;
  }
  const auto lower = [&state](std::int32_t a, std::int32_t b) {
    return state.fires[a] != state.fires[b] ? state.fires[a] < state.fires[b] : a < b;
  };
  if (!std::is_sorted(state.payers, state.payers + state.payer_count, lower))
    std::sort(state.payers, state.payers + state.payer_count, lower);
}

bool Behaviour::find_owners() noexcept {
  const auto each_payer = [&](auto &&visit) {
    for (std::int32_t s = 0; s < dead_; ++s)
      for (std::int32_t i = 0; i < states_[s].payer_count; ++i)
        visit(states_[s].payers[i], states_[s].fires[states_[s].payers[i]]);
  };
  each_payer([&](std::int32_t y, std::int32_t value) { owners_[value] = owned_[y] = -1; });
  bool are_owners = true;
  each_payer([&](std::int32_t y, std::int32_t value) {
    are_owners = are_owners && (owners_[value] == -1 || owners_[value] == y) &&
                 (owned_[y] == -1 || owned_[y] == value);
    owners_[value] = y;
    owned_[y] = value;
  });
  return are_owners;
}

} // namespace chorale
