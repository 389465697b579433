/* Shared by the tests of chains, trees and properties: seeded random samples small enough to
 * enumerate, with phi and the value of every property computed independently of the library. */
#ifndef CHORALE_TESTS_FIXTURE_CHAIN_H
#define CHORALE_TESTS_FIXTURE_CHAIN_H

#include "fixture.h"

enum {
  MOST_POSITIONS = 5,
  MOST_LABELS = 4,
  MOST_PROPERTIES = 3,
  MOST_STATES = 3,
  MOST_CLASSES = 2,
  MOST_TOKENS = 6, /* values of table properties */
  MOST_RANGE = 8,  /* values of any property */
  MOST_SEQUENCES = 1024,
  MOST_FIRINGS = MOST_POSITIONS + 1,
  SPACE = 512 /* numbers of the widest array, strides included */
};

/* ---- Chains and trees --------------------------------------------------------------------- */

typedef enum EdgeSource { EDGES_NONE, EDGES_SHARED, EDGES_OWN, EDGES_EACH } EdgeSource;

typedef struct Sample {
  int32_t length, labels;
  int is_tree;
  int32_t parents[MOST_POSITIONS];
  /* The scores as numbers, in whatever layout they are passed. Every number is a multiple of 1/4,
   * so that sums are exact and ties frequent, unless `is_real`. */
  int is_real;
  double unary[MOST_POSITIONS][MOST_LABELS];
  double edges[MOST_POSITIONS][MOST_LABELS][MOST_LABELS]; /* [t]: the edge to t, from, to */
  double start[MOST_LABELS], end[MOST_LABELS];
  int has_start, has_end;
  int has_forced, has_allowed;
  int32_t forced[MOST_POSITIONS];
  uint8_t allowed[MOST_POSITIONS][MOST_LABELS];
  /* Layout in which the scores are passed to the library. */
  EdgeSource source;
  chorale_element element;
  chorale_orientation orientation;
  int32_t column_gap, row_gap, matrix_gap, is_transposed_unary;
  int handle_has_ends; /* start and end scores are in the chorale_transitions, not in the chain */
  int is_borrowed;
} Sample;

/* A sample in the form that the library takes; gaps between rows are filled with NaN. */
typedef struct Given {
  chorale_chain chain;
  chorale_transitions *transitions;
  double unary[SPACE], edges[SPACE], start[MOST_LABELS], end[MOST_LABELS];
  float unary32[SPACE], edges32[SPACE], start32[MOST_LABELS], end32[MOST_LABELS];
  int32_t forced[MOST_POSITIONS], parents[MOST_POSITIONS];
  uint8_t allowed[MOST_POSITIONS * (MOST_LABELS + 1)];
} Given;

void random_sample(Random *random, int is_tree, Sample *sample);
void give(const Sample *sample, Given *given);
void take_back(Given *given);
void print_sample(const Sample *sample);
/* Multiplies every score. The scores are then passed in double precision, since single precision
 * ends at 1e38. */
void scale_sample(Sample *sample, double factor);

/* Returns phi, added in the order that chain.h states. */
double own_phi(const Sample *sample, const int32_t *labelling);
int32_t labelling_count(const Sample *sample);
void labelling_at(const Sample *sample, int32_t index, int32_t *labelling);

/* ---- Properties --------------------------------------------------------------------------- */

typedef enum PropertyKind {
  PROPERTY_AUTOMATON,
  PROPERTY_LOCAL,
  PROPERTY_POSITION,
  PROPERTY_TOKEN,
  PROPERTY_FIRST,
  PROPERTY_NEXT,
  PROPERTY_BEFORE,
  PROPERTY_KINDS
} PropertyKind;

typedef struct Rule {
  PropertyKind kind;
  int32_t labels, classes, states, start, values;
  int32_t next[MOST_STATES][MOST_CLASSES][MOST_LABELS];
  int32_t actions[MOST_STATES][MOST_CLASSES][MOST_LABELS];
  int32_t end_actions[MOST_STATES];
  int has_end_actions, has_label_values;
  int32_t label_values[MOST_LABELS];
  int32_t table_offset, outside_value;
  int32_t local[MOST_CLASSES][MOST_LABELS][MOST_LABELS + 1];
  /* Arguments of ready-made properties. */
  int32_t kinds, kind_of_label[MOST_LABELS];
  uint8_t begins[MOST_LABELS], ignored[MOST_LABELS];
  int32_t position, token, anchor, end_value, start_value;
  chorale_segment_rule segment_rule;
} Rule;

typedef struct Use {
  Rule rule;
  int has_classes, has_dictionary, has_unlisted, has_message;
  int32_t classes[MOST_POSITIONS];
  int32_t table[MOST_POSITIONS];
  int32_t kept[MOST_RANGE], kept_count; /* the dictionary */
  double message[MOST_RANGE + 2];
  chorale_property *property;
  chorale_dictionary *dictionary;
  chorale_attachment attachment;
} Use;

/* Draws a property that fits the sample (local on trees), with all its inputs. */
void random_use(Random *random, const Sample *sample, Use *use);
void open_use(Use *use);
void close_use(Use *use);
void print_use(const Use *use);

/* Writes the values that a labelling fires, by the definition; returns their number. */
int32_t own_firings(const Sample *sample, const Use *use, const int32_t *labelling, int32_t *fired);
/* Returns the number of a value in the dictionary; -1 if the value is outside and there is no
 * UNLISTED. */
int32_t own_number(const Use *use, int32_t value);
/* Returns R of the dictionary or the property. */
int32_t own_range(const Use *use);
/* Returns the value of a property on a labelling; -1 if only one value fires and it is outside the
 * dictionary, which has no UNLISTED. *is_outside: 1 if any value outside fires, else 0. */
int32_t own_value(const Sample *sample, const Use *use, const int32_t *labelling, int *is_outside);

typedef struct Truths {
  double best;                                      /* greatest Phi (experimental.h) */
  double messages[MOST_PROPERTIES][MOST_RANGE + 2]; /* each without its own incoming message */
  int fires_twice; /* 1: some allowed labelling fires some property twice */
} Truths;
void enumerate_joint(const Sample *sample, const Use *uses, int32_t count, Truths *truths);

#endif
