/* Learning: from labelled documents to strengths and potentials.
 *
 *     chorale_learn(NULL, &problem, 1, NULL, &learnt, &error);       problems with gold labels in
 *     chorale_learnt_apply(NULL, learnt, other, &model, &error);     potentials out
 *     chorale_learnt_destroy(learnt);
 *
 * Input. Problems (problem.h) with gold labels, whose cliques have *kinds*
 * (chorale_problem_set_cliques; chorale_problem_create_agreeing makes a kind of each agreement).
 * Cliques of one kind share weights; cliques of kind -1 keep their potentials. The scores must come
 * from a tagger that has not seen the gold labels: cross-fit it, one problem a fold. Chains belong
 * to groups (documents); groups that share a clique are one, and groups of different problems are
 * different.
 *
 * Model. The potential of a clique of kind k is sum_b theta_kb g_b(counts), the bases g_b being
 * those of chorale_basis. Equation 1 (model.h) is then linear in theta for each labelling.
 *
 * Objective. A structural support vector machine. With Delta the sum of costs of wrong labels,
 *
 *     lambda / (2 u) |theta|^2
 *       + sum over groups of max_y [ u Delta(y) / 4 + S_theta(y) ] - S_theta(gold)
 *
 * subject to the bounds of the weights; u is the unit of the scores: the temperature at which the
 * margins of the tagger's own labels are calibrated (1 for a good probabilistic tagger), or where
 * wrong ones have the greater margins, that at which the softmax of its max-marginals is. So a
 * factor on all scores is one on all weights. Solved by cutting planes: labellings that runs
 * (run.h) find are kept, group by group, and the maximum over those is minimised by Frank-Wolfe
 * steps in the dual with exact line search, to 1e-5 u times the number of gold labels or for 2000
 * sweeps.
 *
 * F1. With `classes` (options) costs are those of micro F1: with F that of the tagger's own labels,
 * a gold label that counts costs 2 - F where a label that does not count is in its place, 2 where one
 * of another class is; a label that counts costs F where gold does not. A sum of costs is then below
 * the tagger's exactly where F1 is above F. And words that are alike in what does not count are no
 * agreement: in position cliques values (below 59) that only labels of class -1 show are left out of
 * the sums of AGREEMENT, LOG_AGREEMENT, SHARE and SINGLE. Where there are such values SINGLE is learnt
 * by default: what any label that counts is worth.
 *
 * What is chosen inside, and how:
 *   screening       kinds whose bases do not tell gold labels from the tagger's own are left out:
 *                   with 6 groups or more, those where no base differs with p <= 0.2 (sign flips
 *                   over groups; Bonferroni over the bases of the kind).
 *   lambda          one of 30, 10, 3, 1, 0.3, 0.1. Groups are dealt to folds; each fold is labelled
 *                   with weights learnt on the others. Of the lambdas whose cost on held-out groups
 *                   is no more than a standard error above the least, the highest. The cost of a
 *                   fold that gains are judged by is under the lambda chosen on the other folds.
 *                   Where two lambdas in a row are no better than those before, lower ones are not
 *                   tried.
 *   VALUE bonuses   where other bases stand beside them, all lambdas are tried without them first:
 *                   these come before any with them, as a higher lambda before a lower one.
 *   weaker taggers  where the tagger of a problem has seen a share s < 1 of what the final one will
 *                   have seen (options), gold labels get a bonus that brings the errors of the
 *                   tagger's own labels down to s^r of what they are: an idea of the stronger
 *                   tagger. r is the slope of errors over shares where shares differ by half and
 *                   more, else 0.35.
 *   control         the same learner without the agreement bases: what bonuses alone can do.
 *   agreement       its p, from members of position cliques. The residual of a member is, by value,
 *                   1 where its gold label shows the value, less a + b times how probable the tagger
 *                   holds that (the softmax of max-marginals over u); a and b by least squares over
 *                   the members of the kind. p is the share of 999 exchanges in which the products of
 *                   the residuals of two members of a clique, over n, add up to as much; an exchange
 *                   deals the members of all cliques of a kind and a group to these cliques anew. Of
 *                   more than 2^19 residuals evenly spaced cliques are taken.
 *                   Where nothing can be exchanged (property cliques, centred ones, one clique a
 *                   group), p is of the gain over the control on held-out groups.
 *   last gate       on held-out groups. All bases are applied if they cost less than the tagger and
 *                   the control, agreement has p <= level, and the gain over the tagger has p <=
 *                   level; or p <= 0.16, one standard error, where members were exchanged, as that
 *                   says by itself that they ought to agree. Otherwise bonuses alone are applied, if
 *                   the gain of the control has p <= level.
 *   kinds           each is learnt alone, and judged by its gain over the tagger on held-out groups.
 *                   The i kinds of least p are kept, i the greatest number for which the i-th p is at
 *                   most 0.5 i / m (Benjamini and Hochberg), m the number of kinds that have weights:
 *                   at most half of the kinds that are kept are expected to be there by chance, whose
 *                   weights are small; the last gate keeps chance from doing harm. Where there is one
 *                   kind, the last gate has judged it.
 *
 *   temperature     for chorale_run_probabilities: that of the highest likelihood of gold labels of
 *                   held-out groups, each under the weights of the other folds, as they are applied.
 *                   Of unit times 1/2, 1, .. 8 the best, moved to the top of the parabola through it
 *                   and its neighbours (over the logarithm). A gold label less likely than 1/1000
 *                   counts as that: it may be one that the tagger never saw. Of many chains 128 at
 *                   most are looked at, evenly spaced.
 *
 * p-values: paired sign flips over groups, one-sided, exact up to 12 groups, else 4096 random ones,
 * or more where many kinds are tested. So with level 0.05 at least 5 groups are needed for anything
 * to be applied. Nothing depends on time, addresses or the number of threads: the same input gives
 * the same bits.
 *
 * Weights are those that inference uses. They minimise the objective above, which asks for a margin
 * at a chosen lambda: where gold labels were drawn from exp(score) under some weights, the learnt
 * ones are smaller (about half of those with 40 to 60 groups), and label held-out groups about as
 * well. Intervals are about the minimum of the objective, not about such a distribution.
 */
