// Functions of the package that must be in C. Some give the library callbacks that call Go. Such a
// callback passes its `user` pointer on to Go as a cgo.Handle: a number, which Go must not store as
// a pointer. Other functions make an allocator that counts bytes, or call the library in a loop.
#ifndef CHORALE_GO_SHIM_H
#define CHORALE_GO_SHIM_H

// A release of the module has the headers beside this file; a clone and an installed library do not.
#if !defined(CHORALE_GO_SYSTEM) && __has_include("experimental.h")
#include "experimental.h"
#else
#include <chorale/experimental.h>
#endif
#include <stdlib.h>
#include <string.h>

// An allocator that counts bytes and blocks and may have a limit, with a log. It has one reference
// for its creator and one for each block of memory that it has allocated, and is freed when the
// last of these references is released. So it outlives every object of the library that was created
// with it. limit: in bytes, negative for none. log: a cgo.Handle, 0 for none.
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
// The next two functions set callbacks in `options`, a struct that must be in C memory, because
// `user`, a cgo.Handle, is stored in it as a pointer. executor, progress: 1 to set this callback, 0
// to leave it NULL.
void chorale_go_run_callbacks(chorale_run_options *options, uintptr_t user, int executor,
                              int progress);
void chorale_go_learn_callback(chorale_learn_options *options, uintptr_t user);
void chorale_go_call_body(chorale_parallel_body body, void *body_user, int64_t i, int64_t worker);

// The functions below loop over calls of the library, so that Go calls C once instead of many
// times. An array has one entry for each chain or clique, in order, unless a comment says
// otherwise.
void chorale_go_chain_lengths(const chorale_model *model, int64_t *lengths);
int64_t chorale_go_positions(const chorale_model *model);
void chorale_go_member_counts(const chorale_model *model, int64_t *counts);
// Writes the chain and the position of each member of the cliques first .. first + count - 1.
chorale_status chorale_go_members(const chorale_model *model, int64_t first, int64_t count,
                                  int64_t *chains, int64_t *positions, chorale_error *error);
chorale_status chorale_go_chain_scores(const chorale_run *run, int64_t count,
                                       chorale_labelling labelling, double *scores,
                                       int32_t *changed, chorale_error *error);
chorale_status chorale_go_clique_scores(const chorale_run *run, int64_t count,
                                        chorale_labelling labelling, double *scores,
                                        chorale_error *error);
// Writes the values of the members of the first `count` cliques, clique after clique. counts[c]:
// the number of members of clique c.
chorale_status chorale_go_all_values(const chorale_run *run, int64_t count, const int64_t *counts,
                                     chorale_labelling labelling, int32_t *values,
                                     chorale_error *error);
// Writes the address and the length of each of the `count` texts of a list.
void chorale_go_texts(const chorale_problem *problem, chorale_text_list list, int64_t count,
                      const char **texts, size_t *lengths);

#endif
