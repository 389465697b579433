// Figures of shapes other than many short chains.
//
//     shape_bench [--quick]
//
// One document as one chain: T positions over 3 labels, words drawn from 1000, a clique over every
// word that occurs twice. Trees beside chains: documents of 24 sentences of 20 words drawn from 100,
// 9 labels, two cliques a document, over the word that has label 1 and over the word that has label
// 2; the same scores once as chains and once as trees, in which the parent of a word is one of the
// three words before. Times are the processor's, medians over instances.
#include "../fixture_members.h"

#include <chorale/experimental.h>

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
  chorale_potential_options scaled{};
  scaled.struct_size = sizeof scaled;
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = nullptr;
  check(chorale_potential_create_potts(nullptr, kLabels, 1, &scaled, &potts, &error), error);
  chorale_model_builder *builder = nullptr;
  check(chorale_model_builder_create(nullptr, &builder, &error), error);
  chorale_chain chain{};
  chain.struct_size = sizeof chain;
  chain.length = length;
  chain.labels = kLabels;
  chain.unary = unary.data();
  chain.edges = edges.data();
  chain.edge_matrices = 1;
  chorale_chain_options options{};
  options.struct_size = sizeof options;
  options.borrow = 1;
  options.tokens = tokens.data();
  check(chorale_model_builder_add_chain(builder, &chain, &options, nullptr, &error), error);
  check(put_words(builder, potts, nullptr, nullptr, nullptr, &error), error);
  chorale_model *model = nullptr;
  check(chorale_model_builder_freeze(builder, &model, &error), error);
  chorale_run_options run_options{};
  run_options.struct_size = sizeof run_options;
  run_options.no_local_search = 1;
  chorale_run *run = nullptr;
  check(chorale_run_create(nullptr, model, &run_options, nullptr, &run, &error), error);
  Times times{};
  times.rounds = seconds([&] { check(chorale_run_solve(run, nullptr, &error), error); });
  times.polish = seconds([&] { check(chorale_run_local_search(run, nullptr, &error), error); });
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potts);
  return times;
}

// Documents under two local properties.
class Documents {
public:
  Documents() : edges_(kManyLabels * kManyLabels) {
    for (double &score : edges_)
      score = 2 * unit() - 1;
    for (int k = 0; k < kDocuments * kSentences * kLength * kManyLabels; ++k)
      unary_.push_back(4 * unit());
    for (int k = 0; k < kDocuments * kSentences * kLength; ++k) {
      const int at = k % kLength;
      tokens_.push_back(std::int32_t(unit() * 100));
      parents_.push_back(at - 1 - std::int32_t(unit() * std::min(at, 3)));
    }
    chorale_error error;
    chorale_potential_options scaled{};
    scaled.struct_size = sizeof scaled;
    scaled.scale = CHORALE_SCALE_BY_MEMBERS;
    check(chorale_potential_create_potts(nullptr, kManyLabels, 1, &scaled, &potts_, &error), error);
    chorale_label_map map{};
    map.struct_size = sizeof map;
    map.labels = map.kinds = kManyLabels;
    for (int which : {0, 1})
      check(chorale_property_create_token_label(nullptr, &map, 1 + which, &properties_[which],
                                                &error),
            error);
  }
  Documents(const Documents &) = delete;
  ~Documents() {
    for (chorale_property *property : properties_)
      chorale_property_release(property);
    chorale_potential_release(potts_);
  }

  // Returns the seconds of a run by default options, without its creation.
  double label(bool as_trees) const {
    chorale_error error;
    chorale_model_builder *builder = nullptr;
    check(chorale_model_builder_create(nullptr, &builder, &error), error);
    for (int i = 0; i < kDocuments * kSentences; ++i) {
      chorale_chain chain{};
      chain.struct_size = sizeof chain;
      chain.length = kLength;
      chain.labels = kManyLabels;
      chain.unary = unary_.data() + std::ptrdiff_t{i} * kLength * kManyLabels;
      chain.edges = edges_.data();
      chain.edge_matrices = 1;
      chain.parents = as_trees ? parents_.data() + i * kLength : nullptr;
      chorale_chain_options options{};
      options.struct_size = sizeof options;
      options.borrow = 1;
      options.tokens = tokens_.data() + i * kLength;
      check(chorale_model_builder_add_chain(builder, &chain, &options, nullptr, &error), error);
    }
    for (int c = 0; c < 2 * kDocuments; ++c) {
      chorale_clique_setup setup{};
      setup.struct_size = sizeof setup;
      setup.property = properties_[c % 2];
      setup.potential = potts_;
      check(chorale_model_builder_add_cliques(builder, &setup, 1, nullptr, &error), error);
      for (int i = 0; i < kSentences; ++i)
        check(put_chain(builder, c, c / 2 * kSentences + i, nullptr, &error),
              error);
    }
    chorale_model *model = nullptr;
    check(chorale_model_builder_freeze(builder, &model, &error), error);
    chorale_run *run = nullptr;
    check(chorale_run_create(nullptr, model, nullptr, nullptr, &run, &error), error);
    const double taken =
        seconds([&] { check(chorale_run_solve(run, nullptr, &error), error); });
    chorale_run_destroy(run);
    chorale_model_release(model);
    chorale_model_builder_destroy(builder);
    return taken;
  }

private:
  static constexpr int kDocuments = 40;
  static constexpr int kSentences = 24;
  static constexpr int kLength = 20;
  static constexpr int kManyLabels = 9;

  std::vector<double> edges_;
  std::vector<double> unary_;
  std::vector<std::int32_t> tokens_;
  std::vector<std::int32_t> parents_;
  chorale_potential *potts_ = nullptr;
  chorale_property *properties_[2] = {};
};

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
  std::vector<double> chains;
  std::vector<double> ratios;
  for (int i = 0; i < (quick ? 1 : 9); ++i) {
    const Documents documents;
    chains.push_back(documents.label(false));
    ratios.push_back(documents.label(true) / chains.back());
  }
  figure("properties.trees_over_chains", median(ratios), "ratio");
  figure("properties.local_chains_s", median(chains), "s");
}
