// Random small SUM cliques, their truth by enumeration, and solvers in workspaces full of garbage.
#pragma once

#include "clique/dual/count_boxes.hpp"
#include "clique/dual/dual_bound.hpp"
#include "clique/flows/concave_flow.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace chorale {

enum class Shape { convex, concave, arbitrary };

struct Options {
  Shape shape;
  int forbidden_scores; // percent
  int forbidden_counts; // percent; a concave table only ends with them
};

// A small random clique with its tables, kept together for printing.
struct Problem {
  std::uint32_t seed;
  std::int32_t n, R;
  bool shared;
  std::vector<double> scores, tables;
  std::vector<std::uint8_t> mask; // empty: all count
  std::vector<std::int32_t> fixed;
  std::int32_t dead; // a member whose every value is forbidden, or -1

  Problem(std::uint32_t seed_, std::int32_t n_, std::int32_t R_, const Options &o)
      : seed(seed_), n(n_), R(R_) {
    std::mt19937 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
    const bool integral = below(2) == 0; // ties
    const auto number = [&](double range) {
      return integral ? below(4) * range / 4 : range * below(100000) / 100000.0;
    };
    shared = below(2) == 0;
    dead = o.forbidden_scores > 0 && below(10) == 0 ? below(n) : -1;
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t v = 0; v < R; ++v)
        scores.push_back(below(100) < o.forbidden_scores ? kForbidden : number(4) - 1);
      // Instances have a feasible entry in every row, but messages are asked for without too.
      double &kept = scores[std::size_t(i * R + below(R))];
      if (kept == kForbidden)
        kept = number(4);
      if (i == dead)
        std::fill(scores.end() - R, scores.end(), kForbidden);
    }
    for (std::int32_t t = 0; t < (shared ? 1 : R); ++t) {
      double value = number(2) - 1;
      double step = o.shape == Shape::convex ? -number(2) : number(3);
      bool ended = false;
      for (std::int32_t k = 0; k <= n; ++k) {
        if (o.shape == Shape::concave) {
          ended = ended || (k > 0 && below(100) < o.forbidden_counts);
          tables.push_back(ended ? kForbidden : value);
          step -= number(2);
        } else if (o.shape == Shape::convex) {
          tables.push_back(value);
          step += number(1.5);
        } else {
          tables.push_back(below(100) < o.forbidden_counts ? kForbidden : value);
          step = number(8) - 4;
        }
        value += step;
      }
    }
    if (R >= 2 && below(3) == 0) {
      for (std::int32_t v = 0; v < R; ++v)
        mask.push_back(below(2) == 0 ? 1 : 0);
      mask[std::size_t(below(R))] = 1;
    }
    if (below(4) == 0)
      for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t v = below(R);
        fixed.push_back(below(3) == 0 && scores[std::size_t(i * R + v)] > kForbidden ? v : -1);
      }
  }

  void fill(chorale_potential &potential) const {
    potential.family = Form::sum;
    potential.source = TableSource::stored;
    potential.values = R;
    potential.table_count = shared ? 1 : R;
    potential.table_length = n + 1;
    potential.numbers = tables.data();
    potential.mask = mask.empty() ? nullptr : mask.data();
    derive_potential(potential);
  }

  void print(const char *what) const {
    std::fprintf(stderr, "%s: seed %u, n = %d, R = %d\n", what, seed, n, R);
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t v = 0; v < R; ++v)
        std::fprintf(stderr, " %8g", scores[std::size_t(i * R + v)]);
      std::fprintf(stderr, "   fixed %d\n", fixed.empty() ? -1 : fixed[std::size_t(i)]);
    }
    for (std::size_t t = 0; t < tables.size(); ++t)
      std::fprintf(stderr, "%s %g", t % std::size_t(n + 1) ? "," : "\n  f:", tables[t]);
    std::fprintf(stderr, "\n  mask:");
    for (const auto m : mask)
      std::fprintf(stderr, " %d", m);
    std::fprintf(stderr, "\n");
  }
};

inline double slack_of(double score) {
  return score == kForbidden ? 0.0 : 1e-9 * std::fmax(1.0, std::fabs(score));
}

