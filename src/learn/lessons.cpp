// lessons.hpp explains the words used here.
#include "learn/lessons.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/logarithm.hpp"
#include "base/sort.hpp"

namespace chorale {
namespace {

// What a wrong label adds to the scores with costs ("augmented"), in units of the scores. With 1/2
// instead, a labelling that is wrong at every member of a small clique, whose members then agree as
// well as gold labels do, could be the highest plane before the weights are large enough to change
// a label.
constexpr double kLossShare = 0.25;
constexpr double kUsualSlope = 0.35; // slope of log errors over log shares, if it cannot be fitted
constexpr double kLeastRatio = 1.5;  // least ratio of two shares to fit a slope
constexpr std::int32_t kBisections = 12;
// Steps of the bisection for the unit, and the greatest factor between the unit and the mean
// margin.
constexpr std::int32_t kUnitBisections = 40;
constexpr double kMostUnit = 1024;
constexpr double kLeastTemperature = 0.5; // of the unit
constexpr std::int32_t kUnitPlace = 1;    // number of the temperature that is the unit
constexpr double kSure = 0.95;            // positions at least as probable count in no likelihood
constexpr std::int64_t kLikelyChains = 128;
constexpr double kLeastLikely = 1e-3;
// Rounds of a run over position cliques, which need messages: the polish moves one position at a
// time. For property cliques the polish moves whole chains, which does as well in a tenth of the
// time.
constexpr std::int64_t kUsualRounds = 3;

// Greatest number of residuals. If there would be more, only every k-th clique is taken.
constexpr std::int64_t kMostResiduals = 1 << 19;

// Residuals are taken of at most this many values of a property: those that gold labels show most.
constexpr std::int32_t kMostShown = 64;

// Returns true for a kind of position cliques that all have the same number of values.
bool has_residuals(const Kind &kind) noexcept {
  return !kind.is_property && !kind.is_centred && kind.values > 0;
}

// Returns the value of the property that a labelling shows, in the property's own numbers, even if
// it is not in the clique's dictionary; -1 for EMPTY and CONFLICT.
std::int32_t single_value(Attached attached, gsl::span<const std::int32_t> labels,
                          gsl::span<const std::int32_t> parents) noexcept {
  std::int32_t shown = -1;
  bool is_single = true;
  attached.each_firing(labels, parents, [&](std::int32_t value) {
    is_single = is_single && (shown < 0 || shown == value);
    shown = value;
  });
  return is_single ? shown : -1;
}

// Returns the root of the set of i in a union-find forest, halving paths.
std::int32_t root_of(Array<std::int32_t> &parents, std::int32_t i) noexcept {
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

double temperature_at(double unit, double place) noexcept {
  return kLeastTemperature * unit * natural_exp(place * std::numbers::ln2);
}

} // namespace

Lesson::~Lesson() { chorale_run_destroy(earlier); }

Lessons::Lessons(const Memory &memory, const LearnSpec &spec) noexcept
    : memory_(memory), spec_(spec), lessons_(memory), starts_(memory), group_of_chain_(memory),
      labelled_(memory), gold_(memory), reference_(memory), base_(memory), found_(memory),
      base_cost_(memory), reference_measure_(memory), differences_(memory), measured_(memory),
      unary_(memory), margins_(memory), unsure_(memory), costs_(spec.costs),
      costs_of_f1_(memory), counts_(memory), made_(memory), exchanges_(memory), centres_(memory),
      pools_(memory), limits_(spec.time_limit, spec.cancel) {}

Lessons::~Lessons() {
  drop_potentials();
  chorale_chain_solver_destroy(solver_);
  for (Lesson *lesson : lessons_)
    Memory::destroy(lesson, memory_);
}

chorale_status Lessons::pass_on(const Report &report, chorale_status status,
                                const chorale_error &error) const noexcept {
  return status == CHORALE_OK ? status : report.fail(status, std::string_view(error.message));
}

// ---- Preparation -------------------------------------------------------------------------------

chorale_status Lessons::prepare(const Report &report, Problems problems,
                                gsl::span<const double> seen, Learnt &learnt) noexcept {
  learnt_ = &learnt;
  chorale_error error;
  CHORALE_CHECK(pass_on(report, chorale_chain_solver_create(spec_.host, &solver_, &error), error));
  const auto no_memory = [&] { return report.out_of_memory(sizeof(Lesson)); };
  std::int64_t positions = 0;
  std::int64_t chains = 0;
  for (const Problem *problem : problems) {
    if (!lessons_.reserve(lessons_.size() + 1))
      return no_memory();
    auto *lesson = memory_.create<Lesson>(memory_);
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
  if (!gold_.resize(positions) || !reference_.resize(positions) || !base_.resize(positions) ||
      !found_.resize(positions) || !group_of_chain_.resize(chains))
    return no_memory();
  for (Lesson *lesson : lessons_) {
    const std::int32_t *gold = chorale_problem_gold(lesson->problem);
    for (std::int64_t p = 0; p < lesson->positions; ++p)
      gold_[lesson->first_position + p] = gold ? gold[p] : -1;
    CHORALE_CHECK(find_groups(report, *lesson));
    CHORALE_CHECK(find_reference(report, *lesson));
    if (interrupted())
      return CHORALE_OK;
  }
  if ((learnt.report.warnings & CHORALE_WARNING_GOLD_FORBIDDEN) != 0)
    CHORALE_CHECK(find_unseen(report));
  if (interrupted())
    return CHORALE_OK;
  // Counts the gold labels of each group that its chains allow.
  std::int64_t labelled_groups = 0;
  chorale_learnt_report &told = learnt.report;
  for (const Lesson *lesson : lessons_)
    for (std::int64_t i = 0; i < lesson->model->chains.size(); ++i) {
      std::int64_t &of_group = labelled_[group_of(*lesson, i)];
      const std::int64_t before = of_group;
      for (std::int64_t p = 0; p < lesson->model->chains[i].length; ++p)
        of_group += gold_[chain_start(*lesson, i) + p] >= 0 ? 1 : 0;
      labelled_groups += before == 0 && of_group > 0 ? 1 : 0;
      told.positions += of_group - before;
    }
  if (told.positions == 0)
    return report.fail(CHORALE_ERROR_NO_GOLD, "the problems have no gold label that their chains "
                                              "allow; set some with chorale_problem_set_gold");
  if (labelled_groups < 2)
    return report.fail(CHORALE_ERROR_ONE_GROUP, "all chains with gold labels are of one group, or "
                                                "share cliques; at least 2 groups are needed");
  told.groups = labelled_groups;
  CHORALE_CHECK(find_unit(report));
  CHORALE_CHECK(find_bonus(report, seen));
  if (interrupted())
    return CHORALE_OK;
  if (!base_cost_.resize(groups()))
    return no_memory();
  std::fill(base_cost_.begin(), base_cost_.end(), 0.0);
  std::int64_t wrong = 0;
  for (const Lesson *lesson : lessons_)
    CHORALE_CHECK(decode_chains(report, *lesson, lesson->gold_bonus, base_));
  if (interrupted())
    return CHORALE_OK;
  if (spec_.classes.data())
    CHORALE_CHECK(find_costs(report));
  for (const Lesson *lesson : lessons_) {
    add_costs(*lesson, base_, base_cost_);
    told.gold_bonus += lesson->gold_bonus / static_cast<double>(lessons_.size());
  }
  for (std::int64_t p = 0; p < positions; ++p)
    wrong += gold_[p] >= 0 && gold_[p] != base_[p] ? 1 : 0;
  if (wrong * 100 < told.positions)
    told.warnings |= CHORALE_WARNING_BASE_KNOWS;
  return CHORALE_OK;
}

// Computes the groups of a lesson: chains with one group number, joined if a clique has members of
// both groups.
chorale_status Lessons::find_groups(const Report &report, Lesson &lesson) noexcept {
  const Model &model = *lesson.model;
  const std::int64_t chains = model.chains.size();
  Array<std::int32_t> parents(memory_);
  Array<std::int32_t> order(memory_);
  if (!parents.resize(chains) || !order.resize(chains))
    return report.out_of_memory(sizeof(std::int32_t) * to_size(chains));
  std::iota(parents.begin(), parents.end(), 0);
  std::iota(order.begin(), order.end(), 0);
  const auto number = [&](std::int32_t i) {
    return model.groups.empty() ? 0 : model.groups.wide(i);
  };
  if (!sort_within(*this, order.begin(), chains, [&](std::int32_t a, std::int32_t b) {
        return number(a) != number(b) ? number(a) < number(b) : a < b;
      }))
    return CHORALE_OK;
  const auto join = [&](std::int32_t a, std::int32_t b) {
    a = root_of(parents, a);
    b = root_of(parents, b);
    parents[std::max(a, b)] = std::min(a, b);
  };
  Pace pace(*this, Limits::kScattered, chains);
  for (std::int64_t k = 1; k < chains && pace.next(); ++k)
    if (number(order[k]) == number(order[k - 1]))
      join(order[k - 1], order[k]);
  for (const Clique &clique : model.cliques)
    for (std::int32_t i = 1; i < clique.all_members() && pace.next(); ++i)
      join(model.chain_of(clique, 0), model.chain_of(clique, i));
  if (interrupted())
    return CHORALE_OK;
  lesson.first_group = groups();
  for (std::int32_t i = 0; i < chains; ++i) {
    std::int32_t &group = group_of_chain_[lesson.first_chain + i];
    if (const std::int32_t root = root_of(parents, i); root < i) {
      group = group_of_chain_[lesson.first_chain + root];
      continue;
    }
    group = static_cast<std::int32_t>(groups());
    if (!labelled_.push(0))
      return report.out_of_memory(sizeof(std::int64_t));
  }
  lesson.groups = groups() - lesson.first_group;
  return CHORALE_OK;
}

// Sets the reference labelling of each chain: its gold labels, if all are known and allowed;
// otherwise the best of those labellings of the chain that have as many of the gold labels as
// possible. Gold labels that the reference does not have then count as unknown.
chorale_status Lessons::find_reference(const Report &report, Lesson &lesson) noexcept {
  chorale_learnt_report &told = learnt_->report;
  const Model &model = *lesson.model;
  for (std::int64_t i = 0; i < model.chains.size(); ++i) {
    const ChainView view = model.chains[i].view();
    if (!spend_on(view))
      return CHORALE_OK;
    const std::int64_t start = chain_start(lesson, i);
    std::int32_t *gold = gold_.begin() + start;
    std::int32_t *reference = reference_.begin() + start;
    const bool known = std::find(gold, gold + view.length, -1) == gold + view.length;
    if (known && view.score({gold, to_size(view.length)}) > kForbidden) {
      std::copy(gold, gold + view.length, reference);
      continue;
    }
    double range = 1;
    for (std::int32_t t = 0; t < view.length; ++t)
      for (std::int32_t y = 0; y < view.labels; ++y) {
        range = std::max(range, magnitude_of(view.unary_at(t, y)));
        for (std::int32_t z = 0; t > 0 && view.has_edges() && z < view.labels; ++z)
          range = std::max(range, magnitude_of(view.edge_at(t, z, y)));
      }
    CHORALE_CHECK(solve_chain(report, lesson, i, std::min(8 * range * (view.length + 1), 1e270),
                              span_of(reference, view.length), {}));
    for (std::int32_t t = 0; t < view.length; ++t)
      if (gold[t] >= 0 && reference[t] != gold[t]) {
        told.warnings |= CHORALE_WARNING_GOLD_FORBIDDEN;
        gold[t] = -1;
      }
  }
  return CHORALE_OK;
}

// Warns of a gold label whose unary score forbids it at every position of all problems.
chorale_status Lessons::find_unseen(const Report &report) noexcept {
  Array<std::uint8_t> allowed(memory_); // by label: 1 if some position allows it
  for (const Lesson *lesson : lessons_)
    for (const Chain &chain : lesson->model->chains) {
      const ChainView view = chain.view();
      if (!spend_on(view))
        return CHORALE_OK;
      const std::int64_t before = allowed.size();
      if (!allowed.resize(std::max<std::int64_t>(before, view.labels)))
        return report.out_of_memory(to_size(view.labels));
      std::fill(allowed.begin() + before, allowed.end(), 0);
      for (std::int32_t t = 0; t < view.length; ++t)
        for (std::int32_t y = 0; y < view.labels; ++y)
          if (view.unary_at(t, y) > kForbidden)
            allowed[y] = 1;
    }
  for (const Lesson *lesson : lessons_) {
    const std::int32_t *gold = chorale_problem_gold(lesson->problem);
    for (std::int64_t p = 0; gold && p < lesson->positions; ++p)
      if (gold[p] >= 0 && allowed[gold[p]] == 0)
        learnt_->report.warnings |= CHORALE_WARNING_LABEL_UNSEEN;
  }
  return CHORALE_OK;
}

// Sets the unit to the temperature 1 / b at which the margins of the tagger's labels are
// calibrated: b maximises the sum of log sigma(b z), where z is the margin of a right label or
// minus the margin of a wrong one. One right and one wrong label of mean margin are added, so that
// a maximum exists. By Newton's method; the function is concave in b.
chorale_status Lessons::find_unit(const Report &report) noexcept {
  Array<double> signed_margins(memory_);
  double mean = 0;
  for (const Lesson *lesson : lessons_)
    for (std::int64_t i = 0; i < lesson->model->chains.size(); ++i) {
      const std::int64_t start = chain_start(*lesson, i);
      const std::int32_t length = lesson->model->chains[i].length;
      if (!spend_on(lesson->model->chains[i].view()))
        return CHORALE_OK;
      if (!margins_.resize(std::max<std::int64_t>(margins_.size(), length)))
        return report.out_of_memory(to_size(length) * sizeof(double));
      CHORALE_CHECK(solve_chain(report, *lesson, i, 0, span_of(base_.begin() + start, length),
                                margins_));
      for (std::int32_t t = 0; t < length; ++t) {
        const double margin = margins_[t];
        if (gold_[start + t] < 0 || !(margin > 0) || margin == kInfinity)
          continue;
        mean += margin;
        if (!signed_margins.push(gold_[start + t] == base_[start + t] ? margin : -margin))
          return report.out_of_memory(sizeof(double));
      }
    }
  if (signed_margins.empty())
    return CHORALE_OK;
  mean /= static_cast<double>(signed_margins.size());
  if (std::accumulate(signed_margins.begin(), signed_margins.end(), 0.0) <= 0)
    return find_unit_of_softmax(report, mean);
  if (!signed_margins.push(mean) || !signed_margins.push(-mean))
    return report.out_of_memory(sizeof(double));
  double b = 1 / mean;
  for (std::int32_t step = 0; step < 60; ++step) {
    double slope = 0;
    double bend = 0;
    if (!in_stretches(*this, signed_margins.size(), 32, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            const double z = signed_margins[k] / mean;
            const double wrong = 1 / (1 + natural_exp(b * mean * z)); // 1 - sigma
            slope += z * wrong;
            bend += z * z * wrong * (1 - wrong);
          }
        }))
      return CHORALE_OK;
    // One Newton step on b * mean, which may at most double or halve it.
    const double at = b * mean;
    const double next = std::clamp(bend > 0 ? at + slope / bend : at, at / 2, 2 * at);
    b = next / mean;
    if (std::fabs(next - at) <= 1e-12 * at)
      break;
  }
  unit_ = 1 / b;
  learnt_->report.unit = unit_;
  return CHORALE_OK;
}

// Sets the unit to the temperature 1 / b at which the gold labels have the highest likelihood, each
// under the softmax of b times the max-marginals of its position. The derivative of the
// log-likelihood decreases in b, so its zero is found by bisection of log b.
chorale_status Lessons::find_unit_of_softmax(const Report &report, double mean) noexcept {
  struct Position {
    double gold;         // max-marginal of the gold label below the best one's
    std::int64_t labels; // that are not forbidden
  };
  Array<Position> positions(memory_);
  Array<double> below(memory_); // of each position's labels in turn: max-marginals below the best
  Array<double> marginals(memory_);
  for (const Lesson *lesson : lessons_)
    for (std::int64_t i = 0; i < lesson->model->chains.size(); ++i) {
      const std::int32_t *gold = gold_.begin() + chain_start(*lesson, i);
      const std::int32_t length = lesson->model->chains[i].length;
      const std::int32_t m = lesson->model->chains[i].labels;
      if (!spend_on(lesson->model->chains[i].view()))
        return CHORALE_OK;
      CHORALE_CHECK(max_marginals(report, *lesson, i, marginals));
      for (std::int32_t t = 0; t < length; ++t) {
        const double *row = marginals.begin() + std::int64_t{t} * m;
        if (gold[t] < 0 || row[gold[t]] <= kForbidden)
          continue;
        const double best = *std::max_element(row, row + m);
        const std::int64_t before = below.size();
        for (std::int32_t y = 0; y < m; ++y)
          if (row[y] > kForbidden && !below.push(row[y] - best))
            return report.out_of_memory(sizeof(double));
        if (!positions.push({row[gold[t]] - best, below.size() - before}))
          return report.out_of_memory(sizeof(Position));
      }
    }
  double low = 1 / (kMostUnit * mean);
  double high = kMostUnit / mean;
  for (std::int32_t step = 0; step < kUnitBisections; ++step) {
    const double b = std::sqrt(low * high);
    double slope = 0;
    const double *score = below.begin();
    Pace pace(*this, 32 * (1 + below.size() / std::max<std::int64_t>(positions.size(), 1)),
              positions.size());
    for (const Position &position : positions) {
      if (!pace.next())
        return CHORALE_OK;
      double total = 0;
      double weighted = 0;
      for (const double *end = score + position.labels; score != end; ++score) {
        const double share = natural_exp(b * *score);
        total += share;
        weighted += share * *score;
      }
      slope += position.gold - weighted / total;
    }
    (slope > 0 ? low : high) = b;
  }
  unit_ = 1 / std::sqrt(low * high);
  learnt_->report.unit = unit_;
  return CHORALE_OK;
}

chorale_status Lessons::max_marginals(const Report &report, const Lesson &lesson,
                                      std::int64_t chain, Array<double> &marginals) noexcept {
  const Chain &of = lesson.model->chains[chain];
  const std::int64_t numbers = std::int64_t{of.length} * of.labels;
  if (!marginals.resize(std::max(marginals.size(), numbers)))
    return report.out_of_memory(to_size(numbers) * sizeof(double));
  chorale_error error;
  chorale_chain lent;
  chorale_chain_init(&lent, sizeof lent);
  chorale_chain_result result;
  chorale_chain_result_init(&result, sizeof result);
  CHORALE_CHECK(pass_on(
      report, chorale_model_get_chain(lesson.model, chain, &lent, nullptr, &error), error));
  return pass_on(report,
                 chorale_chain_max_marginals(solver_, &lent, marginals.begin(), 0, nullptr,
                                             nullptr, nullptr, &result, &error),
                 error);
}

chorale_status Lessons::compare_with_dealt(const Report &report,
                                           gsl::span<double> surplus) noexcept {
  Array<double> marginals(memory_);
  Array<double> shares(memory_); // by label: among the gold labels of a problem
  std::fill(surplus.begin(), surplus.end(), 0.0);
  for (const Lesson *lesson : lessons_) {
    const std::int32_t *gold = gold_.begin() + lesson->first_position;
    const std::int32_t *end = gold + lesson->positions;
    if (!shares.resize(1 + std::max(0, *std::max_element(gold, end))))
      return report.out_of_memory(to_size(shares.size()) * sizeof(double));
    std::fill(shares.begin(), shares.end(), 0.0);
    const double share = 1 / static_cast<double>(std::max<std::int64_t>(
                                 1, lesson->positions - std::count(gold, end, -1)));
    for (const std::int32_t *at = gold; at != end; ++at)
      if (*at >= 0)
        shares[*at] += share;
    for (std::int64_t i = 0; i < lesson->model->chains.size(); ++i) {
      const Chain &chain = lesson->model->chains[i];
      if (!spend_on(chain.view()) || !spend(32 * std::int64_t{chain.length} * chain.labels))
        return CHORALE_OK;
      CHORALE_CHECK(max_marginals(report, *lesson, i, marginals));
      const std::int32_t m = chain.labels;
      const auto shown = std::min<std::int64_t>(m, shares.size());
      for (std::int32_t t = 0; t < chain.length; ++t) {
        const std::int32_t right = gold_[chain_start(*lesson, i) + t];
        if (right < 0)
          continue;
        const double *scores = marginals.begin() + std::int64_t{t} * m;
        const double best = *std::max_element(scores, scores + m);
        double total = 0;
        double dealt = 0;
        for (std::int32_t y = 0; y < m; ++y) {
          const double weight = natural_exp((scores[y] - best) / unit_);
          total += weight;
          dealt += y < shown ? shares[y] * weight : 0;
        }
        surplus.data()[group_of(*lesson, i)] +=
            (natural_exp((scores[right] - best) / unit_) - dealt) / total;
      }
    }
  }
  return CHORALE_OK;
}

// ---- Residuals ---------------------------------------------------------------------------------

chorale_status Lessons::find_residuals(const Report &report,
                                       gsl::span<const std::uint8_t> wanted,
                                       Residuals &found) noexcept {
  std::int64_t numbers = 0;
  for (std::int64_t k = 0; k < learnt_->kinds.size(); ++k)
    if (wanted.data()[k] != 0 && has_residuals(learnt_->kinds[k]))
      numbers += learnt_->kinds[k].members * learnt_->kinds[k].values;
    else if (wanted.data()[k] != 0 && learnt_->kinds[k].is_property)
      numbers += learnt_->kinds[k].members * kMostShown;
  const std::int64_t step = 1 + numbers / kMostResiduals;
  for (const Lesson *lesson : lessons_) {
    CHORALE_CHECK(fill_residuals(report, *lesson, wanted, step, found));
    CHORALE_CHECK(fill_property_residuals(report, *lesson, wanted, step, found));
    if (interrupted())
      return CHORALE_OK;
  }
  found.settle();
  return CHORALE_OK;
}

// Adds the residuals of every `step`-th position clique of each wanted kind to `found`.
chorale_status Lessons::fill_residuals(const Report &report, const Lesson &lesson,
                                       gsl::span<const std::uint8_t> wanted, std::int64_t step,
                                       Residuals &found) noexcept {
  struct Pooled {
    std::int32_t kind;
    std::int64_t group;
    std::int64_t clique;
    auto operator<=>(const Pooled &) const = default;
  };
  struct Member {
    Slot slot;
    std::int64_t clique;
    std::int32_t number;
    std::int64_t row;
  };
  const Model &model = *lesson.model;
  Array<Pooled> cliques(memory_);
  Array<Member> members(memory_);
  Array<std::int32_t> known(memory_); // of a clique: numbers of members with gold labels
  Array<double> marginals(memory_);
  Array<std::int64_t> passed(memory_); // by kind: cliques
  if (!passed.resize(learnt_->kinds.size()))
    return report.out_of_memory(sizeof(std::int64_t));
  std::fill(passed.begin(), passed.end(), 0);
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
    if (kind >= 0 && wanted[kind] != 0 && has_residuals(learnt_->kinds[kind]) &&
        passed[kind]++ % step == 0 && model.cliques[c].members > 0 &&
        !cliques.push({kind, group_of(lesson, model.chain_of(model.cliques[c], 0)), c}))
      return report.out_of_memory(sizeof(Pooled));
  }
  std::sort(cliques.begin(), cliques.end());
  for (std::int64_t k = 0; k < cliques.size(); ++k) {
    const auto &[kind, group, c] = cliques[k];
    const std::int32_t values = learnt_->kinds[kind].values;
    if ((k == 0 || cliques[k - 1].kind != kind || cliques[k - 1].group != group) &&
        !found.begin_pool(kind, values, false))
      return report.out_of_memory(sizeof(Pooled));
    known.truncate(0);
    for (std::int32_t i = 0; i < model.cliques[c].members; ++i) {
      const Slot slot = model.member(static_cast<std::int32_t>(c), i);
      if (gold_[chain_start(lesson, slot.chain) + slot.position] >= 0 && !known.push(i))
        return report.out_of_memory(sizeof(std::int32_t));
    }
    std::int64_t row = 0;
    if (!found.add_clique(known.size(), row))
      return report.out_of_memory(to_size(known.size() * values) * sizeof(double));
    for (std::int64_t i = 0; i < known.size(); ++i)
      if (!members.push({model.member(static_cast<std::int32_t>(c), known[i]), c, known[i],
                         row + i * values}))
        return report.out_of_memory(sizeof(Member));
  }
  std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
    return a.slot.chain != b.slot.chain ? a.slot.chain < b.slot.chain : a.row < b.row;
  });
  for (std::int64_t k = 0; k < members.size(); ++k) {
    const Member &member = members[k];
    const std::int32_t chain = member.slot.chain;
    if (k == 0 || members[k - 1].slot.chain != chain)
      CHORALE_CHECK(max_marginals(report, lesson, chain, marginals));
    const std::int32_t m = model.chains[chain].labels;
    const double *scores = marginals.begin() + std::int64_t{member.slot.position} * m;
    const double best = *std::max_element(scores, scores + m);
    double total = 0;
    for (std::int32_t y = 0; y < m; ++y)
      total += natural_exp((scores[y] - best) / unit_);
    const Clique clique = model.cliques[member.clique];
    const Kind &kind =
        learnt_->kinds[chorale_problem_clique_kind(lesson.problem, member.clique)];
    const std::int32_t gold = gold_[chain_start(lesson, chain) + member.slot.position];
    for (std::int32_t y = 0; y < m; ++y) {
      const std::int32_t column = clique.column_of(member.number, y);
      const std::int32_t v = column < 0 ? -1 : clique.value_of(column);
      if (v < 0 || v >= kind.values || is_left_out(kind, v))
        continue;
      found.shown(member.row)[v] += y == gold ? 1 : 0;
      found.probable(member.row)[v] += natural_exp((scores[y] - best) / unit_) / total;
    }
  }
  return CHORALE_OK;
}

