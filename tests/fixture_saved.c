/* Problems as bytes, and a problem with an object of every kind. */
#include "fixture_saved.h"
#include "fixture_held.h"

/* ---- Bytes -------------------------------------------------------------------------------- */

static unsigned char *allocate_bytes(size_t size) {
  void *bytes = NULL;
  /* Allocates exactly the size, so that reads beyond the end are detected. */
  assert_int_equal(posix_memalign(&bytes, 64, size > 0 ? size : 1), 0);
  return bytes;
}

int can_be_saved(const Cluster *cluster) {
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (cluster->is_instance[i])
      return 0;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t k = 0; k < MOST_CENTRES; ++k)
      if (cluster->cliques[c].potentials[k].kind == KIND_CALLBACK &&
          (k == 0 || k < cluster->cliques[c].centre_values))
        return 0;
  return 1;
}

Saved save(const chorale_problem *problem) {
  chorale_error error;
  Saved saved = {NULL, 0};
  OK(chorale_problem_write(problem, NULL, 0, &saved.size, &error));
  saved.bytes = allocate_bytes(saved.size);
  memset(saved.bytes, 0xEE, saved.size);
  size_t again = 0;
  OK(chorale_problem_write(problem, saved.bytes, saved.size, &again, &error));
  assert_int_equal(again, saved.size);
  return saved;
}

Saved copy_saved(const Saved *saved) {
  Saved copy = {allocate_bytes(saved->size), saved->size};
  memcpy(copy.bytes, saved->bytes, saved->size);
  return copy;
}

void drop_saved(Saved *saved) {
  free(saved->bytes);
  saved->bytes = NULL;
}

void expect_file(const char *path, const Saved *saved) {
  unsigned char *content = malloc(saved->size + 1);
  FILE *file = fopen(path, "rb");
  assert_non_null(content);
  assert_non_null(file);
  assert_int_equal(fread(content, 1, saved->size + 1, file), saved->size);
  fclose(file);
  assert_memory_equal(content, saved->bytes, saved->size);
  free(content);
}

int same_saved(const Saved *a, const Saved *b) {
  return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

chorale_status read_saved(const chorale_host *host, const Saved *saved, int borrow,
                          chorale_problem **problem, chorale_error *error) {
  return chorale_problem_read(host, saved->bytes, saved->size, borrow, problem, error);
}

/* ---- Checksums ---------------------------------------------------------------------------- */

static uint64_t number_at(const unsigned char *bytes, size_t size) {
  uint64_t number = 0;
  for (size_t b = 0; b < size; ++b)
    number |= (uint64_t)bytes[b] << (8 * b);
  return number;
}

void put_number(unsigned char *bytes, uint64_t number, size_t size) {
  for (size_t b = 0; b < size; ++b)
    bytes[b] = (unsigned char)(number >> (8 * b));
}

static uint64_t mix(uint64_t h, uint64_t word) {
  const uint64_t x = h ^ word;
  return ((x << 29) | (x >> 35)) * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t own_checksum(const unsigned char *bytes, size_t size) {
  uint64_t lanes[4] = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
                       UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89)};
  const size_t words = (size + 31) / 32 * 4;
  for (size_t w = 0; w < words; ++w) {
    const size_t begin = 8 * w;
    const size_t left = begin < size ? size - begin : 0;
    lanes[w % 4] = mix(lanes[w % 4], number_at(bytes + (left ? begin : 0), left < 8 ? left : 8));
  }
  uint64_t sum = mix(0, size);
  for (int k = 0; k < 4; ++k)
    sum = mix(sum, lanes[k] ^ (lanes[k] >> 32));
  return sum ^ (sum >> 31);
}

void repair(Saved *saved) {
  if (saved->size < 64)
    return;
  const uint64_t sections = number_at(saved->bytes + 24, 4);
  if (sections <= (saved->size - 64) / 32) {
    for (uint64_t k = 0; k < sections; ++k) {
      unsigned char *entry = saved->bytes + 64 + 32 * k;
      const uint64_t offset = number_at(entry + 8, 8), length = number_at(entry + 16, 8);
      if (offset <= saved->size && length <= saved->size - offset)
        put_number(entry + 24, own_checksum(saved->bytes + offset, (size_t)length), 8);
    }
    put_number(saved->bytes + 32, own_checksum(saved->bytes + 64, (size_t)(32 * sections)), 8);
  }
  put_number(saved->bytes + 56, own_checksum(saved->bytes, 56), 8);
}

