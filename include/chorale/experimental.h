/* Experimental: calls for special needs, outside the promise of a stable interface.
 *
 * What this header declares may change or go in any version; the library exports it under a version
 * node of its own (CHORALE_EXPERIMENTAL). chorale.h does not include it, and no stable header needs
 * it. The rules of chorale.h hold here too.
 *
 *   experimental/model.h     instances, the model of repeated words, what a model holds
 *   experimental/run.h       rounds step by step, formats of messages, cost, single results
 *   experimental/problem.h   notes, what was set, files as bytes in memory
 *   experimental/prices.h    cliques with members in several models
 *   experimental/property.h  properties rule by rule, dictionaries of their values
 *   experimental/message.h   chains under properties: messages and decoding
 *   experimental/partition.h groups of records from scored pairs, with a certificate
 *   experimental/table.h     one label for all mentions of a key; ledgers of mentions
 *   experimental/objects.h   references, names and sizes of objects
 */
#ifndef CHORALE_EXPERIMENTAL_H
#define CHORALE_EXPERIMENTAL_H

#include "chorale/chorale.h"
#include "chorale/experimental/message.h"
#include "chorale/experimental/model.h"
#include "chorale/experimental/objects.h"
#include "chorale/experimental/partition.h"
#include "chorale/experimental/prices.h"
#include "chorale/experimental/problem.h"
#include "chorale/experimental/property.h"
#include "chorale/experimental/run.h"
#include "chorale/experimental/table.h"

#endif
