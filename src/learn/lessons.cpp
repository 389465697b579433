// lessons.hpp explains the words used here.
#include "learn/lessons.hpp"

#include "base/components.hpp"
#include "base/logarithm.hpp"
#include "cluster/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace chorale {
namespace {

// Rounds of a quick run if some kind has position cliques. These need the messages of rounds, since
// the local search moves one position at a time. If all kinds have property cliques, quick runs have
// no rounds: the local search then moves whole chains, and does as well in a tenth of the time.
constexpr std::int64_t kQuickRounds = 3;
constexpr std::int64_t kMostRuns = 53; // of a problem: 17 for each of 3 families, 1 before, 1 after
constexpr std::int32_t kFolds = 10;

// True if mask, unary, start, end and transition scores allow `label` at t if the parent of t has the
// label `before` (-1: unknown, or t is a root).
bool allows(const ChainView &view, std::int32_t t, bool is_leaf, std::int32_t before,
            std::int32_t label) noexcept {
  return view.allows(t, label) && view.unary_at(t, label) > kForbidden &&
         (view.parent(t) >= 0 || view.start_at(label) > kForbidden) &&
         (!is_leaf || view.end_at(label) > kForbidden) &&
         (before < 0 || !view.has_edges() || view.edge_at(t, before, label) > kForbidden);
}

} // namespace

Lessons::Lessons(const Memory &memory, const LearnSpec &spec, Learnt &result) noexcept
    : learnt(result), lessons(memory), starts(memory), group(memory), labelled(memory),
      fold(memory), gold(memory), base(memory), found(memory), memory_(memory), spec_(spec),
      limits_(spec.options.time_limit, spec.options.cancel), weights_(memory) {}

Lessons::~Lessons() {
  for (const Lesson &lesson : lessons)
    chorale_run_destroy(lesson.run);
}

chorale_status Lessons::prepare(const Report &report) {
  std::int64_t positions = 0;
  for (const Problem *problem : spec_.problems) {
    need(lessons.push({problem, problem->model, positions, starts.size(), nullptr}));
    for (const Chain &chain : problem->model->chains) {
      need(starts.push(positions));
      positions += chain.length;
    }
  }
  need(gold.fill(positions, -1) && base.resize(positions) && found.resize(positions) &&
       group.resize(starts.size()));
  for (const Lesson &lesson : lessons) {
    const std::int32_t *given = chorale_problem_gold(lesson.problem);
    if (given && spec_.options.without_gold == 0)
      std::copy_n(given, lesson.model->label_count, gold.begin() + lesson.first_position);
    find_groups(lesson);
  }
  CHORALE_CHECK(label(report, Choice{}, Effort::plain));
  std::copy(found.begin(), found.end(), base.begin());
  return spec_.options.without_gold != 0 ? chorale_status{CHORALE_OK} : check_gold(report);
}

// Computes the groups of a lesson: chains with the same group number in the model are in one group
// (all chains if it has no numbers), and groups with members in the same clique are joined.
void Lessons::find_groups(const Lesson &lesson) {
  const Model &model = *lesson.model;
  const std::int64_t chains = model.chains.size();
  Array<std::int32_t> above(memory_);
  Array<std::int32_t> order(memory_); // by group number
  need(above.resize(chains) && order.resize(chains));
  std::iota(above.begin(), above.end(), 0);
  std::iota(order.begin(), order.end(), 0);
  const auto number = [&](std::int32_t i) {
    return model.groups.empty() ? 0 : model.groups.wide(i);
  };
  spend(2 * Limits::kScattered * chains);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return number(a) != number(b) ? number(a) < number(b) : a < b;
  });
  Components components(above);
  for (std::int64_t k = 1; k < chains; ++k)
    if (number(order[k]) == number(order[k - 1]))
      components.join(order[k - 1], order[k]);
  for (const Clique &clique : model.cliques) {
    spend(Limits::kScattered * clique.all_members());
    for (std::int32_t i = 1; i < clique.all_members(); ++i)
      components.join(model.chain_of(clique, 0), model.chain_of(clique, i));
  }
  components.flatten();
  for (std::int32_t i = 0; i < chains; ++i) {
    const bool is_first = above[i] == i;
    group[lesson.first_chain + i] = is_first ? static_cast<std::int32_t>(labelled.size())
                                             : group[lesson.first_chain + above[i]];
    need(!is_first || labelled.push(0));
  }
}

