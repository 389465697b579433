// Message of a chain to a single property, with few rows where values are many.
//
// Backward rows hold, for each automaton state, the best completion in which nothing fires any
// more, and the best one in which something does. A labelling that fires once is a forward row
// "nothing fired yet", a firing, and a completion of the first kind, so one set of rows gives the
// entries of all values that fire once, and EMPTY. Completions of the second kind bound what a
// labelling that fires again can reach. A row for a fired value is followed only where this bound
// exceeds the entry of the value or of CONFLICT that is already attained.
#pragma once

#include "chain/bound_property.hpp"
#include "chain/scores.hpp"

namespace chorale {

class BoundedSingle {
public:
  // True if the bounds are worth their rows. `codes`: exceeds every code of the property.
  static bool serves(const ChainView &view, const Property &property, std::int64_t codes) noexcept;

  BoundedSingle(Layout &layout, const ChainView &view, const Property &property,
                std::int64_t codes) noexcept;

  // As SingleChain::run(), but for the number of rows: that of the rows followed.
  double run(Scores &scores, const BoundProperty &property, double *message,
             std::int64_t &most) noexcept;

private:
  // A firing after which something else may fire.
  struct Firing {
    std::int32_t t;
    std::int32_t label;
    std::int32_t state; // after the firing
    std::int32_t value;
    double score; // of the positions up to t
  };

  double *row(double *rows, std::int32_t number) const noexcept {
    return rows + std::int64_t{number} * labels_;
  }
  // Completions after position t from a state: without firings, and with at least one.
  double *silent(std::int32_t t, std::int32_t state) const noexcept {
    return silent_ + (std::int64_t{t} * states_ + state) * labels_;
  }
  double *firing(std::int32_t t, std::int32_t state) const noexcept {
    return firing_ + (std::int64_t{t} * states_ + state) * labels_;
  }
  double either(std::int32_t t, std::int32_t state, std::int32_t y) const noexcept;
  std::int32_t alive_after(std::int32_t t, std::int32_t state) const noexcept {
    return property_->may_fire(t + 1, state) ? state : dead_;
  }
  // Score that a labelling must exceed to matter once it has fired `value`.
  double attained(std::int32_t value) const noexcept {
    const double conflict = message_[property_->conflict()];
    return message_[value] < conflict ? message_[value] : conflict;
  }

  void find_columns() noexcept;
  // Fills the behaviour of all states at position t, unless it is that of the last call.
  void read_position(std::int32_t t) noexcept;
  void find_dead_rows(std::int32_t length) noexcept;
  bool complete(Scores &scores) noexcept;
  bool fire_once(Scores &scores) noexcept;
  bool fire_again(Scores &scores, std::int64_t &most) noexcept;
  // Raises CONFLICT to the score of a labelling that begins with `first` and fires again, if it
  // fires two values.
  bool try_conflict(Scores &scores, const Firing &first) noexcept;
  // Moves row `code` of now_ over the edge into t, and distributes it.
  void move(Scores &scores, std::int32_t t, std::int32_t code) noexcept;
  void put(std::int32_t t, std::int32_t value, std::int32_t state, std::int32_t y,
           double score) noexcept;
  double *next_row(std::int32_t code) noexcept;

  std::int32_t labels_;
  std::int32_t states_;
  std::int32_t dead_;
  double *silent_;          // T x states x m
  double *firing_;          // T x states x m; none for the dead state
  std::uint8_t *has_dead_;  // T: 1 if silent(t, dead) is needed
  double *rows_[2];         // codes x m: rows of fired values, at two positions in turn
  double *empty_[2];        // states x m: rows "nothing fired yet", likewise
  double *now_ = nullptr;
  double *next_ = nullptr;
  std::int32_t *codes_[2];  // numbers of the rows of now_ and next_
  std::uint8_t *is_next_;   // codes: 1 if next_ has the row
  std::int32_t next_count_ = 0;
  double *work_;            // m
  double *more_work_;       // m
  Firing *firings_;         // T x states x m
  std::int64_t firing_count_ = 0;
  Firing *best_;            // F: of each value, the firing with the greatest bound
  double *bounds_;          // F: this bound
  // Behaviour by state, m entries each.
  std::int32_t *leads_;     // next state
  std::int32_t *fires_;     // local value, -1, or BoundProperty::kOutside
  double *keeps_;           // 0 where nothing fires and the next state is usual_, or minus infinity
  double *pays_;            // 0 where a value fires and the next state is usual_, or minus infinity
  std::int32_t *others_;    // labels that lead to another state than usual_
  std::int32_t *payers_;    // labels that fire, ascending by value
  std::int32_t *usual_;        // states: next state of the default transition
  std::int32_t *other_count_;  // states
  std::int32_t *payer_count_;  // states
  std::int32_t *keeper_count_; // states: labels with keeps_ 0
  std::uint8_t *meets_dead_;   // states: 1 if some label leads to the dead state
  std::int32_t *first_column_; // states: labels under which the automaton can be in the state lie
  std::int32_t *end_column_;   // states: from first_column_ to end_column_
  std::int32_t position_ = -1; // of the behaviour

  const BoundProperty *property_ = nullptr;
  double *message_ = nullptr;
  bool is_conflict_known_ = false; // the entry of CONFLICT is final
};

} // namespace chorale
