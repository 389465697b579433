// Files on disk. Reading maps a file where possible; writing goes to a temporary file that replaces
// the target when complete.
#pragma once

#include "base/shared_bytes.hpp"
#include "problem/container.hpp"

namespace chorale {

// Reason of a failure; exactly one of the two fields is set.
struct DiskFailure {
  const char *doing = nullptr; // the operation that the system refused
  int code = 0;                // the system's error number
  const char *kind = nullptr;  // kind of the object at the path if it is not a regular file
  Damage damage;               // error in the first bytes of the file
  bool no_memory = false;
};

// Returns the bytes of a problem file with one reference, or NULL: see `failure`. Header and table
// are checked first, so that no more memory is allocated than the file can fill.
const SharedBytes *read_file(const Memory &memory, const char *path, DiskFailure &failure) noexcept;

class DiskWriter {
public:
  explicit DiskWriter(const Memory &memory) noexcept : memory_(memory) {}
  ~DiskWriter(); // removes the temporary file unless it replaced the target
  DiskWriter(const DiskWriter &) = delete;
  DiskWriter &operator=(const DiskWriter &) = delete;

  bool open(const char *path, DiskFailure &failure) noexcept;
  // The function of a Sink. Stores the first error number.
  static bool write(void *self, std::uint64_t offset, const void *data, std::size_t size) noexcept;
  bool put_in_place(const char *path, DiskFailure &failure) noexcept;

private:
  Memory memory_;
  Block name_; // path of the temporary file, NUL-terminated
  bool is_there_ = false;
  int code_ = 0;
#if defined(_WIN32)
  void *file_ = nullptr;
#else
  int file_ = -1;
#endif
};

} // namespace chorale
