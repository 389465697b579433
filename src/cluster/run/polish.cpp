// Block polish: one chain at a time is decoded anew given what all others show.
//
// What a clique would say of each value of one slot, everything else as it is, is exact as long as
// the chain has no other slot in the clique; then the decoded labelling is the best of the block.
// With several slots in one clique (*repeats*) the gains do not add up. What is decoded so is then
// taken only if it gains, and otherwise a convex SUM is linearised at the counts (a minorant: what
// gains there gains). Where neither gains, repeats move one at a time, all others held to what they
// show, which makes every gain exact. On a chain by a walk (chain_walk.hpp), which costs as much as
// forward-backward whatever it moves. On trees, under properties and in instances the messages of
// all slots, repeats tied to what they show by a penalty, tell what each could gain alone; the best
// one of each clique is set free, and one decode moves them together.
//
// Chains of a batch, those whose cliques have changed, propose against the same counts, on any
// number of threads; proposals are then judged in the order of the chains, against the counts as
// they have become.
#include "cluster/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace chorale {
namespace {

constexpr std::int64_t kChainGrain = 4;
// Gains within rounding must not go on for ever; and a chain with repeats is decoded no more than
// kVisits times for each start, so that a polish costs a few rounds whatever the shape.
constexpr std::int32_t kSweeps = 1000;
constexpr std::int32_t kVisits = 24;
constexpr std::int64_t kStepsALabel = 20; // of a walk, for each slot

// Whether `after` is more than `before`, by more than rounding.
bool gains(const MeasuredSum &before, double after) noexcept {
  if (before.total == kForbidden)
    return after > kForbidden;
  return after - before.total > 1e-12 * before.magnitude;
}

// What one chain needs in the polish.
struct BlockMemory {
  BlockMemory(Layout &layout, const Model &model, std::int32_t number) noexcept {
    const Chain &chain = model.chains[number];
    std::int32_t widest = 1;
    for (std::int32_t s = 0; s < chain.slots; ++s) {
      const CliqueType &type = model.cliques.type(model.clique_of(chain.first_slot + s));
      widest = std::max({widest, type.columns, type.centre_values});
    }
    counts = layout.take<std::int64_t>(widest);
    varied = layout.take<std::int64_t>(widest);
    row = layout.take<double>(widest);
    scores = layout.take<double>(chain.labels);
    slots = layout.take<Slot>(chain.slots);
    shown = layout.take<std::int32_t>(chain.slots);
    values = layout.take<std::int32_t>(chain.slots);
    by_clique = layout.take<std::int32_t>(chain.slots);
    count_slot = layout.take<std::int32_t>(chain.slots);
    labels = layout.take<std::int32_t>(std::int64_t{chain.length} + 1);
  }
  std::int64_t *counts;       // of a clique
  std::int64_t *varied;       // the same, some slots showing something else
  double *row;                // what a clique says of each value of a slot
  double *scores;             // of each label of a position
  Slot *slots;                // of the chain
  std::int32_t *shown;        // now, by slot
  std::int32_t *values;       // by slot: what a proposal would show; in a walk, what repeats are held
                              // to; before a decode, whether they are free
  std::int32_t *by_clique;    // slots by the number of their clique
  std::int32_t *count_slot; // by slot, in a walk: of a repeat the slot whose outgoing row holds
                              // the counts of the clique, else -1
  std::int32_t *labels;       // of a proposal; in a walk T + 1: the first slot at each position or
                              // behind it
};

// One chain within its cliques.
class ChainBlock {
public:
  ChainBlock(Layout &layout, Run &run, PolishMemory &polish, std::int32_t number) noexcept
      : run_(run), polish_(polish), model_(*run.model), number_(number), chain_(model_.chains[number]),
        memory_(layout, model_, number), slots_(memory_.slots), counts_(memory_.counts),
        varied_(memory_.varied), by_clique_(memory_.by_clique) {
    shown = memory_.shown;
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      slots_[s] = model_.slot(number, s);
  }
  bool is_plain() const noexcept {
    return chain_.wholes() == 0 && !chain_.is_instance && !run_.view_of(number_).parents;
  }

