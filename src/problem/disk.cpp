#include "problem/disk.hpp"

#include "problem/byte_order.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#if defined(_WIN32)
#include <cstdio>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace chorale {
namespace {

const SharedBytes *fail(DiskFailure &failure, const char *doing, int code) noexcept {
  failure.doing = doing;
  failure.code = code;
  return nullptr;
}

const SharedBytes *fail_memory(DiskFailure &failure) noexcept {
  failure.no_memory = true;
  return nullptr;
}

// The name of the file beside `path`: that, and a number that nobody uses.
constexpr char kSuffix[] = ".part";
constexpr int kAttempts = 100;

bool make_name(const Memory &memory, const char *path, Block &name) noexcept {
  const std::size_t length = std::strlen(path);
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

#if defined(_WIN32)

const SharedBytes *read_file(const Memory &memory, const char *path,
                             DiskFailure &failure) noexcept {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return fail(failure, "opened", errno);
  long long size = -1;
  if (_fseeki64(file, 0, SEEK_END) == 0)
    size = _ftelli64(file);
  auto *made = memory.create<SharedBytes>(memory);
  const SharedBytes *read = nullptr;
  if (size < 0 || _fseeki64(file, 0, SEEK_SET) != 0) {
    fail(failure, "read", errno);
  } else if (!made || !(made->owned = Block(memory, static_cast<std::size_t>(size)))) {
    fail_memory(failure);
  } else if (std::fread(made->owned.data(), 1, static_cast<std::size_t>(size), file) !=
             static_cast<std::size_t>(size)) {
    fail(failure, "read", errno);
  } else {
    made->data = made->owned.data();
    made->size = static_cast<std::size_t>(size);
    read = made;
  }
  std::fclose(file);
  if (made && !read)
    SharedBytes::release(made);
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
  std::remove(path); // renaming replaces nothing here
  if (std::rename(reinterpret_cast<char *>(name_.data()), path) != 0)
    return fail(failure, "put in its place", errno);
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

namespace {

void unmap(const std::byte *data, std::size_t size) noexcept {
  munmap(const_cast<std::byte *>(data), size);
}

// Into memory, for what is not mapped. `size` is what the system believes: one byte more shows
// that it is right.
bool read_whole(int file, SharedBytes &to, std::size_t size, DiskFailure &failure) noexcept {
  to.owned = Block(to.memory, std::max<std::size_t>(size + 1, 4096));
  std::size_t done = 0;
  for (;;) {
    if (!to.owned)
      return fail_memory(failure);
    if (done == to.owned.bytes()) {
      Block grown(to.memory, done > SIZE_MAX / 2 ? SIZE_MAX : 2 * done);
      if (!grown)
        return fail_memory(failure);
      std::memcpy(grown.data(), to.owned.data(), done);
      to.owned = std::move(grown);
    }
    const ssize_t got = read(file, to.owned.data() + done, to.owned.bytes() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(failure, "read", errno);
    if (got == 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  to.data = to.owned.data();
  to.size = done;
  return true;
}

} // namespace

const SharedBytes *read_file(const Memory &memory, const char *path,
                             DiskFailure &failure) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return fail(failure, "opened", errno);
  struct stat about {};
  auto *made = memory.create<SharedBytes>(memory);
  bool done = false;
  if (!made) {
    fail_memory(failure);
  } else if (fstat(file, &about) != 0) {
    fail(failure, "read", errno);
  } else {
    const auto size = static_cast<std::size_t>(std::max<off_t>(about.st_size, 0));
    // What will be turned where it lies is read.
    void *mapped = S_ISREG(about.st_mode) && size > 0 && !file::kTurns
                       ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0)
                       : MAP_FAILED;
    if (mapped != MAP_FAILED) {
      made->data = static_cast<const std::byte *>(mapped);
      made->size = size;
      made->unmap = unmap;
      done = true;
    } else {
      done = read_whole(file, *made, size, failure);
    }
  }
  close(file);
  if (done)
    return made;
  SharedBytes::release(made);
  return nullptr;
}

bool DiskWriter::open(const char *path, DiskFailure &failure) noexcept {
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
  // What takes the place of a file is open to nobody to whom that was not, from its first byte on.
  // A file system without permissions refuses, and has nothing to keep.
  struct stat about {};
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
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

bool DiskWriter::put_in_place(const char *path, DiskFailure &failure) noexcept {
  if (code_ != 0)
    return fail(failure, "written", code_);
  // On the disk before it has the name: a crash leaves the old file or the new one.
  if (fsync(file_) != 0 && errno != EINVAL)
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
