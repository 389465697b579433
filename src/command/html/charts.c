#include "charts.h"

#include "html.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Errors by page ----------------------------------------------------------------------- */

typedef struct bar {
  int64_t page;
  double base, together; /* shares of wrong tokens: without cliques, and in the result */
} bar;

static int worst_first(const void *a, const void *b) {
  const bar *left = a, *right = b;
  if (left->base != right->base)
    return left->base > right->base ? -1 : 1;
  if (left->together != right->together)
    return left->together > right->together ? -1 : 1;
  return left->page < right->page ? -1 : left->page > right->page;
}

/* Returns the distance between the lines of a scale from 0 to `top`: the least of 1, 2, 5, 10,
 * 20 ... times `unit` that divides the scale into at most five parts. */
static double step_below(double top, double unit) {
  static const double next[] = {2.0, 2.5, 2.0};
  double step = unit;
  for (int i = 0; top > 5 * step; ++i)
    step *= next[i % 3];
  return step;
}

enum { BARS_TOP = 18, BARS_HEIGHT = 220 };

static double bar_y(double share, double top) {
  return BARS_TOP + BARS_HEIGHT * (1.0 - share / top);
}

static void put_bar(FILE *to, const char *name, double x, double width, double share, double top) {
  const double y = bar_y(share, top);
  fprintf(to, "<rect class=\"%s\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"%.1f\" height=\"%.1f\"/>", name,
          x, width, y, BARS_TOP + BARS_HEIGHT - y);
}

/* Writes an attribute whose value describes the two bars of a page in words. */
static void put_told(FILE *to, const corpus *from, const summary *of, const bar *one,
                     const char *attribute) {
  char space[NAME_SPACE];
  const tally *counted = &of->pages[one->page];
  fprintf(to, " %s=\"", attribute);
  put_readable(to, page_name(from, one->page, space));
  fprintf(to,
          ": %.1f %% of tokens wrong alone, %.1f %% together (%" PRId64 " and %" PRId64
          " of %" PRId64 ")\"",
          100 * one->base, 100 * one->together, counted->own_errors, counted->errors,
          counted->known);
}

static void put_bars(FILE *to, const corpus *from, const summary *of, const bar *bars,
                     int64_t count, double top) {
  const double slot = 100.0 / (double)count;
  for (int64_t i = 0; i < count; ++i) {
    const double x = slot * (double)i;
    fprintf(to, "<a class=\"slot\" href=\"#p%" PRId64 "\"", bars[i].page);
    put_told(to, from, of, &bars[i], "data-tip");
    put_told(to, from, of, &bars[i], "aria-label");
    putc('>', to);
    fprintf(to, "<rect class=\"hit\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"%d\" height=\"%d\"/>", x,
            slot, BARS_TOP, BARS_HEIGHT);
    put_bar(to, "base", x + 0.12 * slot, 0.36 * slot, bars[i].base, top);
    put_bar(to, bars[i].together > bars[i].base ? "together worse" : "together", x + 0.5 * slot,
            0.36 * slot, bars[i].together, top);
    fputs("</a>\n", to);
  }
}