  // Reads what the slots show now.
  void load() noexcept {
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      shown[s] = run_.at.now.shown(slots_[s]);
  }
  // Puts the slots in the order of their cliques. After load().
  void sort() noexcept {
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      by_clique_[s] = s;
    std::sort(by_clique_, by_clique_ + chain_.slots, [this](std::int32_t a, std::int32_t b) {
      return slots_[a].clique != slots_[b].clique ? slots_[a].clique < slots_[b].clique : a < b;
    });
    repeats = false;
    for (std::int32_t k = 1; k < chain_.slots; ++k)
      repeats = repeats || continues(k);
    std::fill_n(memory_.count_slot, chain_.slots, -1);
  }

  // Holds the repeats to what they show. After sort(). The counts of a clique with repeats are kept
  // in the outgoing row of one of its slots, which a walk does not need.
  void hold(ChainProgram &program) noexcept {
    std::copy_n(shown, chain_.slots, memory_.values);
    rows_ = program.outgoing;
    row_begin_ = program.row_begin();
    for (std::int32_t k = 0; k < chain_.slots;) {
      const std::int32_t end = end_of_clique(k);
      if (end - k > 1) {
        const Clique &clique = model_.cliques[slots_[by_clique_[k]].clique];
        // The row of a centre may be too short.
        const bool is_centre = slots_[by_clique_[k]].member == clique.members;
        const std::int32_t first = by_clique_[is_centre ? k + 1 : k];
        load_counts(first);
        std::copy_n(counts_, clique.columns(), held_counts(first));
        for (std::int32_t j = k; j < end; ++j)
          memory_.count_slot[by_clique_[j]] = first;
      }
      k = end;
    }
  }

  // What would change in (1) with other values shown, C of cliques that see no change left out: its
  // two sides.
  void compare(double score, const std::int32_t *others, MeasuredSum &before,
               MeasuredSum &after) noexcept {
    before.add(run_.at.now.score[number_]);
    after.add(score);
    for (std::int32_t k = 0; k < chain_.slots;) {
      const std::int32_t end = end_of_clique(k);
      bool changes = false;
      for (std::int32_t j = k; j < end; ++j) {
        const std::int32_t s = by_clique_[j];
        changes = changes || shown[s] != others[s];
      }
      if (changes) {
        before.add(score_with(k, end, shown));
        after.add(score_with(k, end, others));
      }
      k = end;
    }
  }

  // The counts of all cliques as they become.
  void move_counts(const std::int32_t *others, std::int32_t stamp) noexcept {
    for (std::int32_t s = 0; s < chain_.slots; ++s) {
      if (shown[s] == others[s])
        continue;
      const Clique &clique = model_.cliques[slots_[s].clique];
      polish_.changed_at[slots_[s].clique] = stamp;
      if (slots_[s].member == clique.members)
        continue;
      const std::int64_t counts = model_.first_count(slots_[s].clique);
      if (shown[s] >= 0)
        polish_.counts.add(counts + shown[s], -1);
      if (others[s] >= 0)
        polish_.counts.add(counts + others[s], 1);
    }
  }

  // What the slots show of a proposal, from its labels and what its whole-chain slots show.
  const std::int32_t *read(const Proposal &proposal) noexcept {
    polish_.proposed_labels.read(proposal.first_label, chain_.length, memory_.labels);
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      memory_.values[s] = slots_[s].position < 0
                                ? polish_.proposed_wholes[proposal.first_whole + s]
                                : model_.cliques[slots_[s].clique].column_of(
                                      slots_[s].member, memory_.labels[slots_[s].position]);
    return memory_.values;
  }
  const std::int32_t *labels() const noexcept { return memory_.labels; }

