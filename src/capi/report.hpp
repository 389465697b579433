// What every entry of the C API shares: how a mistake of the caller is answered, and the firewall.
//
//     chorale_status chorale_noun_verb(.., chorale_error *error) {
//       return guarded(error, [&](Report &report) -> chorale_status {
//         if (!scores)
//           return report.null_argument("scores");
//         ..
//         return CHORALE_OK;
//       });
//     }
//
// Checks come before anything is changed, and before any contract of the floors below could see a
// bad argument.
#pragma once

#include "base/memory.hpp"
#include "base/message.hpp"
#include "base/numeric.hpp"
#include "capi/struct_sizes.hpp"

#include <chorale/host.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace chorale {

class Report {
public:
  explicit Report(chorale_error *error) noexcept : error_(error) {
    if (error_) {
      error_->status = CHORALE_OK;
      error_->reserved = 0;
      error_->message[0] = '\0';
    }
  }

  // Where the call takes memory from. If there is none because blocks are not aligned, `fail` with
  // OUT_OF_MEMORY says so instead.
  void takes_from(const Memory &memory) const noexcept { memory_ = memory; }

  template <class... Parts>
  chorale_status fail(chorale_status status, const Parts &...parts) const noexcept {
    if (status == CHORALE_ERROR_OUT_OF_MEMORY && memory_.ignores_alignment())
      return fail(CHORALE_ERROR_ALLOCATOR_ALIGNMENT,
                  "host->allocator->allocate gave memory that is not aligned as asked; it must be "
                  "aligned to ",
                  kAlignment);
    if (error_) {
      error_->status = status;
      MessageWriter writer(error_->message, sizeof error_->message);
      (writer << ... << parts);
    }
    return status;
  }

  chorale_status null_argument(std::string_view name) const noexcept {
    return fail(CHORALE_ERROR_NULL_ARGUMENT, name, " is NULL; it must not be");
  }
  chorale_status out_of_memory(std::size_t bytes) const noexcept {
    return fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory for ", bytes, " bytes");
  }
  chorale_status unknown_constant(std::string_view name, std::int64_t value,
                                  std::string_view rule) const noexcept {
    return fail(CHORALE_ERROR_UNKNOWN_CONSTANT, name, " is ", value, "; it must be ", rule);
  }

private:
  chorale_error *error_;
  mutable Memory memory_; // no hooks: nothing to look at
};

