#include "partition/scored_graph.hpp"

#include "base/components.hpp"

#include <numeric>
#include <tuple>

namespace chorale {

// ---- Edges -------------------------------------------------------------------------------------

void add_up_edges(Array<ScoredEdge> &edges) noexcept {
  // The scores of an edge are added in ascending order, so that the order of the pairs changes no
  // bit.
  std::sort(edges.begin(), edges.end(), [](const ScoredEdge &a, const ScoredEdge &b) {
    return std::tie(a.low, a.high, a.score) < std::tie(b.low, b.high, b.score);
  });
  std::int64_t count = 0;
  for (const ScoredEdge &edge : edges) {
    if (count > 0 && edges[count - 1].low == edge.low && edges[count - 1].high == edge.high)
      edges[count - 1].score += edge.score;
    else
      edges[count++] = edge;
  }
  edges.truncate(count);
}

// ---- Input -------------------------------------------------------------------------------------

chorale_status check_pairs(const Report &report, const chorale_scored_pairs &pairs) noexcept {
  CHORALE_CHECK(check_size(report, "pairs->records", pairs.records, 0));
  CHORALE_CHECK(check_size(report, "pairs->count", pairs.count, 0));
  CHORALE_CHECK(check_size(report, "pairs->greatest_size", pairs.greatest_size, 0));
  CHORALE_CHECK(check_finite(report, "pairs->effort", pairs.effort));
  CHORALE_CHECK(check_seconds(report, "pairs->time_limit", pairs.time_limit));
  if (pairs.count > 0)
    CHORALE_CHECK(check_given(report, "pairs->first", pairs.first, "pairs->second", pairs.second,
                              "pairs->score", pairs.score));
  for (std::int64_t k = 0; k < pairs.count; ++k) {
    CHORALE_CHECK(check_below(report, pairs.first[k], pairs.records, "pairs->first[", k, "]"));
    CHORALE_CHECK(check_below(report, pairs.second[k], pairs.records, "pairs->second[", k, "]"));
    if (pairs.first[k] == pairs.second[k])
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "pairs->second[", k, "] is ", pairs.second[k],
                         "; it must be another record than pairs->first[", k, "]");
    if (!std::isinf(pairs.score[k]) && !is_finite_score(pairs.score[k]))
      return fail_number(report, pairs.score[k], true, "pairs->score[", k, "]");
  }
  return check_entries(report, pairs.source, pairs.records, -1, pairs.records - 1, "pairs->source");
}

chorale_status ScoredGraph::read(const Report &report, const chorale_scored_pairs &pairs) noexcept {
  greatest = pairs.greatest_size > 0 ? pairs.greatest_size : kLargestSize;
  if (!join(pairs))
    return report.out_of_memory();
  for (const std::int32_t records : size)
    if (records > greatest)
      return report.fail(CHORALE_ERROR_STATE, "scores of plus infinity join ", records,
                         " records; pairs->greatest_size is ", greatest);
  CHORALE_CHECK(read_edges(report, pairs));
  CHORALE_CHECK(read_sources(report, pairs));
  return list_neighbours() ? CHORALE_OK : report.out_of_memory();
}

// Finds the units. False if memory runs out.
bool ScoredGraph::join(const chorale_scored_pairs &pairs) noexcept {
  if (!unit.resize(pairs.records))
    return false;
  std::iota(unit.begin(), unit.end(), 0);
  Components together(unit);
  for (std::int64_t k = 0; k < pairs.count; ++k)
    if (pairs.score[k] == kInfinity)
      together.join(pairs.first[k], pairs.second[k]);
  together.flatten();
  for (std::int64_t i = 0; i < pairs.records; ++i) {
    const bool is_lowest = unit[i] == i;
    unit[i] = is_lowest ? units() : unit[unit[i]];
    if (is_lowest && !size.push(0))
      return false;
    ++size[unit[i]];
  }
  return true;
}

chorale_status ScoredGraph::read_edges(const Report &report,
                                       const chorale_scored_pairs &pairs) noexcept {
  for (std::int64_t k = 0; k < pairs.count; ++k) {
    const std::int32_t u = unit[pairs.first[k]];
    const std::int32_t v = unit[pairs.second[k]];
    const double of = pairs.score[k];
    if (u == v && of == kForbidden)
      return report.fail(CHORALE_ERROR_STATE, "pairs->score[", k, "] is minus infinity; records ",
                         pairs.first[k], " and ", pairs.second[k],
                         " must be together by scores of plus infinity");
    if (u == v)
      inside += of == kInfinity ? 0 : of;
    else if (!edges.push({std::min(u, v), std::max(u, v), of}))
      return report.out_of_memory();
  }
  add_up_edges(edges);
  for (const ScoredEdge &edge : edges)
    above += std::max(edge.score, 0.0);
  // A partition that joins a pair with a score below -above scores less than the partition in which
  // all units are apart. Such scores become minus infinity, so that no finite score exceeds `above`
  // in magnitude and rounding errors are small fractions of `above`.
  for (ScoredEdge &edge : edges)
    if (edge.score < -above)
      edge.score = kForbidden;
  return CHORALE_OK;
}

chorale_status ScoredGraph::read_sources(const Report &report,
                                         const chorale_scored_pairs &pairs) noexcept {
  const auto fill = [&](auto &&add) {
    for (std::int64_t i = 0; pairs.source && i < pairs.records; ++i)
      if (pairs.source[i] >= 0)
        add(unit[i], pairs.source[i]);
  };
  if (!sources_.make(units(), fill))
    return report.out_of_memory();
  for (std::int32_t u = 0; u < units(); ++u) {
    const gsl::span<std::int32_t> of = sources_[u];
    std::sort(of.begin(), of.end());
    if (const auto twice = std::adjacent_find(of.begin(), of.end()); twice != of.end())
      return report.fail(CHORALE_ERROR_STATE,
                         "scores of plus infinity join two records of the source ", *twice);
  }
  return CHORALE_OK;
}

bool ScoredGraph::list_neighbours() noexcept {
  return neighbours_.make(units(), [this](auto &&add) {
    for (const ScoredEdge &edge : edges) {
      add(edge.low, Neighbour{edge.high, edge.score});
      add(edge.high, Neighbour{edge.low, edge.score});
    }
  });
}

bool ScoredGraph::are_apart(std::int32_t u, std::int32_t v) const noexcept {
  if (std::int64_t{size[u]} + size[v] > greatest)
    return true;
  const gsl::span<const std::int32_t> a = sources(u);
  return std::any_of(a.begin(), a.end(), [b = sources(v)](std::int32_t source) {
    return std::binary_search(b.begin(), b.end(), source);
  });
}

} // namespace chorale
