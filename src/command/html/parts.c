#include "parts.h"

#include "json.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library -------------------------------------------------------------------------- */

char *load_library(const char *path) {
  size_t size = 0;
  char *script = read_file("--library", path, &size);
  /* A script element ends at its end tag, wherever that stands. */
  if (strlen(script) != size || strstr(script, "globalThis.libchorale") == NULL ||
      strstr(script, "</script") != NULL)
    stop(EXIT_BAD_INPUT, "--library is \"%s\"; it must be libchorale.embedded.js of bindings/js",
         path);
  return script;
}

/* ---- A page as a model -------------------------------------------------------------------- */

typedef struct part {
  const corpus *from;
  const chorale_model *whole;
  const page *here;
  int64_t *place;   /* by chain of the corpus: its number here, -1 on other pages */
  int64_t *cliques; /* their numbers in the corpus */
  int64_t clique_count, positions;
} part;

static part part_of(const corpus *from, const inference *done, int64_t page_index) {
  part made = {from, done->model, &from->pages[page_index], NULL, NULL, 0, 0};
  made.place = allocate(from->chain_count, sizeof *made.place);
  made.cliques = allocate(from->clique_count, sizeof *made.cliques);
  for (int64_t i = 0; i < from->chain_count; ++i)
    made.place[i] = -1;
  for (int64_t k = 0; k < made.here->records; ++k) {
    const int64_t chain = from->chains[made.here->first + k];
    made.place[chain] = k;
    made.positions += from->offsets[chain + 1] - from->offsets[chain];
  }
  for (int64_t c = 0; c < from->clique_count; ++c)
    if (from->clique_page[c] == page_index &&
        chorale_model_clique_member_count(made.whole, c) > 0)
      made.cliques[made.clique_count++] = c;
  return made;
}

static void part_free(part *of) {
  free(of->place);
  free(of->cliques);
}

/* By position of the page, from an array by position of the corpus; the caller frees it. */
static int32_t *on_page(const part *of, const int32_t *whole) {
  int32_t *here = allocate(of->positions, sizeof *here);
  int64_t at = 0;
  for (int64_t k = 0; k < of->here->records; ++k) {
    const int64_t chain = of->from->chains[of->here->first + k];
    const int64_t begin = of->from->offsets[chain];
    const int64_t length = of->from->offsets[chain + 1] - begin;
    memcpy(here + at, whole + begin, (size_t)length * sizeof *here);
    at += length;
  }
  return here;
}

/* True if a member of a clique that crosses pages is on this one. */
static int crosses(const part *of) {
  chorale_error error;
  for (int64_t c = 0; c < of->from->clique_count; ++c) {
    const int64_t members = chorale_model_clique_member_count(of->whole, c);
    for (int64_t k = 0; k < members && of->from->clique_page[c] < 0; ++k) {
      int64_t chain = 0;
      check(chorale_model_get_member(of->whole, c, k, &chain, NULL, &error), &error);
      if (of->place[chain] >= 0)
        return 1;
    }
  }
  return 0;
}

static int add_clique(const part *of, chorale_model_builder *builder, int64_t clique) {
  chorale_clique_setup setup;
  chorale_clique_setup_init(&setup, sizeof setup);
  setup.property = chorale_model_clique_property(of->whole, clique);
  setup.dictionary = chorale_model_clique_dictionary(of->whole, clique);
  setup.potential = chorale_model_clique_potential(of->whole, clique);
  if (setup.property == NULL)
    setup.values = chorale_model_clique_values(of->whole, clique);
  int64_t index = 0;
  if (setup.potential == NULL ||
      chorale_model_builder_add_clique(builder, &setup, &index, NULL) != CHORALE_OK)
    return 0;
  const int64_t members = chorale_model_clique_member_count(of->whole, clique);
  for (int64_t k = 0; k < members; ++k) {
    int64_t chain = 0, position = 0;
    chorale_error error;
    check(chorale_model_get_member(of->whole, clique, k, &chain, &position, &error), &error);
    chain = of->place[chain];
    const chorale_status status =
        position < 0 ? chorale_model_builder_add_member(builder, index, chain, NULL, NULL)
                     : chorale_model_builder_add_position(builder, index, chain, position, NULL);
    if (status != CHORALE_OK)
      return 0;
  }
  return 1;
}

