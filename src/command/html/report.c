#include "report.h"

#include "assets.h"
#include "carried.h"
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

/* How much the report shows, so that browsers still scroll smoothly: the greatest numbers of words
 * and pages, and how many pages are open at first. */
enum { TOKENS_SHOWN = 60000, PAGES_SHOWN = 400, PAGES_OPEN = 3 };

typedef struct report {
  FILE *to;
  const settings *chosen;
  const corpus *from;
  const inference *done;
  const summary *of;
  palette colours;
  const char *library; /* script of the library for browsers; NULL: no corrections in the report */
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
  if (r->library != NULL)
    fwrite(asset_live_css, 1, asset_live_css_size, r->to);
  put_palette(r->to, &r->colours);
  fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#pages\">Skip to the pages</a>\n",
        r->to);
}

/* ---- The headline ------------------------------------------------------------------------- */

static int has_label(const report *r, const char *name) {
  for (int64_t label = 0; label < r->from->labels; ++label)
    if (same_text(text_in(r->from->problem, CHORALE_TEXTS_LABELS, label), text_of(name)))
      return 1;
  return 0;
}

/* Returns 1 if the label names are those of bibliographic references. */
static int has_references(const report *r) {
  return has_label(r, "Author") && has_label(r, "Title");
}

static void put_headline(const report *r) {
  const tally *all = &r->of->all;
  const double reduction = error_reduction(all);
  fputs("<header>\n<p class=\"eyebrow\">", r->to);
  put_text(r->to, title_of(r));
  fputs("</p>\n<h1>", r->to);
  if (all->known > 0 && reduction != 0.0) {
    fputs("Read together, ", r->to);
    put_counted(r->to, r->of->better + r->of->equal + r->of->worse, "page has", "pages have");
    fprintf(r->to, " <em class=\"%s\" data-figure=\"reduction\">%.0f&nbsp;%% %s</em> labelling errors.",
            reduction > 0 ? "gain" : "loss", 100 * fabs(reduction),
            reduction > 0 ? "fewer" : "more");
  } else {
    fputs("Read together, ", r->to);
    put_counted(r->to, r->of->test_pages, "page changes", "pages change");
    fputs(" <em data-figure=\"changed-first\">", r->to);
    put_counted(r->to, all->changed, "label", "labels");
    fputs("</em>.", r->to);
  }
  fputs("</h1>\n", r->to);
  if (all->records > 0) {
    fprintf(r->to, "<p class=\"entirely\">%s entirely right: <b>",
            has_references(r) ? "References" : "Records");
    put_count(r->to, all->own_right);
    fputs("</b> to <b data-figure=\"right\">", r->to);
    put_count(r->to, all->right);
    fputs("</b> of ", r->to);
    put_count(r->to, all->records);
    fputs(".</p>\n", r->to);
  }
  fputs("<p class=\"lead\">Alone, every record gets the labels that its own tagger scores "
        "best. Together, the records of a page are labelled so that they also agree with each "
        "other, and the sum of all scores and agreements is as high as it can be made.</p>\n",
        r->to);
  fputs("<p id=\"answers\" role=\"status\">", r->to);
  if (r->library != NULL)
    fputs("Corrections in the page need JavaScript and WebAssembly; without them it shows the "
          "labels.", r->to);
  else if (r->chosen->library != NULL)
    fprintf(r->to, "This report shows labels and does not take corrections: its problem file has "
            "more than %d MB.", PROBLEM_CARRIED >> 20);
  else
    fputs("This report shows labels and does not take corrections: it was made without "
          "--library.", r->to);
  fputs("</p>\n</header>\n<main>\n", r->to);
}

/* Writes how much of the gain a control without agreement reaches, if a note of the problem file
 * ("learnt.json" or "control") says so. The control is the same model with potentials that prefer
 * some values but reward no agreement. */
static void put_control(const report *r) {
  const chorale_text learnt = note(r->from, "learnt.json"), control = note(r->from, "control");
  chorale_learnt *held = NULL;
  if (learnt.length > 0 &&
      chorale_learnt_read(NULL, learnt.bytes, learnt.length, &held, NULL) == CHORALE_OK) {
    chorale_error error;
    chorale_learnt_report told;
    chorale_learnt_report_init(&told, sizeof told);
    check(chorale_learnt_get_report(held, &told, &error), &error);
    chorale_learnt_destroy(held);
    if (told.control_accuracy <= 0.0) /* of 0.2, whose report is not read */
      return;
    fputs("<p>How much of the gain is owed to agreement? On the lists that it was learnt from, "
          "each held out in turn, of 100 labels ", r->to);
    put_number(r->to, 100.0 * told.tagger_accuracy, 1, 0);
    fputs(" were right alone, ", r->to);
    put_number(r->to, 100.0 * told.control_accuracy, 1, 0);
    fputs(" with the control, which prefers values without looking at other records, and ", r->to);
    put_number(r->to, 100.0 * told.agreeing_accuracy, 1, 0);
    fputs(" together.</p>\n", r->to);
  } else if (control.length > 0) {
    fputs("<p>How much of the gain is owed to agreement? The control: ", r->to);
    put_text(r->to, control);
    fputs("</p>\n", r->to);
  }
}

