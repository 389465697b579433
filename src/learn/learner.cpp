// The steps of README.md, in their order.
#include "learn/learner.hpp"

#include "learn/agreement.hpp"
#include "learn/chance.hpp"

#include "base/logarithm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace chorale {
namespace {

constexpr double kStrengths[] = {0.25, 0.5, 1, 2, 3};
// With a centre: at 1, log-odds count each neighbour once. Some of few groups gain by more, but
// graphs with more links then lose much.
constexpr double kMostOfCentres = 1;
constexpr double kBonuses[] = {0, 0.5, 1};
constexpr std::int64_t kMostPairs = 17; // with the bonuses alone
// No more strengths are tried after so many in a row that are no better than the best before.
constexpr std::int32_t kLearnPatience = 2;
constexpr double kCaution = 0.5; // standard errors that a smaller strength may cost more
constexpr std::int32_t kFolds = 10;
constexpr double kLevel = 0.05;
constexpr std::int64_t kFewGroups = 8;
// Without gold labels.
constexpr double kGuesses[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};
constexpr double kPropertyStrength = 2;
constexpr double kCentreStrength = 1;
constexpr double kBudget = 0.4; // changed labels for each error that the tagger expects
constexpr double kNearlyAll = 0.9; // share of members, for CHORALE_WARNING_ONE_LABEL
// Temperatures. Positions whose label the tagger gave count only below this probability, since the
// many sure ones would outweigh the others.
constexpr double kSure = 0.95;
constexpr std::int64_t kMostCalibrated = 1024; // chains that temperatures are fitted to
constexpr double kLeastLog2 = -1;         // temperatures from 1/2 to 16
constexpr double kMostLog2 = 4;
constexpr std::int32_t kBisections = 10;
constexpr double kLeastProbability = 1e-300;

class LearnCourse {
public:
  LearnCourse(const Report &report, const Memory &memory, LearnSpec &spec, Learnt &learnt) noexcept
      : report_(report), spec_(spec), learnt_(learnt), told_(learnt.report),
        lessons_(memory, spec, learnt), base_(memory), before_(memory), agreeing_(memory),
        control_(memory), tried_(memory), tallies_(memory), chosen_(memory), bonuses_(memory),
        differences_(memory), probabilities_(memory), rows_(memory), logs_(memory) {}

  chorale_status run() noexcept {
    CHORALE_CHECK(learn());
    if (lessons_.interrupted())
      told_.verdict = CHORALE_VERDICT_INTERRUPTED;
    told_.applied = told_.verdict <= CHORALE_VERDICT_WITHOUT_GOLD ? 1 : 0;
    if (was_late_ && !lessons_.interrupted())
      told_.outcome = CHORALE_OUTCOME_DEADLINE;
    if (told_.applied != 0)
      CHORALE_CHECK(keep());
    round_learnt(learnt_);
    return CHORALE_OK;
  }

private:
  std::int64_t groups() const noexcept { return lessons_.groups(); }
  chorale_status no_memory() const noexcept { return report_.out_of_memory(sizeof(LabelCounts)); }
  bool has(Family family) const noexcept {
    return std::any_of(learnt_.kinds.begin(), learnt_.kinds.end(), [&](const Kind &kind) {
      return kind.cliques > 0 && kind.family() == family;
    });
  }

  chorale_status learn() noexcept;
  chorale_status guess() noexcept;
  chorale_status warn_of_one_label() noexcept;
  chorale_status try_family(Family family) noexcept;
  chorale_status try_pair(Family family, const Strengths &pair) noexcept;
  std::int32_t choose(std::int32_t without, bool is_control) noexcept;
  chorale_status hold_out() noexcept;
  chorale_verdict judge() noexcept;
  chorale_status fit_temperatures() noexcept;
  double temperature_of(bool changed) noexcept;
  template <class Take>
  chorale_status each_probability(std::int64_t step, Take &&take) noexcept;
  chorale_status keep() noexcept;

