// lessons.hpp explains the words used here.
#include "learn/lessons.hpp"

#include "base/components.hpp"
#include "base/logarithm.hpp"
#include "base/sort.hpp"
#include "cluster/run/run.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {
namespace {

// Rounds of a quick run if some kind has position cliques. These need the messages of rounds, since
// the polish moves one position at a time. If all kinds have property cliques, quick runs have no
// rounds: the polish then moves whole chains, and does as well in a tenth of the time.
constexpr std::int64_t kQuickRounds = 3;

// Returns true if a label may stand at t, after that of its parent (-1: unknown, or t is a root).
bool allows(const ChainView &view, std::int32_t t, std::int32_t before, std::int32_t label) noexcept {
  return view.allows(t, label) && view.unary_at(t, label) > kForbidden &&
         (view.parent(t) >= 0 || view.start_at(label) > kForbidden) &&
         (before < 0 || !view.has_edges() || view.edge_at(t, before, label) > kForbidden);
}

} // namespace

Lessons::Lessons(const Memory &memory, const LearnSpec &spec, Learnt &learnt) noexcept
    : memory_(memory), spec_(spec), learnt_(learnt), lessons_(memory), starts_(memory),
      group_(memory), labelled_(memory), gold_(memory), base_(memory), found_(memory),
      fold_(memory), potentials_(memory), limits_(spec.options.time_limit, spec.options.cancel) {}

Lessons::~Lessons() {
  for (Lesson *lesson : lessons_)
    Memory::destroy(lesson, memory_);
}

// ---- Preparation -------------------------------------------------------------------------------

chorale_status Lessons::prepare(const Report &report) noexcept {
  const auto no_memory = [&] { return report.out_of_memory(sizeof(Lesson)); };
  std::int64_t positions = 0;
  std::int64_t chains = 0;
  for (const Problem *problem : spec_.problems) {
    auto *lesson = lessons_.reserve(lessons_.size() + 1) ? memory_.create<Lesson>() : nullptr;
    if (!lesson)
      return no_memory();
    lessons_.push(lesson);
    lesson->problem = problem;
    lesson->model = problem->model;
    lesson->first_position = positions;
    lesson->first_chain = chains;
    for (const Chain &chain : lesson->model->chains) {
      if (!starts_.push(positions))
        return no_memory();
      positions += chain.length;
    }
    chains += lesson->model->chains.size();
    lesson->positions = positions - lesson->first_position;
  }
  if (!gold_.resize(positions) || !base_.resize(positions) || !found_.resize(positions) ||
      !group_.resize(chains))
    return no_memory();
  for (const Lesson *lesson : lessons_) {
    const std::int32_t *gold =
        spec_.options.without_gold != 0 ? nullptr : chorale_problem_gold(lesson->problem);
    for (std::int64_t p = 0; p < lesson->positions; ++p)
      gold_[lesson->first_position + p] = gold ? gold[p] : -1;
    CHORALE_CHECK(find_groups(report, *lesson));
  }
  const Choice none;
  CHORALE_CHECK(label(report, {&none, 1}, Effort::plain));
  std::copy(found_.begin(), found_.end(), base_.begin());
  return spec_.options.without_gold != 0 || interrupted() ? chorale_status{CHORALE_OK}
                                                          : check_gold(report);
}

// Computes the groups of a lesson: chains with the same group number are in one group, and groups
// with members in the same clique are joined.
chorale_status Lessons::find_groups(const Report &report, const Lesson &lesson) noexcept {
  const Model &model = *lesson.model;
  const std::int64_t chains = model.chains.size();
  Array<std::int32_t> above(memory_);
  Array<std::int32_t> order(memory_); // by group number
  if (!above.resize(chains) || !order.resize(chains))
    return report.out_of_memory(sizeof(std::int32_t) * to_size(chains));
  std::iota(above.begin(), above.end(), 0);
  std::iota(order.begin(), order.end(), 0);
  const auto number = [&](std::int32_t i) {
    return model.groups.empty() ? 0 : model.groups.wide(i);
  };
  if (!sort_within(*this, order.begin(), chains, [&](std::int32_t a, std::int32_t b) {
        return number(a) != number(b) ? number(a) < number(b) : a < b;
      }))
    return CHORALE_OK;
  Components components(above);
  Pace pace(*this, Limits::kScattered, chains);
  for (std::int64_t k = 1; k < chains && pace.next(); ++k)
    if (number(order[k]) == number(order[k - 1]))
      components.join(order[k - 1], order[k]);
  for (const Clique &clique : model.cliques)
    for (std::int32_t i = 1; i < clique.all_members() && pace.next(); ++i)
      components.join(model.chain_of(clique, 0), model.chain_of(clique, i));
  components.flatten();
  for (std::int32_t i = 0; i < chains; ++i) {
    group_[lesson.first_chain + i] =
        above[i] < i ? group_[lesson.first_chain + above[i]] : static_cast<std::int32_t>(groups());
    if (above[i] == i && !labelled_.push(0))
      return report.out_of_memory(sizeof(std::int64_t));
  }
  return CHORALE_OK;
}

