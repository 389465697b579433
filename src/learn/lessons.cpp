// lessons.hpp explains the words used here.
#include "learn/lessons.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/logarithm.hpp"
#include "base/sort.hpp"

namespace chorale {
namespace {

// For weaker taggers (learn.h). kUsualSlope stands for minus the slope of log errors over log
// shares of the data seen, if this slope cannot be fitted. It is fitted if two shares differ by a
// factor of at least kLeastRatio.
constexpr double kUsualSlope = 0.35;
constexpr double kLeastRatio = 1.5;
constexpr std::int32_t kBisections = 12;
// Steps of the bisection for the unit, and the greatest factor between the unit and the mean
// margin.
constexpr std::int32_t kUnitBisections = 40;
constexpr double kMostUnit = 1024;

// Returns the root of the tree of i in a union-find forest, and halves the path to the root.
std::int32_t root_of(Array<std::int32_t> &parents, std::int32_t i) noexcept {
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

} // namespace

Lesson::~Lesson() { chorale_run_destroy(earlier); }

Lessons::Lessons(const Memory &memory, const LearnSpec &spec) noexcept
    : memory_(memory), spec_(spec), lessons_(memory), starts_(memory), group_of_chain_(memory),
      labelled_(memory), gold_(memory), reference_(memory), base_(memory), found_(memory),
      base_cost_(memory), reference_measure_(memory), differences_(memory), measured_(memory),
      unary_(memory), margins_(memory), confidence_(memory), costs_(spec.costs),
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
  if (status == CHORALE_OK)
    return status;
  // A message of run.h that names options->X is about options->run->X of the caller of
  // chorale_learn.
  std::string_view rest(error.message);
  constexpr std::string_view kOptions = "options->";
  const bool is_option = rest.starts_with(kOptions);
  rest.remove_prefix(is_option ? kOptions.size() : 0);
  return report.fail(status, is_option ? "options->run->" : "", rest);
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
    return report.fail(CHORALE_ERROR_ONE_GROUP,
                       "all chains with gold labels are of one group, or share cliques; they must "
                       "be in at least 2 groups without common cliques");
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

// Computes the groups of a lesson: chains with the same group number are in one group, and groups
// with members in the same clique are joined.
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

// Warns if the unary scores forbid some gold label at every position of all problems.
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
// calibrated: b maximises the sum of log sigma(b z), where sigma is the logistic function, and z is
// the margin of a right label or minus the margin of a wrong label. One right and one wrong label
// of mean margin are added, so that a maximum exists. Newton's method finds b, since the sum is
// concave in b. If the z add up to 0 or less, the unit is set by find_unit_of_softmax() instead.
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
      CHORALE_CHECK(
          solve_chain(report, *lesson, i, 0, span_of(base_.begin() + start, length), margins_));
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
    // One step of Newton's method on b * mean, which at most doubles or halves b * mean.
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
// log-likelihood decreases in b, so its zero is found by bisection of log b. mean: the mean margin
// of the tagger's labels.
chorale_status Lessons::find_unit_of_softmax(const Report &report, double mean) noexcept {
  struct Position {
    double gold;         // max-marginal of the gold label minus the greatest one
    std::int64_t labels; // number of labels that are not forbidden
  };
  Array<Position> positions(memory_);
  // Position after position, for each label that is not forbidden: its max-marginal minus the
  // greatest one.
  Array<double> below(memory_);
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
  CHORALE_CHECK(
      pass_on(report, chorale_model_get_chain(lesson.model, chain, &lent, nullptr, &error), error));
  return pass_on(report,
                 chorale_chain_max_marginals(solver_, &lent, marginals.begin(), 0, nullptr, nullptr,
                                             nullptr, &result, &error),
                 error);
}

// Computes the costs of micro F1. Let F be the F1 of the tagger's labels. The F1 of a labelling is
// above F if and only if 2 * right - F * (gold + found) is above 0. Here right, gold and found are
// the numbers of its right labels, of the gold labels and of all its labels; labels that do not
// count in F1 are left out. The cost of a wrong label is the amount by which it lowers this
// expression.
chorale_status Lessons::find_costs(const Report &report) noexcept {
  const auto m = static_cast<std::int64_t>(spec_.classes.size());
  const std::int32_t *classes = spec_.classes.data();
  if (!costs_of_f1_.resize(m * m))
    return report.out_of_memory(to_size(m * m) * sizeof(double));
  double right = 0;
  double counted = 0; // gold labels that count plus found labels that count
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
  costs_ = matrix_of<const double>(costs_of_f1_.begin(), m, m);
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
  // Fits the slope of log errors over log shares by least squares; `slope` is minus this slope.
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
  const double slope = most - least >= natural_log(kLeastRatio)
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
    CHORALE_CHECK(solve_chain(report, lesson, i, bonus, of_chain(lesson, i, labels), {}));
  }
  return CHORALE_OK;
}

// Announces to spend() the work of one decoding of a chain. Returns false if interrupted.
bool Lessons::spend_on(const ChainView &view) noexcept {
  return spend(64 + std::int64_t{view.length} * (8 + view.labels * (1 + view.labels / 4)));
}

// Finds the best labelling of a chain without cliques, with `bonus` added to the score of every
// gold label. Unless `margins` is empty, also writes the margin of each position.
chorale_status Lessons::solve_chain(const Report &report, const Lesson &lesson, std::int64_t number,
                                    double bonus, gsl::span<std::int32_t> labels,
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
  CHORALE_CHECK(pass_on(
      report,
      margins.data() ? chorale_chain_max_marginals(solver_, &chain, nullptr, 0, nullptr,
                                                   margins.data(), labels.data(), &result, &error)
                     : chorale_chain_solve(solver_, &chain, labels.data(), &result, &error),
      error));
  if (result.outcome == CHORALE_OUTCOME_INFEASIBLE)
    return report.fail(CHORALE_ERROR_NO_LABELLING, "chain ", number, " of problems[",
                       std::find(lessons_.begin(), lessons_.end(), &lesson) - lessons_.begin(),
                       "] forbids every labelling; it must allow one");
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

// ---- Loss-augmented scores ---------------------------------------------------------------------

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

} // namespace chorale
