// Converts between the byte order of files, which is little-endian, and the byte order of the
// machine. turn() reverses bytes in place on big-endian machines and does nothing on others.
// Reading and writing both call turn(), since it is its own inverse.
//
// Numbers, arrays and the records of format.hpp can be converted. fields() of a record must list
// all of its fields.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace chorale::file {

inline constexpr bool kTurns = std::endian::native != std::endian::little;

// turned_bytes<T>() returns how many bytes of an object of type T are converted by turn(): fewer
// than sizeof(T) if T is a record whose fields() omits a field. bytes_of() returns the sum of the
// sizes of a record's fields.
template <class... Fields>
constexpr std::size_t bytes_of(std::type_identity<std::tuple<Fields &...>>) noexcept {
  return (sizeof(Fields) + ...);
}
template <class T> constexpr std::size_t turned_bytes() noexcept {
  if constexpr (std::is_arithmetic_v<std::remove_all_extents_t<T>>)
    return sizeof(T);
  else
    return bytes_of(std::type_identity<decltype(std::declval<T &>().fields())>());
}

template <class T> void turn(T &thing) noexcept {
  static_assert(turned_bytes<T>() == sizeof(T), "fields() names every field once");
  if constexpr (!kTurns) {
    (void)thing;
  } else if constexpr (std::is_array_v<T>) {
    for (auto &element : thing)
      turn(element);
  } else if constexpr (std::is_arithmetic_v<T>) {
    // Works on bytes, never on a T in the other byte order, whose bits may be no valid T.
    auto *bytes = reinterpret_cast<std::byte *>(&thing);
    std::reverse(bytes, bytes + sizeof(T));
  } else {
    std::apply([](auto &...fields) { (turn(fields), ...); }, thing.fields());
  }
}

template <class T> void turn(T *things, std::size_t count) noexcept {
  static_assert(turned_bytes<T>() == sizeof(T), "fields() names every field once");
  if constexpr (kTurns && sizeof(T) > 1)
    for (std::size_t k = 0; k < count; ++k)
      turn(things[k]);
}

} // namespace chorale::file
