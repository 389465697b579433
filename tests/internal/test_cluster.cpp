// Runs over random tiny models against enumeration of equation 1.
#include "rounds.hpp"

#include "../fixture_members.h"

#include <chorale/experimental.h>

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Member {
  int chain;
  int position; // -1: whole
};

struct TestClique {
  bool whole = false;
  bool centred = false;
  int values = 0;
  chorale_property *property = nullptr;
  std::vector<std::int32_t> map; // or empty
  std::vector<chorale_potential *> potentials;
  std::vector<Member> members; // a centre last
};

struct TestChain {
  int length, labels;
  bool tree;
  std::vector<double> unary, edges;
  std::vector<std::int32_t> parents, tokens;
  chorale_chain view() const {
    chorale_chain chain{};
    chain.struct_size = sizeof chain;
    chain.length = length;
    chain.labels = labels;
    chain.unary = unary.data();
    chain.edges = length > 1 ? edges.data() : nullptr;
    chain.edge_matrices = 1;
    chain.parents = tree ? parents.data() : nullptr;
    return chain;
  }
};

class Problem {
public:
  explicit Problem(unsigned seed, bool plain = false) : random(seed), simple_(plain) { make(); }
  ~Problem() {
    for (auto &clique : cliques) {
      for (auto *potential : clique.potentials)
        chorale_potential_release(potential);
      chorale_property_release(clique.property);
    }
    chorale_model_release(model);
  }

  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  double number() {
    return simple_         ? std::uniform_real_distribution<double>(-2, 2)(random)
           : below(4) == 0 ? below(5) - 2.0
                           : std::uniform_real_distribution<double>(-2, 2)(random);
  }

  double score(const std::vector<std::vector<std::int32_t>> &labels) const {
    double total = 0;
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const chorale_chain chain = chains[i].view();
      double phi = 0;
      assert_int_equal(chorale_chain_score(&chain, labels[i].data(), &phi, nullptr), CHORALE_OK);
      total += phi;
    }
    for (const auto &clique : cliques) {
      const auto n = clique.members.size() - (clique.centred ? 1 : 0);
      const auto values = chorale_potential_values(clique.potentials[0]);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(clique.values) + 2, 0);
      for (std::size_t i = 0; i < n; ++i)
        ++counts[static_cast<std::size_t>(shown(clique, clique.members[i], labels))];
      int which = 0;
      if (clique.centred) {
        const Member &centre = clique.members.back();
        which = labels[static_cast<std::size_t>(centre.chain)]
                      [static_cast<std::size_t>(centre.position)];
      }
      // EMPTY and CONFLICT left out: a potential over R + 2 values that do not count says the same.
      double c = 0;
      if (n > 0)
        c = evaluate(clique.potentials[static_cast<std::size_t>(which)], counts, values,
                     static_cast<std::int64_t>(n));
      total += c;
    }
    return total;
  }

  template <class Visit> void each_labelling(Visit &&visit) const {
    std::vector<std::vector<std::int32_t>> labels;
    for (const auto &chain : chains)
      labels.emplace_back(static_cast<std::size_t>(chain.length), 0);
    for (;;) {
      visit(labels);
      std::size_t i = 0;
      std::size_t t = 0;
      for (;;) {
        if (i == chains.size())
          return;
        if (t == labels[i].size()) {
          ++i;
          t = 0;
          continue;
        }
        if (++labels[i][t] < chains[i].labels)
          break;
        labels[i][t++] = 0;
      }
    }
  }

  std::mt19937 random;
  std::vector<TestChain> chains;
  std::vector<TestClique> cliques;
  chorale_model *model = nullptr;
  bool exact_families = true;
  bool bounded = true;

