/* Chains and trees under properties: property-aware messages, and decoding under messages.
 *
 * K properties are attached to a chain, each with the message m_p its clique sent. With
 *
 *     Phi(y) = phi(y) + sum_p m_p(value of p on y)
 *
 * a call finds the labelling that maximises Phi (decoding), or for each property p and each of its
 * values v, EMPTY and CONFLICT included, the message of the chain to its clique,
 *
 *     max { Phi(y) - m_p(v) : p shows v on y }       (equation 6: p's own message left out).
 *
 * The message of one property alone is always exact. Otherwise the options choose how.
 */
#ifndef CHORALE_MESSAGE_H
#define CHORALE_MESSAGE_H

#include "chorale/property.h"

CHORALE_BEGIN_DECLS

/* The exact dynamic program runs over *configurations*: the automaton state of every property and,
 * where it may still matter for a conflict, the value that has fired. A message is paid, and its
 * value forgotten, as soon as nothing more can fire. A configuration costs at most one plain
 * max-product step; what cannot be reached costs nothing. */
typedef int32_t chorale_joint_mode;
enum {
  /* JOINT while at most `budget` configurations are alive, BEAM of that width from there on. */
  CHORALE_JOINT_AUTO = 0,
  /* Exact. STATE_SPACE when more than `budget` configurations would be alive at once. */
  CHORALE_JOINT_EXACT = 10,
  /* Local absorption (the paper's second approximation): wherever a property fires v, add
   * m(v) - m(EMPTY), or m(v) where EMPTY is forbidden; only the automaton states are kept, and in
   * messages the values of the property the message is for. Equal to the exact one where no
   * property fires twice; a repeated firing is paid again. The budget holds. */
  CHORALE_JOINT_ABSORPTION = 20,
  /* The paper's third: at most `beam_width` configurations are kept at each position, ranked by the
   * best score of any label plus the messages of what has fired so far. */
  CHORALE_JOINT_BEAM = 30
};

typedef struct chorale_message_options {
  size_t struct_size; /* sizeof(chorale_message_options); set by init */
  chorale_joint_mode mode;
  int32_t reserved;
  int64_t beam_width; /* BEAM: >= 1, default 300 */
  int64_t budget;     /* configurations at once: >= 1, default 1024. Memory of decoding: T x m x 4
                         bytes for each of as many as there can be */
} chorale_message_options;

/* Fills `options` with the defaults; pass sizeof(chorale_message_options). NULL is ignored. */
CHORALE_API void chorale_message_options_init(chorale_message_options *options, size_t struct_size);

typedef struct chorale_message_result {
  size_t struct_size;      /* sizeof(chorale_message_result); set by init */
  chorale_outcome outcome; /* COMPLETE; INFEASIBLE: proven that every labelling is forbidden;
                              NOTHING_FOUND: by a beam or by absorption, which prove nothing */
  int32_t pruned;          /* 1: a beam left out configurations */
  int32_t exact;           /* 1: messages or labelling are exact, up to rounding */
  int32_t reserved;
  int64_t configurations; /* the most that were alive at once */
  /* Decoding: Phi, phi and the sum of messages (in the order of the properties) of the labelling,
   * evaluated on it; score = chain_score + message_score. Messages leave them 0. */
  double score;
  double chain_score;
  double message_score;
} chorale_message_result;

/* Fills `result` with zeros; pass sizeof(chorale_message_result). NULL is ignored. */
CHORALE_API void chorale_message_result_init(chorale_message_result *result, size_t struct_size);

typedef int32_t chorale_message_task;
enum { CHORALE_MESSAGE_SEND = 0, CHORALE_MESSAGE_DECODE = 1 };

/* The bytes chorale_chain_solver_create_in needs for `task` on this chain with these `count`
 * attachments and options (NULL: defaults), and on any that differs in numbers only (messages,
 * scores, table entries). Errors: as for the task. Any thread. */
CHORALE_API chorale_status chorale_message_bytes(const chorale_chain *chain,
                                                 const chorale_attachment *attachments,
                                                 int64_t count,
                                                 const chorale_message_options *options,
                                                 chorale_message_task task, size_t *bytes,
                                                 chorale_error *error);
/* Grows the workspace so that no such call allocates. On failure the solver is as before. */
CHORALE_API chorale_status chorale_message_reserve(chorale_chain_solver *solver,
                                                   const chorale_chain *chain,
                                                   const chorale_attachment *attachments,
                                                   int64_t count,
                                                   const chorale_message_options *options,
                                                   chorale_message_task task, chorale_error *error);

/* Errors of both calls below: those of a chain (chain.h); NULL_ARGUMENT, STRUCT_SIZE, SIZE,
 * SIZE_OVERFLOW (also: more properties than a joint state can hold), UNKNOWN_CONSTANT,
 * LABELS_MISMATCH (property), OUT_OF_RANGE (classes, messages), VALUE_OUTSIDE_RANGE (table),
 * NOT_A_NUMBER, INFINITE (messages), AUTOMATON_ON_TREE, STATE_SPACE, OUT_OF_MEMORY,
 * WORKSPACE_TOO_SMALL. No allocation once the workspace is large enough. */

/* Messages of the chain to its cliques.
 *
 * attachments: `count` (>= 1) of them; their messages are the incoming ones.
 * outgoing: `count` pointers; outgoing[p] receives R_p + 2 scores, or is NULL where none is wanted.
 *   Minus infinity where no labelling shows the value. Must not overlap the incoming ones.
 * result: may be NULL.
 * Cost of one message: at most T x m^2 x configurations; on a tree also T x m x configurations
 * squared, where children are merged. Several properties on a chain: a narrow beam runs first, and
 * what it attains bounds the real run, which leaves out only what can no longer matter. */
CHORALE_API chorale_status chorale_chain_messages(
    chorale_chain_solver *solver, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_message_options *options, double *const *outgoing,
    chorale_message_result *result, chorale_error *error);

/* The labelling that maximises Phi. count may be 0. labelling: T entries, may be NULL; values: what
 * each property shows on it, `count` entries, may be NULL; both untouched where nothing was found.
 * result: may be NULL. */
CHORALE_API chorale_status chorale_chain_decode(
    chorale_chain_solver *solver, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_message_options *options, int32_t *labelling, int32_t *values,
    chorale_message_result *result, chorale_error *error);

CHORALE_END_DECLS

#endif