// The optimum and all messages by enumeration over the columns of an instance.
struct Truth {
  double score = kForbidden;
  std::vector<double> messages;

  explicit Truth(const Instance &instance)
      : messages(std::size_t(instance.members * instance.columns), kForbidden) {
    const std::int32_t n = instance.members;
    const std::int32_t K = instance.columns;
    std::vector<std::int32_t> x(std::size_t(n), 0), counts(static_cast<std::size_t>(K));
    for (;;) {
      instance.count(x, counts);
      double clique = 0;
      for (std::int32_t v = 0; v < K; ++v)
        clique += instance.potential.tables[v][counts[std::size_t(v)]];
      int forbidden = 0;
      std::int32_t where = -1;
      double members = 0;
      for (std::int32_t i = 0; i < n; ++i) {
        const double s = instance.score(i, x[std::size_t(i)]);
        if (s == kForbidden) {
          ++forbidden;
          where = i;
        } else {
          members += s;
        }
      }
      if (forbidden == 0)
        score = std::max(score, members + clique);
      for (std::int32_t i = 0; i < n; ++i) {
        if (forbidden > 1 || (forbidden == 1 && where != i))
          continue;
        const double own = forbidden ? 0.0 : instance.score(i, x[std::size_t(i)]);
        double &m = messages[std::size_t(i * K + x[std::size_t(i)])];
        m = std::max(m, members - own + clique);
      }
      std::int32_t i = 0;
      while (i < n && ++x[std::size_t(i)] == K)
        x[std::size_t(i++)] = 0;
      if (i == n)
        return;
    }
  }
};

// An instance and a solver in a workspace that was full of garbage.
template <class Solver> class Bench {
public:
  Bench(const Problem &problem, int garbage, SolveOptions options = {})
      : options_(options), problem_(problem) {
    problem.fill(potential_);
    Layout measuring;
    lay_out(measuring);
    memory_.assign(measuring.bytes() + kAlignment, static_cast<std::byte>(garbage));
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    Layout placing(memory_.data() + (kAlignment - address % kAlignment) % kAlignment);
    lay_out(placing);
    const ProblemView view{{problem.scores.data(), problem.n, problem.R, problem.R},
                           problem.fixed,
                           {}};
    assert_true(instance().load(view) == (problem.dead < 0));
    assert_true(instance().potential.prepare(nullptr));
  }

  Instance &instance() { return *reinterpret_cast<Instance *>(instance_); }
  Solver &solver() { return *reinterpret_cast<Solver *>(solver_); }
  Solution &solution() { return *reinterpret_cast<Solution *>(solution_); }
  const SolveOptions &options() const { return options_; }

  void check(bool condition, const char *what) const {
    if (!condition) {
      problem_.print(what);
      fail_msg("%s", what);
    }
  }
  // The score is that of the labelling, and the bound is not below it.
  void check_solution() {
    if (!solution().found())
      return;
    std::vector<std::int32_t> counts(std::size_t(instance().columns));
    instance().count(solution().assignment, counts);
    double score = instance().member_score(solution().assignment);
    for (std::int32_t v = 0; v < instance().columns; ++v)
      score += instance().potential.tables[v][counts[std::size_t(v)]];
    check(near(score, solution().score), "the score is not that of the labelling");
    check(solution().bound >= solution().score, "the bound is below the score");
  }
  static bool near(double a, double b) {
    return a == b || std::fabs(a - b) <= 2e-9 * std::fmax(1.0, std::fabs(b));
  }

private:
  void lay_out(Layout &layout) {
    Instance *instance = new (instance_) Instance(layout, CliqueKind(potential_, problem_.n));
    new (solution_) Solution(layout, *instance);
    if constexpr (std::is_constructible_v<Solver, Layout &, const Instance &, SolveOptions &>)
      new (solver_) Solver(layout, *instance, options_);
    else
      new (solver_) Solver(layout, *instance);
  }

  chorale_potential potential_{Memory()};
  SolveOptions options_;
  const Problem &problem_;
  std::vector<std::byte> memory_;
  alignas(Instance) std::byte instance_[sizeof(Instance)];
  alignas(Solver) std::byte solver_[sizeof(Solver)];
  alignas(Solution) std::byte solution_[sizeof(Solution)];
};

} // namespace chorale
