// Shared by all functions of the C interface: conversion of exceptions to statuses, and access to
// the caller's structs. The usual form of a function:
//
//     chorale_status chorale_noun_verb(.., chorale_error *error) {
//       return guarded(error, [&](Report &report) -> chorale_status {
//         CHORALE_CHECK(check_given(report, "scores", scores));
//         ..
//         return CHORALE_OK;
//       });
//     }
#pragma once

#include "base/report.hpp"
#include "base/span.hpp"
#include "base/untrapped.hpp"
#include "capi/struct_sizes.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace chorale {

// Runs body(report) and converts exceptions to statuses, so that no exception reaches C. While the
// body runs, floating-point operations do not trap (base/untrapped.hpp). Allocates nothing itself.
template <class Body> chorale_status guarded(chorale_error *error, Body &&body) noexcept {
  const Untrapped untrapped;
  Report report(error);
  try {
    return body(report);
  } catch (const std::bad_alloc &) {
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the library ran out of memory");
  } catch (...) {
    return report.fail(CHORALE_ERROR_INTERNAL,
                       "the library failed by a fault of its own; please report it");
  }
}

// ---- Structs that carry their size ------------------------------------------------------------

// Greatest struct_size accepted. A larger one cannot be right: the caller has not set the field.
inline constexpr std::size_t kLargestStruct = 4096;

// True if bytes begin .. end - 1 of `from` are 0. Not inlined: in a function that declares the
// struct `from` points to and calls read_struct(), g++ 14 would warn of reads beyond that struct.
[[gnu::noinline]] inline bool all_zero(const void *from, std::size_t begin,
                                       std::size_t end) noexcept {
  const auto *bytes = static_cast<const unsigned char *>(from);
  return std::all_of(bytes + begin, bytes + end, [](unsigned char byte) { return byte == 0; });
}

// Reports that the caller's struct is longer than this library's struct, and that a byte beyond the
// length of the library's struct is not 0.
template <class Struct>
chorale_status fail_later_field(const Report &report, std::string_view name) noexcept {
  return report.fail(CHORALE_ERROR_STRUCT_SIZE, name, " sets a field beyond the ", sizeof(Struct),
                     " bytes that this version of the library knows; it must be 0");
}

// Copies the caller's struct to `to`, a struct of zeros, which mean the defaults. Zeros remain in all
// fields if `from` is NULL, and in fields that the caller's struct lacks since its header is older.
// If the caller's header is newer, bytes beyond this library's struct must be 0: the library does
// not know what they mean. `name`: the name of the pointer, or that of an array's element, as
// "array[2]".
template <class Struct>
chorale_status read_struct(const Report &report, std::string_view name, const Struct *from,
                           Struct &to) noexcept {
  if (!from)
    return CHORALE_OK;
  if (from->struct_size < FirstSize<Struct>::kBytes || from->struct_size > kLargestStruct ||
      from->struct_size % alignof(Struct) != 0)
    return report.fail(CHORALE_ERROR_STRUCT_SIZE, name, name.back() == ']' ? "." : "->",
                       "struct_size is ", from->struct_size,
                       "; it must be the size of the struct, and all other fields 0 unless set");
  if (from->struct_size > sizeof(Struct) && !all_zero(from, sizeof(Struct), from->struct_size))
    return fail_later_field<Struct>(report, name);
  std::memcpy(&to, from, std::min(from->struct_size, sizeof(Struct)));
  return CHORALE_OK;
}

// Checks a struct to which a result will be written as read_struct() does: its struct_size, and
// that bytes beyond this library's struct are 0. `to` may be NULL. Must be called before anything
// is written to it.
template <class Struct>
chorale_status check_result(const Report &report, const Struct *to,
                            std::string_view name = "result") noexcept {
  Struct ignored{};
  return read_struct(report, name, to, ignored);
}

// Returns struct k of the caller's array, in which the structs lie struct_size bytes apart.
template <class Struct> const Struct *struct_at(const Struct *array, std::int64_t k) noexcept {
  return reinterpret_cast<const Struct *>(reinterpret_cast<const char *>(array) +
                                          static_cast<std::size_t>(k) * array->struct_size);
}

// Copies struct k of the caller's array to `to`. All structs must have the struct_size of the first.
// `name`: that of the element.
template <class Struct>
chorale_status read_struct_of(const Report &report, std::string_view name, const Struct *array,
                              std::int64_t k, Struct &to) noexcept {
  const Struct *at = struct_at(array, k);
  to = {};
  CHORALE_CHECK(read_struct(report, name, at, to));
  if (at->struct_size != array->struct_size)
    return report.fail(CHORALE_ERROR_STRUCT_SIZE, name, ".struct_size is ", at->struct_size,
                       "; it must be that of the first, ", array->struct_size);
  return CHORALE_OK;
}

// Returns the value of a field, or its default if the field is 0.
template <class Number> constexpr Number value_or(Number given, Number by_default) noexcept {
  return given == 0 ? by_default : given;
}

// Same as read_struct(), except that NULL is an error.
template <class Struct>
chorale_status take_struct(const Report &report, std::string_view name, const Struct *from,
                           Struct &to) noexcept {
  return from ? read_struct(report, name, from, to) : report.null_argument(name);
}

