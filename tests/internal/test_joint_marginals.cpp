// Max-marginals and sums of positions under properties: by enumeration, and by forced decodes.
#include "joint_fixture.hpp"
#include "rounds.hpp"

#include <chorale/experimental.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

using namespace chorale;

namespace {

void expect_close(double found, double truth, unsigned seed, int t, int y, const char *what) {
  const bool fine = truth == kForbidden ? found == kForbidden : std::fabs(found - truth) < 1e-9;
  if (!fine)
    fail_msg("seed %u, position %d, label %d: %.17g, %s %.17g", seed, t, y, found, what, truth);
}

void exact_is_what_enumeration_finds(void **) {
  const JointOptions exact{CHORALE_JOINT_EXACT, 300, 1 << 16};
  const JointOptions automatic{CHORALE_JOINT_AUTO, 300, 1024};
  for (unsigned seed = 0; seed < rounds(4000); ++seed) {
    Case one(seed);
    const std::vector<double> truth = one.enumerate();
    JointOutcome outcome;
    const std::vector<double> found = one.marginals(seed % 2 == 0 ? exact : automatic, outcome);
    assert_false(outcome.pruned || outcome.overflow);
    for (int t = 0; t < one.length; ++t)
      for (int y = 0; y < one.labels; ++y) {
        const auto at = static_cast<std::size_t>(t * one.labels + y);
        expect_close(found[at], truth[at], seed, t, y, "by enumeration");
        if (seed % 8 == 0)
          expect_close(found[at], one.forced_value(exact, t, y), seed, t, y, "forced");
      }
  }
}

void local_scores_are_what_forced_decodes_find(void **) {
  const JointOptions local{CHORALE_JOINT_LOCAL_SCORES, 300, 1 << 16};
  for (unsigned seed = 0; seed < rounds(1000); ++seed) {
    Case one(seed);
    JointOutcome outcome;
    const std::vector<double> found = one.marginals(local, outcome);
    assert_false(outcome.pruned || outcome.overflow);
    for (int t = 0; t < one.length; ++t)
      for (int y = 0; y < one.labels; ++y)
        expect_close(found[static_cast<std::size_t>(t * one.labels + y)],
                     one.forced_value(local, t, y), seed, t, y, "forced");
  }
}

// What a beam keeps is attained, and the best of each position is one number.
void a_beam_stays_below(void **) {
  unsigned pruned = 0;
  for (unsigned seed = 0; seed < rounds(3000); ++seed) {
    Case one(seed);
    const std::vector<double> truth = one.enumerate();
    JointOutcome outcome;
    const JointOptions narrow{CHORALE_JOINT_BEAM, one.below(3) + 1, 1024};
    const std::vector<double> found = one.marginals(narrow, outcome);
    assert_false(outcome.overflow);
    pruned += outcome.pruned ? 1 : 0;
    double last = kForbidden;
    for (int t = 0; t < one.length; ++t) {
      double best = kForbidden;
      for (int y = 0; y < one.labels; ++y) {
        const auto at = static_cast<std::size_t>(t * one.labels + y);
        if (found[at] > truth[at] + 1e-9 || (!outcome.pruned && found[at] < truth[at] - 1e-9))
          fail_msg("seed %u, position %d, label %d: %.17g, by enumeration %.17g", seed, t, y,
                   found[at], truth[at]);
        best = std::max(best, found[at]);
      }
      if (t > 0)
        expect_close(best, last, seed, t, -1, "before");
      last = best;
    }
  }
  assert_true(pruned > rounds(300));
}

void too_many_configurations_are_told(void **) {
  unsigned told = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Case one(seed);
    JointOutcome outcome;
    one.marginals({CHORALE_JOINT_EXACT, 300, 1}, outcome);
    told += outcome.overflow ? 1 : 0;
  }
  assert_true(told > 30);
}

// Entries of a row of log-sums are compared with their rows' totals left out.
void sums_are_what_enumeration_finds(void **) {
  unsigned forbidden = 0;
  for (unsigned seed = 0; seed < rounds(6000); ++seed) {
    Case one(seed, seed % 3 == 0);
    const bool local = seed % 2 == 1;
    const JointOptions options{local ? CHORALE_JOINT_LOCAL_SCORES : CHORALE_JOINT_EXACT, 300,
                               1 << 16};
    const double temperature = std::exp2(one.below(7) - 3);
    const LogSums sums(temperature);
    const std::vector<double> truth = one.enumerate_sums(temperature, local);
    JointSummary summary;
    std::vector<double> found = one.sums(options, temperature, summary);
    assert_false(summary.outcome.pruned || summary.outcome.overflow);
    assert_true(summary.exact == !local);
    for (int t = 0; t < one.length; ++t) {
      const auto at = static_cast<std::size_t>(t * one.labels);
      double total = 0;
      for (int y = 0; y < one.labels; ++y)
        total += truth[at + static_cast<std::size_t>(y)];
      const bool possible = sums.to_probabilities({&found[at], static_cast<std::size_t>(one.labels)});
      assert_true(possible == (total > 0));
      forbidden += possible ? 0 : 1;
      for (int y = 0; y < one.labels && possible; ++y)
        expect_close(found[at + static_cast<std::size_t>(y)],
                     truth[at + static_cast<std::size_t>(y)] / total, seed, t, y,
                     local ? "local scores, by enumeration" : "by enumeration");
    }
  }
  assert_true(forbidden > rounds(100));
}