// Counts the gold labels of each group that their chains allow; the others become unknown.
chorale_status Lessons::check_gold(const Report &report) noexcept {
  chorale_learnt_report &told = learnt_.report;
  Array<std::uint8_t> seen(memory_); // by label: 1 if the scores of some position allow it
  for (const Lesson *lesson : lessons_)
    for (const Chain &chain : lesson->model->chains) {
      const ChainView view = chain.view();
      while (seen.size() < view.labels)
        if (!seen.push(0))
          return report.out_of_memory(to_size(view.labels));
      for (std::int32_t t = 0; t < view.length && spend(8 + view.labels); ++t)
        for (std::int32_t y = 0; y < view.labels; ++y)
          if (view.unary_at(t, y) > kForbidden)
            seen[y] = 1;
    }
  if (interrupted())
    return CHORALE_OK;
  for (std::int32_t l = 0; l < count(); ++l)
    for (std::int64_t i = 0; i < lessons_[l]->model->chains.size(); ++i) {
      const ChainView view = lessons_[l]->model->chains[i].view();
      const std::int64_t first = start(*lessons_[l], i);
      if (view.length > 0 && base_[first] < 0)
        return report.fail(CHORALE_ERROR_NO_LABELLING, "chain ", i, " of problems[", l,
                           "] forbids every labelling; it must allow one");
      for (std::int32_t t = 0; t < view.length; ++t) {
        std::int32_t &gold = gold_[first + t];
        const std::int32_t before = view.parent(t) < 0 ? -1 : gold_[first + view.parent(t)];
        if (gold >= 0 && seen[gold] == 0)
          told.warnings |= CHORALE_WARNING_LABEL_UNSEEN;
        if (gold >= 0 && !allows(view, t, before, gold)) {
          told.warnings |= CHORALE_WARNING_GOLD_FORBIDDEN;
          gold = -1;
        }
        labelled_[group_of(*lessons_[l], i)] += gold >= 0 ? 1 : 0;
      }
    }
  told.positions = std::accumulate(labelled_.begin(), labelled_.end(), std::int64_t{0});
  told.groups = labelled_.size() - std::count(labelled_.begin(), labelled_.end(), 0);
  if (told.positions == 0)
    return report.fail(CHORALE_ERROR_NO_GOLD, "the problems have no gold label that their chains "
                                              "allow; set some with chorale_problem_set_gold");
  if (told.groups < 2)
    return report.fail(CHORALE_ERROR_ONE_GROUP,
                       "all chains with gold labels are of one group, or share cliques; they must "
                       "be in at least 2 groups without common cliques");
  return CHORALE_OK;
}

chorale_status Lessons::deal_folds(const Report &report, std::int32_t most) noexcept {
  folds_ = static_cast<std::int32_t>(std::min<std::int64_t>(most, learnt_.report.groups));
  Array<std::int64_t> order(memory_);
  Array<std::int64_t> filled(memory_); // by fold: its number of gold labels, and of groups
  if (!fold_.resize(groups()) || !order.resize(groups()) || !filled.resize(2 * folds_))
    return report.out_of_memory(sizeof(std::int64_t));
  std::fill(filled.begin(), filled.end(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return labelled_[a] != labelled_[b] ? labelled_[a] > labelled_[b] : a < b;
  });
  for (const std::int64_t g : order) {
    std::int32_t best = 0;
    for (std::int32_t f = 1; f < folds_; ++f)
      if (std::pair(filled[2 * f], filled[2 * f + 1]) <
          std::pair(filled[2 * best], filled[2 * best + 1]))
        best = f;
    fold_[g] = best;
    filled[2 * best] += labelled_[g];
    ++filled[2 * best + 1];
  }
  return CHORALE_OK;
}

