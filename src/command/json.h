/* Writes JSON (RFC 8259) in UTF-8, piece by piece. */
#ifndef CHORALE_COMMAND_JSON_H
#define CHORALE_COMMAND_JSON_H

#include <chorale/chorale.h>

#include <stdio.h>

/* Writes a string in quotes. Invalid UTF-8 becomes U+FFFD. */
void put_json_text(FILE *to, chorale_text text);
/* Writes a number that reads back as the same double; null if it is not finite. */
void put_json_number(FILE *to, double number);
/* Writes `"key":`, after a comma unless `first`; the caller then writes the value. */
void put_json_key(FILE *to, const char *key, int first);

/* Write a key and its value, after a comma unless `first`. */
void put_json_whole(FILE *to, const char *key, int64_t value, int first);
void put_json_real(FILE *to, const char *key, double value, int first);
void put_json_string(FILE *to, const char *key, chorale_text value, int first);

#endif
