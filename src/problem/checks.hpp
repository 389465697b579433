// Checks texts that come from callers or files.
#pragma once

#include "base/report.hpp"
#include "problem/utf8.hpp"

#include <chorale/problem.h>

namespace chorale {

// Checks that a text is UTF-8. `where` writes the name of the text to the TextWriter that it is
// given, for the error message.
template <class Where>
chorale_status check_text(const Report &report, chorale_text text, Where &&where) noexcept {
  char place[96];
  TextWriter writer(place, sizeof place);
  if (!text.bytes && text.length > 0) {
    where(writer);
    return report.fail(CHORALE_ERROR_NULL_ARGUMENT, std::string_view(place),
                       ".bytes is NULL; it must not be, since .length is ", text.length);
  }
  const std::size_t wrong = first_not_utf8(text.bytes, text.length);
  if (wrong == text.length)
    return CHORALE_OK;
  where(writer);
  return report.fail(CHORALE_ERROR_TEXT, std::string_view(place), " is not UTF-8 from byte ", wrong,
                     " on");
}

} // namespace chorale
