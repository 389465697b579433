/* Labels the chains of a problem file together, says what that changed, and writes a report.
 *
 * Made for lists of publications: a page keeps one citation style, so its records agree on what
 * comes first, what stands before the title and what follows it, even where the tagger that scored
 * them does not know the style.
 */
#include "corpus.h"
#include "inference.h"
#include "options.h"
#include "report.h"
#include "summary.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>

int main(int count, char **arguments) {
  const settings chosen = settings_from(count, arguments);

  check_writable(chosen.output);
  fprintf(stderr, "Loading %s\n", chosen.problem);
  chorale_problem *problem = NULL;
  chorale_error error;
  check(chorale_problem_load(NULL, chosen.problem, &problem, &error), &error);
  corpus all = corpus_of(problem);

  fprintf(stderr,
          "Labelling %" PRId64 " chains on %" PRId64 " pages together, %" PRId64 " cliques\n",
          all.chain_count, all.page_count, all.clique_count);
  inference done = infer(&all, &chosen);
  summary figures = summarise(&all, &done);
  print_summary(&all, &done, &figures);

  fprintf(stderr, "Writing %s\n", chosen.output);
  write_report(&chosen, &all, &done, &figures);
  printf("Report         %s\n", chosen.output);

  summary_free(&figures);
  inference_free(&done);
  corpus_free(&all);
  chorale_problem_destroy(problem);
  return 0;
}
