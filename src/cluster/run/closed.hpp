// Closed cliques: cliques whose members are *items* (chains of one position) in no other clique.
//
// A closed clique and its items are independent of the rest of the model. One call of clique
// inference over the scores of the items finds their best labels; no messages are sent or stored.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// Label of an item, and phi of this label.
struct ItemLabel {
  std::int32_t label;
  double score;
};

// Returns the best label of an item; ties go to the lowest label. Label 0 and minus infinity if
// every label is forbidden.
ItemLabel best_label(const ChainView &item) noexcept;

// Writes the scores of the members of a closed clique, n rows of its columns: entry v of row i is
// the best score of a label of member i that shows v; minus infinity if none does. False if
// interrupted.
bool load_items(const Setting &setting, const Clique &clique, double *rows,
                Limits &limits) noexcept;

// Sets each member i of a closed clique to its best label that shows column shown[i]. Returns the
// number of changed labels.
std::int32_t show_items(const Setting &setting, const Clique &clique, const std::int32_t *shown,
                        Assignment &labelling) noexcept;

// Solves a closed clique and writes the labels of its members to state.now. False, without change,
// if the call must end.
bool solve_closed(const Setting &setting, RunState &state, std::int64_t clique,
                  Worker &worker) noexcept;
// Solves every closed clique that is new or whose items changed since its last solution. False if
// the call must end.
bool solve_all_closed(const Setting &setting, RunState &state) noexcept;

// Writes the m max-marginals of an item of a closed clique, and the margin between its two best
// labels; either may be NULL. In cliques with more than kAnsweredMembers members, all other members
// are fixed to their labels in state.best, which costs O(n + R), less than exact max-marginals.
RunFailure closed_marginals(const Setting &setting, const RunState &state, std::int32_t chain,
                            double *marginals, double *margin) noexcept;

// Writes the m probabilities of the labels of an item of a closed clique under the message of
// closed_marginals(). Sets `found`, without change, to false if every label is forbidden.
RunFailure closed_probabilities(const Setting &setting, const RunState &state, std::int32_t chain,
                                double temperature, double *to, bool &found) noexcept;

} // namespace chorale
