/* Charts as SVG. They stretch with the page: what is along x is in percent, text keeps its size. */
#ifndef CHORALE_COMMAND_CHARTS_H
#define CHORALE_COMMAND_CHARTS_H

#include "summary.h"

#include <stdio.h>

/* Share of wrong tokens of every page with gold labels, base beside collective, the page that the
 * base gets most wrong first. Bars lead to the page, "#p" and its number in the corpus. */
void put_error_chart(FILE *to, const corpus *from, const summary *of);

/* Joint score by round, and the upper bound by step where there is one. */
void put_score_chart(FILE *to, const inference *done);

/* Token F1 of a label on a line from `low` to 1: the base's and the collective one. */
void put_f1_line(FILE *to, double base, double together, double low);

#endif
