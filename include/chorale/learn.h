/* Learning: computes strengths and potentials of cliques from labelled documents.
 *
 *     chorale_learn(NULL, &problem, 1, NULL, &learnt, &error);       problems with gold labels in
 *     chorale_learnt_apply(NULL, learnt, other, &model, &error);     potentials out
 *     chorale_learnt_destroy(learnt);
 *
 * Input. Problems (problem.h) with gold labels, whose cliques have *kinds*
 * (chorale_problem_set_cliques; chorale_problem_create_agreeing makes one kind for each agreement).
 * Cliques of one kind share weights; cliques of kind -1 keep their potentials. The unary scores
 * must come from a tagger that has not seen the gold labels. So divide the data into folds, train a
 * tagger for each fold on the other folds, and make one problem of each fold with the scores of its
 * tagger. Below, "the tagger's labels" are the best labellings of the chains without cliques.
 * Chains belong to groups (documents). Groups that share a clique count as one group; groups of
 * different problems are never the same group.
 *
 * Model. The potential of a clique of kind k is sum_b theta_kb g_b(counts). The functions g_b are
 * the bases of chorale_basis, the numbers theta_kb the weights to learn. So for each labelling
 * equation 1 (model.h) is linear in theta. Bases whose constants are below 100 are *agreement
 * bases*. The others are *bonuses*, which add a constant for each member with a certain value.
 *
 * The next comments describe the objective, the choices made during learning, and what the weights
 * mean. Other comments refer to their paragraphs by name, such as "last gate". */

/* The objective of learning is that of a structural support vector machine. Let S_theta(y) be
 * equation 1 of a labelling y of a group under the weights theta, Delta(y) the sum of the costs of
 * its wrong labels, u the unit of the scores and lambda the strength of regularisation (u and
 * lambda are described below). The sum
 *
 *     lambda / (2 u) |theta|^2
 *       + sum over groups of ( max_y [ u Delta(y) / 4 + S_theta(y) ] - S_theta(gold) )
 *
 * is minimised subject to the bounds of the weights. The method is cutting planes: the labellings
 * that runs (run.h) find are stored by group, and the objective with the maximum over the stored
 * labellings is minimised by Frank-Wolfe steps in the dual with exact line search, until the
 * duality gap is at most 1e-5 u times the number of gold labels, for at most 2000 sweeps. The
 * minimum over the first few labellings is far from that over all. So if all kinds are of property
 * cliques, then while labellings are found for the first lambda, weights go only half of the way to
 * the minimum each time, from 0 on.
 *
 * Unit. u is the temperature at which the margins of the tagger's labels are calibrated as log-odds
 * (1 for a good probabilistic tagger). If the margins of wrong labels add up to at least as much as
 * those of right labels, u is instead the temperature at which the softmax of the tagger's
 * max-marginals gives the gold labels the highest likelihood. So if all scores are multiplied by a
 * factor, u and all weights are multiplied by the same factor.
 *
 * F1. With `classes` in the options, costs are those of micro F1, where labels of class -1 do not
 * count. Let F be the F1 of the tagger's labels. A position costs 2 - F if its gold label counts
 * and the label given does not; 2 if both count and are of different classes; F if the label given
 * counts and the gold label does not. Then a labelling costs less than the tagger's labels exactly
 * if its F1 is above F. Agreement on labels that do not count earns nothing: in position cliques
 * without a centre, the sums of AGREEMENT, LOG_AGREEMENT, SHARE and SINGLE leave out each value
 * v < 59 that only labels of class -1 have. (Only in kinds whose cliques all have the same R.) If
 * there are such values, SINGLE is learnt by default: a bonus for every label that counts. */

