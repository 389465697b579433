// Upper bound on the score of every partition, by dual ascent over triangles.
#pragma once

#include "base/limits.hpp"
#include "partition/scored_graph.hpp"

namespace chorale {

// Numbers under keys of 64 bits.
class NumberedKeys {
public:
  explicit NumberedKeys(const Memory &memory) noexcept : memory_(memory), slots_(memory) {}
  // Returns the number of a key; -1 if it has none.
  std::int32_t find(std::uint64_t key) const noexcept {
    return slots_.empty() ? -1 : slots_[place(key)].number;
  }
  // Gives a key that has none a number, at least 0. False if memory runs out.
  bool add(std::uint64_t key, std::int32_t number) noexcept;

private:
  struct Entry {
    std::uint64_t key;
    std::int32_t number; // -1: empty
  };
  std::int64_t place(std::uint64_t key) const noexcept;

  Memory memory_;
  Array<Entry> slots_; // a power of two, at most half of them in use
  std::int64_t count_ = 0;
};

// Of the three pairs of three units, exactly two cannot be joined. A triangle holds a part of the
// score of each of its pairs and counts the best of its five allowed labellings; what is left of a
// pair counts if it is above 0. The sum of all these is a bound, however the scores are divided. A
// step divides one pair among its triangles so that being joined is worth the same in all of them;
// worths are soft maxima, whose temperature falls, since with maxima alone the steps stall. Triangles
// are added only where the present division breaks them: where a path of pairs above 0 connects a
// pair below 0. Longer paths are divided into triangles by pairs that have no score.
class TriangleBound {
public:
  TriangleBound(const Memory &memory, const ScoredGraph &graph, Limits &limits) noexcept
      : graph_(graph), limits_(limits), edges_(memory), rest_(memory), head_(memory),
        next_(memory), triangles_(memory), uses_(memory), came_(memory),
        reached_(memory), path_(memory), number_of_edge_(memory), number_of_triangle_(memory) {}

  // Finds a bound on the scores between units. Ends when it meets `score`. False if memory runs out.
  bool run(double score, double &bound) noexcept;

private:
  struct Triangle {
    std::int32_t edge[3];
    double part[3]; // of the score of each edge
  };

  bool add_edge(std::int32_t u, std::int32_t v, double score, std::int32_t &number) noexcept;
  bool add_triangle(std::int32_t u, std::int32_t v, std::int32_t w) noexcept;
  bool separate(double least) noexcept;
  bool find_path(std::int32_t start, std::int32_t goal, double least) noexcept;
  bool list_uses() noexcept;
  bool sweep(double temperature) noexcept;
  double value() const noexcept;

  const ScoredGraph &graph_;
  Limits &limits_;
  Array<ScoredEdge> edges_; // those of the graph, and those added to divide paths
  Array<double> rest_;      // by edge: what no triangle holds of its score
  // The edges of each unit as a linked list of ends of edges (2 e and 2 e + 1): the first, by unit,
  // and the next, by end; -1: no more.
  Array<std::int64_t> head_, next_;
  Array<Triangle> triangles_;
  Lists<std::int64_t> uses_;             // by edge: its places in triangles (3 t + place)
  Array<std::int32_t> came_;             // by unit: from where a path has reached it; -1: not reached
  Array<std::int32_t> reached_, path_;
  NumberedKeys number_of_edge_, number_of_triangle_; // by units; by edge and unit
};

} // namespace chorale
