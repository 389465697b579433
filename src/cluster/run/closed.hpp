// Closed cliques: cliques whose members are *items* (chains of one position) in no other clique.
//
// A closed clique and its items are independent of the rest of the model. One call of clique
// inference over the scores of the items finds their best labels; no messages are sent or stored.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// The label of an item, and phi of the item under this label.
struct ItemLabel {
  std::int32_t label;
  double score;
};

// Returns the best label of an item, the lowest of equally good labels. Returns label 0 and score
// minus infinity if every label is forbidden.
ItemLabel best_label(const Setting &setting, std::int32_t item) noexcept;

// Writes the scores of the n members of a closed clique, n x K, row-major, for K columns. The score
// of a member and a column is that of the member's best label that shows the column, or minus
// infinity if no label shows it. False if interrupted.
bool load_items(const Setting &setting, const Clique &clique, gsl::span<double> scores,
                Limits &limits) noexcept;

// Makes each member i of a closed clique show column shown[i]: gives it the best of its labels that
// show this column. Members with shown[i] = -1 are left out and not changed. Returns how many
// labels changed.
std::int32_t show_items(const Setting &setting, const Clique &clique,
                        gsl::span<const std::int32_t> shown, Assignment &labelling) noexcept;

// Solves a closed clique and writes the labels of its members to state.now; keeps their labels if
// it finds no allowed assignment. False, with nothing written, if the call must end.
bool solve_closed(const Setting &setting, RunState &state, std::int64_t clique,
                  Worker &worker) noexcept;
// Solves every closed clique that has not been solved yet or whose items changed since. False if
// the call must end.
bool solve_all_closed(const Setting &setting, RunState &state) noexcept;

// Writes the max-marginals of the labels of an item of a closed clique to `marginals`, unless it is
// empty. Writes the difference between the two greatest max-marginals to *margin, unless `margin`
// is NULL. In a clique with more than kAnsweredMembers members (clique_program.hpp), max-marginals
// would cost too much. For such a clique, writes instead phi plus strength times C with all other
// members as in state.best, which takes O(n + K) for n members and K columns. Returns the failure,
// if any; nothing is then written.
RunFailure closed_marginals(const Setting &setting, const RunState &state, std::int32_t chain,
                            gsl::span<double> marginals, double *margin) noexcept;

// Writes to `to` the probabilities of the labels of an item of a closed clique, proportional to
// exp(max-marginal / temperature) with the max-marginals of closed_marginals(). Sets `found` to
// true; sets it to false and writes nothing if every label is forbidden.
RunFailure closed_probabilities(const Setting &setting, const RunState &state, std::int32_t chain,
                                double temperature, gsl::span<double> to, bool &found) noexcept;

} // namespace chorale
