/* Properties: functions that map a labelling to one value, a small integer.
 *
 * A property reads a labelled sequence from left to right and *fires* values at positions. The
 * labelling then *shows* one value, which is the value of the property on this labelling:
 *
 *     EMPTY     if nothing fired,
 *     v         if v fired, once or more, and no other value,
 *     CONFLICT  if two different values fired.
 *
 * (Gupta, Sarawagi and Diwan, see potential.h: "decomposable properties". Their bottom symbol
 * stands both for a position that fires nothing and for CONFLICT.)
 *
 * Values are 0 .. R-1. EMPTY has the number R and CONFLICT R + 1, so that an array of scores by
 * value has R + 2 entries.
 *
 * A property is defined by an automaton, which reads the class and the label of each position. The
 * class is a number that the caller gives to the position, such as a type of token. A property may
 * instead be *local*: the value that a position fires depends only on its class, its label and the
 * label of its parent (on a chain: of the position before). On trees a property must be local,
 * otherwise calls fail with AUTOMATON_ON_TREE; on chains both kinds are allowed.
 *
 * If R is large, models store only the values that the chains of a clique can fire ("Cost of large
 * R" in model.h).
 *
 * Properties are immutable, reference-counted, and may be used from any thread.
 */
#ifndef CHORALE_PROPERTY_H
#define CHORALE_PROPERTY_H

#include "chorale/chain.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_property chorale_property;

/* An action: the value (>= 0) that a position fires, or one of these constants. */
typedef int32_t chorale_action;
enum {
  CHORALE_FIRE_NOTHING = -1,
  CHORALE_FIRE_LABEL = -2, /* label_values[label of the position] */
  CHORALE_FIRE_TABLE = -3  /* the position's entry in the table (chorale_members, model.h) */
};

/* ---- Automata ----------------------------------------------------------------------------- */

/* An automaton. Arrays are copied; they have no gaps, and the last dimension is contiguous. */
typedef struct chorale_automaton {
  size_t struct_size; /* sizeof(chorale_automaton) */
  int64_t labels;     /* m, the number of labels, >= 1 */
  int64_t classes;    /* number of classes of positions, >= 1 */
  int64_t states;     /* number of states, >= 1 */
  int64_t values;     /* R, the number of values, >= 1, at most 2^31 - 3 */
  int32_t start;      /* the state before the first position */
  int32_t table_offset;  /* FIRE_TABLE at position t fires entry t + table_offset of the table */
  int32_t outside_value; /* what FIRE_TABLE fires outside of the table */
  int32_t fires_outside; /* 1: FIRE_TABLE fires outside_value outside of the table; 0 (default): nothing */
  const int32_t *next;         /* states x classes x labels: the state after a position, indexed by
                                  the state before it, its class and its label */
  const int32_t *actions;      /* same shape as `next`: the action (chorale_action) at the position.
                                  NULL: no position fires */
  const int32_t *end_actions;  /* by state: a further action, taken after the last position if the
                                  chain ends in this state. FIRE_LABEL and FIRE_TABLE then use the
                                  label and the table entry of the last position; on an empty chain
                                  both fire nothing. NULL: no such actions */
  const int32_t *label_values; /* by label: the value that FIRE_LABEL fires, or -1 for nothing.
                                  NULL: the label itself */
} chorale_automaton;

/* Creates a property from an automaton. On success *property has one reference.
 *
 * Errors of all functions that create a property: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW,
 * OUT_OF_RANGE (labels, states, classes), VALUE_OUTSIDE_RANGE (a value that can fire),
 * UNKNOWN_CONSTANT, OUT_OF_MEMORY. O(states x classes x labels). */
CHORALE_API chorale_status chorale_property_create(const chorale_host *host,
                                                   const chorale_automaton *automaton,
                                                   chorale_property **property,
                                                   chorale_error *error);

/* Creates a local property. actions: classes x labels x (labels + 1) entries of chorale_action,
 * indexed by the class of the position, its label, and the label of its parent (on a chain: of the
 * position before); the last column is for positions without a parent. values: R. label_values: as
 * in chorale_automaton. FIRE_TABLE at position t fires entry t of the table. */
CHORALE_API chorale_status chorale_property_create_local(const chorale_host *host, int64_t labels,
                                                         int64_t classes, int64_t values,
                                                         const int32_t *actions,
                                                         const int32_t *label_values,
                                                         chorale_property **property,
                                                         chorale_error *error);

/* Drops a reference; dropping the last one destroys the property. NULL is ignored. Any thread. */
CHORALE_API void chorale_property_release(const chorale_property *property);

/* ---- Ready-made properties ---------------------------------------------------------------- */

