// Storage of all messages of a model, in 8 to 64 bits an entry. The message between a clique and
// one of its members is a *row*: a score for each column (value) of the clique.
//
// A constant added to a row changes no labelling. So every row is stored with 0 as its greatest
// entry, and all other entries are at most 0. Formats narrower than double store each entry as a
// multiple of the store's *unit*, a power of two near the scores of the model, so that the relative
// error is the same for tiny and for huge scores. A *magnitude* is an entry without its sign.
#pragma once

#include "base/workspace.hpp"
#include "cluster/model/cliques.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace chorale {

enum class MessageNumber : std::int32_t { automatic, float64, float32, magnitude16, magnitude8 };

// The 16-bit format of an entry: a magnitude with 6 bits of exponent and 10 of mantissa, with
// subnormal numbers. Range 2^-40 to 2^33 units; relative error at most 2^-11 from 2^-30 units on.
// Code 0xffff is minus infinity; finite magnitudes beyond the range get the greatest finite code.
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

// The 8-bit format of an entry: a magnitude with 3 bits of exponent and 5 of mantissa, with
// subnormal numbers, in units of the row. Each row has a unit of its own, a power of two from
// 2^-128 to 2^127 units of the store, chosen so that the greatest magnitude of the row lies in the
// topmost octave. Code 0xff is minus infinity; no finite number has this code.
namespace magnitude8 {

inline constexpr std::uint8_t kForbiddenCode = 0xff;
inline constexpr int kTopExponent = 11; // the topmost octave: 2^11 .. kMost units of the row
inline constexpr double kMost = 3968;   // greatest finite magnitude, code 0xfe
inline constexpr int kBias = 128;       // added to the exponent of a row's unit to store it

// Returns the exponent of the unit that a row gets, plus kBias.
inline std::uint8_t unit_of(gsl::span<const double> row) noexcept {
  double most = 0;
  for (const double *entry = row.data(), *end = entry + row.size(); entry != end; ++entry)
    most = *entry == kForbidden ? most : std::max(most, -*entry);
  if (!(most > 0))
    return 0;
  int exponent = std::ilogb(most) - kTopExponent;
  if (most > std::ldexp(kMost, exponent)) // `most` would exceed the greatest finite magnitude
    ++exponent;
  return static_cast<std::uint8_t>(std::clamp(exponent, -kBias, kBias - 1) + kBias);
}

inline double unit(std::uint8_t exponent) noexcept { return std::ldexp(1.0, exponent - kBias); }

inline std::uint8_t encode(double value, double per_unit) noexcept {
  if (value == kForbidden)
    return kForbiddenCode;
  const double units = std::min(-value * per_unit, kMost);
  if (!(units > 0))
    return 0;
  if (units < 32)
    return static_cast<std::uint8_t>(units + 0.5);
  // Rounds to nearest, as in the 16-bit format, to five bits of mantissa.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(units) + (std::uint64_t{1} << 46);
  const std::uint64_t code = (bits >> 47) - ((std::uint64_t{1023} + 4) << 5);
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(code, kForbiddenCode - 1));
}

inline double decode(std::uint8_t code, double unit) noexcept {
  if (code == kForbiddenCode)
    return kForbidden;
  const int steps = code < 32 ? code : (32 + code % 32) << (code / 32 - 1);
  return code == 0 ? 0.0 : -unit * steps;
}

} // namespace magnitude8

// All message rows in one direction (from members to cliques, or from cliques to members), one row
// for each slot.
class MessageStore {
public:
  MessageStore() noexcept = default;
  MessageStore(Layout &layout, std::int64_t count, std::int64_t rows, MessageNumber number) noexcept
      : count_(count) {
    if (number == MessageNumber::magnitude8) {
      count_ += rows; // each row is preceded by the exponent of its unit
      bytes_ = layout.take<std::uint8_t>(count_);
    } else if (number == MessageNumber::magnitude16) {
      codes_ = layout.take<std::uint16_t>(count);
    } else if (number == MessageNumber::float32) {
      floats_ = layout.take<float>(count);
    } else {
      doubles_ = layout.take<double>(count);
    }
  }

  // Sets the unit, a power of two. Must be called before the first store() or write().
  void set_unit(double unit) noexcept { unit_ = unit; }
  double unit() const noexcept { return unit_; }

