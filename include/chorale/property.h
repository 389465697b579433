/* Properties of labellings: what a labelling shows, as one small integer.
 *
 * A property reads a labelled sequence from left to right and *fires* values. What the whole
 * labelling shows is (Definition of decomposable properties; "does not fire here" and CONFLICT are
 * different things, although the paper writes both as bottom)
 *
 *     EMPTY     nothing fired,
 *     v         everything that fired was v,
 *     CONFLICT  two different values fired.
 *
 * Values are 0 .. R-1; wherever values are numbered or scored, EMPTY is R and CONFLICT is R + 1, so
 * an array of value scores has R + 2 entries.
 *
 * The mechanism is an automaton over (position class, label). On a tree a property is *local*: what
 * a position fires depends on its class, its label and its parent's label alone. A local property
 * may be put on a chain; an automaton on a tree is AUTOMATON_ON_TREE.
 *
 * R costs nothing by itself: a model works on the values that the chains of a clique can fire
 * (model.h). Rows that the caller gives or gets (messages, chorale_attachment) have R + 2 entries.
 *
 * Properties and dictionaries are immutable, reference-counted, and may be used from any thread.
 */
#ifndef CHORALE_PROPERTY_H
#define CHORALE_PROPERTY_H

#include "chorale/chain.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_property chorale_property;

/* What fires: a value (>= 0), or one of these. */
typedef int32_t chorale_action;
enum {
  CHORALE_FIRE_NOTHING = -1,
  CHORALE_FIRE_LABEL = -2, /* label_values[label of the position] */
  CHORALE_FIRE_TABLE = -3  /* the position's entry in the table of the attachment */
};

/* ---- Automata ----------------------------------------------------------------------------- */

/* The arrays are copied. Array shapes are without gaps, the last dimension contiguous. */
typedef struct chorale_automaton {
  size_t struct_size; /* sizeof(chorale_automaton); set by init */
  int64_t labels;     /* m >= 1 */
  int64_t classes;    /* position classes, >= 1 */
  int64_t states;     /* >= 1 */
  int64_t values;     /* R >= 1, at most 2^31 - 3 */
  int32_t start;      /* the state before the first position */
  /* Where FIRE_TABLE reads: entry t + table_offset at position t. Where there is no such entry it
   * fires outside_value (-1: nothing). */
  int32_t table_offset;
  int32_t outside_value;
  int32_t reserved;            /* 0 */
  const int32_t *next;         /* states x classes x labels: the state after the position */
  const int32_t *actions;      /* the same shape: what the position fires. NULL: nothing */
  const int32_t *end_actions;  /* states: what fires after the last position, whose label and table
                                  entry LABEL and TABLE mean (in an empty chain, nothing). NULL:
                                  nothing */
  const int32_t *label_values; /* labels: what LABEL fires, -1 nothing. NULL: the label itself */
} chorale_automaton;

/* Fills `automaton` with the defaults; pass sizeof(chorale_automaton). NULL is ignored. */
CHORALE_API void chorale_automaton_init(chorale_automaton *automaton, size_t struct_size);

/* Errors of everything that creates a property: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW,
 * OUT_OF_RANGE (labels, states, classes), VALUE_OUTSIDE_RANGE (what it can fire), UNKNOWN_CONSTANT,
 * OUT_OF_MEMORY. On success *property has one reference. O(states x classes x labels). */
CHORALE_API chorale_status chorale_property_create(const chorale_host *host,
                                                   const chorale_automaton *automaton,
                                                   chorale_property **property,
                                                   chorale_error *error);

/* A local property. actions: classes x labels x (labels + 1): what a position of that class and
 * label fires under a parent of that label, the last column for a root (on a chain: the first
 * position). label_values: as above; `values` as above. FIRE_TABLE reads entry t. */
CHORALE_API chorale_status chorale_property_create_local(const chorale_host *host, int64_t labels,
                                                         int64_t classes, int64_t values,
                                                         const int32_t *actions,
                                                         const int32_t *label_values,
                                                         chorale_property **property,
                                                         chorale_error *error);

