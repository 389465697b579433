// Files on disk. Writing goes to a temporary file, which replaces the target when it is complete.
#pragma once

#include "base/shared_bytes.hpp"
#include "problem/container.hpp"

namespace chorale {

// Reads the bytes of a problem file to `made`, which gets one reference. Checks header and table
// first, so that a damaged file cannot cause the allocation of much more memory than the file has
// bytes.
chorale_status read_file(const Report &report, const Memory &memory, const char *path,
                         SharedBytes *&made) noexcept;

class DiskWriter {
public:
  DiskWriter(const Report &report, const Memory &memory, const char *path) noexcept
      : report_(report), memory_(memory), path_(path) {}
  ~DiskWriter(); // removes the temporary file unless it replaced the target
  DiskWriter(const DiskWriter &) = delete;
  DiskWriter &operator=(const DiskWriter &) = delete;

  chorale_status open() noexcept;
  // The function of a Sink (output.hpp). If the system reports an error, returns false and stores
  // the error number for put_in_place(), which reports it.
  static bool write(void *self, std::uint64_t offset, const void *data, std::size_t size) noexcept;
  chorale_status put_in_place() noexcept;

private:
  char *name() noexcept { return reinterpret_cast<char *>(name_.data()); }

  const Report &report_;
  Memory memory_;
  const char *path_;
  Block name_; // path of the temporary file, NUL-terminated
  bool is_there_ = false;
  int code_ = 0;
  int file_ = -1;
};

} // namespace chorale
