// Names of constants, found in short tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorale {

struct NamedConstant {
  std::int32_t constant;
  const char *name;
};

// Returns the name of a constant; `of_others` if the table does not have it.
template <std::size_t kCount>
constexpr const char *name_in(const NamedConstant (&names)[kCount], std::int32_t constant,
                              const char *of_others) noexcept {
  for (const NamedConstant &named : names)
    if (named.constant == constant)
      return named.name;
  return of_others;
}

} // namespace chorale
