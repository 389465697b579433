// Formats texts, such as those of errors, without allocation and independently of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace chorale {

// Appends text to a buffer of `capacity` bytes. Text that does not fit is cut off; the text in the
// buffer always ends in NUL.
class TextWriter {
public:
  TextWriter(char *buffer, std::size_t capacity) noexcept
      : next_(buffer), end_(buffer + capacity - 1) {
    *next_ = '\0';
  }

  TextWriter &operator<<(std::string_view text) noexcept {
    const std::size_t room = static_cast<std::size_t>(end_ - next_);
    const std::size_t length = text.size() < room ? text.size() : room;
    std::memcpy(next_, text.data(), length);
    next_ += length;
    *next_ = '\0';
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> TextWriter &operator<<(Number number) noexcept {
    char digits[40];
    const auto [last, code] = std::to_chars(digits, digits + sizeof digits, number);
    return *this << std::string_view(digits, static_cast<std::size_t>(last - digits));
  }

private:
  char *next_;
  char *end_;
};

} // namespace chorale
