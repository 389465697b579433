// The host's log, silent by default.
#pragma once

#include "base/text_writer.hpp"

#include <chorale/base.h>

namespace chorale {

class Log {
public:
  Log() noexcept = default;
  explicit Log(const chorale_host *host) noexcept
      : function_(host ? host->log : nullptr), user_(host ? host->log_user : nullptr) {}

  // Writes the parts as one message. Does not format them if the host has no log function.
  template <class... Parts>
  void write(chorale_log_level level, const Parts &...parts) const noexcept {
    if (!function_)
      return;
    char text[256];
    TextWriter writer(text, sizeof text);
    (writer << ... << parts);
    function_(user_, level, text);
  }

private:
  chorale_log_function function_ = nullptr;
  void *user_ = nullptr;
};

} // namespace chorale