/* Another reference to the same object, and one reference less; NULL is ignored. Any thread. */
CHORALE_API chorale_property *chorale_property_retain(const chorale_property *property);
CHORALE_API void chorale_property_release(const chorale_property *property);
/* R, m; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_property_values(const chorale_property *property);
CHORALE_API int64_t chorale_property_labels(const chorale_property *property);

/* ---- Automata rule by rule ---------------------------------------------------------------- */

/* A mutable automaton: one thread at a time. A state starts out staying where it is and firing
 * nothing, whatever it reads and at the end. State 0, the start, exists from the beginning. */
typedef struct chorale_property_builder chorale_property_builder;

/* Every state, class or label of a rule; as `next`, the state that is left. Not -1, which an action
 * has for CHORALE_FIRE_NOTHING. */
enum { CHORALE_ANY = -10 };

/* Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_property_builder_create(const chorale_host *host, int64_t labels,
                                                           int64_t classes, int64_t values,
                                                           chorale_property_builder **builder,
                                                           chorale_error *error);
/* NULL is ignored. */
CHORALE_API void chorale_property_builder_destroy(chorale_property_builder *builder);
/* A new state, its number in *state. Errors: NULL_ARGUMENT, SIZE_OVERFLOW, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_property_builder_add_state(chorale_property_builder *builder,
                                                              int32_t *state, chorale_error *error);
/* In `state` (or CHORALE_ANY), reading a position of `position_class` (or ANY) with `label` (or
 * ANY): go to `next` (ANY: stay) and fire `action`. Later rules replace earlier ones. Errors:
 * NULL_ARGUMENT, OUT_OF_RANGE (-1 among them), VALUE_OUTSIDE_RANGE, UNKNOWN_CONSTANT. */
CHORALE_API chorale_status chorale_property_builder_rule(chorale_property_builder *builder,
                                                         int32_t state, int32_t position_class,
                                                         int32_t label, int32_t next,
                                                         chorale_action action,
                                                         chorale_error *error);
/* At the end in `state` (or ANY) fire `action`. Errors: as for a rule. */
CHORALE_API chorale_status chorale_property_builder_end_rule(chorale_property_builder *builder,
                                                             int32_t state, chorale_action action,
                                                             chorale_error *error);
/* Where FIRE_TABLE reads, as in chorale_automaton. Errors: NULL_ARGUMENT, VALUE_OUTSIDE_RANGE. */
CHORALE_API chorale_status chorale_property_builder_table(chorale_property_builder *builder,
                                                          int32_t table_offset,
                                                          int32_t outside_value,
                                                          chorale_error *error);
/* Compiles; the builder may go on. label_values: as in chorale_automaton. */
CHORALE_API chorale_status chorale_property_builder_finish(const chorale_property_builder *builder,
                                                           const int32_t *label_values,
                                                           chorale_property **property,
                                                           chorale_error *error);

/* ---- Ready-made properties ---------------------------------------------------------------- */

/* Kinds: what labels count as, so that B-X and I-X are both X. Copied by the calls that take it. */
typedef struct chorale_label_map {
  size_t struct_size;           /* sizeof(chorale_label_map); set by init */
  int64_t labels;               /* m >= 1 */
  int64_t kinds;                /* >= 1; without `kind_of_label` equal to labels */
  const int32_t *kind_of_label; /* m: 0 .. kinds-1. NULL: each label is its own kind */
  const uint8_t *begins; /* m: not 0: the label begins a segment even after one of its kind, as B-X
                            and S-X do. NULL: none does */
} chorale_label_map;

/* Fills `map` with zeros; pass sizeof(chorale_label_map). NULL is ignored. */
CHORALE_API void chorale_label_map_init(chorale_label_map *map, size_t struct_size);

/* The map of label names written in a scheme (chain.h), into the caller's arrays: kind_of_label and
 * begins (m each) and *kinds; kinds are numbered by first appearance, "O" among them. Errors: as
 * for chorale_scheme_mask. O(m^2). Any thread. */
