// Access to the properties attached to one chain or tree, and their checks.
#pragma once

#include "base/report.hpp"
#include "chain/chain_view.hpp"
#include "property/attached.hpp"

#include <gsl/gsl>

namespace chorale {

// Properties of one chain, read one at a time from the storage of `owner`, without a copy.
struct Attachments {
  Attached (*read)(const void *owner, std::int32_t k) noexcept = nullptr;
  const void *owner = nullptr;
  std::int32_t count = 0;

  Attached at(std::int32_t k) const noexcept {
    Expects(k >= 0 && k < count);
    return read(owner, k);
  }
};

// Checks that property number k fits `view`: both have the same number of labels; if `view` is a
// tree, the property is local; if the property reads a table, there is one.
chorale_status check_attachment(const Report &report, std::int32_t k, const Attached &attached,
                                const ChainView &view) noexcept;
// Checks the entries of the classes, the table and the message, after check_attachment() succeeded.
chorale_status check_attachment_numbers(const Report &report, std::int32_t k,
                                        const Attached &attached) noexcept;

} // namespace chorale
