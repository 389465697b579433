/* Pieces of HTML: text, numbers, and how labels look. */
#ifndef CHORALE_COMMAND_HTML_H
#define CHORALE_COMMAND_HTML_H

#include "corpus.h"

#include <stdio.h>

/* Text with what HTML would take for markup escaped, fit for attributes too. */
void put_text(FILE *to, chorale_text text);
/* A name for people: a slug as "a-name-2" becomes "A name 2", a key as "name1999" "Name 1999"; any
 * other name stays as it is. */
void put_readable(FILE *to, chorale_text name);
/* A word that the glossary explains, which leads there; `text` may be "gold" or "gold label". */
typedef enum term { TERM_F1, TERM_GOLD, TERM_CLIQUE, TERM_BOUND, TERMS } term;
void put_term(FILE *to, term which, const char *text);
void put_glossary(FILE *to);
/* A whole number with commas between the thousands. */
void put_count(FILE *to, int64_t number);
/* A number with `digits` decimals, and always a sign if `with_sign`; minus is the real minus. */
void put_number(FILE *to, double number, int digits, int with_sign);
/* "1 word", "2 words". */
void put_counted(FILE *to, int64_t number, const char *one, const char *many);

/* How labels look: a hue, a style of line under the words and a tag of two letters each, so that
 * nothing hangs on colour alone. */
typedef struct palette {
  int64_t labels, left_out;
  char (*tags)[8]; /* by label */
} palette;

palette palette_of(const corpus *from, int64_t left_out);
void palette_free(palette *of);
/* The rules of a style sheet: classes l0, l1, ... */
void put_palette(FILE *to, const palette *of);
/* All labels with their tags. */
void put_legend(FILE *to, const corpus *from, const palette *of);

#endif
