// Writes JSON text into a buffer of the caller. Counts all bytes, also those that do not fit.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace chorale {

class JsonWriter {
public:
  JsonWriter(char *buffer, std::size_t capacity) noexcept : buffer_(buffer), capacity_(capacity) {}

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

  // Terminates the text with NUL. Returns the bytes of the whole text with its NUL.
  std::size_t finish() noexcept {
    if (capacity_ > 0)
      buffer_[needed_ < capacity_ ? needed_ : capacity_ - 1] = '\0';
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
    if (needed_ < capacity_) {
      const std::size_t room = capacity_ - needed_;
      std::memcpy(buffer_ + needed_, text.data(), text.size() < room ? text.size() : room);
    }
    needed_ += text.size();
  }

  char *buffer_;
  std::size_t capacity_;
  std::size_t needed_ = 0;
  bool fresh_ = true; // true if the next value needs no comma before it
};

} // namespace chorale
