// Figures of chains: Viterbi beside a plain one in this file, and what property-aware messages
// cost.
//
//     chain_bench [--quick]
//
// Chains of 20 to 60 positions over 20 labels are walked in turn; times are medians over rounds,
// and ratios are of times within one run.
#include <chorale/chorale.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// Every allocation up front: what is timed is the two nested loops anybody would write.
class PlainViterbi {
public:
  double run(Chain &chain, const std::vector<double> &transitions) {
    const int T = chain.length;
    best_.resize(std::size_t(T) * kLabels);
    back_.resize(std::size_t(T) * kLabels);
    for (int y = 0; y < kLabels; ++y)
      best_[std::size_t(y)] = chain.unary[std::size_t(y)];
    for (int t = 1; t < T; ++t)
      for (int y = 0; y < kLabels; ++y) {
        double best = -1e300;
        int from = 0;
        for (int x = 0; x < kLabels; ++x) {
          const double score =
              best_[std::size_t((t - 1) * kLabels + x)] + transitions[std::size_t(x * kLabels + y)];
          if (score > best) {
            best = score;
            from = x;
          }
        }
        best_[std::size_t(t * kLabels + y)] = best + chain.unary[std::size_t(t * kLabels + y)];
        back_[std::size_t(t * kLabels + y)] = from;
      }
    const auto last = best_.begin() + (T - 1) * kLabels;
    int y = int(std::max_element(last, last + kLabels) - last);
    const double score = last[y];
    for (int t = T - 1; t >= 0; --t) {
      chain.plain_labelling[std::size_t(t)] = y;
      y = back_[std::size_t(t * kLabels + y)];
    }
    return score;
  }

private:
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
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void figure(const char *name, double value, const char *unit_name) {
  std::printf("%s\t%.6g\t%s\n", name, value, unit_name);
}

} // namespace

int main(int count, char **arguments) {
  const bool quick = count > 1 && std::strcmp(arguments[1], "--quick") == 0;
  const int chains_wanted = quick ? 50 : 1000;
  const int rounds = quick ? 3 : 15;
  chorale_error error;

  std::vector<double> transitions(kLabels * kLabels);
  for (double &score : transitions)
    score = 2 * unit() - 1;
  std::vector<Chain> chains(static_cast<std::size_t>(chains_wanted));
  double tokens = 0;
  for (Chain &chain : chains) {
    chain.length = 20 + int(unit() * 41);
    chain.unary.resize(std::size_t(chain.length * kLabels));
    for (double &score : chain.unary)
      score = 4 * unit();
    chain.plain_labelling.resize(std::size_t(chain.length));
    chain.labelling.resize(std::size_t(chain.length));
    for (int t = 0; t < chain.length; ++t)
      chain.tokens.push_back(std::int32_t(unit() * 50));
    tokens += chain.length;
  }

  chorale_transitions *shared = nullptr;
  check(chorale_transitions_create(nullptr, kLabels, transitions.data(), nullptr, &shared, &error),
        error);
  chorale_chain_solver *solver = nullptr;
  check(chorale_chain_solver_create(nullptr, &solver, &error), error);
  const auto given = [&](const Chain &chain) {
    chorale_chain view;
    chorale_chain_init(&view, sizeof view);
    view.length = chain.length;
    view.labels = kLabels;
    view.unary = chain.unary.data();
    view.transitions = shared;
    return view;
  };

  // Label 0 is ignored, 1 the anchor.
  chorale_label_map map;
  chorale_label_map_init(&map, sizeof map);
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
      chorale_attachment_init(&attachments[p], sizeof attachments[p]);
      attachments[p].property = properties[p];
      attachments[p].table = chain.tokens.data();
      attachments[p].message = incoming[p].data();
    }
  };

  PlainViterbi plain;
  std::vector<double> ours, theirs, marginals, message, messages, decode, automatic, absorb;
  std::vector<double> table(60 * kLabels);
  for (int round = 0; round < rounds; ++round) {
    double our_score = 0;
    double their_score = 0;
    ours.push_back(seconds([&] {
      for (Chain &chain : chains) {
        const chorale_chain view = given(chain);
        chorale_chain_result result;
        chorale_chain_result_init(&result, sizeof result);
        check(chorale_chain_best(solver, &view, chain.labelling.data(), &result, &error), error);
        our_score += result.score;
      }
    }));
    theirs.push_back(seconds([&] {
      for (Chain &chain : chains)
        their_score += plain.run(chain, transitions);
    }));
    if (our_score != their_score) {
      std::fprintf(stderr, "scores differ: %.17g and %.17g\n", our_score, their_score);
      return 1;
    }
    marginals.push_back(seconds([&] {
      for (Chain &chain : chains) {
        const chorale_chain view = given(chain);
        check(chorale_chain_max_marginals(solver, &view, table.data(), 0, nullptr, nullptr, nullptr,
                                          nullptr, &error),
              error);
      }
    }));
    const auto timed = [&](std::vector<double> &times, std::int64_t attached, bool decodes,
                           chorale_joint_mode mode) {
      chorale_message_options options;
      chorale_message_options_init(&options, sizeof options);
      options.mode = mode;
      const std::size_t used = attached > 1 ? (quick ? 5 : 50) : chains.size();
      times.push_back(seconds([&] {
                        for (std::size_t i = 0; i < used; ++i) {
                          const chorale_chain view = given(chains[i]);
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
    timed(absorb, 4, true, CHORALE_JOINT_ABSORPTION);
  }

  figure("chain.viterbi_ns_per_token", 1e9 * median(ours) / tokens, "ns");
  figure("chain.speedup_vs_plain_cpp", median(theirs) / median(ours), "ratio");
  figure("chain.max_marginals_ns_per_token", 1e9 * median(marginals) / tokens, "ns");
  figure("chain.property_message_overhead",
         median(message) / (median(marginals) / double(chains.size())), "ratio");
  figure("chain.messages_4_properties_beam300_us", 1e6 * median(messages), "us");
  figure("chain.decode_4_properties_auto_us", 1e6 * median(automatic), "us");
  figure("chain.decode_4_properties_beam300_us", 1e6 * median(decode), "us");
  figure("chain.decode_4_properties_absorption_us", 1e6 * median(absorb), "us");

  for (chorale_property *property : properties)
    chorale_property_release(property);
  chorale_chain_solver_destroy(solver);
  chorale_transitions_release(shared);
}
