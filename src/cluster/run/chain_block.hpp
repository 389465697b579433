// One block of block coordinate ascent: a chain and its cliques, with all other chains fixed.
// Computes the score C of each clique for each value that a slot of the chain could show, and how
// much another labelling of the chain gains in equation 1, the score of the whole labelling (the
// sum of phi over chains and of C over cliques).
//
// If several slots of the chain are in the same clique, these slots are *repeats* (slot_order.hpp):
// the gains of moving each of them alone do not add up.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/setting.hpp"
#include "cluster/run/slot_order.hpp"

namespace chorale {

// True if `after` exceeds before.total by more than rounding errors.
bool gains(const MeasuredSum &before, double after) noexcept;

// Memory of a ChainBlock. T is the length of the chain, m its number of labels.
struct BlockMemory {
  BlockMemory(Layout &layout, const Model &model, std::int32_t chain) noexcept;

  std::int64_t *counts; // counts of one clique, by column
  std::int64_t *varied; // counts of the clique after some slots changed
  Slot *slots;          // all slots of the chain
  std::int32_t *shown;  // by slot: column shown now, or -1
  // By slot: the column that a proposal (polish.hpp) shows; in move_best(), 1 if the slot may move.
  std::int32_t *values;
  SlotOrder order;
  std::int32_t *labels; // the T labels of a proposal
};

// Constructed for a chain, the labelling `now` of all chains, and the counts of all cliques under
// `now`.
class ChainBlock {
public:
  ChainBlock(Layout &layout, const Setting &setting, const Assignment &now,
             const CountStore &counts, std::int32_t chain) noexcept;

  // The functions below that take limits return false, or find nothing, if interrupted.
  // Reads the slots of the chain and what they show. Must be called before all functions below.
  bool load(Limits &limits) noexcept;
  // Returns the column that each slot shows now, or -1.
  gsl::span<const std::int32_t> shown() const noexcept { return by_slot(memory_.shown); }
  const Slot &slot(std::int32_t s) const noexcept { return memory_.slots[s]; }
  // Sorts the slots by clique. Must be called before all functions below except read().
  bool sort(Limits &limits) noexcept;
  bool has_repeats() const noexcept { return has_repeats_; }

  // Compares the current labelling of the chain with another one, under which phi is `score` and
  // the slots show `values`. Sums into `before` and `after` those terms of equation 1 that differ:
  // phi of the chain, and C of each clique of which a slot changes.
  bool compare(double score, gsl::span<const std::int32_t> values, MeasuredSum &before,
               MeasuredSum &after, Limits &limits) noexcept;
  // Loads a proposal: T labels from `first_label` on, and the columns of the whole-chain slots.
  // Returns the column that each slot would show; labels() then returns the labels.
  gsl::span<const std::int32_t> read(const LabelStore &from, std::int32_t first_label,
                                     gsl::span<const std::int32_t> wholes) noexcept;
  gsl::span<const std::int32_t> labels() const noexcept {
    return {memory_.labels, to_size(chain_.length)};
  }

  // Fills the incoming rows of the program: entry v of the row of a slot is C of its clique if this
  // slot alone changes to column v.
  bool fill_rows(ChainProgram &program, Limits &limits) noexcept;
  // True if the current labelling of the chain attains an upper bound on the score of the block:
  // the greatest phi (`own`) plus the greatest entry of each row. Needs fill_rows() before.
  bool is_at_best(const ChainProgram &program, double own, Limits &limits) const noexcept;
  // Prepares the rows of `program` for a decode that may move one repeat of each clique, namely the
  // repeat that gains most; all other repeats keep their columns. Needs fill_rows() before.
  // `most`: the maximum, over all labellings, of phi plus row entries. False if no repeat gains.
  bool move_best(ChainProgram &program, double most, Limits &limits) noexcept;

private:
  // Announces the steps of a loop's next slot: a few for each entry of its row.
  bool spend_row(std::int32_t s, Limits &limits) const noexcept {
    return limits.spend(kRowSteps + 8 * std::int64_t{clique_of(s).width(slot(s).member)});
  }
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
  // Returns the column that slot s shows under a label of its position.
  std::int32_t column_of(std::int32_t s, std::int32_t label) const noexcept {
    return clique_of(s).column_of(memory_.slots[s].member, label);
  }
  std::int32_t centre_value(const Clique &clique) const noexcept {
    return clique.centred() ? now_.shown(clique, clique.members) : 0;
  }
  double evaluate(const Clique &clique, double strength, std::int32_t centre) noexcept;
  double strength_of(std::int32_t s) const noexcept {
    return setting_.inputs.strength(memory_.slots[s].clique);
  }
  // Multiplies a row of scores C by the strength of the clique of slot s.
  void strengthen(std::int32_t s, gsl::span<double> row) const noexcept {
    if (const double strength = strength_of(s); strength != 1)
      std::transform(row.data(), row.data() + row.size(), row.data(),
                     [strength](double score) { return scale_score(score, strength); });
  }
  double score_with(std::int32_t begin, std::int32_t end, const std::int32_t *values) noexcept;
  bool fill_row(std::int32_t s, gsl::span<double> row, Limits &limits) noexcept;

  const Setting &setting_;
  const Model &model_;
  const Assignment &now_;
  const CountStore &all_counts_;
  std::int32_t number_;
  const Chain chain_;
  BlockMemory memory_;
  SlotOrder &order_;
  bool has_repeats_ = false;
};

} // namespace chorale
