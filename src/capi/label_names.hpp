// Label names as the caller gives them.
#pragma once

#include "capi/report.hpp"
#include "property/label_scheme.hpp"

namespace chorale {

struct LabelNames {
  chorale_scheme scheme;
  const char *const *names;
  const std::size_t *lengths; // or NULL
  std::int64_t count;

  std::string_view name(std::int64_t y) const noexcept {
    return lengths ? std::string_view(names[y], lengths[y]) : std::string_view(names[y]);
  }
  LabelName at(std::int64_t y) const noexcept { return read_label(scheme, name(y)); }
};

inline chorale_status check_names(const Report &report, const LabelNames &given) noexcept {
  if (given.scheme < CHORALE_SCHEME_PLAIN || given.scheme > CHORALE_SCHEME_BILOU)
    return report.unknown_constant("scheme", given.scheme, "a CHORALE_SCHEME_ constant");
  CHORALE_CHECK(check_size(report, "labels", given.count));
  if (!given.names)
    return report.null_argument("names");
  for (std::int64_t y = 0; y < given.count; ++y) {
    if (!given.names[y])
      return report.fail(CHORALE_ERROR_NULL_ARGUMENT, "names[", y, "] is NULL; it must not be");
    if (given.at(y).part == Part::unknown)
      return report.fail(CHORALE_ERROR_LABEL_NAME, "names[", y, "] is \"", given.name(y),
                         "\"; in this scheme it must be O or a prefix such as B-, I- and a kind");
  }
  return CHORALE_OK;
}

} // namespace chorale
