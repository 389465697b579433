// The steps of README.md, in their order.
#include "learn/lessons.hpp"

#include "base/logarithm.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace chorale {
namespace {

constexpr double kStrengths[] = {0, 0.25, 0.5, 1, 2, 3}; // 0: bonuses alone
// Greatest strength of kinds with a centre. At 1, the log-odds of each neighbour count once. Problems
// of few groups sometimes gain by more, but graphs with more links then lose much.
constexpr double kMostOfCentres = 1;
constexpr double kBonuses[] = {0, 0.5, 1};
// No more strengths are tried after so many in a row that cost more than the best before.
constexpr std::int32_t kLearnPatience = 2;
constexpr double kCaution = 0.5; // standard errors that a smaller pair may cost more
constexpr double kAgreementLevel = 0.01; // greatest p-value at which members agree
constexpr double kGainLevel = 0.05;      // greatest p-value of a gain, where judge() requires one
constexpr std::int32_t kFlips = 4096;
constexpr std::int64_t kFewGroups = 8;
// Without gold labels.
constexpr double kGuesses[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};
constexpr double kPropertyStrength = 2;
constexpr double kCentreStrength = 1;
constexpr double kBudget = 0.4; // changed labels for each error that the tagger expects
constexpr double kNearlyAll = 0.9; // share of positions, for CHORALE_WARNING_ONE_LABEL
// Temperatures. A position with the tagger's label counts only if the probability of the label is
// below this one: the many positions above would outweigh the others.
constexpr double kSure = 0.95;
constexpr std::int64_t kMostCalibrated = 1024; // chains that temperatures are fitted to
constexpr double kLeastLog2 = -1; // log2 of temperatures, which are from 1/2 (changed labels: 1) to 16
constexpr double kMostLog2 = 4;
constexpr std::int32_t kBisections = 10;
constexpr double kLeastProbability = 1e-300;

class LearnCourse {
public:
  LearnCourse(const Report &report, const Memory &memory, LearnSpec &spec, Learnt &learnt) noexcept
      : report_(report), memory_(memory), spec_(spec), learnt_(learnt), told_(learnt.report),
        lessons_(memory, spec, learnt) {}

  chorale_status run() {
    try {
      CHORALE_CHECK(learn());
      if (was_late_)
        told_.outcome = CHORALE_OUTCOME_DEADLINE;
    } catch (const LearningEnds &) {
      told_.verdict = CHORALE_VERDICT_INTERRUPTED;
    }
    told_.applied = told_.verdict <= CHORALE_VERDICT_WITHOUT_GOLD ? 1 : 0;
    if (told_.applied != 0)
      keep();
    return CHORALE_OK;
  }

private:
  // Rows of tallies_. kTagger: the tagger's labels. kControl, kAgreeing: held-out labels under
  // bonuses alone and under chosen pairs. kBefore: labels under the pairs chosen for the families
  // before the present one. From kPairs on: labels under each pair tried for the present family.
  enum Row : std::int64_t { kTagger, kControl, kAgreeing, kBefore, kPairs };

  chorale_status learn() {
    CHORALE_CHECK(find_kinds(report_, spec_.problems, spec_.measure.classes, learnt_));
    CHORALE_CHECK(lessons_.prepare(report_));
    told_.agreement_p = told_.gain_p = -1;
    if (spec_.options.without_gold != 0)
      return guess();
    need(tallies_.resize(kPairs * groups()) && differences_.resize(groups()));
    for (const Row row : {kTagger, kControl, kAgreeing, kBefore})
      lessons_.count(lessons_.base, tally(row));
    const LabelCounts of_base = sum(kTagger);
    spec_.measure.f1 = 2 * of_base[kRight] / std::max(of_base[kGold] + of_base[kFound], 1.0);
    tell(kTagger);
    if ((of_base[kKnown] - of_base[kCorrect]) * 100 < of_base[kKnown])
      told_.warnings |= CHORALE_WARNING_BASE_KNOWS;
    if (told_.groups < kFewGroups)
      told_.warnings |= CHORALE_WARNING_FEW_GROUPS;
    told_.agreement_p = test_agreement(memory_, lessons_);
    told_.verdict = CHORALE_VERDICT_NO_AGREEMENT;
    if (told_.agreement_p <= kAgreementLevel) {
      for (const Family family : {kOfPositions, kOfProperties, kOfCentres})
        if (has(family))
          CHORALE_CHECK(try_family(family));
      told_.verdict = judge();
    }
    return fit_temperatures();
  }

