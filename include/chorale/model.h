/* Models: chains, trees and cliques put together for collective inference.
 *
 * A model states the sum that a run (run.h) maximises over the labellings y of all its chains,
 *
 *     sum_i phi_i(y_i)  +  sum_p C_p( the values its members show )               (equation 1)
 *
 * phi_i is the score of chain i (chain.h), C_p the symmetric potential of clique p (potential.h).
 * What a member shows of a labelling depends on the kind of its clique:
 *
 *     property clique   the value of a property of the whole chain (property.h): 0 .. R-1, R for
 *                       EMPTY, R + 1 for CONFLICT. One member a chain.
 *     position clique   the label of one position, or what `label_values` makes of it; a chain may
 *                       have several members. The classical model of repeated words.
 *     centred clique    a position clique with one more member, the centre, and one potential for
 *                       each value of the centre, over the counts of the other members' values
 *                       (link-based classification). A centre alone has counts of 0: its potential
 *                       scores 0, or minus infinity where a table of a SUM forbids that, as where
 *                       no member takes a value that counts (potential.h).
 *
 * Cost of large R. What no member of a property clique can fire has no row, count or room: where R
 * is above 62 and twice what fires, memory and time of model and run follow from the values that
 * can fire, whatever R is, and nothing need be left out by a dictionary. All values that go in or
 * out are the caller's. An instance in the clique may show anything, and a CALLBACK sees all
 * counts: there memory is O(members R), and so it is in position cliques, whose R is that of
 * `values`.
 *
 * Three phases: a mutable *builder* (one thread), a frozen reference-counted *model* (immutable,
 * any thread), and runs over it. Chains, instances and cliques are numbered from 0 in the order in
 * which they are added; chains and instances share their numbers.
 */
#ifndef CHORALE_MODEL_H
#define CHORALE_MODEL_H

#include "chorale/message.h"
#include "chorale/potential.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_model_builder chorale_model_builder;
typedef struct chorale_model chorale_model;

/* Every call on a builder has these errors: NULL_ARGUMENT, FROZEN (it has been frozen),
 * OUT_OF_MEMORY, SIZE_OVERFLOW; each names more. A failed call leaves the builder as it was. */

/* Creates an empty builder. Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_model_builder_create(const chorale_host *host,
                                                        chorale_model_builder **builder,
                                                        chorale_error *error);
/* NULL is ignored. Models made from it live on. */
CHORALE_API void chorale_model_builder_destroy(chorale_model_builder *builder);

/* ---- Chains and trees --------------------------------------------------------------------- */

typedef struct chorale_chain_options {
  size_t struct_size; /* sizeof(chorale_chain_options); set by init */
  /* 1: no array of the chain, nor `tokens`, is copied; all must live, unchanged, until the last
   * reference to the model is released. 0 (default): copied without gaps, element type kept.
   * Transitions are never copied: the model takes a reference. */
  int32_t borrow;
  int32_t reserved;
  int64_t group;         /* the document of the chain, for repeated words. Default 0 */
  const int32_t *tokens; /* T token ids >= 0 (-1: none). NULL: the chain has none */
} chorale_chain_options;

/* Fills `options` with the defaults; pass sizeof(chorale_chain_options). NULL is ignored. */
CHORALE_API void chorale_chain_options_init(chorale_chain_options *options, size_t struct_size);

/* Adds a chain or tree; options: NULL for defaults. *index: its number; may be NULL.
 * Errors: those of a chain (chain.h), STRUCT_SIZE, OUT_OF_RANGE (tokens). O(T m). */
CHORALE_API chorale_status chorale_model_builder_add_chain(chorale_model_builder *builder,
                                                           const chorale_chain *chain,
                                                           const chorale_chain_options *options,
                                                           int64_t *index, chorale_error *error);

/* ---- Oracle instances --------------------------------------------------------------------- */

/* Anything else that can send messages and decode: a semi-Markov model, a clique tree, a chain on
 * another machine. Its memberships in cliques are its *ports*, numbered from 0 in the order in
 * which they are added; port p has `columns[p]` values, those of its clique (R + 2 for property
 * cliques, EMPTY and CONFLICT last).
 *
 * Both functions get `incoming`: one pointer a port, to columns[p] scores, minus infinity allowed;
 * they return 0, or non-zero, which ends the run's call with CALLBACK_STOPPED. NaN, plus infinity
 * and magnitudes above 1e290 end it with CALLBACK_VALUE. They are called on the thread that calls
 * the run, or on a worker if the run has several (at most one call at a time for one instance);
 * they must not unwind, and every call on the run is refused to them (BUSY). */
