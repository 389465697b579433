// Joint dynamic program of a chain with properties, over labels x configurations.
//
// A property is an automaton that reads the labels from left to right and *fires* values at
// some positions. A configuration holds one number for each property, the property's *code*: the
// automaton state and the value fired so far (bound_property.hpp). The values that can fire on this
// chain are numbered 0 .. F - 1 (*local* values); F is EMPTY (nothing fired) and F + 1 CONFLICT
// (different values fired). A property's incoming message gives a score to each of these F + 2
// numbers. Its outgoing message is the best score of the chain for each of them. run() computes the
// outgoing message of each property with the role `outgoing`: of one in Joint::send(), of all in
// Joint::reach().
//
// Every position has a set of configurations with a row of m scores each. One max-product step
// advances a whole row by one position. The row is then split by the automaton transitions, label
// by label. Most labels change nothing: they lead to the configuration from which they come. The
// backward pass for max-marginals is in joint_marginals.cpp.
//
// The configurations of a whole pass are numbered, so that what depends on a configuration alone is
// computed once: the labels that change nothing (unless there are position classes), and the score
// below which its partial labellings may be dropped.
#pragma once

#include "chain/configurations.hpp"

namespace chorale {

// Purpose of a joint program. Each purpose except `messages` needs additional memory. `reach`: the
// messages of all properties in one pass, and decoding.
enum class JointUse { messages, decoding, reach, marginals, sums };

inline bool decodes(JointUse use) noexcept {
  return use == JointUse::decoding || use == JointUse::reach;
}

class JointChain : JointProgram {
public:
  // `most`: upper bound on the number of configurations at a position. `width`: how many of them
  // are kept, at most `most`. `codes`: greater than every code of every property. `count`: number
  // of properties.
  JointChain(Layout &layout, const ChainView &view, std::int32_t count, std::int64_t most,
             std::int32_t width, std::int64_t codes, JointUse use) noexcept;

  // Writes the best labelling of the chain, without regard to properties, to `labelling`. Also
  // computes completion_, by which run() drops partial labellings. False if every labelling is
  // forbidden or if interrupted.
  bool guide(Scores &scores, gsl::span<std::int32_t> labelling) noexcept {
    return scores.complete({completion_, to_size(length_) * to_size(labels_)},
                           {row_, to_size(labels_)}, labelling);
  }

  // Runs the program, with each property in its role (bound_property.hpp), and returns the best
  // score with all messages; minus infinity on an overflow, or if interrupted. If `targets` allow
  // it to drop partial labellings, guide() must have been called, and no property may have local
  // scores.
  double run(Scores &scores, gsl::span<const BoundProperty> properties, const JointLimits &limits,
             const JointTargets &targets, JointOutcome &outcome) noexcept;

  // Writes max-marginals: entry y of row t of `to` is the best score of the labellings with label y
  // at position t, where each property adds to scores as its role says; minus infinity if no
  // configuration that was kept allows y. False if there are more configurations than `limits`
  // permit and none may be pruned, or if interrupted.
  //
  // If `sums` is not NULL, takes log-sums of scores in the place of maxima: entry y of row t is
  // then the log-sum of the scores of all labellings with label y at t, plus a number that is the
  // same for the whole row. If limits.exact is false, sums may leave out labellings: at a position
  // with more configurations than the width, only those whose sums have the greatest upper bounds
  // are kept (thin()). An overflow then means that every labelling that was kept is forbidden.
  bool marginals(Scores &scores, gsl::span<const BoundProperty> properties,
                 const JointLimits &limits, const LogSums *sums, const Matrix<double> &to,
                 JointOutcome &outcome) noexcept;

  // After marginals() with `sums`: returns an upper bound on the probability of the labellings that
  // were left out; 0 if no labelling was left out. No probability computed from the sums is wrong
  // by more than this bound.
  double lost() const noexcept { return lost_part_; }

private:
  // The state of a property, and its next states and actions by label (m entries).
  struct Cell {
    const std::int32_t *next;
    const std::int32_t *fires;
    std::int32_t state;
    bool is_settled;
  };

