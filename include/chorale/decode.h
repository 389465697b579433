/* The front door: scores in, labels that agree with each other out.
 *
 * For most uses this header is all that is needed. Five calls:
 *
 *     chorale_corpus corpus;                          what a tagger says of each position
 *     chorale_corpus_init(&corpus, sizeof corpus);
 *     corpus.chains = 3; corpus.labels = 2; corpus.unary = scores; corpus.tokens = names;
 *     chorale_agreement words;                        what ought to agree
 *     chorale_agreement_init(&words, sizeof words);
 *     chorale_decode(NULL, &corpus, &words, 1, NULL, &decoded, &error);
 *     chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, 3, NULL, &error);
 *     chorale_decoded_destroy(decoded);
 *
 * An array of chorale_agreement is the *specification*: it says in the same words in every language
 * what ought to agree and how strongly. Everything here is made of the public calls of corpus.h,
 * model.h and run.h, which offer more.
 */
#ifndef CHORALE_DECODE_H
#define CHORALE_DECODE_H

#include "chorale/corpus.h"
#include "chorale/run.h"

CHORALE_BEGIN_DECLS

/* ---- What ought to agree ------------------------------------------------------------------ */

typedef int32_t chorale_agreement_kind;
enum {
  /* The labels of all positions with the same token. */
  CHORALE_AGREE_WORDS = 0,
  /* The labels of all positions with the same entry of `keys`. */
  CHORALE_AGREE_KEYS = 10,
  /* What whole chains show of `property`: the label after the title, say. */
  CHORALE_AGREE_PROPERTY = 20,
  /* The labels of the positions that the caller puts together in `cliques`. */
  CHORALE_AGREE_CLIQUES = 30
};

/* One thing that ought to agree, softly. All arrays are borrowed for the length of a call. */
typedef struct chorale_agreement {
  size_t struct_size;          /* sizeof(chorale_agreement); set by init */
  chorale_agreement_kind kind; /* default WORDS */
  int32_t across;              /* 1: over all groups; 0 (default): within each group of chains.
                                  CLIQUES ignores it */
  /* How strongly: n positions (or chains) of which n_v show v add strength / n * sum_v n_v^2 to the
   * score. One that joins all others gains up to twice the strength; so strength 1 outweighs a
   * tagger that prefers another label by less than 2. Finite; negative: they ought to differ.
   * Default 1. */
  double strength;
  /* In the place of the strength: any potential over m values (the labels), or over those of the
   * property. NULL (default): the strength. */
  const chorale_potential *potential;
  int64_t minimum;   /* how many positions or chains make a clique, >= 1. Default 2 */
  const int32_t *keys; /* KEYS: by position of the corpus, >= 0, or -1 for none */
  const int32_t *stop; /* WORDS, KEYS: `stop_count` ids that make no clique, in any order */
  int64_t stop_count;
  const chorale_property *property; /* PROPERTY */
  /* CLIQUES: clique c holds the positions (numbered as in chorale_corpus)
   * members[clique_offsets[c]] .. members[clique_offsets[c + 1] - 1]. */
  int64_t cliques;
  const int64_t *clique_offsets; /* cliques + 1 */
  const int64_t *members;
} chorale_agreement;

/* Fills `agreement` with the defaults; pass sizeof(chorale_agreement). NULL is ignored. */
CHORALE_API void chorale_agreement_init(chorale_agreement *agreement, size_t struct_size);

/* ---- The call ----------------------------------------------------------------------------- */

typedef struct chorale_decoded chorale_decoded;