// Copies `from` to the caller's struct without changing its struct_size. Does nothing if `to` is
// NULL.
template <class Struct> void write_struct(Struct *to, const Struct &from) noexcept {
  if (!to)
    return;
  const std::size_t size = to->struct_size;
  std::memcpy(to, &from, std::min(size, sizeof(Struct)));
  to->struct_size = size;
}

// Checks the size that the caller gave for the elements of an array of structs that have no
// struct_size.
template <class Struct>
chorale_status check_element_size(const Report &report, std::string_view name,
                                  std::size_t bytes) noexcept {
  if (bytes < FirstSize<Struct>::kBytes || bytes > kLargestStruct || bytes % alignof(Struct) != 0)
    return report.fail(CHORALE_ERROR_STRUCT_SIZE, name, " is ", bytes,
                       "; it must be the sizeof of the struct, at least ",
                       FirstSize<Struct>::kBytes);
  return CHORALE_OK;
}

// Checks an array of `count` structs of the caller, each of `bytes` bytes: all bytes of a struct
// beyond the size of this library's struct must be 0.
template <class Struct>
chorale_status check_elements(const Report &report, std::string_view name, const Struct *from,
                              std::size_t bytes, std::int64_t count) noexcept {
  for (std::int64_t k = 0; from && bytes > sizeof(Struct) && k < count; ++k) {
    if (all_zero(reinterpret_cast<const std::byte *>(from) + static_cast<std::size_t>(k) * bytes,
                 sizeof(Struct), bytes))
      continue;
    char place[64];
    TextWriter(place, sizeof place) << name << "[" << k << "]";
    return fail_later_field<Struct>(report, place);
  }
  return CHORALE_OK;
}

// Moves `count` structs, which lie without gaps from `first` on, so that struct k lies k * bytes
// bytes after `first`, and sets the bytes between the structs to 0. Does nothing unless `bytes` is
// above the size of this library's struct.
template <class Struct>
void spread_elements(Struct *first, std::size_t bytes, std::int64_t count) noexcept {
  auto *base = reinterpret_cast<std::byte *>(first);
  for (std::int64_t k = count - 1; bytes > sizeof(Struct) && k >= 0; --k) {
    std::byte *to = base + static_cast<std::size_t>(k) * bytes;
    std::memmove(to, base + static_cast<std::size_t>(k) * sizeof(Struct), sizeof(Struct));
    std::memset(to + sizeof(Struct), 0, bytes - sizeof(Struct));
  }
}

// Body of the calls that fill a buffer of the caller, as chorale.h describes them: calls fill() if
// there is a buffer with room for `count` elements or bytes, and stores `count` in *needed, unless
// `needed` is NULL. fill() returns a status or nothing; if it fails, or throws, nothing is stored.
template <class Count, class Fill>
chorale_status fill_buffer(const Report &report, std::string_view name, const void *buffer,
                           Count capacity, std::type_identity_t<Count> count, Count *needed,
                           Fill &&fill) {
  if (std::is_signed_v<Count> && capacity < Count{0})
    return report.fail(CHORALE_ERROR_SIZE, "capacity is ", capacity, "; it must be at least 0");
  if (!buffer && capacity > 0)
    return report.null_argument(name);
  if (buffer && capacity >= count) {
    if constexpr (std::is_void_v<decltype(fill())>)
      fill();
    else
      CHORALE_CHECK(fill());
  }
  if (needed)
    *needed = count;
  if (buffer && capacity < count)
    return report.fail(CHORALE_ERROR_CAPACITY, "capacity is ", capacity, "; ", name, " needs ",
                       count);
  return CHORALE_OK;
}

// Writes `count` structs to a buffer of the caller, `bytes` bytes apart. write(to) writes them without
// gaps.
template <class Entry, class Write>
chorale_status write_entries(const Report &report, std::string_view name, Entry *to,
                             std::size_t bytes, std::int64_t capacity, std::int64_t count,
                             std::int64_t *needed, Write &&write) {
  return fill_buffer(report, name, to, capacity, count, needed, [&]() -> chorale_status {
    if constexpr (std::is_void_v<decltype(write(to))>)
      write(to);
    else
      CHORALE_CHECK(write(to));
    spread_elements(to, bytes, count);
    return CHORALE_OK;
  });
}

// Reads the caller's host struct; NULL stands for the defaults. If there is an allocator, it must
// have both functions, allocate and deallocate.
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
  return CHORALE_OK;
}

// Body of calls that create an object and store it in *place: checks `place`, reads `host`, and
// calls create(report, memory), or create(report, memory, host).
template <class T, class Create>
chorale_status creating(chorale_error *error, const chorale_host *host, std::string_view name,
                        T **place, Create &&create) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, name, place));
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    const Memory memory(&lent);
    if constexpr (std::is_invocable_v<Create, Report &, const Memory &, const chorale_host &>)
      return create(report, memory, lent);
    else
      return create(report, memory);
  });
}

// Creates in `made` an object of class T, whose constructor takes `memory` and then `arguments`.
// Reports an error if memory runs out.
template <class T, class... Arguments>
chorale_status create_in(const Report &report, const Memory &memory, Draft<T> &made,
                         Arguments &&...arguments) {
  made.reset(memory.create<T>(memory, std::forward<Arguments>(arguments)...));
  return made ? chorale_status{CHORALE_OK} : report.out_of_memory(sizeof(T));
}

} // namespace chorale
