// The byte order of files, which is little-endian, and that of the machine. Turning is its own
// inverse: what comes out of a file and what goes into one is turned alike, where it lies, and
// nothing is done where the orders are the same.
//
// Numbers are turned, arrays of them, and records of format.hpp, which name all of their fields.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace chorale::file {

inline constexpr bool kTurns = std::endian::native != std::endian::little;

// The bytes of all that is turned in a T: those of a record that forgets a field are fewer.
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
    // Not as a T: what is not yet turned may be any bits.
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
