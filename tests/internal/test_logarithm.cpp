// The library's logarithm and its inverse: the same bits on every machine, and less than 0.51 and
// 0.52 units in the last place from the exact number.
#include "base/logarithm.hpp"
#include "subnormals.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace {

using chorale::natural_exp;
using chorale::natural_log;

constexpr std::int64_t kCounts = 1000000;

unsigned seed() {
  const char *given = std::getenv("CHORALE_TEST_SEED");
  const unsigned all = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
  std::printf("seed %u\n", all);
  return all;
}

// One in so many numbers is compared with the reference, which takes long where it is emulated.
std::int64_t stride() {
  const char *given = std::getenv("CHORALE_TEST_ROUNDS");
  const double share = given ? std::strtod(given, nullptr) : 1;
  return share > 0 && share < 1 ? static_cast<std::int64_t>(1 / share) : 1;
}

// Distance of `found` from an exact number, in units in the last place.
double units_between(double found, long double exact) {
  const double nearest = std::fabs(static_cast<double>(exact));
  const double unit = std::nextafter(nearest, INFINITY) - nearest;
  return static_cast<double>(std::fabs(found - exact) / unit);
}

// The exact numbers are those of the C library in long double.
double error_of(double x) {
  return units_between(natural_log(x), std::log(static_cast<long double>(x)));
}

void check(double x) {
  if (error_of(x) >= 0.51)
    fail_msg("the logarithm of %a is %a, %g units from the exact number", x, natural_log(x),
             error_of(x));
}

void is_near_the_exact_one(void **) {
  if (LDBL_MANT_DIG < 64)
    skip(); // long double says no more than double
  for (std::int64_t k = 2; k <= kCounts; k += stride())
    check(static_cast<double>(k));
  std::mt19937_64 random(seed());
  for (std::int64_t k = 0; k < kCounts; k += stride()) {
    // Any exponent of a normal number; then near 1, where the logarithm is small.
    check(std::bit_cast<double>((random() & 0x000fffffffffffff) | (1 + random() % 2046) << 52));
    check(0.5 + std::ldexp(static_cast<double>(random() >> 11), -52));
  }
  for (int k = 1; k < 52; ++k) {
    check(1 + std::ldexp(1, -k));
    check(1 - std::ldexp(1, -k - 1));
  }
  check(DBL_MIN);
  check(DBL_MAX);
}

void has_the_same_bits_everywhere(void **) {
  assert_true(std::bit_cast<std::uint64_t>(natural_log(1)) == 0);
  const struct {
    double x;
    double log;
  } known[] = {
      {0x1p+1, 0x1.62e42fefa39efp-1},
      {0x1.8p+1, 0x1.193ea7aad030bp+0},
      {0x1.cp+2, 0x1.f2272ae325a57p+0},
      {0x1.4p+3, 0x1.26bb1bbb55516p+1},
      {0x1.f4p+9, 0x1.ba18a998fffap+2},
      {0x1.00001p+20, 0x1.bb9d3deb8c76bp+3},
      {0x1.fffffffcp+30, 0x1.57cd0e700682p+4},
      {0x1.8p-1, -0x1.269621134db92p-2},
      {0x1.0000000000001p+0, 0x1.fffffffffffffp-53},
      {0x1.fffffffffffffp-1, -0x1p-53},
      {0x1.6a09e667f3bcdp-1, -0x1.62e42fefa39eep-2},
      {0x1p-1022, -0x1.6232bdd7abcd2p+9},
      {0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9},
  };
  for (const auto &one : known)
    if (natural_log(one.x) != one.log)
      fail_msg("the logarithm of %a is %a; on other machines it is %a", one.x, natural_log(one.x),
               one.log);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::int64_t k = 1; k <= kCounts; ++k)
    hash = (hash ^ std::bit_cast<std::uint64_t>(natural_log(static_cast<double>(k)))) *
           0x100000001b3;
  if (hash != 0xa1f87898d2b5cfcd)
    fail_msg("the logarithms of 1 to %lld have the hash %#llx", static_cast<long long>(kCounts),
             static_cast<unsigned long long>(hash));
}

void check_exp(double x) {
  if (x < -660 && !has_subnormals())
    return; // the unit in the last place counts as 0
  const double error = units_between(natural_exp(x), std::exp(static_cast<long double>(x)));
  if (!(error < 0.52))
    fail_msg("e to the power of %a is %a, %g units off", x, natural_exp(x), error);
}

void powers_are_near_the_exact_ones(void **) {
  if (LDBL_MANT_DIG < 64)
    skip();
  std::mt19937_64 random(seed());
  const auto part = [&] { return std::ldexp(static_cast<double>(random() >> 11), -53); };
  for (std::int64_t k = 0; k < kCounts; k += stride()) {
    check_exp(-708 * part()); // normal results
    check_exp(709.78 * part());
    check_exp(-part());
    check_exp(std::ldexp(part() - 0.5, -static_cast<int>(random() % 1000)));
  }
  // Next to the boundaries of the parts of the table.
  for (int k = -1000; k <= 1000; ++k) {
    const double x = (k + 0.5) * 0x1.62e42fefa39efp-8;
    check_exp(x);
    check_exp(std::nextafter(x, INFINITY));
    check_exp(std::nextafter(x, -INFINITY));
  }
  check_exp(-0x1.6232bdd7abcd2p+9); // log of the least normal number
  check_exp(0x1.62e42fefa39efp+9);
}

void powers_end_at_zero_and_infinity(void **) {
  for (const double x : {-746.0, -1e3, -1e300, -static_cast<double>(INFINITY)})
    assert_true(natural_exp(x) == 0);
  for (const double x : {709.79, 711.0, 1e300, static_cast<double>(INFINITY)})
    assert_true(natural_exp(x) == static_cast<double>(INFINITY));
  // Subnormal results, where the host has them: within one unit.
  if (has_subnormals() && LDBL_MANT_DIG >= 64)
    for (double x = -708.5; x > -746; x -= 0.01)
      if (!(units_between(natural_exp(x), std::exp(static_cast<long double>(x))) <= 1))
        fail_msg("e to the power of %a is %a", x, natural_exp(x));
}

void powers_have_the_same_bits_everywhere(void **) {
  assert_true(natural_exp(0) == 1 && natural_exp(-0.0) == 1);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::int64_t k = 0; k <= kCounts; ++k)
    hash = (hash ^ std::bit_cast<std::uint64_t>(
                       natural_exp(static_cast<double>(k - kCounts / 2) / 710))) *
           0x100000001b3;
  if (hash != 0xf68fa88ec8fad035)
    fail_msg("the powers have the hash %#llx", static_cast<unsigned long long>(hash));
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(is_near_the_exact_one),
      cmocka_unit_test(has_the_same_bits_everywhere),
      cmocka_unit_test(powers_are_near_the_exact_ones),
      cmocka_unit_test(powers_end_at_zero_and_infinity),
      cmocka_unit_test(powers_have_the_same_bits_everywhere),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
