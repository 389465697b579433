/* Many chains, cliques and members in one call: the same model, byte for byte, as by single calls;
 * after an error nothing has been added. */
#include "fixture_chain.h"
#include "fixture_held.h"

enum {
  CORPUS_CHAINS = 6,
  CORPUS_POSITIONS = 24,
  CORPUS_LABELS = 4,
  CORPUS_CLIQUES = 4,
  CORPUS_ENTRIES = 24
};

/* A corpus and the members of cliques over it, in the form that both ways of building take. */
typedef struct Draw {
  chorale_corpus corpus;
  int64_t offsets[CORPUS_CHAINS + 1];
  double doubles[(CORPUS_POSITIONS + 4) * (CORPUS_LABELS + 3) * 2];
  float floats[(CORPUS_POSITIONS + 4) * (CORPUS_LABELS + 3) * 2];
  int32_t tokens[CORPUS_POSITIONS + 4];
  double edges[(CORPUS_POSITIONS + 4) * CORPUS_LABELS * CORPUS_LABELS];
  float single_edges[(CORPUS_POSITIONS + 4) * CORPUS_LABELS * CORPUS_LABELS];
  int32_t forced[CORPUS_POSITIONS + 4];
  uint8_t allowed[(CORPUS_POSITIONS + 4) * CORPUS_LABELS];
  int64_t groups[CORPUS_CHAINS];
  int64_t cliques, whole_cliques;
  int64_t clique_offsets[CORPUS_CLIQUES + 1], clique_chains[CORPUS_ENTRIES],
      clique_positions[CORPUS_ENTRIES];
  int64_t whole_offsets[CORPUS_CLIQUES + 1], whole_chains[CORPUS_ENTRIES];
} Draw;

static int64_t begin_of(const Draw *draw, int64_t chain) {
  return draw->corpus.offsets ? draw->offsets[chain] : chain;
}
static int64_t length_of(const Draw *draw, int64_t chain) {
  return begin_of(draw, chain + 1) - begin_of(draw, chain);
}

static int has_entry(const int64_t *chains, const int64_t *positions, int64_t begin, int64_t end,
                     int64_t chain, int64_t position) {
  for (int64_t e = begin; e < end; ++e)
    if (chains[e] == chain && (!positions || positions[e] == position))
      return 1;
  return 0;
}

/* Members without repetitions, in any order. */
static void draw_members(Random *random, Draw *draw) {
  draw->clique_offsets[0] = random_int(random, 0, 2);
  draw->whole_offsets[0] = 0;
  for (int64_t c = 0; c < CORPUS_CLIQUES; ++c) {
    int64_t end = draw->clique_offsets[c];
    for (int32_t k = random_int(random, 0, 4); k > 0 && draw->corpus.chains > 0; --k) {
      const int64_t chain = random_int(random, 0, (int32_t)draw->corpus.chains - 1);
      if (length_of(draw, chain) == 0)
        continue;
      const int64_t position = random_int(random, 0, (int32_t)length_of(draw, chain) - 1);
      if (has_entry(draw->clique_chains, draw->clique_positions, draw->clique_offsets[c], end,
                    chain, position))
        continue;
      draw->clique_chains[end] = chain;
      draw->clique_positions[end++] = position;
    }
    draw->clique_offsets[c + 1] = end;
    end = draw->whole_offsets[c];
    for (int32_t k = random_int(random, 0, 4); k > 0 && draw->corpus.chains > 0; --k) {
      const int64_t chain = random_int(random, 0, (int32_t)draw->corpus.chains - 1);
      if (!has_entry(draw->whole_chains, NULL, draw->whole_offsets[c], end, chain, 0))
        draw->whole_chains[end++] = chain;
    }
    draw->whole_offsets[c + 1] = end;
  }
  draw->cliques = random_int(random, 0, CORPUS_CLIQUES);
  draw->whole_cliques = random_int(random, 0, CORPUS_CLIQUES);
}

