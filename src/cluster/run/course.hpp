// Progress of work that a call left unfinished because a limit (deadline, cancellation) ended it.
//
// The next call of the same kind resumes this work, so results do not depend on how work is divided
// into calls. A *step* works on one chain or one clique, scores one batch of cliques, or counts the
// columns of all cliques. If a limit interrupts a step, the next call does the whole step again.
#pragma once

#include "base/numeric.hpp"

#include <cstdint>

namespace chorale {

// Stages of a round. Round 0: `own` decodes chains without messages and computes their messages;
// `own_score` and `own_offer` evaluate the labellings `own` and `now` of RunState. A later round:
// `cliques` computes the messages of the cliques, `chains` decodes the chains and computes theirs,
// `offer` evaluates the labelling.
enum class RoundStage : std::int32_t { none, own, own_score, own_offer, cliques, chains, offer };

struct RoundCourse {
  RoundStage stage = RoundStage::none;
  // Round 0: every chain has been decoded without messages; some may still have to send messages.
  bool knows_own = false;
};

// Stages of a polish. `closed`: solves closed cliques (closed.hpp) that have not been solved yet.
// `counts`: counts the columns shown in each clique. `sweeps`: improves one chain after the other,
// except the items of closed cliques. `score`: evaluates the result.
enum class PolishStage : std::int32_t { none, closed, counts, sweeps, score };

struct PolishCourse {
  PolishStage stage = PolishStage::none;
  // A polish has one or two starts. The first begins from RunState::best; the second, in which
  // from_own is true, from RunState::own, unless the first has begun from that labelling already.
  bool from_own = false;
  // RunState::best when the present start began: its score, and the last round from which a part of
  // it was taken (Standing::best_round).
  double score_before = kForbidden;
  std::int64_t round_before = 0;
  // In stage `sweeps`:
  std::int32_t sweep = 0;
  std::int32_t stamp = 0;  // how often a chain was changed so far
  bool changed = false;    // a chain was changed in this sweep
  bool moved = false;      // a chain was changed since `now` was last compared with the best labelling
  std::int64_t next = 0;   // the first chain of the batch (polish.hpp)
  std::int64_t batch = 0;  // number of chains in the batch; 0: there is no batch
  std::int64_t judged = 0; // how many chains of the batch the second search has passed (polish.hpp)
};

// Stages of the dual bound (dual.hpp explains D). `plain`: evaluates D with all multipliers 0.
// `half`: evaluates D with half of each message as multiplier. `steps`: subgradient steps.
enum class DualStage : std::int32_t { none, plain, half, steps };

struct DualCourse {
  DualStage stage = DualStage::none;
  // An evaluation is unfinished: of D, whose bounds in DualState are partly filled, or of the
  // labelling found with it.
  bool evaluating = false;
  bool keeps_bounds = false; // DualState's bounds that are not NaN are still valid
  std::int64_t left = 0;     // remaining steps
};

// Progress of a regroup, a local search by moves of several chains (regroup.hpp).
struct RegroupCourse {
  bool started = false;
  std::uint64_t random = 1;   // state of the random numbers
  std::int64_t spent = 0;     // steps so far (GroupMoves::cost in regroup.cpp)
  std::int64_t moves = 0;     // number of moves tried so far
  std::int64_t gained_at = 0; // `spent` at the last gain
};

// Stages of a repair (repair.hpp). `search`: local search for a labelling that no clique forbids.
// `score`: evaluates the labelling found. `polish`: polishes it, if it is allowed.
enum class RepairStage : std::int32_t { none, search, score, polish };

struct RepairCourse {
  RepairStage stage = RepairStage::none;
  std::int32_t pass = 0;
  double price = 0;         // penalty for a violation of 1 (repair.hpp) in a clique of weight 1
  std::uint64_t random = 1; // state of the random walk
  std::int64_t decodes = 0; // how many more decodes are allowed
  bool is_hopeless = false; // some clique forbids every labelling of a chain
  bool forbids = false;     // a clique that forbids the labelling was met in this pass
  bool gains = false;       // a chain lowered the weighted violations in this pass
  std::int32_t clique = 0;  // current clique
  bool in_clique = false;   // `clique` was begun: go on at `member`
  std::int32_t member = 0;  // number of members of `clique` that are done in this pass
  std::int32_t last = -1;   // the chain of `clique` that was tried last; -1: none yet
  std::int32_t walked = -1; // clique drawn for the random move that ends a pass; -1: none drawn yet
};

// Stages of comparing a labelling with the best labelling so far. `scores`: evaluates the new
// labelling. `kept`: evaluates the best labelling, if the scores of its parts are not known.
// `take`: takes each part of the model (parts.hpp) from the labelling that scores more there, and
// evaluates and keeps the result.
enum class OfferStage : std::int32_t { scores, kept, take };

// The kind of the call that was interrupted in its last work, the preparation for edits
// (Edits::settle).
enum class Settling : std::int32_t { none, solve, polish, bound };

struct Course {
  bool solving = false; // a solve is unfinished
  Settling settling = Settling::none;
  std::int64_t rounds_left = 0; // remaining rounds of a solve, round 0 not counted
  std::int64_t scored = 0;      // number of cliques that an unfinished evaluation has summed
  BlockedSum scored_sum;        // the sum of the scores of these cliques
  OfferStage offer = OfferStage::scores;
  RoundCourse round;
  PolishCourse polish;
  RepairCourse repair;
  RegroupCourse regroup;
  DualCourse dual;
};

} // namespace chorale
