// Checks of a potential against a clique, shared by potential.h and clique.h.
#pragma once

#include "capi/report.hpp"
#include "potential/rescale.hpp"

namespace chorale {

inline chorale_status check_tables_serve(const Report &report, const Potential &potential,
                                         std::int64_t members) noexcept {
  if (members > potential.members_limit())
    return report.fail(CHORALE_ERROR_TABLE_TOO_SHORT, "the potential's tables have ",
                       potential.table_length, " entries; ", members, " members need ",
                       members + 1);
  return CHORALE_OK;
}

// A strength for a potential.
inline chorale_status check_factor(const Report &report, std::string_view name, double factor,
                                   const Potential &potential) noexcept {
  if (!std::isfinite(factor))
    return check_finite(report, name, factor);
  if (factor < 0)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", factor, "; it must be at least 0");
  if (!may_rescale(potential, factor))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", factor,
                       "; for this potential it must be at most ", greatest_factor(potential));
  return CHORALE_OK;
}

inline chorale_status callback_status(const Report &report, CallbackFailure failure) noexcept {
  switch (failure) {
  case CallbackFailure::stopped:
    return report.fail(CHORALE_ERROR_CALLBACK_STOPPED,
                       "the potential's callback returned non-zero: it asked to stop");
  case CallbackFailure::bad_value:
    return report.fail(CHORALE_ERROR_CALLBACK_VALUE,
                       "the potential's callback gave NaN, plus infinity or a magnitude above ",
                       kLargestAnswer, "; it must give a number or minus infinity");
  case CallbackFailure::none:
    break;
  }
  return CHORALE_OK;
}

} // namespace chorale
