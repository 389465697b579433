// Writes JSON text into a buffer of the caller. Counts all bytes, even the bytes that do not fit.
#pragma once

#include <gsl/span>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace chorale {

class JsonWriter {
public:
  explicit JsonWriter(gsl::span<char> buffer) noexcept : buffer_(buffer) {}

  void open(char bracket) noexcept {
    separate();
    put(std::string_view(&bracket, 1));
    fresh_ = true;
  }
  void close(char bracket) noexcept {
    put(std::string_view(&bracket, 1));
    fresh_ = false;
  }
  void key(std::string_view name) noexcept {
    separate();
    put("\"");
    put(name);
    put("\":");
    fresh_ = true;
  }
  void string(std::string_view text) noexcept { // `text` must not need escapes
    separate();
    put("\"");
    put(text);
    put("\"");
  }
  void integer(std::int64_t number) noexcept { write(number); }
  void number(double value) noexcept {
    if (std::isfinite(value)) {
      write(value);
    } else {
      separate();
      put("null");
    }
  }
  void boolean(bool value) noexcept {
    separate();
    put(value ? "true" : "false");
  }

  // Terminates the text with NUL. Returns the length of the whole text in bytes, with its NUL.
  std::size_t finish() noexcept {
    if (!buffer_.empty())
      buffer_[std::min(needed_, buffer_.size() - 1)] = '\0';
    return needed_ + 1;
  }

private:
  template <class Number> void write(Number value) noexcept {
    separate();
    char digits[40];
    const auto [last, code] = std::to_chars(digits, digits + sizeof digits, value);
    put(std::string_view(digits, static_cast<std::size_t>(last - digits)));
  }
  void separate() noexcept {
    if (!fresh_)
      put(",");
    fresh_ = false;
  }
  void put(std::string_view text) noexcept {
    if (needed_ < buffer_.size())
      std::memcpy(buffer_.data() + needed_, text.data(),
                  std::min(text.size(), buffer_.size() - needed_));
    needed_ += text.size();
  }

  gsl::span<char> buffer_;
  std::size_t needed_ = 0; // bytes of the text so far
  bool fresh_ = true; // true if the next value needs no comma before it
};

} // namespace chorale
