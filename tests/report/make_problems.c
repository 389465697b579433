/* Usage: make_problems DIRECTORY
 *
 * Problem files for the check of the report, small enough to know what must come out:
 *
 *   named.chorale   pages that get better, worse and stay; names that would be markup if they were
 *                   not escaped; words that do not fit any screen; missing gold labels; and a page
 *                   that is wrong throughout, whose records follow when one of them is corrected;
 *                   one page has two cliques of one kind; tokens that are punctuation
 *   large.chorale   the same with a note of 65 MB, which a report does not carry
 *   bare.chorale    chains and a clique, and not a single name
 *   empty.chorale   no chains at all
 */
#include "../fixture_members.h"

#include <chorale/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 4, WORDS = 4, VALUES = 4 };
enum { TITLE, VENUE, OTHER, UNUSED };

/* Log-scores of a tagger for title, title, venue, other: sure, and three ways of being wrong. */
typedef double scores[WORDS][LABELS];
static const scores sure = {
    {3.0, 0.2, 0.4, -9}, {2.6, 0.4, 0.3, -9}, {0.3, 2.8, 0.5, -9}, {0.1, 0.6, 2.9, -9}};
static const scores swapped = {
    {2.7, 0.4, 0.3, -9}, {2.4, 0.6, 0.5, -9}, {0.4, 1.0, 2.2, -9}, {0.3, 2.1, 0.9, -9}};
static const scores long_title = {
    {2.6, 0.3, 0.4, -9}, {2.3, 0.5, 0.6, -9}, {1.9, 1.6, 0.4, -9}, {0.2, 0.7, 2.4, -9}};
static const scores doubtful = {
    {3.0, 0.2, 0.4, -9}, {2.6, 0.4, 0.3, -9}, {0.3, 1.7, 1.6, -9}, {0.1, 0.6, 2.9, -9}};
static const double transitions[LABELS][LABELS] = {
    {0.6, 0.2, 0.2, 0}, {-0.5, 0.6, 0.2, 0}, {-0.5, 0.1, 0.4, 0}, {0, 0, 0, 0}};

static const int32_t right[WORDS] = {TITLE, TITLE, VENUE, OTHER};
static const int32_t other_way[WORDS] = {TITLE, TITLE, OTHER, VENUE};
static const int32_t unknown[WORDS] = {-1, -1, -1, -1};

typedef struct record {
  int64_t group;
  const scores *alone;
  const int32_t *gold;
  const char *words[WORDS];
} record;

#define LONG "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"

/* Group 0 gets better (3 errors to 1), 1 stays, 2 gets worse (none to 1), 3 was trained on; -7
 * has neither a name nor gold labels; 4 has one error in every record, alone and together. */
static const record records[] = {
    {0, &sure, right, {"Markov", "<b>fields</b>", "JMLR", "2001"}},
    {0, &sure, right, {"Tree", "kernels", "ICML", "&amp;"}},
    {0, &sure, right, {"\"Graph\"", "cuts'", "PAMI", "2004"}},
    {0, &swapped, right, {"Active", "learning", "JAIR", "1996"}},
    {0, &long_title, right, {"Skip", "chains", "Workshop", "2005"}},
    {1, &sure, right, {LONG LONG, "\xd0\xa6\xd0\xb5\xd0\xbf\xd0\xb8", "Venue", "2006"}},
    {2, &sure, right, {"One", "way", "Venue", "2007"}},
    {2, &sure, right, {"Same", "way", "Venue", "2008"}},
    {2, &sure, right, {"That", "way", "Venue", "2009"}},
    {2, &sure, right, {"This", "way", "Venue", "2010"}},
    {2, &swapped, other_way, {"Other", "way", "2011", "Venue"}},
    {3, &swapped, right, {"Trained", "on", "Venue", "2012"}},
    {-7, &sure, unknown, {"Nobody", "knows", "tab\there", "2013"}},
    {4, &doubtful, right, {"All", "alike", "Nature", "2014"}},
    {4, &doubtful, right, {"Just", "so", "Science", "2015"}},
    {4, &doubtful, right, {"As", "ever", "Cell", "2016"}},
    {4, &doubtful, right, {"(", "again", "Brain", "2017"}},
    {4, &doubtful, right, {"Once", ".", "Chaos", "2018"}},
    {4, &doubtful, right, {"For", "good", "Heart", "2019"}},
};
enum { RECORDS = sizeof records / sizeof *records };

static void check(chorale_status status, const chorale_error *error) {
  if (status == CHORALE_OK)
    return;
  fprintf(stderr, "%s: %s\n", chorale_status_name(status), error->message);
  exit(EXIT_FAILURE);
}

static void add_clique(chorale_model_builder *builder, const chorale_clique_setup *setup,
                       int64_t group, int64_t count) {
  chorale_error error;
  int64_t clique = 0;
  check(chorale_model_builder_add_cliques(builder, setup, 1, &clique, &error), &error);
  for (int64_t i = 0; i < count; ++i)
    if (records[i].group == group)
      check(put_chain(builder, clique, i, NULL, &error), &error);
}

