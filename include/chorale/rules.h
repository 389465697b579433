/* Rules: what the labelling of a chain must look like, such as "at most one segment of each label".
 *
 * A tagger may label "7 St Mark Place" as a street, a name and a street again. With rules the result
 * is the best labelling of those that keep the rules, and the run tells whether that is proven:
 *
 *     chorale_rule once = {.struct_size = sizeof once};      each label has at most one segment,
 *     once.each = 1;                                         but those in corpus.uncounted, such as "O"
 *     chorale_rules rules = {.struct_size = sizeof rules};
 *     rules.rules = &once; rules.count = 1;
 *     chorale_run_options options = {.struct_size = sizeof options};
 *     options.rules = &rules;
 *     chorale_decode(NULL, &corpus, NULL, 0, &options, &decoded, &error);
 *     chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, positions, NULL, &error);
 *     chorale_decoded_rule_reasons(decoded, reasons, sizeof *reasons, capacity, &needed, &error);
 *     chorale_decoded_destroy(decoded);
 *
 * Rules that the labels of a chain keep by themselves cost next to no time.
 *
 * Rules do not concern chains without positions. This header is provisional: it may change until version
 * 1.0.
 */
#ifndef CHORALE_RULES_H
#define CHORALE_RULES_H

#include "chorale/decode.h"

CHORALE_BEGIN_DECLS

/* ---- Rules -------------------------------------------------------------------------------- */

/* a and b below are kinds of labels. A *segment* is a longest stretch of positions with labels of
 * one kind (chorale_label_map in property.h): of B-X I-X B-X, for instance, two segments of X. */
typedef int32_t chorale_rule_kind;
enum {
  CHORALE_RULE_AT_MOST = 0,           /* at most k segments of a, however long; default */
  CHORALE_RULE_AT_LEAST = 10,         /* at least k segments of a */
  CHORALE_RULE_EXACTLY = 20,          /* k segments of a */
  CHORALE_RULE_NEVER = 30,            /* no position has a */
  CHORALE_RULE_AT_MOST_TOKENS = 40,   /* at most k positions have a */
  CHORALE_RULE_NO_LONGER = 50,        /* no segment of a has more than k positions */
  CHORALE_RULE_BEFORE = 60,           /* no a comes after a b */
  CHORALE_RULE_DIRECTLY_AFTER = 70,   /* the position before a segment of a exists and has b */
  CHORALE_RULE_NOT_TOGETHER = 80,     /* a and b are not both in the chain */
  CHORALE_RULE_NEEDS = 90,            /* if a is in the chain, b is too */
  CHORALE_RULE_PROPERTY = 100         /* `property` fires nothing */
};

/* One rule. All zeros: at most one segment of label 0, in every chain, without exception. Arrays are
 * borrowed for the duration of a call. */
typedef struct chorale_rule {
  size_t struct_size; /* sizeof(chorale_rule) */
  chorale_rule_kind kind; /* what the rule demands */
  /* 1: a rule of its own for every kind a, except b and kinds of which no label is counted
   * (`uncounted` of the corpus, such as "no entity"). `a` is then ignored. */
  int32_t each;
  int32_t a; /* a kind of labels */
  int32_t b; /* a kind of labels; read by rules about two kinds */
  int64_t k; /* 0 (default): 1 */
  /* What a labelling that breaks the rule loses, once for each chain, however often it breaks the
   * rule. 0 (default): the rule is never broken. */
  double price;
  const chorale_property *property; /* read by RULE_PROPERTY; its classes are 0, its table are the
                                       tokens */
  const int64_t *chains; /* those that the rule concerns, in any order. NULL (default): all chains */
  int64_t chain_count;
} chorale_rule;

/* All rules hold at once: a chain keeps every rule without price that concerns it, and the prices of
 * the rules that it breaks add up. To add a rule, give it in the same array; rules are those of one
 * call alone. They change what chorale_decode looks for: the labelling with
 * the greatest sum of scores and of the potentials of all agreements, less the prices of broken
 * rules, among those that break no rule without price.
 *
 * A chain of which no labelling keeps the rules, and a chain whose rules cost more than most_cost,
 * keeps the labels of CHORALE_ALONE; chorale_decoded_ruled_chains tells which. All other chains are
 * labelled. Strengths that are to be found are found without the rules.
 *
 * In the result, a rule that takes part is a clique of one member, which belongs to no agreement. A
 * chain in no clique of an agreement is solved by itself; if all chains are of this kind,
 * chorale_decoded_get_result has the bound of the whole, even without bound_steps.
 *
 * With rules a corpus may have at most 8192 labels (SIZE_OVERFLOW): memory grows with their square.
 * Errors of chorale_decode for rules: NULL_ARGUMENT (rules, property, chains), STRUCT_SIZE, SIZE
 * (count, k, chain_count), SIZE_OVERFLOW, UNKNOWN_CONSTANT (kind), OUT_OF_RANGE (a, b, also a == b;
 * each, price, most_cost, chains), NOT_A_NUMBER, INFINITE, LABELS_MISMATCH (map, property). Error
 * messages name the rule by index and kind, such as "rules[3] (before)". */
