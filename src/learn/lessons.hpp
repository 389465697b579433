// The problems to learn from: their groups and gold labels, and the runs that label them.
// chorale/learn.h explains kinds and groups; chorale/run.h, runs.
//
// Positions, chains and groups are numbered consecutively over all problems. The tagger's labels
// (`base`) are the best labellings of the chains without cliques.
#pragma once

#include "base/limits.hpp"
#include "base/span.hpp"
#include "learn/kinds.hpp"
#include "learn/tally.hpp"

namespace chorale {

// A problem, with what is computed from it before it is labelled.
struct Lesson {
  ~Lesson() { chorale_run_destroy(run); }

  const Problem *problem = nullptr;
  const Model *model = nullptr; // the model of the problem
  std::int64_t first_position = 0;
  std::int64_t positions = 0;
  std::int64_t first_chain = 0;
  chorale_run *run = nullptr; // the last one, from which the next may start
};

// What the kinds of a family share.
struct Strengths {
  double strength = 0;
  double bonus = 0;
  bool uses_log_odds = false; // of centred kinds
};
// A pair for each family.
struct Choice {
  Strengths of[kFamilies];
};

struct LearnSpec {
  const chorale_host *host = nullptr;
  Problems problems;
  chorale_learn_options options{};
  Measure measure{}; // of the options
};

class Lessons {
public:
  // Value of value_shown() where a gold label is unknown.
  static constexpr std::int32_t kUnknown = -2;
  // How runs are made. quick: from the labels and messages of the last run, with few rounds. usual:
  // anew, with the default options. plain: decodes the chains alone.
  enum class Effort : std::int32_t { quick, usual, plain };

  Lessons(const Memory &memory, const LearnSpec &spec, Learnt &learnt) noexcept;
  ~Lessons();
  Lessons(const Lessons &) = delete;
  Lessons &operator=(const Lessons &) = delete;

  // Reads the problems, whose kinds find_kinds() has checked, and decodes their chains. If gold labels
  // are to be read, fails if they are missing or all in one group, or if a chain has no labelling.
  chorale_status prepare(const Report &report) noexcept;
  // Deals groups to at most `most` folds, in descending order of their number of gold labels, each to
  // the fold with the fewest so far.
  chorale_status deal_folds(const Report &report, std::int32_t most) noexcept;

  // Labels every problem and writes the labels to found(). A group is labelled under the choice of
  // its fold, or under the only one if there is one. Log-odds are those without its fold.
  chorale_status label(const Report &report, gsl::span<const Choice> choices,
                       Effort effort) noexcept;
  // Makes the weights of a kind. without: a fold, for log-odds; -1: none.
  chorale_status make_weights(const Report &report, std::int32_t kind, const Strengths &pair,
                              std::int64_t without, Array<Weight> &to) noexcept;
  // Counts labellings beside the gold labels, by group.
  void count(gsl::span<const std::int32_t> labels, gsl::span<LabelCounts> to) const noexcept;

  // Returns the value that a member shows under `labels` (of all positions). -1 for values that are
  // not of the clique, EMPTY and CONFLICT. kUnknown if a label that it depends on is below 0.
  std::int32_t value_shown(const Lesson &lesson, const Slot &slot,
                           gsl::span<const std::int32_t> labels) const noexcept;

  // Checks the time limit and the cancel flag; true if one of them ends the call.
  bool look() noexcept;
  // Announces `work` steps. False once interrupted: the caller then returns at once, and its results
  // must not be used.
  bool spend(std::int64_t work) noexcept {
    if (!limits_.spend(work))
      look();
    return !interrupted();
  }
  bool interrupted() const noexcept { return learnt_.report.outcome != CHORALE_OUTCOME_COMPLETE; }
  // True once half of the time limit is over.
  bool is_late() const noexcept {
    return spec_.options.time_limit >= 0 &&
           limits_.seconds_left() < spec_.options.time_limit / 2;
  }
  void set_most_runs(std::int64_t runs) noexcept { most_runs_ = runs; }

  const Learnt &learnt() const noexcept { return learnt_; }
  std::int64_t count() const noexcept { return lessons_.size(); }
  const Lesson &operator[](std::int64_t number) const noexcept { return *lessons_[number]; }
  std::int64_t positions() const noexcept { return gold_.size(); }
  std::int64_t groups() const noexcept { return labelled_.size(); }
  std::int32_t folds() const noexcept { return folds_; }
  gsl::span<const std::int32_t> fold_of() const noexcept { return fold_; }        // by group
  gsl::span<const std::int64_t> labelled() const noexcept { return labelled_; } // by group
  gsl::span<const std::int32_t> gold() const noexcept { return gold_; } // -1: unknown or forbidden
  gsl::span<const std::int32_t> base() const noexcept { return base_; }
  gsl::span<const std::int32_t> found() const noexcept { return found_; }
  std::int64_t start(const Lesson &lesson, std::int64_t chain) const noexcept {
    return starts_[lesson.first_chain + chain];
  }
  gsl::span<const std::int32_t> of_chain(const Lesson &lesson, std::int64_t chain,
                                         gsl::span<const std::int32_t> labels) const noexcept {
    return labels.subspan(to_size(start(lesson, chain)), to_size(lesson.model->chains[chain].length));
  }
  std::int64_t group_of(const Lesson &lesson, std::int64_t chain) const noexcept {
    return group_[lesson.first_chain + chain];
  }

private:
  chorale_status find_groups(const Report &report, const Lesson &lesson) noexcept;
  chorale_status check_gold(const Report &report) noexcept;
  chorale_status make_log_odds(const Report &report, std::int32_t number, double strength,
                               std::int64_t without, Array<Weight> &to) noexcept;
  chorale_status label_lesson(const Report &report, Lesson &lesson, gsl::span<const Choice> choices,
                              Effort effort) noexcept;
  chorale_status make_potentials(const Report &report, const Lesson &lesson,
                                 gsl::span<const Choice> choices) noexcept;
  chorale_status pass_on(const Report &report, chorale_status status,
                         const chorale_error &error) const noexcept {
    return status == CHORALE_OK ? status : report.fail(status, error.message);
  }

  const Memory &memory_;
  const LearnSpec &spec_;
  Learnt &learnt_;
  Array<Lesson *> lessons_;
  Array<std::int64_t> starts_; // by chain: its first position
  Array<std::int32_t> group_;  // by chain
  Array<std::int64_t> labelled_;
  Array<std::int32_t> gold_;
  Array<std::int32_t> base_;
  Array<std::int32_t> found_;
  Array<std::int32_t> fold_;
  std::int32_t folds_ = 0;
  Potentials potentials_;
  std::int64_t most_runs_ = 0;
  Limits limits_;
};

} // namespace chorale
