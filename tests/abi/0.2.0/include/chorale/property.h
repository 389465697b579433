/* Properties: functions that map a labelling to one value, a small integer.
 *
 * A property reads a labelled sequence from left to right and *fires* values at positions. The
 * value of the property on the labelling, which the labelling *shows*, is (Definition of
 * decomposable properties; the paper writes bottom both for a position that fires nothing and for
 * CONFLICT)
 *
 *     EMPTY     if nothing fired,
 *     v         if v fired, once or more, and no other value,
 *     CONFLICT  if two different values fired.
 *
 * Values are 0 .. R-1. EMPTY has the number R and CONFLICT R + 1, so that an array of scores by
 * value has R + 2 entries.
 *
 * A property is defined by an automaton over pairs of position class and label, or is *local*: the
 * value that a position fires depends only on its class, its label and its parent's label. On trees
 * a property must be local (AUTOMATON_ON_TREE); on chains both kinds are allowed.
 *
 * Models store only the values that the chains of a clique can fire (model.h), so a large R costs
 * no memory there. Arrays of the caller (messages, chorale_attachment) have R + 2 entries.
 *
 * Properties and dictionaries are immutable, reference-counted, and may be used from any thread.
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
  CHORALE_FIRE_TABLE = -3  /* the position's entry in the table of the attachment */
};

/* ---- Automata ----------------------------------------------------------------------------- */

/* An automaton. Arrays are copied; they have no gaps, and the last dimension is contiguous. */
typedef struct chorale_automaton {
  size_t struct_size; /* sizeof(chorale_automaton); set by init */
  int64_t labels;     /* m >= 1 */
  int64_t classes;    /* position classes, >= 1 */
  int64_t states;     /* >= 1 */
  int64_t values;     /* R >= 1, at most 2^31 - 3 */
  int32_t start;      /* the state before the first position */
  /* FIRE_TABLE at position t fires entry t + table_offset of the table, or outside_value (-1:
   * nothing) if that index is outside the table. */
  int32_t table_offset;
  int32_t outside_value;
  int32_t reserved;            /* 0 */
  const int32_t *next;         /* states x classes x labels: the state after the position */
  const int32_t *actions;      /* same shape as `next`: action of the position. NULL: nothing */
  const int32_t *end_actions;  /* states: action after the last position, to which FIRE_LABEL and
                                  FIRE_TABLE refer (empty chain: nothing). NULL: nothing */
  const int32_t *label_values; /* labels: value of FIRE_LABEL, -1: nothing. NULL: the label */
} chorale_automaton;

/* Fills `automaton` with the defaults; pass sizeof(chorale_automaton). NULL is ignored. */
CHORALE_API void chorale_automaton_init(chorale_automaton *automaton, size_t struct_size);

/* Creates a property from an automaton. On success *property has one reference. Errors of all
 * functions that create a property: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE
 * (labels, states, classes), VALUE_OUTSIDE_RANGE (a value that can fire), UNKNOWN_CONSTANT,
 * OUT_OF_MEMORY. O(states x classes x labels). */
CHORALE_API chorale_status chorale_property_create(const chorale_host *host,
                                                   const chorale_automaton *automaton,
                                                   chorale_property **property,
                                                   chorale_error *error);

/* Creates a local property. actions: classes x labels x (labels + 1), the action by class and label
 * of the position and label of its parent; the last column is for roots (on a chain: the first
 * position). values: R; label_values: as in chorale_automaton. FIRE_TABLE at position t fires entry
 * t. */
CHORALE_API chorale_status chorale_property_create_local(const chorale_host *host, int64_t labels,
                                                         int64_t classes, int64_t values,
                                                         const int32_t *actions,
                                                         const int32_t *label_values,
                                                         chorale_property **property,
                                                         chorale_error *error);

/* retain: adds a reference and returns its argument. release: drops a reference. NULL is ignored.
 * Any thread. */
CHORALE_API chorale_property *chorale_property_retain(const chorale_property *property);
CHORALE_API void chorale_property_release(const chorale_property *property);
/* Return the number of values R; the number of labels m. 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_property_values(const chorale_property *property);
CHORALE_API int64_t chorale_property_labels(const chorale_property *property);

/* ---- Automata rule by rule ---------------------------------------------------------------- */

