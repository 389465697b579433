#include "commands.h"
#include "corpus.h"
#include "json.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A summary of the cliques of one kind. */
typedef struct kind {
  int64_t cliques, members;
  int64_t weight; /* sum of the weights of the members */
  int64_t least_values, most_values;
  /* What the members are ("property": chains with a property, "position": positions, "centre":
   * positions with a centre), and the family of the potentials (of a centred clique: of the first
   * one); "several" if cliques differ. */
  const char *over, *potential;
} kind;

/* Returns the word for all cliques counted so far: `one`, the word of the present clique, if `all`,
 * that of those before it, is the same or NULL (there are none); otherwise "several". */
static const char *word_for(const char *all, const char *one) {
  return all == NULL || strcmp(all, one) == 0 ? one : "several";
}

/* Returns a summary of the cliques of each of `count` kinds, and then a summary of the cliques
 * without a kind (-1): count + 1 entries, which the caller frees. */
static kind *kinds_of(const corpus *from, int64_t count) {
  kind *kinds = allocate(count + 1, sizeof *kinds);
  chorale_error error;
  for (int64_t c = 0; c < from->clique_count; ++c) {
    const int32_t number = chorale_problem_clique_kind(from->problem, c);
    kind *to = &kinds[number >= 0 && number < count ? number : count];
    chorale_clique_setup with = {.struct_size = sizeof with};
    check(chorale_model_get_clique(from->model, c, &with, &error), &error);
    int64_t members = 0;
    check(chorale_model_get_members(from->model, c, NULL, NULL, NULL, 0, &members, &error), &error);
    const int centred = with.centre_values > 0;
    if (to->cliques == 0 || with.values < to->least_values)
      to->least_values = with.values;
    if (with.values > to->most_values)
      to->most_values = with.values;
    to->cliques += 1;
    to->members += members;
    int64_t *weights = allocate(members, sizeof *weights);
    check(chorale_model_get_members(from->model, c, NULL, NULL, weights, members, NULL, &error),
          &error);
    for (int64_t i = 0; i < members; ++i)
      to->weight += weights[i];
    free(weights);
    to->over = word_for(to->over, centred ? "centre" : with.property ? "property" : "position");
    to->potential = word_for(to->potential, chorale_potential_family(
                                                centred ? with.centre_potentials[0] : with.potential));
  }
  return kinds;
}

typedef struct facts {
  int64_t kind_count;
  int64_t members; /* of all cliques */
  kind *kinds;
  int64_t longest; /* number of positions of the longest chain */
  int64_t known;   /* number of positions with a gold label */
  size_t score_bytes, run_bytes;
} facts;

static facts facts_of(const corpus *from) {
  facts made;
  chorale_error error;
  chorale_run_cost cost;
  memset(&made, 0, sizeof made);
  made.kind_count = chorale_problem_text_count(from->problem, CHORALE_TEXTS_KINDS);
  made.kinds = kinds_of(from, made.kind_count);
  for (int64_t k = 0; k <= made.kind_count; ++k)
    made.members += made.kinds[k].members;
  for (int64_t i = 0; i < from->chain_count; ++i)
    if (from->offsets[i + 1] - from->offsets[i] > made.longest)
      made.longest = from->offsets[i + 1] - from->offsets[i];
  for (int64_t t = 0; from->gold != NULL && t < from->positions; ++t)
    made.known += from->gold[t] >= 0;
  cost = (chorale_run_cost){.struct_size = sizeof cost};
  check(chorale_run_estimate(from->model, NULL, &cost, &error), &error);
  made.score_bytes = cost.score_bytes;
  made.run_bytes = cost.run_bytes;
  return made;
}

static const struct {
  const char *name;
  chorale_text_list list;
} lists[] = {
    {"labels", CHORALE_TEXTS_LABELS}, {"tokens", CHORALE_TEXTS_TOKENS},
    {"words", CHORALE_TEXTS_WORDS},   {"spaces", CHORALE_TEXTS_SPACES},
    {"chains", CHORALE_TEXTS_CHAINS}, {"groups", CHORALE_TEXTS_GROUPS},
    {"cliques", CHORALE_TEXTS_CLIQUES}, {"kinds", CHORALE_TEXTS_KINDS},
};
enum { LISTS = sizeof lists / sizeof *lists };

/* ---- Text --------------------------------------------------------------------------------- */

static void print_kind(const corpus *from, const facts *of, int64_t k) {
  const kind *here = &of->kinds[k];
  if (here->cliques == 0)
    return;
  fputs("  ", stdout);
  print_name(stdout, k < of->kind_count ? text_in(from->problem, CHORALE_TEXTS_KINDS, k)
                                        : text_of("(no kind)"), 28);
  printf(" %8" PRId64 " %9" PRId64 "  %-9s", here->cliques, here->members, here->over);
  char values[48];
  if (here->least_values == here->most_values)
    snprintf(values, sizeof values, "%" PRId64, here->most_values);
  else
    snprintf(values, sizeof values, "%" PRId64 "-%" PRId64, here->least_values, here->most_values);
  printf("%9s  %s", values, here->potential);
  if (here->weight != here->members)
    printf(", by weight: %" PRId64 " in all", here->weight);
  putchar('\n');
}

enum { LONG_LINE = 400, SHOWN = 60 };

/* Prints a text, with every line but the first indented. Of a line above LONG_LINE bytes, such as
 * JSON, prints only the beginning and the length. */
