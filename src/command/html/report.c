#include "report.h"

#include "assets.h"
#include "charts.h"
#include "html.h"
#include "reasons.h"
#include "records.h"
#include "support.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a browser still scrolls smoothly. */
enum { TOKENS_SHOWN = 60000, PAGES_SHOWN = 400, PAGES_OPEN = 3 };

typedef struct report {
  FILE *to;
  const settings *chosen;
  const corpus *from;
  const inference *done;
  const summary *of;
  palette colours;
} report;

static chorale_text title_of(const report *r) {
  const chorale_text title = note(r->from, "title");
  if (title.length > 0)
    return title;
  const char *path = r->chosen->files[0], *slash = strrchr(path, '/');
  return text_of(slash != NULL ? slash + 1 : path);
}

static void put_head(const report *r) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>",
        r->to);
  put_text(r->to, title_of(r));
  fputs(" \xe2\x80\x93 labelled together</title>\n<style>\n", r->to);
  fwrite(asset_report_css, 1, asset_report_css_size, r->to);
  put_palette(r->to, &r->colours);
  fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#pages\">Skip to the pages</a>\n",
        r->to);
}

/* ---- The headline ------------------------------------------------------------------------- */

static void put_headline(const report *r) {
  const tally *all = &r->of->all;
  const double reduction = error_reduction(all);
  fputs("<header>\n<p class=\"eyebrow\">", r->to);
  put_text(r->to, title_of(r));
  fputs("</p>\n<h1>", r->to);
  if (all->known > 0 && reduction != 0.0) {
    fputs("Read together, ", r->to);
    put_counted(r->to, r->of->better + r->of->equal + r->of->worse, "page has", "pages have");
    fprintf(r->to, " <em>%.0f&nbsp;%% %s</em> labelling errors.", 100 * fabs(reduction),
            reduction > 0 ? "fewer" : "more");
  } else {
    fputs("Read together, ", r->to);
    put_counted(r->to, r->of->test_pages, "page changes", "pages change");
    fputs(" <em>", r->to);
    put_counted(r->to, all->changed, "label", "labels");
    fputs("</em>.", r->to);
  }
  fputs("</h1>\n<p class=\"lead\">Alone, every record gets the labels that its own tagger scores "
        "best. Together, the records of a page are labelled so that they also agree with each "
        "other, and the sum of all scores and agreements is as high as it can be made.</p>\n",
        r->to);
}

static void put_figures(const report *r) {
  const summary *of = r->of;
  const chorale_run_result *result = &r->done->result;
  fputs("<dl class=\"figures\">\n", r->to);
  if (of->all.known > 0) {
    fputs("<div><dt>Token errors</dt><dd>", r->to);
    put_count(r->to, of->all.own_errors);
    fputs(" <span>\xe2\x86\x92</span> ", r->to);
    put_count(r->to, of->all.errors);
    fputs("</dd><dd class=\"small\">of ", r->to);
    put_count(r->to, of->all.known);
    fputs(" tokens</dd></div>\n<div><dt>Token F1</dt><dd>", r->to);
    put_number(r->to, 100 * f1(of->own_sum), 1, 0);
    fputs(" <span>\xe2\x86\x92</span> ", r->to);
    put_number(r->to, 100 * f1(of->together_sum), 1, 0);
    fputs("</dd><dd class=\"small\">micro average", r->to);
    if (of->left_out >= 0) {
      char space[NAME_SPACE];
      fputs(" without ", r->to);
      put_text(r->to, label_name(r->from, of->left_out, space));
    }
    fputs("</dd></div>\n<div><dt>Pages better</dt><dd>", r->to);
    put_count(r->to, of->better);
    fputs("</dd><dd class=\"small\">", r->to);
    put_count(r->to, of->equal);
    fputs(" equal, ", r->to);
    put_count(r->to, of->worse);
    fputs(" worse</dd></div>\n", r->to);
  } else {
    fputs("<div><dt>Labels changed</dt><dd>", r->to);
    put_count(r->to, of->all.changed);
    fputs("</dd><dd class=\"small\">of ", r->to);
    put_count(r->to, of->all.tokens);
    fputs(" tokens</dd></div>\n<div><dt>Records changed</dt><dd>", r->to);
    put_count(r->to, result->changed_chains);
    fputs("</dd><dd class=\"small\">of ", r->to);
    put_count(r->to, r->from->chain_count);
    fputs("</dd></div>\n<div><dt>Joint score</dt><dd>", r->to);
    put_number(r->to, result->score - result->own_score, 1, 1);
    fputs("</dd><dd class=\"small\">over the records alone</dd></div>\n", r->to);
  }
  fputs("</dl>\n</header>\n<main>\n", r->to);
}