typedef struct chorale_rules {
  size_t struct_size; /* sizeof(chorale_rules) */
  /* The rules, in any order. They are `count` structs, struct_size bytes apart (all with the same). */
  const chorale_rule *rules;
  int64_t count;
  const chorale_label_map *map; /* the kinds of the labels. NULL: each label is its own kind */
  /* A chain whose rules cost more than this (chorale_ruled_chain) keeps the labels of CHORALE_ALONE.
   * 0 (default): no limit. */
  double most_cost;
} chorale_rules;

/* ---- The result --------------------------------------------------------------------------- */

typedef int32_t chorale_rule_state;
enum {
  CHORALE_RULES_KEPT = 0, /* the chain keeps its rules, but for those of which it pays the price */
  /* No labelling keeps the rules of the chain (chorale_decoded_rule_conflicts). */
  CHORALE_RULES_IMPOSSIBLE = 10,
  /* The rules cost more than most_cost. */
  CHORALE_RULES_TOO_DEAR = 20,
  /* No labelling that keeps the rules was found before a limit ended the search. */
  CHORALE_RULES_UNFINISHED = 30
};

/* A chain to which rules were added, since a labelling of it broke them. */
typedef struct chorale_ruled_chain {
  int64_t chain; /* number of the chain */
  chorale_rule_state state; /* other than KEPT: the chain has the labels of CHORALE_ALONE */
  int32_t reserved;
  /* What the rules cost the chain: the score phi of its labels of CHORALE_ALONE, minus the greatest
   * phi, less the prices of broken rules, of the labellings that keep the rules. Without
   * agreements. Plus infinity if there is none. */
  double cost;
  double gap; /* how much lower the cost may still be; 0: the cost is proven */
} chorale_ruled_chain;

/* Writes the chains to which rules were added, in ascending order. ruled_size:
 * sizeof(chorale_ruled_chain), the distance of entries in bytes. Errors: NULL_ARGUMENT, STRUCT_SIZE
 * (ruled_size), SIZE, CAPACITY. */
CHORALE_API chorale_status chorale_decoded_ruled_chains(const chorale_decoded *decoded,
                                                        chorale_ruled_chain *ruled,
                                                        size_t ruled_size, int64_t capacity,
                                                        int64_t *needed, chorale_error *error);

/* One of the rules that exclude each other on a chain. */
typedef struct chorale_rule_conflict {
  int64_t chain; /* number of the chain */
  int64_t rule;   /* index of the rule */
  int32_t a;      /* the kind a, for a rule with `each` */
  int32_t reserved;
} chorale_rule_conflict;

/* Writes, for each IMPOSSIBLE chain, a smallest set of rules that no labelling keeps together: without
 * any one of them, some labelling keeps the others. Ordered by chain, then rule. Errors: as for ruled_chains. */
CHORALE_API chorale_status chorale_decoded_rule_conflicts(const chorale_decoded *decoded,
                                                          chorale_rule_conflict *conflicts,
                                                          size_t conflict_size, int64_t capacity,
                                                          int64_t *needed, chorale_error *error);

/* Why rules change a label, as if there were no agreements. */
typedef struct chorale_rule_reason {
  int64_t chain; /* number of the chain */
  int64_t position; /* within the chain */
  int64_t rule;     /* index of the rule */
  int32_t a;         /* the kind a, for a rule with `each` */
  int32_t own_label; /* label of the position in CHORALE_ALONE */
  int32_t label;     /* label in the best labelling of the chain that keeps the rules */
  int32_t reserved;
  /* How much better the chain's best labelling without this rule is, by the scores of the chain and
   * the prices of its other rules. If no single rule makes the change: what all rules cost. */
  double cost;
} chorale_rule_reason;

/* Writes a reason for every position that rules change, in chains whose rules are KEPT, as if there
 * were no agreements: so `label` need not be the label in the result, and a position that rules and
 * agreements change together may be missing. The reason is the rule without which the position has
 * its own label back; of several, the one that costs most. If there is none, since several rules make
 * the same change: the first rule that the labels of CHORALE_ALONE break, if possible one about the
 * position's own label. Ordered by chain, then position. Each chain is solved again,
 * once without each of its rules, for some tenths of a second at most; rules that were not left out by
 * then are as if they made no change.
 * Errors: as for ruled_chains; OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_decoded_rule_reasons(const chorale_decoded *decoded,
                                                        chorale_rule_reason *reasons,
                                                        size_t reason_size, int64_t capacity,
                                                        int64_t *needed, chorale_error *error);

CHORALE_END_DECLS

#endif
