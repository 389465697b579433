// Records with scored pairs, as a graph of units.
#pragma once

#include "base/lists.hpp"
#include "base/report.hpp"

#include <chorale/experimental/partition.h>

namespace chorale {

// Two units, or two groups, and the score of joining them. low <= high.
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

// A *unit* is a record, or several records that must be together, by scores of plus infinity. An
// *edge* is a pair of units that has a score, the sum of the scores of its records; its ends are
// neighbours.
class ScoredGraph {
public:
  struct Neighbour {
    std::int32_t unit;
    double score;
  };

  explicit ScoredGraph(const Memory &memory) noexcept
      : unit(memory), size(memory), edges(memory), sources_(memory), neighbours_(memory) {}

  // Makes the graph, from arrays that check_pairs() has found valid. Fails if records that must be
  // together are too many, share a source or must not be together, or if memory runs out.
  chorale_status read(const Report &report, const chorale_scored_pairs &pairs) noexcept;

  std::int32_t units() const noexcept { return static_cast<std::int32_t>(size.size()); }
  gsl::span<const Neighbour> neighbours(std::int32_t u) const noexcept { return neighbours_[u]; }
  // Returns the sources of the records of a unit, in ascending order.
  gsl::span<const std::int32_t> sources(std::int32_t u) const noexcept { return sources_[u]; }
  bool has_sources() const noexcept { return !sources_.empty(); }
  // True if two units cannot be in one group since they have too many records or a common source.
  // Does not look at their score.
  bool are_apart(std::int32_t u, std::int32_t v) const noexcept;

  Array<std::int32_t> unit; // by record
  Array<std::int32_t> size; // by unit: number of records
  // In ascending order of (low, high). A score of minus infinity means that no best partition joins
  // the two units.
  Array<ScoredEdge> edges;
  std::int64_t greatest = 0; // greatest number of records that a group may have
  double inside = 0;         // sum of the finite scores within units
  double above = 0;          // sum of the scores of the edges with a score above 0

private:
  bool join(const chorale_scored_pairs &pairs) noexcept;
  chorale_status read_edges(const Report &report, const chorale_scored_pairs &pairs) noexcept;
  chorale_status read_sources(const Report &report, const chorale_scored_pairs &pairs) noexcept;
  bool list_neighbours() noexcept;

  Lists<std::int32_t> sources_; // by unit
  Lists<Neighbour> neighbours_;
};

// Checks the fields of the caller's struct: numbers, limits, and all entries of the arrays.
chorale_status check_pairs(const Report &report, const chorale_scored_pairs &pairs) noexcept;

} // namespace chorale