/* Choices made while weights are learnt:
 *   screening       Leaves out kinds whose bases are about as great on the tagger's labels as on
 *                   the gold labels. With 6 groups or more, a kind is left out if both of these
 *                   hold: none of its bases differs with p <= 0.2 (sign flips over groups;
 *                   Bonferroni over the bases of the kind), and exchanges of this kind alone
 *                   ("agreement" below) do not show with p <= 0.1 that its members agree.
 *   lambda          One of 30, 10, 3, 1, 0.3, 0.1, by cross-validation: groups are divided into
 *                   folds, and each fold is labelled with weights learnt on the others. The
 *                   choice is the highest lambda whose cost on held-out groups is at most one
 *                   standard error above the least cost. Gains on a fold are measured under the
 *                   lambda chosen on the other folds. If two lambdas in a row are no better than
 *                   those before, lower lambdas are not tried.
 *   VALUE bonuses   If other bases are learnt too, all lambdas are tried first without the VALUE
 *                   bonuses, then with them. In the choice of lambda, candidates without these
 *                   bonuses are preferred to those with them, just as higher lambdas are preferred
 *                   to lower ones. In centred cliques the deviations d take their place.
 *   centred cliques A kind with the basis CENTRE has a weight theta_cv for each pair of values,
 *                   more than few groups can tell. So theta_cv is s D_cv + d_cv. s and the
 *                   deviations d_cv are learnt, and s^2 + sum d_cv^2 takes the place of
 *                   sum theta_cv^2 in the objective. D_cv is log(p(v | c) / p(v)): the log-odds of
 *                   value v among the gold labels of members beside a centre of value c, with 1
 *                   added to each count. (Gold labels of a fold take no part in the D under which
 *                   the fold is labelled.) If a rule bounds weights of CENTRE, s is 0.
 *   weaker taggers  If the tagger of a problem has seen only a share s < 1 of the data that the
 *                   final tagger will have seen (`seen` in the options), its scores are made to
 *                   resemble those of the final tagger: gold labels get a bonus under which the
 *                   tagger's labels have s^r times as many errors. If two shares differ by a factor
 *                   of 1.5 or more, r (0 to 1) is minus the slope of log errors over log shares;
 *                   otherwise r is 0.35.
 *   control         Learns once more without agreement bases, to see what gain bonuses alone can
 *                   reach. */

/* The test of agreement:
 *   agreement       agreement_p tests whether members of a clique agree beyond what the tagger
 *                   expects, in the kinds for which agreement bases are learnt.
 *                     In a position clique (of a kind whose cliques all have the same R, and whose
 *                   centres, if any, have R values too), each member with a gold label, and the
 *                   centre, has a residual for each value v: g - (a + b q). g is 1 if the gold
 *                   label has the value v, else 0. q is the tagger's probability of v (softmax of
 *                   max-marginals divided by u). a and b are fitted by least squares, for each v,
 *                   over the members of the kind.
 *                     In a property clique, only members whose chains have all gold labels take
 *                   part. Their residuals are for the values (at most 64) that gold labels show
 *                   most often in the cliques of the kind in a problem. g is 1 if the gold labels
 *                   show v, else 0; q is 1 if the tagger's labels show v, else 0. a and b are
 *                   fitted to each problem.
 *                     The statistic is the sum, over cliques and pairs of their members, of sum_v
 *                   (residual of one member) (residual of the other) / n. It is compared with that
 *                   of 999 random exchanges: agreement_p is the share of exchanges whose statistic
 *                   is at least as great. (The exchanges end early if 100 of them reach the
 *                   statistic.) An exchange deals residuals to members at random: among all
 *                   position cliques of a kind and a group, and among all property cliques of a
 *                   kind and a problem. A position in several of these cliques, as in the
 *                   neighbourhoods of a graph, has the same residual in all, and exchanges it only
 *                   with positions in equally many cliques. If there would be more than 2^19
 *                   residuals (in centred cliques also products), only every k-th clique of a kind
 *                   is used, for the least k that avoids this. agreement_p is for all kinds
 *                   together; exchanges of a kind alone compare the statistic of this kind.
 *                     In centred cliques, members may depend on their centre without being like
 *                   it. The statistic is there the root of sum_cv m_cv^2, where m_cv is the sum,
 *                   over cliques and their members, of (residual of the centre for c) (residual of
 *                   the member for v) / n.
 *                     Nothing can be exchanged in a kind that has only one position clique in each
 *                   group, or only one property clique in each problem, or is of property cliques
 *                   with a centre. If there is nothing to exchange in any kind, or no exchange
 *                   changes the statistic (as in a graph in which each group is a star),
 *                   agreement_p is the p-value of the gain over the control on held-out groups. */