static void draw_corpus(Random *random, Draw *draw, const chorale_transitions *transitions,
                        int32_t labels) {
  memset(draw, 0, sizeof *draw);
  chorale_corpus *corpus = &draw->corpus;
  *corpus = (chorale_corpus){.struct_size = sizeof *corpus};
  corpus->chains = random_int(random, 0, CORPUS_CHAINS);
  corpus->labels = labels;
  corpus->element = random_chance(random, 30) ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
  corpus->borrow = random_chance(random, 40);
  corpus->unary = corpus->element == CHORALE_FLOAT32 ? (void *)draw->floats : draw->doubles;
  if (random_chance(random, 30)) {
    corpus->unary_column_stride = random_int(random, 1, 2);
    corpus->unary_row_stride = labels * corpus->unary_column_stride + random_int(random, 0, 2);
  }
  corpus->transitions = random_chance(random, 60) ? transitions : NULL;
  corpus->tokens = random_chance(random, 70) ? draw->tokens : NULL;
  corpus->groups = random_chance(random, 60) ? draw->groups : NULL;
  corpus->offsets = random_chance(random, 80) ? draw->offsets : NULL;
  draw->offsets[0] = random_int(random, 0, 4);
  for (int64_t i = 0; i < corpus->chains; ++i) {
    draw->offsets[i + 1] = draw->offsets[i] + random_int(random, 0, 4);
    draw->groups[i] = random_int(random, 0, 2);
  }
  if (corpus->offsets && draw->offsets[corpus->chains] == draw->offsets[0])
    corpus->unary = NULL;
  for (size_t k = 0; k < COUNT_OF(draw->doubles); ++k)
    draw->floats[k] = (float)(draw->doubles[k] = random_int(random, -64, 64) / 8.0);
  for (size_t k = 0; k < COUNT_OF(draw->tokens); ++k)
    draw->tokens[k] = random_int(random, -1, 5);
  for (size_t k = 0; k < COUNT_OF(draw->edges); ++k)
    draw->single_edges[k] = (float)(draw->edges[k] = random_int(random, -64, 64) / 8.0);
  for (size_t k = 0; k < COUNT_OF(draw->forced); ++k)
    draw->forced[k] = random_int(random, -1, labels - 1);
  for (size_t k = 0; k < COUNT_OF(draw->allowed); ++k)
    draw->allowed[k] = (uint8_t)random_chance(random, 80);
  if (random_chance(random, 30))
    corpus->edges =
        corpus->element == CHORALE_FLOAT32 ? (void *)draw->single_edges : draw->edges;
  corpus->forced = random_chance(random, 30) ? draw->forced : NULL;
  corpus->allowed = random_chance(random, 30) ? draw->allowed : NULL;
  draw_members(random, draw);
}

/* The builder from which both ways start: it already holds a chain and two cliques. */
typedef struct Start {
  chorale_model_builder *builder;
  int64_t chain;
} Start;

typedef struct Shared {
  chorale_transitions *transitions;
  chorale_potential *potential;
  chorale_property *property;
  int32_t labels;
  chorale_clique_setup positions, property_setup;
} Shared;