  // Rows of what cliques say of each value of each slot alone.
  void fill_rows(ChainProgram &program) noexcept {
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      fill_row(s, shown[s], program.incoming + program.row_begin()[s]);
  }
  // The same, convex sums with several slots of this chain linearised. False where there are none.
  bool fill_linear(ChainProgram &program) noexcept {
    bool any = false;
    for (std::int32_t k = 0; k < chain_.slots; ++k) {
      const std::int32_t s = by_clique_[k];
      const Clique &clique = model_.cliques[slots_[s].clique];
      if (!is_repeat(k) || clique.centred() ||
          clique.potential()->family != CHORALE_FAMILY_SUM || !clique.potential()->finite_tables ||
          clique.potential()->convex_length <= clique.members)
        continue;
      any = true;
      const Potential &potential = *clique.potential();
      load_counts(s);
      double *row = program.incoming + program.row_begin()[s];
      const double factor = potential.factor(clique.members);
      for (std::int32_t v = 0; v < clique.columns(); ++v) {
        const std::int64_t from = std::min<std::int64_t>(counts_[v], clique.members - 1);
        row[v] = !potential.counts(v) ? 0.0
                                      : (potential.table_entry(v, from + 1, clique.members) -
                                         potential.table_entry(v, from, clique.members)) *
                                            factor;
      }
    }
    return any;
  }
  // Moves the repeats of a chain without properties one at a time, from its first position to its
  // last. Rows are those of fill_rows. True, with the labelling in `program`, where some gained.
  bool walk(ChainProgram &program, Worker &worker) noexcept {
    hold(program);
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      if (is_held(s))
        std::fill_n(program.incoming + program.row_begin()[s], program.columns_of(s), 0.0);
    for (std::int32_t t = 0, s = 0; t <= chain_.length; ++t) {
      while (s < chain_.slots && slots_[s].position < t)
        ++s;
      memory_.labels[t] = s;
    }
    bool found = false;
    program.with_walk(worker.limits, [&](Scores &scores, ChainWalk &walk) noexcept {
      Held held{*this, scores, worker.limits};
      found = walk.run(scores, held) && walk.trace(scores, held, program.labels);
    });
    return found && program.show(worker.limits);
  }

  // Moves the repeats of the chain that gain most, one of each clique at most, all others staying
  // as they are. Rows are those of fill_rows; `most`: the greatest sum of scores and rows. False
  // where none gains.
  bool move_best(ChainProgram &program, double most, Limits &limits) noexcept {
    MeasuredSum now;
    now.add(run_.at.now.score[number_]);
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      now.add(shown[s] < 0 ? kForbidden : program.incoming[program.row_begin()[s] + shown[s]]);
    if (!gains(now, most))
      return false;
    // More than a labelling that moves two repeats of this chain can gain.
    hold_by(program, 2 * (most - now.total), nullptr);
    if (!program.send(limits))
      return false;
    bool any = false;
    std::int32_t *freed = memory_.values; // by slot: whether it may move
    std::fill_n(freed, chain_.slots, 0);
    fill_rows(program);
    for (std::int32_t k = 0; k < chain_.slots;) {
      const std::int32_t end = end_of_clique(k);
      std::int32_t best = -1;
      double best_gain = 0;
      for (std::int32_t j = k; end - k > 1 && j < end; ++j) {
        const std::int32_t s = by_clique_[j];
        const double *own = program.incoming + program.row_begin()[s];
        const double *others = program.outgoing + program.row_begin()[s];
        if (shown[s] < 0)
          continue;
        // Messages are differences of sums over the whole chain.
        const MeasuredSum stays = {others[shown[s]] + own[shown[s]],
                                   now.magnitude + magnitude_of(own[shown[s]])};
        double moves = kForbidden;
        for (std::int32_t v = 0; v < program.columns_of(s); ++v)
          moves = std::max(moves, others[v] + own[v]);
        if (!gains(stays, moves))
          continue;
        const double gain = stays.total == kForbidden ? kInfinity : moves - stays.total;
        if (gain > best_gain) {
          best_gain = gain;
          best = s;
        }
      }
      if (best >= 0) {
        freed[best] = 1;
        any = true;
      }
      k = end;
    }
    if (any)
      hold_by(program, kInfinity, freed);
    return any;
  }

  std::int32_t *shown;
  bool repeats = false;

private:
  // What a walk asks about the positions of this chain.
  struct Held {
    void write(std::int32_t t, double *row) const noexcept { block.write_held(scores, t, row); }
    bool visit(std::int32_t t, const double *others) const noexcept {
      return block.visit(scores, t, others);
    }
    bool goes_on(std::int32_t t) const noexcept { return limits.spend(block.work_at(t)); }
    ChainBlock &block;
    const Scores &scores;
    Limits &limits;
  };

