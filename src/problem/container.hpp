// The container of a problem file: a header, a table of sections, and the sections, read in place.
// Nothing in the file is used before it has been checked.
#pragma once

#include "base/report.hpp"
#include "problem/format.hpp"

namespace chorale {

// Reports that a file of `size` bytes ends too early.
inline chorale_status fail_truncated(const Report &report, std::uint64_t size,
                                     std::uint64_t needed) noexcept {
  return report.fail(CHORALE_ERROR_FILE_TRUNCATED, "the file has ", size, " bytes; it needs ",
                     needed);
}

// A section of the file, read from front to back, each byte once.
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

  // Returns the next objects, as many as the product of `counts`, which lie in the file's bytes. The
  // file format guarantees that they are aligned. If the section is too short, returns NULL, now and
  // in all later calls, and fits() is false.
  template <class T, class... Counts> const T *take(Counts... counts) noexcept {
    std::uint64_t count = 1;
    const auto multiply = [&](std::uint64_t factor) {
      fits_ = fits_ && (factor == 0 || count <= left() / factor); // so that nothing overflows
      count *= factor;
    };
    (multiply(static_cast<std::uint64_t>(counts)), ...);
    fits_ = fits_ && count <= left() / sizeof(T);
    if (!fits_)
      return nullptr;
    const std::byte *place = data_ + at_;
    at_ += static_cast<std::size_t>(count) * sizeof(T);
    return reinterpret_cast<const T *>(place);
  }
  bool fits() const noexcept { return fits_; }
  // Skips zeros up to the next multiple of `alignment`. If the section ends before that multiple, or
  // a skipped byte is not zero, fits() is false.
  void align(std::size_t alignment) noexcept {
    for (; fits_ && at_ % alignment != 0; ++at_)
      fits_ = at_ < size_ && data_[at_] == std::byte{0};
  }

private:
  std::uint32_t id_ = 0;
  const std::byte *data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
  bool fits_ = true;
};

// The header and the table of sections. They state all sizes, so they are checked before memory is
// allocated for anything else.
class Front {
public:
  static constexpr std::size_t kMostBytes =
      sizeof(file::Header) + (file::kSectionEnd - 1) * sizeof(file::Entry);
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  // Checks the header. `bytes`: the first `seen` bytes of the file, which must include the whole
  // header unless the file is shorter. `size`: bytes of the whole file, or kUnknown.
  chorale_status take_header(const Report &report, const std::byte *bytes, std::size_t seen,
                             std::uint64_t size) noexcept;
  // Checks the table; needs take_header() before. `bytes`: at least the first bytes() bytes of the
  // file.
  chorale_status take_table(const Report &report, const std::byte *bytes) noexcept;

  // Returns the number of bytes of header and table together.
  std::size_t bytes() const noexcept {
    return sizeof header_ + header_.sections * sizeof(file::Entry);
  }
  std::uint64_t file_bytes() const noexcept { return header_.bytes; }
  std::uint32_t sections() const noexcept { return header_.sections; }
  const file::Entry &section(std::uint32_t number) const noexcept { return entries_[number]; }

private:
  chorale_status check_entry(const Report &report, const file::Entry &entry, std::uint32_t before,
                             std::uint64_t end) const noexcept;

  file::Header header_{};
  file::Entry entries_[file::kSectionEnd - 1];
};

class Container {
public:
  // Checks header, table and checksums, but not the contents of sections.
  chorale_status open(const Report &report, const std::byte *bytes, std::size_t size) noexcept;

  Section section(std::uint32_t id) const noexcept { return sections_[id]; }

private:
  Section sections_[file::kSectionEnd];
};

} // namespace chorale
