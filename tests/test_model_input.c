/* Every invalid argument of a model builder: its status, a message that names it, and an unchanged
 * builder. */
#include "fixture_cluster.h"
#include "fixture_held.h"

/* A chain of 3 positions and 2 labels (number 0, with tokens 0 1 0), one of 2 positions and 3
 * labels (1), a tree of 2 positions and 2 labels (2), an instance (3); an empty chain of 2 labels
 * (4). Cliques: positions of 2 labels (0, with position 1 of chain 0), a property of constant
 * firing (1, with chain 0), centred (2, with position 0 of chain 0). */
typedef struct Scene {
  double scores[16];
  int32_t tokens[4], parents[2];
  chorale_potential *two, *three, *four, *five;
  chorale_property *first, *anchored, *reads_table;
  chorale_model_builder *builder;
} Scene;

static int32_t answer_nothing(void *user, int64_t memberships, const int64_t *sizes,
                              const double *const *incoming, double *const *outgoing) {
  (void)user;
  (void)incoming;
  for (int64_t p = 0; p < memberships; ++p)
    for (int64_t v = 0; v < sizes[p]; ++v)
      outgoing[p][v] = v == 0 ? 0 : -INFINITY;
  return 0;
}

static int32_t decode_nothing(void *user, int64_t memberships, const int64_t *sizes,
                              const double *const *incoming, int32_t *labelling, int32_t *values,
                              double *score) {
  (void)user;
  (void)sizes;
  (void)incoming;
  labelling[0] = 0;
  for (int64_t p = 0; p < memberships; ++p)
    values[p] = 0;
  *score = 0;
  return 0;
}

static void describe_chain(Scene *scene, int64_t length, int64_t labels, chorale_chain *chain) {
  *chain = (chorale_chain){.struct_size = sizeof *chain};
  chain->length = length;
  chain->labels = labels;
  chain->unary = scene->scores;
}

static void describe_instance(chorale_instance *instance) {
  *instance = (chorale_instance){.struct_size = sizeof *instance};
  instance->length = 1;
  instance->labels = 1;
  instance->messages = answer_nothing;
  instance->decode = decode_nothing;
}

static void describe_positions(const Scene *scene, chorale_clique_setup *setup) {
  *setup = (chorale_clique_setup){.struct_size = sizeof *setup};
  setup->values = 2;
  setup->potential = scene->two;
}

static void describe_centred(const Scene *scene, const chorale_potential **potentials,
                             chorale_clique_setup *setup) {
  *setup = (chorale_clique_setup){.struct_size = sizeof *setup};
  setup->values = 2;
  potentials[0] = potentials[1] = scene->two;
  setup->centre_potentials = potentials;
  setup->centre_values = 2;
}

