/* The version of Chorale, defined only in this file; the build reads it from here. */
#ifndef CHORALE_VERSION_H
#define CHORALE_VERSION_H

#include "chorale/base.h"

#define CHORALE_VERSION_MAJOR 0
#define CHORALE_VERSION_MINOR 3
#define CHORALE_VERSION_PATCH 0

/* The version number of the binary interface, used in the soname. Increased with every version of
 * the library that cannot run programs built for the version before it. */
#define CHORALE_ABI 2

CHORALE_BEGIN_DECLS

/* Returns the version of the loaded library, "MAJOR.MINOR.PATCH"; static storage. Any thread. */
CHORALE_API const char *chorale_version(void);

/* Returns CHORALE_ABI of the loaded library. Any thread. */
CHORALE_API int32_t chorale_abi(void);

CHORALE_END_DECLS

#endif