typedef struct confusion {
  int64_t count;
  int32_t gold, said;
} confusion;

/* Writes how many words have the right label only in the result (together), and how many have it
 * only without cliques (alone). Of the words that are right only alone, writes which right labels
 * the result most often replaces by which wrong ones. */
static void put_losses(const report *r) {
  const corpus *from = r->from;
  if (from->gold == NULL || r->of->all.known == 0)
    return;
  confusion *all = allocate(from->labels * from->labels, sizeof *all);
  int64_t words = 0, mended = 0;
  for (int64_t chain = 0; chain < from->chain_count; ++chain) {
    if (from->pages[from->page_of[chain]].training)
      continue;
    for (int64_t t = from->offsets[chain]; t < from->offsets[chain + 1]; ++t) {
      const int32_t gold = from->gold[t], own = r->done->own[t], said = r->done->together[t];
      mended += gold >= 0 && own != gold && said == gold;
      if (gold < 0 || own != gold || said == gold)
        continue;
      confusion *here = &all[gold * from->labels + said];
      here->gold = gold;
      here->said = said;
      ++here->count;
      ++words;
    }
  }
  fputs("<p data-figure=\"losses\">Of the words that were wrong alone, ", r->to);
  put_counted(r->to, mended, "is", "are");
  fputs(" right together; of those that were right alone, ", r->to);
  put_counted(r->to, words, "is", "are");
  fputs(" wrong together", r->to);
  for (int k = 0; k < 3 && words > 0; ++k) {
    int64_t most = 0;
    char space[NAME_SPACE];
    for (int64_t i = 1; i < from->labels * from->labels; ++i)
      if (all[i].count > all[most].count)
        most = i;
    if (all[most].count == 0)
      break;
    fputs(k == 0 ? ": most of them " : ", ", r->to);
    put_text(r->to, label_name(from, all[most].gold, space));
    fputs(" taken for ", r->to);
    put_text(r->to, label_name(from, all[most].said, space));
    fprintf(r->to, " (%" PRId64 ")", all[most].count);
    all[most].count = 0;
  }
  fputs(".</p>\n", r->to);
  if (words > 0)
    fputs("<p>Such a record rightly differs from its list, or most of the list is wrong: agreement "
          "pulls it to what the others show.</p>\n", r->to);
  free(all);
}

static void put_figures(const report *r) {
  const summary *of = r->of;
  const chorale_run_result *result = &r->done->result;
  fputs("<section>\n<h2>In numbers</h2>\n<dl class=\"figures\">\n", r->to);
  if (of->all.known > 0) {
    fputs("<div><dt>Token errors</dt><dd>", r->to);
    put_count(r->to, of->all.own_errors);
    fputs(" <span>\xe2\x86\x92</span> <b data-figure=\"errors\">", r->to);
    put_count(r->to, of->all.errors);
    fputs("</b></dd><dd class=\"small\">of ", r->to);
    put_count(r->to, of->all.known);
    fputs(" tokens</dd></div>\n<div><dt>Token ", r->to);
    put_term(r->to, TERM_F1, "F1");
    fputs("</dt><dd>", r->to);
    put_number(r->to, 100 * f1(of->own_sum), 1, 0);
    fputs(" <span>\xe2\x86\x92</span> ", r->to);
    fputs("<b data-figure=\"f1\">", r->to);
    put_number(r->to, 100 * f1(of->together_sum), 1, 0);
    fputs("</b></dd><dd class=\"small\">micro average", r->to);
    if (of->left_out >= 0) {
      char space[NAME_SPACE];
      fputs(" without ", r->to);
      put_text(r->to, label_name(r->from, of->left_out, space));
    }
    fputs("</dd></div>\n<div><dt>Pages better</dt><dd data-figure=\"better\">", r->to);
    put_count(r->to, of->better);
    fputs("</dd><dd class=\"small\"><span data-figure=\"equal\">", r->to);
    put_count(r->to, of->equal);
    fputs("</span> equal, <span data-figure=\"worse\">", r->to);
    put_count(r->to, of->worse);
    fputs("</span> worse</dd></div>\n", r->to);
  } else {
    fputs("<div><dt>Labels changed</dt><dd data-figure=\"changed\">", r->to);
    put_count(r->to, of->all.changed);
    fputs("</dd><dd class=\"small\">of ", r->to);
    put_count(r->to, of->all.tokens);
    fputs(" tokens</dd></div>\n<div><dt>Records changed</dt><dd data-figure=\"changed-records\">",
          r->to);
    put_count(r->to, of->all.changed_chains);
    fputs("</dd><dd class=\"small\">of ", r->to);
    put_count(r->to, of->all.chains);
    fputs("</dd></div>\n<div><dt>Joint score</dt><dd data-figure=\"score\">", r->to);
    put_number(r->to, result->score - result->own_score, 1, 1);
    fputs("</dd><dd class=\"small\">over the records alone</dd></div>\n", r->to);
  }
  fputs("</dl>\n", r->to);
  put_control(r);
  put_losses(r);
  fputs("</section>\n", r->to);
}

