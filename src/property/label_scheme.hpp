// Label names of the form prefix, separator, kind.
#pragma once

#include "base/report.hpp"

#include <chorale/property.h>

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

// Label names as the caller gives them.
struct LabelNames {
  chorale_scheme scheme;
  const char *const *names;
  const std::size_t *lengths; // or NULL
  std::int64_t count;

  // Whether the scheme reads all of them; everything below needs that.
  chorale_status check(const Report &report) const noexcept;
  std::string_view name(std::int64_t y) const noexcept {
    return lengths ? std::string_view(names[y], lengths[y]) : std::string_view(names[y]);
  }
  LabelName at(std::int64_t y) const noexcept { return read_label(scheme, name(y)); }
  // Numbers the kinds by where they first stand; returns how many there are. Both: count.
  std::int32_t map(std::int32_t *kind_of_label, std::uint8_t *begins) const noexcept;
  // Writes which label may follow which (count x count), come first, come last; each may be NULL.
  void write_masks(std::uint8_t *mask, std::uint8_t *start, std::uint8_t *end) const noexcept;
};

} // namespace chorale
