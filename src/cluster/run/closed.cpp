// closed.hpp explains the words used here.
#include "cluster/run/closed.hpp"

#include "potential/member_row.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kClosedGrain = 4;
// Items are scattered in memory. So their scores are prefetched this many members ahead, and their
// records (chains.hpp) twice as many members ahead. The members of all cliques lie end to end, so
// prefetching goes on into the next clique.
constexpr std::int64_t kSitesAhead = 16;
constexpr std::int64_t kLine = 64; // bytes of a cache line

// Must be inlined: g++ 12 assumes that a function which only prefetches has no effect, and drops
// the call.
[[gnu::always_inline]] inline void prefetch_bytes(const void *first, std::int64_t bytes) noexcept {
  const auto *scores = static_cast<const std::byte *>(first);
  for (std::int64_t at = 0; at < bytes; at += kLine)
    __builtin_prefetch(scores + at);
  if (bytes > 0)
    __builtin_prefetch(scores + bytes - 1);
}

[[gnu::always_inline]] inline void prefetch_ahead(const Model &model, std::int64_t place) noexcept {
  const std::int64_t members = model.members.size();
  if (const std::int64_t next = place + 2 * kSitesAhead; next < members)
    if (const std::int32_t site = model.members[next]; site >= 0)
      model.chains.prefetch(model.chain_at(site));
  if (const std::int64_t next = place + kSitesAhead; next < members)
    if (const std::int32_t site = model.members[next]; site >= 0) {
      const Chain item = model.chains[model.chain_at(site)];
      prefetch_bytes(item.unary, item.unary && item.length == 1 ? item.unary_bytes() : 0);
    }
}

// Does the work of load_items() for a clique in which the column of a member is its label, if the
// scores of all items lie end to end at `from` as rows of K entries. This is faster, since the
// records of the items (chains.hpp) are not read.
bool load_rows(const Model &model, const Clique &clique, const double *from, double *rows,
               Limits &limits) noexcept {
  const std::int64_t K = clique.columns();
  const std::int64_t last = model.members.size() - 1;
  for (std::int32_t i = 0; i < clique.members; ++i) {
    if (!limits.spend(16 + K))
      return false;
    const std::int64_t place = std::int64_t{clique.first_slot} + i;
    const std::int64_t ahead = model.chain_at(model.members[std::min(place + kSitesAhead, last)]);
    prefetch_bytes(from + ahead * K, K * static_cast<std::int64_t>(sizeof(double)));
    std::copy_n(from + model.chain_at(model.members[place]) * K, K, rows + i * K);
  }
  return true;
}

// Returns the best of the labels y for which takes(y) is true.
template <class Takes> ItemLabel best_of(const ChainView &item, Takes &&takes) noexcept {
  ItemLabel best{0, kForbidden};
  for (std::int32_t y = 0; y < item.labels; ++y)
    if (takes(y))
      if (const double score = item.score({&y, 1}); score > best.score)
        best = {y, score};
  return best;
}

// Writes, for each of the K columns that `member` can show, `strength` times C with the other
// members fixed to `labelling`.
RunFailure hold_others(const Clique &clique, double strength, const Assignment &labelling,
                       std::int32_t member, Layout &layout, double *message) noexcept {
  const std::int32_t K = clique.columns();
  const auto counts = layout.take_span<std::int64_t>(K);
  auto *varied = layout.take<std::int64_t>(K);
  count_columns(clique, counts, [&](std::int32_t i) noexcept {
    return i == member ? -1 : labelling.shown(clique, i);
  });
  CallbackFailure failed = CallbackFailure::none;
  fill_member_row(*clique.potential(), counts, clique.total(), clique.weight(member),
                  span_of(varied, K), span_of(message, K), &failed);
  for (std::int32_t v = 0; v < K; ++v)
    message[v] = scale_score(message[v], strength);
  return RunFailure::of(failed, clique);
}

// Computes the message of a closed clique to one of its items, in the scratch memory of the first
// worker, then calls visit(y, score) with the max-marginal of each label y.
template <class Visit>
RunFailure each_marginal(const Setting &setting, const RunState &state, std::int32_t chain,
                         Visit &&visit) noexcept {
  const Model &model = setting.model;
  const Slot slot = model.slot(chain, 0);
  const Clique clique = setting.inputs.clique(slot.clique);
  std::byte *room = setting.worker(0).room;
  Layout layout(room);
  const double *message = nullptr;
  RunFailure failure = RunFailure::none;
  if (clique.members <= kAnsweredMembers) {
    CliqueProgram program(layout, clique, setting.options.clique, nullptr,
                          setting.inputs.strength(slot.clique));
    program.set_room(room + layout.bytes(), setting.rooms.bytes().worker - layout.bytes());
    Limits none;
    load_items(setting, clique, program.incoming, none);
    program.leave_out(model, state.own);
    program.answer(none);
    message = program.outgoing_row(slot.member).data();
    failure = program.failure;
  } else {
    auto *row = layout.take<double>(clique.columns());
    failure = hold_others(clique, setting.inputs.strength(slot.clique), state.best, slot.member,
                          layout, row);
    message = row;
  }
  if (failure != RunFailure::none)
    return failure;
  const ChainView item = setting.inputs.view_of(chain);
  for (std::int32_t y = 0; y < item.labels; ++y)
    visit(y, item.score({&y, 1}) + message[clique.column_of(slot.member, y)]);
  return failure;
}

} // namespace

ItemLabel best_label(const ChainView &item) noexcept {
  return best_of(item, [](std::int32_t) { return true; });
}

