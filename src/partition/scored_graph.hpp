// Records with scored pairs, as a graph of units.
#pragma once

#include "base/lists.hpp"
#include "base/report.hpp"

#include <chorale/experimental/partition.h>

namespace chorale {

// Two vertices of a graph, or two groups, and the score of joining them. low <= high.
struct ScoredEdge {
  std::int32_t low, high;
  double score;
};
// Returns the key of the edge between u and v, whatever their order.
inline std::uint64_t edge_key(std::int32_t u, std::int32_t v) noexcept {
  return static_cast<std::uint64_t>(std::min(u, v)) << 32 |
         static_cast<std::uint64_t>(std::max(u, v));
}
// Sorts edges by their ends, and makes those with the same ends one, with the sum of their scores.
void add_up_edges(Array<ScoredEdge> &edges) noexcept;

// Records that must be together are one *unit*.
class ScoredGraph {
public:
  struct Neighbour {
    std::int32_t unit;
    double score;
  };

  explicit ScoredGraph(const Memory &memory) noexcept
      : unit(memory), size(memory), edges(memory), sources_(memory), neighbours_(memory) {}

  // Reads arrays that check_pairs() has found valid.
  chorale_status read(const Report &report, const chorale_scored_pairs &pairs) noexcept;

  std::int32_t units() const noexcept { return static_cast<std::int32_t>(size.size()); }
  gsl::span<const Neighbour> neighbours(std::int32_t u) const noexcept { return neighbours_[u]; }
  gsl::span<const std::int32_t> sources(std::int32_t u) const noexcept { return sources_[u]; }
  bool has_sources() const noexcept { return !sources_.empty(); }
  // True if two units cannot be in one group, because of its greatest size or a common source.
  bool are_apart(std::int32_t u, std::int32_t v) const noexcept;

  Array<std::int32_t> unit; // by record
  Array<std::int32_t> size; // by unit: number of records
  // The pairs of units that have a score, in the order of the units; minus infinity: no best
  // partition joins the two.
  Array<ScoredEdge> edges;
  std::int64_t greatest = 0; // number of records of a group
  double inside = 0;         // sum of the scores within units
  double above = 0;          // sum of the scores above 0 between units

private:
  bool join(const chorale_scored_pairs &pairs) noexcept;
  chorale_status read_edges(const Report &report, const chorale_scored_pairs &pairs) noexcept;
  chorale_status read_sources(const Report &report, const chorale_scored_pairs &pairs) noexcept;
  bool list_neighbours() noexcept;

  Lists<std::int32_t> sources_; // of each unit, in order
  Lists<Neighbour> neighbours_;
};

// Checks the arrays of the caller: their sizes and all their entries.
chorale_status check_pairs(const Report &report, const chorale_scored_pairs &pairs) noexcept;

} // namespace chorale