/* A mutable automaton, used by one thread at a time. A new state has only transitions to itself,
 * and fires nothing. State 0 is the start and always exists. */
typedef struct chorale_property_builder chorale_property_builder;

/* In a rule: every state, class or label; as `next`: stay in the state. Differs from
 * CHORALE_FIRE_NOTHING, which is -1. */
enum { CHORALE_ANY = -10 };

/* Creates a builder. Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_property_builder_create(const chorale_host *host, int64_t labels,
                                                           int64_t classes, int64_t values,
                                                           chorale_property_builder **builder,
                                                           chorale_error *error);
/* Destroys a builder; NULL is ignored. */
CHORALE_API void chorale_property_builder_destroy(chorale_property_builder *builder);
/* Adds a state and stores its number in *state. Errors: NULL_ARGUMENT, SIZE_OVERFLOW,
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_property_builder_add_state(chorale_property_builder *builder,
                                                              int32_t *state, chorale_error *error);
/* Adds a rule: in `state`, a position of class `position_class` with label `label` fires `action`
 * and leads to state `next`. Each of the four may be CHORALE_ANY. Later rules replace earlier ones.
 * Errors: NULL_ARGUMENT, OUT_OF_RANGE (-1 is out of range too), VALUE_OUTSIDE_RANGE,
 * UNKNOWN_CONSTANT. */
CHORALE_API chorale_status chorale_property_builder_rule(chorale_property_builder *builder,
                                                         int32_t state, int32_t position_class,
                                                         int32_t label, int32_t next,
                                                         chorale_action action,
                                                         chorale_error *error);
/* Adds an end rule: a sequence that ends in `state` (or CHORALE_ANY) fires `action`. Errors: as for
 * a rule. */
CHORALE_API chorale_status chorale_property_builder_end_rule(chorale_property_builder *builder,
                                                             int32_t state, chorale_action action,
                                                             chorale_error *error);
/* Sets table_offset and outside_value as in chorale_automaton. Errors: NULL_ARGUMENT,
 * VALUE_OUTSIDE_RANGE. */
CHORALE_API chorale_status chorale_property_builder_table(chorale_property_builder *builder,
                                                          int32_t table_offset,
                                                          int32_t outside_value,
                                                          chorale_error *error);
/* Creates a property from the rules so far; the builder may be used further. label_values: as in
 * chorale_automaton. */
CHORALE_API chorale_status chorale_property_builder_finish(const chorale_property_builder *builder,
                                                           const int32_t *label_values,
                                                           chorale_property **property,
                                                           chorale_error *error);

/* ---- Ready-made properties ---------------------------------------------------------------- */

/* Maps labels to kinds, so that B-X and I-X are both of kind X. Copied by the calls that take a
 * map. */
typedef struct chorale_label_map {
  size_t struct_size;           /* sizeof(chorale_label_map); set by init */
  int64_t labels;               /* m >= 1 */
  int64_t kinds;                /* >= 1; equal to labels if kind_of_label is NULL */
  const int32_t *kind_of_label; /* m: 0 .. kinds-1. NULL: each label is its own kind */
  const uint8_t *begins; /* m: 1: the label begins a segment even after a label of its kind, like
                            B-X and S-X; 0: it does not. NULL: all 0 */
} chorale_label_map;

/* Fills `map` with zeros; pass sizeof(chorale_label_map). NULL is ignored. */
CHORALE_API void chorale_label_map_init(chorale_label_map *map, size_t struct_size);

/* Computes the map of label names in a scheme (chain.h): writes kind_of_label and begins (m each)
 * and *kinds. Kinds are numbered by first appearance, including "O". Errors: as for
 * chorale_scheme_mask. O(m^2). Any thread. */
CHORALE_API chorale_status chorale_label_map_from_names(chorale_scheme scheme,
                                                        const char *const *names,
                                                        const size_t *lengths, int64_t labels,
                                                        int32_t *kind_of_label, uint8_t *begins,
                                                        int64_t *kinds, chorale_error *error);

/* Creates a property that fires the kind of the label at `position`; R = kinds. EMPTY on shorter
 * chains. Errors: SIZE (position < 0), SIZE_OVERFLOW. */
