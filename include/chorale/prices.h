/* Prices: cliques with members in several models, too large for any one of them.
 *
 * A word of a corpus or an entity of a knowledge graph may have more members than one machine can
 * label together. The corpus is then divided into parts, each with a model of its own, and each of
 * these models has a clique with the members that are in this part. Such a *shared clique* is linked
 * with the other parts by two rows of numbers: the parts send *counts*, how many of their members
 * have each value, and receive *prices*, what a member is paid for each value.
 *
 * A convex sum lies above its tangents: for counts n, prices p_v, the slopes of f_v at n_v, and any
 * other counts m of the same clique,
 *
 *     C(m)  >=  C(n) + sum_v p_v (m_v - n_v).
 *
 * So when every part maximises its own scores plus the prices of its members, the sum over all parts
 * (equation 1 of model.h, over the whole corpus) does not fall, however many cliques are shared. A
 * round of the corpus:
 *
 *     for each shared clique:  add the counts of all parts; chorale_potential_prices
 *     for each part:           chorale_prices_solve, then chorale_prices_counts
 *
 * Labels depend on the prices alone, not on earlier calls, nor on how the parts are distributed.
 * Counts are integers, whose sums are exact in any order. For the price of one more row, a round may
 * solve each part under several rows of prices; the best is kept. Under any prices p,
 *
 *     sum over parts of max (scores + prices)  +  sum over shared cliques of max_m C(m) - p m
 *
 * is an upper bound on equation 1; chorale_potential_most computes the second maximum.
 *
 * [Beyond the paper: the alpha-pass with its seeds, section "Clique inference for ADDITIVE
 * potentials", sorts the members of a clique, which takes a list of them.]
 */
#ifndef CHORALE_PRICES_H
#define CHORALE_PRICES_H

#include "chorale/run.h"

CHORALE_BEGIN_DECLS

/* A model in which some cliques are paid by prices in the place of their potentials, and a run of
 * it. One thread at a time. */
typedef struct chorale_prices chorale_prices;

/* Creates a run of `model` in which the cliques `cliques[0 .. count-1]` are shared. The model is
 * kept alive; its other cliques are solved as in any run.
 *
 * cliques: numbers of cliques of the model, each once; not centred. Their potentials give the
 *   number of values, R or R + 2, and nothing else: any family serves, with any numbers.
 * options: as for chorale_run_create; NULL for defaults. edits is taken as 0, and message_element
 *   AUTO as FLOAT64, since rounded prices would not be what was asked.
 * Errors: those of chorale_run_create; NULL_ARGUMENT, SIZE (count), OUT_OF_RANGE (cliques), KIND (a
 *   centred clique), DUPLICATE_MEMBER (a clique twice). O(chains + members + prices). */
CHORALE_API chorale_status chorale_prices_create(const chorale_host *host,
                                                 const chorale_model *model,
                                                 const int64_t *cliques, int64_t count,
                                                 const chorale_run_options *options,
                                                 chorale_prices **prices, chorale_error *error);
/* NULL is ignored. */
CHORALE_API void chorale_prices_destroy(chorale_prices *prices);

/* Labels the model under prices, from the beginning: the same numbers give the same labels whatever
 * was solved before. Allocates nothing, except what callbacks do.
 *
 * numbers: `count` finite doubles: for each shared clique in the order of creation, one for each
 *   value of its potential; R + 2 values are 0 .. R-1, EMPTY, CONFLICT. Members of a potential over
 *   R values are paid 0 for EMPTY and CONFLICT. NULL with count 0: all prices are 0.
 * result: as of chorale_run_solve, with the payments of prices as scores of the shared cliques; may
 *   be NULL. Where no other clique has two members in one connected component, its `score` is the
 *   maximum, up to rounding.
 * *score: receives equation 1 without the shared cliques and without payments, of the labelling
 *   found: the part's share in equation 1 of the corpus. Minus infinity where there is none. May be
 *   NULL.
 * Errors: those of chorale_run_solve; SHAPE (count), NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (a
 *   magnitude above 1e280). After an error in the arguments the last labelling stays. */
