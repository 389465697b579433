#include "problem/disk.hpp"

#include "base/names.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

// Returns a text for an error number of the system; empty if there is none below. Does not use
// strerror(), whose texts depend on the locale.
std::string_view describe(int code) noexcept {
  constexpr NamedConstant kReasons[] = {{ENOENT, "no such file or directory"},
                                        {EACCES, "permission denied"},
                                        {EISDIR, "it is a directory"},
                                        {ENOTDIR, "a part of the path is no directory"},
                                        {EROFS, "the file system is read-only"},
                                        {ENOSPC, "no space is left"},
                                        {ENAMETOOLONG, "the name is too long"},
                                        {ELOOP, "too many symbolic links"},
                                        {EBUSY, "it is in use"},
                                        {EMFILE, "too many files are open"},
                                        {EFBIG, "the file would be too large"},
                                        {EIO, "the device failed"}};
  return name_in(kReasons, code, "");
}

// Returns a path as error messages show it. Of a long path only the last bytes, at most kMost, from
// the beginning of a UTF-8 character on, so that the message also has room for the reason.
std::string_view shown(std::string_view path) noexcept {
  constexpr std::size_t kMost = 320; // bytes
  std::size_t begin = path.size() > kMost ? path.size() - kMost : 0;
  while (begin > 0 && begin < path.size() && (path[begin] & 0xC0) == 0x80)
    ++begin;
  return path.substr(begin);
}

// Reports that the system refused an operation. `doing`: the operation, such as "opened"; `code`:
// the system's error number.
chorale_status fail(const Report &report, const char *path, std::string_view doing,
                    int code) noexcept {
  const std::string_view reason = describe(code);
  return report.fail(CHORALE_ERROR_INPUT_OUTPUT, "path \"", shown(path), "\" could not be ", doing,
                     ": ", reason, reason.empty() ? "error " : " (error ", code, " of the system",
                     reason.empty() ? "" : ")");
}

// Fails for devices and sockets, which may have no end; for pipes unless `takes_pipes`.
chorale_status check_kind(const Report &report, const char *path, const Status &about,
                          bool takes_pipes) noexcept {
  const bool is_pipe = S_ISFIFO(about.st_mode);
  if (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || (is_pipe && takes_pipes))
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_INPUT_OUTPUT, "path \"", shown(path), "\" is ",
                     is_pipe ? "a pipe" : "a device or a socket",
                     "; problems are saved in files, and loaded from files and pipes");
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
chorale_status read_checked(const Report &report, const char *path, int file, std::uint64_t size,
                            SharedBytes &to) noexcept {
  std::byte first[Front::kMostBytes];
  std::size_t seen = 0;
  Front front;
  if (!read_until(file, first, sizeof(file::Header), seen))
    return fail(report, path, "read", errno);
  CHORALE_CHECK(front.take_header(report, first, seen, seen < sizeof(file::Header) ? seen : size));
  if (!read_until(file, first, front.bytes(), seen))
    return fail(report, path, "read", errno);
  if (seen < front.bytes())
    return fail_truncated(report, seen, front.file_bytes());
  CHORALE_CHECK(front.take_table(report, first));
  if (front.file_bytes() > SIZE_MAX)
    return report.out_of_memory();
  const auto total = static_cast<std::size_t>(front.file_bytes());
  constexpr std::size_t kPipe = 1 << 16;
  for (std::size_t capacity = size == Front::kUnknown ? std::min(total, kPipe) : total;;) {
    Block grown(to.memory, capacity);
    if (!grown)
      return report.out_of_memory();
    std::memcpy(grown.data(), to.owned ? to.owned.data() : first, seen);
    to.owned = std::move(grown);
    if (!read_until(file, to.owned.data(), capacity, seen))
      return fail(report, path, "read", errno);
    if (seen < capacity)
      return fail_truncated(report, seen, total);
    if (capacity == total)
      break;
    capacity = capacity > total / 2 ? total : 2 * capacity;
  }
  to.data = to.owned.data();
  to.size = total;
  return CHORALE_OK;
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

chorale_status read_file(const Report &report, const Memory &memory, const char *path,
                         SharedBytes *&made) noexcept {
  Status about{};
  if (!find_status(path, about))
    return fail(report, path, "opened", errno);
  CHORALE_CHECK(check_kind(report, path, about, true));
  Held<SharedBytes> draft(memory.create<SharedBytes>(memory));
  if (!draft)
    return report.out_of_memory();
  const int file = ::open(path, O_RDONLY | kFlags);
  if (file < 0)
    return fail(report, path, "opened", errno);
  const chorale_status status =
      read_checked(report, path, file,
                   S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size)
                                          : Front::kUnknown,
                   *draft);
  close(file);
  CHORALE_CHECK(status);
  made = draft.give();
  return CHORALE_OK;
}

chorale_status DiskWriter::open() noexcept {
  // Devices, pipes and sockets are not replaced. (Directories are refused by replace() later.)
  Status about{};
  const bool replaces = find_status(path_, about);
  if (replaces)
    CHORALE_CHECK(check_kind(report_, path_, about, false));
  std::size_t directory = std::strlen(path_);
  while (directory > 0 && !is_separator(path_[directory - 1]))
    --directory;
  name_ = Block(memory_, directory + sizeof kName);
  if (!name_)
    return report_.out_of_memory();
  std::memcpy(name_.data(), path_, directory);
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
    return fail(report_, path_, "created", errno);
  // Gives the new file the permissions of the file that it will replace, before any byte is
  // written.
  if (replaces && S_ISREG(about.st_mode))
    set_permissions(file_, about);
  return CHORALE_OK;
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

chorale_status DiskWriter::put_in_place() noexcept {
  if (code_ != 0)
    return fail(report_, path_, "written", code_);
  // Synchronises before renaming: after a crash, the path has the old file or the complete new one.
  if (!reaches_disk(file_) || close(std::exchange(file_, -1)) != 0)
    return fail(report_, path_, "written", errno);
  if (!replace(name(), path_))
    return fail(report_, path_, "put in its place", errno);
  is_there_ = false;
  return CHORALE_OK;
}

DiskWriter::~DiskWriter() {
  if (file_ >= 0)
    close(file_);
  if (is_there_)
    unlink(name());
}

} // namespace chorale
