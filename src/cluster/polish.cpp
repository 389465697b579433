// Block polish: one chain at a time is decoded anew given what all others show.
//
// What a clique would say of each value of one slot, everything else as it is, is exact as long as
// the chain has no other slot in the clique; then the decoded labelling is the best of the block.
// With several slots in one clique the gains do not add up: what is decoded so is taken only if it
// gains, and otherwise a convex SUM is linearised at the counts (a minorant: what gains there
// gains), and then one such slot after the other is set free alone.
//
// Chains of a batch propose against the same counts, on any number of threads; proposals are then
// judged in the order of the chains, against the counts as they have become.
#include "cluster/run.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kChainGrain = 4;
constexpr std::int64_t kSweeps = 1000; // gains within rounding must not go on for ever

bool gains(double before, double after) noexcept {
  if (before == kForbidden)
    return after > kForbidden;
  return after - before > 1e-12 * std::max(1.0, std::fabs(before));
}

// One chain within its cliques.
class ChainBlock {
public:
  ChainBlock(Layout &layout, Run &run, std::int32_t number) noexcept
      : run_(run), model_(*run.model), number_(number), chain_(model_.chains[number]),
        slots_(model_.slots.begin() + chain_.first_slot) {
    std::int32_t columns = 1;
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      columns = std::max(columns, model_.cliques[slots_[s].clique].columns);
    counts_ = layout.take<std::int64_t>(columns);
    shown = layout.take<std::int32_t>(chain_.slots);
    by_clique_ = layout.take<std::int32_t>(chain_.slots);
  }

  // Reads what the slots show now.
  void load() noexcept {
    for (std::int32_t s = 0; s < chain_.slots; ++s) {
      shown[s] = run_.at.now.shown(slots_[s]);
      by_clique_[s] = s;
    }
    std::sort(by_clique_, by_clique_ + chain_.slots, [this](std::int32_t a, std::int32_t b) {
      return slots_[a].clique != slots_[b].clique ? slots_[a].clique < slots_[b].clique : a < b;
    });
    repeats = false;
    for (std::int32_t k = 1; k < chain_.slots; ++k)
      repeats = repeats || is_repeat(k);
  }

