// Label names that consist of a prefix, a separator and a kind, such as B-PER, in the labelling
// schemes of chain.h (chorale_scheme).
#pragma once

#include "base/report.hpp"

#include <chorale/property.h>

#include <gsl/span>

namespace chorale {

// What a label name says about the place of its position in a segment: B-, I-, E- and S- are begin,
// inside, end and single; the name "O" is outside. plain: a label of a scheme without prefixes.
enum class Part : std::int32_t { plain, outside, begin, inside, end, single, unknown };

struct LabelName {
  Part part;
  std::string_view kind;
};

// Splits a name into part and kind by the rules of a scheme. In the scheme BILOU, the prefixes L-
// and U- take the place of E- and S-. The part is Part::unknown if the name breaks the rules.
LabelName read_label(chorale_scheme scheme, std::string_view name) noexcept;

// True if the scheme allows the label `after` directly after the label `before` (may_follow), or
// `name` at the last position (may_end). may_start() is for the first position, where all schemes
// allow the same labels.
bool may_follow(chorale_scheme scheme, const LabelName &before, const LabelName &after) noexcept;
bool may_start(const LabelName &name) noexcept;
bool may_end(chorale_scheme scheme, const LabelName &name) noexcept;
// True if the label begins a segment, whatever label comes before it.
inline bool always_begins(const LabelName &name) noexcept {
  return name.part == Part::begin || name.part == Part::single;
}

// Label names as the caller gives them.
struct LabelNames {
  chorale_scheme scheme;
  const char *const *names;
  const std::size_t *lengths; // or NULL
  std::int64_t count;

  // Checks that all names follow the scheme; the functions below require this.
  chorale_status check(const Report &report) const noexcept;
  std::string_view name(std::int64_t y) const noexcept {
    return lengths ? std::string_view(names[y], lengths[y]) : std::string_view(names[y]);
  }
  LabelName at(std::int64_t y) const noexcept { return read_label(scheme, name(y)); }
  // Numbers the kinds in order of first occurrence and returns the number of kinds. Writes the kind
  // of each label, and whether the label always begins a segment.
  std::int32_t map(gsl::span<std::int32_t> kind_of_label,
                   gsl::span<std::uint8_t> begins) const noexcept;
  // Writes 1 for yes and 0 for no: to mask[x * count + y], whether label x may stand right before
  // label y; to start[x], whether x may start a sequence; to end[x], whether x may end one. Each
  // array may be empty.
  void write_masks(gsl::span<std::uint8_t> mask, gsl::span<std::uint8_t> start,
                   gsl::span<std::uint8_t> end) const noexcept;
};

} // namespace chorale
