/* Prices: inference for cliques whose members are divided over several models.
 *
 * A word of a corpus or an entity of a knowledge graph may have more members than one machine can
 * label together. The corpus is then divided into parts, each with a model of its own. A *shared
 * clique* has members in several parts; the model of each part has a clique with the members in
 * this part. For each shared clique, the parts send *counts*, the number of their members with each
 * value, and receive *prices*, the score that each value adds to a member.
 *
 * A convex function lies above its tangents. Let C be the potential of a shared clique, a sum over
 * the values v of a convex table f_v of the count n_v. Let n and m be two vectors of counts of the
 * clique, and p_v the slope of f_v at n_v: the price of v. Then
 *
 *     C(m)  >=  C(n) + sum_v p_v (m_v - n_v).
 *
 * This holds for all n and m if f_v(0) = 0 for all v. Otherwise it holds if some member has a
 * counted value in n, and some member has one in m: where no member has one, C is 0 by definition
 * (potential.h).
 *
 * So let n be the present counts, and let every part maximise its own scores plus the prices of its
 * members. Then equation 1 (model.h) of the whole corpus never decreases, for any number of shared
 * cliques. A round over the corpus:
 *
 *     for each shared clique:  add the counts of all parts; chorale_potential_prices
 *     for each part:           chorale_prices_solve, then chorale_prices_counts
 *
 * Labels depend only on the prices, not on earlier calls nor on how the parts are distributed over
 * machines. Counts are integers, whose sums are exact in any order. A round may also solve each
 * part under several alternative prices and keep the best result. Under any prices p,
 *
 *     sum over parts of max (scores + prices)
 *       + sum over shared cliques of max_m [ C(m) - sum_v p_v m_v ]
 *
 * is an upper bound on equation 1; chorale_potential_most computes the maximum over m.
 *
 * [Not in the paper (potential.h). The paper's alpha-pass, section "Clique inference for ADDITIVE
 * potentials", sorts all members of a clique, and so needs all of them on one machine.] */
#ifndef CHORALE_EXPERIMENTAL_PRICES_H
#define CHORALE_EXPERIMENTAL_PRICES_H

#include "chorale/run.h"

CHORALE_BEGIN_DECLS

/* A model in which prices replace the potentials of some cliques (the shared ones), and a run of
 * this model. One thread at a time. */
typedef struct chorale_prices chorale_prices;

/* Creates a run of `model` in which the cliques `cliques[0 .. count-1]` are shared. The model is
 * kept alive; its other cliques are solved as in any run.
 *
 * cliques: numbers of cliques of the model, each once; not centred. Their potentials in the model
 *   only say how many prices a clique has, one for each value of the potential (R or R + 2,
 *   model.h); their families and numbers are not used.
 * options: as for chorale_run_create; NULL for defaults. The option `edits` is ignored;
 *   message_element AUTO means FLOAT64 here, since other formats would round the prices.
 * Errors: those of chorale_run_create; NULL_ARGUMENT, SIZE (count), OUT_OF_RANGE (cliques), KIND (a
 *   centred clique), DUPLICATE_MEMBER (a clique twice). O(chains + members + prices). */
CHORALE_API chorale_status chorale_prices_create(const chorale_host *host,
                                                 const chorale_model *model,
                                                 const int64_t *cliques, int64_t count,
                                                 const chorale_run_options *options,
                                                 chorale_prices **prices, chorale_error *error);
/* Destroys the run; NULL is ignored. */
CHORALE_API void chorale_prices_destroy(chorale_prices *prices);

/* Labels the model under prices, always from a new start: the same prices give the same labels,
 * whatever was solved before. Allocates nothing, except memory that callbacks allocate.
 *
 * numbers: `count` finite doubles, the prices: for each shared clique, in the order in which
 *   `cliques` names them, one price for each value of its potential. A potential over R + 2 values
 *   has them in the order 0 .. R-1, EMPTY, CONFLICT. Under a potential over R values, the price of
 *   EMPTY and CONFLICT is 0. NULL with count 0: all prices are 0.
 * result: as from chorale_run_solve, but clique_score includes the prices of the members of shared
 *   cliques; may be NULL. The `score` of the result is the maximum of scores plus prices, up to
 *   rounding, if no clique that is not shared has two members, and chains are decoded exactly
 *   (message.h). With 0 rounds and no local search the prices are not used, and the labelling is
 *   that of the chains without cliques.
 * *score: receives equation 1 of the labelling found, without shared cliques and without prices:
 *   what this part adds to equation 1 of the corpus, before the potentials of the shared cliques.
 *   Minus infinity if there is no labelling. May be NULL.
 * Errors: those of chorale_run_solve; SHAPE (count), NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (a
 *   magnitude above 1e280). After an error in the arguments the last labelling is kept. */
