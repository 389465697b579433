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
  int by_property, by_position, by_centre; /* numbers of property, position and centred cliques */
  /* Family of the potentials (of a centred clique: of the first one); 0: the families differ. */
  chorale_family family;
} kind;

/* Returns a summary of the cliques of each of `count` kinds, and then a summary of the cliques
 * without a kind (-1): count + 1 entries, which the caller frees. */
static kind *kinds_of(const corpus *from, int64_t count) {
  kind *kinds = allocate(count + 1, sizeof *kinds);
  for (int64_t c = 0; c < from->clique_count; ++c) {
    const int32_t number = chorale_problem_clique_kind(from->problem, c);
    kind *to = &kinds[number >= 0 && number < count ? number : count];
    const int64_t values = chorale_model_clique_values(from->model, c);
    const int centred = chorale_model_clique_centre_values(from->model, c) > 0;
    const chorale_potential *potential =
        centred ? chorale_model_clique_centre_potential(from->model, c, 0)
                : chorale_model_clique_potential(from->model, c);
    const chorale_family family = chorale_potential_family(potential);
    if (to->cliques == 0) {
      to->least_values = to->most_values = values;
      to->family = family;
    }
    to->cliques += 1;
    const int64_t members = chorale_model_clique_member_count(from->model, c);
    to->members += members;
    for (int64_t i = 0; i < members; ++i)
      to->weight += chorale_model_member_weight(from->model, c, i);
    if (values < to->least_values)
      to->least_values = values;
    if (values > to->most_values)
      to->most_values = values;
    if (family != to->family)
      to->family = 0;
    if (centred)
      to->by_centre += 1;
    else if (chorale_model_clique_property(from->model, c) != NULL)
      to->by_property += 1;
    else
      to->by_position += 1;
  }
  return kinds;
}

/* Returns a word for the members of the cliques of a kind: "property" for chains with a property,
 * "position" for positions, "centre" for positions with a centre, "several" if cliques differ. */
static const char *form_of(const kind *of) {
  if (of->by_property == of->cliques)
    return "property";
  if (of->by_position == of->cliques)
    return "position";
  return of->by_centre == of->cliques ? "centre" : "several";
}

static const char *family_of(const kind *of) {
  return of->family != 0 ? chorale_family_name(of->family) : "several";
}

typedef struct facts {
  int64_t kind_count;
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
  for (int64_t i = 0; i < from->chain_count; ++i)
    if (from->offsets[i + 1] - from->offsets[i] > made.longest)
      made.longest = from->offsets[i + 1] - from->offsets[i];
  for (int64_t t = 0; from->gold != NULL && t < from->positions; ++t)
    made.known += from->gold[t] >= 0;
  chorale_run_cost_init(&cost, sizeof cost);
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
  printf(" %8" PRId64 " %9" PRId64 "  %-9s", here->cliques, here->members, form_of(here));
  char values[48];
  if (here->least_values == here->most_values)
    snprintf(values, sizeof values, "%" PRId64, here->most_values);
  else
    snprintf(values, sizeof values, "%" PRId64 "-%" PRId64, here->least_values, here->most_values);
  printf("%9s  %s", values, family_of(here));
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
  const int64_t notes = chorale_problem_note_count(from->problem);
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
         chorale_model_member_count(from->model));
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
    print_name(stdout, name_of_note(from->problem, i), 0);
    fputs(": ", stdout);
    print_lines(text_of_note(from->problem, i));
  }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_kinds_json(const corpus *from, const facts *of) {
  int first = 1;
  put_json_key(stdout, "kinds", 0);
  putchar('[');
  for (int64_t k = 0; k <= of->kind_count; ++k) {
    const kind *here = &of->kinds[k];
    if (here->cliques == 0)
      continue;
    fputs(first ? "{" : ",{", stdout);
    first = 0;
    put_json_whole(stdout, "kind", k < of->kind_count ? k : -1, 1);
    if (k < of->kind_count)
      put_json_string(stdout, "name", text_in(from->problem, CHORALE_TEXTS_KINDS, k), 0);
    put_json_whole(stdout, "cliques", here->cliques, 0);
    put_json_whole(stdout, "members", here->members, 0);
    put_json_whole(stdout, "weight", here->weight, 0);
    put_json_string(stdout, "over", text_of(form_of(here)), 0);
    put_json_whole(stdout, "least_values", here->least_values, 0);
    put_json_whole(stdout, "most_values", here->most_values, 0);
    put_json_string(stdout, "potential", text_of(family_of(here)), 0);
    putchar('}');
  }
  putchar(']');
}

static void print_json(const char *path, const corpus *from, const facts *of) {
  const int64_t names = chorale_problem_text_count(from->problem, CHORALE_TEXTS_LABELS);
  const int64_t notes = chorale_problem_note_count(from->problem);
  putchar('{');
  put_json_string(stdout, "file", text_of(path), 1);
  put_json_whole(stdout, "chains", from->chain_count, 0);
  put_json_whole(stdout, "groups", from->page_count, 0);
  put_json_whole(stdout, "positions", from->positions, 0);
  put_json_whole(stdout, "longest", of->longest, 0);
  put_json_whole(stdout, "labels", from->labels, 0);
  put_json_key(stdout, "label_names", 0);
  putchar('[');
  for (int64_t label = 0; label < names; ++label) {
    fputs(label > 0 ? "," : "", stdout);
    put_json_text(stdout, text_in(from->problem, CHORALE_TEXTS_LABELS, label));
  }
  putchar(']');
  put_json_whole(stdout, "gold", of->known, 0);
  put_json_whole(stdout, "cliques", from->clique_count, 0);
  put_json_whole(stdout, "members", chorale_model_member_count(from->model), 0);
  print_kinds_json(from, of);
  put_json_key(stdout, "texts", 0);
  putchar('{');
  for (int i = 0; i < LISTS; ++i)
    put_json_whole(stdout, lists[i].name, chorale_problem_text_count(from->problem, lists[i].list),
                   i == 0);
  putchar('}');
  put_json_whole(stdout, "score_bytes", (int64_t)of->score_bytes, 0);
  put_json_whole(stdout, "run_bytes", (int64_t)of->run_bytes, 0);
  put_json_key(stdout, "notes", 0);
  putchar('[');
  for (int64_t i = 0; i < notes; ++i) {
    fputs(i > 0 ? ",{" : "{", stdout);
    put_json_string(stdout, "name", name_of_note(from->problem, i), 1);
    put_json_string(stdout, "text", text_of_note(from->problem, i), 0);
    putchar('}');
  }
  puts("]}");
}

int command_info(const settings *chosen) {
  chorale_problem *problem = load(chosen->files[0]);
  corpus all = corpus_of(problem);
  facts found = facts_of(&all);
  (chosen->json ? print_json : print_text)(chosen->files[0], &all, &found);
  free(found.kinds);
  corpus_free(&all);
  chorale_problem_destroy(problem);
  return 0;
}
