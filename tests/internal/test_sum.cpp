// The exact solvers and bounds of the SUM family against enumeration.
#include "rounds.hpp"
#include "sum_fixture.hpp"

#include "clique/moves/moves.hpp"
#include "clique/passes/alpha_pass.hpp"

#include <cstring>

using namespace chorale;

namespace {

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
  for (std::uint32_t seed = 0; seed < rounds(6000); ++seed) {
    const Problem problem = draw(seed, kConcave);
    Bench<ConcaveFlow> bench(problem, 0xff);
    // Whatever tables say of a count of 0, and values that do not count among the others.
    bench.check(bench.instance().potential.concave, "concave tables");
    const Truth truth(bench.instance());
    Limits limits;
    bench.solver().run(bench.options(), limits, bench.solution());
    bench.check_solution();
    bench.check(bench.solution().infeasible == (truth.score == kForbidden), "infeasible");
    bench.check(bench.near(bench.solution().score, truth.score), "concave optimum");
    bench.check(bench.solution().infeasible || bench.solution().proven(), "concave proof");
    std::vector<double> messages(truth.messages.size());
    bench.check(bench.solver().messages(limits, bench.solution(),
                                        bench.instance().by_entry(messages.data())),
                "complete");
    for (std::size_t e = 0; e < messages.size(); ++e)
      bench.check(bench.near(messages[e], truth.messages[e]), "concave message");
  }
}

// Single moves end where no single move raises the score.
void test_single_moves(void **) {
  struct Adapter {
    Adapter(Layout &layout, const Instance &instance) noexcept
        : moves(layout, instance), x(layout.take_span<std::int32_t>(instance.members)),
          counts(layout.take_span<std::int32_t>(instance.columns)) {}
    SingleMoves<FiniteSumScore> moves;
    gsl::span<std::int32_t> x;
    gsl::span<std::int32_t> counts;
  };
  constexpr Options convex[] = {{Shape::convex, 0, 0}, {Shape::convex, 30, 0}};
  unsigned moved = 0;
  for (std::uint32_t seed = 0; seed < rounds(2000); ++seed) {
    const Problem problem(seed, 2 + std::int32_t(seed % 40), 2 + std::int32_t(seed / 40 % 11),
                          convex[seed % 2]);
    Bench<Adapter> bench(problem, 0x5a);
    const Instance &in = bench.instance();
    if (!in.potential.convex ||
        std::count(in.best_score, in.best_score + in.members, kForbidden) > 0)
      continue;
    Adapter &a = bench.solver();
    const auto score = [&] {
      in.count(a.x, a.counts);
      return in.member_score(a.x) + in.clique_score(a.counts);
    };
    Limits limits;
    std::int64_t sweeps = 1000;
    std::copy_n(in.best, in.members, a.x.data());
    const double before = score();
    const double after = a.moves.improve(in, a.x, limits, sweeps);
    bench.check(bench.near(after, score()), "score of single moves");
    moved += after > before;
    for (std::int32_t i = 0; i < in.members; ++i) {
      const std::int32_t from = a.x[std::size_t(i)];
      for (std::int32_t v = 0; v < in.columns; ++v) {
        a.x[std::size_t(i)] = v;
        bench.check(in.score(i, v) == kForbidden || score() <= after + 1e-9, "no single move");
      }
      a.x[std::size_t(i)] = from;
    }
  }
  assert_true(moved > rounds(100));
}

void test_transport(void **) {
  struct Adapter {
    Adapter(Layout &layout, const Instance &instance) noexcept
        : flow(layout, instance) {}
    ColumnFlow flow;
  };
  for (std::uint32_t seed = 0; seed < rounds(3000); ++seed) {
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
      instance.count(x, counts);
      if (counts == wanted)
        best = std::max(best, instance.member_score(x));
      std::size_t i = 0;
      while (i < x.size() && ++x[i] == instance.columns)
        x[i++] = 0;
      if (i == x.size())
        break;
    }
    Limits limits;
    const double found = bench.solver().flow.transport(instance.scores, wanted, limits);
    bench.check(bench.near(found, best), "transport");
    if (found > kForbidden) {
      instance.count(bench.solver().flow.assignment(), counts);
      bench.check(counts == wanted, "transport counts");
    }
  }
}

