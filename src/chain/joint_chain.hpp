// Joint dynamic program of a chain with properties, over labels x configurations.
//
// A property is an automaton that reads the labels from left to right and *fires* values at
// some positions. A configuration holds one number for each property, the property's *code*: the
// automaton state and the value fired so far (bound_property.hpp). The values that can fire on this
// chain are numbered 0 .. F - 1 (*local* values); F is EMPTY (nothing fired) and F + 1 CONFLICT
// (different values fired). A property's incoming message gives a score to each of these F + 2
// numbers. The outgoing message, which run() computes for one property at most, is the best score
// of the chain for each of them.
//
// Every position has a set of configurations with a row of m scores each. One max-product step
// advances a whole row by one position. The row is then split by the automaton transitions. Most
// labels have the same transition, the *default* one (property.hpp), so most of a row moves as a
// whole. The backward pass for max-marginals is in joint_marginals.cpp.
#pragma once

#include "chain/configurations.hpp"
#include "chain/log_sums.hpp"
#include "chain/scores.hpp"

namespace chorale {

// Purpose of a joint program. Each purpose except `messages` needs additional memory.
enum class JointUse { messages, decoding, marginals, sums };

class JointChain {
public:
  // `most`: upper bound on the number of configurations at a position. `width`: how many of them
  // are kept, at most `most`. `codes`: greater than every code of every property. `count`: number
  // of properties.
  JointChain(Layout &layout, const ChainView &view, const KeyLayout &keys, std::int32_t count,
             std::int64_t most, std::int32_t width, std::int64_t codes, JointUse use) noexcept;

  // Writes the best labelling of the chain, without regard to properties, to `labelling`. Also
  // computes completion_, which pruning needs. False if every labelling is forbidden or if
  // interrupted.
  bool guide(Scores &scores, gsl::span<std::int32_t> labelling) noexcept {
    return scores.complete({completion_, to_size(length_) * to_size(labels_)},
                           {row_, to_size(labels_)}, labelling);
  }

  // Runs the program, with each property in its role (bound_property.hpp), and returns the best
  // score. `outgoing`: index of the property whose message is computed, or -1. Writes the best
  // score of each local value, EMPTY and CONFLICT to `message`, and in decoding the best labelling
  // to `labelling`; both are empty where they are not wanted. `lower`: empty, or scores that
  // labellings attain: one score if outgoing < 0, otherwise one for each entry of the message.
  // Partial labellings that cannot reach these scores are then pruned, which changes no result;
  // this requires that guide() was called and that no property is absorbed.
  double run(Scores &scores, gsl::span<const BoundProperty> properties,
             gsl::span<const KeyField> fields, const JointLimits &limits, std::int32_t outgoing,
             gsl::span<double> message, gsl::span<const double> lower,
             gsl::span<std::int32_t> labelling, JointOutcome &outcome) noexcept;

  // Writes max-marginals: entry y of row t of `to` is the best score of the labellings with label y
  // at position t, where each property adds to scores as its role says; minus infinity if no
  // configuration that was kept allows y. False if there are more configurations than `limits`
  // permit and none may be pruned, or if interrupted.
  //
  // If `sums` is not NULL, takes log-sums of scores in the place of maxima: entry y of row t is
  // then the log-sum of the scores of all labellings with label y at t, plus a number that is the
  // same for the whole row. If limits.exact is false, sums may leave out labellings: at a position
  // with more configurations than the width, only those whose sums have the greatest upper bounds
  // are kept (thin()). Passes with growing widths, up to limits.width, are made until lost() is
  // small. An overflow then means that every labelling that was kept is forbidden.
  bool marginals(Scores &scores, gsl::span<const BoundProperty> properties,
                 gsl::span<const KeyField> fields, const JointLimits &limits, const LogSums *sums,
                 const Matrix<double> &to, JointOutcome &outcome) noexcept;

