/* Explains changes of records: which cliques gain by a change, and on what values a page agrees. */
#ifndef CHORALE_COMMAND_REASONS_H
#define CHORALE_COMMAND_REASONS_H

#include "inference.h"

#include <stdio.h>

/* Writes why a chain changed: the payments to it (run.h), greatest first, and how much its own
 * score has fallen. */
void put_reasons(FILE *to, const corpus *from, const inference *done, int64_t chain);

/* Writes the cliques of a page whose members' values changed: how many members had and have each
 * value. */
void put_agreements(FILE *to, const corpus *from, const inference *done, int64_t page_index);

#endif
