// The public run: messages, labellings and their upkeep.
//
// All memory is in two blocks: what the run remembers, and for each worker the room of one chain or
// clique program. Behind the last room, or in what a chain program leaves of it, is what lives no
// longer than a polish or a repair. The parts of a run are in rounds.cpp, polish.cpp, repair.cpp,
// dual.cpp and outcome.cpp.
#pragma once

#include "base/parallel.hpp"
#include "cluster/run/assignment.hpp"
#include "cluster/run/chain_program.hpp"
#include "cluster/run/clique_program.hpp"
#include "cluster/run/message_store.hpp"

#include <chorale/run.h>

#include <atomic>
#include <utility>

namespace chorale {

// The executor of a run, which hears of a loop that was not carried out.
struct RunExecutor : Executor {
  std::atomic<RunFailure> *failure = nullptr; // of the run
};

template <class Step>
void parallel_for(const RunExecutor &executor, std::int64_t count, std::int64_t grain,
                  Step &&step) noexcept {
  if (!parallel_for(static_cast<const Executor &>(executor), count, grain,
                    std::forward<Step>(step)))
    executor.failure->store(RunFailure::executor, std::memory_order_relaxed);
}

// What a run is in the middle of. Its callbacks are called in the middle of a call.
enum class Activity : std::int32_t {
  none,
  working, // labellings and messages are being changed
  telling  // progress: they are at rest, and may be read
};

// Options, checked.
struct RunOptions {
  std::int64_t rounds = 10;
  double damping = 0;
  chorale_schedule schedule = CHORALE_SCHEDULE_ALL;
  CliqueSettings clique;
  JointOptions joint{CHORALE_JOINT_AUTO, 300, 1024};
  bool polish = true;
  bool restrict_range = false;
  MessageNumber messages = MessageNumber::automatic;
  RunExecutor executor;
  double time_limit = -1;
  const chorale_cancel *cancel = nullptr;
  chorale_progress_function progress = nullptr;
  void *progress_user = nullptr;
  std::int64_t bound_steps = 0;
};

// Work of one worker that is added up when a loop is over.
struct alignas(kAlignment) Worker {
  Limits limits;
  std::byte *room = nullptr;
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
  std::int64_t changed = 0;
};

// What a chain waits for.
inline constexpr std::uint8_t kNeedsOwn = 1;    // to be decoded by itself
inline constexpr std::uint8_t kNeedsUpdate = 2; // to be decoded under new messages and to answer

// unknown: it has not been looked at yet. unchanged: no clique of the chain has changed since it was
// looked at last.
enum class Verdict : std::int32_t { unknown, unchanged, stays, gains };

// What a chain of the batch would show.
struct Proposal {
  std::int32_t chain;
  std::int32_t first_label; // among the labels of the batch
  std::int32_t first_whole;
  Verdict verdict;
  bool repeats; // the chain has several slots in one clique
  double score;
};

// Memory of a run, laid out by its constructor.
struct RunMemory {
  RunMemory() noexcept = default;
  RunMemory(Layout &layout, const Model &model, const RunOptions &options) noexcept;

  Assignment own;  // the chains' own best labellings
  Assignment best; // the best labelling so far
  Assignment now;  // of this round, or being polished
  MessageStore to_chain;
  MessageStore to_clique;
  std::uint8_t *chain_needs;  // kNeeds bits
  std::uint8_t *clique_needs; // 1: some message to it has changed
  double *bounds;             // scratch of the dual bound: of each clique, then of each chain
  std::int32_t *order;        // schedules by disagreement: cliques; else NULL
  std::int32_t *disagreement; // likewise
  std::int32_t *gathered;     // likewise: chains of a clique
  Worker *workers;
};

// What the polish alone remembers; behind the rooms of chain programs, in what clique programs have
// left.
struct PolishMemory {
  PolishMemory() noexcept = default;
  PolishMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts;        // of every clique's columns
  std::int32_t *changed_at; // clique: number of the last change of its counts
  std::int32_t *visited_at; // chain: the last change it has taken into account
  LabelStore proposed_labels;
  std::int32_t *proposed_wholes; // what whole-chain slots would show
  Proposal *batch;
  std::int64_t proposal_labels = 0; // room for proposals
  std::int64_t proposal_wholes = 0;
  std::int64_t batch_chains = 0;
};

// What the repair alone remembers; behind the rooms of chain programs as well.
struct RepairMemory {
  RepairMemory() noexcept = default;
  RepairMemory(Layout &layout, const Model &model) noexcept;

