/* Models: chains, trees and cliques for collective inference.
 *
 * A *clique* is a set of *members*, each a chain or a position of a chain, whose values a potential
 * scores together. A *membership* is one member of one clique. A *token* is a number that stands
 * for a word; a *group* is a number that stands for a set of chains, such as a document.
 *
 * A model defines the sum that a run (run.h) maximises over the labellings y of all its chains,
 *
 *     sum_i phi_i(y_i)  +  sum_p C_p( counts of the values of the members of p )    (equation 1)
 *
 * phi_i is the score of chain i (chain.h), C_p the symmetric potential of clique p (potential.h).
 * The value of a member under a labelling depends on the kind of its clique:
 *
 *     property clique   the value of a property of the whole chain (property.h): 0 .. R-1, R for
 *                       EMPTY, R + 1 for CONFLICT. At most one member for each chain.
 *     position clique   the label of one position, or the value that label_values of
 *                       chorale_clique_setup gives to this label. A chain may have several members.
 *                       Used in the classical model of repeated words.
 *     centred clique    a position clique with one more member, the centre, and one potential for
 *                       each value of the centre, over the counts of the other members' values
 *                       (link-based classification). With no other member the potential is 0, or
 *                       minus infinity if a table of a SUM forbids a count of 0 (potential.h).
 *
 * Cost of large R. If the members of a property clique can fire only few of its R values (property.h),
 * memory and time of model and run depend on the number of these instead of R. No dictionary is then needed to save memory. Arguments and results of calls still have the
 * property's own value numbers. In these cliques memory is always O(members R): position cliques;
 * property cliques with an instance (a model of the caller) as a member, since it
 * may have any value; property cliques with a CALLBACK potential, since it receives all counts.
 *
 * A *builder* is mutable, and used by one thread at a time. It is frozen into a *model*, which is
 * immutable and reference-counted, and may be used from any thread; runs operate on models. Chains
 * and instances are numbered together from 0 in the order of adding; cliques are numbered
 * from 0 in the order of adding.
 */
#ifndef CHORALE_MODEL_H
#define CHORALE_MODEL_H

#include "chorale/potential.h"
#include "chorale/property.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_model_builder chorale_model_builder;
typedef struct chorale_model chorale_model;

/* Errors of every call on a builder: NULL_ARGUMENT, FROZEN (the builder has been frozen),
 * OUT_OF_MEMORY, SIZE_OVERFLOW. Further errors are named at each call. A failed call leaves the
 * builder unchanged. */

/* Creates an empty builder. Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_model_builder_create(const chorale_host *host,
                                                        chorale_model_builder **builder,
                                                        chorale_error *error);
/* Destroys a builder; NULL is ignored. Models frozen from it are not affected. */
CHORALE_API void chorale_model_builder_destroy(chorale_model_builder *builder);

/* ---- Chains and trees --------------------------------------------------------------------- */

typedef struct chorale_chain_options {
  size_t struct_size; /* sizeof(chorale_chain_options) */
  /* 1: the arrays of the chain and `tokens` are not copied, and must stay valid and unchanged until
   * the last reference to the model is released. 0 (default): they are copied without gaps, in the
   * same element type. Transitions are never copied: the model takes a reference. */
  int32_t borrow;
  int64_t group;         /* number of the chain's group (document). Default 0 */
  const int32_t *tokens; /* by position, T entries: a token id >= 0, or -1 for none. NULL: the chain
                            has no tokens */
} chorale_chain_options;

/* Adds a chain or tree; options: NULL for defaults. *index: receives the number of the chain; may
 * be NULL.
 * Errors: those of a chain (chain.h), STRUCT_SIZE, OUT_OF_RANGE (tokens). O(T m). */
CHORALE_API chorale_status chorale_model_builder_add_chain(chorale_model_builder *builder,
                                                           const chorale_chain *chain,
                                                           const chorale_chain_options *options,
                                                           int64_t *index, chorale_error *error);

/* ---- Corpora --------------------------------------------------------------------------------- */

/* Many chains in one call.
 *
 * A *ragged array* is one array of entries and `count + 1` ascending offsets: part i is the entries
 * offsets[i] .. offsets[i + 1] - 1, as in Arrow's large lists and SciPy's CSR matrices. The first
 * offset may be above 0, for a slice of a larger array.
 *
 * Chains with the same number of labels, as ragged arrays. If chains have different sets of labels,
 * the labels of the corpus are those of all chains, and `allowed` says which a chain has. N is the number
 * of positions of all chains. A position is numbered by its index in the arrays: from offsets[0] to
 * offsets[chains] - 1, or from 0 to chains - 1 if `offsets` is NULL. */