  // Elementary steps of a walk at a position.
  std::int64_t work_at(std::int32_t t) const noexcept {
    const std::int64_t m = chain_.labels;
    return m * (m + kStepsALabel * (1 + memory_.labels[t + 1] - memory_.labels[t]));
  }

  bool is_held(std::int32_t s) const noexcept { return memory_.count_slot[s] >= 0; }
  // The counts of the clique of that slot.
  double *held_counts(std::int32_t first) const noexcept { return rows_ + row_begin_[first]; }

  void write_held(const Scores &scores, std::int32_t t, double *row) const noexcept {
    const std::int32_t m = scores.labels();
    std::copy_n(scores.unary(t), m, row);
    for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s) {
      if (!is_held(s))
        continue;
      const Clique &clique = model_.cliques[slots_[s].clique];
      for (std::int32_t y = 0; y < m; ++y)
        if (clique.column_of(slots_[s].member, y) != memory_.values[s])
          row[y] = kForbidden;
    }
  }

  // Sets the repeats at a position free and holds them to what is best beside `others`; whether
  // that is something else.
  bool visit(const Scores &scores, std::int32_t t, const double *others) noexcept {
    const std::int32_t m = scores.labels();
    double *total = memory_.scores;
    double rows = 0; // magnitude of what cliques say of what is held now
    bool any = false;
    for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s) {
      if (!is_held(s))
        continue;
      if (!any)
        for (std::int32_t y = 0; y < m; ++y)
          total[y] = others[y] + scores.unary(t)[y];
      any = true;
      const Clique &clique = model_.cliques[slots_[s].clique];
      fill_row(s, memory_.values[s], memory_.row);
      for (std::int32_t y = 0; y < m; ++y)
        total[y] += memory_.row[clique.column_of(slots_[s].member, y)];
      rows += memory_.values[s] < 0 ? 0.0 : magnitude_of(memory_.row[memory_.values[s]]);
    }
    if (!any)
      return false;
    const std::int32_t best = index_of_greatest(total, m);
    if (best < 0)
      return false;
    MeasuredSum stays{kForbidden, 0};
    for (std::int32_t y = 0; y < m; ++y)
      if (total[y] > stays.total && shows_held(t, y))
        stays = {total[y], std::fabs(others[y]) + std::fabs(scores.unary(t)[y]) + rows};
    if (!gains(stays, total[best]))
      return false;
    for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s)
      if (is_held(s))
        hold(s, model_.cliques[slots_[s].clique].column_of(slots_[s].member, best));
    return true;
  }
  bool shows_held(std::int32_t t, std::int32_t label) const noexcept {
    for (std::int32_t s = memory_.labels[t]; s < memory_.labels[t + 1]; ++s)
      if (is_held(s) && model_.cliques[slots_[s].clique].column_of(slots_[s].member, label) !=
                            memory_.values[s])
        return false;
    return true;
  }
  // Holds one repeat to another value.
  void hold(std::int32_t s, std::int32_t value) noexcept {
    std::int32_t &held = memory_.values[s];
    if (slots_[s].member < model_.cliques[slots_[s].clique].members) {
      double *counts = held_counts(memory_.count_slot[s]);
      if (held >= 0)
        --counts[held];
      ++counts[value];
    }
    held = value;
  }

  // Takes `penalty` from every value of every repeat but the one it shows; `freed`, by slot: those
  // that are left alone, or NULL.
  void hold_by(ChainProgram &program, double penalty, const std::int32_t *freed) noexcept {
    for (std::int32_t k = 0; k < chain_.slots; ++k) {
      const std::int32_t s = by_clique_[k];
      if (!is_repeat(k) || shown[s] < 0 || (freed && freed[s] != 0))
        continue;
      double *row = program.incoming + program.row_begin()[s];
      for (std::int32_t v = 0; v < program.columns_of(s); ++v)
        if (v != shown[s])
          row[v] -= penalty;
      if (row[shown[s]] == kForbidden)
        row[shown[s]] = 0.0;
    }
  }

  // Whether the k-th slot by clique is of the same clique as the one before.
  bool continues(std::int32_t k) const noexcept {
    return slots_[by_clique_[k]].clique == slots_[by_clique_[k - 1]].clique;
  }
  // Whether it is one of several slots in its clique.
  bool is_repeat(std::int32_t k) const noexcept {
    return (k > 0 && continues(k)) || (k + 1 < chain_.slots && continues(k + 1));
  }
  // Behind the slots by clique that are in the same clique as the k-th, which is its first.
  std::int32_t end_of_clique(std::int32_t k) const noexcept {
    std::int32_t end = k + 1;
    while (end < chain_.slots && continues(end))
      ++end;
    return end;
  }

  std::int32_t centre_value(const Clique &clique) const noexcept {
    return clique.centred() ? run_.at.now.shown(clique, clique.members) : 0;
  }
  // The same beside slot s: what the centre is held to, if it is on this chain too.
  std::int32_t centre_value(const Clique &clique, std::int32_t s) const noexcept {
    if (!clique.centred() || !is_held(s))
      return centre_value(clique);
    const std::int32_t position = model_.site(clique, clique.members) - chain_.first_label;
    if (position < 0 || position >= chain_.length)
      return centre_value(clique);
    std::int32_t centre = memory_.labels[position];
    while (slots_[centre].clique != slots_[s].clique || slots_[centre].member != clique.members)
      ++centre;
    return memory_.values[centre];
  }

  // The counts of a slot's clique, in which repeats show what they are held to, if they are.
  void load_counts(std::int32_t s) noexcept {
    const std::int32_t clique = slots_[s].clique;
    const std::int32_t columns = model_.cliques.type(clique).columns;
    if (is_held(s))
      std::transform(held_counts(memory_.count_slot[s]),
                     held_counts(memory_.count_slot[s]) + columns, counts_,
                     [](double count) { return static_cast<std::int64_t>(count); });
    else
      polish_.counts.load(model_.first_count(clique), columns, counts_);
  }

  double evaluate(const Clique &clique, std::int32_t centre) noexcept {
    CallbackFailure failed = CallbackFailure::none;
    const double score = clique_score(clique, varied_, centre, &failed);
    if (failed != CallbackFailure::none)
      run_.fail(failed == CallbackFailure::stopped ? RunFailure::potential_stopped
                                                   : RunFailure::potential_value);
    return score;
  }

  // C of the clique of the slots by_clique_[begin .. end) if those show `values`.
  double score_with(std::int32_t begin, std::int32_t end, const std::int32_t *values) noexcept {
    const std::int32_t number = slots_[by_clique_[begin]].clique;
    const Clique &clique = model_.cliques[number];
    polish_.counts.load(model_.first_count(number), clique.columns(), varied_);
    std::int32_t centre = centre_value(clique);
    for (std::int32_t k = begin; k < end; ++k) {
      const std::int32_t s = by_clique_[k];
      if (slots_[s].member == clique.members) {
        centre = values[s];
        continue;
      }
      if (shown[s] >= 0)
        --varied_[shown[s]];
      if (values[s] >= 0)
        ++varied_[values[s]];
    }
    return evaluate(clique, centre);
  }

  // What the clique of slot s, which shows `own` now, says of each value of the slot.
  void fill_row(std::int32_t s, std::int32_t own, double *row) noexcept {
    const Clique &clique = model_.cliques[slots_[s].clique];
    const std::int64_t *counts = counts_;
    load_counts(s);
    if (slots_[s].member == clique.members) {
      for (std::int32_t c = 0; c < clique.centre_values(); ++c) {
        std::copy_n(counts, clique.columns(), varied_);
        row[c] = evaluate(clique, c);
      }
      return;
    }
    const std::int32_t centre = centre_value(clique, s);
    const Potential &potential = clique.potential_at(centre);
    std::int64_t others = 0;
    for (std::int32_t v = 0; v < clique.columns(); ++v)
      others += potential.counts(v) ? counts[v] - (v == own ? 1 : 0) : 0;
    // What a SUM gains by one more is a difference of one table, but where nothing else counts.
    if (potential.family == CHORALE_FAMILY_SUM && potential.finite_tables && others > 0) {
      const double factor = potential.factor(clique.members);
      for (std::int32_t v = 0; v < clique.columns(); ++v) {
        const std::int64_t k = counts[v] - (v == own ? 1 : 0);
        row[v] = !potential.counts(v) ? 0.0
                                      : (potential.table_entry(v, k + 1, clique.members) -
                                         potential.table_entry(v, k, clique.members)) *
                                            factor;
      }
      return;
    }
    if (potential.family == CHORALE_FAMILY_MAX && others > 0) {
      fill_max_row(clique, potential, counts, own, row);
      return;
    }
    for (std::int32_t v = 0; v < clique.columns(); ++v) {
      std::copy_n(counts, clique.columns(), varied_);
      if (own >= 0)
        --varied_[own];
      ++varied_[v];
      row[v] = evaluate(clique, centre);
    }
  }

  // The greatest entry of all values but one is the greatest, or the second of them.
  static void fill_max_row(const Clique &clique, const Potential &potential,
                           const std::int64_t *counts, std::int32_t own, double *row) noexcept {
    const double factor = potential.factor(clique.members);
    const auto entry = [&](std::int32_t v, std::int64_t more) {
      return scale_score(
          potential.table_entry(v, counts[v] - (v == own ? 1 : 0) + more, clique.members), factor);
    };
    double first = kForbidden;
    double second = kForbidden;
    std::int32_t top = -1;
    for (std::int32_t v = 0; v < clique.columns(); ++v) {
      if (!potential.counts(v))
        continue;
      const double score = entry(v, 0);
      if (top < 0 || score > first) {
        second = first;
        first = score;
        top = v;
      } else {
        second = std::max(second, score);
      }
    }
    for (std::int32_t v = 0; v < clique.columns(); ++v)
      row[v] = potential.counts(v) ? std::max(entry(v, 1), v == top ? second : first) : first;
  }

  Run &run_;
  PolishMemory &polish_;
  const Model &model_;
  std::int32_t number_;
  const Chain chain_;
  BlockMemory memory_;
  Slot *slots_;
  std::int64_t *counts_;
  std::int64_t *varied_;
  std::int32_t *by_clique_;
  double *rows_ = nullptr; // in a walk: outgoing rows of the program
  const std::int64_t *row_begin_ = nullptr;
};