  // After a run with sums: returns an upper bound on the probability of the labellings that were
  // left out; 0 if no labelling was left out. No probability computed from the sums is wrong by
  // more than this bound.
  double lost() const noexcept { return lost_part_; }

private:
  void begin(gsl::span<const BoundProperty> properties, gsl::span<const KeyField> fields,
             const JointLimits &limits, std::int32_t outgoing, JointOutcome &outcome) noexcept;
  gsl::span<const BoundProperty> properties() const noexcept {
    return span_of(properties_, count_);
  }
  gsl::span<const KeyField> fields() const noexcept { return span_of(fields_, count_); }
  bool step(Scores &scores, std::int32_t t) noexcept;
  // Elementary steps for one configuration at one position.
  std::int64_t step_work() const noexcept {
    return std::int64_t{labels_} *
           ((sums_ ? 5 * LogSums::kWork : 1) + labels_ + 7 + 8 * std::int64_t{count_});
  }
  void spread(std::int32_t i, std::int32_t t) noexcept;
  // Returns the index in next_ of the successor of configuration i after `label` at t, or -1 if the
  // successor is forbidden or the set overflows. Label -1 stands for all labels for which every
  // property takes its default transition. Adds to `paid` the message scores that the step adds.
  std::int32_t follow(std::int32_t i, std::int32_t t, std::int32_t label, double &paid) noexcept;
  // Writes to `key` the key of the successor of the configuration with key `from`. `label` and
  // `paid`: as in follow(). False if the successor is forbidden.
  bool successor(const std::uint64_t *from, std::int32_t t, std::int32_t label, Key &key,
                 double &paid) const noexcept;
  // Fills classes_ for position t.
  void read_classes(std::int32_t t) noexcept;
  // Lists in marked_ the labels for which some property leaves its default transition after `key`.
  // Returns their number.
  std::int32_t mark(const std::uint64_t *key) noexcept;
  // Returns the end score of `label` plus the message scores added at the end. Writes the final
  // local value of the outgoing property to `shown`.
  double final_score(const Scores &scores, const std::uint64_t *key, std::int32_t label,
                     std::int32_t &shown) const noexcept;
  void keep_forward(std::int32_t t) noexcept;
  bool go_back(Scores &scores, std::int32_t t) noexcept; // false if interrupted
  bool make_room() noexcept;
  double threshold(const std::uint64_t *key) const noexcept;
  void drop_hopeless(std::int32_t t) noexcept;
  // Used with log-sums. Returns, for the configuration with this key, the greatest message score
  // that each property can still add, summed over the properties.
  double hope(const std::uint64_t *key) const noexcept;
  // Computes completion_ with log-sums in place of maxima. False if interrupted.
  bool sum_completions(Scores &scores) noexcept;
  // Sets by_ to the weights of a transition matrix (log_sums.hpp).
  void weigh(const Matrix<const double> &edges) noexcept;
  // Writes to row_ the row of configuration i after a step of log-sums over the transitions in by_.
  // Entries that cannot reach least_ become minus infinity.
  void sum_step(std::int32_t i, const double *unary, std::int32_t t) noexcept;
  // Drops configurations of next_, which belongs to position t = at_: those whose upper bound is
  // below least_, and then all but the `width` with the greatest upper bounds. The upper bound of a
  // configuration is (log-sum over labels y of row[y] + completion_[t * m + y]) + hope() +
  // lowered_.
  void thin(std::int32_t width) noexcept;
  // The forward pass of marginals(), with all rows kept. False on overflow, or if interrupted.
  bool go_forward(Scores &scores) noexcept;
  // Runs forward passes that leave out labellings, each wider than the last, until lost() is small.
  // False on overflow, or if interrupted.
  bool go_forward_thinned(Scores &scores, gsl::span<const BoundProperty> properties,
                          gsl::span<const KeyField> fields, std::int32_t width,
                          JointOutcome &outcome) noexcept;
  // Replaces each entry of the rows of now_ by its final_score(), the scores added at the end of
  // the chain. False if interrupted.
  bool end_rows(Scores &scores) noexcept;
  // Appends the backpointers of now_ to history_.
  void record(std::int32_t t) noexcept;
  double finish(Scores &scores, gsl::span<double> message,
                gsl::span<std::int32_t> labelling) noexcept;

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t words_; // words in a key
  bool decode_;
  std::int32_t width_;
  Configurations now_;
  Configurations next_;
  Beam beam_;
  double *completion_;      // T x m: best score (or log-sum) of the positions after t, given the
                            // label of t and without properties
  std::int32_t *kept_;      // scratch of drop_hopeless() and thin(): configurations to keep
  double *rank_ = nullptr;  // sums: upper bound of each configuration, scratch of thin()
  WeighedMatrix by_{};      // sums: transitions of the current position
  double *row_;             // m: scores of the successors of one configuration
  std::int32_t *from_;      // m: best previous label of each entry of row_
  std::uint8_t *is_marked_; // m: scratch of mark(), 0 between calls
  std::int32_t *marked_;    // m: labels outside the default transitions
  std::int32_t *classes_;   // class of the current position, by property
  // Backpointers for decoding: previous configuration * m + previous label, for each label of each
  // configuration of each position.
  std::int32_t *history_ = nullptr;
  std::int64_t *history_begin_ = nullptr; // T: first entry of each position in history_
  std::int32_t previous_count_ = 0;       // number of configurations of the position recorded last
  // For max-marginals and sums: the configurations of every position after the forward pass.
  std::uint64_t *forward_keys_ = nullptr;  // T x width x words
  double *forward_rows_ = nullptr;         // T x width x m
  std::int32_t *forward_counts_ = nullptr; // T

  const BoundProperty *properties_ = nullptr;
  const KeyField *fields_ = nullptr;
  std::int32_t count_ = 0;
  std::int32_t outgoing_ = -1;
  const double *lower_ = nullptr; // see run(), or NULL
  const LogSums *sums_ = nullptr; // NULL if the program computes maxima
  double least_lower_ = 0;
  // For sums that leave out labellings:
  double least_ = kForbidden; // log-sum that partial labellings must be able to reach
  double lowered_ = 0;        // total that lower_to_zero() subtracted in the forward pass
  double lost_ = kForbidden;  // log-sum of the upper bounds of configurations dropped for the width
  std::int64_t dropped_ = 0;  // number of rows and entries dropped because they are below least_
  double lost_part_ = 0;      // the result of lost()
  std::int32_t at_ = 0;       // position of next_
  JointLimits limits_;
  JointOutcome *outcome_ = nullptr;
};

} // namespace chorale