/* Choices of what is applied. `level` is the significance level in chorale_learn_options.
 *   scores          Tests whether the tagger's scores tell anything about the gold labels; if not,
 *                   the scores may belong to other positions. Let q(v) be the softmax of the
 *                   max-marginals of a position divided by u, and s(v) the share of label v among
 *                   the gold labels of the problem. Then q(gold) - sum_v s(v) q(v) is 0 on average
 *                   if gold labels are dealt to positions at random. The scores tell something if
 *                   this difference, summed over the positions of each group, is above 0 with p <=
 *                   level. If they tell nothing, only agreement that exchanges have shown is
 *                   applied. Bonuses are not, although they may gain: any bonus for the commonest
 *                   label beats guesses. With too few groups the test cannot succeed; the report
 *                   then warns of FEW_GROUPS, and not of BASE_GUESSES.
 *   last gate       Decides what is applied. Compares three costs of held-out groups: of the
 *                   tagger's labels, under all bases, and under the control.
 *                     If members were exchanged, agreement_p is evidence that does not depend on
 *                   costs. All bases are then applied if agreement_p is at most level / 2 (half,
 *                   since bonuses have a second chance), if all bases cost less than the tagger,
 *                   and if they cost at most one standard error more than the control. If they
 *                   cost no less than the tagger, the same is tried with all weights multiplied by
 *                   0.7, then by 0.7^2 ("factors").
 *                     If nothing was exchanged, all bases are applied if they cost less than the
 *                   tagger and less than the control, agreement_p <= level, the gain over the
 *                   tagger has p <= level, and the scores tell something.
 *                     If all bases are not applied, bonuses alone are applied if the gain of the
 *                   control over the tagger has p <= level and the scores tell something.
 *   kinds           Each kind is also learnt alone and judged by p, the p-value of its gain over
 *                   the tagger on held-out groups. Let m be the number of kinds with weights, and i
 *                   the greatest number for which the i-th lowest p is at most 0.5 i / m (Benjamini
 *                   and Hochberg): the i kinds of lowest p are kept. If all bases are applied, a
 *                   kind is kept too if exchanges of this kind alone show agreement with p <= level
 *                   and it costs at most one standard error more than the tagger. (Few groups
 *                   hardly tell what a kind gains; that its members agree can be plain all the
 *                   same.) Up to half of the kinds kept may be there by chance; their weights are
 *                   small, and the last gate prevents harm. A single kind is judged by the last
 *                   gate alone.
 *   factors         The objective asks for a margin, and so for weights that just suffice. Weights
 *                   of agreement bases of position cliques (words, keys, links) are applied 1.5
 *                   times as large as learnt, within their bounds. They are applied as learnt if
 *                   the larger weights cost held-out groups more: beyond a critical strength
 *                   agreement spreads one label through whole documents. Weights that are drawn to
 *                   log-odds ("centred cliques") are multiplied by 1, 1.5, 1.5^2, 1.5^3 or 1.5^4,
 *                   whichever costs held-out groups least. Bonuses are not multiplied by 1.5: a
 *                   larger bonus gives ever more positions its label, which harms.
 *                     Then all weights are multiplied by 0.7, within their bounds, and once more by
 *                   0.7, each time only if held-out groups cost less afterwards. The taggers of the
 *                   folds miss more labels than the final tagger. A bonus that finds what they miss
 *                   may find too much with the final tagger.
 *                     Weights that passed the last gate only with a factor of 0.7 or 0.7^2 are not
 *                   enlarged. They are multiplied by that of these two factors which costs held-out
 *                   groups less.
 *                     Few groups hardly tell which factors are right. So where a weight is applied
 *                   smaller than with the largest factor, or for bonuses smaller than learnt, its
 *                   interval is extended on that side by the difference; and by 0.3 of the weight
 *                   towards 0 if a factor of 0.7 was refused. Gains and p-values are those of the
 *                   weights as learnt, without factors.
 *   temperature     For chorale_run_probabilities: the temperature at which the model is as sure as
 *                   it is right. Only positions count whose highest probability is below 0.95,
 *                   since the many sure positions would outweigh the others. Their excess of
 *                   confidence is the mean of (highest probability, minus 1 if it is that of the
 *                   gold label). The temperature is that where this excess, plus its standard error
 *                   over groups, is 0: final taggers meet data less like their training data, which
 *                   makes them too sure, and a model that is too sure misleads more than one that
 *                   is not sure enough. Each group is labelled under the weights learnt on the other
 *                   folds, to which the factors and the last gate are applied as to the final
 *                   weights, with the usual number of rounds. Temperatures u sqrt(2)^k are tried,
 *                   from k = 0 up or down to the first with the other sign, at most 6 up or 2 down.
 *                   Between the two last temperatures the excess is interpolated linearly over
 *                   log temperature. If no position counts at u, the temperature is u. At most 128
 *                   chains are used, evenly spaced, in eight shares; no further share is used once
 *                   1000 positions count at u.
 */

