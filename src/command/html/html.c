#include "html.h"

#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void put_text(FILE *to, chorale_text text) {
  for (size_t i = 0; i < text.length; ++i) {
    const char c = text.bytes[i];
    switch (c) {
    case '&':
      fputs("&amp;", to);
      break;
    case '<':
      fputs("&lt;", to);
      break;
    case '>':
      fputs("&gt;", to);
      break;
    case '"':
      fputs("&quot;", to);
      break;
    default: /* HTML allows no control characters, even if they are escaped */
      fputc((unsigned char)c < 0x20 || c == 0x7f ? ' ' : c, to);
    }
  }
}

static int is_small(char c) { return c >= 'a' && c <= 'z'; }

void put_readable(FILE *to, chorale_text name) {
  size_t letters = 0, small = 0, digits = 0, hyphens = 0;
  for (size_t i = 0; i < name.length; ++i) {
    const char c = name.bytes[i];
    letters += (size_t)(is_small(c) && digits + hyphens == 0);
    small += (size_t)is_small(c);
    digits += (size_t)(c >= '0' && c <= '9');
    hyphens += (size_t)(c == '-' && i > 0 && i + 1 < name.length && name.bytes[i - 1] != '-');
  }
  const int is_key = letters > 1 && digits == 4 && letters + digits == name.length;
  const int is_slug = letters > 1 && small + digits + hyphens == name.length &&
                      (digits == 0 || hyphens > 0);
  if (!is_key && !is_slug) {
    put_text(to, name);
    return;
  }
  fputc(name.bytes[0] - 'a' + 'A', to);
  for (size_t i = 1; i < name.length; ++i) {
    if (is_key && i == letters)
      fputc(' ', to);
    fputc(name.bytes[i] == '-' ? ' ' : name.bytes[i], to);
  }
}

typedef struct explained {
  const char *id, *name, *text;
} explained;

static const explained glossary[TERMS] = {
    {"f1", "F1",
     "How well a label is found, from 0 to 100: the harmonic mean of the share of words with the "
     "label that were found, and of the share of words found that have it. 100 is without error."},
    {"gold", "Gold label", "The right label of a word, as a person or the maker of the data says."},
    {"clique", "Clique", "Records or words that ought to agree, as those of one page on one thing."},
    {"bound", "Upper bound",
     "A score that no labelling at all can exceed. If the labels shown come close to it, little or "
     "nothing better can be found with these scores and agreements."},
    {"sure", "How sure",
     "How probable the labels of changed words are, by the scores and what the other records show; "
     "of several words, that of the least probable. \xe2\x89\x88 stands before an estimate."},
};

void put_term(FILE *to, term which, const char *text) {
  const explained *is = &glossary[which];
  fprintf(to, "<a class=\"term\" href=\"#term-%s\" data-tip=\"%s\">%s</a>", is->id, is->text,
          text);
}

void put_glossary(FILE *to) {
  fputs("<section>\n<h2>Glossary</h2>\n<dl class=\"notes\">\n", to);
  for (int i = 0; i < TERMS; ++i)
    fprintf(to, "<div id=\"term-%s\"><dt>%s</dt><dd>%s</dd></div>\n", glossary[i].id,
            glossary[i].name, glossary[i].text);
  fputs("</dl>\n</section>\n", to);
}

void put_count(FILE *to, int64_t number) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%" PRId64, number);
  for (int i = 0; i < length; ++i) {
    if (i > (number < 0) && (length - i) % 3 == 0)
      fputc(',', to);
    fputc(digits[i], to);
  }
}

void put_number(FILE *to, double number, int digits, int with_sign) {
  const double half = 0.5 * pow(10.0, -digits);
  if (fabs(number) < half)
    number = 0.0; /* so that "-0.0" is not written */
  if (number < 0)
    fputs("\xe2\x88\x92", to);
  else if (with_sign && number > 0)
    fputc('+', to);
  fprintf(to, "%.*f", digits, fabs(number));
}

void put_counted(FILE *to, int64_t number, const char *one, const char *many) {
  put_count(to, number);
  fprintf(to, " %s", number == 1 ? one : many);
}

/* ---- Labels ------------------------------------------------------------------------------- */

static int is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

