/* Smaller calls about objects of the stable headers: references, names, sizes and flags. */
#ifndef CHORALE_EXPERIMENTAL_OBJECTS_H
#define CHORALE_EXPERIMENTAL_OBJECTS_H

#include "chorale/clique.h"
#include "chorale/model.h"

CHORALE_BEGIN_DECLS

/* Lowers the flag; otherwise as chorale_cancel_raise. */
CHORALE_API void chorale_cancel_lower(chorale_cancel *cancel);
/* Returns 1 if the flag is raised, else 0. Any thread. */
CHORALE_API int32_t chorale_cancel_is_raised(const chorale_cancel *cancel);

/* Add a reference and return their argument; NULL stays NULL. Atomic: any thread. */
CHORALE_API chorale_model *chorale_model_retain(const chorale_model *model);
CHORALE_API chorale_potential *chorale_potential_retain(const chorale_potential *potential);
CHORALE_API chorale_property *chorale_property_retain(const chorale_property *property);
CHORALE_API chorale_transitions *chorale_transitions_retain(const chorale_transitions *transitions);

/* Returns the number of labels m; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_transitions_labels(const chorale_transitions *transitions);
/* chorale_property_values returns R, chorale_property_labels returns m; both 0 for NULL. Any
 * thread. */
CHORALE_API int64_t chorale_property_values(const chorale_property *property);
CHORALE_API int64_t chorale_property_labels(const chorale_property *property);

typedef int32_t chorale_family;
enum {
  CHORALE_FAMILY_SUM = 10,      /* sum_v f_v(n_v); Potts, entropy, cardinality tables */
  CHORALE_FAMILY_MAX = 20,      /* max_v f_v(n_v); makespan, square makespan */
  CHORALE_FAMILY_MAJORITY = 30, /* f_a(n_0, .., n_{R-1}), where a is the value of highest count */
  CHORALE_FAMILY_PAIRS = 40,    /* sum of a score over all pairs of members */
  CHORALE_FAMILY_CALLBACK = 50  /* any function of the counts */
};

/* Returns the name of a family in lower case, such as "majority"; "unknown family" for any other
 * number. Static storage. Any thread. */
CHORALE_API const char *chorale_family_name(chorale_family family);
/* Returns the number of values R; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_potential_values(const chorale_potential *potential);
/* Returns the family; 0 for NULL. Any thread. */
CHORALE_API chorale_family chorale_potential_family(const chorale_potential *potential);

/* Returns the algorithm with this name of `length` bytes; -1 if there is none. Any thread. */
CHORALE_API chorale_algorithm chorale_algorithm_from_name(const char *name, size_t length);

CHORALE_END_DECLS

#endif