/* What p-values and weights mean.
 *
 * p-values are of one-sided paired sign flips over groups, exact up to 12 groups, otherwise from
 * 4096 random flips, or more if many kinds are tested. (Those of exchanges are described under
 * "agreement".) So with level 0.05 and fewer than 5 groups no gain is significant, and nothing is
 * applied but agreement that exchanges have shown. Results do not depend on time, addresses or the
 * number of threads: the same input gives the same bits.
 *
 * The weights are for inference. They minimise the objective above, which asks for a margin at a
 * chosen lambda, and do not estimate a distribution. Suppose that gold labels are drawn from
 * exp(score) under some true weights. Then the learnt weights are smaller than the true ones (with
 * 40 to 60 groups about half as large, before the factors), and label held-out groups about as
 * well. Intervals describe the minimum of the objective, times the factors; they are not intervals
 * for the true weights of such a distribution. */
#ifndef CHORALE_LEARN_H
#define CHORALE_LEARN_H

#include "chorale/decode.h"
#include "chorale/problem.h"

CHORALE_BEGIN_DECLS

/* ---- Weights ------------------------------------------------------------------------------ */

/* Bases: functions g of the counts n_v of a clique with n members. R is the number of values of the
 * clique; sums over v are over the values 0 .. R-1, without EMPTY and CONFLICT. The sums of
 * AGREEMENT, LOG_AGREEMENT and SHARE also leave out OUT, which stands for many different values.
 *
 * Some bases are a single function with a single weight, whose index is 0. The other bases are
 * lists of functions, each with a weight of its own; an *index* numbers the functions of a list, as
 * stated below. "By default" means: learnt even if no rule (chorale_weight_rule) names the basis.
 * MAJORITY, CENTRE and VALUE are learnt only if all cliques of the kind have the same R; MAJORITY
 * and CENTRE also only if R <= 62. Numbers never change; those below 100 are agreement bases. */
typedef int32_t chorale_basis;
enum {
  /* sum_v n_v^2 / n; the weight is a `strength` of decode.h. Weight >= 0. Learnt by default, except
   * in centred cliques. */
  CHORALE_BASIS_AGREEMENT = 0,
  CHORALE_BASIS_LOG_AGREEMENT = 10, /* sum_v n_v^2 / log n (for n = 1: sum_v n_v^2). Weight >= 0 */
  /* Index i is 1, 2 or 3: sum_v max(0, n_v - i n / 4). Weights >= 0: the weighted sum of the three
   * functions is then convex and piecewise linear in the share n_v / n; weight i is the increase of
   * its slope at the share i / 4. */
  CHORALE_BASIS_SHARE = 20,
  /* Index a C + v: n_v if a is the value with the highest count, else 0. So the weights are the
   * matrix of a MAJORITY potential (potential.h). C is chorale_model_clique_columns, the number of
   * values with EMPTY and CONFLICT; a and v are from 0 to C - 1. A kind with this basis has no
   * other basis. */
  CHORALE_BASIS_MAJORITY = 30,
  /* Index c C + v: n_v if the centre has value c, else 0. C is chorale_model_clique_columns; v is
   * from 0 to C - 1. Only for centred cliques, where this basis is learnt by default and is the
   * only one. Its weights are drawn to log-odds ("centred cliques" above). */
  CHORALE_BASIS_CENTRE = 40,
  /* sum_v n_v. Learnt by default where members can be EMPTY or CONFLICT, as in property cliques,
   * and where values are left out ("F1" above). */
  CHORALE_BASIS_SINGLE = 100,
  CHORALE_BASIS_EMPTY = 110,    /* n_EMPTY. Learnt by default where members can be EMPTY */
  CHORALE_BASIS_CONFLICT = 120, /* n_CONFLICT. Learnt by default in the same kinds as EMPTY */
  CHORALE_BASIS_OUT = 130,      /* n_OUT. Only where a dictionary has OUT; there by default */
  /* Index v: n_v. Learnt by default in position cliques with R <= 64. */
  CHORALE_BASIS_VALUE = 140
};
/* Returns the name of a basis in lower case, such as "log-agreement"; "unknown basis" for any other
 * number. Static storage. Any thread. */
