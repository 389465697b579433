#include "partition/triangles.hpp"

namespace chorale {
namespace {

// A sweep divides the score of each pair anew among its triangles. The schedule:
// 1. kRoundsOfTriangles times, triangles are added that the rests violate by more than a threshold,
//    and kSweepsPerRound sweeps follow. Threshold and temperature fall from round to round.
// 2. The temperature begins anew and falls to kCooling times its first value, in kLeastSweeps
//    sweeps, and up to kMoreSweeps more if there are few triangles. Triangles are added before the
//    first sweep, and again after every kSweepsTimesBetween / (number of sweeps) sweeps.
// 3. kSweepsPerRound sweeps at temperature 0.
constexpr int kRoundsOfTriangles = 12;
constexpr int kSweepsPerRound = 6;
constexpr std::int64_t kLeastSweeps = 200;
constexpr std::int64_t kMoreSweeps = 1000;
// Greatest number of parts (three a triangle) that the sweeps beyond kLeastSweeps compute in all,
// if no more triangles are added.
constexpr std::int64_t kPlacesOfMoreSweeps = 2000000;
// Number of sweeps, times the number of them between two additions of triangles.
constexpr std::int64_t kSweepsTimesBetween = 8000;
constexpr double kCooling = 0.0023;
// Greatest number of pairs that the search for a path looks at.
constexpr std::int64_t kMostLooked = 400;
constexpr std::int64_t kMostTriangles = 1 << 26;

// Returns the *worth* of joining a pair in a triangle: the best score of the triangle's other two
// pairs, with parts x and y, if the pair is joined, minus the best if it is not. Soft maxima at
// temperature t; maxima if t is 0.
double worth_of_joining(double x, double y, double t) noexcept {
  const double most = std::max({0.0, x, y});
  const double worth = std::max(0.0, x + y) - most;
  if (t == 0)
    return worth;
  return worth + t * std::log((1 + std::exp(-std::abs(x + y) / t)) /
                              (std::exp(-most / t) + std::exp((x - most) / t) +
                               std::exp((y - most) / t)));
}

} // namespace

// ---- Triangles ---------------------------------------------------------------------------------

// Finds the number of the edge between u < v, and adds the edge if it is new: with `score`, or a
// score so low that joining never pays if the two cannot be joined. False if memory runs out.
bool TriangleBound::add_edge(std::int32_t u, std::int32_t v, double score,
                             std::int32_t &number) noexcept {
  const std::uint64_t key = edge_key(u, v);
  number = number_of_edge_.find(key);
  if (number >= 0)
    return true;
  number = static_cast<std::int32_t>(edges_.size());
  // The score of pairs that cannot be joined: finite, but no other scores make up for it.
  const double never = -2 * graph_.above;
  const double allowed = graph_.are_apart(u, v) ? never : std::max(score, never);
  if (edges_.size() == kLargestSize || !number_of_edge_.add(key, number) ||
      !edges_.push({u, v, allowed}) || !rest_.push(allowed) ||
      !next_.push(head_[u]) || !next_.push(head_[v]))
    return false;
  head_[u] = 2 * std::int64_t{number};
  head_[v] = 2 * std::int64_t{number} + 1;
  return true;
}

// Adds a triangle, and those of its edges that are new, unless it is known. False if memory runs
// out.
bool TriangleBound::add_triangle(std::int32_t u, std::int32_t v, std::int32_t w) noexcept {
  std::int32_t units[] = {u, v, w};
  std::sort(units, units + 3);
  Triangle triangle{};
  std::int32_t *const edge = triangle.edge;
  if (!add_edge(units[0], units[1], 0, edge[0]) || !add_edge(units[0], units[2], 0, edge[1]) ||
      !add_edge(units[1], units[2], 0, edge[2]))
    return false;
  const std::uint64_t key =
      static_cast<std::uint64_t>(edge[0]) << 32 | static_cast<std::uint64_t>(units[2]);
  return number_of_triangle_.find(key) >= 0 ||
         (number_of_triangle_.add(key, static_cast<std::int32_t>(triangles_.size())) &&
          triangles_.push(triangle));
}

double TriangleBound::value() const noexcept {
  double sum = 0;
  for (const double rest : rest_)
    sum += std::max(rest, 0.0);
  for (const Triangle &triangle : triangles_) {
    const double *part = triangle.part;
    sum += std::max({0.0, part[0], part[1], part[2], part[0] + part[1] + part[2]});
  }
  return sum;
}

// Lists for each edge its places in triangles (uses_). False if memory runs out.
bool TriangleBound::list_uses() noexcept {
  return uses_.make(edges_.size(), [this](auto &&add) {
    for (std::int64_t k = 0; k < 3 * triangles_.size(); ++k)
      add(triangles_[k / 3].edge[k % 3], k);
  });
}

// Divides the score of each edge anew among its triangles and its rest, so that worth plus part is
// the same in all of its triangles, and the same as the rest. False if interrupted.
bool TriangleBound::sweep(double temperature) noexcept {
  for (std::int64_t e = 0; e < edges_.size(); ++e) {
    const gsl::span<const std::int64_t> uses = uses_[e];
    const auto count = static_cast<std::int64_t>(uses.size());
    if (!limits_.spend(1 + 64 * count))
      return false;
    // Gives the rest and each triangle an equal share of the score and of all worths.
    double sum = edges_[e].score;
    for (const std::int64_t use : uses) {
      double *part = triangles_[use / 3].part;
      const std::int64_t place = use % 3;
      const double worth =
          worth_of_joining(part[(place + 1) % 3], part[(place + 2) % 3], temperature);
      part[place] = -worth;
      sum += worth;
    }
    const double share = sum / static_cast<double>(count + 1);
    for (const std::int64_t use : uses)
      triangles_[use / 3].part[use % 3] += share;
    rest_[e] = share;
  }
  return true;
}

// Finds a shortest path from `start` to `goal` over edges whose rests exceed `least`, by
// breadth-first search over at most kMostLooked edges. Writes its units to path_, from `goal` back
// to the unit after `start`; path_ is empty if no path is found. False if memory runs out.
bool TriangleBound::find_path(std::int32_t start, std::int32_t goal, double least) noexcept {
  path_.truncate(0);
  reached_.truncate(0);
  if (!reached_.push(start))
    return false;
  came_[start] = start;
  bool fits = true;
  std::int64_t looked = 0;
  for (std::int64_t k = 0; k < reached_.size() && looked < kMostLooked && fits; ++k) {
    const std::int32_t unit = reached_[k];
    if (const std::int32_t e = number_of_edge_.find(edge_key(unit, goal));
        e >= 0 && rest_[e] > least) {
      fits = path_.push(goal);
      for (std::int32_t u = unit; u != start && fits; u = came_[u])
        fits = path_.push(u);
      break;
    }
    for (std::int64_t half = head_[unit]; half >= 0 && looked < kMostLooked && fits;
         half = next_[half], ++looked) {
      const ScoredEdge &edge = edges_[half / 2];
      const std::int32_t other = half % 2 == 0 ? edge.high : edge.low;
      if (rest_[half / 2] <= least || came_[other] >= 0)
        continue;
      came_[other] = unit;
      fits = reached_.push(other);
    }
  }
  for (const std::int32_t unit : reached_)
    came_[unit] = -1;
  return fits;
}

// Adds triangles for each edge whose rest is below -least, if find_path() finds a path between its
// ends. Ends early if interrupted. False if memory runs out.
bool TriangleBound::separate(double least) noexcept {
  const std::int64_t count = edges_.size();
  for (std::int64_t e = 0; e < count && triangles_.size() < kMostTriangles; ++e) {
    if (!limits_.spend(rest_[e] < -least ? 4 * kMostLooked : 1))
      break;
    if (rest_[e] >= -least)
      continue;
    const std::int32_t start = edges_[e].low;
    if (!find_path(start, edges_[e].high, least))
      return false;
    for (std::int64_t k = 0; k + 1 < path_.size(); ++k)
      if (!add_triangle(start, path_[k], path_[k + 1]))
        return false;
  }
  return true;
}

bool TriangleBound::run(double score, double &bound) noexcept {
  if (!head_.fill(graph_.units(), -1) || !came_.fill(graph_.units(), -1))
    return false;
  double greatest = 0;
  for (const ScoredEdge &edge : graph_.edges) {
    std::int32_t number = 0;
    if (!add_edge(edge.low, edge.high, edge.score, number))
      return false;
    greatest = std::max(greatest, magnitude_of(edge.score));
  }
  bound = value();
  const double enough = kRoundingGap * graph_.above;
  // False if the bound meets the score, or the limits interrupt.
  const auto sweep_by = [&](std::int64_t sweeps, double &temperature, double factor) {
    for (std::int64_t k = 0; k < sweeps; ++k, temperature *= factor) {
      if (bound - score <= enough || !sweep(temperature))
        return false;
      bound = std::min(bound, value());
    }
    return true;
  };
  double temperature = greatest / 16;
  for (int round = 0; round < kRoundsOfTriangles; ++round, temperature /= 3) {
    if (!separate(4 * temperature) || !list_uses())
      return false;
    if (!sweep_by(kSweepsPerRound, temperature, 1))
      return true;
  }
  temperature = greatest / 16;
  const std::int64_t sweeps =
      kLeastSweeps + std::min(kMoreSweeps, kPlacesOfMoreSweeps / (1 + 3 * triangles_.size()));
  const double factor = std::pow(kCooling, 1 / static_cast<double>(sweeps));
  const std::int64_t between = kSweepsTimesBetween / sweeps;
  for (std::int64_t done = 0; done < sweeps; done += between) {
    if (!separate(temperature / 10) || !list_uses())
      return false;
    if (!sweep_by(between, temperature, factor))
      return true;
  }
  temperature = 0;
  sweep_by(kSweepsPerRound, temperature, 0);
  return true;
}

} // namespace chorale
