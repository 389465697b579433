/* Says which sanitizer a test is compiled with. HAS_ADDRESS_SANITIZER, HAS_SANITIZER (any sanitizer
 * that replaces malloc): 1 or 0. */
#ifndef FIXTURE_SANITIZER_H
#define FIXTURE_SANITIZER_H

#ifdef __has_feature
#define FIXTURE_HAS_FEATURE(name) __has_feature(name)
#else
#define FIXTURE_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FIXTURE_HAS_FEATURE(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#else
#define HAS_ADDRESS_SANITIZER 0
#endif

#if HAS_ADDRESS_SANITIZER || defined(__SANITIZE_THREAD__) ||                                       \
    FIXTURE_HAS_FEATURE(thread_sanitizer) || FIXTURE_HAS_FEATURE(memory_sanitizer)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#endif
