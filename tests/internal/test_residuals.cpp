// Likeness against all pairs of members; what an exchange keeps; what is left of a tagger's
// mistakes; how often chance looks credible.
#include "learn/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using namespace chorale;

int failures = 0;
void expect(bool holds, const char *what, unsigned seed) {
  if (holds)
    return;
  std::printf("FAILED: %s (seed %u)\n", what, seed);
  ++failures;
}

using Row = std::vector<double>;
using PoolType = Residuals::PoolType;

// Adds rows to the last pool; returns their offsets.
std::vector<std::int64_t> add_rows(Residuals &to, std::size_t count) {
  std::vector<std::int64_t> rows(count);
  for (std::int64_t &row : rows)
    to.add_row(row);
  return rows;
}

// One pool of cliques of random sizes. What the members of a clique share is `shared` of each
// residual.
std::vector<std::vector<Row>> drawn(std::mt19937 &random, double shared, std::size_t width) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<Row>> cliques(2 + random() % 6);
  for (std::vector<Row> &clique : cliques) {
    Row common(width);
    for (double &value : common)
      value = normal(random);
    clique.assign(random() % 5, Row(width));
    for (Row &member : clique)
      for (std::size_t v = 0; v < width; ++v)
        member[v] = shared * common[v] + normal(random);
  }
  return cliques;
}

void add(Residuals &to, const std::vector<std::vector<Row>> &cliques, std::size_t width) {
  to.begin_pool(static_cast<std::int32_t>(width), static_cast<std::int32_t>(width),
                PoolType::cliques);
  for (const std::vector<Row> &clique : cliques) {
    const std::vector<std::int64_t> rows = add_rows(to, clique.size());
    to.add_clique(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy(clique[i].begin(), clique[i].end(), to.shown(rows[i]));
  }
}

// Kinds are numbered below 4.
double likeness_of(Residuals &residuals) {
  double by_kind[4];
  return residuals.likeness(by_kind);
}

double likeness_of_pairs(const std::vector<std::vector<Row>> &cliques) {
  double total = 0;
  for (const std::vector<Row> &clique : cliques)
    for (std::size_t i = 0; i < clique.size(); ++i)
      for (std::size_t j = 0; j < clique.size(); ++j)
        for (std::size_t v = 0; i != j && v < clique[i].size(); ++v)
          total += clique[i][v] * clique[j][v] / static_cast<double>(clique.size());
  return total;
}

void likeness_is_that_of_pairs(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  Residuals residuals(memory);
  double expected = 0;
  for (std::size_t width = 1; width <= 3; ++width) {
    const auto pool = drawn(random, 1, width);
    add(residuals, pool, width);
    expected += likeness_of_pairs(pool);
  }
  expect(std::fabs(likeness_of(residuals) - expected) <= 1e-9 * (1 + std::fabs(expected)),
         "likeness is the sum over pairs", seed);
}

// Kinds with a pool each, of as many values as the number of the kind: the statistic of each is
// that of its own pairs.
void likeness_is_told_by_kind(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  Residuals residuals(memory);
  double expected[4] = {};
  for (std::size_t width = 1; width <= 3; ++width) {
    const auto pool = drawn(random, 1, width);
    add(residuals, pool, width);
    expected[width] = likeness_of_pairs(pool);
  }
  double found[4];
  residuals.likeness(found);
  for (std::size_t k = 0; k < 4; ++k)
    expect(std::fabs(found[k] - expected[k]) <= 1e-9 * (1 + std::fabs(expected[k])),
           "likeness of a kind is that of its pairs", seed);
}

// Two pools of a kind with other means. Apart, each has residuals of mean 0; else both together.
void pools_apart_are_fitted_apart(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  for (const bool apart : {false, true}) {
    Residuals residuals(memory);
    double sums[2] = {};
    std::int64_t rows[2] = {};
    for (int pool = 0; pool < 2; ++pool) {
      residuals.begin_pool(0, 1, apart ? PoolType::apart : PoolType::cliques);
      const std::vector<std::int64_t> of_pool = add_rows(residuals, 8);
      residuals.add_clique(of_pool);
      rows[pool] = of_pool[0];
      for (std::int64_t i = 0; i < 8; ++i) {
        residuals.shown(rows[pool])[i] = pool + static_cast<double>(random() % 100) / 1000;
        residuals.probable(rows[pool])[i] = static_cast<double>(random() % 100) / 1000;
      }
    }
    residuals.settle();
    for (int pool = 0; pool < 2; ++pool)
      for (std::int64_t i = 0; i < 8; ++i)
        sums[pool] += residuals.shown(rows[pool])[i];
    expect(std::fabs(sums[0] + sums[1]) < 1e-9, "residuals of a kind have mean 0", seed);
    expect((std::fabs(sums[0]) < 1e-9) == apart, "so have those of pools apart, and no others",
           seed);
  }
}

// Over all ways of dealing four members to two cliques of two.
void exchanges_deal_within_pools(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  Residuals residuals(memory);
  std::vector<double> values;
  std::vector<std::vector<Row>> other(2, std::vector<Row>(2, Row{100}));
  std::vector<std::vector<Row>> pool(2);
  for (int i = 0; i < 4; ++i) {
    values.push_back(static_cast<double>(random() % 1000) / 1000);
    pool[static_cast<std::size_t>(i / 2)].push_back({values.back()});
  }
  add(residuals, other, 1);
  add(residuals, pool, 1);
  residuals.find_degrees();
  std::vector<double> expected;
  for (int with = 1; with < 4; ++with) { // who shares a clique with member 0
    const int a = with == 1 ? 2 : 1;
    const int b = 6 - with - a;
    expected.push_back(20000 + values[0] * values[static_cast<std::size_t>(with)] +
                       values[static_cast<std::size_t>(a)] * values[static_cast<std::size_t>(b)]);
  }
  std::vector<int> met(3);
  for (int k = 0; k < 300; ++k) {
    residuals.exchange();
    const double likeness = likeness_of(residuals);
    const auto same = std::find_if(expected.begin(), expected.end(),
                                   [&](double one) { return std::fabs(likeness - one) < 1e-9; });
    expect(same != expected.end(), "an exchange deals members of a pool to its cliques", seed);
    if (same != expected.end())
      ++met[static_cast<std::size_t>(same - expected.begin())];
  }
  std::sort(expected.begin(), expected.end());
  const bool differ = expected[1] - expected[0] > 1e-8 && expected[2] - expected[1] > 1e-8;
  expect(!differ || *std::min_element(met.begin(), met.end()) > 60, "all ways are met", seed);
}

double p_of(Residuals &residuals) {
  residuals.find_degrees();
  const double found = likeness_of(residuals);
  int as_great = 1;
  for (int k = 0; k < 99; ++k) {
    residuals.exchange();
    as_great += likeness_of(residuals) >= found ? 1 : 0;
  }
  return as_great / 100.0;
}

// A tagger whose mistakes are alike within cliques, while gold is drawn member by member with a
// probability that its own, p, tells by a + b p: once settled, residuals have mean 0, nothing in
// common with p, and are alike by chance only.
void a_tagger_that_is_wrong_is_no_agreement(unsigned seed, double a, double b) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  const Memory memory{nullptr};
  int credible = 0;
  for (int k = 0; k < 100; ++k) {
    Residuals residuals(memory);
    std::vector<std::int64_t> rows;
    for (int pool = 0; pool < 8; ++pool) {
      residuals.begin_pool(0, 1, PoolType::cliques);
      for (int clique = 0; clique < 6; ++clique) {
        const std::vector<std::int64_t> of_clique = add_rows(residuals, 4);
        residuals.add_clique(of_clique);
        const double probable = uniform(random);
        for (const std::int64_t row : of_clique) {
          residuals.probable(row)[0] = probable;
          residuals.shown(row)[0] = uniform(random) < a + b * probable ? 1 : 0;
          rows.push_back(row);
        }
      }
    }
    residuals.settle();
    double sum = 0;
    double together = 0;
    for (const std::int64_t row : rows) {
      sum += residuals.shown(row)[0];
      together += residuals.shown(row)[0] * residuals.probable(row)[0];
    }
    expect(std::fabs(sum) < 1e-9 && std::fabs(together) < 1e-9, "nothing is left to expect", seed);
    credible += p_of(residuals) <= 0.05 ? 1 : 0;
  }
  // 5 are expected; 14 is four standard errors above.
  expect(credible <= 14, "a tagger's own mistakes are no agreement", seed);
}