private:
  bool simple_;

  double evaluate(const chorale_potential *potential, std::vector<std::int64_t> counts,
                  std::int64_t values, std::int64_t n) const {
    double c = 0;
    const auto R = static_cast<std::int64_t>(counts.size()) - 2;
    if (values == R &&
        counts[static_cast<std::size_t>(R)] + counts[static_cast<std::size_t>(R) + 1] > 0) {
      // By the definition: what is left out adds nothing. Only families that can be written out.
      return left_out(potential, counts, n);
    }
    assert_int_equal(chorale_potential_score(potential, counts.data(), values, n, &c, nullptr),
                     CHORALE_OK);
    return c;
  }
  // Values that do not count, for the potentials made below (Potts, scaled or not; makespan).
  double left_out(const chorale_potential *potential, const std::vector<std::int64_t> &counts,
                  std::int64_t n) const {
    for (const auto &[known, lambda, scaled, kind] : simple)
      if (known == potential) {
        double total = 0;
        std::int64_t counted = 0;
        for (std::size_t v = 0; v + 2 < counts.size(); ++v) {
          const double k = static_cast<double>(counts[v]);
          counted += counts[v];
          total = kind == 0 ? total + lambda * k * k
                            : std::max(v == 0 ? -kInfinity : total, lambda * k);
        }
        return counted == 0 ? 0.0 : scaled ? total / static_cast<double>(n) : total;
      }
    fail();
    return 0;
  }
  struct Simple {
    const chorale_potential *potential;
    double lambda;
    bool scaled;
    int kind;
  };
  std::vector<Simple> simple;

  int shown(const TestClique &clique, const Member &member,
            const std::vector<std::vector<std::int32_t>> &labels) const {
    const auto &of = labels[static_cast<std::size_t>(member.chain)];
    if (clique.whole) {
      chorale_attachment attachment{};
      attachment.struct_size = sizeof attachment;
      const auto &chain = chains[static_cast<std::size_t>(member.chain)];
      attachment.property = clique.property;
      attachment.table = chain.tokens.data();
      std::int32_t value = -1;
      assert_int_equal(chorale_property_shown(&attachment, chain.length, of.data(),
                                              chain.tree ? chain.parents.data() : nullptr, &value,
                                              nullptr, 0, nullptr, nullptr),
                       CHORALE_OK);
      return value;
    }
    const int label = of[static_cast<std::size_t>(member.position)];
    if (clique.map.empty())
      return label;
    const int value = clique.map[static_cast<std::size_t>(label)];
    return value < 0 ? clique.values : value;
  }

  chorale_potential *make_potential(int R, int n, bool restricted) {
    chorale_potential *made = nullptr;
    chorale_potential_options options{};
    options.struct_size = sizeof options;
    if (below(2) == 0)
      options.scale = CHORALE_SCALE_BY_MEMBERS;
    const double lambda = std::uniform_real_distribution<double>(-1.5, 1.5)(random);
    const int kind = restricted ? below(2) : below(6);
    chorale_status status = CHORALE_OK;
    switch (kind) {
    case 0:
      status = chorale_potential_create_potts(nullptr, R, lambda, &options, &made, nullptr);
      exact_families = exact_families && lambda < 0;
      break;
    case 1:
      status = chorale_potential_create_makespan(nullptr, R, lambda, &options, &made, nullptr);
      break;
    case 2: {
      std::vector<double> tables(static_cast<std::size_t>(R * (n + 1)));
      for (auto &entry : tables)
        entry = number();
      status = chorale_potential_create_sum(nullptr, R, tables.data(), R, n + 1, n + 1, &options,
                                            &made, nullptr);
      exact_families = false;
      break;
    }
    case 3: {
      std::vector<double> weights(static_cast<std::size_t>(R * R));
      for (auto &entry : weights)
        entry = number();
      status = chorale_potential_create_majority(nullptr, R, weights.data(), R, nullptr, &options,
                                                 &made, nullptr);
      break;
    }
    case 4: {
      std::vector<double> pairs(static_cast<std::size_t>(R * R));
      for (auto &entry : pairs)
        entry = number() / 2;
      status = chorale_potential_create_pairs(nullptr, R, pairs.data(), R, &options, &made,
                                              nullptr);
      exact_families = false;
      bounded = false;
      break;
    }
    default:
      status = chorale_potential_create_callback(
          nullptr, R,
          [](void *, const std::int64_t *counts, std::int64_t values, std::int64_t, double *score) {
            *score = 0;
            for (std::int64_t v = 0; v < values; ++v)
              *score += std::sin(static_cast<double>(counts[v] * (v + 2)));
            return std::int32_t{0};
          },
          nullptr, nullptr, &options, &made, nullptr);
      exact_families = false;
      bounded = false;
      break;
    }
    assert_int_equal(status, CHORALE_OK);
    if (kind < 2)
      simple.push_back({made, lambda, options.scale != CHORALE_SCALE_NONE, kind});
    return made;
  }

  void make() {
    const int m = 2 + below(2);
    const int count = 1 + below(3);
    double size = 1;
    for (int i = 0; i < count; ++i) {
      TestChain chain;
      chain.labels = m;
      chain.length = 1 + below(count == 1 ? 5 : 3);
      while (size * std::pow(m, chain.length) > 3000 && chain.length > 1)
        --chain.length;
      size *= std::pow(m, chain.length);
      chain.tree = !simple_ && below(4) == 0;
      for (int t = 0; t < chain.length; ++t) {
        chain.parents.push_back(t == 0 ? -1 : below(t + 1) - (below(5) == 0 ? 1 : 0));
        chain.parents.back() = std::min<std::int32_t>(chain.parents.back(), t - 1);
        chain.tokens.push_back(below(3));
        for (int y = 0; y < m; ++y)
          chain.unary.push_back(!simple_ && below(20) == 0 ? -kInfinity : number());
      }
      for (int e = 0; e < m * m; ++e)
        chain.edges.push_back(!simple_ && below(20) == 0 ? -kInfinity : number());
      chains.push_back(chain);
    }
    const int wanted = simple_ ? 1 : 1 + below(3);
    for (int c = 0; c < wanted; ++c)
      make_clique(m);
    build();
  }

  void make_clique(int m) {
    TestClique clique;
    clique.whole = !simple_ && below(2) == 0;
    clique.values = m;
    if (clique.whole) {
      chorale_label_map map{};
      map.struct_size = sizeof map;
      map.labels = map.kinds = m;
      bool trees = false;
      for (const auto &chain : chains)
        trees = trees || chain.tree;
      switch (trees ? below(2) : below(4)) {
      case 0:
        chorale_property_create_position_label(nullptr, &map, below(2), &clique.property, nullptr);
        break;
      case 1:
        chorale_property_create_token_label(nullptr, &map, below(3), &clique.property, nullptr);
        break;
      case 2: {
        std::vector<std::uint8_t> ignored(static_cast<std::size_t>(m), 0);
        ignored[0] = 1;
        chorale_property_create_first_label(nullptr, &map, ignored.data(), &clique.property,
                                            nullptr);
        break;
      }
      default:
        chorale_property_create_token_before(nullptr, &map, 1, nullptr,
                                             CHORALE_SEGMENT_SPANS_IGNORED, 3, 2, &clique.property,
                                             nullptr);
        clique.values = 3;
        break;
      }
      assert_non_null(clique.property);
      for (int i = 0; i < static_cast<int>(chains.size()); ++i)
        if (below(4) != 0)
          clique.members.push_back({i, -1});
      clique.potentials.push_back(
          make_potential(clique.values, static_cast<int>(clique.members.size()), true));
    } else {
      clique.centred = !simple_ && below(4) == 0;
      const bool maps = !simple_ && below(4) == 0;
      if (maps) {
        for (int y = 0; y < m; ++y)
          clique.map.push_back(below(m + 1) - 1);
      }
      for (int i = 0; i < static_cast<int>(chains.size()); ++i)
        for (int t = 0; t < chains[static_cast<std::size_t>(i)].length; ++t)
          if (below(2) == 0 &&
              (!simple_ || clique.members.empty() || clique.members.back().chain != i))
            clique.members.push_back({i, t});
      if (clique.members.size() < 2)
        clique.centred = false;
      const int n = static_cast<int>(clique.members.size());
      for (int k = 0; k < (clique.centred ? m : 1); ++k)
        clique.potentials.push_back(make_potential(m, n, maps));
      if (clique.centred)
        exact_families = false;
    }
    cliques.push_back(clique);
  }

  void build() {
    chorale_error error;
    chorale_model_builder *builder = nullptr;
    assert_int_equal(chorale_model_builder_create(nullptr, &builder, &error), CHORALE_OK);
    for (const auto &chain : chains) {
      const chorale_chain view = chain.view();
      chorale_chain_options options{};
      options.struct_size = sizeof options;
      options.tokens = chain.tokens.data();
      options.borrow = below(2);
      assert_int_equal(chorale_model_builder_add_chain(builder, &view, &options, nullptr, &error),
                       CHORALE_OK);
    }
    for (const auto &clique : cliques) {
      chorale_clique_setup setup{};
      setup.struct_size = sizeof setup;
      setup.property = clique.property;
      setup.values = clique.values;
      if (!clique.map.empty()) {
        setup.label_values = clique.map.data();
        setup.labels = static_cast<std::int64_t>(clique.map.size());
      }
      std::vector<const chorale_potential *> centre(clique.potentials.begin(),
                                                    clique.potentials.end());
      if (clique.centred) {
        setup.centre_potentials = centre.data();
        setup.centre_values = static_cast<std::int64_t>(centre.size());
      } else {
        setup.potential = centre[0];
      }
      std::int64_t index = 0;
      assert_int_equal(chorale_model_builder_add_cliques(builder, &setup, 1, &index, &error),
                       CHORALE_OK);
      for (std::size_t i = 0; i < clique.members.size(); ++i) {
        const Member &member = clique.members[i];
        chorale_status status = CHORALE_OK;
        if (clique.whole)
          status = put_chain(builder, index, member.chain, nullptr, &error);
        else if (clique.centred && i + 1 == clique.members.size())
          status = put_centre(builder, index, member.chain, member.position, &error);
        else
          status = put_position(builder, index, member.chain, member.position, &error);
        if (status != CHORALE_OK)
          print_message("%s\n", error.message);
        assert_int_equal(status, CHORALE_OK);
      }
    }
    assert_int_equal(chorale_model_builder_freeze(builder, &model, &error), CHORALE_OK);
    chorale_model_builder_destroy(builder);
  }
};

