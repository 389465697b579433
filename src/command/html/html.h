/* Writes pieces of HTML: text, numbers, and the appearance of labels. */
#ifndef CHORALE_COMMAND_HTML_H
#define CHORALE_COMMAND_HTML_H

#include "corpus.h"

#include <stdio.h>

/* Writes text with HTML markup escaped; also valid in attributes. */
void put_text(FILE *to, chorale_text text);
/* Writes a name in readable form: a slug such as "a-name-2" becomes "A name 2", a key such as
 * "name1999" becomes "Name 1999"; other names are unchanged. */
void put_readable(FILE *to, chorale_text name);
/* Terms that the glossary explains. put_term writes `text` (the term as it stands in the sentence,
 * such as "gold" or "gold label") as a link to the term's entry in the glossary. */
typedef enum term { TERM_F1, TERM_GOLD, TERM_CLIQUE, TERM_BOUND, TERM_SURE, TERMS } term;
void put_term(FILE *to, term which, const char *text);
void put_glossary(FILE *to);
/* Writes an integer with commas between the thousands. */
void put_count(FILE *to, int64_t number);
/* Writes a number with `digits` decimals. Minus is U+2212; a positive number gets a "+" only if
 * `with_sign`. */
void put_number(FILE *to, double number, int digits, int with_sign);
/* Writes a number and a noun, such as "1 word", "2 words". */
void put_counted(FILE *to, int64_t number, const char *one, const char *many);

/* Appearance of labels: a hue, an underline style and a tag of two letters for each, so that no
 * distinction depends on colour alone. */
typedef struct palette {
  int64_t labels, left_out; /* left_out: the label without hue, underline and tag, or -1 */
  char (*tags)[8]; /* by label */
} palette;

palette palette_of(const corpus *from, int64_t left_out);
void palette_free(palette *of);
/* Writes the rules of a style sheet for the labels: class l0 for label 0, and so on. */
void put_palette(FILE *to, const palette *of);
/* Writes all labels with their tags. */
void put_legend(FILE *to, const corpus *from, const palette *of);

#endif
