// Writes a problem file from front to back to a sink, or only measures its size.
#pragma once

#include "problem/checksum.hpp"
#include "problem/format.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace chorale {

// A place to which a file is written, such as a disk file or a buffer. write() takes bytes and
// their offset in the file, and returns false on failure.
struct Sink {
  bool (*write)(void *user, std::uint64_t offset, const void *data, std::size_t size) noexcept;
  void *user;
};

class Output {
public:
  // Makes an output without a sink, which only measures the size of the file.
  Output() noexcept = default;
  explicit Output(const Sink &sink) noexcept : sink_(&sink) {}
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  bool failed() const noexcept { return failed_; }
  std::uint64_t bytes() const noexcept { return at_; }

  // Begins a file. `count`: how many sections will follow.
  void begin(std::uint32_t count) noexcept {
    count_ = count;
    at_ = flushed_ = sizeof(file::Header) + count * sizeof(file::Entry);
  }
  void begin_section(std::uint32_t id) noexcept {
    align(file::kAlign);
    flush();
    entries_[done_] = {id, 0, at_, 0, 0};
    sum_ = Checksum();
  }
  void end_section() noexcept {
    flush();
    entries_[done_].length = at_ - entries_[done_].offset;
    entries_[done_++].checksum = sum_.value();
  }
  // Writes header and table. Must be called after all sections.
  void end() noexcept;

  // Writes `size` bytes of a section; put(), put_array(), put_zeros() and align() call this one.
  void put_bytes(const void *data, std::size_t size) noexcept {
    at_ += size;
    if (!sink_)
      return;
    if (size > sizeof staged_ - staged_size_) {
      flush();
      if (size > sizeof staged_ / 4) {
        pass_on(data, size);
        return;
      }
    }
    if (size > 0)
      std::memcpy(staged_ + staged_size_, data, size);
    staged_size_ += size;
  }
  template <class T> void put(const T &object) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&object, sizeof object);
  }
  template <class T> void put_array(const T *from, std::int64_t count) noexcept {
    put_bytes(from, static_cast<std::size_t>(count) * sizeof(T));
  }
  void put_zeros(std::size_t count) noexcept {
    constexpr std::byte zeros[file::kAlign] = {};
    for (; count > 0; count -= std::min(count, sizeof zeros))
      put_bytes(zeros, std::min(count, sizeof zeros));
  }
  // Pads with zeros to a multiple of `alignment` bytes from the beginning of the file. This is also
  // a multiple from the beginning of the section, since sections begin at multiples of kAlign.
  void align(std::size_t alignment) noexcept {
    put_zeros(static_cast<std::size_t>((alignment - at_ % alignment) % alignment));
  }

private:
  void flush() noexcept {
    if (staged_size_ == 0)
      return;
    const std::size_t size = staged_size_;
    staged_size_ = 0;
    pass_on(staged_, size);
  }
  void pass_on(const void *data, std::size_t size) noexcept {
    sum_.add(data, size);
    failed_ = failed_ || !sink_->write(sink_->user, flushed_, data, size);
    flushed_ += size;
  }

  const Sink *sink_ = nullptr;
  bool failed_ = false;
  std::uint64_t at_ = 0;
  std::uint64_t flushed_ = 0;
  Checksum sum_;
  std::uint32_t count_ = 0;
  std::uint32_t done_ = 0;
  file::Entry entries_[file::kSectionEnd] = {};
  std::size_t staged_size_ = 0;
  std::byte staged_[1 << 15];
};

} // namespace chorale
