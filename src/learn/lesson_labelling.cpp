// Labels problems under given weights by runs (chorale/run.h) of models with learnt potentials, and
// stores the labellings found as planes (objective.hpp). lessons.hpp explains the words used here.
#include "learn/lessons.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Number of rounds of a run if some kind has position cliques. These need the messages of rounds,
// since the polish moves one position at a time. If all kinds have property cliques, runs have no
// rounds: the polish then moves whole chains, and does as well without rounds in a tenth of the
// time.
constexpr std::int64_t kUsualRounds = 3;

} // namespace

chorale_status Lessons::label(const Report &report, gsl::span<const double> theta,
                              gsl::span<const std::int32_t> theta_of_group, bool with_costs,
                              gsl::span<double> cost) noexcept {
  std::fill(cost.begin(), cost.end(), 0.0);
  for (Lesson *lesson : lessons_) {
    CHORALE_CHECK(label_lesson(report, *lesson, theta, theta_of_group, with_costs));
    if (interrupted())
      return CHORALE_OK;
    CHORALE_CHECK(add_planes(report, *lesson, found_));
    if (!cost.empty())
      add_costs(*lesson, found_, cost);
  }
  return CHORALE_OK;
}

bool Lessons::look() noexcept {
  if (const Interruption found = limits_.check_now(); found != Interruption::none)
    outcome_ =
        found == Interruption::cancelled ? CHORALE_OUTCOME_CANCELLED : CHORALE_OUTCOME_DEADLINE;
  return interrupted();
}

std::int64_t Lessons::own_rounds() const noexcept {
  if (!fits_temperature_)
    return are_all_properties() ? 0 : kUsualRounds;
  // Probabilities depend on messages, so they are those of a run with the default rounds.
  chorale_run_options defaults;
  chorale_run_options_init(&defaults, sizeof defaults);
  return defaults.rounds;
}

chorale_status Lessons::label_lesson(const Report &report, Lesson &lesson,
                                     gsl::span<const double> theta,
                                     gsl::span<const std::int32_t> theta_of_group,
                                     bool with_costs) noexcept {
  std::int32_t *labels = found_.begin() + lesson.first_position;
  std::copy_n(base_.begin() + lesson.first_position, lesson.positions, labels);
  chorale_run_options options = spec_.run;
  if (options.rounds == kOwnRounds)
    options.rounds = own_rounds();
  options.cancel = spec_.cancel;
  options.time_limit = limits_.seconds_left();
  if (look())
    return CHORALE_OK;
  const chorale_status made = make_exchanges(report, lesson, theta, theta_of_group);
  if (made != CHORALE_OK) {
    drop_potentials();
    return made;
  }
  if (interrupted()) {
    drop_potentials();
    return CHORALE_OK;
  }
  const std::int64_t chains = lesson.model->chains.size();
  const bool plain = fits_temperature_ || (!with_costs && lesson.gold_bonus == 0);
  gsl::span<const void *const> unary;
  if (!plain)
    unary = {lesson.unary.begin() + (with_costs ? chains : 0), to_size(chains)};
  Model *model = exchange(memory_, lesson.model->log, *lesson.model,
                          span_of(exchanges_.begin(), exchanges_.size()), unary);
  drop_potentials();
  if (!model)
    return report.out_of_memory(lesson.model->bytes());
  if (look()) {
    release(model);
    return CHORALE_OK;
  }
  chorale_error error;
  chorale_run *run = nullptr;
  chorale_run_result result;
  chorale_run_result_init(&result, sizeof result);
  chorale_status status = chorale_run_create(spec_.host, model, &options,
                                             with_costs ? lesson.earlier : nullptr, &run, &error);
  release(model);
  if (status == CHORALE_OK)
    status = chorale_run_solve(run, &result, &error);
  ++runs_;
  if (status == CHORALE_OK &&
      (result.outcome == CHORALE_OUTCOME_DEADLINE || result.outcome == CHORALE_OUTCOME_CANCELLED))
    outcome_ = result.outcome;
  // If cliques without a kind forbid every labelling that the run tried, `labels` keeps the
  // tagger's labels.
  if (status == CHORALE_OK && !interrupted() && result.score > kForbidden)
    status =
        chorale_run_all_labels(run, CHORALE_TOGETHER, labels, lesson.positions, nullptr, &error);
  if ((with_costs || fits_temperature_) && status == CHORALE_OK)
    std::swap(run, lesson.earlier);
  chorale_run_destroy(run);
  if (status == CHORALE_OK && spec_.progress && !interrupted()) {
    const chorale_learn_progress progress{sizeof progress, runs_, std::max(most_runs_, runs_)};
    if (spec_.progress(spec_.progress_user, &progress) != 0)
      outcome_ = CHORALE_OUTCOME_CANCELLED;
  }
  return pass_on(report, status, error);
}

