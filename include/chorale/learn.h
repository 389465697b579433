/* Learning: how strongly the members of cliques should agree, found from labelled documents.
 * Provisional: this header may change until version 1.0.
 *
 *     chorale_learn(NULL, &problem, 1, NULL, &learnt, &error);       problems with gold labels in
 *     chorale_learnt_apply(NULL, learnt, other, &model, &error);     potentials out
 *     chorale_learnt_destroy(learnt);
 *
 * What is learnt. Cliques have *kinds* (chorale_problem_set_cliques). Three families of kinds each
 * get one pair of numbers: kinds of positions (words, names), of whole chains (properties), and of
 * positions with a centre (links). The numbers are the strength s and the bonus b of
 *
 *     s * sum_v n_v^2 / n  +  b * sum_v n_v
 *
 * where n_v of the n members show value v. The sums leave out EMPTY, CONFLICT and labels that do
 * not count; the first also leaves out UNLISTED. A kind with a centre of value c has instead
 * s sum_v D_cv n_v, where D_cv is the log-odds log p(v | c) / p(v) among the gold labels, with 1
 * added to each count; without gold labels s n_c. Scores should be log-probabilities up to a constant, as those of a CRF; they
 * must come from a tagger that has not seen the gold labels, as in cross-validation.
 *
 * What is maximised is what is reported: the share of right labels; with `classes`, micro F1 of
 * tokens; with `classes` and `begins`, micro F1 of spans; with `costs`, minus the cost. An F1 is
 * written as a cost that adds up over groups, F * (gold + found) - 2 * right, where F is the F1 of
 * the tagger's own labels: the cost is lower than the tagger's exactly if F1 is higher.
 *
 * What is promised. Groups are documents; groups that share a clique count as one. Nothing is applied
 * if gold labels agree no more than chance would have it, or if labels of held-out groups, labelled
 * with what the other groups teach, do not cost less than the tagger's own. Unless `may_lower_accuracy`
 * is set, nothing is applied that lowers accuracy by more than a standard error. The report is of
 * held-out groups, with a control that has bonuses alone (s = 0), so that labels can become more
 * frequent but not agree. Two temperatures for chorale_run_probabilities are fitted to the same groups,
 * one for positions whose label agreement changed and one for the others. The same input gives the
 * same bits, for any number of threads, unless the time limit ends the call. How strengths are found
 * may change with every version.
 *
 * Without gold labels (`without_gold`) the strength is found from what the tagger expects of itself:
 * see chorale_learn_options. It says how strongly members should agree, not whether they do. */
#ifndef CHORALE_LEARN_H
#define CHORALE_LEARN_H

#include "chorale/decode.h"
#include "chorale/problem.h"

CHORALE_BEGIN_DECLS

/* ---- The call ----------------------------------------------------------------------------- */

/* Progress, passed to a callback each time that a problem has been labelled. The callback returns 0
 * to go on, or another number to end the call as a raised cancel flag would. */
typedef struct chorale_learn_progress {
  size_t struct_size;
  int64_t runs;      /* how often a problem was labelled so far */
  int64_t runs_most; /* upper bound on `runs` */
} chorale_learn_progress;
typedef int32_t (*chorale_learn_progress_function)(void *user,
                                                   const chorale_learn_progress *progress);

typedef struct chorale_learn_options {
  size_t struct_size; /* sizeof(chorale_learn_options) */
  int64_t labels;     /* number of labels of `costs`, `classes` and `begins` */
  /* By label: the class that the label counts as in micro F1, or -1 if it does not count. NULL:
   * every label counts, and accuracy (or `costs`) decides. */
  const int32_t *classes;
  /* By label: 1 if the label begins a span (B-PER), else 0. F1 is then that of spans: the longest
   * stretches of a chain with labels of one class of which only the first may begin a span. Needs
   * `classes`. NULL: F1 is that of tokens. */
  const int32_t *begins;
  /* Costs >= 0, labels x labels without gaps: the row is the gold label, the column the label
   * given; 0 on the diagonal. Not together with `classes`. NULL: 1 for each wrong label. */
  const double *costs;
  int32_t may_lower_accuracy; /* 1: strengths may be applied that lower accuracy by more than a
                                 standard error. Default 0 */
  /* 1: gold labels are not read. The strength of positions is the largest, up to 2, under which fewer
   * labels change than errors are expected by the tagger's probabilities; that of properties is 2, of
   * centres 1, with s n_c. Bonuses are 0. It says how strongly members should agree, not whether they
   * do. Default 0 */
  int32_t without_gold;
  int64_t threads;    /* number of threads; 0: 1. The result is the same for any number */
  double time_limit;  /* time limit in seconds, after which no further strength is tried; 0: five
                         minutes; negative: it has passed; plus infinity: none */
  const chorale_cancel *cancel;             /* may be NULL */
  chorale_learn_progress_function progress; /* called each time that a problem has been
                                               labelled; may be NULL. If it returns other than 0,
                                               the call ends as after a cancel */
  void *progress_user;
} chorale_learn_options;

