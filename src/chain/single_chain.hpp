// Message of a chain to its only property, an automaton that *fires* values at some positions: for
// each value, the best score of the labellings on which the property has this value. The dynamic
// program has one row of m scores for each pair (value fired so far, automaton state).
//
// A row has the index value * states + state, the *code* of its pair, so rows form a table. At each
// position, a max-product step advances a row, and its entries are then distributed, by label, over
// the rows of the pairs that follow. Two loops over the whole row move many labels at once, with
// masks that all rows of the same state share. The first loop moves the labels that fire nothing
// and keep the state. If a value has fired already, the second moves the labels that fire another
// value, which all lead to CONFLICT in the dead state (unless the automaton must be followed after
// CONFLICT, BoundTables::fires_outside). Other labels are moved one by one.
#pragma once

#include "chain/bound_property.hpp"
#include "chain/scores.hpp"

namespace chorale {

class SingleChain {
public:
  // `codes`: greater than every code of the property.
  SingleChain(Layout &layout, const ChainView &view, std::int64_t codes) noexcept;

  // Writes the best score for each local value (bound_property.hpp), EMPTY and CONFLICT to
  // `message`, and raises `most` to at least the greatest number of rows that a position uses.
  // Returns the best score of all, or minus infinity if every labelling is forbidden. If
  // interrupted, also returns minus infinity, and `message` must not be used. The property must
  // have the role `outgoing`.
  double run(Scores &scores, const BoundProperty &property, gsl::span<double> message,
             std::int64_t &most) noexcept;

private:
  std::int32_t code(std::int32_t fired, std::int32_t state) const noexcept {
    return fired * states_ + state;
  }
  double *row(double *rows, std::int32_t code) const noexcept {
    return rows + std::int64_t{code} * labels_;
  }
  // Returns the row of next_ with index `code`; fills it with minus infinity if it is not in use
  // yet.
  double *target(std::int32_t code) noexcept;
  // Fills the fields from fires_ to usual_ for a state of the automaton at position t.
  void prepare(std::int32_t t, std::int32_t state) noexcept;
  // spread() distributes work_, a row of labellings that had fired `fired` before this position (a
  // local value, EMPTY or CONFLICT), over the rows of next_, and overwrites parts of work_. put()
  // does so for one label; put_row() moves all labels whose entry of `mask` is 0 to the row with
  // the index `to`.
  void spread(std::int32_t fired, const MaxPlus &kernels) noexcept;
  void put(std::int32_t fired, std::int32_t y) noexcept;
  void put_row(std::int32_t to, const double *mask, const MaxPlus &kernels) noexcept;
  double finish(Scores &scores, gsl::span<double> message) noexcept;

  std::int32_t labels_;
  std::int64_t codes_;
  double *now_; // codes x m: best scores of the labellings up to the current position
  double *next_;
  std::uint8_t *alive_; // codes: 1 if the row of now_ has a score above minus infinity
  std::uint8_t *next_alive_;
  double *work_; // m: a row after a max-product step
  // What each label does in one state at one position; see prepare().
  std::int32_t *fires_;  // m: local value, -1, or BoundProperty::kOutside
  std::int32_t *leads_;  // m: the next state; the dead one if nothing can fire from it
  double *keeps_;        // m: 0 if the label fires nothing and leads to usual_, else minus infinity
  double *clashes_;      // m: 0 if the label fires a value, else minus infinity
  std::int32_t *others_; // m: labels that fire nothing and lead to a state other than usual_
  std::int32_t *firing_; // m: labels that fire, ascending by value
  std::int32_t other_count_ = 0;
  std::int32_t firing_count_ = 0;
  std::int32_t usual_ = 0; // the state itself; the dead one if nothing can fire from it any more

  const BoundProperty *property_ = nullptr;
  std::int32_t states_ = 0;
};

} // namespace chorale
