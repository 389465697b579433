// Formats texts, such as those of errors, without allocation and independently of the locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace chorale {

// Appends text to a buffer of `capacity` bytes. Text that does not fit is counted, but cut off; the
// text in the buffer always ends in NUL. A capacity of 0: the buffer may be NULL.
class TextWriter {
public:
  TextWriter(char *buffer, std::size_t capacity) noexcept : buffer_(buffer), capacity_(capacity) {
    *this << std::string_view();
  }

  TextWriter &operator<<(std::string_view text) noexcept {
    if (!text.empty() && needed_ < capacity_)
      std::memcpy(buffer_ + needed_, text.data(), std::min(text.size(), capacity_ - needed_));
    needed_ += text.size();
    if (capacity_ > 0)
      buffer_[std::min(needed_, capacity_ - 1)] = '\0';
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> TextWriter &operator<<(Number number) noexcept {
    return put(0, number);
  }
  // Writes a number with `digits` significant digits.
  TextWriter &general(double number, int digits) noexcept {
    return put(0, number, std::chars_format::general, digits);
  }
  // Writes a number with `digits` digits after the point, at least `width` bytes wide.
  TextWriter &fixed(double number, int digits, std::size_t width = 0) noexcept {
    return put(width, number, std::chars_format::fixed, digits);
  }

  // Returns the length of the whole text in bytes, with its NUL.
  std::size_t bytes() const noexcept { return needed_ + 1; }

private:
  template <class... Number> TextWriter &put(std::size_t width, Number... number) noexcept {
    char digits[400];
    const auto [last, code] = std::to_chars(digits, digits + sizeof digits, number...);
    const auto length = std::min(static_cast<std::size_t>(last - digits), sizeof digits);
    for (std::size_t k = length; k < width; ++k)
      *this << " ";
    return *this << std::string_view(digits, length);
  }

  char *buffer_;
  std::size_t capacity_;
  std::size_t needed_ = 0; // bytes of the whole text so far
};

} // namespace chorale
