// What Go cannot say in C: callbacks with a number (a cgo.Handle) as their user pointer, which must
// not stand in Go memory as a pointer, and a host that counts.
#ifndef CHORALE_GO_SHIM_H
#define CHORALE_GO_SHIM_H

#include <chorale/chorale.h>
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
// user 0: neither executor nor progress.
chorale_status chorale_go_run_create(const chorale_host *host, const chorale_model *model,
                                     const chorale_run_options *options, uintptr_t user,
                                     int executor, int progress, const chorale_run *earlier,
                                     chorale_run **run, chorale_error *error);
void chorale_go_call_body(chorale_parallel_body body, void *body_user, int64_t i, int64_t worker);
void *chorale_go_aligned(size_t bytes);

#endif
