// Message of a chain for its only property, with few rows of scores even if the property has many
// values.
//
// bound_property.hpp explains firing, local values, codes and the dead state.
//
// A labelling that fires once has three parts: a part in which nothing fires, the firing, and a
// part in which nothing fires any more. The scores of the first part (*unfired* rows, by position
// and automaton state) and of the last part (*silent* rows) do not depend on the value that fires.
// So these rows give the message's entry for EMPTY and, for every value, the best labelling that
// fires it once.
//
// A labelling may also fire a value several times. For this, each value can have a row of scores of
// its own after its first firing. The row is followed only while two upper bounds on the score of a
// labelling that fires the value again are both above the message's entry for the value, as known
// so far:
// - the score with the best completion in which any value fires at least once more (*firing* rows);
// - a bound for this value alone. It begins with the difference between the row's score and the
//   unfired score for the same position, state and label. While nothing fires, this difference
//   cannot grow. A firing raises it by at most its *gain*: the score of the best labelling whose
//   first firing is this one, minus the unfired score after the firing (in the case of the last
//   firing, plus the silent score after it). The bound adds the greatest possible sum of gains of
//   firings still to come (find_hopes()).
// A row is also followed while the first bound is above the entry of CONFLICT, unless this entry is
// final already.
#pragma once

#include "chain/behaviour.hpp"
#include "chain/scores.hpp"

namespace chorale {

class BoundedSingle {
public:
  // True if the bounds probably save more work than they cost. `codes`: greater than every code of
  // the property.
  static bool serves(const ChainView &view, const Property &property, std::int64_t codes) noexcept;

  BoundedSingle(Layout &layout, const ChainView &view, const Property &property,
                std::int64_t codes) noexcept;

  // Does what SingleChain::run() does, but counts for `most` only the rows that are followed, plus
  // one for each state.
  double run(Scores &scores, const BoundProperty &property, gsl::span<double> message,
             std::int64_t &most) noexcept;

private:
  // A labelling up to t whose first firing is at t.
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
  double *row(double *rows, std::int32_t t, std::int32_t state) const noexcept {
    return rows + (std::int64_t{t} * states_ + state) * labels_;
  }
  // Best completions after position t, by label of t, if the automaton is in `state` after t.
  // silent(): without firings; firing(): with at least one firing.
  double *silent(std::int32_t t, std::int32_t state) const noexcept {
    return state == dead_ && t < first_dead_row_ ? never_ : row(silent_, t, state);
  }
  double *firing(std::int32_t t, std::int32_t state) const noexcept {
    return state == dead_ ? never_ : row(firing_, t, state);
  }
  double either(std::int32_t t, std::int32_t state, std::int32_t y) const noexcept;
  // Best labellings up to t without firings, by label of t; `state`: the state after t.
  double *unfired(std::int32_t t, std::int32_t state) const noexcept {
    return state == dead_ ? never_ : row(unfired_, t, state);
  }
  // Best labellings up to t whose first firing is at t, by label of t; `state`: the state before t.
  double *paid(std::int32_t t, std::int32_t state) const noexcept { return row(paid_, t, state); }
  // For each label that fires a value at t, with `state` before t: the greatest sum of gains that
  // firings of the same value after t can add (find_hopes()).
  double *again(std::int32_t t, std::int32_t state) const noexcept { return row(again_, t, state); }
  // True if something may fire at t or later when the automaton is in `state` before t. At t = 0,
  // true for the start state alone.
  bool is_open(std::int32_t t, std::int32_t state) const noexcept {
    return property_->may_fire(t, state) && (t > 0 || state == property_->attached.property->start);
  }

  void find_columns() noexcept;
  // Sets first_dead_row_. False if interrupted.
  bool find_dead_rows(Scores &scores) noexcept;
  bool complete(Scores &scores) noexcept;
  void complete_state(std::int32_t t, const Behaviour::State &in, const double *unary) noexcept;
  bool fire_once(Scores &scores) noexcept;
  void pay(std::int32_t t, std::int32_t s) noexcept;
  void take_firings() noexcept;
  bool find_hopes(Scores &scores) noexcept;
  void find_gains(std::int32_t t, std::int32_t s) noexcept;
  bool fire_again(Scores &scores, std::int64_t &most) noexcept;
  std::int32_t greatest_bound(std::int32_t but) const noexcept;
  // Finds the firing of `value` with the greatest bound, bounds_[value]. False if there is none or
  // if interrupted.
  bool find_firing(Scores &scores, std::int32_t value, Firing &found) noexcept;
  // Traces the best labelling that begins with `first` and fires again. If this labelling fires two
  // values, raises the entry of CONFLICT to its score. False if interrupted.
  bool try_conflict(Scores &scores, const Firing &first) noexcept;
  // Reads the behaviour at t, and writes to attained_ the message entries of the values that fire
  // there. False if interrupted.
  bool read_attained(Scores &scores, std::int32_t t) noexcept;
  // Adds to the rows of next_ those labellings with their first firing at t for which firing again
  // may raise an entry of the message.
  void start_rows(std::int32_t t) noexcept;
  // Moves row `code` of now_ over the edge into t, and distributes it over next_ and the message.
  void move(Scores &scores, std::int32_t t, std::int32_t code) noexcept;
  void put(std::int32_t t, std::int32_t value, std::int32_t state, std::int32_t y,
           double score) noexcept;
  template <int kStep>
  bool keep_hopeful(std::int32_t t, std::int32_t state, const double *scores, const double *least,
                    const double *own, double *to) const noexcept;
  double *next_row(std::int32_t code) noexcept;
  bool run_all(Scores &scores, std::int64_t &most) noexcept;

  std::int32_t labels_;
  std::int32_t states_;
  std::int32_t dead_;
  Behaviour behaviour_;
  // T x states x m, see the functions above. Only silent_ has rows of the dead state.
  double *silent_;
  double *firing_;
  double *unfired_;
  double *paid_;
  double *again_;
  std::int32_t first_dead_row_ = 0; // first t for which silent(t, dead) is needed
  double *rows_[2];                 // codes x m: the row of each code, for two positions in turn
  double *now_ = nullptr;
  double *next_ = nullptr;
  std::int32_t *codes_[2]; // codes of the rows in use in now_ and next_
  std::uint8_t *is_next_;  // codes: 1 if next_ has the row
  std::int32_t next_count_ = 0;
  double *work_;      // m
  double *more_work_; // m
  // The next two are for all firings in a stretch of positions with the same behaviour, by state
  // before the firing and label.
  double *attained_; // states x m: greatest score if nothing else fires; later, see read_attained()
  double *bound_;    // states x m: greatest upper bound if something fires again
  double *bounds_;   // F: by value, the greatest entry of bound_ over all positions
  double *hopes_;    // F: by value, its greatest sum of gains after the current position
  double *hope_;     // m: by label, the hopes_ of its value; used if Behaviour::has_owners()
  double *never_;    // m: minus infinity
  // For each state: all labels that lead to the state are in first_column_ .. end_column_ - 1.
  std::int32_t *first_column_;
  std::int32_t *end_column_;

  const BoundProperty *property_ = nullptr;
  double *message_ = nullptr;      // the message that run() writes
  bool is_conflict_known_ = false; // the entry of CONFLICT is final
};

} // namespace chorale
