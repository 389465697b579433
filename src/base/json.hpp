// Writes JSON into a buffer of the caller, and reads JSON, without allocation and independently of
// the locale.
#pragma once

#include "base/text_writer.hpp"

#include <cmath>
#include <cstdlib>

namespace chorale {

class JsonWriter {
public:
  JsonWriter(char *buffer, std::size_t capacity) noexcept : text_(buffer, capacity) {}

  void open(char bracket) noexcept {
    separate() << std::string_view(&bracket, 1);
    is_first_ = true;
  }
  void close(char bracket) noexcept {
    text_ << std::string_view(&bracket, 1);
    is_first_ = false;
  }
  void key(std::string_view name) noexcept {
    string(name);
    text_ << ":";
    is_first_ = true;
  }
  void string(std::string_view text) noexcept {
    separate() << "\"";
    for (const char &c : text) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      if (code < 0x20)
        text_ << "\\u00" << kHex.substr(code / 16, 1) << kHex.substr(code % 16, 1);
      else
        text_ << (c == '"' || c == '\\' ? "\\" : "") << std::string_view(&c, 1);
    }
    text_ << "\"";
  }
  void integer(std::int64_t number) noexcept { separate() << number; }
  // digits: number of significant digits; 0: the fewest that determine the double. Writes null for
  // numbers that are not finite.
  void number(double value, int digits = 0) noexcept {
    if (!std::isfinite(value))
      separate() << "null";
    else if (digits == 0)
      separate() << value;
    else
      separate().general(value, digits);
  }
  void boolean(bool value) noexcept { separate() << (value ? "true" : "false"); }
  template <class Value> void value(Value of, int digits = 0) noexcept {
    if constexpr (std::is_same_v<Value, bool>)
      boolean(of);
    else if constexpr (std::is_floating_point_v<Value>)
      number(of, digits);
    else
      integer(of);
  }

  // Returns the length of the whole text in bytes, with its NUL.
  std::size_t bytes() const noexcept { return text_.bytes(); }

private:
  TextWriter &separate() noexcept {
    if (!is_first_)
      text_ << ",";
    is_first_ = false;
    return text_;
  }

  TextWriter text_;
  bool is_first_ = true; // the next value needs no comma before it
};

// Reads JSON from left to right. After a mistake in the text, is_sound() is false, take() returns
// false, and scalar() and string() return an empty text.
class JsonReader {
public:
  explicit JsonReader(std::string_view text) noexcept : text_(text) {}

