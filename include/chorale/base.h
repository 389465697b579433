/* What every other header uses: statuses, outcomes, and what the host program offers.
 *
 * A *status* other than CHORALE_OK means that the call failed. An *outcome* tells how a computation
 * ended (complete, deadline, infeasible). It is not an error: the call that reports it has succeeded.
 */
#ifndef CHORALE_BASE_H
#define CHORALE_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(CHORALE_STATIC)
#define CHORALE_API
#elif defined(_WIN32)
#if defined(CHORALE_BUILDING)
#define CHORALE_API __declspec(dllexport)
#else
#define CHORALE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define CHORALE_API __attribute__((visibility("default")))
#else
#define CHORALE_API
#endif

#if defined(__cplusplus)
#define CHORALE_BEGIN_DECLS extern "C" {
#define CHORALE_END_DECLS }
#else
#define CHORALE_BEGIN_DECLS
#define CHORALE_END_DECLS
#endif

CHORALE_BEGIN_DECLS

/* ---- Statuses -------------------------------------------------------------------------------- */

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
   * (chorale_instance in experimental.h) or a potential (potential.h). */
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

/* ---- Outcomes -------------------------------------------------------------------------------- */

typedef int32_t chorale_outcome;
enum {
  /* The algorithm ran to its end; in a run, messages have converged. */
  CHORALE_OUTCOME_COMPLETE = 0,
  /* Ended early: the score is within the requested gap of the upper bound. */
  CHORALE_OUTCOME_GAP_REACHED = 10,
  /* All rounds, sweeps or steps that the call may do are done, or the rounds of a run alternate
   * between two labellings. An ordinary end: the labels are the best found. */
  CHORALE_OUTCOME_ITERATION_LIMIT = 20,
  /* All nodes of branch and bound that `node_limit` (clique.h) allows are done. The labels are the
   * best found. */
  CHORALE_OUTCOME_NODE_LIMIT = 21,
  /* The time limit was reached. The labels are the best found until then. */
  CHORALE_OUTCOME_DEADLINE = 30,
  /* A cancel or a progress callback ended the call. The labels are the best found until then. */
  CHORALE_OUTCOME_CANCELLED = 31,
  /* Every labelling is proven to score minus infinity. */
  CHORALE_OUTCOME_INFEASIBLE = 40,
  /* Every labelling tried scores minus infinity; labellings that were not tried may score more. */
  CHORALE_OUTCOME_NOTHING_FOUND = 41
};

/* What forbids every labelling of a chain. */
typedef int32_t chorale_obstacle;
enum {
  CHORALE_OBSTACLE_UNKNOWN = 0, /* an instance (experimental.h), which does not tell */
  /* Every label of the position is forbidden: by a score of minus infinity, by `forced` or
   * `allowed`, or by the edit chorale_run_set_allowed (run.h). */
  CHORALE_OBSTACLE_SCORES = 10,
  /* The position has allowed labels, but each is forbidden by its start or end score, or by the
   * transitions to all labels that are allowed at the positions after it (on a tree: below it). */
  CHORALE_OBSTACLE_TRANSITIONS = 20,
  /* Each labelling that the chain itself allows is forbidden by a clique of which the chain is the
   * only member, such as a rule. */
  CHORALE_OBSTACLE_CLIQUES = 30,
  /* No labelling was found that a clique allows, all of whose members are in the chain. There may be
   * one. */
  CHORALE_OBSTACLE_UNDECIDED = 40
};

/* Returns the name of an outcome in lower case, such as "iteration-limit"; "unknown outcome" for
 * any other number. Static storage. Any thread. */
CHORALE_API const char *chorale_outcome_name(chorale_outcome outcome);

/* ---- The host program: allocator, log, cancel flags ------------------------------------------ */

/* Memory functions. `allocate` returns `bytes` (> 0) bytes aligned to `alignment` (a power of two,
 * at most 64), or NULL if there is no memory. `deallocate` receives the same size and alignment
 * that `allocate` was given. If `allocate` returns a block that is not aligned, the library passes
 * it to `deallocate` unused, and the call fails with OUT_OF_MEMORY. Both functions are called on the
 * thread of the call into the library; memory of a shared handle is freed on the thread that
 * releases the last reference. They must not unwind (leave by an exception or longjmp). */
typedef struct chorale_allocator {
  void *user;
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*deallocate)(void *user, void *memory, size_t bytes, size_t alignment);
} chorale_allocator;

typedef int32_t chorale_log_level;
enum { CHORALE_LOG_DEBUG = 10, CHORALE_LOG_WARNING = 30 };

/* Receives log messages: UTF-8 ending in NUL, valid during the call. Called on the thread of the
 * call into the library. Must not unwind, and must not use the handle that this call uses. */
typedef void (*chorale_log_function)(void *user, chorale_log_level level, const char *message);

/* What the host program offers to the library. Functions that create handles take this struct and
 * copy it. allocator NULL: malloc and free. log NULL: messages are dropped. A NULL host: as if
 * allocator and log were NULL. */
typedef struct chorale_host {
  size_t struct_size; /* sizeof(chorale_host) */
  const chorale_allocator *allocator;
  chorale_log_function log;
  void *log_user;
} chorale_host;

/* A flag by which any thread asks a computation to end early. */
typedef struct chorale_cancel chorale_cancel;

/* Creates a lowered flag. Errors: NULL_ARGUMENT (cancel), STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_cancel_create(const chorale_host *host, chorale_cancel **cancel,
                                                 chorale_error *error);
/* Destroys a flag, which no computation may still use. NULL is ignored. */
CHORALE_API void chorale_cancel_destroy(chorale_cancel *cancel);
/* Raises the flag; NULL is ignored. Atomic: from any thread, at any time, also from a
 * signal handler. */
CHORALE_API void chorale_cancel_raise(chorale_cancel *cancel);

CHORALE_END_DECLS

#endif
