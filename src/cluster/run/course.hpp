// Where a call that limits ended has left its work.
//
// The next call of the same kind goes on from there: what is computed, and in which order, does not
// depend on how the work is cut into calls. Work is cut between steps, and a step is done whole or
// not at all: one chain, one clique, one stretch of cliques that are scored.
#pragma once

#include "base/numeric.hpp"

#include <cstdint>

namespace chorale {

// `own` to `own_offer` are round 0: every chain decoded by itself, then equation 1 of these
// labellings, of the best labelling from before, and of `now`. `cliques`, `chains` and `offer` are
// a round of the schedule ALL; `rank`, `ranked` and `offer` one of the schedule DISAGREEMENT.
enum class RoundStage : std::int32_t {
  none,
  own,
  own_score,
  kept_score,
  own_offer,
  cliques,
  chains,
  rank,
  ranked,
  offer
};

struct RoundCourse {
  RoundStage stage = RoundStage::none;
  std::int64_t place = 0; // ranked: index into Ranking::order
  bool answered = false;  // ranked: the clique at `place` has answered, its chains are next
};

// `closed`: closed cliques that have not been solved yet are; no later stage looks at them.
enum class PolishStage : std::int32_t { none, closed, counts, sweeps, score };

struct PolishCourse {
  PolishStage stage = PolishStage::none;
  bool from_own = false; // the second start, from the chains' own labellings
  // Score and round of the best labelling before this start.
  double score_before = kForbidden;
  std::int64_t round_before = 0;
  // Stage counts: the next clique, and its next member.
  std::int64_t clique = 0;
  std::int32_t member = 0;
  // Stage sweeps.
  std::int32_t sweep = 0;
  std::int32_t stamp = 0;       // number of labellings taken so far
  bool changed = false;         // a labelling was taken in this sweep
  bool moved = false;           // a labelling was taken since `now` was last offered
  std::int64_t next = 0;        // first chain behind the batch
  std::int64_t batch = 0;       // chains in the batch; 0: no batch is under way
  std::int64_t judged = 0;      // chains of the batch that have been judged
  std::int32_t batch_stamp = 0; // `stamp` when the batch was made
};

// `plain` and `half` are the first steps: without multipliers, and with half of the messages.
enum class DualStage : std::int32_t { none, plain, half, steps };

struct DualCourse {
  DualStage stage = DualStage::none;
  bool evaluating = false; // part of DualState::bounds is filled
  bool keeps_bounds = false; // DualState::bounds holds but for those that are NaN
  std::int64_t left = 0;   // steps to go
};

enum class RepairStage : std::int32_t { none, search, score, polish };

struct RepairCourse {
  RepairStage stage = RepairStage::none;
  std::int32_t pass = 0;
  double price = 0;         // of a violation of 1 in a clique of weight 1
  std::uint64_t random = 1; // state of the random walk
  std::int64_t decodes = 0; // decodes that may still be made
  bool forbids = false;     // in this pass some clique forbids the labelling
  bool gains = false;       // in this pass some chain lowered the weighted violations
  std::int32_t clique = 0;  // the clique under repair
  bool in_clique = false;   // the two fields below are of `clique`
  std::int32_t member = 0;  // its next member
  std::int32_t last = -1;   // the chain tried last
  std::int32_t walked = -1; // at the end of a pass: the clique whose member gets another value
};

struct Course {
  bool solving = false;
  std::int64_t rounds_left = 0; // of a solve
  std::int64_t scored = 0;      // cliques that an evaluation under way has added up
  RoundCourse round;
  PolishCourse polish;
  RepairCourse repair;
  DualCourse dual;
};

} // namespace chorale
