// One call of the clique API: reads the scores, runs the planned algorithm and writes the answer,
// all in one block of memory.
#pragma once

#include "clique/instance.hpp"
#include "clique/plan.hpp"

namespace chorale {

// With at most this many scores (members times values), all scores are read and a labelling is found
// even if the limits end the call at once; likewise, a potential of at most this many numbers is
// prepared. Together this takes a few milliseconds.
inline constexpr std::int64_t kAlwaysRead = 1 << 20;

struct CliqueTask {
  CliqueKind kind;
  ProblemView problem; // measure() does not read the entries of its arrays
  Plan plan;
  SolveOptions options;
  chorale_start start = CHORALE_START_INDEPENDENT;
  std::int32_t start_value = 0;
  gsl::span<const std::int32_t> start_assignment; // the value of each member

  bool wants_marginals = false;
  // True if only messages are wanted, and no labelling. Alpha-pass then computes the messages
  // without searching for a labelling first.
  bool messages_only = false;
  // True: `marginals` receives messages, which do not contain the member's own score. They do not
  // depend on the member's own scores nor on its entry in `fixed`, and so are defined also where
  // its score is minus infinity.
  bool wants_messages = false;
  Matrix<double> marginals;           // members x values
  gsl::span<std::int32_t> assignment; // where the value of each member is written; may be empty
  // True if the arrays of scores and marginals may be used as working memory, which may save
  // copies. The scores may then be overwritten, and their rows must have no gaps between them.
  bool in_place = false;
};

// The score of a labelling, computed by the definition in clique.h: the sum of the member scores
// plus the potential at the counts of the values.
struct Rated {
  double member_score = kForbidden; // sum of member scores, in the order of the members
  double clique_score = 0;
  double magnitude = 0; // sum over the members of |score|, plus |clique_score|

  double score() const noexcept { return member_score + clique_score; }
};

struct CliqueAnswer : Rated {
  chorale_outcome outcome = CHORALE_OUTCOME_COMPLETE;
  bool proven = false;
  bool marginals_exact = false;
  double upper_bound = kInfinity;
  std::int64_t iterations = 0;
  std::int64_t nodes = 0;
  CallbackFailure failure = CallbackFailure::none;
};

// Returns the number of bytes that `compute` needs for the task.
std::size_t measure(const CliqueTask &task) noexcept;
// Runs the task in `memory`, of at least measure(task) bytes.
CliqueAnswer compute(const CliqueTask &task, Limits &limits, std::byte *memory) noexcept;

// Writes messages (members x columns) to task.marginals (members x values): as messages if the task
// wants these, else as max-marginals, which contain the member's own score.
void write_marginals(const CliqueTask &task, Matrix<const double> messages) noexcept;

// Scores a labelling by the definition in clique.h and writes the result to `answer`: adds up the
// member scores in the order of the members, and evaluates the potential at the counts of the
// values. `assignment`: the value of each member; `counts`: scratch, one entry for each value.
void evaluate(const Potential &potential, const ProblemView &problem,
              gsl::span<const std::int32_t> assignment, gsl::span<std::int64_t> counts,
              CliqueAnswer &answer) noexcept;

} // namespace chorale
