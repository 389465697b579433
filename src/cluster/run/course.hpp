// Progress of work that a call had to leave unfinished because its limits (deadline, cancellation)
// ended it.
//
// The next call of the same kind resumes there, so results do not depend on how work is divided
// into calls. Calls end between steps only; a step is one chain, one clique, or one batch of
// cliques that are scored, and is done completely or not at all.
#pragma once

#include "base/numeric.hpp"

#include <cstdint>

namespace chorale {

// Stages of a round. Round 0: `own` decodes every chain without messages; `own_score` and
// `own_offer` evaluate the labellings own and now of RunState. Later rounds
// of the schedule ALL: `cliques`, `chains`, `offer`; of DISAGREEMENT: `rank`, `ranked`, `offer`.
enum class RoundStage : std::int32_t {
  none,
  own,
  own_score,
  own_offer,
  cliques,
  chains,
  rank,
  ranked,
  offer
};

struct RoundCourse {
  RoundStage stage = RoundStage::none;
  std::int64_t place = 0; // stage ranked: index into Ranking::order
  bool answered = false;  // stage ranked: the clique at `place` has sent; its chains are next
};

// Stages of a polish. `closed`: solves closed cliques that are not solved yet (closed.hpp); the
// later stages skip them. `counts`: counts the columns shown in each clique. `sweeps`: improves one
// chain after the other. `score`: evaluates the result.
enum class PolishStage : std::int32_t { none, closed, counts, sweeps, score };

struct PolishCourse {
  PolishStage stage = PolishStage::none;
  bool from_own = false; // this is the second start, from RunState::own
  // Score of the best labelling before this start, and the round that found it.
  double score_before = kForbidden;
  std::int64_t round_before = 0;
  // Stage counts: next clique, and its next member.
  std::int64_t clique = 0;
  std::int32_t member = 0;
  // Stage sweeps.
  std::int32_t sweep = 0;
  std::int32_t stamp = 0;       // number of accepted proposals
  bool changed = false;         // a proposal was accepted in this sweep
  bool moved = false;           // a proposal was accepted since `now` was last offered as best
  std::int64_t next = 0;        // first chain after the batch
  std::int64_t batch = 0;       // chains in the batch; 0: there is none
  std::int64_t judged = 0;      // proposals of the batch already accepted or rejected
  std::int32_t batch_stamp = 0; // `stamp` when the batch was made
};

// Stages of the dual bound. `plain`: bound with multipliers of 0. `half`: bound with half of each
// message as multiplier. `steps`: subgradient steps.
enum class DualStage : std::int32_t { none, plain, half, steps };

struct DualCourse {
  DualStage stage = DualStage::none;
  bool evaluating = false;   // an evaluation is unfinished: DualState::bounds is partly filled
  bool keeps_bounds = false; // entries of DualState::bounds that are not NaN are valid
  std::int64_t left = 0;     // remaining steps
};

enum class RepairStage : std::int32_t { none, search, score, polish };

struct RepairCourse {
  RepairStage stage = RepairStage::none;
  std::int32_t pass = 0;
  double price = 0;         // penalty of a violation of 1 in a clique of weight 1
  std::uint64_t random = 1; // state of the random walk
  std::int64_t decodes = 0; // remaining budget of decodes
  bool forbids = false;     // a clique that forbids the labelling was met in this pass
  bool gains = false;       // a chain lowered the weighted violations in this pass
  std::int32_t clique = 0;  // current clique
  bool in_clique = false;   // `member` and `last` refer to `clique`
  std::int32_t member = 0;  // next member of `clique`
  std::int32_t last = -1;   // chain tried last
  std::int32_t walked = -1; // clique drawn for the random move at the end of a pass, or -1
};

// Call whose work is done but for the preparation for edits (Edits::settle), which limits interrupted.
enum class Settling : std::int32_t { none, solve, polish, bound };

// Stages of the comparison of a labelling with the best one. `scores`: evaluates the labelling.
// `kept`: evaluates the best one, if its scores are not known. `take`: evaluates the labelling that
// has the better of the two in each part of the model, and keeps it.
enum class OfferStage : std::int32_t { scores, kept, take };

struct Course {
  Settling settling = Settling::none;
  bool solving = false;
  std::int64_t rounds_left = 0; // remaining rounds of a solve
  std::int64_t scored = 0;      // cliques already summed by an unfinished evaluation
  BlockedSum scored_sum;        // their sum
  OfferStage offer = OfferStage::scores;
  RoundCourse round;
  PolishCourse polish;
  RepairCourse repair;
  DualCourse dual;
};

} // namespace chorale
