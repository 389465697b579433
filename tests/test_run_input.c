/* Every invalid argument of a run: its status, a message that names it, and no change; the order of
 * reasons; oracle instances among positions and with wrong results. */
#include "fixture_cluster.h"

/* Two chains of 3 and 2 positions over 2 labels, a tree of 2, and an instance; a clique of the
 * first positions of both chains, one of the second ones, a property clique of all but the
 * instance. */
typedef struct Scene {
  double scores[8];
  int32_t parents[2];
  chorale_potential *potts;
  chorale_property *first;
  chorale_model *model;
  int32_t label, value, status; /* what the instance returns */
  double score, message;
  struct Asker *asker; /* NULL: callbacks make no calls */
} Scene;

/* ---- Calls from callbacks ----------------------------------------------------------------- */

/* Makes all calls on a run from one of its callbacks, and counts wrong statuses. */
typedef struct Asker {
  const Scene *scene;
  chorale_run *run;
  int64_t asked, wrong;
  char first[256]; /* the first wrong status */
} Asker;

static void expect(Asker *asker, const char *call, chorale_status status, chorale_status expected) {
  ++asker->asked;
  if (status == expected)
    return;
  if (asker->wrong++ == 0)
    (void)snprintf(asker->first, sizeof asker->first, "%s is %s", call,
                   chorale_status_name(status));
}

static void describe_chain(const Scene *scene, int64_t length, chorale_chain *chain);