  // What would change in (1) with other values shown, C of cliques that see no change left out: its
  // two sides.
  void compare(double score, const std::int32_t *others, double &before, double &after) noexcept {
    before = run_.at.now.score[number_];
    after = score;
    for (std::int32_t k = 0; k < chain_.slots;) {
      std::int32_t end = k + 1;
      while (end < chain_.slots && is_repeat(end))
        ++end;
      bool changes = false;
      for (std::int32_t j = k; j < end; ++j) {
        const std::int32_t s = by_clique_[j];
        changes = changes || shown[s] != others[s];
      }
      if (changes) {
        before += score_with(k, end, shown);
        after += score_with(k, end, others);
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
      run_.at.changed_at[slots_[s].clique] = stamp;
      if (slots_[s].member == clique.members)
        continue;
      std::int32_t *counts = run_.at.counts + clique.first_count;
      if (shown[s] >= 0)
        --counts[shown[s]];
      if (others[s] >= 0)
        ++counts[others[s]];
    }
  }

  // Rows of what cliques say of each value of each slot alone.
  void fill_rows(ChainProgram &program) noexcept {
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      fill_row(s, program.incoming + program.row_begin()[s]);
  }
  // The same, convex sums with several slots of this chain linearised. False where there are none.
  bool fill_linear(ChainProgram &program) noexcept {
    bool any = false;
    for (std::int32_t k = 0; k < chain_.slots; ++k) {
      const std::int32_t s = by_clique_[k];
      const Clique &clique = model_.cliques[slots_[s].clique];
      if (!is_one_of_several(k) || clique.centred() ||
          clique.potential->family != CHORALE_FAMILY_SUM || !clique.potential->finite_tables ||
          clique.potential->convex_length <= clique.members)
        continue;
      any = true;
      const Potential &potential = *clique.potential;
      const std::int32_t *counts = run_.at.counts + clique.first_count;
      double *row = program.incoming + program.row_begin()[s];
      const double factor = potential.factor(clique.members);
      for (std::int32_t v = 0; v < clique.columns; ++v) {
        const std::int64_t from = std::min<std::int64_t>(counts[v], clique.members - 1);
        row[v] = !potential.counts(v) ? 0.0
                                      : (potential.table_entry(v, from + 1, clique.members) -
                                         potential.table_entry(v, from, clique.members)) *
                                            factor;
      }
    }
    return any;
  }
  // Holds every slot that shares its clique with slot s, or all such slots where s is negative, to
  // what it shows.
  void pin_repeats(ChainProgram &program, std::int32_t but) noexcept {
    for (std::int32_t k = 0; k < chain_.slots; ++k) {
      const std::int32_t s = by_clique_[k];
      if (s == but || !is_one_of_several(k) || shown[s] < 0)
        continue;
      double *row = program.incoming + program.row_begin()[s];
      const double own = row[shown[s]];
      std::fill_n(row, model_.width(slots_[s]), kForbidden);
      row[shown[s]] = own > kForbidden ? own : 0.0;
    }
  }
  bool is_one_of_several(std::int32_t k) const noexcept {
    return (k > 0 && is_repeat(k)) || (k + 1 < chain_.slots && is_repeat(k + 1));
  }
  std::int32_t slot_by_clique(std::int32_t k) const noexcept { return by_clique_[k]; }

  std::int32_t *shown;
  bool repeats = false;

private:
  // Whether the k-th slot by clique is of the same clique as the one before.
  bool is_repeat(std::int32_t k) const noexcept {
    return slots_[by_clique_[k]].clique == slots_[by_clique_[k - 1]].clique;
  }

  std::int32_t centre_value(const Clique &clique) const noexcept {
    return clique.centred() ? run_.at.now.shown(model_.slot(clique, clique.members)) : 0;
  }

  double evaluate(const Clique &clique, std::int32_t centre) noexcept {
    CallbackFailure failed = CallbackFailure::none;
    const double score = clique_score(clique, counts_, centre, &failed);
    if (failed != CallbackFailure::none)
      run_.fail(failed == CallbackFailure::stopped ? RunFailure::potential_stopped
                                                   : RunFailure::potential_value);
    return score;
  }

  // C of the clique of the slots by_clique_[begin .. end) if those show `values`.
  double score_with(std::int32_t begin, std::int32_t end, const std::int32_t *values) noexcept {
    const Clique &clique = model_.cliques[slots_[by_clique_[begin]].clique];
    std::copy_n(run_.at.counts + clique.first_count, clique.columns, counts_);
    std::int32_t centre = centre_value(clique);
    for (std::int32_t k = begin; k < end; ++k) {
      const std::int32_t s = by_clique_[k];
      if (slots_[s].member == clique.members) {
        centre = values[s];
        continue;
      }
      if (shown[s] >= 0)
        --counts_[shown[s]];
      if (values[s] >= 0)
        ++counts_[values[s]];
    }
    return evaluate(clique, centre);
  }

  void fill_row(std::int32_t s, double *row) noexcept {
    const Clique &clique = model_.cliques[slots_[s].clique];
    const std::int32_t *counts = run_.at.counts + clique.first_count;
    if (slots_[s].member == clique.members) {
      for (std::int32_t c = 0; c < clique.centre_values; ++c) {
        std::copy_n(counts, clique.columns, counts_);
        row[c] = evaluate(clique, c);
      }
      return;
    }
    const std::int32_t centre = centre_value(clique);
    const Potential &potential = clique.potential_at(centre);
    std::int64_t others = 0;
    for (std::int32_t v = 0; v < clique.columns; ++v)
      others += potential.counts(v) ? counts[v] - (v == shown[s] ? 1 : 0) : 0;
    // What a SUM gains by one more is a difference of one table, but where nothing else counts.
    if (potential.family == CHORALE_FAMILY_SUM && potential.finite_tables && others > 0) {
      const double factor = potential.factor(clique.members);
      for (std::int32_t v = 0; v < clique.columns; ++v) {
        const std::int64_t k = counts[v] - (v == shown[s] ? 1 : 0);
        row[v] = !potential.counts(v) ? 0.0
                                      : (potential.table_entry(v, k + 1, clique.members) -
                                         potential.table_entry(v, k, clique.members)) *
                                            factor;
      }
      return;
    }
    for (std::int32_t v = 0; v < clique.columns; ++v) {
      std::copy_n(counts, clique.columns, counts_);
      if (shown[s] >= 0)
        --counts_[shown[s]];
      ++counts_[v];
      row[v] = evaluate(clique, centre);
    }
  }

  Run &run_;
  const Model &model_;
  std::int32_t number_;
  const Chain &chain_;
  const Slot *slots_;
  std::int64_t *counts_;
  std::int32_t *by_clique_; // slots by the number of their clique
};

class Polisher {
public:
  explicit Polisher(Run &run) noexcept : run_(run), model_(*run.model) {}