  bool has(Family family) const noexcept {
    return std::any_of(learnt_.kinds.begin(), learnt_.kinds.end(), [&](const Kind &kind) {
      return kind.cliques > 0 && kind.family() == family;
    });
  }
  std::int64_t groups() const noexcept { return lessons_.labelled.size(); }
  LabelCounts *tally(std::int64_t row) noexcept { return tallies_.begin() + row * groups(); }
  LabelCounts sum(std::int64_t row) noexcept {
    LabelCounts total{};
    for (std::int64_t g = 0; g < groups(); ++g)
      for (std::size_t k = 0; k < kCounts; ++k)
        total[k] += tally(row)[g][k];
    return total;
  }
  // Returns how much more the first row costs than the second (of_accuracy: how many more right
  // labels it has), for each group with gold labels that is not of the fold `without`
  // (lessons_.folds: for all). Valid until the next call.
  gsl::span<const double> differ(std::int64_t first, std::int64_t second, std::int32_t without,
                                 bool of_accuracy = false) noexcept {
    const auto number = [&](const LabelCounts &of) {
      return of_accuracy ? of[kCorrect] : spec_.measure.cost(of);
    };
    std::int64_t count = 0;
    for (std::int64_t g = 0; g < groups(); ++g)
      if (lessons_.labelled[g] > 0 && lessons_.fold[g] != without)
        differences_[count++] = number(tally(first)[g]) - number(tally(second)[g]);
    return span_of(differences_.begin(), count);
  }
  static double total(gsl::span<const double> numbers) noexcept {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
  }
  // Returns true if independent numbers add up to at most `errors` standard errors of their sum.
  static bool is_within(double errors, gsl::span<const double> numbers) noexcept {
    const auto n = static_cast<double>(numbers.size());
    const double mean = total(numbers) / n;
    double squares = 0;
    for (const double number : numbers)
      squares += (number - mean) * (number - mean);
    return n * mean <= errors * (n < 2 ? 0 : std::sqrt(n * squares / (n - 1)));
  }
  bool lowers_accuracy(std::int64_t row, std::int32_t without) noexcept {
    return spec_.options.may_lower_accuracy == 0 && !is_within(1, differ(kTagger, row, without, true));
  }

  // Labels the problems under a pair for a family, with the pairs chosen before for the other
  // families, and counts the labels in a new row of tallies_. Lowers `cost` to what they cost, if
  // that is less.
  chorale_status try_pair(Family family, const Strengths &pair, double &cost) {
    Choice choice = chosen_;
    choice[family] = pair;
    CHORALE_CHECK(lessons_.label(report_, choice, Lessons::Effort::quick));
    const std::int64_t row = kPairs + tried_.size();
    need(tried_.push(pair) && tallies_.resize((row + 1) * groups()));
    lessons_.count(lessons_.found, tally(row));
    cost = std::min(cost, spec_.measure.cost(sum(row)));
    return CHORALE_OK;
  }

