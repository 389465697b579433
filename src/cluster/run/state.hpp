// State of a run that persists between calls: labellings, messages, scores, unfinished work.
//
// Rounds, polish, repair and dual bound compute on this state. A reset replaces Standing, Tally and
// Course; a warm start from the same model replaces Standing.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/call.hpp"
#include "cluster/run/course.hpp"
#include "cluster/run/options.hpp"

#include <gsl/gsl>

namespace chorale {

// Flags of a chain: pending work.
inline constexpr std::uint8_t kNeedsOwn = 1;    // decode without messages
inline constexpr std::uint8_t kNeedsUpdate = 2; // decode under incoming messages, and send
// Flags of a clique: compute its outgoing messages in this round, or in the next.
inline constexpr std::uint8_t kAnswersNow = 1;
inline constexpr std::uint8_t kAnswersLater = 2;

// Notices that rounds alternate between two labellings.
struct Alternation {
  void add(std::uint64_t labelling_hash) noexcept;
  bool found = false; // the last four rounds alternated

private:
  std::uint64_t last_[4] = {}; // hashes of the last four rounds, newest first; 0: no such round
};

// Progress and scores of the run. A warm start from the same model copies the struct.
struct Standing {
  // True if another round would change nothing, or nothing new.
  bool at_end() const noexcept {
    return !pending && (infeasible || converged || alternation.found);
  }

  bool pending = true;        // round 0 is to be run
  bool infeasible = false;    // some chain has no labelling
  bool converged = false;     // no clique has messages to recompute
  bool has_labelling = false; // RunState::best holds a labelling
  // In round 0, chains whose score in `best` is minus infinity are copied there from `own`.
  bool fill_in_own = false;
  bool is_polished = false;   // `best` is polished, and nothing has changed since
  bool zero_messages = true;  // no clique has sent messages yet
  bool has_unit = false;      // the unit of the message stores is chosen
  Alternation alternation;
  std::int64_t best_round = 0;        // round that found `best`
  double own_score = kForbidden;      // equation 1 of RunState::own
  double rounds_score = kForbidden;   // greatest equation 1 of the labelling of any round
  double polished_score = kForbidden; // equation 1 after the polish that starts from `best`
  double polished_own_score = kForbidden; // equation 1 after the polish that starts from `own`
  double upper_bound = kInfinity;
};

// Counts of work done by this run.
struct Tally {
  // Adds the counters of the workers, and resets these.
  void take(gsl::span<Worker> workers) noexcept;

  std::int64_t rounds = 0;
  std::int64_t messages_changed = 0; // rows changed in the last round
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
};

// Progress of the subgradient steps.
struct DualProgress {
  bool started = false;
  double bound = kInfinity; // lowest bound so far
  double pace = 1;          // factor of the step size
  std::int64_t stalled = 0; // steps since `bound` or `pace` last fell
};

// Multipliers of the dual bound. Empty in a run without bounds.
struct DualState {
  DualState() noexcept = default;
  DualState(Layout &layout, const Model &model) noexcept;

  double *multipliers = nullptr; // by message entry: added to the chain, subtracted from the clique
  double *bounds = nullptr;      // bound of each clique, then of each chain; NaN: not computed yet
  // By index in Model::members: column shown in the chain's maximiser, and in the clique's; or -1.
  std::int32_t *by_chain = nullptr;
  std::int32_t *by_clique = nullptr;
  DualProgress progress;
};

// Order of the cliques under the schedule DISAGREEMENT; empty under others.
struct Ranking {
  Ranking() noexcept = default;
  Ranking(Layout &layout, const Model &model) noexcept;

  std::int32_t *order = nullptr;        // cliques, by descending disagreement
  std::int32_t *disagreement = nullptr; // by clique: members that do not show its commonest column
  std::int32_t *gathered = nullptr;     // scratch: chains of a clique
};

struct RunState {
  RunState() noexcept = default;
  RunState(Layout &layout, const Model &model, const RunOptions &options) noexcept;

  // Returns to the state of a new run.
  void reset(const Model &model) noexcept;
  // Copies labellings, flags and standing from a run of the same model; not messages, tally,
  // multipliers, or unfinished work.
  void take_over(const Model &model, const RunState &earlier) noexcept;
  // Abandons an unfinished round. Chains and cliques keep their flags; kAnswersLater becomes
  // kAnswersNow.
  void leave_round(const Model &model) noexcept;
  // Updates the state after scores of chains were replaced: round 0 is pending, bounds are void.
  void replaced_scores(const Model &model) noexcept;
  // Updates the state after labels and chain scores of `best` were replaced: round 0 is pending,
  // and then replaces chains of `best` whose score is minus infinity by those of `own`.
  void go_on_from_best(const Model &model) noexcept;
  void set_unit(double unit) noexcept {
    to_chain.set_unit(unit);
    to_clique.set_unit(unit);
  }
  // True if `best` holds an allowed labelling.
  bool found() const noexcept { return standing.has_labelling && best.total() > kForbidden; }

  Assignment own;  // best labelling of each chain without messages
  Assignment best; // best labelling found so far
  Assignment now;  // labelling of the current round, or under polish or repair
  MessageStore to_chain;
  MessageStore to_clique;
  std::uint8_t *chain_needs = nullptr;  // by chain: kNeedsOwn, kNeedsUpdate
  std::uint8_t *clique_needs = nullptr; // by clique: kAnswersNow, kAnswersLater
  Ranking ranking;
  DualState dual;

  Standing standing;
  Tally tally;
  Course course;
};

} // namespace chorale