// 300 corpora each: by chance p <= 0.05 in about 15 (30 is four standard errors above); where
// members share half of what they are, in most.
void chance_is_credible_as_often_as_it_says(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  int credible[2] = {0, 0};
  for (int k = 0; k < 600; ++k) {
    Residuals residuals(memory);
    for (int pool = 0; pool < 6; ++pool)
      add(residuals, drawn(random, k % 2, 2), 2);
    if (residuals.can_exchange() && p_of(residuals) <= 0.05)
      ++credible[k % 2];
  }
  expect(credible[0] <= 30, "chance is credible one time in twenty", seed);
  expect(credible[1] >= 240, "what members share is credible", seed);
}

// A graph of nodes with random neighbours, each node the centre of a clique. In two pools of one
// kind: the statistic is that of the matrix over both.
struct Graph {
  Graph(std::mt19937 &random, std::size_t nodes, std::size_t width) : near(nodes) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < nodes; ++i) {
      rows.emplace_back(width);
      for (double &value : rows.back())
        value = normal(random);
      for (std::size_t j = 0; j < i; ++j)
        if (random() % 3 == 0) {
          near[i].push_back(j);
          near[j].push_back(i);
        }
    }
  }
  void add_to(Residuals &residuals) const {
    const auto width = static_cast<std::int32_t>(rows[0].size());
    residuals.begin_pool(1, width, PoolType::centred);
    const std::vector<std::int64_t> offsets = add_rows(residuals, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy(rows[i].begin(), rows[i].end(), residuals.shown(offsets[i]));
      std::vector<std::int64_t> clique;
      for (const std::size_t j : near[i])
        clique.push_back(offsets[j]);
      clique.push_back(offsets[i]);
      residuals.add_clique(clique);
    }
  }
  void add_to(std::vector<double> &matrix) const {
    const std::size_t width = rows[0].size();
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const std::size_t j : near[i])
        for (std::size_t c = 0; c < width; ++c)
          for (std::size_t v = 0; v < width; ++v)
            matrix[c * width + v] += rows[i][c] * rows[j][v] / static_cast<double>(near[i].size());
  }
  std::vector<Row> rows;
  std::vector<std::vector<std::size_t>> near;
};