  // Tries the pairs of a family and chooses one, if some pair costs less than the labels before.
  // The held-out labels of a fold are those under the pair chosen without this fold.
  chorale_status try_family(Family family) {
    tried_.truncate(0);
    const bool is_centred = family == kOfCentres;
    const bool has_bonus =
        !is_centred && std::any_of(learnt_.kinds.begin(), learnt_.kinds.end(), [&](const Kind &kind) {
          return kind.family() == family && (kind.has_empty || kind.left_out != 0);
        });
    double least = kInfinity;
    std::int32_t worse = 0; // strengths in a row that cost more than the best before
    for (const double strength : kStrengths) {
      was_late_ = was_late_ || lessons_.is_late();
      if (was_late_ || worse == kLearnPatience || (is_centred && strength > kMostOfCentres))
        break;
      double cost = kInfinity;
      for (const double bonus : kBonuses)
        if (bonus == 0 ? strength > 0 : has_bonus)
          CHORALE_CHECK(try_pair(family, {strength, bonus}, cost));
      worse = strength == 0 || cost <= least ? 0 : worse + 1;
      least = strength == 0 ? least : std::min(least, cost);
    }
    for (const Row row : {kControl, kAgreeing})
      for (std::int32_t fold = 0; fold < lessons_.folds; ++fold)
        if (const std::int64_t chosen = choose(row, fold); chosen >= 0)
          for (std::int64_t g = 0; g < groups(); ++g)
            if (lessons_.fold[g] == fold)
              tally(row)[g] = tally(kPairs + chosen)[g];
    if (const std::int64_t chosen = choose(kAgreeing, lessons_.folds); chosen >= 0) {
      chosen_[family] = tried_[chosen];
      std::copy_n(tally(kPairs + chosen), groups(), tally(kBefore));
      is_chosen_ = true;
    }
    return CHORALE_OK;
  }

  // Returns the index in tried_ of the smallest pair that costs at most half a standard error more
  // than the pair of least cost; -1 if none costs less than the labels before the family was tried.
  // Groups of the fold `without` and pairs that lower accuracy do not count. A smaller bonus comes
  // before a smaller strength: bonuses make labels more frequent, but let none agree. kControl:
  // among the bonuses alone; kAgreeing: among the other pairs.
  std::int64_t choose(Row row, std::int32_t without) {
    const auto takes_part = [&](std::int64_t k) {
      return (tried_[k].strength == 0) == (row == kControl);
    };
    const auto is_smaller = [](const Strengths &a, const Strengths &b) {
      return a.bonus != b.bonus ? a.bonus < b.bonus : a.strength < b.strength;
    };
    std::int64_t best = -1;
    for (std::int64_t k = 0; k < tried_.size(); ++k) {
      if (!takes_part(k) || total(differ(kPairs + k, best < 0 ? kBefore : kPairs + best, without)) >= 0)
        continue;
      if (lowers_accuracy(kPairs + k, without))
        would_gain_ = true;
      else
        best = k;
    }
    std::int64_t smallest = best;
    for (std::int64_t k = 0; best >= 0 && k < tried_.size(); ++k)
      if (takes_part(k) && is_smaller(tried_[k], tried_[smallest]) &&
          !lowers_accuracy(kPairs + k, without) &&
          is_within(kCaution, differ(kPairs + k, kPairs + best, without)))
        smallest = k;
    return smallest;
  }

  // Writes the figures of a row to the report, with the numbers of labels that it changed.
  void tell(Row row) noexcept {
    const LabelCounts all = sum(row);
    const double figures[] = {spec_.measure.cost(all), all[kRight] / std::max(all[kFound], 1.0),
                              all[kRight] / std::max(all[kGold], 1.0),
                              2 * all[kRight] / std::max(all[kGold] + all[kFound], 1.0),
                              all[kCorrect] / all[kKnown]};
    for (std::size_t k = 0; k < std::size(figures); ++k)
      told_.*kFigures[row][k] = figures[k];
    told_.changed = static_cast<std::int64_t>(all[kChanged]);
    told_.changed_right_before = static_cast<std::int64_t>(all[kRightBefore]);
    told_.changed_right_after = static_cast<std::int64_t>(all[kRightAfter]);
  }

  // Writes the held-out figures to the report. Decides whether the chosen strengths are applied.
  chorale_verdict judge() {
    tell(kControl);
    tell(kAgreeing);
    if (!is_chosen_)
      return would_gain_ ? CHORALE_VERDICT_LOWERS_ACCURACY : CHORALE_VERDICT_NO_GAIN;
    told_.gain_p = sign_flip_p(kTagger);
    if (told_.agreeing_cost >= told_.tagger_cost)
      return CHORALE_VERDICT_NO_GAIN;
    if (lowers_accuracy(kAgreeing, lessons_.folds))
      return CHORALE_VERDICT_LOWERS_ACCURACY;
    const bool was_exchanged = told_.agreement_p >= 0;
    const bool is_credible =
        told_.gain_p <= kGainLevel && (was_exchanged || sign_flip_p(kControl) <= kGainLevel);
    return is_credible || (was_exchanged && told_.groups >= kFewGroups)
               ? CHORALE_VERDICT_GAIN
               : CHORALE_VERDICT_MAY_BE_CHANCE;
  }

