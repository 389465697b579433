// Joint dynamic program of a chain with properties, over labels x configurations. A configuration
// holds the automaton state and the fired value of each property.
//
// Every position has a set of configurations with a row of m scores each. One max-product step
// advances a whole row by one position. The row is then split by the automaton transitions; most
// labels share the default transition, so most of a row moves as a whole. The backward pass for
// max-marginals is in joint_marginals.cpp.
#pragma once

#include "chain/configurations.hpp"
#include "chain/log_sums.hpp"
#include "chain/scores.hpp"

namespace chorale {

// Purpose of a joint program. All but messages need further memory.
enum class JointUse { messages, decoding, marginals, sums };

class JointChain {
public:
  // `most`: upper bound on the number of configurations at a position; `width` <= `most`. `codes`:
  // exceeds every code of every property.
  JointChain(Layout &layout, const ChainView &view, const KeyLayout &keys, std::int32_t count,
             std::int64_t most, std::int32_t width, std::int64_t codes, JointUse use) noexcept;

  // Writes the best labelling of the chain without properties to `labelling`, and computes
  // completion_, which pruning needs. False if every labelling is forbidden or if interrupted.
  bool guide(Scores &scores, std::int32_t *labelling) noexcept {
    return scores.complete(completion_, row_, labelling);
  }

  // Runs the program with the roles of the properties (bound_property.hpp) and returns the best
  // score. `lower`: NULL, or lower bounds attained by some labelling: one score if outgoing < 0,
  // otherwise one for each entry of the message. Prunes partial labellings that cannot reach them,
  // which changes no result; requires guide(), and no property may be absorbed.
  // `outgoing`: index of the property whose message is computed, or -1. `message` receives the best
  // score of each local value, EMPTY and CONFLICT. `labelling`: receives the best labelling
  // (decoding).
  double run(Scores &scores, const BoundProperty *properties, const KeyField *fields,
             std::int32_t count, const JointLimits &limits, std::int32_t outgoing, double *message,
             const double *lower, std::int32_t *labelling, JointOutcome &outcome) noexcept;

  // Writes max-marginals: entry y of row t of `to` is the best score, with the properties in their
  // roles, of the labellings with label y at t; minus infinity if no kept configuration allows y.
  // Keeps the configurations of the forward pass. False if they exceed the limits and must not be
  // pruned, or if interrupted.
  // `sums`: NULL, or takes log-sums in place of maxima: entry y of row t is then the log-sum of all
  // labellings with label y at t, but for a number that is the same for the whole row.
  // Sums with limits.exact false leave out labellings: if a position has more configurations than a
  // width, those with the least upper bounds on their sums, see thin(). Widths grow up to
  // limits.width until lost() is small. An overflow then means that every labelling that was kept
  // is forbidden.
  bool marginals(Scores &scores, const BoundProperty *properties, const KeyField *fields,
                 std::int32_t count, const JointLimits &limits, const LogSums *sums, double *to,
                 std::ptrdiff_t row_stride, JointOutcome &outcome) noexcept;