  void clear() noexcept {
    if (bytes_)
      std::fill_n(bytes_, count_, std::uint8_t{0});
    else if (codes_)
      std::fill_n(codes_, count_, std::uint16_t{0});
    else if (floats_)
      std::fill_n(floats_, count_, 0.0F);
    else
      std::fill_n(doubles_, count_, 0.0);
  }
  // Fills `to` with consecutive rows of `width` entries each, of which the first lies at `at`.
  void load(RowPlace at, std::int32_t width, gsl::span<double> to) const noexcept {
    const std::int64_t begin = at.entry;
    const auto count = static_cast<std::int64_t>(to.size());
    double *entry = to.data();
    if (bytes_) {
      const std::uint8_t *from = bytes_ + at.entry + at.number;
      for (const double *end = entry + count; entry != end;) {
        const double unit = magnitude8::unit(*from++);
        for (std::int32_t v = 0; v < width; ++v)
          *entry++ = magnitude8::decode(*from++, unit) * unit_;
      }
    } else if (codes_) {
      std::transform(codes_ + begin, codes_ + begin + count, entry,
                     [this](std::uint16_t code) { return magnitude16::decode(code) * unit_; });
    } else if (floats_) {
      std::transform(floats_ + begin, floats_ + begin + count, entry,
                     [this](float number) { return double{number} * unit_; });
    } else {
      std::copy_n(doubles_ + begin, count, entry);
    }
  }
  // Loads one row.
  void load(RowPlace at, gsl::span<double> to) const noexcept {
    load(at, static_cast<std::int32_t>(to.size()), to);
  }
  // Damps a row: an entry becomes kept * stored entry + (1 - kept) * new entry, unless either of
  // the two is minus infinity. Stores the damped row and returns true if it differs from the stored
  // row by more than rounding; otherwise returns false. A new row with all entries minus infinity
  // counts as zeros. Overwrites `new_row`.
  bool store(RowPlace at, gsl::span<double> new_row, double kept) noexcept {
    const auto count = static_cast<std::int32_t>(new_row.size());
    double *row = new_row.data();
    // Avoids branches, which the processor could not predict here.
    double top = kForbidden;
    for (std::int32_t v = 0; v < count; ++v)
      top = row[v] > top ? row[v] : top;
    for (std::int32_t v = 0; v < count; ++v)
      row[v] = top == kForbidden ? 0.0 : row[v] - top;
    enter_units(count, row);
    if (kept > 0) {
      const double unit = bytes_ ? magnitude8::unit(bytes_[at.entry + at.number]) : 0;
      for (std::int32_t v = 0; v < count; ++v)
        if (const double before = get(at, v, unit); before > kForbidden && row[v] > kForbidden)
          row[v] += kept * (before - row[v]);
    }
    if (bytes_)
      return put(at, count, row);
    const bool changes = codes_    ? differs(codes_ + at.entry, count, row)
                         : floats_ ? differs(floats_ + at.entry, count, row)
                                   : differs(doubles_ + at.entry, count, row);
    if (changes)
      put(at, count, row);
    return changes;
  }
  // Stores, without damping, a row that load() read from another store. Overwrites `row`.
  void write(RowPlace at, gsl::span<double> row) noexcept {
    const auto count = static_cast<std::int32_t>(row.size());
    enter_units(count, row.data());
    put(at, count, row.data());
  }

private:
  // Divides a row by the unit, unless the store holds doubles. A finite quotient below the range of
  // doubles becomes the least finite double, since minus infinity would forbid the value.
  void enter_units(std::int32_t count, double *row) const noexcept {
    if (doubles_ || unit_ == 1)
      return;
    const double per_unit = 1 / unit_;
    for (std::int32_t v = 0; v < count; ++v) {
      const double number = std::max(row[v] * per_unit, -std::numeric_limits<double>::max());
      row[v] = row[v] == kForbidden ? kForbidden : number;
    }
  }
  // Encodes and stores a row that is in units already. In the 8-bit format, returns whether a
  // stored byte changed; otherwise returns true.
  bool put(RowPlace at, std::int32_t count, const double *row) noexcept {
    const std::int64_t begin = at.entry;
    if (bytes_)
      return write_bytes(bytes_ + at.entry + at.number, count, row);
    if (codes_)
      std::transform(row, row + count, codes_ + begin, magnitude16::encode);
    else if (floats_)
      std::transform(row, row + count, floats_ + begin, single);
    else
      std::copy_n(row, count, doubles_ + begin);
    return true;
  }

  static bool write_bytes(std::uint8_t *to, std::int32_t count, const double *row) noexcept {
    const std::uint8_t exponent = magnitude8::unit_of({row, to_size(count)});
    const double per_unit = 1 / magnitude8::unit(exponent);
    bool changes = *to != exponent;
    *to++ = exponent;
    for (std::int32_t v = 0; v < count; ++v) {
      const std::uint8_t code = magnitude8::encode(row[v], per_unit);
      changes = changes || to[v] != code;
      to[v] = code;
    }
    return changes;
  }
  double get(RowPlace at, std::int32_t v, double unit) const noexcept {
    return bytes_ ? magnitude8::decode(bytes_[at.entry + at.number + 1 + v], unit)
                  : get(at.entry + v);
  }
  // Converts to float. A finite number below the range of floats becomes the least finite float,
  // since minus infinity would forbid the value.
  static float single(double value) noexcept {
    return value == kForbidden
               ? -std::numeric_limits<float>::infinity()
               : static_cast<float>(std::max(value, double{-std::numeric_limits<float>::max()}));
  }
  double get(std::int64_t i) const noexcept {
    return codes_ ? magnitude16::decode(codes_[i]) : floats_ ? double{floats_[i]} : doubles_[i];
  }
  // True if `row`, encoded in 16 bits, differs from the stored codes.
  static bool differs(const std::uint16_t *before, std::int32_t count, const double *row) noexcept {
    for (std::int32_t v = 0; v < count; ++v)
      if (before[v] != magnitude16::encode(row[v]))
        return true;
    return false;
  }
  template <class Number>
  bool differs(const Number *before, std::int32_t count, const double *row) const noexcept {
    constexpr bool kSingle = std::is_same_v<Number, float>;
    constexpr double kTolerance = kSingle ? 1e-6 : 1e-12;
    const double least = kSingle ? kTolerance : kTolerance * unit_;
    bool any = false;
    for (std::int32_t v = 0; v < count; ++v) {
      const double old = before[v];
      const double value = kSingle ? double{single(row[v])} : row[v];
      const double difference = std::fabs(old - value);
      const double magnitude = std::fabs(value);
      const bool is_close = (difference <= least) |
                            ((difference <= kTolerance * magnitude) & (magnitude < kInfinity));
      any |= (old != value) & !is_close;
    }
    return any;
  }

  std::int64_t count_ = 0;
  double unit_ = 1;
  double *doubles_ = nullptr;
  float *floats_ = nullptr;
  std::uint16_t *codes_ = nullptr;
  std::uint8_t *bytes_ = nullptr;
};

} // namespace chorale