void test_dual_bound(void **) {
  int tight = 0;
  int feasible = 0;
  for (std::uint32_t seed = 0; seed < rounds(6000); ++seed) {
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
  bench.check(bench.solver().messages(options, limits, bench.solution(),
                                      bench.instance().by_entry(messages.data())),
              "messages not exact");
  bench.check_solution();
  for (std::size_t e = 0; e < messages.size(); ++e)
    bench.check(bench.near(messages[e], truth.messages[e]), "message by count boxes");
  again.solver().run(options, limits, again.solution());
  again.solver().messages(options, limits, again.solution(),
                          again.instance().by_entry(repeated.data()));
  bench.check(std::memcmp(messages.data(), repeated.data(), messages.size() * sizeof(double)) == 0,
              "garbage in the workspace changed messages");
  bench.check(bench.solution().score == again.solution().score &&
                  bench.solution().bound == again.solution().bound &&
                  bench.solution().iterations == again.solution().iterations,
              "garbage in the workspace changed a result");
}

void test_count_boxes(void **) {
  for (std::uint32_t seed = 0; seed < rounds(3000); ++seed)
    check_boxes(draw(seed, kAny), 0, true);
}

void test_tiny_pools(void **) {
  for (std::uint32_t seed = 0; seed < rounds(3000); ++seed)
    check_boxes(draw(seed, kAny), 1 + seed % 3, false);
}

// A score that nobody can have, since every other value wants its member, so much greater than the
// rest that what is added to it is lost.
void test_huge_score_out_of_reach(void **) {
  for (const double huge : {1e16, 1e30, 1e154, 1e280}) {
    Problem problem(0, 4, 5, kAny[0]);
    problem.scores = {huge, 0, kForbidden, 2, -2, 1, kForbidden, 0, -2, 2,
                      2,    0, 1,          kForbidden, 0, -1, -1, 0, kForbidden, -2};
    problem.tables = {kForbidden, -3, kForbidden, kForbidden, -4};
    problem.mask = {0, 1, 1, 1, 1};
    problem.shared = true;
    problem.fixed.clear();
    problem.dead = -1;
    check_boxes(problem, 0, true);
  }
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

// D(u) after steps of all kinds, on columns in order and far out of it, within boxes, against a plain
// sort.
void test_evaluation(void **) {
  struct Adapter {
    Adapter(Layout &layout, const Instance &instance) noexcept
        : dual(layout, instance.members, instance.columns) {}
    CountDual dual;
  };
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const std::int32_t n = seed % 2 == 0 ? 400 : 30;
    const Problem problem(seed, n, 4, kAny[seed / 2 % 2]);
    Bench<Adapter> bench(problem, 0xff);
    const Instance &instance = bench.instance();
    CountDual &dual = bench.solver().dual;
    dual.load(instance);
    std::mt19937 random(seed);
    std::vector<double> u(std::size_t(n), 0.0), gains;
    for (std::int32_t v = 0; v < instance.columns && seed % 3 > 0; ++v)
      dual.hi()[v] = std::min(dual.hi()[v], std::int32_t(1 + random() % unsigned(n / 3)));
    for (int step = 0; step < 60; ++step) {
      const double by = double(random() % 1000) / 4000.0;
      const bool wild = random() % 10 == 0;
      for (double &price : u)
        price += wild ? double(random() % 1000) / 300.0 - 1.5 : by * (int(random() % 4) - 1);
      double expected = 0;
      for (const double price : u)
        expected += price;
      for (std::int32_t v = 0; v < instance.columns; ++v) {
        gains.clear();
        for (std::int32_t i = 0; i < n; ++i)
          if (instance.score(i, v) > kForbidden)
            gains.push_back(instance.score(i, v) - u[std::size_t(i)]);
        std::sort(gains.rbegin(), gains.rend());
        double sum = 0;
        double best = kForbidden;
        for (std::size_t k = 0;; ++k) {
          if (std::int32_t(k) >= dual.lo()[v])
            best = std::max(best, sum + instance.potential.tables[v][k]);
          if (k == gains.size() || std::int32_t(k) == dual.hi()[v])
            break;
          sum += gains[k];
        }
        expected += best;
      }
      const double value = dual.evaluate(u);
      bench.check(std::fabs(value - expected) <= 1e-9 * std::fabs(expected) + 1e-9, "D(u)");
      double chosen = 0;
      double slope = 0;
      for (std::int32_t v = 0; v < instance.columns; ++v)
        chosen += dual.chosen_count(v);
      for (std::int32_t i = 0; i < n; ++i)
        slope += dual.slope()[std::size_t(i)];
      bench.check(slope == n - chosen, "slope");
      double dropped = kForbidden;
      if (random() % 8 == 0 && !dual.reduce(value - double(random() % 1000) / 100, &dropped))
        break;
    }
  }
}

// Whenever the clock stops the search, what it says holds.
void test_deadlines(void **) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Problem problem(seed, 60, 8, kAny[seed % 6]);
    Bench<CountBoxes> exact(problem, 0xff);
    Limits none;
    exact.solver().run(exact.options(), none, exact.solution());
    for (const double seconds : {1e-6, 3e-5, 1e-4, 3e-4, 1e-3}) {
      SolveOptions options;
      options.node_pool = seed % 2;
      Bench<CountBoxes> bench(problem, 0xff, options);
      Limits limits(seconds, nullptr);
      bench.solver().run(options, limits, bench.solution());
      bench.check_solution();
      bench.check(!bench.solution().infeasible || exact.solution().infeasible, "infeasible");
      bench.check(exact.solution().infeasible ||
                      bench.solution().bound >= exact.solution().score - 1e-8,
                  "bound at a deadline");
    }
  }
}