CHORALE_API const char *chorale_basis_name(chorale_basis basis);

/* Bounds of the weights of a basis. If several rules match a weight, the last of them applies. A
 * basis that is not learnt by default is learnt if a rule names it. */
typedef struct chorale_weight_rule {
  int32_t kind;        /* kind of cliques; -1: every kind that can have the basis */
  chorale_basis basis;
  int64_t index;       /* index within the basis (above), 0 if it has none; -1: every index */
  double least;        /* lower bound; minus infinity: none */
  double most;         /* upper bound; plus infinity: none. least = most fixes the weight */
} chorale_weight_rule;

/* Progress, passed to a callback each time that a problem has been labelled. The callback returns 0
 * to go on, or another number to end the call as a raised cancel flag would. */
typedef struct chorale_learn_progress {
  size_t struct_size;
  int64_t runs;     /* number of runs so far: how often a problem was labelled */
  int64_t runs_most; /* upper bound on the number of runs; never below `runs` */
} chorale_learn_progress;
typedef int32_t (*chorale_learn_progress_function)(void *user,
                                                   const chorale_learn_progress *progress);

typedef struct chorale_learn_options {
  size_t struct_size; /* sizeof(chorale_learn_options); set by init */
  const chorale_weight_rule *rules; /* rule_count rules, rule_size bytes apart */
  size_t rule_size;                 /* sizeof(chorale_weight_rule); set by init */
  int64_t rule_count;
  /* Costs >= 0, labels x labels without gaps: the row is the gold label, the column the label
   * given; 0 on the diagonal. NULL: 1 for each wrong label. */
  const double *costs;
  int64_t labels; /* number of labels of `costs` or `classes` */
  const double *seen; /* by problem: share s of the data seen ("weaker taggers"), 0 < s <= 1.
                         NULL: 1 for all */
  int64_t folds;      /* greatest number of folds; >= 2. Default 10 */
  double level;       /* significance level of the tests, 0 < level < 1. Default 0.05 */
  /* Options of the runs that label the problems during learning: rounds, joint_mode, beam_width,
   * budget, threads, executor and so on. time_limit, cancel, progress and bound_steps are ignored.
   * If rounds is -1: 3 rounds, or 0 if all kinds are of property cliques; a run with 0 rounds only
   * polishes the tagger's labels. NULL: the defaults, but with rounds -1. */
  const chorale_run_options *run;
  double time_limit; /* seconds; negative (default): none */
  const chorale_cancel *cancel;             /* may be NULL */
  chorale_learn_progress_function progress; /* may be NULL */
  void *progress_user;
  /* By label, `labels` entries: the class that the label counts as in micro F1, or -1 if it does
   * not count. Costs are then those of micro F1, and `costs` must be NULL. NULL: `costs` apply. */
  const int32_t *classes;
} chorale_learn_options;

/* Fills `options` with the defaults; pass sizeof(chorale_learn_options). NULL is ignored. */
CHORALE_API void chorale_learn_options_init(chorale_learn_options *options, size_t struct_size);

