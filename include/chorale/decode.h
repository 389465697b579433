/* The simplest interface: from the scores of a tagger to labels that agree with each other.
 *
 * It suffices for most uses. A program needs three calls, besides declarations and settings:
 *
 *     chorale_corpus corpus = {.struct_size = sizeof corpus};       the tagger's scores
 *     corpus.chains = 3; corpus.labels = 2; corpus.unary = scores; corpus.tokens = names;
 *     chorale_agreement words = {.struct_size = sizeof words};      which labels should agree
 *     chorale_decode(NULL, &corpus, &words, 1, NULL, &decoded, &error);
 *     chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, 3, NULL, &error);
 *     chorale_decoded_destroy(decoded);
 *
 * Often set besides: offsets (where chains of several positions begin), groups (documents), uncounted
 * (labels that take no part in agreement, such as "O") and forced (known labels) of the corpus; rules
 * and bound_steps of the options. Often read besides: chorale_decoded_get_result and chorale_decoded_reasons.
 *
 * An array of chorale_agreement is the *specification*: it states which labels should agree and how
 * strongly. The fields of chorale_agreement have the same names in every language binding. The
 * calls of this header are implemented by the public calls of model.h and run.h, which
 * offer more. Three structs come from there: the scores, chorale_corpus (model.h), chorale_run_options,
 * and chorale_reason, why a label changed (run.h).
 */
#ifndef CHORALE_DECODE_H
#define CHORALE_DECODE_H

#include "chorale/model.h"
#include "chorale/run.h"

CHORALE_BEGIN_DECLS

/* ---- Agreements --------------------------------------------------------------------------- */

typedef int32_t chorale_agreement_kind;
enum {
  /* The labels of all positions with the same token should agree. */
  CHORALE_AGREE_WORDS = 0,
  /* The labels of all positions with the same entry of `keys` should agree. */
  CHORALE_AGREE_KEYS = 10,
  /* The values of `property` on different chains should agree: for instance the label after the
   * title. */
  CHORALE_AGREE_PROPERTY = 20,
  /* The labels of the positions of one clique should agree; the caller lists the cliques in
   * `members`. */
  CHORALE_AGREE_CLIQUES = 30
};

/* As a strength: none, as if the agreement were not there, except that its cliques are. */
enum { CHORALE_NO_AGREEMENT = -2000000000 };

/* One soft constraint: which labels or property values should agree, and how strongly. The
 * positions (or chains) whose labels (or values) should agree form a *clique*: all positions with
 * one token, for instance. A field whose comment begins with kinds, such as KEYS, is used only for
 * these kinds. Arrays are borrowed for the duration of a call. */
typedef struct chorale_agreement {
  size_t struct_size;          /* sizeof(chorale_agreement) */
  chorale_agreement_kind kind; /* what should agree; default WORDS */
  /* 1: a clique may have members in all groups of chains. 0 (default): each group has cliques of its
   * own. Ignored by CLIQUES. */
  int32_t across;
  /* A clique of n positions (or chains), n_v of which have value v, adds strength / n * sum_v n_v^2
   * to the score; labels that the corpus does not count are left out of the sum. If all other
   * members have the same value, a position that changes to this value raises this term by
   * 2 (n - 1) / n times the strength. So with strength 1 a position of a large clique takes the label of
   * the others even if the tagger prefers another one by almost 2, one of two by almost 1. From -1e9 to
   * 1e9, so that scores keep their digits beside it; negative: values should differ.
   * CHORALE_NO_AGREEMENT: no agreement at all.
   *
   * 0 (default): the strength is found from the scores, as chorale_learn finds it `without_gold`
   * (learn.h), and chorale_decoded_strength returns it. Scores are then read as log-probabilities, up
   * to a constant for each chain. Such a strength says how strongly members should agree, not whether
   * they do; in a corpus of few positions single labels decide it, and a number is better. If even the
   * smallest strength would change too many labels, none is found, and nothing agrees. If
   * `weights` or the counts of the corpus are above 1, 0 means strength 1. */
  double strength;
  /* A potential that replaces `strength`, over R or R + 2 values as in chorale_clique_setup
   * (model.h). R is the number of labels or, for PROPERTY, of values of the property. NULL
   * (default): `strength` is used. */
  const chorale_potential *potential;
  int64_t minimum; /* Fewer positions or chains than this form no clique. 0: 2 */
  const int32_t *keys; /* KEYS: by position of the corpus, a key >= 0, or -1 for none */
  const int32_t *stop; /* WORDS, KEYS: token ids or keys, in any order; positions with one of these are
                          in no clique of this agreement */
  int64_t stop_count;
  const chorale_property *property; /* PROPERTY: the property whose values should agree */
  int64_t cliques;                  /* CLIQUES: number of cliques */
  /* CLIQUES: clique c has the positions (numbered as in chorale_corpus) that are the entries
   * clique_offsets[c] .. clique_offsets[c + 1] - 1 of `members`: cliques + 1 entries, ascending. */
  const int64_t *clique_offsets;
  const int64_t *members; /* CLIQUES: positions of the corpus, clique after clique */
  /* By position of the corpus (PROPERTY: by chain): how often the position (chain) counts in its
   * clique, >= 1 ("Weights" in clique.h). n and n_v above are then sums of weights. The strength
   * must be >= 0, or `potential` a SUM whose tables are convex; so too with counts of the corpus above
   * 1. NULL (default): 1 for all. */
  const int64_t *weights;
} chorale_agreement;