/* The result of learning. Immutable: any thread. */
typedef struct chorale_learnt chorale_learnt;

/* Learns from `count` >= 1 problems, which are borrowed for the length of the call. Kinds have the
 * same numbers in all problems: if two problems name a kind (CHORALE_TEXTS_KINDS), the names must be
 * equal. Cliques of kind -1 keep their potentials. Unknown gold labels (-1), and those that their
 * chain forbids, do not count.
 *
 * If cancel or progress ends the call early, the call succeeds, the report gives the outcome, and
 * nothing is applied.
 *
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, OUT_OF_RANGE (classes, begins, costs; a kind with a
 * number above 65535), NOT_A_NUMBER, INFINITE, LABELS_MISMATCH (chains of other numbers of labels
 * than `labels`), NO_GOLD (no gold label is known that its chain allows), ONE_GROUP (all labelled
 * chains are of one group), KIND (no clique has a kind; cliques of one kind that differ in whether
 * they are property cliques, have EMPTY and CONFLICT, have UNLISTED or have a centre, or in the
 * number of values of the centre; a problem with an instance; both costs and classes; begins
 * without classes), WEIGHTS (a clique with a kind has weights above 1), MODEL_MISMATCH (a kind has
 * two names), NO_LABELLING (a chain forbids every labelling), and those of chorale_run_create and
 * chorale_run_solve.
 * Cost: a few dozen quick runs over each problem for each family of kinds, and one usual run. Memory:
 * that of a run. */
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
 * a kind gets the learnt potential of this kind; zero potentials if nothing is applied. The chains
 * are shared with the problem's model, which is kept alive: no scores are copied.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, KIND (a clique that differs from the cliques of its kind that
 * were learnt from, as under KIND of chorale_learn; a clique of a kind that was not learnt),
 * WEIGHTS (a clique with a kind has weights above 1), VALUES_MISMATCH (a kind with a centre, or in
 * which some values do not count, can be applied only to cliques with as many values as those learnt
 * from), MODEL_MISMATCH (a kind has another name in the problem), OUT_OF_MEMORY. */
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

/* Why the strengths are applied, or why nothing is. */
typedef int32_t chorale_verdict;
enum {
  CHORALE_VERDICT_GAIN = 0,            /* applied: held-out groups cost less */
  CHORALE_VERDICT_WITHOUT_GOLD = 1,    /* applied: `without_gold` */
  CHORALE_VERDICT_NO_AGREEMENT = 10,   /* members agree no more than members shuffled at random */
  CHORALE_VERDICT_NO_GAIN = 20,        /* held-out groups do not cost less */
  CHORALE_VERDICT_MAY_BE_CHANCE = 30,  /* they do, but so few groups, or so little, may be chance */
  CHORALE_VERDICT_LOWERS_ACCURACY = 40, /* every strength lowers accuracy */
  CHORALE_VERDICT_INTERRUPTED = 50     /* cancelled, or the time limit came before any strength */
};

/* Flags, to be combined by |: what is unusual about the problems. */
typedef int32_t chorale_learn_warning;
enum {
  CHORALE_WARNING_GOLD_FORBIDDEN = 1, /* some chains forbid some of their gold labels */
  CHORALE_WARNING_BASE_KNOWS = 8,     /* over 99 % of the tagger's labels are right: has the tagger
                                         seen the gold labels? */
  CHORALE_WARNING_FEW_GROUPS = 16,    /* fewer than 8 groups */
  /* `without_gold`: the tagger gives more than nine of ten positions the same label, and it is not
   * among `uncounted`: agreement may spread it */
  CHORALE_WARNING_ONE_LABEL = 64
};

/* The report. Everything is counted on held-out groups, at positions with known gold labels: for the
 * tagger's own labels, for the control (bonuses alone), and for the labels that agree. Without gold
 * labels, or if no strength was tried, figures that are unknown are 0. */