// Adds the residuals of every `step`-th property clique of each wanted kind to `found`. In place of
// a probability a value has 1 if the tagger's labels show it, else 0.
chorale_status Lessons::fill_property_residuals(const Report &report, const Lesson &lesson,
                                                gsl::span<const std::uint8_t> wanted, std::int64_t step,
                                                Residuals &found) noexcept {
  struct Member {
    std::int32_t kind;
    std::int64_t number;
    std::int64_t clique;
    std::int32_t gold;
    std::int32_t base;
  };
  struct Value {
    std::int64_t count;
    std::int32_t value;
  };
  const Model &model = *lesson.model;
  Array<Member> members(memory_);
  Array<std::int32_t> shown(memory_);  // by gold labels of a kind, sorted
  Array<Value> values(memory_);        // by column
  Array<std::int64_t> passed(memory_); // by kind: cliques
  if (!passed.resize(learnt_->kinds.size()))
    return report.out_of_memory(sizeof(std::int64_t));
  std::fill(passed.begin(), passed.end(), 0);
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
    if (kind < 0 || wanted.data()[kind] == 0 || !learnt_->kinds[kind].is_property ||
        passed[kind]++ % step != 0)
      continue;
    for (std::int32_t i = 0; i < model.cliques[c].members; ++i) {
      const Slot slot = model.member(static_cast<std::int32_t>(c), i);
      const std::int64_t start = chain_start(lesson, slot.chain);
      const ChainView view = model.chains[slot.chain].view();
      const std::int32_t *gold = gold_.begin() + start;
      if (slot.position >= 0 || std::find(gold, gold + view.length, -1) != gold + view.length)
        continue;
      if (!spend(64 + 16 * std::int64_t{view.length}))
        return CHORALE_OK;
      const Attached attached = model.attached(slot);
      const std::size_t length = to_size(view.length);
      const auto parents = view.all_parents();
      if (!members.push({kind, members.size(), c, single_value(attached, {gold, length}, parents),
                         single_value(attached, {base_.begin() + start, length}, parents)}))
        return report.out_of_memory(sizeof(Member));
    }
  }
  std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
    return a.kind != b.kind ? a.kind < b.kind : a.number < b.number;
  });
  for (const Member *first = members.begin(); first != members.end();) {
    const Member *last = std::find_if(first, static_cast<const Member *>(members.end()),
                                      [&](const Member &m) { return m.kind != first->kind; });
    shown.truncate(0);
    values.truncate(0);
    for (const Member *m = first; m != last; ++m)
      if (m->gold >= 0 && !shown.push(m->gold))
        return report.out_of_memory(sizeof(std::int32_t));
    std::sort(shown.begin(), shown.end());
    for (const std::int32_t *v = shown.begin(); v != shown.end();) {
      const auto *end = std::upper_bound(v, static_cast<const std::int32_t *>(shown.end()), *v);
      if (end - v > 1 && !values.push({end - v, *v})) // what one member shows agrees with nobody
        return report.out_of_memory(sizeof(Value));
      v = end;
    }
    std::sort(values.begin(), values.end(), [](const Value &a, const Value &b) {
      return a.count != b.count ? a.count > b.count : a.value < b.value;
    });
    const auto width =
        static_cast<std::int32_t>(std::min<std::int64_t>(values.size(), kMostShown));
    if (width > 0 && !found.begin_pool(first->kind, width, true))
      return report.out_of_memory(sizeof(Member));
    while (first != last) {
      const Member *end = std::find_if(
          first, last, [&](const Member &m) { return m.clique != first->clique; });
      std::int64_t row = 0;
      if (width > 0 && !found.add_clique(end - first, row))
        return report.out_of_memory(sizeof(double) * to_size((end - first) * width));
      for (; first != end; ++first)
        for (std::int32_t v = 0; v < width; ++v, ++row) {
          *found.shown(row) = first->gold == values[v].value ? 1 : 0;
          *found.probable(row) = first->base == values[v].value ? 1 : 0;
        }
    }
  }
  return CHORALE_OK;
}

