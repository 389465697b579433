// Checks texts that come from callers or files.
#pragma once

#include "base/report.hpp"
#include "problem/utf8.hpp"

#include <chorale/problem.h>

namespace chorale {

// Checks that a text is UTF-8. `name`: texts and numbers that together name it.
template <class... Name>
chorale_status check_text(const Report &report, chorale_text text, const Name &...name) noexcept {
  if (!text.bytes && text.length > 0)
    return report.fail(CHORALE_ERROR_NULL_ARGUMENT, name...,
                       ".bytes is NULL; it must not be, since .length is ", text.length);
  const std::size_t wrong = first_not_utf8(text.bytes, text.length);
  if (wrong == text.length)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_TEXT, name..., " is not UTF-8 from byte ", wrong, " on");
}

} // namespace chorale
