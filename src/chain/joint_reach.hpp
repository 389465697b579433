// Messages of all properties of a chain, and decoding, in one pruned forward pass.
//
// A property is an automaton that *fires* values (bound_property.hpp, which also explains local
// values and the dead state). A configuration holds the automaton state and the value fired so far
// of every property; at each position it has a row of m scores. So the rows of the last position
// give the best score of each combination of values. The messages of all properties (for each
// value, the best score of the chain) and the best labelling follow from these scores. A partial
// labelling has an upper bound: its score, plus the best score of the remaining positions without
// properties, plus the most that messages can still add. It is pruned if this bound is below the
// score of a known labelling (for messages, if it is below by more than the *reach*, see the last
// paragraph). The pass uses no beam: it is exact, or reports an overflow of its memory.
//
// The receiver of a message adds numbers to the entries. It states the part of these numbers that
// it knows in advance, the *steady* part, and the reach, the most by which the other part can
// differ between two entries. So entry v cannot affect the receiver if
//     message[v] + steady[v] < max over w of (message[w] + steady[w]) - reach.
// In its place the message then has an upper bound, the number for which both sides are equal.
#pragma once

#include "chain/attachments.hpp"
#include "chain/bound_property.hpp"
#include "chain/scores.hpp"

namespace chorale {

class JointReach {
public:
  // True if JointReach can be used: for a chain, not a tree, that has positions and 1 to
  // kMostProperties properties.
  static bool serves(const ChainView &view, std::int32_t properties) noexcept {
    return !view.parents && view.length > 0 && properties > 0 && properties <= kMostProperties;
  }

  enum class End { done, overflow, interrupted };

  // `shared`: one BoundTables for each attached property, which several objects may use in turn;
  // NULL: the object has tables of its own.
  JointReach(Layout &layout, const ChainView &view, const Attachments &attachments,
             BoundTables *shared = nullptr) noexcept;

  // Loads the scores and prepares the properties (BoundProperty::bind()). Then writes to
  // `labelling` the labelling with the best score of the chain alone, in which messages do not
  // count. False if every labelling is forbidden or if interrupted.
  bool prepare(Limits *limits = nullptr) noexcept;
  // entries() returns the number of entries of the message of property k, column() the clique's
  // column of an entry, steady() the steady parts of the entries. prepare() sets the steady parts
  // to 0; the caller may change them before the first offer().
  std::int32_t entries(std::int32_t k) const noexcept { return properties_[k].local_count + 2; }
  std::int32_t column(std::int32_t k, std::int32_t entry) const noexcept {
    const BoundProperty &property = properties_[k];
    return entry < property.local_count
               ? property.numbers[entry]
               : property.attached.values() + (entry - property.local_count);
  }
  gsl::span<double> steady(std::int32_t k) const noexcept {
    return {steady_part(k), to_size(entries(k))};
  }
  // Supplies a known labelling, whose score bounds the best score from below. `score`: its score
  // without messages. `shown`: value of each property, from Attached::evaluate(). Ignores forbidden
  // labellings. True if its score with messages is at least that of all earlier offers.
  bool offer(gsl::span<const std::int32_t> labels, double score,
             gsl::span<const std::int32_t> shown) noexcept;
  // Returns the greatest score, including messages, of an offered labelling.
  double offered() const noexcept { return attained_[count_]; }

  // Computes best() and, if `reaches` is not empty, the messages. reaches[k]: the reach for the
  // message of property k; if it is infinite, all entries are exact.
  End run(gsl::span<const double> reaches) noexcept;
  // Returns the greatest score, including messages; at least offered(). Minus infinity if every
  // labelling is forbidden.
  double best() const noexcept { return best_; }
  // After run() with `reaches`: writes the R + 2 entries of the message of property k.
  void write_message(std::int32_t k, gsl::span<double> row) const noexcept;
  // After a run() with best() > offered(): writes the best labelling to `labelling`. Returns
  // `overflow` also if this labelling was pruned by rounding errors.
  End trace() noexcept;

  gsl::span<std::int32_t> labelling; // T

private:
  static constexpr std::int32_t kMostProperties = 16;

  // Automaton state of a property, and its local value so far.
  struct Memory {
    std::int32_t state;
    std::int32_t fired;
  };
  Memory *memories(std::int32_t configuration) const noexcept {
    return memories_ + std::int64_t{configuration} * count_;
  }