// Computes the costs of micro F1. Let F be the F1 of the tagger's labels. A labelling has a higher
// F1 if and only if 2 * right - F * (gold + found) is above 0, where the three are the numbers of
// right, gold and found labels that count. The cost of a wrong label is what this expression loses
// by it.
chorale_status Lessons::find_costs(const Report &report) noexcept {
  const auto m = static_cast<std::int64_t>(spec_.classes.size());
  const std::int32_t *classes = spec_.classes.data();
  if (!costs_of_f1_.resize(m * m))
    return report.out_of_memory(to_size(m * m) * sizeof(double));
  double right = 0;
  double counted = 0; // of gold labels and of found ones
  for (std::int64_t p = 0; p < gold_.size(); ++p) {
    if (gold_[p] < 0)
      continue;
    const std::int32_t gold = classes[gold_[p]];
    const std::int32_t found = classes[base_[p]];
    right += gold >= 0 && gold == found ? 1 : 0;
    counted += (gold >= 0 ? 1 : 0) + (found >= 0 ? 1 : 0);
  }
  const double f1 = counted > 0 ? 2 * right / counted : 1;
  for (std::int64_t a = 0; a < m; ++a)
    for (std::int64_t b = 0; b < m; ++b) {
      const std::int32_t gold = classes[a];
      const std::int32_t found = classes[b];
      costs_of_f1_[a * m + b] = gold == found ? 0 : gold < 0 ? f1 : found < 0 ? 2 - f1 : 2;
    }
  costs_ = {costs_of_f1_.begin(), m, m, m};
  learnt_->report.f1 = f1;
  return CHORALE_OK;
}

