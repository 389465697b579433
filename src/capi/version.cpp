// Exported C functions of version.h.
#include <chorale/version.h>

#define CHORALE_TEXT_OF(number) #number
#define CHORALE_TEXT(number) CHORALE_TEXT_OF(number)

extern "C" {

const char *chorale_version(void) {
  return CHORALE_TEXT(CHORALE_VERSION_MAJOR) "." CHORALE_TEXT(
      CHORALE_VERSION_MINOR) "." CHORALE_TEXT(CHORALE_VERSION_PATCH);
}

int32_t chorale_abi(void) { return CHORALE_ABI; }

} // extern "C"
