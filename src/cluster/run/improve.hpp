// One step of block coordinate ascent: a better labelling of one chain, with all others fixed.
#pragma once

#include "cluster/run/chain_block.hpp"

namespace chorale {

// A better labelling of a chain. The arrays lie in the worker's room.
struct Improvement {
  bool gains = false;   // false: none was found
  bool repeats = false; // the chain has several slots in one clique
  const std::int32_t *labels = nullptr; // T
  const std::int32_t *shown = nullptr;  // by slot: column that it shows, or -1
  double score = kForbidden;            // phi
};

// True if what this worker has just computed is incomplete. A deadline that another worker saw is
// no reason: this worker's search went on.
bool was_cut_short(const Setting &setting, const Worker &worker) noexcept;

// Searches for a labelling of `chain` that gains over its labelling in `now` by more than rounding.
// `own`: labelling without messages. `counts`: counts of all cliques under `now`. Without
// `moves_repeats`, a chain with repeats is left as it is. Ends without a result if the limits of
// the worker or a failure cut the search short (was_cut_short).
Improvement improve_chain(const Setting &setting, const Assignment &own, const Assignment &now,
                          const CountStore &counts, std::int32_t chain, bool moves_repeats,
                          Worker &worker) noexcept;

} // namespace chorale
