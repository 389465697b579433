// Functions that JavaScript cannot provide: a host that counts memory, and C functions that call
// back into JavaScript.
#include "chorale.h"

#include <cstdint>
#include <cstdlib>

// Functions that JavaScript defines (src/native.js). Their `user` is the number under which
// JavaScript keeps the callback.
#define CHORALE_JS_IMPORT(name) __attribute__((import_module("chorale"), import_name(name)))
extern "C" {
CHORALE_JS_IMPORT("score")
int32_t chorale_js_score(int32_t user, const int64_t *counts, int32_t values, int64_t members,
                         double *score);
CHORALE_JS_IMPORT("release") void chorale_js_release(int32_t user);
CHORALE_JS_IMPORT("progress") int32_t chorale_js_progress(int32_t user, const void *progress);
CHORALE_JS_IMPORT("log") void chorale_js_log(int32_t level, const char *message);
}

namespace {

std::size_t allocated = 0; // number of bytes of all blocks that have not been freed

void *allocate(void *, std::size_t bytes, std::size_t alignment) {
  // aligned_alloc needs a size that is a multiple of the alignment.
  const std::size_t most = SIZE_MAX - 64;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void *block = bytes > most ? nullptr : std::aligned_alloc(alignment, whole);
  if (block)
    allocated += bytes;
  return block;
}

void deallocate(void *, void *block, std::size_t bytes, std::size_t) {
  allocated -= bytes;
  std::free(block);
}

void log(void *, chorale_log_level level, const char *message) { chorale_js_log(level, message); }

int32_t number_of(void *user) {
  return static_cast<int32_t>(reinterpret_cast<std::intptr_t>(user));
}

int32_t score(void *user, const int64_t *counts, int64_t values, int64_t members, double *to) {
  return chorale_js_score(number_of(user), counts, static_cast<int32_t>(values), members, to);
}
void release(void *user) { chorale_js_release(number_of(user)); }
int32_t progress(void *user, const chorale_progress *now) {
  return chorale_js_progress(number_of(user), now);
}
int32_t learn_progress(void *user, const chorale_learn_progress *now) {
  return chorale_js_progress(number_of(user), now);
}

const chorale_allocator counting = {nullptr, allocate, deallocate};
const chorale_host host = {sizeof(chorale_host), &counting, log, nullptr};

} // namespace

extern "C" {
#define CHORALE_JS_EXPORT __attribute__((used, visibility("default")))
// Allocates memory for arguments and for arrays that JavaScript owns, aligned to 64; NULL on
// failure.
CHORALE_JS_EXPORT void *chorale_js_allocate(std::size_t bytes) {
  return allocate(nullptr, bytes ? bytes : 1, 64);
}
// Frees memory; `bytes`: the size that was requested.
CHORALE_JS_EXPORT void chorale_js_free(void *block, std::size_t bytes) {
  if (block)
    deallocate(nullptr, block, bytes ? bytes : 1, 64);
}
CHORALE_JS_EXPORT std::size_t chorale_js_allocated() { return allocated; }
CHORALE_JS_EXPORT const chorale_host *chorale_js_host() { return &host; }
CHORALE_JS_EXPORT chorale_count_function chorale_js_score_function() { return score; }
CHORALE_JS_EXPORT void (*chorale_js_release_function())(void *) { return release; }
CHORALE_JS_EXPORT chorale_progress_function chorale_js_progress_function() { return progress; }
CHORALE_JS_EXPORT chorale_learn_progress_function chorale_js_learn_progress_function() {
  return learn_progress;
}
// Returns 1 in the module with vector instructions.
CHORALE_JS_EXPORT int32_t chorale_js_simd() {
#if defined(__wasm_simd128__)
  return 1;
#else
  return 0;
#endif
}
// Returns the checksum of the header with which this module was built.
CHORALE_JS_EXPORT uint32_t chorale_js_header() { return CHORALE_JS_HEADER; }
}
