// The problems to learn from: their groups and gold labels, the runs that label them, and what is
// counted of labels. chorale/learn.h explains kinds, groups and costs; chorale/run.h, runs.
//
// Positions, chains and groups are numbered consecutively over all problems. The tagger's labels
// (`base`) are the best labellings of the chains without cliques.
#pragma once

#include "base/limits.hpp"
#include "base/outcome.hpp"
#include "learn/learnt.hpp"

#include <array>

namespace chorale {

// What is counted of labels, at positions with gold labels.
enum Count : std::size_t {
  kGold,        // tokens or spans of gold labels that count for F1
  kFound,       // of the labels given
  kRight,       // in both
  kCorrect,     // positions with the right label
  kKnown,       // positions
  kPaid,        // sum of the caller's costs
  kChanged,     // positions whose label is not the tagger's
  kRightBefore, // of these, where the tagger's is right
  kRightAfter,  // of these, where the label is right
  kCounts
};
using LabelCounts = std::array<double, kCounts>;

// What is maximised, as minus a cost: micro F1 if there are classes (of the spans that `begins`
// divides labels into, or of tokens if it is empty), else minus `costs`; without these, each wrong
// label costs 1.
struct Measure {
  gsl::span<const std::int32_t> classes; // by label; -1: does not count
  gsl::span<const std::int32_t> begins;  // by label: 1 if it begins a span
  Matrix<const double> costs;            // labels x labels
  double f1 = 0;                         // F1 of the tagger's labels; set once these are counted

  double cost(const LabelCounts &of) const noexcept {
    return !classes.empty() ? f1 * (of[kGold] + of[kFound]) - 2 * of[kRight]
           : costs          ? of[kPaid]
                            : of[kKnown] - of[kCorrect];
  }
};

// A problem. Its chains and positions follow those of the problems before it.
struct Lesson {
  const Problem *problem;
  const Model *model; // of the problem
  std::int64_t first_position; // number of its first position
  std::int64_t first_chain;    // number of its first chain
  chorale_run *run; // the last one, from which the next may start
};

// What the kinds of a family share.
struct Strengths {
  double strength = 0;
  double bonus = 0;
};
using Choice = std::array<Strengths, kFamilies>;

struct LearnSpec {
  const chorale_host *host = nullptr;
  Problems problems;
  chorale_learn_options options{};
  Measure measure{}; // of the options
};

// Thrown once a limit or the caller ends the call: the report then has the outcome.
struct LearningEnds {};

class Lessons {
public:
  // Value of value_shown() where a gold label is unknown.
  static constexpr std::int32_t kUnknown = -2;
  // How runs are made. quick: from the labels and messages of the last run, with few rounds or
  // none. usual: anew, with the default options. plain: decodes the chains alone.
  enum class Effort : std::int32_t { quick, usual, plain };

  Lessons(const Memory &memory, const LearnSpec &spec, Learnt &result) noexcept;
  ~Lessons();

  // Reads the problems, whose kinds find_kinds() has checked, and decodes their chains. If gold labels
  // are to be read, fails if there are none that their chains allow, if all are in one group, or if
  // a chain has no labelling.
  chorale_status prepare(const Report &report);
  // Labels every problem and writes the labels to `found`. The log-odds of a clique are counted
  // without the fold of its group.
  chorale_status label(const Report &report, const Choice &choice, Effort effort);
  // Appends the weights of a kind. without: a fold that log-odds are counted without; `folds`: none.
  void make_weights(std::int32_t kind, const Choice &choice, std::int64_t without, Array<Weight> &to);
  // Counts labels by group. Those where gold labels are unknown do not count.
  void count(const Array<std::int32_t> &labels, LabelCounts *counts) const noexcept;

  // Calls take(lesson, clique, kind) for each clique that has a kind and members.
  template <class Take> void each_clique(Take &&take) {
    for (const Lesson &lesson : lessons)
      for (std::int32_t c = 0; c < lesson.model->cliques.size(); ++c) {
        spend(Limits::kScattered);
        const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
        if (kind >= 0 && lesson.model->cliques[c].members > 0)
          take(lesson, c, kind);
      }
  }
  // Returns the value that a member shows under `labels` (of all positions). A whole chain: -1 for
  // UNLISTED, EMPTY, CONFLICT and values that the clique's dictionary lacks. A position: R, the
  // number of values, for EMPTY. kUnknown if a label that the value depends on is below 0.
  std::int32_t value_shown(const Lesson &lesson, const Slot &slot,
                           gsl::span<const std::int32_t> labels) const noexcept;
  std::int64_t group_of(const Lesson &lesson, std::int32_t clique) const noexcept {
    return group[lesson.first_chain + lesson.model->chain_of(lesson.model->cliques[clique], 0)];
  }
  // Announces `work` steps, before they are done. Throws LearningEnds if a limit has been reached.
  void spend(std::int64_t work) {
    if (!limits_.spend(work))
      end_by(outcome_of(limits_.interruption(), CHORALE_OUTCOME_DEADLINE));
  }
  // True once half of the time limit is over.
  bool is_late() const noexcept {
    return spec_.options.time_limit >= 0 && limits_.seconds_left() < spec_.options.time_limit / 2;
  }

  Learnt &learnt;
  Array<Lesson> lessons;
  Array<std::int64_t> starts;   // by chain: its first position
  Array<std::int32_t> group;    // by chain: its group
  Array<std::int64_t> labelled; // by group: number of its gold labels that are not -1 below
  Array<std::int32_t> fold;     // by group, below `folds`; empty without gold labels
  Array<std::int32_t> gold;     // by position; -1: unknown or forbidden
  Array<std::int32_t> base;     // by position: the tagger's label; -1: the chain has none
  Array<std::int32_t> found;    // by position: the label of the last label(); -1: as for base
  std::int32_t folds = 0;       // number of folds; 0 without gold labels

private:
  void find_groups(const Lesson &lesson);
  chorale_status check_gold(const Report &report);
  void make_log_odds(std::int32_t number, double strength, std::int64_t without, Array<Weight> &to);
  chorale_status label_lesson(const Report &report, Lesson &lesson, const Choice &choice,
                              Effort effort);
  [[noreturn]] void end_by(chorale_outcome outcome) const {
    learnt.report.outcome = outcome;
    throw LearningEnds();
  }

  const Memory &memory_;
  const LearnSpec &spec_;
  Limits limits_;
  Array<Weight> weights_; // of one kind
};

// Returns the p-value of agreement beyond the tagger's labels; -1 if nothing can be exchanged, or no
// exchange changes the statistic.
double test_agreement(const Memory &memory, Lessons &lessons);

// The course of learning: chorale/learn.h.
chorale_status learn(const Report &report, const Memory &memory, LearnSpec &spec, Learnt &learnt);

} // namespace chorale
