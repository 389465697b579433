#include "table/settling.hpp"

#include <functional>
#include <limits>
#include <numeric>

namespace chorale {
namespace {

// A key counts as two things if the evidence against its best label exceeds once + per_mention * n.
// Estimated: `once` are the log-odds against kTwo, the probability that a key is two things, and
// matters for keys of few mentions; per_mention is the usual evidence of a mention of this table
// against the best label of its key, plus kShare times the mean margin. Both constants were chosen
// by measurements, see examples/experiments/settled.py.
constexpr double kTwo = 1.0 / 400;
constexpr double kShare = 0.3;

// The greatest `most` that is estimated.
constexpr double kMost = 8;

// The evidence against best labels that the tagger's own probabilities predict counts as much as
// that observed on this many mentions.
constexpr double kPrior = 100;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

chorale_status check_scores(const Report &report, const chorale_mentions &given) noexcept {
  for (std::int64_t i = 0; i < given.count; ++i) {
    const double *row = given.scores + i * given.labels;
    bool any = false;
    for (std::int64_t v = 0; v < given.labels; ++v) {
      if (!is_score(row[v]))
        return fail_number(report, row[v], true, "mentions->scores[", i, "][", v, "]");
      any = any || row[v] != kForbidden;
    }
    if (!any)
      return report.fail(CHORALE_ERROR_INFINITE, "mentions->scores[", i,
                         "] are all minus infinity; one must be finite");
  }
  return CHORALE_OK;
}

} // namespace

chorale_status check_evidence(const Report &report, const chorale_evidence &given) noexcept {
  for (const double number : {given.most, given.once, given.per_mention})
    if (std::isnan(number))
      return report.fail(CHORALE_ERROR_NOT_A_NUMBER,
                         "evidence has NaN; most, once and per_mention must be numbers");
  if (!(given.most > 0 && given.most <= kLargestScore))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "evidence->most is ", given.most,
                       "; it must be above 0 and finite");
  if (!(given.per_mention >= 0 && given.per_mention <= kLargestScore))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "evidence->per_mention is ", given.per_mention,
                       "; it must be at least 0 and finite");
  return CHORALE_OK;
}

chorale_status check_mentions(const Report &report, const chorale_mentions &given) noexcept {
  CHORALE_CHECK(check_size(report, "mentions->count", given.count, 0));
  CHORALE_CHECK(check_size(report, "mentions->keys", given.keys, 0));
  CHORALE_CHECK(check_size(report, "mentions->labels", given.labels));
  const std::int64_t n = given.count, last = given.labels - 1;
  CHORALE_CHECK(check_entries(report, given.answers, given.keys, CHORALE_ANSWER_DIFFERS, last,
                              "mentions->answers"));
  if (n == 0)
    return CHORALE_OK;
  CHORALE_CHECK(check_given(report, "mentions->key", given.key));
  if (!given.scores)
    CHORALE_CHECK(check_given(report, "mentions->label", given.label));
  std::int64_t stride = given.labels;
  CHORALE_CHECK(take_row_stride(report, "mentions->count", given.count, "mentions->labels",
                                given.labels, "mentions->labels", stride));
  CHORALE_CHECK(check_entries(report, given.key, n, -1, given.keys - 1, "mentions->key"));
  CHORALE_CHECK(check_entries(report, given.label, n, -1, last, "mentions->label"));
  CHORALE_CHECK(check_entries(report, given.gold, n, -1, last, "mentions->gold"));
  CHORALE_CHECK(check_entries(report, given.told, n, -1, last, "mentions->told"));
  CHORALE_CHECK(check_entries(report, given.times, n, 1, kLargestSize, "mentions->times"));
  if (given.scores)
    return check_scores(report, given);
  for (std::int64_t i = 0; given.confidence && i < given.count; ++i)
    if (given.confidence[i] < 0 || given.confidence[i] > 1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "mentions->confidence[", i, "] is ",
                         given.confidence[i], "; it must be from 0 to 1, or NaN");
  return CHORALE_OK;
}

// ---- Preparation -------------------------------------------------------------------------------

Vote SettledTable::vote_of_row(std::int64_t i) const noexcept {
  const std::int64_t m = given_.labels;
  const std::int32_t label = given_.label ? given_.label[i] : 0;
  if (!given_.scores)
    return vote_of(label, given_.confidence ? given_.confidence[i] : kConfidence, m);
  const double *row = given_.scores + i * m;
  const auto best = static_cast<std::int32_t>(std::max_element(row, row + m) - row);
  double second = kForbidden;
  for (std::int64_t v = 0; v < m; ++v)
    if (v != best)
      second = std::max(second, row[v]);
  const std::int32_t own = given_.label && label >= 0 && row[label] == row[best] ? label : best;
  return {label < 0 ? -1 : own, m == 1 ? 0 : row[best] - second};
}

