// Times whole runs over a problem whose cliques are properties of whole chains.
//
//     property_bench FILE [TURNS] [BOUND]
//
// FILE: a problem (chorale/problem.h). Runs it by the options' defaults on one thread, and prints
// the processor's time in milliseconds, the median of the turns; what the run has found; and after
// how many milliseconds each round ended. With BOUND: the time, after such a run, until bound steps
// have brought the upper bound down to that number.
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

double now() { return 1e3 * double(std::clock()) / double(CLOCKS_PER_SEC); }

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
  return times[times.size() / 2];
}

struct Course {
  double begin = 0;
  double bound = 0;      // where to stop; 0: nowhere
  double reached_at = 0; // milliseconds after which the bound was reached; 0: not reached
  std::vector<std::pair<double, chorale_progress>> rounds;
};

extern "C" std::int32_t note(void *user, const chorale_progress *progress) {
  auto &course = *static_cast<Course *>(user);
  course.rounds.emplace_back(now() - course.begin, *progress);
  if (course.bound == 0 || progress->upper_bound > course.bound)
    return 0;
  course.reached_at = now() - course.begin;
  return 1;
}

} // namespace

int main(int count, char **arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: property_bench FILE [TURNS] [BOUND]\n");
    return 2;
  }
  const int turns = count > 2 ? std::atoi(arguments[2]) : 3;
  const double bound = count > 3 ? std::atof(arguments[3]) : 0;
  chorale_error error;
  chorale_problem *problem = nullptr;
  check(chorale_problem_load(nullptr, arguments[1], &problem, &error), error);
  chorale_model *model = chorale_model_retain(chorale_problem_model(problem));

  std::vector<double> times;
  Course course;
  chorale_run_result result;
  const auto run_once = [&](bool bounds) {
    chorale_run_options options{};
    options.struct_size = sizeof options;
    options.rounds = 10;
    options.progress = note;
    options.progress_user = &course;
    options.bound_steps = bounds ? 1 : 0; // memory for the bound
    course.rounds.clear();
    course.begin = now();
    chorale_run *run = nullptr;
    check(chorale_run_create(nullptr, model, &options, nullptr, &run, &error), error);
    result = {};
    result.struct_size = sizeof result;
    if (bounds) {
      for (std::int64_t round = 0; round <= options.rounds; ++round)
        check(chorale_run_step(run, &result, &error), error);
      check(chorale_run_local_search(run, &result, &error), error);
      course.bound = bound;
      course.begin = now();
      // The progress function ends the call.
      chorale_run_bound(run, 100000, &result, &error);
    } else {
      check(chorale_run_solve(run, &result, &error), error);
    }
    const double taken = now() - course.begin;
    chorale_run_destroy(run);
    return taken;
  };
  for (int turn = 0; turn < turns; ++turn)
    times.push_back(run_once(false));
  std::printf("ms\t%.6g\n", median(times));
  std::printf("score\t%.17g\nown_score\t%.17g\n", result.score, result.own_score);
  std::printf("rounds\t%lld\nchain_updates\t%lld\nclique_updates\t%lld\n",
              (long long)result.rounds, (long long)result.chain_updates,
              (long long)result.clique_updates);
  for (const auto &[at, progress] : course.rounds)
    std::printf("round.%lld\t%.6g ms\t%.10g\t%.10g\t%lld changed\n", (long long)progress.round, at,
                progress.score, progress.best_score, (long long)progress.messages_changed);
  if (bound != 0) {
    run_once(true);
    std::printf("bound_ms\t%.6g\nbound\t%.17g\n", course.reached_at, result.upper_bound);
  }
  chorale_model_release(model);
  chorale_problem_destroy(problem);
}