#ifndef CHORALE_LEARN_H
#define CHORALE_LEARN_H

#include "chorale/decode.h"
#include "chorale/problem.h"

CHORALE_BEGIN_DECLS

/* ---- Weights ------------------------------------------------------------------------------ */

/* Functions g of the counts n_v of a clique with n members. Values v are 0 .. R-1 without EMPTY and
 * CONFLICT; in sums of AGREEMENT, LOG_AGREEMENT and SHARE without OUT, which stands for many
 * values. Pinned numbers; those below 100 are agreement bases. */
typedef int32_t chorale_basis;
enum {
  /* sum_v n_v^2 / n: the strength of decode.h. Learnt by default, not below 0, but for centred
   * cliques. */
  CHORALE_BASIS_AGREEMENT = 0,
  CHORALE_BASIS_LOG_AGREEMENT = 10, /* sum_v n_v^2 / log n (for n = 1: n_v^2). Not below 0 */
  /* index i = 1, 2, 3: sum_v max(0, n_v - i n / 4). Weights of these, not below 0, are the rises in
   * slope of a convex function of the share n_v / n. */
  CHORALE_BASIS_SHARE = 20,
  /* index a C + v, C the columns of the clique (model.h): n_v where a is the majority: the W of
   * MAJORITY (potential.h), over EMPTY and CONFLICT too. Alone in its kind. */
  CHORALE_BASIS_MAJORITY = 30,
  /* index c C + v: n_v where the centre shows c. Alone in its kind; learnt by default in centred
   * cliques, and there alone. */
  CHORALE_BASIS_CENTRE = 40,
  CHORALE_BASIS_SINGLE = 100,   /* sum_v n_v. By default, in property cliques; else see F1 */
  CHORALE_BASIS_EMPTY = 110,    /* n_EMPTY. Likewise */
  CHORALE_BASIS_CONFLICT = 120, /* n_CONFLICT. Likewise */
  CHORALE_BASIS_OUT = 130,      /* n_OUT of a dictionary that has it. Likewise */
  CHORALE_BASIS_VALUE = 140     /* index v: n_v. By default in position cliques of R <= 64 */
};
/* The name of a basis in lower case, "log-agreement" say; "unknown basis" for any other number.
 * Static storage. Any thread. */