uint64_t find_section(const Saved *saved, uint32_t id, uint64_t *length) {
  const uint64_t sections = number_at(saved->bytes + 24, 4);
  for (uint64_t k = 0; k < sections; ++k) {
    const unsigned char *entry = saved->bytes + 64 + 32 * k;
    if (number_at(entry, 4) != id)
      continue;
    if (length)
      *length = number_at(entry + 16, 8);
    return number_at(entry + 8, 8);
  }
  return 0;
}

/* ---- Names -------------------------------------------------------------------------------- */

chorale_text text_of(const char *text) {
  chorale_text made;
  made.bytes = text;
  made.length = strlen(text);
  return made;
}

int is_text(chorale_text text, const char *expected) {
  return text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0;
}

enum { MOST_TEXTS = 512 };

static void random_texts(Random *random, chorale_problem *problem, chorale_text_list list,
                         int64_t count) {
  static const char *const pieces[] = {
      "",  "Title", "caf\xc3\xa9", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80",
      " ", "O",     "B-PER"};
  chorale_text texts[MOST_TEXTS];
  chorale_error error;
  assert_true(count <= MOST_TEXTS);
  for (int64_t k = 0; k < count; ++k) {
    texts[k] = text_of(pieces[random_int(random, 0, (int32_t)COUNT_OF(pieces) - 1)]);
    if (random_chance(random, 5)) {
      texts[k].bytes = "a\0b";
      texts[k].length = 3;
    }
  }
  OK(chorale_problem_set_texts(problem, list, count > 0 ? texts : NULL, sizeof(chorale_text), count,
                               &error));
}

void name_at_random(Random *random, chorale_problem *problem) {
  const chorale_model *model = chorale_problem_model(problem);
  const int64_t chains = chorale_model_chain_count(model), cliques = chorale_model_clique_count(model);
  chorale_error error;
  int32_t gold[MOST_TEXTS], kinds[MOST_TEXTS];
  chorale_text_list values[MOST_TEXTS];
  int64_t positions = 0, labels = 0;
  for (int64_t i = 0; i < chains; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    if (chorale_model_get_chain(model, i, &chain, NULL, &error) != CHORALE_OK)
      chain.labels = 1;
    for (int64_t t = 0; t < chain_length_of(model, i); ++t)
      gold[positions++] = random_int(random, -1, (int32_t)chain.labels - 1);
    labels = chain.labels > labels ? chain.labels : labels;
  }
  const int64_t counts[] = {labels + random_int(random, 0, 2),
                            random_int(random, 0, 9),
                            positions,
                            positions,
                            chains,
                            random_int(random, 0, 3),
                            cliques,
                            random_int(random, 0, 3)};
  for (int32_t list = 0; list < (int32_t)COUNT_OF(counts); ++list)
    if (random_chance(random, 60))
      random_texts(random, problem, list, counts[list]);
  const int32_t value_lists = random_int(random, 0, 3);
  for (int32_t k = 0; k < value_lists; ++k)
    random_texts(random, problem, CHORALE_TEXTS_VALUES + k, random_int(random, 0, 6));
  for (int64_t c = 0; c < cliques; ++c) {
    kinds[c] = random_int(random, -1, 3);
    values[c] = random_chance(random, 50) ? random_int(random, -1, 1)
                                          : CHORALE_TEXTS_VALUES + random_int(random, 0, 4);
  }
  OK(chorale_problem_set_cliques(problem, random_chance(random, 60) ? kinds : NULL,
                                 random_chance(random, 60) ? values : NULL, &error));
  if (random_chance(random, 60))
    OK(chorale_problem_set_gold(problem, gold, &error));
  if (random_chance(random, 60))
    OK(put_note(problem, text_of("title"), text_of("caf\xc3\xa9"), &error));
  if (random_chance(random, 60))
    OK(put_note(problem, text_of("licence"), text_of("MIT"), &error));
}