CHORALE_API chorale_status chorale_label_map_from_names(chorale_scheme scheme,
                                                        const char *const *names,
                                                        const size_t *lengths, int64_t labels,
                                                        int32_t *kind_of_label, uint8_t *begins,
                                                        int64_t *kinds, chorale_error *error);

/* The kind of the label at `position`; R = kinds. EMPTY on shorter chains. Errors: SIZE (position
 * < 0), SIZE_OVERFLOW. */
CHORALE_API chorale_status chorale_property_create_position_label(const chorale_host *host,
                                                                  const chorale_label_map *map,
                                                                  int64_t position,
                                                                  chorale_property **property,
                                                                  chorale_error *error);

/* TokenLabel (Example 1): the kind of the label of every position whose table entry is `token`
 * (>= 0); R = kinds. */
CHORALE_API chorale_status chorale_property_create_token_label(const chorale_host *host,
                                                               const chorale_label_map *map,
                                                               int32_t token,
                                                               chorale_property **property,
                                                               chorale_error *error);

/* The kind of the first label that is not ignored; R = kinds. ignored: m bytes, not 0: ignored;
 * NULL: none. */
CHORALE_API chorale_status chorale_property_create_first_label(const chorale_host *host,
                                                               const chorale_label_map *map,
                                                               const uint8_t *ignored,
                                                               chorale_property **property,
                                                               chorale_error *error);

/* Where a segment of the anchor ends. A segment is a maximal run of labels of one kind; a label
 * that begins (B-X) starts a new one. */
typedef int32_t chorale_segment_rule;
enum {
  CHORALE_SEGMENT_SPANS_IGNORED = 0,  /* ignored labels belong to it: X O X is one segment */
  CHORALE_SEGMENT_ENDS_AT_IGNORED = 1 /* X O X is two */
};

/* NextLabel (Example 2): once for every segment of the kind `anchor`, the kind of the first label
 * after it that is not ignored, or `end_value` if the sequence ends first (-1: nothing fires; kinds
 * is a good choice). A segment that follows at once is such a label. R = the greater of kinds and
 * end_value + 1. An ignored anchor label is an anchor. */
CHORALE_API chorale_status chorale_property_create_next_label(
    const chorale_host *host, const chorale_label_map *map, int32_t anchor, const uint8_t *ignored,
    chorale_segment_rule rule, int32_t end_value, chorale_property **property,
    chorale_error *error);

/* BeforeToken (Example 3): once for every segment of the kind `anchor`, the table entry of the
 * position before it, or `start_value` at the first position (-1: nothing fires). R = values. */
CHORALE_API chorale_status chorale_property_create_token_before(
    const chorale_host *host, const chorale_label_map *map, int32_t anchor, const uint8_t *ignored,
    chorale_segment_rule rule, int64_t values, int32_t start_value, chorale_property **property,
    chorale_error *error);

/* ---- Dictionaries ------------------------------------------------------------------------- */

/* Which of a property's values a clique knows, numbered anew: 0 .. in ascending order, and after
 * them, if asked for, one value OUT for all others.
 *
 * With OUT all values outside are one value: two different ones show OUT, and one beside a value
 * inside shows CONFLICT. Without OUT values are told apart as the property fires them: one outside
 * shows -1, two different ones show CONFLICT, and so does one beside a value inside. */
typedef struct chorale_dictionary chorale_dictionary;

/* What becomes of the values outside a dictionary. */
typedef int32_t chorale_outside;
enum {
  CHORALE_OUTSIDE_FORBIDDEN = 0, /* a labelling that fires one, be it in a CONFLICT, is left out of
                                    messages and decoding */
  CHORALE_OUTSIDE_AS_OUT = 1     /* all of them are the value OUT */
};

/* values: `count` values >= 0 in any order, repetitions allowed; copied.
 * Errors: NULL_ARGUMENT, SIZE (count < 0, or nothing at all), SIZE_OVERFLOW, OUT_OF_RANGE,
 * UNKNOWN_CONSTANT (outside), OUT_OF_MEMORY. O(count log count). */
