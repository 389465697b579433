#include "learn/decimal.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>

namespace chorale {
namespace {

constexpr int kMostDigits = 40;
constexpr int kMostExponent = 100000; // far above the exponents of doubles, far below INT_MAX

// The number 0.d1d2d3... times 10^point, where d1, d2, d3, ... are the first `count` characters of
// `digits`. The first and the last of these are not '0'. If count is 0, the number is 0.
struct Decimal {
  char digits[kMostDigits];
  int count = 0;
  std::int64_t point = 0;
};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Reads a number without a sign at the beginning of `text`. Returns the number of characters read;
// 0 if `text` does not begin with a number.
std::size_t parse(std::string_view text, Decimal &number) noexcept {
  std::size_t at = 0;
  std::size_t zeros = 0; // number of zeros read since the last digit that is not 0
  bool any = false;
  bool after_point = false;
  const auto goes_on = [&](char c) { return is_digit(c) || (c == '.' && any && !after_point); };
  for (; at < text.size() && goes_on(text[at]); ++at) {
    if (text[at] == '.') {
      after_point = true;
      continue;
    }
    any = true;
    if (number.count == 0 && text[at] == '0') {
      number.point -= after_point;
      continue;
    }
    number.point += !after_point;
    if (text[at] == '0') {
      ++zeros;
      continue;
    }
    for (; zeros > 0; --zeros)
      if (number.count < kMostDigits)
        number.digits[number.count++] = '0';
    if (number.count < kMostDigits)
      number.digits[number.count++] = text[at];
  }
  if (!any || text[at - 1] == '.')
    return 0;
  if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t next = at + 1;
    const bool falls = text[next] == '-';
    next += text[next] == '-' || text[next] == '+';
    int exponent = 0;
    const std::size_t first = next;
    for (; next < text.size() && is_digit(text[next]); ++next)
      exponent = std::min(10 * exponent + (text[next] - '0'), kMostExponent);
    if (next > first) {
      number.point += falls ? -exponent : exponent;
      at = next;
    }
  }
  while (number.count > 0 && number.digits[number.count - 1] == '0')
    --number.count;
  return at;
}

// Returns true if a <= b, compared as numbers.
bool is_at_most(const Decimal &a, const Decimal &b) noexcept {
  if (a.count == 0 || b.count == 0)
    return a.count == 0;
  if (a.point != b.point)
    return a.point < b.point;
  const int both = std::min(a.count, b.count);
  const int order = std::string_view(a.digits, static_cast<std::size_t>(both))
                        .compare({b.digits, static_cast<std::size_t>(both)});
  return order != 0 ? order < 0 : a.count <= b.count;
}

Decimal shortest(std::uint64_t bits) noexcept {
  char text[32];
  const char *end = std::to_chars(text, text + sizeof text, std::bit_cast<double>(bits),
                                  std::chars_format::scientific)
                        .ptr;
  Decimal number;
  parse({text, static_cast<std::size_t>(end - text)}, number);
  return number;
}

} // namespace

std::size_t read_decimal(std::string_view text, double &value) noexcept {
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  Decimal number;
  const std::size_t length = parse(text.substr(sign), number);
  // Doubles >= 0 are in the same order as the integers with the same bits, and as the numbers that
  // their shortest digits state. So a binary search over the integers finds the double.
  std::uint64_t low = 0;
  std::uint64_t high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  const Decimal most = shortest(high);
  if (length == 0 || !is_at_most(number, most))
    return 0;
  if (is_at_most(most, number))
    low = high;
  // On a host that flushes subnormal numbers to 0, all of them have the shortest digits of 0. A
  // search for the number 0 would then find the greatest of them.
  if (number.count == 0)
    high = 1;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_at_most(shortest(middle), number) ? low : high) = middle;
  }
  value = std::bit_cast<double>(low);
  if (sign == 1)
    value = -value;
  return sign + length;
}

} // namespace chorale
