// The public potential: an immutable, reference-counted description of C(n_0, .., n_{R-1}).
//
// It knows nothing of a particular clique. What an algorithm works with, scaled for n members and
// with the values that do not count merged, is a CliquePotential (clique_potential.hpp).
#pragma once

#include "base/log.hpp"
#include "base/counted.hpp"

#include <chorale/potential.h>

#include <cstdint>

namespace chorale {

// Why a callback gave no score.
enum class CallbackFailure : std::int32_t { none, bad_value, stopped };

// How f_v(k) is found.
enum class TableSource : std::int32_t {
  none,           // the family has no tables
  square,         // lambda k^2
  entropy,        // lambda k log k
  linear,         // lambda k
  stored,         // from `numbers`
  cardinality,    // from `numbers` for the higher counted value, 0 for the other
  separable_pairs // f(v, v) (k^2 - k) + c_v k (n - k)
};

} // namespace chorale

struct chorale_potential : chorale::Counted {
  explicit chorale_potential(const chorale::Memory &from) noexcept : Counted(from) {}
  ~chorale_potential() {
    if (release)
      release(callback_user);
    chorale::release(base);
  }

  bool counts(std::int32_t value) const noexcept { return !mask || mask[value] != 0; }
  // The factor of the scale for n members, strength included.
  double factor(std::int64_t members) const noexcept;
  // f_v(k), unscaled, among n members; SUM and MAX families and separable PAIRS.
  double table_entry(std::int32_t value, std::int64_t count, std::int64_t members) const noexcept;
  // C of `values` counts, scale included; *failure says why a callback gave none.
  double evaluate(const std::int64_t *counts, std::int64_t members,
                  chorale::CallbackFailure *failure) const noexcept;
  // The same where no member takes a value that counts.
  double evaluate_empty(std::int64_t members) const noexcept;
  // The callback's score alone, checked and scaled; entries of values that do not count must be 0.
  double call(const std::int64_t *counts, std::int64_t members,
              chorale::CallbackFailure *failure) const noexcept;
  // The greatest clique its tables serve.
  std::int64_t members_limit() const noexcept;

  chorale_family family = 0;
  chorale_scale scale = CHORALE_SCALE_NONE;
  chorale_shape shape = CHORALE_SHAPE_DETECT;
  std::int32_t values = 0;
  std::int32_t counted_values = 0;
  std::int32_t highest_counted = -1;
  chorale::TableSource source = chorale::TableSource::none;

  // The potential that this one was made from, by another strength or over other values; it is kept
  // alive for its numbers, mask or callback. NULL: made by itself.
  const chorale_potential *base = nullptr;
  double strength = 1; // >= 0, times everything but lambda, which has it already

  double lambda = 0;
  std::int64_t table_count = 0;  // 1: shared by all values
  std::int64_t table_length = 0; // entries of each
  bool finite_tables = true;     // no count is forbidden
  // Entries k < convex_length of every table are convex, and likewise concave (minus infinity may
  // end a concave table).
  std::int64_t convex_length = 0;
  std::int64_t concave_length = 0;

  chorale_count_function callback = nullptr;
  void *callback_user = nullptr;
  std::int32_t callback_values = 0; // how many counts the callback sees: the first ones
  void (*release)(void *user) = nullptr;

  bool shares_numbers() const noexcept { return base && numbers == base->numbers; }

  // One block (of `base` where it is shared): the numbers of the family, then the mask.
  //   SUM, MAX: table_count x table_length;  cardinality: table_length
  //   MAJORITY: values x values weights, then `values` biases
  //   PAIRS: values x values scores, then c_v of the split f(v, w) + f(w, v) = c_v + c_w, if any
  chorale::Block storage;
  const double *numbers = nullptr;
  const std::uint8_t *mask = nullptr; // NULL: every value counts
};

namespace chorale {

using Potential = ::chorale_potential;

// The length of the longest prefix of f(0), f(1), .. that is convex (concave), within 1e-12 max|f|.
std::int64_t convex_prefix(const double *table, std::int64_t length) noexcept;
std::int64_t concave_prefix(const double *table, std::int64_t length) noexcept;

// Fills the fields of a new potential that follow from its numbers and mask: counted values, table
// shapes, whether PAIRS separates. `split` has room for `values` numbers (PAIRS only).
void derive_potential(Potential &potential, double *split) noexcept;

} // namespace chorale
