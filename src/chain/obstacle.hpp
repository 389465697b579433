// Finds out what forbids every labelling of a chain or tree.
#pragma once

#include "chain/chain_view.hpp"

#include <chorale/outcome.h>

namespace chorale {

// The place and the kind of what forbids every labelling (chorale_obstacle).
struct Obstacle {
  std::int32_t position = -1;
  chorale_obstacle kind = CHORALE_OBSTACLE_UNKNOWN;
};

// Returns the last position of which no label is allowed together with labels of the positions
// after it (of a tree: below it), and why; an Obstacle without position if some labelling is
// allowed. `open`: T x (m + 1) flags of scratch.
Obstacle find_obstacle(const ChainView &view, gsl::span<std::uint8_t> open) noexcept;

} // namespace chorale
