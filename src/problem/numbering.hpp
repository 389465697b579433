// Numbers objects in the order in which they first occur.
#pragma once

#include "base/numbered_keys.hpp"

namespace chorale {

template <class T> class Numbering {
public:
  explicit Numbering(const Memory &memory) noexcept : numbers_(memory), things_(memory) {}

  // Notes that an object occurs; NULL is ignored. To be called for all occurrences in order. False
  // if memory runs out.
  bool meet(const T *thing) noexcept {
    return !thing || of(thing) >= 0 ||
           (numbers_.add(key_of(thing), static_cast<std::int32_t>(things_.size())) &&
            things_.push(thing));
  }
  // Returns the number of an object that meet() was called with; -1 for NULL.
  std::int32_t of(const T *thing) const noexcept {
    return thing ? numbers_.find(key_of(thing)) : -1;
  }
  const Array<const T *> &things() const noexcept { return things_; }

private:
  static std::uint64_t key_of(const T *thing) noexcept {
    return reinterpret_cast<std::uintptr_t>(thing);
  }

  NumberedKeys numbers_;
  Array<const T *> things_; // things_[k] has the number k
};

} // namespace chorale
