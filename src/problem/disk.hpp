// Files on disk. Writing goes to a temporary file, which replaces the target when it is complete.
#pragma once

#include "base/shared_bytes.hpp"
#include "problem/container.hpp"

namespace chorale {

// Why reading or writing failed: the system refused an operation, the path is of a wrong kind, the
// file is damaged, or memory ran out.
struct DiskFailure {
  const char *doing = nullptr; // the operation that the system refused, such as "opened"
  int code = 0;                // the system's error number
  const char *kind = nullptr;  // what is at the path instead of a file, such as "a pipe"
  Damage damage;               // error in header or table, or a file that ends too early
  bool no_memory = false;
};

// Returns the bytes of a problem file; the caller owns the only reference to them. On failure
// returns NULL and fills in `failure`. Checks header and table first, so that a damaged file cannot
// cause the allocation of much more memory than the file has bytes.
const SharedBytes *read_file(const Memory &memory, const char *path, DiskFailure &failure) noexcept;

class DiskWriter {
public:
  explicit DiskWriter(const Memory &memory) noexcept : memory_(memory) {}
  ~DiskWriter(); // removes the temporary file unless it replaced the target
  DiskWriter(const DiskWriter &) = delete;
  DiskWriter &operator=(const DiskWriter &) = delete;

  bool open(const char *path, DiskFailure &failure) noexcept;
  // The function of a Sink (output.hpp). If the system reports an error, returns false and stores
  // the error number for put_in_place(), which reports it.
  static bool write(void *self, std::uint64_t offset, const void *data, std::size_t size) noexcept;
  bool put_in_place(const char *path, DiskFailure &failure) noexcept;

private:
  char *name() noexcept { return reinterpret_cast<char *>(name_.data()); }

  Memory memory_;
  Block name_; // path of the temporary file, NUL-terminated
  bool is_there_ = false;
  int code_ = 0;
  int file_ = -1;
};

} // namespace chorale
