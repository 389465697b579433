// Replacements for functions that the C++20 library of older Emscriptens (such as that of Debian
// 12) lacks: std::bit_cast, std::atomic_ref and std::to_chars of doubles. Included before
// chorale.cpp. A replacement is compiled only where the C++ library lacks what it replaces.
#pragma once

// Asks for small code, not fast code, in those templates of the headers below that are not inlined:
// above all std::sort, of which some fifty instances are compiled, one for each comparison
// function.
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <version>
#pragma clang attribute pop

namespace std {

#if !defined(__cpp_lib_bit_cast)
template <class To, class From> constexpr To bit_cast(const From &from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

#if !defined(__cpp_lib_atomic_ref)
template <class T> class atomic_ref {
public:
  explicit atomic_ref(T &object) noexcept : at_(&object) {}
  T load(memory_order) const noexcept { return __atomic_load_n(at_, __ATOMIC_RELAXED); }
  T fetch_or(T bits, memory_order) const noexcept {
    return __atomic_fetch_or(at_, bits, __ATOMIC_RELAXED);
  }

private:
  T *at_;
};
#endif

#if !defined(__cpp_lib_to_chars)
// Writes a number in decimal, as std::to_chars does, to at most `capacity` bytes at `to`.
// Implemented in JavaScript (src/decimal.js), which can compute the shortest digits of a number.
// form: 0 plain, 1 scientific, 2 fixed with `digits` digits after the point. Returns the number of
// bytes; -1 if they exceed `capacity`.
extern "C" __attribute__((import_module("chorale"), import_name("decimal"))) int32_t
chorale_js_decimal(double number, int32_t form, int32_t digits, char *to, int32_t capacity);

inline to_chars_result chorale_js_to_chars(char *first, char *last, double number, int32_t form,
                                           int32_t digits) noexcept {
  const int32_t length =
      chorale_js_decimal(number, form, digits, first, static_cast<int32_t>(last - first));
  return length < 0 ? to_chars_result{last, errc::value_too_large}
                    : to_chars_result{first + length, errc{}};
}
inline to_chars_result to_chars(char *first, char *last, double number) noexcept {
  return chorale_js_to_chars(first, last, number, 0, 0);
}
inline to_chars_result to_chars(char *first, char *last, double number, chars_format) noexcept {
  return chorale_js_to_chars(first, last, number, 1, 0); // the library passes only scientific
}
inline to_chars_result to_chars(char *first, char *last, double number, chars_format,
                                int digits) noexcept {
  return chorale_js_to_chars(first, last, number, 2, digits); // the library passes only fixed
}
#endif

} // namespace std