typedef struct chorale_instance {
  size_t struct_size; /* sizeof(chorale_instance); set by init */
  int64_t length;     /* how many int32_t a decoded labelling takes, >= 0 */
  int64_t labels;     /* an upper bound of those numbers, >= 1: each is from 0 to labels - 1 */
  void *user;
  /* outgoing[p][v] = max { phi(y) + sum_{q != p} incoming[q][value of q on y] : p shows v on y }.
   * Minus infinity where no y shows v. Every entry is to be written. */
  int32_t (*messages)(void *user, int64_t ports, const int64_t *columns,
                      const double *const *incoming, double *const *outgoing);
  /* The y that maximises phi(y) + sum_p incoming[p][value of p on y]: its labelling (`length`
   * numbers), what each port shows on it, and *score = phi(y) alone. Where all are forbidden *score
   * is minus infinity and the rest is not looked at. */
  int32_t (*decode)(void *user, int64_t ports, const int64_t *columns,
                    const double *const *incoming, int32_t *labelling, int32_t *values,
                    double *score);
} chorale_instance;

/* Fills `instance` with zeros; pass sizeof(chorale_instance). NULL is ignored. */
CHORALE_API void chorale_instance_init(chorale_instance *instance, size_t struct_size);

/* Adds an oracle instance. The struct is copied; `user` is borrowed until the last reference to the
 * model is released. Errors: STRUCT_SIZE, SIZE. */
CHORALE_API chorale_status chorale_model_builder_add_instance(chorale_model_builder *builder,
                                                              const chorale_instance *instance,
                                                              int64_t *index, chorale_error *error);

/* ---- Cliques ------------------------------------------------------------------------------ */

typedef struct chorale_clique_setup {
  size_t struct_size; /* sizeof(chorale_clique_setup); set by init */
  /* A property clique: its property; R is that of the dictionary where there is one. The model
   * takes references on both. A labelling that fires a value outside a dictionary without OUT is
   * never decoded; where it is a chain's own best, one such value adds to no count, and two
   * different ones are CONFLICT (with OUT all of them are OUT). NULL: a position clique. */
  const chorale_property *property;
  const chorale_dictionary *dictionary;
  /* A position clique: R, and how labels become values: `labels` entries 0 .. R-1, or -1 for
   * EMPTY; copied. NULL: a label is its own value, R = number of labels of every member's chain. */
  int64_t values;
  const int32_t *label_values;
  int64_t labels;
  /* The potential, over R values: then EMPTY and CONFLICT are left out; or over R + 2: then its
   * `counted` says for each whether it counts. The model takes a reference. */
  const chorale_potential *potential;
  /* A centred clique: centre_values potentials in the place of `potential`, one for each value of
   * the centre, all over R (or all over R + 2) values. The centre's value is its label, or what
   * centre_label_values (centre_labels entries 0 .. centre_values-1; copied) makes of it.
   * centre_values 0: not centred. */
  const chorale_potential *const *centre_potentials;
  int64_t centre_values;
  const int32_t *centre_label_values;
  int64_t centre_labels;
} chorale_clique_setup;

/* Fills `setup` with zeros; pass sizeof(chorale_clique_setup). NULL is ignored. */
CHORALE_API void chorale_clique_setup_init(chorale_clique_setup *setup, size_t struct_size);

/* Adds a clique without members; a clique that stays so is legal, adds nothing, and is warned of
 * through the log. Errors: STRUCT_SIZE, SIZE (values), VALUES_MISMATCH (potential), OUT_OF_RANGE
 * (label_values), KIND (both property and centre). */
CHORALE_API chorale_status chorale_model_builder_add_clique(chorale_model_builder *builder,
                                                            const chorale_clique_setup *setup,
                                                            int64_t *index, chorale_error *error);

typedef struct chorale_member_options {
  size_t struct_size;     /* sizeof(chorale_member_options); set by init */
  const int32_t *classes; /* as in chorale_attachment; NULL: 0 */
  const int32_t *table;   /* as in chorale_attachment; NULL: the tokens of the chain */
  int32_t borrow;         /* 1: both are borrowed until the last release of the model. Default 0 */
  int32_t reserved;
} chorale_member_options;

/* Fills `options` with the defaults; pass sizeof(chorale_member_options). NULL is ignored. */
CHORALE_API void chorale_member_options_init(chorale_member_options *options, size_t struct_size);

