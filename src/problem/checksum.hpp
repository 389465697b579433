// The 64-bit checksum of files. Computing it is nearly as fast as reading the memory.
//
// The data are padded with zeros to a multiple of 32 bytes. Their 8-byte words go in turn to four
// lanes, which are 64-bit numbers: lane h becomes step(h, word), which is rotate(h ^ word, 29)
// times an odd constant. At the end the length of the data and then the lanes are folded into one
// number, also by step(). Two different words, with the same h, never give the same step(h, word).
// Nor do two different h with the same word. So damage within one aligned word, such as a flipped
// bit or byte, is always detected. Other accidental damage is missed with probability 2^-64.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace chorale {

class Checksum {
public:
  void add(const void *data, std::size_t size) noexcept {
    const auto *from = static_cast<const std::byte *>(data);
    length_ += size;
    if (pending_ > 0) {
      const std::size_t taken = size < kStripe - pending_ ? size : kStripe - pending_;
      std::memcpy(stripe_ + pending_, from, taken);
      pending_ += taken;
      from += taken;
      size -= taken;
      if (pending_ < kStripe)
        return;
      add_stripe(stripe_);
      pending_ = 0;
    }
    for (; size >= kStripe; from += kStripe, size -= kStripe)
      add_stripe(from);
    if (size > 0) {
      std::memcpy(stripe_, from, size);
      pending_ = size;
    }
  }

  std::uint64_t value() const noexcept {
    Checksum last = *this;
    if (pending_ > 0) {
      std::memset(last.stripe_ + pending_, 0, kStripe - pending_);
      last.add_stripe(last.stripe_);
    }
    std::uint64_t sum = step(0, length_);
    for (const std::uint64_t lane : last.lanes_)
      sum = step(sum, lane ^ (lane >> 32));
    return sum ^ (sum >> 31);
  }

  static std::uint64_t of(const void *data, std::size_t size) noexcept {
    Checksum sum;
    sum.add(data, size);
    return sum.value();
  }

private:
  static constexpr std::size_t kStripe = 32;

  static std::uint64_t step(std::uint64_t h, std::uint64_t word) noexcept {
    return std::rotl(h ^ word, 29) * 0x9e3779b97f4a7c15u;
  }
  void add_stripe(const std::byte *from) noexcept {
    std::uint64_t words[4];
    std::memcpy(words, from, kStripe);
    for (int k = 0; k < 4; ++k)
      lanes_[k] = step(lanes_[k], words[k]);
  }

  // Four different starting values: digits of pi.
  std::uint64_t lanes_[4] = {0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u,
                             0x082efa98ec4e6c89u};
  std::byte stripe_[kStripe];
  std::size_t pending_ = 0;
  std::uint64_t length_ = 0;
};

} // namespace chorale
