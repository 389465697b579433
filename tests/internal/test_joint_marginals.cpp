// Max-marginals of positions under properties: by enumeration, and by forced decodes.
#include "chain/joint.hpp"

#include <chorale/chorale.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

using namespace chorale;

namespace {

class Case {
public:
  explicit Case(unsigned seed) : random_(seed) {
    length = 1 + below(6);
    labels = 2 + below(2);
    unary.resize(static_cast<std::size_t>(length * labels));
    edges.resize(static_cast<std::size_t>(labels * labels));
    classes.resize(static_cast<std::size_t>(length));
    for (double &score : unary)
      score = below(12) == 0 ? kForbidden : number();
    for (double &score : edges)
      score = below(12) == 0 ? kForbidden : number();
    for (std::int32_t &one : classes)
      one = below(2);
    const int count = 1 + below(3);
    messages.resize(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
      values.push_back(1 + below(3));
      properties.push_back(make_property(values.back()));
      for (int v = 0; v < values.back() + 2; ++v)
        messages[static_cast<std::size_t>(k)].push_back(below(6) == 0 ? kForbidden : 2 * number());
    }
    for (int k = 0; k < count; ++k)
      attachments.push_back({properties[static_cast<std::size_t>(k)], nullptr, classes.data(),
                             nullptr, messages[static_cast<std::size_t>(k)].data(), length});
    forced.assign(static_cast<std::size_t>(length), -1);
    view.length = length;
    view.labels = labels;
    view.unary = unary.data();
    view.unary_row = labels;
    view.unary_column = 1;
    view.edges = edges.data();
    view.edge_from = labels;
    view.edge_to = 1;
  }
  ~Case() {
    for (chorale_property *property : properties)
      chorale_property_release(property);
  }
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double number() { return std::uniform_real_distribution<double>(-2, 2)(random_); }
  Attachments all() const {
    const auto read = [](const void *all, std::int32_t k) noexcept {
      return static_cast<const Attached *>(all)[k];
    };
    return {read, attachments.data(), static_cast<std::int32_t>(attachments.size())};
  }

  std::vector<double> enumerate() const {
    std::vector<double> best(unary.size(), kForbidden);
    std::vector<std::int32_t> labelling(static_cast<std::size_t>(length), 0);
    for (bool more = true; more;) {
      double score = view.score(labelling.data());
      for (std::int32_t k = 0; k < all().count; ++k)
        score +=
            messages[static_cast<std::size_t>(k)]
                    [static_cast<std::size_t>(all().at(k).evaluate(labelling.data(), nullptr))];
      for (int t = 0; t < length; ++t) {
        double &to = best[static_cast<std::size_t>(t * labels + labelling[std::size_t(t)])];
        to = std::max(to, score);
      }
      more = false;
      for (int t = 0; t < length && !more; ++t) {
        std::int32_t &label = labelling[static_cast<std::size_t>(t)];
        label = (label + 1) % labels;
        more = label != 0;
      }
    }
    return best;
  }

  std::vector<double> marginals(const JointOptions &options, JointOutcome &outcome) {
    std::vector<double> found(unary.size(), 7.0);
    with_joint(options, JointUse::marginals, [&](Joint &joint) {
      JointSummary summary;
      joint.marginals(found.data(), labels, summary);
      outcome = summary.outcome;
    });
    return found;
  }
  double forced_value(const JointOptions &options, int t, std::int32_t y) {
    double score = kForbidden;
    forced[static_cast<std::size_t>(t)] = y;
    view.forced = forced.data();
    with_joint(options, JointUse::decoding, [&](Joint &joint) {
      JointSummary summary;
      joint.decode(summary);
      score = summary.score;
    });
    view.forced = nullptr;
    forced[static_cast<std::size_t>(t)] = -1;
    return score;
  }