/* ---- The call ----------------------------------------------------------------------------- */

/* The result of learning. Immutable: any thread. */
typedef struct chorale_learnt chorale_learnt;

/* Learns from `count` >= 1 problems, which are borrowed for the length of the call.
 *
 * Kinds have the same numbers in all problems: if two problems name a kind (CHORALE_TEXTS_KINDS),
 * the names must be equal. If the gold label of a position is unknown, or forbidden by its chain,
 * the label that fits best with the other gold labels of the chain takes its place, and no label of
 * this position costs anything.
 *
 * If time_limit, cancel or progress ends the call early, the call succeeds, the report gives the
 * outcome, and nothing is applied. These limits are checked about once a millisecond, except while
 * a run is created (chorale_run_create), which takes about 25 ms for half a million positions.
 *
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (costs, seen, rules;
 * a kind with a number above 65535; scores so large that a weight would exceed 1e280), NOT_A_NUMBER, INFINITE, UNKNOWN_CONSTANT
 * (basis), LABELS_MISMATCH (costs, classes, chains of different numbers of labels), NO_GOLD (no
 * gold label is known that its chain allows), ONE_GROUP (all labelled chains are of one group),
 * KIND (no clique has a kind; a rule for a basis that its kind cannot have; cliques of one kind
 * that differ in whether they are property cliques, have EMPTY and CONFLICT, have OUT or have a
 * centre, or in the number of values of the centre; a problem with an oracle instance; both costs
 * and classes), WEIGHTS (a clique with a kind has weights above 1), MODEL_MISMATCH (a kind has two
 * names), NO_LABELLING (a chain forbids every labelling), and those of chorale_run_create and
 * chorale_run_solve.
 * Cost: at most 89 + 3 K runs over each problem, where K is the number of kinds. Memory: that of a
 * run, two copies of the scores, and, for each labelling that is kept (at most 60 a group), 8 bytes
 * for each weight and each fold. */
CHORALE_API chorale_status chorale_learn(const chorale_host *host,
                                         const chorale_problem *const *problems, int64_t count,
                                         const chorale_learn_options *options,
                                         chorale_learnt **learnt, chorale_error *error);
/* Destroys the result; NULL is ignored. */
CHORALE_API void chorale_learnt_destroy(chorale_learnt *learnt);

/* Creates a problem with gold labels from a corpus and agreements. Its model is the one that
 * chorale_decode makes of them. The cliques of agreement k are of kind k; CHORALE_TEXTS_KINDS may
 * name the kinds.
 * gold: by position of the corpus, -1: unknown; may be NULL.
 * Errors: those of chorale_decode except those of runs, and of chorale_problem_set_gold. */
CHORALE_API chorale_status chorale_problem_create_agreeing(const chorale_host *host,
                                                           const chorale_corpus *corpus,
                                                           const chorale_agreement *agreements,
                                                           int64_t count, const int32_t *gold,
                                                           chorale_problem **problem,
                                                           chorale_error *error);

/* ---- Use ---------------------------------------------------------------------------------- */

/* Creates a model with the chains and cliques of a problem's model, in which every clique that has
 * a kind gets the learnt potential of this kind. If nothing is applied, these potentials are zero.
 * The chains are shared with the problem's model, as in chorale_model_reweigh.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, KIND (a clique that differs from the cliques of its kind that
 * were learnt from, as under KIND of chorale_learn; a clique of a kind that was not learnt),
 * WEIGHTS (a clique with a kind has weights above 1), VALUES_MISMATCH (a kind with the basis VALUE,
 * MAJORITY or CENTRE, or whose bases leave out values ("F1" above), can be applied only to cliques
 * with as many values as those learnt from), MODEL_MISMATCH (a kind has another name in the
 * problem), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_apply(const chorale_host *host,
                                                const chorale_learnt *learnt,
                                                const chorale_problem *problem,
                                                chorale_model **model, chorale_error *error);

/* Creates the potential of a kind, for cliques of any size, to be used in chorale_agreement
 * (decode.h) or chorale_clique_setup.
 * values: R of the cliques. The potential is over R + 2 values if they are property cliques.
 * centre_value: for a centred kind, the value of the centre that the potential is for; otherwise
 *   -1.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_RANGE (kind, centre_value), SIZE (values),
 *   SIZE_OVERFLOW, VALUES_MISMATCH, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_potential(const chorale_host *host,
                                                    const chorale_learnt *learnt, int64_t kind,
                                                    int64_t values, int64_t centre_value,
                                                    chorale_potential **potential,
                                                    chorale_error *error);

/* ---- What was found ----------------------------------------------------------------------- */

