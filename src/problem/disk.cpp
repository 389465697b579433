#include "problem/disk.hpp"

#include "problem/byte_order.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

#if defined(_WIN32)
#include <cstdio>
#include <io.h>
// Declared here, since windows.h defines macros such as min and max.
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(const char *from, const char *to,
                                                           unsigned long flags);
#else
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace chorale {
namespace {

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

// The path of the temporary file is the target's path, this suffix, and a number of two digits that
// is not in use. The target's name is first cut, between two characters of UTF-8, to at most
// kKeptBytes bytes, so that the temporary name is at most as long as file systems allow.
constexpr char kSuffix[] = ".part";
constexpr std::size_t kKeptBytes = 64;
constexpr int kAttempts = 100;

bool is_separator(char c) noexcept {
#if defined(_WIN32)
  return c == '/' || c == '\\' || c == ':';
#else
  return c == '/';
#endif
}

bool make_name(const Memory &memory, const char *path, Block &name) noexcept {
  std::size_t length = std::strlen(path);
  std::size_t begin = length;
  while (begin > 0 && !is_separator(path[begin - 1]))
    --begin;
  if (length - begin > kKeptBytes)
    for (length = begin + kKeptBytes; length > begin && (path[length] & 0xC0) == 0x80;)
      --length;
  name = Block(memory, length + sizeof kSuffix + 2);
  if (!name)
    return false;
  std::memcpy(name.data(), path, length);
  std::memcpy(name.data() + length, kSuffix, sizeof kSuffix);
  return true;
}

void number_name(Block &name, int attempt) noexcept {
  char *end = reinterpret_cast<char *>(name.data()) + name.bytes() - 3;
  end[0] = static_cast<char>('0' + attempt / 10);
  end[1] = static_cast<char>('0' + attempt % 10);
  end[2] = '\0';
}

} // namespace

// ---- Reading ------------------------------------------------------------------------------------

namespace {

#if defined(_WIN32)
using File = std::FILE *;

// Reads bytes to `to` until it holds `wanted` bytes or the file ends. `done`: how many bytes `to`
// holds; increased by the bytes read. False on an error of the system.
bool read_until(File file, std::byte *to, std::size_t wanted, std::size_t &done) noexcept {
  done += std::fread(to + done, 1, wanted - done, file);
  return std::ferror(file) == 0;
}

int map_file(File, std::size_t, SharedBytes &) noexcept { return ENODEV; }
#else
using File = int;

bool read_until(File file, std::byte *to, std::size_t wanted, std::size_t &done) noexcept {
  while (done < wanted) {
    const ssize_t got = read(file, to + done, wanted - done);
    if (got == 0)
      break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno == EAGAIN) { // an empty pipe that has a writer
      pollfd waiting{file, POLLIN, 0};
      if (poll(&waiting, 1, -1) < 0 && errno != EINTR)
        return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void unmap(const std::byte *data, std::size_t size) noexcept {
  munmap(const_cast<std::byte *>(data), size);
}

// Maps the file into memory. Returns 0, or an error number if that is not possible.
int map_file(File file, std::size_t size, SharedBytes &to) noexcept {
  if (file::kTurns) // the bytes will be converted in place, so they must be a copy
    return ENODEV;
  void *mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED)
    return errno;
  to.data = static_cast<const std::byte *>(mapped);
  to.size = size;
  to.unmap = unmap;
  // Checks the size again: if the file has been truncated since its size was read, an access beyond
  // its end would end the program.
  struct stat about {};
  if (fstat(file, &about) == 0 && static_cast<std::uint64_t>(about.st_size) >= size)
    return 0;
  unmap(to.data, size);
  to.unmap = nullptr;
  return EINVAL;
}
#endif

// Reads the rest of a file of `total` bytes into `to`; `first` holds its first `seen` bytes. If
// `is_there`, the file is known to have `total` bytes, and all memory is allocated at once. For a
// pipe, memory grows to twice the bytes read so far, so that a wrong header cannot claim much
// memory.
bool read_rest(File file, const std::byte *first, std::size_t seen, std::size_t total,
               bool is_there, SharedBytes &to, DiskFailure &failure) noexcept {
  constexpr std::size_t kPipe = 1 << 16;
  std::size_t capacity = is_there ? total : std::min(total, kPipe);
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

// Reads and checks header and table, then maps the file into memory or reads the rest. `size`:
// bytes of the file, or Front::kUnknown for a pipe, which is read up to the size that its header
// states.
bool read_checked(File file, std::uint64_t size, SharedBytes &to, DiskFailure &failure) noexcept {
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
  const bool is_there = size != Front::kUnknown;
  if (is_there) {
    const int failed = map_file(file, total, to);
    if (failed == 0)
      return true;
    if (failed == ENOMEM) // a copy needs as much memory as a map
      return fail_memory(failure);
  }
  return read_rest(file, first, seen, total, is_there, to, failure);
}

// Sets `size` to the size of an opened file: `bytes` for a regular file, Front::kUnknown for a
// pipe. Fails for devices and sockets, which may have no end.
bool find_size(unsigned mode, std::uint64_t bytes, std::uint64_t &size,
               DiskFailure &failure) noexcept {
  switch (mode & S_IFMT) {
  case S_IFREG:
    size = bytes;
    return true;
  case S_IFDIR: // as for a pipe; then reading fails, with the system's message for directories
  case S_IFIFO:
    size = Front::kUnknown;
    return true;
  default:
    failure.kind = "a device or a socket";
    return false;
  }
}

const SharedBytes *read_open(const Memory &memory, File file, unsigned mode, std::uint64_t bytes,
                             DiskFailure &failure) noexcept {
  std::uint64_t size = 0;
  if (!find_size(mode, bytes, size, failure))
    return nullptr;
  auto *made = memory.create<SharedBytes>(memory);
  if (!made) {
    fail_memory(failure);
    return nullptr;
  }
  if (read_checked(file, size, *made, failure))
    return made;
  release(made);
  return nullptr;
}

} // namespace

#if defined(_WIN32)

const SharedBytes *read_file(const Memory &memory, const char *path,
                             DiskFailure &failure) noexcept {
  std::FILE *file = std::fopen(path, "rb");
  struct _stat64 about {};
  const SharedBytes *read = nullptr;
  if (!file || _fstat64(_fileno(file), &about) != 0)
    fail(failure, "opened", errno);
  else
    read = read_open(memory, file, about.st_mode, static_cast<std::uint64_t>(about.st_size),
                     failure);
  if (file)
    std::fclose(file);
  return read;
}

bool DiskWriter::open(const char *path, DiskFailure &failure) noexcept {
  if (!make_name(memory_, path, name_))
    return fail_memory(failure);
  for (int attempt = 0; attempt < kAttempts && !file_; ++attempt) {
    number_name(name_, attempt);
    file_ = std::fopen(reinterpret_cast<char *>(name_.data()), "wbx");
    if (!file_ && errno != EEXIST)
      break;
  }
  is_there_ = file_ != nullptr;
  return is_there_ || fail(failure, "created", errno);
}

bool DiskWriter::write(void *user, std::uint64_t offset, const void *data,
                       std::size_t size) noexcept {
  auto &self = *static_cast<DiskWriter *>(user);
  auto *file = static_cast<std::FILE *>(self.file_);
  if (_fseeki64(file, static_cast<long long>(offset), SEEK_SET) == 0 &&
      std::fwrite(data, 1, size, file) == size)
    return true;
  self.code_ = errno;
  return false;
}

bool DiskWriter::put_in_place(const char *path, DiskFailure &failure) noexcept {
  if (code_ != 0)
    return fail(failure, "written", code_);
  auto *file = static_cast<std::FILE *>(file_);
  file_ = nullptr;
  if (std::fclose(file) != 0)
    return fail(failure, "written", errno);
  // On Windows, rename() does not replace files. Removing the target first would lose it if the
  // renaming then failed.
  constexpr unsigned long kReplaceExisting = 1; // MOVEFILE_REPLACE_EXISTING
  if (!MoveFileExA(reinterpret_cast<char *>(name_.data()), path, kReplaceExisting))
    return fail(failure, "put in its place", EACCES); // most often, a program has the target open
  is_there_ = false;
  return true;
}

DiskWriter::~DiskWriter() {
  if (file_)
    std::fclose(static_cast<std::FILE *>(file_));
  if (is_there_)
    std::remove(reinterpret_cast<char *>(name_.data()));
}

#else

const SharedBytes *read_file(const Memory &memory, const char *path,
                             DiskFailure &failure) noexcept {
  // Opens without waiting: a FIFO without a writer then reads as empty.
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  const SharedBytes *read = nullptr;
  if (file < 0 || fstat(file, &about) != 0)
    fail(failure, "opened", errno);
  else
    read = read_open(memory, file, about.st_mode, static_cast<std::uint64_t>(about.st_size),
                     failure);
  if (file >= 0)
    close(file);
  return read;
}

bool DiskWriter::open(const char *path, DiskFailure &failure) noexcept {
  // Devices, pipes and sockets are not replaced. (Directories are refused by rename() later.)
  struct stat about {};
  const bool replaces = stat(path, &about) == 0;
  if (replaces && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
    failure.kind = S_ISFIFO(about.st_mode) ? "a pipe" : "a device or a socket";
    return false;
  }
  if (!make_name(memory_, path, name_))
    return fail_memory(failure);
  for (int attempt = 0; attempt < kAttempts && file_ < 0; ++attempt) {
    number_name(name_, attempt);
    file_ = ::open(reinterpret_cast<char *>(name_.data()), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                   0666);
    if (file_ < 0 && errno != EEXIST)
      break;
  }
  is_there_ = file_ >= 0;
  if (!is_there_)
    return fail(failure, "created", errno);
  // Gives the new file the permissions of the file that it will replace, before any byte is
  // written. Ignores errors: a file system without permissions has none to copy.
  if (replaces && S_ISREG(about.st_mode))
    (void)fchmod(file_, about.st_mode & 0777);
  return true;
}

bool DiskWriter::write(void *user, std::uint64_t offset, const void *data,
                       std::size_t size) noexcept {
  auto &self = *static_cast<DiskWriter *>(user);
  const auto *from = static_cast<const std::byte *>(data);
  while (size > 0) {
    const ssize_t put = pwrite(self.file_, from, size, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0) {
      self.code_ = put < 0 ? errno : ENOSPC;
      return false;
    }
    from += put;
    offset += static_cast<std::uint64_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

// Writes the bytes of a file to the disk. (On Apple's systems fsync() leaves them in its cache.)
static bool reaches_disk(int file) noexcept {
#if defined(__APPLE__)
  if (fcntl(file, F_FULLFSYNC) == 0)
    return true;
#endif
  return fsync(file) == 0 || errno == EINVAL;
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
  if (rename(reinterpret_cast<char *>(name_.data()), path) != 0)
    return fail(failure, "put in its place", errno);
  is_there_ = false;
  return true;
}

DiskWriter::~DiskWriter() {
  if (file_ >= 0)
    close(file_);
  if (is_there_)
    unlink(reinterpret_cast<char *>(name_.data()));
}

#endif

} // namespace chorale