static chorale_model *make_model(int64_t count) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_transitions *shared = NULL;
  check(chorale_model_builder_create(NULL, &builder, &error), &error);
  check(chorale_transitions_create(NULL, LABELS, transitions, NULL, &shared, &error), &error);
  for (int64_t i = 0; i < count; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = WORDS;
    chain.labels = LABELS;
    chain.unary = *records[i].alone;
    chain.transitions = shared;
    chorale_chain_options options = {.struct_size = sizeof options};
    options.group = records[i].group;
    check(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error), &error);
  }
  if (count > 0) { /* a chain without words */
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.labels = LABELS;
    check(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error), &error);
  }

  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = LABELS;
  chorale_property *after_title = NULL;
  check(chorale_property_create_next_label(NULL, &map, TITLE, NULL, CHORALE_SEGMENT_ENDS_AT_IGNORED,
                                           -1, &after_title, &error),
        &error);
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *agreement = NULL, *little = NULL;
  check(chorale_potential_create_potts(NULL, VALUES, 2.0, &scaled, &agreement, &error), &error);
  check(chorale_potential_create_potts(NULL, VALUES, 0.01, &scaled, &little, &error), &error);
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.property = after_title;
  setup.potential = agreement;
  for (int64_t group = 0; group <= 4 && count > 0; group += 2)
    add_clique(builder, &setup, group, count);
  setup.potential = little;
  if (count > 0)
    add_clique(builder, &setup, 2, count);
  chorale_model *model = NULL;
  check(chorale_model_builder_freeze(builder, &model, &error), &error);
  chorale_model_builder_destroy(builder);
  chorale_property_release(after_title);
  chorale_potential_release(agreement);
  chorale_potential_release(little);
  chorale_transitions_release(shared);
  return model;
}

static chorale_text text_of(const char *string) {
  const chorale_text text = {string, strlen(string)};
  return text;
}

static chorale_status set_note(chorale_problem *problem, const char *name, const char *text,
                               chorale_error *error) {
  return chorale_problem_set_note(problem, name, strlen(name), text, strlen(text), error);
}

static void set_texts(chorale_problem *problem, chorale_text_list list, const char *const *strings,
                      int64_t count) {
  chorale_error error;
  chorale_text texts[RECORDS * WORDS];
  for (int64_t i = 0; i < count; ++i)
    texts[i] = text_of(strings[i]);
  check(chorale_problem_set_texts(problem, list, texts, sizeof(chorale_text), count,
                                  &error), &error);
}

static void name_everything(chorale_problem *problem) {
  static const char *const labels[LABELS] = {"Title", "Venue", "Other", "Ti<u>"};
  static const char *const groups[] = {"<script>fail()</script> & Sons", "Steady \"page\"", LONG,
                                       "Trained", "wrong-throughout-2"};
  static const char *const kinds[] = {"label after <i>Title</i>"};
  const int32_t clique_kinds[] = {0, 0, 0, 0};
  const chorale_text_list clique_values[] = {CHORALE_TEXTS_LABELS, CHORALE_TEXTS_LABELS,
                                              CHORALE_TEXTS_LABELS, CHORALE_TEXTS_LABELS};
  const char *words[RECORDS * WORDS];
  int32_t gold[RECORDS * WORDS];
  for (int64_t i = 0; i < RECORDS; ++i)
    for (int64_t t = 0; t < WORDS; ++t) {
      words[i * WORDS + t] = records[i].words[t];
      gold[i * WORDS + t] = records[i].gold[t];
    }
  chorale_error error;
  set_texts(problem, CHORALE_TEXTS_LABELS, labels, LABELS);
  set_texts(problem, CHORALE_TEXTS_GROUPS, groups, 5);
  set_texts(problem, CHORALE_TEXTS_KINDS, kinds, 1);
  set_texts(problem, CHORALE_TEXTS_WORDS, words, RECORDS * WORDS);
  check(chorale_problem_set_gold(problem, gold, &error), &error);
  check(chorale_problem_set_cliques(problem, clique_kinds, clique_values, &error), &error);
  check(set_note(problem, "title", "A </title><b>check", &error),
        &error);
  check(set_note(problem, "training_groups", "3", &error),
        &error);
  check(set_note(problem, "Licence",
                 "</script></noscript><img src=x onerror=alert(1)>\xe2\x80\xa8<!--", &error),
        &error);
  check(set_note(problem, "learnt", "kind   gain\n<b>     +1.5", &error), &error);
}

static void save(const char *directory, const char *name, int64_t count, int named,
                 size_t note_bytes) {
  char path[4096];
  chorale_error error;
  chorale_problem *problem = NULL;
  chorale_model *model = make_model(count);
  check(chorale_problem_create(NULL, model, &problem, &error), &error);
  if (named)
    name_everything(problem);
  char *note = calloc(note_bytes + 1, 1);
  if (note == NULL)
    exit(EXIT_FAILURE);
  memset(note, ' ', note_bytes);
  if (note_bytes > 0) /* a note that the foot of a report leaves out */
    check(set_note(problem, "learnt.json", note, &error), &error);
  free(note);
  snprintf(path, sizeof path, "%s/%s.chorale", directory, name);
  check(chorale_problem_save(problem, path, &error), &error);
  chorale_problem_destroy(problem);
  chorale_model_release(model);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "Usage: make_problems DIRECTORY\n");
    return 2;
  }
  save(arguments[1], "named", RECORDS, 1, 0);
  save(arguments[1], "bare", RECORDS, 0, 0);
  save(arguments[1], "empty", 0, 0, 0);
  save(arguments[1], "large", RECORDS, 1, (size_t)65 << 20);
  return EXIT_SUCCESS;
}
