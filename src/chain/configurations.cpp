// configurations.hpp explains the words used here.
#include "chain/configurations.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace chorale {
namespace {

// Most chains need few configurations, so the hash table starts with few slots, and grows.
constexpr std::size_t kFewestSlots = 1024;

std::size_t slot_count(std::int32_t capacity) noexcept {
  return std::bit_ceil(2 * static_cast<std::size_t>(capacity) + 2);
}

} // namespace

Configurations::Configurations(Layout &layout, std::int32_t capacity, std::int32_t codes,
                               std::int32_t columns, std::int32_t backs, bool indexed) noexcept
    : capacity_(capacity), codes_(codes), columns_(columns), backs_(backs) {
  const auto n = static_cast<std::size_t>(capacity);
  const std::size_t scores = saturating_product(n, static_cast<std::size_t>(columns));
  keys_ = layout.take<std::int32_t>(saturating_product(n, static_cast<std::size_t>(codes)));
  rows_ = layout.take<double>(scores);
  numbers_ = layout.take<std::int32_t>(n);
  if (backs > 0)
    back_ = layout.take<std::int32_t>(saturating_product(scores, static_cast<std::size_t>(backs)));
  if (indexed) {
    slots_ = layout.take<std::int32_t>(slot_count(capacity));
    marks_ = layout.take<std::uint32_t>(slot_count(capacity));
  }
}

void Configurations::reset() noexcept {
  count_ = 0;
  if (marks_)
    use_slots(std::min(kFewestSlots, slot_count(capacity_)));
}

void Configurations::clear(std::int32_t columns) noexcept {
  columns_ = columns;
  count_ = 0;
  if (marks_ && ++mark_ == 0)
    use_slots(slot_mask_ + 1);
}

void Configurations::use_slots(std::size_t count) noexcept {
  slot_mask_ = count - 1;
  std::fill_n(marks_, count, std::uint32_t{0});
  mark_ = 1;
}

std::uint64_t Configurations::slot_of(const std::int32_t *key) const noexcept {
  std::uint64_t mix = 0;
  for (std::int32_t k = 0; k < codes_; ++k) {
    mix = (mix ^ static_cast<std::uint32_t>(key[k])) * 0x9e3779b97f4a7c15u;
    mix ^= mix >> 29;
  }
  return mix & slot_mask_;
}

std::int32_t Configurations::find(const std::int32_t *key) const noexcept {
  for (std::uint64_t slot = slot_of(key); marks_[slot] == mark_; slot = (slot + 1) & slot_mask_)
    if (std::equal(key, key + codes_, this->key(slots_[slot])))
      return slots_[slot];
  return -1;
}

void Configurations::link_from(std::int32_t first) noexcept {
  for (std::int32_t i = first; i < count_; ++i) {
    std::uint64_t slot = slot_of(key(i));
    while (marks_[slot] == mark_)
      slot = (slot + 1) & slot_mask_;
    marks_[slot] = mark_;
    slots_[slot] = i;
  }
}

std::int32_t Configurations::append(const std::int32_t *key) noexcept {
  const std::int32_t i = count_++;
  std::copy_n(key, codes_, keys_ + std::int64_t{i} * codes_);
  std::fill_n(row(i), columns_, kForbidden);
  if (marks_) {
    const bool grows = 2 * static_cast<std::uint64_t>(count_) > slot_mask_;
    if (grows)
      use_slots(std::min<std::size_t>(4 * (slot_mask_ + 1), slot_count(capacity_)));
    link_from(grows ? 0 : i);
  }
  return i;
}

void Configurations::keep(gsl::span<const std::int32_t> order) noexcept {
  const std::int32_t *kept = order.data();
  const auto count = static_cast<std::int32_t>(order.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t from = kept[i];
    if (from == i)
      continue;
    std::copy_n(key(from), codes_, keys_ + std::int64_t{i} * codes_);
    std::copy_n(row(from), columns_, row(i));
    numbers_[i] = numbers_[from];
    if (back_)
      std::copy_n(back(from), std::int64_t{columns_} * backs_, back(i));
  }
  clear(columns_);
  count_ = count;
  if (marks_)
    link_from(0);
}