void Lessons::drop_potentials() noexcept {
  for (const MadePotential &made : made_) {
    release(made.potential);
    for (std::int32_t k = 0; made.centre && k < learnt_->kinds[made.kind].centre_values; ++k)
      release(made.centre[k]);
  }
  made_.truncate(0);
}

chorale_status Lessons::make_exchanges(const Report &report, const Lesson &lesson,
                                       gsl::span<const double> theta,
                                       gsl::span<const std::int32_t> theta_of_group) noexcept {
  const Model &model = *lesson.model;
  if (!exchanges_.resize(model.cliques.size()))
    return report.out_of_memory(sizeof(Exchange) * to_size(model.cliques.size()));
  Pace pace(*this, 16 + 2 * Limits::kScattered, model.cliques.size());
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    if (!pace.next())
      return CHORALE_OK;
    exchanges_[c] = {};
    const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
    const Clique clique = model.cliques[c];
    if (kind < 0)
      continue;
    std::int32_t number = 0;
    if (!theta_of_group.empty() && clique.all_members() > 0)
      number = theta_of_group.data()[group_of(lesson, model.chain_of(clique, 0))];
    const MadePotential *found =
        std::find_if(made_.begin(), made_.end(), [&](const MadePotential &made) {
          return made.kind == kind && made.values == clique.values() && made.theta == number;
        });
    MadePotential made{};
    if (found != made_.end()) {
      made = *found;
    } else {
      CHORALE_CHECK(make_potential(report, learnt_->kinds[kind], kind, clique.values(), number,
                                   theta.subspan(to_size(number * learnt_->weights.size())), made));
    }
    exchanges_[c] = {made.potential, made.centre};
  }
  return CHORALE_OK;
}

chorale_status Lessons::make_potential(const Report &report, const Kind &kind, std::int32_t number,
                                       std::int32_t values, std::int32_t theta_number,
                                       gsl::span<const double> theta,
                                       MadePotential &made) noexcept {
  made = {number, values, theta_number, nullptr, nullptr};
  const auto weights = span_of(learnt_->weights.begin() + kind.first_weight, kind.weights);
  const auto of_kind = theta.subspan(to_size(kind.first_weight), to_size(kind.weights));
  if (!made_.reserve(made_.size() + 1))
    return report.out_of_memory(sizeof(MadePotential));
  Potential *potential = nullptr;
  if (!kind.is_centred) {
    CHORALE_CHECK(create_learnt(report, memory_, kind, weights, of_kind, values, -1, potential));
    made.potential = potential;
    made_.push(made);
    return CHORALE_OK;
  }
  auto *centre = centres_.take_array<const Potential *>(kind.centre_values);
  if (!centre)
    return report.out_of_memory(sizeof(Potential *) * to_size(kind.centre_values));
  std::fill_n(centre, kind.centre_values, nullptr);
  made.centre = centre;
  made_.push(made);
  for (std::int32_t c = 0; c < kind.centre_values; ++c) {
    CHORALE_CHECK(create_learnt(report, memory_, kind, weights, of_kind, values, c, potential));
    centre[c] = potential;
  }
  return CHORALE_OK;
}

// ---- Labellings as planes ----------------------------------------------------------------------