  std::uint32_t first_slot(const Memory *of) const noexcept;
  void resize_table(std::uint32_t slots) noexcept;
  // Returns the number of a configuration, which is added if it is new; -1 if the table is full.
  std::int32_t intern(const Memory *of) noexcept;
  // Returns the slack of a configuration: a partial labelling is kept if its score, plus its best
  // completion without properties, plus the slack is at least 0. The slack includes a tolerance for
  // rounding.
  double slack_of(const Memory *of) const noexcept;
  // Returns the greatest entry of `row` (by local value) that property k can still attain after
  // `memory`. `greatest`: the greatest entry of the whole row.
  double most_paid(std::int32_t k, const Memory &memory, const double *row,
                   double greatest) const noexcept;
  // Writes the local values that a labelling shows to values_. `shown`: as in offer(). False if the
  // labelling is forbidden.
  bool read_values(gsl::span<const std::int32_t> labels,
                   gsl::span<const std::int32_t> shown) noexcept;
  // These four functions refer to the current configuration, `of_`. follow() writes to successor_
  // the configuration that follows after `label` at t; false if it is forbidden.
  void read_cells(std::int32_t t) noexcept;
  std::uint64_t quiet_labels() const noexcept;
  bool lives_on(std::int32_t t) const noexcept;
  bool follow(std::int32_t t, std::int32_t label) noexcept;
  // Runs the forward pass. `sends`: computes messages; `traces`: keeps the rows of all positions.
  End pass(bool sends, bool traces) noexcept;
  End step(std::int32_t t) noexcept;
  // Computes best_ and, with `sends`, the outgoing messages of all properties.
  void finish(bool sends) noexcept;
  double *message(std::int32_t k) const noexcept { return outgoing_ + k * message_limit_; }
  double *steady_part(std::int32_t k) const noexcept { return steady_ + k * message_limit_; }

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t count_;
  Scores scores_;
  BoundProperty *properties_;
  std::int64_t message_limit_ = 0; // greater than F + 2 of every property
  std::int64_t row_limit_;   // greatest number of rows of a position
  std::int64_t traced_rows_; // greatest number of rows of all positions together, in a tracing pass
  double *completion_; // T x m: best score of the positions after t, without properties
  double *row_;        // m: scores of the successors of one configuration
  std::int32_t *kept_; // m: labels that are not pruned
  double *outgoing_;   // count x message_limit: messages by local value
  double *steady_;     // count x message_limit: steady parts by local value
  double *most_steady_; // count: the greatest steady part of each property
  // count + 1: greatest score of an offer. Entry k: with the steady part of property k in the place
  // of its message; last entry: with all messages.
  double *attained_;
  // count + 1: least score that is not pruned. Entry k: for the message of property k; last entry:
  // for decoding.
  double *least_;
  std::int32_t *values_; // count: local value of each property on one labelling

  // The configurations of the whole pass are numbered. A hash table with open addressing finds the
  // number of a configuration.
  Memory *memories_;           // kConfigurations x count: state and value of each property
  double *slack_;              // by configuration: slack_of()
  std::uint64_t *quiet_;       // by configuration: quiet_labels()
  std::uint8_t *has_quiet_;    // by configuration: 1 if quiet_ is computed
  std::int32_t *row_at_;       // by configuration: last position with a row of the configuration
  std::int32_t *row_of_;       // by configuration: number of this row
  std::int32_t *table_;        // slots_, at most kSlots: number of a configuration, or -1
  std::uint32_t slots_ = 0;    // a power of two, at least twice the number of configurations
  std::int32_t configurations_ = 0;
  const Memory *of_ = nullptr; // current configuration
  Memory *successor_;          // count: successor of of_, see follow()
  // For each property, in its state in of_: the next state and the action by label (m entries).
  const std::int32_t **next_;
  const std::int32_t **fires_;

  // Rows of m scores. rows_: row_limit_ rows for each of two neighbouring positions, used in turn.
  // all_rows_: traced_rows_ rows for all positions together, used if traces_ is true.
  double *rows_[2];
  double *all_rows_;
  std::int32_t *all_backs_;         // traced_rows x m: row at the previous position
  std::int32_t *all_numbers_;       // traced_rows: configuration of each row
  std::int64_t *row_begin_;         // T + 1: first row of each position
  std::int32_t *numbers_[2];        // row_limit_: configuration of each row
  double *now_ = nullptr;           // rows of the current position
  double *after_ = nullptr;         // rows of the next position
  std::int32_t now_count_ = 0;
  std::int32_t after_count_ = 0;
  std::int32_t *now_numbers_ = nullptr;
  std::int32_t *after_numbers_ = nullptr;
  bool traces_ = false;
  bool has_trace_ = false;    // the last run() kept the rows of all positions
  bool is_classless_ = false; // every property has a single position class

  double best_ = kForbidden;
  std::int32_t best_row_ = -1;
  std::int32_t best_label_ = -1;
};

} // namespace chorale
