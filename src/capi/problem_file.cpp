// Exported C functions of problem.h: reads and writes problems as bytes and as files.
#include "capi/firewall.hpp"
#include "problem/disk.hpp"
#include "problem/reader.hpp"
#include "problem/writer.hpp"

#include <cerrno>

namespace chorale {
namespace {

// Returns a text for an error number of the system; empty if there is none below. Does not use
// strerror(), whose texts depend on the locale.
std::string_view describe(int code) noexcept {
  switch (code) {
  case ENOENT:
    return "no such file or directory";
  case EACCES:
    return "permission denied";
  case EISDIR:
    return "it is a directory";
  case ENOTDIR:
    return "a part of the path is no directory";
  case EROFS:
    return "the file system is read-only";
  case ENOSPC:
    return "no space is left";
  case ENAMETOOLONG:
    return "the name is too long";
  case ELOOP:
    return "too many symbolic links";
  case EBUSY:
    return "it is in use";
  case EMFILE:
    return "too many files are open";
  case EFBIG:
    return "the file would be too large";
  case EIO:
    return "the device failed";
  default:
    return "";
  }
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

chorale_status disk_status(const Report &report, const char *path,
                           const DiskFailure &failure) noexcept {
  if (failure.no_memory)
    return report.out_of_memory();
  if (failure.damage.status != CHORALE_OK)
    return report.fail(failure.damage.status, std::string_view(failure.damage.message));
  if (failure.kind)
    return report.fail(CHORALE_ERROR_INPUT_OUTPUT, "path \"", shown(path), "\" is ",
                       std::string_view(failure.kind),
                       "; problems are saved in files, and loaded from files and pipes");
  const std::string_view reason = describe(failure.code);
  return report.fail(CHORALE_ERROR_INPUT_OUTPUT, "path \"", shown(path), "\" could not be ",
                     std::string_view(failure.doing), ": ", reason,
                     reason.empty() ? "error " : " (error ", failure.code, " of the system",
                     reason.empty() ? "" : ")");
}

bool write_memory(void *to, std::uint64_t offset, const void *data, std::size_t size) noexcept {
  std::memcpy(static_cast<std::byte *>(to) + offset, data, size);
  return true;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_problem_write(const chorale_problem *problem, void *bytes, size_t capacity,
                                     size_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "problem", problem));
    ProblemWriter writer(*problem);
    CHORALE_CHECK(writer.prepare(report));
    return fill_buffer(report, "bytes", bytes, capacity, static_cast<std::size_t>(writer.bytes()),
                       needed, [&] { (void)writer.write({write_memory, bytes}); });
  });
}

chorale_status chorale_problem_save(const chorale_problem *problem, const char *path,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "problem", problem, "path", path));
    ProblemWriter writer(*problem);
    CHORALE_CHECK(writer.prepare(report));
    DiskWriter disk(problem->memory);
    DiskFailure failure;
    if (!disk.open(path, failure))
      return disk_status(report, path, failure);
    // Ignores the result, since put_in_place() reports earlier write errors too.
    (void)writer.write({DiskWriter::write, &disk});
    if (!disk.put_in_place(path, failure))
      return disk_status(report, path, failure);
    return CHORALE_OK;
  });
}

chorale_status chorale_problem_read(const chorale_host *host, const void *bytes, size_t size,
                                    int32_t borrow, chorale_problem **problem,
                                    chorale_error *error) {
  return creating(error, host, "problem", problem,
                  [&](Report &report, const Memory &memory, const chorale_host &lent) {
    CHORALE_CHECK(check_given(report, "bytes", bytes));
    const auto misplaced = reinterpret_cast<std::uintptr_t>(bytes) % kAlignment;
    if (borrow != 0 && misplaced != 0)
      return report.fail(CHORALE_ERROR_ALIGNMENT, "bytes is ", misplaced, " beyond a multiple of ",
                         kAlignment, "; to be borrowed it must be one");
    Held<SharedBytes> shared(memory.create<SharedBytes>(memory));
    if (!shared)
      return report.out_of_memory(sizeof(SharedBytes));
    shared->data = static_cast<const std::byte *>(bytes);
    shared->size = size;
    if (borrow == 0) {
      shared->owned = Block(memory, size);
      if (!shared->owned)
        return report.out_of_memory(size);
      std::memcpy(shared->owned.data(), bytes, size);
      shared->data = shared->owned.data();
    }
    return ProblemReader(report, memory, Log(&lent), *shared).read(*problem);
  });
}

chorale_status chorale_problem_load(const chorale_host *host, const char *path,
                                    chorale_problem **problem, chorale_error *error) {
  return creating(error, host, "problem", problem,
                  [&](Report &report, const Memory &memory, const chorale_host &lent) {
    CHORALE_CHECK(check_given(report, "path", path));
    DiskFailure failure;
    const Held<const SharedBytes> shared(read_file(memory, path, failure));
    if (!shared)
      return disk_status(report, path, failure);
    return ProblemReader(report, memory, Log(&lent), *shared).read(*problem);
  });
}

} // extern "C"
