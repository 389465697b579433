// The message of a chain to one property, alone: a row for every (fired value, automaton state).
//
// With one property a configuration is its own index, so rows lie in a table. All rows in one state
// move alike: labels that fire nothing keep the value, of those that fire another value every one
// leads to CONFLICT; both are one pass over the row under a mask.
#pragma once

#include "chain/bound_property.hpp"
#include "chain/scores.hpp"

namespace chorale {

class SingleChain {
public:
  // codes: more than any code of the property can be.
  SingleChain(Layout &layout, const ChainView &view, std::int64_t codes) noexcept;

  // `message` receives the best score of each local value, EMPTY and CONFLICT; `most` the greatest
  // number of rows alive. Returns the best of all; minus infinity where the limits ended it. The
  // property is `outgoing`.
  double run(Scores &scores, const BoundProperty &property, double *message,
             std::int64_t &most) noexcept;

private:
  std::int32_t code(std::int32_t fired, std::int32_t state) const noexcept {
    return fired * states_ + state;
  }
  double *row(double *rows, std::int32_t code) const noexcept {
    return rows + std::int64_t{code} * labels_;
  }
  double *target(std::int32_t code) noexcept;
  void prepare(std::int32_t t, std::int32_t state) noexcept;
  void spread(std::int32_t fired, const MaxPlus &kernels) noexcept;
  void put(std::int32_t fired, std::int32_t y) noexcept;
  void put_row(std::int32_t to, const double *mask, const MaxPlus &kernels) noexcept;
  double finish(Scores &scores, double *message) noexcept;

  std::int32_t labels_;
  std::int64_t codes_;
  double *now_; // codes x m
  double *next_;
  std::uint8_t *alive_; // codes: whether a row of now_ holds anything
  std::uint8_t *next_alive_;
  double *work_; // m: a row after its step
  // What one state does at one position, label by label.
  std::int32_t *fires_;  // m: local value, -1, or BoundProperty::kOutside
  std::int32_t *leads_;  // m: the next state
  double *keeps_;        // m: 0 where it fires nothing and goes to `usual_`, else minus infinity
  double *clashes_;      // m: 0 where it fires a value, else minus infinity
  std::int32_t *others_; // m: labels that fire nothing and go elsewhere
  std::int32_t *firing_; // m: labels that fire, ascending by value
  std::int32_t other_count_ = 0;
  std::int32_t firing_count_ = 0;
  std::int32_t usual_ = 0;

  const BoundProperty *property_ = nullptr;
  std::int32_t states_ = 0;
};

} // namespace chorale