struct Answer {
  chorale_run_result result;
  std::vector<std::vector<std::int32_t>> labels, own;
  std::string json;
};

Answer solve(const Problem &problem, const chorale_run_options &options, unsigned seed) {
  Answer answer;
  chorale_error error;
  chorale_run *run = nullptr;
  answer.result = {};
  answer.result.struct_size = sizeof answer.result;
  assert_int_equal(chorale_run_create(nullptr, problem.model, &options, nullptr, &run, &error),
                   CHORALE_OK);
  const chorale_status status = chorale_run_solve(run, &answer.result, &error);
  if (status != CHORALE_OK)
    print_message("seed %u: %s\n", seed, error.message);
  assert_int_equal(status, CHORALE_OK);
  if (answer.result.score > -kInfinity) {
    for (std::size_t i = 0; i < problem.chains.size(); ++i) {
      std::vector<std::int32_t> labels(static_cast<std::size_t>(problem.chains[i].length));
      assert_int_equal(chorale_run_labels(run, static_cast<std::int64_t>(i), CHORALE_TOGETHER,
                                          labels.data(), problem.chains[i].length, NULL, &error),
                       CHORALE_OK);
      answer.labels.push_back(labels);
      assert_int_equal(chorale_run_labels(run, static_cast<std::int64_t>(i), CHORALE_ALONE,
                                          labels.data(), problem.chains[i].length, NULL, &error),
                       CHORALE_OK);
      answer.own.push_back(labels);
    }
    std::size_t needed = 0;
    assert_int_equal(chorale_run_json(run, nullptr, 0, &needed, &error), CHORALE_OK);
    answer.json.resize(needed);
    assert_int_equal(chorale_run_json(run, answer.json.data(), needed, &needed, &error),
                     CHORALE_OK);
  }
  chorale_run_destroy(run);
  return answer;
}

