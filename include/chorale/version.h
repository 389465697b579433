/* The version of Chorale. It stands only in this file, from which the build reads it. */
#ifndef CHORALE_VERSION_H
#define CHORALE_VERSION_H

#include "chorale/export.h"

#define CHORALE_VERSION_MAJOR 0
#define CHORALE_VERSION_MINOR 2
#define CHORALE_VERSION_PATCH 0

/* Raised when a program built against an older library would no longer run; it is the soname. */
#define CHORALE_ABI 1

CHORALE_BEGIN_DECLS

/* The version of the library that is loaded, "MAJOR.MINOR.PATCH"; static storage. Any thread. */
CHORALE_API const char *chorale_version(void);

/* CHORALE_ABI of the library that is loaded. Any thread. */
CHORALE_API int32_t chorale_abi(void);

CHORALE_END_DECLS

#endif
