// The message of a single property by bounded rows: by enumeration, and by all rows.
#include "chain/single_bounded.hpp"
#include "chain/single_chain.hpp"
#include "joint_fixture.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace chorale;

namespace {

bool is_close(double a, double b) { return a == b || std::fabs(a - b) < 1e-9; }

unsigned first_seed() {
  const char *given = std::getenv("CHORALE_TEST_SEED");
  return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
}

// Runs one of the two programs in memory of its own; entries by column of the clique.
template <class Program>
std::vector<double> message_by(const ChainView &view, const Attached &attached, double &best,
                               std::int64_t &most) {
  const auto build = [&](Layout &layout, auto &&body) {
    Scores scores(layout, view);
    BoundProperty property(layout, attached, false);
    const std::int64_t codes = property.code_limit(Role::outgoing);
    const auto message = layout.take_span<double>(codes + 2);
    if constexpr (std::is_same_v<Program, SingleChain>)
      body(scores, property, Program(layout, view, codes), message);
    else
      body(scores, property, Program(layout, view, *attached.property, codes), message);
  };
  Layout measure;
  build(measure, [](Scores &, BoundProperty &, const Program &, gsl::span<double>) {});
  std::vector<std::byte> memory(measure.bytes() + kAlignment);
  Layout layout(reinterpret_cast<std::byte *>(
      (reinterpret_cast<std::uintptr_t>(memory.data()) + kAlignment - 1) / kAlignment *
      kAlignment));
  std::vector<double> found(static_cast<std::size_t>(attached.values() + 2), kForbidden);
  build(layout, [&](Scores &scores, BoundProperty &property, Program program,
                    gsl::span<double> message) {
    assert_true(scores.load());
    assert_true(property.bind({}, scores.limits()));
    property.assign(Role::outgoing);
    best = program.run(scores, property, message, most);
    for (std::int32_t v = 0; v < property.local_count; ++v)
      found[static_cast<std::size_t>(property.numbers[v])] = message[to_size(v)];
    found[static_cast<std::size_t>(attached.values())] = message[to_size(property.empty())];
    found[static_cast<std::size_t>(attached.values() + 1)] = message[to_size(property.conflict())];
  });
  return found;
}

void is_what_enumeration_finds(void **) {
  unsigned conflicts = 0;
  unsigned twice = 0;
  for (unsigned seed = first_seed(); seed < first_seed() + rounds(6000); ++seed) {
    const Case one(seed, seed % 3 != 0);
    for (std::int32_t k = 0; k < one.all().count; ++k) {
      const Attached attached = one.all().at(k);
      std::vector<double> truth(static_cast<std::size_t>(attached.values() + 2), kForbidden);
      std::vector<double> once = truth;
      one.each_labelling([&](const std::vector<std::int32_t> &labelling) {
        if (attached.fires_outside(labelling, {}))
          return;
        int firings = 0;
        attached.each_firing(labelling, {}, [&](std::int32_t) { ++firings; });
        const auto shown = static_cast<std::size_t>(attached.evaluate(labelling, {}));
        const double score = one.view.score(labelling);
        truth[shown] = std::max(truth[shown], score);
        if (firings == 1)
          once[shown] = std::max(once[shown], score);
      });
      double best = 0;
      std::int64_t most = 0;
      const std::vector<double> found =
          message_by<BoundedSingle>(one.view, attached, best, most);
      for (std::size_t v = 0; v < truth.size(); ++v)
        if (!is_close(found[v], truth[v]))
          fail_msg("seed %u, property %d, value %zu: %.17g, by enumeration %.17g", seed, k, v,
                   found[v], truth[v]);
      assert_true(best == *std::max_element(found.begin(), found.end()));
      conflicts += truth.back() > kForbidden ? 1 : 0;
      for (std::size_t v = 0; v + 2 < truth.size(); ++v)
        twice += truth[v] > once[v] ? 1 : 0;
    }
  }
  assert_true(conflicts > rounds(1000) && twice > rounds(200));
}

// Chains on which bounds drop rows, under the ready-made properties.
void is_what_all_rows_find(void **) {
  std::int64_t bounded_rows = 0;
  std::int64_t all_rows = 0;
  for (unsigned seed = first_seed(); seed < first_seed() + rounds(300); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) {
      return static_cast<std::int32_t>(random() % static_cast<unsigned>(n));
    };
    std::uniform_real_distribution<double> unit(0, 1);
    const std::int32_t m = 3 + below(18);
    const std::int32_t length = 1 + below(50);
    std::vector<double> unary(static_cast<std::size_t>(length * m));
    std::vector<double> edges(static_cast<std::size_t>(m * m));
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(length));
    const double spread = 1 + 7 * unit(random);
    for (double &score : unary)
      score = below(40) == 0 ? kForbidden : spread * unit(random);
    for (double &score : edges)
      score = below(40) == 0 ? kForbidden : 2 * unit(random) - 1;
    for (std::int32_t &token : tokens)
      token = below(20);
    const ChainView view = plain_view(length, m, unary.data(), edges.data());
    chorale_label_map map;
    chorale_label_map_init(&map, sizeof map);
    map.labels = map.kinds = m;
    std::vector<std::uint8_t> ignored(static_cast<std::size_t>(m), 0);
    ignored[0] = 1;
    // Labels that begin segments and labels that go on with them, as two labels of one kind.
    chorale_label_map pairs = map;
    std::vector<std::int32_t> kinds(static_cast<std::size_t>(m), 0);
    std::vector<std::uint8_t> begins(static_cast<std::size_t>(m), 0);
    for (std::int32_t y = 1; y < m; ++y) {
      kinds[static_cast<std::size_t>(y)] = (y + 1) / 2;
      begins[static_cast<std::size_t>(y)] = y % 2 == 1 ? 1 : 0;
    }
    pairs.kinds = m / 2 + 1;
    pairs.kind_of_label = kinds.data();
    pairs.begins = begins.data();
    const chorale_segment_rule rule =
        seed % 2 == 0 ? CHORALE_SEGMENT_SPANS_IGNORED : CHORALE_SEGMENT_ENDS_AT_IGNORED;
    chorale_property *properties[5] = {};
    chorale_error error;
    assert_int_equal(chorale_property_create_next_label(nullptr, &map, 1, ignored.data(),
                                                        CHORALE_SEGMENT_SPANS_IGNORED, m,
                                                        &properties[0], &error),
                     CHORALE_OK);
    assert_int_equal(chorale_property_create_first_label(nullptr, &map, ignored.data(),
                                                         &properties[1], &error),
                     CHORALE_OK);
    assert_int_equal(chorale_property_create_token_before(nullptr, &map, 1, ignored.data(), rule,
                                                          21, 20, &properties[2], &error),
                     CHORALE_OK);
    assert_int_equal(chorale_property_create_next_label(nullptr, &map, 1, ignored.data(),
                                                        CHORALE_SEGMENT_ENDS_AT_IGNORED, -1,
                                                        &properties[3], &error),
                     CHORALE_OK);
    assert_int_equal(chorale_property_create_next_label(nullptr, &pairs, 1, ignored.data(), rule,
                                                        static_cast<std::int32_t>(pairs.kinds),
                                                        &properties[4], &error),
                     CHORALE_OK);
    for (chorale_property *property : properties) {
      const Attached attached{property, nullptr, nullptr, tokens.data(), nullptr, length};
      double best = 0;
      double right = 0;
      const std::vector<double> found =
          message_by<BoundedSingle>(view, attached, best, bounded_rows);
      const std::vector<double> truth = message_by<SingleChain>(view, attached, right, all_rows);
      for (std::size_t v = 0; v < truth.size(); ++v)
        if (!is_close(found[v], truth[v]))
          fail_msg("seed %u, property of %d states, value %zu: %.17g, by all rows %.17g", seed,
                   property->states, v, found[v], truth[v]);
      assert_true(is_close(best, right));
      chorale_property_release(property);
    }
  }
  assert_true(all_rows > 0 && bounded_rows > 0);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(is_what_enumeration_finds),
      cmocka_unit_test(is_what_all_rows_find),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