// Under a limit the bound holds and the labelling is one.
void test_limits(void **) {
  for (std::uint32_t seed = 0; seed < rounds(1500); ++seed) {
    const Problem problem = draw(seed, kAny);
    SolveOptions options;
    options.node_limit = 1 + seed % 4;
    options.node_pool = seed % 3;
    options.iteration_limit = 1 + seed % 5;
    Bench<CountBoxes> bench(problem, 0xff, options);
    const Truth truth(bench.instance());
    const double slack = slack_of(truth.score);
    Limits few = Limits::of_steps(Limits::kBetweenLooks);
    bench.solver().run(options, few, bench.solution());
    bench.check_solution();
    bench.check(truth.score == kForbidden || bench.solution().bound >= truth.score - slack,
                "bound under a node limit");
    bench.check(bench.solution().nodes <= options.node_limit, "nodes beyond the limit");
    bench.check(few.interruption() == Interruption::none, "announces more work than it does");
    bench.check(bench.solution().proven() || bench.solution().infeasible ||
                    bench.solution().node_limit_hit,
                "stopped for no reason");
    Limits limits;
    std::vector<double> messages(truth.messages.size());
    bench.solver().messages(options, limits, bench.solution(),
                            bench.instance().by_entry(messages.data()));
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
    late.check(!late.solver().messages(late.options(), expired, late.solution(),
                                       late.instance().by_entry(messages.data())),
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
      flow.check(!flow.solver().messages(expired, flow.solution(),
                                         flow.instance().by_entry(messages.data())),
                 "flow messages after the deadline");
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

// The max-marginals of a sum without forbidden counts, of which alpha-pass computes most at once,
// against the direct form, which evaluates the potential for each labelling and move.
void test_linear_marginals(void **) {
  constexpr Options kFinite[] = {{Shape::arbitrary, 0, 0}, {Shape::arbitrary, 60, 0},
                                 {Shape::convex, 0, 0},    {Shape::convex, 30, 0},
                                 {Shape::concave, 0, 0}};
  for (std::uint32_t seed = 0; seed < rounds(1000); ++seed) {
    const std::int32_t columns = seed % 19 == 18 ? 70 : 1 + std::int32_t(seed / 5 % 12);
    const std::int32_t members = columns == 70 ? 1 + std::int32_t(seed / 20 % 5)
                                               : 1 + std::int32_t(seed * 7 % 45);
    const Problem problem(seed, members, columns, kFinite[seed % 5]);
    Bench<AlphaPassMarginals<FiniteSumScore>> linear(problem, 0xff);
    Bench<AlphaPassMarginals<SumScore>> direct(problem, 0x5a);
    const std::size_t entries =
        std::size_t(members) * std::size_t(linear.instance().columns);
    std::vector<double> by_rows(entries), by_moves(entries);
    Limits limits;
    linear.solver().run(limits, linear.solution(), linear.instance().by_entry(by_rows.data()));
    direct.solver().run(limits, direct.solution(),
                        direct.instance().by_entry(by_moves.data()));
    for (std::size_t e = 0; e < entries; ++e)
      linear.check(linear.near(by_rows[e], by_moves[e]), "message of a sum");
  }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(test_concave_flow), cmocka_unit_test(test_single_moves),
      cmocka_unit_test(test_transport),
      cmocka_unit_test(test_dual_bound),   cmocka_unit_test(test_count_boxes),
      cmocka_unit_test(test_tiny_pools),   cmocka_unit_test(test_larger),
      cmocka_unit_test(test_limits),       cmocka_unit_test(test_gap),
      cmocka_unit_test(test_evaluation),   cmocka_unit_test(test_deadlines),
      cmocka_unit_test(test_huge_score_out_of_reach),
      cmocka_unit_test(test_linear_marginals),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
