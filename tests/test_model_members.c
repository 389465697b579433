/* Members in any order: duplicates are detected, in less than quadratic time. */
#include "fixture_chain.h"
#include "fixture_held.h"

typedef struct Crowd {
  CountingAllocator allocator;
  chorale_host host;
  chorale_model_builder *builder;
  chorale_potential *potential;
  int32_t *tokens;
  double *scores;
  int64_t length;
} Crowd;

static void open_crowd(Crowd *crowd, int64_t length) {
  chorale_error error;
  memset(crowd, 0, sizeof *crowd);
  counting_allocator_init(&crowd->allocator);
  crowd->host = (chorale_host){.struct_size = sizeof crowd->host};
  crowd->host.allocator = &crowd->allocator.hooks;
  crowd->length = length;
  crowd->scores = calloc((size_t)length, sizeof *crowd->scores);
  crowd->tokens = malloc((size_t)length * sizeof *crowd->tokens);
  assert_true(crowd->scores && crowd->tokens);
  for (int64_t t = 0; t < length; ++t)
    crowd->tokens[t] = (int32_t)(t / 2);
  OK(chorale_potential_create_potts(NULL, 1, 1, NULL, &crowd->potential, &error));
  OK(chorale_model_builder_create(&crowd->host, &crowd->builder, &error));
  chorale_chain chain;
  chorale_chain_options options;
  chain = (chorale_chain){.struct_size = sizeof chain};
  options = (chorale_chain_options){.struct_size = sizeof options};
  chain.length = length;
  chain.labels = 1;
  chain.unary = crowd->scores;
  options.borrow = 1;
  options.tokens = crowd->tokens;
  OK(chorale_model_builder_add_chain(crowd->builder, &chain, &options, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 1;
  setup.potential = crowd->potential;
  for (int32_t c = 0; c < 3; ++c)
    OK(chorale_model_builder_add_cliques(crowd->builder, &setup, 1, NULL, &error));
}

static void close_crowd(Crowd *crowd) {
  chorale_model_builder_destroy(crowd->builder);
  chorale_potential_release(crowd->potential);
  free(crowd->scores);
  free(crowd->tokens);
  assert_int_equal(crowd->allocator.live, 0);
  assert_int_equal(crowd->allocator.mistakes, 0);
}

/* A linear search through the members for each of a million positions would take an hour. */
static void a_million_positions_backwards(void **state) {
  (void)state;
  static Crowd crowd;
  chorale_error error;
  const int64_t length = test_rounds(1000000);
  open_crowd(&crowd, length);
  for (int64_t t = length - 1; t >= 0; --t)
    OK(put_position(crowd.builder, t % 3, 0, t, &error));
  for (int64_t t = 0; t < length; t += 997) {
    FAILS(put_position(crowd.builder, t % 3, 0, t, &error),
          CHORALE_ERROR_DUPLICATE_MEMBER, "position", "clique");
    OK(put_position(crowd.builder, (t + 1) % 3, 0, t, &error));
    FAILS(put_position(crowd.builder, (t + 1) % 3, 0, t, &error),
          CHORALE_ERROR_DUPLICATE_MEMBER, "position", "clique");
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(crowd.builder, &model, &error));
  assert_int_equal(all_member_count(model), length + (length + 996) / 997);
  chorale_model_release(model);
  close_crowd(&crowd);
}

/* Refused memory, at any point, does not lose track of members already added. */
static void what_is_taken_stays_known(void **state) {
  (void)state;
  enum { LENGTH = 600 };
  for (int64_t fail_at = 1; fail_at < 40; ++fail_at) {
    static Crowd crowd;
    chorale_error error;
    open_crowd(&crowd, LENGTH);
    for (int64_t t = LENGTH - 1; t >= 0; t -= 2) {
      if (t == LENGTH / 2 + 1 && crowd.allocator.refusals == 0)
        crowd.allocator.fail_at = fail_at;
      const chorale_status status =
          put_position(crowd.builder, 0, 0, t, &error);
      if (status == CHORALE_ERROR_OUT_OF_MEMORY)
        t += 2; /* again, which must not find it taken */
      else
        assert_int_equal(status, CHORALE_OK);
    }
    /* Repeated words are removed again if memory does not suffice for all of them. */
    int64_t count = 0;
    chorale_status status;
    do
      status = put_words(crowd.builder, crowd.potential, NULL, NULL, &count, &error);
    while (status == CHORALE_ERROR_OUT_OF_MEMORY);
    assert_int_equal(status, CHORALE_OK);
    assert_int_equal(count, LENGTH / 2);
    crowd.allocator.fail_at = 0;
    for (int64_t t = 0; t < LENGTH; ++t) {
      const int64_t clique = 3 + t / 2;
      FAILS(put_position(crowd.builder, clique, 0, t, &error),
            CHORALE_ERROR_DUPLICATE_MEMBER, "position");
      if (t % 2)
        FAILS(put_position(crowd.builder, 0, 0, t, &error),
              CHORALE_ERROR_DUPLICATE_MEMBER, "position");
      else
        OK(put_position(crowd.builder, 0, 0, t, &error));
    }
    close_crowd(&crowd);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_million_positions_backwards),
      cmocka_unit_test(what_is_taken_stays_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