static void print_lines(chorale_text text) {
  while (text.length > 0) {
    const char *end = memchr(text.bytes, '\n', text.length);
    const size_t length = end != NULL ? (size_t)(end - text.bytes) : text.length;
    const size_t taken = length + (end != NULL);
    chorale_text line = {text.bytes, length};
    if (length > LONG_LINE) {
      line.length = SHOWN;
      while (line.length > 0 && ((unsigned char)line.bytes[line.length] & 0xc0) == 0x80)
        --line.length; /* so that no character of several bytes is split */
    }
    print_name(stdout, line, 0);
    if (line.length < length)
      printf(" ... (%zu bytes)", length);
    text.bytes += taken;
    text.length -= taken;
    if (text.length > 0)
      fputs("\n                 ", stdout);
  }
  putchar('\n');
}

static void print_text(const char *path, const corpus *from, const facts *of) {
  const int64_t notes = chorale_problem_text_count(from->problem, CHORALE_TEXTS_NOTES);
  fputs("File           ", stdout);
  print_name(stdout, text_of(path), 0);
  printf("\nChains         %" PRId64 " in %" PRId64 " groups\n", from->chain_count,
         from->page_count);
  printf("Positions      %" PRId64 ", %" PRId64 " in the longest chain\n", from->positions,
         of->longest);
  printf("Labels         %" PRId64, from->labels);
  for (int64_t label = 0; label < from->labels; ++label) {
    char space[NAME_SPACE];
    fputs(label == 0 ? ": " : ", ", stdout);
    print_name(stdout, label_name(from, label, space), 0);
  }
  printf("\nGold labels    %" PRId64 "\n", of->known);
  printf("Cliques        %" PRId64 " with %" PRId64 " members\n", from->clique_count,
         of->members);
  if (from->clique_count > 0)
    puts("  kind                          cliques   members  over         values  potential");
  for (int64_t k = 0; k <= of->kind_count; ++k)
    print_kind(from, of, k);
  fputs("Texts         ", stdout);
  const char *between = " ";
  for (int i = 0; i < LISTS; ++i) {
    const int64_t count = chorale_problem_text_count(from->problem, lists[i].list);
    if (count > 0) {
      printf("%s%s %" PRId64, between, lists[i].name, count);
      between = ", ";
    }
  }
  puts(*between == ' ' ? " none" : "");
  printf("Bytes          %zu of scores, %zu of a run\n", of->score_bytes, of->run_bytes);
  for (int64_t i = 0; i < notes; ++i) {
    fputs(i == 0 ? "Notes          " : "               ", stdout);
    print_name(stdout, text_in(from->problem, CHORALE_TEXTS_NOTE_NAMES, i), 0);
    fputs(": ", stdout);
    print_lines(text_in(from->problem, CHORALE_TEXTS_NOTES, i));
  }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_json(const char *path, const corpus *from, const facts *of) {
  const int64_t names = chorale_problem_text_count(from->problem, CHORALE_TEXTS_LABELS);
  const int64_t notes = chorale_problem_text_count(from->problem, CHORALE_TEXTS_NOTES);
  put_json(stdout,
           "{\"file\":%t,\"chains\":%i,\"groups\":%i,\"positions\":%i,\"longest\":%i,"
           "\"labels\":%i,\"label_names\":[",
           text_of(path), from->chain_count, from->page_count, from->positions, of->longest,
           from->labels);
  for (int64_t label = 0; label < names; ++label)
    put_json(stdout, "%,%t", label > 0, text_in(from->problem, CHORALE_TEXTS_LABELS, label));
  put_json(stdout, "],\"gold\":%i,\"cliques\":%i,\"members\":%i,\"kinds\":[", of->known,
           from->clique_count, of->members);
  for (int64_t k = 0, before = 0; k <= of->kind_count; ++k) {
    const kind *here = &of->kinds[k];
    const int has_name = k < of->kind_count;
    if (here->cliques == 0)
      continue;
    put_json(stdout, "%,{\"kind\":%i,", before++ > 0, has_name ? k : (int64_t)-1);
    if (has_name)
      put_json(stdout, "\"name\":%t,", text_in(from->problem, CHORALE_TEXTS_KINDS, k));
    put_json(stdout,
             "\"cliques\":%i,\"members\":%i,\"weight\":%i,\"over\":%t,\"least_values\":%i,"
             "\"most_values\":%i,\"potential\":%t}",
             here->cliques, here->members, here->weight, text_of(here->over),
             here->least_values, here->most_values, text_of(here->potential));
  }
  fputs("],\"texts\":{", stdout);
  for (int i = 0; i < LISTS; ++i)
    put_json(stdout, "%,%t:%i", i > 0, text_of(lists[i].name),
             chorale_problem_text_count(from->problem, lists[i].list));
  put_json(stdout, "},\"score_bytes\":%i,\"run_bytes\":%i,\"notes\":[",
           (int64_t)of->score_bytes, (int64_t)of->run_bytes);
  for (int64_t i = 0; i < notes; ++i)
    put_json(stdout, "%,{\"name\":%t,\"text\":%t}", i > 0,
             text_in(from->problem, CHORALE_TEXTS_NOTE_NAMES, i),
             text_in(from->problem, CHORALE_TEXTS_NOTES, i));
  puts("]}");
}

int command_info(const settings *chosen) {
  corpus all = corpus_of(chosen->files[0]);
  facts found = facts_of(&all);
  (chosen->json ? print_json : print_text)(chosen->files[0], &all, &found);
  free(found.kinds);
  corpus_free(&all);
  return 0;
}