static int same_text(chorale_text a, chorale_text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

const char *compare_names(const chorale_problem *a, const chorale_problem *b) {
  const chorale_model *model = chorale_problem_model(a);
  for (chorale_text_list list = -1; list < CHORALE_TEXTS_VALUES + 6; ++list) {
    const int64_t count = chorale_problem_text_count(a, list);
    if (count != chorale_problem_text_count(b, list))
      return complain("list %d has %lld texts and %lld", list, (long long)count,
                      (long long)chorale_problem_text_count(b, list));
    for (int64_t k = -1; k <= count; ++k)
      if (!same_text(text_in(a, list, k), text_in(b, list, k)))
        return complain("text %lld of list %d differs", (long long)k, list);
  }
  for (int64_t c = -1; c <= chorale_model_clique_count(model); ++c) {
    if (chorale_problem_clique_kind(a, c) != chorale_problem_clique_kind(b, c))
      return complain("the kind of clique %lld differs", (long long)c);
    for (int32_t v = -1; v < setup_of(model, c).values + 3; ++v)
      if (!same_text(name_of_value(a, c, v), name_of_value(b, c, v)))
        return complain("the name of value %d of clique %lld differs", v, (long long)c);
  }
  const int32_t *gold = chorale_problem_gold(a), *other = chorale_problem_gold(b);
  if ((gold == NULL) != (other == NULL))
    return complain("gold labels are there once only");
  for (int64_t i = 0; gold && i < chorale_model_chain_count(model); ++i)
    for (int64_t t = 0; t < chain_length_of(model, i); ++t)
      if (*gold++ != *other++)
        return complain("a gold label of chain %lld differs", (long long)i);
  return NULL;
}

/* ---- Something of every kind -------------------------------------------------------------- */

typedef struct Workshop {
  const chorale_host *host;
  chorale_error *error;
  chorale_transitions *transitions, *masked;
  chorale_property *automaton, *firing_table, *local, *at_position, *at_token, *next_label;
  chorale_dictionary *dictionary;
  chorale_potential *potentials[16];
  int32_t potential_count;
  chorale_model_builder *builder;
  chorale_model *model;
  chorale_problem *problem;
} Workshop;

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const chorale_status tried = (call);                                                           \
    if (tried != CHORALE_OK)                                                                       \
      return tried;                                                                                \
  } while (0)

static const double kScores[] = {0.5, -1.25, 2, 0, 0.75, -0.5, 1, 3, -2, 0.25, 1.5, -1};
static const float kSingles[] = {0.5F, -1.25F, 2, 0, 0.75F, -0.5F, 1, 3, -2};
static const int32_t kTokens[] = {0, 1, 0, 1};

static chorale_status make_chains(Workshop *shop) {
  chorale_transitions_options options = {.struct_size = sizeof options};
  options.start = kScores;
  options.end = kScores + 2;
  TRY(chorale_transitions_create(shop->host, 2, kScores + 4, &options, &shop->transitions,
                                 shop->error));
  const uint8_t mask[] = {1, 0, 1, 1};
  options = (chorale_transitions_options){.struct_size = sizeof options};
  options.mask = mask;
  TRY(chorale_transitions_create(shop->host, 2, kScores, &options, &shop->masked, shop->error));
  static const int32_t parents[] = {-1, 0, 0}, forced[] = {-1, 1, -1, -1};
  static const uint8_t allowed[] = {1, 1, 1, 1, 1, 0, 1, 1};
  for (int32_t i = 0; i < 6; ++i) {
    chorale_chain chain;
    chorale_chain_options added;
    chain = (chorale_chain){.struct_size = sizeof chain};
    added = (chorale_chain_options){.struct_size = sizeof added};
    chain.labels = 2;
    chain.unary = kScores;
    switch (i) {
    case 0: /* what most are like */
      chain.length = 3;
      chain.transitions = shop->transitions;
      added.tokens = kTokens;
      break;
    case 1: /* single numbers, a matrix of its own */
      chain.length = 2;
      chain.labels = 3;
      chain.element = CHORALE_FLOAT32;
      chain.unary = kSingles;
      chain.edges = kSingles;
      chain.edge_matrices = 1;
      chain.start = kSingles + 3;
      added.group = 7;
      break;
    case 2:
      chain.length = 3;
      chain.parents = parents;
      chain.transitions = shop->masked;
      added.group = -2;
      break;
    case 3: /* a matrix an edge, columns first, forced and allowed labels */
      chain.length = 4;
      chain.unary_row_stride = 1;
      chain.unary_column_stride = 4;
      chain.edges = kScores;
      chain.edge_matrices = 3;
      chain.orientation = CHORALE_ROWS_TO;
      chain.end = kScores + 5;
      chain.forced = forced;
      chain.allowed = allowed;
      added.tokens = kTokens;
      break;
    case 4: /* nothing */
      chain.transitions = shop->transitions;
      break;
    default:
      chain.length = 1;
      chain.unary = kScores + 3;
    }
    TRY(chorale_model_builder_add_chain(shop->builder, &chain, &added, NULL, shop->error));
  }
  return CHORALE_OK;
}

