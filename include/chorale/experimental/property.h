/* Properties rule by rule, and dictionaries: subsets of the values of a property. */
#ifndef CHORALE_EXPERIMENTAL_PROPERTY_H
#define CHORALE_EXPERIMENTAL_PROPERTY_H

#include "chorale/model.h"

CHORALE_BEGIN_DECLS

/* ---- Automata rule by rule ---------------------------------------------------------------- */

/* A builder of an automaton, used by one thread at a time. At a position where no rule applies, the
 * automaton stays in its state and fires nothing. State 0 is the start and always exists. */
typedef struct chorale_property_builder chorale_property_builder;

/* A wildcard for the arguments of a rule. As `state`: the rule applies in every state added so far.
 * As `position_class` or `label`: it applies to every class or label. As `next`: the automaton
 * stays in the state that it is in. */
enum { CHORALE_ANY = -10 };

/* Creates a builder of a property over `labels` labels and `classes` position classes, with values
 * 0 .. `values` - 1. Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_MEMORY. */
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
 * and leads to state `next`. state, position_class, label and next may be CHORALE_ANY. If several
 * rules match a position, the one that was added last applies.
 * Errors: NULL_ARGUMENT, OUT_OF_RANGE (-1 too: the wildcard is CHORALE_ANY, not -1),
 * VALUE_OUTSIDE_RANGE, UNKNOWN_CONSTANT. */
CHORALE_API chorale_status chorale_property_builder_rule(chorale_property_builder *builder,
                                                         int32_t state, int32_t position_class,
                                                         int32_t label, int32_t next,
                                                         chorale_action action,
                                                         chorale_error *error);
/* Adds an end rule: a sequence that ends in `state` (CHORALE_ANY: in any state added so far) fires
 * `action` after its last position. Errors: as for a rule. */
CHORALE_API chorale_status chorale_property_builder_end_rule(chorale_property_builder *builder,
                                                             int32_t state, chorale_action action,
                                                             chorale_error *error);
/* Sets table_offset and outside_value as in chorale_automaton; -1: nothing fires outside. Errors: NULL_ARGUMENT,
 * VALUE_OUTSIDE_RANGE. */
CHORALE_API chorale_status chorale_property_builder_table(chorale_property_builder *builder,
                                                          int32_t table_offset,
                                                          int32_t outside_value,
                                                          chorale_error *error);
/* Creates a property from the rules so far; the builder may be used further. label_values: as in
 * chorale_automaton. Errors: see chorale_property_create. */
CHORALE_API chorale_status chorale_property_builder_finish(const chorale_property_builder *builder,
                                                           const int32_t *label_values,
                                                           chorale_property **property,
                                                           chorale_error *error);

/* ---- Dictionaries ------------------------------------------------------------------------- */

/* A dictionary: the subset of a property's values that a clique uses, numbered from 0 in ascending
 * order. After them may come one more value, UNLISTED, which represents all values outside the
 * subset.
 *
 * With UNLISTED, all values outside the subset are the one value UNLISTED: a labelling that fires
 * two of them shows UNLISTED, and a labelling that fires one of them and a value of the subset
 * shows CONFLICT. Without UNLISTED, a labelling that fires one value outside the subset, and no
 * other value, shows -1; a labelling that fires two different values shows CONFLICT, whether they
 * are in the subset or not. */

/* Treatment of the values of a property that are not in a dictionary. */
typedef int32_t chorale_unlisted;
enum {
  CHORALE_UNLISTED_FORBIDDEN = 0, /* no UNLISTED. Messages and decoding exclude every labelling that
                                     fires such a value, even if the labelling shows CONFLICT */
  CHORALE_UNLISTED_AS_VALUE = 1   /* with UNLISTED, which stands for all such values */
};

/* Creates a dictionary. values: `count` values >= 0 in any order, repetitions allowed; copied.
 * Errors: NULL_ARGUMENT, SIZE (count < 0, or no value and no UNLISTED), SIZE_OVERFLOW,
 * OUT_OF_RANGE, UNKNOWN_CONSTANT (unlisted), OUT_OF_MEMORY. O(count log count). */
CHORALE_API chorale_status chorale_dictionary_create(const chorale_host *host,
                                                     const int32_t *values, int64_t count,
                                                     chorale_unlisted unlisted,
                                                     chorale_dictionary **dictionary,
                                                     chorale_error *error);

/* retain: adds a reference and returns its argument. release: drops a reference. NULL is ignored.
 * Any thread. */
CHORALE_API chorale_dictionary *chorale_dictionary_retain(const chorale_dictionary *dictionary);
CHORALE_API void chorale_dictionary_release(const chorale_dictionary *dictionary);
/* Returns the number of values, including UNLISTED: the R of a clique with this dictionary. 0 for
 * NULL. Any thread. */
CHORALE_API int64_t chorale_dictionary_values(const chorale_dictionary *dictionary);
/* Returns the number that a value of the property has in the dictionary. For a value that is not in
 * the dictionary: the number of UNLISTED, or -1 if it has no UNLISTED. O(log R). */
CHORALE_API int32_t chorale_dictionary_find(const chorale_dictionary *dictionary, int32_t value);
/* Returns the value of the property that has this number in the dictionary; -1 for the number of
 * UNLISTED and for numbers out of range. */
CHORALE_API int32_t chorale_dictionary_value(const chorale_dictionary *dictionary, int64_t number);

CHORALE_END_DECLS

#endif
