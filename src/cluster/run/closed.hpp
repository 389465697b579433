// Closed cliques: cliques of single items (chains of one position) that are in no other clique.
//
// Such a clique and its items are a whole problem by themselves, so clique inference over the
// scores of the items labels them all at once. Nothing is sent, and no row of messages is stored.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// Adds to the tally what workers have counted.
void add_up(const Setting &setting, RunState &state) noexcept;

// A label of an item, with phi.
struct ItemLabel {
  std::int32_t label;
  double score;
};

// The best label of an item; the lowest one where several are. Minus infinity, and label 0, where
// every label is forbidden.
ItemLabel best_label(const ChainView &item) noexcept;

// Writes the scores of a closed clique's members to n rows of its columns: entry v of row i is the
// best score of a label that shows v, minus infinity where no label does.
// False where the limits have ended that.
bool load_items(const Setting &setting, const Clique &clique, double *rows,
                Limits &limits) noexcept;

// Gives each member of a closed clique the best label that shows `shown`, an entry for each.
// Returns how many labels have changed.
std::int32_t show_items(const Setting &setting, const Clique &clique, const std::int32_t *shown,
                        Assignment &labelling) noexcept;

// Solves a closed clique and takes its members' labels into state.now. False where the call must
// end, and nothing has changed.
bool solve_closed(const Setting &setting, RunState &state, std::int64_t clique,
                  Worker &worker) noexcept;
// Solves every closed clique whose items have changed since it was solved last. False where the
// call must end.
bool solve_all_closed(const Setting &setting, RunState &state) noexcept;

// Writes m max-marginals of an item of a closed clique, and the margin between the best label and
// the second; either may be NULL. In cliques of more than kAnsweredMembers the other members keep
// their labels in state.best: O(n + R) instead of the cost of all messages of the clique.
RunFailure closed_marginals(const Setting &setting, const RunState &state, std::int32_t chain,
                            double *marginals, double *margin) noexcept;

} // namespace chorale