  CountStore counts;     // of every clique's columns
  std::int32_t *weight;  // of each clique
  std::int64_t *scratch; // counts of one clique
};

// Multipliers of the dual; kept apart because not every run has them.
struct DualMemory {
  DualMemory() noexcept = default;
  DualMemory(Layout &layout, const Model &model) noexcept
      : multipliers(layout.take<double>(model.message_count)),
        best(layout.take<double>(model.message_count)),
        by_chain(layout.take<std::int32_t>(model.members.size())),
        by_clique(layout.take<std::int32_t>(model.members.size())) {}
  double *multipliers = nullptr; // what chains get and cliques pay for each column
  double *best = nullptr;        // those of the lowest bound
  // By place in Model::members: what the chain's best labelling shows, and what the clique would
  // have.
  std::int32_t *by_chain = nullptr;
  std::int32_t *by_clique = nullptr;
};

// ---- What is under way -----------------------------------------------------------------------
//
// A call that limits end leaves its work where it is, and the next call of the same kind goes on
// from there: whatever the slices, what is computed and its order are the same. Work is done in
// steps that are whole or not at all: a chain, a clique, a stretch of cliques that is scored.

// own .. own_offer are round 0: chains by themselves, then (1) of their labellings, of the labelling
// there is already, and of the labelling of the round. ranked: cliques in the order of disagreement,
// with their chains.
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

enum class PolishStage : std::int32_t { none, counts, sweeps, score };

struct PolishCourse {
  PolishStage stage = PolishStage::none;
  bool from_own = false; // the second start: the chains' own labellings
  // The best labelling before this start.
  double score_before = kForbidden;
  std::int64_t round_before = 0;
  // counts: the clique and member that comes next.
  std::int64_t clique = 0;
  std::int32_t member = 0;
  // sweeps
  std::int32_t sweep = 0;
  std::int32_t stamp = 0;       // number of the last change
  bool changed = false;         // in this sweep
  bool moved = false;           // since the labelling was last offered
  std::int64_t next = 0;        // the chain behind the batch
  std::int64_t batch = 0;       // chains in the batch; 0: none is under way
  std::int64_t judged = 0;      // of these
  std::int32_t batch_stamp = 0; // when they were asked
};

// plain, half: the first steps, without multipliers and with half of the messages.
enum class DualStage : std::int32_t { none, plain, half, steps };

struct DualCourse {
  DualStage stage = DualStage::none;
  bool evaluating = false; // some of `bounds` are known
  std::int64_t left = 0;   // steps
};

enum class RepairStage : std::int32_t { none, search, score, polish };

struct RepairCourse {
  RepairStage stage = RepairStage::none;
  std::int32_t pass = 0;
  double price = 0;         // of a violation of 1 in a clique of weight 1
  std::uint64_t random = 1; // the state of the random walk
  std::int64_t decodes = 0; // that may still be made
  bool forbids = false;     // some clique, in this pass
  bool gains = false;       // some chain, in this pass
  // The clique that is being repaired, the member that comes next, and the chain tried last.
  std::int32_t clique = 0;
  bool in_clique = false;
  std::int32_t member = 0;
  std::int32_t last = -1;
  std::int32_t walked = -1; // at the end of a pass: the clique to give another value in
};

struct Course {
  bool solving = false;
  std::int64_t rounds_left = 0; // of a solve
  RoundStage round = RoundStage::none;
  std::int64_t place = 0; // ranked: in the order of the cliques
  bool answered = false;  // ranked: that clique has answered its chains
  std::int64_t scored = 0; // cliques whose C is in the sum already
  PolishCourse polish;
  RepairCourse repair;
  DualCourse dual;
};

// C of a clique in an assignment. `counts`: scratch, one number a column.
double score_of_clique(const Clique &clique, const Assignment &of, std::int64_t *counts,
                       CallbackFailure *failure) noexcept;

// Cliques that are scored between two looks at the limits, at most.
inline constexpr std::int64_t kScoredCliques = 1024;

// Rooms of programs, in bytes: multiples of kAlignment.
struct RoomBytes {
  // The largest chain program, with what the polish needs for a chain, or what it takes to score
  // cliques: behind it is what a polish remembers.
  std::size_t chain = 0;
  std::size_t worker = 0; // the largest program
};

// Bytes the polish needs for a chain beside its program.
std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept;
// The same of the repair.
std::size_t repair_bytes(const Model &model, std::int32_t chain) noexcept;

// A chain that the run was told to read elsewhere.
struct Replaced {
  std::int32_t chain;
  ChainView view;
};
enum class Replacement : std::int32_t { done, no_memory, state_space };

} // namespace chorale

