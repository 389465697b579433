/* More about models: instances, the classical model of repeated words, and what a model holds. */
#ifndef CHORALE_EXPERIMENTAL_MODEL_H
#define CHORALE_EXPERIMENTAL_MODEL_H

#include "chorale/decode.h"

CHORALE_BEGIN_DECLS

/* ---- Instances --------------------------------------------------------------------------- */

/* An *instance* is a model of the caller that computes messages and decodes by two callbacks,
 * for instance a semi-Markov model, a clique tree, or a chain on another machine. Its memberships
 * in cliques are numbered from 0 in the order of adding. sizes[p] is the number of scores in a
 * message of membership p: chorale_model_clique_message_size of its clique, R, or R + 2 with EMPTY
 * and CONFLICT last. phi(y) is the score of a labelling y by the caller's model alone.
 *
 * incoming: for each membership a pointer to sizes[p] scores, which may be minus infinity. The two
 * functions return 0, or non-zero to end the run's call with CALLBACK_STOPPED. NaN, plus infinity
 * and magnitudes above 1e290 in their results end the call with CALLBACK_VALUE. The functions are
 * called on the thread that calls the run, or on a worker thread if the run has several threads.
 * They must not unwind (leave by an exception or longjmp). A run makes at most one call at a time
 * on an instance; several runs of the model may call the same instance at the same time. Calls on
 * the run from within the functions fail with BUSY. */
typedef struct chorale_instance {
  size_t struct_size; /* sizeof(chorale_instance) */
  int64_t length;     /* number of labels of a decoded labelling, >= 0 */
  int64_t labels;     /* >= 1: each of these labels is in 0 .. labels - 1 */
  void *user;
  /* Writes outgoing[p][v] = max { phi(y) + sum_{q != p} incoming[q][value of q on y] : p has value
   * v on y }, for all p and v; minus infinity if no such y exists. */
  int32_t (*messages)(void *user, int64_t memberships, const int64_t *sizes,
                      const double *const *incoming, double *const *outgoing);
  /* Finds the y that maximises phi(y) + sum_p incoming[p][value of p on y]. Writes its `length`
   * labels to labelling, the value of each membership on y to values, and phi(y) to *score. If
   * every y is forbidden, writes minus infinity to *score; the other outputs are then ignored. */
  int32_t (*decode)(void *user, int64_t memberships, const int64_t *sizes,
                    const double *const *incoming, int32_t *labelling, int32_t *values,
                    double *score);
} chorale_instance;

/* Adds an instance. *index: receives the number of the instance; may be NULL. The struct is
 * copied; `user` is borrowed until the last reference to the model is released. Errors:
 * STRUCT_SIZE, SIZE. */
CHORALE_API chorale_status chorale_model_builder_add_instance(chorale_model_builder *builder,
                                                              const chorale_instance *instance,
                                                              int64_t *index, chorale_error *error);

/* ---- Repeated words ---------------------------------------------------------------------- */

typedef struct chorale_repeated_words_options {
  size_t struct_size; /* sizeof(chorale_repeated_words_options) */
  int64_t minimum;    /* a token with fewer occurrences in a group (with `across`: in all chains)
                         gets no clique; 0: 2 */
  int32_t across;     /* 1: one clique for all occurrences of a token. 0 (default): one clique for
                         the occurrences in each group */
  int32_t reserved;
  const int32_t *stop; /* `stop_count` token ids, in any order, that get no clique */
  int64_t stop_count;
  /* label_values and `labels` as in chorale_clique_setup. NULL: a label is its own value */
  const int32_t *label_values;
  int64_t labels;
  int64_t values; /* R if label_values is given, else ignored */
} chorale_repeated_words_options;

/* Adds the cliques of the classical model of repeated words: a position clique for every token id
 * that occurs at least `minimum` times in a group (with `across`: in all chains). Only chains added
 * so far count. The members are all these occurrences; `potential` is the potential of each clique.
 * Cliques are numbered by group (unless `across`), then by token id. *first, *count: receive the
 * number of the first clique and the number of cliques; may be NULL.
 * Errors: STRUCT_SIZE, SIZE, VALUES_MISMATCH, LABELS_MISMATCH, OUT_OF_RANGE, TOKENS_MISSING (no
 * chain has tokens). O(N log N) in the number N of tokens. [Sharing labels of repeated words] */
CHORALE_API chorale_status chorale_model_builder_add_repeated_words(
    chorale_model_builder *builder, const chorale_potential *potential,
    const chorale_repeated_words_options *options, int64_t *first, int64_t *count,
    chorale_error *error);

/* ---- What a model holds ------------------------------------------------------------------ */

/* Each returns the number that its name says; 0 for a NULL model and for a clique that does not
 * exist. A centre counts as a member of its clique. Any thread. */
CHORALE_API int64_t chorale_model_member_count(const chorale_model *model); /* of all cliques */
CHORALE_API int64_t chorale_model_clique_member_count(const chorale_model *model, int64_t clique);
/* Returns R of a clique, without EMPTY and CONFLICT. */
CHORALE_API int64_t chorale_model_clique_values(const chorale_model *model, int64_t clique);
/* Returns the number of scores in a message between a clique and a member. R + 2, with EMPTY and
 * CONFLICT, if a member can be EMPTY or CONFLICT or if the potential is over R + 2 values;
 * otherwise R. */
CHORALE_API int64_t chorale_model_clique_message_size(const chorale_model *model, int64_t clique);
/* Returns the number of values of the centre of a clique; 0 if the clique is not centred. */
CHORALE_API int64_t chorale_model_clique_centre_values(const chorale_model *model, int64_t clique);
/* Return the potential, property or dictionary of a clique, borrowed while the model exists. They
 * return NULL if the clique has none, and for a clique or value out of range. Potentials are over R
 * or R + 2 values. A centred clique has centre potentials, one for each value of its centre, and no other potential. Any thread. */
CHORALE_API const chorale_potential *chorale_model_clique_potential(const chorale_model *model,
                                                                    int64_t clique);
CHORALE_API const chorale_potential *
chorale_model_clique_centre_potential(const chorale_model *model, int64_t clique, int64_t value);
CHORALE_API const chorale_property *chorale_model_clique_property(const chorale_model *model,
                                                                  int64_t clique);
CHORALE_API const chorale_dictionary *chorale_model_clique_dictionary(const chorale_model *model,
                                                                      int64_t clique);
/* chorale_model_bytes returns the bytes that the model has allocated, including copied scores.
 * chorale_model_score_bytes returns the bytes of all scores, copied or borrowed, except those of
 * transitions. */
CHORALE_API size_t chorale_model_bytes(const chorale_model *model);
CHORALE_API size_t chorale_model_score_bytes(const chorale_model *model);

/* Returns the model of the run that labelled the corpus, borrowed until `decoded` is destroyed. NULL
 * for NULL. */
CHORALE_API const chorale_model *chorale_decoded_model(const chorale_decoded *decoded);
/* Returns the index of the agreement that a clique of the model belongs to; -1 if `clique` is out
 * of range. */
CHORALE_API int64_t chorale_decoded_agreement(const chorale_decoded *decoded, int64_t clique);

CHORALE_END_DECLS

#endif
