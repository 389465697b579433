// The exact solvers and bounds of the SUM family against enumeration.
#include "clique/concave_flow.hpp"
#include "clique/count_boxes.hpp"
#include "clique/dual_bound.hpp"

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

using namespace chorale;

namespace {

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

  Problem(std::uint32_t seed_, std::int32_t n_, std::int32_t R_, const Options &o)
      : seed(seed_), n(n_), R(R_) {
    std::mt19937 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
    const bool integral = below(2) == 0; // ties
    const auto number = [&](double range) {
      return integral ? below(4) * range / 4 : range * below(100000) / 100000.0;
    };
    shared = below(2) == 0;
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t v = 0; v < R; ++v)
        scores.push_back(below(100) < o.forbidden_scores ? kForbidden : number(4) - 1);
      // Instances have a feasible entry in every row.
      double &kept = scores[std::size_t(i * R + below(R))];
      if (kept == kForbidden)
        kept = number(4);
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
    potential.family = CHORALE_FAMILY_SUM;
    potential.source = TableSource::stored;
    potential.values = R;
    potential.table_count = shared ? 1 : R;
    potential.table_length = n + 1;
    potential.numbers = tables.data();
    potential.mask = mask.empty() ? nullptr : mask.data();
    derive_potential(potential, nullptr);
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

double slack_of(double score) {
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
      instance.count(x.data(), counts.data());
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
    const ProblemView view{problem.n, problem.R, problem.scores.data(), problem.R,
                           problem.fixed.empty() ? nullptr : problem.fixed.data()};
    assert_true(instance().load(view));
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
    instance().count(solution().assignment, counts.data());
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
    Instance *instance = new (instance_) Instance(layout, potential_, problem_.n);
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

constexpr Options kConcave[] = {
    {Shape::concave, 0, 0}, {Shape::concave, 30, 20}, {Shape::concave, 60, 40}};
constexpr Options kAny[] = {{Shape::convex, 0, 0},      {Shape::convex, 30, 0},
                            {Shape::concave, 30, 20},   {Shape::arbitrary, 0, 0},
                            {Shape::arbitrary, 30, 30}, {Shape::arbitrary, 50, 60}};

// Sizes small enough to enumerate, n = 1 and R = 1 among them.
template <std::size_t N> Problem draw(std::uint32_t seed, const Options (&options)[N]) {
  return Problem(seed, 1 + std::int32_t(seed % 7), 1 + std::int32_t(seed / 7 % 4),
                 options[seed / 28 % N]);
}

void test_concave_flow(void **) {
  for (std::uint32_t seed = 0; seed < 6000; ++seed) {
    const Problem problem = draw(seed, kConcave);
    Bench<ConcaveFlow> bench(problem, 0xff);
    if (!bench.instance().potential.concave)
      continue; // the rest column bent it
    const Truth truth(bench.instance());
    Limits limits;
    bench.solver().run(bench.options(), limits, bench.solution());
    bench.check_solution();
    bench.check(bench.solution().infeasible == (truth.score == kForbidden), "infeasible");
    bench.check(bench.near(bench.solution().score, truth.score), "concave optimum");
    bench.check(bench.solution().infeasible || bench.solution().proven(), "concave proof");
    std::vector<double> messages(truth.messages.size());
    bench.check(bench.solver().messages(limits, bench.solution(), messages.data()), "complete");
    for (std::size_t e = 0; e < messages.size(); ++e)
      bench.check(bench.near(messages[e], truth.messages[e]), "concave message");
  }
}

void test_transport(void **) {
  struct Adapter {
    Adapter(Layout &layout, const Instance &instance) noexcept
        : transport(layout, instance.members, instance.columns) {}
    Transport transport;
  };
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const Problem problem = draw(seed, kAny);
    Bench<Adapter> bench(problem, 0x5a);
    const Instance &instance = bench.instance();
    const std::size_t K = std::size_t(instance.columns);
    // The counts of some labelling, forbidden or not.
    std::mt19937 random(seed);
    std::vector<std::int32_t> wanted(K), counts(K), x(std::size_t(instance.members), 0);
    for (std::int32_t i = 0; i < instance.members; ++i)
      ++wanted[random() % K];
    double best = kForbidden;
    for (;;) {
      instance.count(x.data(), counts.data());
      if (counts == wanted)
        best = std::max(best, instance.member_score(x.data()));
      std::size_t i = 0;
      while (i < x.size() && ++x[i] == instance.columns)
        x[i++] = 0;
      if (i == x.size())
        break;
    }
    Limits limits;
    const double found = bench.solver().transport.solve(SumView(instance), wanted.data(), limits);
    bench.check(bench.near(found, best), "transport");
    if (found > kForbidden) {
      instance.count(bench.solver().transport.assignment(), counts.data());
      bench.check(counts == wanted, "transport counts");
    }
  }
}

void test_dual_bound(void **) {
  int tight = 0;
  int feasible = 0;
  for (std::uint32_t seed = 0; seed < 6000; ++seed) {
    const Problem problem = draw(seed, kAny);
    Bench<DualBound> bench(problem, 0xff);
    const Truth truth(bench.instance());
    Limits limits;
    bench.solver().run(bench.options(), limits, bench.solution());
    bench.check_solution();
    const double slack = slack_of(truth.score);
    bench.check(truth.score == kForbidden || bench.solution().bound >= truth.score - slack,
                "the bound is below the optimum");
    bench.check(bench.solution().score <= truth.score + slack, "above the optimum");
    bench.check(!bench.solution().infeasible || truth.score == kForbidden, "not infeasible");
    feasible += truth.score > kForbidden ? 1 : 0;
    tight += bench.solution().proven() ? 1 : 0;
  }
  assert_true(tight * 2 > feasible);
}

void check_boxes(const Problem &problem, std::int64_t pool, bool with_messages) {
  SolveOptions options;
  options.node_pool = pool;
  Bench<CountBoxes> bench(problem, 0xff, options);
  const Truth truth(bench.instance());
  Limits limits;
  bench.solver().run(options, limits, bench.solution());
  bench.check_solution();
  bench.check(bench.solution().infeasible == (truth.score == kForbidden), "infeasible");
  bench.check(bench.near(bench.solution().score, truth.score), "optimum by count boxes");
  bench.check(bench.solution().infeasible || bench.solution().proven(), "not proven");
  if (!with_messages)
    return;

  Bench<CountBoxes> again(problem, 0x33, options);
  std::vector<double> messages(truth.messages.size()), repeated(truth.messages.size());
  bench.check(bench.solver().messages(options, limits, bench.solution(), messages.data()),
              "messages not exact");
  bench.check_solution();
  for (std::size_t e = 0; e < messages.size(); ++e)
    bench.check(bench.near(messages[e], truth.messages[e]), "message by count boxes");
  again.solver().run(options, limits, again.solution());
  again.solver().messages(options, limits, again.solution(), repeated.data());
  bench.check(std::memcmp(messages.data(), repeated.data(), messages.size() * sizeof(double)) == 0,
              "garbage in the workspace changed messages");
  bench.check(bench.solution().score == again.solution().score &&
                  bench.solution().bound == again.solution().bound &&
                  bench.solution().iterations == again.solution().iterations,
              "garbage in the workspace changed a result");
}

void test_count_boxes(void **) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed)
    check_boxes(draw(seed, kAny), 0, true);
}