  // Skips white space, then reads `c` if it comes next. False, with `c` not read, otherwise.
  bool take(char c) noexcept {
    while (at_ < text_.size() && kSpace.find(text_[at_]) != kNone)
      ++at_;
    const bool found = is_sound_ && at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }
  // Notes a mistake at the present place unless `holds`. Returns is_sound().
  bool expect(bool holds) noexcept { return is_sound_ = is_sound_ && holds; }
  // Reads an object or array: calls each() for every entry; each() must read the entry.
  template <class Each> void entries(char open, char close, Each &&each) {
    if (!expect(take(open)) || take(close))
      return;
    do
      each();
    while (is_sound_ && take(','));
    expect(take(close));
  }
  // Reads an object: calls each(name) for every field; each() must read the value of the field.
  template <class Each> void object(Each &&each) {
    entries('{', '}', [&] {
      const std::string_view name = string();
      if (expect(take(':')))
        each(name);
    });
  }
  // Reads a string, a number, or a word such as true. Returns its characters in the text, without
  // the quotes of a string and with its escapes as they are.
  std::string_view scalar() noexcept {
    const bool is_string = take('"');
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (is_string ? text_[at_] != '"' : kSpace.find(text_[at_]) == kNone &&
                                                std::string_view(",]}").find(text_[at_]) == kNone))
      at_ += is_string && text_[at_] == '\\' ? 2 : 1;
    if (!expect(at_ < text_.size() && (is_string || at_ > first)))
      return {};
    const auto found = text_.substr(first, at_ - first);
    at_ += is_string ? 1 : 0;
    return found;
  }
  // Like scalar(), but a mistake unless a string comes next.
  std::string_view string() noexcept {
    const bool is_string = take('"');
    at_ -= is_string ? 1 : 0;
    return expect(is_string) ? scalar() : std::string_view();
  }
  // Writes `raw`, a string that string() returned, to `to` with its escapes replaced, and returns
  // the length of the result. `to` must have room for raw.size() bytes. Only the escapes that
  // JsonWriter writes are accepted; all others are mistakes.
  std::size_t unescape(std::string_view raw, char *to) noexcept {
    std::size_t length = 0;
    for (std::size_t k = 0; k < raw.size(); ++k) {
      int code = raw[k];
      if (code == '\\' && raw.substr(k + 1, 3) == "u00") {
        expect(parse(raw.substr(k + 4, 2), code, 16) && code >= 0 && code < 0x20);
        k += 5;
      } else if (code == '\\') {
        code = raw[++k];
        expect(code == '"' || code == '\\');
      }
      to[length++] = static_cast<char>(code);
    }
    return length;
  }
  // Reads a number, or true or false.
  template <class Value> void value(Value &to) noexcept {
    const std::string_view raw = scalar();
    if (!expect(parse(raw, to)) && raw.data())
      at_ = static_cast<std::size_t>(raw.data() - text_.data());
  }
  bool is_sound() const noexcept { return is_sound_; }
  bool is_at_end() noexcept { return !take(' ') && at_ == text_.size(); }
  std::size_t at() const noexcept { return at_; }

  static bool parse(std::string_view raw, bool &to) noexcept {
    to = raw == "true";
    return to || raw == "false";
  }
  template <class Integer>
  static bool parse(std::string_view raw, Integer &to, int base = 10) noexcept {
    const char *last = raw.data() + raw.size();
    const auto [end, error] = std::from_chars(raw.data(), last, to, base);
    return error == std::errc() && end == last;
  }
  // Reads the first 18 digits after leading zeros as an integer, and multiplies or divides it by a
  // power of ten. The result may be wrong by some units in the last place. But a number that
  // JsonWriter wrote with at most 14 digits gives the same text again when it is read, and written
  // with as many digits.
  static bool parse(std::string_view raw, double &to) noexcept {
    const bool is_negative = raw.substr(0, 1) == "-";
    const std::size_t e = std::min(raw.find_first_of("eE"), raw.size());
    std::int32_t exponent = 0;
    if (e < raw.size() && !parse(raw.substr(e + (raw.substr(e + 1, 1) == "+" ? 2 : 1)), exponent))
      return false;
    exponent = std::clamp(exponent, -1000, 1000);
    std::int64_t digits = 0;
    bool any = false;
    std::int32_t after_point = -1; // number of digits after the point; -1 before it
    for (const char c : raw.substr(is_negative ? 1 : 0, e - (is_negative ? 1 : 0))) {
      if (c == '.' && any && after_point < 0) {
        after_point = 0;
        continue;
      }
      if (c < '0' || c > '9')
        return false;
      any = true;
      after_point += after_point < 0 ? 0 : 1;
      if (digits < 100'000'000'000'000'000)
        digits = 10 * digits + (c - '0');
      else
        ++exponent;
    }
    exponent -= std::max(after_point, 0);
    to = static_cast<double>(digits);
    for (std::int32_t left = std::abs(exponent), step = 0; left > 0; left -= step) {
      step = std::min(left, 300); // so that the power is finite
      double power = 1;
      for (std::int32_t k = 0; k < step; ++k)
        power *= 10;
      to = exponent > 0 ? to * power : to / power;
    }
    to = is_negative ? -to : to;
    return any && after_point != 0 && std::isfinite(to);
  }

private:
  static constexpr std::string_view kSpace = " \t\r\n";
  static constexpr std::size_t kNone = std::string_view::npos;

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_sound_ = true;
};

} // namespace chorale
