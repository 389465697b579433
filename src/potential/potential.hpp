// The public potential: an immutable, reference-counted description of a function
// C(n_0, .., n_{R-1}), where n_v is the number of members of a clique that have value v.
//
// It does not belong to a clique. Algorithms work on a CliquePotential (clique_potential.hpp),
// which is scaled for the n members of a clique, with all uncounted values merged into one column.
#pragma once

#include "base/counted.hpp"
#include "base/log.hpp"
#include "base/span.hpp"

#include <chorale/experimental.h>

#include <cstdint>

namespace chorale {

// A mixture is a SUM whose tables are weighted sums of functions of the count k of a value and the
// number n of members (see `storage` below). Some of them are max(0, k - i n / 4) for i = 1, 2, 3;
// kShares is the 4 in this formula. kMixtureHead is the number of weights that all values share.
inline constexpr std::int32_t kShares = 4;
inline constexpr std::int32_t kMixtureHead = 2 + kShares - 1;
// In the mask of a mixture: the value is counted, and its table is only a multiple of the count.
inline constexpr std::uint8_t kLinearOnly = 2;

// The counts nearest to a count k that a table allows.
struct NearestAllowed {
  std::int32_t below; // the greatest that is at most k; -1 if there is none
  std::int32_t above; // the least that is at least k; the length of the table if there is none
};

// Reason why a callback gave no score, and for which counts. Two failures are equal if their kinds
// are.
struct CallbackFailure {
  enum class Kind : std::int32_t { none, bad_value, stopped };
  static const CallbackFailure none;

  // The failure of a callback that gave `score` for `counts` among `members` members.
  static CallbackFailure of(Kind kind, double score, gsl::span<const std::int64_t> counts,
                            std::int64_t members) noexcept;
  friend bool operator==(const CallbackFailure &one, const CallbackFailure &other) noexcept {
    return one.kind == other.kind;
  }

  static constexpr std::int32_t kShown = 4;

  Kind kind = Kind::none;
  std::int32_t shown = 0; // how many of the counts that are not 0 are in `values` and `counts`
  bool more = false;      // more than kShown counts are not 0
  double score = 0;       // what the callback gave
  std::int64_t members = 0;
  std::int64_t counts[kShown] = {};
  std::int32_t values[kShown] = {};
};
inline constexpr CallbackFailure CallbackFailure::none{};

// The families of potentials (potential.h).
enum class Form : std::int32_t { sum, max, majority, pairs, callback };

// How the tables of a potential are defined. Entry k of the table of value v is f_v(k), for a count
// of k among n members. `lambda`, `numbers` and `storage` are fields of the potential.
enum class TableSource : std::int32_t {
  none,           // the family has no tables
  square,         // lambda k^2
  entropy,        // lambda k log k
  linear,         // lambda k
  stored,         // from `numbers`
  cardinality,    // `numbers` for the higher of the two counted values, zeros for the lower
  separable_pairs, // f(v, v) (k^2 - k) + c_v k (n - k); for f and c_v see `storage`
  mixture         // a weighted sum of functions of k and n, see `storage`
};

// The fields that define a potential. A derived potential (rescale.hpp, recolumn.hpp) begins with a
// copy of those of its source.
struct PotentialData {
  Form family = Form::sum;
  chorale_scale scale = CHORALE_SCALE_NONE;
  chorale_shape shape = CHORALE_SHAPE_DETECT;
  std::int32_t values = 0;
  std::int32_t counted_values = 0;
  std::int32_t highest_counted = -1;
  TableSource source = TableSource::none;
  // >= 0; multiplies `numbers`, or the scores of a callback. lambda includes the strength, which is
  // then 1.
  double strength = 1;

  double lambda = 0;
  // Number of tables in `numbers`, and entries of each. If there is one table, all values share it,
  // except in a cardinality potential. A mixture has one "table" with all its `numbers`.
  std::int64_t table_count = 0;
  std::int64_t table_length = 0;
  bool finite_tables = true; // no table of a counted value has an entry of minus infinity
  // For each table and count the nearest allowed counts, table_count x table_length. NULL if
  // finite_tables is true.
  const NearestAllowed *nearest = nullptr;
  // In every table of a counted value, the entries k < convex_length form a convex sequence, and
  // the entries k < concave_length form a concave sequence, which may end in entries of minus
  // infinity. Both are 0 for PAIRS and for families without tables.
  std::int64_t convex_length = 0;
  std::int64_t concave_length = 0;

  chorale_count_function callback = nullptr;
  void *callback_user = nullptr;
  std::int32_t callback_values = 0; // the callback receives the first callback_values counts

