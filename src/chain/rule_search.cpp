#include "chain/rule_search.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {
namespace {

// Widths of the searches of one run. The last one bounds the time of chains on which rules exclude
// most labellings.
constexpr std::int64_t kRuleWidths[] = {8, 256, 8192, 65536};
// Lagrangian bounds (tighten()) take as long as a search of width kPlainRuleWidth. So they are
// computed only when a labelling has been found, before a wider search or, on chains of more than
// kShortForRules positions, before any further search.
constexpr std::int64_t kPlainRuleWidth = 256;
constexpr std::int32_t kShortForRules = 100;
// Greatest number of subgradient steps of the multipliers. After kRulePatience steps in a row that
// do not lower the bound, the step size is multiplied by kRuleSlower.
constexpr std::int32_t kRuleSteps = 200;
constexpr std::int32_t kRulePatience = 6;
constexpr double kRuleSlower = 0.7;
// Greatest number of nodes of all positions together in one search.
constexpr std::int64_t kMostRuleNodes = std::int64_t{1} << 20;

} // namespace

bool RuleSearch::run(const ChainView &view, gsl::span<const AttachedRule> rules,
                     Limits &limits) noexcept {
  const std::int64_t m = view.labels;
  rules_ = static_cast<std::int32_t>(rules.size());
  score = kForbidden;
  bound = kInfinity;
  floor_ = kForbidden;
  Layout measure;
  const Scores measured(measure, view);
  if (!workspace_.reserve(measure.bytes()) || !completion_.resize(view.length * m + m) ||
      !labelling.resize(view.length) || !stepped_.resize(rules_) ||
      !multipliers_.fill(rules_, 0) || !payments_.fill(m * m + m, 0))
    return false;
  advance_ = 0;
  Layout layout(workspace_.data());
  Scores scores(layout, view);
  const std::size_t entries = to_size(view.length * m);
  scores.load();
  if (!scores.complete({completion_.begin(), entries}, {completion_.begin() + entries, to_size(m)},
                       {labelling.begin(), to_size(view.length)})) {
    bound = kForbidden;
    return true;
  }
  for (const std::int64_t width : kRuleWidths) {
    if (found() && advance_ == 0 && (width > kPlainRuleWidth || view.length > kShortForRules) &&
        !tighten(scores, rules, limits))
      return false;
    const std::int64_t most = std::max<std::int64_t>(std::min(width, kMostRuleNodes / view.length), 1);
    dropped_ = kForbidden;
    if (!search(scores, rules, most, limits))
      return false;
    if (limits.interruption() != Interruption::none)
      return true;
    finish(view, rules);
    if (dropped_ <= floor_ || most < width)
      break;
  }
  return true;
}

// Computes payments_ and advance_ from multipliers_.
void RuleSearch::set_payments(gsl::span<const AttachedRule> rules) noexcept {
  const auto m = static_cast<std::int32_t>(rules[0].attached.property->labels);
  std::fill(payments_.begin(), payments_.end(), 0);
  advance_ = 0;
  std::int64_t r = 0;
  for (const AttachedRule &rule : rules) {
    const double multiplier = multipliers_[r++];
    advance_ += multiplier * static_cast<double>(rule.most);
    for (std::int32_t x = -1; multiplier > 0 && x < m; ++x)
      for (std::int32_t y = 0; y < m; ++y)
        if (rule.counts(x, y))
          payments_[(x < 0 ? m : x) * m + y] += multiplier;
  }
}

// Does what Scores::complete() does, with transition scores less payments_: fills completion_, and
// path_ with the best labelling. Returns the score of path_ less its payments plus advance_, an
// upper bound on the scores of labellings that keep the rules.
double RuleSearch::complete_paying(Scores &scores) noexcept {
  const std::int32_t T = scores.length();
  const std::int32_t m = scores.labels();
  const auto after = [&](std::int32_t t) { return completion_.begin() + std::int64_t{t} * m; };
  double *row = after(T); // scratch
  for (std::int32_t y = 0; y < m; ++y)
    for (std::int32_t x = 0; x < m; ++x)
      priced_[y * m + x] = (T > 1 ? scores.backward(1)[y * scores.backward_stride() + x] : 0) -
                           payments_[x * m + y];
  std::copy_n(scores.end(), m, after(T - 1));
  for (std::int32_t t = T - 1; t > 0; --t) {
    for (std::int32_t y = 0; y < m; ++y)
      row[y] = scores.unary(t)[y] + after(t)[y];
    scores.max_plus().step(row, m, priced_.begin(), m, m, nullptr, after(t - 1));
  }
  double best = kForbidden;
  for (std::int32_t t = 0; t < T; ++t) {
    for (std::int32_t y = 0; y < m; ++y)
      row[y] = scores.unary(t)[y] + (t == 0 ? scores.start()[y] - payments_[m * m + y]
                                            : priced_[y * m + path_[t - 1]]);
    path_[t] = std::max(scores.max_plus().best_sum(row, after(t), m), 0);
    if (t == 0)
      best = row[path_[0]] + after(0)[path_[0]];
  }
  return best + advance_;
}

