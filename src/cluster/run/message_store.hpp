// Storage of all messages of a model, in 64 or 16 bits an entry. The message between a clique and
// one of its members is a *row*: a score for each column of the clique. The row of a centre has a
// score for each value of the centre.
//
// A constant added to a row changes no labelling. So every row is shifted until its greatest entry
// is 0, then damped, then stored. All entries are at most 0; with damping, the greatest may be
// below 0. The format of 16 bits stores each entry divided by the store's *unit*, a power of two
// near the scores of the model, so that the relative error is the same for tiny and for huge
// scores. A *magnitude* is an entry without its sign.
#pragma once

#include "base/workspace.hpp"
#include "base/numeric.hpp"

#include <chorale/experimental.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace chorale {

// The 16-bit format of an entry: a magnitude with 6 bits of exponent and 10 of mantissa, with
// subnormal numbers. Range 2^-40 to 2^33 units; relative error at most 2^-11 from 2^-30 units on.
// Code 0xffff is minus infinity; finite magnitudes above the range get the greatest finite code,
// and those below half of 2^-40 get 0.
namespace magnitude16 {

inline constexpr std::uint16_t kForbiddenCode = 0xffff;
inline constexpr double kSmallest = 0x1p-40;
// Subtracting this from the upper 22 bits of a double (sign 0, exponent, 10 bits of mantissa) gives
// the code of the double.
inline constexpr std::uint64_t kExponent = std::uint64_t{1023 - 31} << 10;

inline std::uint16_t encode(double value) noexcept {
  if (value == kForbidden)
    return kForbiddenCode;
  const double magnitude = -value;
  if (!(magnitude > 0))
    return 0;
  if (magnitude < 1024 * kSmallest)
    return static_cast<std::uint16_t>(magnitude / kSmallest + 0.5);
  // Rounds to nearest: adds half of the last bit that is kept. A carry raises the exponent, as it
  // should.
  const std::uint64_t code =
      ((std::bit_cast<std::uint64_t>(magnitude) + (std::uint64_t{1} << 41)) >> 42) - kExponent;
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(code, kForbiddenCode - 1));
}

inline double decode(std::uint16_t code) noexcept {
  if (code == kForbiddenCode)
    return kForbidden;
  if (code < 1024)
    return code == 0 ? 0.0 : -kSmallest * code;
  return -std::bit_cast<double>((code + kExponent) << 42);
}

} // namespace magnitude16

// All message rows in one direction (from members to cliques, or from cliques to members), one row
// for each slot whose clique is not closed (CliqueType::closed).
class MessageStore {
public:
  MessageStore() noexcept = default;
  // `count`: number of entries of all rows together. `element`: their format, FLOAT64 or MAGNITUDE16.
  MessageStore(Layout &layout, std::int64_t count, chorale_message_element element) noexcept
      : count_(count) {
    if (element == CHORALE_MESSAGES_MAGNITUDE16)
      codes_ = layout.take<std::uint16_t>(count);
    else
      doubles_ = layout.take<double>(count);
  }

  // Sets the unit, a power of two. Must be called before the first store() or write().
  void set_unit(double unit) noexcept { unit_ = unit; }
  double unit() const noexcept { return unit_; }

  void clear() noexcept {
    if (codes_)
      std::fill_n(codes_, count_, std::uint16_t{0});
    else
      std::fill_n(doubles_, count_, 0.0);
  }
  // Fills `to` with a row, or with several rows that lie end to end, from entry `at` on.
  void load(std::int64_t at, gsl::span<double> to) const noexcept {
    const auto count = static_cast<std::int64_t>(to.size());
    if (codes_)
      std::transform(codes_ + at, codes_ + at + count, to.data(),
                     [this](std::uint16_t code) { return magnitude16::decode(code) * unit_; });
    else
      std::copy_n(doubles_ + at, count, to.data());
  }
  // Shifts a new row until its greatest entry is 0, and damps it: an entry becomes kept * stored
  // entry + (1 - kept) * new entry, unless either of the two is minus infinity. Stores the damped
  // row and returns true if it differs from the stored row by more than rounding; otherwise returns
  // false. A new row with all entries minus infinity counts as zeros. Overwrites `new_row`.
  bool store(std::int64_t at, gsl::span<double> new_row, double kept) noexcept {
    const auto count = static_cast<std::int32_t>(new_row.size());
    double *row = new_row.data();
    // Avoids branches, which the processor could not predict here.
    double top = kForbidden;
    for (std::int32_t v = 0; v < count; ++v)
      top = row[v] > top ? row[v] : top;
    for (std::int32_t v = 0; v < count; ++v)
      row[v] = top == kForbidden ? 0.0 : row[v] - top;
    enter_units(count, row);
    for (std::int32_t v = 0; kept > 0 && v < count; ++v)
      if (const double before = codes_ ? magnitude16::decode(codes_[at + v]) : doubles_[at + v];
          before > kForbidden && row[v] > kForbidden)
        row[v] += kept * (before - row[v]);
    const bool changes = codes_ ? differs(codes_ + at, count, row) : differs(doubles_ + at, count, row);
    if (changes)
      put(at, count, row);
    return changes;
  }
  // Stores, without damping, a row that load() read from another store. Overwrites `row`.
  void write(std::int64_t at, gsl::span<double> row) noexcept {
    const auto count = static_cast<std::int32_t>(row.size());
    enter_units(count, row.data());
    put(at, count, row.data());
  }

private:
  // Divides a row by the unit, unless the store holds doubles. If the quotient of a finite entry is
  // below the range of doubles, stores the lowest finite double instead, since minus infinity would
  // forbid the value.
  void enter_units(std::int32_t count, double *row) const noexcept {
    if (doubles_ || unit_ == 1)
      return;
    const double per_unit = 1 / unit_;
    for (std::int32_t v = 0; v < count; ++v) {
      const double number = std::max(row[v] * per_unit, -std::numeric_limits<double>::max());
      row[v] = row[v] == kForbidden ? kForbidden : number;
    }
  }
  // Stores a row that is in units already.
  void put(std::int64_t at, std::int32_t count, const double *row) noexcept {
    if (codes_)
      std::transform(row, row + count, codes_ + at, magnitude16::encode);
    else
      std::copy_n(row, count, doubles_ + at);
  }
  // True if `row`, encoded in 16 bits, differs from the stored codes.
  static bool differs(const std::uint16_t *before, std::int32_t count, const double *row) noexcept {
    for (std::int32_t v = 0; v < count; ++v)
      if (before[v] != magnitude16::encode(row[v]))
        return true;
    return false;
  }
  // True if `row` differs from the stored row by more than rounding.
  bool differs(const double *before, std::int32_t count, const double *row) const noexcept {
    constexpr double kTolerance = 1e-12;
    const double least = kTolerance * unit_;
    bool any = false;
    for (std::int32_t v = 0; v < count; ++v) {
      const double difference = std::fabs(before[v] - row[v]);
      const double magnitude = std::fabs(row[v]);
      const bool is_close = (difference <= least) |
                            ((difference <= kTolerance * magnitude) & (magnitude < kInfinity));
      any |= (before[v] != row[v]) & !is_close;
    }
    return any;
  }

  std::int64_t count_ = 0;
  double unit_ = 1;
  double *doubles_ = nullptr;
  std::uint16_t *codes_ = nullptr;
};

} // namespace chorale