CHORALE_API const char *chorale_basis_name(chorale_basis basis);

/* Bounds of weights. The last rule that fits a weight counts. A rule for a basis that is not learnt
 * by default makes it learnt. */
typedef struct chorale_weight_rule {
  int32_t kind;        /* -1: every kind that can have the basis */
  chorale_basis basis;
  int64_t index;       /* -1: every index */
  double least;        /* minus infinity: none. least = most: the weight is frozen */
  double most;         /* plus infinity: none */
} chorale_weight_rule;

/* Told after each run over a problem. Non-zero ends the call as a cancel would. */
typedef struct chorale_learn_progress {
  size_t struct_size;
  int64_t runs;     /* done so far */
  int64_t runs_most; /* that there may be at most */
} chorale_learn_progress;
typedef int32_t (*chorale_learn_progress_function)(void *user,
                                                   const chorale_learn_progress *progress);

typedef struct chorale_learn_options {
  size_t struct_size; /* sizeof(chorale_learn_options); set by init */
  const chorale_weight_rule *rules; /* `rule_count` of them, rule_size bytes apart */
  size_t rule_size;                 /* sizeof(chorale_weight_rule); set by init */
  int64_t rule_count;
  /* labels x labels costs >= 0 of giving the second label where the first is gold, without gaps; 0
   * on the diagonal. NULL: 1 for each wrong label. */
  const double *costs;
  int64_t labels; /* of costs or classes */
  const double *seen; /* by problem: 0 < s <= 1, see "weaker taggers". NULL: 1 for each */
  int64_t folds;      /* at most; >= 2. Default 10 */
  double level;       /* 0 < level < 1. Default 0.05 */
  /* How runs are done in learning: rounds, joint_mode, beam_width, budget, threads, executor and so
   * on; its limits and progress are not looked at. rounds -1: 3, or where all kinds are of
   * property cliques 0, so that a run is the polish of the tagger's own labels. NULL: defaults but
   * for rounds -1, beam_width 30. */
  const chorale_run_options *run;
  double time_limit; /* seconds; negative (default): none */
  const chorale_cancel *cancel;             /* may be NULL */
  chorale_learn_progress_function progress; /* may be NULL */
  void *progress_user;
  /* By label, `labels` entries: what it counts as, -1: it does not count. Costs are then those of
   * micro F1, and costs must be NULL. NULL: not F1. */
  const int32_t *classes;
} chorale_learn_options;

/* Fills `options` with the defaults; pass sizeof(chorale_learn_options). NULL is ignored. */
CHORALE_API void chorale_learn_options_init(chorale_learn_options *options, size_t struct_size);

/* ---- The call ----------------------------------------------------------------------------- */

/* What was learnt. Immutable: any thread. */
typedef struct chorale_learnt chorale_learnt;

/* Learns from `count` >= 1 problems, which are borrowed for the length of the call.
 *
 * Kinds are numbered alike in all problems: where two name a kind (CHORALE_TEXTS_KINDS), the names
 * must be the same. Positions whose gold label is not known, or is forbidden by its chain, take
 * what fits best with the others' gold labels; they cost nothing.
 * A limit that ends the call early is an outcome of the report; nothing is applied then.
 *
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (costs, seen, rules),
 * NOT_A_NUMBER, INFINITE, UNKNOWN_CONSTANT (basis), LABELS_MISMATCH (costs, classes, chains of
 * different numbers of labels), NO_GOLD (no gold label is known), ONE_GROUP (all labelled chains
 * are of one group), KIND (no clique has a kind; a rule for a basis that its kind cannot have;
 * cliques of one kind that differ in what they are; an oracle instance in a clique with a kind;
 * costs and classes both), MODEL_MISMATCH (kinds named differently), and those of
 * chorale_run_create and chorale_run_solve.
 * Cost: at most 79 + 3 K runs over each problem, K the number of kinds. Memory: that of a run, two
 * copies of the scores, and 8 bytes for each weight and labelling kept (at most 60 a group). */
CHORALE_API chorale_status chorale_learn(const chorale_host *host,
                                         const chorale_problem *const *problems, int64_t count,
                                         const chorale_learn_options *options,
                                         chorale_learnt **learnt, chorale_error *error);