/* The page's model; NULL if a clique cannot be made from what the model says of it. */
static chorale_model *make_model(const part *of) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  check(chorale_model_builder_create(NULL, &builder, &error), &error);
  for (int64_t k = 0; k < of->here->records; ++k) {
    chorale_chain chain;
    chorale_chain_options options;
    chorale_chain_init(&chain, sizeof chain);
    chorale_chain_options_init(&options, sizeof options);
    check(chorale_model_get_chain(of->whole, of->from->chains[of->here->first + k], &chain,
                                  &options, &error), &error);
    options.group = 0;
    check(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error), &error);
  }
  int complete = 1;
  for (int64_t c = 0; complete && c < of->clique_count; ++c)
    complete = add_clique(of, builder, of->cliques[c]);
  chorale_model *model = NULL;
  if (complete)
    check(chorale_model_builder_freeze(builder, &model, &error), &error);
  chorale_model_builder_destroy(builder);
  return model;
}

/* Whether the cliques score a labelling as those of the corpus do. They do not where members have
 * classes, tables or values of their own, which a model does not tell. */
static int scores_alike(const part *of, const inference *done, const chorale_model *model,
                        const int32_t *labels, chorale_labelling labelling) {
  chorale_error error;
  int32_t *here = on_page(of, labels);
  double *scores = allocate(of->clique_count, sizeof *scores);
  double score = 0.0;
  int alike = chorale_model_score(NULL, model, here, of->positions, &score, NULL, scores,
                                  &error) == CHORALE_OK;
  for (int64_t c = 0; alike && c < of->clique_count; ++c) {
    double expected = 0.0;
    check(chorale_run_clique_score(done->run, of->cliques[c], labelling, &expected, &error),
          &error);
    alike = scores[c] == expected;
  }
  free(here);
  free(scores);
  return alike;
}

/* ---- Its texts ---------------------------------------------------------------------------- */

/* `count` texts on their way into a problem. */
typedef struct list {
  chorale_text *texts;
  char (*spaces)[NAME_SPACE]; /* for names that are made up */
  int64_t count;
} list;

static list list_of(int64_t room) {
  list made = {allocate(room, sizeof *made.texts), allocate(room, sizeof *made.spaces), 0};
  return made;
}

static void give(chorale_problem *problem, chorale_text_list which, list *of) {
  chorale_error error;
  check(chorale_problem_set_texts(problem, which, of->texts, sizeof *of->texts, of->count, &error),
        &error);
  free(of->texts);
  free(of->spaces);
}

static void set_texts(const part *of, chorale_problem *problem, int64_t page_index) {
  const corpus *from = of->from;
  list labels = list_of(from->labels), words = list_of(of->positions),
       spaces = list_of(of->positions), chains = list_of(of->here->records), groups = list_of(1);
  for (; labels.count < from->labels; ++labels.count)
    labels.texts[labels.count] = label_name(from, labels.count, labels.spaces[labels.count]);
  for (; chains.count < of->here->records; ++chains.count) {
    const int64_t chain = from->chains[of->here->first + chains.count];
    chains.texts[chains.count] = text_in(from->problem, CHORALE_TEXTS_CHAINS, chain);
    const int64_t length = from->offsets[chain + 1] - from->offsets[chain];
    for (int64_t t = 0; t < length; ++t) {
      words.texts[words.count] = word(from, chain, t, words.spaces[words.count]);
      spaces.texts[spaces.count++] = space_before(from, chain, t);
      ++words.count;
    }
  }
  groups.texts[groups.count++] = page_name(from, page_index, groups.spaces[0]);
  give(problem, CHORALE_TEXTS_LABELS, &labels);
  give(problem, CHORALE_TEXTS_WORDS, &words);
  give(problem, CHORALE_TEXTS_SPACES, &spaces);
  give(problem, CHORALE_TEXTS_CHAINS, &chains);
  give(problem, CHORALE_TEXTS_GROUPS, &groups);
  const int64_t kind_count = chorale_problem_text_count(from->problem, CHORALE_TEXTS_KINDS);
  list kinds = list_of(kind_count);
  for (; kinds.count < kind_count; ++kinds.count)
    kinds.texts[kinds.count] = text_in(from->problem, CHORALE_TEXTS_KINDS, kinds.count);
  give(problem, CHORALE_TEXTS_KINDS, &kinds);

  chorale_error error;
  int32_t *kind_of = allocate(of->clique_count, sizeof *kind_of);
  for (int64_t c = 0; c < of->clique_count; ++c)
    kind_of[c] = chorale_problem_clique_kind(from->problem, of->cliques[c]);
  check(chorale_problem_set_cliques(problem, kind_of, NULL, &error), &error);
  free(kind_of);
  if (from->gold == NULL)
    return;
  int32_t *gold = on_page(of, from->gold);
  check(chorale_problem_set_gold(problem, gold, &error), &error);
  free(gold);
}

