// An array of integers that are all stored in the same number of bytes, as few as their range
// needs. It is written once and then read by any number of threads.
#pragma once

#include "base/array.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace chorale {

class PackedIntegers {
public:
  explicit PackedIntegers(const Memory &memory) noexcept : data_(memory) {}

  // Makes an array for `count` integers from `least` to `most`, all of them `least` at first. False
  // if memory runs out.
  bool make(std::int64_t count, std::int64_t least, std::int64_t most) noexcept {
    const auto range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    const int width = std::max((static_cast<int>(std::bit_width(range)) + 7) / 8, 1);
    // wide() reads eight bytes at once, so there must be more bytes after the last integer.
    if (!data_.resize(count * width + kRead))
      return false;
    std::memset(data_.begin(), 0, static_cast<std::size_t>(data_.size()));
    size_ = count;
    least_ = least;
    width_ = width;
    mask_ = width == kRead ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * width) - 1;
    return true;
  }
  void set(std::int64_t i, std::int64_t value) noexcept {
    const auto above = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(least_);
    for (int b = 0; b < width_; ++b)
      data_[i * width_ + b] = static_cast<std::uint8_t>(above >> 8 * b);
  }
  std::int64_t wide(std::int64_t i) const noexcept {
    const std::uint8_t *from = data_.begin() + i * width_;
    std::uint64_t above = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&above, from, kRead);
      above &= mask_;
    } else {
      for (int b = 0; b < width_; ++b)
        above |= std::uint64_t{from[b]} << 8 * b;
    }
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(least_) + above);
  }
  std::int32_t operator[](std::int64_t i) const noexcept {
    return static_cast<std::int32_t>(wide(i));
  }
  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t bytes() const noexcept { return data_.bytes(); }
  bool copy(const PackedIntegers &from) noexcept {
    if (!data_.copy(from.data_))
      return false;
    size_ = from.size_;
    least_ = from.least_;
    width_ = from.width_;
    mask_ = from.mask_;
    return true;
  }

private:
  static constexpr int kRead = 8;

  Array<std::uint8_t> data_;
  std::int64_t size_ = 0;
  std::int64_t least_ = 0;
  std::uint64_t mask_ = 0;
  int width_ = 1;
};

} // namespace chorale
