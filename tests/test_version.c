/* Checks that the loaded library has the version of the headers. */
#include "fixture.h"

static void version_is_that_of_the_headers(void **state) {
  (void)state;
  char expected[64];
  (void)snprintf(expected, sizeof expected, "%d.%d.%d", CHORALE_VERSION_MAJOR,
                 CHORALE_VERSION_MINOR, CHORALE_VERSION_PATCH);
  assert_string_equal(chorale_version(), expected);
  assert_ptr_equal(chorale_version(), chorale_version());
  assert_int_equal(chorale_abi(), CHORALE_ABI);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(version_is_that_of_the_headers)};
  return cmocka_run_group_tests_name("version", tests, NULL, NULL);
}