  // After sums: an upper bound on the sum of the labellings left out, as a part of the sum of all.
  // 0 if none was left out. No probability is wrong by more.
  double lost() const noexcept { return lost_part_; }

private:
  void begin(const BoundProperty *properties, const KeyField *fields, std::int32_t count,
             const JointLimits &limits, std::int32_t outgoing, JointOutcome &outcome) noexcept;
  bool step(Scores &scores, std::int32_t t) noexcept;
  // Elementary steps for one configuration at one position.
  std::int64_t step_work() const noexcept {
    return std::int64_t{labels_} *
           ((sums_ ? 5 * LogSums::kWork : 1) + labels_ + 7 + 8 * std::int64_t{count_});
  }
  void spread(std::int32_t i, std::int32_t t) noexcept;
  // Returns the index in next_ of the successor of configuration i after `label` at t, or -1 if
  // forbidden or the set overflows. Label -1 stands for all labels with the default transitions.
  // Adds message scores to `paid`.
  std::int32_t follow(std::int32_t i, std::int32_t t, std::int32_t label, double &paid) noexcept;
  // Computes the key of this successor; false if forbidden.
  bool successor(const std::uint64_t *from, std::int32_t t, std::int32_t label, Key &key,
                 double &paid) const noexcept;
  // Fills classes_ for position t.
  void read_classes(std::int32_t t) noexcept;
  // Lists in marked_ the labels for which some property leaves its default transition after `key`.
  // Returns their number.
  std::int32_t mark(const std::uint64_t *key) noexcept;
  // Returns the end score of `label` plus the messages added at the end. `shown`: final local value
  // of the outgoing property.
  double final_score(const Scores &scores, const std::uint64_t *key, std::int32_t label,
                     std::int32_t &shown) const noexcept;
  void keep_forward(std::int32_t t) noexcept;
  bool go_back(Scores &scores, std::int32_t t) noexcept; // false if interrupted
  bool make_room() noexcept;
  double threshold(const std::uint64_t *key) const noexcept;
  void drop_hopeless(std::int32_t t) noexcept;
  // For sums. Returns the most that messages can still add after a configuration.
  double hope(const std::uint64_t *key) const noexcept;
  // Computes completion_ with log-sums in place of maxima. False if interrupted.
  bool sum_completions(Scores &scores) noexcept;
  // Makes by_ the weights of a matrix.
  void weigh(const double *edges, std::ptrdiff_t stride) noexcept;
  // One step of log-sums by by_ from the row of configuration i to row_. Entries that cannot reach
  // least_ become minus infinity.
  void sum_step(std::int32_t i, const double *unary, std::int32_t t) noexcept;
  // Drops configurations of next_, at position at_: those that cannot reach least_, and all but
  // `width` of those with the greatest upper bounds. The bound: log-sum, over the labels, of the
  // partial labellings plus their completions without properties; plus hope().
  void thin(std::int32_t width) noexcept;
  // The forward pass of marginals(), with all rows kept. False on overflow, or if interrupted.
  bool go_forward(Scores &scores) noexcept;
  // Forward passes that leave out labellings, ever wider until lost() is small. False as above.
  bool go_forward_thinned(Scores &scores, const BoundProperty *properties, const KeyField *fields,
                          std::int32_t count, std::int32_t width, JointOutcome &outcome) noexcept;
  // Replaces the rows of now_ by the scores of the end of the chain. False if interrupted.
  bool end_rows(Scores &scores) noexcept;
  // Appends the backpointers of now_ to history_.
  void record(std::int32_t t) noexcept;
  double finish(Scores &scores, double *message, std::int32_t *labelling) noexcept;

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t words_; // words in a key
  bool decode_;
  std::int32_t width_;
  Configurations now_;
  Configurations next_;
  Beam beam_;
  double *completion_;      // T x m: best score (or log-sum) of the positions after t, without
                            // properties
  std::int32_t *kept_;      // scratch of drop_hopeless(): configurations to keep
  double *rank_ = nullptr;  // sums: upper bound of each configuration, scratch of thin()
  WeighedMatrix by_{};      // sums: transitions of the current position
  double *row_;             // m: scores of the successors of one configuration
  std::int32_t *from_;      // m: best previous label of each entry of row_
  std::uint8_t *is_marked_; // m: scratch of mark(), 0 between calls
  std::int32_t *marked_;    // m: labels outside the default transitions
  std::int32_t *classes_;   // class of the current position, by property
  // Decoding: previous configuration * m + previous label, for each configuration of each position.
  std::int32_t *history_ = nullptr;
  std::int64_t *history_begin_ = nullptr; // T: first entry of each position in history_
  std::int32_t previous_count_ = 0;       // configurations of the position recorded last
  // Marginals: the configurations of every position after the forward pass.
  std::uint64_t *forward_keys_ = nullptr;  // T x width x words
  double *forward_rows_ = nullptr;         // T x width x m
  std::int32_t *forward_counts_ = nullptr; // T

  const BoundProperty *properties_ = nullptr;
  const KeyField *fields_ = nullptr;
  std::int32_t count_ = 0;
  std::int32_t outgoing_ = -1;
  const double *lower_ = nullptr;
  const LogSums *sums_ = nullptr; // NULL: maxima
  double least_lower_ = 0;
  // Sums that leave out labellings.
  double least_ = kForbidden; // log-sum that partial labellings must be able to reach
  double lowered_ = 0;        // total that lower_to_zero() subtracted in the forward pass
  double lost_ = kForbidden;  // log-sum of the upper bounds of what thin() dropped for its width
  std::int64_t dropped_ = 0;  // number of rows and entries dropped since they cannot reach least_
  double lost_part_ = 0;      // see lost()
  std::int32_t at_ = 0;       // position of next_
  JointLimits limits_;
  JointOutcome *outcome_ = nullptr;
};

} // namespace chorale
