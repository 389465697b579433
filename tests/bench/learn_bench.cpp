// Figures of learning: how many default runs over the same data it takes.
//
//     learn_bench [FILE...]
//
// Of a made-up corpus: 400 documents of 10 sentences of 12 words over 6 labels; the r-th commonest
// of 3000 words is drawn with probability about 1/r, and each word of a document has a label of its
// own, which nine of ten places show. And of problem files with gold labels. All of it on one
// thread: folds, screening, the control and the gate; the taggers are not part of it.
#include <chorale/experimental.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int kDocuments = 400;
constexpr int kSentences = 10;
constexpr int kLength = 12;
constexpr int kLabels = 6;
constexpr int kWords = 3000;

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

double now() { return double(std::clock()) / double(CLOCKS_PER_SEC); }

chorale_problem *made_up() {
  constexpr int kChains = kDocuments * kSentences;
  std::vector<std::int64_t> offsets(kChains + 1);
  std::vector<std::int64_t> groups(kChains);
  std::vector<std::int32_t> tokens, gold;
  std::vector<double> scores;
  for (int chain = 0; chain < kChains; ++chain) {
    const int document = chain / kSentences;
    groups[std::size_t(chain)] = document;
    for (int t = 0; t < kLength; ++t) {
      const int word = int(std::pow(double(kWords), unit())) - 1;
      tokens.push_back(word);
      const int usual = (word * 7 + document * 13) % kLabels;
      gold.push_back(unit() < 0.9 ? usual : int(unit() * kLabels));
      for (int label = 0; label < kLabels; ++label)
        scores.push_back(4 * unit() + (label == gold.back() ? 1.5 : 0));
    }
    offsets[std::size_t(chain) + 1] = std::int64_t(tokens.size());
  }
  chorale_corpus corpus{};
  corpus.struct_size = sizeof corpus;
  corpus.chains = kChains;
  corpus.labels = kLabels;
  corpus.offsets = offsets.data();
  corpus.unary = scores.data();
  corpus.tokens = tokens.data();
  corpus.groups = groups.data();
  chorale_agreement words{};
  words.struct_size = sizeof words;
  chorale_error error;
  chorale_problem *problem = nullptr;
  check(chorale_problem_create_agreeing(nullptr, &corpus, &words, 1, gold.data(), &problem, &error),
        error);
  return problem;
}

void measure(const char *name, const chorale_problem *problem) {
  chorale_error error;
  chorale_learnt *learnt = nullptr;
  chorale_learn_options options{};
  options.struct_size = sizeof options;
  double begin = now();
  check(chorale_learn(nullptr, &problem, 1, &options, &learnt, &error), error);
  const double all = now() - begin;
  chorale_learnt_report report{};
  report.struct_size = sizeof report;
  check(chorale_learnt_get_report(learnt, &report, &error), error);
  chorale_model *model = nullptr;
  check(chorale_learnt_apply(nullptr, learnt, problem, &model, &error), error);
  std::vector<double> runs;
  for (int turn = 0; turn < 3; ++turn) {
    chorale_run *run = nullptr;
    chorale_run_result result{};
    result.struct_size = sizeof result;
    begin = now();
    check(chorale_run_create(nullptr, model, nullptr, nullptr, &run, &error), error);
    check(chorale_run_solve(run, &result, &error), error);
    runs.push_back(now() - begin);
    chorale_run_destroy(run);
  }
  std::sort(runs.begin(), runs.end());
  std::printf("learn.%s.s\t%.6g\ts\n", name, all);
  std::printf("learn.%s.runs\t%lld\truns\n", name, (long long)report.runs);
  std::printf("learn.%s.all_over_run\t%.6g\tratio\n", name, all / runs[1]);
  chorale_model_release(model);
  chorale_learnt_destroy(learnt);
}

} // namespace

int main(int count, char **arguments) {
  chorale_problem *words = made_up();
  measure("words", words);
  chorale_problem_destroy(words);
  for (int k = 1; k < count; ++k) {
    chorale_error error;
    chorale_problem *problem = nullptr;
    check(chorale_problem_load(nullptr, arguments[k], &problem, &error), error);
    std::string name = arguments[k];
    name = name.substr(name.find_last_of('/') + 1);
    measure(name.substr(0, name.find('.')).c_str(), problem);
    chorale_problem_destroy(problem);
  }
}