typedef struct chorale_corpus {
  size_t struct_size;     /* sizeof(chorale_corpus) */
  int64_t chains;         /* >= 0 */
  const int64_t *offsets; /* by chain its first position, and after these the position after the last
                             one: chains + 1 entries, ascending. NULL: every chain has one position
                             (it is a single item) */
  int64_t labels;         /* m, the number of labels, >= 1 */
  chorale_element element; /* of unary: CHORALE_FLOAT64 (default) or CHORALE_FLOAT32 */
  /* 1: `unary`, `edges`, `tokens`, `forced` and `allowed` are not copied; they must stay valid and
   * unchanged until the last reference to the model is released. 0 (default): copied. */
  int32_t borrow;
  /* By position m scores; minus infinity forbids a label. That of label y at position p is at p *
   * unary_row_stride + y * unary_column_stride, in elements. Strides of 0: rows without gaps. */
  const void *unary;
  int64_t unary_row_stride;
  int64_t unary_column_stride;
  const chorale_transitions *transitions; /* those of all chains; NULL: all scores are 0 */
  const int32_t *tokens; /* by position: a token id >= 0, or -1 for none. NULL: no chain has any */
  const int64_t *groups; /* by chain: the number of its group (document). NULL: 0 for all */
  /* Labels that take no part in the agreement of positions (decode.h): positions gain nothing by
   * having them together, and may gain by leaving them. The label of no entity ("O") ought to be
   * one: on novels it costs 8 points of F1 if it takes part. NULL: all take part */
  const int32_t *uncounted;
  int64_t uncounted_count; /* at least 1 if `uncounted` is given */
  /* By position: m x m scores without gaps, of the type of `unary`, which replace the edge scores and
   * the mask of `transitions`: entry [x][y] is the score of label y at this position after label x
   * at the one before it. The matrix of the first position of a chain is not read. NULL: the edge
   * scores of `transitions` */
  const void *edges;
  const int32_t *forced;  /* by position: the label that it must take, or -1: free. NULL: all free */
  const uint8_t *allowed; /* by position: m bytes, 0 forbids a label. NULL: all allowed */
  /* By chain: how many equal chains it stands for, from 1 to 2^31 - 1, such as equal rows of a table.
   * Its scores, with those of `transitions`, are copied and multiplied by this number, and so are
   * the weights of its members in agreements (decode.h), whose strengths must then be >= 0. `minimum`
   * of an agreement and prices of rules count the chain once. NULL: 1 for all */
  const int64_t *counts;
} chorale_corpus;

/* Adds every chain of a corpus. *first: receives the number of the first chain; the other chains
 * have the numbers after it. May be NULL. Errors: those of every call on a builder (model.h);
 * NULL_ARGUMENT (corpus, unary where N > 0), STRUCT_SIZE, SIZE, STRIDE, UNKNOWN_CONSTANT,
 * OUT_OF_RANGE (offsets that descend or are negative, tokens, forced, counts), NOT_A_NUMBER, INFINITE,
 * LABELS_MISMATCH (transitions). O(N m), with `edges` O(N m^2). */
CHORALE_API chorale_status chorale_model_builder_add_corpus(chorale_model_builder *builder,
                                                            const chorale_corpus *corpus,
                                                            int64_t *first, chorale_error *error);

/* ---- Cliques ------------------------------------------------------------------------------ */

/* A subset of the values of a property, made by calls of experimental.h. */
typedef struct chorale_dictionary chorale_dictionary;

