/* Writes JSON (RFC 8259) in UTF-8, piece by piece. */
#ifndef CHORALE_COMMAND_JSON_H
#define CHORALE_COMMAND_JSON_H

#include <chorale/experimental.h>

#include <stdio.h>

/* Writes `format`, with each of these replaced by the next argument:
 *   %t   a chorale_text: a string in quotes, safe in a script element of HTML; invalid UTF-8 becomes
 *        U+FFFD
 *   %i   an int64_t
 *   %r   a double: a number that reads back as the same double, or null if it is not finite
 *   %b   an int: true or false
 *   %,   an int: a comma if it is not 0 */
void put_json(FILE *to, const char *format, ...);

#endif
