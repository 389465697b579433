// Layouts: measured as placed, arrays apart and aligned. Bounds of arrays that share memory, which
// the address sanitizer checks.
#include "base/array.hpp"
#include "base/workspace.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <vector>

#if CHORALE_REDZONES
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#endif

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace {

using chorale::kAlignment;
using chorale::Layout;

constexpr std::int64_t kCounts[] = {0, 1, 7, 8, 9, 64, 1000, 3};

struct Taken {
  explicit Taken(Layout &layout) {
    for (const std::int64_t count : kCounts) {
      numbers.push_back(layout.take<double>(count));
      flags.push_back(layout.take<std::uint8_t>(count));
    }
  }
  std::vector<double *> numbers;
  std::vector<std::uint8_t *> flags;
};

void is_measured_as_placed(void **) {
  Layout measure;
  const Taken nowhere(measure);
  for (const double *place : nowhere.numbers)
    assert_null(place);
  const chorale::Block block(chorale::Memory(nullptr), measure.bytes());
  Layout layout(block.data());
  const Taken taken(layout);
  assert_int_equal(layout.bytes(), measure.bytes());
  const std::byte *end = block.data();
  for (std::size_t k = 0; k < std::size(kCounts); ++k) {
    const auto count = static_cast<std::size_t>(kCounts[k]);
    const auto *number = reinterpret_cast<const std::byte *>(taken.numbers[k]);
    const auto *flag = reinterpret_cast<const std::byte *>(taken.flags[k]);
    assert_true(number >= end && flag >= number + count * sizeof(double));
    assert_int_equal(static_cast<std::size_t>(number - block.data()) % kAlignment, 0);
    assert_int_equal(static_cast<std::size_t>(flag - block.data()) % kAlignment, 0);
    end = flag + count;
  }
  assert_true(end <= block.data() + block.bytes());
}

void sizes_beyond_memory_stay_there(void **) {
  for (const std::size_t count : {SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX - 3}) {
    Layout layout;
    layout.take<double>(count);
    assert_int_equal(layout.bytes(), SIZE_MAX);
    layout.take<double>(std::size_t{1});
    assert_int_equal(layout.bytes(), SIZE_MAX);
  }
}

void phases_share_memory(void **) {
  Layout layout;
  layout.take<double>(std::int64_t{100});
  const std::size_t mark = layout.mark();
  layout.take<double>(std::int64_t{1000});
  const std::size_t first = layout.bytes();
  layout.rewind(mark);
  layout.take<double>(std::int64_t{10});
  assert_true(layout.bytes() < first);
  assert_int_equal(layout.peak(), first);
}

#if CHORALE_REDZONES
// True if `act` ends the program by a contract, in a process of its own.
template <class Act> bool is_refused(Act act) {
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    act();
    std::_Exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

void elements_are_those_of_the_array(void **) {
  chorale::Array<std::int32_t> array(chorale::Memory(nullptr));
  assert_true(array.reserve(8) && array.resize(3));
  assert_false(is_refused([&] { array[0] = array[2] = 1; }));
  assert_true(is_refused([&] { array[3] = 1; }));
  assert_true(is_refused([&] { array[-1] = 1; }));
}

bool is_marked(const void *place) { return __asan_address_is_poisoned(place) != 0; }

template <class T> void is_bounded(const T *array, std::int64_t count) {
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(array);
  const auto size = static_cast<std::size_t>(count) * sizeof(T);
  for (std::size_t b = 0; b < size; ++b)
    assert_false(is_marked(bytes + b));
  assert_true(is_marked(bytes + size));
}

void ends_of_arrays_are_bounds(void **) {
  Layout measure;
  const Taken nowhere(measure);
  const chorale::Memory memory(nullptr);
  const chorale::Block block(memory, 2 * measure.bytes());
  // The second layout begins elsewhere, over arrays and bounds of the first.
  for (const std::size_t begin : {std::size_t{0}, 3 * kAlignment, std::size_t{0}}) {
    Layout layout(block.data() + begin);
    const Taken taken(layout);
    for (std::size_t k = 0; k < std::size(kCounts); ++k) {
      is_bounded(taken.numbers[k], kCounts[k]);
      is_bounded(taken.flags[k], kCounts[k]);
    }
  }
  chorale::Arena arena(memory);
  for (int round = 0; round < 5; ++round)
    for (const std::int64_t count : kCounts)
      is_bounded(arena.take_array<std::int32_t>(count), count);
}

// A host's allocator may use again what it is given back: nothing there is marked.
void memory_is_given_back_without_marks(void **) {
  alignas(kAlignment) static std::byte memory[4096];
  const chorale_allocator allocator{nullptr,
                                    [](void *, std::size_t bytes, std::size_t) -> void * {
                                      return bytes <= sizeof memory ? memory : nullptr;
                                    },
                                    [](void *, void *, std::size_t, std::size_t) {}};
  chorale_host host{};
  host.struct_size = sizeof host;
  host.allocator = &allocator;
  {
    const chorale::Memory lender(&host);
    const chorale::Block block(lender, sizeof memory);
    Layout layout(block.data());
    const double *array = layout.take<double>(std::int64_t{5});
    is_bounded(array, 5);
  }
  for (const std::byte &byte : memory)
    assert_false(is_marked(&byte));
}
#endif

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(is_measured_as_placed),
      cmocka_unit_test(sizes_beyond_memory_stay_there),
      cmocka_unit_test(phases_share_memory),
#if CHORALE_REDZONES
      cmocka_unit_test(elements_are_those_of_the_array),
      cmocka_unit_test(ends_of_arrays_are_bounds),
      cmocka_unit_test(memory_is_given_back_without_marks),
#endif
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
