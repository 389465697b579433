/* Statuses: errors that calls return.
 *
 * A status other than CHORALE_OK means that the call failed. The outcome of a computation
 * (complete, deadline, infeasible) is not a status: see outcome.h.
 */
#ifndef CHORALE_STATUS_H
#define CHORALE_STATUS_H

#include "chorale/export.h"

CHORALE_BEGIN_DECLS

/* The status of a call. Numbers never change and are never reused. */
typedef int32_t chorale_status;
enum {
  /* The call has succeeded. */
  CHORALE_OK = 0,
  /* An argument that must point somewhere is NULL. */
  CHORALE_ERROR_NULL_ARGUMENT = 10,
  /* A size, count or limit is below the least that is allowed. */
  CHORALE_ERROR_SIZE = 20,
  /* Sizes whose product overflows, or a size above the greatest one that the library supports. */
  CHORALE_ERROR_SIZE_OVERFLOW = 21,
  /* Strides that are negative, or with which rows or entries of an array would overlap. */
  CHORALE_ERROR_STRIDE = 22,
  /* A table with fewer entries than the clique's number of members requires. */
  CHORALE_ERROR_TABLE_TOO_SHORT = 23,
  /* An array of the wrong shape. */
  CHORALE_ERROR_SHAPE = 24,
  /* A potential has another number of values than the clique or array that it is used with. */
  CHORALE_ERROR_VALUES_MISMATCH = 25,
  /* A struct with an invalid struct_size, or with a field set that only a newer library knows. */
  CHORALE_ERROR_STRUCT_SIZE = 26,
  /* The caller's buffer is too small. The message gives its capacity and the size needed; nothing
   * was written to the buffer. */
  CHORALE_ERROR_CAPACITY = 27,
  /* A number that is NaN where it must not be. */
  CHORALE_ERROR_NOT_A_NUMBER = 30,
  /* A number that is infinite where it must not be. */
  CHORALE_ERROR_INFINITE = 31,
  /* A value, label or index outside its range; a score of too large a magnitude. */
  CHORALE_ERROR_OUT_OF_RANGE = 32,
  /* An enumeration constant that this library does not know. */
  CHORALE_ERROR_UNKNOWN_CONSTANT = 33,
  /* A start assignment (clique.h) that gives a member a value forbidden to it; an edit (run.h) that
   * leaves a position no label. (A member fixed to a forbidden value is not an error: the problem
   * is infeasible.) */
  CHORALE_ERROR_FORBIDDEN_VALUE = 34,
  /* The algorithm does not apply to the family of the potential; the message lists algorithms that
   * do. */
  CHORALE_ERROR_ALGORITHM_MISMATCH = 40,
  /* The algorithm requires convex tables, and the potential's are not. */
  CHORALE_ERROR_NOT_CONVEX = 41,
  /* The algorithm requires concave tables, and the potential's are not. */
  CHORALE_ERROR_NOT_CONCAVE = 42,
  /* Exact max-marginals were requested, and there is no exact solver for the potential. */
  CHORALE_ERROR_NOT_EXACT = 43,
  /* Weights of members (clique.h, "Weights") for a potential, an algorithm or a call that takes no
   * weights; the message says which take them. */
  CHORALE_ERROR_WEIGHTS = 44,
  /* A callback returned NaN, plus infinity, a magnitude above 1e290 or a number out of range. */
  CHORALE_ERROR_CALLBACK_VALUE = 50,
  /* A callback returned non-zero to stop the computation. */
  CHORALE_ERROR_CALLBACK_STOPPED = 51,
  /* The caller's executor left out, repeated or misnumbered a step of a loop (run.h). */
  CHORALE_ERROR_EXECUTOR = 53,
  /* An allocation failed: the host's allocator refused it, or gave a block that is not aligned. */
  CHORALE_ERROR_OUT_OF_MEMORY = 60,
  /* The caller's memory is not aligned as required. */
  CHORALE_ERROR_ALIGNMENT = 62,
  /* A chain and its transitions or properties have different numbers of labels. */
  CHORALE_ERROR_LABELS_MISMATCH = 70,
  /* A parent in a tree that does not come before its child. */
  CHORALE_ERROR_PARENT_ORDER = 71,
  /* Parents of a tree that form a cycle. */
  CHORALE_ERROR_PARENT_CYCLE = 72,
  /* A tree was passed to a call that takes only chains. */
  CHORALE_ERROR_NOT_A_CHAIN = 73,
  /* A property that is not local (property.h) was used on a tree. */
  CHORALE_ERROR_AUTOMATON_ON_TREE = 74,
  /* A property that can fire (property.h) a value outside its range. */
  CHORALE_ERROR_VALUE_OUTSIDE_RANGE = 75,
  /* A chain with properties needs more configurations than `max_states` (run.h) allows. */
  CHORALE_ERROR_STATE_SPACE = 76,
  /* A label name that the labelling scheme does not know. */
  CHORALE_ERROR_LABEL_NAME = 77,
  /* A chain or position that is already a member of the clique; a clique named twice. */
  CHORALE_ERROR_DUPLICATE_MEMBER = 80,
  /* A call on a builder that has been frozen into a model (model.h). */
  CHORALE_ERROR_FROZEN = 81,
  /* A property, or the model of repeated words (model.h), reads tokens, and the chain has none. */
  CHORALE_ERROR_TOKENS_MISSING = 82,
  /* The argument `earlier` of chorale_run_create is a run on a model with another number of chains
   * or cliques; or two problems give a kind of cliques different names (learn.h). */
  CHORALE_ERROR_MODEL_MISMATCH = 83,
  /* A run that has no labelling (yet). */
  CHORALE_ERROR_NO_LABELLING = 84,
  /* An argument of the wrong kind, such as a position for a property clique, a whole chain for a
   * position clique, or an instance where a chain is needed. */
  CHORALE_ERROR_KIND = 85,
  /* A callback of a run made a call that would change the run, or made a call that reads the run at
   * a time when the run changes. */
  CHORALE_ERROR_BUSY = 86,
  /* A call that the state of its object does not allow, such as a bound of a run created with
   * bound_steps 0, or freezing a builder while a centred clique has no centre. */
  CHORALE_ERROR_STATE = 87,
  /* The problems to learn from (learn.h) have no gold label that the chain of its position
   * allows. */
  CHORALE_ERROR_NO_GOLD = 88,
  /* All chains with gold labels belong to one group (learn.h). */
  CHORALE_ERROR_ONE_GROUP = 89,
  /* A fault of the library itself: please report it. */
  CHORALE_ERROR_INTERNAL = 90,
  /* The bytes are not those of a problem file (problem.h). */
  CHORALE_ERROR_FILE_FORMAT = 100,
  /* A problem file is in the other byte order than that of this machine. */
  CHORALE_ERROR_FILE_BYTE_ORDER = 101,
  /* A problem file has a version that this library does not know. */
  CHORALE_ERROR_FILE_VERSION = 102,
  /* A problem file is truncated. */
  CHORALE_ERROR_FILE_TRUNCATED = 103,
  /* A section of a problem file does not match its checksum. */
  CHORALE_ERROR_FILE_CHECKSUM = 104,
  /* A problem file has missing, repeated, overlapping or invalid sections. */
  CHORALE_ERROR_FILE_SECTION = 105,
  /* The system could not read or write a file; the message gives its error number. */
  CHORALE_ERROR_INPUT_OUTPUT = 106,
  /* A model that cannot be saved, because callbacks of the caller compute one of its chains
   * (chorale_instance in experimental/model.h) or a potential (potential.h). */
  CHORALE_ERROR_NOT_SAVABLE = 107,
  /* A text that is not UTF-8, or is not what chorale_learnt_text wrote (learn.h). */
  CHORALE_ERROR_TEXT = 108
};

#define CHORALE_ERROR_MESSAGE_SIZE 504

/* Details of a failure, in the caller's memory (512 bytes), which need not be initialised. Every
 * call that takes this struct sets `status` and `message`. The message is UTF-8 ending in NUL. It
 * is empty on success; otherwise it names the argument, its value and the rule that the value
 * breaks (truncated to fit). */
typedef struct chorale_error {
  chorale_status status;
  int32_t reserved;
  char message[CHORALE_ERROR_MESSAGE_SIZE];
} chorale_error;

/* Returns the name of a status, such as "CHORALE_ERROR_SIZE"; "unknown status" for any other
 * number. Static storage. Any thread. */
CHORALE_API const char *chorale_status_name(chorale_status status);

CHORALE_END_DECLS

#endif
