#include "learn/tally.hpp"

namespace chorale {

void Measure::add(gsl::span<const std::int32_t> gold_labels,
                  gsl::span<const std::int32_t> found_labels, LabelCounts &to) const noexcept {
  const std::int32_t *gold = gold_labels.data();
  const std::int32_t *found = found_labels.data();
  const auto length = static_cast<std::int64_t>(gold_labels.size());
  const auto class_of = [&](const std::int32_t *labels, std::int64_t t) {
    return t < 0 || t >= length || gold[t] < 0 ? -1 : classes.data()[labels[t]];
  };
  // True if a new token or span begins at t.
  const auto opens = [&](const std::int32_t *labels, std::int64_t t) {
    const std::int32_t now = class_of(labels, t);
    return now >= 0 && (begins.empty() || class_of(labels, t - 1) != now ||
                        begins.data()[labels[t]] != 0);
  };
  const auto closes = [&](const std::int32_t *labels, std::int64_t t) {
    return class_of(labels, t) >= 0 &&
           (class_of(labels, t + 1) != class_of(labels, t) || opens(labels, t + 1));
  };
  bool same = false; // a gold span and a found one of the same class began at one position
  for (std::int64_t t = 0; t < length; ++t) {
    if (gold[t] < 0)
      continue;
    to.known += 1;
    to.correct += gold[t] == found[t] ? 1 : 0;
    if (costs)
      to.paid += costs.data[gold[t] * costs.stride + found[t]];
    if (!is_f1())
      continue;
    const bool is_gold = opens(gold, t);
    const bool is_found = opens(found, t);
    to.gold += is_gold ? 1 : 0;
    to.found += is_found ? 1 : 0;
    if (is_gold || is_found)
      same = is_gold && is_found && class_of(gold, t) == class_of(found, t);
    const bool ends = closes(gold, t);
    to.right += same && ends && closes(found, t) ? 1 : 0;
    same = same && ends == closes(found, t) && !ends;
  }
}

} // namespace chorale