bool load_items(const Setting &setting, const Clique &clique, gsl::span<double> scores,
                Limits &limits) noexcept {
  const Model &model = setting.model;
  const std::int64_t K = clique.columns();
  Expects(scores.size() >= to_size(clique.members) * to_size(K));
  double *rows = scores.data();
  if (const double *all = setting.inputs.item_rows();
      all && clique.shows_labels(0) && model.chains.row_labels() == K)
    return load_rows(model, clique, all, rows, limits);
  for (std::int32_t i = 0; i < clique.members; ++i) {
    prefetch_ahead(model, std::int64_t{clique.first_slot} + i);
    double *row = rows + i * K;
    if (!limits.spend(16 + K))
      return false;
    const std::int32_t number = model.chain_of(clique, i);
    const Chain chain = model.chains[number];
    const double *plain = setting.inputs.plain_item(chain, number);
    if (plain && clique.shows_labels(i) && chain.labels == K) {
      std::copy_n(plain, K, row);
      continue;
    }
    const ChainView item = setting.inputs.view_of(number);
    std::fill_n(row, K, kForbidden);
    for (std::int32_t y = 0; y < item.labels; ++y) {
      double &entry = row[clique.column_of(i, y)];
      entry = std::max(entry, item.score({&y, 1}));
    }
  }
  return true;
}

std::int32_t show_items(const Setting &setting, const Clique &clique,
                        gsl::span<const std::int32_t> columns, Assignment &labelling) noexcept {
  Expects(columns.size() >= to_size(clique.members));
  const std::int32_t *shown = columns.data();
  std::int32_t changes = 0;
  // If `labelling` stores no phi, none is computed.
  const bool shows_labels = clique.shows_labels(0);
  const bool sets_labels = shows_labels && labelling.scores().empty();
  for (std::int32_t i = 0; i < clique.members; ++i) {
    if (shown[i] < 0)
      continue; // the item is left out
    const std::int32_t site = setting.model.site(clique, i);
    const std::int32_t present = labelling.labels.get(site);
    if (sets_labels) {
      changes += present != shown[i] ? 1 : 0;
      labelling.labels.set(site, shown[i]);
      continue;
    }
    if (shows_labels && present == shown[i])
      continue;
    const std::int32_t chain = setting.model.chain_at(site);
    const ChainView item = setting.inputs.view_of(chain);
    const ItemLabel best =
        shows_labels
            ? ItemLabel{shown[i], item.score({shown + i, 1})}
            : best_of(item, [&](std::int32_t y) { return clique.column_of(i, y) == shown[i]; });
    if (best.label == present)
      continue;
    labelling.set_item(chain, site, best.label, best.score);
    ++changes;
  }
  return changes;
}

bool solve_closed(const Setting &setting, RunState &state, std::int64_t number,
                  Worker &worker) noexcept {
  const Clique clique = setting.inputs.clique(number);
  Layout layout(worker.room);
  CliqueProgram program(layout, clique, setting.options.clique, nullptr,
                        setting.inputs.strength(number));
  program.set_room(worker.room + layout.bytes(), setting.rooms.bytes().worker - layout.bytes());
  if (!load_items(setting, clique, program.incoming, worker.limits)) {
    setting.call.check(worker);
    return false;
  }
  program.leave_out(setting.model, state.own);
  if (!program.solve(worker.limits)) {
    setting.call.give_up(program, worker);
    return false;
  }
  if (program.solved)
    worker.messages_changed += show_items(setting, clique, program.shown, state.now);
  ++worker.clique_updates;
  state.clique_needs.data()[number] = 0;
  setting.call.finish_step();
  return true;
}

bool solve_all_closed(const Setting &setting, RunState &state) noexcept {
  setting.each(setting.model.cliques.size(), kClosedGrain,
               [&](std::int64_t c, std::int32_t w) noexcept {
                 if (setting.model.cliques.type(c).closed && state.clique_needs.data()[c] != 0 &&
                     setting.check(w))
                   solve_closed(setting, state, c, setting.worker(w));
               });
  state.tally.take(setting.workers());
  return !setting.call.must_end();
}

RunFailure closed_marginals(const Setting &setting, const RunState &state, std::int32_t chain,
                            gsl::span<double> marginals, double *margin) noexcept {
  Expects(marginals.empty() || marginals.size() >= to_size(setting.model.chains[chain].labels));
  double *to = marginals.data();
  TwoBest top;
  const RunFailure failure =
      each_marginal(setting, state, chain, [&](std::int32_t y, double score) noexcept {
        if (to)
          to[y] = score;
        top.add(score);
      });
  if (margin && failure == RunFailure::none)
    *margin = top.margin();
  return failure;
}

RunFailure closed_probabilities(const Setting &setting, const RunState &state, std::int32_t chain,
                                double temperature, gsl::span<double> to, bool &found) noexcept {
  const std::size_t labels = to_size(setting.model.chains[chain].labels);
  Expects(to.size() >= labels);
  double *row = to.data();
  // `to` first receives max-marginals. Nothing is written before the first allowed label; then the
  // labels below it get minus infinity.
  found = false;
  const RunFailure failure =
      each_marginal(setting, state, chain, [&](std::int32_t y, double score) noexcept {
        if (!found && score > kForbidden) {
          found = true;
          std::fill_n(row, y, kForbidden);
        }
        if (found)
          row[y] = score;
      });
  if (found)
    LogSums(temperature).to_probabilities(to.first(labels));
  return failure;
}

} // namespace chorale
