/* Learning: computes strengths and potentials of cliques from labelled documents.
 *
 *     chorale_learn(NULL, &problem, 1, NULL, &learnt, &error);       problems with gold labels in
 *     chorale_learnt_apply(NULL, learnt, other, &model, &error);     potentials out
 *     chorale_learnt_destroy(learnt);
 *
 * Input. Problems (problem.h) with gold labels, whose cliques have *kinds*
 * (chorale_problem_set_cliques; chorale_problem_create_agreeing makes one kind for each agreement).
 * Cliques of one kind share weights; cliques of kind -1 keep their potentials. The unary scores
 * must come from a tagger that has not seen the gold labels: cross-fit the tagger, one problem for
 * each fold. Below, "the tagger's labels" are the best labellings of the chains without cliques.
 * Chains belong to groups (documents). Groups that share a clique count as one group; groups of
 * different problems are different.
 *
 * Model. The potential of a clique of kind k is sum_b theta_kb g_b(counts), with the functions g_b
 * of chorale_basis. Equation 1 (model.h) is then linear in theta for each labelling. Bases below
 * 100 are *agreement bases*; the others are *bonuses*, which add a constant for each member with a
 * value.
 *
 * Objective. A structural support vector machine. With Delta the sum of the costs of wrong labels,
 *
 *     lambda / (2 u) |theta|^2
 *       + sum over groups of max_y [ u Delta(y) / 4 + S_theta(y) ] - S_theta(gold)
 *
 * is minimised subject to the bounds of the weights. u is the unit of the scores: the temperature
 * at which the margins of the tagger's labels are calibrated as log-odds (1 for a good
 * probabilistic tagger). If wrong labels have greater margins than right ones, u is the temperature
 * at which the softmax of the tagger's max-marginals gives the gold labels the highest likelihood.
 * A factor on all scores therefore multiplies all weights by the same factor. Solved by cutting
 * planes: the labellings that runs (run.h) find are stored by group, and the objective with the
 * maximum over the stored labellings is minimised by Frank-Wolfe steps in the dual with exact line
 * search, to a gap of 1e-5 u times the number of gold labels or for 2000 sweeps.
 *
 * F1. With `classes` in the options, costs are those of micro F1, where labels of class -1 do not
 * count. Let F be the F1 of the tagger's labels. A position costs 2 - F if its gold label counts
 * and its label does not; 2 if both count and are of different classes; F if its label counts and
 * its gold label does not. Then the cost of a labelling is below the tagger's exactly if its F1 is
 * above F. Agreement on labels that do not count earns nothing: in position cliques, values (below
 * 59) that only labels of class -1 show are left out of the sums of AGREEMENT, LOG_AGREEMENT, SHARE
 * and SINGLE. If there are such values, SINGLE is learnt by default: a bonus for every label that
 * counts.
 *
 * Choices made during learning:
 *   screening       Leaves out kinds whose bases are the same on gold labels as on the tagger's:
 *                   with 6 groups or more, kinds of which no base differs with p <= 0.2 (sign flips
 *                   over groups; Bonferroni over the bases of the kind), and whose members do not
 *                   agree with p <= 0.1 by exchanges of this kind alone ("agreement").
 *   lambda          One of 30, 10, 3, 1, 0.3, 0.1, by cross-validation: groups are divided into
 *                   folds, and each fold is labelled with weights learnt on the others. The highest
 *                   lambda is chosen whose cost on held-out groups is at most one standard error
 *                   above the least cost. Gains on a fold are measured under the lambda chosen on
 *                   the other folds. If two lambdas in a row are no better than those before, lower
 *                   ones are not tried.
 *   VALUE bonuses   If other bases are learnt too, all lambdas are tried first without the VALUE
 *                   bonuses. Candidates without these bonuses are preferred to those with them, as
 *                   higher lambdas are to lower ones.
 *   weaker taggers  If the tagger of a problem has seen only a share s < 1 of the data that the
 *                   final tagger will have seen (`seen` in the options), its scores are made to
 *                   resemble those of the stronger tagger: gold labels get a bonus that reduces the
 *                   errors of the tagger's labels to s^r of their number. r is the slope of log
 *                   errors over log shares if two shares differ by a factor of 1.5 or more, else
 *                   0.35.
 *   control         The same learner without agreement bases: the gain that bonuses alone can
 *                   reach.
 *   agreement       agreement_p tests whether members of a clique agree beyond what the tagger
 *                   expects. The residual of a member of a position clique is, by value, 1 if its
 *                   gold label shows the value, else 0, minus a + b times the tagger's probability
 *                   of the value (softmax of max-marginals over u); a and b are fitted by least
 *                   squares over the members of the kind. Of a member of a property clique, whose
 *                   chain must have all gold labels, it is the same with the 64 values that most
 *                   members of the kind show in a problem, and 1 or 0 in the place of the
 *                   probability: whether the tagger's labels show the value; a and b are fitted to
 *                   each problem. The statistic is the sum over cliques of the products of the
 *                   residuals of two members, over n. p is the share of 999 random exchanges with a
 *                   statistic at least as great (fewer if 100 have been). An exchange deals the
 *                   members of all position cliques of a kind and a group to these cliques at
 *                   random, and the members of all property cliques of a kind and a problem. Of
 *                   more than 2^19 residuals, evenly spaced cliques are taken. If nothing can be
 *                   exchanged (centred cliques, one position clique a group, one property clique a
 *                   problem), p is of the gain over the control on held-out groups.
 *   scores          Whether the tagger's scores tell anything about the gold labels, or these seem
 *                   to belong to other positions. With p(v) the softmax of the max-marginals of a
 *                   position over u and s(v) the share of v among the gold labels of the problem,
 *                   p(gold) - sum_v s(v) p(v) is 0 on average if gold labels are dealt to positions
 *                   at random. The scores tell something if its sums over groups are above 0 with
 *                   p <= level. Otherwise only agreement known by exchanges is applied; a bonus may
 *                   gain even so, since the commonest label beats guesses. Too few groups can tell
 *                   nothing either way; their only warning is FEW_GROUPS.
 *   last gate       On held-out groups. If members were exchanged, whether there is agreement is
 *                   known apart from the costs. All bases are then applied if agreement_p is at
 *                   most level / 2 (bonuses have a second chance), they cost less than the tagger,
 *                   and at most one standard error more than the control. If nothing was
 *                   exchanged, all bases are applied if they cost less than the tagger and the
 *                   control, agreement_p <= level, the gain over the tagger has p <= level, and the
 *                   scores tell something. Otherwise bonuses alone are applied, if the gain of the
 *                   control has p <= level and the scores tell something.
 *   kinds           Each kind is also learnt alone and judged by its gain over the tagger on
 *                   held-out groups. The i kinds of least p are kept, i the greatest number for
 *                   which the i-th p is at most 0.5 i / m (Benjamini and Hochberg), m the number of
 *                   kinds with weights. If all bases are applied, kinds that gain and whose
 *                   members agree with p <= level by exchanges of this kind alone are kept too. Up
 *                   to half of the kinds kept may then be there by chance; their weights are small,
 *                   and the last gate prevents harm. A single kind is judged by the last gate
 *                   alone.
 *   factor          A margin asks for weights that just suffice. Those of agreement bases of
 *                   position cliques (words, keys, links) are applied 1.5 times as large as learnt,
 *                   within their bounds, unless held-out groups then cost more: beyond a critical
 *                   strength agreement spreads one label through whole documents. The intervals
 *                   of weights that are not multiplied for this reason reach up to where they
 *                   would if they were, since few groups hardly tell. Bonuses are never
 *                   multiplied: a larger one labels more and more, and harms.
 *                   Gains and p-values are of the weights as learnt.
 *   temperature     For chorale_run_probabilities: the temperature with the highest likelihood of
 *                   the gold labels of held-out groups, each group under the weights of the other
 *                   folds, as applied. Only positions whose highest probability at u is below 0.95
 *                   count: the many that are sure would decide for those that are not. The best of
 *                   u times 1/2, 1, 2, 4, 8 (u if no position counts), refined by the vertex of the
 *                   parabola through it and its neighbours (over the logarithm). A gold label less
 *                   likely than 1/1000 counts as 1/1000, since the tagger may never have seen the
 *                   label. At most 128 chains are used, evenly spaced.
 *
 * p-values are of one-sided paired sign flips over groups, exact up to 12 groups, otherwise from
 * 4096 random flips, or more if many kinds are tested. So with level 0.05 nothing is applied with
 * fewer than 5 groups. Results do not depend on time, addresses or the number of threads: the same
 * input gives the same bits.
 *
 * Interpretation. The weights are for inference. They minimise the objective above, which asks for
 * a margin at a chosen lambda, and do not estimate a distribution: if gold labels are drawn from
 * exp(score) under some weights, the learnt weights are smaller (before the factor about half of
 * those with 40 to 60 groups), and label held-out groups about as well. Intervals describe the
 * minimum of the objective, times the factor, not such a distribution. */
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
 * Some bases are one function and have one weight, of index 0. The others are a list of functions,
 * numbered by an *index*, each with a weight of its own; their comments say what the index is.
 * "By default" means: learnt without a rule (chorale_weight_rule) for the basis. Numbers never
 * change; those below 100 are agreement bases. */