  void run() noexcept {
    count();
    for (std::int64_t sweep = 0; sweep < kSweeps; ++sweep)
      if (!pass() || run_.must_stop())
        return;
  }

private:
  void count() noexcept {
    RunMemory &at = run_.at;
    std::fill_n(at.counts, model_.count_count, 0);
    std::fill_n(at.changed_at, model_.cliques.size(), 0);
    std::fill_n(at.visited_at, model_.chains.size(), -1);
    for (std::int64_t s = 0; s < model_.slots.size(); ++s) {
      const Slot &slot = model_.slots[s];
      const Clique &clique = model_.cliques[slot.clique];
      if (slot.member < clique.members)
        if (const std::int32_t v = at.now.shown(slot); v >= 0)
          ++at.counts[clique.first_count + v];
    }
  }

  bool is_stale(const Chain &chain, std::int32_t visited) const noexcept {
    for (std::int64_t s = chain.first_slot; s < chain.first_slot + chain.slots; ++s)
      if (run_.at.changed_at[model_.slots[s].clique] > visited)
        return true;
    return false;
  }

  // A sweep over all chains; whether anything changed.
  bool pass() noexcept {
    bool changed = false;
    const std::int64_t chains = model_.chains.size();
    for (std::int64_t begin = 0; begin < chains && !run_.must_stop();) {
      // Chains whose labels and slots fit into the room for proposals.
      std::int64_t labels = 0;
      std::int64_t slots = 0;
      std::int64_t end = begin;
      for (; end < chains && end - begin < kBatchChains; ++end) {
        const Chain &chain = model_.chains[end];
        if (end > begin && (labels + chain.length > run_.at.proposal_labels ||
                            slots + chain.slots > run_.at.proposal_slots))
          break;
        labels += chain.length;
        slots += chain.slots;
      }
      const std::int32_t stamp = stamp_;
      parallel_for(run_.options.executor, end - begin, kChainGrain,
                   [&](std::int64_t k, std::int32_t w) noexcept {
                     run_.at.proposed[k] = 0;
                     const auto chain = static_cast<std::int32_t>(begin + k);
                     if (is_stale(model_.chains[chain], run_.at.visited_at[chain]) &&
                         run_.check_limits(run_.at.workers[w]))
                       propose(chain, begin, k, run_.at.workers[w]);
                   });
      if (run_.must_stop())
        break;
      for (std::int64_t k = 0; k < end - begin; ++k)
        if (run_.at.proposed[k] != 0)
          changed |= judge(static_cast<std::int32_t>(begin + k), begin, k, stamp);
      begin = end;
    }
    return changed;
  }