/* NULL is ignored. */
CHORALE_API void chorale_learnt_destroy(chorale_learnt *learnt);

/* A problem with gold labels from a corpus and what ought to agree: the model that chorale_decode
 * labels. Agreement k is kind k of its cliques; CHORALE_TEXTS_KINDS may name it.
 * gold: by position of the corpus, -1: not known; may be NULL. Errors: those of chorale_decode but
 * for runs, and of chorale_problem_set_gold. */
CHORALE_API chorale_status chorale_problem_create_agreeing(const chorale_host *host,
                                                           const chorale_corpus *corpus,
                                                           const chorale_agreement *agreements,
                                                           int64_t count, const int32_t *gold,
                                                           chorale_problem **problem,
                                                           chorale_error *error);

/* ---- Use ---------------------------------------------------------------------------------- */

/* The model of a problem with the learnt potentials in its cliques that have kinds; where nothing
 * is applied those are zeros. Shares the chains, as chorale_model_reweigh does. Errors:
 * NULL_ARGUMENT, STRUCT_SIZE, KIND (cliques unlike those learnt from, a kind that was not there),
 * VALUES_MISMATCH (VALUE, MAJORITY and CENTRE hold for the number of values learnt from),
 * MODEL_MISMATCH (a kind named otherwise), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_apply(const chorale_host *host,
                                                const chorale_learnt *learnt,
                                                const chorale_problem *problem,
                                                chorale_model **model, chorale_error *error);

/* The potential of a kind, for cliques of any size: for chorale_agreement (decode.h) or
 * chorale_clique_setup. values: R of the cliques it is for; over R + 2 values if they are property
 * cliques. centre_value: of a centred kind, the value of the centre; -1 otherwise. Errors:
 * NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_RANGE (kind, centre_value), SIZE (values), SIZE_OVERFLOW,
 * VALUES_MISMATCH, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_potential(const chorale_host *host,
                                                    const chorale_learnt *learnt, int64_t kind,
                                                    int64_t values, int64_t centre_value,
                                                    chorale_potential **potential,
                                                    chorale_error *error);

/* ---- What was found ----------------------------------------------------------------------- */

typedef int32_t chorale_applied;
enum {
  CHORALE_APPLIED_NOTHING = 0, /* every weight is 0 */
  CHORALE_APPLIED_BONUSES = 1, /* agreement bases are 0 */
  CHORALE_APPLIED_ALL = 2
};

/* Flags: what is odd about the input. */
typedef int32_t chorale_learn_warning;
enum {
  CHORALE_WARNING_GOLD_FORBIDDEN = 1,  /* gold labels that their chains forbid */
  CHORALE_WARNING_LABEL_UNSEEN = 2,    /* a gold label that is forbidden at every position */
  CHORALE_WARNING_SINGLE_CLIQUE = 4,   /* a kind of one clique */
  CHORALE_WARNING_BASE_KNOWS = 8,      /* the tagger is right on over 99 % of gold: has it seen it? */
  CHORALE_WARNING_FEW_GROUPS = 16      /* too few for any gain to be credible */
};

/* Costs are sums over held-out groups; gains are costs of the first less costs of the second, with
 * 95 % intervals (bootstrap over groups) and p-values. */
typedef struct chorale_learnt_report {
  size_t struct_size; /* sizeof(chorale_learnt_report); set by init */
  chorale_outcome outcome; /* COMPLETE, DEADLINE, CANCELLED */
  chorale_applied applied;
  chorale_learn_warning warnings;
  int32_t reserved;
  int64_t groups;
  int64_t folds;
  int64_t positions; /* with gold labels */
  int64_t kinds;
  int64_t weights;
  int64_t runs;           /* over single problems */
  double unit;            /* u */
  double regularisation;  /* lambda */
  double gold_bonus;      /* of weaker taggers, the mean over problems; 0: none */
  double base_cost;       /* of the tagger's own labels */
  double control_cost;    /* of bonuses alone */
  double all_cost;        /* of all bases */
  double gain;            /* base_cost - all_cost */
  double gain_lower;
  double gain_upper;
  double gain_p;
  double agreement_gain;  /* control_cost - all_cost */
  double agreement_lower;
  double agreement_upper;
  double agreement_p;     /* of exchanges, or of agreement_gain: see above */
  double f1;          /* of the tagger's own labels, where costs are those of F1; else 0 */
  double temperature; /* for chorale_run_probabilities; 0: not known */
} chorale_learnt_report;
/* Fills `report` with zeros; pass sizeof(chorale_learnt_report). NULL is ignored. */
CHORALE_API void chorale_learnt_report_init(chorale_learnt_report *report, size_t struct_size);
/* Errors: NULL_ARGUMENT, STRUCT_SIZE. */
CHORALE_API chorale_status chorale_learnt_get_report(const chorale_learnt *learnt,
                                                     chorale_learnt_report *report,
                                                     chorale_error *error);

