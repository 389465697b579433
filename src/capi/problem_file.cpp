// The exported C functions of problem.h and experimental.h that read and write problems, as
// bytes and as files. The others are in problem.cpp.
#include "capi/firewall.hpp"
#include "problem/disk.hpp"
#include "problem/reader.hpp"
#include "problem/writer.hpp"

namespace chorale {
namespace {

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
    DiskWriter disk(report, problem->memory, path);
    CHORALE_CHECK(disk.open());
    // Ignores the result, since put_in_place() reports earlier write errors too.
    (void)writer.write({DiskWriter::write, &disk});
    return disk.put_in_place();
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
    Held<SharedBytes> shared;
    CHORALE_CHECK(read_file(report, memory, path, shared.slot()));
    return ProblemReader(report, memory, Log(&lent), *shared).read(*problem);
  });
}

} // extern "C"