static void open_scene(Scene *scene) {
  chorale_error error;
  memset(scene, 0, sizeof *scene);
  for (int32_t i = 0; i < 16; ++i)
    scene->scores[i] = i % 5 * 0.25;
  scene->tokens[1] = 1;
  scene->parents[0] = -1;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &scene->two, &error));
  OK(chorale_potential_create_potts(NULL, 3, 1, NULL, &scene->three, &error));
  OK(chorale_potential_create_potts(NULL, 4, 1, NULL, &scene->four, &error));
  OK(chorale_potential_create_potts(NULL, 5, 1, NULL, &scene->five, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  OK(chorale_property_create_position_label(NULL, &map, 0, &scene->first, &error));
  OK(chorale_property_create_next_label(NULL, &map, 0, NULL, CHORALE_SEGMENT_SPANS_IGNORED, -1,
                                        &scene->anchored, &error));
  const int32_t actions[2] = {CHORALE_FIRE_TABLE, CHORALE_FIRE_NOTHING};
  const int32_t next[4] = {0, 0, 0, 0};
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = 2;
  automaton.classes = automaton.states = 1;
  automaton.values = 2;
  automaton.next = next;
  automaton.actions = actions;
  OK(chorale_property_create(NULL, &automaton, &scene->reads_table, &error));

  OK(chorale_model_builder_create(NULL, &scene->builder, &error));
  chorale_chain chain;
  chorale_chain_options options = {.struct_size = sizeof options};
  options.tokens = scene->tokens;
  describe_chain(scene, 3, 2, &chain);
  OK(chorale_model_builder_add_chain(scene->builder, &chain, &options, NULL, &error));
  describe_chain(scene, 2, 3, &chain);
  OK(chorale_model_builder_add_chain(scene->builder, &chain, NULL, NULL, &error));
  describe_chain(scene, 2, 2, &chain);
  chain.parents = scene->parents;
  OK(chorale_model_builder_add_chain(scene->builder, &chain, NULL, NULL, &error));
  chorale_instance instance;
  describe_instance(&instance);
  OK(chorale_model_builder_add_instance(scene->builder, &instance, NULL, &error));
  describe_chain(scene, 0, 2, &chain);
  OK(chorale_model_builder_add_chain(scene->builder, &chain, NULL, NULL, &error));

  chorale_clique_setup setup;
  describe_positions(scene, &setup);
  OK(chorale_model_builder_add_cliques(scene->builder, &setup, 1, NULL, &error));
  OK(put_position(scene->builder, 0, 0, 1, &error));
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.property = scene->first;
  setup.potential = scene->two;
  OK(chorale_model_builder_add_cliques(scene->builder, &setup, 1, NULL, &error));
  OK(put_chain(scene->builder, 1, 0, NULL, &error));
  const chorale_potential *potentials[2];
  describe_centred(scene, potentials, &setup);
  OK(chorale_model_builder_add_cliques(scene->builder, &setup, 1, NULL, &error));
  OK(put_position(scene->builder, 2, 0, 0, &error));
}

static void release_parts(const Scene *scene) {
  chorale_property_release(scene->first);
  chorale_property_release(scene->anchored);
  chorale_property_release(scene->reads_table);
  chorale_potential_release(scene->two);
  chorale_potential_release(scene->three);
  chorale_potential_release(scene->four);
  chorale_potential_release(scene->five);
}

/* Checks that failed calls added nothing: the scene, given a centre, freezes to its original
 * model. */
static void close_scene(Scene *scene) {
  chorale_error error;
  chorale_model *model = NULL;
  FAILS(chorale_model_builder_freeze(scene->builder, &model, &error), CHORALE_ERROR_STATE,
        "clique 2", "centre");
  assert_null(model);
  OK(put_centre(scene->builder, 2, 0, 2, &error));
  OK(chorale_model_builder_freeze(scene->builder, &model, &error));
  assert_int_equal(chorale_model_chain_count(model), 5);
  assert_int_equal(chorale_model_clique_count(model), 3);
  assert_int_equal(all_member_count(model), 4);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(scene->builder);
  release_parts(scene);
}

static void builders(void **state) {
  (void)state;
  chorale_error error;
  FAILS(chorale_model_builder_create(NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "builder");
  chorale_host host = {.struct_size = sizeof host};
  host.struct_size = 3;
  chorale_model_builder *builder = NULL;
  FAILS(chorale_model_builder_create(&host, &builder, &error), CHORALE_ERROR_STRUCT_SIZE, "host",
        "3");
  assert_null(builder);
}

static void bad_chains(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_chain chain;
  int64_t index = -5;
#define ADD(options)                                                                               \
  chorale_model_builder_add_chain(scene.builder, &chain, (options), &index, &error)
  FAILS(chorale_model_builder_add_chain(NULL, &chain, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "builder");
  FAILS(chorale_model_builder_add_chain(scene.builder, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "chain");
  describe_chain(&scene, 2, 2, &chain);
  chain.unary = NULL;
  FAILS(ADD(NULL), CHORALE_ERROR_NULL_ARGUMENT, "unary");
  describe_chain(&scene, 2, 0, &chain);
  FAILS(ADD(NULL), CHORALE_ERROR_SIZE, "labels", "0");
  describe_chain(&scene, -1, 2, &chain);
  FAILS(ADD(NULL), CHORALE_ERROR_SIZE, "length", "-1");
  describe_chain(&scene, 2, 2, &chain);
  chain.struct_size = 5;
  FAILS(ADD(NULL), CHORALE_ERROR_STRUCT_SIZE, "chain", "5");
  describe_chain(&scene, 2, 2, &chain);
  double wrong[4] = {0, 1, NAN, 0};
  chain.unary = wrong;
  FAILS(ADD(NULL), CHORALE_ERROR_NOT_A_NUMBER, "unary");
  wrong[2] = INFINITY;
  FAILS(ADD(NULL), CHORALE_ERROR_INFINITE, "unary");
  describe_chain(&scene, 2, 2, &chain);
  const int32_t circle[2] = {1, 0};
  chain.parents = circle;
  FAILS(ADD(NULL), CHORALE_ERROR_PARENT_CYCLE, "parent");
  describe_chain(&scene, 2, 2, &chain);
  const int32_t forced[2] = {0, 2};
  chain.forced = forced;
  FAILS(ADD(NULL), CHORALE_ERROR_OUT_OF_RANGE, "forced", "2");
  describe_chain(&scene, 2, 2, &chain);
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, 3, NULL, NULL, &transitions, &error));
  chain.transitions = transitions;
  FAILS(ADD(NULL), CHORALE_ERROR_LABELS_MISMATCH, "3", "2");
  chorale_transitions_release(transitions);
  describe_chain(&scene, 2, 2, &chain);
  chorale_chain_options options = {.struct_size = sizeof options};
  const int32_t tokens[2] = {0, -2};
  options.tokens = tokens;
  FAILS(ADD(&options), CHORALE_ERROR_OUT_OF_RANGE, "tokens", "-2");
  options.struct_size = 1;
  FAILS(ADD(&options), CHORALE_ERROR_STRUCT_SIZE, "options", "1");
#undef ADD
  assert_int_equal(index, -5);
  close_scene(&scene);
}

static void bad_instances(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_instance instance;
  int64_t index = -5;
#define ADD() chorale_model_builder_add_instance(scene.builder, &instance, &index, &error)
  describe_instance(&instance);
  FAILS(chorale_model_builder_add_instance(NULL, &instance, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "builder");
  FAILS(chorale_model_builder_add_instance(scene.builder, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "instance");
  instance.length = -1;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "length", "-1");
  describe_instance(&instance);
  instance.labels = 0;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "labels", "0");
  describe_instance(&instance);
  instance.messages = NULL;
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "messages");
  describe_instance(&instance);
  instance.decode = NULL;
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "decode");
  describe_instance(&instance);
  instance.struct_size = 2;
  FAILS(ADD(), CHORALE_ERROR_STRUCT_SIZE, "instance", "2");
  describe_instance(&instance);
  instance.length = INT64_MAX;
  FAILS(ADD(), CHORALE_ERROR_SIZE_OVERFLOW, "length");
#undef ADD
  assert_int_equal(index, -5);
  close_scene(&scene);
}