chorale_status Lessons::measure(const Report &report, const Lesson &lesson,
                                gsl::span<const std::int32_t> labels, Array<double> &to) noexcept {
  const Model &model = *lesson.model;
  const std::int64_t width = 1 + learnt_->weights.size();
  if (!to.resize(lesson.groups * width))
    return report.out_of_memory(to_size(lesson.groups * width) * sizeof(double));
  std::fill(to.begin(), to.end(), 0.0);
  const auto row = [&](std::int64_t chain) {
    return to.begin() + (group_of(lesson, chain) - lesson.first_group) * width;
  };
  for (std::int64_t i = 0; i < model.chains.size(); ++i) {
    const ChainView view = model.chains[i].view();
    if (!spend(64 + 8 * std::int64_t{view.length}))
      return CHORALE_OK;
    const std::int64_t start = chain_start(lesson, i);
    double score = view.score(of_chain(lesson, i, labels));
    for (std::int32_t t = 0; t < view.length; ++t)
      if (gold_[start + t] >= 0 && gold_[start + t] == labels.data()[start + t])
        score += lesson.gold_bonus;
    row(i)[0] += score;
  }
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const Clique clique = model.cliques[c];
    const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
    if (clique.all_members() == 0)
      continue;
    if (!spend(64 + 2 * Limits::kScattered * std::int64_t{clique.all_members()} + clique.columns()))
      return CHORALE_OK;
    if (!counts_.resize(clique.columns()))
      return report.out_of_memory(to_size(clique.columns()) * sizeof(std::int64_t));
    std::fill(counts_.begin(), counts_.end(), 0);
    std::int32_t centre = 0;
    std::int64_t chain = 0;
    for (std::int32_t i = 0; i < clique.all_members(); ++i) {
      const Slot slot = model.member(static_cast<std::int32_t>(c), i);
      chain = slot.chain;
      const auto shown_by = of_chain(lesson, slot.chain, labels);
      const std::int32_t shown = slot.position < 0
                                     ? model.attached(slot).evaluate(
                                           shown_by, model.chains[slot.chain].view().all_parents())
                                     : clique.column_of(i, shown_by.data()[slot.position]);
      if (i == clique.members)
        centre = shown;
      else if (shown >= 0)
        ++counts_[shown];
    }
    double *at = row(chain);
    if (kind >= 0) {
      const Kind &of = learnt_->kinds[kind];
      add_bases(of, span_of(learnt_->weights.begin() + of.first_weight, of.weights), clique,
                counts_, centre, span_of(at + 1 + of.first_weight, of.weights));
      continue;
    }
    CallbackFailure failed = CallbackFailure::none;
    const double score = clique.potential_at(centre).evaluate(
        span_of(counts_.begin(), counts_.size()), clique.members, &failed);
    if (failed == CallbackFailure::none && score > kForbidden)
      at[0] += score;
  }
  return CHORALE_OK;
}

chorale_status Lessons::add_planes(const Report &report, const Lesson &lesson,
                                   gsl::span<const std::int32_t> labels) noexcept {
  const std::int64_t d = learnt_->weights.size();
  const std::int64_t width = 1 + d;
  CHORALE_CHECK(measure(report, lesson, labels, measured_));
  if (interrupted())
    return CHORALE_OK;
  Array<double> cost(memory_);
  if (!cost.resize(groups()))
    return report.out_of_memory(to_size(groups()) * sizeof(double));
  std::fill(cost.begin(), cost.end(), 0.0);
  add_costs(lesson, labels, cost);
  for (std::int64_t g = 0; g < lesson.groups; ++g) {
    double *row = measured_.begin() + g * width;
    const double *reference = reference_measure_.begin() + (lesson.first_group + g) * width;
    for (std::int64_t k = 0; k < width; ++k)
      row[k] -= reference[k];
    row[0] += kLossShare * unit_ * cost[lesson.first_group + g];
    if (labelled_[lesson.first_group + g] == 0 || !is_finite_score(row[0]))
      continue;
    if (!pools_.add(lesson.first_group + g, row[0], span_of(row + 1, d)))
      return report.out_of_memory(to_size(width) * sizeof(double));
  }
  return CHORALE_OK;
}

void Lessons::add_costs(const Lesson &lesson, gsl::span<const std::int32_t> labels,
                        gsl::span<double> to) const noexcept {
  for (std::int64_t i = 0; i < lesson.model->chains.size(); ++i) {
    double &of_group = to.data()[group_of(lesson, i)];
    const std::int64_t start = chain_start(lesson, i);
    for (std::int64_t p = start; p < start + lesson.model->chains[i].length; ++p)
      if (gold_[p] >= 0)
        of_group += cost_of(gold_[p], labels.data()[p]);
  }
}

} // namespace chorale