  const double *numbers = nullptr;
  const std::uint8_t *mask = nullptr; // values bytes, 0: uncounted; NULL: every value is counted
};

} // namespace chorale

struct chorale_potential : chorale::Counted, chorale::PotentialData {
  explicit chorale_potential(const chorale::Memory &from) noexcept : Counted(from) {}
  ~chorale_potential() {
    if (release)
      release(callback_user);
    chorale::release(base);
  }

  bool counts(std::int32_t value) const noexcept { return !mask || mask[value] != 0; }
  // Returns the factor by which all scores are multiplied: the strength, divided by n or log n for
  // n = `members` if `scale` says so (not by log n if n = 1).
  double factor(std::int64_t members) const noexcept;
  // Returns entry `count` of the table of `value` in a clique of `members` members, not multiplied
  // by factor(). For SUM, MAX and separable PAIRS.
  double table_entry(std::int32_t value, std::int64_t count, std::int64_t members) const noexcept;
  // Returns what table_entry() returns if `source` is square. Inline, for loops over counts.
  double square_entry(std::int64_t count) const noexcept {
    const double k = static_cast<double>(count);
    return lambda * (k * k);
  }
  // Mixtures: returns an entry of the table of any value whose mask is not kLinearOnly, without the
  // term that is a multiple of the count.
  double bent_part(std::int64_t count, std::int64_t members) const noexcept;
  // Returns C of `counts` (`values` entries), scaled by factor(). Sets *failure to the reason why a
  // callback gave no score, or to CallbackFailure::none. For a callback, counts of uncounted values
  // must be 0.
  double evaluate(gsl::span<const std::int64_t> counts, std::int64_t members,
                  chorale::CallbackFailure *failure) const noexcept;
  // Returns C of counts in which no member has a counted value.
  double evaluate_empty(std::int64_t members) const noexcept;
  // Returns the callback's score, checked and multiplied by factor(). If the callback gave no valid
  // score, sets *failure and returns minus infinity. Counts of uncounted values must be 0.
  double call(gsl::span<const std::int64_t> counts, std::int64_t members,
              chorale::CallbackFailure *failure) const noexcept;
  // Returns the greatest number of members for which the tables are long enough.
  std::int64_t members_limit() const noexcept;

  // NULL if this potential was not derived from another. For a potential over other values
  // (recolumn.hpp), its source. For one with another strength (rescale.hpp), the potential that
  // owns the numbers: the source, or the base of the source. This potential holds a reference on
  // `base`, which keeps numbers, mask and callback alive.
  const chorale_potential *base = nullptr;
  void (*release)(void *user) = nullptr;

  bool shares_numbers() const noexcept { return base && numbers == base->numbers; }
  // Returns the bytes of this object and its arrays.
  std::size_t bytes() const noexcept {
    return sizeof *this + storage.bytes() + nearest_storage.bytes();
  }

  // One memory block with the numbers of the family, then the mask; empty if shared with `base`.
  //   SUM, MAX: table_count x table_length;  cardinality: table_length
  //   MAJORITY: values x values weights, then `values` biases
  //   PAIRS: values x values scores f(v, w), then `values` numbers c_v. If the PAIRS are separable,
  //     f(v, w) + f(w, v) = c_v + c_w for all counted values v != w; otherwise c_v has no meaning
  //   mixture: kMixtureHead weights, of the functions k^2 / n, k^2 / log n (k^2 if n = 1) and
  //     max(0, k - i n / 4) for i = 1, 2, 3; then, for each value, the weight of the function k.
  //     The table of a value is the weighted sum of all these functions, or of the function k alone
  //     if the mask of the value is kLinearOnly.
  chorale::Block storage;
  chorale::Block nearest_storage; // of `nearest`, unless shared with `base`
};

namespace chorale {

using Potential = ::chorale_potential;

// True if the numbers of a potential form a matrix of values x values.
inline bool is_square(const Potential &p) noexcept {
  return p.family == Form::majority || p.family == Form::pairs;
}

// True if C may be minus infinity for some counts.
inline bool may_forbid(const Potential &p) noexcept { return p.callback || !p.finite_tables; }

// Sets the fields of a new potential that depend on its numbers, lambda and mask: counted values,
// shapes of tables, finite_tables, separability of PAIRS. `split`: the part of `storage` for the
// `values` numbers c_v of PAIRS, which are computed here; not used by other families.
void derive_potential(Potential &potential, gsl::span<double> split = {}) noexcept;

// Computes `nearest` of a new potential whose other fields are set. False if memory runs out.
bool find_nearest_allowed(Potential &potential) noexcept;

} // namespace chorale