static chorale_status make_properties(Workshop *shop) {
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  static const int32_t next[] = {1, 0, 0, 2, 1, 1, 2, 2, 2, 2, 2, 2};
  static const int32_t actions[] = {-1, CHORALE_FIRE_LABEL, -1, 3, -3, -1, 2, -1, -1, -1, -1, -1};
  static const int32_t ends[] = {CHORALE_FIRE_LABEL, 1, CHORALE_FIRE_TABLE};
  static const int32_t values[] = {3, -1};
  automaton.labels = 2;
  automaton.classes = 2;
  automaton.states = 3;
  automaton.values = 4;
  automaton.table_offset = -1;
  automaton.fires_outside = 1;
  automaton.next = next;
  automaton.actions = actions;
  automaton.end_actions = ends;
  automaton.label_values = values;
  TRY(chorale_property_create(shop->host, &automaton, &shop->automaton, shop->error));
  static const int32_t stay[] = {0, 0}, fires[] = {CHORALE_FIRE_TABLE, 0};
  automaton = (chorale_automaton){.struct_size = sizeof automaton};
  automaton.labels = 2;
  automaton.classes = automaton.states = 1;
  automaton.values = 2;
  automaton.next = stay;
  automaton.actions = fires;
  TRY(chorale_property_create(shop->host, &automaton, &shop->firing_table, shop->error));
  static const int32_t local[] = {-1, 1, 0, 0, CHORALE_FIRE_LABEL, -1};
  TRY(chorale_property_create_local(shop->host, 2, 1, 2, local, NULL, &shop->local, shop->error));
  chorale_label_map map = {.struct_size = sizeof map};
  static const int32_t kinds[] = {1, 0};
  map.labels = map.kinds = 2;
  map.kind_of_label = kinds;
  TRY(chorale_property_create_position_label(shop->host, &map, 0, &shop->at_position, shop->error));
  TRY(chorale_property_create_token_label(shop->host, &map, 1, &shop->at_token, shop->error));
  TRY(chorale_property_create_next_label(shop->host, &map, 0, NULL, CHORALE_SEGMENT_SPANS_IGNORED,
                                         2, &shop->next_label, shop->error));
  static const int32_t kept[] = {2, 0};
  return chorale_dictionary_create(shop->host, kept, 2, CHORALE_UNLISTED_AS_VALUE, &shop->dictionary,
                                   shop->error);
}

