// Times whole runs over the scores of a corpus that another program has tagged.
//
//     tagged_bench FILE [TURNS]
//
// FILE, as crfsuite.py writes it: int32 chains, labels, positions, stop words; then of each chain
// its length, and its document; of each position its token; the stop words; doubles: labels x
// labels transitions, rows "from", and positions x labels scores. The classical model of repeated
// words, within documents and across them, by the options' defaults. Prints the processor's time in
// milliseconds, the median of the turns, and what the run has found; and what a round takes over
// decoding every chain by itself, in turn: the first one, where every message is new.
#include "../fixture_held.h"
#include "../fixture_members.h"

#include <chorale/experimental.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

void check(chorale_status status, const chorale_error &error) {
  if (status == CHORALE_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", chorale_status_name(status), error.message);
  std::exit(1);
}

template <class Number> std::vector<Number> read(std::FILE *file, std::size_t count) {
  std::vector<Number> numbers(count);
  if (std::fread(numbers.data(), sizeof(Number), count, file) != count) {
    std::fprintf(stderr, "the file is too short\n");
    std::exit(1);
  }
  return numbers;
}

template <class Body> double milliseconds(Body &&body) {
  const std::clock_t begin = std::clock();
  body();
  return 1e3 * double(std::clock() - begin) / double(CLOCKS_PER_SEC);
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

} // namespace

int main(int count, char **arguments) {
  std::FILE *file = count > 1 ? std::fopen(arguments[1], "rb") : nullptr;
  if (!file) {
    std::fprintf(stderr, "usage: tagged_bench FILE [TURNS]\n");
    return 2;
  }
  const int turns = count > 2 ? std::atoi(arguments[2]) : 5;
  const auto sizes = read<std::int32_t>(file, 4);
  const auto chains = std::size_t(sizes[0]);
  const std::int64_t labels = sizes[1];
  const auto positions = std::size_t(sizes[2]);
  const auto lengths = read<std::int32_t>(file, chains);
  const auto documents = read<std::int32_t>(file, chains);
  const auto tokens = read<std::int32_t>(file, positions);
  const auto stop = read<std::int32_t>(file, std::size_t(sizes[3]));
  const auto matrix = read<double>(file, std::size_t(labels * labels));
  const auto scores = read<double>(file, positions * std::size_t(labels));
  std::fclose(file);

  chorale_error error;
  chorale_transitions *transitions = nullptr;
  check(chorale_transitions_create(nullptr, labels, matrix.data(), nullptr, &transitions, &error),
        error);
  chorale_potential_options scaled{};
  scaled.struct_size = sizeof scaled;
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = nullptr;
  check(chorale_potential_create_potts(nullptr, labels, 1, &scaled, &potts, &error), error);
  std::vector<chorale_chain> given(chains);
  std::int32_t longest = 0;
  for (std::size_t i = 0, at = 0; i < chains; ++i) {
    given[i] = {};
    given[i].struct_size = sizeof given[i];
    given[i].length = lengths[i];
    given[i].labels = labels;
    given[i].unary = scores.data() + at * std::size_t(labels);
    given[i].transitions = transitions;
    longest = std::max(longest, lengths[i]);
    at += std::size_t(lengths[i]);
  }
  chorale_chain_solver *solver = nullptr;
  check(chorale_chain_solver_create(nullptr, &solver, &error), error);
  std::vector<std::int32_t> labelling(static_cast<std::size_t>(longest));
  for (const bool across : {false, true}) {
    chorale_model_builder *builder = nullptr;
    check(chorale_model_builder_create(nullptr, &builder, &error), error);
    std::size_t at = 0;
    for (std::size_t i = 0; i < chains; ++i) {
      chorale_chain_options options{};
      options.struct_size = sizeof options;
      options.borrow = 1;
      options.group = documents[i];
      options.tokens = tokens.data() + at;
      check(chorale_model_builder_add_chain(builder, &given[i], &options, nullptr, &error), error);
      at += std::size_t(lengths[i]);
    }
    chorale_agreement words{};
    words.struct_size = sizeof words;
    words.across = across ? 1 : 0;
    words.stop = stop.data();
    words.stop_count = std::int64_t(stop.size());
    check(put_words(builder, potts, &words, nullptr, nullptr, &error), error);
    chorale_model *model = nullptr;
    check(chorale_model_builder_freeze(builder, &model, &error), error);
    chorale_model_builder_destroy(builder);
    std::vector<double> times;
    chorale_run_result result;
    for (int turn = 0; turn < turns; ++turn) {
      chorale_run *run = nullptr;
      times.push_back(milliseconds([&] {
        check(chorale_run_create(nullptr, model, nullptr, nullptr, &run, &error), error);
        result = {};
        result.struct_size = sizeof result;
        check(chorale_run_solve(run, &result, &error), error);
      }));
      chorale_run_destroy(run);
    }
    std::vector<double> alone;
    std::vector<double> round;
    chorale_run *run = nullptr;
    check(chorale_run_create(nullptr, model, nullptr, nullptr, &run, &error), error);
    for (int turn = 0; turn < 10 * turns; ++turn) {
      alone.push_back(milliseconds([&] {
        for (const chorale_chain &chain : given)
          check(chorale_chain_solve(solver, &chain, labelling.data(), nullptr, &error), error);
      }));
      chorale_run_reset(run);
      check(chorale_run_step(run, nullptr, &error), error);
      round.push_back(milliseconds([&] { check(chorale_run_step(run, nullptr, &error), error); }));
    }
    chorale_run_destroy(run);
    const char *name = across ? "across" : "within";
    std::printf("%s.ms\t%.6g\n", name, median(times));
    std::printf("%s.decode_all_ms\t%.6g\n%s.round_ms\t%.6g\n", name, median(alone), name,
                median(round));
    std::printf("%s.own_score\t%.17g\n%s.score\t%.17g\n", name, result.own_score, name,
                result.score);
    std::printf("%s.rounds\t%lld\n%s.chain_updates\t%lld\n", name, (long long)result.rounds, name,
                (long long)result.chain_updates);
    std::printf("%s.members\t%lld\n", name, (long long)all_member_count(model));
    chorale_model_release(model);
  }
  chorale_chain_solver_destroy(solver);
  chorale_potential_release(potts);
  chorale_transitions_release(transitions);
}