bool near(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b));
}

void runs_agree_with_enumeration(void **) {
  const unsigned count = std::max(rounds(2000), 20u);
  int optimal = 0, own_optimal = 0, feasible = 0, proven = 0, bounded = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    Problem problem(seed);
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.bound_steps = seed % 4 == 0 ? 60 : 0;
    options.damping = seed % 5 == 0 ? 0.5 : 0;
    options.joint_mode = seed % 7 == 0    ? CHORALE_JOINT_LOCAL_SCORES
                         : seed % 11 == 0 ? CHORALE_JOINT_BEAM
                                          : CHORALE_JOINT_AUTO;
    options.beam_width = seed % 2 == 0 ? 1 : 4;
    options.restrict_range = seed % 6 == 0;
    options.message_element = seed % 13 == 0 ? CHORALE_MESSAGES_MAGNITUDE16 : CHORALE_MESSAGES_FLOAT64;
    const Answer answer = solve(problem, options, seed);
    const auto &result = answer.result;
    if (result.left_out > 0) // test_left_out compares these
      continue;
    double best = -kInfinity;
    problem.each_labelling(
        [&](const auto &labels) { best = std::max(best, problem.score(labels)); });
    if (best == -kInfinity) {
      if (result.score != -kInfinity)
        print_message("seed %u\n", seed);
      assert_true(result.score == -kInfinity);
      continue;
    }
    if (result.score == -kInfinity)
      continue;
    ++feasible;
    const double score = problem.score(answer.labels);
    const double own = problem.score(answer.own);
    if (!near(result.score, score) || !near(result.own_score, own) || result.score < own - 1e-9 ||
        result.score > best + 1e-9 ||
        result.upper_bound < best - 1e-9 * std::max(1.0, std::fabs(best)) ||
        result.score < result.rounds_score || result.score < result.local_search_own_score)
      print_message("seed %u: score %.17g (%.17g) own %.17g (%.17g) best %.17g bound %.17g\n", seed,
                    result.score, score, result.own_score, own, best, result.upper_bound);
    assert_true(near(result.score, score));
    assert_true(near(result.own_score, own));
    assert_true(result.score >= own - 1e-9);
    assert_true(result.score >= result.rounds_score);
    assert_true(result.local_search_score >= result.rounds_score);
    assert_true(result.local_search_own_score >= result.own_score);
    assert_true(result.upper_bound >= best - 1e-9 * std::max(1.0, std::fabs(best)));
    if (result.proven)
      assert_true(near(result.score, best));
    optimal += near(result.score, best);
    own_optimal += near(own, best);
    bounded += result.upper_bound < kInfinity;
    proven += result.proven;
  }
  print_message("%d feasible; optimal %d, chains' own %d; bounded %d, proven %d\n", feasible,
                optimal, own_optimal, bounded, proven);
}