void put_error_chart(FILE *to, const corpus *from, const summary *of) {
  bar *bars = allocate(from->page_count, sizeof *bars);
  int64_t count = 0;
  double most = 0.0;
  for (int64_t p = 0; p < from->page_count; ++p) {
    const tally *counted = &of->pages[p];
    if (from->pages[p].training || counted->known == 0)
      continue;
    bar *fresh = &bars[count++];
    fresh->page = p;
    fresh->base = (double)counted->own_errors / (double)counted->known;
    fresh->together = (double)counted->errors / (double)counted->known;
    most = fmax(most, fmax(fresh->base, fresh->together));
  }
  qsort(bars, (size_t)count, sizeof *bars, worst_first);
  const double step = step_below(fmax(most, 0.01), 0.01);
  const double top = step * ceil(fmax(most, 0.01) / step);

  fputs("<figure class=\"chart\">\n<figcaption><b>Token errors, page by page.</b> "
        "<span class=\"swatch base\"></span>each record alone "
        "<span class=\"swatch together\"></span>together",
        to);
  if (of->worse > 0)
    fputs(" <span class=\"swatch worse\"></span>worse together", to);
  fprintf(to,
          "; the page most often mislabelled stands first.</figcaption>\n"
          "<svg class=\"bars\" width=\"100%%\" height=\"%d\" role=\"group\" aria-label=\"Bar chart\" "
          "data-top=\"%g\">\n",
          BARS_TOP + BARS_HEIGHT + 4, top);
  for (int i = 0; step * i <= top * 1.0001; ++i) {
    const double y = bar_y(step * i, top);
    fprintf(to, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    if (i > 0)
      fprintf(to, "<text class=\"axis end\" x=\"100%%\" y=\"%.1f\">%.0f %%</text>\n", y - 4,
              100 * step * i);
  }
  put_bars(to, from, of, bars, count, top);
  fputs("</svg>\n</figure>\n", to);
  free(bars);
}

/* ---- Score and bound ---------------------------------------------------------------------- */

typedef struct series {
  double *values;
  int64_t count;
} series;

enum { LINE_TOP = 18, LINE_HEIGHT = 150, LINE_BOTTOM = 22 };

static double line_y(double value, double low, double high) {
  return LINE_TOP + LINE_HEIGHT * (high - value) / (high - low);
}

/* Draws a series as a line, in a nested SVG element whose x runs from 0 to count - 1. */
static void put_line(FILE *to, const char *name, const series *of, double low, double high) {
  if (of->count < 1)
    return;
  const double last = of->count > 1 ? (double)(of->count - 1) : 1.0;
  fprintf(to,
          "<svg x=\"0\" y=\"0\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %.0f %d\" "
          "preserveAspectRatio=\"none\"><polyline class=\"%s\" points=\"",
          LINE_TOP + LINE_HEIGHT, last, LINE_TOP + LINE_HEIGHT, name);
  for (int64_t i = 0; i < of->count; ++i)
    if (isfinite(of->values[i]))
      fprintf(to, "%s%" PRId64 ",%.2f", i > 0 ? " " : "", i,
              line_y(fmin(fmax(of->values[i], low), high), low, high));
  if (of->count == 1) /* a single value is drawn as a horizontal line */
    fprintf(to, " 1,%.2f", line_y(of->values[0], low, high));
  fputs("\"/></svg>\n", to);
}

static void put_plot_open(FILE *to, const char *label) {
  fprintf(to, "<svg class=\"plot\" width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n",
          LINE_TOP + LINE_HEIGHT + LINE_BOTTOM, label);
  fprintf(to, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n",
          LINE_TOP + LINE_HEIGHT, LINE_TOP + LINE_HEIGHT);
}

static void put_mark(FILE *to, const char *name, double x, double y) {
  fprintf(to, "<circle class=\"%s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"3.5\"/>", name, x, y);
}

static void put_note(FILE *to, const char *anchor, double y, const char *what, double value) {
  fprintf(to, "<text class=\"axis %s\" x=\"%s\" y=\"%.1f\">%s ", anchor,
          anchor[0] == 'e' ? "100%" : "0", y, what);
  put_number(to, value, 2, 0);
  fputs("</text>\n", to);
}

static void put_rounds_plot(FILE *to, const inference *done, const series *scores) {
  const chorale_run_result *result = &done->result;
  double low = result->own_score, high = result->score;
  for (int64_t i = 0; i < scores->count; ++i)
    if (isfinite(scores->values[i]))
      low = fmin(low, scores->values[i]);
  if (high <= low)
    high = low + 1.0;
  put_plot_open(to, "Joint score by round");
  put_line(to, "line together", scores, low, high);
  const double last = scores->count > 1 ? (double)(scores->count - 1) : 1.0;
  for (int64_t i = 0; i < scores->count; ++i)
    if (isfinite(scores->values[i]))
      put_mark(to, "dot together", 100.0 * (double)i / last,
               line_y(fmax(scores->values[i], low), low, high));
  put_note(to, "end", LINE_TOP - 6.0, "best", result->score);
  put_note(to, "end", line_y(result->own_score, low, high) - 6.0, "alone", result->own_score);
  fprintf(to,
          "<text class=\"axis start\" x=\"0\" y=\"%d\">round 0</text>"
          "<text class=\"axis end\" x=\"100%%\" y=\"%d\">round %" PRId64 ", polish</text></svg>\n",
          LINE_TOP + LINE_HEIGHT + 16, LINE_TOP + LINE_HEIGHT + 16, result->rounds);
}

/* Draws the distance from the score to the bound, on a logarithmic scale, since a bound starts far
 * above the score and falls slowly. */
static void put_bound_plot(FILE *to, const inference *done, const series *bounds) {
  const double score = done->result.score;
  const double unit = fmax(1.0, fabs(score));
  const double least = 1e-6 * unit;
  series gaps;
  gaps.count = bounds->count;
  gaps.values = allocate(gaps.count, sizeof *gaps.values);
  double low = log10(least), high = low + 1.0;
  double closest = 1e300;
  for (int64_t i = 0; i < gaps.count; ++i) {
    gaps.values[i] = log10(fmax(bounds->values[i] - score, least));
    high = fmax(high, gaps.values[i]);
    closest = fmin(closest, gaps.values[i]);
  }
  low = floor(fmax(low, closest - 0.2));
  high = ceil(high);
  put_plot_open(to, "Upper bound less score by step, logarithmic");
  for (double power = low; power <= high; power += 1.0) {
    const double y = line_y(power, low, high);
    fprintf(to, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    fprintf(to, "<text class=\"axis end\" x=\"100%%\" y=\"%.1f\">%g</text>\n", y - 4,
            pow(10.0, power));
  }
  put_line(to, "line bound", &gaps, low, high);
  fprintf(to,
          "<text class=\"axis start\" x=\"0\" y=\"%d\">step 1</text>"
          "<text class=\"axis end\" x=\"100%%\" y=\"%d\">step %" PRId64 "</text></svg>\n",
          LINE_TOP + LINE_HEIGHT + 16, LINE_TOP + LINE_HEIGHT + 16, gaps.count);
  free(gaps.values);
}

void put_score_chart(FILE *to, const inference *done) {
  series scores = {allocate(done->moment_count + 1, sizeof(double)), 0};
  series bounds = {allocate(done->moment_count, sizeof(double)), 0};
  for (int64_t i = 0; i < done->moment_count; ++i) {
    const moment *at = &done->moments[i];
    if (isfinite(at->upper_bound))
      bounds.values[bounds.count++] = at->upper_bound;
    else
      scores.values[scores.count++] = at->score;
  }
  scores.values[scores.count++] = done->result.score; /* the end: after the polish */

  fputs(
      "<div class=\"pair\"><figure class=\"chart\"><figcaption><b>Joint score over the rounds.</b> "
      "What all records and all agreements are worth together; the last point is the "
      "polish.</figcaption>\n",
      to);
  put_rounds_plot(to, done, &scores);
  fputs("</figure>\n", to);
  if (bounds.count > 0) {
    fputs("<figure class=\"chart\"><figcaption><b>Room for better, at most.</b> The upper bound "
          "less the score, step by step, on a logarithmic scale: no labelling can gain "
          "more than this.</figcaption>\n",
          to);
    put_bound_plot(to, done, &bounds);
    fputs("</figure>\n", to);
  }
  fputs("</div>\n", to);
  free(scores.values);
  free(bounds.values);
}

/* ---- A label's F1 ------------------------------------------------------------------------- */

void put_f1_line(FILE *to, double base, double together, double low) {
  const char *kind = together < base ? "worse" : "together";
  const double base_x = 100 * (base - low) / (1 - low);
  const double together_x = 100 * (together - low) / (1 - low);
  fprintf(to,
          "<svg class=\"f1\" width=\"100%%\" height=\"16\" aria-hidden=\"true\">"
          "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"8\" y2=\"8\"/>"
          "<line class=\"span %s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"8\" y2=\"8\"/>",
          kind, base_x, together_x);
  fprintf(to, "<circle class=\"dot base\" cx=\"%.2f%%\" cy=\"8\" r=\"5\"/>", base_x);
  fprintf(to, "<circle class=\"dot %s\" cx=\"%.2f%%\" cy=\"8\" r=\"5\"/></svg>", kind, together_x);
}