CHORALE_API chorale_status chorale_prices_solve(chorale_prices *prices, const double *numbers,
                                                int64_t count, double *score,
                                                chorale_run_result *result, chorale_error *error);

/* Writes how many members of each shared clique have each value in the labelling of the last solve,
 * in the layout of `numbers`. Members with a value outside a dictionary, and by a potential over R
 * values those that are EMPTY or CONFLICT, are in no count.
 *
 * counts: a buffer with `capacity` and `needed` (chorale.h). `needed` is also the `count` that
 *   chorale_prices_solve asks for.
 * Errors: NULL_ARGUMENT, SIZE (a negative capacity), CAPACITY, NO_LABELLING (with a buffer), BUSY.
 */
CHORALE_API chorale_status chorale_prices_counts(const chorale_prices *prices, int64_t *counts,
                                                 int64_t capacity, int64_t *needed,
                                                 chorale_error *error);

/* Returns the run, for the results of run.h such as labels; borrowed until `prices` is destroyed.
 * Its model has the cliques of the given one, with prices for potentials. NULL for NULL. */
CHORALE_API const chorale_run *chorale_prices_run(const chorale_prices *prices);

/* Computes the prices of a whole shared clique at given counts: the slopes of its tables, or for
 * MAJORITY the weights of the value of highest count, which hold while that value keeps it.
 *
 * counts: `values` counts >= 0 of all parts together, with a sum of at most `members`. The other
 *   members have no value of this potential. members: n, of all parts.
 * prices: receives `values` numbers; 0 for uncounted values. Between two steps of a table, the mean
 *   of both: for Potts 2 lambda n_v. The inequality above holds for a convex SUM and all counts m
 *   with a counted member, and for all counts if the tables begin with 0. May be NULL.
 * *score: receives C of the counts. May be NULL.
 * Errors: NULL_ARGUMENT (potential, counts), VALUES_MISMATCH, SIZE, OUT_OF_RANGE, TABLE_TOO_SHORT,
 *   KIND (prices: neither MAJORITY nor a SUM that is convex and without forbidden counts),
 *   CALLBACK_VALUE, CALLBACK_STOPPED. Any thread. O(R), for MAJORITY O(R^2). */
CHORALE_API chorale_status chorale_potential_prices(const chorale_potential *potential,
                                                    const int64_t *counts, int64_t values,
                                                    int64_t members, double *prices, double *score,
                                                    chorale_error *error);

/* Computes an upper bound on C(m) - sum_v p_v m_v over all counts m of `members` members, some of
 * which may have no value of this potential. Exact for a convex SUM; for MAJORITY, counts may be
 * fractions.
 *
 * prices: `values` finite doubles. *most: receives the bound.
 * Errors: NULL_ARGUMENT, VALUES_MISMATCH, SIZE, NOT_A_NUMBER, INFINITE, TABLE_TOO_SHORT, KIND (as
 *   above), OUT_OF_MEMORY (MAJORITY). Any thread. O(R), for MAJORITY O(R^2 log R). */
CHORALE_API chorale_status chorale_potential_most(const chorale_potential *potential,
                                                  const double *prices, int64_t values,
                                                  int64_t members, double *most,
                                                  chorale_error *error);

/* Joins what must lie in one part: chains, or whole documents, with a member in the same clique that
 * is not shared. Parts made of whole components have the labels of one run over all of them.
 *
 * What is joined has numbers from 0 to count - 1, for instance documents and cliques in one
 * numbering, with a pair for each membership. Further pairs may be given by further calls.
 *
 * first, second: `pairs` numbers: first[k] and second[k] are of one component.
 * components: `count` numbers: components[i] is at most i and of the same component, i itself before
 *   the first call. Receives the lowest number of each component.
 * Errors, after which nothing has changed: NULL_ARGUMENT, SIZE, SIZE_OVERFLOW (count above
 *   2^31 - 1), OUT_OF_RANGE (a number). Any thread. Allocates nothing. By union and find:
 *   O((count + pairs) log count). */
CHORALE_API chorale_status chorale_components_join(const int32_t *first, const int32_t *second,
                                                   int64_t pairs, int32_t *components,
                                                   int64_t count, chorale_error *error);

CHORALE_END_DECLS

#endif
