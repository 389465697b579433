// One step of block coordinate ascent: finds a better labelling of one chain, with all other chains
// fixed.
#pragma once

#include "cluster/run/chain_block.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// The result of improve_chain(). The arrays lie in the worker's scratch memory
// (rooms.hpp), so they are valid until that memory is next used.
struct Improvement {
  bool gains = false;   // true if a labelling was found; the fields below are then set
  bool repeats = false; // the chain has several slots in one clique
  gsl::span<const std::int32_t> labels; // by position
  gsl::span<const std::int32_t> shown;  // by slot: column that it shows, or -1
  double score = kForbidden;            // phi of the labels
  // Sums of those terms of equation 1 that differ, without and with the new labelling.
  MeasuredSum before;
  MeasuredSum after;
};

// A shift forces members of some cliques to change their columns. Kinds, by the members forced:
// one: member number `member` of the only clique of the shift, to column `to`.
// group: the members that show `from`, to `to`.
// all: all members that do not show `to`, to `to`.
// swap: the members that show `from`, to `to`, and those that show `to`, to `from`.
enum class ShiftKind : std::int32_t { one, group, all, swap };

struct Shift {
  // Returns the column to which member number `of` of one of the cliques is forced if it shows
  // column `shown` now; -1 if it is not forced.
  std::int32_t wanted(std::int32_t of, std::int32_t shown) const noexcept {
    if (kind == ShiftKind::one)
      return of == member ? to : -1;
    if (shown == to)
      return kind == ShiftKind::swap ? from : -1;
    return shown == from || kind == ShiftKind::all ? to : -1;
  }

  ShiftKind kind;
  const WorkList *cliques; // the cliques that the shift concerns
  std::int32_t member; // read by the kind `one` alone; may be the centre
  std::int32_t from;
  std::int32_t to;
};

// True if the worker's last search cannot be relied on: a limit ended it early, or the call has
// failed. False if only another worker noticed the deadline, since this worker's search then went
// on to its end.
bool was_cut_short(const Setting &setting, const Worker &worker) noexcept;

// Searches for a labelling of `chain` that raises equation 1 (the sum of phi over chains plus the
// sum of C over cliques) by more than rounding errors, compared with the chain's labelling in
// `now`. `own`: the best labelling of each chain without messages. `counts`: counts of all cliques
// under `now`. `moves_repeats`: if false, a chain with several slots in one clique is not searched.
// If a limit ended the search early, no improvement is returned; after the failure of a callback,
// what is returned is of no use. was_cut_short() tells both.
// With `shift`, returns instead the best labelling in which the chain's slots in the cliques of the
// shift show the columns to which the shift forces them (best as if the gains of several slots in
// one clique added up). This labelling may score less than the one in `now`. Returns none if the
// chain or a clique forbids it, or a clique forbids the labelling in `now`.
Improvement improve_chain(const Setting &setting, const Assignment &own, const Assignment &now,
                          const CountStore &counts, std::int32_t chain, bool moves_repeats,
                          Worker &worker, const Shift *shift = nullptr) noexcept;

} // namespace chorale