  void propose(std::int32_t number, std::int64_t first, std::int64_t place,
               Worker &worker) noexcept {
    const Chain &chain = model_.chains[number];
    Layout layout(worker.room);
    ChainBlock block(layout, run_, number);
    ChainProgram program(layout, model_, number, run_.view_of(number), run_.options.joint);
    program.set_room(worker.room + layout.bytes());
    block.load();
    const auto offer = [&]() noexcept {
      if (!program.decode()) {
        run_.fail(program.failure);
        return false;
      }
      double before = 0;
      double after = 0;
      block.compare(program.score, program.shown, before, after);
      if (!gains(before, after))
        return false;
      const Chain &from = model_.chains[first];
      std::copy_n(program.labels, chain.length,
                  run_.at.proposed_labels + (chain.first_label - from.first_label));
      std::copy_n(program.shown, chain.slots,
                  run_.at.proposed_shown + (chain.first_slot - from.first_slot));
      run_.at.proposed_score[place] = program.score;
      run_.at.proposed[place] = 2;
      return true;
    };
    run_.at.proposed[place] = 1;
    block.fill_rows(program);
    if (offer() || !block.repeats)
      return;
    if (block.fill_linear(program) && offer())
      return;
    for (std::int32_t k = 0; k < chain.slots && !run_.must_stop(); ++k) {
      if (!block.is_one_of_several(k))
        continue;
      block.fill_rows(program);
      block.pin_repeats(program, block.slot_by_clique(k));
      if (offer())
        return;
    }
  }

  // Takes a proposal that still gains.
  bool judge(std::int32_t number, std::int64_t first, std::int64_t place,
             std::int32_t stamp) noexcept {
    const Chain &chain = model_.chains[number];
    const Chain &from = model_.chains[first];
    const std::int32_t *labels = run_.at.proposed_labels + (chain.first_label - from.first_label);
    const std::int32_t *shown = run_.at.proposed_shown + (chain.first_slot - from.first_slot);
    const bool was_current = !is_stale(chain, stamp);
    run_.at.visited_at[number] = stamp;
    if (run_.at.proposed[place] == 1)
      return false;
    Layout layout(run_.at.workers[0].room);
    ChainBlock block(layout, run_, number);
    block.load();
    double before = 0;
    double after = 0;
    block.compare(run_.at.proposed_score[place], shown, before, after);
    if (!gains(before, after) || run_.must_stop())
      return false;
    ++stamp_;
    block.move_counts(shown, stamp_);
    run_.at.now.set(number, labels, shown, run_.at.proposed_score[place]);
    // Decoded against the counts as they are, with exact gains, it is at its best.
    if (was_current && !block.repeats)
      run_.at.visited_at[number] = stamp_;
    return true;
  }

  Run &run_;
  const Model &model_;
  std::int32_t stamp_ = 0;
};

} // namespace

std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept {
  std::int32_t columns = 1;
  const Chain &of = model.chains[chain];
  for (std::int32_t s = 0; s < of.slots; ++s)
    columns = std::max(columns, model.cliques[model.slots[of.first_slot + s].clique].columns);
  Layout layout;
  layout.take<std::int64_t>(columns);
  layout.take<std::int32_t>(of.slots);
  layout.take<std::int32_t>(of.slots);
  return layout.bytes();
}

} // namespace chorale

using namespace chorale;

void chorale_run::polish() noexcept {
  if (!has_labelling)
    return;
  const double start = at.best.total();
  if (model->slots.empty()) {
    polished_score = polished_own_score = start;
    return;
  }
  at.now.copy(at.best);
  Polisher(*this).run();
  if (failure.load(std::memory_order_relaxed) != RunFailure::none)
    return;
  offer_now();
  polished_score = at.now.total();
  if (best_round > 0 || start != own_score) {
    if (must_stop())
      return;
    at.now.copy(at.own);
    Polisher(*this).run();
    if (failure.load(std::memory_order_relaxed) != RunFailure::none)
      return;
    const std::int64_t round = best_round;
    offer_now();
    if (at.best.total() == at.now.total() && at.now.total() > polished_score)
      best_round = 0;
    else
      best_round = round;
    polished_own_score = at.now.total();
  } else {
    polished_own_score = polished_score;
  }
  is_polished = !must_stop();
}