double norm(const std::vector<double> &matrix) {
  double squares = 0;
  for (const double entry : matrix)
    squares += entry * entry;
  return std::sqrt(squares);
}

void centres_multiply_members(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  Residuals residuals(memory);
  const std::size_t width = 1 + seed % 3;
  std::vector<double> matrix(width * width);
  for (int pool = 0; pool < 2; ++pool) {
    const Graph graph(random, 2 + random() % 6, width);
    graph.add_to(residuals);
    graph.add_to(matrix);
  }
  expect(std::fabs(likeness_of(residuals) - norm(matrix)) <= 1e-9 * (1 + norm(matrix)),
         "the statistic of centred cliques is the norm of their products", seed);
}

// In a graph with five nodes of which 0 and 1 have degree 1 and the others degree 2, a path, an
// exchange gives each the row of a node of the same degree: the statistic is always that of one of
// the twelve orders.
void exchanges_keep_the_graph(unsigned seed) {
  std::mt19937 random(seed);
  const Memory memory{nullptr};
  Residuals residuals(memory);
  Graph graph(random, 5, 2);
  graph.near = {{2}, {4}, {0, 3}, {2, 4}, {3, 1}};
  graph.add_to(residuals);
  residuals.find_degrees();
  std::vector<double> expected;
  const std::vector<Row> rows = graph.rows;
  std::vector<std::size_t> ends = {0, 1};
  do {
    std::vector<std::size_t> inner = {2, 3, 4};
    do {
      graph.rows = {rows[ends[0]], rows[ends[1]], rows[inner[0]], rows[inner[1]], rows[inner[2]]};
      std::vector<double> matrix(4);
      graph.add_to(matrix);
      expected.push_back(norm(matrix));
    } while (std::next_permutation(inner.begin(), inner.end()));
  } while (std::next_permutation(ends.begin(), ends.end()));
  std::vector<int> met(expected.size());
  for (int k = 0; k < 600; ++k) {
    residuals.exchange();
    const double likeness = likeness_of(residuals);
    bool is_known = false;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::fabs(likeness - expected[i]) < 1e-9) {
        ++met[i];
        is_known = true;
      }
    expect(is_known, "an exchange keeps the graph and the degrees", seed);
  }
  expect(*std::min_element(met.begin(), met.end()) > 15, "all orders are met", seed);
}

void one_clique_cannot_be_asked(unsigned seed) {
  const Memory memory{nullptr};
  Residuals residuals(memory);
  expect(!residuals.can_exchange(), "nothing has nothing to exchange", seed);
  add(residuals, {{{1}, {2}}}, 1);
  expect(!residuals.can_exchange(), "one clique has none to exchange with", seed);
  add(residuals, {{{1}}, {{2}}, {{3}}}, 1);
  expect(!residuals.can_exchange(), "cliques of one member agree with nobody", seed);
  add(residuals, {{{1}, {2}}, {{3}}}, 1);
  expect(residuals.can_exchange(), "two cliques can exchange", seed);
}

} // namespace

int main(int argc, char **argv) {
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 20261123;
  for (unsigned k = 0; k < 200; ++k)
    likeness_is_that_of_pairs(seed + k);
  for (unsigned k = 0; k < 20; ++k)
    likeness_is_told_by_kind(seed + k);
  for (unsigned k = 0; k < 20; ++k)
    pools_apart_are_fitted_apart(seed + k);
  for (unsigned k = 0; k < 20; ++k)
    exchanges_deal_within_pools(seed + k);
  a_tagger_that_is_wrong_is_no_agreement(seed, 0.5, 0);
  a_tagger_that_is_wrong_is_no_agreement(seed + 1, 0.2, 0.5);
  a_tagger_that_is_wrong_is_no_agreement(seed + 2, 0, 1);
  chance_is_credible_as_often_as_it_says(seed);
  one_clique_cannot_be_asked(seed);
  for (unsigned k = 0; k < 50; ++k) {
    centres_multiply_members(seed + k);
    exchanges_keep_the_graph(seed + k);
  }
  std::printf("seed %u: %s\n", seed, failures == 0 ? "ok" : "FAILED");
  return failures == 0 ? 0 : 1;
}