// The firewall: nothing thrown crosses into C, and answering it allocates nothing.
template <class Body> chorale_status guarded(chorale_error *error, Body &&body) noexcept {
  Report report(error);
  try {
    return body(report);
  } catch (const std::bad_alloc &) {
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (...) {
    return report.fail(CHORALE_ERROR_INTERNAL, "an internal fault of the library");
  }
}

// Returns early from a check that failed.
#define CHORALE_CHECK(call)                                                                        \
  do {                                                                                             \
    if (const chorale_status checked_status = (call); checked_status != CHORALE_OK)                \
      return checked_status;                                                                       \
  } while (false)

// ---- Structs that carry their size ------------------------------------------------------------

// What is larger is no struct, but a struct_size that was never set.
inline constexpr std::size_t kLargestStruct = 4096;

// Writes `defaults` to as much of the caller's struct as the caller has, and zeros to what a newer
// header has beyond today's struct.
template <class Struct>
void init_struct(Struct *to, std::size_t caller_size, Struct defaults) noexcept {
  if (!to || caller_size < sizeof(std::size_t))
    return;
  defaults.struct_size = caller_size;
  std::memcpy(to, &defaults, std::min(caller_size, sizeof(Struct)));
  if (caller_size > sizeof(Struct) && caller_size <= kLargestStruct)
    std::memset(reinterpret_cast<char *>(to) + sizeof(Struct), 0, caller_size - sizeof(Struct));
}

// Reads a struct of the caller over the defaults in `to`, which stay where an older header has no
// field. What a newer header has beyond today's struct must be zero: a field that this library does
// not know cannot be obeyed.
template <class Struct>
chorale_status read_struct(const Report &report, std::string_view name, const Struct *from,
                           Struct &to) noexcept {
  const auto refuse = [&](std::string_view rule) {
    return report.fail(CHORALE_ERROR_STRUCT_SIZE, name, "->struct_size is ", from->struct_size,
                       rule);
  };
  if (from->struct_size < FirstSize<Struct>::kBytes || from->struct_size > kLargestStruct ||
      from->struct_size % alignof(Struct) != 0)
    return refuse("; set it with the struct's init function");
  const auto *bytes = reinterpret_cast<const unsigned char *>(from);
  for (std::size_t b = sizeof(Struct); b < from->struct_size; ++b)
    if (bytes[b] != 0)
      return refuse(", and sets a field that this version of the library does not know");
  std::memcpy(&to, from, std::min(from->struct_size, sizeof(Struct)));
  return CHORALE_OK;
}

// Writes a result into a struct of the caller, whose struct_size stays.
template <class Struct> void write_struct(Struct *to, const Struct &from) noexcept {
  if (!to)
    return;
  const std::size_t size = to->struct_size;
  std::memcpy(to, &from, std::min(size, sizeof(Struct)));
  to->struct_size = size;
}

// What the host lends, read through its struct; the defaults for NULL. Half an allocator is none.
inline chorale_status read_host(const Report &report, const chorale_host *host,
                                chorale_host &to) noexcept {
  to = chorale_host{};
  if (!host)
    return CHORALE_OK;
  CHORALE_CHECK(read_struct(report, "host", host, to));
  if (to.allocator && !to.allocator->allocate)
    return report.null_argument("host->allocator->allocate");
  if (to.allocator && !to.allocator->deallocate)
    return report.null_argument("host->allocator->deallocate");
  report.takes_from(Memory(&to));
  return CHORALE_OK;
}

// ---- Checks
// ---------------------------------------------------------------------------------------

// What an index may count up to; keeps sums of counts and offsets inside their types.
inline constexpr std::int64_t kLargestSize = INT32_MAX;

inline chorale_status check_size(const Report &report, std::string_view name, std::int64_t value,
                                 std::int64_t least = 1) noexcept {
  if (value < least)
    return report.fail(CHORALE_ERROR_SIZE, name, " is ", value, "; it must be at least ", least);
  if (value > kLargestSize)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, " is ", value, "; it must be at most ",
                       kLargestSize);
  return CHORALE_OK;
}

// Rows x columns doubles must be addressable.
inline chorale_status check_matrix(const Report &report, std::string_view rows_name,
                                   std::int64_t rows, std::string_view columns_name,
                                   std::int64_t columns, std::string_view stride_name,
                                   std::int64_t stride) noexcept {
  if (stride < columns)
    return report.fail(CHORALE_ERROR_STRIDE, stride_name, " is ", stride, "; it must be at least ",
                       columns_name, " = ", columns);
  constexpr std::int64_t limit = PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(double));
  if (rows > limit / stride)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, rows_name, " = ", rows, " rows of ",
                       stride_name, " = ", stride, " doubles exceed the address space");
  return CHORALE_OK;
}

// Says what is wrong with a number that is no score, or no finite one unless `forbidden_allowed`.
// `where` writes the place, "scores[3][1]" say, into a MessageWriter.
template <class Where>
chorale_status fail_number(const Report &report, double value, bool forbidden_allowed,
                           Where &&where) noexcept {
  char place[96];
  MessageWriter writer(place, sizeof place);
  where(writer);
  const std::string_view name(place);
  if (std::isnan(value))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER, name, " is NaN; it must be a number");
  if (std::isfinite(value))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", value, "; it must be from ",
                       -kLargestScore, " to ", kLargestScore);
  return report.fail(CHORALE_ERROR_INFINITE, name, " is ", value,
                     forbidden_allowed ? "; it must be finite, or minus infinity to forbid it"
                                       : "; it must be finite");
}

inline chorale_status check_finite(const Report &report, std::string_view name,
                                   double value) noexcept {
  if (is_finite_score(value))
    return CHORALE_OK;
  return fail_number(report, value, false, [&](MessageWriter &place) { place << name; });
}

} // namespace chorale
