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
#ifndef CHORALE_MESSAGE_H
#define CHORALE_MESSAGE_H

#include "chorale/property.h"

CHORALE_BEGIN_DECLS

/* Methods for several properties. The exact dynamic program extends its state, the label, by a
 * *configuration*, the joint state of all properties: for every property the state of its automaton
 * and, while the property may still fire, the value that it has fired so far. Once a property can
 * fire nothing more, the entry of m_p for its value is added to the score, and the value is dropped
 * from the configuration.
 * Each configuration at a position costs at most as much as a position of a chain without
 * properties, O(m^2). Only reachable configurations are computed; those stored at one position are
 * *alive*. */
typedef int32_t chorale_joint_mode;
enum {
  /* EXACT if no position has more than `budget` alive configurations, otherwise BEAM of width
   * `budget`. */
  CHORALE_JOINT_AUTO = 0,
  /* Exact. The call fails with STATE_SPACE if a position would have more than `budget` alive
   * configurations. */
  CHORALE_JOINT_EXACT = 10,
  /* Local absorption (the second approximation of the paper, see potential.h): the message m of a
   * property becomes scores of positions. Every position where the property fires v gets m(v) -
   * m(EMPTY), or m(v) if m(EMPTY) is minus infinity. Configurations then hold only the states of
   * the automata. While the message of one property is computed, they also hold the value that this
   * property has fired. Exact if no property fires twice; if a property fires more often, the
   * scores of all its firings are added. `budget` applies as in EXACT. */
  CHORALE_JOINT_ABSORPTION = 20,
  /* The paper's third approximation: keeps the best `beam_width` configurations at each position.
   * They are ranked by their best score over all labels plus, for each property whose message has
   * not been added yet, the message entry of the value fired so far (EMPTY if none). */
  CHORALE_JOINT_BEAM = 30
};

typedef struct chorale_message_options {
  size_t struct_size; /* sizeof(chorale_message_options) */
  chorale_joint_mode mode;
  int32_t reserved;
  int64_t beam_width; /* BEAM; 0: 300 */
  int64_t budget;     /* greatest number of configurations alive at one position; 0: 1024.
                         Decoding allocates T x m x 4 bytes for each configuration that can
                         be alive */
} chorale_message_options;

typedef struct chorale_message_result {
  size_t struct_size;      /* sizeof(chorale_message_result) */
  chorale_outcome outcome; /* COMPLETE; INFEASIBLE: every labelling is proven to be forbidden;
                              NOTHING_FOUND: a beam or absorption found no allowed labelling, which
                              does not prove that there is none */
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

/* Tasks for which the two functions below compute the size of a workspace: SEND is
 * chorale_chain_messages, DECODE is chorale_chain_decode. */
typedef int32_t chorale_message_task;
enum { CHORALE_MESSAGE_SEND = 0, CHORALE_MESSAGE_DECODE = 1 };

/* Computes how many bytes chorale_chain_solver_create_in needs for `task` on this chain with these
 * `count` attachments and options (NULL: defaults). The same number suffices for all chains and
 * attachments that differ from these only in the entries of arrays (messages, scores, tables).
 * Errors: as for the task. Any thread. */
CHORALE_API chorale_status chorale_message_bytes(const chorale_chain *chain,
                                                 const chorale_attachment *attachments,
                                                 int64_t count,
                                                 const chorale_message_options *options,
                                                 chorale_message_task task, size_t *bytes,
                                                 chorale_error *error);
/* Grows the workspace so that `task` does not allocate on this chain and these attachments, nor on
 * those that differ from them only in the entries of arrays. On failure the solver is unchanged. */
CHORALE_API chorale_status chorale_message_reserve(chorale_chain_solver *solver,
                                                   const chorale_chain *chain,
                                                   const chorale_attachment *attachments,
                                                   int64_t count,
                                                   const chorale_message_options *options,
                                                   chorale_message_task task, chorale_error *error);

/* Errors of both calls below: those of a chain (chain.h); NULL_ARGUMENT, STRUCT_SIZE, SIZE,
 * SIZE_OVERFLOW (also: a configuration of so many properties does not fit into 512 bits),
 * UNKNOWN_CONSTANT, LABELS_MISMATCH (property), OUT_OF_RANGE (classes, messages),
 * VALUE_OUTSIDE_RANGE (table), NOT_A_NUMBER, INFINITE (messages), AUTOMATON_ON_TREE, STATE_SPACE,
 * OUT_OF_MEMORY, WORKSPACE_TOO_SMALL. No allocation once the workspace is large enough. */

/* Computes the messages of the chain to its cliques.
 *
 * attachments: `count` (>= 1) structs, with the incoming messages.
 * outgoing: `count` pointers. outgoing[p] receives the message to the clique of property p: R_p + 2
 *   scores, minus infinity for values that no labelling has. If outgoing[p] is NULL, this message
 *   is not computed. Must not overlap incoming messages.
 * result: may be NULL.
 * Cost of one message: at most T x m^2 x configurations; on a tree also T x m x configurations^2,
 * to combine the subtrees of a position. With several properties on a chain, a pass with a narrow
 * beam comes first, except in ABSORPTION. Its scores are lower bounds, by which the main pass drops
 * partial labellings without changing the result. */
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
