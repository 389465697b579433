// Upper bound on the score of every partition, by dual ascent over triangles.
#pragma once

#include "base/limits.hpp"
#include "base/numbered_keys.hpp"
#include "partition/scored_graph.hpp"

namespace chorale {

// A partition joins none, one or all of the three pairs of three units, never exactly two. So the
// pairs of a *triangle* of units have five allowed joint states. The score of each pair is divided
// into a *part* for each triangle with this pair, and a *rest*. The bound is the sum of the best
// allowed states of all triangles under their parts, and of all rests above 0; it holds for every
// division. A step of dual ascent divides the score of one pair anew, so that the difference of the
// max-marginals of joining the pair and of not joining it is the same in all of its triangles and
// the rest. With maxima, these steps stall. So they use soft maxima, t log sum_i exp(x_i / t), with
// a temperature t that falls.
//
// Triangles are added only where the rests violate them: where a path of pairs with rests above 0
// connects the ends of a pair with a rest below 0. A path of more than two pairs is divided into
// triangles by further pairs, which have score 0 unless they have a score in the graph or cannot be
// joined. The functions call pairs *edges*.
class TriangleBound {
public:
  TriangleBound(const Memory &memory, const ScoredGraph &graph, Limits &limits) noexcept
      : graph_(graph), limits_(limits), edges_(memory), rest_(memory), head_(memory),
        next_(memory), triangles_(memory), uses_(memory), came_(memory),
        reached_(memory), path_(memory), number_of_edge_(memory), number_of_triangle_(memory) {}

  // Writes to `bound` an upper bound on the sum of the scores between units that any partition
  // joins. Ends early when the bound meets `score`, this sum for a known partition, or when the
  // limits interrupt; the bound holds in any case. False if memory runs out.
  bool run(double score, double &bound) noexcept;

private:
  struct Triangle {
    std::int32_t edge[3];
    double part[3]; // part of the score of each edge
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
  Array<double> rest_;      // by edge: its score minus its parts in triangles
  // The edges of each unit, as a linked list of the ends of edges: 2 e is the end of edge e at its
  // lower unit, 2 e + 1 that at its higher unit. head_: by unit, the first end at this unit; next_:
  // by end, the next end at the same unit; -1: no more.
  Array<std::int64_t> head_, next_;
  Array<Triangle> triangles_;
  Lists<std::int64_t> uses_; // by edge: its places in triangles: 3 * (triangle) + (0, 1 or 2)
  // For find_path(). came_: by unit, the unit from which it was reached; -1: not reached. reached_:
  // the units reached, in this order. path_: the units of the path found.
  Array<std::int32_t> came_;
  Array<std::int32_t> reached_, path_;
  // Numbers of edges, under edge_key(); and of triangles, under the number of the edge of their two
  // lowest units, and their highest unit.
  NumberedKeys number_of_edge_, number_of_triangle_;
};

} // namespace chorale
