// Bounds on the passes of alpha-pass: never below what the pass reaches, and alpha-pass by the
// promising passes alone finds what all passes find.
#include "sum_fixture.hpp"

#include "clique/passes/alpha_pass.hpp"
#include "clique/passes/idle_passes.hpp"
#include "clique/passes/pass_bounds.hpp"
#include "clique/passes/threshold_bounds.hpp"

using namespace chorale;

namespace {

template <class Bounds> struct Passes {
  Passes(Layout &layout, const Instance &instance) noexcept
      : bounds(layout, instance), pass(layout, instance), sweep(layout, instance),
        score(layout, instance.potential),
        candidate(layout.take_span<std::int32_t>(instance.members)) {}

  double best_of(std::int32_t alpha) noexcept {
    sweep.order_by(alpha);
    score.reset(sweep.counts());
    double members = sweep.base();
    double best = members + score.total();
    for (std::int32_t k = sweep.forced(); k < sweep.allowed(); ++k) {
      members += sweep.at(k).gain;
      score.move(sweep.at(k).from, alpha);
      best = std::max(best, members + score.total());
    }
    return best;
  }

  Bounds bounds;
  AlphaPass<SumScore> pass;
  AlphaSweep sweep;
  SumScore score;
  gsl::span<std::int32_t> candidate;
};

constexpr Options kConvex[] = {{Shape::convex, 0, 0}, {Shape::convex, 40, 0}};

template <class Bounds>
void check_passes(std::uint32_t first, int problems, std::int32_t members) {
  int seen = 0;
  int made = 0;
  int all = 0;
  for (std::uint32_t seed = first; seed < first + std::uint32_t(problems); ++seed) {
    const Problem problem(seed, 1 + std::int32_t(seed) % members, 1 + std::int32_t(seed / 37 % 11),
                          kConvex[seed % 2]);
    Bench<Passes<Bounds>> bench(problem, 0xff);
    const Instance &instance = bench.instance();
    if (!instance.potential.convex ||
        std::count(instance.best_score, instance.best_score + instance.members, kForbidden) > 0)
      continue;
    ++seen;
    Passes<Bounds> &passes = bench.solver();
    passes.bounds.run();
    double before = kInfinity;
    for (std::int32_t rank = 0; rank < instance.columns; ++rank) {
      const std::int32_t alpha = passes.bounds.alpha(rank);
      const double bound = passes.bounds.bound(alpha);
      bench.check(bound <= before, "descending bounds");
      bench.check(bound >= passes.best_of(alpha), "bound of a pass");
      before = bound;
    }
    Limits limits;
    passes.pass.run(passes.bounds, limits, bench.solution(), passes.candidate, [] {});
    bench.check_solution();
    Bench<Passes<Bounds>> plain(problem, 0x5a);
    plain.solver().pass.run(limits, plain.solution());
    bench.check(bench.solution().score == plain.solution().score, "score of alpha-pass");
    bench.check(std::equal(bench.solution().assignment.begin(), bench.solution().assignment.end(),
                           plain.solution().assignment.begin()),
                "labelling of alpha-pass");
    made += static_cast<int>(bench.solution().iterations);
    all += instance.columns;
  }
  std::printf("%d cliques, %d of %d passes made\n", seen, made, all);
  assert_true(seen > problems / 4);
  assert_true(made < all);
}

void test_small(void **) {
  check_passes<PassBounds>(0, 4000, 37);
  check_passes<ThresholdBounds>(0, 4000, 37);
}
void test_large(void **) { check_passes<ThresholdBounds>(4000, 400, 1500); }

struct Idle {
  Idle(Layout &layout, const Instance &instance) noexcept
      : idle(layout, instance), all(layout, instance), told(layout, instance),
        sweep(layout, instance), score(layout, instance.potential),
        by_all(layout, instance), by_told(layout, instance),
        rank_of_all(layout.take_span<std::int32_t>(instance.members)),
        rank_of_told(layout.take_span<std::int32_t>(instance.members)) {}

  IdlePasses idle;
  AlphaPass<SumScore> all, told;
  AlphaSweep sweep;
  SumScore score;
  Solution by_all, by_told;
  gsl::span<std::int32_t> rank_of_all, rank_of_told;
};

// An idle pass visits nothing better than its first labelling, in which every member has its best
// column; and passes that know which are idle find the same as passes that do not, at every rank.
void test_idle(void **) {
  int idle = 0;
  int seen = 0;
  for (std::uint32_t seed = 1; seed <= 6000; ++seed) {
    const Problem problem(seed, 1 + std::int32_t(seed) % 15, 4 + std::int32_t(seed / 37 % 9),
                          kConvex[seed % 2]);
    Bench<Idle> bench(problem, 0xff);
    const Instance &in = bench.instance();
    if (!in.potential.convex ||
        std::count(in.best_score, in.best_score + in.members, kForbidden) > 0)
      continue;
    ++seen;
    Idle &of = bench.solver();
    of.idle.find();
    for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
      if (!of.idle[alpha])
        continue;
      ++idle;
      of.sweep.order_by(alpha);
      bench.check(of.sweep.forced() == 0, "no member is forced into an idle column");
      for (std::int32_t rank = 0; rank < in.members; ++rank)
        bench.check(of.sweep.at(rank).from == in.best[of.sweep.at(rank).member],
                    "the default columns of an idle pass are the best ones");
      of.score.reset(of.sweep.counts());
      double members = of.sweep.base();
      const double first = members + of.score.total();
      for (std::int32_t k = 0; k < of.sweep.allowed(); ++k) {
        members += of.sweep.at(k).gain;
        of.score.move(of.sweep.at(k).from, alpha);
        bench.check(members + of.score.total() < first, "nothing better in an idle pass");
      }
    }
    Limits none;
    of.all.run(none, of.by_all);
    of.told.run(none, of.by_told, &of.idle);
    bench.check(of.by_all.score == of.by_told.score &&
                    std::equal(of.by_all.assignment.begin(), of.by_all.assignment.end(),
                               of.by_told.assignment.begin()),
                "the same solution");
    for (std::int32_t rank = 0; rank < AlphaPass<SumScore>::kRanks; ++rank) {
      const bool is_there = of.all.write(rank, of.rank_of_all);
      bench.check(is_there == of.told.write(rank, of.rank_of_told), "as many ranks");
      bench.check(!is_there || std::equal(of.rank_of_all.begin(), of.rank_of_all.end(),
                                          of.rank_of_told.begin()),
                  "the same labelling at every rank");
    }
  }
  assert_true(seen > 3000);
  assert_true(idle > 3000);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large),
                             cmocka_unit_test(test_idle)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
