// single_chain.hpp explains the words used here.
#include "chain/single_chain.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

SingleChain::SingleChain(Layout &layout, const ChainView &view, std::int64_t codes) noexcept
    : labels_(view.labels), codes_(codes) {
  const std::size_t table =
      saturating_product(static_cast<std::size_t>(codes), static_cast<std::size_t>(labels_));
  now_ = layout.take<double>(table);
  next_ = layout.take<double>(table);
  alive_ = layout.take<std::uint8_t>(codes);
  next_alive_ = layout.take<std::uint8_t>(codes);
  work_ = layout.take<double>(labels_);
  fires_ = layout.take<std::int32_t>(labels_);
  leads_ = layout.take<std::int32_t>(labels_);
  keeps_ = layout.take<double>(labels_);
  clashes_ = layout.take<double>(labels_);
  others_ = layout.take<std::int32_t>(labels_);
  firing_ = layout.take<std::int32_t>(labels_);
}

double SingleChain::run(Scores &scores, const BoundProperty &property, gsl::span<double> message,
                        std::int64_t &most) noexcept {
  property_ = &property;
  const Property &automaton = *property.attached.property;
  states_ = automaton.states;
  const std::int32_t fired_end = property.local_count + 2;
  const MaxPlus &kernels = scores.max_plus();
  std::fill_n(alive_, codes_, std::uint8_t{0});
  double nothing = 0;
  const std::int32_t first = property.first_code(nothing);
  alive_[first] = 1;
  std::fill_n(row(now_, first), labels_, 0.0);
  most = std::max<std::int64_t>(most, 1);
  for (std::int32_t t = 0; t < scores.length(); ++t) {
    if (!scores.spend(16 + codes_ / 4))
      return kForbidden;
    const double *edges = t > 0 ? scores.forward(t) : nullptr;
    std::fill_n(next_alive_, codes_, std::uint8_t{0});
    for (std::int32_t state = 0; state < states_; ++state) {
      bool is_prepared = false;
      if (!scores.spend(fired_end))
        return kForbidden;
      for (std::int32_t fired = 0; fired < fired_end; ++fired) {
        if (alive_[code(fired, state)] == 0)
          continue;
        if (!scores.spend(std::int64_t{labels_} * (labels_ + 8)))
          return kForbidden;
        if (!is_prepared)
          prepare(t, state);
        is_prepared = true;
        const double *before = row(now_, code(fired, state));
        if (edges)
          kernels.step(before, labels_, edges, scores.forward_stride(), labels_, scores.unary(t),
                       work_);
        else
          for (std::int32_t y = 0; y < labels_; ++y)
            work_[y] = scores.start()[y] + scores.unary(t)[y];
        spread(fired, kernels);
      }
    }
    std::swap(now_, next_);
    std::swap(alive_, next_alive_);
    most = std::max<std::int64_t>(most, std::count(alive_, alive_ + codes_, std::uint8_t{1}));
  }
  return finish(scores, message);
}

double *SingleChain::target(std::int32_t to) noexcept {
  double *at = row(next_, to);
  if (next_alive_[to] == 0) {
    next_alive_[to] = 1;
    std::fill_n(at, labels_, kForbidden);
  }
  return at;
}

void SingleChain::prepare(std::int32_t t, std::int32_t state) noexcept {
  const Property &automaton = *property_->attached.property;
  const std::int64_t cell = automaton.cell(state, property_->attached.class_at(t));
  const std::int32_t *next = automaton.next + cell * labels_;
  const std::int32_t *actions = automaton.actions + cell * labels_;
  const auto alive_after = [&](std::int32_t s) {
    return property_->may_fire(t + 1, s) ? s : states_ - 1;
  };
  usual_ = alive_after(state);
  other_count_ = 0;
  firing_count_ = 0;
  for (std::int32_t y = 0; y < labels_; ++y) {
    fires_[y] = property_->local(actions[y], t);
    leads_[y] = alive_after(next[y]);
    const bool silent = fires_[y] == -1;
    keeps_[y] = silent && leads_[y] == usual_ ? 0.0 : kForbidden;
    clashes_[y] = fires_[y] >= 0 ? 0.0 : kForbidden;
    if (silent && leads_[y] != usual_)
      others_[other_count_++] = y;
    if (fires_[y] >= 0)
      firing_[firing_count_++] = y;
  }
  const auto lower = [this](std::int32_t a, std::int32_t b) {
    return fires_[a] != fires_[b] ? fires_[a] < fires_[b] : a < b;
  };
  if (!std::is_sorted(firing_, firing_ + firing_count_, lower))
    std::sort(firing_, firing_ + firing_count_, lower);
}