typedef struct chorale_clique_setup {
  size_t struct_size; /* sizeof(chorale_clique_setup) */
  /* For a property clique: its property, and a dictionary or NULL. R is the number of values of the
   * dictionary, or of the property if there is no dictionary. The model takes references on both.
   * property NULL: a position clique.
   *
   * Values of the property outside the dictionary: with UNLISTED, all of them are the value
   * UNLISTED. Without UNLISTED, decoding under messages never returns a labelling that fires a
   * value outside. The best labelling of a chain without cliques may do so: if it fires one value
   * outside and no other value, the member adds to no count; if it fires two different values, the
   * member has the value CONFLICT. */
  const chorale_property *property;
  const chorale_dictionary *dictionary;
  /* For a position clique. values: R. label_values: the value of each label, `labels` entries, each
   * in 0 .. R-1, or -1 for EMPTY; copied. label_values NULL: a label is its own value, and R must
   * be the number of labels of every member's chain. */
  int64_t values;
  const int32_t *label_values;
  int64_t labels;
  /* The potential, over R values or over R + 2 values. Over R values, EMPTY and CONFLICT are
   * uncounted (potential.h); over R + 2 values they are counted unless the `counted` option of the
   * potential says otherwise. The model takes a reference. */
  const chorale_potential *potential;
  /* For a centred clique: centre_values potentials instead of `potential`, one for each value of
   * the centre, all over R values or all over R + 2 values. The value of the centre is the label of
   * its position, or the entry of this label in centre_label_values (centre_labels entries in 0 ..
   * centre_values-1; copied). centre_values 0: the clique is not centred. */
  const chorale_potential *const *centre_potentials;
  int64_t centre_values;
  const int32_t *centre_label_values;
  int64_t centre_labels;
} chorale_clique_setup;

/* Adds `count` >= 0 cliques without members, all with the same `setup`. *first: receives the number
 * of the first clique; the others have the numbers after it. May be NULL. A clique that never
 * receives members adds nothing to equation 1, and a warning is written to the log.
 * Errors: STRUCT_SIZE, SIZE (values, count), VALUES_MISMATCH (potential), OUT_OF_RANGE
 * (label_values), KIND (a property and a centre). O(count). */
CHORALE_API chorale_status chorale_model_builder_add_cliques(chorale_model_builder *builder,
                                                             const chorale_clique_setup *setup,
                                                             int64_t count, int64_t *first,
                                                             chorale_error *error);

/* Members of the cliques first .. first + cliques - 1. An *entry* of the arrays is one member;
 * clique first + c receives the entries offsets[c] .. offsets[c + 1] - 1, in this order. */
typedef struct chorale_members {
  size_t struct_size; /* sizeof(chorale_members) */
  int64_t first;
  int64_t cliques;          /* >= 0 */
  /* Clique first + c gets the members offsets[c] .. offsets[c + 1] - 1: cliques + 1 entries, ascending. */
  const int64_t *offsets;
  const int64_t *chains;    /* by entry: the number of a chain in the model */
  /* By entry: a position in this chain, or -1 for the whole chain. NULL: whole chains in property
   * cliques, position 0 in others, as for single items. An instance joins as a whole. */
  const int64_t *positions;
  /* By entry: how often the member counts, >= 1: the weights w_i ("Weights" in clique.h). The count
   * of a value is the sum of the weights of the members with this value, and n is the sum of all
   * weights; this holds in the potential, in reasons (run.h). The scores of the members are not
   * multiplied. If the options of a run ask for exact max-marginals or for an algorithm that takes no
   * weights, they do not apply to cliques with weights. NULL: 1 for all. */
  const int64_t *weights;
  /* By clique: the chain of its centre, in place of one that it had. Freezing with a centred clique
   * without centre fails with STATE. NULL: no centre is set. */
  const int64_t *centre_chains;
  const int64_t *centre_positions; /* by clique: the position of its centre; NULL: 0 for all */
  /* By entry, for a whole chain: the class of each of its positions (property.h). NULL, or NULL for a
   * chain: all 0. */
  const int32_t *const *classes;
  /* By entry, for a whole chain: a number for each of its positions. FIRE_TABLE (property.h) fires it,
   * -1 for none; a property of create_token_label compares it, such as a token id. NULL, or NULL for
   * a chain: the tokens of the chain. */
  const int32_t *const *tables;
  /* 1: the arrays of classes and tables are not copied, and must stay valid and unchanged until the
   * last reference to the model is released. 0 (default): copied. */
  int32_t borrow;
  int32_t reserved;
} chorale_members;

