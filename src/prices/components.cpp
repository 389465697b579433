// Exported C functions of prices.h: connected components of chains and cliques.
#include "base/components.hpp"

#include "capi/firewall.hpp"

#include <chorale/experimental/prices.h>

namespace chorale {
namespace {

chorale_status check_members(const Report &report, const char *name, const std::int32_t *numbers,
                             std::int64_t pairs, std::int64_t count) noexcept {
  for (std::int64_t k = 0; k < pairs; ++k)
    if (numbers[k] < 0 || numbers[k] >= count)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, "[", k, "] is ", numbers[k],
                         "; it must be at least 0 and below count = ", count);
  return CHORALE_OK;
}

chorale_status check_components(const Report &report, const std::int32_t *components,
                                std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i)
    if (components[i] < 0 || components[i] > i)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "components[", i, "] is ", components[i],
                         "; it must be from 0 to its own index, ", i);
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" chorale_status chorale_components_join(const int32_t *first, const int32_t *second,
                                                  int64_t pairs, int32_t *components, int64_t count,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (pairs < 0)
      return report.fail(CHORALE_ERROR_SIZE, "pairs is ", pairs, "; it must be at least 0");
    CHORALE_CHECK(check_size(report, "count", count, 0));
    if (pairs > 0)
      CHORALE_CHECK(check_given(report, "first", first, "second", second));
    if (count > 0)
      CHORALE_CHECK(check_given(report, "components", components));
    CHORALE_CHECK(check_members(report, "first", first, pairs, count));
    CHORALE_CHECK(check_members(report, "second", second, pairs, count));
    CHORALE_CHECK(check_components(report, components, count));
    Components found(span_of(components, count));
    for (std::int64_t k = 0; k < pairs; ++k)
      found.join(first[k], second[k]);
    found.flatten();
    return CHORALE_OK;
  });
}