// One clique, one member a chain, exact families: message passing is exact.
void acyclic_models_are_solved(void **) {
  int checked = 0;
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    Problem problem(seed, true);
    if (!problem.exact_families)
      continue;
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.no_local_search = 1;
    options.rounds = 2;
    const Answer answer = solve(problem, options, seed);
    double best = -kInfinity;
    problem.each_labelling(
        [&](const auto &labels) { best = std::max(best, problem.score(labels)); });
    if (!near(answer.result.score, best))
      print_message("seed %u: %.17g, best %.17g\n", seed, answer.result.score, best);
    assert_true(near(answer.result.score, best));
    ++checked;
  }
  print_message("%d acyclic models\n", checked);
}

void threads_give_the_same_bits(void **) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Problem problem(seed);
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.bound_steps = 10;
    const Answer one = solve(problem, options, seed);
    for (const std::int64_t threads : {2, 4, 8}) {
      options.threads = threads;
      const Answer many = solve(problem, options, seed);
      assert_memory_equal(&one.result, &many.result, sizeof one.result);
      assert_string_equal(one.json.c_str(), many.json.c_str());
    }
  }
}

extern "C" std::int32_t note_score(void *user, const chorale_progress *progress) {
  auto &scores = *static_cast<std::vector<double> *>(user);
  if (progress->round >= static_cast<std::int64_t>(scores.size()))
    scores.push_back(progress->score);
  return 0;
}

