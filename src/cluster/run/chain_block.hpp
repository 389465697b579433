// One block of block coordinate ascent: a chain and its cliques, with all other chains fixed.
// Computes the score of each clique for each value of each slot of the chain, and the gain of other
// labellings of the chain in equation 1.
//
// Slots of the chain in the same clique are *repeats* (slot_order.hpp): their gains do not add up.
// A repeat is *held* while it must show a given value.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/setting.hpp"
#include "cluster/run/slot_order.hpp"

namespace chorale {

// True if `after` exceeds `before` by more than rounding.
bool gains(const MeasuredSum &before, double after) noexcept;

// Memory of a ChainBlock.
struct BlockMemory {
  BlockMemory(Layout &layout, const Model &model, std::int32_t chain) noexcept;

  std::int64_t *counts; // counts of a clique, by column
  std::int64_t *varied; // the same counts after some slots changed
  double *row;          // score of a clique for each value of a slot
  double *scores;       // m: score of each label of a position
  Slot *slots;          // slots of the chain
  std::int32_t *shown;  // by slot: column shown now, or -1
  // By slot: column shown by a proposal; in walk(), column to which a repeat is held; in
  // move_best(), 1 if the slot may move.
  std::int32_t *values;
  SlotOrder order;
  // By slot, in walk(): for a repeat, the slot whose outgoing row stores the counts of the clique;
  // otherwise -1.
  std::int32_t *count_slot;
  // T labels of a proposal; in walk(), T + 1 indices: the first slot at position >= t.
  std::int32_t *labels;
};

// `now`: current labelling of all chains. `counts`: counts of all cliques under `now`.
class ChainBlock {
public:
  ChainBlock(Layout &layout, const Setting &setting, const Assignment &now,
             const CountStore &counts, std::int32_t chain) noexcept;

  // Returns the column that each slot shows now, or -1.
  const std::int32_t *shown() const noexcept { return memory_.shown; }
  const Slot &slot(std::int32_t s) const noexcept { return memory_.slots[s]; }
  // Orders the slots by clique. Must precede all functions below except read().
  void sort() noexcept;
  bool has_repeats() const noexcept { return has_repeats_; }
  // True if walk() applies: a chain (no tree or instance) without properties.
  bool is_plain() const noexcept {
    return chain_.wholes() == 0 && !chain_.is_instance && !setting_.inputs.view_of(number_).parents;
  }

  // Sums the terms of equation 1 that change if the slots show `values`, where the chain then has
  // phi = `score`: phi of the chain, and C of each clique with a changed slot. `before`: under the
  // current labelling; `after`: under `values`.
  void compare(double score, const std::int32_t *values, MeasuredSum &before,
               MeasuredSum &after) noexcept;
  // Loads a proposal, T labels and the columns of whole-chain slots. Returns the column that each
  // slot would show; labels() returns the labels.
  const std::int32_t *read(const LabelStore &from, std::int32_t first_label,
                           const std::int32_t *wholes) noexcept;
  const std::int32_t *labels() const noexcept { return memory_.labels; }

  // Fills the incoming rows of the program: entry v of the row of a slot is C of its clique if this
  // slot alone changes to v.
  void fill_rows(ChainProgram &program) noexcept;
  // True if the current labelling of the chain attains an upper bound on its score: the greatest
  // phi plus the greatest entry of each row. `own`: greatest phi. Requires fill_rows().
  bool is_at_best(const ChainProgram &program, double own) const noexcept;
  // Replaces the rows of repeats in convex sums by a linearisation at the current counts. False if
  // there are none.
  bool fill_linear(ChainProgram &program) noexcept;
  // Moves the repeats one at a time, from the first position to the last, with all others held.
  // Requires is_plain() and fill_rows(). True if some repeat moved; `program` then holds the
  // labelling.
  bool walk(ChainProgram &program, Limits &limits) noexcept;
  // Prepares rows that allow one repeat of each clique to move, the one with the greatest gain, and
  // hold all others. Requires fill_rows(). `most`: greatest phi plus row entries of a labelling.
  // False if no repeat gains.
  bool move_best(ChainProgram &program, double most, Limits &limits) noexcept;

private:
  struct Held;
  void hold_all(ChainProgram &program) noexcept;
  void hold(std::int32_t s, std::int32_t value) noexcept;
  void hold_by(ChainProgram &program, double penalty, const std::int32_t *freed) noexcept;
  bool is_held(std::int32_t s) const noexcept { return memory_.count_slot[s] >= 0; }
  double *held_counts(std::int32_t first) const noexcept { return rows_ + row_begin_[first]; }
  bool shows_held(std::int32_t t, std::int32_t label) const noexcept;
  void write_held(const Scores &scores, std::int32_t t, double *row) const noexcept;
  bool visit(const Scores &scores, std::int32_t t, const double *others) noexcept;
  std::int64_t walk_work(std::int32_t t) const noexcept;

  Clique clique_of(std::int32_t s) const noexcept {
    return model_.cliques[memory_.slots[s].clique];
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
  std::int32_t centre_value(const Clique &clique, std::int32_t s) const noexcept;
  void load_counts(std::int32_t s) noexcept;
  double evaluate(const Clique &clique, double strength, std::int32_t centre) noexcept;
  double strength_of(std::int32_t s) const noexcept {
    return setting_.inputs.strength(memory_.slots[s].clique);
  }
  // Multiplies a row of C by the strength of the clique of slot s.
  void strengthen(std::int32_t s, std::int32_t columns, double *row) const noexcept {
    if (const double strength = strength_of(s); strength != 1)
      for (std::int32_t v = 0; v < columns; ++v)
        row[v] = scale_score(row[v], strength);
  }
  double score_with(std::int32_t begin, std::int32_t end, const std::int32_t *values) noexcept;
  void fill_row(std::int32_t s, std::int32_t own, double *row) noexcept;

  const Setting &setting_;
  const Model &model_;
  const Assignment &now_;
  const CountStore &all_counts_;
  std::int32_t number_;
  const Chain chain_;
  BlockMemory memory_;
  SlotOrder &order_;
  bool has_repeats_ = false;
  double *rows_ = nullptr; // in walk(): outgoing rows of the program
  const std::int64_t *row_begin_ = nullptr;
};

} // namespace chorale