  int length, labels;
  std::vector<double> unary, edges;
  std::vector<std::int32_t> classes, forced;
  std::vector<int> values;
  std::vector<chorale_property *> properties;
  std::vector<std::vector<double>> messages;
  std::vector<Attached> attachments;
  ChainView view;

private:
  // A random automaton of up to three states over two classes of positions.
  chorale_property *make_property(int range) {
    chorale_property_builder *builder = nullptr;
    chorale_property *property = nullptr;
    chorale_error error;
    assert_int_equal(chorale_property_builder_create(nullptr, labels, 2, range, &builder, &error),
                     CHORALE_OK);
    const int states = 1 + below(3);
    for (int s = 0; s < states; ++s) {
      std::int32_t state = 0;
      assert_int_equal(chorale_property_builder_add_state(builder, &state, &error), CHORALE_OK);
    }
    for (int rule = below(8); rule >= 0; --rule)
      assert_int_equal(chorale_property_builder_rule(
                           builder, below(states), below(3) == 0 ? CHORALE_ANY : below(2),
                           below(3) == 0 ? CHORALE_ANY : below(labels), below(states),
                           below(3) == 0 ? CHORALE_FIRE_NOTHING : below(range), &error),
                       CHORALE_OK);
    if (below(3) == 0)
      assert_int_equal(
          chorale_property_builder_end_rule(builder, below(states), below(range), &error),
          CHORALE_OK);
    assert_int_equal(chorale_property_builder_finish(builder, nullptr, &property, &error),
                     CHORALE_OK);
    chorale_property_builder_destroy(builder);
    return property;
  }

  template <class Body>
  void with_joint(const JointOptions &options, JointUse use, Body &&body) const {
    Layout measure;
    const Joint measured(measure, view, all(), options, use);
    std::vector<std::byte> memory(measure.bytes() + kAlignment);
    Layout layout(reinterpret_cast<std::byte *>(
        (reinterpret_cast<std::uintptr_t>(memory.data()) + kAlignment - 1) / kAlignment *
        kAlignment));
    Joint joint(layout, view, all(), options, use);
    joint.prepare();
    body(joint);
  }

  std::mt19937 random_;
};

void expect_close(double found, double truth, unsigned seed, int t, int y, const char *what) {
  const bool fine = truth == kForbidden ? found == kForbidden : std::fabs(found - truth) < 1e-9;
  if (!fine)
    fail_msg("seed %u, position %d, label %d: %.17g, %s %.17g", seed, t, y, found, what, truth);
}

void exact_is_what_enumeration_finds(void **) {
  const JointOptions exact{CHORALE_JOINT_EXACT, 300, 1 << 16};
  const JointOptions automatic{CHORALE_JOINT_AUTO, 300, 1024};
  for (unsigned seed = 0; seed < 4000; ++seed) {
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

void absorption_is_what_forced_decodes_find(void **) {
  const JointOptions absorbing{CHORALE_JOINT_ABSORPTION, 300, 1 << 16};
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Case one(seed);
    JointOutcome outcome;
    const std::vector<double> found = one.marginals(absorbing, outcome);
    assert_false(outcome.pruned || outcome.overflow);
    for (int t = 0; t < one.length; ++t)
      for (int y = 0; y < one.labels; ++y)
        expect_close(found[static_cast<std::size_t>(t * one.labels + y)],
                     one.forced_value(absorbing, t, y), seed, t, y, "forced");
  }
}

// What a beam keeps is attained, and the best of each position is one number.
void a_beam_stays_below(void **) {
  int pruned = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
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
  assert_true(pruned > 300);
}

void too_many_configurations_are_told(void **) {
  int told = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Case one(seed);
    JointOutcome outcome;
    one.marginals({CHORALE_JOINT_EXACT, 300, 1}, outcome);
    told += outcome.overflow ? 1 : 0;
  }
  assert_true(told > 30);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(exact_is_what_enumeration_finds),
      cmocka_unit_test(absorption_is_what_forced_decodes_find),
      cmocka_unit_test(a_beam_stays_below),
      cmocka_unit_test(too_many_configurations_are_told),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
