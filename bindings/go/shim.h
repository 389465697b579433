// Functions of the package that must be in C. They give the library callbacks that call Go. Such a
// callback passes its `user` pointer on to Go as a cgo.Handle: a number, which Go must not store as
// a pointer.
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

chorale_status chorale_go_potential_create_callback(const chorale_host *host, int64_t values,
                                                    uintptr_t user,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error);
// The next two functions set the progress callback in `options`, a struct that must be in C memory,
// because `user`, a cgo.Handle, is stored in it as a pointer.
void chorale_go_run_callback(chorale_run_options *options, uintptr_t user);
void chorale_go_learn_callback(chorale_learn_options *options, uintptr_t user);

#endif