void test_tiny_pools(void **) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed)
    check_boxes(draw(seed, kAny), 1 + seed % 3, false);
}

// Sizes beyond enumeration: the flow, and the search with a pool of one, must agree.
void test_larger(void **) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Problem problem(seed, 20, 5, kAny[seed % 6]);
    Bench<CountBoxes> bench(problem, 0xff);
    Limits limits;
    bench.solver().run(bench.options(), limits, bench.solution());
    bench.check_solution();
    bench.check(bench.solution().proven() || bench.solution().infeasible, "not proven");

    SolveOptions options;
    options.node_pool = 1;
    Bench<CountBoxes> deep(problem, 0xff, options);
    deep.solver().run(options, limits, deep.solution());
    bench.check(bench.near(bench.solution().score, deep.solution().score), "depth first");

    if (bench.instance().potential.concave) {
      Bench<ConcaveFlow> flow(problem, 0xff);
      flow.solver().run(options, limits, flow.solution());
      bench.check(bench.near(bench.solution().score, flow.solution().score), "flow and boxes");
    }
  }
}

// Under a limit the bound holds and the labelling is one.
void test_limits(void **) {
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    const Problem problem = draw(seed, kAny);
    SolveOptions options;
    options.node_limit = 1 + seed % 4;
    options.node_pool = seed % 3;
    options.iteration_limit = 1 + seed % 5;
    Bench<CountBoxes> bench(problem, 0xff, options);
    const Truth truth(bench.instance());
    const double slack = slack_of(truth.score);
    Limits limits;
    bench.solver().run(options, limits, bench.solution());
    bench.check_solution();
    bench.check(truth.score == kForbidden || bench.solution().bound >= truth.score - slack,
                "bound under a node limit");
    bench.check(bench.solution().nodes <= options.node_limit, "nodes beyond the limit");
    bench.check(bench.solution().proven() || bench.solution().infeasible ||
                    bench.solution().node_limit_hit,
                "stopped for no reason");
    std::vector<double> messages(truth.messages.size());
    bench.solver().messages(options, limits, bench.solution(), messages.data());
    for (std::size_t e = 0; e < messages.size(); ++e)
      bench.check(messages[e] <= truth.messages[e] + slack_of(truth.messages[e]),
                  "message above the truth");

    Limits expired(0.0, nullptr);
    Bench<CountBoxes> late(problem, 0xff);
    late.solver().run(late.options(), expired, late.solution());
    late.check_solution();
    late.check(!late.solution().infeasible, "infeasible without looking");
    late.check(truth.score == kForbidden || late.solution().bound >= truth.score - slack,
               "bound after the deadline");
    late.check(!late.solver().messages(late.options(), expired, late.solution(), messages.data()),
               "exact after the deadline");
    Bench<DualBound> dual(problem, 0xff);
    dual.solver().run(dual.options(), expired, dual.solution());
    dual.check_solution();
    dual.check(truth.score == kForbidden || dual.solution().bound >= truth.score - slack,
               "dual bound after the deadline");
    if (dual.instance().potential.concave) {
      Bench<ConcaveFlow> flow(problem, 0xff);
      flow.solver().run(flow.options(), expired, flow.solution());
      flow.check(!flow.solution().infeasible && !flow.solution().found(), "flow after deadline");
    }
  }
}

// A requested gap ends the search early, with a bound that shows it.
void test_gap(void **) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Problem problem(seed, 20, 5, kAny[seed % 2]);
    SolveOptions options;
    options.gap = 0.05;
    options.node_pool = seed % 3;
    Bench<CountBoxes> bench(problem, 0xff, options);
    Limits limits;
    bench.solver().run(options, limits, bench.solution());
    bench.check_solution();
    bench.check(bench.solution().infeasible || bench.solution().gap_reached(options.gap), "gap");
    Bench<CountBoxes> exact(problem, 0xff);
    exact.solver().run(exact.options(), limits, exact.solution());
    bench.check(bench.solution().bound >= exact.solution().score - 1e-8, "bound under a gap");
  }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(test_concave_flow), cmocka_unit_test(test_transport),
      cmocka_unit_test(test_dual_bound),   cmocka_unit_test(test_count_boxes),
      cmocka_unit_test(test_tiny_pools),   cmocka_unit_test(test_larger),
      cmocka_unit_test(test_limits),       cmocka_unit_test(test_gap),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
