// Finds out what forbids every labelling of a chain or tree.
#pragma once

#include "chain/chain_view.hpp"

#include <chorale/base.h>

namespace chorale {

// The place and the kind of what forbids every labelling (chorale_obstacle).
struct Obstacle {
  std::int32_t position = -1;
  chorale_obstacle kind = CHORALE_OBSTACLE_UNKNOWN;
};

// Returns the last position t such that every labelling of t and of the positions after it (of a
// tree: below it) is forbidden. The kind is SCORES if the unary scores or ChainView::allows()
// forbid all labels of t, else TRANSITIONS (which include start and end scores). If some labelling
// of the chain is allowed, the position is -1. `open`: scratch of T x (m + 1) flags.
Obstacle find_obstacle(const ChainView &view, gsl::span<std::uint8_t> open) noexcept;

} // namespace chorale
