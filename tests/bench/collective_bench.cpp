// Figures of collective inference: what a round, a second thread and memory cost.
//
//     collective_bench [--quick]
//
// The classical model of repeated words: half a million sentences of 20 tokens over 10 labels in
// documents of 25, a clique over every token that a document repeats. Tokens are drawn as words
// are, the r-th commonest with probability about 1/r, and the 50 commonest are stop words.
#include "../fixture_held.h"
#include "../fixture_members.h"

#include <chorale/experimental.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <set>
#include <vector>

namespace {

constexpr int kLabels = 10;
constexpr int kLength = 20;
constexpr int kDocument = 25;
constexpr int kWords = 20000;
constexpr int kStopWords = 50;

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
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Processor time, which other programs on the machine do not lengthen.
double processor_seconds(const std::function<void()> &body) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  const double begin = now();
  body();
  return now() - begin;
}

double quantile(std::vector<double> times, double part) {
  const auto at = std::ptrdiff_t(part * double(times.size() - 1));
  std::nth_element(times.begin(), times.begin() + at, times.end());
  return times[std::size_t(at)];
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void figure(const char *name, double value, const char *unit_name) {
  std::printf("%s\t%.6g\t%s\n", name, value, unit_name);
}

struct Bytes {
  std::size_t now = 0;
  std::size_t most = 0;
};

void *counted_allocate(void *user, std::size_t bytes, std::size_t alignment) {
  auto &held = *static_cast<Bytes *>(user);
  held.now += bytes;
  held.most = std::max(held.most, held.now);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void counted_deallocate(void *user, void *memory, std::size_t bytes, std::size_t) {
  static_cast<Bytes *>(user)->now -= bytes;
  std::free(memory);
}

// The token before a segment, one of a million, in 100 chains of 20 positions that have 300 of them:
// building, running and solving, over the same with a dictionary of those 300.
double solve_range(bool with_dictionary) {
  constexpr std::int64_t kRange = 1000000;
  constexpr int kChains = 100;
  constexpr int kKinds = 5;
  constexpr int kTokens = 300;
  state = 7;
  chorale_error error;
  std::vector<double> unary(std::size_t(kChains) * kLength * kKinds), edges(kKinds * kKinds);
  for (double &score : unary)
    score = 4 * unit();
  for (double &score : edges)
    score = 2 * unit();
  std::vector<std::int32_t> tokens(std::size_t(kChains) * kLength);
  for (std::int32_t &token : tokens)
    token = std::int32_t(unit() * kTokens) * std::int32_t(kRange / kTokens);
  chorale_label_map map{};
  map.struct_size = sizeof map;
  map.labels = map.kinds = kKinds;
  chorale_property *property = nullptr;
  check(chorale_property_create_token_before(nullptr, &map, 0, nullptr,
                                             CHORALE_SEGMENT_SPANS_IGNORED, kRange, -1, &property,
                                             &error),
        error);
  chorale_dictionary *dictionary = nullptr;
  std::int64_t values = kRange;
  if (with_dictionary) {
    const std::set<std::int32_t> known(tokens.begin(), tokens.end());
    values = std::int64_t(known.size());
    check(chorale_dictionary_create(nullptr, tokens.data(), std::int64_t(tokens.size()),
                                    CHORALE_UNLISTED_FORBIDDEN, &dictionary, &error),
          error);
  }
  chorale_potential *potts = nullptr;
  check(chorale_potential_create_potts(nullptr, values, 0.09, nullptr, &potts, &error), error);
  const double time = seconds([&] {
    chorale_model_builder *builder = nullptr;
    check(chorale_model_builder_create(nullptr, &builder, &error), error);
    for (std::size_t i = 0; i < kChains; ++i) {
      chorale_chain chain{};
      chain.struct_size = sizeof chain;
      chain.length = kLength;
      chain.labels = kKinds;
      chain.unary = unary.data() + i * kLength * kKinds;
      chain.edges = edges.data();
      chain.edge_matrices = 1;
      chorale_chain_options options{};
      options.struct_size = sizeof options;
      options.tokens = tokens.data() + i * kLength;
      check(chorale_model_builder_add_chain(builder, &chain, &options, nullptr, &error), error);
    }
    chorale_clique_setup setup{};
    setup.struct_size = sizeof setup;
    setup.property = property;
    setup.dictionary = dictionary;
    setup.potential = potts;
    check(chorale_model_builder_add_cliques(builder, &setup, 1, nullptr, &error), error);
    for (std::int64_t i = 0; i < kChains; ++i)
      check(put_chain(builder, 0, i, nullptr, &error), error);
    chorale_model *model = nullptr;
    check(chorale_model_builder_freeze(builder, &model, &error), error);
    chorale_model_builder_destroy(builder);
    chorale_run *run = nullptr;
    check(chorale_run_create(nullptr, model, nullptr, nullptr, &run, &error), error);
    check(chorale_run_solve(run, nullptr, &error), error);
    chorale_run_destroy(run);
    chorale_model_release(model);
  });
  chorale_potential_release(potts);
  chorale_dictionary_release(dictionary);
  chorale_property_release(property);
  return time;
}

chorale_chain chain_of(const double *rows, const chorale_transitions *transitions) {
  chorale_chain chain{};
  chain.struct_size = sizeof chain;
  chain.length = kLength;
  chain.labels = kLabels;
  chain.unary = rows;
  chain.transitions = transitions;
  return chain;
}

// A builder with all chains, in documents, and the cliques of repeated words.
chorale_model_builder *begin_corpus(const chorale_host *host, std::size_t chains,
                                    const std::vector<double> &unary,
                                    const chorale_transitions *transitions,
                                    const std::vector<std::int32_t> &tokens,
                                    const std::vector<std::int32_t> &stop,
                                    const chorale_potential *potts) {
  chorale_error error;
  chorale_model_builder *builder = nullptr;
  check(chorale_model_builder_create(host, &builder, &error), error);
  for (std::size_t i = 0; i < chains; ++i) {
    const chorale_chain chain = chain_of(unary.data() + i * kLength * kLabels, transitions);
    chorale_chain_options options{};
    options.struct_size = sizeof options;
    options.borrow = 1;
    options.group = std::int64_t(i / kDocument);
    options.tokens = tokens.data() + i * kLength;
    check(chorale_model_builder_add_chain(builder, &chain, &options, nullptr, &error), error);
  }
  chorale_agreement words{};
  words.struct_size = sizeof words;
  words.stop = stop.data();
  words.stop_count = std::int64_t(stop.size());
  check(put_words(builder, potts, &words, nullptr, nullptr, &error), error);
  return builder;
}

// The problem of main(), with one more clique: over every occurrence of a word in a hundred tokens.
// Edits one chain after the other, by a forced label or by other scores, and lifts the edit again.
struct EditedCorpus {
  static constexpr std::int32_t kEverywhere = 9;

  EditedCorpus(std::size_t chains, const std::vector<double> &of, const chorale_transitions *shared,
               const std::vector<std::int32_t> &tokens, const std::vector<std::int32_t> &stop,
               const chorale_potential *potts)
      : unary(of), transitions(shared) {
    chorale_error error;
    chorale_model_builder *builder =
        begin_corpus(nullptr, chains, unary, transitions, tokens, stop, potts);
    chorale_clique_setup setup{};
    setup.struct_size = sizeof setup;
    setup.values = kLabels;
    setup.potential = potts;
    std::int64_t clique = 0;
    check(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error), error);
    for (std::size_t p = 0; p < chains * kLength; ++p)
      if (tokens[p] == kEverywhere)
        check(put_position(builder, clique, std::int64_t(p / kLength), std::int64_t(p % kLength), &error),
              error);
    check(chorale_model_builder_freeze(builder, &model, &error), error);
    chorale_model_builder_destroy(builder);
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.edits = 1;
    check(chorale_run_create(nullptr, model, &options, nullptr, &run, &error), error);
    check(chorale_run_create(nullptr, model, &options, nullptr, &fresh, &error), error);
    result = {};
    result.struct_size = sizeof result;
    solve(run);
  }
  ~EditedCorpus() {
    chorale_run_destroy(run);
    chorale_run_destroy(fresh);
    chorale_model_release(model);
  }
  EditedCorpus(const EditedCorpus &) = delete;
  EditedCorpus &operator=(const EditedCorpus &) = delete;

  chorale_chain given(const double *rows) const { return chain_of(rows, transitions); }
  double solve(chorale_run *of) {
    chorale_error error;
    check(chorale_run_solve(of, &result, &error), error);
    return result.score;
  }
  // Draws the next edit: another label for a position.
  void draw() {
    chorale_error error;
    chain = std::int64_t(unit() * double(chorale_model_chain_count(model)));
    place = std::int64_t(unit() * kLength);
    forces = unit() < 0.5;
    check(chorale_run_labels(run, chain, CHORALE_TOGETHER, before, kLength, nullptr, &error),
          error);
    label = (before[place] + 1 + std::int32_t(unit() * (kLabels - 1))) % kLabels;
    std::copy_n(unary.data() + chain * kLength * kLabels, kLength * kLabels, scores);
    if (!forces)
      scores[place * kLabels + label] += 4;
  }
  void edit(chorale_run *of) {
    chorale_error error;
    if (forces) {
      std::uint8_t allowed[kLabels] = {};
      allowed[label] = 1;
      check(chorale_run_set_allowed(of, chain, place, allowed, &error), error);
    } else {
      const chorale_chain other = given(scores);
      check(chorale_run_set_chain(of, chain, &other, &error), error);
    }
  }
  void lift(chorale_run *of) {
    chorale_error error;
    const chorale_chain as_before = given(unary.data() + chain * kLength * kLabels);
    if (forces)
      check(chorale_run_set_allowed(of, chain, place, nullptr, &error), error);
    else
      check(chorale_run_set_chain(of, chain, &as_before, &error), error);
  }

  void measure_time(int edits) {
    std::vector<double> times;
    for (int e = 0; e < edits; ++e) {
      draw();
      times.push_back(processor_seconds([&] { edit(run), solve(run); }));
      times.push_back(processor_seconds([&] { lift(run), solve(run); }));
    }
    figure("collective.edit_p50_us", 1e6 * quantile(times, 0.5), "us");
    figure("collective.edit_p99_us", 1e6 * quantile(times, 0.99), "us");
  }
  // Gains over the labelling before, in which a position whose label is forced takes this label.
  void measure_gains(int edits) {
    int enough = 0;
    int below = 0;
    double gain = 0;
    double gain_of_fresh = 0;
    std::vector<std::int32_t> labels(std::size_t(chorale_model_chain_count(model)) * kLength);
    for (int e = 0; e < edits; ++e) {
      chorale_error error;
      draw();
      check(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels.data(),
                               std::int64_t(labels.size()), nullptr, &error),
            error);
      if (forces)
        labels[std::size_t(chain * kLength + place)] = label;
      double base = 0;
      check(chorale_model_score(nullptr, model, labels.data(), std::int64_t(labels.size()), &base,
                                nullptr, nullptr, &error),
            error);
      if (!forces && before[place] == label)
        base += 4;
      edit(run);
      const double edited = solve(run);
      chorale_run_reset(fresh);
      edit(fresh);
      const double of_fresh = solve(fresh);
      below += edited < base - 1e-9 ? 1 : 0;
      enough += edited - base >= 0.99 * (of_fresh - base) - 1e-9 ? 1 : 0;
      gain += edited - base;
      gain_of_fresh += of_fresh - base;
      lift(run);
      solve(run);
    }
    figure("collective.edits_with_99_percent_of_the_gain", double(enough) / edits, "ratio");
    figure("collective.edit_gain_over_fresh_run", gain / gain_of_fresh, "ratio");
    figure("collective.edits_below_the_labelling_before", below, "edits");
  }

  const std::vector<double> &unary;
  const chorale_transitions *transitions;
  chorale_model *model = nullptr;
  chorale_run *run = nullptr;
  chorale_run *fresh = nullptr;
  chorale_run_result result;
  // The edit drawn last.
  std::int64_t chain = 0;
  std::int64_t place = 0;
  std::int32_t label = 0;
  bool forces = false;
  std::int32_t before[kLength];
  double scores[kLength * kLabels];
};

} // namespace