static void ask(Asker *asker, int may_read) {
  if (!asker || !asker->run)
    return;
  chorale_run *run = asker->run;
  chorale_error error;
  chorale_chain chain;
  describe_chain(asker->scene, 3, &chain);
  double scores[8];
  int32_t numbers[16];
  char text[4096];
  size_t needed;
  int64_t count;
  chorale_reason reasons[4];
  chorale_run_result result = {.struct_size = sizeof result};
#define REFUSES(call) expect(asker, #call, chorale_run_##call, CHORALE_ERROR_BUSY)
#define READS(call)                                                                                \
  expect(asker, #call, chorale_run_##call, may_read ? CHORALE_OK : CHORALE_ERROR_BUSY)
  REFUSES(step(run, &result, &error));
  REFUSES(solve(run, NULL, &error));
  REFUSES(local_search(run, NULL, &error));
  REFUSES(bound(run, 1, NULL, &error));
  REFUSES(set_chain(run, 0, &chain, &error));
  REFUSES(set_allowed(run, 0, 0, NULL, &error));
  REFUSES(set_strength(run, 0, 1, &error));
  REFUSES(set_labels(run, numbers, 16, &error));
  REFUSES(set_limits(run, 0, NULL, &error));
  REFUSES(max_marginals(run, 0, scores, 0, NULL, &error));
  REFUSES(probabilities(run, 0, 1, scores, 0, NULL, &error));
  chorale_run_reset(run);
  chorale_run_destroy(run);
  READS(get_result(run, &result, &error));
  READS(labels(run, 0, CHORALE_TOGETHER, numbers, 16, NULL, &error));
  READS(values(run, 2, CHORALE_TOGETHER, numbers, 16, NULL, &error));
  READS(reasons(run, 0, reasons, sizeof(chorale_reason), 4, &count, &error));
  READS(json(run, text, sizeof text, &needed, &error));
  chorale_run *later = NULL;
  READS(create(NULL, asker->scene->model, NULL, run, &later, &error));
  chorale_run_destroy(later);
#undef REFUSES
#undef READS
}

static int32_t ask_in_progress(void *user, const chorale_progress *progress) {
  (void)progress;
  ask(user, 1);
  return 0;
}

static void ask_in_executor(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                            void *body_user) {
  (void)workers;
  ask(user, 0);
  for (int64_t i = 0; i < count; ++i)
    body(body_user, i, 0);
}

/* ---- The scene ---------------------------------------------------------------------------- */

static int32_t answer(void *user, int64_t memberships, const int64_t *sizes,
                      const double *const *incoming, double *const *outgoing) {
  const Scene *scene = user;
  (void)incoming;
  ask(scene->asker, 0);
  for (int64_t p = 0; p < memberships; ++p)
    for (int64_t v = 0; v < sizes[p]; ++v)
      outgoing[p][v] = scene->message - (double)v;
  return scene->status;
}

static int32_t decide(void *user, int64_t memberships, const int64_t *sizes,
                      const double *const *incoming, int32_t *labelling, int32_t *values,
                      double *score) {
  const Scene *scene = user;
  (void)sizes;
  (void)incoming;
  ask(scene->asker, 0);
  labelling[0] = scene->label;
  for (int64_t p = 0; p < memberships; ++p)
    values[p] = scene->value;
  *score = scene->score;
  return scene->status;
}

static void describe_chain(const Scene *scene, int64_t length, chorale_chain *chain) {
  *chain = (chorale_chain){.struct_size = sizeof *chain};
  chain->length = length;
  chain->labels = 2;
  chain->unary = scene->scores;
}

static void open_scene(Scene *scene) {
  chorale_error error;
  memset(scene, 0, sizeof *scene);
  for (int32_t i = 0; i < 8; ++i)
    scene->scores[i] = i % 3 * 0.25;
  scene->parents[0] = -1;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &scene->potts, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  OK(chorale_property_create_position_label(NULL, &map, 0, &scene->first, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_chain chain;
  describe_chain(scene, 3, &chain);
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  describe_chain(scene, 2, &chain);
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  chain.parents = scene->parents;
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  chorale_instance instance = {.struct_size = sizeof instance};
  instance.length = instance.labels = 1;
  instance.user = scene;
  instance.messages = answer;
  instance.decode = decide;
  OK(chorale_model_builder_add_instance(builder, &instance, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = scene->potts;
  for (int64_t c = 0; c < 2; ++c) {
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    OK(put_position(builder, c, 0, c, &error));
    OK(put_position(builder, c, 1, c, &error));
  }
  OK(put_chain(builder, 1, 3, NULL, &error));
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.property = scene->first;
  setup.potential = scene->potts;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t i = 0; i < 3; ++i)
    OK(put_chain(builder, 2, i, NULL, &error));
  OK(chorale_model_builder_freeze(builder, &scene->model, &error));
  chorale_model_builder_destroy(builder);
}

static void close_scene(Scene *scene) {
  chorale_model_release(scene->model);
  chorale_property_release(scene->first);
  chorale_potential_release(scene->potts);
}

static void bad_options(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_run_options options;
  chorale_run *run = NULL;
  chorale_run_cost cost = {.struct_size = sizeof cost};
  /* Checks both creating and estimating. */
#define REFUSED(field, wrong, expected, ...)                                                       \
  do {                                                                                             \
    options = (chorale_run_options){.struct_size = sizeof options};                                \
    options.field = (wrong);                                                                       \
    FAILS(chorale_run_create(NULL, scene.model, &options, NULL, &run, &error), expected,           \
          __VA_ARGS__);                                                                            \
    assert_null(run);                                                                              \
    FAILS(chorale_run_estimate(scene.model, &options, &cost, &error), expected, __VA_ARGS__);      \
  } while (0)
  REFUSED(struct_size, 4, CHORALE_ERROR_STRUCT_SIZE, "options", "4");
  REFUSED(rounds, -2, CHORALE_ERROR_SIZE, "rounds", "-2");
  REFUSED(damping, 1.0, CHORALE_ERROR_OUT_OF_RANGE, "damping", "1");
  REFUSED(damping, -0.5, CHORALE_ERROR_OUT_OF_RANGE, "damping", "-0.5");
  REFUSED(damping, NAN, CHORALE_ERROR_NOT_A_NUMBER, "damping");
  REFUSED(algorithm, 999, CHORALE_ERROR_UNKNOWN_CONSTANT, "algorithm", "999");
  REFUSED(joint_mode, 99, CHORALE_ERROR_UNKNOWN_CONSTANT, "joint_mode", "99");
  REFUSED(message_element, 9, CHORALE_ERROR_UNKNOWN_CONSTANT, "message_element", "9");
  REFUSED(beam_width, -1, CHORALE_ERROR_SIZE, "beam_width", "-1");
  REFUSED(max_states, -1, CHORALE_ERROR_SIZE, "max_states", "-1");
  REFUSED(threads, -1, CHORALE_ERROR_SIZE, "threads", "-1");
  REFUSED(time_limit, NAN, CHORALE_ERROR_NOT_A_NUMBER, "time_limit");
  REFUSED(bound_steps, -1, CHORALE_ERROR_SIZE, "bound_steps", "-1");
  REFUSED(effort, NAN, CHORALE_ERROR_NOT_A_NUMBER, "effort");
  REFUSED(effort, INFINITY, CHORALE_ERROR_INFINITE, "effort");
  const chorale_rules rules = {.struct_size = sizeof rules};
  REFUSED(rules, &rules, CHORALE_ERROR_KIND, "rules", "chorale_decode");
#undef REFUSED
  FAILS(chorale_run_create(NULL, NULL, NULL, NULL, &run, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "model");
  FAILS(chorale_run_create(NULL, scene.model, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "run");
  chorale_host host = {.struct_size = sizeof host};
  host.struct_size = 3;
  FAILS(chorale_run_create(&host, scene.model, NULL, NULL, &run, &error), CHORALE_ERROR_STRUCT_SIZE,
        "host");
  FAILS(chorale_run_estimate(NULL, NULL, &cost, &error), CHORALE_ERROR_NULL_ARGUMENT, "model");
  FAILS(chorale_run_estimate(scene.model, NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "cost");
  cost.struct_size = 2;
  FAILS(chorale_run_estimate(scene.model, NULL, &cost, &error), CHORALE_ERROR_STRUCT_SIZE, "cost",
        "2");
  assert_null(run);
  close_scene(&scene);
}

/* A budget too small for exact messages of several properties; the chains of the scene have only
 * one property. */
/* More threads than 256 count as 256: as much memory, the same results. */
static void more_threads_than_the_most(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  static const int64_t threads[] = {256, 257, INT64_MAX};
  double scores[COUNT_OF(threads)];
  uint64_t bytes[COUNT_OF(threads)];
  for (size_t k = 0; k < COUNT_OF(threads); ++k) {
    chorale_run_options options = {.struct_size = sizeof options};
    options.threads = threads[k];
    chorale_run_cost cost = {.struct_size = sizeof cost};
    OK(chorale_run_estimate(scene.model, &options, &cost, &error));
    bytes[k] = cost.run_bytes;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, scene.model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    scores[k] = result.score;
    chorale_run_destroy(run);
    assert_int_equal(bytes[k], bytes[0]);
    assert_true(scores[k] == scores[0]);
  }
  close_scene(&scene);
}

static void a_joint_state_beyond_the_budget(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  chorale_property *next = NULL;
  OK(chorale_property_create_next_label(NULL, &map, 0, NULL, CHORALE_SEGMENT_SPANS_IGNORED, -1,
                                        &next, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_chain chain;
  describe_chain(&scene, 3, &chain);
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = scene.potts;
  for (int64_t c = 0; c < 2; ++c) {
    setup.property = c == 0 ? scene.first : next;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    OK(put_chain(builder, c, 0, NULL, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options = {.struct_size = sizeof options};
  options.joint_mode = CHORALE_JOINT_EXACT;
  options.max_states = 1;
  chorale_run *run = NULL;
  chorale_run_cost cost = {.struct_size = sizeof cost};
  FAILS(chorale_run_create(NULL, model, &options, NULL, &run, &error), CHORALE_ERROR_STATE_SPACE,
        "chain 0", "1");
  assert_null(run);
  options.joint_mode = CHORALE_JOINT_LOCAL_SCORES;
  FAILS(chorale_run_create(NULL, model, &options, NULL, &run, &error), CHORALE_ERROR_STATE_SPACE,
        "chain 0", "1");
  assert_null(run);
  /* An estimate does not decode the chains, so it does not detect this. */
  OK(chorale_run_estimate(model, &options, &cost, &error));
  options.joint_mode = CHORALE_JOINT_AUTO;
  OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_property_release(next);
  close_scene(&scene);
}

/* A joint state holds the codes of any number of properties. */
static void many_properties_of_one_chain(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_chain chain;
  describe_chain(&scene, 3, &chain);
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.property = scene.first;
  setup.potential = scene.potts;
  for (int64_t c = 0; c < 300; ++c) {
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    OK(put_chain(builder, c, 0, NULL, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  static const chorale_joint_mode modes[] = {CHORALE_JOINT_AUTO, CHORALE_JOINT_EXACT,
                                             CHORALE_JOINT_LOCAL_SCORES, CHORALE_JOINT_BEAM};
  for (size_t k = 0; k < COUNT_OF(modes); ++k) {
    chorale_run_options options = {.struct_size = sizeof options};
    options.joint_mode = modes[k];
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
    OK(chorale_run_solve(run, NULL, &error));
    chorale_run_destroy(run);
  }
  chorale_model_release(model);
  close_scene(&scene);
}

/* Callbacks that call the run have no effect on its results. */
static void callbacks_cannot_change_their_run(void **state) {
  (void)state;
  static char expected[4096], text[4096];
  for (int32_t asks = 0; asks < 2; ++asks) {
    Scene scene;
    open_scene(&scene);
    Asker asker;
    memset(&asker, 0, sizeof asker);
    asker.scene = &scene;
    chorale_error error;
    chorale_run_options options = {.struct_size = sizeof options};
    options.bound_steps = 3;
    options.progress = asks ? ask_in_progress : NULL;
    options.progress_user = &asker;
    options.threads = 2;
    options.executor = ask_in_executor;
    options.executor_user = &asker;
    OK(chorale_run_create(NULL, scene.model, &options, NULL, &asker.run, &error));
    chorale_run *run = asker.run;
    if (asks)
      scene.asker = &asker;
    else
      asker.run = NULL;
    OK(chorale_run_solve(run, NULL, &error));
    scene.asker = NULL;
    size_t needed = 0;
    OK(chorale_run_json(run, asks ? text : expected, sizeof text, &needed, &error));
    if (asker.wrong > 0)
      fail_msg("%lld of %lld calls: %s", (long long)asker.wrong, (long long)asker.asked,
               asker.first);
    assert_true((asker.asked > 100) == asks);
    /* After the call the run accepts calls again. */
    OK(chorale_run_step(run, NULL, &error));
    chorale_run_destroy(run);
    close_scene(&scene);
  }
  assert_string_equal(text, expected);
}

/* A potential that calls the run while labellings change. */
static int32_t ask_in_potential(void *user, const int64_t *counts, int64_t values, int64_t members,
                                double *score) {
  (void)values;
  (void)members;
  ask(user, 0);
  *score = (double)(counts[0] * counts[0]);
  return 0;
}

static void potentials_cannot_change_the_run(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  static Asker self;
  memset(&self, 0, sizeof self);
  self.scene = &scene;
  chorale_error error;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_callback(NULL, 2, ask_in_potential, &self, NULL, NULL, &potential,
                                       &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = potential;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t i = 0; i < 3; ++i) {
    chorale_chain chain;
    describe_chain(&scene, 2, &chain);
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, 0, i, 0, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  OK(chorale_run_create(NULL, model, NULL, NULL, &self.run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(self.run, &result, &error));
  if (self.wrong > 0)
    fail_msg("%lld of %lld calls: %s", (long long)self.wrong, (long long)self.asked,
             self.first);
  assert_true(self.asked > 0);
  assert_true(result.score > 0);
  chorale_run *run = self.run;
  self.run = NULL;
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_potential_release(potential);
  close_scene(&scene);
}

/* Messages of a model with other numbers of chains or cliques cannot be taken over. */
/* ---- Callbacks that fail ------------------------------------------------------------------ */

/* A potential whose callback fails once, after some calls, and how many calls did not follow the
 * rules. */
typedef struct Faulty {
  int64_t left; /* the call fails in which this becomes 0 */
  int gives_nan;
  int64_t broken_rules;
  int64_t counts[3]; /* in which it failed */
} Faulty;

enum { FAULTY_VALUES = 3, FAULTY_UNCOUNTED = 1, FAULTY_CHAINS = 4 };

static int32_t score_or_fail(void *user, const int64_t *counts, int64_t values, int64_t members,
                             double *score) {
  Faulty *faulty = user;
  if (values != FAULTY_VALUES || members != FAULTY_CHAINS || counts[FAULTY_UNCOUNTED] != 0)
    ++faulty->broken_rules;
  *score = 3.0 * (double)(counts[0] * counts[0]) + (double)(counts[2] * counts[2]);
  if (--faulty->left != 0)
    return 0;
  memcpy(faulty->counts, counts, sizeof faulty->counts);
  *score = NAN;
  return faulty->gives_nan ? 0 : 1;
}

typedef struct FaultyScene {
  Faulty faulty;
  chorale_potential *potential, *potts;
  chorale_model *model;
  chorale_run *run;
  chorale_prices *prices;
  chorale_decoded *decoded;
} FaultyScene;

static const double faulty_scores[FAULTY_CHAINS][2 * FAULTY_VALUES] = {
    {3, 0, 1, 1, 0, 0}, {2, 0, 1, 0, 1, 0}, {0, 1, 1, 1, 1, 0}, {1, 2, 2, 0, 0, 1}};

/* Decodes the four chains; their first positions are one clique with the faulty potential. */
static chorale_status decode_faulty(const FaultyScene *scene, chorale_decoded **decoded,
                                    chorale_error *error) {
  static const int64_t offsets[] = {0, 2, 4, 6, 8}, members[] = {0, 2, 4, 6}, bounds[] = {0, 4};
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = FAULTY_CHAINS;
  corpus.offsets = offsets;
  corpus.labels = FAULTY_VALUES;
  corpus.unary = faulty_scores;
  chorale_agreement agreement = {.struct_size = sizeof agreement};
  agreement.kind = CHORALE_AGREE_CLIQUES;
  agreement.potential = scene->potential;
  agreement.cliques = 1;
  agreement.clique_offsets = bounds;
  agreement.members = members;
  return chorale_decode(NULL, &corpus, &agreement, 1, NULL, decoded, error);
}

/* Four chains of two positions; the first positions are in a Potts clique, which `prices` shares,
 * the second ones in a clique with the faulty potential. */
static void open_faulty(FaultyScene *scene) {
  chorale_error error;
  memset(scene, 0, sizeof *scene);
  const double (*scores)[2 * FAULTY_VALUES] = faulty_scores;
  uint8_t counted[FAULTY_VALUES] = {1, 1, 1};
  counted[FAULTY_UNCOUNTED] = 0;
  chorale_potential_options some = {.struct_size = sizeof some};
  some.counted = counted;
  OK(chorale_potential_create_callback(NULL, FAULTY_VALUES, score_or_fail, &scene->faulty, NULL,
                                       &some, &scene->potential, &error));
  OK(chorale_potential_create_potts(NULL, FAULTY_VALUES, 1, NULL, &scene->potts, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int64_t i = 0; i < FAULTY_CHAINS; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 2;
    chain.labels = FAULTY_VALUES;
    chain.unary = scores[i];
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  for (int64_t c = 0; c < 2; ++c) {
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = FAULTY_VALUES;
    setup.potential = c == 1 ? scene->potential : scene->potts;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    for (int64_t i = 0; i < FAULTY_CHAINS; ++i)
      OK(put_position(builder, c, i, c, &error));
  }
  OK(chorale_model_builder_freeze(builder, &scene->model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 2;
  options.edits = 1;
  OK(chorale_run_create(NULL, scene->model, &options, NULL, &scene->run, &error));
  OK(chorale_run_solve(scene->run, NULL, &error));
  static const int64_t shared[] = {0};
  OK(chorale_prices_create(NULL, scene->model, shared, 1, NULL, &scene->prices, &error));
  OK(decode_faulty(scene, &scene->decoded, &error));
}

static void close_faulty(FaultyScene *scene) {
  assert_int_equal(scene->faulty.broken_rules, 0);
  chorale_decoded_destroy(scene->decoded);
  chorale_prices_destroy(scene->prices);
  chorale_run_destroy(scene->run);
  chorale_model_release(scene->model);
  chorale_potential_release(scene->potential);
  chorale_potential_release(scene->potts);
}

typedef chorale_status (*Evaluates)(FaultyScene *scene, chorale_error *error);

static chorale_status solve_again(FaultyScene *scene, chorale_error *error) {
  chorale_run_reset(scene->run);
  return chorale_run_solve(scene->run, NULL, error);
}
static chorale_status solve_edited(FaultyScene *scene, chorale_error *failed) {
  static const uint8_t last[FAULTY_VALUES] = {0, 0, 1};
  chorale_error error;
  OK(chorale_run_set_allowed(scene->run, 0, 0, last, &error));
  const chorale_status status = chorale_run_solve(scene->run, NULL, failed);
  OK(chorale_run_set_allowed(scene->run, 0, 0, NULL, &error));
  return status;
}
static chorale_status polish_again(FaultyScene *scene, chorale_error *error) {
  return chorale_run_local_search(scene->run, NULL, error);
}
static chorale_status find_bound(FaultyScene *scene, chorale_error *error) {
  return chorale_run_bound(scene->run, 2, NULL, error);
}
static chorale_status read_reasons(FaultyScene *scene, chorale_error *error) {
  chorale_reason reasons[4];
  chorale_status status = CHORALE_OK;
  for (int64_t i = 0; i < FAULTY_CHAINS && status == CHORALE_OK; ++i)
    status = chorale_run_reasons(scene->run, i, reasons, sizeof reasons[0], 4, NULL, error);
  return status;
}
static chorale_status write_json(FaultyScene *scene, chorale_error *error) {
  char text[4096];
  return chorale_run_json(scene->run, text, sizeof text, NULL, error);
}
static chorale_status solve_priced(FaultyScene *scene, chorale_error *error) {
  double score = UNTOUCHED;
  const chorale_status status =
      chorale_prices_solve(scene->prices, NULL, 0, &score, NULL, error);
  assert_true((status == CHORALE_OK) == (score != UNTOUCHED));
  return status;
}
static chorale_status decode_again(FaultyScene *scene, chorale_error *error) {
  chorale_decoded *decoded = NULL;
  const chorale_status status = decode_faulty(scene, &decoded, error);
  assert_true((status == CHORALE_OK) == (decoded != NULL));
  chorale_decoded_destroy(decoded);
  return status;
}
static chorale_status read_decoded_reasons(FaultyScene *scene, chorale_error *error) {
  chorale_reason reasons[8];
  return chorale_decoded_reasons(scene->decoded, reasons, sizeof reasons[0], COUNT_OF(reasons),
                                 NULL, error);
}
static chorale_status score_labels(FaultyScene *scene, chorale_error *error) {
  static const int32_t labels[2 * FAULTY_CHAINS] = {0, 0, 0, 0, 2, 1, 1, 2};
  double score = 0;
  return chorale_model_score(NULL, scene->model, labels, COUNT_OF(labels), &score, NULL, NULL,
                             error);
}

/* The message names the clique and the counts in which the potential failed. */
static void check_named(const Faulty *faulty, int64_t clique, const char *message) {
  char counts[100];
  size_t length = (size_t)snprintf(counts, sizeof counts, "the counts of clique %d: ", (int)clique);
  const char *before = "";
  for (int v = 0; v < FAULTY_VALUES; ++v)
    if (faulty->counts[v] > 0) {
      length += (size_t)snprintf(counts + length, sizeof counts - length, "%s%d of value %d",
                                 before, (int)faulty->counts[v], v);
      before = ", ";
    }
  if (!strstr(message, counts) || !strstr(message, ", among 4 members") ||
      !strstr(message, faulty->gives_nan ? "gave NaN" : "returned non-zero"))
    fail_msg("\"%s\", which was to be for %s", message, counts);
}

/* Whichever evaluation of the potential fails, the call fails. */
static void each_failure_is_reported(void **state) {
  (void)state;
  static const struct {
    const char *name;
    Evaluates call;
  } kCalls[] = {
      {"solve", solve_again},        {"solve after an edit", solve_edited},
      {"polish", polish_again},      {"bound", find_bound},
      {"reasons", read_reasons},
      {"json", write_json},          {"prices_solve", solve_priced},
      {"model_score", score_labels}, {"decode", decode_again},
      {"decoded_reasons", read_decoded_reasons},
  };
  for (size_t c = 0; c < COUNT_OF(kCalls); ++c)
    for (int gives_nan = 0; gives_nan < 2; ++gives_nan) {
      FaultyScene scene;
      open_faulty(&scene);
      scene.faulty.gives_nan = gives_nan;
      int64_t failed = 0;
      for (;; ++failed) {
        chorale_error error;
        OK(solve_again(&scene, &error)); /* labels to explain, whatever the last failure left */
        scene.faulty.left = failed + 1;
        const chorale_status status = kCalls[c].call(&scene, &error);
        if (scene.faulty.left > 0) {
          assert_int_equal(status, CHORALE_OK);
          break;
        }
        if (status !=
            (gives_nan ? CHORALE_ERROR_CALLBACK_VALUE : CHORALE_ERROR_CALLBACK_STOPPED))
          fail_msg("%s, failure in evaluation %lld: %s", kCalls[c].name, (long long)failed,
                   chorale_status_name(status));
        const int decodes =
            kCalls[c].call == decode_again || kCalls[c].call == read_decoded_reasons;
        check_named(&scene.faulty, decodes ? 0 : 1, error.message);
        scene.faulty.left = 0;
      }
      if (c != 3) /* the bound does not evaluate a callback */
        assert_true(failed > 0);
      close_faulty(&scene);
    }
}

static void a_run_of_another_model(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_run *run = NULL, *other = NULL;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  FAILS(chorale_run_create(NULL, scene.model, NULL, run, &other, &error),
        CHORALE_ERROR_MODEL_MISMATCH, "earlier", "4", "0");
  assert_null(other);
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  close_scene(&scene);
}

static void bad_edits(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_run *run = NULL, *plain = NULL;
  chorale_run_options options = {.struct_size = sizeof options};
  assert_int_equal(options.edits, 0);
  options.edits = 2;
  FAILS(chorale_run_create(NULL, scene.model, &options, NULL, &run, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "edits", "2");
  options.edits = 1;
  OK(chorale_run_create(NULL, scene.model, &options, NULL, &run, &error));
  OK(chorale_run_create(NULL, scene.model, NULL, NULL, &plain, &error));
  chorale_run_result before, after;
  before = (chorale_run_result){.struct_size = sizeof before};
  after = (chorale_run_result){.struct_size = sizeof after};
  OK(chorale_run_solve(run, &before, &error));
  uint8_t all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  uint8_t none[8] = {0};
  FAILS(chorale_run_set_allowed(NULL, 0, 0, all, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_set_allowed(plain, 0, 0, all, &error), CHORALE_ERROR_STATE, "edits");
  FAILS(chorale_run_set_allowed(run, 4, 0, all, &error), CHORALE_ERROR_OUT_OF_RANGE, "chain", "4");
  FAILS(chorale_run_set_allowed(run, -1, 0, all, &error), CHORALE_ERROR_OUT_OF_RANGE, "chain");
  FAILS(chorale_run_set_allowed(run, 3, 0, all, &error), CHORALE_ERROR_KIND, "instance");
  FAILS(chorale_run_set_allowed(run, 0, 99, all, &error), CHORALE_ERROR_OUT_OF_RANGE, "position",
        "99");
  FAILS(chorale_run_set_allowed(run, 0, -1, all, &error), CHORALE_ERROR_OUT_OF_RANGE, "position");
  FAILS(chorale_run_set_allowed(run, 0, 0, none, &error), CHORALE_ERROR_FORBIDDEN_VALUE, "allowed",
        "position 0", "chain 0");
  FAILS(chorale_run_set_strength(NULL, 0, 1, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_set_strength(plain, 0, 1, &error), CHORALE_ERROR_STATE, "edits");
  FAILS(chorale_run_set_strength(run, 99, 1, &error), CHORALE_ERROR_OUT_OF_RANGE, "clique", "99");
  FAILS(chorale_run_set_strength(run, -1, 1, &error), CHORALE_ERROR_OUT_OF_RANGE, "clique");
  FAILS(chorale_run_set_strength(run, 0, NAN, &error), CHORALE_ERROR_NOT_A_NUMBER, "factor");
  FAILS(chorale_run_set_strength(run, 0, -1, &error), CHORALE_ERROR_OUT_OF_RANGE, "factor", "-1");
  FAILS(chorale_run_set_strength(run, 0, 1e-7, &error), CHORALE_ERROR_OUT_OF_RANGE, "factor");
  FAILS(chorale_run_set_strength(run, 0, 1e7, &error), CHORALE_ERROR_OUT_OF_RANGE, "factor");
  OK(chorale_run_get_result(run, &after, &error));
  assert_memory_equal(&before, &after, sizeof before);
  chorale_run_destroy(run);
  chorale_run_destroy(plain);
  close_scene(&scene);
}

static void bad_calls(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_run *run = NULL;
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 1;
  OK(chorale_run_create(NULL, scene.model, &options, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  result.struct_size = 6;
  FAILS(chorale_run_step(run, &result, &error), CHORALE_ERROR_STRUCT_SIZE, "result", "6");
  FAILS(chorale_run_solve(run, &result, &error), CHORALE_ERROR_STRUCT_SIZE, "result", "6");
  FAILS(chorale_run_local_search(run, &result, &error), CHORALE_ERROR_STRUCT_SIZE, "result", "6");
  FAILS(chorale_run_bound(run, 1, &result, &error), CHORALE_ERROR_STRUCT_SIZE, "result", "6");
  FAILS(chorale_run_get_result(run, &result, &error), CHORALE_ERROR_STRUCT_SIZE, "result", "6");
  result = (chorale_run_result){.struct_size = sizeof result};
  FAILS(chorale_run_step(NULL, &result, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_solve(NULL, &result, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_local_search(NULL, &result, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_bound(NULL, 1, &result, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_bound(run, -1, &result, &error), CHORALE_ERROR_SIZE, "steps", "-1");
  FAILS(chorale_run_set_limits(NULL, 1, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_set_limits(run, NAN, NULL, &error), CHORALE_ERROR_NOT_A_NUMBER, "time_limit");
  FAILS(chorale_run_get_result(NULL, &result, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_get_result(run, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "result");

  /* A chain's scores can be replaced only by a chain of the same shape. */
  chorale_chain chain;
  describe_chain(&scene, 3, &chain);
  FAILS(chorale_run_set_chain(NULL, 0, &chain, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_set_chain(run, 0, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "NULL");
  FAILS(chorale_run_set_chain(run, 4, &chain, &error), CHORALE_ERROR_OUT_OF_RANGE, "chain", "4");
  FAILS(chorale_run_set_chain(run, -1, &chain, &error), CHORALE_ERROR_OUT_OF_RANGE, "chain", "-1");
  FAILS(chorale_run_set_chain(run, 3, &chain, &error), CHORALE_ERROR_KIND, "instance");
  FAILS(chorale_run_set_chain(run, 1, &chain, &error), CHORALE_ERROR_SHAPE, "3", "2");
  describe_chain(&scene, 2, &chain);
  FAILS(chorale_run_set_chain(run, 2, &chain, &error), CHORALE_ERROR_SHAPE, "tree");
  chain.parents = scene.parents;
  FAILS(chorale_run_set_chain(run, 1, &chain, &error), CHORALE_ERROR_SHAPE, "tree");
  const int32_t two_roots[2] = {-1, -1};
  chain.parents = two_roots;
  FAILS(chorale_run_set_chain(run, 2, &chain, &error), CHORALE_ERROR_SHAPE, "parent");
  const double wrong[4] = {0, NAN, 0, 0};
  chain.parents = NULL;
  chain.unary = wrong;
  FAILS(chorale_run_set_chain(run, 1, &chain, &error), CHORALE_ERROR_NOT_A_NUMBER, "unary");
  chorale_run_destroy(run);
  close_scene(&scene);
}

static void bad_questions(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, scene.model, NULL, NULL, &run, &error));
  FAILS(chorale_run_bound(run, 1, NULL, &error), CHORALE_ERROR_STATE, "bound_steps", "0");
  int32_t labels[16];
  double numbers[16];
  chorale_reason reasons[4];
  int64_t count;
  size_t needed;
  char text[8];
  for (int done = 0; done < 2; ++done) {
    if (done == 0) {
      FAILS(chorale_run_labels(run, 0, CHORALE_TOGETHER, labels, 16, NULL,
                               &error), CHORALE_ERROR_NO_LABELLING, "");
      FAILS(chorale_run_labels(run, 0, CHORALE_ALONE, labels, 16, NULL,
                               &error), CHORALE_ERROR_NO_LABELLING, "");
      FAILS(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 16, NULL, &error),
                               CHORALE_ERROR_NO_LABELLING, "");
      FAILS(chorale_run_values(run, 0, CHORALE_TOGETHER, labels, 16, NULL,
                               &error), CHORALE_ERROR_NO_LABELLING, "");
      FAILS(chorale_run_reasons(run, 0, reasons, sizeof(chorale_reason), 4, &count,
                                &error), CHORALE_ERROR_NO_LABELLING,
            "");
      FAILS(chorale_run_json(run, text, sizeof text, &needed, &error), CHORALE_ERROR_NO_LABELLING,
            "");
      OK(chorale_run_solve(run, NULL, &error));
    }
    FAILS(chorale_run_labels(run, 4, CHORALE_TOGETHER, labels, 16, NULL,
                             &error), CHORALE_ERROR_OUT_OF_RANGE, "chain",
          "4");
    FAILS(chorale_run_labels(run, -1, CHORALE_TOGETHER, labels, 16, NULL,
                             &error), CHORALE_ERROR_OUT_OF_RANGE, "chain",
          "-1");
    FAILS(chorale_run_labels(run, 0, CHORALE_TOGETHER, labels, 2, NULL,
                             &error), CHORALE_ERROR_CAPACITY, "capacity", "2",
          "3");
    FAILS(chorale_run_labels(run, 0, CHORALE_TOGETHER, NULL, 3, NULL,
                             &error), CHORALE_ERROR_NULL_ARGUMENT, "labels");
    FAILS(chorale_run_labels(NULL, 0, CHORALE_TOGETHER, labels, 16, NULL,
                             &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
    FAILS(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 7, NULL, &error),
                             CHORALE_ERROR_CAPACITY, "capacity", "7",
          "8");
    FAILS(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, NULL, 16, NULL, &error),
                             CHORALE_ERROR_NULL_ARGUMENT, "labels");
    FAILS(chorale_run_labels(NULL, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 16, NULL, &error),
                             CHORALE_ERROR_NULL_ARGUMENT, "run");
    FAILS(chorale_run_values(run, 3, CHORALE_TOGETHER, labels, 16, NULL,
                             &error), CHORALE_ERROR_OUT_OF_RANGE, "clique",
          "3");
    FAILS(chorale_run_values(run, 1, CHORALE_TOGETHER, labels, 2, NULL,
                             &error), CHORALE_ERROR_CAPACITY, "capacity", "2",
          "3");
    FAILS(chorale_run_values(run, 1, CHORALE_TOGETHER, NULL, 3, NULL,
                             &error), CHORALE_ERROR_NULL_ARGUMENT, "values");
    FAILS(chorale_run_values(NULL, 1, CHORALE_TOGETHER, labels, 3, NULL,
                             &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
    FAILS(chorale_run_reasons(run, 4, reasons, sizeof(chorale_reason), 4, &count,
                              &error), CHORALE_ERROR_OUT_OF_RANGE,
          "chain", "4");
    FAILS(chorale_run_reasons(run, 0, NULL, sizeof(chorale_reason), 4, &count,
                              &error), CHORALE_ERROR_NULL_ARGUMENT,
          "reasons");
    FAILS(chorale_run_reasons(NULL, 0, reasons, sizeof(chorale_reason), 4, &count,
                              &error), CHORALE_ERROR_NULL_ARGUMENT,
          "run");
    FAILS(chorale_run_max_marginals(run, 4, numbers, 0, NULL, &error), CHORALE_ERROR_OUT_OF_RANGE,
          "chain", "4");
    FAILS(chorale_run_max_marginals(run, 0, numbers, 1, NULL, &error), CHORALE_ERROR_STRIDE, "1",
          "2");
    FAILS(chorale_run_max_marginals(run, 3, numbers, 0, NULL, &error), CHORALE_ERROR_KIND,
          "instance");
    FAILS(chorale_run_probabilities(run, 3, 1, numbers, 0, NULL, &error), CHORALE_ERROR_KIND,
          "instance");
    FAILS(chorale_run_max_marginals(NULL, 0, numbers, 0, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
          "run");
    OK(chorale_run_max_marginals(run, 0, NULL, 0, NULL, &error));
    FAILS(chorale_run_json(run, NULL, 8, &needed, &error), CHORALE_ERROR_NULL_ARGUMENT, "buffer");
    FAILS(chorale_run_json(NULL, text, sizeof text, &needed, &error), CHORALE_ERROR_NULL_ARGUMENT,
          "run");
  }
  /* Marginals are written with the requested row stride. */
  for (int32_t e = 0; e < 16; ++e)
    numbers[e] = -77;
  OK(chorale_run_max_marginals(run, 0, numbers, 3, NULL, &error));
  assert_true(numbers[2] == -77 && numbers[5] == -77 && numbers[8] == -77);
  assert_true(numbers[0] != -77 && numbers[1] != -77 && numbers[7] != -77);
  chorale_run_destroy(run);
  close_scene(&scene);
}

/* ---- Instances ---------------------------------------------------------------------------- */

static void instances_that_say_what_cannot_be(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, scene.model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
#define REFUSED(field, wrong, right, expected)                                                     \
  do {                                                                                             \
    chorale_run_reset(run);                                                                        \
    scene.field = (wrong);                                                                         \
    FAILS(chorale_run_solve(run, NULL, &error), expected, "instance that is chain 3");              \
    assert_true(error.message[0] != '\0');                                                         \
    scene.field = (right);                                                                         \
  } while (0)
  REFUSED(label, 1, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(label, -1, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(value, 2, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(value, -1, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(score, NAN, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(score, INFINITY, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(message, NAN, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(message, INFINITY, 0, CHORALE_ERROR_CALLBACK_VALUE);
  REFUSED(status, 1, 0, CHORALE_ERROR_CALLBACK_STOPPED);
#undef REFUSED
  chorale_run_reset(run);
  chorale_run_result result = {.struct_size = sizeof result};
  /* If all labellings of an instance are forbidden, it is left out. */
  scene.score = -INFINITY;
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.left_out, 1);
  chorale_left_out out;
  OK(chorale_run_left_out(run, &out, sizeof out, 1, NULL, &error));
  assert_int_equal(out.chain, 3);
  assert_int_equal(out.position, -1);
  assert_int_equal(out.obstacle, CHORALE_OBSTACLE_UNKNOWN);
  scene.score = 0.5;
  chorale_run_reset(run);
  OK(chorale_run_solve(run, &result, &error));
  assert_true(result.score > 0);
  /* The instance has value 0 in the clique of the second positions, as its third member. */
  int32_t values[3];
  OK(chorale_run_values(run, 1, CHORALE_TOGETHER, values, 3, NULL, &error));
  assert_int_equal(values[2], 0);
  ToldChain told[4];
  double of_cliques[3];
  assert_null(told_scores(run, 4, told, 3, of_cliques));
  assert_true(told[3].score == 0.5);
  chorale_run_destroy(run);
  close_scene(&scene);
}

/* ---- The order of reasons ---------------------------------------------------------------- */

/* Members are added in the reverse order of the cliques; reasons are in the order of the
 * cliques. */
static void reasons_are_in_order(void **state) {
  (void)state;
  chorale_error error;
  chorale_potential *potts = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &potts, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  chorale_property *first = NULL;
  OK(chorale_property_create_position_label(NULL, &map, 0, &first, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  const double yes[4] = {1, 0, 1, 0}, no[4] = {0, 0.25, 0, 0.25};
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = chain.labels = 2;
  for (int32_t i = 0; i < 4; ++i) {
    chain.unary = i < 3 ? yes : no;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  chorale_clique_setup setup;
  for (int32_t c = 0; c < 6; ++c) {
    setup = (chorale_clique_setup){.struct_size = sizeof setup};
    setup.potential = potts;
    setup.values = 2;
    if (c % 2 == 0)
      setup.property = first;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  }
  for (int64_t c = 5; c >= 0; --c)
    for (int64_t i = 0; i < 4; ++i) {
      if (c % 2 == 0)
        OK(put_chain(builder, c, i, NULL, &error));
      else
        for (int64_t t = 1; t >= 0; --t)
          OK(put_position(builder, c, i, t, &error));
    }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  chorale_reason reasons[12];
  int64_t count = 0;
  OK(chorale_run_reasons(run, 3, reasons, sizeof(chorale_reason), 12, &count, &error));
  static const int64_t cliques[] = {0, 2, 4, 1, 3, 5, 1, 3, 5};
  static const int64_t positions[] = {-1, -1, -1, 0, 0, 0, 1, 1, 1};
  assert_int_equal(count, COUNT_OF(cliques));
  for (int64_t k = 0; k < count; ++k) {
    assert_int_equal(reasons[k].clique, cliques[k]);
    assert_int_equal(reasons[k].position, positions[k]);
    assert_int_equal(reasons[k].own_value, 1);
    assert_int_equal(reasons[k].value, 0);
    assert_true(reasons[k].amount > 0);
  }
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_property_release(first);
  chorale_potential_release(potts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_options),
      cmocka_unit_test(a_joint_state_beyond_the_budget),
      cmocka_unit_test(many_properties_of_one_chain),
      cmocka_unit_test(callbacks_cannot_change_their_run),
      cmocka_unit_test(potentials_cannot_change_the_run),
      cmocka_unit_test(each_failure_is_reported),
      cmocka_unit_test(more_threads_than_the_most),
      cmocka_unit_test(a_run_of_another_model),
      cmocka_unit_test(bad_calls), cmocka_unit_test(bad_edits),
      cmocka_unit_test(bad_questions),
      cmocka_unit_test(instances_that_say_what_cannot_be),
      cmocka_unit_test(reasons_are_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