/* ---- Charts and tables -------------------------------------------------------------------- */

static int is_seen(const summary *of, int64_t label) {
  return of->together[label].gold + of->own[label].said + of->together[label].said > 0;
}

/* Where the lines of the table begin: the tenth below every F1. */
static double lowest_f1(const report *r) {
  double low = 0.9;
  for (int64_t label = 0; label < r->from->labels; ++label)
    if (is_seen(r->of, label))
      low = fmin(low, fmin(f1(r->of->own[label]), f1(r->of->together[label])));
  return floor(10 * low) / 10;
}

static void put_labels(const report *r) {
  const summary *of = r->of;
  const double low = lowest_f1(r);
  fputs("<section>\n<h2>Label by label</h2>\n<table class=\"labels\"><thead><tr><th scope=\"col\">"
        "Label</th><th scope=\"col\" class=\"wide\">Tokens</th><th scope=\"col\">Alone</th>"
        "<th scope=\"col\">Together</th><th scope=\"col\">Gain</th><th scope=\"col\" "
        "class=\"line\">",
        r->to);
  fprintf(r->to, "Token F1, %.0f to 100</th></tr></thead>\n<tbody>\n", 100 * low);
  for (int64_t label = 0; label <= r->from->labels; ++label) {
    const int total = label == r->from->labels;
    const counts own = total ? of->own_sum : of->own[label];
    const counts together = total ? of->together_sum : of->together[label];
    char space[NAME_SPACE];
    if (!total && !is_seen(of, label))
      continue;
    fputs(total ? "<tr class=\"total\"><th scope=\"row\">" : "<tr><th scope=\"row\">", r->to);
    put_text(r->to, total ? text_of("All") : label_name(r->from, label, space));
    fputs("</th><td class=\"wide\">", r->to);
    put_count(r->to, own.gold);
    fputs("</td><td>", r->to);
    put_number(r->to, 100 * f1(own), 1, 0);
    fputs("</td><td>", r->to);
    put_number(r->to, 100 * f1(together), 1, 0);
    fprintf(r->to, "</td><td class=\"%s\">", f1(together) < f1(own) ? "loss" : "gain");
    put_number(r->to, 100 * (f1(together) - f1(own)), 1, 1);
    fputs("</td><td class=\"line\">", r->to);
    put_f1_line(r->to, f1(own), f1(together), low);
    fputs("</td></tr>\n", r->to);
  }
  fputs("</tbody></table>\n</section>\n", r->to);
}

static void put_fact(FILE *to, const char *name, double value, int digits) {
  fprintf(to, "<div><dt>%s</dt><dd>", name);
  put_number(to, value, digits, 0);
  fputs("</dd></div>\n", to);
}

