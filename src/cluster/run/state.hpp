// State of a run that persists between calls: labellings, messages, scores, unfinished work.
//
// All parts of a run compute on this state. A reset starts Standing, Tally and Course anew. A warm
// start, which begins from an earlier run, copies Standing from that run if both have the same
// model and the earlier run has neither replaced scores nor edits (inputs.hpp). "Equation 1" is the
// score of a whole labelling: the sum of phi (the score of a chain) over the chains plus the sum of
// the potential C over the cliques. An array "by message entry" has one entry for each entry of all
// message rows (Clique::row). edits.hpp explains edits.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/call.hpp"
#include "cluster/run/course.hpp"
#include "cluster/run/inputs.hpp"
#include "cluster/run/message_store.hpp"
#include "cluster/run/options.hpp"

#include <gsl/gsl>

namespace chorale {

// Flags of a chain, which say what work is pending.
inline constexpr std::uint8_t kNeedsOwn = 1; // decode without messages
// Decode under the incoming messages, and send messages. An item of a closed clique: have its
// clique solved.
inline constexpr std::uint8_t kNeedsUpdate = 2;
// Set with the two above: the chain has sent messages, but other chains were left out after that, so
// it sends them again.
inline constexpr std::uint8_t kSendsAgain = 4;
// Flags of a clique: its outgoing messages are to be computed, or if it is closed, it is to be
// solved.
inline constexpr std::uint8_t kAnswersNow = 1; // as soon as a round updates cliques
// Not again in this round, but in the next: leave_round() turns it into kAnswersNow.
inline constexpr std::uint8_t kAnswersLater = 2;

// Detects that message rounds alternate between two labellings.
struct Alternation {
  void add(std::uint64_t labelling_hash) noexcept;
  bool found = false; // true if the last four rounds alternated between two labellings

private:
  std::uint64_t last_[4] = {}; // hashes of the last four rounds, newest first; 0: no such round
};

// Progress and scores of the run. A warm start from the same model copies the struct.
struct Standing {
  // True if further rounds are useless: messages have converged or alternate, or no chain has a
  // labelling.
  bool at_end() const noexcept {
    return !pending && (infeasible || converged || alternation.found);
  }

  bool pending = true;        // round 0 is to be run
  // Number of chains that are left out: they have no labelling, or are set aside.
  std::int64_t left_out = 0;
  bool has_aside = false;     // some chain is set aside (RunState::set_aside_by)
  bool infeasible = false;    // the model has chains, and all of them are left out
  bool converged = false;     // no clique has messages to recompute
  bool has_labelling = false; // RunState::best holds a labelling
  // True if round 0 must copy from RunState::own to RunState::best the chains whose score in `best`
  // is minus infinity.
  bool fill_in_own = false;
  bool is_polished = false;   // `best` is the result of a polish, and nothing has changed since
  // A solve does not regroup: `best` is the result of a regroup or of a solve after edits, and
  // nothing has changed since.
  bool is_regrouped = false;
  bool zero_messages = true;  // no clique has sent messages yet
  bool has_unit = false;      // the unit of the message stores is chosen
  Alternation alternation;
  // Number of rounds that were done when a part of `best` was last replaced; 0 if the polish that
  // starts from `own` replaced it.
  std::int64_t best_round = 0;
  double own_score = kForbidden;      // equation 1 of RunState::own; minus infinity until round 0
  double rounds_score = kForbidden;   // greatest equation 1 of a labelling that a round ended with
  double local_search_score = kForbidden; // equation 1 after the polish that starts from `best`
  double local_search_own_score = kForbidden; // equation 1 after the polish that starts from `own`
  double upper_bound = kInfinity;
};

// Counts of work done by this run.
struct Tally {
  // Adds the counters of all workers to this struct, and sets them to 0.
  void take(gsl::span<Worker> workers) noexcept;

  std::int64_t rounds = 0;
  // Number of messages of cliques to members that changed in the last round. A closed clique, which
  // sends no messages, counts the labels that it changed.
  std::int64_t messages_changed = 0;
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
};

// Progress of the subgradient steps of the dual bound (dual.hpp).
struct DualProgress {
  bool started = false;
  double bound = kInfinity; // lowest bound so far
  double pace = 1;          // the size of a step is multiplied by this
  std::int64_t stalled = 0; // steps since `bound` or `pace` last fell
  // How often the labelling that is best for the chains under the multipliers was compared with the
  // best known one.
  std::int64_t offered = 0;
};

// Multipliers of the dual bound (dual.hpp).
struct DualState {
  DualState(Layout &layout, const Model &model) noexcept;

