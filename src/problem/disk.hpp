// Files of the system: one read whole, mapped where that is possible; one written aside and put in
// its place when complete.
#pragma once

#include "base/shared_bytes.hpp"
#include "problem/container.hpp"

namespace chorale {

// What went wrong, one of these.
struct DiskFailure {
  const char *doing = nullptr; // what was to be done, which the system refused
  int code = 0;                // the system's error number
  const char *kind = nullptr;  // what is at the path in the place of a file
  Damage damage;               // what is wrong with the first bytes of the file
  bool no_memory = false;
};

// The bytes of a problem file, with one reference; NULL: `failure` says why. Header and table of
// sections are checked first, so that no more memory is taken than the file is shown to fill.
const SharedBytes *read_file(const Memory &memory, const char *path, DiskFailure &failure) noexcept;

class DiskWriter {
public:
  explicit DiskWriter(const Memory &memory) noexcept : memory_(memory) {}
  ~DiskWriter(); // what was not put in place is gone
  DiskWriter(const DiskWriter &) = delete;
  DiskWriter &operator=(const DiskWriter &) = delete;

  bool open(const char *path, DiskFailure &failure) noexcept;
  // As a Sink; keeps the first failure.
  static bool write(void *self, std::uint64_t offset, const void *data, std::size_t size) noexcept;
  bool put_in_place(const char *path, DiskFailure &failure) noexcept;

private:
  Memory memory_;
  Block name_; // of the file beside
  bool is_there_ = false;
  int code_ = 0;
#if defined(_WIN32)
  void *file_ = nullptr;
#else
  int file_ = -1;
#endif
};

} // namespace chorale