// Looks for multipliers with a low upper bound, by subgradient steps from the present ones. Keeps
// the best ones found, with their completion_, and lowers `bound`. Does nothing if no rule has a
// multiplier, or if every edge has its own matrix. False if memory runs out.
bool RuleSearch::tighten(Scores &scores, gsl::span<const AttachedRule> rules,
                         Limits &limits) noexcept {
  const std::int64_t m = scores.labels();
  if (scores.view().edge_each ||
      std::none_of(rules.begin(), rules.end(), [](const AttachedRule &r) { return r.counted; }))
    return true;
  if (!best_multipliers_.copy(multipliers_) || !priced_.resize(m * m) ||
      !path_.resize(scores.length()))
    return false;
  double lowest = kInfinity;
  double pace = 1;
  std::int32_t stalled = 0;
  const auto excess = [&](const AttachedRule &rule) {
    std::int64_t count = -rule.most;
    for (std::int32_t t = 0; t < scores.length(); ++t)
      count += rule.counts(t > 0 ? path_[t - 1] : -1, path_[t]) ? 1 : 0;
    return static_cast<double>(rule.counted ? count : 0);
  };
  for (std::int32_t step = 0;
       step < kRuleSteps && limits.spend(scores.length() * (m * m + 2 * rules_)); ++step) {
    set_payments(rules);
    const double value = complete_paying(scores);
    if (value < lowest) {
      lowest = value;
      stalled = 0;
      best_multipliers_.copy(multipliers_);
    } else if (++stalled >= kRulePatience) {
      stalled = 0;
      pace *= kRuleSlower;
    }
    double squares = 0;
    for (const AttachedRule &rule : rules)
      squares += excess(rule) * excess(rule);
    if (squares == 0 || value <= floor_)
      break;
    const double size = pace * (value - score) / squares;
    std::int64_t r = 0;
    for (const AttachedRule &rule : rules) {
      multipliers_[r] = std::max(multipliers_[r] + size * excess(rule), 0.0);
      ++r;
    }
  }
  multipliers_.copy(best_multipliers_);
  set_payments(rules);
  bound = std::min(bound, std::max(complete_paying(scores), score));
  return true;
}

// Replaces the labelling by that of the best node of the last position, if that one scores more,
// and raises floor_ accordingly. Lowers `bound` to at most the greater of the score and dropped_.
void RuleSearch::finish(const ChainView &view, gsl::span<const AttachedRule> rules) noexcept {
  const auto best = std::max_element(
      now_.begin(), now_.end(), [](const Node &a, const Node &b) { return a.score < b.score; });
  if (best != now_.end() && (!found() || best->score > score)) {
    std::int64_t at = best - now_.begin();
    for (std::int32_t t = view.length; t-- > 0;) {
      const Step step = trail_[layers_[t] + at];
      labelling[t] = step.label;
      at = step.from;
    }
    const gsl::span<const std::int32_t> labels = labelling;
    paid = 0;
    for (const AttachedRule &rule : rules)
      if (rule.broken_by(labels))
        paid += rule.price;
    score = view.score(labels) - paid;
    // Scores of nodes and bounds are sums in other orders. Nodes that cannot improve on the score
    // by more than the rounding of these sums are dropped.
    const std::int32_t *of = labels.data();
    double magnitude = magnitude_of(score);
    for (std::int32_t t = 0; t < view.length; ++t)
      magnitude += magnitude_of(view.unary_at(t, of[t])) +
                   (t > 0 ? magnitude_of(view.edge_at(t, of[t - 1], of[t])) : 0);
    floor_ = score + 1e-12 * magnitude;
  }
  bound = std::min(bound, std::max(score, dropped_));
  if (bound <= floor_)
    bound = score;
}

// Searches with one width. Sets now_ to the nodes of the last position, whose scores are complete,
// with end scores and the prices of all broken rules; if interrupted, now_ has nodes of an earlier
// position. False if memory runs out.
bool RuleSearch::search(Scores &scores, gsl::span<const AttachedRule> rules, std::int64_t width,
                        Limits &limits) noexcept {
  const std::int32_t m = scores.labels();
  trail_.truncate(0);
  layers_.truncate(0);
  now_.truncate(0);
  states_.truncate(0);
  // One node before the first position. Its label is not read.
  if (!now_.push({0, 0, 0, -1, -1}))
    return false;
  for (const AttachedRule &rule : rules)
    if (!states_.push(rule.attached.property->start))
      return false;
  for (std::int32_t t = 0; t < scores.length(); ++t) {
    next_.truncate(0);
    next_states_.truncate(0);
    std::int64_t slots = 16;
    while (slots < 2 * now_.size() * m)
      slots *= 2;
    if (!table_.fill(slots, -1))
      return false;
    for (std::int64_t node = 0; node < now_.size(); ++node) {
      if (!limits.spend(std::int64_t{m} * (2 + rules_)))
        return true;
      if (!extend(scores, rules, t, node))
        return false;
    }
    if (!order_.resize(next_.size()))
      return false;
    keep_best(width);
    if (!end_layer())
      return false;
  }
  return true;
}