  // Returns the one-sided p-value of kAgreeing costing less than `row`: how often the sum of the
  // groups' differences in cost is at least as great when their signs are drawn at random.
  double sign_flip_p(Row row) {
    const auto differences = differ(row, kAgreeing, lessons_.folds);
    const double rounding = 1e-12 * std::fabs(total(differences));
    std::uint64_t random = 1;
    std::int32_t as_great = 0;
    for (std::int32_t flip = 0; flip < kFlips; ++flip) {
      lessons_.spend(4 * groups());
      double flipped = 0; // sum of those with a flipped sign; if <= 0, the sum of all is as great
      for (const double difference : differences)
        flipped += draw_below(random, 2) == 1 ? difference : 0;
      as_great += flipped <= rounding ? 1 : 0;
    }
    return static_cast<double>(as_great + 1) / static_cast<double>(kFlips + 1);
  }

  // Calls take(position, probabilities) under the last run, for the positions of every step-th
  // chain; not if the run has no probabilities of the chain.
  template <class Take> void each_probability(std::int64_t step, Take &&take) {
    for (const Lesson &lesson : lessons_.lessons)
      for (std::int64_t i = 0; i < lesson.model->chains.size(); ++i) {
        const std::int64_t length = lesson.model->chains[i].length;
        const std::int64_t m = lesson.model->chains[i].labels;
        if ((lesson.first_chain + i) % step != 0)
          continue;
        lessons_.spend(64 + length * m * (8 + m));
        need(probabilities_.resize(length * m));
        if (chorale_run_probabilities(lesson.run, i, 1, probabilities_.begin(), 0, nullptr,
                                      nullptr) == CHORALE_OK)
          for (std::int64_t t = 0; t < length; ++t)
            take(lessons_.starts[lesson.first_chain + i] + t,
                 span_of(probabilities_.begin() + t * m, m));
      }
  }

  chorale_status fit_temperatures() {
    const bool applies = told_.verdict == CHORALE_VERDICT_GAIN;
    CHORALE_CHECK(lessons_.label(report_, applies ? chosen_ : Choice{},
                                 applies ? Lessons::Effort::usual : Lessons::Effort::plain));
    const std::int64_t step = 1 + lessons_.starts.size() / kMostCalibrated;
    each_probability(step, [&](std::int64_t p, gsl::span<const double> row) {
      const std::int32_t given = lessons_.found[p];
      if (lessons_.gold[p] < 0)
        return;
      need(seen_.push({logs_.size(), static_cast<std::int64_t>(row.size()), given,
                       given == lessons_.gold[p], given != lessons_.base[p]}));
      for (const double probability : row)
        need(logs_.push(natural_log(std::max(probability, kLeastProbability))));
    });
    told_.temperature = temperature_of(false);
    told_.changed_temperature = temperature_of(true);
    return CHORALE_OK;
  }

  // Returns the temperature at which the mean probability of the labels given is the share that is
  // right, by bisection of its logarithm; 0 if there are no positions. changed: at the positions whose
  // label is not the tagger's, with temperatures of at least 1: these are few, and might look surer
  // than they are by chance. Else: at the other positions with probabilities below kSure.
  double temperature_of(bool changed) {
    double low = changed ? 0 : kLeastLog2;
    double high = kMostLog2;
    std::int64_t positions = 0;
    for (std::int32_t step = 0; step < kBisections; ++step) {
      lessons_.spend(32 * logs_.size());
      const double middle = natural_exp((low + high) / 2 * std::numbers::ln2);
      double excess = 0;
      positions = 0;
      for (const Seen &seen : seen_) {
        if (seen.is_changed != changed)
          continue;
        double sum = 0;
        for (std::int64_t y = 0; y < seen.labels; ++y)
          sum += natural_exp(logs_[seen.first + y] / middle);
        const double probability = natural_exp(logs_[seen.first + seen.given] / middle) / sum;
        if (!changed && probability >= kSure)
          continue;
        ++positions;
        excess += probability - (seen.is_right ? 1 : 0);
      }
      (excess > 0 ? low : high) = (low + high) / 2;
    }
    return positions > 0 ? natural_exp((low + high) / 2 * std::numbers::ln2) : 0;
  }