/* ---- Its bytes ---------------------------------------------------------------------------- */

static void put_base64(FILE *to, const unsigned char *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? bytes[i + 2] : 0);
    putc(digits[three >> 18], to);
    putc(digits[three >> 12 & 63], to);
    putc(left > 1 ? digits[three >> 6 & 63] : '=', to);
    putc(left > 2 ? digits[three & 63] : '=', to);
  }
}

static void put_names(FILE *to, const part *of) {
  char space[NAME_SPACE];
  fputs("\"cliques\":[", to);
  for (int64_t c = 0; c < of->clique_count; ++c) {
    fputs(c > 0 ? "," : "", to);
    put_json_text(to, clique_name(of->from, of->cliques[c], space));
  }
  fputs("],\n\"values\":[", to);
  for (int64_t c = 0; c < of->clique_count; ++c) {
    const int64_t values = chorale_model_clique_values(of->whole, of->cliques[c]);
    fputs(c > 0 ? ",\n[" : "[", to);
    for (int64_t v = 0; v < values + 2; ++v) { /* nothing and different things come last */
      int made_up = 0;
      fputs(v > 0 ? "," : "", to);
      put_json_text(to, value_name(of->from, of->cliques[c], (int32_t)v, &made_up, space));
    }
    putc(']', to);
  }
  fputs("],\n", to);
}

int put_part(FILE *to, const corpus *from, const inference *done, int64_t page_index) {
  chorale_error error;
  part here = part_of(from, done, page_index);
  chorale_model *model = crosses(&here) ? NULL : make_model(&here);
  const int faithful = model != NULL &&
                       scores_alike(&here, done, model, done->own, CHORALE_ALONE) &&
                       scores_alike(&here, done, model, done->together, CHORALE_TOGETHER);
  if (faithful) {
    chorale_problem *problem = NULL;
    check(chorale_problem_create(NULL, model, &problem, &error), &error);
    set_texts(&here, problem, page_index);
    size_t size = 0;
    check(chorale_problem_write(problem, NULL, 0, &size, &error), &error);
    unsigned char *bytes = allocate((int64_t)size, 1);
    check(chorale_problem_write(problem, bytes, size, &size, &error), &error);
    fprintf(to, "<script type=\"application/json\" id=\"part%" PRId64 "\">{\"chains\":[",
            page_index);
    for (int64_t k = 0; k < here.here->records; ++k)
      fprintf(to, "%s%" PRId64, k > 0 ? "," : "", from->chains[here.here->first + k]);
    fputs("],\n\"labels\":[", to);
    int32_t *labels = on_page(&here, done->together);
    for (int64_t at = 0; at < here.positions; ++at)
      fprintf(to, "%s%d", at > 0 ? "," : "", (int)labels[at]);
    free(labels);
    fputs("],\n", to);
    put_names(to, &here);
    fputs("\"problem\":\"", to);
    put_base64(to, bytes, size);
    fputs("\"}</script>\n", to);
    free(bytes);
    chorale_problem_destroy(problem);
  }
  if (model != NULL)
    chorale_model_release(model);
  part_free(&here);
  return faithful;
}