typedef int32_t chorale_applied;
enum {
  CHORALE_APPLIED_NOTHING = 0, /* all weights are 0 */
  CHORALE_APPLIED_BONUSES = 1, /* weights of agreement bases are 0 */
  CHORALE_APPLIED_ALL = 2
};

/* Flags, to be combined by |: what is unusual about the problems. */
typedef int32_t chorale_learn_warning;
enum {
  CHORALE_WARNING_GOLD_FORBIDDEN = 1,  /* some chains forbid some of their gold labels */
  CHORALE_WARNING_LABEL_UNSEEN = 2,    /* some gold label is forbidden at every position */
  CHORALE_WARNING_SINGLE_CLIQUE = 4,   /* some kind has only one clique */
  CHORALE_WARNING_BASE_KNOWS = 8,      /* over 99 % of the tagger's labels are right: has the tagger
                                          seen the gold labels? */
  CHORALE_WARNING_FEW_GROUPS = 16,     /* too few groups for any gain to be significant */
  CHORALE_WARNING_BASE_GUESSES = 32    /* scores tell nothing about gold labels: do the scores
                                          belong to other positions? */
};

/* The report. Costs are sums of the costs of wrong labels over all groups; each group is labelled
 * with weights learnt on other groups. A gain is the difference of two costs, which its comment
 * names, with a 95 % interval (_lower to _upper, by bootstrap over groups) and a one-sided p-value
 * (_p). */
typedef struct chorale_learnt_report {
  size_t struct_size; /* sizeof(chorale_learnt_report); set by init */
  chorale_outcome outcome; /* COMPLETE, DEADLINE, CANCELLED */
  chorale_applied applied;
  chorale_learn_warning warnings;
  int32_t reserved;
  int64_t groups;
  int64_t folds;
  int64_t positions; /* number of positions with gold labels */
  int64_t kinds;
  int64_t weights;
  int64_t runs;           /* how many times a problem was labelled */
  double unit;            /* u */
  double regularisation;  /* lambda */
  double gold_bonus;      /* score added to gold labels ("weaker taggers"), mean over problems */
  double base_cost;       /* cost of the tagger's labels */
  double control_cost;    /* cost with bonuses alone */
  double all_cost;        /* cost with all bases */
  double gain;            /* base_cost - all_cost */
  double gain_lower;
  double gain_upper;
  double gain_p;
  double agreement_gain;  /* control_cost - all_cost */
  double agreement_lower;
  double agreement_upper;
  double agreement_p;     /* p-value of the exchanges ("agreement" above); if nothing could be
                             exchanged, p-value of agreement_gain */
  double f1;          /* micro F1 of the tagger's labels, with `classes`; else 0 */
  double temperature; /* for chorale_run_probabilities; 0: unknown */
} chorale_learnt_report;
/* Fills `report` with zeros; pass sizeof(chorale_learnt_report). NULL is ignored. */
CHORALE_API void chorale_learnt_report_init(chorale_learnt_report *report, size_t struct_size);
/* Writes the report to *report. Errors: NULL_ARGUMENT, STRUCT_SIZE. */
CHORALE_API chorale_status chorale_learnt_get_report(const chorale_learnt *learnt,
                                                     chorale_learnt_report *report,
                                                     chorale_error *error);

