// Numbers in texts: the same bits where the shortest digits of a double are given, at most one unit
// in the last place off elsewhere; what is no number is refused.
#include "learn/decimal.hpp"
#include "subnormals.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
}

namespace {

using chorale::read_decimal;

constexpr int kRounds = 20000;

void expect_bits(const std::string &text, double expected, std::size_t length) {
  double value = 0;
  const std::size_t read = read_decimal(text, value);
  if (read != length ||
      std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(expected))
    fail_msg("%s: %.17g, %zu characters", text.c_str(), value, read);
}

void shortest_digits_give_the_same_bits(void **) {
  std::mt19937_64 random(20261123);
  for (int round = 0; round < kRounds; ++round) {
    const double x = std::bit_cast<double>(random());
    if (!std::isfinite(x) || (!std::isnormal(x) && !has_subnormals()))
      continue;
    for (const auto form : {std::chars_format::scientific, std::chars_format::general}) {
      char text[64];
      const char *end = std::to_chars(text, text + sizeof text, x, form).ptr;
      const std::string digits(text, static_cast<std::size_t>(end - text));
      expect_bits(digits + ",", x, digits.size());
    }
    const double small = (static_cast<double>(random() % 200001) - 100000) / 1000;
    char text[64];
    const char *end = std::to_chars(text, text + sizeof text, small, std::chars_format::fixed).ptr;
    const std::string digits(text, static_cast<std::size_t>(end - text));
    expect_bits(digits, small, digits.size());
  }
}

// More digits than needed: at most one unit in the last place off.
void other_digits_are_near(void **) {
  std::mt19937_64 random(20261123);
  for (int round = 0; round < kRounds; ++round) {
    const double x = std::ldexp(1 + 0x1p-53 * static_cast<double>(random() >> 11),
                                static_cast<int>(random() % 1800) - 900);
    for (const int digits : {16, 45}) {
      char buffer[96];
      const char *end = std::to_chars(buffer, buffer + sizeof buffer, x,
                                      std::chars_format::scientific, digits)
                            .ptr;
      const std::string text(buffer, static_cast<std::size_t>(end - buffer));
      double value = 0;
      assert_true(read_decimal(text, value) > 0);
      if (value != x && value != std::nextafter(x, 0.0))
        fail_msg("%s: %.17g", text.c_str(), value);
    }
  }
}

void ends_and_odd_forms(void **) {
  const double most = std::numeric_limits<double>::max();
  expect_bits("0", 0.0, 1);
  expect_bits("-0", -0.0, 2);
  expect_bits("000.000e5", 0.0, 9);
  expect_bits("0012.50", 12.5, 7);
  expect_bits("100", 100.0, 3);
  expect_bits("1e0x", 1.0, 3);
  expect_bits("1ex", 1.0, 1);
  expect_bits("1e+", 1.0, 1);
  expect_bits("0.001E+3", 1.0, 8);
  expect_bits("1.7976931348623157e308", most, 22);
  expect_bits("-1.7976931348623157e+308", -most, 24);
  if (has_subnormals()) {
    expect_bits("5e-324", std::numeric_limits<double>::denorm_min(), 6);
    expect_bits("1e-400", 0.0, 6);
  }
  expect_bits("1" + std::string(200, '0') + "e-200", 1.0, 206);
  for (const char *text : {"", "-", ".5", "1.", "1.e5", "+1", "e5", "nan", "inf", "1.8e308",
                           "1e309", "1e99999999999999999999"}) {
    double value = 7;
    assert_int_equal(read_decimal(text, value), 0);
    assert_true(value == 7);
  }
}

} // namespace

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shortest_digits_give_the_same_bits),
      cmocka_unit_test(other_digits_are_near),
      cmocka_unit_test(ends_and_odd_forms),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