typedef int32_t chorale_basis;
enum {
  /* sum_v n_v^2 / n; the weight is a `strength` of decode.h. Weight >= 0. Learnt by default, except
   * in centred cliques. */
  CHORALE_BASIS_AGREEMENT = 0,
  CHORALE_BASIS_LOG_AGREEMENT = 10, /* sum_v n_v^2 / log n (n = 1: n_v^2). Weight >= 0 */
  /* Index i is 1, 2 or 3: sum_v max(0, n_v - i n / 4). Weights >= 0: a weighted sum of the three is
   * a convex, piecewise linear function of the share n_v / n, and each weight is the increase of
   * its slope at the share i / 4. */
  CHORALE_BASIS_SHARE = 20,
  /* Index a C + v: n_v if most members have value a, else 0. So the weights are the matrix of a
   * MAJORITY potential (potential.h). C is chorale_model_clique_columns, the number of values with
   * EMPTY and CONFLICT; a and v are in 0 .. C-1. A kind with this basis has no other. */
  CHORALE_BASIS_MAJORITY = 30,
  /* Index c C + v, with C as above: n_v if the centre has value c, else 0. Only for centred
   * cliques, where it is learnt by default. A kind with this basis has no other. */
  CHORALE_BASIS_CENTRE = 40,
  /* sum_v n_v. Learnt by default in property cliques, and in some others ("F1" above). */
  CHORALE_BASIS_SINGLE = 100,
  CHORALE_BASIS_EMPTY = 110,    /* n_EMPTY. Learnt by default in property cliques */
  CHORALE_BASIS_CONFLICT = 120, /* n_CONFLICT. Learnt by default in property cliques */
  CHORALE_BASIS_OUT = 130,      /* n_OUT. For dictionaries with OUT; learnt by default there */
  /* Index v: n_v. Learnt by default in position cliques with R <= 64. */
  CHORALE_BASIS_VALUE = 140
};
/* Returns the name of a basis in lower case, such as "log-agreement"; "unknown basis" for any other
 * number. Static storage. Any thread. */
