// The properties attached to one chain or tree.
#pragma once

#include "base/report.hpp"
#include "chain/chain_view.hpp"
#include "property/attached.hpp"

#include <gsl/gsl>

namespace chorale {

// Reads them one at a time from wherever `owner` keeps them, so that nobody has to copy them.
struct Attachments {
  Attached (*read)(const void *owner, std::int32_t k) noexcept = nullptr;
  const void *owner = nullptr;
  std::int32_t count = 0;

  Attached at(std::int32_t k) const noexcept {
    Expects(k >= 0 && k < count);
    return read(owner, k);
  }
};

// Whether a property can be attached to `view`, as number k: labels, the tree, the table.
chorale_status check_attachment(const Report &report, std::int32_t k, const Attached &attached,
                                const ChainView &view) noexcept;
// Once that has been checked: its classes, its table, its message.
chorale_status check_attachment_numbers(const Report &report, std::int32_t k,
                                        const Attached &attached) noexcept;

} // namespace chorale
