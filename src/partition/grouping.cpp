#include "partition/grouping.hpp"

#include "base/random.hpp"

#include <numeric>
#include <utility>

namespace chorale {
namespace {

// Number of calls of reform() at effort 1: kReforms, and kReformsPerUnit more for each unit.
constexpr double kReforms = 2000;
constexpr double kReformsPerUnit = 2;
// Greatest numbers of groups and of units that a call of reform() dissolves.
constexpr std::int64_t kMostGroups = 3;
constexpr std::int64_t kMostDissolved = 200;
// Gains up to this share of the sum of all scores above 0 may be rounding errors.
constexpr double kLeastGain = 1e-13;

} // namespace

bool Grouping::prepare() noexcept {
  const std::int64_t n = graph_.units();
  const auto fits = [n](auto &...arrays) { return (arrays.resize(n) && ...); };
  const auto are_ready = [n](auto &...queues) { return (queues.prepare(n) && ...); };
  if (!fits(group_, head_, records_, was_) || !next_.fill(n, -1) || !previous_.fill(n, -1) ||
      !sums_.fill(n, 0.0) || !are_ready(near_, empty_, waiting_, touched_, moved_) ||
      !chosen_.reserve(kMostDissolved) ||
      !mark_of_source_.fill(graph_.has_sources() ? graph_.unit.size() : 0, 0))
    return false;
  std::iota(group_.begin(), group_.end(), 0);
  std::iota(head_.begin(), head_.end(), 0);
  std::copy(graph_.size.begin(), graph_.size.end(), records_.begin());
  least_ = kLeastGain * graph_.above;
  return true;
}

void Grouping::run(double effort) noexcept {
  const std::int32_t n = graph_.units();
  for (std::int32_t u = 0; u < n; ++u) {
    waiting_.add(u);
    touched_.add(u);
  }
  settle();
  moved_.clear();
  if (graph_.edges.empty())
    return;
  const double reforms = effort * (kReforms + kReformsPerUnit * n);
  for (double done = 0; done < reforms && limits_.spend(64); ++done) {
    const auto unit = static_cast<std::int32_t>(draw_below(random_, n));
    reform(unit, draw_below(random_, kMostGroups));
  }
}

// Dissolves the group of `unit`, and the groups of up to `others` random neighbours of this unit.
// Then settle() forms groups anew. If the score has not risen, undoes all of this.
void Grouping::reform(std::int32_t unit, std::int64_t others) noexcept {
  chosen_.truncate(0);
  choose(group_[unit]);
  const auto near = graph_.neighbours(unit);
  for (std::int64_t k = 0; k < others && !near.empty(); ++k)
    choose(group_[near.data()[draw_below(random_, static_cast<std::int64_t>(near.size()))].unit]);
  if (chosen_.size() < 2)
    return;
  double gain = 0;
  for (const std::int32_t u : chosen_) {
    if (previous_[u] < 0 && next_[u] < 0)
      continue; // in a group of its own already
    add_up(u);
    gain -= sums_[group_[u]];
    forget_sums();
    move(u, empty());
  }
  for (std::int64_t k = chosen_.size() - 1; k > 0; --k)
    std::swap(chosen_[k], chosen_[draw_below(random_, k + 1)]);
  for (const std::int32_t u : chosen_)
    waiting_.add(u);
  gain += settle();
  if (gain <= least_)
    for (std::int64_t k = 0; k < moved_.size(); ++k)
      move(moved_[k], was_[moved_[k]]);
  moved_.clear();
  touched_.clear();
}

// Adds the units of a group to chosen_. Does nothing if chosen_ has them already, or if it would
// then have more than kMostDissolved units.
void Grouping::choose(std::int32_t group) noexcept {
  const std::int64_t before = chosen_.size();
  if (std::find(chosen_.begin(), chosen_.end(), head_[group]) != chosen_.end())
    return;
  for (std::int32_t u = head_[group]; u >= 0; u = next_[u]) {
    if (chosen_.size() == kMostDissolved) {
      chosen_.truncate(before);
      return;
    }
    chosen_.push(u);
  }
}

// Moves units of waiting_ and merges groups of touched_ until both are empty; a move or merge adds
// to them what may now gain. Returns the gain. If the limits interrupt this, the groups are valid,
// but some move or merge may still gain.
double Grouping::settle() noexcept {
  double gain = 0;
  while (limits_.spend(8)) {
    if (waiting_.size() > 0)
      gain += improve(waiting_.take());
    else if (touched_.size() > 0)
      gain += merge(touched_.take());
    else
      break;
  }
  waiting_.clear();
  touched_.clear();
  return gain;
}

// For each group with neighbours of `unit`, adds the scores of the unit with these neighbours to
// sums_, and the group to near_. forget_sums() undoes this.
void Grouping::add_up(std::int32_t unit) noexcept {
  limits_.spend(4 * static_cast<std::int64_t>(graph_.neighbours(unit).size()));
  for (const ScoredGraph::Neighbour &near : graph_.neighbours(unit)) {
    near_.add(group_[near.unit]);
    sums_[group_[near.unit]] += near.score;
  }
}

void Grouping::forget_sums() noexcept {
  while (near_.size() > 0)
    sums_[near_.take()] = 0;
}

void Grouping::mark_sources(std::int32_t unit) noexcept {
  for (const std::int32_t source : graph_.sources(unit))
    mark_of_source_[source] = mark_;
}

// True if units that have `records` records in all, and whose sources are marked, may join `group`:
// it will not have too many records, and it has none of the marked sources.
bool Grouping::may_join(std::int32_t group, std::int64_t records) noexcept {
  if (records + records_[group] > graph_.greatest)
    return false;
  for (std::int32_t u = graph_.has_sources() ? head_[group] : -1; u >= 0; u = next_[u]) {
    limits_.spend(Limits::kScattered);
    for (const std::int32_t source : graph_.sources(u))
      if (mark_of_source_[source] == mark_)
        return false;
  }
  return true;
}

// Moves a unit to the group with which it scores most, of those that it may join, if that gains.
// Moves it to an empty group if it scores below 0 with its own group, and with no other that it may
// join above 0. Returns the gain; 0 if the unit stays.
double Grouping::improve(std::int32_t unit) noexcept {
  ++mark_;
  mark_sources(unit);
  add_up(unit);
  const std::int32_t own = group_[unit];
  const double stays = sums_[own];
  std::int32_t best = own;
  double most = std::max(stays, 0.0);
  for (std::int64_t k = 0; k < near_.size(); ++k)
    if (const std::int32_t to = near_[k];
        to != own && sums_[to] > most + least_ && may_join(to, graph_.size[unit])) {
      best = to;
      most = sums_[to];
    }
  forget_sums();
  if (best == own && stays < -least_)
    best = empty();
  if (best == own)
    return 0;
  move(unit, best);
  wake_neighbours(unit);
  return most - stays;
}

// Merges a group with the group with which it scores most, of those that it may join, if that
// gains. Returns the gain; 0 if nothing is merged.
double Grouping::merge(std::int32_t group) noexcept {
  ++mark_;
  for (std::int32_t u = head_[group]; u >= 0; u = next_[u]) {
    mark_sources(u);
    add_up(u);
  }
  std::int32_t best = group;
  double most = least_;
  for (std::int64_t k = 0; k < near_.size(); ++k)
    if (const std::int32_t to = near_[k];
        to != group && sums_[to] > most && may_join(to, records_[group])) {
      best = to;
      most = sums_[to];
    }
  forget_sums();
  if (best == group)
    return 0;
  if (records_[group] > records_[best])
    std::swap(group, best);
  while (head_[group] >= 0) {
    const std::int32_t unit = head_[group];
    move(unit, best);
    waiting_.add(unit);
    wake_neighbours(unit);
  }
  return most;
}

void Grouping::move(std::int32_t unit, std::int32_t to) noexcept {
  const std::int32_t from = group_[unit];
  if (moved_.add(unit))
    was_[unit] = from;
  (previous_[unit] >= 0 ? next_[previous_[unit]] : head_[from]) = next_[unit];
  if (next_[unit] >= 0)
    previous_[next_[unit]] = previous_[unit];
  records_[from] -= graph_.size[unit];
  if (head_[from] < 0)
    empty_.add(from);
  previous_[unit] = -1;
  next_[unit] = head_[to];
  if (head_[to] >= 0)
    previous_[head_[to]] = unit;
  head_[to] = unit;
  records_[to] += graph_.size[unit];
  group_[unit] = to;
  touched_.add(from);
  touched_.add(to);
}

void Grouping::wake_neighbours(std::int32_t unit) noexcept {
  for (const ScoredGraph::Neighbour &near : graph_.neighbours(unit))
    waiting_.add(near.unit);
}

// Removes an empty group from empty_ and returns it; the caller must move a unit to it. There is an
// empty group whenever some group has two units.
std::int32_t Grouping::empty() noexcept {
  std::int32_t group = empty_.take();
  while (head_[group] >= 0)
    group = empty_.take();
  return group;
}

} // namespace chorale