static void open_shared(Shared *shared, int32_t labels) {
  chorale_error error;
  memset(shared, 0, sizeof *shared);
  shared->labels = labels;
  double edges[CORPUS_LABELS * CORPUS_LABELS];
  for (int k = 0; k < CORPUS_LABELS * CORPUS_LABELS; ++k)
    edges[k] = k % 5 / 4.0;
  OK(chorale_transitions_create(NULL, labels, edges, NULL, &shared->transitions, &error));
  OK(chorale_potential_create_potts(NULL, labels, 0.5, NULL, &shared->potential, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = labels;
  OK(chorale_property_create_first_label(NULL, &map, NULL, &shared->property, &error));
  shared->positions = (chorale_clique_setup){.struct_size = sizeof shared->positions};
  shared->positions.values = labels;
  shared->positions.potential = shared->potential;
  shared->property_setup = (chorale_clique_setup){.struct_size = sizeof shared->property_setup};
  shared->property_setup.property = shared->property;
  shared->property_setup.potential = shared->potential;
}

static void close_shared(Shared *shared) {
  chorale_transitions_release(shared->transitions);
  chorale_potential_release(shared->potential);
  chorale_property_release(shared->property);
}

static void open_builder(const Shared *shared, const chorale_host *host, Start *start) {
  chorale_error error;
  static const double scores[2 * CORPUS_LABELS];
  chorale_chain chain;
  OK(chorale_model_builder_create(host, &start->builder, &error));
  chain = (chorale_chain){.struct_size = sizeof chain};
  chain.length = 2;
  chain.labels = shared->labels;
  chain.unary = scores;
  OK(chorale_model_builder_add_chain(start->builder, &chain, NULL, NULL, &error));
  OK(chorale_model_builder_add_cliques(start->builder, &shared->positions, 1, NULL, &error));
  OK(put_position(start->builder, 0, 0, 1, &error));
  start->chain = 1;
}

/* Freezes the builder and writes the model as a file, for comparison; destroys the builder. */
static size_t finish(Start *start, void *bytes, size_t capacity) {
  chorale_error error;
  chorale_model *model = NULL;
  chorale_problem *problem = NULL;
  size_t size = 0;
  OK(chorale_model_builder_freeze(start->builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  OK(chorale_problem_write(problem, bytes, capacity, &size, &error));
  chorale_problem_destroy(problem);
  chorale_model_release(model);
  chorale_model_builder_destroy(start->builder);
  return size;
}

static void add_singly(const Draw *draw, const Shared *shared, Start *start) {
  chorale_error error;
  const chorale_corpus *corpus = &draw->corpus;
  const int64_t column = corpus->unary_column_stride ? corpus->unary_column_stride : 1;
  const int64_t row = corpus->unary_row_stride ? corpus->unary_row_stride : corpus->labels * column;
  for (int64_t i = 0; i < corpus->chains; ++i) {
    chorale_chain chain;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    const int64_t begin = begin_of(draw, i);
    chain.length = length_of(draw, i);
    chain.labels = corpus->labels;
    chain.element = corpus->element;
    chain.unary = corpus->element == CHORALE_FLOAT32 ? (const void *)(draw->floats + begin * row)
                                                     : (const void *)(draw->doubles + begin * row);
    chain.unary_row_stride = row;
    chain.unary_column_stride = column;
    chain.transitions = corpus->transitions;
    if (corpus->edges && chain.length > 1) {
      const int64_t from = (begin + 1) * corpus->labels * corpus->labels;
      chain.edges = corpus->element == CHORALE_FLOAT32 ? (const void *)(draw->single_edges + from)
                                                       : (const void *)(draw->edges + from);
      chain.edge_matrices = chain.length - 1;
    }
    chain.forced = corpus->forced ? corpus->forced + begin : NULL;
    chain.allowed = corpus->allowed ? corpus->allowed + begin * corpus->labels : NULL;
    options.borrow = corpus->borrow;
    options.tokens = corpus->tokens ? corpus->tokens + begin : NULL;
    options.group = corpus->groups ? corpus->groups[i] : 0;
    OK(chorale_model_builder_add_chain(start->builder, &chain, &options, NULL, &error));
  }
  for (int64_t c = 0; c < draw->cliques; ++c)
    OK(chorale_model_builder_add_cliques(start->builder, &shared->positions, 1, NULL, &error));
  for (int64_t c = 0; c < draw->cliques; ++c)
    for (int64_t e = draw->clique_offsets[c]; e < draw->clique_offsets[c + 1]; ++e)
      OK(put_position(start->builder, 1 + c, start->chain + draw->clique_chains[e], draw->clique_positions[e], &error));
  for (int64_t c = 0; c < draw->whole_cliques; ++c)
    OK(chorale_model_builder_add_cliques(start->builder, &shared->property_setup, 1, NULL, &error));
  for (int64_t c = 0; c < draw->whole_cliques; ++c)
    for (int64_t e = draw->whole_offsets[c]; e < draw->whole_offsets[c + 1]; ++e)
      OK(put_chain(start->builder, 1 + draw->cliques + c, start->chain + draw->whole_chains[e], NULL, &error));
}

/* Shifts numbers of chains in the corpus to numbers in the model. */
static void shift(const int64_t *from, int64_t count, int64_t by, int64_t *to) {
  for (int64_t e = 0; e < count; ++e)
    to[e] = from[e] + by;
}

static void add_at_once(const Draw *draw, const Shared *shared, Start *start) {
  chorale_error error;
  int64_t first = -1, chains[CORPUS_ENTRIES];
  OK(chorale_model_builder_add_corpus(start->builder, &draw->corpus, &first, &error));
  assert_int_equal(first, start->chain);
  OK(chorale_model_builder_add_cliques(start->builder, &shared->positions, draw->cliques, &first,
                                       &error));
  assert_int_equal(first, 1);
  shift(draw->clique_chains, CORPUS_ENTRIES, start->chain, chains);
  OK(put_ragged(start->builder, 1, draw->cliques, draw->clique_offsets, chains, draw->clique_positions, NULL, &error));
  OK(chorale_model_builder_add_cliques(start->builder, &shared->property_setup,
                                       draw->whole_cliques, &first, &error));
  assert_int_equal(first, 1 + draw->cliques);
  shift(draw->whole_chains, CORPUS_ENTRIES, start->chain, chains);
  OK(put_ragged(start->builder, 1 + draw->cliques, draw->whole_cliques, draw->whole_offsets, chains, NULL, NULL, &error));
}

enum { FILE_BYTES = 1 << 15 };
static unsigned char file_of_one[FILE_BYTES], file_of_other[FILE_BYTES];

static void the_same_model_as_by_single_calls(void **state) {
  (void)state;
  for (int64_t round = 0; round < test_rounds(2000); ++round) {
    static Draw draw;
    Random random = {test_seed() + (uint64_t)round};
    Shared shared;
    Start start;
    open_shared(&shared, random_int(&random, 1, CORPUS_LABELS));
    draw_corpus(&random, &draw, shared.transitions, shared.labels);
    open_builder(&shared, NULL, &start);
    add_singly(&draw, &shared, &start);
    const size_t one = finish(&start, file_of_one, FILE_BYTES);
    open_builder(&shared, NULL, &start);
    add_at_once(&draw, &shared, &start);
    const size_t other = finish(&start, file_of_other, FILE_BYTES);
    if (one != other || memcmp(file_of_one, file_of_other, one) != 0)
      fail_msg("round %lld of seed %llu: %lld chains, %lld and %lld cliques: the files differ",
               (long long)round, (unsigned long long)test_seed(), (long long)draw.corpus.chains,
               (long long)draw.cliques, (long long)draw.whole_cliques);
    close_shared(&shared);
  }
}

/* An invalid last entry, or refused memory at any point, leaves the builder unchanged. */
static void all_or_nothing(void **state) {
  (void)state;
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    static Draw draw;
    Random random = {test_seed() + (uint64_t)round};
    Shared shared;
    Start start;
    CountingAllocator allocator;
    chorale_host host;
    chorale_error error;
    counting_allocator_init(&allocator);
    host = (chorale_host){.struct_size = sizeof host};
    host.allocator = &allocator.hooks;
    open_shared(&shared, random_int(&random, 1, CORPUS_LABELS));
    do
      draw_corpus(&random, &draw, shared.transitions, shared.labels);
    while (draw.cliques == 0 || draw.clique_offsets[draw.cliques] == draw.clique_offsets[0]);
    open_builder(&shared, NULL, &start);
    add_singly(&draw, &shared, &start);
    const size_t one = finish(&start, file_of_one, FILE_BYTES);

    open_builder(&shared, &host, &start);
    for (int64_t fail_at = 1, done = 0; !done; ++fail_at) {
      allocator.fail_at = fail_at;
      const chorale_status status =
          chorale_model_builder_add_corpus(start.builder, &draw.corpus, NULL, &error);
      done = status == CHORALE_OK;
      assert_true(done || status == CHORALE_ERROR_OUT_OF_MEMORY);
    }
    allocator.fail_at = 0;
    for (int64_t fail_at = 1, done = 0; !done; ++fail_at) {
      allocator.fail_at = fail_at;
      const chorale_status status = chorale_model_builder_add_cliques(
          start.builder, &shared.positions, draw.cliques, NULL, &error);
      done = status == CHORALE_OK;
      assert_true(done || status == CHORALE_ERROR_OUT_OF_MEMORY);
    }
    allocator.fail_at = 0;

    int64_t chains[CORPUS_ENTRIES], positions[CORPUS_ENTRIES];
    const int64_t last = draw.clique_offsets[draw.cliques] - 1;
    shift(draw.clique_chains, CORPUS_ENTRIES, start.chain, chains);
    memcpy(positions, draw.clique_positions, sizeof positions);
    positions[last] = 99;
    FAILS(put_ragged(start.builder, 1, draw.cliques, draw.clique_offsets, chains, positions, NULL, &error),
          CHORALE_ERROR_OUT_OF_RANGE, "members->chains[", "position is 99");
    positions[last] = draw.clique_positions[last];
    chains[last] = 77;
    FAILS(put_ragged(start.builder, 1, draw.cliques, draw.clique_offsets, chains, positions, NULL, &error),
          CHORALE_ERROR_OUT_OF_RANGE, "chains[", "77");
    shift(draw.clique_chains, CORPUS_ENTRIES, start.chain, chains);
    for (int64_t fail_at = 1, done = 0; !done; ++fail_at) {
      allocator.fail_at = fail_at;
      const chorale_status status = put_ragged(start.builder, 1, draw.cliques, draw.clique_offsets, chains, positions, NULL, &error);
      done = status == CHORALE_OK;
      assert_true(done || status == CHORALE_ERROR_OUT_OF_MEMORY);
    }
    allocator.fail_at = 0;
    FAILS(put_ragged(start.builder, 1, draw.cliques, draw.clique_offsets, chains, positions, NULL, &error),
          CHORALE_ERROR_DUPLICATE_MEMBER, "chains[", "already");

    OK(chorale_model_builder_add_cliques(start.builder, &shared.property_setup, draw.whole_cliques,
                                         NULL, &error));
    shift(draw.whole_chains, CORPUS_ENTRIES, start.chain, chains);
    const int64_t first = 1 + draw.cliques;
    const int64_t wholes = draw.whole_offsets[draw.whole_cliques];
    if (draw.whole_cliques > 0 && wholes > 0) {
      chains[wholes - 1] = -1;
      FAILS(put_ragged(start.builder, first, draw.whole_cliques, draw.whole_offsets, chains, NULL, NULL, &error),
            CHORALE_ERROR_OUT_OF_RANGE, "chains[", "-1");
      shift(draw.whole_chains, CORPUS_ENTRIES, start.chain, chains);
    }
    for (int64_t fail_at = 1, done = 0; !done; ++fail_at) {
      allocator.fail_at = fail_at;
      const chorale_status status = put_ragged(start.builder, first, draw.whole_cliques, draw.whole_offsets, chains, NULL, NULL, &error);
      done = status == CHORALE_OK;
      assert_true(done || status == CHORALE_ERROR_OUT_OF_MEMORY);
    }
    allocator.fail_at = 0;
    const size_t other = finish(&start, file_of_other, FILE_BYTES);
    if (one != other || memcmp(file_of_one, file_of_other, one) != 0)
      fail_msg("round %lld of seed %llu: what failed has left something behind", (long long)round,
               (unsigned long long)test_seed());
    close_shared(&shared);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.mistakes, 0);
  }
}

static void mistakes_are_named(void **state) {
  (void)state;
  Shared shared;
  Start start;
  chorale_error error;
  chorale_corpus corpus;
  double scores[] = {1, 2, 3, 4, 5, 6};
  int64_t offsets[] = {0, 1, 3};
  int32_t tokens[] = {0, 1, 2};
  const int64_t chains[] = {0, 1, 2};
  const int64_t of_two[] = {0, 1, 3};
  open_shared(&shared, 2);
  open_builder(&shared, NULL, &start);
  const chorale_corpus good = {.struct_size = sizeof good,
                               .chains = 2,
                               .offsets = offsets,
                               .labels = 2,
                               .unary = scores,
                               .tokens = tokens};
#define REFUSES(change, status, ...)                                                               \
  corpus = good;                                                                                   \
  change;                                                                                          \
  FAILS(chorale_model_builder_add_corpus(start.builder, &corpus, NULL, &error), status, __VA_ARGS__)
  FAILS(chorale_model_builder_add_corpus(NULL, &good, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "builder");
  FAILS(chorale_model_builder_add_corpus(start.builder, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "corpus");
  REFUSES(corpus.struct_size = 8, CHORALE_ERROR_STRUCT_SIZE, "corpus->struct_size");
  REFUSES(corpus.chains = -1, CHORALE_ERROR_SIZE, "corpus->chains", "-1");
  REFUSES(corpus.labels = 0, CHORALE_ERROR_SIZE, "corpus->labels", "0");
  REFUSES(corpus.element = 7, CHORALE_ERROR_UNKNOWN_CONSTANT, "corpus->element", "7");
  REFUSES(corpus.unary = NULL, CHORALE_ERROR_NULL_ARGUMENT, "corpus->unary");
  REFUSES(corpus.unary_row_stride = -2, CHORALE_ERROR_STRIDE, "corpus->unary", "-2");
  REFUSES(corpus.unary_row_stride = 1, CHORALE_ERROR_STRIDE, "corpus->unary");
  REFUSES((corpus.transitions = shared.transitions, corpus.labels = 1),
          CHORALE_ERROR_LABELS_MISMATCH, "corpus->labels", "transitions");
  offsets[1] = 4;
  REFUSES((void)0, CHORALE_ERROR_OUT_OF_RANGE, "corpus->offsets[2] is 3", "4");
  offsets[1] = 1;
  offsets[0] = -1;
  REFUSES((void)0, CHORALE_ERROR_OUT_OF_RANGE, "corpus->offsets[0] is -1", "0");
  offsets[0] = 0;
  tokens[2] = -2;
  REFUSES((void)0, CHORALE_ERROR_OUT_OF_RANGE, "corpus->tokens[2]", "-2");
  tokens[2] = 2;
  scores[3] = NAN;
  REFUSES((void)0, CHORALE_ERROR_NOT_A_NUMBER, "corpus->unary[1][1]");
  scores[3] = INFINITY;
  REFUSES((void)0, CHORALE_ERROR_INFINITE, "corpus->unary[1][1]");
  scores[3] = 4;
  double edges[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
  corpus = good;
  edges[10] = NAN;
  REFUSES(corpus.edges = edges, CHORALE_ERROR_NOT_A_NUMBER, "corpus->edges[2], from 1 to 0");
  const int32_t forced[] = {-1, 2, 0};
  REFUSES(corpus.forced = forced, CHORALE_ERROR_OUT_OF_RANGE, "corpus->forced[1] is 2", "from -1 to 1");
  edges[10] = 3;
  edges[4] = NAN; /* of the first position of a chain: not read */
#undef REFUSES
  corpus = good;
  corpus.edges = edges;
  OK(chorale_model_builder_add_corpus(start.builder, &corpus, NULL, &error));
  chorale_model_builder_destroy(start.builder);
  open_builder(&shared, NULL, &start);
  int64_t first = -1;
  OK(chorale_model_builder_add_corpus(start.builder, &good, &first, &error));
  assert_int_equal(first, 1);

  FAILS(chorale_model_builder_add_cliques(start.builder, NULL, 2, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "setup");
  FAILS(
      chorale_model_builder_add_cliques(start.builder, &shared.positions, INT32_MAX, NULL, &error),
      CHORALE_ERROR_SIZE_OVERFLOW, "the model would have", "cliques", "at most 2147483645");
  FAILS(chorale_model_builder_add_cliques(start.builder, &shared.positions, -1, NULL, &error),
        CHORALE_ERROR_SIZE, "count", "-1");
  OK(chorale_model_builder_add_cliques(start.builder, &shared.positions, 2, &first, &error));
  assert_int_equal(first, 1);
  FAILS(put_ragged(start.builder, 2, 2, of_two, chains, NULL, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "members->cliques is 2", "1");
  FAILS(put_ragged(start.builder, 3, 1, of_two, chains, NULL, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "members->first is 3");
  FAILS(put_ragged(start.builder, 1, 2, NULL, chains, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "members->offsets");
  FAILS(put_ragged(start.builder, 1, 2, of_two, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "members->chains");
  const int64_t wholes[] = {-1, -1};
  FAILS(put_ragged(start.builder, 1, 2, of_two, chains, wholes, NULL, &error),
        CHORALE_ERROR_KIND, "clique 1", "positions");
  OK(put_ragged(start.builder, 1, 2, of_two, chains, NULL, NULL, &error));
  OK(chorale_model_builder_add_cliques(start.builder, &shared.property_setup, 1, &first, &error));
  assert_int_equal(first, 3);
  const int64_t zeros[] = {0, 0};
  FAILS(put_ragged(start.builder, 3, 1, of_two, chains, zeros, NULL, &error),
        CHORALE_ERROR_KIND, "clique 3", "property");
  OK(put_ragged(start.builder, 3, 1, of_two, chains, NULL, NULL, &error));
  OK(put_ragged(start.builder, 0, 0, NULL, NULL, NULL, NULL, &error));
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(start.builder, &model, &error));
  FAILS(chorale_model_builder_add_corpus(start.builder, &good, NULL, &error), CHORALE_ERROR_FROZEN,
        "frozen");
  assert_int_equal(chorale_model_chain_count(model), 3);
  assert_int_equal(chorale_model_clique_count(model), 4);
  assert_int_equal(all_member_count(model), 5);
  chorale_model_release(model);
  chorale_model_builder_destroy(start.builder);
  close_shared(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_model_as_by_single_calls),
      cmocka_unit_test(all_or_nothing),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
