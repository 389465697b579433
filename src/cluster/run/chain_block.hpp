// One block of block coordinate ascent: a chain and its cliques, with all other chains fixed.
// Computes the score C of each clique for each column that a slot of the chain could show, and how
// much another labelling of the chain gains in equation 1. assignment.hpp explains slot, column,
// phi, C and equation 1; in this file C includes the strength of the clique.
//
// If several slots of the chain are in the same clique, these slots are *repeats*: the score of the
// clique is not a sum over them, so the gains of moving each of them alone do not add up. The slots
// are therefore sorted by clique, so that repeats of one clique are adjacent.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/setting.hpp"

#include <algorithm>

namespace chorale {

// True if `after` exceeds before.total by more than rounding errors.
bool gains(const MeasuredSum &before, double after) noexcept;

// The violation of a clique: the distance of `counts` from counts that its potential allows
// (violation_of_counts); 0 if they are allowed, or if the clique adds nothing to equation 1, since
// its centre or all its members are left out. May overwrite `counts`. centre: as for
// clique_score().
std::int64_t violation(const Clique &clique, gsl::span<std::int64_t> counts, std::int32_t centre,
                       CallbackFailure *failure) noexcept;

// A repair (repair.hpp) maximises, in the place of equation 1, minus the sum over the cliques of their
// penalties, price * weight * violation.
struct Penalties {
  double price;
  gsl::span<const std::int32_t> weight; // by clique
  bool counts_distance; // false: every violation above 0 counts as 1

  // Returns minus the penalty of a clique with this violation.
  double score(std::int32_t clique, std::int64_t violation) const noexcept {
    const double size = counts_distance ? static_cast<double>(violation) : 1.0;
    return violation == 0 ? 0.0 : -std::min(price * weight.data()[clique] * size, kLargestScore);
  }
};

struct BlockMemory {
  BlockMemory(Layout &layout, const Model &model, std::int32_t chain) noexcept;

  std::int64_t *counts; // counts of one clique, by column
  std::int64_t *varied; // counts of the clique after some slots changed
  Slot *slots;          // all slots of the chain
  std::int32_t *shown;  // by slot: column shown now, or -1
  std::int32_t *freed;  // by slot: 1 if hold_by() leaves it free to move
  std::int32_t *order;  // the slots' indices in the chain, sorted by clique
};

// Constructed for a chain, the labelling `now` of all chains, and the counts of all cliques under
// `now`. With penalties, C of a clique stands for minus its penalty, and phi for 0.
class ChainBlock {
public:
  ChainBlock(Layout &layout, const Setting &setting, const Assignment &now,
             const CountStore &counts, std::int32_t chain,
             const Penalties *penalties = nullptr) noexcept;

  // The functions below that take limits return false if interrupted.

  // Reads the slots of the chain and what they show. Must be called before all functions below.
  bool load(Limits &limits) noexcept;
  // Returns the column that each slot shows now, or -1.
  gsl::span<const std::int32_t> shown() const noexcept { return by_slot(memory_.shown); }
  const Slot &slot(std::int32_t s) const noexcept { return memory_.slots[s]; }
  // Sorts the slots by clique. Must be called before all functions below.
  bool sort(Limits &limits) noexcept;
  bool has_repeats() const noexcept { return has_repeats_; }
  // True if the k-th slot in the order by clique is a repeat.
  bool is_repeat(std::int32_t k) const noexcept {
    return (k > 0 && sorted_clique(k - 1) == sorted_clique(k)) ||
           (k + 1 < chain_.slots && sorted_clique(k + 1) == sorted_clique(k));
  }

  // Compares the current labelling of the chain with another one, under which phi is `score` and
  // the slots show `values`. Sums into `before` and `after` those terms of equation 1 that differ:
  // phi of the chain, and C of each clique of which a slot changes.
  bool compare(double score, gsl::span<const std::int32_t> values, MeasuredSum &before,
               MeasuredSum &after, Limits &limits) noexcept;