static chorale_status make_potentials(Workshop *shop) {
  static const uint8_t counted[] = {1, 0, 1};
  static const double tables[] = {0,   1,   3,   2,   4,   5,
                                  NAN, NAN, NAN, NAN, NAN, NAN, /* not counted */
                                  -1,  0,   2,   5,   1,   -INFINITY};
  static const double square[] = {1, -0.5, 0.25, 0.5, 2, -1, 0.125, 0, 1.5};
  chorale_potential **p = shop->potentials;
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = CHORALE_SCALE_BY_MEMBERS;
  TRY(chorale_potential_create_potts(shop->host, 2, 0.5, &options, &p[0], shop->error));
  shop->potential_count = 1;
  options = (chorale_potential_options){.struct_size = sizeof options};
  options.counted = counted;
  options.scale = CHORALE_SCALE_BY_LOG_MEMBERS;
#define NEXT(create, ...)                                                                          \
  TRY(chorale_potential_create_##create(shop->host, __VA_ARGS__, &p[shop->potential_count],        \
                                        shop->error));                                             \
  ++shop->potential_count
  NEXT(sum, 3, tables, 3, 6, 6, &options);              /* 1 */
  NEXT(potts, 3, 0.75, &options);                       /* 2 */
  NEXT(entropy, 4, -1.5, NULL);                         /* 3 */
  NEXT(max, 3, tables, 3, 6, 6, &options);              /* 4 */
  NEXT(majority, 3, square, 3, tables, &options);       /* 5 */
  NEXT(pairs, 3, square, 3, NULL);                      /* 6 */
  NEXT(cardinality, 3, tables, 6, &options);            /* 7 */
  NEXT(makespan, 2, 0.25, NULL);                        /* 8 */
  NEXT(square_makespan, 2, 0.125, NULL);                /* 9 */
  options.shape = CHORALE_SHAPE_CONVEX;
  options.counted = NULL;
  NEXT(sum, 2, square + 3, 1, 6, 0, &options); /* 10 */
  NEXT(potts, 2, 0.25, NULL);                  /* 11 */
  NEXT(entropy, 3, 0.5, NULL);                 /* 12 */
#undef NEXT
  return CHORALE_OK;
}

static chorale_status make_cliques(Workshop *shop) {
  chorale_clique_setup setup;
  MemberArrays options;
  int64_t c = 0;
  chorale_error *error = shop->error;
  chorale_potential **p = shop->potentials;
  static const int32_t classes[] = {1, 0, 1, 0}, table[] = {3, -1, 2, 0};
  /* Property cliques: automata with classes and their own table, one that reads tokens, and the
   * others. */
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.property = shop->automaton;
  setup.potential = p[3];
  TRY(chorale_model_builder_add_cliques(shop->builder, &setup, 1, &c, error));
  options = (MemberArrays){0};
  options.classes = classes;
  options.table = table;
  TRY(put_chain(shop->builder, c, 0, &options, error));
  options = (MemberArrays){0};
  TRY(put_chain(shop->builder, c, 3, &options, error));
  options.classes = classes;
  TRY(put_chain(shop->builder, c, 4, &options, error));
  chorale_property *const properties[] = {shop->firing_table, shop->local, shop->at_position,
                                          shop->at_token};
  const int32_t potentials[] = {0, 11, 8, 9};
  for (int32_t k = 0; k < 4; ++k) {
    setup.property = properties[k];
    setup.potential = p[potentials[k]];
    TRY(chorale_model_builder_add_cliques(shop->builder, &setup, 1, &c, error));
    TRY(put_chain(shop->builder, c, 3, NULL, error));
    TRY(put_chain(shop->builder, c, 0, NULL, error));
    if (k == 1 || k == 2)
      TRY(put_chain(shop->builder, c, 2, NULL, error));
  }
  setup.property = shop->next_label;
  setup.dictionary = shop->dictionary;
  const int32_t over_three[] = {1, 2, 4, 5, 6, 7, 12};
  for (int32_t k = 0; k < (int32_t)COUNT_OF(over_three); ++k) {
    setup.potential = p[over_three[k]];
    TRY(chorale_model_builder_add_cliques(shop->builder, &setup, 1, &c, error));
    TRY(put_chain(shop->builder, c, 0, NULL, error));
    TRY(put_chain(shop->builder, c, 3, NULL, error));
  }
  /* Position cliques: two with equal maps, one without a map; one chain twice; one without
   * members. */
  static const int32_t map[] = {1, -1};
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.values = 2;
  setup.labels = 2;
  setup.label_values = map;
  setup.potential = p[0];
  for (int32_t k = 0; k < 3; ++k) {
    if (k == 2) {
      setup.label_values = NULL;
      setup.labels = 0;
      setup.potential = p[10];
    }
    TRY(chorale_model_builder_add_cliques(shop->builder, &setup, 1, &c, error));
    TRY(put_position(shop->builder, c, 3, 1, error));
    TRY(put_position(shop->builder, c, 0, 2, error));
    TRY(put_position(shop->builder, c, 0, 1, error));
  }
  TRY(chorale_model_builder_add_cliques(shop->builder, &setup, 1, &c, error));
  /* Centred cliques, the second like the first. */
  const chorale_potential *centre[] = {p[0], p[8], p[0]};
  static const int32_t centre_map[] = {2, 0};
  setup.potential = NULL;
  setup.centre_potentials = centre;
  setup.centre_values = 3;
  setup.centre_label_values = centre_map;
  setup.centre_labels = 2;
  for (int32_t k = 0; k < 2; ++k) {
    TRY(chorale_model_builder_add_cliques(shop->builder, &setup, 1, &c, error));
    TRY(put_position(shop->builder, c, 2, 1, error));
    TRY(put_position(shop->builder, c, 5, 0, error));
    TRY(put_centre(shop->builder, c, 3, k, error));
  }
  return CHORALE_OK;
}

