// A hash table of numbers under keys of 64 bits.
#pragma once

#include "base/array.hpp"

namespace chorale {

class NumberedKeys {
public:
  explicit NumberedKeys(const Memory &memory) noexcept : memory_(memory), slots_(memory) {}
  // Returns the number of a key; -1 if it has none.
  std::int32_t find(std::uint64_t key) const noexcept {
    return slots_.empty() ? -1 : slots_[place(key)].number;
  }
  // Adds a key that has no number yet, with a number of at least 0. False if memory runs out.
  bool add(std::uint64_t key, std::int32_t number) noexcept {
    if (2 * ++count_ > slots_.size()) {
      Array<Entry> before(memory_);
      if (!before.copy(slots_) || !slots_.resize(std::max<std::int64_t>(64, 2 * slots_.size())))
        return false;
      std::fill(slots_.begin(), slots_.end(), Entry{0, -1});
      for (const Entry &entry : before)
        if (entry.number >= 0)
          slots_[place(entry.key)] = entry;
    }
    slots_[place(key)] = {key, number};
    return true;
  }

private:
  struct Entry {
    std::uint64_t key;
    std::int32_t number; // -1: empty
  };
  std::int64_t place(std::uint64_t key) const noexcept {
    const std::int64_t mask = slots_.size() - 1;
    auto at = static_cast<std::int64_t>((key * 0x9E3779B97F4A7C15U) >> 20) & mask;
    while (slots_[at].number >= 0 && slots_[at].key != key)
      at = (at + 1) & mask;
    return at;
  }

  Memory memory_;
  Array<Entry> slots_; // their number is 0 or a power of two; at most half of them are in use
  std::int64_t count_ = 0;
};

} // namespace chorale
