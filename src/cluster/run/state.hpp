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

// Scores of the parts of the model (Model::parts). Empty if there is one part only.
struct PartScores {
  PartScores() noexcept = default;
  PartScores(Layout &layout, const Model &model) noexcept;

  double *kept = nullptr;    // by part: equation 1 of RunState::best
  double *offered = nullptr; // by part: equation 1 of the labelling that is compared with it
  bool known = false;        // `kept` describes `best`
};

// Order of the cliques under the schedule DISAGREEMENT; empty under others.
struct Ranking {
  Ranking() noexcept = default;
  Ranking(Layout &layout, const Model &model) noexcept;

  std::int32_t *order = nullptr;        // cliques, by descending disagreement
  std::int32_t *disagreement = nullptr; // by clique: members that do not show its commonest column
  std::int32_t *gathered = nullptr;     // scratch: chains of a clique
};

// Set of numbers below a limit, in the order in which they were added.
struct WorkList {
  WorkList() noexcept = default;
  WorkList(Layout &layout, std::int64_t limit) noexcept
      : items(layout.take<std::int32_t>(limit)), has(layout.take<std::uint8_t>(limit)) {}

  void add(std::int32_t item) noexcept {
    if (has[item] == 0) {
      has[item] = 1;
      items[count++] = item;
    }
  }
  void clear() noexcept { drop(count); }
  // Removes the first `gone` items.
  void drop(std::int64_t gone) noexcept {
    for (std::int64_t k = 0; k < gone; ++k)
      has[items[k]] = 0;
    std::copy(items + gone, items + count, items);
    count -= gone;
  }

  std::int32_t *items = nullptr;
  std::uint8_t *has = nullptr; // by number: 1 if it is an item
  std::int64_t count = 0;
};

// Stages of a solve after edits (edits.hpp). `own`: decodes the edited chains without messages.
// `polish`: improves chains around the edits. `send`: updates the edited chains under the messages.
// `cliques`, `chains`: message rounds. `from_rounds`: polishes the labelling of the last round.
// `again`: polishes the best labelling, if a round found it. `from_own`: polishes the best labelling
// with the own labellings of the reached chains. `last`: visits their fellows, if that is better.
enum class EditStage {
  none,
  own,
  polish,
  send,
  cliques,
  chains,
  from_rounds,
  again,
  from_own,
  last
};

// The last complete solution, with its counts and the terms of its score, and the work that edits
// since then have left.
struct EditState {
  EditState(Layout &layout, const Model &model) noexcept;

  // Terms of equation 1 in blocks (BlockedSum).
  struct Sums {
    Sums() noexcept = default;
    Sums(Layout &layout, std::int64_t terms) noexcept
        : block(layout.take<MeasuredSum>(BlockedSum::blocks(terms))),
          stale(layout, BlockedSum::blocks(terms)) {}
    void note(std::int64_t term) noexcept {
      stale.add(static_cast<std::int32_t>(term / BlockedSum::kBlock));
    }
    // Sums the blocks again whose terms have changed; returns the sum of all.
    MeasuredSum total(const double *terms, std::int64_t count) noexcept;

    MeasuredSum *block = nullptr;
    WorkList stale; // blocks
  };

  // True if the members below describe the labellings own, best and now of RunState, where `now`
  // equals `best` unless a solve is unfinished.
  bool settled = false;
  std::int64_t settling = 0;       // cliques counted by an unfinished settle()
  bool converged = false;          // Standing::converged of the last complete solve
  std::int64_t changed_chains = 0; // chains whose labels differ in best and own
  CountStore counts;               // of `now`
  CountStore own_counts;           // of `own`
  double *clique_score = nullptr;     // by clique: C under `best`
  double *own_clique_score = nullptr; // by clique: C under `own`
  Sums chain_sums, clique_sums, own_chain_sums, own_clique_sums;

  WorkList chains;  // edited
  WorkList cliques; // edited
  std::int64_t edited_members = 0; // of the edited cliques
  // A queue in a ring: chains to improve. queued: by chain, 1 if in the queue.
  std::int32_t *queue = nullptr;
  std::uint8_t *queued = nullptr;
  std::int64_t capacity = 0; // chains
  std::int64_t head = 0;
  std::int64_t waiting = 0;
  std::int64_t visits = 0; // improvements tried in this stage
  // Scratch, by column or value of a centre.
  std::int64_t *counted = nullptr;
  std::int64_t *varied = nullptr;
  double *row_before = nullptr;
  double *row_after = nullptr;
  WorkList touched;         // chains that may differ in `now` and `best`
  WorkList touched_cliques; // cliques of these
  WorkList sending;         // chains with messages to compute
  WorkList answering;       // cliques with messages to compute
  WorkList reached;         // chains updated in the rounds of this solve

  void empty_queue() noexcept;
  // Forgets the solution and all work, so that the next solve is one of the whole model.
  void leave() noexcept;
  // Initialises the memory of the lists.
  void clear(const Model &model) noexcept;

  EditStage stage = EditStage::none;
  std::int64_t next = 0;     // next item of the list of the stage
  std::int64_t round = 0;
  bool is_infeasible = false; // an edited chain has no labelling
  bool round_found = false;   // a round found the best labelling
  bool leaves_messages = false; // a clique has messages to compute that this solve leaves alone
};

struct RunState {
  RunState() noexcept = default;
  RunState(Layout &layout, const Model &model, const RunOptions &options,
           const Inputs &inputs) noexcept;

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
  // Same, for edits of a complete solution: there is no unfinished work.
  void replaced_inputs() noexcept;
  // Updates the state after labels and chain scores of `best` were replaced: round 0 is pending,
  // and then replaces chains of `best` whose score is minus infinity by those of `own`.
  void go_on_from_best(const Model &model) noexcept;
  void set_unit(double unit) noexcept {
    to_chain.set_unit(unit);
    to_clique.set_unit(unit);
  }
  // True if `edits` describes the last complete solution.
  bool is_settled() const noexcept { return edits && edits->settled; }
  // Makes the next solve one of the whole model.
  void leave_edits() noexcept {
    if (edits)
      edits->leave();
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
  EditState *edits = nullptr; // NULL in a run without edits
  PartScores parts;

  Standing standing;
  Tally tally;
  Course course;
};

} // namespace chorale