struct chorale_run {
  chorale_run(const chorale::Memory &from, const chorale::Model &of,
              const chorale::RunOptions &with) noexcept
      : memory(from), model(chorale::retain(&of)), options(with), replaced(from),
        kept_columns(from), kept(from) {
    options.executor.failure = &failure;
  }
  ~chorale_run();
  chorale_run(const chorale_run &) = delete;
  chorale_run &operator=(const chorale_run &) = delete;

  // ---- Memory (run.cpp) ----
  // Settles what messages are stored as, if that is left to the run. First of all.
  void choose_messages() noexcept;
  // Settles the unit of what messages are stored as, before the first of them is: chains are read
  // where they lie.
  void choose_unit() noexcept;
  // Lays everything out; false where there is no memory.
  bool prepare() noexcept;
  bool make_rooms(const chorale::RoomBytes &bytes) noexcept;
  // Of all rooms and what lies behind them.
  std::size_t all_rooms(const chorale::RoomBytes &bytes) const noexcept;
  // Behind what programs of so many bytes take of the last room.
  std::byte *behind(std::size_t bytes) const noexcept {
    return at.workers[options.executor.workers - 1].room + bytes;
  }
  std::size_t measure_chain(std::int32_t chain) const noexcept;
  void forget_bound() noexcept;
  void judge_chain(chorale::Assignment &of, std::int32_t number) noexcept;
  // Bytes of all of it, as far as they are known before ranges are restricted.
  std::size_t estimate() const noexcept;
  // The first chain whose joint state, asked to be exact or absorbed, exceeds the budget, or whose
  // properties are too many; or -1.
  std::int32_t try_joint_states() noexcept;
  bool fits_joint_state(std::int32_t number) noexcept;
  // Finds the columns each property clique keeps. False: `failure` or no memory.
  bool restrict_ranges() noexcept;
  void reset() noexcept;
  void start_from(const chorale_run &earlier) noexcept;
  chorale::Replacement replace(std::int32_t chain, const chorale::ChainView &view) noexcept;
  chorale::ChainView view_of(std::int32_t chain) const noexcept;

  // ---- Rounds (rounds.cpp) ----
  void begin_call() noexcept;
  // Round 0, or the next one, or what is left of one that is under way. False where the call must
  // end.
  bool step() noexcept;
  void solve() noexcept;
  // ---- Polish (polish.cpp), repair (repair.cpp), dual bound (dual.cpp) ----
  void polish() noexcept;
  // Where everything met is forbidden: looks for a labelling that is not, and polishes that.
  void repair() noexcept;
  void tighten(std::int64_t steps) noexcept;
  // ---- Outcome (outcome.cpp) ----
  chorale_run_result result() const noexcept;
  double clique_score(const chorale::Assignment &of, const chorale::Clique &clique) const;
  double payment(const chorale::Slot &slot) const;
  bool has_changed(std::int32_t chain) const noexcept;
  chorale::RunFailure chain_marginals(std::int32_t chain, double *marginals,
                                      std::ptrdiff_t row_stride, double *margins) noexcept;
  std::size_t write_json(char *buffer, std::size_t capacity) const;