/* ---- The call ----------------------------------------------------------------------------- */

typedef struct chorale_decoded chorale_decoded;

/* Labels a corpus: looks for the labelling with the greatest sum of scores and of the potentials of
 * all agreements, by a run (run.h).
 *
 * agreements: `count` >= 0 structs, struct_size bytes apart (all with the same struct_size). If the
 *   strength of one is to be found, its cliques are first labelled with a few strengths, which takes
 *   a few times as long as a run; time_limit and cancel of the options count for both.
 * options: options of the run (rounds, threads, time_limit, bound_steps ...), and the rules that
 *   labellings must keep (rules.h); NULL for defaults.
 *   The time_limit covers the whole call, with the building of the model. When it has passed, the
 *   labels found so far are the result: at worst those of CHORALE_ALONE.
 * *decoded: receives the result, also if a limit ended the run early; the caller frees it with
 *   chorale_decoded_destroy. The result borrows nothing, except scores and tokens if corpus->borrow
 *   is 1.
 * Errors: those of chorale_model_builder_add_corpus, chorale_run_create and chorale_run_solve;
 * NULL_ARGUMENT (keys, property, clique_offsets, members where their kind needs them), STRUCT_SIZE,
 * SIZE, UNKNOWN_CONSTANT (kind), NOT_A_NUMBER, INFINITE, OUT_OF_RANGE, TOKENS_MISSING (WORDS, and
 * properties that read tokens, of a corpus without tokens), LABELS_MISMATCH (property),
 * VALUES_MISMATCH (potential), WEIGHTS (a potential that does not take them), SIZE_OVERFLOW
 * (weights of a clique that sum to more than 2^31 - 1), DUPLICATE_MEMBER (a position twice in one
 * clique of CLIQUES). Error messages name the agreement by its index, such as "agreements[1]". If
 * there is no clique, chains are labelled independently. A chain of which every labelling is
 * forbidden is left out, and all others are labelled (chorale_run_left_out in run.h). With N
 * positions, O(N log N) for words and keys, and O(N m^2) for each round of the run. */
CHORALE_API chorale_status chorale_decode(const chorale_host *host, const chorale_corpus *corpus,
                                          const chorale_agreement *agreements, int64_t count,
                                          const chorale_run_options *options,
                                          chorale_decoded **decoded, chorale_error *error);
/* Destroys the result; NULL is ignored. */
CHORALE_API void chorale_decoded_destroy(chorale_decoded *decoded);

/* ---- The result --------------------------------------------------------------------------- */

/* Writes the labels of all positions, in the order of the corpus; -1 in chains that are left out.
 * labelling: CHORALE_TOGETHER for the result, or CHORALE_ALONE for the best labelling of every
 * chain without cliques. Errors: NULL_ARGUMENT, UNKNOWN_CONSTANT, CAPACITY, NO_LABELLING. */
CHORALE_API chorale_status chorale_decoded_labels(const chorale_decoded *decoded,
                                                  chorale_labelling labelling, int32_t *labels,
                                                  int64_t capacity, int64_t *needed,
                                                  chorale_error *error);

/* Writes score, bound and outcome of the run, as chorale_run_get_result does. */
CHORALE_API chorale_status chorale_decoded_get_result(const chorale_decoded *decoded,
                                                      chorale_run_result *result,
                                                      chorale_error *error);

/* Writes the reasons of all chains, as chorale_run_reasons does, each with its agreement. A reason
 * that gains nothing does not explain a change: a rule or a neighbour's label may. Rules have reasons
 * of their own (rules.h). Errors: NULL_ARGUMENT, STRUCT_SIZE (reason_size), CAPACITY,
 * NO_LABELLING. */
CHORALE_API chorale_status chorale_decoded_reasons(const chorale_decoded *decoded,
                                                   chorale_reason *reasons, size_t reason_size,
                                                   int64_t capacity, int64_t *needed,
                                                   chorale_error *error);

/* Returns the strength of an agreement, given or found. Returns 0 for CHORALE_NO_AGREEMENT, if the
 * agreement has a potential, if it has no cliques from which to find a strength, if even the smallest
 * strength would change too many labels (then nothing agrees), or if `agreement` is out of range. */
CHORALE_API double chorale_decoded_strength(const chorale_decoded *decoded, int64_t agreement);

/* Returns the run that labelled the corpus, for the calls of run.h, borrowed until `decoded` is
 * destroyed. NULL for NULL. The run may be solved further. */
CHORALE_API chorale_run *chorale_decoded_run(chorale_decoded *decoded);

CHORALE_END_DECLS

#endif