class Polisher {
public:
  explicit Polisher(Run &run) noexcept
      : run_(run), model_(*run.model), course_(run.course.polish) {
    Layout layout(run.behind(run.room_bytes.chain));
    polish_ = PolishMemory(layout, model_);
  }

  // Until nothing gains, from where the last call has left it. False where the call must end.
  bool run() noexcept {
    if (course_.stage == PolishStage::counts) {
      if (!count())
        return false;
      course_.stage = PolishStage::sweeps;
    }
    while (course_.sweep < kSweeps) {
      if (!sweep())
        return false;
      course_.next = 0;
      ++course_.sweep;
      if (!std::exchange(course_.changed, false))
        break;
    }
    return true;
  }

private:
  // Members counted between two looks at the limits.
  static constexpr std::int32_t kCounted = 1 << 16;

  bool count() noexcept {
    PolishMemory &at = polish_;
    if (course_.clique == 0 && course_.member == 0) {
      at.counts.clear();
      std::fill_n(at.changed_at, model_.cliques.size(), 0);
      std::fill_n(at.visited_at, model_.chains.size(), -1);
    }
    std::int32_t left = 0;
    for (; course_.clique < model_.cliques.size(); ++course_.clique, course_.member = 0) {
      const Clique &clique = model_.cliques[course_.clique];
      const std::int64_t first = model_.first_count(course_.clique);
      for (std::int32_t &i = course_.member; i < clique.members; ++i) {
        if (left == 0) {
          if (!run_.check_limits(run_.at.workers[0]))
            return false;
          run_.finish_step();
          left = kCounted;
        }
        --left;
        if (const std::int32_t v = run_.at.now.shown(clique, i); v >= 0)
          at.counts.add(first + v, 1);
      }
    }
    return true;
  }