  bool must_stop() const noexcept {
    return stop.load(std::memory_order_relaxed) != 0 ||
           failure.load(std::memory_order_relaxed) != chorale::RunFailure::none;
  }
  void fail(chorale::RunFailure why) noexcept {
    if (why != chorale::RunFailure::none)
      failure.store(why, std::memory_order_relaxed);
  }

  chorale::Memory memory;
  chorale_model *model;
  chorale::RunOptions options;
  chorale::Block block;
  chorale::Block rooms;
  chorale::Block dual_block;
  chorale::RoomBytes room_bytes;
  chorale::RunMemory at;
  chorale::DualMemory dual;
  chorale::Array<chorale::Replaced> replaced; // ascending by chain
  chorale::Array<std::int32_t> kept_columns;
  chorale::Array<chorale::KeptColumns> kept; // by clique, or empty

  // What the results say.
  bool pending = true; // some chains are to be decoded by themselves, or judged anew
  bool infeasible = false;
  bool converged = false;
  std::int64_t rounds = 0;
  std::int64_t best_round = 0;
  std::int64_t messages_changed = 0;
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
  double own_score = chorale::kForbidden;
  double rounds_score = chorale::kForbidden;
  double polished_score = chorale::kForbidden;
  double polished_own_score = chorale::kForbidden;
  double upper_bound = chorale::kInfinity;
  double dual_bound = chorale::kInfinity; // at dual.best
  double dual_pace = 1;
  std::int64_t dual_stalled = 0;
  bool dual_started = false;
  chorale::Course course;
  chorale::Limits limits;             // of this call, once a step of it has been done
  std::atomic<bool> has_worked{false}; // in this call
  int fruitless_calls = 0;             // in a row, that ended at a deadline before their first step
  std::atomic<std::int32_t> stop{0};
  std::atomic<chorale::RunFailure> failure{chorale::RunFailure::none};
  std::atomic<chorale::Activity> activity{chorale::Activity::none};

  // ---- Steps of a round ----
  chorale::RoomBytes measure_rooms() const noexcept;
  // At the beginning of a room while (1) is evaluated, programs being at rest: the counts of a
  // clique; behind them, in the last worker's, the scores of a stretch of cliques.
  std::size_t count_bytes() const noexcept;
  std::size_t value_bytes() const noexcept;
  bool check_limits(chorale::Worker &worker) noexcept;
  // Notes why a program has not done what it was asked for: it failed, or limits ended it.
  void give_up(const chorale::ChainProgram &program, chorale::Worker &worker) noexcept;
  void update_chain(std::int32_t chain, chorale::Worker &worker) noexcept;
  void update_clique(std::int32_t clique, chorale::Worker &worker) noexcept;
  void update_chains() noexcept;
  void update_cliques() noexcept;
  void update_by_disagreement() noexcept;
  void rank_cliques() noexcept;
  void first_round() noexcept;
  bool end_round() noexcept;
  // Leaves a round that is under way; what chains and cliques wait for stays.
  void drop_round() noexcept;
  void finish_step() noexcept { has_worked.store(true, std::memory_order_relaxed); }
  void add_up() noexcept;
  void report_progress() noexcept;
  // (1) of an assignment, into its totals. False where the call must end.
  bool evaluate(chorale::Assignment &of) noexcept;
  double score_clique(const chorale::Assignment &of, std::int64_t clique,
                      const chorale::Worker &worker) noexcept;
  // Takes `now` as the best labelling where it is. False where the call must end.
  bool offer_now() noexcept;
  void offer_polished_so_far() noexcept;
  bool end_polish() noexcept;
  void take_own(chorale::Assignment &of, std::int32_t number) noexcept;

  bool has_unit = false;      // see choose_unit
  bool zero_messages = true;  // no clique has answered yet
  bool is_polished = false;   // nothing has happened since
  bool has_labelling = false; // `best` holds one
  bool fill_in_own = false;   // but not for chains of score minus infinity
};

namespace chorale {
using Run = ::chorale_run;
}