// Makes the gold labels that their chains forbid unknown, and counts the remaining ones by group.
// Deals groups with gold labels to folds in turn.
chorale_status Lessons::check_gold(const Report &report) {
  LearntReport &told = learnt.report;
  Array<std::uint8_t> leaves(memory_);
  for (const Lesson &lesson : lessons)
    for (std::int64_t i = 0; i < lesson.model->chains.size(); ++i) {
      const ChainView view = lesson.model->chains[i].view();
      const std::int64_t first = starts[lesson.first_chain + i];
      if (view.length > 0 && base[first] < 0)
        return report.fail(CHORALE_ERROR_NO_LABELLING, "chain ", i, " of problems[",
                           &lesson - lessons.begin(),
                           "] forbids every labelling; it must allow one");
      spend(32 * std::int64_t{view.length});
      need(leaves.resize(view.length));
      view.mark_leaves({leaves.begin(), to_size(view.length)});
      for (std::int32_t t = 0; t < view.length; ++t) {
        std::int32_t &label = gold[first + t];
        const std::int32_t before = view.parent(t) < 0 ? -1 : gold[first + view.parent(t)];
        if (label >= 0 && !allows(view, t, leaves[t] != 0, before, label)) {
          told.warnings |= CHORALE_WARNING_GOLD_FORBIDDEN;
          label = -1;
        }
        labelled[group[lesson.first_chain + i]] += label >= 0 ? 1 : 0;
      }
    }
  told.positions = std::accumulate(labelled.begin(), labelled.end(), std::int64_t{0});
  told.groups = labelled.size() - std::count(labelled.begin(), labelled.end(), 0);
  if (told.positions == 0)
    return report.fail(CHORALE_ERROR_NO_GOLD, "the problems have no gold label that their chains "
                                              "allow; set some with chorale_problem_set_gold");
  if (told.groups < 2)
    return report.fail(CHORALE_ERROR_ONE_GROUP,
                       "all chains with gold labels are of one group, or share cliques; they must "
                       "be in at least 2 groups without common cliques");
  folds = static_cast<std::int32_t>(std::min<std::int64_t>(kFolds, told.groups));
  need(fold.resize(labelled.size()));
  std::int32_t next = 0;
  for (std::int64_t g = 0; g < labelled.size(); ++g)
    fold[g] = labelled[g] > 0 ? next++ % folds : 0;
  return CHORALE_OK;
}

std::int32_t Lessons::value_shown(const Lesson &lesson, const Slot &slot,
                                  gsl::span<const std::int32_t> labels) const noexcept {
  const Model &model = *lesson.model;
  const auto shown_by = labels.subspan(to_size(starts[lesson.first_chain + slot.chain]),
                                       to_size(model.chains[slot.chain].length));
  if (slot.position >= 0) {
    const std::int32_t label = shown_by.data()[slot.position];
    return label < 0 ? kUnknown : model.cliques[slot.clique].column_of(slot.member, label);
  }
  if (std::find(shown_by.begin(), shown_by.end(), -1) != shown_by.end())
    return kUnknown;
  const Clique clique = model.cliques[slot.clique];
  const std::int32_t value = clique.value_of(model.attached(slot).evaluate(
      shown_by, model.chains[slot.chain].view().all_parents()));
  const bool has_out = clique.dictionary() && clique.dictionary()->has_unlisted;
  return value < clique.values() - (has_out ? 1 : 0) ? value : -1;
}

