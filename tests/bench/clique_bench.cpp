// Prints one line a figure, name<TAB>value<TAB>unit. Instances are walked in turn, since repeating
// one teaches it to the branch predictor; times are medians over all instances and rounds, of the
// processor's time, so that other processes matter less.
//
//     clique_bench [--quick] [--seed N] [--fresh] [FOLDER]
//
// FOLDER: shared instances, if there are any. Fresh instances are drawn by seed N, by default the
// day as YYYYMMDD, which is printed; --fresh prints their figures alone.
#include "plain_count_boxes.hpp"
#include "plain_majority.hpp"

#include <chorale/experimental.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

namespace bench {
namespace {

double milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

double median(std::vector<double> numbers) {
  if (numbers.empty())
    return NAN;
  const auto middle = numbers.begin() + std::ptrdiff_t(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

void print(const char *name, double value, const char *unit) {
  std::printf("%s\t%.6g\t%s\n", name, value, unit);
  std::fflush(stdout);
}

void check(chorale_status status, const chorale_error &error) {
  if (status == CHORALE_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", chorale_status_name(status), error.message);
  std::exit(1);
}

// An instance as the library takes it; scores stay in units of 1e-6, in which they are whole.
class Clique {
public:
  explicit Clique(const Instance &instance)
      : scores_(instance.psi.begin(), instance.psi.end()),
        assignment_(std::size_t(instance.members)), marginals_(instance.psi.size()) {
    chorale_error error;
    const std::int64_t R = instance.values;
    if (instance.weights.empty()) {
      check(chorale_potential_create_potts(nullptr, R, double(instance.coefficient), nullptr,
                                           &potential_, &error),
            error);
    } else {
      const std::vector<double> weights(instance.weights.begin(), instance.weights.end());
      check(chorale_potential_create_majority(nullptr, R, weights.data(), R, nullptr, nullptr,
                                              &potential_, &error),
            error);
    }
    problem_ = {};
    problem_.struct_size = sizeof problem_;
    problem_.members = instance.members;
    problem_.values = R;
    problem_.scores = scores_.data();
    problem_.row_stride = R;
  }
  Clique(Clique &&other) noexcept
      : scores_(std::move(other.scores_)), assignment_(std::move(other.assignment_)),
        marginals_(std::move(other.marginals_)), problem_(other.problem_),
        potential_(std::exchange(other.potential_, nullptr)) {}
  Clique &operator=(Clique &&) = delete;
  ~Clique() { chorale_potential_release(potential_); }

  chorale_clique_result solve(chorale_clique_solver *solver,
                              const chorale_clique_options &options) {
    chorale_clique_result result{};
    result.struct_size = sizeof result;
    chorale_error error;
    check(chorale_clique_solve(solver, potential_, &problem_, &options, assignment_.data(), &result,
                               &error),
          error);
    return result;
  }

  void find_marginals(chorale_clique_solver *solver) {
    chorale_error error;
    check(chorale_clique_max_marginals(solver, potential_, &problem_, nullptr, marginals_.data(),
                                       problem_.values, assignment_.data(), nullptr, &error),
          error);
  }

  const std::vector<double> &scores() const { return scores_; }
  const std::vector<double> &marginals() const { return marginals_; }

private:
  std::vector<double> scores_;
  std::vector<std::int32_t> assignment_;
  std::vector<double> marginals_;
  chorale_clique_problem problem_{};
  chorale_potential *potential_ = nullptr;
};

class Bench {
public:
  Bench(bool quick, std::string folder, std::uint64_t seed)
      : quick_(quick), folder_(std::move(folder)), seed_(seed) {
    chorale_error error;
    check(chorale_clique_solver_create(nullptr, &solver_, &error), error);
  }
  ~Bench() { chorale_clique_solver_destroy(solver_); }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  void run() {
    potts_hundred();
    potts_fresh();
    resolves();
    potts_large(1000, 11);
    potts_large(10000, 5);
    scale();
    majority(false);
    majority(true);
    exact_potts();
    if (!quick_)
      exact_potts_large();
    print("majority.n100.proven", double(majority_proven_), "instances");
    print("majority.n100.instances", double(majority_instances_), "instances");
  }

  // How good AUTO is on instances that nobody can have tuned to, each against its proven optimum.
  void potts_fresh() {
    double ratios = 0;
    double worst = 1;
    int optimal = 0;
    int instances = 0;
    for (std::uint64_t k = 0; k < (quick_ ? 10u : 125u); ++k)
      for (double lambda : {0.80, 0.85, 0.90, 0.95}) {
        Clique clique(random_potts(1000 * seed_ + k, 100, 24, lambda));
        const double found = clique.solve(solver_, options_of(CHORALE_ALGORITHM_AUTO)).score;
        const chorale_clique_result best =
            clique.solve(solver_, options_of(CHORALE_ALGORITHM_COUNT_BOXES));
        if (!best.proven) {
          std::fprintf(stderr, "seed %llu, lambda %g: not proven\n",
                       static_cast<unsigned long long>(1000 * seed_ + k), lambda);
          continue;
        }
        ++instances;
        ratios += found / best.score;
        worst = std::min(worst, found / best.score);
        optimal += found >= best.score;
      }
    std::printf("potts.fresh.seed\t%llu\tseed\n", static_cast<unsigned long long>(seed_));
    print("potts.fresh.mean_ratio_to_best", ratios / instances, "ratio");
    print("potts.fresh.worst_ratio_to_best", worst, "ratio");
    print("potts.fresh.optimal_share", double(optimal) / instances, "ratio");
    print("potts.fresh.instances", instances, "instances");
  }

private:
  static chorale_clique_options options_of(chorale_algorithm algorithm) {
    chorale_clique_options options{};
    options.struct_size = sizeof options;
    options.algorithm = algorithm;
    return options;
  }

  // In a quick run every fifth instance, and few rounds.
  std::vector<Instance> some(std::vector<Instance> all) const {
    if (!quick_)
      return all;
    std::vector<Instance> few;
    for (std::size_t i = 0; i < all.size(); i += 5)
      few.push_back(std::move(all[i]));
    return few;
  }
  int rounds(int usual) const { return quick_ ? std::min(usual, 3) : usual; }

  static std::vector<Clique> prepare(const std::vector<Instance> &instances) {
    std::vector<Clique> cliques;
    for (const Instance &instance : instances)
      cliques.emplace_back(instance);
    return cliques;
  }

  // Times of each task on each instance, one walk over the instances after the other and the tasks
  // in alternation. The first walk warms up and is not counted.
  std::vector<std::vector<double>>
  walk(std::size_t instances, int rounds,
       const std::vector<std::function<void(std::size_t)>> &tasks) {
    std::vector<std::vector<double>> times(tasks.size());
    for (int round = -1; round < rounds; ++round)
      for (std::size_t t = 0; t < tasks.size(); ++t)
        for (std::size_t i = 0; i < instances; ++i) {
          const double start = milliseconds();
          tasks[t](i);
          if (round >= 0)
            times[t].push_back(milliseconds() - start);
        }
    return times;
  }

  void potts_hundred() {
    const std::vector<Instance> instances = some(potts_instances(folder_));
    std::vector<Clique> cliques = prepare(instances);
    std::vector<int> assignment;
    std::vector<double> scores(cliques.size());
    const chorale_clique_options by_auto = options_of(CHORALE_ALGORITHM_AUTO);
    const chorale_clique_options by_alpha_pass = options_of(CHORALE_ALGORITHM_ALPHA_PASS);
    const auto times =
        walk(cliques.size(), rounds(21),
             {[&](std::size_t i) { plain_alpha_pass(instances[i], assignment); },
              [&](std::size_t i) { scores[i] = cliques[i].solve(solver_, by_auto).score; },
              [&](std::size_t i) { cliques[i].solve(solver_, by_alpha_pass); },
              [&](std::size_t i) { cliques[i].find_marginals(solver_); }});
    const double textbook = median(times[0]);
    print("potts.n100.speedup_vs_textbook", textbook / median(times[1]), "ratio");
    print("potts.n100.alpha_pass_speedup_vs_textbook", textbook / median(times[2]), "ratio");
    print("potts.n100.ms", median(times[1]), "ms");
    print("textbook.n100.ms", textbook, "ms");

    double ratios = 0;
    int hits = 0;
    for (std::size_t i = 0; i < cliques.size(); ++i) {
      const double best =
          std::isnan(instances[i].best)
              ? cliques[i].solve(solver_, options_of(CHORALE_ALGORITHM_COUNT_BOXES)).score
              : instances[i].best;
      ratios += scores[i] / best;
      hits += scores[i] >= best;
    }
    print("potts.n100.mean_ratio_to_best", ratios / double(cliques.size()), "ratio");
    print("potts.n100.hits", hits, "instances");
    print("potts.n100.instances", double(cliques.size()), "instances");
    print("marginals.n100.ms", median(times[3]), "ms");
  }

  // All max-marginals at once against a restricted solve for each. Some of those stand for all:
  // another one in each walk, so that no instance comes twice in a row here either.
  void resolves() {
    std::vector<Instance> instances = some(potts_instances(folder_));
    std::vector<Clique> cliques = prepare(instances);
    std::vector<int> assignment;
    std::size_t solves = 0;
    bool below = false;
    const auto times =
        walk(cliques.size(), rounds(21),
             {[&](std::size_t i) { cliques[i].find_marginals(solver_); },
              [&](std::size_t i) {
                const std::size_t entry = 1013 * solves++ % instances[i].psi.size();
                const int R = instances[i].values;
                const std::int64_t plain = plain_restricted_alpha_pass(
                    instances[i], int(entry) / R, int(entry) % R, assignment);
                below = below || cliques[i].marginals()[entry] < double(plain);
              }});
    if (below)
      std::fprintf(stderr, "a max-marginal is below that of a restricted solve\n");
    print("marginals.n100.speedup_vs_resolves",
          double(instances[0].psi.size()) * median(times[1]) / median(times[0]), "ratio");
  }

  void potts_large(int members, int walks) {
    std::vector<Instance> instances;
    for (double lambda : {0.80, 0.85, 0.90, 0.95})
      for (std::uint64_t seed = 1; seed <= (quick_ ? 1u : 3u); ++seed)
        instances.push_back(random_potts(7000 + seed, members, 24, lambda));
    std::vector<Clique> cliques = prepare(instances);
    std::vector<int> assignment;
    const chorale_clique_options by_auto = options_of(CHORALE_ALGORITHM_AUTO);
    const chorale_clique_options by_alpha_pass = options_of(CHORALE_ALGORITHM_ALPHA_PASS);
    const auto times = walk(cliques.size(), rounds(walks),
                            {[&](std::size_t i) { plain_alpha_pass(instances[i], assignment); },
                             [&](std::size_t i) { cliques[i].solve(solver_, by_auto); },
                             [&](std::size_t i) { cliques[i].solve(solver_, by_alpha_pass); },
                             [&](std::size_t i) { cliques[i].find_marginals(solver_); }});
    const auto figure = [&](const char *format, double value, const char *unit) {
      char name[64];
      std::snprintf(name, sizeof name, format, members);
      print(name, value, unit);
    };
    const double textbook = median(times[0]);
    figure("potts.n%d.speedup_vs_textbook", textbook / median(times[1]), "ratio");
    figure("potts.n%d.alpha_pass_speedup_vs_textbook", textbook / median(times[2]), "ratio");
    figure("potts.n%d.ms", median(times[1]), "ms");
    figure("textbook.n%d.ms", textbook, "ms");
    figure("marginals.n%d.ms", median(times[3]), "ms");
  }

  // One clique of a million members, and reading its scores once.
  void scale() {
    const int members = quick_ ? 100'000 : 1'000'000;
    Clique clique(random_potts(7001, members, 24, 0.90, 100));
    const chorale_clique_options by_auto = options_of(CHORALE_ALGORITHM_AUTO);
    const auto times = walk(1, rounds(7),
                            {[&](std::size_t) { clique.solve(solver_, by_auto); },
                             [&](std::size_t) { read_ = read_ ^ read_once(clique.scores()); }});
    print("scale.members", members, "members");
    print("scale.members_per_second", members / median(times[0]) * 1e3, "members/s");
    print("scale.over_memory_read", median(times[0]) / median(times[1]), "ratio");
  }

  // As fast as memory gives them: the sums of several chains wait for nothing.
  static std::uint64_t read_once(const std::vector<double> &numbers) {
    std::uint64_t chains[8] = {};
    for (std::size_t e = 0; e + 8 <= numbers.size(); e += 8) {
      std::uint64_t bits[8];
      std::memcpy(bits, numbers.data() + e, sizeof bits);
      for (std::size_t c = 0; c < 8; ++c)
        chains[c] ^= bits[c];
    }
    for (std::size_t c = 1; c < 8; ++c)
      chains[0] ^= chains[c];
    return chains[0];
  }

  void majority(bool hard) {
    const std::vector<Instance> instances = some(majority_instances(folder_, hard));
    std::vector<Clique> cliques = prepare(instances);
    const chorale_clique_options exact = options_of(CHORALE_ALGORITHM_EXACT_MAJORITY);
    std::vector<std::int64_t> plain(cliques.size());
    std::vector<chorale_clique_result> results(cliques.size());
    const auto times = walk(cliques.size(), rounds(21),
                            {[&](std::size_t i) { results[i] = cliques[i].solve(solver_, exact); },
                             [&](std::size_t i) { plain[i] = PlainMajority(instances[i]).solve(); },
                             [&](std::size_t i) { cliques[i].find_marginals(solver_); }});
    for (std::size_t i = 0; i < cliques.size(); ++i) {
      ++majority_instances_;
      const double best = std::isnan(instances[i].best) ? double(plain[i]) : instances[i].best;
      majority_proven_ += results[i].proven && results[i].score >= best;
      if (double(plain[i]) != best)
        std::fprintf(stderr, "%s: the plain flow finds %lld of %.0f\n", instances[i].name.c_str(),
                     static_cast<long long>(plain[i]), best);
    }
    print(hard ? "majority_hard.n100.ms" : "majority.n100.ms", median(times[0]), "ms");
    print(hard ? "majority_hard.n100.speedup_vs_plain" : "majority.n100.speedup_vs_plain",
          median(times[1]) / median(times[0]), "ratio");
    print(hard ? "majority_hard_marginals.n100.ms" : "majority_marginals.n100.ms", median(times[2]),
          "ms");
  }

  void exact_potts() {
    const std::vector<Instance> instances = some(potts_instances(folder_));
    std::vector<Clique> cliques = prepare(instances);
    const chorale_clique_options exact = options_of(CHORALE_ALGORITHM_COUNT_BOXES);
    std::vector<chorale_clique_result> results(cliques.size());
    const int walks = rounds(3);
    const auto times =
        walk(cliques.size(), walks,
             {[&](std::size_t i) { results[i] = cliques[i].solve(solver_, exact); }});
    int proven = 0;
    std::vector<double> each;
    for (std::size_t i = 0; i < cliques.size(); ++i) {
      proven += results[i].proven &&
                (std::isnan(instances[i].best) || results[i].score >= instances[i].best);
      std::vector<double> mine;
      for (std::size_t w = 0; w < std::size_t(walks); ++w)
        mine.push_back(times[0][w * cliques.size() + i]);
      each.push_back(median(mine));
    }
    print("exact_potts.n100.proven", proven, "instances");
    print("exact_potts.n100.instances", double(cliques.size()), "instances");
    print("exact_potts.n100.median_ms", median(each), "ms");
    print("exact_potts.n100.max_ms", *std::max_element(each.begin(), each.end()), "ms");

    std::vector<double> plain;
    for (std::size_t i = 0; i < cliques.size(); ++i) {
      const double start = milliseconds();
      PlainCountBoxes boxes(instances[i]);
      const bool closed = boxes.solve(100000);
      plain.push_back(milliseconds() - start);
      if (!closed || double(boxes.best()) != results[i].score)
        std::fprintf(stderr, "%s: the plain branch and bound finds %lld, closed %d, of %.0f\n",
                     instances[i].name.c_str(), static_cast<long long>(boxes.best()), closed,
                     results[i].score);
    }
    print("exact_potts.n100.speedup_vs_plain", median(plain) / median(each), "ratio");
  }

  void exact_potts_large() {
    std::vector<double> times;
    chorale_clique_options exact = options_of(CHORALE_ALGORITHM_COUNT_BOXES);
    exact.time_limit = 5;
    int proven = 0;
    for (double lambda : {0.80, 0.85, 0.90, 0.95})
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const Instance instance = random_potts(3000 + seed, 300, 24, lambda);
        Clique clique(instance);
        const double start = milliseconds();
        proven += clique.solve(solver_, exact).proven;
        times.push_back(milliseconds() - start);
      }
    print("exact_potts.n300.proven", proven, "instances");
    print("exact_potts.n300.instances", double(times.size()), "instances");
    print("exact_potts.n300.median_ms", median(times), "ms");
    print("exact_potts.n300.max_ms", *std::max_element(times.begin(), times.end()), "ms");

    exact.time_limit = 1;
    double widest = 0;
    for (double lambda : {0.80, 0.85, 0.90, 0.95}) {
      const Instance instance = random_potts(7001, 1000, 24, lambda);
      Clique clique(instance);
      const chorale_clique_result result = clique.solve(solver_, exact);
      widest = std::max(widest, (result.upper_bound - result.score) / result.score);
    }
    print("exact_potts.n1000.gap_after_1s", widest, "of the score");
  }

  bool quick_;
  std::string folder_;
  std::uint64_t seed_;
  chorale_clique_solver *solver_ = nullptr;
  volatile std::uint64_t read_ = 0; // so that reading is not left out
  int majority_proven_ = 0;
  int majority_instances_ = 0;
};

} // namespace
} // namespace bench

int main(int count, char **arguments) {
  bool quick = false;
  bool fresh = false;
  std::string folder;
  const std::time_t now = std::time(nullptr);
  const std::tm *day = std::gmtime(&now);
  auto seed = std::uint64_t(day->tm_year + 1900) * 10000 + std::uint64_t(day->tm_mon + 1) * 100 +
              std::uint64_t(day->tm_mday);
  for (int i = 1; i < count; ++i)
    if (std::strcmp(arguments[i], "--quick") == 0)
      quick = true;
    else if (std::strcmp(arguments[i], "--fresh") == 0)
      fresh = true;
    else if (std::strcmp(arguments[i], "--seed") == 0 && i + 1 < count)
      seed = std::strtoull(arguments[++i], nullptr, 10);
    else
      folder = arguments[i];
  bench::Bench bench(quick, folder, seed);
  if (fresh)
    bench.potts_fresh();
  else
    bench.run();
}
