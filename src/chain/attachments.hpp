// Access to the properties attached to one chain or tree, and checks of these properties.
#pragma once

#include "base/report.hpp"
#include "chain/chain_view.hpp"
#include "property/attached.hpp"

#include <gsl/gsl>

namespace chorale {

// The properties attached to one chain. Only the function `read` knows how `owner` stores them:
// read(owner, k) returns property number k. `owner` must outlive this object.
struct Attachments {
  Attached (*read)(const void *owner, std::int32_t k) noexcept = nullptr;
  const void *owner = nullptr;
  std::int32_t count = 0;

  Attached at(std::int32_t k) const noexcept {
    Expects(k >= 0 && k < count);
    return read(owner, k);
  }
};

// How error messages name the parts of an attachment. `fields`: what precedes the name of any other
// field, such as "attachments[0].". `property`, `table`: full names of these two fields.
struct AttachmentNames {
  std::string_view fields;
  std::string_view property;
  std::string_view table;
};

// Checks that the attached property fits `view`: both have the same number of labels; on a tree the
// property is local (chorale/property.h); a property that reads a table has one, unless the chain
// is empty.
chorale_status check_attachment(const Report &report, const AttachmentNames &names,
                                const Attached &attached, const ChainView &view) noexcept;
// Checks the entries of `classes`, if the property reads them, and of `table`, if it fires them:
// they must be in range. Those of `message` must be scores (is_score()). check_attachment() must
// have succeeded.
chorale_status check_attachment_numbers(const Report &report, const AttachmentNames &names,
                                        const Attached &attached) noexcept;

} // namespace chorale