/* ---- Charts and tables -------------------------------------------------------------------- */

static int is_seen(const summary *of, int64_t label) {
  return of->together[label].gold + of->own[label].said + of->together[label].said > 0;
}

/* Returns the F1 at the left end of the lines in the table: the greatest multiple of 0.1 that is at
 * most 0.9 and at most the F1 of every label. */
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
  fputs("<section>\n<h2>Label by label</h2>\n", r->to);
  fprintf(r->to, "<table class=\"labels\" data-low=\"%.1f\">", low);
  fputs("<thead><tr><th scope=\"col\">Label</th><th scope=\"col\" class=\"wide\">Tokens</th>"
        "<th scope=\"col\">Alone</th><th scope=\"col\">Together</th><th scope=\"col\">Gain</th>"
        "<th scope=\"col\" class=\"line\">Token ", r->to);
  put_term(r->to, TERM_F1, "F1");
  fprintf(r->to, ", %.0f to 100</th></tr></thead>\n<tbody>\n", 100 * low);
  for (int64_t label = 0; label <= r->from->labels; ++label) {
    const int total = label == r->from->labels;
    const counts own = total ? of->own_sum : of->own[label];
    const counts together = total ? of->together_sum : of->together[label];
    char space[NAME_SPACE];
    if (!total && !is_seen(of, label))
      continue;
    fprintf(r->to, "<tr%s data-row=\"%" PRId64 "\"><th scope=\"row\">",
            total ? " class=\"total\"" : "", label);
    put_text(r->to, total ? text_of("All") : label_name(r->from, label, space));
    fputs("</th><td class=\"wide\">", r->to);
    put_count(r->to, own.gold);
    fputs("</td><td>", r->to);
    put_number(r->to, 100 * f1(own), 1, 0);
    fputs("</td><td>", r->to);
    put_number(r->to, 100 * f1(together), 1, 0);
    fprintf(r->to, "</td><td class=\"%s\">",
            f1(together) < f1(own) ? "loss" : f1(together) > f1(own) ? "gain" : "");
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
  fputs("<section id=\"found\">\n<h2>How it was found</h2>\n", r->to);
  put_score_chart(r->to, r->done);
  fputs("<dl class=\"facts\">\n", r->to);
  put_fact(r->to, "Score alone", result->own_score, 2);
  put_fact(r->to, "Score together", result->score, 2);
  if (isfinite(result->upper_bound)) {
    fputs("<div><dt>", r->to);
    put_term(r->to, TERM_BOUND, "Upper bound");
    fputs("</dt><dd>", r->to);
    put_number(r->to, result->upper_bound, 2, 0);
    fputs("</dd></div>\n", r->to);
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
  put_count(r->to, r->from->clique_count);
  putc(' ', r->to);
  put_term(r->to, TERM_CLIQUE, r->from->clique_count == 1 ? "clique" : "cliques");
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
  put_readable(r->to, page_name(r->from, p, space));
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

  account room = {r->from, r->done, r->of->left_out, TOKENS_SHOWN};
  fputs("<div>\n<div class=\"tools\">", r->to);
  put_legend(r->to, r->from, &r->colours);
  fputs("</div>\n", r->to);
  if (count > 0 && r->of->pages[order[0].page].changed > 0) {
    char space[NAME_SPACE];
    fputs("<section>\n<h2>Before and after: ", r->to);
    put_readable(r->to, page_name(r->from, order[0].page, space));
    fputs("</h2>\n", r->to);
    put_example(r->to, &room, order[0].page);
    fputs("</section>\n", r->to);
  }
  fputs("<section id=\"pages\">\n<h2>Page by page</h2>\n<p>Point at a changed word, tap it, or move "
        "to it with the tabulator key to see what changed it.</p>\n"
        "<label class=\"sort\" hidden>Order <select>",
        r->to);
  if (has_gold)
    fputs("<option value=\"gain\">most errors removed first</option>"
          "<option value=\"loss\">most errors added first</option>",
          r->to);
  fputs("<option value=\"changed\">most changed first</option>", r->to);
  fputs("<option value=\"rank\">as in the file</option></select></label>\n"
        "<div id=\"list\">\n",
        r->to);

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
  fputs("</section>\n</div>\n", r->to);
  free(order);
}

/* Writes a text. A text of several lines may be a table, so its blanks are kept and it is set in a
 * fixed-width font. */
static void put_lines(FILE *to, chorale_text text) {
  const int is_table = memchr(text.bytes, '\n', text.length) != NULL;
  if (is_table)
    fputs("<span class=\"table\">", to);
  for (size_t begin = 0, end = 0; begin <= text.length; begin = end + 1) {
    for (end = begin; end < text.length && text.bytes[end] != '\n';)
      ++end;
    const chorale_text line = {text.bytes + begin, end - begin};
    put_text(to, line);
    if (end < text.length)
      fputc('\n', to);
  }
  if (is_table)
    fputs("</span>", to);
}

static void put_foot(const report *r) {
  fputs("</main>\n<footer>\n", r->to);
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
    if (same_text(name, text_of("title")) || same_text(name, text_of("training_groups")) ||
        same_text(name, text_of("learnt.json")) || same_text(name, text_of("control")))
      continue;
    fputs("<div><dt>", r->to);
    put_text(r->to, name);
    fputs("</dt><dd>", r->to);
    put_lines(r->to, text_of_note(r->from->problem, i));
    fputs("</dd></div>\n", r->to);
  }
  fprintf(r->to,
          "</dl>\n<p>Made by Chorale %s from one problem file.</p>\n</footer>\n"
          "<div id=\"tip\" role=\"tooltip\" hidden></div>\n<script>\n",
          chorale_version());
  fwrite(asset_report_js, 1, asset_report_js_size, r->to);
  fputs("</script>\n<script>\n", r->to);
  fwrite(asset_bibtex_js, 1, asset_bibtex_js_size, r->to);
  fputs("</script>\n", r->to);
  if (r->library != NULL) {
    put_problem(r->to, r->chosen, r->from, r->done, r->of->left_out);
    fputs("<script>\n", r->to);
    fputs(r->library, r->to);
    fputs("</script>\n<script>\n", r->to);
    fwrite(asset_labelling_js, 1, asset_labelling_js_size, r->to);
    fputs("</script>\n<script>\n", r->to);
    fwrite(asset_view_js, 1, asset_view_js_size, r->to);
    fputs("</script>\n<script>\n", r->to);
    fwrite(asset_live_js, 1, asset_live_js_size, r->to);
    fputs("</script>\n", r->to);
  }
  fputs("</body>\n</html>\n", r->to);
}

void write_report(const settings *chosen, const corpus *from, const inference *done,
                  const summary *of, const char *library) {
  report r = {fopen(chosen->output, "wb"), chosen, from, done, of, {0, 0, NULL}, NULL};
  if (r.to == NULL)
    stop(EXIT_SYSTEM, "--output is \"%s\", which cannot be written: %s", chosen->output,
         strerror(errno));
  if (library != NULL && problem_size(from) <= PROBLEM_CARRIED)
    r.library = library;
  r.colours = palette_of(from, of->left_out);
  put_head(&r);
  put_headline(&r);
  put_pages(&r);
  put_figures(&r);
  if (of->all.known > 0) {
    fputs("<section>\n<h2>Where the errors go</h2>\n", r.to);
    put_error_chart(r.to, from, of);
    fputs("</section>\n", r.to);
    put_labels(&r);
  }
  put_inference(&r);
  put_glossary(r.to);
  put_foot(&r);
  palette_free(&r.colours);
  const int failed = ferror(r.to);
  if (fclose(r.to) != 0 || failed)
    stop(EXIT_SYSTEM, "--output is \"%s\", which could not be written to its end", chosen->output);
}