typedef struct chorale_learnt_report {
  size_t struct_size; /* sizeof(chorale_learnt_report) */
  chorale_outcome outcome; /* COMPLETE, DEADLINE, CANCELLED */
  int32_t applied;         /* 1: strengths are applied; 0: nothing is */
  chorale_verdict verdict;
  chorale_learn_warning warnings;
  int64_t groups;
  int64_t positions; /* number of positions with gold labels */
  int64_t kinds;
  int64_t runs;      /* how often a problem was labelled */
  double tagger_cost; /* what is minimised: errors, costs, or F * (gold + found) - 2 * right */
  double tagger_precision; /* precision, recall and F1 only with `classes`; else 0 */
  double tagger_recall;
  double tagger_f1;
  double tagger_accuracy;
  double control_cost;
  double control_precision;
  double control_recall;
  double control_f1;
  double control_accuracy;
  double agreeing_cost;
  double agreeing_precision;
  double agreeing_recall;
  double agreeing_f1;
  double agreeing_accuracy;
  int64_t changed;              /* labels that agreement changed */
  int64_t changed_right_before; /* of these, those that were right before */
  int64_t changed_right_after;  /* of these, those that are right now */
  double agreement_p; /* p-value: do members agree beyond chance? Negative: nothing
                         could be exchanged, or there was no gold */
  double gain_p;      /* p-value of tagger_cost - agreeing_cost; negative: unknown */
  double expected_errors; /* `without_gold`: errors that the tagger expects among its labels */
  double temperature;         /* for chorale_run_probabilities, at positions whose label is the
                                 tagger's; 0: unknown */
  double changed_temperature; /* the same, at positions whose label agreement changed; 0: unknown */
} chorale_learnt_report;
/* Writes the report to *report. Errors: NULL_ARGUMENT, STRUCT_SIZE. */
CHORALE_API chorale_status chorale_learnt_get_report(const chorale_learnt *learnt,
                                                     chorale_learnt_report *report,
                                                     chorale_error *error);

typedef struct chorale_learnt_kind {
  int32_t kind;
  int32_t uses_log_odds; /* 1: s sum_v D_cv n_v; 0: any other form */
  int64_t cliques;       /* 0: no clique has this kind */
  int64_t members;
  double strength; /* s as applied; 0 if nothing is */
  double bonus;    /* b as applied */
} chorale_learnt_kind;
/* Writes all kinds, in the order of their numbers, to the buffer `kinds` (chorale.h).
 * kind_size: sizeof(chorale_learnt_kind), the distance of entries in bytes. Errors: NULL_ARGUMENT,
 * STRUCT_SIZE, SIZE, CAPACITY. */
CHORALE_API chorale_status chorale_learnt_kinds(const chorale_learnt *learnt,
                                                chorale_learnt_kind *kinds, size_t kind_size,
                                                int64_t capacity, int64_t *needed,
                                                chorale_error *error);

/* The form in which a result is written as text: lines for people, or JSON (UTF-8, RFC 8259). The
 * JSON is an object with the fields of chorale_learnt_report, and an array `kinds` of objects with
 * the fields of chorale_learnt_kind and `name`. Its other fields are for chorale_learnt_read alone. */
typedef int32_t chorale_text_form;
enum { CHORALE_TEXT_LINES = 0, CHORALE_TEXT_JSON = 1 };
/* Writes the result as text to `buffer` of `capacity` bytes. The text ends in NUL, which `needed`
 * includes (chorale.h). Errors: NULL_ARGUMENT, UNKNOWN_CONSTANT (form), CAPACITY. */
CHORALE_API chorale_status chorale_learnt_text(const chorale_learnt *learnt,
                                               chorale_text_form form, char *buffer,
                                               size_t capacity, size_t *needed,
                                               chorale_error *error);

/* Creates a result from JSON written by chorale_learnt_text of this version or of 0.2; of the latter
 * only the potentials, `applied` and the temperature are read. Potentials are the same, bit by bit;
 * figures of the report have 14 digits. The JSON may be kept in a file, or as a note of a problem.
 * length: number of bytes, without a NUL.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, TEXT (not such a text; the message tells where it is wrong),
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_learnt_read(const chorale_host *host, const char *json,
                                               size_t length, chorale_learnt **learnt,
                                               chorale_error *error);

CHORALE_END_DECLS

#endif