// Adds to next_ the nodes at position t that continue node `number` of now_ and have a bound above
// floor_. False if memory runs out.
bool RuleSearch::extend(Scores &scores, gsl::span<const AttachedRule> rules, std::int32_t t,
                        std::int64_t number) noexcept {
  const std::int32_t m = scores.labels();
  const Node &node = now_[number];
  const double *unary = scores.unary(t);
  const double *edges =
      t == 0 ? scores.start() : scores.forward(t) + node.label * scores.forward_stride();
  const double *payments = payments_.begin() + (t == 0 ? m : node.label) * m;
  const double *after = completion_.begin() + std::int64_t{t} * m;
  const std::int32_t *states = states_.begin() + number * rules_;
  const bool last = t + 1 == scores.length();
  std::int32_t *stepped = stepped_.begin();
  for (std::int32_t y = 0; y < m; ++y) {
    Node to{0, node.score + edges[y] + unary[y], node.paid + payments[y], y,
            static_cast<std::int32_t>(number)};
    to.bound = to.score - to.paid + after[y] + advance_;
    if (!(to.bound > floor_))
      continue;
    double lost = 0;
    std::int32_t r = 0;
    for (const AttachedRule &rule : rules) {
      const Property &property = *rule.attached.property;
      const std::int64_t at =
          property.cell(states[r], rule.attached.class_at(t)) * m + y;
      std::int32_t state = property.next[at];
      bool fires = rule.attached.fired(property.actions[at], t) >= 0;
      if (last && !fires)
        fires = rule.attached.fired(property.end_actions[std::int64_t{state} * (m + 1) + y], t) >= 0;
      if (fires) {
        lost += rule.price;
        state = property.dead();
      }
      stepped[r++] = state;
    }
    to.score -= lost;
    to.bound -= lost;
    if (last)
      to.score = to.bound = to.score + after[y];
    if (to.bound > floor_ && !add(to))
      return false;
  }
  return true;
}

// Adds a node whose states are in stepped_ to next_. If next_ has a node with the same label and
// states, only the one with the greater score stays. False if memory runs out.
bool RuleSearch::add(const Node &node) noexcept {
  std::uint64_t hash = static_cast<std::uint64_t>(node.label) + 1;
  for (const std::int32_t state : stepped_)
    hash = (hash ^ static_cast<std::uint64_t>(state)) * 0x9E3779B97F4A7C15U ^ (hash >> 29);
  const auto mask = static_cast<std::uint64_t>(table_.size() - 1);
  for (std::uint64_t slot = (hash ^ hash >> 32) & mask;; slot = (slot + 1) & mask) {
    std::int32_t &entry = table_[static_cast<std::int64_t>(slot)];
    if (entry < 0) {
      entry = static_cast<std::int32_t>(next_.size());
      return next_states_.append(stepped_) && next_.push(node);
    }
    Node &known = next_[entry];
    if (known.label == node.label &&
        std::equal(stepped_.begin(), stepped_.end(),
                   next_states_.begin() + std::int64_t{entry} * rules_)) {
      if (node.score > known.score)
        known = node;
      return true;
    }
  }
}

// Writes to order_ the indices, ascending, of the nodes of next_ that stay: the `width` with the
// greatest bounds. Raises dropped_ to the greatest bound of the others.
void RuleSearch::keep_best(std::int64_t width) noexcept {
  std::iota(order_.begin(), order_.end(), 0);
  if (next_.size() <= width)
    return;
  const auto better = [this](std::int32_t a, std::int32_t b) {
    return next_[a].bound != next_[b].bound ? next_[a].bound > next_[b].bound : a < b;
  };
  std::nth_element(order_.begin(), order_.begin() + width, order_.end(), better);
  dropped_ = std::max(dropped_, next_[order_[width]].bound);
  order_.truncate(width);
  std::sort(order_.begin(), order_.end());
}

// Copies the nodes of next_ whose indices order_ lists, with their rules' states, to now_ and
// states_, and appends their labels and predecessors to trail_ as a new layer. False if memory runs
// out.
bool RuleSearch::end_layer() noexcept {
  now_.truncate(0);
  states_.truncate(0);
  if (!layers_.push(trail_.size()))
    return false;
  for (const std::int32_t kept : order_)
    if (!now_.push(next_[kept]) || !trail_.push({next_[kept].label, next_[kept].from}) ||
        !states_.append(span_of(next_states_.begin() + std::int64_t{kept} * rules_, rules_)))
      return false;
  return true;
}

} // namespace chorale
