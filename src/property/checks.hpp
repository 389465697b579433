// Checks shared by all functions that create properties.
#pragma once

#include "base/report.hpp"
#include "base/span.hpp"
#include "property/property.hpp"

#include <gsl/gsl>

#include <algorithm>

namespace chorale {

// Greatest number R of values. EMPTY and CONFLICT have the numbers R and R + 1, and a message has
// R + 2 entries; all of these fit into 32 bits.
inline constexpr std::int64_t kMostValues = INT32_MAX - 2;

inline chorale_status check_values(const Report &report, std::int64_t values,
                                   std::string_view name = "values") noexcept {
  CHORALE_CHECK(check_size(report, name, values));
  if (values > kMostValues)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, " is ", values, "; it must be at most ",
                       kMostValues);
  return CHORALE_OK;
}

// Checks that the sizes are at least 1, and that indices into a table of states x classes x labels
// fit into 32 bits.
inline chorale_status check_table_size(const Report &report, std::int64_t states,
                                       std::int64_t classes, std::int64_t labels) noexcept {
  CHORALE_CHECK(check_size(report, "labels", labels));
  CHORALE_CHECK(check_size(report, "classes", classes));
  CHORALE_CHECK(check_size(report, "states", states));
  if (classes > kLargestSize / labels || states > kLargestSize / (classes * labels))
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "states x classes x labels = ", states, " x ",
                       classes, " x ", labels, "; it must be at most ", kLargestSize);
  return CHORALE_OK;
}

// Checks that `value` is a value of the property, 0 .. values - 1, or -1 for none. `name`: texts
// that are joined to the name of `value` in error messages.
template <class... Name>
chorale_status check_fired(const Report &report, std::int32_t value, std::int64_t values,
                           const Name &...name) noexcept {
  if (value >= -1 && value < values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, name..., " is ", value,
                     "; it must be -1 or a value, 0 to ", values - 1);
}

inline chorale_status check_actions(const Report &report, std::string_view name,
                                    gsl::span<const std::int32_t> actions,
                                    std::int64_t values) noexcept {
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (actions[i] < CHORALE_FIRE_TABLE || actions[i] >= values)
      return report.fail(actions[i] < 0 ? CHORALE_ERROR_UNKNOWN_CONSTANT
                                        : CHORALE_ERROR_VALUE_OUTSIDE_RANGE,
                         name, "[", i, "] is ", actions[i], "; it must be a value, 0 to ",
                         values - 1, ", or a CHORALE_FIRE_ constant");
  return CHORALE_OK;
}

inline bool fires_label(gsl::span<const std::int32_t> actions) noexcept {
  return std::find(actions.begin(), actions.end(), CHORALE_FIRE_LABEL) != actions.end();
}

// Checks that the action FIRE_LABEL, which fires the value of the label of its position, fires only
// values of the property. `used`: true if some action is FIRE_LABEL. `label_values`: the value of
// each label; empty: the label itself. Labels with the value -1 fire nothing.
inline chorale_status check_label_values(const Report &report, bool used,
                                         gsl::span<const std::int32_t> label_values,
                                         std::int64_t labels, std::int64_t values) noexcept {
  Expects(!label_values.data() || label_values.size() == to_size(labels));
  if (label_values.data())
    for (std::int64_t y = 0; y < labels; ++y)
      CHORALE_CHECK(check_fired(report, label_values.data()[y], values, "label_values[", y, "]"));
  else if (used && labels > values)
    return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "label_values is NULL and labels is ",
                       labels,
                       "; with CHORALE_FIRE_LABEL, labels must be at most values = ", values,
                       ", or label_values given");
  return CHORALE_OK;
}

// Sets `made` to `compiled`, the result of compile(). Fails if `compiled` is NULL, which means that
// memory ran out.
inline chorale_status hand_over(const Report &report, Property *compiled,
                                Property *&made) noexcept {
  if (!compiled)
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory for a property");
  made = compiled;
  return CHORALE_OK;
}

} // namespace chorale