bool SettledTable::prepare() noexcept {
  const std::int64_t n = given_.count, m = given_.labels;
  if (!mentions_.resize(n) || !first_.resize(given_.keys + 3) || !scores_.reserve(m) ||
      !counts_.reserve(m) || !place_.resize(m))
    return false;
  std::fill(place_.begin(), place_.end(), -1);
  // A counting sort. Rows of a key are counted in first_[key + 2], so that the prefix sum in
  // first_[key + 1] is where they begin. This entry advances with each row placed, and ends where
  // the rows of key + 1 begin.
  std::fill(first_.begin(), first_.end(), 0);
  for (std::int64_t i = 0; i < n; ++i)
    ++first_[key_of(i) + 2];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  for (std::int64_t i = 0; i < n; ++i) {
    const Vote vote = vote_of_row(i);
    mentions_[first_[key_of(i) + 1]++] = {vote.margin, vote.own,
                                          given_.label ? given_.label[i] : vote.own, i,
                                          given_.times ? given_.times[i] : 1};
  }
  return true;
}

std::int64_t SettledTable::place_of(std::int64_t label) noexcept {
  std::int32_t &place = place_[label];
  if (place < 0) {
    place = static_cast<std::int32_t>(scores_.size());
    scores_.push({static_cast<std::int32_t>(label), 0}); // both have room for all labels
    counts_.push({});
  }
  return place;
}

void SettledTable::sum_up(std::int64_t key, double most) noexcept {
  for (const LabelScore &at : scores_)
    place_[at.label] = -1;
  scores_.truncate(0);
  counts_.truncate(0);
  sums_ = {};
  const std::int64_t m = given_.labels;
  for (const Mention &mention : mentions_of(key)) {
    if (mention.own < 0)
      continue;
    const auto many = static_cast<double>(mention.times);
    sums_.n += mention.times;
    if (!given_.scores) {
      const double evidence = rounded(std::clamp(mention.margin, -most, most));
      scores_[place_of(mention.own)].score += evidence * many;
      sums_.total += std::max(evidence, 0.0) * many;
      continue;
    }
    // Evidence for each label, beyond that for the least probable one.
    const double *row = given_.scores + mention.row * m;
    const double top = row[mention.own];
    const double least = std::max(*std::min_element(row, row + m) - top, -most);
    for (std::int64_t v = 0; v < m; ++v) {
      const double evidence = rounded(std::max(row[v] - top, -most) - least);
      if (evidence > 0)
        scores_[place_of(v)].score += evidence * many;
    }
    sums_.total += rounded(-least) * many;
  }
  sums_.scores = {scores_.begin(), to_size(scores_.size())};
}

// Returns the label with the most evidence, of several the first.
std::int32_t SettledTable::best_label() const noexcept {
  const std::int64_t m = given_.labels;
  LabelScore best{static_cast<std::int32_t>(m), scores_.size() < m ? 0 : kForbidden};
  for (const LabelScore &at : gsl::span<const LabelScore>(scores_))
    if (at.score > best.score || (at.score == best.score && at.label < best.label))
      best = at;
  for (std::int32_t v = 0; best.score == 0 && v < best.label; ++v)
    if (place_[v] < 0) // has the score 0
      best.label = v;
  return best.label;
}

// ---- The numbers of chorale_evidence -----------------------------------------------------------

bool SettledTable::find(chorale_evidence &evidence) noexcept {
  if (!estimate(evidence))
    return false;
  learn(evidence);
  return true;
}

