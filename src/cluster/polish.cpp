// Block polish: one chain at a time is decoded anew given what all others show.
//
// What a clique would say of each value of one slot, everything else as it is, is exact as long as
// the chain has no other slot in the clique; then the decoded labelling is the best of the block.
// With several slots in one clique the gains do not add up: what is decoded so is taken only if it
// gains, and otherwise a convex SUM is linearised at the counts (a minorant: what gains there
// gains), and then one such slot after the other is set free alone.
//
// Chains of a batch, those whose cliques have changed, propose against the same counts, on any
// number of threads; proposals are then judged in the order of the chains, against the counts as
// they have become.
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

// What one chain needs in the polish.
struct BlockMemory {
  BlockMemory(Layout &layout, const Model &model, std::int32_t number) noexcept {
    const Chain &chain = model.chains[number];
    std::int32_t columns = 1;
    for (std::int32_t s = 0; s < chain.slots; ++s)
      columns = std::max(columns, model.cliques.type(model.clique_of(chain.first_slot + s)).columns);
    counts = layout.take<std::int64_t>(columns);
    varied = layout.take<std::int64_t>(columns);
    slots = layout.take<Slot>(chain.slots);
    shown = layout.take<std::int32_t>(chain.slots);
    proposed = layout.take<std::int32_t>(chain.slots);
    by_clique = layout.take<std::int32_t>(chain.slots);
    labels = layout.take<std::int32_t>(chain.length);
  }
  std::int64_t *counts;    // of a clique
  std::int64_t *varied;    // the same, some slots showing something else
  Slot *slots;             // of the chain
  std::int32_t *shown;     // now
  std::int32_t *proposed;  // what a proposal would show
  std::int32_t *by_clique; // slots by the number of their clique
  std::int32_t *labels;    // of a proposal
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
      memory_.proposed[s] = slots_[s].position < 0
                                ? polish_.proposed_wholes[proposal.first_whole + s]
                                : model_.cliques[slots_[s].clique].column_of(
                                      slots_[s].member, memory_.labels[slots_[s].position]);
    return memory_.proposed;
  }
  const std::int32_t *labels() const noexcept { return memory_.labels; }

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
          clique.potential()->family != CHORALE_FAMILY_SUM || !clique.potential()->finite_tables ||
          clique.potential()->convex_length <= clique.members)
        continue;
      any = true;
      const Potential &potential = *clique.potential();
      load_counts(slots_[s].clique);
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
    return clique.centred() ? run_.at.now.shown(clique, clique.members) : 0;
  }

  void load_counts(std::int32_t clique) noexcept {
    polish_.counts.load(model_.first_count(clique), model_.cliques.type(clique).columns, counts_);
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

  void fill_row(std::int32_t s, double *row) noexcept {
    const Clique &clique = model_.cliques[slots_[s].clique];
    const std::int64_t *counts = counts_;
    load_counts(slots_[s].clique);
    if (slots_[s].member == clique.members) {
      for (std::int32_t c = 0; c < clique.centre_values(); ++c) {
        std::copy_n(counts, clique.columns(), varied_);
        row[c] = evaluate(clique, c);
      }
      return;
    }
    const std::int32_t centre = centre_value(clique);
    const Potential &potential = clique.potential_at(centre);
    std::int64_t others = 0;
    for (std::int32_t v = 0; v < clique.columns(); ++v)
      others += potential.counts(v) ? counts[v] - (v == shown[s] ? 1 : 0) : 0;
    // What a SUM gains by one more is a difference of one table, but where nothing else counts.
    if (potential.family == CHORALE_FAMILY_SUM && potential.finite_tables && others > 0) {
      const double factor = potential.factor(clique.members);
      for (std::int32_t v = 0; v < clique.columns(); ++v) {
        const std::int64_t k = counts[v] - (v == shown[s] ? 1 : 0);
        row[v] = !potential.counts(v) ? 0.0
                                      : (potential.table_entry(v, k + 1, clique.members) -
                                         potential.table_entry(v, k, clique.members)) *
                                            factor;
      }
      return;
    }
    if (potential.family == CHORALE_FAMILY_MAX && others > 0) {
      fill_max_row(clique, potential, counts, shown[s], row);
      return;
    }
    for (std::int32_t v = 0; v < clique.columns(); ++v) {
      std::copy_n(counts, clique.columns(), varied_);
      if (shown[s] >= 0)
        --varied_[shown[s]];
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
};

class Polisher {
public:
  explicit Polisher(Run &run) noexcept : run_(run), model_(*run.model) {
    Layout layout(run.behind(run.room_bytes.chain));
    polish_ = PolishMemory(layout, model_);
  }

  void run() noexcept {
    count();
    for (std::int64_t sweep = 0; sweep < kSweeps; ++sweep)
      if (!pass() || run_.must_stop())
        return;
  }

private:
  void count() noexcept {
    PolishMemory &at = polish_;
    at.counts.clear();
    std::fill_n(at.changed_at, model_.cliques.size(), 0);
    std::fill_n(at.visited_at, model_.chains.size(), -1);
    for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
      const Clique &clique = model_.cliques[c];
      for (std::int32_t i = 0; i < clique.members; ++i)
        if (const std::int32_t v = run_.at.now.shown(clique, i); v >= 0)
          at.counts.add(model_.first_count(c) + v, 1);
    }
  }

  bool is_stale(const Chain &chain, std::int32_t visited) const noexcept {
    for (std::int64_t s = chain.first_slot; s < chain.first_slot + chain.slots; ++s)
      if (polish_.changed_at[model_.clique_of(s)] > visited)
        return true;
    return false;
  }

  // A sweep over all chains; whether anything changed.
  bool pass() noexcept {
    PolishMemory &at = polish_;
    bool changed = false;
    const std::int64_t chains = model_.chains.size();
    for (std::int64_t next = 0; next < chains && !run_.must_stop();) {
      // As many chains in a row as their proposals have room.
      std::int32_t labels = 0;
      std::int32_t wholes = 0;
      std::int64_t count = 0;
      for (; next < chains && count < at.batch_chains; ++next) {
        const Chain &chain = model_.chains[next];
        if (chain.slots == 0)
          continue;
        const std::int32_t length = chain.length + chain.length % 2;
        if (count > 0 && (labels + length > at.proposal_labels ||
                          wholes + chain.wholes() > at.proposal_wholes))
          break;
        at.batch[count] = {static_cast<std::int32_t>(next), labels, wholes, Verdict::unchanged, 0};
        labels += length; // labels that share a byte are of one chain
        wholes += chain.wholes();
        ++count;
      }
      const std::int32_t stamp = stamp_;
      parallel_for(run_.options.executor, count, kChainGrain,
                   [&](std::int64_t k, std::int32_t w) noexcept {
                     if (run_.check_limits(run_.at.workers[w]))
                       propose(at.batch[k], run_.at.workers[w]);
                   });
      if (run_.must_stop())
        break;
      for (std::int64_t k = 0; k < count; ++k)
        changed |= judge(at.batch[k], stamp);
    }
    return changed;
  }

  void propose(Proposal &proposal, Worker &worker) noexcept {
    const Chain &chain = model_.chains[proposal.chain];
    if (!is_stale(chain, polish_.visited_at[proposal.chain]))
      return;
    proposal.verdict = Verdict::stays;
    Layout layout(worker.room);
    ChainBlock block(layout, run_, polish_, proposal.chain);
    ChainProgram program(layout, model_, proposal.chain, run_.view_of(proposal.chain),
                         run_.options.joint);
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
      polish_.proposed_labels.write(proposal.first_label, chain.length, program.labels);
      std::copy_n(program.shown, chain.wholes(), polish_.proposed_wholes + proposal.first_whole);
      proposal.score = program.score;
      proposal.verdict = Verdict::gains;
      return true;
    };
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
  bool judge(const Proposal &proposal, std::int32_t stamp) noexcept {
    const std::int32_t number = proposal.chain;
    if (proposal.verdict == Verdict::unchanged)
      return false;
    polish_.visited_at[number] = stamp;
    if (proposal.verdict == Verdict::stays)
      return false;
    const bool was_current = !is_stale(model_.chains[number], stamp);
    Layout layout(run_.at.workers[0].room);
    ChainBlock block(layout, run_, polish_, number);
    block.load();
    const std::int32_t *shown = block.read(proposal);
    if (run_.must_stop())
      return false;
    // Under the counts that it was made for a proposal gains what it gained then.
    if (!was_current) {
      double before = 0;
      double after = 0;
      block.compare(proposal.score, shown, before, after);
      if (!gains(before, after))
        return false;
    }
    ++stamp_;
    block.move_counts(shown, stamp_);
    run_.at.now.set(number, block.labels(), shown, proposal.score);
    // Decoded against the counts as they are, with exact gains, it is at its best.
    if (was_current && !block.repeats)
      polish_.visited_at[number] = stamp_;
    return true;
  }

  Run &run_;
  PolishMemory polish_;
  const Model &model_;
  std::int32_t stamp_ = 0;
};

} // namespace

std::size_t polish_bytes(const Model &model, std::int32_t chain) noexcept {
  Layout layout;
  const BlockMemory memory(layout, model, chain);
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
