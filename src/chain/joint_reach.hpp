// Messages and decoding under several properties in one pass over the labellings within reach of
// the best.
//
// A *combination* is one value for each property. A forward pass follows partial labellings with
// all that their properties have fired, so that at the end it knows the best score of each
// combination, from which the messages of all properties and the best labelling follow. It keeps
// only partial labellings that can still matter: the score so far, plus the best score of the
// remaining positions without properties, plus the most that messages may still add, must reach
// what some labelling is known to attain, less a *reach* (for messages). The pass needs no beam:
// it is exact, or it says that there was no memory for all that matters.
//
// Entries of an outgoing message that lie further than the reach below its greatest are upper
// bounds, equal to the greatest less the reach. The receiver says how far entries matter: a clique
// that can never gain more than its reach by another value of one member does not look at them.
#pragma once

#include "chain/attachments.hpp"
#include "chain/bound_property.hpp"
#include "chain/scores.hpp"

namespace chorale {

class JointReach {
public:
  // There is no pass over trees, chains without positions, or very many properties.
  static bool serves(const ChainView &view, std::int32_t properties) noexcept {
    return !view.parents && view.length > 0 && properties > 0 && properties <= kMostProperties;
  }

  enum class End { done, overflow, interrupted };

  // `shared`: as for Joint.
  JointReach(Layout &layout, const ChainView &view, const Attachments &attachments,
             BoundTables *shared = nullptr) noexcept;

  // Loads scores and binds properties; then fills `labelling` with the best labelling without
  // messages. False if every labelling is forbidden or if interrupted.
  bool prepare(Limits *limits = nullptr) noexcept;
  // Announces a labelling: phi plus what the view adds, and the value of each property as
  // Attached::evaluate() has it. Labellings that joint programs forbid are passed over. True if no
  // offer before was as good, messages included.
  bool offer(const std::int32_t *labels, double score, const std::int32_t *shown) noexcept;
  // The greatest score of an offered labelling, its messages included.
  double offered() const noexcept { return attained_[count_]; }

  // Computes best(), and with `reach` (by property) the messages.
  End run(const double *reach) noexcept;
  // The greatest score, its messages included; no less than offered(). Minus infinity if every
  // labelling is forbidden.
  double best() const noexcept { return best_; }
  // After run() with `reach`: writes the R + 2 entries of the message of property k.
  void write_message(std::int32_t k, double *to) const noexcept;
  // After run(): replaces `labelling` by the best one, if best() is above offered(); overflow where
  // rounding hides it.
  End trace() noexcept;

  std::int32_t *labelling; // T

private:
  static constexpr std::int32_t kMostProperties = 16;

  // What a property remembers: the state and the local value fired so far.
  struct Memory {
    std::int32_t state;
    std::int32_t fired;
  };
  Memory *memories(std::int32_t configuration) const noexcept {
    return memories_ + std::int64_t{configuration} * count_;
  }

  bool guide() noexcept;
  // The number of the configuration with these memories; -1 where there is no memory for another.
  std::int32_t intern(const Memory *of) noexcept;
  // How much more than the score so far and its completion a configuration may bring above the
  // least that matters; rounding included.
  double slack_of(const Memory *of) const noexcept;
  // The most that property k may be paid for what it remembers.
  double most_paid(std::int32_t k, const Memory &memory) const noexcept;
  // Of the configuration of_. follow() fills successor_ with what it remembers after `label` at t;
  // false if that is forbidden.
  void read_cells(std::int32_t t) noexcept;
  std::uint64_t quiet_labels() const noexcept;
  bool lives_on(std::int32_t t) const noexcept;
  bool follow(std::int32_t t, std::int32_t label) noexcept;
  End pass(bool sends, bool traces) noexcept;
  End step(std::int32_t t) noexcept;
  void finish(bool sends) noexcept;
  double *message(std::int32_t k) const noexcept { return outgoing_ + k * message_limit_; }

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t count_;
  Scores scores_;
  BoundProperty *properties_;
  std::int64_t message_limit_ = 0; // exceeds F + 2 of every property
  std::int64_t traced_rows_;
  double *completion_; // T x m: best score of the positions after t, without properties
  double *row_;        // m: scores of the successors of one configuration
  std::int32_t *kept_; // m: labels that matter
  double *outgoing_;   // count x message_limit
  double *attained_;   // count + 1: what offers attain without the message of k; last, with all
  double *least_;      // count + 1: what still matters
  std::int32_t *values_; // count: local values

  // Configurations of the whole pass, found by a hash table with open addressing.
  Memory *memories_;           // kConfigurations x count
  double *slack_;              // kConfigurations
  std::uint64_t *quiet_;       // kConfigurations: quiet_labels()
  std::uint8_t *has_quiet_;
  std::int32_t *row_at_;       // kConfigurations: position whose row it has, and the row's number
  std::int32_t *row_of_;
  std::int32_t *table_;        // kSlots, -1 for none
  std::int32_t configurations_ = 0;
  const Memory *of_ = nullptr; // what the configuration at hand remembers
  Memory *successor_;          // count
  const std::int32_t **next_;  // count: transitions of the configuration and class at hand, by label
  const std::int32_t **fires_; // count

  // Rows of two positions in turn, or in a trace of all: kRows x m, or traced_rows x m.
  double *rows_[2];
  double *all_rows_;
  std::int32_t *all_backs_;         // traced_rows x m: number of the row before
  std::int32_t *all_numbers_;       // traced_rows: configurations
  std::int64_t *row_begin_;         // T + 1: first row of each position
  std::int32_t *numbers_[2];        // kRows: configurations
  double *now_ = nullptr;
  double *after_ = nullptr;         // rows of the next position
  std::int32_t now_count_ = 0;
  std::int32_t after_count_ = 0;
  std::int32_t *now_numbers_ = nullptr;
  std::int32_t *after_numbers_ = nullptr;
  bool traces_ = false;
  bool has_trace_ = false;    // all rows of the last run() are there
  bool is_classless_ = false; // no property tells positions apart by classes

  double best_ = kForbidden;
  std::int32_t best_row_ = -1;
  std::int32_t best_label_ = -1;
};

} // namespace chorale