// Estimates, on the keys with several mentions:
// most: the log-odds that a mention is right, among the surest quarter of mentions, where the label
//   of a key with most evidence counts as right.
// once, per_mention: see kTwo and kShare.
bool SettledTable::estimate(chorale_evidence &evidence) noexcept {
  struct Sure {
    double margin;
    std::int64_t times;
    bool wrong;
  };
  const double others = static_cast<double>(std::max<std::int64_t>(1, given_.labels - 1));
  evidence.origin = CHORALE_EVIDENCE_ESTIMATED;
  evidence.mentions = evidence.right = 0;
  evidence.once = natural_log((1 - kTwo) / kTwo);
  Array<Sure> mentions(memory_); // of keys with several mentions
  if (!mentions.reserve(first_[given_.keys]))
    return false;
  for (std::int64_t key = 0; key < given_.keys; ++key) {
    sum_up(key, kMost);
    if (sums_.n <= 1)
      continue;
    const std::int32_t best = best_label();
    for (const Mention &mention : mentions_of(key))
      if (mention.own >= 0)
        mentions.push({mention.margin, mention.times, mention.own != best});
    evidence.mentions += sums_.n;
  }
  const auto all = static_cast<double>(evidence.mentions);
  if (mentions.empty()) {
    evidence.most = rounded(natural_log(19 * others));
    evidence.per_mention = rounded(kShare * 2);
    return true;
  }
  std::sort(mentions.begin(), mentions.end(),
            [](const Sure &a, const Sure &b) { return a.margin > b.margin; });
  // Takes the surest mentions until they are more than a quarter, and all that are as sure as the last.
  double sure = 0, wrong = 0, least = 0;
  for (const Sure &mention : mentions) {
    if (all - sure < 0.75 * all && mention.margin < least)
      break;
    least = mention.margin;
    sure += static_cast<double>(mention.times);
    wrong += mention.wrong ? static_cast<double>(mention.times) : 0;
  }
  const double rate = std::min(0.5, (wrong + 1) / (sure + 20));
  const double most = std::clamp(natural_log((1 - rate) / rate * others), 0.5, kMost);
  double expected = 0, margins = 0, against = 0;
  for (const Sure &mention : mentions) {
    const double margin = std::clamp(mention.margin, 0.0, most);
    const double odds = natural_exp(-std::fabs(mention.margin)) * others;
    const auto many = static_cast<double>(mention.times);
    expected += rounded(odds / (1 + odds) * margin) * many;
    margins += rounded(margin) * many;
  }
  for (std::int64_t key = 0; key < given_.keys; ++key) {
    sum_up(key, most);
    if (sums_.n > 1)
      against += decide(sums_, given_.labels, {most, 0, 0}).against;
  }
  const double usual = (against + kPrior * expected / all) / (all + kPrior);
  evidence.most = rounded(most);
  evidence.per_mention = rounded(usual + kShare * margins / all);
  return true;
}

// Tries other `once` and per_mention on the mentions with right labels. Keys are divided into two
// halves; the best numbers on one are tested on the other. If that gains right labels over those
// given, the best numbers on all keys are kept; if not, a key gets one label only if no evidence is
// against it.
void SettledTable::learn(chorale_evidence &evidence) noexcept {
  std::int64_t known = 0;
  for (std::int64_t i = 0; given_.gold && i < given_.count; ++i)
    known += given_.key[i] >= 0 && given_.gold[i] >= 0;
  if (known == 0)
    return;
  const double once = evidence.once, each = evidence.per_mention, most = evidence.most;
  const Evidence tried[] = {{most, once, each},       {most, kInfinity, each}, {most, 0, each / 4},
                            {most, 0, each / 2},      {most, once, each / 2},  {most, once, 2 * each},
                            {most, once, 4 * each}};
  constexpr std::size_t kTried = std::size(tried);
  std::int64_t gains[2][kTried] = {};
  for (std::int64_t key = 0; key < given_.keys; ++key) {
    sum_up(key, most);
    for (std::size_t k = 0; k < kTried; ++k) {
      const std::int32_t label = decide(sums_, given_.labels, tried[k]).label;
      for (const Mention &mention : mentions_of(key))
        if (const std::int32_t right = given_.gold[mention.row]; right >= 0)
          gains[key % 2][k] += ((label >= 0 ? label : mention.own) == right) -
                               (mention.before == right);
    }
  }
  const auto best_of = [](const std::int64_t *of) { return std::max_element(of, of + kTried) - of; };
  evidence.origin = CHORALE_EVIDENCE_LEARNT;
  evidence.mentions = known;
  evidence.right = gains[1][best_of(gains[0])] + gains[0][best_of(gains[1])];
  std::int64_t both[kTried];
  std::transform(gains[0], gains[0] + kTried, gains[1], both, std::plus<>());
  // Without a gain every disagreement is a conflict, so that all labels stay.
  const Evidence best = evidence.right > 0 ? tried[best_of(both)] : Evidence{most, 0, 0};
  evidence.once = best.once;
  evidence.per_mention = best.per_mention;
}

// ---- Keys --------------------------------------------------------------------------------------

// Returns the probability of a label by the mention alone.
double SettledTable::own_probability(const Mention &mention, std::int32_t label,
                                     double most) const noexcept {
  const std::int64_t m = given_.labels;
  if (mention.own < 0)
    return 1 / static_cast<double>(m);
  if (!given_.scores) {
    const double odds = natural_exp(-std::clamp(mention.margin, -most, most)) * static_cast<double>(m - 1);
    if (mention.own == label)
      return 1 / (1 + odds);
    return (1 - 1 / (1 + odds)) / static_cast<double>(std::max<std::int64_t>(1, m - 1));
  }
  const double *scores = given_.scores + mention.row * m;
  const double top = scores[mention.own];
  double sum = 0;
  for (std::int64_t v = 0; v < m; ++v)
    sum += natural_exp(std::max(scores[v] - top, -most));
  return natural_exp(std::max(scores[label] - top, -most)) / sum;
}

