// Figures of shapes other than many short chains.
//
//     shape_bench [--quick]
//
// One document as one chain: T positions over 3 labels, words drawn from 1000, a clique over every
// word that occurs twice. Times are the processor's, medians over instances.
#include <chorale/chorale.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int kLabels = 3;
constexpr int kWords = 1000;

std::uint64_t state = 1;
double unit() {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

void check(chorale_status status, const chorale_error &error) {
  if (status == CHORALE_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", chorale_status_name(status), error.message);
  std::exit(1);
}

template <class Body> double seconds(Body &&body) {
  const std::clock_t begin = std::clock();
  body();
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void figure(const std::string &name, double value, const char *unit_name) {
  std::printf("%s\t%.6g\t%s\n", name.c_str(), value, unit_name);
}

// The rounds and the polish of one document.
struct Times {
  double rounds;
  double polish;
};

Times one_chain(int length) {
  chorale_error error;
  std::vector<double> edges(kLabels * kLabels);
  for (double &score : edges)
    score = 2 * unit() - 1;
  std::vector<double> unary(std::size_t(length) * kLabels);
  for (double &score : unary)
    score = 4 * unit();
  std::vector<std::int32_t> tokens(length);
  for (std::int32_t &token : tokens)
    token = std::int32_t(unit() * kWords);
  chorale_potential_options scaled;
  chorale_potential_options_init(&scaled, sizeof scaled);
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = nullptr;
  check(chorale_potential_create_potts(nullptr, kLabels, 1, &scaled, &potts, &error), error);
  chorale_model_builder *builder = nullptr;
  check(chorale_model_builder_create(nullptr, &builder, &error), error);
  chorale_chain chain;
  chorale_chain_init(&chain, sizeof chain);
  chain.length = length;
  chain.labels = kLabels;
  chain.unary = unary.data();
  chain.edges = edges.data();
  chain.edge_matrices = 1;
  chorale_chain_options options;
  chorale_chain_options_init(&options, sizeof options);
  options.borrow = 1;
  options.tokens = tokens.data();
  check(chorale_model_builder_add_chain(builder, &chain, &options, nullptr, &error), error);
  check(chorale_model_builder_add_repeated_words(builder, potts, nullptr, nullptr, nullptr, &error),
        error);
  chorale_model *model = nullptr;
  check(chorale_model_builder_freeze(builder, &model, &error), error);
  chorale_run_options run_options;
  chorale_run_options_init(&run_options, sizeof run_options);
  run_options.polish = 0;
  chorale_run *run = nullptr;
  check(chorale_run_create(nullptr, model, &run_options, nullptr, &run, &error), error);
  Times times{};
  times.rounds = seconds([&] { check(chorale_run_solve(run, nullptr, &error), error); });
  times.polish = seconds([&] { check(chorale_run_polish(run, nullptr, &error), error); });
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potts);
  return times;
}

} // namespace

int main(int count, char **arguments) {
  const bool quick = count > 1 && std::strcmp(arguments[1], "--quick") == 0;
  for (const int length : {1000, 10000, 100000}) {
    const int instances = quick ? 1 : std::max(5, 200000 / length);
    std::vector<double> rounds;
    std::vector<double> ratios;
    for (int i = 0; i < instances; ++i) {
      const Times times = one_chain(length);
      rounds.push_back(times.rounds);
      ratios.push_back(times.polish / times.rounds);
    }
    const std::string name = "polish.one_chain_over_rounds.t" + std::to_string(length);
    figure(name, median(ratios), "ratio");
    figure(name + ".rounds_s", median(rounds), "s");
  }
}