CHORALE_API const char *chorale_basis_name(chorale_basis basis);

/* Bounds of the weights of a basis. If several rules match a weight, the last one applies. A rule
 * for a basis that is not learnt by default makes it learnt. */
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
  int64_t runs;     /* runs done so far */
  int64_t runs_most; /* upper bound on the number of runs */
} chorale_learn_progress;
typedef int32_t (*chorale_learn_progress_function)(void *user,
                                                   const chorale_learn_progress *progress);

typedef struct chorale_learn_options {
  size_t struct_size; /* sizeof(chorale_learn_options); set by init */
  const chorale_weight_rule *rules; /* `rule_count` of them, rule_size bytes apart */
  size_t rule_size;                 /* sizeof(chorale_weight_rule); set by init */
  int64_t rule_count;
  /* Costs >= 0, labels x labels without gaps: row: gold label, column: label given; 0 on the
   * diagonal. NULL: 1 for each wrong label. */
  const double *costs;
  int64_t labels; /* number of labels of `costs` or `classes` */
  const double *seen; /* by problem: share s of data seen ("weaker taggers"), 0 < s <= 1. NULL: 1 */
  int64_t folds;      /* greatest number of folds; >= 2. Default 10 */
  double level;       /* significance level of the tests, 0 < level < 1. Default 0.05 */
  /* Options of the runs that label the problems during learning: rounds, joint_mode, beam_width,
   * budget, threads, executor and so on. Its time_limit, cancel and progress are ignored. rounds
   * -1: 3 rounds, or 0 if all kinds are of property cliques, so that a run only polishes the
   * tagger's labels. NULL: the defaults, but rounds -1 and beam_width 30. */
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
 * the names must be equal. A position whose gold label is unknown, or forbidden by its chain, takes
 * the label that fits best with the gold labels of its chain, and costs nothing.
 * If time_limit, cancel or progress ends the call early, the call succeeds, the report gives the
 * outcome, and nothing is applied. These limits are checked about once a millisecond, except while
 * a run is created (chorale_run_create), which takes about 25 ms for half a million positions.
 *
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (costs, seen, rules;
 * scores so large that a weight would exceed 1e280), NOT_A_NUMBER, INFINITE, UNKNOWN_CONSTANT
 * (basis), LABELS_MISMATCH (costs, classes, chains of different numbers of labels), NO_GOLD (no
 * gold label is known), ONE_GROUP (all labelled chains are of one group), KIND (no clique has a
 * kind; a rule for a basis that its kind cannot have; cliques of one kind with different
 * properties, values or centres; an oracle instance in a clique with a kind; costs and classes
 * both), WEIGHTS (a clique with a kind has weights), MODEL_MISMATCH (kinds named differently), and
 * those of chorale_run_create and chorale_run_solve.
 * Cost: at most 79 + 3 K runs over each problem, K the number of kinds. Memory: that of a run, two
 * copies of the scores, and 8 bytes for each weight or fold and labelling kept (at most 60 a
 * group). */
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

/* Creates a model with the chains and cliques of a problem's model, where the cliques that have a
 * kind get the learnt potential of the kind. If nothing is applied, these potentials are zero. The
 * chains are shared with the problem's model, as in chorale_model_reweigh.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, KIND (cliques unlike those learnt from, a kind that was not
 * learnt), WEIGHTS (a clique with a kind has weights), VALUES_MISMATCH (VALUE, MAJORITY and CENTRE
 * hold only for the number of values learnt from), MODEL_MISMATCH (a kind with another name),
 * OUT_OF_MEMORY. */
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
  CHORALE_WARNING_GOLD_FORBIDDEN = 1,  /* gold labels that their chains forbid */
  CHORALE_WARNING_LABEL_UNSEEN = 2,    /* a gold label that is forbidden at every position */
  CHORALE_WARNING_SINGLE_CLIQUE = 4,   /* a kind of one clique */
  CHORALE_WARNING_BASE_KNOWS = 8,      /* 99 % of the tagger's labels are right: trained on gold? */
  CHORALE_WARNING_FEW_GROUPS = 16,     /* too few for any gain to be credible */
  CHORALE_WARNING_BASE_GUESSES = 32    /* scores tell nothing about gold labels: misaligned? */
};

