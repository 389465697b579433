// A struct that has got a field since its first release, as the library reads, fills and
// initialises it for programs of the first release, of today and of a later one.
#include "capi/firewall.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace {

struct First {
  std::size_t struct_size;
  std::int64_t old_field;
};
struct Grown {
  std::size_t struct_size;
  std::int64_t old_field;
  std::int64_t appended;
};
struct Later {
  std::size_t struct_size;
  std::int64_t old_field;
  std::int64_t appended;
  std::int64_t unknown;
};

} // namespace

template <> struct chorale::FirstSize<Grown> {
  static constexpr std::size_t kBytes = sizeof(First);
};

using namespace chorale;

namespace {

constexpr Grown kDefaults{sizeof(Grown), 1, 2};

// What the library makes of a struct of the caller; `read` has the defaults where it has no field.
template <class Theirs> chorale_status read(const Theirs &theirs, Grown &read) {
  chorale_error error;
  read = kDefaults;
  return read_struct(Report(&error), "options", reinterpret_cast<const Grown *>(&theirs), read);
}

void fields_that_an_older_program_has_not_are_the_defaults(void **) {
  const First old{sizeof(First), 7};
  Grown seen{};
  assert_int_equal(read(old, seen), CHORALE_OK);
  assert_int_equal(seen.old_field, 7);
  assert_int_equal(seen.appended, 2);
}

void all_of_todays_struct_is_read(void **) {
  const Grown now{sizeof(Grown), 7, 8};
  Grown seen{};
  assert_int_equal(read(now, seen), CHORALE_OK);
  assert_int_equal(seen.old_field, 7);
  assert_int_equal(seen.appended, 8);
}

void what_a_newer_program_sets_must_be_known(void **) {
  Later later{sizeof(Later), 7, 8, 0};
  Grown seen{};
  assert_int_equal(read(later, seen), CHORALE_OK);
  assert_int_equal(seen.appended, 8);
  later.unknown = 1;
  assert_int_equal(read(later, seen), CHORALE_ERROR_STRUCT_SIZE);
}

void sizes_that_no_version_had_are_refused(void **) {
  Later later{0, 7, 8, 0};
  Grown seen{};
  for (const std::size_t size : {std::size_t{0}, sizeof(First) - 8, sizeof(First) - 1,
                                 sizeof(First) + 1, kLargestStruct + 8, SIZE_MAX}) {
    later.struct_size = size;
    assert_int_equal(read(later, seen), CHORALE_ERROR_STRUCT_SIZE);
  }
}

void results_stay_within_the_callers_struct(void **) {
  Later theirs{sizeof(First), -1, -2, -3};
  write_struct(reinterpret_cast<Grown *>(&theirs), kDefaults);
  assert_int_equal(theirs.struct_size, sizeof(First));
  assert_int_equal(theirs.old_field, 1);
  assert_int_equal(theirs.appended, -2);
  theirs.struct_size = sizeof(Later);
  write_struct(reinterpret_cast<Grown *>(&theirs), kDefaults);
  assert_int_equal(theirs.struct_size, sizeof(Later));
  assert_int_equal(theirs.appended, 2);
  assert_int_equal(theirs.unknown, -3);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(fields_that_an_older_program_has_not_are_the_defaults),
      cmocka_unit_test(all_of_todays_struct_is_read),
      cmocka_unit_test(what_a_newer_program_sets_must_be_known),
      cmocka_unit_test(sizes_that_no_version_had_are_refused),
      cmocka_unit_test(results_stay_within_the_callers_struct),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
