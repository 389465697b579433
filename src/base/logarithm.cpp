#include "base/logarithm.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace chorale {
namespace {

// ---- Tables, computed by the compiler ----------------------------------------------------------

// A number as the sum of two doubles: `high` is the number rounded to a double, and `low` is the
// rounding error.
struct Pair {
  double high;
  double low;
};

// Returns a + b without error (Knuth's two-sum).
constexpr Pair sum_of_parts(double a, double b) noexcept {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// Returns a * b without error, by splitting each factor into halves of 26 bits (Dekker). A fused
// multiply-add would be shorter, but not all machines have one.
constexpr Pair product_of(double a, double b) noexcept {
  const auto upper_half = [](double x) {
    const double shifted = x * 134217729.0; // 2^27 + 1
    return shifted - (shifted - x);
  };
  const double product = a * b;
  const double a_high = upper_half(a), a_low = a - a_high;
  const double b_high = upper_half(b), b_low = b - b_high;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// add, multiply and divide: their results are right to about 100 bits.
constexpr Pair add(Pair a, Pair b) noexcept {
  const Pair high = sum_of_parts(a.high, b.high);
  return sum_of_parts(high.high, high.low + (a.low + b.low));
}
constexpr Pair multiply(Pair a, Pair b) noexcept {
  const Pair high = product_of(a.high, b.high);
  return sum_of_parts(high.high, high.low + (a.high * b.low + a.low * b.high));
}
constexpr Pair divide(Pair a, double b) noexcept {
  const double quotient = a.high / b;
  const Pair back = product_of(quotient, b);
  return sum_of_parts(quotient, (((a.high - back.high) - back.low) + a.low) / b);
}

// Returns log(j / 256) = 2 (s + s^3 / 3 + s^5 / 5 + ..) with s = (j - 256) / (j + 256), |s| < 0.18.
constexpr Pair log_of_256ths(double j) noexcept {
  const Pair s = divide({j - 256, 0}, j + 256);
  const Pair square = multiply(s, s);
  Pair sum{0, 0};
  Pair power = s;
  for (int k = 1; k < 40; k += 2, power = multiply(power, square))
    sum = add(sum, divide(power, k));
  return {2 * sum.high, 2 * sum.low};
}

// natural_log() writes its argument as 2^e m, where m is a double from about 0.709 to 1.418.
// kLeast: the bits of the least m. The doubles m are divided in ascending order into
// kLogarithmParts parts of equally many doubles; m = 1 is the middle of one part.
constexpr std::uint64_t kLeast = 0x3fe6b00000000000;
constexpr std::uint64_t kLogarithmParts = 128;
constexpr int kShift = 45; // a part has 2^kShift doubles

// The entry of the table for one part: `inverse` is a number c of 9 bits near 1 / m for all m of
// the part, and high + low = -log c, where `high` is a multiple of 2^-42.
struct LogarithmPart {
  double inverse;
  double high;
  double low;
};

constexpr auto kTable = [] {
  std::array<LogarithmPart, kLogarithmParts> table{};
  for (std::uint64_t i = 0; i < kLogarithmParts; ++i) {
    const std::uint64_t half = std::uint64_t{1} << (kShift - 1);
    const auto middle = std::bit_cast<double>(kLeast + (2 * i + 1) * half);
    const auto j = static_cast<double>(static_cast<int>(256 / middle + 0.5));
    const Pair log = log_of_256ths(j);
    // 1.5 * 2^(52 - 42): doubles of this size are multiples of 2^-42, so adding this number to a
    // small one and subtracting it again rounds the small one to such a multiple.
    constexpr double kRounder = 1536;
    const double high = (kRounder - log.high) - kRounder;
    table[i] = {j / 256, high, (-log.high - high) - log.low};
  }
  return table;
}();

// log 2 = kLog2High + kLog2Low, where kLog2High is a multiple of 2^-32.
constexpr double kLog2High = 0x1.62e42feep-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

constexpr int kPowerBits = 7;
constexpr std::int64_t kPowerParts = 1 << kPowerBits;

// kPowers[i] = 2^(i / 128), right to about 90 bits: the i-th power of `root` = e^(log(2) / 128),
// which is computed by the series of e^x.
constexpr auto kPowers = [] {
  const Pair x = divide(sum_of_parts(kLog2High, kLog2Low), kPowerParts);
  Pair root{1, 0};
  for (int k = 12; k > 0; --k)
    root = add({1, 0}, divide(multiply(root, x), k));
  std::array<Pair, kPowerParts> powers{};
  powers[0] = {1, 0};
  for (std::size_t i = 1; i < powers.size(); ++i)
    powers[i] = multiply(powers[i - 1], root);
  return powers;
}();

} // namespace

// ---- The functions ------------------------------------------------------------------------------

// Writes x as 2^e m with m from 0.709 to 1.418. With the number c near 1 / m from the table,
//     log x = e log 2 - log c + log(1 + r),  r = c m - 1,  |r| < 0.007.
// Each of e log 2, -log c and r is the sum of a high part and a small low part. The high parts may
// be as large as the result, and are added without error. The low parts and the later terms of the
// series of log(1 + r) are so much smaller that their rounding errors do not matter.
double natural_log(double x) noexcept {
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;

  const std::uint64_t above = std::bit_cast<std::uint64_t>(x) - kLeast; // its upper bits are e
  const auto e = static_cast<double>(static_cast<std::int64_t>(above) >> 52);
  const std::uint64_t bits = (above & kMantissa) + kLeast;
  const LogarithmPart &part = kTable[(above & kMantissa) >> kShift];

  const double m = std::bit_cast<double>(bits);
  const double upper = std::bit_cast<double>(bits >> 27 << 27);
  // r = c m - 1, exactly.
  const Pair r = sum_of_parts(upper * part.inverse - 1, (m - upper) * part.inverse);
  const double y = r.high;
  const double series =
      -1.0 / 2 +
      y * (1.0 / 3 + y * (-1.0 / 4 + y * (1.0 / 5 + y * (-1.0 / 6 + y * (1.0 / 7 + y / -8)))));

  const Pair first = sum_of_parts(e * kLog2High + part.high, r.high); // both sums are exact
  return first.high + ((first.low + (e * kLog2Low + part.low)) + (r.low + y * y * series));
}

// Writes x as k log(2) / 128 + r with an integer k and |r| < 0.0028, so that e^x = 2^(k / 128) e^r.
// With k = 128 e + i, the factor 2^(k / 128) is 2^e times the table's entry 2^(i / 128). The terms
// after r in the series of e^r are so small that their rounding errors do not matter.
double natural_exp(double x) noexcept {
  constexpr double kPartsOfLog2 = 0x1.71547652b82fep+7; // 128 / log 2
  // log(2) / 128 = kHigh + kLow, where kHigh has few bits, so that k * kHigh is exact.
  constexpr double kHigh = kLog2High / kPowerParts;
  constexpr double kLow = kLog2Low / kPowerParts;
  constexpr double kRounder = 0x1.8p52; // adding and subtracting it rounds to an integer

  if (!(x > -746))
    return 0;
  if (x > 710)
    return std::numeric_limits<double>::infinity();
  const double k = (x * kPartsOfLog2 + kRounder) - kRounder;
  const auto whole = static_cast<std::int64_t>(k);
  const Pair r = sum_of_parts(x - k * kHigh, -(k * kLow)); // the difference is exact
  const Pair &part = kPowers[static_cast<std::size_t>(whole & (kPowerParts - 1))];
  const double y = r.high;
  const double series =
      r.low + y * y * (1.0 / 2 + y * (1.0 / 6 + y * (1.0 / 24 + y * (1.0 / 120))));
  const double power = part.high + (part.low + part.high * (y + series));

  // Multiplies by 2^e. A subnormal result is rounded a second time, by the last product.
  const std::int64_t e = whole >> kPowerBits;
  const auto two_to = [](std::int64_t exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  };
  if (e >= -1022 && e <= 1023)
    return power * two_to(e);
  return e > 0 ? power * two_to(e - 1) * 2 : power * two_to(e + 128) * two_to(-128);
}

} // namespace chorale