// Settles a key, and its mentions in `settled`, unless it is NULL. Probabilities are averages over
// m + 1 explanations of the key: all mentions have label v, one for each v, or each has its own.
// The weight of an explanation is the exponential of its score. The last one has weight 0 if at
// most one mention of the key is evidence.
chorale_settled_key SettledTable::settle_key(std::int64_t key, const Evidence &evidence,
                                         chorale_settled_mention *settled) noexcept {
  sum_up(key, evidence.most);
  KeyDecision found = decide(sums_, given_.labels, evidence);
  const std::int32_t answer = given_.answers ? given_.answers[key] : CHORALE_NO_ANSWER;
  const bool answered = answer != CHORALE_NO_ANSWER;
  if (answered) {
    found.label = std::max(answer, -1);
    found.conflict = false;
  }
  std::int64_t every = 0, labelled = 0;
  for (const Mention &mention : mentions_of(key)) {
    every += mention.times;
    const std::int32_t now = mention.own_label();
    if (mention.before >= 0) {
      labelled += mention.times;
      counts_[place_of(mention.before)].before += mention.times;
    }
    if (now >= 0)
      counts_[place_of(now)].now += mention.times;
  }
  if (found.label >= 0)
    place_of(found.label);
  const double apart = sums_.n > 1 ? sums_.total - found.price : kForbidden;
  const auto rest = static_cast<double>(given_.labels - scores_.size()); // labels without an entry
  double top = rest > 0 ? std::max(apart, 0.0) : apart;
  for (const LabelScore &at : scores_)
    top = std::max(top, at.score);
  double sum = natural_exp(apart - top) + rest * natural_exp(-top);
  for (const LabelScore &at : scores_)
    sum += natural_exp(at.score - top);
  const auto chance = [&](double score) { return natural_exp(score - top) / sum; };
  const auto probability = [&](const Mention &mention, std::int32_t label) {
    if (label < 0)
      return kNaN;
    if (answered && found.label >= 0)
      return label == found.label ? 1.0 : 0.0;
    return chance(place_[label] < 0 ? 0 : scores_[place_[label]].score) +
           chance(apart) * own_probability(mention, label, evidence.most);
  };
  for (const Mention &mention : settled ? mentions_of(key) : gsl::span<const Mention>()) {
    const std::int32_t was = mention.before;
    const std::int32_t label = found.label >= 0 ? found.label : mention.own_label();
    const std::int64_t others = every - mention.times;
    chorale_settled_mention &to = settled[mention.row];
    to = {label, label != was, probability(mention, label), probability(mention, was), others, 0, 0};
    if (label < 0)
      continue;
    const Counts counts = counts_[place_[label]];
    to.agreeing_before = counts.before - (was == label ? mention.times : 0);
    to.agreeing = found.label >= 0 ? others : counts.now - mention.times;
  }

  // Expected number of mentions that change if a person says what the key is. If all now get label u,
  // the answer v != u changes all mentions, and "each has its own" those not given u. If each gets its
  // own, the answer v changes those not given v. In a conflict, half of the probability is for one
  // label, divided as the labels given.
  double expected = 0;
  for (std::int64_t k = 0; k < scores_.size(); ++k) {
    const auto counts = static_cast<double>(counts_[k].before);
    const double of = found.conflict ? counts / static_cast<double>(std::max<std::int64_t>(1, labelled)) / 2
                                     : chance(scores_[k].score);
    if (found.label < 0)
      expected += of * (static_cast<double>(every) - counts);
    else if (scores_[k].label != found.label)
      expected += of * static_cast<double>(every);
    else
      expected += chance(apart) * (static_cast<double>(every) - counts);
  }
  if (!found.conflict)
    expected += rest * chance(0) * static_cast<double>(every);
  if (answered || every < 2)
    expected = 0;
  return {found.label, found.conflict, every, found.against, found.price, expected};
}

void SettledTable::settle(const Evidence &evidence, chorale_settled_mention *settled,
                      chorale_settled_key *keys) noexcept {
  for (std::int64_t key = 0; key < given_.keys; ++key) {
    const chorale_settled_key found = settle_key(key, evidence, settled);
    if (keys)
      keys[key] = found;
  }
  for (const Mention &mention : settled ? mentions_of(given_.keys) : gsl::span<const Mention>()) {
    const std::int32_t was = mention.before, label = mention.own_label();
    const auto probability = [&](std::int32_t of) {
      return of < 0 ? kNaN : own_probability(mention, of, evidence.most);
    };
    settled[mention.row] = {label, label != was, probability(label), probability(was), 0, 0, 0};
  }
}

} // namespace chorale
