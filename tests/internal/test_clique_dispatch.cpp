// The loops of cliques find the same bits with every kind of vector unit: the program starts itself
// again where the C library hides them, and compares what all of them have found.
#include "sum_fixture.hpp"

#include "base/cpu.hpp"
#include "base/rows.hpp"
#include "clique/moves/moves.hpp"
#include "clique/passes/alpha_pass.hpp"
#include "clique/passes/pass_bounds.hpp"
#include "clique/passes/threshold_bounds.hpp"

#include <cstdlib>
#include <string>

using namespace chorale;

namespace {

std::string program;

std::uint32_t seed() {
  const char *given = std::getenv("CHORALE_TEST_SEED");
  return given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : 1;
}

// FNV-1a over the bytes of what is found.
class Trace {
public:
  template <class T> void add(const T *numbers, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, numbers + i, sizeof bytes);
      for (const unsigned char byte : bytes)
        hash_ = (hash_ ^ byte) * 1099511628211u;
    }
  }
  template <class T> void add(T number) { add(&number, 1); }
  std::uint64_t hash() const { return hash_; }

private:
  std::uint64_t hash_ = 14695981039346656037u;
};

struct Loops {
  Loops(Layout &layout, const Instance &instance) noexcept
      : bounds(layout, instance), thresholds(layout, instance), pass(layout, instance),
        moves(layout, instance), marginals(layout, instance),
        candidate(layout.take_span<std::int32_t>(instance.members)),
        messages(layout.take<double>(std::int64_t{instance.members} * instance.columns)) {}
  PassBounds bounds;
  ThresholdBounds thresholds;
  AlphaPass<SumScore> pass;
  SingleMoves<FiniteSumScore> moves;
  AlphaPassMarginals<FiniteSumScore> marginals;
  gsl::span<std::int32_t> candidate;
  double *messages;
};

template <class Bounds> void trace_bounds(Trace &trace, const Instance &instance, Bounds &bounds) {
  for (std::int32_t rank = 0; rank < instance.columns; ++rank) {
    trace.add(bounds.alpha(rank));
    trace.add(bounds.bound(bounds.alpha(rank)));
  }
}

// What the loops find in one clique.
std::uint64_t found_in(const Problem &problem, bool &convex) {
  Trace trace;
  trace.add(
      row_scans_here().are_scores({problem.scores.data(), std::size_t(problem.n * problem.R)}));
  Bench<Loops> bench(problem, 0xff);
  const Instance &instance = bench.instance();
  trace.add(instance.best, instance.members);
  trace.add(instance.second, instance.members);
  trace.add(instance.best_score, instance.members);
  trace.add(instance.second_score, instance.members);
  convex = instance.potential.convex &&
           std::count(instance.best_score, instance.best_score + instance.members, kForbidden) == 0;
  if (!convex)
    return trace.hash();
  Loops &loops = bench.solver();
  Limits limits;
  loops.bounds.run();
  trace_bounds(trace, instance, loops.bounds);
  loops.thresholds.run();
  trace_bounds(trace, instance, loops.thresholds);
  loops.pass.run(loops.thresholds, limits, bench.solution());
  for (std::int32_t rank = 0; rank < AlphaPass<SumScore>::kRanks; ++rank) {
    const auto candidate = loops.candidate;
    if (!loops.pass.write(rank, candidate))
      break;
    std::int64_t sweeps = 100;
    trace.add(loops.moves.improve(instance, candidate, limits, sweeps));
    trace.add(sweeps);
    trace.add(loops.candidate.data(), instance.members);
  }
  trace.add(bench.solution().score);
  if (std::int64_t{instance.members} * instance.columns <= 4000) {
    loops.marginals.run(limits, bench.solution(), instance.by_entry(loops.messages));
    trace.add(loops.messages, std::int64_t{instance.members} * instance.columns);
  }
  return trace.hash();
}

// One line a clique; the first says what the machine shows.
int print_found() {
  constexpr Options options[] = {{Shape::convex, 0, 0}, {Shape::convex, 40, 0}};
  std::printf("%d\n", has_avx2());
  int convex = 0;
  for (std::uint32_t s = 0; s < 600; ++s) {
    const std::int32_t members =
        s % 10 == 9 ? 200 + std::int32_t(s * 7 % 2200) : 1 + std::int32_t(s % 41);
    const Problem problem(seed() * 1000 + s, members, 1 + std::int32_t(s / 7 % 29), options[s % 2]);
    bool seen = false;
    std::printf("%u %d %d %016llx\n", problem.seed, problem.n, problem.R,
                static_cast<unsigned long long>(found_in(problem, seen)));
    convex += seen;
  }
  return convex > 150 ? 0 : 1;
}

// What the program prints when it is started so.
std::string printed(const std::string &hidden) {
  const std::string command =
      "GLIBC_TUNABLES=glibc.cpu.hwcaps=" + hidden + " '" + program + "' found";
  std::FILE *pipe = popen(command.c_str(), "r");
  assert_non_null(pipe);
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, size);
  assert_int_equal(pclose(pipe), 0);
  return text;
}

// What the program finds here, and what without AVX2.
std::string here;
std::string there;

void test_levels(void **) {
  std::printf("seed %u\n", seed());
  assert_int_equal(here[0], '1');
  assert_true(here.size() > 1000);
  std::size_t at = here.find('\n') + 1;
  std::size_t other = there.find('\n') + 1;
  while (at < here.size()) {
    const std::size_t end = here.find('\n', at);
    const std::size_t other_end = there.find('\n', other);
    assert_string_equal(there.substr(other, other_end - other).c_str(),
                        here.substr(at, end - at).c_str());
    at = end + 1;
    other = other_end + 1;
  }
}

} // namespace

int main(int count, char **arguments) {
  if (count > 1)
    return print_found();
  program = arguments[0];
  if (has_avx2()) {
    here = printed("");
    there = printed("-AVX2");
  }
  if (there.empty() || there[0] != '0') {
    std::printf("skipped: one kind of vector unit alone\n");
    return 77;
  }
  const CMUnitTest tests[] = {cmocka_unit_test(test_levels)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
