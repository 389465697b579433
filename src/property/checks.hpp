// Checks shared by all functions that create properties.
#pragma once

#include "base/report.hpp"
#include "base/span.hpp"
#include "property/property.hpp"

#include <gsl/gsl>

#include <algorithm>

namespace chorale {

inline constexpr std::int64_t kMostValues = INT32_MAX - 2;

inline chorale_status check_values(const Report &report, std::int64_t values) noexcept {
  CHORALE_CHECK(check_size(report, "values", values));
  if (values > kMostValues)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "values is ", values, "; it must be at most ",
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

inline chorale_status check_fired(const Report &report, std::string_view name, std::int64_t at,
                                  std::int32_t value, std::int64_t values) noexcept {
  if (value >= -1 && value < values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, name, "[", at, "] is ", value,
                     "; it must be -1 or a value, 0 to ", values - 1);
}

inline chorale_status check_action(const Report &report, std::string_view name, std::int64_t at,
                                   std::int32_t action, std::int64_t values) noexcept {
  if (action < CHORALE_FIRE_TABLE)
    return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, name, "[", at, "] is ", action,
                       "; it must be a value or a CHORALE_FIRE_ constant");
  return action < 0 ? CHORALE_OK : check_fired(report, name, at, action, values);
}

inline chorale_status check_actions(const Report &report, std::string_view name,
                                    gsl::span<const std::int32_t> actions,
                                    std::int64_t values) noexcept {
  for (std::size_t i = 0; i < actions.size(); ++i)
    CHORALE_CHECK(check_action(report, name, static_cast<std::int64_t>(i), actions[i], values));
  return CHORALE_OK;
}

inline bool fires_label(gsl::span<const std::int32_t> actions) noexcept {
  return std::find(actions.begin(), actions.end(), CHORALE_FIRE_LABEL) != actions.end();
}

// Checks that FIRE_LABEL fires only values of the property. This action fires the value of the
// position's label. `used`: true if some action is FIRE_LABEL. `label_values`: one value for each
// label; empty: the value of a label is the label itself.
inline chorale_status check_label_values(const Report &report, bool used,
                                         gsl::span<const std::int32_t> label_values,
                                         std::int64_t labels, std::int64_t values) noexcept {
  Expects(!label_values.data() || label_values.size() == to_size(labels));
  if (label_values.data())
    for (std::int64_t y = 0; y < labels; ++y)
      CHORALE_CHECK(check_fired(report, "label_values", y, label_values.data()[y], values));
  else if (used && labels > values)
    return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "FIRE_LABEL can fire the label ",
                       labels - 1, " without label_values; it must be a value, 0 to ", values - 1);
  return CHORALE_OK;
}

inline chorale_status check_outside(const Report &report, std::int32_t value,
                                    std::int64_t values) noexcept {
  if (value >= -1 && value < values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "outside_value is ", value,
                     "; it must be -1 or a value, 0 to ", values - 1);
}

// Sets `made` to the result of compile(); NULL means that memory ran out.
inline chorale_status hand_over(const Report &report, Property *compiled,
                                Property *&made) noexcept {
  if (!compiled)
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory for a property");
  made = compiled;
  return CHORALE_OK;
}

} // namespace chorale
