/* Charts as SVG that stretch with the page: x coordinates are percentages, text keeps its size. */
#ifndef CHORALE_COMMAND_CHARTS_H
#define CHORALE_COMMAND_CHARTS_H

#include "summary.h"

#include <stdio.h>

/* Writes a bar chart of the share of wrong tokens on every page with gold labels: for each page one
 * bar for the labels without cliques ("base") and one for those of the run ("collective"), in
 * descending order of the first. Each bar links to its page: "#p" and the number of the page. */
void put_error_chart(FILE *to, const corpus *from, const summary *of);

/* Writes the joint score by round, and the upper bound by step if one was computed. */
void put_score_chart(FILE *to, const inference *done);

/* Draws a line from `low` to 1 with two marks, the F1 of a label without cliques (base) and in the
 * result (together). */
void put_f1_line(FILE *to, double base, double together, double low);

#endif
