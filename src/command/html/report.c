#include "report.h"

#include "assets.h"
#include "data.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

char *load_library(const char *path) {
  size_t size = 0;
  char *script = read_file("--library", path, &size);
  /* Rejects a script that contains an end tag, since the browser would end the script element
   * there. */
  if (strlen(script) != size || strstr(script, "globalThis.libchorale") == NULL ||
      strstr(script, "</script") != NULL)
    stop(EXIT_BAD_INPUT, "--library is \"%s\"; it must be libchorale.embedded.js of bindings/js",
         path);
  return script;
}

/* Writes text with HTML markup escaped. */
static void put_text(FILE *to, chorale_text text) {
  for (size_t i = 0; i < text.length; ++i) {
    const char c = text.bytes[i];
    if (c == '&' || c == '<' || c == '>')
      fputs(c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;", to);
    else /* HTML allows no control characters, even if they are escaped */
      putc((unsigned char)c < 0x20 || c == 0x7f ? ' ' : c, to);
  }
}

/* ---- What is read without scripts ---------------------------------------------------------- */

static void put_label(FILE *to, const corpus *from, const char *before, int32_t label) {
  char space[NAME_SPACE];
  fputs(before, to);
  put_text(to, label >= 0 ? label_name(from, label, space) : text_of("left out"));
}

/* Writes a record as its words, with a label after each stretch of words whose labels are equal. */
static void put_record(FILE *to, const corpus *from, const inference *done, int64_t chain) {
  const int64_t begin = from->offsets[chain], end = from->offsets[chain + 1];
  const int32_t *own = done->own, *now = done->together, *gold = from->gold;
  fputs("<li>", to);
  for (int64_t t = begin; t < end; ++t) {
    char space[NAME_SPACE];
    const int64_t next = t + 1;
    put_text(to, space_before(from, chain, t - begin));
    put_text(to, word(from, chain, t - begin, space));
    if (next < end && own[t] == own[next] && now[t] == now[next] &&
        (gold == NULL || gold[t] == gold[next]))
      continue;
    if (own[t] != now[t])
      put_label(to, from, " [", own[t]);
    put_label(to, from, own[t] != now[t] ? " \xe2\x86\x92 " : " [", now[t]);
    if (gold != NULL && gold[t] >= 0 && gold[t] != now[t])
      put_label(to, from, ", gold: ", gold[t]);
    putc(']', to);
  }
  fputs("</li>\n", to);
}

static void put_plain(FILE *to, const settings *chosen, const corpus *from, const inference *done,
                      const shown *which) {
  fputs("<noscript>\n<h1>", to);
  put_text(to, title_of(chosen, from));
  fputs("</h1>\n<p>Without JavaScript this report is plain text. The label of words stands after "
        "them; before an arrow, the label that they get if their record is labelled alone.</p>\n",
        to);
  for (int64_t k = 0, last = -1; k < which->count; ++k) {
    char space[NAME_SPACE];
    const int64_t chain = which->chains[k];
    if (last != from->page_of[chain]) {
      last = from->page_of[chain];
      fputs(k > 0 ? "</ul>\n<h2>" : "<h2>", to);
      put_text(to, page_name(from, last, space));
      fputs("</h2>\n<ul>\n", to);
    }
    put_record(to, from, done, chain);
  }
  fputs(which->count > 0 ? "</ul>\n</noscript>\n" : "</noscript>\n", to);
}

/* ---- The file ------------------------------------------------------------------------------ */

static void put_asset(FILE *to, const char *before, asset which, const char *after) {
  fputs(before, to);
  if (which.size > 0)
    fwrite(which.bytes, 1, which.size, to);
  fputs(after, to);
}

void write_report(const settings *chosen, const corpus *from, const inference *done,
                  const summary *of, const char *library) {
  static const asset none = {NULL, 0};
  const int carried = library != NULL && problem_size(from) <= PROBLEM_CARRIED;
  const shown which = shown_of(from, done, of);
  FILE *to = open_output(chosen->output);
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>",
        to);
  put_text(to, title_of(chosen, from));
  put_asset(to, " \xe2\x80\x93 labelled together</title>\n<style>\n", asset_report_css, "");
  put_asset(to, "", carried ? asset_live_css : none, "</style>\n</head>\n<body>\n");
  put_plain(to, chosen, from, done, &which);
  fputs("<header><div id=\"headline\"></div><p id=\"answers\" role=\"status\">", to);
  fputs(carried ? "Corrections in the page need JavaScript and WebAssembly; without them it shows "
                  "the labels."
        : library == NULL ? "This report shows labels and does not take corrections: it was made "
                            "without --library."
                          : "This report shows labels and does not take corrections: its problem "
                            "file has more than 64 MB.", to); /* PROBLEM_CARRIED */
  put_asset(to, "</p></header>\n", asset_report_html,
            "<script type=\"application/json\" id=\"data\">\n");
  put_data(to, chosen, from, done, of, &which, carried);
  put_asset(to, "</script>\n<script>\n", asset_labelling_js, "</script>\n<script>\n");
  put_asset(to, "", asset_view_js, "</script>\n<script>\n");
  put_asset(to, "", asset_report_js, "</script>\n");
  if (carried) {
    fprintf(to, "<script>\n%s</script>\n", library);
    put_asset(to, "<script>\n", asset_live_js, "</script>\n");
  }
  fputs("</body>\n</html>\n", to);
  close_output(to, chosen->output);
  free(which.chains);
}