/* Adds a whole chain to a property clique, or an instance (its next port) to any clique that is not
 * centred. options: NULL for defaults; not looked at for instances.
 * Errors: OUT_OF_RANGE (clique, chain, classes), KIND (a chain in a position clique),
 * DUPLICATE_MEMBER, LABELS_MISMATCH, AUTOMATON_ON_TREE, TOKENS_MISSING (the property reads a table,
 * none is given and the chain has no tokens), VALUE_OUTSIDE_RANGE (table), STRUCT_SIZE. */
CHORALE_API chorale_status chorale_model_builder_add_member(chorale_model_builder *builder,
                                                            int64_t clique, int64_t chain,
                                                            const chorale_member_options *options,
                                                            chorale_error *error);

/* Adds one position of a chain to a position or centred clique.
 * Errors: OUT_OF_RANGE, KIND (a property clique, an instance), DUPLICATE_MEMBER, LABELS_MISMATCH.
 */
CHORALE_API chorale_status chorale_model_builder_add_position(chorale_model_builder *builder,
                                                              int64_t clique, int64_t chain,
                                                              int64_t position,
                                                              chorale_error *error);

/* Makes a position the centre of a centred clique; the last call counts. A centred clique without
 * a centre at the end is STATE when frozen. Errors: as for a position; KIND too where the clique is
 * not centred. */
CHORALE_API chorale_status chorale_model_builder_set_centre(chorale_model_builder *builder,
                                                            int64_t clique, int64_t chain,
                                                            int64_t position, chorale_error *error);

typedef struct chorale_repeated_words_options {
  size_t struct_size; /* sizeof(chorale_repeated_words_options); set by init */
  int64_t minimum;    /* occurrences that make a clique, >= 1. Default 2 */
  int32_t across;     /* 1: over all groups; 0 (default): within each group */
  int32_t reserved;
  const int32_t *stop; /* `stop_count` token ids that make no cliques; in any order */
  int64_t stop_count;
  /* As in chorale_clique_setup. NULL: labels are their own values */
  const int32_t *label_values;
  int64_t labels;
  int64_t values; /* R where label_values is given */
} chorale_repeated_words_options;

/* Fills `options` with the defaults; pass sizeof(chorale_repeated_words_options). NULL ignored. */
CHORALE_API void chorale_repeated_words_options_init(chorale_repeated_words_options *options,
                                                     size_t struct_size);

/* The classical model: a position clique for every token id that occurs often enough in the chains
 * added so far (those that have tokens), each with all occurrences as members. Cliques are numbered
 * by group (unless across), then by token id. *first, *count: their numbers; may be NULL.
 * Errors: STRUCT_SIZE, SIZE, VALUES_MISMATCH, LABELS_MISMATCH, OUT_OF_RANGE, TOKENS_MISSING (no
 * chain has tokens). O(N log N) in the number N of tokens. [Sharing labels of repeated words] */
CHORALE_API chorale_status chorale_model_builder_add_repeated_words(
    chorale_model_builder *builder, const chorale_potential *potential,
    const chorale_repeated_words_options *options, int64_t *first, int64_t *count,
    chorale_error *error);

/* ---- The frozen model --------------------------------------------------------------------- */

/* Freezes: what was added becomes a model with one reference, and the builder can only be destroyed
 * (FROZEN). Every potential's tables are checked against its cliques. Errors: STATE (no centre),
 * TABLE_TOO_SHORT. O(members log members), for property cliques of large R O(T m states) a member
 * to find what can fire, and O(R) a clique where tables are given for each value. */
CHORALE_API chorale_status chorale_model_builder_freeze(chorale_model_builder *builder,
                                                        chorale_model **model,
                                                        chorale_error *error);

/* The same chains, members and cliques with other strengths: C of clique c becomes factors[c] * C.
 * The chains are shared with `model`, which is kept alive, so that trying strengths copies no
 * scores; runs of one may start from runs of the other (chorale_run_create, `earlier`).
 *
 * factors: by clique, finite, >= 0; what C forbids stays forbidden at 0. NULL only where there are
 *   no cliques. *reweighed: a model with one reference.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (as in
 * chorale_potential_create_scaled), OUT_OF_MEMORY. O(chains + members + cliques). Any thread. */
CHORALE_API chorale_status chorale_model_reweigh(const chorale_host *host,
                                                 const chorale_model *model, const double *factors,
                                                 chorale_model **reweighed, chorale_error *error);

