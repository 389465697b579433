// Objects with several owners: each has a count of its references, and goes back to the memory it
// came from with the last one.
#pragma once

#include "base/memory.hpp"

#include <atomic>
#include <cstdint>

namespace chorale {

// The base of such an object, which begins with one reference, its creator's.
struct Counted {
  explicit Counted(const Memory &from) noexcept : memory(from) {}
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;

  Memory memory; // where the object itself lies
  mutable std::atomic<std::int64_t> references{1};
};

// Adds a reference and returns the object; NULL for NULL. Only the count changes: the object is
// given back as it was created.
template <class T> T *retain(const T *object) noexcept {
  if (object)
    object->references.fetch_add(1, std::memory_order_relaxed);
  return const_cast<T *>(object);
}

// Drops a reference, and the object with the last one; does nothing for NULL.
template <class T> void release(const T *object) noexcept {
  if (object && object->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    Memory::destroy(const_cast<T *>(object), object->memory);
}

// One reference with an owner: released with the owner unless it was given away.
template <class T> class Held {
public:
  explicit Held(T *object = nullptr) noexcept : object_(object) {}
  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;
  ~Held() { release(object_); }

  T *operator->() const noexcept { return object_; }
  T &operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T *give() noexcept { return std::exchange(object_, nullptr); }

private:
  T *object_;
};

} // namespace chorale
