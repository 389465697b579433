// The joint dynamic program of a chain: labels x automaton states x what has fired.
//
// At every position there is a set of configurations with a row of m scores each. One plain
// max-product step takes a whole row to the next position; the row then falls apart by what the
// automata do, which for most labels is the same, so a row mostly moves as a whole. The way back,
// for max-marginals of positions, is in joint_marginals.cpp.
#pragma once

#include "chain/configurations.hpp"
#include "chain/scores.hpp"

namespace chorale {

// What a joint program is there for; each takes memory of its own.
enum class JointUse { messages, decoding, marginals };

class JointChain {
public:
  // most: no more configurations than this can be alive; `limits.width` is at most that.
  // codes: more than any code of a property can be.
  JointChain(Layout &layout, const ChainView &view, const KeyLayout &keys, std::int32_t count,
             std::int64_t most, std::int32_t width, std::int64_t codes, JointUse use) noexcept;

  // The best labelling of the chain by itself, into `labelling`, and what `run` needs for bounds.
  // False when every labelling is forbidden, or an interruption ended it.
  bool guide(Scores &scores, std::int32_t *labelling) noexcept;

  // Runs with the properties in their roles, none of them absorbed where there is a `lower`: scores
  // that are attained (decoding: one; else one a value of the outgoing property). Partial
  // labellings that cannot reach them, whatever follows, are dropped, which changes no result.
  // outgoing: the property whose message is wanted, or -1; `message` then receives the best score
  // of each of its local values, EMPTY and CONFLICT. Otherwise the best labelling is decoded into
  // `labelling`. Returns the best score.
  double run(Scores &scores, const BoundProperty *properties, const KeyField *fields,
             std::int32_t count, const JointLimits &limits, std::int32_t outgoing, double *message,
             const double *lower, std::int32_t *labelling, JointOutcome &outcome) noexcept;

  // For every position and label the best score of the labellings that have it, properties in their
  // roles, into rows of `to` (T of them): forward over the configurations, which are kept, and
  // back. Minus infinity for a label that no kept configuration goes through. False where the
  // configurations exceed the limits and may not be cut back, or an interruption ended it.
  bool marginals(Scores &scores, const BoundProperty *properties, const KeyField *fields,
                 std::int32_t count, const JointLimits &limits, double *to,
                 std::ptrdiff_t row_stride, JointOutcome &outcome) noexcept;

private:
  void begin(const BoundProperty *properties, const KeyField *fields, std::int32_t count,
             const JointLimits &limits, std::int32_t outgoing, JointOutcome &outcome) noexcept;
  bool step(Scores &scores, std::int32_t t) noexcept;
  // The work of a configuration at a position.
  std::int64_t step_work() const noexcept {
    return std::int64_t{labels_} * (labels_ + 8 + 8 * std::int64_t{count_});
  }
  void spread(std::int32_t i, std::int32_t t) noexcept;
  // The configuration that follows i when the position's label is `label` (-1: one of those that do
  // what most do), or -1; adds what is paid.
  std::int32_t follow(std::int32_t i, std::int32_t t, std::int32_t label, double &paid) noexcept;
  // The key of that configuration; false where there is none.
  bool successor(const std::uint64_t *from, std::int32_t t, std::int32_t label, Key &key,
                 double &paid) const noexcept;
  void read_classes(std::int32_t t) noexcept;
  // Lists in `marked_` the labels that do something else than most after `key`; how many.
  std::int32_t mark(const std::uint64_t *key) noexcept;
  // What is still to come for a configuration and label at the end; what `outgoing` shows then.
  double final_score(const Scores &scores, const std::uint64_t *key, std::int32_t label,
                     std::int32_t &shown) const noexcept;
  void keep_forward(std::int32_t t) noexcept;
  bool go_back(Scores &scores, std::int32_t t) noexcept; // false: interrupted
  bool make_room() noexcept;
  double threshold(const std::uint64_t *key) const noexcept;
  void drop_hopeless(std::int32_t t) noexcept;
  void record(std::int32_t t) noexcept;
  double finish(Scores &scores, double *message, std::int32_t *labelling) noexcept;

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t words_; // of a key
  bool decode_;
  std::int32_t width_;
  Configurations now_;
  Configurations next_;
  Beam beam_;
  double *completion_;      // T x m: the best score of what follows a position
  std::int32_t *kept_;      // configurations that are not dropped
  double *row_;             // m: a row after its step
  std::int32_t *from_;      // m: the label before
  std::uint8_t *is_marked_; // m
  std::int32_t *marked_;    // m: labels that do something else than most
  std::int32_t *classes_;   // of the position at hand, by property
  // Decoding: configuration * m + label before, for every configuration of every position.
  std::int32_t *history_ = nullptr;
  std::int64_t *history_begin_ = nullptr; // T
  std::int32_t previous_count_ = 0;
  // Marginals: the configurations of every position, as the way forward left them.
  std::uint64_t *forward_keys_ = nullptr; // T x width x words
  double *forward_rows_ = nullptr;        // T x width x m
  std::int32_t *forward_counts_ = nullptr;

  const BoundProperty *properties_ = nullptr;
  const KeyField *fields_ = nullptr;
  std::int32_t count_ = 0;
  std::int32_t outgoing_ = -1;
  const double *lower_ = nullptr;
  double least_lower_ = 0;
  JointLimits limits_;
  JointOutcome *outcome_ = nullptr;
};

} // namespace chorale