  // By message entry: added to the score of the chain, subtracted from the score of the clique.
  gsl::span<double> multipliers;
  // Upper bounds of the terms of the cliques and of the chains; NaN if still to be computed.
  gsl::span<double> clique_bounds;
  gsl::span<double> chain_bounds;
  // By index in Model::members: the column that the slot shows under the multipliers, in the best
  // labelling of its chain (by_chain) and in the best assignment of its clique (by_clique); -1:
  // none (its chain is left out, or no labelling or assignment was found). For closed cliques,
  // by_clique is -1 and by_chain is not used.
  gsl::span<std::int32_t> by_chain;
  gsl::span<std::int32_t> by_clique;
  DualProgress progress;
};

// Scores of the parts of the model: sets of chains that no clique connects (parts.hpp). Has no
// entries if there is one part only.
struct PartScores {
  // By part: equation 1 of RunState::best, restricted to the part.
  gsl::span<double> kept;
  // By part: equation 1 of the labelling that is compared with `best`, restricted to the part.
  gsl::span<double> offered;
  bool known = false; // true if `kept` is up to date
};

// A set of numbers from 0 to limit - 1, in the order in which they were added.
class WorkList {
public:
  WorkList() noexcept = default;
  WorkList(Layout &layout, std::int64_t limit) noexcept : WorkList(layout, limit, limit) {}
  // The list has room for `capacity` numbers.
  WorkList(Layout &layout, std::int64_t limit, std::int64_t capacity) noexcept
      : items_(layout.take<std::int32_t>(capacity)),
        has_(layout.take_span<std::uint8_t>(limit)) {}

  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int32_t operator[](std::int64_t k) const noexcept {
    Expects(!kContracts || (k >= 0 && k < size_));
    return items_[k];
  }
  // Items that are added during a loop over begin() .. end() are not visited by it.
  const std::int32_t *begin() const noexcept { return items_; }
  const std::int32_t *end() const noexcept { return items_ + size_; }
  bool has(std::int32_t item) const noexcept { return has_.data()[item] != 0; }

  void add(std::int32_t item) noexcept {
    if (!has(item)) {
      has_.data()[item] = 1;
      items_[size_++] = item;
    }
  }
  void clear() noexcept { drop(size_); }
  // Removes the first `gone` items; the others keep their order.
  void drop(std::int64_t gone) noexcept {
    for (std::int64_t k = 0; k < gone; ++k)
      has_.data()[items_[k]] = 0;
    std::copy(items_ + gone, items_ + size_, items_);
    size_ -= gone;
  }
  // Removes the items for which keeps(item) is false; the others keep their order.
  template <class Keeps> void keep_if(Keeps &&keeps) noexcept {
    std::int64_t kept = 0;
    for (std::int64_t k = 0; k < size_; ++k) {
      const std::int32_t item = items_[k];
      if (keeps(item))
        items_[kept++] = item;
      else
        has_.data()[item] = 0;
    }
    size_ = kept;
  }
  // Empties the list. Must be called once before use, since the memory is not initialised.
  void initialise() noexcept {
    std::fill_n(has_.data(), has_.size(), std::uint8_t{0});
    size_ = 0;
  }

private:
  std::int32_t *items_ = nullptr; // size_ items, in memory for `capacity` items
  gsl::span<std::uint8_t> has_;   // by number: 1 if the number is in the list
  std::int64_t size_ = 0;
};

// The chains that a local search is still to visit, in the order in which they were added; a chain is
// in the queue at most once. A ring buffer.
class ChainQueue {
public:
  ChainQueue() noexcept = default;
  // The queue has room for `capacity` chains with numbers below `chains`.
  ChainQueue(Layout &layout, std::int64_t chains, std::int64_t capacity) noexcept
      : items_(layout.take<std::int32_t>(capacity)), capacity_(capacity),
        queued_(layout.take_span<std::uint8_t>(chains)) {}

