/* One reference string, cut into its fields.
 *
 * A small tagger, written by hand, scores every token of a real reference for six kinds of fields.
 * Labels are B- (begins a field), I- (continues it) and O. The chain adds what the tagger cannot
 * see: a mask that allows only well-formed BIO sequences, and the usual order of fields. Printed
 * are the best labelling, the margin of each token (how much its label scores above the second-best
 * label), and the next best labellings.
 */
#include <chorale/chorale.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tokens[] = {
    "Rahul",   "Gupta",    ",",         "Sunita",     "Sarawagi",   ",",   "Ajit",       "A",
    ".",       "Diwan",    ".",         "Collective", "Inference",  "for", "Extraction", "MRFs",
    "Coupled", "with",     "Symmetric", "Clique",     "Potentials", ".",   "Journal",    "of",
    "Machine", "Learning", "Research",  ",",          "11",         ":",   "3097",       "-",
    "3135",    ",",        "2010",      "."};

enum { TOKENS = sizeof tokens / sizeof tokens[0], KINDS = 6, LABELS = 1 + 2 * KINDS, RANKED = 4 };
enum { AUTHOR, TITLE, VENUE, VOLUME, PAGES, YEAR };

static const char *const kind_names[KINDS] = {"Author", "Title", "Venue",
                                              "Volume", "Pages", "Year"};
static const char *const labels[LABELS] = {"O",       "B-Author", "I-Author", "B-Title",  "I-Title",
                                           "B-Venue", "I-Venue",  "B-Volume", "I-Volume", "B-Pages",
                                           "I-Pages", "B-Year",   "I-Year"};

static void stop(const char *what, const chorale_error *error) {
  fprintf(stderr, "%s: %s: %s\n", what, chorale_status_name(error->status), error->message);
  exit(EXIT_FAILURE);
}

static int is_one_of(const char *token, const char *words) {
  const char *at = strstr(words, token);
  return at && (at == words || at[-1] == ' ') &&
         (at[strlen(token)] == ' ' || at[strlen(token)] == '\0');
}

/* Returns the tagger's score for token t to be in a field of `kind`; kind -1: in no field. */
static double token_score(int t, int kind) {
  const char *token = tokens[t];
  const double place = (double)t / TOKENS;
  const size_t length = strlen(token);
  if (ispunct((unsigned char)token[0])) {
    const double inside[KINDS] = {0.6, -0.5, -0.5, -1, token[0] == '-' ? 1.5 : -1, -2};
    return kind < 0 ? 1 : inside[kind];
  }
  if (isdigit((unsigned char)token[0])) {
    const int is_year = length == 4 && (token[0] == '1' || token[0] == '2') && token[1] <= '9';
    const double number[KINDS] = {
        -3, -1, -1, length < 3 ? 1.5 : 0, length > 2 ? 1.2 : 0.4, is_year ? 1.6 : -2};
    return kind < 0 ? -1 : number[kind];
  }
  const int is_capital = isupper((unsigned char)token[0]) != 0;
  const int is_venue =
      is_one_of(token, "Journal Proceedings Transactions Machine Research Letters");
  const double word[KINDS] = {(is_capital ? 1 : -1.5) + 1.2 * (0.4 - place),
                              0.8 + (is_capital ? 0 : 0.3) - 0.8 * (place - 0.45) * (place - 0.45),
                              (is_venue ? 1.6 : 0) + 0.9 * (place - 0.3),
                              -2,
                              -3,
                              -4};
  return kind < 0 ? -0.5 : word[kind];
}

/* Returns the score of label `after` directly after label `before`, without the mask. Long fields
 * and fields in the usual order score more. */
static double follow_score(int before, int after) {
  const int is_begin = after % 2 == 1;
  const int kind_before = (before - 1) / 2;
  const int kind_after = (after - 1) / 2;
  if (after == 0)
    return -0.2;
  if (!is_begin)
    return 0.6;
  if (before == 0)
    return -0.4;
  return kind_after == kind_before ? -1.5 : kind_after == kind_before + 1 ? 0.1 : -1.0;
}

static void print_fields(const int32_t *labelling) {
  for (int t = 0; t < TOKENS; ++t) {
    const int label = labelling[t];
    if (label == 0)
      continue;
    if (label % 2 == 1)
      printf("%s[%s", t > 0 ? " " : "", kind_names[(label - 1) / 2]);
    printf(" %s", tokens[t]);
    if (t + 1 == TOKENS || labelling[t + 1] == 0 || labelling[t + 1] % 2 == 1)
      printf("]");
  }
  printf("\n");
}

int main(void) {
  chorale_error error;

  /* Finds which label may follow which, from the names of the labels. */
  uint8_t mask[LABELS * LABELS], start[LABELS], end[LABELS];
  if (chorale_scheme_mask(CHORALE_SCHEME_BIO, labels, NULL, LABELS, mask, start, end, &error))
    stop("mask", &error);

  double follow[LABELS][LABELS];
  for (int x = 0; x < LABELS; ++x)
    for (int y = 0; y < LABELS; ++y)
      follow[x][y] = follow_score(x, y);
  chorale_transitions_options options = {.struct_size = sizeof options};
  options.mask = mask;
  options.start_mask = start;
  options.end_mask = end;
  chorale_transitions *transitions = NULL;
  if (chorale_transitions_create(NULL, LABELS, follow, &options, &transitions, &error))
    stop("transitions", &error);

  /* Adds a bonus to labels that begin a field after a full stop. */
  double unary[TOKENS][LABELS];
  for (int t = 0; t < TOKENS; ++t)
    for (int y = 0; y < LABELS; ++y)
      unary[t][y] = token_score(t, y == 0 ? -1 : (y - 1) / 2) +
                    (y % 2 == 1 && t > 0 && tokens[t - 1][0] == '.' ? 1.2 : 0);

  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = TOKENS;
  chain.labels = LABELS;
  chain.unary = unary;
  chain.transitions = transitions;

  chorale_chain_solver *solver = NULL;
  if (chorale_chain_solver_create(NULL, &solver, &error))
    stop("solver", &error);
  int32_t best[TOKENS];
  double margins[TOKENS];
  chorale_chain_result result = {.struct_size = sizeof result};
  if (chorale_chain_max_marginals(solver, &chain, NULL, 0, NULL, margins, best, &result, &error))
    stop("max-marginals", &error);

  printf("token         label      margin\n");
  for (int t = 0; t < TOKENS; ++t)
    printf("%-12s  %-9s  %6.2f  %.*s\n", tokens[t], labels[best[t]], margins[t],
           (int)(margins[t] * 8 < 30 ? margins[t] * 8 : 30), "##############################");
  printf("\nThe fields (score %.2f):\n  ", result.score);
  print_fields(best);

  int32_t ranked[RANKED][TOKENS];
  double scores[RANKED];
  int64_t found = 0;
  if (chorale_chain_k_best(solver, &chain, RANKED, ranked[0], TOKENS, scores, &found, &error))
    stop("k best", &error);
  printf("\nThe runners-up, and where they differ:\n");
  for (int64_t j = 1; j < found; ++j) {
    printf("  %.2f less:", scores[0] - scores[j]);
    for (int t = 0; t < TOKENS; ++t)
      if (ranked[j][t] != best[t])
        printf(" %s is %s", tokens[t], labels[ranked[j][t]]);
    printf("\n");
  }

  chorale_chain_solver_destroy(solver);
  chorale_transitions_release(transitions);
  return EXIT_SUCCESS;
}