/* The report. Costs are sums of the costs of wrong labels over all groups, each labelled with
 * weights learnt on other groups. A gain is the difference of two costs that its comment names,
 * with a 95 % interval (_lower to _upper, by bootstrap over groups) and a one-sided p-value
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
  double agreement_p;     /* p-value of the exchanges ("agreement" above); of agreement_gain if
                             nothing could be exchanged */
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
  CHORALE_VERDICT_NO_GAIN = 30,    /* its gain on held-out groups is not significant */
  CHORALE_VERDICT_NOT_APPLIED = 40 /* nothing is applied: the last gate */
};

typedef struct chorale_learnt_kind {
  int32_t kind;
  chorale_verdict verdict;
  int64_t cliques;
  int64_t members;
  double screening_p; /* p-value of "screening" above; 1 if kinds were not screened */
  /* Cost of the tagger's labels of held-out groups minus the cost of their labels when only this
   * kind is learnt; 0 if the kind was not learnt, or is the only one. With a 95 % interval and a
   * p-value. */
  double gain;
  double gain_lower;
  double gain_upper;
  double p;
} chorale_learnt_kind;
/* Writes the result for each kind, in the order of their numbers, to the buffer `kinds`
 * (chorale.h). kind_size: sizeof(chorale_learnt_kind), the distance of entries in bytes. Errors:
 * NULL_ARGUMENT, STRUCT_SIZE, SIZE, CAPACITY. */
