// Messages of all properties of a chain, and decoding, in one pruned forward pass.
//
// A property is an automaton that *fires* values. A configuration holds the automaton state and the
// value fired so far of every property, so the last position has the best score of each combination
// of values. The messages of all properties (for each value, the best score of the chain) and the
// best labelling follow from these scores. A partial labelling is pruned if its score, plus the
// best score of the remaining positions without properties, plus the most that messages can still
// add, lies below the score of a known labelling (for messages, more than the *reach* below). The
// pass uses no beam: it is exact, or reports an overflow of its memory.
//
// If a pass that follows all automata would have many rows, decoding follows as few as it can. A
// pass that leaves out some properties, and adds the greatest entry of their messages in advance,
// gives an upper bound. If its best labelling shows such an entry in each property left out, the
// bound is attained and the labelling is best; otherwise the properties in which it does not are
// followed too, in another pass. If there are several, a pass that follows one property alone first
// bounds each of its values; values that no labelling as good as a known one can show are left out
// from then on.
//
// The receiver of a message adds numbers to its entries. It states the part of these numbers that
// it knows in advance, the *steady* part, and the reach, the most by which the other part can
// differ between two entries. An entry that, with its steady part, is more than the reach below the
// greatest cannot affect the receiver. In its place the message has an upper bound: the number with
// which the entry is exactly the reach below the greatest.
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

  // `shared`: tables of the attached properties, which several programs may use in turn, or NULL.
  JointReach(Layout &layout, const ChainView &view, const Attachments &attachments,
             BoundTables *shared = nullptr) noexcept;

  // Loads scores and binds properties, then writes the best labelling without messages to
  // `labelling`. False if every labelling is forbidden or if interrupted.
  bool prepare(Limits *limits = nullptr) noexcept;
  // The number of entries of the message of property k; the clique's column of an entry; the steady
  // parts of the entries, which prepare() sets to 0 and the caller may set before the first
  // offer().
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
  // message of property k; if it is infinite, all entries are exact. Without `reaches`, and in
  // trace(), values are left out; call prepare() before other messages are computed.
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
  // Rows, on average over the positions, up to which decoding follows all automata.
  std::int64_t few_rows = 16;

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
  // Returns the number of a configuration, adding it if new; -1 if the table is full.
  std::int32_t intern(const Memory *of) noexcept;
  // Returns the slack of a configuration: a partial labelling is kept if its score, plus its best
  // completion without properties, plus the slack is at least 0. The slack includes a tolerance for
  // rounding.
  double slack_of(const Memory *of) const noexcept;
  // Returns the greatest of the entries of `row` (by local value) that are still possible for
  // property k. greatest: the greatest of all entries.
  double most_paid(std::int32_t k, const Memory &memory, const double *row,
                   double greatest) const noexcept;
  // Writes the local values that a labelling shows to values_. `shown`: as in offer(). False if the
  // labelling is forbidden.
  bool read_values(gsl::span<const std::int32_t> labels,
                   gsl::span<const std::int32_t> shown) noexcept;
  // Writes the best labelling of the last pass to `labelling`, from the rows of all positions.
  End follow_backs() noexcept;
  // Decodes with one pass that follows all automata or, if it has many rows, with passes that
  // follow more and more of them.
  End decode() noexcept;
  // Follows also the properties of which `labelling` does not show an entry with the greatest
  // message. False if there is none.
  bool follow_more() noexcept;
  // Bounds the values of every property that is followed, if there are several, and leaves out
  // those that cannot be part of a labelling as good as the best known one.
  End narrow() noexcept;
  // Takes over the greatest entry of the message of property k. Follows the property if the
  // best known labelling does not show this entry, else no more.
  void find_greatest(std::int32_t k) noexcept;
  // These four functions refer to the current configuration, of_. follow() writes the successor of
  // of_ after `label` at t to successor_; false if the successor is forbidden.
  void read_cells(std::int32_t t) noexcept;
  std::uint64_t quiet_labels() const noexcept;
  bool lives_on(std::int32_t t) const noexcept;
  bool follow(std::int32_t t, std::int32_t label) noexcept;
  // Runs the forward pass. `sends`: computes messages; `traces`: keeps the rows of all positions.
  End pass(bool sends, bool traces) noexcept;
  End step(std::int32_t t) noexcept;
  // Computes best_ and, if `sends`, all messages. Without `sends`, the message of a property that
  // is followed alone becomes the greatest score, with all messages, of each of its values.
  void finish(bool sends) noexcept;
  double *message(std::int32_t k) const noexcept { return outgoing_ + k * message_limit_; }
  double *steady_part(std::int32_t k) const noexcept { return steady_ + k * message_limit_; }

  std::int32_t length_;
  std::int32_t labels_;
  std::int32_t count_;
  Scores scores_;
  BoundProperty *properties_;
  std::int64_t message_limit_ = 0; // exceeds F + 2 of every property
  std::int64_t row_limit_;   // greatest number of rows of a position
  std::int64_t traced_rows_; // greatest number of rows of a trace
  double *completion_; // T x m: best score of the positions after t, without properties
  double *row_;        // m: scores of the successors of one configuration
  std::int32_t *kept_; // m: labels that are not pruned
  double *outgoing_;   // count x message_limit: messages by local value
  double *steady_;     // count x message_limit: steady parts by local value
  double *most_steady_; // count: the greatest steady part of each property
  // count + 1: greatest score of an offer. Entry k: with the steady part of property k in the place
  // of its message; last entry: with all messages.
  double *attained_;
  double *least_;        // count + 1: least score that is not pruned, for message k; last: decoding
  std::int32_t *values_; // count: local value of each property on one labelling
  std::int32_t *shown_;  // count: its value in the clique
  std::int32_t *known_;  // count: its local value on the best known labelling
  // Bit k: whether a pass follows the automaton of property k. If not, every configuration has its
  // dead state and the local value best_value_[k].
  std::uint32_t followed_ = 0;
  std::uint32_t narrowed_ = 0; // bit k: narrow() has bounded the values of property k
  std::int32_t *best_value_;   // by property: local value with the greatest message

  // Configurations of the whole pass, numbered, found by a hash table with open addressing.
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
  Memory *successor_;          // count: its successor, see follow()
  // By property: the next state and the action for each label (m entries), in its state in of_.
  const std::int32_t **next_;
  const std::int32_t **fires_;

  // Rows of m scores. rows_: row_limit_ rows for each of two neighbouring positions, used in turn.
  // all_rows_: if traces_, traced_rows_ rows for all positions.
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
