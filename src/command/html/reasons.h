/* Why records changed: which cliques paid for it, and what a page agrees on. */
#ifndef CHORALE_COMMAND_REASONS_H
#define CHORALE_COMMAND_REASONS_H

#include "inference.h"

#include <stdio.h>

/* The payments to a chain, the greatest first, and what the change costs the chain itself. */
void put_reasons(FILE *to, const corpus *from, const inference *done, int64_t chain);

/* The cliques of a page whose members show other values than alone: how many showed and show which.
 */
void put_agreements(FILE *to, const corpus *from, const inference *done, int64_t page_index);

#endif