static void put_inference(const report *r) {
  const chorale_run_result *result = &r->done->result;
  fputs("<section>\n<h2>How it was found</h2>\n", r->to);
  put_score_chart(r->to, r->done);
  fputs("<dl class=\"facts\">\n", r->to);
  put_fact(r->to, "Score alone", result->own_score, 2);
  put_fact(r->to, "Score together", result->score, 2);
  if (isfinite(result->upper_bound)) {
    put_fact(r->to, "Upper bound", result->upper_bound, 2);
    fputs("<div><dt>Gap</dt><dd>", r->to);
    put_number(r->to, 100 * result->gap / fmax(1.0, fabs(result->score)), 3, 0);
    fprintf(r->to, "&nbsp;%%%s</dd></div>\n", result->proven ? ", proven optimal" : "");
  }
  fprintf(r->to, "<div><dt>Rounds</dt><dd>%" PRId64 ", %s</dd></div>\n", result->rounds,
          outcome_name(result->outcome));
  fprintf(r->to, "<div><dt>Time</dt><dd>%.2f&nbsp;s, ", r->done->seconds);
  put_counted(r->to, r->chosen->threads, "thread", "threads");
  fputs("</dd></div>\n<div><dt>Size</dt><dd>", r->to);
  put_counted(r->to, r->from->chain_count, "record", "records");
  fputs(", ", r->to);
  put_counted(r->to, r->from->positions, "token", "tokens");
  fputs(", ", r->to);
  put_counted(r->to, r->from->clique_count, "clique", "cliques");
  fputs("</dd></div>\n", r->to);
  if (r->chosen->strength != 1.0)
    put_fact(r->to, "Strength", r->chosen->strength, 3);
  if (r->chosen->properties != NULL) {
    fputs("<div><dt>Properties</dt><dd>", r->to);
    put_text(r->to, text_of(r->chosen->properties));
    fputs("</dd></div>\n", r->to);
  }
  fputs("</dl>\n</section>\n", r->to);
}

/* ---- Pages -------------------------------------------------------------------------------- */

typedef struct ranked {
  int64_t page, merit;
} ranked;

static int best_first(const void *a, const void *b) {
  const ranked *left = a, *right = b;
  if (left->merit != right->merit)
    return left->merit > right->merit ? -1 : 1;
  return left->page < right->page ? -1 : left->page > right->page;
}

static void put_page_open(const report *r, int64_t p, int open, int64_t rank) {
  const tally *counted = &r->of->pages[p];
  char space[NAME_SPACE];
  fprintf(r->to,
          "<details class=\"page\" id=\"p%" PRId64 "\"%s data-changed=\"%" PRId64
          "\" data-gain=\"%" PRId64 "\" data-rank=\"%" PRId64 "\"><summary><h3>",
          p, open ? " open" : "", counted->changed, counted->own_errors - counted->errors, rank);
  put_text(r->to, page_name(r->from, p, space));
  fputs("</h3><span class=\"small\">", r->to);
  put_counted(r->to, r->from->pages[p].records, "record", "records");
  fputs(", ", r->to);
  put_counted(r->to, counted->changed, "token", "tokens");
  fputs(" changed", r->to);
  if (counted->known > 0)
    fprintf(r->to, ", %" PRId64 " \xe2\x86\x92 %" PRId64 " errors", counted->own_errors,
            counted->errors);
  fputs("</span>", r->to);
  if (counted->known > 0) {
    const int64_t gain = counted->own_errors - counted->errors;
    fprintf(r->to, "<span class=\"badge %s\">", gain > 0 ? "better" : gain < 0 ? "worse" : "equal");
    if (gain == 0)
      fputs("equal", r->to);
    else
      put_number(r->to, (double)-gain, 0, 1);
    fputs("</span>", r->to);
  }
  fputs("</summary>\n", r->to);
}

