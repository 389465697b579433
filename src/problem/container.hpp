// The container of a problem file: its header and its sections, read in place. Nothing in it is
// believed before it has been checked.
#pragma once

#include "base/message.hpp"
#include "problem/byte_order.hpp"
#include "problem/format.hpp"

#include <chorale/status.h>

namespace chorale {

// What is wrong with a file; OK while nothing is.
struct Damage {
  chorale_status status = CHORALE_OK;
  char message[240] = {};

  template <class... Parts> bool found(chorale_status what, const Parts &...parts) noexcept {
    status = what;
    MessageWriter writer(message, sizeof message);
    (writer << ... << parts);
    return false;
  }
};

// A section, taken from front to back, every byte once. On a machine of the other byte order what
// is taken is turned where it lies: the bytes are the library's own there.
class Section {
public:
  Section() noexcept = default;
  Section(std::uint32_t id, const std::byte *data, std::size_t size) noexcept
      : id_(id), data_(data), size_(size) {}

  bool exists() const noexcept { return data_ != nullptr; }
  const char *name() const noexcept { return file::section_name(id_); }
  std::size_t size() const noexcept { return size_; }
  std::size_t at() const noexcept { return at_; }
  std::size_t left() const noexcept { return size_ - at_; }

  // The next `count` objects, read in place; NULL where the section is too short. What comes next
  // is aligned for them by the order of the format.
  template <class T> const T *take(std::uint64_t count) noexcept {
    if (count > left() / sizeof(T))
      return nullptr;
    const std::byte *place = data_ + at_;
    at_ += static_cast<std::size_t>(count) * sizeof(T);
    const auto *taken = reinterpret_cast<const T *>(place);
    file::turn(const_cast<T *>(taken), static_cast<std::size_t>(count));
    return taken;
  }
  // Goes on at the next multiple of `alignment`; false where it is not there, or not zeros lead to
  // it.
  bool align(std::size_t alignment) noexcept {
    for (; at_ % alignment != 0; ++at_)
      if (at_ == size_ || data_[at_] != std::byte{0})
        return false;
    return true;
  }

private:
  std::uint32_t id_ = 0;
  const std::byte *data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
};

// What stands before the sections: the header and the table. They say how large everything is, and
// are checked before memory is taken for any of it.
class Front {
public:
  static constexpr std::size_t kMostBytes =
      sizeof(file::Header) + (file::kSectionEnd - 1) * sizeof(file::Entry);
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  // From the first bytes of a file: as many as its header has, or all. size: of the whole file;
  // kUnknown: there are more than these, nobody knows how many. False: `damage` says why.
  bool take_header(const std::byte *bytes, std::size_t seen, std::uint64_t size,
                   Damage &damage) noexcept;
  // The table, once the header has been taken, from the first bytes() of the file.
  bool take_table(const std::byte *bytes, Damage &damage) noexcept;

  std::size_t bytes() const noexcept {
    return sizeof header_ + header_.sections * sizeof(file::Entry);
  }
  std::uint64_t file_bytes() const noexcept { return header_.bytes; }
  std::uint32_t sections() const noexcept { return header_.sections; }
  const file::Entry &section(std::uint32_t number) const noexcept { return entries_[number]; }

private:
  bool check_entry(const file::Entry &entry, std::uint32_t before, std::uint64_t end,
                   Damage &damage) const noexcept;

  file::Header header_{};
  file::Entry entries_[file::kSectionEnd - 1];
};

class Container {
public:
  // Checks everything but what the sections hold; false: `damage` says why.
  bool open(const std::byte *bytes, std::size_t size, Damage &damage) noexcept;

  Section section(std::uint32_t id) const noexcept { return sections_[id]; }

private:
  Section sections_[file::kSectionEnd];
};

} // namespace chorale