chorale_status Lessons::find_bonus(const Report &report, gsl::span<const double> shares) noexcept {
  if (shares.empty())
    return CHORALE_OK;
  const double *seen = shares.data();
  const auto wrong_with = [&](const Lesson &lesson, double bonus, std::int64_t &wrong) {
    CHORALE_CHECK(decode_chains(report, lesson, bonus, found_));
    wrong = 0;
    if (interrupted())
      return chorale_status{CHORALE_OK};
    for (std::int64_t p = lesson.first_position; p < lesson.first_position + lesson.positions; ++p)
      wrong += gold_[p] >= 0 && gold_[p] != found_[p] ? 1 : 0;
    return chorale_status{CHORALE_OK};
  };
  // Fits the slope of log errors over log shares by least squares.
  double least = kInfinity;
  double most = -kInfinity;
  double count = 0;
  double x_sum = 0;
  double y_sum = 0;
  double xx_sum = 0;
  double xy_sum = 0;
  for (std::int64_t k = 0; k < lessons_.size(); ++k) {
    const Lesson &lesson = *lessons_[k];
    std::int64_t wrong = 0;
    std::int64_t known = 0;
    CHORALE_CHECK(wrong_with(lesson, 0, wrong));
    for (std::int64_t p = lesson.first_position; p < lesson.first_position + lesson.positions; ++p)
      known += gold_[p] >= 0 ? 1 : 0;
    if (wrong == 0)
      continue;
    const double x = natural_log(seen[k]);
    const double y = natural_log(static_cast<double>(wrong) / static_cast<double>(known));
    least = std::min(least, x);
    most = std::max(most, x);
    count += 1;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  const double spread = count * xx_sum - x_sum * x_sum;
  const double slope =
      most - least >= natural_log(kLeastRatio)
          ? std::clamp(-(count * xy_sum - x_sum * y_sum) / spread, 0.0, 1.0)
          : kUsualSlope;
  for (std::int64_t k = 0; k < lessons_.size(); ++k) {
    Lesson &lesson = *lessons_[k];
    std::int64_t wrong = 0;
    CHORALE_CHECK(wrong_with(lesson, 0, wrong));
    // seen[k] to the power of `slope`, 0 if seen[k] is 0.
    const double power = seen[k] > 0 ? natural_exp(slope * natural_log(seen[k])) : 0.0;
    const double wanted = static_cast<double>(wrong) * power;
    if (seen[k] >= 1 || wrong == 0)
      continue;
    double low = 0;
    double high = 8 * unit_;
    for (std::int32_t step = 0; step < kBisections && !interrupted(); ++step) {
      const double middle = (low + high) / 2;
      CHORALE_CHECK(wrong_with(lesson, middle, wrong));
      (static_cast<double>(wrong) > wanted ? low : high) = middle;
    }
    lesson.gold_bonus = low;
  }
  return CHORALE_OK;
}

chorale_status Lessons::decode_chains(const Report &report, const Lesson &lesson, double bonus,
                                      gsl::span<std::int32_t> labels) noexcept {
  for (std::int64_t i = 0; i < lesson.model->chains.size(); ++i) {
    if (!spend_on(lesson.model->chains[i].view()))
      return CHORALE_OK;
    CHORALE_CHECK(
        solve_chain(report, lesson, i, bonus, of_chain(lesson, i, labels), {}));
  }
  return CHORALE_OK;
}

// Announces to spend() the work of decoding a chain once. False once interrupted.
bool Lessons::spend_on(const ChainView &view) noexcept {
  return spend(64 + std::int64_t{view.length} * (8 + view.labels * (1 + view.labels / 4)));
}

// Finds the best labelling of a chain without cliques, with `bonus` added to the score of every
// gold label.
chorale_status Lessons::solve_chain(const Report &report, const Lesson &lesson,
                                    std::int64_t number, double bonus,
                                    gsl::span<std::int32_t> labels,
                                    gsl::span<double> margins) noexcept {
  chorale_error error;
  chorale_chain chain;
  chorale_chain_init(&chain, sizeof chain);
  CHORALE_CHECK(pass_on(
      report, chorale_model_get_chain(lesson.model, number, &chain, nullptr, &error), error));
  if (bonus != 0) {
    if (!unary_.resize(chain.length * chain.labels))
      return report.out_of_memory(sizeof(double));
    if (chain.element == CHORALE_FLOAT32)
      augment_chain(lesson, number, bonus, 0, reinterpret_cast<float *>(unary_.begin()));
    else
      augment_chain(lesson, number, bonus, 0, unary_.begin());
    chain.unary = unary_.begin();
    chain.unary_row_stride = chain.unary_column_stride = 0;
  }
  chorale_chain_result result;
  chorale_chain_result_init(&result, sizeof result);
  CHORALE_CHECK(pass_on(report,
                        margins.data()
                            ? chorale_chain_max_marginals(solver_, &chain, nullptr, 0, nullptr,
                                                          margins.data(), labels.data(), &result,
                                                          &error)
                            : chorale_chain_solve(solver_, &chain, labels.data(), &result, &error),
                        error));
  if (result.outcome == CHORALE_OUTCOME_INFEASIBLE)
    return report.fail(CHORALE_ERROR_NO_LABELLING, "chain ", number,
                       " of a problem forbids every labelling");
  return CHORALE_OK;
}

template <class Number>
void Lessons::augment_chain(const Lesson &lesson, std::int64_t number, double bonus, double loss,
                            Number *to) const noexcept {
  const ChainView view = lesson.model->chains[number].view();
  const std::int32_t *gold = gold_.begin() + chain_start(lesson, number);
  for (std::int32_t t = 0; t < view.length; ++t)
    for (std::int32_t y = 0; y < view.labels; ++y) {
      double score = view.unary_at(t, y);
      if (gold[t] >= 0)
        score += (y == gold[t] ? bonus : 0.0) + (loss != 0 ? loss * cost_of(gold[t], y) : 0.0);
      *to++ = static_cast<Number>(score);
    }
}

// ---- Scores with costs -------------------------------------------------------------------------

bool Lessons::augment(Lesson &lesson) noexcept {
  const Model &model = *lesson.model;
  const std::int64_t chains = model.chains.size();
  std::size_t bytes = 0;
  const auto bytes_of = [&](std::int64_t i) {
    return (static_cast<std::size_t>(model.chains[i].unary_bytes()) + 7) / 8 * 8;
  };
  for (std::int64_t i = 0; i < chains; ++i)
    bytes = saturating_sum(bytes, bytes_of(i));
  lesson.scores = Block(memory_, saturating_product(bytes, 2));
  if (!lesson.scores || !lesson.unary.resize(2 * chains))
    return false;
  std::byte *next = lesson.scores.data();
  for (std::int32_t with_costs = 0; with_costs < 2; ++with_costs)
    for (std::int64_t i = 0; i < chains && spend_on(model.chains[i].view()); ++i) {
      const double loss = with_costs != 0 ? kLossShare * unit_ : 0;
      if (model.chains[i].single)
        augment_chain(lesson, i, lesson.gold_bonus, loss, reinterpret_cast<float *>(next));
      else
        augment_chain(lesson, i, lesson.gold_bonus, loss, reinterpret_cast<double *>(next));
      lesson.unary[with_costs * chains + i] = next;
      next += bytes_of(i);
    }
  return true;
}

chorale_status Lessons::begin(const Report &report) noexcept {
  const std::int64_t d = learnt_->weights.size();
  const std::int64_t width = 1 + d;
  if (!pools_.make(d, groups()) || !reference_measure_.resize(groups() * width) ||
      !differences_.resize(groups() * d))
    return report.out_of_memory(to_size(groups() * width) * sizeof(double));
  for (Lesson *lesson : lessons_) {
    if (!augment(*lesson))
      return report.out_of_memory(lesson->model->score_bytes);
    CHORALE_CHECK(measure(report, *lesson, reference_, measured_));
    if (interrupted())
      return CHORALE_OK;
    std::copy(measured_.begin(), measured_.begin() + lesson->groups * width,
              reference_measure_.begin() + lesson->first_group * width);
    CHORALE_CHECK(measure(report, *lesson, base_, measured_));
    if (interrupted())
      return CHORALE_OK;
    for (std::int64_t g = 0; g < lesson->groups; ++g)
      for (std::int64_t w = 0; w < d; ++w)
        differences_[(lesson->first_group + g) * d + w] =
            reference_measure_[(lesson->first_group + g) * width + 1 + w] -
            measured_[g * width + 1 + w];
    CHORALE_CHECK(add_planes(report, *lesson, base_));
  }
  return CHORALE_OK;
}

// ---- Labelling ---------------------------------------------------------------------------------

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
    outcome_ = found == Interruption::cancelled ? CHORALE_OUTCOME_CANCELLED
                                                : CHORALE_OUTCOME_DEADLINE;
  return interrupted();
}