  JointChain(Layout &layout, const ChainView &view, std::int32_t count, std::int64_t most,
             std::int32_t width, std::int64_t codes, JointUse use, std::int32_t room) noexcept;
  // Begins a pass, after start(): makes the only configuration before the first position.
  void begin() noexcept;
  bool step(Scores &scores, std::int32_t t) noexcept;
  // Elementary steps for one configuration at one position.
  std::int64_t step_work() const noexcept {
    return std::int64_t{labels_} *
           ((sums_ ? 5 * LogSums::kWork : 1) + labels_ + 7 + 8 * std::int64_t{count_});
  }
  void spread(std::int32_t i, std::int32_t t) noexcept;
  // Raises the score of label y in row `to` of next_ to at least `score`, which comes from row i of
  // now_; with sums, makes it the log-sum of both.
  void take(std::int32_t to, std::int32_t y, double score, std::int32_t i) noexcept;
  // Returns the number of a configuration in all_, to which it is added if it is new. If all_ is
  // full, forgets all configurations but those of now_ and next_, whose numbers then change.
  std::int32_t intern(const std::int32_t *key) noexcept;
  // Empties next_, whose rows will have `labels_` entries.
  void clear_next() noexcept;
  // Adds a row to next_, which must not be full, for the configuration `number`.
  std::int32_t append(std::int32_t number) noexcept;
  // Sets cells_ for the configuration `key` at position t, for quiet_labels() and successor().
  void read_cells(const std::int32_t *key, std::int32_t t) noexcept;
  // Returns the labels (bit y for label y; only the first 64) that lead from the configuration to
  // itself and whose actions are all FIRE_NOTHING. `number`: the number of the configuration.
  // read_cells() must have been called for it.
  std::uint64_t quiet_labels(std::int32_t number, std::int32_t t) noexcept;
  // Writes to key_ the key of the successor of the configuration `from` after `label` at t. Adds to
  // `paid` the message scores that the step adds. False if the successor is forbidden. read_cells()
  // must have been called for `from`.
  bool successor(const std::int32_t *from, std::int32_t t, std::int32_t label,
                 double &paid) noexcept;
  // Returns the end score of `label` plus the message scores added at the end. Unless this is minus
  // infinity, fills fired_ for the properties with the role outgoing.
  double final_score(const Scores &scores, const std::int32_t *key, std::int32_t label) noexcept;
  // Copies the keys and rows of now_ to those of position t in forward_keys_ and forward_rows_.
  void keep_forward(std::int32_t t) noexcept;
  bool go_back(Scores &scores, std::int32_t t) noexcept; // false if interrupted
  bool make_room() noexcept;
  double threshold(const std::int32_t *key) const noexcept;
  // Used with log-sums. Returns, for the configuration with this key, an upper bound on the sum of
  // the message scores that the properties can still add.
  double hope(const std::int32_t *key) const noexcept;
  // Sets by_ to the weights of a transition matrix (log_sums.hpp).
  void weigh(const Matrix<const double> &edges) noexcept;
  // Drops all configurations of next_ but limits_.width of them, those with the greatest upper
  // bounds: (log-sum over labels y of row[y] + after_[y]) + hope() + lowered_. Adds the bounds of
  // the dropped ones to lost_.
  void thin() noexcept;
  // The forward pass; for marginals(), keeps the rows of all positions. False on overflow, or if
  // interrupted.
  bool go_forward(Scores &scores) noexcept;
  // Replaces each entry of the rows of now_ by its final_score(), the scores added at the end of
  // the chain. False if interrupted.
  bool end_rows(Scores &scores) noexcept;
  bool record(std::int32_t t) noexcept;
  double finish(Scores &scores) noexcept;

  Configurations now_;  // rows of the current position; number() of a row is its configuration
  Configurations next_;
  Configurations all_;  // the configurations of the pass, without rows
  // By number of the configuration in all_.
  double *bounds_;          // threshold()
  std::uint64_t *quiet_;    // quiet_labels()
  std::uint8_t *has_quiet_; // 1 if quiet_ has been computed
  std::int32_t *row_at_;    // stamp_ of the last set in which the configuration has a row, or -1
  std::int32_t *row_of_;    // index of this row
  std::int32_t stamp_ = 0;    // number of the set in next_: clear_next() counts up
  bool is_classless_ = false; // every property has a single position class
  double *completion_;      // T x m: best score (or log-sum) of the positions after t, given the
                            // label of t and without properties
  WeighedMatrix by_{};      // sums: transitions of the current step, as weights
  double *row_;             // m: scores of the successors of one configuration
  std::int32_t *alive_;     // m: labels that are not dropped
  Cell *cells_;        // by property
  double *most_slack_; // by property: the greatest entry of its row of targets_.slack
  // Backpointers for decoding: previous configuration * m + previous label, for each label of each
  // configuration of each position.
  std::int32_t *history_ = nullptr;
  std::int64_t history_limit_ = 0;        // number of entries of history_
  std::int64_t *history_begin_ = nullptr; // T: first entry of each position in history_
  std::int32_t previous_count_ = 0;       // number of configurations of the position recorded last
  // For max-marginals and sums: the configurations of every position after the forward pass.
  std::int32_t *forward_keys_ = nullptr;   // T x width x count
  double *forward_rows_ = nullptr;         // T x width x m
  std::int32_t *forward_counts_ = nullptr; // T

  bool drops_ = false;            // the targets allow to drop partial labellings
  // For sums that leave out labellings:
  double lowered_ = 0;        // total that lower_to_zero() subtracted in the forward pass
  double lost_ = kForbidden;  // log-sum of the upper bounds of the configurations left out
  double lost_part_ = 0;      // the result of lost()
  const double *after_ = nullptr; // row of completion_ for the current position
  const double *into_ = nullptr;  // decoding: transition scores into the current position, with a
                                  // row for each of its labels; NULL at the first position
};

} // namespace chorale