CHORALE_API chorale_status chorale_prices_solve(chorale_prices *prices, const double *numbers,
                                                int64_t count, double *score,
                                                chorale_run_result *result, chorale_error *error);

/* Writes the counts of the labelling of the last solve: for each shared clique and each value of
 * its potential the number of members with this value (with weights: the sum of their weights), in
 * the same order as the prices in `numbers`. Not counted: members with a value outside a dictionary
 * that has no UNLISTED, and, if the potential has R values, members with EMPTY or CONFLICT.
 *
 * counts: a buffer with `capacity` and `needed` (chorale.h). `needed` is also the `count` that
 *   chorale_prices_solve requires.
 * Errors: NULL_ARGUMENT, SIZE (a negative capacity), CAPACITY, NO_LABELLING (with a buffer),
 *   BUSY. */
CHORALE_API chorale_status chorale_prices_counts(const chorale_prices *prices, int64_t *counts,
                                                 int64_t capacity, int64_t *needed,
                                                 chorale_error *error);

/* Returns the run, for the results of run.h such as labels; borrowed until `prices` is destroyed.
 * The run's model has the cliques of the model passed to create, with prices in place of the
 * potentials of shared cliques. NULL for NULL. */
CHORALE_API const chorale_run *chorale_prices_run(const chorale_prices *prices);

/* Computes the prices and the score of a shared clique from its counts in all parts. The price of a
 * value is the slope of its table.
 *
 * counts: `values` counts >= 0, summed over all parts. Their sum may be below `members`, if some
 *   members have EMPTY or CONFLICT and the potential does not have these values.
 * members: n, the number of members in all parts (with weights: the sum of their weights).
 * prices: receives `values` numbers; 0 for uncounted values. The slope of a table f at a count k is
 *   taken as (f(k + 1) - f(k - 1)) / 2, or as f(1) - f(0) at k = 0 and f(n) - f(n - 1) at k = n.
 *   For Potts this is 2 lambda n_v if 0 < n_v < n. With these slopes the inequality at the top of
 *   this file holds for a convex SUM whose tables begin with 0, for all counts m. If the tables do
 *   not begin with 0, it holds if some count of a counted value is above 0, both in `counts` and in
 *   m. May be NULL.
 * *score: receives C of the counts. May be NULL.
 * Errors: NULL_ARGUMENT (potential, counts), VALUES_MISMATCH, SIZE, OUT_OF_RANGE, TABLE_TOO_SHORT,
 *   KIND (prices: not a SUM that is convex and without forbidden counts),
 *   CALLBACK_VALUE, CALLBACK_STOPPED, OUT_OF_MEMORY (a callback with uncounted values). Any thread.
 *   O(R); the score of a MAJORITY or of PAIRS O(R^2). */
CHORALE_API chorale_status chorale_potential_prices(const chorale_potential *potential,
                                                    const int64_t *counts, int64_t values,
                                                    int64_t members, double *prices, double *score,
                                                    chorale_error *error);

/* Computes max over m of [ C(m) - sum_v p_v m_v ], where C is the potential and m stands for all
 * counts whose sum is at most `members`.
 *
 * prices: `values` finite doubles p_v. *most: receives the maximum.
 * Errors: NULL_ARGUMENT, VALUES_MISMATCH, SIZE, NOT_A_NUMBER, INFINITE, TABLE_TOO_SHORT, KIND (as
 *   in chorale_potential_prices). Any thread. O(R). */
CHORALE_API chorale_status chorale_potential_most(const chorale_potential *potential,
                                                  const double *prices, int64_t values,
                                                  int64_t members, double *most,
                                                  chorale_error *error);

CHORALE_END_DECLS

#endif
