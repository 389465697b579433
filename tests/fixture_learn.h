/* Shared by the tests of learning: calls that must succeed. */
#ifndef CHORALE_TESTS_FIXTURE_LEARN_H
#define CHORALE_TESTS_FIXTURE_LEARN_H

#include "fixture.h"

/* Learns from one problem. */
chorale_learnt *learn(const chorale_problem *problem, const chorale_learn_options *options);
chorale_learnt_report report_of(const chorale_learnt *learnt);
/* Returns the text of a result, to be freed by the caller. */
char *text_of(const chorale_learnt *learnt, chorale_text_form form);
/* Labels a problem with `positions` positions under what was learnt. Writes the label of every
 * position, and to `alone` those of the scores alone (NULL: not wanted). */
void label_under(const chorale_learnt *learnt, const chorale_problem *problem, int64_t positions,
                 int32_t *together, int32_t *alone);

#endif
