#include "corpus.h"

#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct placed {
  int64_t group, chain;
} placed;

static int by_group(const void *a, const void *b) {
  const placed *left = a, *right = b;
  if (left->group != right->group)
    return left->group < right->group ? -1 : 1;
  return left->chain < right->chain ? -1 : left->chain > right->chain;
}

/* Returns 1 if `list`, the text of the note "training_groups", contains the number of the group.
 * The numbers are separated by commas. */
static int is_listed(chorale_text list, int64_t group) {
  char digits[24];
  chorale_text number;
  snprintf(digits, sizeof digits, "%" PRId64, group);
  while (next_name(&list, &number))
    if (same_text(number, text_of(digits)))
      return 1;
  return 0;
}

static void make_pages(corpus *to, placed *order) {
  const chorale_text training = note(to, "training_groups");
  qsort(order, (size_t)to->chain_count, sizeof *order, by_group);
  to->pages = allocate(to->chain_count, sizeof *to->pages);
  for (int64_t i = 0; i < to->chain_count; ++i) {
    if (i == 0 || order[i].group != order[i - 1].group) {
      page *fresh = &to->pages[to->page_count++];
      fresh->group = order[i].group;
      fresh->first = i;
      fresh->training = is_listed(training, order[i].group);
    }
    to->pages[to->page_count - 1].records += 1;
    to->chains[i] = order[i].chain;
    to->page_of[order[i].chain] = to->page_count - 1;
  }
}

corpus corpus_of(const char *path) {
  corpus made;
  memset(&made, 0, sizeof made);
  made.problem = load(path);
  made.model = chorale_problem_model(made.problem);
  made.gold = chorale_problem_gold(made.problem);
  made.chain_count = chorale_model_chain_count(made.model);
  made.clique_count = chorale_model_clique_count(made.model);
  made.chains = allocate(made.chain_count, sizeof *made.chains);
  made.page_of = allocate(made.chain_count, sizeof *made.page_of);
  made.offsets = allocate(made.chain_count + 1, sizeof *made.offsets);

  placed *order = allocate(made.chain_count, sizeof *order);
  for (int64_t i = 0; i < made.chain_count; ++i) {
    chorale_error error;
    chorale_chain chain;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    check(chorale_model_get_chain(made.model, i, &chain, &options, &error), &error);
    order[i].group = options.group;
    order[i].chain = i;
    made.offsets[i + 1] = made.offsets[i] + chain.length;
    if (chain.labels > made.labels)
      made.labels = chain.labels;
  }
  made.positions = made.offsets[made.chain_count];
  make_pages(&made, order);
  free(order);
  return made;
}

void corpus_free(corpus *from) {
  chorale_problem_destroy(from->problem);
  free(from->chains);
  free(from->page_of);
  free(from->offsets);
  free(from->pages);
}

/* ---- Names -------------------------------------------------------------------------------- */

static chorale_text numbered(const char *what, int64_t number, char space[NAME_SPACE]) {
  snprintf(space, NAME_SPACE, "%s%" PRId64, what, number);
  return text_of(space);
}

chorale_text page_name(const corpus *from, int64_t page_index, char space[NAME_SPACE]) {
  const int64_t group = from->pages[page_index].group;
  const chorale_text name = text_in(from->problem, CHORALE_TEXTS_GROUPS, group);
  return name.length > 0 ? name : numbered("Group ", group, space);
}

chorale_text label_name(const corpus *from, int64_t label, char space[NAME_SPACE]) {
  const chorale_text name = text_in(from->problem, CHORALE_TEXTS_LABELS, label);
  return name.length > 0 ? name : numbered("Label ", label, space);
}

chorale_text word(const corpus *from, int64_t chain, int64_t position, char space[NAME_SPACE]) {
  if (chorale_problem_text_count(from->problem, CHORALE_TEXTS_WORDS) > 0)
    return text_in(from->problem, CHORALE_TEXTS_WORDS,
                                from->offsets[chain] + position);
  chorale_error error;
  chorale_chain scores;
  chorale_chain_options options;
  scores = (chorale_chain){.struct_size = sizeof scores};
  options = (chorale_chain_options){.struct_size = sizeof options};
  check(chorale_model_get_chain(from->model, chain, &scores, &options, &error), &error);
  if (options.tokens == NULL || options.tokens[position] < 0)
    return numbered("", position, space);
  const int32_t token = options.tokens[position];
  const chorale_text name = text_in(from->problem, CHORALE_TEXTS_TOKENS, token);
  return name.length > 0 ? name : numbered("#", token, space);
}

chorale_text space_before(const corpus *from, int64_t chain, int64_t position) {
  if (chorale_problem_text_count(from->problem, CHORALE_TEXTS_SPACES) > 0)
    return text_in(from->problem, CHORALE_TEXTS_SPACES,
                                from->offsets[chain] + position);
  return text_of(position > 0 ? " " : "");
}

chorale_text clique_name(const corpus *from, int64_t clique, char space[NAME_SPACE]) {
  const int32_t kind = chorale_problem_clique_kind(from->problem, clique);
  chorale_text name = {NULL, 0};
  if (kind >= 0)
    name = text_in(from->problem, CHORALE_TEXTS_KINDS, kind);
  if (name.length == 0)
    name = text_in(from->problem, CHORALE_TEXTS_CLIQUES, clique);
  return name.length > 0 ? name : numbered("Clique ", clique, space);
}

chorale_text note(const corpus *from, const char *name) {
  const chorale_text none = {NULL, 0};
  const int64_t notes = chorale_problem_text_count(from->problem, CHORALE_TEXTS_NOTES);
  for (int64_t i = 0; i < notes; ++i)
    if (same_text(text_in(from->problem, CHORALE_TEXTS_NOTE_NAMES, i), text_of(name)))
      return text_in(from->problem, CHORALE_TEXTS_NOTES, i);
  return none;
}
