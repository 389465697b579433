/* Memory of models and runs: no allocation during a run, all memory from the host, estimates that
 * hold. */
#include "fixture_cluster.h"
#include "fixture_held.h"

static void one_after_another(void *user, int64_t count, int64_t workers,
                              chorale_parallel_body body, void *body_user) {
  (void)user;
  for (int64_t i = 0; i < count; ++i)
    body(body_user, i, i % workers);
}

static void use_the_run(const Cluster *cluster, chorale_run *run, Said *said) {
  chorale_error error;
  OK(chorale_run_step(run, NULL, &error));
  OK(chorale_run_step(run, NULL, &error));
  OK(chorale_run_local_search(run, NULL, &error));
  OK(chorale_run_solve(run, NULL, &error));
  if (cluster->options.bound_steps > 0)
    OK(chorale_run_bound(run, 2, NULL, &error));
  listen_without_json(cluster, run, said); /* JSON may take memory of its own */
  OK(chorale_run_set_limits(run, 10, NULL, &error));
}

static void a_run_allocates_nothing(void **state) {
  (void)state;
  if (!memory_is_counted())
    skip();
  memory_canary();
  static Cluster cluster;
  static Built built;
  static Said said;
  Random random = {test_seed() + 51};
  for (int64_t round = 0; round < test_rounds(500); ++round) {
    random_cluster(&random, &cluster);
    memset(cluster.is_instance, 0, sizeof cluster.is_instance); /* the tests' own ones allocate */
    cluster.options.threads = 1;
    if (round % 4 == 0) {
      cluster.options.threads = 3;
      cluster.options.executor = one_after_another;
    }
    build(&cluster, NULL, &built);
    chorale_error error;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, built.model, &cluster.options, NULL, &run, &error));
    const int64_t before = memory_allocations();
    use_the_run(&cluster, run, &said);
    chorale_run_reset(run);
    use_the_run(&cluster, run, &said);
    const int64_t after = memory_allocations();
    /* What forbids the labels of a chain that is left out is found in memory of its own. */
    if (after != before && said.result.left_out == 0) {
      dump_cluster(stderr, &cluster);
      fail_msg("CHORALE_TEST_SEED=%llu, round %lld: %lld allocations",
               (unsigned long long)test_seed(), (long long)round, (long long)(after - before));
    }
    chorale_run_destroy(run);
    close_built(&cluster, &built);
  }
}

/* Nothing leaks, and no block comes from elsewhere than the host. */
static void all_memory_comes_from_the_host(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  static Said said;
  Random random = {test_seed() + 52};
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    random_cluster(&random, &cluster);
    memset(cluster.is_instance, 0, sizeof cluster.is_instance);
    cluster.options.threads = 1;
    CountingAllocator allocator;
    counting_allocator_init(&allocator);
    chorale_host host = {.struct_size = sizeof host};
    host.allocator = &allocator.hooks;
    chorale_error error;
    open_parts(&cluster, NULL, &built);
    const int64_t before = memory_allocations();
    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(&host, &builder, &error));
    OK(add_chains(&cluster, &built, builder, &error));
    OK(add_cliques(&cluster, &built, builder, &error));
    OK(chorale_model_builder_freeze(builder, &built.model, &error));
    chorale_model_builder_destroy(builder);
    const int64_t of_model = allocator.live_bytes;
    chorale_run *run = NULL;
    OK(chorale_run_create(&host, built.model, &cluster.options, NULL, &run, &error));
    use_the_run(&cluster, run, &said);
    const int64_t of_run = allocator.live_bytes - of_model;
    const int64_t after = memory_allocations();
    if (memory_is_counted())
      assert_int_equal(after - before, allocator.allocations);

    chorale_run_cost cost = {.struct_size = sizeof cost};
    OK(chorale_run_estimate(built.model, &cluster.options, &cost, &error));
    if (of_run != (int64_t)cost.run_bytes) {
      dump_cluster(stderr, &cluster);
      fail_msg("a run of %lld bytes was estimated at %zu", (long long)of_run, cost.run_bytes);
    }
    if (of_model != (int64_t)cost.model_bytes) {
      dump_cluster(stderr, &cluster);
      fail_msg("a model of %lld bytes was estimated at %zu", (long long)of_model, cost.model_bytes);
    }
    assert_int_equal(cost_of_model(built.model).model_bytes, cost.model_bytes);
    assert_int_equal(cost_of_model(built.model).score_bytes, cost.score_bytes);
    assert_true(cost.chain_steps >= 0 && isfinite(cost.chain_steps));
    double scores = 0;
    for (int32_t c = 0; c < cluster.clique_count; ++c)
      scores += plain_members(&cluster.cliques[c]) * cluster.cliques[c].values;
    assert_true(cost.clique_scores >= scores && isfinite(cost.clique_scores));
    chorale_run_destroy(run);
    close_built(&cluster, &built);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    assert_int_equal(allocator.mistakes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_allocates_nothing),
      cmocka_unit_test(all_memory_comes_from_the_host),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
