/* Five references of one author's page, labelled together.
 *
 * A tagger has scored the words of every reference as Title, Venue or Other. In three references
 * the label after the title is Venue. In the fourth the tagger labels the word after the title, a
 * year, as Other; in the fifth it lets the title go on over the venue. But all references of a page
 * are written alike, so the label after the title should be the same in all of them. One clique
 * over this property of the five chains, with a Potts potential that rewards agreement, changes the
 * labels of the last two; the reasons say why.
 */
#include <chorale/chorale.h>

#include <stdio.h>
#include <stdlib.h>

enum { CHAINS = 5, WORDS = 4, LABELS = 3, VALUES = 4 };
enum { TITLE, VENUE, OTHER };

static const char *const labels[LABELS] = {"Title", "Venue", "Other"};
static const char *const shown[VALUES + 2] = {"Title",   "Venue",    "Other",
                                              "nothing", "no title", "different things"};

static const char *const words[CHAINS][WORDS] = {
    {"Markov", "fields", "JMLR", "2001"},   {"Tree", "kernels", "ICML", "2003"},
    {"Graph", "cuts", "PAMI", "2004"},      {"Active", "learning", "1996", "JAIR"},
    {"Skip", "chains", "Workshop", "2005"},
};

/* The log-scores of the tagger, by reference, word and label. */
static const double scores[CHAINS][WORDS][LABELS] = {
    {{3.0, 0.2, 0.4}, {2.6, 0.4, 0.3}, {0.3, 2.8, 0.5}, {0.1, 0.6, 2.9}},
    {{2.8, 0.3, 0.2}, {2.5, 0.9, 0.2}, {0.4, 2.4, 0.6}, {0.1, 0.4, 2.7}},
    {{2.9, 0.1, 0.5}, {2.2, 0.8, 0.4}, {0.2, 2.6, 0.7}, {0.2, 0.5, 2.8}},
    {{2.7, 0.4, 0.3}, {2.4, 0.6, 0.5}, {0.4, 1.0, 2.2}, {0.3, 2.1, 0.9}},
    {{2.6, 0.3, 0.4}, {2.3, 0.5, 0.6}, {1.9, 1.6, 0.4}, {0.2, 0.7, 2.4}},
};

/* Scores of label y (column) after label x (row), greatest for a label that goes on. */
static const double transitions[LABELS][LABELS] = {
    {0.6, 0.2, 0.2}, {-0.5, 0.6, 0.2}, {-0.5, 0.1, 0.4}};

static void stop(const chorale_error *error) {
  fprintf(stderr, "%s: %s\n", chorale_status_name(error->status), error->message);
  exit(EXIT_FAILURE);
}

static void print_labels(const int32_t *of) {
  for (int t = 0; t < WORDS; ++t)
    printf(" %-6s", labels[of[t]]);
}

int main(void) {
  chorale_error error;
  chorale_transitions *shared = NULL;
  if (chorale_transitions_create(NULL, LABELS, transitions, NULL, &shared, &error))
    stop(&error);

  /* The property: the label after the title, or VALUES - 1 if the reference ends with the title. */
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = LABELS;
  chorale_property *after_title = NULL;
  if (chorale_property_create_next_label(NULL, &map, TITLE, NULL, CHORALE_SEGMENT_ENDS_AT_IGNORED,
                                         VALUES - 1, &after_title, &error))
    stop(&error);

  /* (lambda / n) sum_v n_v^2. References without a title, and conflicts, add to no count. */
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *agreement = NULL;
  if (chorale_potential_create_potts(NULL, VALUES, 2.0, &scaled, &agreement, &error))
    stop(&error);

  chorale_model_builder *builder = NULL;
  if (chorale_model_builder_create(NULL, &builder, &error))
    stop(&error);
  for (int i = 0; i < CHAINS; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = WORDS;
    chain.labels = LABELS;
    chain.unary = scores[i];
    chain.transitions = shared;
    if (chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error))
      stop(&error);
  }
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.property = after_title;
  setup.potential = agreement;
  int64_t clique = 0;
  if (chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error))
    stop(&error);
  static const int64_t offsets[] = {0, CHAINS}, records[CHAINS] = {0, 1, 2, 3, 4};
  chorale_members members = {.struct_size = sizeof members};
  members.first = clique;
  members.cliques = 1;
  members.offsets = offsets;
  members.chains = records;
  if (chorale_model_builder_add_members(builder, &members, &error))
    stop(&error);
  chorale_model *model = NULL;
  if (chorale_model_builder_freeze(builder, &model, &error))
    stop(&error);
  chorale_model_builder_destroy(builder);

  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 200;
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  if (chorale_run_create(NULL, model, &options, NULL, &run, &error) ||
      chorale_run_solve(run, &result, &error))
    stop(&error);

  for (int i = 0; i < CHAINS; ++i) {
    int32_t alone[WORDS], together[WORDS];
    chorale_reason reason;
    int64_t reasons = 0;
    if (chorale_run_labels(run, i, CHORALE_ALONE, alone, WORDS, NULL, &error) ||
        chorale_run_labels(run, i, CHORALE_TOGETHER, together, WORDS, NULL, &error) ||
        chorale_run_reasons(run, i, &reason, sizeof(chorale_reason), 1, &reasons, &error))
      stop(&error);
    for (int t = 0; t < WORDS; ++t)
      printf("%s%s", words[i][t], t + 1 < WORDS ? " " : "\n");
    printf("    alone   ");
    print_labels(alone);
    printf("\n    together");
    print_labels(together);
    printf("\n");
    if (reasons > 0)
      printf("    changed: %s follows the title now, not %s, by which the clique gains %.2f\n",
             shown[reason.value], shown[reason.own_value], reason.amount);
  }
  printf("score %.4f = chains %.4f + agreement %.4f, alone %.4f\nupper bound %.4f: %s\n",
         result.score, result.chain_score, result.clique_score, result.own_score,
         result.upper_bound, result.proven ? "proven optimal" : "not proven");

  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_potential_release(agreement);
  chorale_property_release(after_title);
  chorale_transitions_release(shared);
  return EXIT_SUCCESS;
}