  bool is_stale(const Chain &chain, std::int32_t visited) const noexcept {
    for (std::int64_t s = chain.first_slot; s < chain.first_slot + chain.slots; ++s)
      if (polish_.changed_at[model_.clique_of(s)] > visited)
        return true;
    return false;
  }

  // As many chains in a row as their proposals have room, from `next` on.
  void take_batch() noexcept {
    std::int32_t labels = 0;
    std::int32_t wholes = 0;
    std::int64_t &next = course_.next;
    std::int64_t &count = course_.batch;
    for (; next < model_.chains.size() && count < polish_.batch_chains; ++next) {
      const Chain &chain = model_.chains[next];
      if (chain.slots == 0)
        continue;
      const std::int32_t length = chain.length + chain.length % 2;
      if (count > 0 && (labels + length > polish_.proposal_labels ||
                        wholes + chain.wholes() > polish_.proposal_wholes))
        break;
      polish_.batch[count] = {
          static_cast<std::int32_t>(next), labels, wholes, Verdict::unknown, false, 0};
      labels += length; // labels that share a byte are of one chain
      wholes += chain.wholes();
      ++count;
    }
    course_.judged = 0;
    course_.batch_stamp = course_.stamp;
  }

  // Over all chains, or those that are left. False where the call must end.
  bool sweep() noexcept {
    while (course_.batch > 0 || course_.next < model_.chains.size()) {
      if (course_.batch == 0)
        take_batch();
      parallel_for(run_.options.executor, course_.batch, kChainGrain,
                   [&](std::int64_t k, std::int32_t w) noexcept {
                     Proposal &proposal = polish_.batch[k];
                     if (proposal.verdict == Verdict::unknown &&
                         run_.check_limits(run_.at.workers[w]))
                       propose(proposal, run_.at.workers[w]);
                   });
      if (run_.must_stop())
        return false;
      for (; course_.judged < course_.batch; ++course_.judged) {
        const Proposal &proposal = polish_.batch[course_.judged];
        if (proposal.verdict == Verdict::gains && !run_.check_limits(run_.at.workers[0]))
          return false;
        judge(proposal);
        if (run_.must_stop())
          return false;
      }
      course_.batch = 0;
    }
    return true;
  }