chorale_status Lessons::label_lesson(const Report &report, Lesson &lesson,
                                     gsl::span<const double> theta,
                                     gsl::span<const std::int32_t> theta_of_group,
                                     bool with_costs) noexcept {
  std::int32_t *labels = found_.begin() + lesson.first_position;
  std::copy_n(base_.begin() + lesson.first_position, lesson.positions, labels);
  chorale_run_options options = spec_.run;
  if (options.rounds == kOwnRounds)
    options.rounds = are_all_properties() ? 0 : kUsualRounds;
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
  if (status == CHORALE_OK && (result.outcome == CHORALE_OUTCOME_DEADLINE ||
                               result.outcome == CHORALE_OUTCOME_CANCELLED))
    outcome_ = result.outcome;
  // If cliques without a kind forbid every labelling that the run met, `labels` keeps the tagger's
  // labels.
  if (status == CHORALE_OK && !interrupted() && result.score > kForbidden)
    status = chorale_run_all_labels(run, CHORALE_TOGETHER, labels, lesson.positions, nullptr,
                                    &error);
  if (status == CHORALE_OK && !interrupted() && fits_temperature_) {
    const chorale_status added = add_likelihoods(report, lesson, run);
    if (added != CHORALE_OK) {
      chorale_run_destroy(run);
      return added;
    }
  }
  if (with_costs && status == CHORALE_OK)
    std::swap(run, lesson.earlier);
  chorale_run_destroy(run);
  if (status == CHORALE_OK && spec_.progress && !interrupted()) {
    const chorale_learn_progress progress{sizeof progress, runs_, std::max(most_runs_, runs_)};
    if (spec_.progress(spec_.progress_user, &progress) != 0)
      outcome_ = CHORALE_OUTCOME_CANCELLED;
  }
  return pass_on(report, status, error);
}