/* Scores any labelling under the model (equation 1), gold labels say, without a run.
 *
 * labels: of all positions, chain by chain, as chorale_run_all_labels gives them; `count` of them.
 * *score: the sum; chain_scores: phi of each chain; clique_scores: C of each clique. Each may be
 *   NULL. Minus infinity where the labelling is forbidden. A value outside a dictionary without OUT
 *   adds to no count.
 * Errors: NULL_ARGUMENT (model, labels), STRUCT_SIZE, SHAPE (count), OUT_OF_RANGE (labels), KIND
 * (an instance, which scores what it decodes alone), CALLBACK_STOPPED, CALLBACK_VALUE,
 * OUT_OF_MEMORY (scratch, which is freed again). O(positions + members + columns). Any thread. */
CHORALE_API chorale_status chorale_model_score(const chorale_host *host,
                                               const chorale_model *model, const int32_t *labels,
                                               int64_t count, double *score, double *chain_scores,
                                               double *clique_scores, chorale_error *error);

/* Adds a reference and returns its argument; NULL stays NULL. Atomic: any thread. */
CHORALE_API chorale_model *chorale_model_retain(const chorale_model *model);
/* Drops a reference, and the model with the last one; NULL is ignored. Runs hold references, so a
 * model may be released while they go on. Atomic: any thread. */
CHORALE_API void chorale_model_release(const chorale_model *model);

/* Sizes; 0 for NULL, 0 for numbers out of range. Any thread. */
CHORALE_API int64_t chorale_model_chain_count(const chorale_model *model); /* instances included */
CHORALE_API int64_t chorale_model_clique_count(const chorale_model *model);
CHORALE_API int64_t chorale_model_member_count(const chorale_model *model); /* of all cliques */
CHORALE_API int64_t chorale_model_chain_length(const chorale_model *model, int64_t chain);
CHORALE_API int64_t chorale_model_clique_member_count(const chorale_model *model, int64_t clique);
/* R of a clique: EMPTY and CONFLICT are not among them. */
CHORALE_API int64_t chorale_model_clique_values(const chorale_model *model, int64_t clique);
/* What a member of a clique can show: R + 2 with EMPTY and CONFLICT, R where nothing can be EMPTY.
 * So long are rows over its values. */
CHORALE_API int64_t chorale_model_clique_columns(const chorale_model *model, int64_t clique);
/* How many values the centre of a clique can show; 0 where it is not centred. */
CHORALE_API int64_t chorale_model_clique_centre_values(const chorale_model *model, int64_t clique);
/* What a clique was added with: borrowed while the model lives, NULL where there is none, and for
 * numbers out of range. The potential is over R or R + 2 values, with the factors of
 * chorale_model_reweigh applied; a centred clique has one for each value of its centre in its
 * place. Any thread. */
CHORALE_API const chorale_potential *chorale_model_clique_potential(const chorale_model *model,
                                                                    int64_t clique);
CHORALE_API const chorale_potential *
chorale_model_clique_centre_potential(const chorale_model *model, int64_t clique, int64_t value);
CHORALE_API const chorale_property *chorale_model_clique_property(const chorale_model *model,
                                                                  int64_t clique);
CHORALE_API const chorale_dictionary *chorale_model_clique_dictionary(const chorale_model *model,
                                                                      int64_t clique);
/* Bytes the model holds, copied scores included, and bytes of all scores, copied or borrowed
 * (shared transitions left out). */
CHORALE_API size_t chorale_model_bytes(const chorale_model *model);
CHORALE_API size_t chorale_model_score_bytes(const chorale_model *model);

/* What a chain was added as. scores: its arrays, as they could be given to chorale_chain_solve;
 * options: its tokens (NULL: none) and group. Both are set up with their init functions before, and
 * either may be NULL. All pointers are borrowed while the model lives.
 * Errors: NULL_ARGUMENT (model), STRUCT_SIZE, OUT_OF_RANGE, KIND (an instance). Any thread. */
CHORALE_API chorale_status chorale_model_get_chain(const chorale_model *model, int64_t chain,
                                                   chorale_chain *scores,
                                                   chorale_chain_options *options,
                                                   chorale_error *error);

/* Member `member` of a clique, in the order of adding (a centre is the last): its chain, and its
 * position, -1 for a whole chain or an instance. Errors: NULL_ARGUMENT, OUT_OF_RANGE. Any thread.
 */
CHORALE_API chorale_status chorale_model_get_member(const chorale_model *model, int64_t clique,
                                                int64_t member, int64_t *chain, int64_t *position,
                                                chorale_error *error);

CHORALE_END_DECLS

#endif