CHORALE_API chorale_status chorale_property_create_position_label(const chorale_host *host,
                                                                  const chorale_label_map *map,
                                                                  int64_t position,
                                                                  chorale_property **property,
                                                                  chorale_error *error);

/* Creates TokenLabel (Example 1), which fires the kind of the label of every position whose table
 * entry is `token` (>= 0); R = kinds. */
CHORALE_API chorale_status chorale_property_create_token_label(const chorale_host *host,
                                                               const chorale_label_map *map,
                                                               int32_t token,
                                                               chorale_property **property,
                                                               chorale_error *error);

/* Creates a property that fires the kind of the first label that is not ignored; R = kinds.
 * ignored: m bytes, 0: the label is not ignored; NULL: all 0. */
CHORALE_API chorale_status chorale_property_create_first_label(const chorale_host *host,
                                                               const chorale_label_map *map,
                                                               const uint8_t *ignored,
                                                               chorale_property **property,
                                                               chorale_error *error);

/* End of segments of the anchor kind. A segment is a maximal run of labels of one kind; a label
 * that begins a segment (B-X) also ends the run before. */
typedef int32_t chorale_segment_rule;
enum {
  CHORALE_SEGMENT_SPANS_IGNORED = 0,  /* a segment continues over ignored labels: X O X is one */
  CHORALE_SEGMENT_ENDS_AT_IGNORED = 1 /* an ignored label ends a segment: X O X is two */
};

/* Creates NextLabel (Example 2), which fires, for every segment of the kind `anchor`, the kind of
 * the first label after the segment that is not ignored, or `end_value` if the sequence ends first
 * (-1: nothing; `kinds` gives the end a value of its own). If the next segment is again of the kind
 * `anchor` and adjoins, its first label is the one fired. R = max(kinds, end_value + 1). A label of
 * the kind `anchor` belongs to a segment even if `ignored`. */
CHORALE_API chorale_status chorale_property_create_next_label(
    const chorale_host *host, const chorale_label_map *map, int32_t anchor, const uint8_t *ignored,
    chorale_segment_rule rule, int32_t end_value, chorale_property **property,
    chorale_error *error);

/* Creates BeforeToken (Example 3), which fires, for every segment of the kind `anchor`, the table
 * entry of the position before the segment, or `start_value` (-1: nothing) if the segment starts at
 * the first position. R = values. */
CHORALE_API chorale_status chorale_property_create_token_before(
    const chorale_host *host, const chorale_label_map *map, int32_t anchor, const uint8_t *ignored,
    chorale_segment_rule rule, int64_t values, int32_t start_value, chorale_property **property,
    chorale_error *error);

/* ---- Dictionaries ------------------------------------------------------------------------- */

/* A dictionary: the subset of a property's values that a clique uses, numbered from 0 in ascending
 * order. Optionally followed by one value OUT, which represents all values outside the subset.
 *
 * With OUT, all values outside are the same value: firing two of them gives OUT, and firing one and
 * a value of the subset gives CONFLICT. Without OUT, a single value outside gives -1; two different
 * values give CONFLICT, whether in the subset or outside. */
typedef struct chorale_dictionary chorale_dictionary;

/* Treatment of values outside a dictionary. */
typedef int32_t chorale_outside;
enum {
  CHORALE_OUTSIDE_FORBIDDEN = 0, /* messages and decoding exclude every labelling that fires one,
                                    also as part of a CONFLICT */
  CHORALE_OUTSIDE_AS_OUT = 1     /* every value outside is the value OUT */
};

/* Creates a dictionary. values: `count` values >= 0 in any order, repetitions allowed; copied.
 * Errors: NULL_ARGUMENT, SIZE (count < 0, or no value and no OUT), SIZE_OVERFLOW, OUT_OF_RANGE,
 * UNKNOWN_CONSTANT (outside), OUT_OF_MEMORY. O(count log count). */
CHORALE_API chorale_status chorale_dictionary_create(const chorale_host *host,
                                                     const int32_t *values, int64_t count,
                                                     chorale_outside outside,
                                                     chorale_dictionary **dictionary,
                                                     chorale_error *error);

