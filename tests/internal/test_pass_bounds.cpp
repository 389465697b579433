// Bounds on the passes of alpha-pass: never below what the pass reaches, and alpha-pass by the
// promising passes alone finds what all passes find.
#include "sum_fixture.hpp"

#include "clique/passes/alpha_pass.hpp"
#include "clique/passes/pass_bounds.hpp"
#include "clique/passes/threshold_bounds.hpp"

using namespace chorale;

namespace {

template <class Bounds> struct Passes {
  Passes(Layout &layout, const Instance &instance) noexcept
      : bounds(layout, instance), pass(layout, instance), sweep(layout, instance),
        score(layout, instance.potential) {}

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
    passes.pass.run(passes.bounds, limits, bench.solution());
    bench.check_solution();
    Bench<Passes<Bounds>> plain(problem, 0x5a);
    Layout none;
    AllPasses every(none, instance);
    plain.solver().pass.run(every, limits, plain.solution());
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

} // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