std::int32_t Lessons::value_shown(const Lesson &lesson, const Slot &slot,
                                  gsl::span<const std::int32_t> labels) const noexcept {
  const auto shown_by = of_chain(lesson, slot.chain, labels);
  const Model &model = *lesson.model;
  if (slot.position >= 0) {
    const std::int32_t label = shown_by.data()[slot.position];
    return label < 0 ? kUnknown : model.cliques[slot.clique].column_of(slot.member, label);
  }
  if (std::find(shown_by.begin(), shown_by.end(), -1) != shown_by.end())
    return kUnknown;
  // The value as the property numbers it, even if the clique's dictionary does not have it.
  std::int32_t shown = -1;
  bool is_single = true;
  model.attached(slot).each_firing(shown_by, model.chains[slot.chain].view().all_parents(),
                                   [&](std::int32_t value) {
                                     is_single = is_single && (shown < 0 || shown == value);
                                     shown = value;
                                   });
  return is_single ? shown : -1;
}

void Lessons::count(gsl::span<const std::int32_t> labels, gsl::span<LabelCounts> to) const noexcept {
  std::fill(to.begin(), to.end(), LabelCounts{});
  for (const Lesson *lesson : lessons_)
    for (std::int64_t i = 0; i < lesson->model->chains.size(); ++i)
      spec_.measure.add(of_chain(*lesson, i, gold_), of_chain(*lesson, i, labels),
                        to.data()[group_of(*lesson, i)]);
}

// ---- Labelling ---------------------------------------------------------------------------------

bool Lessons::look() noexcept {
  if (const Interruption found = limits_.check_now(); found != Interruption::none)
    learnt_.report.outcome = found == Interruption::cancelled ? CHORALE_OUTCOME_CANCELLED
                                                              : CHORALE_OUTCOME_DEADLINE;
  return interrupted();
}

chorale_status Lessons::make_weights(const Report &report, std::int32_t number, const Strengths &pair,
                                     std::int64_t without, Array<Weight> &to) noexcept {
  const Kind &kind = learnt_.kinds[number];
  bool fits = true;
  if (!kind.is_centred)
    fits = (pair.strength == 0 || to.push({number, Basis::agreement, 0, pair.strength})) &&
           (pair.bonus == 0 || to.push({number, Basis::single, 0, pair.bonus}));
  else if (pair.strength != 0 && kind.values > 0 && pair.uses_log_odds)
    return make_log_odds(report, number, pair.strength, without, to);
  else if (pair.strength != 0)
    for (std::int64_t v = 0; v < std::min(kind.centre_values, kind.values) && fits; ++v)
      fits = kind.leaves_out(v) ||
             to.push({number, Basis::centre, v * kind.columns() + v, pair.strength});
  return fits ? CHORALE_OK : report.out_of_memory(sizeof(Weight));
}

// Makes the weights of a centred kind: a strength times the log-odds of the gold labels, with 1 added to
// each count.
chorale_status Lessons::make_log_odds(const Report &report, std::int32_t number, double strength,
                                      std::int64_t without, Array<Weight> &to) noexcept {
  const std::int64_t columns = learnt_.kinds[number].columns();
  const std::int64_t size = learnt_.kinds[number].centre_values * columns;
  Array<double> counts(memory_); // centre values x columns
  if (!counts.resize(size))
    return report.out_of_memory(to_size(size) * sizeof(double));
  std::fill(counts.begin(), counts.end(), 1.0);
  for (const Lesson *lesson : lessons_)
    for (std::int32_t c = 0; c < lesson->model->cliques.size(); ++c) {
      const Clique clique = lesson->model->cliques[c];
      if (chorale_problem_clique_kind(lesson->problem, c) != number ||
          fold_[group_of(*lesson, lesson->model->chain_of(clique, 0))] == without ||
          !spend(Limits::kScattered * (1 + clique.members)))
        continue;
      const std::int32_t centre =
          value_shown(*lesson, lesson->model->member(c, clique.members), gold_);
      for (std::int32_t i = 0; i < clique.members && centre >= 0; ++i)
        if (const std::int32_t v = value_shown(*lesson, lesson->model->member(c, i), gold_);
            v >= 0 && v < columns)
          ++counts[centre * columns + v];
    }
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
    if (!to.push({number, Basis::centre, k, strength * log_odds}))
      return report.out_of_memory(sizeof(Weight));
  }
  return CHORALE_OK;
}

chorale_status Lessons::label(const Report &report, gsl::span<const Choice> choices,
                              Effort effort) noexcept {
  for (Lesson *lesson : lessons_) {
    if (look())
      return CHORALE_OK;
    CHORALE_CHECK(label_lesson(report, *lesson, choices, effort));
  }
  return CHORALE_OK;
}