/* Creates a dictionary of the `keep` values of highest score among those of `full` (NULL: values 0
 * .. columns-1). scores: `columns` entries, for instance a message of the chain; further entries,
 * such as EMPTY and CONFLICT, are not read. Values with score minus infinity, and OUT of `full`,
 * are left out; of equal scores the lowest value is preferred. Errors: as for
 * chorale_dictionary_create; VALUES_MISMATCH (columns). */
CHORALE_API chorale_status chorale_dictionary_create_best(
    const chorale_host *host, const chorale_dictionary *full, const double *scores, int64_t columns,
    int64_t keep, chorale_outside outside, chorale_dictionary **dictionary, chorale_error *error);
/* retain: adds a reference and returns its argument. release: drops a reference. NULL is ignored.
 * Any thread. */
CHORALE_API chorale_dictionary *chorale_dictionary_retain(const chorale_dictionary *dictionary);
CHORALE_API void chorale_dictionary_release(const chorale_dictionary *dictionary);
/* Returns the number of values, including OUT, which is the R of a clique with this dictionary; 0
 * for NULL. Any thread. */
CHORALE_API int64_t chorale_dictionary_values(const chorale_dictionary *dictionary);
/* Returns the number of a property's value in the dictionary; for a value outside, OUT, or -1
 * without OUT. O(log R). */
CHORALE_API int32_t chorale_dictionary_find(const chorale_dictionary *dictionary, int32_t value);
/* Returns the property's value with a number in the dictionary; -1 for OUT and out of range. */
CHORALE_API int32_t chorale_dictionary_value(const chorale_dictionary *dictionary, int64_t number);

/* ---- A property on a chain ---------------------------------------------------------------- */

/* A property on a chain with its inputs and incoming message. All pointers are borrowed for the
 * duration of a call. */
typedef struct chorale_attachment {
  size_t struct_size; /* sizeof(chorale_attachment); set by init */
  const chorale_property *property;
  const chorale_dictionary *dictionary; /* NULL: the property's own values */
  const int32_t *classes; /* T: the class of each position. NULL: all 0. Not read by position_label
                             and token_label properties */
  const int32_t *table;   /* T values of the property, such as token ids; -1 fires nothing. May be
                             NULL if the property reads no table */
  /* Message of the clique: R + 2 scores by value, minus infinity allowed, with the R of the
   * dictionary if there is one. NULL: zeros. */
  const double *message;
} chorale_attachment;

/* Fills `attachment` with zeros; pass sizeof(chorale_attachment). NULL is ignored. */
CHORALE_API void chorale_attachment_init(chorale_attachment *attachment, size_t struct_size);

/* Returns R: the number of values of the dictionary, or without one of the property; 0 for NULL.
 * Any thread. */
CHORALE_API int64_t chorale_attachment_values(const chorale_attachment *attachment);

/* Computes the value that a labelling (`length` labels) shows: *value is in 0 .. R-1, R (EMPTY) or
 * R + 1 (CONFLICT), in the numbers of the dictionary if there is one; -1 for a single value outside
 * a dictionary without OUT.
 * parents: of a tree, as in chorale_chain; NULL: a chain.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (labels, classes, parents),
 * VALUE_OUTSIDE_RANGE (table), PARENT_ORDER, PARENT_CYCLE, AUTOMATON_ON_TREE. O(T). Any thread. */
CHORALE_API chorale_status chorale_property_shown(const chorale_attachment *attachment,
                                                     int64_t length, const int32_t *labelling,
                                                     const int32_t *parents, int32_t *value,
                                                     chorale_error *error);

/* Writes all values that a labelling fires, in order, with repetitions, also those of a conflict,
 * in the property's own numbers; for instance to create a dictionary (the paper's first
 * approximation).
 * values: a buffer (chorale.h); capacity length + 1 always suffices.
 * Errors: as for chorale_property_shown; SIZE (a negative capacity), CAPACITY. */
CHORALE_API chorale_status chorale_property_fired(const chorale_attachment *attachment,
                                                  int64_t length, const int32_t *labelling,
                                                  const int32_t *parents, int32_t *values,
                                                  int64_t capacity, int64_t *needed,
                                                  chorale_error *error);

CHORALE_END_DECLS

#endif
