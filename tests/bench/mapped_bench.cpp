// What a corpus costs whose scores lie in a mapped file: time a token and bytes a chain, for a small
// and for a large one.
//
//     mapped_bench FOLDER [--quick | CHAINS LABELS]...    500000 10, 10000000 10 unless said otherwise
//
// Sentences of 20 tokens in documents of 25, a clique over every token that a document repeats, as in
// collective_bench. Fails if model and run take more than 600 bytes a chain. A file of scores
// (float32) and tokens is written to FOLDER for each size, or taken as it is there: 880 bytes a chain
// of 10 labels. Times are the processor's, over all threads, but for those by the clock.
#include "../fixture_held.h"
#include "../fixture_members.h"
#include "instances.hpp"

#include <chorale/experimental.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace bench {
namespace {

constexpr std::int64_t kLength = 20;
constexpr std::int64_t kDocument = 25;
constexpr int kWords = 20000;
constexpr std::int32_t kStopWords = 50;
constexpr double kMostBytesAChain = 600;

[[noreturn]] void die(const std::string &what) {
  std::fprintf(stderr, "mapped_bench: %s\n", what.c_str());
  std::exit(1);
}

void check(chorale_status status, const chorale_error &error) {
  if (status != CHORALE_OK)
    die(std::string(chorale_status_name(status)) + ": " + error.message);
}

// What a body takes, in seconds: of the processor, and by the clock.
struct Taken {
  double processor = 0;
  double clock = 0;
};
template <class Body> Taken take(Body &&body) {
  const auto processor = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  const auto begin = std::chrono::steady_clock::now();
  const double before = processor();
  body();
  return {processor() - before,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
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

// Scores of all positions and labels, then tokens of all positions.
class File {
public:
  File(const std::string &path, std::int64_t chains, std::int64_t labels)
      : scores_(std::size_t(chains * kLength * labels)), tokens_(std::size_t(chains * kLength)) {
    struct stat found{};
    if (stat(path.c_str(), &found) != 0 || std::size_t(found.st_size) != bytes())
      write(path, std::uint64_t(labels));
    const int file = open(path.c_str(), O_RDONLY);
    at_ = file < 0 ? MAP_FAILED : mmap(nullptr, bytes(), PROT_READ, MAP_SHARED, file, 0);
    if (at_ == MAP_FAILED)
      die(path + " cannot be mapped");
    close(file);
  }
  ~File() { munmap(at_, bytes()); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  const float *scores() const { return static_cast<const float *>(at_); }
  const std::int32_t *tokens() const {
    return reinterpret_cast<const std::int32_t *>(scores() + scores_);
  }
  std::size_t bytes() const { return 4 * (scores_ + tokens_); }

private:
  void write(const std::string &path, std::uint64_t seed) const {
    std::FILE *file = std::fopen((path + ".part").c_str(), "wb");
    std::vector<float> some;
    std::vector<std::int32_t> tokens;
    const auto put = [&](auto &block) {
      if (!file || std::fwrite(block.data(), 4, block.size(), file) != block.size())
        die(path + " cannot be written");
      block.clear();
    };
    Random random(seed);
    for (std::size_t k = 0; k < scores_; ++k) {
      some.push_back(float(4 * random.unit()));
      if (some.size() == 1 << 20)
        put(some);
    }
    put(some);
    const double words = std::log(double(kWords));
    for (std::size_t p = 0; p < tokens_; ++p) {
      tokens.push_back(std::int32_t(std::exp(random.unit() * words)) - 1);
      if (tokens.size() == 1 << 20)
        put(tokens);
    }
    put(tokens);
    if (std::fclose(file) != 0 || std::rename((path + ".part").c_str(), path.c_str()) != 0)
      die(path + " cannot be written");
  }

  std::size_t scores_;
  std::size_t tokens_;
  void *at_ = nullptr;
};

chorale_model *build(const chorale_host *host, const File &file, std::int64_t chains,
                     std::int64_t labels) {
  chorale_error error;
  Random random(3);
  std::vector<double> edges(std::size_t(labels * labels));
  for (double &score : edges)
    score = 2 * random.unit() - 1;
  chorale_transitions *transitions = nullptr;
  check(chorale_transitions_create(nullptr, labels, edges.data(), nullptr, &transitions, &error),
        error);
  chorale_potential_options scaled{};
  scaled.struct_size = sizeof scaled;
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = nullptr;
  check(chorale_potential_create_potts(nullptr, labels, 0.9, &scaled, &potts, &error), error);

  chorale_model_builder *builder = nullptr;
  check(chorale_model_builder_create(host, &builder, &error), error);
  {
    std::vector<std::int64_t> offsets, groups;
    for (std::int64_t i = 0; i <= chains; ++i) {
      offsets.push_back(i * kLength);
      groups.push_back(i / kDocument);
    }
    chorale_corpus corpus{};
    corpus.struct_size = sizeof corpus;
    corpus.chains = chains;
    corpus.offsets = offsets.data();
    corpus.labels = labels;
    corpus.element = CHORALE_FLOAT32;
    corpus.borrow = 1;
    corpus.unary = file.scores();
    corpus.transitions = transitions;
    corpus.tokens = file.tokens();
    corpus.groups = groups.data();
    check(chorale_model_builder_add_corpus(builder, &corpus, nullptr, &error), error);
  }
  std::vector<std::int32_t> stop;
  for (std::int32_t word = 0; word < kStopWords; ++word)
    stop.push_back(word);
  chorale_agreement words{};
  words.struct_size = sizeof words;
  words.stop = stop.data();
  words.stop_count = kStopWords;
  check(put_words(builder, potts, &words, nullptr, nullptr, &error), error);
  chorale_model *model = nullptr;
  check(chorale_model_builder_freeze(builder, &model, &error), error);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potts);
  chorale_transitions_release(transitions);
  return model;
}

// Prints the figures of a corpus; returns the processor's nanoseconds a token.
double measure(const std::string &folder, std::int64_t chains, std::int64_t labels) {
  const std::string size = std::to_string(chains) + "x" + std::to_string(labels);
  const auto figure = [&](const char *name, double value, const char *unit) {
    std::printf("mapped.%s.%s\t%.6g\t%s\n", size.c_str(), name, value, unit);
    std::fflush(stdout);
  };
  const File file(folder + "/mapped-" + size, chains, labels);
  figure("file_gb", double(file.bytes()) * 1e-9, "GB");
  Bytes held;
  const chorale_allocator counting = {&held, counted_allocate, counted_deallocate};
  chorale_host host{};
  host.struct_size = sizeof host;
  host.allocator = &counting;

  chorale_error error;
  chorale_model *model = nullptr;
  const Taken building = take([&] { model = build(&host, file, chains, labels); });
  const double tokens = double(chains * kLength);
  figure("members", double(all_member_count(model)), "members");
  figure("build_ns_a_token", 1e9 * building.processor / tokens, "ns");
  figure("build_bytes_a_chain", double(held.most) / double(chains), "bytes, at most meanwhile");
  held.most = held.now;
  chorale_run *run = nullptr;
  chorale_run_options options{};
  options.struct_size = sizeof options;
  options.rounds = 3; // as many whatever the size
  check(chorale_run_create(&host, model, &options, nullptr, &run, &error), error);
  chorale_run_result result{};
  result.struct_size = sizeof result;
  const Taken solving = take([&] { check(chorale_run_solve(run, &result, &error), error); });
  const double bytes_a_chain = double(held.most) / double(chains);
  figure("bytes_a_chain", bytes_a_chain, "bytes, model and run");
  if (bytes_a_chain > kMostBytesAChain)
    die("more than " + std::to_string(int(kMostBytesAChain)) + " bytes a chain");
  figure("rounds", double(result.rounds), "rounds");
  figure("solve_ns_a_token", 1e9 * solving.processor / tokens, "ns");
  figure("solve_s", solving.clock, "s by the clock");
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  figure("pages_read", double(used.ru_majflt), "pages, so far");
  chorale_run_destroy(run);
  chorale_model_release(model);
  return 1e9 * solving.processor / tokens;
}

} // namespace
} // namespace bench

int main(int count, char **arguments) {
  std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.empty() || (given.size() % 2 == 0 && given.back() != "--quick"))
    bench::die("FOLDER, then --quick or pairs of CHAINS and LABELS");
  const std::string folder = given.front();
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  if (given.back() == "--quick")
    sizes = {{1000, 10}, {4000, 10}};
  else if (given.size() == 1)
    sizes = {{500000, 10}, {10000000, 10}};
  for (std::size_t k = 1; k + 1 < given.size(); k += 2)
    sizes.emplace_back(std::atoll(given[k].c_str()), std::atoll(given[k + 1].c_str()));
  double first = 0;
  for (const auto &[chains, labels] : sizes) {
    if (chains < 1 || labels < 1)
      bench::die("CHAINS and LABELS are numbers from 1");
    const double time = bench::measure(folder, chains, labels);
    if (first > 0)
      std::printf("mapped.time_over_first\t%.6g\tratio\n", time / first);
    first = first > 0 ? first : time;
  }
}