/* Maps labels to kinds: for instance, B-X and I-X are both of kind X. A *segment* is a longest
 * stretch of positions with labels of one kind; a label that begins a segment (B-X) also ends the
 * segment before it. Calls that take a map copy it.
 *
 * Of the properties below, those of create_position_label and create_token_label are local. The
 * others are not, and so cannot be used on trees. */
typedef struct chorale_label_map {
  size_t struct_size;           /* sizeof(chorale_label_map) */
  int64_t labels;               /* m, the number of labels, >= 1 */
  int64_t kinds;                /* number of kinds, >= 1; equal to labels if kind_of_label is NULL; 0
                                   (default) stands for this */
  const int32_t *kind_of_label; /* m entries in 0 .. kinds-1. NULL: each label is its own kind */
  const uint8_t *begins; /* m bytes: 1 if the label begins a segment even after a label of its kind,
                            like B-X and S-X, else 0. NULL: all 0 */
} chorale_label_map;

/* Computes the fields of a chorale_label_map from the names of `labels` labels in a scheme
 * (chain.h): writes kind_of_label and begins, an entry for each label, and *kinds. "O" is a kind
 * too. Kinds are numbered in the order in which they appear among the names. names, lengths: as in
 * chorale_scheme_mask. Errors: as for chorale_scheme_mask. O(labels^2). Any thread. */
CHORALE_API chorale_status chorale_label_map_from_names(chorale_scheme scheme,
                                                        const char *const *names,
                                                        const size_t *lengths, int64_t labels,
                                                        int32_t *kind_of_label, uint8_t *begins,
                                                        int64_t *kinds, chorale_error *error);

/* Creates a property that fires the kind of the label at `position`; R = kinds. Chains that end
 * before this position show EMPTY. Errors: SIZE (position < 0), SIZE_OVERFLOW. */
CHORALE_API chorale_status chorale_property_create_position_label(const chorale_host *host,
                                                                  const chorale_label_map *map,
                                                                  int64_t position,
                                                                  chorale_property **property,
                                                                  chorale_error *error);

/* Creates the property TokenLabel (Example 1 of the paper), which fires the kind of the label of
 * every position whose table entry is `token`, a number >= 0. R = kinds. */
CHORALE_API chorale_status chorale_property_create_token_label(const chorale_host *host,
                                                               const chorale_label_map *map,
                                                               int32_t token,
                                                               chorale_property **property,
                                                               chorale_error *error);

/* Creates a property that fires the kind of the first label that is not ignored; R = kinds.
 * ignored: a byte for each label, other than 0 if the property ignores the label; NULL: no label is
 * ignored. create_next_label and create_token_before take such an array too. */
CHORALE_API chorale_status chorale_property_create_first_label(const chorale_host *host,
                                                               const chorale_label_map *map,
                                                               const uint8_t *ignored,
                                                               chorale_property **property,
                                                               chorale_error *error);

/* What an ignored label does to a segment (chorale_label_map), in the properties of
 * create_next_label and create_token_before. */
typedef int32_t chorale_segment_rule;
enum {
  /* A segment continues over ignored labels: X O X is one segment if O is ignored. */
  CHORALE_SEGMENT_SPANS_IGNORED = 0,
  /* An ignored label ends a segment: X O X is two segments. */
  CHORALE_SEGMENT_ENDS_AT_IGNORED = 1
};

/* Creates the property NextLabel (Example 2 of the paper). For every segment of the kind `anchor`,
 * it fires the kind of the first label after the segment that is not ignored. If the sequence ends
 * before such a label, it fires `end_value`, or nothing if end_value is -1; end_value = kinds gives
 * the end a value of its own. If another segment of the kind `anchor` follows directly, the kind
 * fired is `anchor`. R = max(kinds, end_value + 1). A label of the kind `anchor` belongs to a
 * segment even if `ignored` names it. */
CHORALE_API chorale_status chorale_property_create_next_label(
    const chorale_host *host, const chorale_label_map *map, int32_t anchor, const uint8_t *ignored,
    chorale_segment_rule rule, int32_t end_value, chorale_property **property,
    chorale_error *error);

/* Creates the property BeforeToken (Example 3 of the paper). For every segment of the kind
 * `anchor`, it fires the table entry of the position before the segment. If the segment starts at
 * the first position, it fires `start_value`, or nothing if start_value is -1. R = values. */
CHORALE_API chorale_status chorale_property_create_token_before(
    const chorale_host *host, const chorale_label_map *map, int32_t anchor, const uint8_t *ignored,
    chorale_segment_rule rule, int64_t values, int32_t start_value, chorale_property **property,
    chorale_error *error);

CHORALE_END_DECLS

#endif
