/* Charts as SVG that stretch with the page: x coordinates are percentages, text keeps its size. */
#ifndef CHORALE_COMMAND_CHARTS_H
#define CHORALE_COMMAND_CHARTS_H

#include "summary.h"

#include <stdio.h>

/* Writes the share of wrong tokens on every page with gold labels, base beside collective, in
 * descending order of the base's share. Each bar links to its page, "#p" and its number in the
 * corpus. */
void put_error_chart(FILE *to, const corpus *from, const summary *of);

/* Writes the joint score by round, and the upper bound by step if one was computed. */
void put_score_chart(FILE *to, const inference *done);

/* Writes the F1 of a label on a line from `low` to 1: that of the base and the collective one. */
void put_f1_line(FILE *to, double base, double together, double low);

#endif