typedef int32_t chorale_verdict;
enum {
  CHORALE_VERDICT_KEPT = 0,
  CHORALE_VERDICT_NO_CLIQUES = 10, /* of this kind */
  CHORALE_VERDICT_SCREENED = 20,   /* gold labels look no different to it than the tagger's own */
  CHORALE_VERDICT_NO_GAIN = 30,    /* its gain on held-out groups is not credible */
  CHORALE_VERDICT_NOT_APPLIED = 40 /* nothing is: the last gate */
};

typedef struct chorale_learnt_kind {
  int32_t kind;
  chorale_verdict verdict;
  int64_t cliques;
  int64_t members;
  double screening_p; /* 1 where nothing was screened */
  /* Cost of held-out groups labelled by the tagger, less cost with this kind alone; 0 where not
   * learnt, or where there is one kind. */
  double gain;
  double gain_lower;
  double gain_upper;
  double p;
} chorale_learnt_kind;
/* All kinds, in order. Entries lie kind_size bytes apart: pass sizeof(chorale_learnt_kind). Errors:
 * NULL_ARGUMENT, STRUCT_SIZE, SIZE, CAPACITY. */
CHORALE_API chorale_status chorale_learnt_kinds(const chorale_learnt *learnt,
                                                chorale_learnt_kind *kinds, size_t kind_size,
                                                int64_t capacity, int64_t *needed,
                                                chorale_error *error);

typedef struct chorale_learnt_weight {
  int32_t kind;
  chorale_basis basis;
  int64_t index; /* 0 where the basis has none */
  double weight; /* as applied */
  /* 95 % interval for the mean of this weight over corpora of as many groups at this lambda: a
   * jackknife over folds. The choice of lambda and of kinds is taken as given. */
  double lower;
  double upper;
  double least;  /* bounds */
  double most;
} chorale_learnt_weight;
/* All weights, by kind, basis, index. Entries and errors as above. */
CHORALE_API chorale_status chorale_learnt_weights(const chorale_learnt *learnt,
                                                  chorale_learnt_weight *weights,
                                                  size_t weight_size, int64_t capacity,
                                                  int64_t *needed, chorale_error *error);

/* What was found as a text of lines for a person, or as JSON (UTF-8, RFC 8259; infinite numbers as
 * null): an object with the fields of chorale_learnt_report, `kinds` and `weights`, arrays of
 * objects with the fields above; kinds also have `name`, and what else chorale_learnt_read
 * needs. */
typedef int32_t chorale_text_form;
enum { CHORALE_TEXT_LINES = 0, CHORALE_TEXT_JSON = 1 };
/* buffer: a buffer of `capacity` bytes; NUL, which `needed` counts too, is at the end. Errors:
 * NULL_ARGUMENT, UNKNOWN_CONSTANT (form), CAPACITY. */
CHORALE_API chorale_status chorale_learnt_text(const chorale_learnt *learnt,
                                               chorale_text_form form, char *buffer,
                                               size_t capacity, size_t *needed,
                                               chorale_error *error);

/* What chorale_learnt_text wrote as JSON, the same to the bit: kept in a file, or as a note of a
 * problem (chorale_problem_set_note). length: bytes without NUL. Errors: NULL_ARGUMENT,
 * STRUCT_SIZE, TEXT (not such a text: the message tells where), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_read(const chorale_host *host, const char *json,
                                               size_t length, chorale_learnt **learnt,
                                               chorale_error *error);

CHORALE_END_DECLS

#endif
