/* Charts as SVG that stretch with the page: x coordinates are percentages, text keeps its size. */
#ifndef CHORALE_COMMAND_CHARTS_H
#define CHORALE_COMMAND_CHARTS_H

#include "summary.h"

#include <stdio.h>

/* Writes a bar chart of the share of wrong tokens on every page with gold labels. Each page has one
 * bar for the labels without cliques ("base") and one for the labels of the run ("together"); pages
 * are in descending order of the first bar. The bars of a page link to it by "#p" and the page's
 * number. */
void put_error_chart(FILE *to, const corpus *from, const summary *of);

/* Writes a chart of the joint score by round. If a bound was computed, also writes a chart of the
 * distance from the score to the upper bound by step. */
void put_score_chart(FILE *to, const inference *done);

/* Draws a line from `low` to 1 with two marks, the F1 of a label without cliques (base) and in the
 * result (together). */
void put_f1_line(FILE *to, double base, double together, double low);

#endif
