// Messages of a whole model in as few bytes as they are worth.
//
// A row says nothing by a constant: it is stored with 0 as its greatest entry, so every entry is
// minus a magnitude.
#pragma once

#include "base/workspace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace chorale {

enum class MessageNumber : std::int32_t { automatic, float64, float32, magnitude16 };

// Minus a magnitude in 16 bits: 6 of exponent, 10 of mantissa, gradual towards zero. From 2^-41 to
// 2^33, to half a thousandth; all bits set is minus infinity, which no finite number becomes.
namespace magnitude16 {

inline constexpr std::uint16_t kForbiddenCode = 0xffff;
inline constexpr double kSmallest = 0x1p-40;
inline constexpr std::uint64_t kExponent = std::uint64_t{1023 - 31} << 10; // of code 0

inline std::uint16_t encode(double value) noexcept {
  if (value == kForbidden)
    return kForbiddenCode;
  const double magnitude = -value;
  if (!(magnitude > 0))
    return 0;
  if (magnitude < 1024 * kSmallest)
    return static_cast<std::uint16_t>(magnitude / kSmallest + 0.5);
  // Half a unit is added in the last place that is kept; a carry goes into the exponent.
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

// Rows of scores between members and cliques.
class MessageStore {
public:
  MessageStore() noexcept = default;
  MessageStore(Layout &layout, std::int64_t count, MessageNumber number) noexcept : count_(count) {
    if (number == MessageNumber::magnitude16)
      codes_ = layout.take<std::uint16_t>(count);
    else if (number == MessageNumber::float32)
      floats_ = layout.take<float>(count);
    else
      doubles_ = layout.take<double>(count);
  }

  void clear() noexcept {
    if (codes_)
      std::fill_n(codes_, count_, std::uint16_t{0});
    else if (floats_)
      std::fill_n(floats_, count_, 0.0F);
    else
      std::fill_n(doubles_, count_, 0.0);
  }
  void load(std::int64_t begin, std::int64_t count, double *to) const noexcept {
    if (codes_)
      std::transform(codes_ + begin, codes_ + begin + count, to, magnitude16::decode);
    else if (floats_)
      std::copy_n(floats_ + begin, count, to);
    else
      std::copy_n(doubles_ + begin, count, to);
  }
  // Stores a row, `kept` of it being what is there already; returns whether it has changed by more
  // than rounding. A row that forbids everything says nothing.
  bool store(std::int64_t begin, std::int32_t count, double *row, double kept) noexcept {
    const double top = *std::max_element(row, row + count);
    for (std::int32_t v = 0; v < count; ++v) {
      row[v] = top == kForbidden ? 0.0 : row[v] - top;
      if (kept > 0)
        if (const double before = get(begin + v); before > kForbidden && row[v] > kForbidden)
          row[v] += kept * (before - row[v]);
    }
    for (std::int32_t v = 0; v < count; ++v)
      if (differs(begin + v, row[v])) {
        write(begin, count, row);
        return true;
      }
    return false;
  }
  void write(std::int64_t begin, std::int64_t count, const double *row) noexcept {
    if (codes_)
      std::transform(row, row + count, codes_ + begin, magnitude16::encode);
    else if (floats_)
      std::transform(row, row + count, floats_ + begin, [](double value) {
        return value < -std::numeric_limits<float>::max() ? -std::numeric_limits<float>::infinity()
                                                          : static_cast<float>(value);
      });
    else
      std::copy_n(row, count, doubles_ + begin);
  }

private:
  double get(std::int64_t i) const noexcept {
    return codes_ ? magnitude16::decode(codes_[i]) : floats_ ? double{floats_[i]} : doubles_[i];
  }
  // By more than rounding: what is written in 16 bits says it by itself.
  bool differs(std::int64_t i, double value) const noexcept {
    if (codes_)
      return codes_[i] != magnitude16::encode(value);
    const double before = get(i);
    if (before == kForbidden || value == kForbidden)
      return before != value;
    const double tolerance = floats_ ? 1e-6 : 1e-12;
    return std::fabs(before - value) > tolerance * std::max(1.0, std::fabs(value));
  }

  std::int64_t count_ = 0;
  double *doubles_ = nullptr;
  float *floats_ = nullptr;
  std::uint16_t *codes_ = nullptr;
};

} // namespace chorale
