/* Chains and trees under properties: property-aware messages, and decoding under messages.
 *
 * Properties (property.h) are attached to a chain. For each property p the chain is a member of
 * one clique, from which it has received a message m_p: a score for each value of p. With
 *
 *     Phi(y) = phi(y) + sum_p m_p(value of p on y)          (phi: the score of the chain, chain.h)
 *
 * chorale_chain_decode finds the labelling y that maximises Phi. chorale_chain_messages computes,
 * for each property p and each of its values v, including EMPTY and CONFLICT, the message of the
 * chain to the clique of p,
 *
 *     max { Phi(y) - m_p(v) : p has value v on y }   (equation 6 of run.h; subtracting m_p(v)
 *                                                     leaves out the incoming message of p)
 *
 * With one property, messages are always exact. With several, the options choose the method.
 */
#ifndef CHORALE_EXPERIMENTAL_MESSAGE_H
#define CHORALE_EXPERIMENTAL_MESSAGE_H

#include "chorale/run.h"
#include "chorale/experimental/property.h"

CHORALE_BEGIN_DECLS

/* ---- A property on a chain ---------------------------------------------------------------- */

/* A property on a chain with its inputs and incoming message. All pointers are borrowed for the
 * duration of a call. */
typedef struct chorale_attachment {
  size_t struct_size; /* sizeof(chorale_attachment) */
  const chorale_property *property;
  const chorale_dictionary *dictionary; /* NULL: the property's own values */
  const int32_t *classes; /* T entries: the class of each position. NULL: all 0. Not read by
                             properties of create_position_label and create_token_label */
  const int32_t *table;   /* T entries: for FIRE_TABLE, the value to fire, or -1 for none; for a
                             property of create_token_label, any numbers, such as token ids. May be
                             NULL if the property reads no table */
  /* Message of a clique to this chain: R + 2 scores, one for each value, EMPTY and CONFLICT; minus
   * infinity forbids. R is that of the dictionary if there is one. NULL: zeros. */
  const double *message;
} chorale_attachment;

/* Returns R: the number of values of the dictionary, or of the property if there is no dictionary;
 * 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_attachment_values(const chorale_attachment *attachment);

/* Computes the value that a labelling (`length` labels) shows: *value is in 0 .. R-1, R (EMPTY) or
 * R + 1 (CONFLICT), in the numbers of the dictionary if there is one. *value is -1 if the labelling
 * fires one value, which is outside a dictionary without UNLISTED.
 * parents: of a tree, as in chorale_chain; NULL: a chain.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (labels, classes, parents),
 * VALUE_OUTSIDE_RANGE (table), PARENT_ORDER, PARENT_CYCLE, AUTOMATON_ON_TREE. O(T). Any thread. */
CHORALE_API chorale_status chorale_property_shown(const chorale_attachment *attachment,
                                                     int64_t length, const int32_t *labelling,
                                                     const int32_t *parents, int32_t *value,
                                                     chorale_error *error);

/* Writes all values that a labelling fires, in order of positions, with repetitions, even if the
 * labelling shows CONFLICT. Values have the property's own numbers, even with a dictionary. This
 * serves, for instance, to create a dictionary of the values that occur (the paper's first
 * approximation).
 * values: a buffer (chorale.h); capacity length + 1 always suffices.
 * Errors: as for chorale_property_shown; SIZE (a negative capacity), CAPACITY. */
CHORALE_API chorale_status chorale_property_fired(const chorale_attachment *attachment,
                                                  int64_t length, const int32_t *labelling,
                                                  const int32_t *parents, int32_t *values,
                                                  int64_t capacity, int64_t *needed,
                                                  chorale_error *error);

/* ---- Messages and decoding --------------------------------------------------------------- */

typedef struct chorale_message_options {
  size_t struct_size; /* sizeof(chorale_message_options) */
  chorale_joint_mode mode;
  int32_t reserved;
  int64_t beam_width; /* BEAM; 0: 300 */
  int64_t max_states; /* greatest number of configurations alive at one position; 0: 1024.
                         Decoding allocates T x m x 4 bytes for each configuration that can
                         be alive */
} chorale_message_options;

typedef struct chorale_message_result {
  size_t struct_size;      /* sizeof(chorale_message_result) */
  chorale_outcome outcome; /* COMPLETE; INFEASIBLE: every labelling is proven to be forbidden;
                              NOTHING_FOUND: no allowed labelling was found by a beam or
                              local scores, which does not prove that there is none */
  int32_t pruned;          /* 1: a beam dropped configurations */
  int32_t exact;           /* 1: messages or labelling are exact, up to rounding */
  int32_t reserved;
  int64_t configurations; /* greatest number of configurations alive at one position */
  /* After decoding: Phi (score), phi (chain_score) and the sum of the messages' entries
   * (message_score, added in the order of the properties) of the labelling found. score =
   * chain_score + message_score. Computing messages sets all three to 0. */
  double score;
  double chain_score;
  double message_score;
} chorale_message_result;

/* Errors of both calls below: those of a chain (chain.h); NULL_ARGUMENT, STRUCT_SIZE, SIZE,
 * SIZE_OVERFLOW, UNKNOWN_CONSTANT, LABELS_MISMATCH (property), OUT_OF_RANGE (classes, messages),
 * VALUE_OUTSIDE_RANGE (table), NOT_A_NUMBER, INFINITE (messages), AUTOMATON_ON_TREE, STATE_SPACE,
 * OUT_OF_MEMORY. No allocation once the workspace is large enough. */

/* Computes the messages of the chain to its cliques.
 *
 * attachments: `count` (>= 1) structs, with the incoming messages.
 * outgoing: `count` pointers. outgoing[p] receives the message to the clique of property p: R_p + 2
 *   scores, minus infinity for values that no labelling has. If outgoing[p] is NULL, this message
 *   is not computed. Must not overlap incoming messages.
 * result: may be NULL.
 * Cost of one message: at most T x m^2 x configurations; on a tree also T x m x configurations^2,
 * to combine the subtrees of a position. With several properties on a chain, a pass with a narrow
 * beam comes first, except in LOCAL_SCORES. Its scores are lower bounds, by which the main pass
 * drops partial labellings without changing the result. */
CHORALE_API chorale_status chorale_chain_messages(
    chorale_chain_solver *solver, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_message_options *options, double *const *outgoing,
    chorale_message_result *result, chorale_error *error);

/* Finds the labelling that maximises Phi (exactly or not: see `exact` of the result). count may be
 * 0. labelling: receives T labels; may be NULL. values: receives the value of each of the `count`
 * properties on the labelling; may be NULL. If no labelling was found, neither array is written.
 * result: may be NULL. */
CHORALE_API chorale_status chorale_chain_decode(
    chorale_chain_solver *solver, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_message_options *options, int32_t *labelling, int32_t *values,
    chorale_message_result *result, chorale_error *error);

CHORALE_END_DECLS

#endif
