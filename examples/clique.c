/* Eight mentions of one name, labelled together.
 *
 * A tagger has scored every mention of "Washington" in a document by itself. Six look like a place,
 * two look a little more like a person. One clique over the eight mentions, with a Potts potential
 * that rewards agreement, labels them together; its max-marginals say how sure each label is.
 */
#include <chorale/chorale.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MENTIONS = 8, LABELS = 3 };

static const char *const labels[LABELS] = {"Place", "Person", "Team"};

static const char *const contexts[MENTIONS] = {
    "the mayor of Washington said on Monday", "flew from Washington to Oslo",
    "Washington was born in Virginia",        "the snow that closed Washington",
    "a bridge in Washington, 1932",           "Washington would not comment",
    "Washington won in the last minute",      "the Washington Monument",
};

/* The log-scores of the tagger: a row for each mention, a column for each label. */
static const double scores[MENTIONS][LABELS] = {
    {2.1, 0.3, 0.2}, {2.6, 0.1, 0.4}, {0.2, 3.9, 0.1}, {2.2, 0.2, 0.5},
    {2.4, 0.4, 0.1}, {1.0, 1.4, 0.6}, {0.6, 0.3, 1.1}, {1.9, 1.1, 0.2},
};

static void stop(const char *what, const chorale_error *error) {
  fprintf(stderr, "%s: %s: %s\n", what, chorale_status_name(error->status), error->message);
  exit(EXIT_FAILURE);
}

static int best_of(const double *row) {
  int best = 0;
  for (int v = 1; v < LABELS; ++v)
    if (row[v] > row[best])
      best = v;
  return best;
}

int main(void) {
  chorale_error error;

  /* (lambda / n) sum_v n_v^2: one more mention that agrees is worth about 2 lambda n_v / n. */
  chorale_potential_options agreement = {.struct_size = sizeof agreement};
  agreement.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = NULL;
  if (chorale_potential_create_potts(NULL, LABELS, 0.9, &agreement, &potts, &error))
    stop("potential", &error);

  chorale_clique_solver *solver = NULL;
  if (chorale_clique_solver_create(NULL, &solver, &error))
    stop("solver", &error);

  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = MENTIONS;
  problem.values = LABELS;
  problem.scores = &scores[0][0];
  problem.row_stride = LABELS;

  /* gap 0 requests a proof that no labelling scores higher. */
  chorale_clique_options options = {.struct_size = sizeof options};
  options.prove = 1;

  int32_t label[MENTIONS];
  chorale_clique_result result = {.struct_size = sizeof result};
  if (chorale_clique_solve(solver, potts, &problem, &options, label, &result, &error))
    stop("solve", &error);

  options.exact_marginals = 1;
  double marginal[MENTIONS][LABELS];
  if (chorale_clique_max_marginals(solver, potts, &problem, &options, &marginal[0][0], LABELS, NULL,
                                   NULL, &error))
    stop("max-marginals", &error);

  printf("%-42s %-8s %-10s %s\n", "mention", "alone", "together", "lost by the next best label");
  for (int i = 0; i < MENTIONS; ++i) {
    const int alone = best_of(scores[i]);
    double next = -INFINITY;
    for (int v = 0; v < LABELS; ++v)
      if (v != label[i] && marginal[i][v] > next)
        next = marginal[i][v];
    printf("%-42s %-8s %-8s %s %.2f\n", contexts[i], labels[alone], labels[label[i]],
           alone == label[i] ? " " : "*", marginal[i][label[i]] - next);
  }
  printf("\nscore %.4f = mentions %.4f + agreement %.4f, upper bound %.4f: %s (%s)\n", result.score,
         result.member_score, result.clique_score, result.upper_bound,
         result.proven ? "proven optimal" : "not proven", chorale_algorithm_name(result.algorithm));

  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potts);
  return EXIT_SUCCESS;
}