void Lessons::count(const Array<std::int32_t> &labels, LabelCounts *counts) const noexcept {
  const auto classes = spec_.measure.classes;
  const auto begins = spec_.measure.begins;
  const auto costs = spec_.measure.costs;
  std::fill_n(counts, labelled.size(), LabelCounts{});
  for (std::int64_t i = 0; i < starts.size(); ++i) {
    const std::int64_t first = starts[i];
    const std::int64_t last = i + 1 < starts.size() ? starts[i + 1] : gold.size();
    LabelCounts &to = counts[group[i]];
    const auto class_of = [&](const Array<std::int32_t> &of, std::int64_t t) {
      return classes.empty() || t < first || t >= last || gold[t] < 0 ? -1 : classes.data()[of[t]];
    };
    // True if t belongs to the span of t - 1.
    const auto goes_on = [&](const Array<std::int32_t> &of, std::int64_t t) {
      return !begins.empty() && class_of(of, t) >= 0 && class_of(of, t - 1) == class_of(of, t) &&
             begins.data()[of[t]] == 0;
    };
    // True if the gold span (or token) that t - 1 is in begins where the given one does, and is of
    // the same class.
    bool is_same = false;
    for (std::int64_t t = first; t <= last; ++t) {
      const bool stays = goes_on(gold, t);
      const bool found_stays = goes_on(labels, t);
      const bool begins_gold = class_of(gold, t) >= 0 && !stays;
      const bool begins_found = class_of(labels, t) >= 0 && !found_stays;
      to[kRight] += is_same && !stays && !found_stays ? 1 : 0;
      to[kGold] += begins_gold ? 1 : 0;
      to[kFound] += begins_found ? 1 : 0;
      is_same = begins_gold && begins_found ? class_of(gold, t) == class_of(labels, t)
                                            : is_same && stays && found_stays;
      if (t == last || gold[t] < 0)
        continue;
      to[kCorrect] += gold[t] == labels[t] ? 1 : 0;
      to[kKnown] += 1;
      to[kPaid] += costs ? costs.data[gold[t] * costs.stride + labels[t]] : 0;
      to[kChanged] += labels[t] != base[t] ? 1 : 0;
      to[kRightBefore] += labels[t] != base[t] && base[t] == gold[t] ? 1 : 0;
      to[kRightAfter] += labels[t] != base[t] && labels[t] == gold[t] ? 1 : 0;
    }
  }
}

void Lessons::make_weights(std::int32_t number, const Choice &choice, std::int64_t without,
                           Array<Weight> &to) {
  const Kind &kind = learnt.kinds[number];
  const Strengths &pair = choice[kind.family()];
  if (pair.strength == 0 && pair.bonus == 0)
    return;
  if (kind.is_centred() && folds > 0)
    make_log_odds(number, pair.strength, without, to);
  else if (kind.is_centred())
    for (std::int64_t v = 0; v < std::min(kind.centre_values, kind.values); ++v)
      need(kind.leaves_out(v) ||
           to.push({number, Basis::centre, v * kind.columns() + v, pair.strength}));
  else
    need((pair.strength == 0 || to.push({number, Basis::agreement, 0, pair.strength})) &&
         (pair.bonus == 0 || to.push({number, Basis::single, 0, pair.bonus})));
}

// Makes the weights of a centred kind: a strength times the log-odds of the gold labels, with 1 added to
// each count.
void Lessons::make_log_odds(std::int32_t number, double strength, std::int64_t without,
                            Array<Weight> &to) {
  const std::int64_t columns = learnt.kinds[number].columns();
  const std::int64_t size = learnt.kinds[number].centre_values * columns;
  Array<double> counts(memory_); // centre values x columns
  need(counts.fill(size, 1.0));
  each_clique([&](const Lesson &lesson, std::int32_t c, std::int32_t kind) {
    const std::int32_t members = lesson.model->cliques[c].members;
    if (kind != number || fold[group_of(lesson, c)] == without)
      return;
    spend(Limits::kScattered * members);
    const std::int32_t centre = value_shown(lesson, lesson.model->member(c, members), gold);
    for (std::int32_t i = 0; i < members && centre >= 0; ++i)
      if (const std::int32_t v = value_shown(lesson, lesson.model->member(c, i), gold);
          v >= 0 && v < columns)
        ++counts[centre * columns + v];
  });
  const auto sum = [&](std::int64_t first, std::int64_t step, std::int64_t end) {
    double total = 0;
    for (std::int64_t k = first; k < end; k += step)
      total += counts[k];
    return total;
  };
  const double all = sum(0, 1, size);
  for (std::int64_t k = 0; k < size; ++k) {
    const double row = sum(k - k % columns, 1, k - k % columns + columns);
    const double column = sum(k % columns, columns, size);
    const double log_odds = natural_log(counts[k] / row) - natural_log(column / all);
    // Rounded, so that the 14 digits that are written (learnt.cpp) read back as the same number.
    need(to.push({number, Basis::centre, k, std::round(1e9 * strength * log_odds) / 1e9}));
  }
}

