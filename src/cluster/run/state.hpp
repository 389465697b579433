// What a run remembers from call to call: labellings, messages, scores, and where a call stopped.
//
// Nothing here computes. Rounds, polish, repair and dual bound work on it; a new start, a reset and
// a warm start replace the plain structs as wholes.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/course.hpp"
#include "cluster/run/options.hpp"

namespace chorale {

// What a chain waits for.
inline constexpr std::uint8_t kNeedsOwn = 1;    // to be decoded by itself
inline constexpr std::uint8_t kNeedsUpdate = 2; // to be decoded under its messages, and to send
// What a clique waits for: an answer in this round, or in the next.
inline constexpr std::uint8_t kAnswersNow = 1;
inline constexpr std::uint8_t kAnswersLater = 2;

// How far the run has come. A warm start from the same model takes it over as it is.
struct Standing {
  bool pending = true;        // some chain waits for kNeedsOwn, or its scores were replaced
  bool infeasible = false;    // some chain has no labelling
  bool converged = false;     // no clique waits for an answer
  bool has_labelling = false; // RunState::best holds one
  // In round 0 chains whose score in `best` is minus infinity take their own labelling.
  bool fill_in_own = false;
  bool is_polished = false;   // and nothing has changed since
  bool zero_messages = true;  // no clique has answered yet
  bool has_unit = false;      // the unit of the message stores is chosen
  // Hashes of the labellings of the last rounds, the last one first; 0 before there was one.
  std::uint64_t labellings[4] = {};
  bool alternates = false; // between two labellings, in the last four rounds
  std::int64_t best_round = 0;
  double own_score = kForbidden;
  double rounds_score = kForbidden;
  double polished_score = kForbidden;
  double polished_own_score = kForbidden;
  double upper_bound = kInfinity;
};

// What this run has done so far.
struct Tally {
  std::int64_t rounds = 0;
  std::int64_t messages_changed = 0; // in the last round
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
};

// Progress of the subgradient steps.
struct DualProgress {
  bool started = false;
  double bound = kInfinity; // the lowest so far
  double pace = 1;          // factor of the step size
  std::int64_t stalled = 0; // steps since the bound last fell, or since the pace did
};

// Multipliers of the dual bound. Empty in a run that computes none.
struct DualState {
  DualState() noexcept = default;
  DualState(Layout &layout, const Model &model) noexcept;

  double *multipliers = nullptr; // by message entry: what chains are paid and cliques charged
  double *bounds = nullptr;      // of each clique, then of each chain; NaN: not computed yet
  // By place in Model::members: what the chain's best labelling shows, and what the clique wants.
  std::int32_t *by_chain = nullptr;
  std::int32_t *by_clique = nullptr;
  DualProgress progress;
};

// Order of the cliques under the schedule DISAGREEMENT; empty under others.
struct Ranking {
  Ranking() noexcept = default;
  Ranking(Layout &layout, const Model &model) noexcept;

  std::int32_t *order = nullptr;        // cliques
  std::int32_t *disagreement = nullptr; // by clique: members that do not show its commonest value
  std::int32_t *gathered = nullptr;     // scratch: chains of a clique
};

struct RunState {
  RunState() noexcept = default;
  RunState(Layout &layout, const Model &model, const RunOptions &options) noexcept;

  // As a new run.
  void reset(const Model &model) noexcept;
  // Takes over everything of a run of the same model but its tally, its multipliers, and the work
  // that a call has left.
  void take_over(const Model &model, const RunState &earlier) noexcept;
  // Leaves a round that is under way. What chains and cliques wait for stays.
  void leave_round(const Model &model) noexcept;
  // After scores of some chains have been replaced: round 0 is pending, and no bound holds.
  void replaced_scores(const Model &model) noexcept;
  // After the labels of `best` have been replaced, and judged chain by chain: round 0 is pending.
  // A chain whose score is minus infinity then takes its own labelling.
  void go_on_from_best(const Model &model) noexcept;
  void set_unit(double unit) noexcept {
    to_chain.set_unit(unit);
    to_clique.set_unit(unit);
  }
  // True if the labelling is one that results may be read from.
  bool found() const noexcept { return standing.has_labelling && best.total() > kForbidden; }

  Assignment own;  // every chain's best labelling by itself
  Assignment best; // the best labelling so far
  Assignment now;  // the labelling of this round, or the one being polished
  MessageStore to_chain;
  MessageStore to_clique;
  std::uint8_t *chain_needs = nullptr;
  std::uint8_t *clique_needs = nullptr;
  Ranking ranking;
  DualState dual;

  Standing standing;
  Tally tally;
  Course course;
};

} // namespace chorale