int main(int count, char **arguments) {
  const bool quick = count > 1 && std::strcmp(arguments[1], "--quick") == 0;
  const std::size_t chains = quick ? 5000 : 500000;
  const int rounds = quick ? 3 : 5;
  chorale_error error;

  std::vector<double> transitions(kLabels * kLabels);
  for (double &score : transitions)
    score = 2 * unit() - 1;
  std::vector<double> unary(chains * kLength * kLabels);
  for (double &score : unary)
    score = 4 * unit();
  std::vector<std::int32_t> tokens(chains * kLength);
  for (std::int32_t &token : tokens)
    token = std::int32_t(std::exp(unit() * std::log(double(kWords)))) - 1;
  std::vector<std::int32_t> stop;
  for (std::int32_t word = 0; word < kStopWords; ++word)
    stop.push_back(word);

  chorale_transitions *shared = nullptr;
  check(chorale_transitions_create(nullptr, kLabels, transitions.data(), nullptr, &shared, &error),
        error);
  chorale_potential_options scaled{};
  scaled.struct_size = sizeof scaled;
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = nullptr;
  check(chorale_potential_create_potts(nullptr, kLabels, 0.9, &scaled, &potts, &error), error);

  Bytes held;
  const chorale_allocator counting = {&held, counted_allocate, counted_deallocate};
  chorale_host host{};
  host.struct_size = sizeof host;
  host.allocator = &counting;
  const auto given = [&](std::size_t i) {
    return chain_of(unary.data() + i * kLength * kLabels, shared);
  };
  chorale_model_builder *builder =
      begin_corpus(&host, chains, unary, shared, tokens, stop, potts);
  chorale_model *model = nullptr;
  check(chorale_model_builder_freeze(builder, &model, &error), error);
  chorale_model_builder_destroy(builder);
  const double scores = double(cost_of_model(model).score_bytes);

  // Plain decoding of the same chains, round by round with the messages.
  chorale_chain_solver *solver = nullptr;
  check(chorale_chain_solver_create(nullptr, &solver, &error), error);
  std::vector<double> plain, round;
  std::int32_t labels[kLength];
  chorale_run_options options{};
  options.struct_size = sizeof options;
  chorale_run *run = nullptr;
  check(chorale_run_create(&host, model, &options, nullptr, &run, &error), error);
  const double bytes = double(held.now) + scores; // borrowed
  check(chorale_run_step(run, nullptr, &error), error);
  for (int r = 0; r < rounds; ++r) {
    plain.push_back(seconds([&] {
      for (std::size_t i = 0; i < chains; ++i) {
        const chorale_chain chain = given(i);
        check(chorale_chain_solve(solver, &chain, labels, nullptr, &error), error);
      }
    }));
    // The first round: every message is new.
    chorale_run_reset(run);
    check(chorale_run_step(run, nullptr, &error), error);
    round.push_back(seconds([&] { check(chorale_run_step(run, nullptr, &error), error); }));
  }
  figure("collective.chains", double(chains), "chains");
  figure("collective.members", double(all_member_count(model)), "members");
  figure("collective.decode_all_ms", 1e3 * median(plain), "ms");
  figure("collective.round_ms", 1e3 * median(round), "ms");
  figure("collective.large_round_over_viterbi", median(round) / median(plain), "ratio");

  // To the end, with polish, on one thread and on two.
  std::vector<double> one, two;
  options.rounds = 3;
  chorale_run_destroy(run);
  double score = 0;
  for (int r = 0; r < (quick ? 1 : 3); ++r)
    for (const std::int64_t threads : {1, 2}) {
      options.threads = threads;
      check(chorale_run_create(nullptr, model, &options, nullptr, &run, &error), error);
      chorale_run_result result{};
      result.struct_size = sizeof result;
      (threads == 1 ? one : two).push_back(seconds([&] {
        check(chorale_run_solve(run, &result, &error), error);
      }));
      if (score != 0 && score != result.score) {
        std::fprintf(stderr, "scores differ: %.17g and %.17g\n", score, result.score);
        return 1;
      }
      score = result.score;
      chorale_run_destroy(run);
    }
  figure("collective.solve_ms", 1e3 * median(one), "ms");
  figure("collective.thread_speedup_2", median(one) / median(two), "ratio");
  figure("collective.bytes_over_scores", bytes / scores, "ratio");

  {
    EditedCorpus all(chains, unary, shared, tokens, stop, potts);
    all.measure_time(quick ? 100 : 1000);
  }
  {
    EditedCorpus part(5000, unary, shared, tokens, stop, potts);
    part.measure_gains(quick ? 20 : 300);
  }

  std::vector<double> million, few;
  for (int r = 0; r < (quick ? 3 : 25); ++r) {
    million.push_back(solve_range(false));
    few.push_back(solve_range(true));
  }
  figure("range.million_ms", 1e3 * median(million), "ms");
  figure("range.million_over_dictionary", median(million) / median(few), "ratio");

  chorale_chain_solver_destroy(solver);
  chorale_model_release(model);
  chorale_potential_release(potts);
  chorale_transitions_release(shared);
}
