// The pass over what lies within reach of the best: by enumeration, and by the joint program.
#include "joint_fixture.hpp"
#include "potential/create.hpp"
#include "potential/member_row.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

using namespace chorale;

namespace {

constexpr JointOptions kOptions{CHORALE_JOINT_AUTO, 300, 1 << 16};

// A pass in memory of its own.
class Placed {
public:
  Placed(const ChainView &view, const Attachments &attachments) {
    Layout measure;
    const Joint measured(measure, view, attachments, kOptions, JointUse::reach);
    memory_.resize(measure.bytes() + kAlignment);
    Layout layout(reinterpret_cast<std::byte *>(
        (reinterpret_cast<std::uintptr_t>(memory_.data()) + kAlignment - 1) / kAlignment *
        kAlignment));
    pass_ = std::make_unique<Joint>(layout, view, attachments, kOptions, JointUse::reach);
  }
  Joint &pass() { return *pass_; }

private:
  std::vector<std::byte> memory_;
  std::unique_ptr<Joint> pass_;
};

struct Truth {
  double best = kForbidden;
  std::vector<std::vector<double>> messages;
};

// Minus infinity where the programs forbid a labelling. `but`: the property whose message is left
// out, or -1.
double value_of(const Case &of, gsl::span<const std::int32_t> labelling, int but) {
  double score = of.view.score(labelling);
  for (std::int32_t k = 0; k < of.all().count; ++k) {
    const Attached attached = of.all().at(k);
    if (attached.fires_outside(labelling, {}))
      return kForbidden;
    if (k != but)
      score += attached.message[attached.evaluate(labelling, {})];
  }
  return score;
}

Truth enumerate(const Case &of) {
  Truth truth;
  for (std::int32_t k = 0; k < of.all().count; ++k)
    truth.messages.emplace_back(of.messages[static_cast<std::size_t>(k)].size(), kForbidden);
  of.each_labelling([&](const std::vector<std::int32_t> &labelling) {
    truth.best = std::max(truth.best, value_of(of, labelling, -1));
    for (std::int32_t k = 0; k < of.all().count; ++k) {
      const double value = value_of(of, labelling, k);
      if (value == kForbidden)
        continue;
      double &to = truth.messages[static_cast<std::size_t>(k)]
                                 [static_cast<std::size_t>(of.all().at(k).evaluate(labelling, {}))];
      to = std::max(to, value);
    }
  });
  return truth;
}

bool close(double a, double b) { return a == b || std::fabs(a - b) < 1e-9; }

unsigned first_seed() {
  const char *given = std::getenv("CHORALE_TEST_SEED");
  return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
}

void offer(Joint &pass, const Case &of, gsl::span<const std::int32_t> labelling) {
  std::vector<std::int32_t> shown;
  for (std::int32_t k = 0; k < of.all().count; ++k)
    shown.push_back(of.all().at(k).evaluate(labelling, {}));
  const bool is_new = pass.offer(labelling, of.view.score(labelling), shown);
  const double value = value_of(of, labelling, -1);
  assert_true(value == kForbidden ? !is_new : close(pass.offered(), value) || !is_new);
}

// Every entry within reach is what enumeration finds; every other is at the reach, which bounds it.
void messages_are_exact_within_reach(void **) {
  unsigned raised = 0;
  unsigned exact = 0;
  unsigned traced = 0;
  for (unsigned seed = first_seed(); seed < first_seed() + rounds(6000); ++seed) {
    Case one(seed, seed % 3 != 0);
    const Truth truth = enumerate(one);
    Placed placed(one.view, one.all());
    Joint &pass = placed.pass();
    const double reaches[] = {0.0, 0.5, 2.0, 5.0, kInfinity};
    std::vector<double> reach;
    for (std::int32_t k = 0; k < one.all().count; ++k)
      reach.push_back(reaches[one.below(5)]);
    pass.prepare();
    const bool possible = pass.guide();
    std::vector<std::vector<double>> steady; // by value
    for (std::int32_t k = 0; k < one.all().count; ++k) {
      steady.emplace_back(truth.messages[static_cast<std::size_t>(k)].size(), 0.0);
      for (std::int32_t e = 0; possible && seed % 2 == 0 && e < pass.entries(k); ++e)
        pass.steady(k)[static_cast<std::size_t>(e)] =
            steady.back()[static_cast<std::size_t>(pass.column(k, e))] = one.below(9) - 4;
    }
    if (possible && one.below(4) > 0)
      offer(pass, one, pass.labelling);
    for (int offers = one.below(3); possible && offers > 0; --offers) {
      std::vector<std::int32_t> labelling;
      for (int t = 0; t < one.length; ++t)
        labelling.push_back(one.below(one.labels));
      offer(pass, one, labelling);
    }
    if (!possible) {
      assert_true(truth.best == kForbidden);
      continue;
    }
    assert_true(pass.reach(reach));
    if (!close(pass.best(), truth.best))
      fail_msg("seed %u: best %.17g, by enumeration %.17g", seed, pass.best(), truth.best);
    for (std::int32_t k = 0; k < one.all().count; ++k) {
      const std::vector<double> &right = truth.messages[static_cast<std::size_t>(k)];
      const std::vector<double> &added = steady[static_cast<std::size_t>(k)];
      double top = kForbidden;
      for (std::size_t v = 0; v < right.size(); ++v)
        top = std::max(top, right[v] + added[v]);
      std::vector<double> found(right.size(), 7.0);
      pass.write_message(k, found);
      for (std::size_t v = 0; v < right.size(); ++v) {
        const double floor = top - reach[static_cast<std::size_t>(k)] - added[v];
        const bool is_exact = close(found[v], right[v]);
        exact += is_exact ? 1 : 0;
        raised += is_exact ? 0 : 1;
        if (!is_exact && (right[v] > floor || !close(found[v], floor)))
          fail_msg("seed %u, property %d, value %zu: %.17g, by enumeration %.17g, best %.17g, "
                   "reach %g",
                   seed, k, v, found[v], right[v], top, reach[static_cast<std::size_t>(k)]);
      }
    }
    // The same pass decodes.
    const double before = pass.offered();
    assert_true(pass.reach({}));
    assert_true(close(pass.best(), truth.best));
    if (pass.best() == kForbidden || pass.best() <= before)
      continue;
    assert_true(pass.trace());
    ++traced;
    if (const double value = value_of(one, pass.labelling, -1); !close(value, truth.best))
      fail_msg("seed %u: the labelling has %.17g, by enumeration %.17g", seed, value, truth.best);
  }
  print_message("from seed %u: %u entries exact, %u raised, %u labellings traced\n", first_seed(),
                exact, raised, traced);
  assert_true(exact > rounds(10000) && raised > rounds(2000) && traced > rounds(1000));
}

// A formula of `values` tables, convex tables that begin with 0, or a mixture.
chorale_potential *convex_sum(std::mt19937 &random, int values,
                              const chorale_potential_options *options) {
  const auto draw = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  chorale_potential *potential = nullptr;
  chorale_error error;
  chorale_status status = CHORALE_OK;
  switch (random() % 4) {
  case 0:
    status = chorale_potential_create_potts(nullptr, values, draw(-2, 2), options, &potential,
                                            &error);
    break;
  case 1:
    status = chorale_potential_create_entropy(nullptr, values, draw(-2, 2), options, &potential,
                                              &error);
    break;
  case 2: {
    std::vector<double> tables;
    for (int v = 0; v < values; ++v) {
      double slope = draw(-3, 1);
      tables.push_back(0);
      for (int k = 1; k <= 5; ++k) {
        tables.push_back(tables.back() + slope);
        slope += draw(0, 1);
      }
    }
    status = chorale_potential_create_sum(nullptr, values, tables.data(), values, 6, 0, options,
                                          &potential, &error);
    break;
  }
  default: {
    double head[kMixtureHead];
    std::vector<double> linear;
    std::vector<std::uint8_t> mask(options->counted, options->counted + values);
    mask.back() = random() % 4 == 0 ? kLinearOnly : mask.back();
    for (double &weight : head)
      weight = draw(0, 1);
    for (int v = 0; v < values; ++v)
      linear.push_back(draw(-2, 2));
    status = create_mixture(Report(&error), Memory(nullptr), mask, head, linear, potential);
  }
  }
  assert_int_equal(status, CHORALE_OK);
  return potential;
}

// By all counts of a few members and all moves of one of them, which may count more than once. Some
// move meets the bound.
void no_move_changes_more(void **) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < rounds(600); ++round) {
    const int values = 2 + static_cast<int>(random() % 2);
    const int members = 1 + static_cast<int>(random() % 5);
    std::vector<std::uint8_t> counted(static_cast<std::size_t>(values), 1);
    counted[0] = random() % 2 == 0 ? 1 : 0;
    chorale_potential_options options{};
    options.struct_size = sizeof options;
    options.counted = counted.data();
    options.scale = random() % 2 == 0 ? CHORALE_SCALE_BY_MEMBERS : CHORALE_SCALE_NONE;
    chorale_potential *potential = convex_sum(random, values, &options);
    const int heaviest = round % 2 == 0 ? 1 : members;
    const int weight = 1 + static_cast<int>(random() % static_cast<unsigned>(heaviest));
    const MemberMoves moves(*potential, members, weight);
    assert_true(moves.known());
    std::vector<std::int64_t> counts(static_cast<std::size_t>(values));
    const auto value = [&]() {
      CallbackFailure failure = CallbackFailure::none;
      return potential->evaluate(counts, members, &failure);
    };
    bool is_met = false;
    for (int code = 0; code < 216; ++code) {
      counts = {code % 6, code / 6 % 6};
      if (values == 3)
        counts.push_back(code / 36);
      std::int64_t sum = 0;
      for (const std::int64_t count : counts)
        sum += count;
      for (int u = 0; sum == members && u < values; ++u)
        for (int v = 0; counts[static_cast<std::size_t>(u)] >= weight && v < values; ++v) {
          if (u == v)
            continue;
          const MemberMoves::Steps from = moves.of(u);
          const MemberMoves::Steps to = moves.of(v);
          const double before = value();
          counts[static_cast<std::size_t>(u)] -= weight;
          counts[static_cast<std::size_t>(v)] += weight;
          const double beyond = value() - before - (to.middle - from.middle);
          if (!(std::fabs(beyond) <= from.half + to.half + 1e-12))
            fail_msg("round %d: a move from %d to %d changes %.17g more than its middle, at most "
                     "%.17g is allowed",
                     round, u, v, beyond, from.half + to.half);
          is_met = is_met || std::fabs(beyond) >= from.half + to.half - 1e-12;
          counts[static_cast<std::size_t>(v)] -= weight;
          counts[static_cast<std::size_t>(u)] += weight;
        }
    }
    assert_true(is_met);
    chorale_potential_release(potential);
  }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(messages_are_exact_within_reach),
      cmocka_unit_test(no_move_changes_more),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
