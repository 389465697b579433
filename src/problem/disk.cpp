#include "problem/disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#include <io.h>
// Declared here, since windows.h defines macros such as min and max.
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(const char *from, const char *to,
                                                           unsigned long flags);
#endif

namespace chorale {
namespace {

// ---- What differs on Windows --------------------------------------------------------------------

#if defined(_WIN32)

using Status = struct _stat64;
constexpr int kFlags = O_BINARY | O_NOINHERIT;
constexpr int kMode = 0600;

bool find_status(const char *path, Status &to) noexcept { return _stat64(path, &to) == 0; }
bool seek(int file, std::uint64_t offset) noexcept {
  return _lseeki64(file, static_cast<long long>(offset), SEEK_SET) >= 0;
}
void set_permissions(int, const Status &) noexcept {}
bool reaches_disk(int file) noexcept { return _commit(file) == 0; }
// rename() does not replace files. Removing the target first would lose it if the renaming then
// failed.
bool replace(const char *from, const char *to) noexcept {
  constexpr unsigned long kReplaceExisting = 1; // MOVEFILE_REPLACE_EXISTING
  errno = EACCES; // MoveFileExA() sets no errno; it fails mostly since a program has `to` open
  return MoveFileExA(from, to, kReplaceExisting) != 0;
}

#else

using Status = struct stat;
constexpr int kFlags = O_CLOEXEC | O_NOCTTY;
constexpr int kMode = 0666;

bool find_status(const char *path, Status &to) noexcept { return stat(path, &to) == 0; }
bool seek(int file, std::uint64_t offset) noexcept {
  return lseek(file, static_cast<off_t>(offset), SEEK_SET) >= 0;
}
// Ignores errors: a file system without permissions has none to set.
void set_permissions(int file, const Status &from) noexcept {
  (void)fchmod(file, from.st_mode & 0777);
}
// Makes the system write the bytes of a file to the disk. On Apple's systems fsync() may leave them
// in the cache of the disk. EINVAL means that the file system cannot do this, which is no error.
bool reaches_disk(int file) noexcept {
#if defined(__APPLE__)
  if (fcntl(file, F_FULLFSYNC) == 0)
    return true;
#endif
  return fsync(file) == 0 || errno == EINVAL;
}
bool replace(const char *from, const char *to) noexcept { return rename(from, to) == 0; }

#endif

// ---- Failures -----------------------------------------------------------------------------------

bool fail(DiskFailure &failure, const char *doing, int code) noexcept {
  failure.doing = doing;
  failure.code = code;
  return false;
}

bool fail_memory(DiskFailure &failure) noexcept {
  failure.no_memory = true;
  return false;
}

bool fail_truncated(DiskFailure &failure, std::uint64_t size, std::uint64_t needed) noexcept {
  return failure.damage.found(CHORALE_ERROR_FILE_TRUNCATED, "the file has ", size,
                              " bytes; it needs ", needed);
}

// Fails for devices and sockets, which may have no end.
bool check_kind(const Status &about, DiskFailure &failure) noexcept {
  if (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || S_ISFIFO(about.st_mode))
    return true;
  failure.kind = "a device or a socket";
  return false;
}

// ---- Reading ------------------------------------------------------------------------------------

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30; // bytes for one read() or write()

// Reads bytes to `to` until it holds `wanted` bytes or the file ends. `done`: how many bytes `to`
// holds; increased by the bytes read. False on an error of the system.
bool read_until(int file, std::byte *to, std::size_t wanted, std::size_t &done) noexcept {
  while (done < wanted) {
    const auto got =
        read(file, to + done, static_cast<unsigned>(std::min(wanted - done, kMostAtOnce)));
    if (got == 0)
      break;
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

// Reads and checks header and table, then reads the rest. `size`: bytes of the file, or
// Front::kUnknown for a pipe, which is read up to the size that its header states. For a pipe,
// memory grows to twice the bytes read so far, so that a wrong header cannot claim much memory.
bool read_checked(int file, std::uint64_t size, SharedBytes &to, DiskFailure &failure) noexcept {
  std::byte first[Front::kMostBytes];
  std::size_t seen = 0;
  Front front;
  if (!read_until(file, first, sizeof(file::Header), seen))
    return fail(failure, "read", errno);
  if (!front.take_header(first, seen, seen < sizeof(file::Header) ? seen : size, failure.damage))
    return false;
  if (!read_until(file, first, front.bytes(), seen))
    return fail(failure, "read", errno);
  if (seen < front.bytes())
    return fail_truncated(failure, seen, front.file_bytes());
  if (!front.take_table(first, failure.damage))
    return false;
  if (front.file_bytes() > SIZE_MAX)
    return fail_memory(failure);
  const auto total = static_cast<std::size_t>(front.file_bytes());
  constexpr std::size_t kPipe = 1 << 16;
  std::size_t capacity = size == Front::kUnknown ? std::min(total, kPipe) : total;
  to.owned = Block(to.memory, capacity);
  if (!to.owned)
    return fail_memory(failure);
  std::memcpy(to.owned.data(), first, seen);
  for (;;) {
    if (!read_until(file, to.owned.data(), capacity, seen))
      return fail(failure, "read", errno);
    if (seen < capacity)
      return fail_truncated(failure, seen, total);
    if (capacity == total)
      break;
    capacity = capacity > total / 2 ? total : 2 * capacity;
    Block grown(to.memory, capacity);
    if (!grown)
      return fail_memory(failure);
    std::memcpy(grown.data(), to.owned.data(), seen);
    to.owned = std::move(grown);
  }
  to.data = to.owned.data();
  to.size = total;
  return true;
}

// ---- Writing ------------------------------------------------------------------------------------

// Name of the temporary file, which is in the directory of the target. Its last two digits are
// counted up until no file of this name exists.
constexpr char kName[] = ".chorale.part00";
constexpr int kAttempts = 100;

bool is_separator(char c) noexcept {
#if defined(_WIN32)
  return c == '/' || c == '\\' || c == ':';
#else
  return c == '/';
#endif
}

} // namespace

const SharedBytes *read_file(const Memory &memory, const char *path,
                             DiskFailure &failure) noexcept {
  Status about{};
  if (!find_status(path, about)) {
    fail(failure, "opened", errno);
    return nullptr;
  }
  if (!check_kind(about, failure))
    return nullptr;
  const int file = ::open(path, O_RDONLY | kFlags);
  if (file < 0) {
    fail(failure, "opened", errno);
    return nullptr;
  }
  auto *made = memory.create<SharedBytes>(memory);
  const bool is_read =
      made ? read_checked(file,
                          S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size)
                                                 : Front::kUnknown,
                          *made, failure)
           : fail_memory(failure);
  close(file);
  if (is_read)
    return made;
  release(made);
  return nullptr;
}

bool DiskWriter::open(const char *path, DiskFailure &failure) noexcept {
  // Devices, pipes and sockets are not replaced. (Directories are refused by replace() later.)
  Status about{};
  const bool replaces = find_status(path, about);
  if (replaces && !check_kind(about, failure))
    return false;
  if (replaces && S_ISFIFO(about.st_mode)) {
    failure.kind = "a pipe";
    return false;
  }
  std::size_t directory = std::strlen(path);
  while (directory > 0 && !is_separator(path[directory - 1]))
    --directory;
  name_ = Block(memory_, directory + sizeof kName);
  if (!name_)
    return fail_memory(failure);
  std::memcpy(name_.data(), path, directory);
  std::memcpy(name_.data() + directory, kName, sizeof kName);
  char *digits = name() + directory + sizeof kName - 3;
  for (int attempt = 0; attempt < kAttempts && file_ < 0; ++attempt) {
    digits[0] = static_cast<char>('0' + attempt / 10);
    digits[1] = static_cast<char>('0' + attempt % 10);
    file_ = ::open(name(), O_WRONLY | O_CREAT | O_EXCL | kFlags, kMode);
    if (file_ < 0 && errno != EEXIST)
      break;
  }
  is_there_ = file_ >= 0;
  if (!is_there_)
    return fail(failure, "created", errno);
  // Gives the new file the permissions of the file that it will replace, before any byte is
  // written.
  if (replaces && S_ISREG(about.st_mode))
    set_permissions(file_, about);
  return true;
}

bool DiskWriter::write(void *user, std::uint64_t offset, const void *data,
                       std::size_t size) noexcept {
  auto &self = *static_cast<DiskWriter *>(user);
  const auto *from = static_cast<const std::byte *>(data);
  bool done = seek(self.file_, offset);
  while (done && size > 0) {
    const auto put =
        ::write(self.file_, from, static_cast<unsigned>(std::min(size, kMostAtOnce)));
    if (put > 0) {
      from += put;
      size -= static_cast<std::size_t>(put);
    } else {
      done = put < 0 && errno == EINTR;
    }
  }
  if (!done)
    self.code_ = errno;
  return done;
}

bool DiskWriter::put_in_place(const char *path, DiskFailure &failure) noexcept {
  if (code_ != 0)
    return fail(failure, "written", code_);
  // Synchronises before renaming: after a crash, `path` is the old file or the complete new one.
  if (!reaches_disk(file_))
    return fail(failure, "written", errno);
  const int file = file_;
  file_ = -1;
  if (close(file) != 0)
    return fail(failure, "written", errno);
  if (!replace(name(), path))
    return fail(failure, "put in its place", errno);
  is_there_ = false;
  return true;
}

DiskWriter::~DiskWriter() {
  if (file_ >= 0)
    close(file_);
  if (is_there_)
    unlink(name());
}

} // namespace chorale
