// Exported C function of partition.h.
#include "base/outcome.hpp"
#include "capi/firewall.hpp"
#include "partition/grouping.hpp"
#include "partition/triangles.hpp"

#include <chorale/experimental/partition.h>

#include <tuple>

namespace chorale {
namespace {

// Writes to groups[i] the group of record i. Groups are numbered in the order of their first
// records. Returns the number of groups. numbers: scratch, an entry of -1 for each unit.
std::int32_t write_groups(const ScoredGraph &graph, const Grouping &grouping,
                          Array<std::int32_t> &numbers, std::int32_t *groups) noexcept {
  std::int32_t count = 0;
  for (std::int64_t i = 0; i < graph.unit.size(); ++i) {
    std::int32_t &number = numbers[grouping.group_of(graph.unit[i])];
    if (number < 0)
      number = count++;
    groups[i] = number;
  }
  return count;
}

// Writes for each pair whether and why it is overruled, and what other scores count against it, as
// partition.h says. `overruled`, `others`: NULL if not wanted. False if memory runs out.
bool write_reasons(const Memory &memory, const ScoredGraph &graph,
                   const chorale_scored_pairs &pairs, const std::int32_t *groups,
                   chorale_overruling *overruled, double *others) noexcept {
  Array<double> within(memory);      // by record: sum of its scores within its group
  Array<ScoredEdge> between(memory); // sums of scores between groups
  if (!within.fill(pairs.records, 0.0))
    return false;
  const auto edge_of = [&](std::int64_t k) {
    const auto [low, high] = std::minmax(groups[pairs.first[k]], groups[pairs.second[k]]);
    return ScoredEdge{low, high, pairs.score[k]};
  };
  for (std::int64_t k = 0; k < pairs.count; ++k) {
    const ScoredEdge edge = edge_of(k);
    if (!std::isfinite(edge.score))
      continue;
    if (edge.low == edge.high) {
      within[pairs.first[k]] += edge.score;
      within[pairs.second[k]] += edge.score;
    } else if (!between.push(edge)) {
      return false;
    }
  }
  add_up_edges(between);
  for (std::int64_t k = 0; k < pairs.count; ++k) {
    const ScoredEdge edge = edge_of(k);
    const std::int32_t a = pairs.first[k], b = pairs.second[k];
    const bool together = edge.low == edge.high;
    double rest = 0;
    chorale_overruling why = CHORALE_NOT_OVERRULED;
    if (std::isfinite(edge.score) && (together ? edge.score < 0 : edge.score > 0)) {
      const double sum =
          together ? std::min(within[a], within[b])
                   : std::lower_bound(between.begin(), between.end(), edge,
                                      [](const ScoredEdge &x, const ScoredEdge &y) {
                                        return std::tie(x.low, x.high) < std::tie(y.low, y.high);
                                      })
                         ->score;
      rest = sum - edge.score;
      const double rounding = 1e-9 * (std::abs(rest) + std::abs(edge.score));
      const bool outweighs = together ? sum >= -rounding : sum <= rounding;
      why = outweighs && !(together && graph.unit[a] == graph.unit[b])
                ? CHORALE_OVERRULED_BY_OTHERS
                : CHORALE_OVERRULED_BY_LIMIT;
    }
    if (overruled)
      overruled[k] = why;
    if (others)
      others[k] = rest;
  }
  return true;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_partition(const chorale_host *host, const chorale_scored_pairs *pairs,
                                 int32_t *groups, chorale_overruling *overruled, double *others,
                                 chorale_partition_result *result, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    chorale_scored_pairs given{};
    chorale_partition_result found{};
    CHORALE_CHECK(take_struct(report, "pairs", pairs, given));
    CHORALE_CHECK(read_struct(report, "result", result, found));
    CHORALE_CHECK(check_pairs(report, given));
    if (given.records > 0)
      CHORALE_CHECK(check_given(report, "groups", groups));
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    const Memory memory(&lent);
    const double seconds = seconds_of(given.time_limit);
    Limits limits(seconds, given.cancel);
    Limits half(seconds < 0 ? seconds : seconds / 2, given.cancel);
    ScoredGraph graph(memory);
    CHORALE_CHECK(graph.read(report, given));
    Grouping grouping(memory, graph, half);
    TriangleBound triangles(memory, graph, limits);
    Array<std::int32_t> numbers(memory);
    if (!grouping.prepare() || !numbers.fill(graph.units(), -1))
      return report.out_of_memory();
    grouping.run(given.effort == 0 ? 1 : std::max(given.effort, 0.0));
    found.groups = write_groups(graph, grouping, numbers, groups);
    MeasuredSum score;
    for (std::int64_t k = 0; k < given.count; ++k)
      if (groups[given.first[k]] == groups[given.second[k]] && std::isfinite(given.score[k]))
        score.add(given.score[k]);
    double bound = 0;
    if (!triangles.run(score.total - graph.inside, bound))
      return report.out_of_memory();
    found.score = score.total;
    found.upper_bound = std::max(score.total, graph.inside + bound);
    found.proven = closes_gap(found.score, score.magnitude + graph.above, found.upper_bound);
    found.outcome = outcome_of(
        half.interruption(), outcome_of(limits.interruption(), CHORALE_OUTCOME_COMPLETE));
    if ((overruled || others) &&
        !write_reasons(memory, graph, given, groups, overruled, others))
      return report.out_of_memory();
    write_struct(result, found);
    return CHORALE_OK;
  });
}

} // extern "C"