// Adds the log-likelihood of the lesson's gold labels at each temperature to likelihoods_. A chain
// whose probabilities cannot be computed adds nothing.
chorale_status Lessons::add_likelihoods(const Report &report, const Lesson &lesson,
                                        chorale_run *run) noexcept {
  for (std::int64_t i = 0; i < lesson.model->chains.size(); ++i) {
    const std::int32_t *gold = gold_.begin() + chain_start(lesson, i);
    const std::int32_t length = lesson.model->chains[i].length;
    const std::int32_t m = lesson.model->chains[i].labels;
    if ((lesson.first_chain + i) % likely_step_ != 0 ||
        std::count(gold, gold + length, -1) == length)
      continue;
    if (!spend(kTemperatures * (64 + std::int64_t{length} * m * (8 + m))))
      return CHORALE_OK;
    if (!unary_.resize(std::max(unary_.size(), std::int64_t{length} * m)) ||
        !unsure_.resize(length))
      return report.out_of_memory(to_size(std::int64_t{length} * m) * sizeof(double));
    double of_chain[kTemperatures] = {};
    bool has_all = true;
    for (std::int32_t turn = 0; turn < kTemperatures && has_all; ++turn) {
      // The unit comes first, as it tells which positions count.
      const std::int32_t k = turn == 0 ? kUnitPlace : turn <= kUnitPlace ? turn - 1 : turn;
      chorale_error error;
      has_all = chorale_run_probabilities(run, i, temperature_at(unit_, k), unary_.begin(), 0,
                                          nullptr, &error) == CHORALE_OK;
      for (std::int32_t t = 0; t < length && has_all; ++t) {
        const double *row = unary_.begin() + std::int64_t{t} * m;
        if (k == kUnitPlace)
          unsure_[t] = gold[t] >= 0 && *std::max_element(row, row + m) < kSure ? 1 : 0;
        if (unsure_[t] != 0)
          of_chain[k] += natural_log(std::max(row[gold[t]], kLeastLikely));
      }
    }
    for (std::int32_t k = 0; k < kTemperatures && has_all; ++k)
      likelihoods_[k] += of_chain[k];
  }
  return CHORALE_OK;
}

