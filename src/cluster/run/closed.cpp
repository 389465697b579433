// closed.hpp explains the words used here.
#include "cluster/run/closed.hpp"

#include "potential/member_row.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kClosedGrain = 4;

// phi of an item by label, if nothing but its unary scores counts.
template <class Number> struct PlainScores {
  const Number *unary;
  double operator()(std::int32_t y) const noexcept { return unary[y] + 0.0; } // turns -0 into 0
};

// Returns work(score), where score(y) is phi of an item under label y. `score` is a PlainScores if
// nothing but the item's unary scores counts.
template <class Work>
auto with_scores(const Setting &setting, std::int32_t item, Work &&work) noexcept {
  const Chain &chain = setting.model.chains[item];
  if (!setting.inputs.is_plain_item(chain, item)) {
    const ChainView view = setting.inputs.view_of(item);
    return work([&view](std::int32_t y) noexcept { return view.score({&y, 1}); });
  }
  return chain.single ? work(PlainScores<float>{static_cast<const float *>(chain.unary)})
                      : work(PlainScores<double>{static_cast<const double *>(chain.unary)});
}

// Returns the best of the labels y for which takes(y) is true.
template <class Score, class Takes>
ItemLabel best_of(std::int32_t labels, Score &&score, Takes &&takes) noexcept {
  ItemLabel best{0, kForbidden};
  for (std::int32_t y = 0; y < labels; ++y)
    if (takes(y))
      if (const double of_label = score(y); of_label > best.score)
        best = {y, of_label};
  return best;
}

// Writes to message[v], for each column v of the clique, `strength` times C if `member` shows v and
// all other members show what they show in `labelling`.
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
  const Slot slot = setting.model.slot(chain, 0);
  const Clique clique = setting.inputs.clique(slot.clique);
  std::byte *const room = setting.worker(0).room;
  const double *message = nullptr;
  RunFailure failure = RunFailure::none;
  if (clique.members <= kAnsweredMembers) {
    PlacedClique placed(setting, room, slot.clique, state.own);
    Limits none;
    load_items(setting, clique, placed.program.incoming, none);
    placed.program.answer(none);
    message = placed.program.outgoing_row(slot.member).data();
    failure = placed.program.failure;
  } else {
    Layout layout(room);
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

ItemLabel best_label(const Setting &setting, std::int32_t item) noexcept {
  return with_scores(setting, item, [&](auto &&score) noexcept {
    return best_of(setting.model.chains[item].labels, score, [](std::int32_t) { return true; });
  });
}

bool load_items(const Setting &setting, const Clique &clique, gsl::span<double> scores,
                Limits &limits) noexcept {
  const Model &model = setting.model;
  const std::int64_t K = clique.columns();
  Expects(scores.size() >= to_size(clique.members) * to_size(K));
  double *rows = scores.data();
  for (std::int32_t i = 0; i < clique.members; ++i) {
    double *row = rows + i * K;
    if (!limits.spend(16 + K))
      return false;
    const std::int32_t item = model.chain_of(clique, i);
    const std::int32_t labels = model.chains[item].labels;
    with_scores(setting, item, [&](auto &&score) noexcept {
      if constexpr (requires { score.unary; })
        if (clique.shows_labels(i) && labels == K) {
          std::copy_n(score.unary, K, row);
          return;
        }
      std::fill_n(row, K, kForbidden);
      for (std::int32_t y = 0; y < labels; ++y) {
        double &entry = row[clique.column_of(i, y)];
        entry = std::max(entry, score(y));
      }
    });
  }
  return true;
}

std::int32_t show_items(const Setting &setting, const Clique &clique,
                        gsl::span<const std::int32_t> columns, Assignment &labelling) noexcept {
  Expects(columns.size() >= to_size(clique.members));
  const std::int32_t *shown = columns.data();
  std::int32_t changes = 0;
  const bool shows_labels = clique.shows_labels(0);
  for (std::int32_t i = 0; i < clique.members; ++i) {
    if (shown[i] < 0)
      continue; // the item is left out
    const std::int32_t site = setting.model.site(clique, i);
    const std::int32_t present = labelling.labels.get(site);
    if (shows_labels && present == shown[i])
      continue;
    const std::int32_t chain = setting.model.chain_at(site);
    const ItemLabel best = with_scores(setting, chain, [&](auto &&score) noexcept {
      if (shows_labels)
        return ItemLabel{shown[i], score(shown[i])};
      return best_of(setting.model.chains[chain].labels, score, [&](std::int32_t y) noexcept {
        return clique.column_of(i, y) == shown[i];
      });
    });
    if (best.label == present)
      continue;
    labelling.set_item(chain, site, best.label, best.score);
    ++changes;
  }
  return changes;
}

bool solve_closed(const Setting &setting, RunState &state, std::int64_t number,
                  Worker &worker) noexcept {
  PlacedClique placed(setting, worker.room, number, state.own);
  CliqueProgram &program = placed.program;
  const Clique &clique = placed.clique;
  if (!load_items(setting, clique, program.incoming, worker.limits))
    return setting.call.end(worker);
  if (!program.solve(worker.limits))
    return setting.call.give_up(program, worker);
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
                 if (setting.model.cliques[c].closed() && state.clique_needs.data()[c] != 0 &&
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
  // `to` first receives max-marginals. Nothing is written before the first allowed label, since
  // nothing must be written if there is none; then all labels before that one get minus infinity.
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
