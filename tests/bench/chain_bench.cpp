// Figures of chains: Viterbi beside a plain one in this file, and what property-aware messages
// cost.
//
//     chain_bench [--quick]
//
// Chains of 20 to 60 positions are walked in turn, over 9, 20 and 60 labels; properties have 20.
// Times are the processor's, medians over rounds, and ratios are of times within one run.
#include <chorale/experimental.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

constexpr int kLabels = 20;

struct Chain {
  int length = 0;
  std::vector<double> unary;
  std::vector<int> plain_labelling;
  std::vector<std::int32_t> labelling;
  std::vector<std::int32_t> tokens;
};

std::uint64_t state = 1;
double unit() {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Every allocation up front: what is timed is the two nested loops anybody would write, over the
// transitions as they come or over their transpose. The faster one is the yardstick.
class PlainViterbi {
public:
  PlainViterbi(int labels, const std::vector<double> &transitions)
      : labels_(labels), matrix_(transitions), transposed_(transitions.size()),
        best_(60 * std::size_t(labels)), back_(60 * std::size_t(labels)) {
    for (int x = 0; x < labels; ++x)
      for (int y = 0; y < labels; ++y)
        transposed_[std::size_t(y * labels + x)] = transitions[std::size_t(x * labels + y)];
  }
  double run(Chain &chain) {
    const double *matrix = matrix_.data();
    const int m = labels_;
    return run_over(chain, [matrix, m](int x, int y) { return matrix[x * m + y]; });
  }
  double run_transposed(Chain &chain) {
    const double *transposed = transposed_.data();
    const int m = labels_;
    return run_over(chain, [transposed, m](int x, int y) { return transposed[y * m + x]; });
  }

private:
  template <class Edge> double run_over(Chain &chain, Edge &&edge) {
    const int T = chain.length;
    const int m = labels_;
    const double *unary = chain.unary.data();
    double *best = best_.data();
    int *back = back_.data();
    for (int y = 0; y < m; ++y)
      best[y] = unary[y];
    for (int t = 1; t < T; ++t) {
      const double *before = best + (t - 1) * m;
      for (int y = 0; y < m; ++y) {
        double most = before[0] + edge(0, y);
        int from = 0;
        for (int x = 1; x < m; ++x) {
          const double score = before[x] + edge(x, y);
          if (score > most) {
            most = score;
            from = x;
          }
        }
        best[t * m + y] = most + unary[t * m + y];
        back[t * m + y] = from;
      }
    }
    const double *last = best + (T - 1) * m;
    int y = int(std::max_element(last, last + m) - last);
    const double score = last[y];
    for (int t = T - 1; t >= 0; --t) {
      chain.plain_labelling[std::size_t(t)] = y;
      y = back[t * m + y];
    }
    return score;
  }

  int labels_;
  std::vector<double> matrix_;
  std::vector<double> transposed_;
  std::vector<double> best_;
  std::vector<int> back_;
};

void check(chorale_status status, const chorale_error &error) {
  if (status == CHORALE_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", chorale_status_name(status), error.message);
  std::exit(1);
}

template <class Body> double seconds(Body &&body) {
  const auto begin = std::clock();
  body();
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void figure(const char *name, double value, const char *unit_name) {
  std::printf("%s\t%.6g\t%s\n", name, value, unit_name);
}

// Random chains over one matrix of transitions.
class Corpus {
public:
  Corpus(int labels_wanted, std::size_t count) : labels(labels_wanted), chains(count) {
    transitions.resize(std::size_t(labels * labels));
    for (double &score : transitions)
      score = 2 * unit() - 1;
    for (Chain &chain : chains) {
      chain.length = 20 + int(unit() * 41);
      chain.unary.resize(std::size_t(chain.length * labels));
      for (double &score : chain.unary)
        score = 4 * unit();
      chain.plain_labelling.resize(std::size_t(chain.length));
      chain.labelling.resize(std::size_t(chain.length));
      for (int t = 0; t < chain.length; ++t)
        chain.tokens.push_back(std::int32_t(unit() * 50));
      tokens += chain.length;
    }
    chorale_error error;
    check(chorale_transitions_create(nullptr, labels, transitions.data(), nullptr, &shared, &error),
          error);
  }
  Corpus(const Corpus &) = delete;
  Corpus &operator=(const Corpus &) = delete;
  ~Corpus() { chorale_transitions_release(shared); }

  chorale_chain given(const Chain &chain) const {
    chorale_chain view{};
    view.struct_size = sizeof view;
    view.length = chain.length;
    view.labels = labels;
    view.unary = chain.unary.data();
    view.transitions = shared;
    return view;
  }

  int labels;
  std::vector<double> transitions;
  std::vector<Chain> chains;
  double tokens = 0;
  chorale_transitions *shared = nullptr;
};

// `prefix` comes before the names of figures.
void compare_viterbi(Corpus &corpus, chorale_chain_solver *solver, int rounds, const char *prefix) {
  PlainViterbi plain(corpus.labels, corpus.transitions);
  std::vector<double> ours, theirs, transposed;
  chorale_error error;
  for (int round = 0; round < rounds; ++round) {
    double our_score = 0;
    double their_score = 0;
    ours.push_back(seconds([&] {
      for (Chain &chain : corpus.chains) {
        const chorale_chain view = corpus.given(chain);
        chorale_chain_result result{};
        result.struct_size = sizeof result;
        check(chorale_chain_solve(solver, &view, chain.labelling.data(), &result, &error), error);
        our_score += result.score;
      }
    }));
    theirs.push_back(seconds([&] {
      for (Chain &chain : corpus.chains)
        their_score += plain.run(chain);
    }));
    transposed.push_back(seconds([&] {
      for (Chain &chain : corpus.chains)
        their_score += plain.run_transposed(chain);
    }));
    if (std::fabs(2 * our_score - their_score) > 1e-9 * their_score) {
      std::fprintf(stderr, "scores differ: %.17g and %.17g\n", our_score, their_score / 2);
      std::exit(1);
    }
    for (const Chain &chain : corpus.chains)
      for (int t = 0; t < chain.length; ++t)
        if (chain.labelling[std::size_t(t)] != chain.plain_labelling[std::size_t(t)]) {
          std::fprintf(stderr, "labellings differ\n");
          std::exit(1);
        }
  }
  char name[64];
  std::snprintf(name, sizeof name, "chain.%sviterbi_ns_per_token", prefix);
  figure(name, 1e9 * median(ours) / corpus.tokens, "ns");
  std::snprintf(name, sizeof name, "chain.%sspeedup_vs_plain_cpp", prefix);
  figure(name, std::min(median(theirs), median(transposed)) / median(ours), "ratio");
}

} // namespace

int main(int count, char **arguments) {
  const bool quick = count > 1 && std::strcmp(arguments[1], "--quick") == 0;
  const int chains_wanted = quick ? 50 : 1000;
  const int rounds = quick ? 3 : 15;
  chorale_error error;

  chorale_chain_solver *solver = nullptr;
  check(chorale_chain_solver_create(nullptr, &solver, &error), error);
  {
    Corpus few(9, std::size_t(chains_wanted));
    compare_viterbi(few, solver, rounds, "m9.");
    Corpus many(60, std::size_t(chains_wanted / 5));
    compare_viterbi(many, solver, rounds, "m60.");
  }
  Corpus corpus(kLabels, std::size_t(chains_wanted));
  compare_viterbi(corpus, solver, rounds, "");
  std::vector<Chain> &chains = corpus.chains;

  // Label 0 is ignored, 1 the anchor.
  chorale_label_map map{};
  map.struct_size = sizeof map;
  map.labels = map.kinds = kLabels;
  std::uint8_t ignored[kLabels] = {1};
  chorale_property *properties[4] = {};
  check(chorale_property_create_next_label(nullptr, &map, 1, ignored, CHORALE_SEGMENT_SPANS_IGNORED,
                                           kLabels, &properties[0], &error),
        error);
  check(chorale_property_create_first_label(nullptr, &map, ignored, &properties[1], &error), error);
  check(chorale_property_create_token_before(nullptr, &map, 1, ignored,
                                             CHORALE_SEGMENT_SPANS_IGNORED, 51, 50, &properties[2],
                                             &error),
        error);
  check(chorale_property_create_next_label(nullptr, &map, 2, ignored, CHORALE_SEGMENT_SPANS_IGNORED,
                                           kLabels, &properties[3], &error),
        error);
  std::vector<std::vector<double>> incoming(4);
  std::vector<std::vector<double>> outgoing(4);
  double *to[4];
  for (std::size_t p = 0; p < 4; ++p) {
    const auto size = std::size_t(chorale_property_values(properties[p])) + 2;
    for (std::size_t v = 0; v < size; ++v)
      incoming[p].push_back(v + 2 < size ? unit() : 0);
    outgoing[p].resize(size);
    to[p] = outgoing[p].data();
  }
  const auto attach = [&](const Chain &chain, chorale_attachment *attachments) {
    for (std::size_t p = 0; p < 4; ++p) {
      attachments[p] = {};
      attachments[p].struct_size = sizeof attachments[p];
      attachments[p].property = properties[p];
      attachments[p].table = chain.tokens.data();
      attachments[p].message = incoming[p].data();
    }
  };

  std::vector<double> marginals, message, messages, decode, automatic, local;
  std::vector<double> table(60 * kLabels);
  for (int round = 0; round < rounds; ++round) {
    marginals.push_back(seconds([&] {
      for (Chain &chain : chains) {
        const chorale_chain view = corpus.given(chain);
        check(chorale_chain_max_marginals(solver, &view, table.data(), 0, nullptr, nullptr, nullptr,
                                          nullptr, &error),
              error);
      }
    }));
    const auto timed = [&](std::vector<double> &times, std::int64_t attached, bool decodes,
                           chorale_joint_mode mode) {
      chorale_run_options options{};
      options.struct_size = sizeof options;
      options.joint_mode = mode;
      const std::size_t used = attached > 1 ? (quick ? 5 : 50) : chains.size();
      times.push_back(seconds([&] {
                        for (std::size_t i = 0; i < used; ++i) {
                          const chorale_chain view = corpus.given(chains[i]);
                          chorale_attachment attachments[4];
                          attach(chains[i], attachments);
                          if (decodes)
                            check(chorale_chain_decode(solver, &view, attachments, attached,
                                                       &options, chains[i].labelling.data(),
                                                       nullptr, nullptr, &error),
                                  error);
                          else
                            check(chorale_chain_messages(solver, &view, attachments, attached,
                                                         &options, to, nullptr, &error),
                                  error);
                        }
                      }) /
                      double(used));
    };
    timed(message, 1, false, CHORALE_JOINT_AUTO);
    timed(messages, 4, false, CHORALE_JOINT_BEAM);
    timed(automatic, 4, true, CHORALE_JOINT_AUTO);
    timed(decode, 4, true, CHORALE_JOINT_BEAM);
    timed(local, 4, true, CHORALE_JOINT_LOCAL_SCORES);
  }

  figure("chain.max_marginals_ns_per_token", 1e9 * median(marginals) / corpus.tokens, "ns");
  figure("chain.property_message_overhead",
         median(message) / (median(marginals) / double(chains.size())), "ratio");
  figure("chain.messages_4_properties_beam300_us", 1e6 * median(messages), "us");
  figure("chain.decode_4_properties_auto_us", 1e6 * median(automatic), "us");
  figure("chain.decode_4_properties_beam300_us", 1e6 * median(decode), "us");
  figure("chain.decode_4_properties_local_scores_us", 1e6 * median(local), "us");

  for (chorale_property *property : properties)
    chorale_property_release(property);
  chorale_chain_solver_destroy(solver);
}
