/* Explains changes of records: which cliques gain by a change, and which values the members of a
 * page's cliques have. */
#ifndef CHORALE_COMMAND_REASONS_H
#define CHORALE_COMMAND_REASONS_H

#include "inference.h"

#include <stdio.h>

/* Writes why a chain changed: the payments to it (run.h), greatest first, how probable its new
 * labels are, and how much its own score has fallen. */
void put_reasons(FILE *to, const corpus *from, const inference *done, int64_t chain);

/* Writes the first cliques of a page that have a member whose value changed, and for each of these
 * cliques, how many members have each value without cliques and in the result. */
void put_agreements(FILE *to, const corpus *from, const inference *done, int64_t page_index);

#endif