chorale_status Lessons::make_potentials(const Report &report, const Lesson &lesson,
                                        gsl::span<const Choice> choices) noexcept {
  const Model &model = *lesson.model;
  if (!potentials_.begin(model))
    return report.out_of_memory(sizeof(Exchange) * to_size(model.cliques.size()));
  Pace pace(*this, 16 + 2 * Limits::kScattered, model.cliques.size());
  for (std::int64_t c = 0; c < model.cliques.size() && pace.next(); ++c) {
    const std::int32_t number = chorale_problem_clique_kind(lesson.problem, c);
    const Clique clique = model.cliques[c];
    if (number < 0)
      continue;
    const Kind &kind = learnt_.kinds[number];
    const std::int32_t fold = clique.all_members() == 0 || fold_.empty()
                                  ? -1
                                  : fold_[group_of(lesson, model.chain_of(clique, 0))];
    const Choice &choice = choices.data()[choices.size() == 1 ? 0 : fold];
    const Strengths &pair = choice.of[static_cast<std::size_t>(kind.family())];
    const std::int64_t key = choices.size() == 1 && !pair.uses_log_odds ? 0 : fold;
    CHORALE_CHECK(
        potentials_.give(report, model, c, number, kind, key, [&](Array<Weight> &to) {
          return make_weights(report, number, pair, fold, to);
        }));
  }
  return CHORALE_OK;
}

chorale_status Lessons::label_lesson(const Report &report, Lesson &lesson,
                                     gsl::span<const Choice> choices, Effort effort) noexcept {
  CHORALE_CHECK(make_potentials(report, lesson, choices));
  if (interrupted())
    return CHORALE_OK;
  Model *model =
      exchange(memory_, lesson.model->log, *lesson.model, potentials_.exchanges(), {});
  if (!model)
    return report.out_of_memory(lesson.model->bytes());
  const bool is_quick = effort == Effort::quick;
  chorale_run_options options{};
  options.struct_size = sizeof options;
  options.threads = spec_.options.threads;
  options.cancel = spec_.options.cancel;
  if (effort == Effort::plain)
    options.rounds = CHORALE_NO_ROUNDS, options.no_polish = 1;
  else if (is_quick)
    options.rounds = std::all_of(learnt_.kinds.begin(), learnt_.kinds.end(),
                                 [](const Kind &kind) { return kind.is_property || kind.cliques == 0; })
                         ? std::int64_t{CHORALE_NO_ROUNDS}
                         : kQuickRounds;
  if (look()) {
    release(model);
    return CHORALE_OK;
  }
  chorale_error error;
  chorale_run *run = nullptr;
  chorale_run_result result{};
  result.struct_size = sizeof result;
  chorale_status status = chorale_run_create(spec_.host, model, &options,
                                             is_quick ? lesson.run : nullptr, &run, &error);
  release(model);
  if (status == CHORALE_OK) {
    run->options.always_labels = false;
    run->options.time_limit = limits_.seconds_left();
    status = chorale_run_solve(run, &result, &error);
  }
  ++learnt_.report.runs;
  if (result.outcome == CHORALE_OUTCOME_DEADLINE || result.outcome == CHORALE_OUTCOME_CANCELLED)
    learnt_.report.outcome = result.outcome;
  if (status == CHORALE_OK && !interrupted()) {
    // Cliques without a kind may forbid every labelling that the run tried.
    const bool is_alone = effort == Effort::plain || result.score <= kForbidden;
    std::int32_t *labels = found_.begin() + lesson.first_position;
    if (result.left_out > 0 && result.left_out == lesson.model->chains.size())
      std::fill_n(labels, lesson.positions, -1); // the run has no labels
    else
      status = chorale_run_all_labels(run, is_alone ? CHORALE_ALONE : CHORALE_TOGETHER, labels,
                                      lesson.positions, nullptr, &error);
    std::swap(run, lesson.run);
  }
  chorale_run_destroy(run);
  if (status == CHORALE_OK && spec_.options.progress && !interrupted()) {
    const std::int64_t runs = learnt_.report.runs;
    const chorale_learn_progress progress{sizeof progress, runs, std::max(most_runs_, runs)};
    if (spec_.options.progress(spec_.options.progress_user, &progress) != 0)
      learnt_.report.outcome = CHORALE_OUTCOME_CANCELLED;
  }
  return pass_on(report, status, error);
}

} // namespace chorale