/* Labels a corpus so that what `agreements` name agrees, as far as the scores allow.
 *
 * agreements: `count` >= 0 of them, struct_size bytes apart (all of the same struct_size).
 * options: of the run (rounds, threads, time_limit, bound_steps ...); NULL for defaults.
 * *decoded: the result, also where a limit ended the run early; chorale_decoded_destroy frees it.
 *   It holds nothing of the caller's but, with corpus->borrow 1, the scores and tokens.
 * Errors: those of chorale_model_builder_add_corpus, chorale_run_create and chorale_run_solve;
 * NULL_ARGUMENT (keys, property, clique_offsets, members where their kind needs them), STRUCT_SIZE,
 * SIZE, UNKNOWN_CONSTANT (kind), NOT_A_NUMBER, INFINITE, OUT_OF_RANGE, TOKENS_MISSING (WORDS, and
 * properties that read tokens, of a corpus without tokens), LABELS_MISMATCH (property),
 * VALUES_MISMATCH (potential), DUPLICATE_MEMBER (a position twice in one of `cliques`). Messages
 * name the agreement by its place, "agreements[1]". A corpus in which nothing repeats is labelled
 * chain by chain. O(N log N) for keys, and the run: O(N m^2) a round. */
CHORALE_API chorale_status chorale_decode(const chorale_host *host, const chorale_corpus *corpus,
                                          const chorale_agreement *agreements, int64_t count,
                                          const chorale_run_options *options,
                                          chorale_decoded **decoded, chorale_error *error);
/* NULL is ignored. */
CHORALE_API void chorale_decoded_destroy(chorale_decoded *decoded);

/* ---- The result --------------------------------------------------------------------------- */

/* Labels of all positions, in the order of the corpus: N of them. labelling: CHORALE_TOGETHER, or
 * CHORALE_ALONE for every chain's own best. Errors: NULL_ARGUMENT, UNKNOWN_CONSTANT, CAPACITY,
 * NO_LABELLING. */
CHORALE_API chorale_status chorale_decoded_labels(const chorale_decoded *decoded,
                                                  chorale_labelling labelling, int32_t *labels,
                                                  int64_t capacity, int64_t *needed,
                                                  chorale_error *error);

/* Score, bound and how the run ended, as chorale_run_get_result tells them. */
CHORALE_API chorale_status chorale_decoded_get_result(const chorale_decoded *decoded,
                                                      chorale_run_result *result,
                                                      chorale_error *error);

/* Why a chain changed: one thing that agrees better now. */
typedef struct chorale_reason {
  int64_t agreement; /* which of the specification */
  int64_t clique;    /* within the model */
  int64_t chain;
  int64_t position;  /* within the chain; -1: the whole chain, of a property */
  int64_t members;   /* n: how many positions or chains the clique has */
  int64_t agreeing;  /* how many of the others show `value` now */
  int32_t own_value; /* what it showed by itself: a label, or a value of the property, R for EMPTY,
                        R + 1 for CONFLICT */
  int32_t value;     /* what it shows now */
  double amount;     /* what the clique would lose if it alone went back; plus infinity where that
                        is forbidden */
} chorale_reason;

/* All reasons, by chain, then position, then agreement. Entries lie `reason_size` bytes apart: pass
 * sizeof(chorale_reason). A changed position without a reason was moved by its neighbours. Errors:
 * NULL_ARGUMENT, STRUCT_SIZE (reason_size), CAPACITY, NO_LABELLING. */
CHORALE_API chorale_status chorale_decoded_reasons(const chorale_decoded *decoded,
                                                   chorale_reason *reasons, size_t reason_size,
                                                   int64_t capacity, int64_t *needed,
                                                   chorale_error *error);

/* Run and model behind the result, for all that run.h and model.h tell: borrowed until `decoded` is
 * destroyed. NULL for NULL. The run may be solved further. */
CHORALE_API chorale_run *chorale_decoded_run(chorale_decoded *decoded);
CHORALE_API const chorale_model *chorale_decoded_model(const chorale_decoded *decoded);
/* Which agreement made a clique of the model; -1 out of range. */
CHORALE_API int64_t chorale_decoded_agreement(const chorale_decoded *decoded, int64_t clique);

CHORALE_END_DECLS

#endif
