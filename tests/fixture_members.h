/* Members one at a time, for tests and measurements that place each of them by itself; and cliques of
 * repeated words whose values are the labels. */
#ifndef CHORALE_TESTS_FIXTURE_MEMBERS_H
#define CHORALE_TESTS_FIXTURE_MEMBERS_H

#include <chorale/experimental.h>

#include <string.h>

/* The arrays of a whole chain, as in chorale_members. */
typedef struct MemberArrays {
  const int32_t *classes, *table;
  int32_t borrow;
} MemberArrays;

/* Adds members to the cliques first .. first + cliques - 1. positions, weights: may be NULL. */
static inline chorale_status put_ragged(chorale_model_builder *builder, int64_t first,
                                        int64_t cliques, const int64_t *offsets,
                                        const int64_t *chains, const int64_t *positions,
                                        const int64_t *weights, chorale_error *error) {
  chorale_members members;
  memset(&members, 0, sizeof members);
  members.struct_size = sizeof members;
  members.first = first;
  members.cliques = cliques;
  members.offsets = offsets;
  members.chains = chains;
  members.positions = positions;
  members.weights = weights;
  return chorale_model_builder_add_members(builder, &members, error);
}

static inline chorale_status put_members(chorale_model_builder *builder, int64_t clique,
                                         int64_t count, const int64_t *chains,
                                         const int64_t *positions, const int64_t *weights,
                                         chorale_error *error) {
  const int64_t offsets[2] = {0, count};
  return put_ragged(builder, clique, 1, offsets, chains, positions, weights, error);
}

static inline chorale_status put_position(chorale_model_builder *builder, int64_t clique,
                                          int64_t chain, int64_t position, chorale_error *error) {
  return put_members(builder, clique, 1, &chain, &position, NULL, error);
}

/* Adds a whole chain. arrays: may be NULL. */
static inline chorale_status put_chain(chorale_model_builder *builder, int64_t clique,
                                       int64_t chain, const MemberArrays *arrays,
                                       chorale_error *error) {
  const int64_t offsets[2] = {0, 1}, whole = -1;
  chorale_members members;
  memset(&members, 0, sizeof members);
  members.struct_size = sizeof members;
  members.first = clique;
  members.cliques = 1;
  members.offsets = offsets;
  members.chains = &chain;
  members.positions = &whole;
  if (arrays) {
    members.classes = &arrays->classes;
    members.tables = &arrays->table;
    members.borrow = arrays->borrow;
  }
  return chorale_model_builder_add_members(builder, &members, error);
}

static inline chorale_status put_centre(chorale_model_builder *builder, int64_t clique,
                                        int64_t chain, int64_t position, chorale_error *error) {
  const int64_t offsets[2] = {0, 0};
  chorale_members members;
  memset(&members, 0, sizeof members);
  members.struct_size = sizeof members;
  members.first = clique;
  members.cliques = 1;
  members.offsets = offsets;
  members.centre_chains = &chain;
  members.centre_positions = &position;
  return chorale_model_builder_add_members(builder, &members, error);
}

/* words: may be NULL. */
static inline chorale_status put_words(chorale_model_builder *builder,
                                       const chorale_potential *potential,
                                       const chorale_agreement *words, int64_t *first,
                                       int64_t *count, chorale_error *error) {
  chorale_clique_setup setup;
  memset(&setup, 0, sizeof setup);
  setup.struct_size = sizeof setup;
  setup.potential = potential;
  return chorale_model_builder_add_repeated_words(builder, &setup, words, first, count, error);
}

#endif