CHORALE_API chorale_status chorale_learnt_kinds(const chorale_learnt *learnt,
                                                chorale_learnt_kind *kinds, size_t kind_size,
                                                int64_t capacity, int64_t *needed,
                                                chorale_error *error);

typedef struct chorale_learnt_weight {
  int32_t kind;
  chorale_basis basis;
  int64_t index; /* index within the basis (chorale_basis); 0 if the basis has none */
  double weight; /* the weight as applied; 0 if the last gate does not apply its basis */
  /* 95 % interval for the mean of this weight over corpora with as many groups, for this lambda: a
   * jackknife over folds. Does not include the uncertainty of the choice of lambda and kinds. */
  double lower;
  double upper;
  double least;  /* least and most: the bounds of the weight in learning */
  double most;
} chorale_learnt_weight;
/* Writes all weights, by kind, basis, index. weight_size: sizeof(chorale_learnt_weight). Errors: as
 * for chorale_learnt_kinds. */
CHORALE_API chorale_status chorale_learnt_weights(const chorale_learnt *learnt,
                                                  chorale_learnt_weight *weights,
                                                  size_t weight_size, int64_t capacity,
                                                  int64_t *needed, chorale_error *error);

/* Form of a text of the result: lines for people, or JSON (UTF-8, RFC 8259; infinite numbers as
 * null). The JSON is an object with the fields of chorale_learnt_report, and `kinds` and `weights`,
 * arrays of objects with the fields of chorale_learnt_kind and chorale_learnt_weight; kinds also
 * have `name` and further fields that chorale_learnt_read needs. */
typedef int32_t chorale_text_form;
enum { CHORALE_TEXT_LINES = 0, CHORALE_TEXT_JSON = 1 };
/* Writes the result as text. buffer: a buffer of `capacity` bytes; the text ends in NUL, which
 * `needed` includes. Errors: NULL_ARGUMENT, UNKNOWN_CONSTANT (form), CAPACITY. */
CHORALE_API chorale_status chorale_learnt_text(const chorale_learnt *learnt,
                                               chorale_text_form form, char *buffer,
                                               size_t capacity, size_t *needed,
                                               chorale_error *error);

/* Creates a result from JSON written by chorale_learnt_text, bit for bit the same. The JSON may be
 * kept in a file, or as a note of a problem (chorale_problem_set_note). length: bytes without NUL.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, TEXT (not such a text: the message tells where),
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_read(const chorale_host *host, const char *json,
                                               size_t length, chorale_learnt **learnt,
                                               chorale_error *error);

CHORALE_END_DECLS

#endif