static void bad_cliques(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_clique_setup setup;
  const chorale_potential *potentials[2];
  int64_t index = -5;
#define ADD() chorale_model_builder_add_cliques(scene.builder, &setup, 1, &index, &error)
  describe_positions(&scene, &setup);
  FAILS(chorale_model_builder_add_cliques(NULL, &setup, 1, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "builder");
  FAILS(chorale_model_builder_add_cliques(scene.builder, NULL, 1, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "setup");
  setup.struct_size = 7;
  FAILS(ADD(), CHORALE_ERROR_STRUCT_SIZE, "setup", "7");
  describe_positions(&scene, &setup);
  setup.values = -1;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "values", "-1");
  describe_positions(&scene, &setup);
  setup.potential = NULL;
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "potential");
  setup.potential = scene.three;
  FAILS(ADD(), CHORALE_ERROR_VALUES_MISMATCH, "3", "2");
  setup.potential = scene.five;
  FAILS(ADD(), CHORALE_ERROR_VALUES_MISMATCH, "5", "2");
  describe_positions(&scene, &setup);
  int32_t label_values[3] = {0, 1, 2};
  setup.label_values = label_values;
  setup.labels = 3;
  FAILS(ADD(), CHORALE_ERROR_OUT_OF_RANGE, "label_values", "2");
  label_values[2] = -2;
  FAILS(ADD(), CHORALE_ERROR_OUT_OF_RANGE, "label_values", "-2");
  setup.labels = 0;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "labels", "0");
  /* With a dictionary, the range of a property clique is that of the dictionary. */
  chorale_dictionary *dictionary = NULL;
  const int32_t kept[1] = {1};
  OK(chorale_dictionary_create(NULL, kept, 1, CHORALE_UNLISTED_FORBIDDEN, &dictionary, &error));
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.property = scene.first;
  setup.dictionary = dictionary;
  setup.potential = scene.two;
  FAILS(ADD(), CHORALE_ERROR_VALUES_MISMATCH, "2", "1");
  chorale_dictionary_release(dictionary);
  describe_centred(&scene, potentials, &setup);
  setup.property = scene.first;
  FAILS(ADD(), CHORALE_ERROR_KIND, "property", "cent");
  describe_centred(&scene, potentials, &setup);
  setup.centre_potentials = NULL;
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "centre_potentials");
  describe_centred(&scene, potentials, &setup);
  setup.centre_values = -1;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "centre_values", "-1");
  describe_centred(&scene, potentials, &setup);
  potentials[1] = NULL;
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "centre_potentials", "1");
  potentials[1] = scene.three;
  FAILS(ADD(), CHORALE_ERROR_VALUES_MISMATCH, "centre_potentials", "3");
  potentials[1] = scene.four;
  FAILS(ADD(), CHORALE_ERROR_VALUES_MISMATCH, "centre_potentials", "4", "2");
  describe_centred(&scene, potentials, &setup);
  int32_t centre_values[2] = {0, 2};
  setup.centre_label_values = centre_values;
  setup.centre_labels = 2;
  FAILS(ADD(), CHORALE_ERROR_OUT_OF_RANGE, "centre_label_values", "2");
  centre_values[1] = -1;
  FAILS(ADD(), CHORALE_ERROR_OUT_OF_RANGE, "centre_label_values", "-1");