  LabelCounts sum(gsl::span<const LabelCounts> tallies) const noexcept {
    LabelCounts total;
    for (const LabelCounts &tally : tallies)
      total += tally;
    return total;
  }
  // Returns number(first) - number(second) for each group with gold labels, except those of a fold
  // (-1: none). Valid until the next call.
  template <class Number>
  gsl::span<const double> differ(gsl::span<const LabelCounts> first, gsl::span<const LabelCounts> second,
                                 std::int32_t without, Number &&number) noexcept {
    std::int64_t count = 0;
    for (std::int64_t g = 0; g < groups(); ++g)
      if (lessons_.labelled().data()[g] > 0 && lessons_.fold_of().data()[g] != without)
        differences_[count++] = number(first.data()[g]) - number(second.data()[g]);
    return span_of(differences_.begin(), count);
  }
  // The same for costs.
  gsl::span<const double> differ(gsl::span<const LabelCounts> first, gsl::span<const LabelCounts> second,
                                 std::int32_t without) noexcept {
    return differ(first, second, without,
                  [&](const LabelCounts &tally) { return spec_.measure.cost(tally); });
  }
  static double total(gsl::span<const double> numbers) noexcept {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
  }
  // Returns true if the numbers add up to at most `errors` standard errors.
  static bool is_within(double errors, gsl::span<const double> numbers) noexcept {
    return total(numbers) <= errors * standard_error(numbers);
  }
  // Returns true if a number of some pair is not 0.
  static bool any(gsl::span<const Choice> choices, double Strengths::*number) noexcept {
    bool found = false;
    for (const Choice &choice : choices)
      for (const Strengths &pair : choice.of)
        found = found || pair.*number != 0;
    return found;
  }
  bool lowers_accuracy(gsl::span<const LabelCounts> tallies, std::int32_t without) noexcept {
    return spec_.options.may_lower_accuracy == 0 &&
           !is_within(1, differ(base_, tallies, without, [](const LabelCounts &t) { return t.correct; }));
  }
  gsl::span<LabelCounts> of_pair(std::int64_t number) noexcept {
    return span_of(tallies_.begin() + number * groups(), groups());
  }