  // Fills the incoming rows of the program: entry v of the row of a slot is C of its clique if this
  // slot alone changes to column v.
  bool fill_rows(ChainProgram &program, Limits &limits) noexcept;
  // Prepares the rows for a decode in which all repeats but the k-th slot in the order by clique keep
  // their columns. Needs fill_rows() before.
  void free_only(ChainProgram &program, std::int32_t k) noexcept {
    std::fill_n(memory_.freed, chain_.slots, 0);
    memory_.freed[memory_.order[k]] = 1;
    hold_by(program, kInfinity, by_slot(memory_.freed));
  }
  // True if the current labelling of the chain attains an upper bound on the score of the block:
  // the greatest phi (`own`) plus the greatest entry of each row. Needs fill_rows() before.
  bool is_at_best(const ChainProgram &program, double own, Limits &limits) const noexcept;
  // Prepares the rows of `program` for a decode that may move one repeat of each clique, namely the
  // repeat that gains most; all other repeats keep their columns. Needs fill_rows() before.
  // `most`: the maximum, over all labellings, of phi plus row entries. False also if no repeat
  // gains.
  bool move_best(ChainProgram &program, double most, Limits &limits) noexcept;

private:
  // Announces the steps of work on the row of one slot (Limits::spend). False if interrupted.
  bool spend_row(std::int32_t s, Limits &limits) const noexcept {
    return limits.spend(kRowSteps + 8 * std::int64_t{clique_of(s).width(slot(s).member)});
  }
  std::int32_t sorted_clique(std::int32_t k) const noexcept { return slot(memory_.order[k]).clique; }
  // Calls group(begin, end) for each clique; the slots in that clique are memory_.order[begin .. end -
  // 1].
  template <class Group> void each_clique(Group &&group) const noexcept {
    for (std::int32_t begin = 0, end; begin < chain_.slots; begin = end) {
      for (end = begin + 1; end < chain_.slots && sorted_clique(end) == sorted_clique(begin); ++end) {
      }
      group(begin, end);
    }
  }
  // Holds repeats at the columns that they show now: for each repeat s with freed[s] == 0, or for
  // all repeats if `freed` is empty, subtracts `penalty` from all other entries of its row. If the
  // entry of the shown column is minus infinity, it becomes 0. Does nothing for a repeat that shows
  // -1.
  void hold_by(ChainProgram &program, double penalty, gsl::span<const std::int32_t> freed) noexcept;
  gsl::span<std::int32_t> by_slot(std::int32_t *array) const noexcept {
    return {array, to_size(chain_.slots)};
  }

  Clique clique_of(std::int32_t s) const noexcept {
    return setting_.inputs.clique(memory_.slots[s].clique);
  }
  bool is_centre(std::int32_t s, const Clique &clique) const noexcept {
    return memory_.slots[s].member == clique.members;
  }
  double evaluate(std::int32_t number, const Clique &clique, std::int32_t centre) noexcept;
  // Multiplies the row of slot s, which holds values of the potential, by the strength of its
  // clique.
  void strengthen(std::int32_t s, gsl::span<double> row) const noexcept {
    if (const double strength = setting_.inputs.strength(slot(s).clique); strength != 1)
      std::transform(row.data(), row.data() + row.size(), row.data(),
                     [strength](double score) { return scale_score(score, strength); });
  }
  double score_with(std::int32_t begin, std::int32_t end, const std::int32_t *values) noexcept;
  bool fill_row(std::int32_t s, gsl::span<double> row, Limits &limits) noexcept;

  const Setting &setting_;
  const Model &model_;
  const Assignment &now_;
  const CountStore &all_counts_;
  const Penalties *penalties_;
  std::int32_t number_;
  const Chain chain_;
  BlockMemory memory_;
  bool has_repeats_ = false;
};

} // namespace chorale