// A solve goes through all rounds unless messages converge or labellings alternate, which four
// rounds have to show.
void rounds_end_where_they_alternate(void **) {
  int ended = 0;
  int went_on = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Problem problem(seed);
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.rounds = 30;
    std::vector<double> scores;
    options.progress = note_score;
    options.progress_user = &scores;
    chorale_run *run = nullptr;
    chorale_error error;
    assert_int_equal(chorale_run_create(nullptr, problem.model, &options, nullptr, &run, &error),
                     CHORALE_OK);
    chorale_run_result result{};
    result.struct_size = sizeof result;
    chorale_run_solve(run, &result, &error);
    const std::size_t last = scores.size() - 1;
    if (result.outcome == CHORALE_OUTCOME_ITERATION_LIMIT && result.rounds < 30) {
      ++ended;
      if (result.rounds < 4 || scores[last] != scores[last - 2] ||
          scores[last - 1] != scores[last - 3] || scores[last] == scores[last - 1])
        fail_msg("seed %u ends after round %d", seed, static_cast<int>(result.rounds));
      if (result.score < std::max(scores[last], scores[last - 1]))
        fail_msg("seed %u keeps the worse of two labellings", seed);
      // Steps until nothing changes end after the same rounds.
      chorale_run *stepped = nullptr;
      chorale_run_result step{};
      step.struct_size = sizeof step;
      assert_int_equal(
          chorale_run_create(nullptr, problem.model, nullptr, nullptr, &stepped, &error),
          CHORALE_OK);
      int steps = 0;
      do
        chorale_run_step(stepped, &step, &error);
      while (++steps < 100 && (step.rounds == 0 || step.messages_changed > 0));
      assert_true(steps <= result.rounds + 2);
      assert_int_equal(step.rounds, result.rounds);
      assert_true(step.rounds_score == result.rounds_score);
      chorale_run_destroy(stepped);
      // Another solve goes on, and ends likewise.
      const std::int64_t before = result.rounds;
      chorale_run_solve(run, &result, &error);
      assert_true(result.rounds > before);
    } else if (result.outcome == CHORALE_OUTCOME_ITERATION_LIMIT) {
      ++went_on;
    }
    chorale_run_destroy(run);
  }
  print_message("%d ended, %d went on\n", ended, went_on);
  assert_true(ended > 0);
}

void an_earlier_run_leaves_nothing_to_do(void **) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Problem problem(seed);
    chorale_error error;
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.rounds = 50;
    chorale_run *first = nullptr;
    chorale_run *second = nullptr;
    chorale_run_result a, b;
    a = {};
    a.struct_size = sizeof a;
    b = {};
    b.struct_size = sizeof b;
    assert_int_equal(chorale_run_create(nullptr, problem.model, &options, nullptr, &first, &error),
                     CHORALE_OK);
    assert_int_equal(chorale_run_solve(first, &a, &error), CHORALE_OK);
    assert_int_equal(chorale_run_create(nullptr, problem.model, &options, first, &second, &error),
                     CHORALE_OK);
    chorale_run_destroy(first);
    assert_int_equal(chorale_run_solve(second, &b, &error), CHORALE_OK);
    if (a.outcome == CHORALE_OUTCOME_COMPLETE) {
      assert_true(a.score == b.score);
      assert_int_equal(b.chain_updates, 0);
      assert_int_equal(b.clique_updates, 0);
    }
    assert_true(b.score >= a.score);
    // A changed chain, judged by enumeration.
    if (b.score > -kInfinity) {
      TestChain &chain = problem.chains[0];
      for (auto &score : chain.unary)
        score = problem.number();
      chain.edges = chain.edges;
      TestChain copy = chain;
      const chorale_chain view = copy.view();
      assert_int_equal(chorale_run_set_chain(second, 0, &view, &error), CHORALE_OK);
      assert_int_equal(chorale_run_solve(second, &b, &error), CHORALE_OK);
      double best = -kInfinity;
      problem.each_labelling(
          [&](const auto &labels) { best = std::max(best, problem.score(labels)); });
      assert_true(b.left_out > 0 || b.score <= best + 1e-9);
      assert_true(b.score >= b.own_score);
    }
    chorale_run_destroy(second);
  }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(runs_agree_with_enumeration),
      cmocka_unit_test(acyclic_models_are_solved),
      cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(rounds_end_where_they_alternate),
      cmocka_unit_test(an_earlier_run_leaves_nothing_to_do),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
