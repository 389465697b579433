// Sorting with looks at the limits: as the standard library sorts, and cut short when they say so.
#include "base/sort.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace {

using chorale::Limits;

unsigned seed() {
  const char *given = std::getenv("CHORALE_TEST_SEED");
  const unsigned all = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
  std::printf("seed %u\n", all);
  return all;
}

// Whether a limit has been met after so many questions; and how much may pass between two.
struct Counter {
  std::int64_t left;
  std::int64_t most = 0;
  bool spend(std::int64_t work) noexcept {
    most = std::max(most, work);
    return --left >= 0;
  }
};

enum class Order { random, rising, falling, equal, few };

std::vector<std::int32_t> make(Order order, std::size_t count, std::mt19937 random) {
  std::vector<std::int32_t> all(count);
  for (std::size_t j = 0; j < count; ++j) {
    const auto place = static_cast<std::int32_t>(j);
    all[j] = order == Order::rising    ? place
             : order == Order::falling ? -place
             : order == Order::equal   ? 7
             : order == Order::few     ? static_cast<std::int32_t>(random() % 4)
                                       : static_cast<std::int32_t>(random() >> 1);
  }
  return all;
}

void sorts_as_the_library(void **) {
  std::mt19937 random(seed());
  for (const Order order :
       {Order::random, Order::rising, Order::falling, Order::equal, Order::few})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{40000},
                                    std::size_t{100000}, std::size_t{600000}}) {
      std::vector<std::int32_t> all = make(order, count, random);
      std::vector<std::int32_t> expected = all;
      std::sort(expected.begin(), expected.end());
      const auto size = static_cast<std::int64_t>(count);
      Counter counter{INT64_MAX};
      assert_true(chorale::sort_within(counter, all.data(), size, std::less<>()));
      assert_true(all == expected);
      assert_true(counter.most <= 2 * Limits::kBetweenLooks);
    }
}

void stops_when_told(void **) {
  std::mt19937 random(seed());
  for (std::int64_t left = 0; left < 40; left += 3) {
    std::vector<std::int32_t> all = make(Order::random, 600000, random);
    Counter counter{left};
    assert_false(chorale::sort_within(counter, all.data(), 600000, std::less<>()));
    assert_int_equal(counter.left, -1); // not asked again
  }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(sorts_as_the_library),
      cmocka_unit_test(stops_when_told),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