static void put_pages(const report *r) {
  ranked *order = allocate(r->from->page_count, sizeof *order);
  const int has_gold = r->of->all.known > 0;
  int64_t count = 0;
  for (int64_t p = 0; p < r->from->page_count; ++p)
    if (!r->from->pages[p].training) {
      const tally *counted = &r->of->pages[p];
      order[count].page = p;
      order[count++].merit = has_gold ? counted->own_errors - counted->errors : counted->changed;
    }
  qsort(order, (size_t)count, sizeof *order, best_first);

  fputs(
      "<section id=\"pages\">\n<h2>Page by page</h2>\n<p>Point at a changed word, tap it, or move "
      "to it with the tabulator key to see what changed it.</p>\n<div class=\"tools\">",
      r->to);
  put_legend(r->to, r->from, &r->colours);
  fputs("<label class=\"sort\" hidden>Order <select>", r->to);
  if (has_gold)
    fputs("<option value=\"gain\">most errors removed first</option>"
          "<option value=\"loss\">most errors added first</option>",
          r->to);
  fputs("<option value=\"changed\">most changed first</option>", r->to);
  fputs("<option value=\"rank\">as in the file</option></select></label></div>\n"
        "<div id=\"list\">\n",
        r->to);

  account room = {r->from, r->done, r->of->left_out, TOKENS_SHOWN};
  int64_t shown = 0;
  for (; shown < count && shown < PAGES_SHOWN && room.room > 0; ++shown) {
    const int64_t p = order[shown].page;
    put_page_open(r, p, shown < PAGES_OPEN, p);
    put_agreements(r->to, r->from, r->done, p);
    put_records(r->to, &room, p);
    fputs("</details>\n", r->to);
  }
  fputs("</div>\n", r->to);
  if (shown < count) {
    fputs("<p class=\"small\">", r->to);
    put_counted(r->to, count - shown, "more page is", "more pages are");
    fputs(" not shown: the report would grow too large.</p>\n", r->to);
  }
  fputs("</section>\n</main>\n", r->to);
  free(order);
}

static void put_foot(const report *r) {
  fputs("<footer>\n", r->to);
  if (r->of->training_pages > 0) {
    fputs("<p>", r->to);
    put_counted(r->to, r->of->training_pages, "page", "pages");
    fputs(" that the tagger was trained on are left out of all figures but the joint score.</p>\n",
          r->to);
  }
  fputs("<dl class=\"notes\">\n", r->to);
  const int64_t notes = chorale_problem_note_count(r->from->problem);
  for (int64_t i = 0; i < notes; ++i) {
    const chorale_text name = name_of_note(r->from->problem, i);
    if (same_text(name, text_of("title")) || same_text(name, text_of("training_groups")))
      continue;
    fputs("<div><dt>", r->to);
    put_text(r->to, name);
    fputs("</dt><dd>", r->to);
    put_text(r->to, text_of_note(r->from->problem, i));
    fputs("</dd></div>\n", r->to);
  }
  fprintf(r->to,
          "</dl>\n<p>Made by Chorale %s from one problem file.</p>\n</footer>\n"
          "<div id=\"tip\" role=\"tooltip\" hidden></div>\n<script>\n",
          chorale_version());
  fwrite(asset_report_js, 1, asset_report_js_size, r->to);
  fputs("</script>\n</body>\n</html>\n", r->to);
}

void write_report(const settings *chosen, const corpus *from, const inference *done,
                  const summary *of) {
  report r = {fopen(chosen->output, "wb"), chosen, from, done, of, {0, 0, NULL}};
  if (r.to == NULL)
    stop(EXIT_SYSTEM, "--output is \"%s\", which cannot be written: %s", chosen->output,
         strerror(errno));
  r.colours = palette_of(from, of->left_out);
  put_head(&r);
  put_headline(&r);
  put_figures(&r);
  if (of->all.known > 0) {
    fputs("<section>\n<h2>Where the errors go</h2>\n", r.to);
    put_error_chart(r.to, from, of);
    fputs("</section>\n", r.to);
    put_labels(&r);
  }
  put_pages(&r);
  put_inference(&r);
  put_foot(&r);
  palette_free(&r.colours);
  const int failed = ferror(r.to);
  if (fclose(r.to) != 0 || failed)
    stop(EXIT_SYSTEM, "--output is \"%s\", which could not be written to its end", chosen->output);
}