chorale_status Lessons::fit_temperature(const Report &report, gsl::span<const double> theta,
                                        gsl::span<const std::int32_t> theta_of_group,
                                        double &found) noexcept {
  fits_temperature_ = true;
  likely_step_ = (group_of_chain_.size() + kLikelyChains - 1) / kLikelyChains;
  std::fill(std::begin(likelihoods_), std::end(likelihoods_), 0.0);
  for (Lesson *lesson : lessons_) {
    CHORALE_CHECK(label_lesson(report, *lesson, theta, theta_of_group, false));
    if (interrupted())
      return CHORALE_OK;
  }
  fits_temperature_ = false;
  const double *best = std::max_element(std::begin(likelihoods_), std::end(likelihoods_));
  if (*best == 0) // no position counts
    best = likelihoods_ + kUnitPlace;
  double place = static_cast<double>(best - likelihoods_);
  if (best > likelihoods_ && best + 1 < std::end(likelihoods_)) {
    const double bend = best[-1] - 2 * best[0] + best[1];
    place += bend < 0 ? (best[-1] - best[1]) / (2 * bend) : 0;
  }
  found = temperature_at(unit_, place);
  return CHORALE_OK;
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
                                   theta.subspan(to_size(number * learnt_->weights.size())),
                                   made));
    }
    exchanges_[c] = {made.potential, made.centre};
  }
  return CHORALE_OK;
}

chorale_status Lessons::make_potential(const Report &report, const Kind &kind,
                                       std::int32_t number, std::int32_t values,
                                       std::int32_t theta_number, gsl::span<const double> theta,
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
                                gsl::span<const std::int32_t> labels,
                                Array<double> &to) noexcept {
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
    if (!spend(64 + 2 * Limits::kScattered * std::int64_t{clique.all_members()} +
               clique.columns()))
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
      const std::int32_t shown =
          slot.position < 0
              ? model.attached(slot).evaluate(shown_by,
                                              model.chains[slot.chain].view().all_parents())
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
    const double score =
        clique.potential_at(centre).evaluate(span_of(counts_.begin(), counts_.size()),
                                               clique.members, &failed);
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