std::int32_t staging_room(std::int64_t most, std::int32_t width, std::int32_t labels) noexcept {
  return static_cast<std::int32_t>(
      std::min<std::int64_t>({most, 8 * std::int64_t{width} + labels, INT32_MAX}));
}

gsl::span<const std::int32_t> JointProgram::keep_best(Configurations &set) noexcept {
  const std::int32_t width = limits_.width;
  std::int32_t outgoing = count_ - 1;
  while (outgoing >= 0 && properties_[outgoing].role != Role::outgoing)
    --outgoing;
  const std::int32_t n = set.count();
  for (std::int32_t i = 0; i < n; ++i) {
    order_[i] = i;
    leads_[i] = 0;
  }
  const auto better = [this](std::int32_t a, std::int32_t b) {
    return rank_[a] != rank_[b] ? rank_[a] > rank_[b] : a < b;
  };
  if (outgoing >= 0) {
    const auto code = [&](std::int32_t i) { return set.key(i)[outgoing]; };
    std::fill_n(leader_, codes_, -1);
    for (std::int32_t i = 0; i < n; ++i)
      if (std::int32_t &leader = leader_[code(i)]; leader < 0 || better(i, leader))
        leader = i;
    for (std::int32_t i = 0; i < n; ++i)
      leads_[i] = leader_[code(i)] == i ? 1 : 0;
  }
  std::nth_element(order_, order_ + width, order_ + n, [&](std::int32_t a, std::int32_t b) {
    return leads_[a] != leads_[b] ? leads_[a] > leads_[b] : better(a, b);
  });
  std::sort(order_, order_ + width);
  set.keep({order_, to_size(width)});
  return {order_ + width, to_size(n - width)};
}

JointProgram::JointProgram(Layout &layout, const ChainView &view, std::int32_t count,
                           std::int32_t width, std::int32_t room, std::int64_t codes) noexcept
    : length_(view.length), labels_(view.labels), count_(count), width_(width),
      codes_(codes), rank_(layout.take<double>(room)), order_(layout.take<std::int32_t>(room)),
      leads_(layout.take<std::uint8_t>(room)), leader_(layout.take<std::int32_t>(codes)),
      fired_(layout.take<std::int32_t>(count)), key_(layout.take<std::int32_t>(count)) {}

void JointProgram::start(Scores &scores, gsl::span<const BoundProperty> properties,
                         const JointLimits &limits, const JointTargets &targets,
                         const LogSums *sums, JointOutcome &outcome) noexcept {
  Expects(properties.size() == to_size(count_));
  scores_ = &scores;
  properties_ = properties.data();
  limits_ = limits;
  targets_ = targets;
  decode_ = !targets.labelling.empty();
  sums_ = sums;
  outcome_ = &outcome;
  outcome.most = std::max<std::int64_t>(outcome.most, 1);
  for (std::int32_t k = 0; k < count_; ++k)
    if (properties_[k].role == Role::outgoing)
      std::fill_n(targets_.messages.row(k).data(), properties_[k].entries(), kForbidden);
}

bool JointProgram::prune(Configurations &set, std::int32_t columns) noexcept {
  if (limits_.exact)
    return false;
  outcome_->pruned = true;
  for (std::int32_t i = 0; i < set.count(); ++i) {
    rank_[i] = greatest({set.row(i), to_size(columns)});
    for (std::int32_t k = 0; k < count_; ++k)
      rank_[i] += properties_[k].expected_payment(set.key(i)[k]);
  }
  keep_best(set);
  return true;
}

double JointProgram::collect(double score) noexcept {
  double all = 0;
  for (std::int32_t but = 0; but <= count_; ++but) {
    if (but < count_ && properties_[but].role != Role::outgoing)
      continue;
    all = score;
    for (std::int32_t k = 0; k < count_; ++k)
      if (k != but && properties_[k].role == Role::outgoing)
        all += properties_[k].message[fired_[k]];
    if (but < count_) {
      double &entry = targets_.messages.row(but).data()[fired_[but]];
      entry = std::max(entry, all);
    }
  }
  return all;
}

} // namespace chorale
