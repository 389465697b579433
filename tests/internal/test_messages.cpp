// Messages as they are stored: what each format keeps, and when a row counts as changed.
#include "cluster/run/message_store.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

using namespace chorale;

namespace {

void every_code_is_its_own(void **) {
  double before = kInfinity;
  for (std::uint32_t code = 0; code <= 0xffff; ++code) {
    const double value = magnitude16::decode(static_cast<std::uint16_t>(code));
    assert_true(code == 0 ? value == 0.0 : value < before);
    assert_int_equal(magnitude16::encode(value), code);
    before = value;
  }
  assert_true(before == kForbidden);
}

void rounding_is_to_the_nearest(void **) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-45, 32.9);
  for (int i = 0; i < 200000; ++i) {
    const double value = -std::exp2(exponent(random));
    const std::uint16_t code = magnitude16::encode(value);
    const double error = std::fabs(magnitude16::decode(code) - value);
    for (const int step : {-1, 1})
      if (const int next = code + step; next >= 0 && next < magnitude16::kForbiddenCode)
        assert_true(error <=
                    std::fabs(magnitude16::decode(static_cast<std::uint16_t>(next)) - value));
    if (value < -0x1p-30)
      assert_true(error <= -value * 0x1p-11);
  }
}

void nothing_finite_becomes_forbidden(void **) {
  const double largest = magnitude16::decode(magnitude16::kForbiddenCode - 1);
  for (const double value : {-1e10, -1e100, -std::numeric_limits<double>::max()})
    assert_true(magnitude16::decode(magnitude16::encode(value)) == largest);
  assert_true(magnitude16::decode(magnitude16::encode(kForbidden)) == kForbidden);
  assert_true(magnitude16::encode(-0.0) == 0 && magnitude16::encode(-5e-324) == 0);
}

struct Stored {
  explicit Stored(chorale_message_element element) {
    Layout measure;
    const MessageStore measured(measure, 8, element);
    memory.resize(measure.bytes() + kAlignment);
    auto *place = reinterpret_cast<std::byte *>(
        (reinterpret_cast<std::uintptr_t>(memory.data()) + kAlignment - 1) / kAlignment *
        kAlignment);
    Layout layout(place);
    store = MessageStore(layout, 8, element);
    store.clear();
  }
  bool put(std::vector<double> row, double kept = 0) { return store.store(3, row, kept); }
  std::vector<double> row() const {
    std::vector<double> loaded(4);
    store.load(3, loaded);
    return loaded;
  }
  std::vector<std::byte> memory;
  MessageStore store;
};

constexpr chorale_message_element kElements[] = {CHORALE_MESSAGES_FLOAT64,
                                                   CHORALE_MESSAGES_MAGNITUDE16};
constexpr double kUnits[] = {1e-12, 0x1p-10};

void rows_change_by_more_than_rounding(void **) {
  for (std::size_t k = 0; k < std::size(kElements); ++k) {
    Stored stored(kElements[k]);
    assert_true(stored.put({7.0, 5.5, kForbidden, 7.0}));
    const std::vector<double> row = stored.row();
    assert_true(row[0] == 0 && row[1] == -1.5 && row[2] == kForbidden && row[3] == 0);
    assert_false(stored.put({2.0, 0.5, kForbidden, 2.0})); // another constant
    assert_false(stored.put({2.0, 0.5 + 0.2 * kUnits[k], kForbidden, 2.0}));
    assert_true(stored.put({2.0, 0.5 - 4 * kUnits[k], kForbidden, 2.0}));
    assert_true(stored.put({2.0, kForbidden, kForbidden, 2.0}));
    assert_true(stored.put({2.0, kForbidden, 1.0, 2.0}));
    assert_true(stored.put({kForbidden, kForbidden, kForbidden, kForbidden})); // says nothing
    assert_false(stored.put({0, 0, 0, 0}));
  }
}

void damping_keeps_a_share(void **) {
  for (const chorale_message_element element : kElements) {
    Stored stored(element);
    assert_true(stored.put({0, -4, kForbidden, -2}));
    assert_true(stored.put({0, -2, -1, kForbidden}, 0.5));
    const std::vector<double> row = stored.row();
    assert_true(row[0] == 0 && row[1] == -3 && row[2] == -1 && row[3] == kForbidden);
  }
}

// In a unit as much larger or smaller, rows times a power of two change when the rows themselves
// do, to the same rows times that power, damped or taken over from another store.
void rows_in_a_unit_of_any_size(void **) {
  std::uint32_t state = 1;
  const auto below = [&](std::uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return state / 65536 % limit;
  };
  for (const chorale_message_element element : kElements)
    for (const int exponent : {-930, -200, -40, 40, 200, 890}) {
      Stored plain(element);
      Stored scaled(element);
      Stored taken(element);
      scaled.store.set_unit(std::ldexp(1.0, exponent));
      taken.store.set_unit(std::ldexp(1.0, exponent));
      for (int round = 0; round < 200; ++round) {
        std::vector<double> row = plain.row();
        for (double &entry : row) {
          const std::uint32_t how = below(8);
          if (how == 0)
            entry = kForbidden;
          else if (how == 1 && entry > kForbidden)
            entry += 3e-13 * below(10); // rounding, or nearly so
          else if (how > 4)
            entry = -std::ldexp(below(1000) / 999.0, static_cast<int>(below(60)) - 30);
        }
        std::vector<double> large(row);
        for (double &entry : large)
          entry = std::ldexp(entry, exponent);
        const double kept = below(3) == 0 ? 0.5 : 0.0;
        assert_int_equal(plain.put(row, kept), scaled.put(large, kept));
        std::vector<double> loaded = scaled.row();
        std::vector<double> overwritten(loaded);
        taken.store.write(3, overwritten);
        for (std::size_t v = 0; v < 4; ++v) {
          assert_true(loaded[v] == std::ldexp(plain.row()[v], exponent));
          assert_true(loaded[v] == taken.row()[v]);
        }
      }
      assert_true(scaled.put({0, -1e280, -1, 0}) && scaled.row()[1] > kForbidden);
    }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_code_is_its_own),
      cmocka_unit_test(rounding_is_to_the_nearest),
      cmocka_unit_test(nothing_finite_becomes_forbidden),
      cmocka_unit_test(rows_change_by_more_than_rounding),
      cmocka_unit_test(damping_keeps_a_share),
      cmocka_unit_test(rows_in_a_unit_of_any_size),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
