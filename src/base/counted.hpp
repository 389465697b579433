// Reference-counted objects. release() of the last reference destroys the object.
#pragma once

#include "base/memory.hpp"

#include <atomic>
#include <cstdint>

namespace chorale {

// Base of reference-counted objects. An object starts with one reference, owned by its creator.
struct Counted {
  explicit Counted(const Memory &from) noexcept : memory(from) {}
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;

  Memory memory; // the allocator of the object itself
  mutable std::atomic<std::int64_t> references{1};
};

// Adds a reference and returns the object; returns NULL for NULL. Casting the const away is safe:
// objects are created non-const, and only the count changes.
template <class T> T *retain(const T *object) noexcept {
  if (object)
    object->references.fetch_add(1, std::memory_order_relaxed);
  return const_cast<T *>(object);
}

// Drops a reference; destroys the object if it was the last one. Does nothing for NULL.
template <class T> void release(const T *object) noexcept {
  if (object && object->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroy(const_cast<T *>(object));
}

// Owns one reference. The destructor releases it, unless give() has passed it to the caller.
template <class T> class Held {
public:
  explicit Held(T *object = nullptr) noexcept : object_(object) {}
  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;
  ~Held() { release(object_); }

  T *operator->() const noexcept { return object_; }
  T &operator*() const noexcept { return *object_; }
  // The pointer itself, to which a function that creates an object may write it. It must be NULL
  // before.
  T *&slot() noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T *give() noexcept { return std::exchange(object_, nullptr); }

private:
  T *object_;
};

} // namespace chorale
