// What Go cannot say in C: callbacks with a number (a cgo.Handle) as their user pointer, which must
// not stand in Go memory as a pointer, and a host that counts.
#ifndef CHORALE_GO_SHIM_H
#define CHORALE_GO_SHIM_H

#if defined(CHORALE_GO_SYSTEM)
#include <chorale/chorale.h>
#else
#include "chorale.h"
#endif
#include <stdlib.h>
#include <string.h>

// An allocator that counts, with a limit, and a log. It has one reference of its own and one for
// each block of memory allocated by it, so it outlives every object of the library that was created
// with it.
typedef struct chorale_go_host chorale_go_host;
chorale_go_host *chorale_go_host_create(int64_t limit, uintptr_t log);
void chorale_go_host_release(chorale_go_host *host);
const chorale_host *chorale_go_host_get(const chorale_go_host *host);
int64_t chorale_go_host_bytes(const chorale_go_host *host);
int64_t chorale_go_host_blocks(const chorale_go_host *host);

chorale_status chorale_go_potential_create_callback(const chorale_host *host, int64_t values,
                                                    uintptr_t user,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error);
chorale_status chorale_go_add_instance(chorale_model_builder *builder, int64_t length,
                                       int64_t labels, uintptr_t user, int64_t *index,
                                       chorale_error *error);
// Options that are in C memory, since the user pointer is no pointer.
void chorale_go_run_callbacks(chorale_run_options *options, uintptr_t user, int executor,
                              int progress);
void chorale_go_learn_callback(chorale_learn_options *options, uintptr_t user);
void chorale_go_call_body(chorale_parallel_body body, void *body_user, int64_t i, int64_t worker);
void *chorale_go_aligned(size_t bytes);

// Loops over calls, so that Go crosses into C once for many.
void chorale_go_chain_lengths(const chorale_model *model, int64_t *lengths);
int64_t chorale_go_positions(const chorale_model *model);
void chorale_go_member_counts(const chorale_model *model, int64_t *counts);
// The members of `count` cliques, one clique after the other.
chorale_status chorale_go_members(const chorale_model *model, int64_t first, int64_t count,
                                  int64_t *chains, int64_t *positions, chorale_error *error);
chorale_status chorale_go_chain_scores(const chorale_run *run, int64_t count,
                                       chorale_labelling labelling, double *scores,
                                       int32_t *changed, chorale_error *error);
chorale_status chorale_go_clique_scores(const chorale_run *run, int64_t count,
                                        chorale_labelling labelling, double *scores,
                                        chorale_error *error);
// The values of `count` cliques of counts[c] members each, one clique after the other.
chorale_status chorale_go_all_values(const chorale_run *run, int64_t count, const int64_t *counts,
                                     chorale_labelling labelling, int32_t *values,
                                     chorale_error *error);
// Counts the payments to each of `count` chains; with payments, which has room for the counts, fills them too.
chorale_status chorale_go_all_payments(const chorale_run *run, int64_t count, int64_t *counts,
                                       chorale_payment *payments, chorale_error *error);
void chorale_go_texts(const chorale_problem *problem, chorale_text_list list, int64_t count,
                      const char **texts, size_t *lengths);

#endif