void sums_tell_of_too_many_configurations(void **) {
  unsigned exact = 0, local = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Case one(seed);
    JointSummary summary;
    one.sums({CHORALE_JOINT_EXACT, 300, 2}, 1, summary);
    exact += summary.outcome.overflow ? 1 : 0;
    JointSummary other;
    one.sums({CHORALE_JOINT_LOCAL_SCORES, 300, 2}, 1, other);
    local += other.outcome.overflow ? 1 : 0;
  }
  assert_true(exact > 30 && local > 3);
}

// Log-sums by the weights of a matrix against log-sums by its scores: entries that are forbidden,
// and scores so far apart that their weights alone would be 0.
void steps_by_weights_are_steps_by_scores(void **) {
  std::uint64_t state = 1;
  const auto draw = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 33) / 2147483648.0;
  };
  unsigned finite = 0, forbidden = 0, far = 0;
  for (unsigned round = 0; round < rounds(4000); ++round) {
    const int rows = 1 + static_cast<int>(draw() * 6), columns = 1 + static_cast<int>(draw() * 6);
    const int stride = columns + static_cast<int>(draw() * 3);
    const double temperature = std::exp2(static_cast<int>(draw() * 9) - 4);
    const double size = std::exp2(static_cast<int>(draw() * 16) - 4);
    const auto score = [&] { return draw() < 0.2 ? kForbidden : (draw() - 0.5) * size; };
    std::vector<double> from(static_cast<std::size_t>(rows)),
        matrix(static_cast<std::size_t>(rows * stride)), add(static_cast<std::size_t>(columns)),
        weights(static_cast<std::size_t>(rows * columns)), most(add.size()), scratch(from.size()),
        found(add.size()), truth(add.size());
    for (std::vector<double> *to : {&from, &matrix, &add})
      for (double &s : *to)
        s = score();
    const LogSums sums(temperature);
    WeighedMatrix by{matrix.data(), stride, weights.data(), most.data(), scratch.data()};
    sums.weigh(rows, columns, by);
    sums.step(from.data(), rows, matrix.data(), stride, columns, add.data(), truth.data());
    sums.step(from.data(), rows, by, columns, add.data(), found.data());
    for (std::size_t y = 0; y < found.size(); ++y) {
      ++(truth[y] == kForbidden ? forbidden : finite);
      far += size > 1000 * temperature && truth[y] > kForbidden ? 1 : 0;
      if (truth[y] == kForbidden ? found[y] != kForbidden
                                 : !(std::fabs(found[y] - truth[y]) <= 1e-13 * (size + temperature)))
        fail_msg("round %u, column %d: %.17g, by scores %.17g", round, static_cast<int>(y), found[y],
                 truth[y]);
    }
  }
  assert_true(finite > rounds(3000) && forbidden > rounds(1000) && far > rounds(1000));
}

// Sums that leave out configurations: no probability is wrong by more than the bound of what was
// left out, and with room for all configurations at most a hundredth is left out.
void what_is_left_out_is_bounded(void **) {
  unsigned bounded = 0, wrong = 0, exact = 0, none = 0;
  for (unsigned seed = 0; seed < rounds(6000); ++seed) {
    Case one(seed, seed % 3 == 0);
    const double temperature = std::exp2(one.below(7) - 3);
    const LogSums sums(temperature);
    const std::vector<double> truth = one.enumerate_sums(temperature, false);
    for (const std::int32_t width : {1 + one.below(6), 1 << 12}) {
      JointSummary summary;
      std::vector<double> found = one.sums({CHORALE_JOINT_BEAM, width, 1}, temperature, summary);
      assert_true(summary.exact == (summary.lost == 0));
      assert_true(summary.lost >= 0 && summary.lost <= 1);
      if (width == 1 << 12)
        assert_true(summary.lost <= 0.01);
      if (summary.outcome.overflow) {
        assert_true(width < 1 << 12 || *std::max_element(truth.begin(), truth.end()) == 0);
        ++none;
        continue;
      }
      bounded += summary.lost > 1e-12 && summary.lost < 0.5 ? 1 : 0;
      exact += summary.exact ? 1 : 0;
      bool is_wrong = false;
      for (int t = 0; t < one.length; ++t) {
        const auto at = static_cast<std::size_t>(t * one.labels);
        double total = 0;
        for (int y = 0; y < one.labels; ++y)
          total += truth[at + static_cast<std::size_t>(y)];
        assert_true(sums.to_probabilities({&found[at], static_cast<std::size_t>(one.labels)}));
        for (int y = 0; y < one.labels; ++y) {
          const double p = truth[at + static_cast<std::size_t>(y)] / total;
          const double error = std::fabs(found[at + static_cast<std::size_t>(y)] - p);
          if (!(error <= summary.lost + 1e-9))
            fail_msg("seed %u, width %d, position %d, label %d: %.17g, by enumeration %.17g, left "
                     "out %.17g",
                     seed, width, t, y, found[at + static_cast<std::size_t>(y)], p, summary.lost);
          is_wrong = is_wrong || error > 1e-6;
        }
      }
      wrong += is_wrong ? 1 : 0;
    }
  }
  print_message("%u bounded, %u wrong, %u exact, %u without labellings\n", bounded, wrong, exact,
                none);
  assert_true(bounded > rounds(300) && wrong > rounds(100) && exact > rounds(3000) &&
              none > rounds(10));
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(exact_is_what_enumeration_finds),
      cmocka_unit_test(local_scores_are_what_forced_decodes_find),
      cmocka_unit_test(a_beam_stays_below),
      cmocka_unit_test(too_many_configurations_are_told),
      cmocka_unit_test(sums_are_what_enumeration_finds),
      cmocka_unit_test(sums_tell_of_too_many_configurations),
      cmocka_unit_test(steps_by_weights_are_steps_by_scores),
      cmocka_unit_test(what_is_left_out_is_bounded),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
