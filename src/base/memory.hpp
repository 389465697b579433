// Memory through the host's hooks: the only way the library allocates.
#pragma once

#include <chorale/host.h>

#include <cstddef>
#include <new>
#include <utility>

namespace chorale {

inline constexpr std::size_t kAlignment = 64; // a cache line, and the widest vector register

// The host's hooks by value; malloc where the host gave none.
class Memory {
public:
  Memory() noexcept = default;
  explicit Memory(const chorale_host *host) noexcept;

  // NULL when the host has no more, or gives memory that is not aligned to kAlignment, which goes
  // back to it; `bytes` may be 0.
  void *allocate(std::size_t bytes) const noexcept;
  void deallocate(void *memory, std::size_t bytes) const noexcept;

  // True if the host's hooks give memory that is not aligned: tells why `allocate` returned NULL.
  // Asks for some blocks and gives them back.
  bool ignores_alignment() const noexcept;

  template <class T, class... Arguments> T *create(Arguments &&...arguments) const {
    void *place = allocate(sizeof(T));
    return place ? new (place) T(std::forward<Arguments>(arguments)...) : nullptr;
  }
  // The object carries its own copy of the hooks, so they are copied out before it dies.
  template <class T> static void destroy(T *object, Memory memory) noexcept {
    object->~T();
    memory.deallocate(object, sizeof(T));
  }

private:
  chorale_allocator hooks_{};
};

// A block of bytes with an owner. Empty after a failed allocation.
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