#undef ADD
  assert_int_equal(index, -5);
  close_scene(&scene);
}

static void bad_members(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_model_builder *const builder = scene.builder;
#define ADD(clique, chain, options)                                                                \
  put_chain(builder, (clique), (chain), (options), &error)
  FAILS(put_chain(NULL, 1, 0, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "builder");
  FAILS(ADD(-1, 0, NULL), CHORALE_ERROR_OUT_OF_RANGE, "members->first", "-1");
  FAILS(ADD(3, 0, NULL), CHORALE_ERROR_OUT_OF_RANGE, "members->first", "3");
  FAILS(ADD(1, -1, NULL), CHORALE_ERROR_OUT_OF_RANGE, "chain", "-1");
  FAILS(ADD(1, 5, NULL), CHORALE_ERROR_OUT_OF_RANGE, "chain", "5");
  FAILS(ADD(0, 0, NULL), CHORALE_ERROR_KIND, "clique 0");
  FAILS(ADD(2, 0, NULL), CHORALE_ERROR_KIND, "clique 2");
  FAILS(ADD(2, 3, NULL), CHORALE_ERROR_KIND, "clique 2", "centred");
  FAILS(ADD(1, 0, NULL), CHORALE_ERROR_DUPLICATE_MEMBER, "chain 0", "clique 1");
  FAILS(ADD(1, 1, NULL), CHORALE_ERROR_LABELS_MISMATCH, "the property of clique 1 has 2 labels",
        "3");
  chorale_members members = {.struct_size = 9};
  FAILS(chorale_model_builder_add_members(builder, &members, &error), CHORALE_ERROR_STRUCT_SIZE,
        "members", "9");
  FAILS(chorale_model_builder_add_members(builder, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "members");

  /* A second builder for cases that need other cliques, so that the first stays as described
   * above. */
  chorale_model_builder *other = NULL;
  OK(chorale_model_builder_create(NULL, &other, &error));
  chorale_chain chain;
  describe_chain(&scene, 3, 2, &chain);
  OK(chorale_model_builder_add_chain(other, &chain, NULL, NULL, &error));
  describe_chain(&scene, 2, 2, &chain);
  chain.parents = scene.parents;
  OK(chorale_model_builder_add_chain(other, &chain, NULL, NULL, &error));
  describe_chain(&scene, 3, 2, &chain);
  chorale_chain_options with_tokens = {.struct_size = sizeof with_tokens};
  const int32_t large_tokens[3] = {0, 5, 0};
  with_tokens.tokens = large_tokens;
  OK(chorale_model_builder_add_chain(other, &chain, &with_tokens, NULL, &error));
  chorale_instance instance;
  describe_instance(&instance);
  OK(chorale_model_builder_add_instance(other, &instance, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.property = scene.anchored;
  setup.potential = scene.two;
  OK(chorale_model_builder_add_cliques(other, &setup, 1, NULL, &error));
  setup.property = scene.reads_table;
  OK(chorale_model_builder_add_cliques(other, &setup, 1, NULL, &error));
#define OTHER(clique, chain, options)                                                              \
  put_chain(other, (clique), (chain), (options), &error)
  FAILS(OTHER(0, 1, NULL), CHORALE_ERROR_AUTOMATON_ON_TREE, "tree");
  FAILS(OTHER(1, 0, NULL), CHORALE_ERROR_TOKENS_MISSING, "clique 1", "chain 0", "token");
  FAILS(OTHER(1, 2, NULL), CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "the tokens of chain 2", "5");
  MemberArrays options = {0};
  int32_t numbers[3] = {0, 1, 2};
  options.table = numbers;
  FAILS(OTHER(1, 0, &options), CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "table[2] is 2");
  numbers[2] = -2;
  FAILS(OTHER(1, 0, &options), CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "table", "-2");
  numbers[2] = 1;
  options.classes = numbers;
  FAILS(OTHER(1, 0, &options), CHORALE_ERROR_OUT_OF_RANGE, "members->chains[0]: classes[1] is 1");
  options.classes = NULL;
  OK(OTHER(1, 0, &options));
  FAILS(OTHER(1, 0, &options), CHORALE_ERROR_DUPLICATE_MEMBER, "chain 0", "clique 1");
  OK(OTHER(1, 3, NULL));
  FAILS(OTHER(1, 3, NULL), CHORALE_ERROR_DUPLICATE_MEMBER, "chain 3", "clique 1");
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(other, &model, &error));
  assert_int_equal(all_member_count(model), 2);
  chorale_model_release(model);
  chorale_model_builder_destroy(other);
#undef ADD
#undef OTHER
  close_scene(&scene);
}

static void bad_positions(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_model_builder *const builder = scene.builder;
  for (int centre = 0; centre < 2; ++centre) {
    chorale_status (*const add)(chorale_model_builder *, int64_t, int64_t, int64_t,
                                chorale_error *) =
        centre ? put_centre : put_position;
    FAILS(add(NULL, 2, 0, 1, &error), CHORALE_ERROR_NULL_ARGUMENT, "builder");
    FAILS(add(builder, -1, 0, 1, &error), CHORALE_ERROR_OUT_OF_RANGE, "members->first", "-1");
    FAILS(add(builder, 3, 0, 1, &error), CHORALE_ERROR_OUT_OF_RANGE, "members->first", "3");
    FAILS(add(builder, 2, -1, 1, &error), CHORALE_ERROR_OUT_OF_RANGE, "chain", "-1");
    FAILS(add(builder, 2, 5, 1, &error), CHORALE_ERROR_OUT_OF_RANGE, "chain", "5");
    if (centre) /* of a member, -1 is the whole chain */
      FAILS(add(builder, 2, 0, -1, &error), CHORALE_ERROR_OUT_OF_RANGE, "position", "-1");
    FAILS(add(builder, 2, 0, 3, &error), CHORALE_ERROR_OUT_OF_RANGE, "position", "3");
    FAILS(add(builder, 2, 4, 0, &error), CHORALE_ERROR_OUT_OF_RANGE, "position", "0");
    FAILS(add(builder, 1, 0, 0, &error), CHORALE_ERROR_KIND, "clique 1", "property");
    FAILS(add(builder, 2, 3, 0, &error), CHORALE_ERROR_KIND, "chain 3", "instance");
    FAILS(add(builder, 2, 0, 0, &error), CHORALE_ERROR_DUPLICATE_MEMBER, "position 0", "chain 0",
          "clique 2");
    FAILS(add(builder, 2, 1, 0, &error), CHORALE_ERROR_LABELS_MISMATCH, "3", "2");
  }
  FAILS(put_centre(builder, 0, 0, 0, &error), CHORALE_ERROR_KIND, "clique 0",
        "centred");
  /* A further call replaces the centre; a position that is the centre cannot be another member. */
  OK(put_centre(builder, 2, 0, 1, &error));
  FAILS(put_position(builder, 2, 0, 1, &error),
        CHORALE_ERROR_DUPLICATE_MEMBER, "position 1");
  OK(put_centre(builder, 2, 0, 1, &error));
  OK(put_centre(builder, 2, 0, 2, &error));
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  int64_t places[2] = {-7, -7};
  OK(chorale_model_get_members(model, 2, NULL, places, NULL, 2, NULL, &error));
  assert_int_equal(places[1], 2);
  assert_int_equal(all_member_count(model), 4);
  chorale_model_release(model);
  /* Replaced, since close_scene expects a builder that is not frozen. */
  chorale_model_builder_destroy(builder);
  Scene fresh;
  open_scene(&fresh);
  scene.builder = fresh.builder;
  fresh.builder = NULL;
  close_scene(&scene);
  release_parts(&fresh);
}

static void bad_repeated_words(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_clique_setup setup;
  chorale_agreement words;
  int64_t first = -5, count = -6;
#define FRESH(of)                                                                                  \
  setup = (chorale_clique_setup){.struct_size = sizeof setup};                                     \
  setup.potential = (of);                                                                          \
  words = (chorale_agreement){.struct_size = sizeof words}
#define ADD()                                                                                      \
  chorale_model_builder_add_repeated_words(scene.builder, &setup, &words, &first, &count, &error)
  FRESH(scene.two);
  FAILS(chorale_model_builder_add_repeated_words(NULL, &setup, &words, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "builder");
  FAILS(chorale_model_builder_add_repeated_words(scene.builder, NULL, &words, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "setup");
  words.minimum = -1;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "words->minimum", "-1");
  FRESH(scene.two);
  words.stop_count = 1;
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "words->stop");
  words.stop_count = -1;
  FAILS(ADD(), CHORALE_ERROR_SIZE, "words->stop_count", "-1");
  FRESH(scene.two);
  words.across = 2;
  FAILS(ADD(), CHORALE_ERROR_OUT_OF_RANGE, "words->across", "2");
  FRESH(scene.two);
  words.kind = CHORALE_AGREE_KEYS;
  FAILS(ADD(), CHORALE_ERROR_KIND, "words->kind is 10", "CHORALE_AGREE_WORDS");
  FRESH(scene.two);
  words.struct_size = 11;
  FAILS(ADD(), CHORALE_ERROR_STRUCT_SIZE, "words", "11");
  FRESH(scene.two);
  setup.struct_size = 11;
  FAILS(ADD(), CHORALE_ERROR_STRUCT_SIZE, "setup", "11");
  FRESH(NULL);
  FAILS(ADD(), CHORALE_ERROR_NULL_ARGUMENT, "potential");
  setup.property = scene.first;
  FAILS(ADD(), CHORALE_ERROR_KIND, "setup has a property");
  FRESH(NULL);
  setup.centre_values = 1;
  FAILS(ADD(), CHORALE_ERROR_KIND, "setup has a centre");
  FRESH(scene.three);
  FAILS(ADD(), CHORALE_ERROR_VALUES_MISMATCH, "setup->potential has 3", "2");
  setup.values = 3;
  FAILS(ADD(), CHORALE_ERROR_LABELS_MISMATCH, "chain 0 has 2 labels", "3");
  const int32_t label_values[3] = {0, 1, 2};
  setup.label_values = label_values;
  setup.labels = 2;
  setup.values = 1;
  FAILS(ADD(), CHORALE_ERROR_OUT_OF_RANGE, "setup->label_values[1] is 1");
  setup.labels = 3;
  setup.values = 3;
  FAILS(ADD(), CHORALE_ERROR_LABELS_MISMATCH, "2", "3");
#undef ADD
#undef FRESH
  assert_int_equal(first, -5);
  assert_int_equal(count, -6);
  chorale_model_builder *bare = NULL;
  OK(chorale_model_builder_create(NULL, &bare, &error));
  FAILS(put_words(bare, scene.two, NULL, NULL, NULL, &error),
        CHORALE_ERROR_TOKENS_MISSING, "token");
  FAILS(put_position(bare, 0, 0, 0, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "members->first is 0; there is none");
  chorale_model_builder_destroy(bare);
  close_scene(&scene);
}

static void bad_freezing(void **state) {
  (void)state;
  chorale_error error;
  chorale_model *model = NULL;
  FAILS(chorale_model_builder_freeze(NULL, &model, &error), CHORALE_ERROR_NULL_ARGUMENT, "builder");
  Scene scene;
  open_scene(&scene);
  FAILS(chorale_model_builder_freeze(scene.builder, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "model");
  close_scene(&scene);

  /* A table of 3 entries serves cliques of up to 2 members. */
  const double table[3] = {0, 1, 3};
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_sum(NULL, 2, table, 1, 3, 3, NULL, &potential, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  const double scores[6] = {0};
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = 3;
  chain.labels = 2;
  chain.unary = scores;
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = potential;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t t = 0; t < 3; ++t)
    OK(put_position(builder, 0, 0, t, &error));
  FAILS(chorale_model_builder_freeze(builder, &model, &error), CHORALE_ERROR_TABLE_TOO_SHORT,
        "the potential of clique 0 has tables of 3 entries", "at least 4");
  assert_null(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
}

static void a_frozen_builder_changes_no_more(void **state) {
  (void)state;
  Scene scene;
  open_scene(&scene);
  chorale_error error;
  chorale_model_builder *const builder = scene.builder;
  OK(put_centre(builder, 2, 0, 2, &error));
  chorale_model *model = NULL, *second = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_chain chain;
  describe_chain(&scene, 1, 2, &chain);
  chorale_instance instance;
  describe_instance(&instance);
  chorale_clique_setup setup;
  describe_positions(&scene, &setup);
  FAILS(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error), CHORALE_ERROR_FROZEN,
        "frozen");
  FAILS(chorale_model_builder_add_instance(builder, &instance, NULL, &error), CHORALE_ERROR_FROZEN,
        "frozen");
  FAILS(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error), CHORALE_ERROR_FROZEN,
        "frozen");
  FAILS(put_chain(builder, 1, 2, NULL, &error), CHORALE_ERROR_FROZEN,
        "frozen");
  FAILS(put_position(builder, 0, 0, 0, &error), CHORALE_ERROR_FROZEN,
        "frozen");
  FAILS(put_centre(builder, 2, 0, 1, &error), CHORALE_ERROR_FROZEN, "frozen");
  FAILS(put_words(builder, scene.two, NULL, NULL, NULL, &error),
        CHORALE_ERROR_FROZEN, "frozen");
  FAILS(chorale_model_builder_freeze(builder, &second, &error), CHORALE_ERROR_FROZEN, "frozen");
  assert_null(second);
  chorale_model_builder_destroy(builder); /* the model lives on */
  assert_int_equal(chorale_model_chain_count(model), 5);
  int64_t chains[2] = {-7, -7}, positions[2] = {-7, -7}, weights[2] = {-7, -7}, needed = -7;
  FAILS(chorale_model_get_members(NULL, 0, chains, NULL, NULL, 2, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "model");
  FAILS(chorale_model_get_members(model, 3, chains, NULL, NULL, 2, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "clique", "3");
  FAILS(chorale_model_get_members(model, 1, NULL, NULL, NULL, 2, &needed, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "chains, positions, weights");
  FAILS(chorale_model_get_members(model, 1, chains, NULL, NULL, -1, &needed, &error),
        CHORALE_ERROR_SIZE, "capacity", "-1");
  assert_int_equal(needed, -7);
  const int64_t members = member_count_of(model, 2);
  assert_in_range(members, 1, 2);
  FAILS(chorale_model_get_members(model, 2, NULL, positions, weights, members - 1, &needed, &error),
        CHORALE_ERROR_CAPACITY, "capacity", "chains, positions, weights");
  assert_int_equal(needed, members);
  assert_int_equal(positions[0], -7);
  assert_int_equal(weights[0], -7);
  needed = -7;
  OK(chorale_model_get_members(model, 2, NULL, NULL, NULL, 0, &needed, &error));
  assert_int_equal(needed, members);
  OK(chorale_model_get_members(model, 2, NULL, positions, NULL, members, NULL, &error));
  assert_int_equal(positions[members - 1], 2); /* the centre */
  assert_int_equal(chain_length_of(model, 5), 0);
  assert_int_equal(chain_length_of(model, -1), 0);
  assert_int_equal(member_count_of(model, 3), 0);
  chorale_model_release(model);
  release_parts(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builders),
      cmocka_unit_test(bad_chains),
      cmocka_unit_test(bad_instances),
      cmocka_unit_test(bad_cliques),
      cmocka_unit_test(bad_members),
      cmocka_unit_test(bad_positions),
      cmocka_unit_test(bad_repeated_words),
      cmocka_unit_test(bad_freezing),
      cmocka_unit_test(a_frozen_builder_changes_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