// Raises row `to` of next_ to at least work_ + mask, entry by entry. A row that is not alive
// becomes alive only if an entry of work_ + mask is above minus infinity.
void SingleChain::put_row(std::int32_t to, const double *mask, const MaxPlus &kernels) noexcept {
  const bool was_alive = next_alive_[to] != 0;
  if (!kernels.max_masked(work_, mask, labels_, target(to)) && !was_alive)
    next_alive_[to] = 0;
}

void SingleChain::put(std::int32_t fired, std::int32_t y) noexcept {
  if (work_[y] == kForbidden)
    return;
  std::int32_t state = leads_[y];
  if (fired == property_->conflict() && !property_->watches_conflicts())
    state = states_ - 1;
  double *to = target(code(fired, state));
  to[y] = std::max(to[y], work_[y]);
}

void SingleChain::spread(std::int32_t fired, const MaxPlus &kernels) noexcept {
  for (std::int32_t i = 0; i < other_count_; ++i)
    put(fired, others_[i]);
  put_row(code(fired, usual_), keeps_, kernels);
  if (firing_count_ == 0)
    return;
  if (fired == property_->empty()) {
    for (std::int32_t i = 0; i < firing_count_; ++i)
      put(fires_[firing_[i]], firing_[i]);
    return;
  }
  if (property_->watches_conflicts()) {
    for (std::int32_t i = 0; i < firing_count_; ++i)
      put(property_->join(fired, fires_[firing_[i]]), firing_[i]);
    return;
  }
  if (fired == property_->conflict())
    return; // after CONFLICT the automaton is in the dead state, where nothing fires
  const std::int32_t *own =
      std::lower_bound(firing_, firing_ + firing_count_, fired,
                       [this](std::int32_t y, std::int32_t value) { return fires_[y] < value; });
  for (; own != firing_ + firing_count_ && fires_[*own] == fired; ++own) {
    put(fired, *own);
    work_[*own] = kForbidden;
  }
  put_row(code(property_->conflict(), states_ - 1), clashes_, kernels);
}

double SingleChain::finish(Scores &scores, gsl::span<double> message) noexcept {
  const Property &automaton = *property_->attached.property;
  const bool is_empty = scores.length() == 0;
  const std::int32_t columns = is_empty ? 1 : labels_;
  Expects(message.size() >= to_size(property_->local_count + 2));
  double *entries = message.data();
  std::fill_n(entries, property_->local_count + 2, kForbidden);
  double best = kForbidden;
  for (std::int32_t fired = 0; fired < property_->local_count + 2; ++fired) {
    if (!scores.spend(8 * std::int64_t{states_} * columns))
      return kForbidden;
    for (std::int32_t state = 0; state < states_; ++state) {
      if (alive_[code(fired, state)] == 0)
        continue;
      const double *last = row(now_, code(fired, state));
      const std::int32_t *actions = automaton.end_actions + std::int64_t{state} * (labels_ + 1);
      for (std::int32_t y = 0; y < columns; ++y) {
        const double score = is_empty ? last[y] : last[y] + scores.end()[y];
        const std::int32_t value =
            property_->local(actions[is_empty ? labels_ : y], scores.length() - 1);
        if (value == BoundProperty::kOutside || score == kForbidden)
          continue;
        double &to = entries[value < 0 ? fired : property_->join(fired, value)];
        to = std::max(to, score);
        best = std::max(best, score);
      }
    }
  }
  return best;
}

} // namespace chorale