static int is_taken(const palette *of, int64_t before, const char *tag) {
  for (int64_t label = 0; label < before; ++label)
    if (strcmp(of->tags[label], tag) == 0)
      return 1;
  return 0;
}

/* Makes the tag of a label, two letters that are shown in place of its name: the first letter of
 * the name and the first later letter that makes the tag unique. If there is no such letter, the
 * tag is the number of the label. A prefix as in B-Title is not counted as part of the name. */
static void make_tag(palette *of, int64_t label, chorale_text name) {
  const char *bytes = name.bytes;
  size_t length = name.length;
  if (length > 2 && (bytes[1] == '-' || bytes[1] == '_')) {
    bytes += 2;
    length -= 2;
  }
  char *tag = of->tags[label];
  for (size_t i = 1; i < length; ++i) {
    if (!is_letter(bytes[0]) || !is_letter(bytes[i]))
      continue;
    tag[0] = bytes[0];
    tag[1] = bytes[i];
    tag[2] = '\0';
    if (!is_taken(of, label, tag))
      return;
  }
  snprintf(tag, sizeof of->tags[0], "%d", (int)(label % 1000000));
}

palette palette_of(const corpus *from, int64_t left_out) {
  palette made;
  made.labels = from->labels;
  made.left_out = left_out;
  made.tags = allocate(from->labels, sizeof *made.tags);
  for (int64_t label = 0; label < from->labels; ++label) {
    if (label != left_out)
      make_tag(&made, label, text_in(from->problem, CHORALE_TEXTS_LABELS, label));
  }
  return made;
}

void palette_free(palette *of) { free(of->tags); }

static int64_t common_divisor(int64_t a, int64_t b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

/* Returns the step by which labels advance around a circle of `places` hues, so that every place is
 * used once and the hues of any four consecutive labels are as far apart as possible. */
static int64_t best_step(int64_t places) {
  int64_t best = 1, best_distance = 0;
  for (int64_t step = 1; step < places; ++step) {
    int64_t distance = places;
    for (int64_t ahead = 1; ahead <= 3; ++ahead) {
      const int64_t place = ahead * step % places;
      const int64_t back = places - place;
      distance = place < distance ? place : distance;
      distance = back < distance ? back : distance;
    }
    if (common_divisor(places, step) == 1 && distance > best_distance) {
      best = step;
      best_distance = distance;
    }
  }
  return best;
}

void put_palette(FILE *to, const palette *of) {
  static const char *const lines[] = {"solid", "dashed", "dotted", "double"};
  enum { MOST_HUES = 24 };
  /* Hues are spaced evenly around the circle; labels with neighbouring hues also differ in
   * lightness. */
  const int64_t hues = of->labels < MOST_HUES ? of->labels : MOST_HUES;
  const int64_t step = best_step(hues);
  for (int64_t label = 0; label < of->labels; ++label) {
    if (label == of->left_out)
      continue;
    const int64_t place = label * step % hues;
    fprintf(to,
            ".l%" PRId64 "{--h:%.0f;--line:%s;--field:var(--%s)}.l%" PRId64
            "::before{content:\"%s\"}\n",
            label, fmod(250.0 + 360.0 * (double)place / (double)hues, 360.0), lines[label / 5 % 4],
            place % 2 == 0 ? "pale" : "deep", label, of->tags[label]);
  }
}

void put_legend(FILE *to, const corpus *from, const palette *of) {
  fputs("<ul class=\"legend\" aria-label=\"Labels\">\n", to);
  for (int64_t label = 0; label < of->labels; ++label) {
    char space[NAME_SPACE];
    fputs("<li>", to);
    if (label == of->left_out)
      fputs("<span class=\"plain\"", to);
    else
      fprintf(to, "<span class=\"f l%" PRId64 "\"", label);
    fprintf(to, " data-label=\"%" PRId64 "\">", label);
    put_text(to, label_name(from, label, space));
    fputs("</span></li>\n", to);
  }
  fputs("<li><mark>changed</mark></li>", to);
  if (from->gold != NULL) {
    fputs("<li><span class=\"e\">differs from ", to);
    put_term(to, TERM_GOLD, "gold");
    fputs("</span></li>", to);
  }
  fputs("</ul>\n", to);
}