  // Finds what the chain would show; its verdict stays unknown where limits have ended that.
  void propose(Proposal &proposal, Worker &worker) noexcept {
    const bool is_due =
        is_stale(model_.chains[proposal.chain], polish_.visited_at[proposal.chain]);
    const Verdict verdict = !is_due                   ? Verdict::unchanged
                            : gains(proposal, worker) ? Verdict::gains
                                                      : Verdict::stays;
    // Limits may have ended a walk, which tells nobody.
    if (worker.limits.interruption() != Interruption::none) {
      run_.check_limits(worker);
      return;
    }
    proposal.verdict = verdict;
    run_.finish_step();
  }

  // Whether a labelling of the chain gains over what it shows; it is then in the proposal.
  bool gains(Proposal &proposal, Worker &worker) noexcept {
    const Chain &chain = model_.chains[proposal.chain];
    Layout layout(worker.room);
    ChainBlock block(layout, run_, polish_, proposal.chain);
    ChainProgram program(layout, model_, proposal.chain, run_.view_of(proposal.chain),
                         run_.options.joint);
    program.set_room(worker.room + layout.bytes());
    block.load();
    block.sort();
    if (block.repeats && course_.sweep >= kVisits)
      return false;
    const auto offer_found = [&]() noexcept {
      MeasuredSum before;
      MeasuredSum after;
      block.compare(program.score, program.shown, before, after);
      if (!chorale::gains(before, after.total))
        return false;
      polish_.proposed_labels.write(proposal.first_label, chain.length, program.labels);
      std::copy_n(program.shown, chain.wholes(), polish_.proposed_wholes + proposal.first_whole);
      proposal.score = program.score;
      proposal.repeats = block.repeats;
      return true;
    };
    const auto offer = [&]() noexcept {
      if (program.decode(worker.limits))
        return offer_found();
      run_.give_up(program, worker);
      return false;
    };
    block.fill_rows(program);
    if (offer())
      return true;
    if (!block.repeats || run_.must_stop())
      return false;
    double most = program.score;
    for (std::int32_t s = 0; s < chain.slots && most > kForbidden; ++s)
      most += program.shown[s] < 0 ? kForbidden
                                   : program.incoming[program.row_begin()[s] + program.shown[s]];
    if (block.fill_linear(program) && offer())
      return true;
    block.fill_rows(program);
    if (block.is_plain() ? block.walk(program, worker)
                         : block.move_best(program, most, worker.limits))
      return block.is_plain() ? offer_found() : offer();
    run_.give_up(program, worker);
    return false;
  }