  const Report &report_;
  LearnSpec &spec_;
  Learnt &learnt_;
  chorale_learnt_report &told_;
  Lessons lessons_;
  // By group: the tagger's labels; those before a family is tried; and held-out labels.
  Array<LabelCounts> base_, before_, agreeing_, control_;
  Array<Strengths> tried_;     // of the family, in the order of caution
  Array<LabelCounts> tallies_;  // tried pairs x groups
  Array<Choice> chosen_;  // by fold: chosen without it; the last one: from all groups
  Array<Choice> bonuses_; // the same for the control
  Array<double> differences_;
  Array<double> probabilities_;
  struct Row { // of temperature_of(), a position
    std::int64_t first; // its logarithms begin here
    std::int64_t labels;
    std::int32_t given; // the label
    bool is_right;
    bool is_changed; // it is not the tagger's
  };
  Array<Row> rows_;
  Array<double> logs_; // of probabilities
  bool was_late_ = false;
  bool would_gain_ = false; // some pair costs less but lowers accuracy
};

chorale_status LearnCourse::learn() noexcept {
  CHORALE_CHECK(find_kinds(report_, spec_.problems, spec_.measure.classes, learnt_));
  lessons_.set_most_runs((kMostPairs * kFamilies + 4) *
                         static_cast<std::int64_t>(spec_.problems.size()));
  CHORALE_CHECK(lessons_.prepare(report_));
  if (lessons_.interrupted())
    return CHORALE_OK;
  if (spec_.options.without_gold != 0)
    return guess();
  CHORALE_CHECK(lessons_.deal_folds(report_, kFolds));
  const std::int64_t folds = lessons_.folds();
  for (Array<LabelCounts> *tallies : {&base_, &before_, &agreeing_, &control_})
    if (!tallies->resize(groups()))
      return no_memory();
  if (!differences_.resize(groups()) || !chosen_.resize(folds + 1) || !bonuses_.resize(folds + 1))
    return no_memory();
  std::fill(chosen_.begin(), chosen_.end(), Choice{});
  std::fill(bonuses_.begin(), bonuses_.end(), Choice{});
  lessons_.count(lessons_.base(), base_);
  const LabelCounts of_base = sum(base_);
  spec_.measure.f1 = of_base.f1();
  told_.tagger_cost = spec_.measure.cost(of_base);
  if ((of_base.known - of_base.correct) * 100 < of_base.known)
    told_.warnings |= CHORALE_WARNING_BASE_KNOWS;
  if (told_.groups < kFewGroups)
    told_.warnings |= CHORALE_WARNING_FEW_GROUPS;
  std::copy(base_.begin(), base_.end(), before_.begin());
  std::copy(base_.begin(), base_.end(), agreeing_.begin());
  std::copy(base_.begin(), base_.end(), control_.begin());
  CHORALE_CHECK(test_agreement(report_, learnt_.memory, lessons_, told_.agreement_p));
  told_.gain_p = -1;
  if (told_.agreement_p <= kLevel) {
    for (const Family family : {Family::positions, Family::properties, Family::centres})
      if (has(family) && !lessons_.interrupted())
        CHORALE_CHECK(try_family(family));
    if (!lessons_.interrupted())
      CHORALE_CHECK(hold_out());
  }
  if (lessons_.interrupted())
    return CHORALE_OK;
  told_.verdict = judge();
  return fit_temperatures();
}

// Labels the problems under a pair for a family, with the pairs chosen before for the other families,
// and counts the labels.
chorale_status LearnCourse::try_pair(Family family, const Strengths &pair) noexcept {
  Choice choice = chosen_[lessons_.folds()];
  choice.of[static_cast<std::size_t>(family)] = pair;
  CHORALE_CHECK(lessons_.label(report_, {&choice, 1}, Lessons::Effort::quick));
  if (lessons_.interrupted())
    return CHORALE_OK;
  if (!tried_.push(pair) || !tallies_.resize(tried_.size() * groups()))
    return no_memory();
  lessons_.count(lessons_.found(), of_pair(tried_.size() - 1));
  return CHORALE_OK;
}

// Chooses the pairs of a family: without each fold, and from all groups.
chorale_status LearnCourse::try_family(Family family) noexcept {
  tried_.truncate(0);
  const bool has_bonus =
      family != Family::centres &&
      std::any_of(learnt_.kinds.begin(), learnt_.kinds.end(), [&](const Kind &kind) {
        return kind.family() == family && (kind.has_empty || kind.left_out != 0);
      });
  for (const double bonus : kBonuses)
    if (has_bonus && bonus > 0 && !lessons_.interrupted())
      CHORALE_CHECK(try_pair(family, {0, bonus, false}));
  double least = kInfinity;
  std::int32_t worse = 0; // strengths in a row that are no better than the best before
  for (const double strength : kStrengths) {
    was_late_ = was_late_ || lessons_.is_late();
    if (lessons_.interrupted() || was_late_ || worse == kLearnPatience ||
        (family == Family::centres && strength > kMostOfCentres))
      break;
    const std::int64_t first = tried_.size();
    if (family == Family::centres)
      for (const bool uses_log_odds : {false, true})
        CHORALE_CHECK(try_pair(family, {strength, 0, uses_log_odds}));
    else
      for (const double bonus : kBonuses)
        if (bonus == 0 || has_bonus)
          CHORALE_CHECK(try_pair(family, {strength, bonus, false}));
    double cost = kInfinity;
    for (std::int64_t k = first; k < tried_.size(); ++k)
      cost = std::min(cost, spec_.measure.cost(sum(of_pair(k))));
    worse = cost <= least ? 0 : worse + 1;
    least = std::min(least, cost);
  }
  const auto f = static_cast<std::size_t>(family);
  for (std::int32_t fold = -1; fold < lessons_.folds() && !lessons_.interrupted(); ++fold) {
    const std::int32_t chosen = choose(fold, false);
    const std::int32_t bonus = choose(fold, true);
    const std::int64_t at = fold < 0 ? lessons_.folds() : fold;
    chosen_[at].of[f] = chosen < 0 ? Strengths{} : tried_[chosen];
    bonuses_[at].of[f] = bonus < 0 ? Strengths{} : tried_[bonus];
  }
  if (const std::int32_t chosen = choose(-1, false); chosen >= 0)
    std::copy(of_pair(chosen).begin(), of_pair(chosen).end(), before_.begin());
  return CHORALE_OK;
}

// Returns the first pair that costs at most half a standard error more than the pair of least cost,
// not counting a fold; -1 if none costs less than the labels before the family was tried. is_control:
// among the bonuses alone; otherwise among the other pairs.
std::int32_t LearnCourse::choose(std::int32_t without, bool is_control) noexcept {
  const auto takes_part = [&](std::int64_t k) {
    return (tried_[k].strength == 0) == is_control && !lowers_accuracy(of_pair(k), without);
  };
  std::int64_t best = -1;
  for (std::int64_t k = 0; k < tried_.size(); ++k) {
    const auto rival = best < 0 ? gsl::span<const LabelCounts>(before_) : of_pair(best);
    if ((tried_[k].strength == 0) != is_control || total(differ(of_pair(k), rival, without)) >= 0)
      continue;
    if (lowers_accuracy(of_pair(k), without))
      would_gain_ = true;
    else
      best = k;
  }
  for (std::int64_t k = 0; k < best; ++k)
    if (takes_part(k) && is_within(kCaution, differ(of_pair(k), of_pair(best), without)))
      return static_cast<std::int32_t>(k);
  return static_cast<std::int32_t>(best);
}

// Labels each fold under what was chosen without it.
chorale_status LearnCourse::hold_out() noexcept {
  const auto folds = lessons_.folds();
  if (any(bonuses_, &Strengths::bonus)) {
    CHORALE_CHECK(
        lessons_.label(report_, span_of(bonuses_.begin(), folds), Lessons::Effort::usual));
    lessons_.count(lessons_.found(), control_);
  }
  CHORALE_CHECK(lessons_.label(report_, span_of(chosen_.begin(), folds), Lessons::Effort::usual));
  if (lessons_.interrupted())
    return CHORALE_OK;
  lessons_.count(lessons_.found(), agreeing_);
  for (std::int64_t p = 0; p < lessons_.positions(); ++p) {
    const std::int32_t gold = lessons_.gold().data()[p];
    const std::int32_t base = lessons_.base().data()[p];
    const std::int32_t found = lessons_.found().data()[p];
    if (gold < 0 || base == found)
      continue;
    ++told_.changed;
    told_.changed_right_before += base == gold ? 1 : 0;
    told_.changed_right_after += found == gold ? 1 : 0;
  }
  return CHORALE_OK;
}

// Decides what is applied, and writes the figures of held-out groups.
chorale_verdict LearnCourse::judge() noexcept {
  const auto tell = [&](gsl::span<const LabelCounts> tallies, double &cost, double &precision,
                        double &recall, double &f1, double &accuracy) {
    const LabelCounts all = sum(tallies);
    cost = spec_.measure.cost(all);
    precision = all.right / std::max(all.found, 1.0);
    recall = all.right / std::max(all.gold, 1.0);
    f1 = all.f1();
    accuracy = all.correct / all.known;
  };
  tell(base_, told_.tagger_cost, told_.tagger_precision, told_.tagger_recall, told_.tagger_f1,
       told_.tagger_accuracy);
  if (told_.agreement_p > kLevel)
    return CHORALE_VERDICT_NO_AGREEMENT;
  tell(control_, told_.control_cost, told_.control_precision, told_.control_recall,
       told_.control_f1, told_.control_accuracy);
  tell(agreeing_, told_.agreeing_cost, told_.agreeing_precision, told_.agreeing_recall,
       told_.agreeing_f1, told_.agreeing_accuracy);
  if (!any(span_of(&chosen_[lessons_.folds()], 1), &Strengths::strength))
    return would_gain_ ? CHORALE_VERDICT_LOWERS_ACCURACY : CHORALE_VERDICT_NO_GAIN;
  told_.gain_p = sign_flip_p(lessons_, differ(base_, agreeing_, -1));
  if (told_.agreeing_cost >= told_.tagger_cost)
    return CHORALE_VERDICT_NO_GAIN;
  if (lowers_accuracy(agreeing_, -1))
    return CHORALE_VERDICT_LOWERS_ACCURACY;
  const bool was_exchanged = told_.agreement_p >= 0;
  if ((told_.groups < kFewGroups || !was_exchanged) && told_.gain_p > kLevel)
    return CHORALE_VERDICT_MAY_BE_CHANCE;
  if (!was_exchanged && sign_flip_p(lessons_, differ(control_, agreeing_, -1)) > kLevel)
    return CHORALE_VERDICT_MAY_BE_CHANCE;
  return CHORALE_VERDICT_GAIN;
}

// ---- Probabilities -----------------------------------------------------------------------------

// Calls take(position, probabilities) under the last run, for the positions of every step-th chain.
template <class Take>
chorale_status LearnCourse::each_probability(std::int64_t step, Take &&take) noexcept {
  std::int64_t chain = 0;
  for (std::int64_t l = 0; l < lessons_.count(); ++l)
    for (std::int64_t i = 0; i < lessons_[l].model->chains.size(); ++i, ++chain) {
      const std::int64_t length = lessons_[l].model->chains[i].length;
      const std::int64_t m = lessons_[l].model->chains[i].labels;
      if (chain % step != 0)
        continue;
      if (!lessons_.spend(64 + length * m * (8 + m)))
        return CHORALE_OK;
      if (!probabilities_.resize(length * m))
        return no_memory();
      if (chorale_run_probabilities(lessons_[l].run, i, 1, probabilities_.begin(), 0, nullptr,
                                    nullptr) != CHORALE_OK)
        continue;
      for (std::int64_t t = 0; t < length; ++t)
        if (!take(lessons_.start(lessons_[l], i) + t, span_of(probabilities_.begin() + t * m, m)))
          return no_memory();
    }
  return CHORALE_OK;
}

chorale_status LearnCourse::fit_temperatures() noexcept {
  if (told_.verdict != CHORALE_VERDICT_GAIN) { // probabilities are then those of the tagger alone
    const Choice none;
    CHORALE_CHECK(lessons_.label(report_, {&none, 1}, Lessons::Effort::plain));
  }
  std::int64_t chains = 0;
  for (std::int64_t l = 0; l < lessons_.count(); ++l)
    chains += lessons_[l].model->chains.size();
  CHORALE_CHECK(each_probability(
      1 + chains / kMostCalibrated, [&](std::int64_t p, gsl::span<const double> row) {
        const std::int32_t gold = lessons_.gold().data()[p];
        const std::int32_t given = lessons_.found().data()[p];
        if (gold < 0)
          return true;
        bool fits = rows_.push({logs_.size(), static_cast<std::int64_t>(row.size()), given,
                                given == gold, given != lessons_.base().data()[p]});
        for (const double probability : row)
          fits = fits && logs_.push(natural_log(std::max(probability, kLeastProbability)));
        return fits;
      }));
  told_.temperature = temperature_of(false);
  told_.changed_temperature = temperature_of(true);
  return CHORALE_OK;
}

// Returns the temperature at which the mean probability of the labels given is the share that is right,
// by bisection of its logarithm. changed: at the positions whose label is not the tagger's; else at
// those of the others that are not sure. 0 if there are none.
double LearnCourse::temperature_of(bool changed) noexcept {
  double low = kLeastLog2;
  double high = kMostLog2;
  std::int64_t positions = 0;
  for (std::int32_t step = 0; step < kBisections && lessons_.spend(32 * logs_.size()); ++step) {
    const double middle = natural_exp((low + high) / 2 * std::numbers::ln2);
    double excess = 0;
    positions = 0;
    for (const Row &row : rows_) {
      double sum = 0;
      for (std::int64_t y = 0; y < row.labels && row.is_changed == changed; ++y)
        sum += natural_exp(logs_[row.first + y] / middle);
      const double probability = natural_exp(logs_[row.first + row.given] / middle) / sum;
      if (row.is_changed != changed || (!changed && probability >= kSure))
        continue;
      ++positions;
      excess += probability - (row.is_right ? 1 : 0);
    }
    (excess > 0 ? low : high) = (low + high) / 2;
  }
  return positions > 0 ? natural_exp((low + high) / 2 * std::numbers::ln2) : 0;
}

// ---- Without gold ------------------------------------------------------------------------------

chorale_status LearnCourse::guess() noexcept {
  told_.agreement_p = told_.gain_p = -1;
  told_.temperature = 1;
  told_.verdict = CHORALE_VERDICT_WITHOUT_GOLD;
  if (!chosen_.push({}))
    return no_memory();
  Choice &chosen = chosen_[0];
  chosen.of[1].strength = kPropertyStrength;
  chosen.of[2].strength = kCentreStrength;
  if (!has(Family::positions))
    return CHORALE_OK;
  CHORALE_CHECK(warn_of_one_label());
  CHORALE_CHECK(each_probability(1, [&](std::int64_t, gsl::span<const double> row) {
    told_.expected_errors += 1 - *std::max_element(row.begin(), row.end());
    return true;
  }));
  for (const double strength : kGuesses) {
    Choice choice;
    choice.of[0].strength = strength;
    CHORALE_CHECK(lessons_.label(report_, {&choice, 1}, Lessons::Effort::quick));
    if (lessons_.interrupted())
      return CHORALE_OK;
    std::int64_t changed = 0;
    for (std::int64_t p = 0; p < lessons_.positions(); ++p)
      changed += lessons_.found().data()[p] != lessons_.base().data()[p] ? 1 : 0;
    if (static_cast<double>(changed) > std::ceil(kBudget * told_.expected_errors))
      break;
    chosen.of[0].strength = strength;
    told_.changed = changed;
  }
  return CHORALE_OK;
}

// Warns if nearly all members of cliques of positions have the same label, and it counts.
chorale_status LearnCourse::warn_of_one_label() noexcept {
  Array<std::int64_t> shown(learnt_.memory); // by value: members whose label by the tagger shows it
  std::int64_t members = 0;
  for (std::int64_t l = 0; l < lessons_.count(); ++l)
    for (std::int32_t c = 0; c < lessons_[l].model->cliques.size(); ++c) {
      const std::int32_t number = chorale_problem_clique_kind(lessons_[l].problem, c);
      if (number < 0 || learnt_.kinds[number].family() != Family::positions)
        continue;
      const Clique clique = lessons_[l].model->cliques[c];
      members += clique.members;
      for (std::int32_t i = 0; i < clique.members && lessons_.spend(Limits::kScattered); ++i) {
        const std::int32_t value =
            lessons_.value_shown(lessons_[l], lessons_[l].model->member(c, i), lessons_.base());
        while (shown.size() <= value)
          if (!shown.push(0))
            return no_memory();
        if (value >= 0 && !learnt_.kinds[number].leaves_out(value))
          ++shown[value];
      }
    }
  for (const std::int64_t count : shown)
    if (static_cast<double>(count) > kNearlyAll * static_cast<double>(members))
      told_.warnings |= CHORALE_WARNING_ONE_LABEL;
  return CHORALE_OK;
}

// Writes what was chosen from all groups to the result.
chorale_status LearnCourse::keep() noexcept {
  const Choice &chosen = chosen_[lessons_.folds()];
  for (std::int64_t k = 0; k < learnt_.kinds.size(); ++k) {
    Kind &kind = learnt_.kinds[k];
    kind.first_weight = learnt_.weights.size();
    if (kind.cliques == 0)
      continue;
    const Strengths &pair = chosen.of[static_cast<std::size_t>(kind.family())];
    kind.strength = pair.strength;
    kind.bonus = pair.bonus;
    kind.uses_log_odds = pair.uses_log_odds;
    CHORALE_CHECK(lessons_.make_weights(report_, static_cast<std::int32_t>(k), pair, -1,
                                        learnt_.weights));
    kind.weights = learnt_.weights.size() - kind.first_weight;
  }
  return CHORALE_OK;
}

} // namespace

chorale_status learn(const Report &report, const Memory &memory, LearnSpec &spec,
                     Learnt &learnt) noexcept {
  return LearnCourse(report, memory, spec, learnt).run();
}

} // namespace chorale