  bool empty() const noexcept { return size_ == 0; }
  std::int32_t front() const noexcept { return items_[head_]; }
  // Adds a chain unless it is in the queue. False if the queue is full.
  bool push(std::int32_t chain) noexcept {
    if (queued_.data()[chain] == 0) {
      if (size_ == capacity_)
        return false;
      queued_.data()[chain] = 1;
      items_[(head_ + size_++) % capacity_] = chain;
    }
    return true;
  }
  void pop() noexcept {
    queued_.data()[front()] = 0;
    head_ = (head_ + 1) % capacity_;
    --size_;
  }
  void clear() noexcept {
    while (!empty())
      pop();
  }
  // Empties the queue. Must be called once before use, since the memory is not initialised.
  void initialise() noexcept {
    std::fill_n(queued_.data(), queued_.size(), std::uint8_t{0});
    head_ = size_ = 0;
  }

private:
  std::int32_t *items_ = nullptr;
  std::int64_t capacity_ = 0;
  gsl::span<std::uint8_t> queued_; // by chain: 1 if it is in the queue
  std::int64_t head_ = 0;
  std::int64_t size_ = 0;
};

// Stages of a solve after edits (edits.hpp). `own`: decodes the edited chains without messages.
// `polish`: improves, one at a time, the edited chains, the members of edited cliques, and the chains
// whose cliques have changed by that. `send`: computes the messages of the edited chains.
// `cliques` and `chains`: the two halves of a message round. `from_rounds`: polishes the best
// labelling if a round found it, otherwise that of the last round. `from_own`: polishes from a
// labelling in which some chains have their best labels without messages: the edited chains, the
// chains that messages reached and the members of small edited cliques (kMostAnswering in edits.cpp).
enum class EditStage { none, own, polish, send, cliques, chains, from_rounds, from_own };

// What a run with edits keeps of its last complete solution: the counts of all cliques, and the terms
// of equation 1. Then the edits made since, and the unfinished work of the solve after them.
struct EditState {
  EditState(Layout &layout, const Model &model) noexcept;

  // The sum of some terms of equation 1, kept as sums of blocks of terms (BlockedSum), so that if a
  // term changes, only its block is summed again.
  struct Sums {
    Sums(Layout &layout, std::int64_t terms) noexcept
        : block(layout.take_span<MeasuredSum>(BlockedSum::blocks(terms))) {}
    // Sums the block of a term again.
    void renew(gsl::span<const double> terms, std::int64_t term) noexcept;
    void renew_all(gsl::span<const double> terms) noexcept {
      for (std::int64_t b = 0; b < static_cast<std::int64_t>(block.size()); ++b)
        renew(terms, b * BlockedSum::kBlock);
    }
    MeasuredSum total() const noexcept;

    gsl::span<MeasuredSum> block; // by block: the sum of its terms
  };

  // True if the fields below describe the labellings own, best and now of RunState. `now` then
  // equals `best`, unless a solve is unfinished.
  bool settled = false;
  bool converged = false;          // Standing::converged of the last complete solve
  std::int64_t changed_chains = 0; // number of chains whose labels in `best` and `own` differ
  CountStore counts;               // counts of the columns shown in `now`
  CountStore own_counts;           // counts of the columns shown in `own`
  gsl::span<double> clique_score;  // by clique: C under `best`
  gsl::span<double> own_clique_score; // by clique: C under `own`
  Sums chain_sums, clique_sums, own_chain_sums, own_clique_sums;

  WorkList chains;  // chains edited since the last solution
  WorkList cliques; // cliques edited since the last solution
  std::int64_t edited_members = 0; // number of members of all edited cliques
  ChainQueue queue;        // the chains to improve
  std::int64_t visits = 0; // how often the current stage tried to improve a chain
  // Scratch for one clique: an entry for each column.
  gsl::span<std::int64_t> counted;
  WorkList touched;         // chains that may differ in `now` and `best`
  WorkList touched_cliques; // cliques whose counts may differ in `now` and `best`
  WorkList sending;         // chains whose messages are to be computed
  WorkList answering;       // cliques whose messages are to be computed
  WorkList reached;         // chains that this solve has updated under messages

  // Discards the solution and all work, so that the next solve covers the whole model.
  void leave() noexcept;
  // Empties all lists. Must be called once before use, since the memory is not initialised.
  void initialise() noexcept;

  EditStage stage = EditStage::none;
  std::int64_t next = 0;     // index of the next item in the list of the current stage
  std::int64_t round = 0;
  bool is_infeasible = false; // an edited chain has no labelling and must be left out
  bool round_found = false;   // a round found the best labelling
  // Some clique has outdated messages, or if closed an outdated solution, that this solve does not
  // compute.
  bool leaves_messages = false;

private:
  template <class Visit> void each_list(Visit &&visit) noexcept {
    for (WorkList *list :
         {&chains, &cliques, &touched, &touched_cliques, &sending, &answering, &reached})
      visit(*list);
  }
};

struct RunState {
  RunState() noexcept = default;
  RunState(Layout &layout, const Model &model, const RunOptions &options) noexcept;