chorale_status Lessons::label(const Report &report, const Choice &choice, Effort effort) {
  for (Lesson &lesson : lessons) {
    CHORALE_CHECK(label_lesson(report, lesson, choice, effort));
    const chorale_learn_progress progress{sizeof progress, ++learnt.report.runs,
                                          kMostRuns * lessons.size()};
    if (spec_.options.progress &&
        spec_.options.progress(spec_.options.progress_user, &progress) != 0)
      end_by(CHORALE_OUTCOME_CANCELLED);
  }
  return CHORALE_OK;
}

chorale_status Lessons::label_lesson(const Report &report, Lesson &lesson, const Choice &choice,
                                     Effort effort) {
  const Model &model = *lesson.model;
  Model *under = nullptr; // the problem's model with the potentials of the choice
  CHORALE_CHECK(exchange_kinds(
      report, memory_, model.log, learnt, *lesson.problem,
      [&](std::int32_t clique, std::int32_t kind) {
        spend(16 + 2 * Limits::kScattered);
        return learnt.kinds[kind].is_centred() && !fold.empty() ? fold[group_of(lesson, clique)] : folds;
      },
      [&](std::int32_t kind, std::int64_t without) {
        weights_.truncate(0);
        make_weights(kind, choice, without, weights_);
        return span_of(std::as_const(weights_).begin(), weights_.size());
      },
      under));
  const bool has_positions =
      std::any_of(learnt.kinds.begin(), learnt.kinds.end(),
                  [](const Kind &kind) { return kind.cliques > 0 && !kind.is_property; });
  const bool is_quick = effort == Effort::quick;
  chorale_run_options options{};
  options.struct_size = sizeof options;
  options.threads = spec_.options.threads;
  options.cancel = spec_.options.cancel;
  options.no_local_search = effort == Effort::plain ? 1 : 0;
  if (effort != Effort::usual)
    options.rounds = is_quick && has_positions ? kQuickRounds : std::int64_t{CHORALE_NO_ROUNDS};
  chorale_error error;
  const auto pass_on = [&](chorale_status status) {
    return status == CHORALE_OK ? status : report.fail(status, error.message);
  };
  chorale_run *made = nullptr;
  const chorale_status status = chorale_run_create(
      spec_.host, under, &options, is_quick ? lesson.run : nullptr, &made, &error);
  release(under);
  CHORALE_CHECK(pass_on(status));
  const std::unique_ptr<chorale_run, void (*)(chorale_run *)> last(
      std::exchange(lesson.run, made), chorale_run_destroy);
  made->options.within = &limits_;
  chorale_run_result result{};
  result.struct_size = sizeof result;
  CHORALE_CHECK(pass_on(chorale_run_solve(made, &result, &error)));
  if (result.outcome == CHORALE_OUTCOME_DEADLINE || result.outcome == CHORALE_OUTCOME_CANCELLED)
    end_by(result.outcome);
  std::int32_t *labels = found.begin() + lesson.first_position;
  if (result.left_out > 0 && result.left_out == model.chains.size()) {
    std::fill_n(labels, model.label_count, -1); // all chains are left out
    return CHORALE_OK;
  }
  // Cliques without a kind may forbid every labelling that the run tried.
  const bool is_alone = effort == Effort::plain || result.score <= kForbidden;
  return pass_on(chorale_run_labels(made, CHORALE_ALL_CHAINS,
                                    is_alone ? CHORALE_ALONE : CHORALE_TOGETHER, labels,
                                    model.label_count, nullptr, &error));
}

} // namespace chorale