static chorale_status make_names(Workshop *shop) {
  const chorale_text names[] = {text_of("Other"), text_of("caf\xc3\xa9"), text_of("")};
  const int32_t gold[13] = {0, 1, -1, 2, 0, 1, 1, 0, 1, 0, 1, -1, 0};
  int32_t kinds[32];
  chorale_text_list values[32];
  for (int32_t c = 0; c < 32; ++c) {
    kinds[c] = c % 3 - 1;
    values[c] = c % 4 == 3 ? CHORALE_TEXTS_VALUES : c % 4 - 1;
  }
  chorale_problem *problem = shop->problem;
  TRY(chorale_problem_set_texts(problem, CHORALE_TEXTS_LABELS, names, sizeof(chorale_text), 3,
                                shop->error));
  TRY(chorale_problem_set_texts(problem, CHORALE_TEXTS_KINDS, names + 1, sizeof(chorale_text), 2,
                                shop->error));
  TRY(chorale_problem_set_texts(problem, CHORALE_TEXTS_VALUES, names, sizeof(chorale_text), 2,
                                shop->error));
  TRY(chorale_problem_set_gold(problem, gold, shop->error));
  TRY(chorale_problem_set_cliques(problem, kinds, values, shop->error));
  TRY(put_note(problem, names[0], names[1], shop->error));
  return put_note(problem, names[1], names[0], shop->error);
}

static chorale_status make_all(Workshop *shop) {
  TRY(chorale_model_builder_create(shop->host, &shop->builder, shop->error));
  TRY(make_chains(shop));
  TRY(make_properties(shop));
  TRY(make_potentials(shop));
  TRY(make_cliques(shop));
  TRY(chorale_model_builder_freeze(shop->builder, &shop->model, shop->error));
  TRY(chorale_problem_create(shop->host, shop->model, &shop->problem, shop->error));
  return make_names(shop);
}

chorale_status build_everything(const chorale_host *host, chorale_problem **problem,
                                chorale_error *error) {
  Workshop shop;
  memset(&shop, 0, sizeof shop);
  shop.host = host;
  shop.error = error;
  const chorale_status status = make_all(&shop);
  chorale_model_builder_destroy(shop.builder);
  chorale_model_release(shop.model);
  for (int32_t k = 0; k < (int32_t)COUNT_OF(shop.potentials); ++k)
    chorale_potential_release(shop.potentials[k]);
  chorale_dictionary_release(shop.dictionary);
  chorale_property *const properties[] = {shop.automaton,   shop.firing_table, shop.local,
                                          shop.at_position, shop.at_token,     shop.next_label};
  for (int32_t k = 0; k < (int32_t)COUNT_OF(properties); ++k)
    chorale_property_release(properties[k]);
  chorale_transitions_release(shop.transitions);
  chorale_transitions_release(shop.masked);
  if (status == CHORALE_OK)
    *problem = shop.problem;
  else
    chorale_problem_destroy(shop.problem);
  return status;
}