  // Returns to the state of a new run.
  void reset(const Model &model) noexcept;
  // Copies labellings, flags, set_aside_by and standing from a run of the same model, and leaves
  // out the same chains. Does not copy messages, tally, multipliers or unfinished work.
  void take_over(const RunState &earlier, const Model &model, Inputs &inputs) noexcept;
  // Must be called when a round ends, or to abandon an unfinished one. Chains and cliques keep
  // their pending work; kAnswersLater becomes kAnswersNow.
  void leave_round() noexcept;
  // Must be called after inputs have changed (scores, allowed labels, strengths) while is_settled()
  // is false: marks round 0 as pending, discards bounds, abandons all unfinished work, and lets
  // chains that are set aside take part again.
  void replaced_scores() noexcept;
  // Must be called after an edit of a complete solution (is_settled() is true), when no round is
  // unfinished: marks round 0 as pending, discards bounds and abandons other unfinished work.
  void replaced_inputs() noexcept;
  // Must be called after labels and chain scores of `best` were replaced: marks round 0 as pending
  // and abandons all unfinished work. Round 0 then copies chains whose score in `best` is minus
  // infinity from `own` to `best`.
  void go_on_from_best() noexcept;
  // Must be called after chains of `own` have changed, if some chain has or had no labelling there:
  // leaves out the chains whose phi in `own` is minus infinity, and no others. Flags the chains and
  // cliques whose messages depend on who is left out.
  void leave_out(const Model &model, Inputs &inputs) noexcept;
  // Leaves out, in addition, the chains whose entry in set_aside_by is not -1. They keep their best
  // labellings without messages. Marks round 0 as pending.
  void set_aside(const Model &model, Inputs &inputs) noexcept;
  // Lets chains that are set aside take part again, from the next round 0 on.
  void take_back_aside() noexcept;
  bool is_aside(std::int32_t chain) const noexcept {
    return !set_aside_by.empty() && set_aside_by.data()[chain] >= 0;
  }
  // Writes the labels of a chain in `of` to the first entries of `to`; -1 for each position if the
  // chain is left out and not set aside.
  void read(const Assignment &of, std::int32_t chain, gsl::span<std::int32_t> to) const noexcept {
    of.get(chain, to);
    if (of.lacks(chain) && !is_aside(chain))
      std::fill_n(to.data(), of.length(chain), -1);
  }
  void set_unit(double unit) noexcept {
    to_chain.set_unit(unit);
    to_clique.set_unit(unit);
  }
  // True if `edits` describes the last complete solution, so that the next solve may start from
  // this solution.
  bool is_settled() const noexcept { return edits && edits->settled; }
  // Makes the next solve cover the whole model, as if there were no complete solution.
  void leave_edits() noexcept {
    if (edits)
      edits->leave();
  }
  // Returns the labelling that the run answers with: `best`, or `own` while a solve for edits that
  // forbid labels of `best` is unfinished and `own` scores more.
  const Assignment &answer() const noexcept { return own.total() > best.total() ? own : best; }
  // True if answer() is a labelling that no clique forbids.
  bool found() const noexcept { return standing.has_labelling && answer().total() > kForbidden; }

  Assignment own;  // best labelling of each chain without messages
  Assignment best; // best labelling found so far
  Assignment now;  // labelling of the current round, or the one that a local search or the dual
                   // bound changes
  MessageStore to_chain;  // messages from cliques to their members
  MessageStore to_clique; // messages from members to their cliques
  gsl::span<std::uint8_t> chain_needs;  // by chain: flags kNeedsOwn, kNeedsUpdate, kSendsAgain
  gsl::span<std::uint8_t> clique_needs; // by clique: flags kAnswersNow, kAnswersLater
  // By chain: -1, or for a chain that is set aside the clique that is the reason. All members of this
  // clique are in the chain, and it forbids every labelling of the chain that the repair tried.
  // Empty if no clique that is not closed may forbid a value.
  gsl::span<std::int32_t> set_aside_by;
  DualState *dual = nullptr;  // NULL in a run without bounds
  EditState *edits = nullptr; // NULL in a run without edits
  PartScores parts;

  Standing standing;
  Tally tally;
  Course course;
};

} // namespace chorale