  // Takes a proposal that still gains.
  void judge(const Proposal &proposal) noexcept {
    const std::int32_t number = proposal.chain;
    if (proposal.verdict == Verdict::unchanged)
      return;
    const std::int32_t visited = std::exchange(polish_.visited_at[number], course_.batch_stamp);
    if (proposal.verdict == Verdict::stays)
      return;
    const bool was_current = !is_stale(model_.chains[number], course_.batch_stamp);
    Layout layout(run_.at.workers[0].room);
    ChainBlock block(layout, run_, polish_, number);
    block.load();
    const std::int32_t *shown = block.read(proposal);
    // Under the counts that it was made for a proposal gains what it gained then.
    if (!was_current) {
      block.sort();
      MeasuredSum before;
      MeasuredSum after;
      block.compare(proposal.score, shown, before, after);
      if (run_.must_stop())
        polish_.visited_at[number] = visited;
      if (run_.must_stop() || !chorale::gains(before, after.total))
        return;
    }
    ++course_.stamp;
    course_.changed = course_.moved = true;
    block.move_counts(shown, course_.stamp);
    run_.at.now.set(number, block.labels(), shown, proposal.score);
    // Decoded against the counts as they are, with exact gains, it is at its best.
    if (was_current && !proposal.repeats)
      polish_.visited_at[number] = course_.stamp;
  }

  Run &run_;
  PolishMemory polish_;
  const Model &model_;
  PolishCourse &course_;
};

} // namespace

std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept {
  Layout layout;
  const BlockMemory memory(layout, model, chain);
  return layout.bytes();
}

} // namespace chorale

using namespace chorale;

// From the best labelling of the rounds, then from the chains' own where that is another one.
void chorale_run::polish() noexcept {
  PolishCourse &polish = course.polish;
  if (!has_labelling)
    return;
  if (polish.stage == PolishStage::none) {
    drop_round();
    course.dual = {};
    polish.score_before = at.best.total();
    polish.round_before = best_round;
    if (model->slots.empty()) {
      polished_score = polished_own_score = at.best.total();
      return;
    }
    at.now.copy(at.best);
    polish.stage = PolishStage::counts;
  }
  do {
    if (polish.stage != PolishStage::score) {
      if (!Polisher(*this).run()) {
        offer_polished_so_far();
        return;
      }
      polish.stage = PolishStage::score;
    }
    if (!evaluate(at.now))
      return;
  } while (end_polish());
}

// Takes what a start has come to; whether there is another start, which is then under way.
bool chorale_run::end_polish() noexcept {
  PolishCourse &polish = course.polish;
  best_round = polish.round_before;
  if (at.now.total() > polish.score_before) {
    at.best.copy(at.now);
    best_round = polish.from_own ? 0 : rounds;
  }
  (polish.from_own ? polished_own_score : polished_score) = at.now.total();
  if (!polish.from_own && (polish.round_before > 0 || polish.score_before != own_score)) {
    polish = {};
    polish.stage = PolishStage::counts;
    polish.from_own = true;
    polish.score_before = at.best.total();
    polish.round_before = best_round;
    at.now.copy(at.own);
    return true;
  }
  if (!polish.from_own)
    polished_own_score = polished_score;
  polish = {};
  is_polished = true;
  return false;
}

// What has been gained is part of the result also of a call that ends here, if it takes little to
// score it.
void chorale_run::offer_polished_so_far() noexcept {
  constexpr std::int64_t kMembers = 1 << 20;
  if (failure.load(std::memory_order_relaxed) != RunFailure::none ||
      model->slots.size() + model->chains.size() > kMembers ||
      !std::exchange(course.polish.moved, false))
    return;
  MeasuredSum chains;
  MeasuredSum cliques;
  for (std::int64_t i = 0; i < model->chains.size(); ++i)
    chains.add(at.now.score[i]);
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    cliques.add(score_clique(at.now, c, at.workers[0]));
  at.now.set_totals(chains, cliques);
  if (failure.load(std::memory_order_relaxed) == RunFailure::none &&
      at.now.total() > at.best.total()) {
    at.best.copy(at.now);
    best_round = course.polish.from_own ? 0 : rounds;
  }
}
