// How time grows with each size, one line a point: table<TAB>size<TAB>milliseconds, of the
// processor's time, so that other processes matter less.
//
//     growth_bench [--quick]
//
// Every table varies one size and keeps the others; growth.py knows their titles and draws them.
#include "../fixture_members.h"
#include "instances.hpp"

#include <chorale/experimental.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace bench {
namespace {

void check(chorale_status status, const chorale_error &error) {
  if (status == CHORALE_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", chorale_status_name(status), error.message);
  std::exit(1);
}

double milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

std::vector<double> random_numbers(Random &random, std::size_t count, double high) {
  std::vector<double> numbers(count);
  for (double &number : numbers)
    number = high * random.unit();
  return numbers;
}

class Growth {
public:
  explicit Growth(bool quick) : quick_(quick) {}

  void run() {
    for (std::int64_t n = 100; n <= (quick_ ? 1000 : 1000000); n *= 10)
      clique(n, 24, "members", n, n <= 100000);
    for (const std::int64_t R : {2, 5, 10, 20, 50, 100, 200, 500})
      if (!quick_ || R <= 10)
        clique(1000, R, "values", R, R <= 100);
    for (std::int64_t T = 100; T <= (quick_ ? 1000 : 1000000); T *= 10)
      chain(T, 20, "length", T);
    for (const std::int64_t m : {2, 5, 10, 20, 50, 100, 200, 500})
      if (!quick_ || m <= 10)
        chain(1000, m, "labels", m);
    for (const std::size_t chains : {250, 1000, 4000, 16000, 64000})
      if (!quick_ || chains <= 1000)
        model(chains, {3}, "cliques");
    model(quick_ ? 500 : 4000, {1, 2, 4, 8, 16, 32}, "rounds");
  }

private:
  // The least of at least three times, of more while they are short.
  template <class Body>
  void time(const char *what, const char *size_name, std::int64_t size, Body &&body) {
    double least = INFINITY;
    double spent = 0;
    for (int turn = 0; turn < (quick_ ? 1 : 3) || (!quick_ && spent < 100 && turn < 50); ++turn) {
      const double begin = milliseconds();
      body();
      const double took = milliseconds() - begin;
      least = std::min(least, took);
      spent += took;
    }
    std::printf("%s.%s\t%lld\t%.6g\n", what, size_name, static_cast<long long>(size), least);
    std::fflush(stdout);
  }

  // A contended Potts clique.
  void clique(std::int64_t n, std::int64_t R, const char *size_name, std::int64_t size,
              bool with_marginals) {
    Random random(1);
    const std::vector<double> scores = random_numbers(random, std::size_t(n * R), 2);
    chorale_error error;
    chorale_potential_options scaled{};
    scaled.struct_size = sizeof scaled;
    scaled.scale = CHORALE_SCALE_BY_MEMBERS;
    chorale_potential *potts = nullptr;
    check(chorale_potential_create_potts(nullptr, R, 0.9, &scaled, &potts, &error), error);
    chorale_clique_solver *solver = nullptr;
    check(chorale_clique_solver_create(nullptr, &solver, &error), error);
    chorale_clique_problem problem{};
    problem.struct_size = sizeof problem;
    problem.members = n;
    problem.values = R;
    problem.scores = scores.data();
    problem.row_stride = R;
    std::vector<std::int32_t> assignment(static_cast<std::size_t>(n));
    time("clique", size_name, size, [&] {
      check(chorale_clique_solve(solver, potts, &problem, nullptr, assignment.data(), nullptr,
                                 &error),
            error);
    });
    if (with_marginals) {
      std::vector<double> marginals(scores.size());
      time("marginals", size_name, size, [&] {
        check(chorale_clique_max_marginals(solver, potts, &problem, nullptr, marginals.data(), R,
                                           assignment.data(), nullptr, &error),
              error);
      });
    }
    chorale_clique_solver_destroy(solver);
    chorale_potential_release(potts);
  }

  static chorale_transitions *transitions(Random &random, std::int64_t m) {
    const std::vector<double> scores = random_numbers(random, std::size_t(m * m), 2);
    chorale_error error;
    chorale_transitions *made = nullptr;
    check(chorale_transitions_create(nullptr, m, scores.data(), nullptr, &made, &error), error);
    return made;
  }

  void chain(std::int64_t T, std::int64_t m, const char *size_name, std::int64_t size) {
    Random random(1);
    const std::vector<double> unary = random_numbers(random, std::size_t(T * m), 4);
    chorale_error error;
    chorale_chain chain{};
    chain.struct_size = sizeof chain;
    chain.length = T;
    chain.labels = m;
    chain.unary = unary.data();
    chorale_transitions *shared = transitions(random, m);
    chain.transitions = shared;
    chorale_chain_solver *solver = nullptr;
    check(chorale_chain_solver_create(nullptr, &solver, &error), error);
    std::vector<std::int32_t> labels(static_cast<std::size_t>(T));
    time("chain", size_name, size, [&] {
      check(chorale_chain_solve(solver, &chain, labels.data(), nullptr, &error), error);
    });
    chorale_chain_solver_destroy(solver);
    chorale_transitions_release(shared);
  }

  // Sentences of 20 tokens over 10 labels in documents of 25, a clique over every token that a
  // document repeats; words as in collective_bench.
  void model(std::size_t chains, const std::vector<std::int64_t> &rounds, const char *size_name) {
    constexpr std::int64_t labels = 10;
    constexpr std::size_t length = 20;
    constexpr double words = 20000;
    Random random(1);
    chorale_error error;
    const std::vector<double> unary = random_numbers(random, chains * length * labels, 4);
    std::vector<std::int32_t> tokens(chains * length);
    for (std::int32_t &token : tokens)
      token = std::int32_t(std::exp(random.unit() * std::log(words))) - 1;
    std::vector<std::int32_t> stop;
    for (std::int32_t word = 0; word < 50; ++word)
      stop.push_back(word);
    chorale_transitions *shared = transitions(random, labels);
    chorale_potential_options scaled{};
    scaled.struct_size = sizeof scaled;
    scaled.scale = CHORALE_SCALE_BY_MEMBERS;
    chorale_potential *potts = nullptr;
    check(chorale_potential_create_potts(nullptr, labels, 0.9, &scaled, &potts, &error), error);
    chorale_model_builder *builder = nullptr;
    check(chorale_model_builder_create(nullptr, &builder, &error), error);
    for (std::size_t i = 0; i < chains; ++i) {
      chorale_chain chain{};
      chain.struct_size = sizeof chain;
      chain.length = length;
      chain.labels = labels;
      chain.unary = unary.data() + i * length * labels;
      chain.transitions = shared;
      chorale_chain_options options{};
      options.struct_size = sizeof options;
      options.borrow = 1;
      options.group = std::int64_t(i / 25);
      options.tokens = tokens.data() + i * length;
      check(chorale_model_builder_add_chain(builder, &chain, &options, nullptr, &error), error);
    }
    chorale_agreement repeated{};
    repeated.struct_size = sizeof repeated;
    repeated.stop = stop.data();
    repeated.stop_count = std::int64_t(stop.size());
    check(put_words(builder, potts, &repeated, nullptr, nullptr, &error), error);
    chorale_model *model = nullptr;
    check(chorale_model_builder_freeze(builder, &model, &error), error);
    chorale_model_builder_destroy(builder);
    for (const std::int64_t limit : rounds) {
      chorale_run_options options{};
      options.struct_size = sizeof options;
      options.rounds = limit;
      chorale_run *run = nullptr;
      check(chorale_run_create(nullptr, model, &options, nullptr, &run, &error), error);
      time("run", size_name, rounds.size() > 1 ? limit : chorale_model_clique_count(model), [&] {
        chorale_run_reset(run);
        check(chorale_run_solve(run, nullptr, &error), error);
      });
      chorale_run_destroy(run);
    }
    chorale_model_release(model);
    chorale_potential_release(potts);
    chorale_transitions_release(shared);
  }

  bool quick_;
};

} // namespace
} // namespace bench

int main(int count, char **arguments) {
  bench::Growth(count > 1 && std::strcmp(arguments[1], "--quick") == 0).run();
}
