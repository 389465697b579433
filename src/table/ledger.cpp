#include "table/ledger.hpp"

namespace chorale {

bool Ledger::add(const chorale_mentions &given, std::int32_t *labels) noexcept {
  const std::int64_t first = rows(), count = first + given.count;
  if (!rows_.reserve(count) || !key_.reserve(count) || !label_.reserve(count) ||
      !confidence_.reserve(count) || !times_.reserve(count) || !keys_.reserve(given.keys) ||
      !scores_.reserve(scores_.size() + given.count) || !changed_.reserve(given.keys) ||
      !scratch_.reserve(std::min(labels_, count)))
    return false;
  while (keys_.size() < given.keys)
    keys_.push({0, 0, -1, -1, -1, 0});
  for (std::int64_t i = 0; i < given.count; ++i) {
    const std::int32_t key = given.key[i];
    rows_.push({-1, -1});
    key_.push(key);
    label_.push(given.label[i]);
    confidence_.push(given.confidence ? given.confidence[i] : kConfidence);
    times_.push(given.times ? given.times[i] : 1);
    if (key < 0)
      continue;
    rows_[first + i].next = keys_[key].last;
    keys_[key].last = static_cast<std::int32_t>(first + i);
    sum_up(first + i);
  }
  for (std::int64_t i = 0; i < given.count; ++i)
    if (given.key[i] >= 0)
      decide_key(given.key[i]);
  for (std::int64_t i = 0; i < given.count; ++i) {
    const std::int32_t key = given.key[i], label = label_of(first + i);
    rows_[first + i].told = given.told ? given.told[i] : label;
    if (labels)
      labels[i] = label;
    if (key >= 0 && rows_[first + i].told != label && !keys_[key].listed) {
      keys_[key].listed = 1;
      changed_.push(key);
    }
  }
  return true;
}

// Adds the evidence of a row to the sums of its key. The caller has reserved room in scores_.
void Ledger::sum_up(std::int64_t row) noexcept {
  const Vote vote = vote_of(label_[row], confidence_[row], labels_);
  if (vote.own < 0)
    return;
  Key &key = keys_[key_[row]];
  const double evidence =
      rounded(std::clamp(vote.margin, -evidence_.most, evidence_.most)) * static_cast<double>(times_[row]);
  key.n += times_[row];
  key.total += std::max(evidence, 0.0);
  std::int32_t at = key.scores;
  while (at >= 0 && scores_[at].of.label != vote.own)
    at = scores_[at].next;
  if (at < 0) {
    at = static_cast<std::int32_t>(scores_.size());
    scores_.push({{vote.own, 0}, key.scores});
    key.scores = at;
  }
  scores_[at].of.score += evidence;
}

void Ledger::decide_key(std::int32_t number) noexcept {
  Key &key = keys_[number];
  scratch_.truncate(0);
  for (std::int32_t at = key.scores; at >= 0; at = scores_[at].next)
    scratch_.push(scores_[at].of);
  const Sums sums{key.n, key.total, {scratch_.begin(), to_size(scratch_.size())}};
  const std::int32_t label = decide(sums, labels_, evidence_).label;
  if (label != key.label && !key.listed) {
    key.listed = 1;
    changed_.push(number);
  }
  key.label = label;
}

std::int32_t Ledger::label_of(std::int64_t row) const noexcept {
  if (key_[row] >= 0 && keys_[key_[row]].label >= 0)
    return keys_[key_[row]].label;
  const std::int32_t own = vote_of(label_[row], confidence_[row], labels_).own;
  return own >= 0 ? own : label_[row];
}

bool Ledger::changes(Array<chorale_ledger_change> &found) noexcept {
  bool fits = true;
  std::int64_t kept = 0;
  for (const std::int32_t key : gsl::span<const std::int32_t>(changed_)) {
    const std::int64_t before = found.size();
    for (std::int64_t row = keys_[key].last; fits && row >= 0; row = rows_[row].next)
      if (const std::int32_t label = label_of(row); label != rows_[row].told)
        fits = found.push({row, label, rows_[row].told});
    if (!fits || found.size() > before)
      changed_[kept++] = key;
    else
      keys_[key].listed = 0;
  }
  changed_.truncate(kept);
  std::sort(found.begin(), found.end(),
            [](const auto &a, const auto &b) { return a.row < b.row; });
  return fits;
}

void Ledger::take(const Array<chorale_ledger_change> &found) noexcept {
  for (const chorale_ledger_change &change : gsl::span<const chorale_ledger_change>(found))
    rows_[change.row].told = change.label;
  for (const std::int32_t key : gsl::span<const std::int32_t>(changed_))
    keys_[key].listed = 0;
  changed_.truncate(0);
}

void Ledger::refit(const Evidence &evidence) noexcept {
  evidence_ = evidence;
  scores_.truncate(0);
  for (Key &key : gsl::span<Key>(keys_.begin(), to_size(keys()))) {
    key.total = 0;
    key.n = 0;
    key.scores = -1;
  }
  for (std::int64_t row = 0; row < rows(); ++row)
    if (key_[row] >= 0)
      sum_up(row);
  for (std::int64_t key = 0; key < keys(); ++key)
    decide_key(static_cast<std::int32_t>(key));
}

chorale_ledger_row Ledger::row(std::int64_t row) const noexcept {
  return {key_[row],         label_[row],   confidence_[row],
          times_[row],       label_of(row), rows_[row].told};
}

chorale_mentions Ledger::mentions() const noexcept {
  chorale_mentions made{};
  made.struct_size = sizeof made;
  made.count = rows();
  made.keys = keys();
  made.labels = labels_;
  made.key = key_.begin();
  made.label = label_.begin();
  made.confidence = confidence_.begin();
  made.times = times_.begin();
  return made;
}

} // namespace chorale