  chorale_status guess() {
    told_.temperature = 1;
    told_.verdict = CHORALE_VERDICT_WITHOUT_GOLD;
    chosen_[kOfProperties].strength = kPropertyStrength;
    chosen_[kOfCentres].strength = kCentreStrength;
    if (!has(kOfPositions))
      return CHORALE_OK;
    std::int64_t shown[64] = {}; // by label that counts, modulo 64: how often the tagger gives it
    for (const std::int32_t label : lessons_.base)
      if (const auto &classes = spec_.measure.classes;
          label >= 0 && (classes.empty() || classes.data()[label] >= 0))
        ++shown[static_cast<std::size_t>(label) % std::size(shown)];
    if (static_cast<double>(*std::max_element(shown, shown + std::size(shown))) >
        kNearlyAll * static_cast<double>(lessons_.base.size()))
      told_.warnings |= CHORALE_WARNING_ONE_LABEL;
    each_probability(1, [&](std::int64_t, gsl::span<const double> row) {
      told_.expected_errors += 1 - *std::max_element(row.begin(), row.end());
    });
    for (const double strength : kGuesses) {
      Choice choice{};
      choice[kOfPositions].strength = strength;
      CHORALE_CHECK(lessons_.label(report_, choice, Lessons::Effort::quick));
      const std::int64_t changed =
          std::inner_product(lessons_.found.begin(), lessons_.found.end(), lessons_.base.begin(),
                             std::int64_t{0}, std::plus<>(), std::not_equal_to<>());
      if (static_cast<double>(changed) > std::ceil(kBudget * told_.expected_errors))
        break;
      chosen_[kOfPositions].strength = strength;
      told_.changed = changed;
    }
    return CHORALE_OK;
  }

  // Writes what was chosen to the result.
  void keep() {
    for (std::int32_t k = 0; k < learnt_.kinds.size(); ++k) {
      Kind &kind = learnt_.kinds[k];
      const Strengths &pair = chosen_[kind.family()];
      if (kind.cliques == 0)
        continue;
      kind.strength = pair.strength;
      kind.bonus = pair.bonus;
      kind.uses_log_odds = kind.is_centred() && lessons_.folds > 0;
      lessons_.make_weights(k, chosen_, lessons_.folds, learnt_.weights);
    }
  }

  const Report &report_;
  const Memory &memory_;
  LearnSpec &spec_;
  Learnt &learnt_;
  LearntReport &told_;
  Lessons lessons_;
  Array<LabelCounts> tallies_{memory_}; // rows x groups
  Array<Strengths> tried_{memory_};     // pairs tried for the present family, in order
  Choice chosen_{};            // by family: the pair chosen on all groups
  Array<double> differences_{memory_};
  Array<double> probabilities_{memory_};
  struct Seen { // a position with a gold label, for temperature_of()
    std::int64_t first; // its log-probabilities begin at logs_[first]
    std::int64_t labels;
    std::int32_t given; // the label of the last run
    bool is_right;
    bool is_changed; // the label is not the tagger's
  };
  Array<Seen> seen_{memory_};
  Array<double> logs_{memory_}; // logarithms of the probabilities of labels
  bool was_late_ = false; // half of the time was over before all strengths were tried
  bool is_chosen_ = false; // a pair was chosen for some family
  bool would_gain_ = false; // some pair costs less but lowers accuracy
};

} // namespace

chorale_status learn(const Report &report, const Memory &memory, LearnSpec &spec, Learnt &learnt) {
  return LearnCourse(report, memory, spec, learnt).run();
}

} // namespace chorale