typedef int32_t chorale_verdict;
enum {
  CHORALE_VERDICT_KEPT = 0,
  CHORALE_VERDICT_NO_CLIQUES = 10, /* no clique has this kind */
  CHORALE_VERDICT_SCREENED = 20,   /* left out by the screening described above */
  CHORALE_VERDICT_NO_GAIN = 30,    /* left out by "kinds" above: no significant gain on held-out
                                      groups, and not kept for its agreement either */
  CHORALE_VERDICT_NOT_APPLIED = 40 /* kept, but by the "last gate" above nothing is applied, or only
                                      bonuses, of which the kind has none */
};

typedef struct chorale_learnt_kind {
  int32_t kind;
  chorale_verdict verdict;
  int64_t cliques;
  int64_t members;
  double screening_p; /* p-value of "screening" above; 1 if kinds were not screened */
  /* Gain of this kind learnt alone: the cost of the tagger's labels minus the cost of the labels
   * under this kind, on held-out groups; with a 95 % interval and a p-value. If the kind was not
   * learnt alone, the gain and its interval are 0, and p is 1. This is so if the kind was left out,
   * if it is the only kind with weights, if none of its bases is among those applied, or if nothing
   * passed the last gate. */
  double gain;
  double gain_lower;
  double gain_upper;
  double p;
} chorale_learnt_kind;
/* Writes the results of all kinds, in the order of their numbers, to the buffer `kinds`
 * (chorale.h).
 * kind_size: sizeof(chorale_learnt_kind), the distance of entries in bytes. Errors: NULL_ARGUMENT,
 * STRUCT_SIZE, SIZE, CAPACITY. */
CHORALE_API chorale_status chorale_learnt_kinds(const chorale_learnt *learnt,
                                                chorale_learnt_kind *kinds, size_t kind_size,
                                                int64_t capacity, int64_t *needed,
                                                chorale_error *error);

typedef struct chorale_learnt_weight {
  int32_t kind;
  chorale_basis basis;
  int64_t index; /* index within the basis (chorale_basis); 0 if the basis has none */
  double weight; /* the weight as applied; 0 if its kind or its basis is not applied */
  /* 95 % interval, by a jackknife over folds, for the mean of this weight over corpora with as many
   * groups, at the chosen lambda. Does not include the uncertainty of the choice of lambda and
   * kinds. */
  double lower;
  double upper;
  double least;  /* least and most: the bounds of the weight in learning */
  double most;
} chorale_learnt_weight;
/* Writes all weights to the buffer `weights`, ordered by kind, then basis, then index. weight_size:
 * sizeof(chorale_learnt_weight), the distance of entries in bytes. Errors: as for
 * chorale_learnt_kinds. */
CHORALE_API chorale_status chorale_learnt_weights(const chorale_learnt *learnt,
                                                  chorale_learnt_weight *weights,
                                                  size_t weight_size, int64_t capacity,
                                                  int64_t *needed, chorale_error *error);

/* The form in which a result is written as text: lines for people, or JSON (UTF-8, RFC 8259;
 * infinite numbers as null). The JSON is an object with the fields of chorale_learnt_report and two
 * arrays, `kinds` and `weights`, of objects with the fields of chorale_learnt_kind and
 * chorale_learnt_weight. Kinds also have `name` and further fields that chorale_learnt_read
 * needs. */
typedef int32_t chorale_text_form;
enum { CHORALE_TEXT_LINES = 0, CHORALE_TEXT_JSON = 1 };
/* Writes the result as text to `buffer` of `capacity` bytes. The text ends in NUL, which `needed`
 * includes (chorale.h). Errors: NULL_ARGUMENT, UNKNOWN_CONSTANT (form), CAPACITY. */
CHORALE_API chorale_status chorale_learnt_text(const chorale_learnt *learnt,
                                               chorale_text_form form, char *buffer,
                                               size_t capacity, size_t *needed,
                                               chorale_error *error);

/* Creates a result from JSON written by chorale_learnt_text; it equals the original bit for bit.
 * The JSON may be kept in a file, or as a note of a problem (chorale_problem_set_note). length:
 * number of bytes, without a NUL.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, TEXT (not such a text; the message tells where it is wrong),
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_read(const chorale_host *host, const char *json,
                                               size_t length, chorale_learnt **learnt,
                                               chorale_error *error);

CHORALE_END_DECLS

#endif
