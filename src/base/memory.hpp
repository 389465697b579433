// Memory from the host's allocator. The library allocates in no other way.
#pragma once

#include <chorale/base.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace chorale {

inline constexpr std::size_t kAlignment = 64; // a cache line; also the widest vector register

// A copy of the host's allocator functions (hooks); malloc and free if the host gave none.
class Memory {
public:
  Memory() noexcept = default;
  explicit Memory(const chorale_host *host) noexcept;

  // Returns `bytes` bytes (may be 0) aligned to kAlignment. NULL if the host's hook returns NULL or
  // an unaligned block, which is then given back to the host; always NULL if this object was made
  // by the constructor without arguments.
  void *allocate(std::size_t bytes) const noexcept;
  void deallocate(void *memory, std::size_t bytes) const noexcept;

  template <class T, class... Arguments> T *create(Arguments &&...arguments) const {
    void *place = allocate(sizeof(T));
    return place ? new (place) T(std::forward<Arguments>(arguments)...) : nullptr;
  }
  // Destroys and frees `object`. Takes `memory` by value, since the caller's Memory may be a part
  // of the object.
  template <class T> static void destroy(T *object, Memory memory) noexcept {
    object->~T();
    memory.deallocate(object, sizeof(T));
  }

private:
  chorale_allocator hooks_{};
};

// Destroys and frees an object whose field `memory` is its allocator. Does nothing for NULL.
template <class T> void destroy(T *object) noexcept {
  if (object)
    Memory::destroy(object, object->memory);
}

struct Destroys {
  template <class T> void operator()(T *object) const noexcept { destroy(object); }
};
// Owns an object that destroy() can destroy, until release() passes it to the caller.
template <class T> using Draft = std::unique_ptr<T, Destroys>;

// Owns a block of bytes. Empty if the allocation failed.
class Block {
public:
  Block() noexcept = default;
  Block(const Memory &memory, std::size_t bytes) noexcept
      : memory_(memory), data_(static_cast<std::byte *>(memory.allocate(bytes))),
        bytes_(data_ ? bytes : 0) {}
  Block(Block &&other) noexcept { swap(other); }
  Block &operator=(Block &&other) noexcept {
    Block(std::move(other)).swap(*this);
    return *this;
  }
  ~Block() {
    if (data_)
      memory_.deallocate(data_, bytes_);
  }

  std::byte *data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }

  void swap(Block &other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

private:
  Memory memory_;
  std::byte *data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace chorale