CHORALE_API chorale_status chorale_dictionary_create(const chorale_host *host,
                                                     const int32_t *values, int64_t count,
                                                     chorale_outside outside,
                                                     chorale_dictionary **dictionary,
                                                     chorale_error *error);

/* The `keep` best of the values of `full` (NULL: values 0 .. columns-1) by their scores, a message
 * of the chain for instance: scores has `columns` entries (more, such as EMPTY and CONFLICT, are
 * not looked at). Values at minus infinity are not kept; of equals the lower is; OUT of `full` is
 * not a value. Errors: as above; VALUES_MISMATCH (columns). */
CHORALE_API chorale_status chorale_dictionary_create_best(
    const chorale_host *host, const chorale_dictionary *full, const double *scores, int64_t columns,
    int64_t keep, chorale_outside outside, chorale_dictionary **dictionary, chorale_error *error);
/* Another reference to the same object, and one reference less; NULL is ignored. Any thread. */
CHORALE_API chorale_dictionary *chorale_dictionary_retain(const chorale_dictionary *dictionary);
CHORALE_API void chorale_dictionary_release(const chorale_dictionary *dictionary);
/* R of the clique: the number of values, OUT included; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_dictionary_values(const chorale_dictionary *dictionary);
/* The new number of a property's value: OUT, or -1 where there is none, for one outside. O(log R).
 */
CHORALE_API int32_t chorale_dictionary_find(const chorale_dictionary *dictionary, int32_t value);
/* The property's value of a new number; -1 for OUT and for numbers out of range. */
CHORALE_API int32_t chorale_dictionary_value(const chorale_dictionary *dictionary, int64_t number);

/* ---- A property on a chain ---------------------------------------------------------------- */

/* Everything is borrowed for the length of a call. */
typedef struct chorale_attachment {
  size_t struct_size; /* sizeof(chorale_attachment); set by init */
  const chorale_property *property;
  const chorale_dictionary *dictionary; /* NULL: the property's own values */
  const int32_t *classes; /* T: the class of each position. NULL: 0. Not read where the property
                             knows its positions (position_label, token_label) */
  const int32_t *table;   /* T values of the property (token ids, say), -1 fires nothing. NULL only
                             where the property reads none */
  /* What the clique says of each value: R + 2 scores, minus infinity allowed, R being that of the
   * dictionary where there is one. NULL: zeros. */
  const double *message;
} chorale_attachment;

/* Fills `attachment` with zeros; pass sizeof(chorale_attachment). NULL is ignored. */
CHORALE_API void chorale_attachment_init(chorale_attachment *attachment, size_t struct_size);

/* R of the attachment: that of the dictionary, or of the property; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_attachment_values(const chorale_attachment *attachment);

/* What a labelling (`length` labels) shows: *value is 0 .. R-1, R (EMPTY) or R + 1 (CONFLICT), in
 * the numbers of the dictionary if there is one, with -1 for a single value outside one without
 * OUT.
 * parents: of a tree, as in chorale_chain; NULL: a chain.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (labels, classes, parents),
 * VALUE_OUTSIDE_RANGE (table), PARENT_ORDER, PARENT_CYCLE, AUTOMATON_ON_TREE. O(T). Any thread. */
CHORALE_API chorale_status chorale_property_shown(const chorale_attachment *attachment,
                                                     int64_t length, const int32_t *labelling,
                                                     const int32_t *parents, int32_t *value,
                                                     chorale_error *error);

/* Everything that a labelling fires, in order, repetitions and the parts of a conflict included, in
 * the property's own values: what to keep in a dictionary (the paper's first approximation).
 * values: a buffer (chorale.h); length + 1 always suffice. Errors: as above; SIZE (a negative
 *   capacity), CAPACITY. */
CHORALE_API chorale_status chorale_property_fired(const chorale_attachment *attachment,
                                                  int64_t length, const int32_t *labelling,
                                                  const int32_t *parents, int32_t *values,
                                                  int64_t capacity, int64_t *needed,
                                                  chorale_error *error);

CHORALE_END_DECLS

#endif
