// Label names of the form prefix, separator, kind.
#pragma once

#include <chorale/property.h>

#include <cstdint>
#include <string_view>

namespace chorale {

enum class Part : std::int32_t { plain, outside, begin, inside, end, single, unknown };

struct LabelName {
  Part part;
  std::string_view kind;
};

// How a scheme reads a name; Part::unknown where it cannot.
LabelName read_label(chorale_scheme scheme, std::string_view name) noexcept;

// Whether a scheme lets `after` follow `before`, and a label come first or last.
bool may_follow(chorale_scheme scheme, const LabelName &before, const LabelName &after) noexcept;
bool may_start(const LabelName &name) noexcept;
bool may_end(chorale_scheme scheme, const LabelName &name) noexcept;
// Whether the label begins a segment whatever comes before it.
inline bool always_begins(const LabelName &name) noexcept {
  return name.part == Part::begin || name.part == Part::single;
}

} // namespace chorale
