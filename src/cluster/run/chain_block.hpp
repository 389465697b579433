// One chain within its cliques, all other chains staying as they are: what the cliques say of other
// values of its slots, and what other labellings of the chain would gain.
#pragma once

#include "cluster/run/assignment.hpp"
#include "cluster/run/setting.hpp"
#include "cluster/run/slot_order.hpp"

namespace chorale {

// True if `after` is more than `before` by more than rounding.
bool gains(const MeasuredSum &before, double after) noexcept;

// Memory of a ChainBlock.
struct BlockMemory {
  BlockMemory(Layout &layout, const Model &model, std::int32_t chain) noexcept;

  std::int64_t *counts; // of a clique
  std::int64_t *varied; // the same, some slots showing something else
  double *row;          // what a clique says of each value of a slot
  double *scores;       // of each label of a position
  Slot *slots;          // of the chain
  std::int32_t *shown;  // by slot
  // By slot: what a proposal would show; in a walk, what a repeat is held to; in move_best, whether
  // the slot may move.
  std::int32_t *values;
  SlotOrder order;
  // By slot, in a walk: of a repeat the slot whose outgoing row holds the counts of its clique,
  // else -1.
  std::int32_t *count_slot;
  // T labels of a proposal; in a walk T + 1: the first slot at each position or behind it.
  std::int32_t *labels;
};

// `now` is the labelling that all chains show, `counts` what it adds up to in every clique.
class ChainBlock {
public:
  ChainBlock(Layout &layout, const Setting &setting, const Assignment &now,
             const CountStore &counts, std::int32_t chain) noexcept;

  // What the slots show now.
  const std::int32_t *shown() const noexcept { return memory_.shown; }
  const Slot &slot(std::int32_t s) const noexcept { return memory_.slots[s]; }
  // Orders the slots by clique; before all calls but those above and read().
  void sort() noexcept;
  bool has_repeats() const noexcept { return has_repeats_; }
  bool is_plain() const noexcept {
    return chain_.wholes() == 0 && !chain_.is_instance && !setting_.inputs.view_of(number_).parents;
  }

  // Adds up what changes in equation 1 with `values` shown: phi of the chain and C of the cliques
  // that see a change, as they are and as they would be.
  void compare(double score, const std::int32_t *values, MeasuredSum &before,
               MeasuredSum &after) noexcept;
  // What the slots show under labels and values of whole-chain slots. `labels` reads it back.
  const std::int32_t *read(const LabelStore &from, std::int32_t first_label,
                           const std::int32_t *wholes) noexcept;
  const std::int32_t *labels() const noexcept { return memory_.labels; }

  // Fills the program's rows with what cliques say of each value of each slot alone.
  void fill_rows(ChainProgram &program) noexcept;
  // True if no labelling gains, since the chain shows what its rows pay best for at no loss of its
  // own score. `own`: of its best labelling by itself. Rows are those of fill_rows.
  bool is_at_best(const ChainProgram &program, double own) const noexcept;
  // Fills those of repeats of convex sums, linearised. False where there are none.
  bool fill_linear(ChainProgram &program) noexcept;
  // Moves repeats of a chain without properties one at a time, all others held, from the first
  // position to the last. Rows are those of fill_rows. True, with the labelling in `program`, where
  // some repeat gained.
  bool walk(ChainProgram &program, Limits &limits) noexcept;
  // Prepares rows, from those of fill_rows, under which the repeats that gain most move, at most
  // one of each clique, and all others stay. `most`: the greatest sum of scores and rows. False
  // where none gains.
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
  // The column that slot s shows under a label of its position.
  std::int32_t column_of(std::int32_t s, std::int32_t label) const noexcept {
    return clique_of(s).column_of(memory_.slots[s].member, label);
  }
  std::int32_t centre_value(const Clique &clique) const noexcept {
    return clique.centred() ? now_.shown(clique, clique.members) : 0;
  }
  std::int32_t centre_value(const Clique &clique, std::int32_t s) const noexcept;
  void load_counts(std::int32_t s) noexcept;
  double evaluate(const Clique &clique, std::int32_t centre) noexcept;
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
  double *rows_ = nullptr; // in a walk: outgoing rows of the program
  const std::int64_t *row_begin_ = nullptr;
};

} // namespace chorale