/* Adds members to cliques: positions to position or centred cliques, whole chains to property
 * cliques, and instances to any clique that is not centred, as the next membership of the instance.
 * Adds everything or nothing. All members of a clique with a weight above 1 are added in one call.
 *
 * Errors: NULL_ARGUMENT (members, offsets, chains), STRUCT_SIZE, SIZE (cliques), OUT_OF_RANGE (first,
 * offsets, chains, positions, weights, classes), KIND (a position for a property clique, a whole
 * chain for another, an instance in a centred clique, a centre for a clique that is not centred),
 * DUPLICATE_MEMBER, LABELS_MISMATCH, AUTOMATON_ON_TREE, TOKENS_MISSING (the property reads a table,
 * none is given, and the chain has no tokens), VALUE_OUTSIDE_RANGE (tables), STATE (a clique with
 * weights already, or weights for one with members already). For a clique with a weight above 1 also
 * SIZE_OVERFLOW (its weights sum to more than 2^31 - 1), WEIGHTS (its potential does not take
 * weights, see clique.h, or it is centred) and TABLE_TOO_SHORT. O(entries) if each clique's entries
 * ascend by chain, then position; O(entries log entries) otherwise. */
CHORALE_API chorale_status chorale_model_builder_add_members(chorale_model_builder *builder,
                                                             const chorale_members *members,
                                                             chorale_error *error);

/* ---- The frozen model --------------------------------------------------------------------- */

/* Creates a model with one reference from the builder; afterwards every call on the builder except
 * destroy fails with FROZEN. Checks the tables of every potential against the sizes of its cliques.
 * Errors: STATE (no centre), TABLE_TOO_SHORT. O(members log members); for property cliques of large
 * R also O(T m states) for each member, to find the values that can fire, and O(R) for each clique
 * whose potential has a table for each value. */
CHORALE_API chorale_status chorale_model_builder_freeze(chorale_model_builder *builder,
                                                        chorale_model **model,
                                                        chorale_error *error);

/* Evaluates equation 1 for any labelling, such as gold labels, without a run.
 *
 * labels: `count` labels, one for each position, chain by chain. A chain with a label of -1 is left out, as a run leaves out a chain without a labelling:
 *   its phi is minus infinity, but neither phi nor its members count in equation 1.
 * *score: receives equation 1. chain_scores: receives phi of each chain. clique_scores: receives C
 *   of each clique. Each may be NULL. Entries are minus infinity where the labelling is forbidden.
 *   A member with a value outside a dictionary without UNLISTED adds to no count.
 * Errors: NULL_ARGUMENT (model, labels), STRUCT_SIZE, SHAPE (count), OUT_OF_RANGE (labels), KIND
 * (the model has an instance, which cannot score given labels), CALLBACK_STOPPED, CALLBACK_VALUE,
 * OUT_OF_MEMORY (scratch, which is freed again). O(positions + members + values of all cliques).
 * Any thread. */
CHORALE_API chorale_status chorale_model_score(const chorale_host *host,
                                               const chorale_model *model, const int32_t *labels,
                                               int64_t count, double *score, double *chain_scores,
                                               double *clique_scores, chorale_error *error);

/* Drops a reference; dropping the last one destroys the model. NULL is ignored. Runs hold their own
 * references. Atomic: any thread. */
CHORALE_API void chorale_model_release(const chorale_model *model);

/* Return the numbers of chains and of cliques; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_model_chain_count(const chorale_model *model); /* instances included */
CHORALE_API int64_t chorale_model_clique_count(const chorale_model *model);

/* Writes the arrays of a chain to *scores, in the form that chorale_chain_solve takes, and its
 * tokens (NULL: none) and group to *options; either may be NULL. All pointers are borrowed while the model exists.
 * Of an instance only length and labels are written. Errors: NULL_ARGUMENT (model), STRUCT_SIZE,
 * OUT_OF_RANGE. Any thread. */
CHORALE_API chorale_status chorale_model_get_chain(const chorale_model *model, int64_t chain,
                                                   chorale_chain *scores,
                                                   chorale_chain_options *options,
                                                   chorale_error *error);

/* Writes all members of a clique, in the order of adding; a centre is the last.
 *
 * chains, positions, weights: arrays of `capacity` entries each; any of them may be NULL. They
 *   receive the chain of each member, its position (-1: a whole chain or an instance), and its
 *   weight, or 1 if the clique has no weights. Together they are a buffer with `capacity` and
 *   `needed` (chorale.h).
 * Errors: NULL_ARGUMENT, OUT_OF_RANGE, SIZE, CAPACITY. O(members). Any thread. */
CHORALE_API chorale_status chorale_model_get_members(const chorale_model *model, int64_t clique,
                                                 int64_t *chains, int64_t *positions,
                                                 int64_t *weights, int64_t capacity,
                                                 int64_t *needed, chorale_error *error);

CHORALE_END_DECLS

#endif
