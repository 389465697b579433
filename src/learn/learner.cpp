// chorale/learn.h explains the words used here: the objective, and the choices made during
// learning.
#include "learn/learner.hpp"

#include "learn/association.hpp"
#include "learn/chance.hpp"
#include "learn/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chorale {
namespace {

// Strengths of regularisation, strongest first.
constexpr double kLambdas[] = {30, 10, 3, 1, 0.3, 0.1};
constexpr std::int32_t kGrid = static_cast<std::int32_t>(std::size(kLambdas));
// Lower lambdas are not tried after this many lambdas in a row without a new lowest cost.
constexpr std::int32_t kLambdaPatience = 2;
// Greatest number of times that all problems are labelled with loss-augmented scores (lessons.hpp):
// kFirstRuns under the first lambda, kMoreRuns under each later lambda.
constexpr std::int32_t kFirstRuns = 6;
constexpr std::int32_t kMoreRuns = 2;
// Weights that fit the first few planes are far too large, and to label property cliques under such
// weights takes long. So in the first runs they go only this part of the way from the last weights.
constexpr double kFirstPace = 0.5;
constexpr double kScreenLevel = 0.2;
// False discovery rate: at most this share of the kinds that are kept is expected to gain by chance
// alone.
constexpr double kFalseKinds = 0.5;
constexpr std::int64_t kScreenedGroups = 6;
// Weights of agreement bases in position cliques are multiplied by this factor after learning; up
// to kDirectedTimes times if they share a direction.
constexpr double kFactor = 1.5;
constexpr std::int32_t kDirectedTimes = 4;
// Then all weights are multiplied by kShrinkFactor, up to kShrinkTimes times, as long as held-out
// groups cost less for it.
constexpr double kShrinkFactor = 0.7;
constexpr std::int32_t kShrinkTimes = 2;
// Greatest number of random exchanges of members. Fewer are made if kExchangesAsGreat of them give
// a statistic at least as great as the observed one.
constexpr std::int64_t kExchanges = 999;
constexpr std::int64_t kExchangesAsGreat = 100;
// Tolerance of the cutting planes. The highest plane of a group (objective.hpp) is a lower bound on
// the group's term of the objective. All problems are labelled again and again, which adds planes,
// until one labelling raises the sum of these bounds by at most
//     kOpenShare * u * (number of gold labels),
// where u is the unit of the scores.
constexpr double kOpenShare = 1e-3;

enum class Variant : std::int32_t { all, control }; // control: without agreement bases

// Weights that are multiplied by a factor: those that share a direction (objective.hpp), those of
// other agreement bases in position cliques, or all.
enum class Scaled : std::int32_t { directed, agreement, all };

struct Candidate {
  double lambda = kLambdas[0];
  bool with_details = true; // bases with many weights are learnt (is_detail())
};

class LearningCourse {
public:
  LearningCourse(const Report &report, const Memory &memory, const Teaching &teaching,
                 Learnt &learnt) noexcept
      : report_(report), memory_(memory), teaching_(teaching), learnt_(learnt),
        lessons_(memory, teaching.spec), fold_(memory), takes_part_(memory), least_(memory),
        most_(memory), directed_(memory), log_odds_(memory), directions_(memory),
        fold_theta_(memory), shares_(memory), fold_shares_(memory), start_(memory), theta_(memory),
        costs_(memory), held_out_{Array<double>(memory), Array<double>(memory)},
        differences_(memory), sums_(memory), dropped_(memory), exchange_p_(memory) {}

  chorale_status run() noexcept {
    const chorale_status status = teach();
    chorale_learnt_report &told = learnt_.report;
    told.runs = lessons_.runs();
    told.outcome = lessons_.outcome();
    if (lessons_.interrupted())
      apply_nothing();
    return status;
  }

private:
  std::int64_t weights() const noexcept { return learnt_.weights.size(); }
  std::int64_t groups() const noexcept { return lessons_.groups(); }
  chorale_status no_memory() const noexcept { return report_.out_of_memory(sizeof(double)); }

  chorale_status teach() noexcept;
  chorale_status make_room() noexcept;
  chorale_status deal_folds() noexcept;
  chorale_status find_directions() noexcept;
  // True if the weights of a kind share a direction under a variant.
  bool has_direction(std::int64_t kind, Variant variant) const noexcept {
    return variant == Variant::all && dropped_[kind] == 0 && directed_[kind] != 0;
  }
  chorale_status screen() noexcept;
  void set_bounds(Variant variant, bool with_details) noexcept;
  chorale_status fit(double lambda, std::int32_t without_fold, gsl::span<double> theta) noexcept;
  chorale_status fit_folds(double lambda) noexcept;
  chorale_status label_held_out(double lambda, gsl::span<double> costs) noexcept;
  chorale_status add_planes(double lambda, std::int32_t runs, double pace = 1) noexcept;
  chorale_status follow(Variant variant) noexcept;
  chorale_status follow_lambdas(Variant variant, bool with_details) noexcept;
  bool can_leave_details(Variant variant) const noexcept;
  std::int32_t choose(std::int32_t without_fold) noexcept;
  chorale_status judge() noexcept;
  chorale_status try_smaller(bool &harmless) noexcept;
  chorale_status exchange_members() noexcept;
  chorale_status compare_scores() noexcept;
  chorale_status choose_kinds(Variant variant) noexcept;
  bool has_part(std::int64_t kind, Variant variant) const noexcept;
  void judge_kind(chorale_learnt_kind &told, gsl::span<const double> costs) noexcept;
  bool multiply(gsl::span<double> theta, double factor, Scaled scaled) const noexcept;
  chorale_status scale_some(Scaled scaled, double factor, std::int32_t times, bool goes_on,
                            double &least, std::int32_t &kept) noexcept;
  chorale_status scale() noexcept;
  chorale_status finish() noexcept;
  void apply_nothing() noexcept;
  static double sum(gsl::span<const double> costs) noexcept {
    return std::accumulate(costs.begin(), costs.end(), 0.0);
  }
  // Returns the weights under which the groups of a fold are labelled; they are learnt on the other
  // folds.
  gsl::span<double> fold_theta(std::int32_t fold) noexcept {
    return span_of(fold_theta_.begin() + fold * weights(), weights());
  }
  // Calls sign_flip_p() of chance.hpp. The time limit or the cancel flag of chorale_learn can
  // interrupt it.
  double sign_flip_p(gsl::span<const double> differences, std::int64_t flips = kFlips) noexcept {
    return chorale::sign_flip_p(lessons_, differences, flips);
  }
  Interval bootstrap(gsl::span<const double> differences) noexcept {
    return chorale::bootstrap(lessons_, differences, sums_);
  }
  // Returns first - second for each group with gold labels. The result is valid until the next
  // call. first and second: one number for each group.
  gsl::span<const double> differ(gsl::span<const double> first,
                                 gsl::span<const double> second) noexcept {
    std::int64_t count = 0;
    for (std::int64_t g = 0; g < groups(); ++g)
      if (lessons_.labelled().data()[g] > 0)
        differences_[count++] = first.data()[g] - second.data()[g];
    return span_of(differences_.begin(), count);
  }
  // True if the sum of the first costs exceeds that of the second by at most one standard error.
  bool is_no_worse(gsl::span<const double> first, gsl::span<const double> second) noexcept {
    return sum(first) - sum(second) <= standard_error(differ(first, second));
  }

  const Report &report_;
  const Memory &memory_;
  const Teaching &teaching_;
  Learnt &learnt_;
  Lessons lessons_;
  std::int32_t folds_ = 0;
  std::int64_t tried_ = 0;         // number of kinds with weights
  Array<std::int32_t> fold_;       // by group: its fold
  Array<std::uint8_t> takes_part_; // by group: 1 if fit() uses its planes
  Array<double> least_;            // by weight: lower bound under the current variant
  Array<double> most_;
  Array<std::uint8_t> directed_; // by kind: 1 if its weights share a direction
  // (1 + folds) x weights: the log-odds (association.hpp) of the kinds with a direction, from the
  // gold labels of all groups; then, for each fold, from those of the other folds.
  Array<double> log_odds_;
  Array<Direction> directions_;    // of the last fit (objective.hpp)
  Variant variant_ = Variant::all; // the variant of the last call of set_bounds()
  Array<double> fold_theta_;       // folds x weights: see fold_theta()
  // By plane: its share in the dual (minimise() of objective.hpp) after the last fit to all groups.
  Array<double> shares_;
  // Planes x folds: its share after the last fit that left this fold out. The next such fit starts
  // from these shares.
  Array<double> fold_shares_;
  Array<double> start_;
  Array<double> theta_;
  Array<double> costs_; // candidates x groups: costs of held-out groups
  // By variant and group: cost of the held-out group under the candidate chosen on the other folds.
  Array<double> held_out_[2];
  Candidate candidates_[2 * kGrid]; // tried under the current variant, in the order of preference
  std::int32_t candidate_count_ = 0;
  Candidate chosen_[2];
  bool with_details_ = true;  // the final weights include bases with many weights
  Array<double> differences_; // by group
  Array<double> sums_;
  Array<std::uint8_t> dropped_; // by kind: 1 if its weights stay 0
  bool may_shrink_ = false;     // scale() did not multiply all weights by kShrinkFactor to the end
  bool scores_tell_ = true;     // the tagger's scores tell something about the gold labels
  bool exchanged_ = false;
  double all_exchange_p_ = 1; // p-value of exchanges for all kinds with agreement bases together
  Array<double> exchange_p_;  // by kind: its p-value; 1 if its members were not exchanged
};

chorale_status LearningCourse::teach() noexcept {
  CHORALE_CHECK(find_kinds(report_, teaching_.problems, learnt_));
  if (teaching_.spec.classes.data() &&
      !leave_out(teaching_.problems, teaching_.spec.classes, learnt_))
    return no_memory();
  CHORALE_CHECK(find_weights(report_, teaching_.rules, learnt_));
  CHORALE_CHECK(lessons_.prepare(report_, teaching_.problems, teaching_.seen, learnt_));
  CHORALE_CHECK(make_room());
  if (lessons_.interrupted())
    return CHORALE_OK;
  CHORALE_CHECK(lessons_.begin(report_));
  if (lessons_.interrupted())
    return CHORALE_OK;
  CHORALE_CHECK(deal_folds());
  CHORALE_CHECK(find_directions());
  CHORALE_CHECK(compare_scores());
  CHORALE_CHECK(exchange_members());
  CHORALE_CHECK(screen());
  if (lessons_.interrupted())
    return CHORALE_OK;
  learnt_.report.base_cost = sum(lessons_.base_cost());
  // The greatest number of runs over each problem: for all bases and for the control, each with and
  // without bases of many weights; for the final fit; one for the temperature; those of
  // try_smaller() and of scale().
  // The runs for each kind alone are added below.
  constexpr std::int32_t kFixedRuns = kFirstRuns - kMoreRuns + 4 * kGrid * (kMoreRuns + 1) +
                                      kMoreRuns + 1 + 2 + kDirectedTimes + 2 * kShrinkTimes;
  static_assert(kFixedRuns == 89, "learn.h states it");
  lessons_.set_most_runs((kFixedRuns + (kMoreRuns + 1) * learnt_.kinds.size()) *
                         static_cast<std::int64_t>(teaching_.problems.size()));
  CHORALE_CHECK(follow(Variant::all));
  if (!lessons_.interrupted())
    CHORALE_CHECK(follow(Variant::control));
  return lessons_.interrupted() ? chorale_status{CHORALE_OK} : judge();
}

chorale_status LearningCourse::make_room() noexcept {
  const std::int64_t kinds = learnt_.kinds.size();
  folds_ = static_cast<std::int32_t>(std::min(teaching_.folds, learnt_.report.groups));
  learnt_.report.folds = folds_;
  if (!fold_.resize(groups()) || !takes_part_.resize(groups()) || !least_.resize(weights()) ||
      !most_.resize(weights()) || !fold_theta_.resize(folds_ * weights()) ||
      !theta_.resize(weights()) || !costs_.resize(2 * kGrid * groups()) ||
      !held_out_[0].resize(groups()) || !held_out_[1].resize(groups()) ||
      !differences_.resize(groups()) || !sums_.resize(kBootstraps) || !dropped_.resize(kinds) ||
      !exchange_p_.resize(kinds) || !learnt_.told.resize(kinds))
    return no_memory();
  for (std::int64_t k = 0; k < kinds; ++k) {
    chorale_learnt_kind &told = learnt_.told[k];
    told = {};
    told.kind = static_cast<std::int32_t>(k);
    told.cliques = learnt_.kinds[k].cliques;
    told.members = learnt_.kinds[k].members;
    told.screening_p = told.p = 1;
    told.verdict = told.cliques > 0 ? CHORALE_VERDICT_KEPT : CHORALE_VERDICT_NO_CLIQUES;
    dropped_[k] = 0;
    exchange_p_[k] = 1;
    tried_ += learnt_.kinds[k].weights > 0 ? 1 : 0;
  }
  const auto signs = static_cast<int>(std::min<std::int64_t>(learnt_.report.groups, 2000));
  if (!lessons_.interrupted() && std::ldexp(1.0, -signs) > teaching_.level)
    learnt_.report.warnings |= CHORALE_WARNING_FEW_GROUPS;
  return CHORALE_OK;
}

// Deals groups to folds, in descending order of their number of gold labels, each to the fold with
// the fewest gold labels so far.
chorale_status LearningCourse::deal_folds() noexcept {
  const std::int64_t *labelled = lessons_.labelled().data();
  Array<std::int64_t> order(memory_);
  Array<std::int64_t> filled(memory_); // numbers of gold labels by fold, then of groups by fold
  if (!order.resize(groups()) || !filled.resize(2 * folds_))
    return no_memory();
  std::fill(filled.begin(), filled.end(), 0);
  std::int64_t *given = filled.begin() + folds_;
  for (std::int64_t g = 0; g < groups(); ++g)
    order[g] = g;
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return labelled[a] != labelled[b] ? labelled[a] > labelled[b] : a < b;
  });
  for (const std::int64_t g : order) {
    std::int32_t best = 0;
    for (std::int32_t f = 1; f < folds_; ++f)
      if (filled[f] < filled[best] || (filled[f] == filled[best] && given[f] < given[best]))
        best = f;
    fold_[g] = best;
    filled[best] += labelled[g];
    ++given[best];
  }
  return CHORALE_OK;
}

// Finds the kinds whose weights share a direction, and fills log_odds_: in centred kinds, if no
// weight has a bound, the direction is that of the log-odds of the gold labels.
chorale_status LearningCourse::find_directions() noexcept {
  Array<double> counts(memory_); // by weight of a kind
  if (!log_odds_.resize((1 + folds_) * weights()) || !directions_.reserve(learnt_.kinds.size()) ||
      !directed_.resize(learnt_.kinds.size()))
    return no_memory();
  for (std::int64_t k = 0; k < learnt_.kinds.size(); ++k) {
    const Kind &kind = learnt_.kinds[k];
    const chorale_learnt_weight *first = learnt_.weights.begin() + kind.first_weight;
    const bool is_free =
        std::all_of(first, first + kind.weights, [](const chorale_learnt_weight &weight) {
          return weight.least == kForbidden && weight.most == kInfinity;
        });
    directed_[k] = kind.is_centred && kind.weights > 0 && is_free ? 1 : 0;
    if (directed_[k] == 0)
      continue;
    if (!counts.resize(kind.weights))
      return no_memory();
    for (std::int32_t without = -1; without < folds_; ++without) {
      std::fill(counts.begin(), counts.end(), 0.0);
      for (std::int64_t g = 0; g < groups(); ++g)
        for (std::int64_t w = 0; fold_[g] != without && w < kind.weights; ++w)
          counts[w] += lessons_.reference(g, kind.first_weight + w);
      find_log_odds(
          counts, kind.columns(),
          span_of(log_odds_.begin() + (1 + without) * weights() + kind.first_weight, kind.weights));
    }
  }
  return CHORALE_OK;
}

// Drops kinds whose bases do not differ significantly between gold labels and the tagger's labels,
// and whose members do not agree beyond chance.
chorale_status LearningCourse::screen() noexcept {
  if (learnt_.report.groups < kScreenedGroups)
    return CHORALE_OK;
  const double *differences = lessons_.differences().data();
  for (std::int64_t k = 0; k < learnt_.kinds.size(); ++k) {
    const Kind &kind = learnt_.kinds[k];
    if (kind.weights == 0)
      continue;
    double least = 1;
    for (std::int64_t w = 0; w < kind.weights; ++w) {
      const chorale_learnt_weight &weight = learnt_.weights[kind.first_weight + w];
      double p = 1;
      for (const double sign : {1.0, -1.0}) {
        if (sign > 0 ? weight.most <= 0 : weight.least >= 0)
          continue;
        std::int64_t count = 0;
        for (std::int64_t g = 0; g < groups(); ++g)
          if (lessons_.labelled().data()[g] > 0)
            differences_[count++] = sign * differences[g * weights() + kind.first_weight + w];
        p = std::min(p, sign_flip_p(span_of(differences_.begin(), count)));
        if (lessons_.interrupted())
          return CHORALE_OK;
      }
      if (weight.least < 0 && weight.most > 0)
        p *= 2;
      least = std::min(least, p);
    }
    chorale_learnt_kind &told = learnt_.told[k];
    told.screening_p =
        std::min({1.0, least * static_cast<double>(kind.weights), 2 * exchange_p_[k]});
    if (told.screening_p > kScreenLevel) {
      told.verdict = CHORALE_VERDICT_SCREENED;
      dropped_[k] = 1;
    }
  }
  return CHORALE_OK;
}

// Sets the bounds of the weights under a variant. Weights that take no part get the bounds 0 and 0,
// even if 0 is outside their own bounds.
void LearningCourse::set_bounds(Variant variant, bool with_details) noexcept {
  variant_ = variant;
  for (std::int64_t w = 0; w < weights(); ++w) {
    const chorale_learnt_weight &weight = learnt_.weights[w];
    const bool takes_part = dropped_[weight.kind] == 0 &&
                            (variant == Variant::all || !is_agreement(weight.basis)) &&
                            (with_details || !is_detail(weight.basis));
    least_[w] = takes_part ? weight.least : 0;
    most_[w] = takes_part ? weight.most : 0;
  }
}

// Fits weights to the stored planes of all groups except those of a fold (-1: of all groups).
chorale_status LearningCourse::fit(double lambda, std::int32_t without_fold,
                                   gsl::span<double> theta) noexcept {
  for (std::int64_t g = 0; g < groups(); ++g)
    takes_part_[g] = lessons_.labelled().data()[g] > 0 && fold_[g] != without_fold ? 1 : 0;
  directions_.truncate(0);
  for (std::int64_t k = 0; k < learnt_.kinds.size(); ++k)
    if (const Kind &kind = learnt_.kinds[k]; has_direction(k, variant_))
      directions_.push(
          {kind.first_weight,
           span_of(log_odds_.begin() + (1 + without_fold) * weights() + kind.first_weight,
                   kind.weights)});
  const Objective objective{lessons_.pools(),         takes_part_, least_, most_,
                            lambda / lessons_.unit(), directions_};
  const double gap =
      1e-5 * lessons_.unit() * static_cast<double>(learnt_.report.positions) + 1e-300;
  // A fit that leaves a fold out starts from the last solution that left it out too. A solution for
  // all groups would depend on the gold labels of the fold.
  if (without_fold < 0) {
    if (!minimise(memory_, objective, gap, shares_, theta))
      return no_memory();
  } else {
    const std::int64_t known = fold_shares_.size() / folds_;
    if (!start_.resize(known))
      return no_memory();
    for (std::int64_t k = 0; k < known; ++k)
      start_[k] = fold_shares_[k * folds_ + without_fold];
    if (!minimise(memory_, objective, gap, start_, theta) ||
        !fold_shares_.resize(start_.size() * folds_))
      return no_memory();
    if (known < start_.size())
      std::fill(fold_shares_.begin() + known * folds_, fold_shares_.end(), 0.0);
    // In the first call with a fold, the other folds have no solution yet. They get one to start
    // from: share 1 for the plane of the gold labelling of each group.
    for (std::int64_t g = 0; known == 0 && g < groups(); ++g)
      std::fill_n(fold_shares_.begin() + lessons_.pools().first(g) * folds_, folds_, 1.0);
    for (std::int64_t k = 0; k < start_.size(); ++k)
      fold_shares_[k * folds_ + without_fold] = start_[k];
  }
  for (std::int64_t w = 0; w < weights(); ++w)
    if (!is_finite_score(theta.data()[w]))
      return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "a weight of kind ", learnt_.weights[w].kind,
                          " would exceed ", kLargestScore,
                          " in magnitude; divide all scores and costs by a power of two");
  return CHORALE_OK;
}

chorale_status LearningCourse::fit_folds(double lambda) noexcept {
  for (std::int32_t f = 0; f < folds_; ++f)
    CHORALE_CHECK(fit(lambda, f, fold_theta(f)));
  return CHORALE_OK;
}

// Labels each group with the weights learnt on the other folds, and writes the costs by group.
chorale_status LearningCourse::label_held_out(double lambda, gsl::span<double> costs) noexcept {
  CHORALE_CHECK(fit_folds(lambda));
  return lessons_.label(report_, fold_theta_, fold_, false, costs);
}

// Repeats `runs` times: fits the weights to the planes of all groups, labels all groups with costs
// added to the scores, and stores the labellings as planes. Ends earlier when the new planes raise
// the bounds of the groups by no more than the tolerance (kOpenShare). pace: how far the weights
// go, from 0 and then from the last weights, towards those that fit; 1: all the way.
chorale_status LearningCourse::add_planes(double lambda, std::int32_t runs, double pace) noexcept {
  Array<double> last(memory_);
  if (!last.resize(weights()))
    return no_memory();
  std::fill(last.begin(), last.end(), 0.0);
  for (std::int32_t r = 0; r < runs; ++r) {
    CHORALE_CHECK(fit(lambda, -1, theta_));
    for (std::int64_t w = 0; pace < 1 && w < weights(); ++w)
      last[w] = theta_[w] = last[w] + pace * (theta_[w] - last[w]);
    double before = 0;
    double after = 0;
    for (std::int64_t g = 0; g < groups(); ++g)
      before += lessons_.pools().highest(g, theta_);
    CHORALE_CHECK(lessons_.label(report_, theta_, {}, true, {}));
    if (lessons_.interrupted())
      break;
    for (std::int64_t g = 0; g < groups(); ++g)
      after += lessons_.pools().highest(g, theta_);
    if (after - before <=
        kOpenShare * lessons_.unit() * static_cast<double>(learnt_.report.positions))
      break;
  }
  return CHORALE_OK;
}

// Tries the lambdas in descending order. For each, learns weights from all groups and adds the
// planes found under them; then labels each fold under weights learnt from the other folds, and
// computes the costs of these held-out labels. Ends after kLambdaPatience lambdas in a row that are
// no better than the best before.
chorale_status LearningCourse::follow_lambdas(Variant variant, bool with_details) noexcept {
  set_bounds(variant, with_details);
  double least = kInfinity;
  std::int32_t best = 0;
  for (std::int32_t k = 0; k < kGrid && k <= best + kLambdaPatience; ++k) {
    const auto costs = span_of(costs_.begin() + candidate_count_ * groups(), groups());
    const bool is_first = candidate_count_ == 0 && variant == Variant::all;
    CHORALE_CHECK(add_planes(kLambdas[k], is_first ? kFirstRuns : kMoreRuns,
                             is_first && lessons_.are_all_properties() ? kFirstPace : 1));
    if (lessons_.interrupted())
      return CHORALE_OK;
    CHORALE_CHECK(label_held_out(kLambdas[k], costs));
    if (lessons_.interrupted())
      return CHORALE_OK;
    candidates_[candidate_count_++] = {kLambdas[k], with_details};
    if (const double cost = sum(costs); cost < least) {
      least = cost;
      best = k;
    }
  }
  return CHORALE_OK;
}

// Returns true if both bases with many weights and other bases are learnt under a variant, so that
// it makes sense to try the other bases alone.
bool LearningCourse::can_leave_details(Variant variant) const noexcept {
  bool details = false;
  bool others = false;
  for (const chorale_learnt_weight &weight : learnt_.weights) {
    const bool is_free = dropped_[weight.kind] == 0 && weight.least < weight.most &&
                         (variant == Variant::all || !is_agreement(weight.basis));
    details = details || (is_free && is_detail(weight.basis));
    others = others || (is_free && !is_detail(weight.basis)) || has_direction(weight.kind, variant);
  }
  return details && others;
}

chorale_status LearningCourse::follow(Variant variant) noexcept {
  candidate_count_ = 0;
  if (can_leave_details(variant))
    CHORALE_CHECK(follow_lambdas(variant, false));
  if (!lessons_.interrupted())
    CHORALE_CHECK(follow_lambdas(variant, true));
  if (lessons_.interrupted())
    return CHORALE_OK;
  const auto v = static_cast<std::size_t>(variant);
  for (std::int32_t f = 0; f < folds_; ++f) {
    const std::int32_t k = choose(f);
    for (std::int64_t g = 0; g < groups(); ++g)
      if (fold_[g] == f)
        held_out_[v][g] = costs_[k * groups() + g];
  }
  chosen_[v] = candidates_[choose(-1)];
  return CHORALE_OK;
}

// Returns the first candidate whose cost is at most one standard error above the least cost.
// Candidates without bases of many weights come first, then those with them, each by descending
// lambda.
// Costs are sums over all groups except those of a fold (-1: over all groups).
std::int32_t LearningCourse::choose(std::int32_t without_fold) noexcept {
  const auto total = [&](std::int32_t k) {
    double of_lambda = 0;
    for (std::int64_t g = 0; g < groups(); ++g)
      of_lambda += fold_[g] != without_fold ? costs_[k * groups() + g] : 0;
    return of_lambda;
  };
  std::int32_t best = 0;
  for (std::int32_t k = 1; k < candidate_count_; ++k)
    if (total(k) < total(best))
      best = k;
  for (std::int32_t k = 0; k < best; ++k) {
    std::int64_t count = 0;
    double worse = 0;
    for (std::int64_t g = 0; g < groups(); ++g)
      if (fold_[g] != without_fold && lessons_.labelled().data()[g] > 0) {
        differences_[count] = costs_[k * groups() + g] - costs_[best * groups() + g];
        worse += differences_[count++];
      }
    if (worse <= standard_error(span_of(differences_.begin(), count)))
      return k;
  }
  return best;
}

chorale_status LearningCourse::judge() noexcept {
  chorale_learnt_report &told = learnt_.report;
  const gsl::span<const double> all = held_out_[0];
  const gsl::span<const double> control = held_out_[1];
  told.all_cost = sum(all);
  told.control_cost = sum(control);
  gsl::span<const double> gains = differ(lessons_.base_cost(), all);
  told.gain = told.base_cost - told.all_cost;
  told.gain_p = sign_flip_p(gains);
  Interval interval = bootstrap(gains);
  told.gain_lower = interval.lower;
  told.gain_upper = interval.upper;
  gains = differ(control, all);
  told.agreement_gain = told.control_cost - told.all_cost;
  told.agreement_p = sign_flip_p(gains);
  interval = bootstrap(gains);
  told.agreement_lower = interval.lower;
  told.agreement_upper = interval.upper;
  if (exchanged_)
    told.agreement_p = all_exchange_p_;
  // If members were exchanged, agreement_p is evidence of agreement that does not depend on the
  // costs, and the costs only have to show that agreement does no harm. agreement_p is then
  // compared with half the level, since bonuses alone have a second chance below.
  bool with_agreement = false;
  if (!exchanged_) {
    with_agreement = scores_tell_ && told.gain > 0 && told.gain_p <= teaching_.level &&
                     told.agreement_gain > 0 && told.agreement_p <= teaching_.level;
  } else if (told.agreement_p <= teaching_.level / 2) {
    if (told.gain > 0)
      with_agreement = is_no_worse(all, control);
    else
      CHORALE_CHECK(try_smaller(with_agreement));
    if (lessons_.interrupted())
      return CHORALE_OK;
  }
  const Variant variant = with_agreement ? Variant::all : Variant::control;
  bool any = with_agreement;
  if (!with_agreement && scores_tell_) {
    any = told.control_cost < told.base_cost &&
          sign_flip_p(differ(lessons_.base_cost(), control)) <= teaching_.level;
  }
  told.applied = !any             ? CHORALE_APPLIED_NOTHING
                 : with_agreement ? CHORALE_APPLIED_ALL
                                  : CHORALE_APPLIED_BONUSES;
  const Candidate &chosen = chosen_[static_cast<std::size_t>(variant)];
  told.regularisation = chosen.lambda;
  with_details_ = chosen.with_details;
  set_bounds(variant, with_details_);
  // If only one kind has weights, the tests above have judged it already.
  if (any && tried_ > 1)
    CHORALE_CHECK(choose_kinds(variant));
  return lessons_.interrupted() ? chorale_status{CHORALE_OK} : finish();
}

// Finds whether all bases do no harm with smaller weights, as scale() may choose them, although
// they cost held-out groups more than the tagger as learnt.
chorale_status LearningCourse::try_smaller(bool &harmless) noexcept {
  const Candidate &chosen = chosen_[static_cast<std::size_t>(Variant::all)];
  Array<double> costs(memory_); // by group
  if (!costs.resize(groups()))
    return no_memory();
  set_bounds(Variant::all, chosen.with_details);
  CHORALE_CHECK(fit_folds(chosen.lambda));
  harmless = false;
  for (std::int32_t k = 0; k < kShrinkTimes && !harmless; ++k) {
    multiply(fold_theta_, kShrinkFactor, Scaled::all);
    CHORALE_CHECK(lessons_.label(report_, fold_theta_, fold_, false, costs));
    if (lessons_.interrupted())
      break;
    harmless = sum(costs) < learnt_.report.base_cost && is_no_worse(costs, held_out_[1]);
  }
  return CHORALE_OK;
}

// Tests whether the tagger's scores tell anything about the gold labels.
chorale_status LearningCourse::compare_scores() noexcept {
  Array<double> surplus(memory_);
  if (!surplus.resize(groups()))
    return no_memory();
  CHORALE_CHECK(lessons_.compare_with_dealt(report_, surplus));
  scores_tell_ = sign_flip_p(surplus) <= teaching_.level;
  // With too few groups the test cannot succeed, whatever the scores tell. The warning FEW_GROUPS
  // says so already.
  const bool could_tell = (learnt_.report.warnings & CHORALE_WARNING_FEW_GROUPS) == 0;
  if (!scores_tell_ && could_tell && !lessons_.interrupted())
    learnt_.report.warnings |= CHORALE_WARNING_BASE_GUESSES;
  return CHORALE_OK;
}

// Computes the permutation p-values of the statistic of residuals.hpp, for every kind and for all
// kinds together. Each exchange deals the members of a pool of cliques to these cliques at random.
// Must be called before screening, so that the kinds are not chosen by the statistic that is
// tested.
chorale_status LearningCourse::exchange_members() noexcept {
  const std::int64_t kinds = learnt_.kinds.size();
  Array<std::uint8_t> agrees(memory_); // by kind: 1 if an agreement basis is learnt
  Array<double> reached(memory_);      // statistic of each kind, then the same after an exchange
  // Number of exchanges with a statistic at least as great as the observed one: for each kind, then
  // for all kinds together.
  Array<std::int64_t> as_great(memory_);
  if (!agrees.resize(kinds) || !reached.resize(2 * kinds) || !as_great.resize(kinds + 1))
    return no_memory();
  std::fill(agrees.begin(), agrees.end(), std::uint8_t{0});
  for (const chorale_learnt_weight &weight : learnt_.weights)
    if (is_agreement(weight.basis) && weight.least < weight.most)
      agrees[weight.kind] = 1;
  Residuals residuals(memory_);
  CHORALE_CHECK(lessons_.find_residuals(report_, agrees, residuals));
  if (lessons_.interrupted())
    return CHORALE_OK;
  exchanged_ = residuals.can_exchange();
  if (!exchanged_)
    return CHORALE_OK;
  const auto below = [](double statistic) { return statistic - 1e-12 * std::fabs(statistic); };
  const double found = below(residuals.likeness(span_of(reached.begin(), kinds)));
  std::transform(reached.begin(), reached.begin() + kinds, reached.begin(), below);
  std::fill(as_great.begin(), as_great.end(), std::int64_t{0});
  double *now = reached.begin() + kinds;
  std::int64_t exchanges = 0;
  bool varies = false; // some exchange changed the statistic
  while (exchanges < kExchanges && as_great[kinds] < kExchangesAsGreat && !lessons_.look()) {
    residuals.exchange();
    const double statistic = residuals.likeness(span_of(now, kinds));
    varies = varies || std::fabs(statistic - found) > 1e-9 * std::fabs(found);
    as_great[kinds] += statistic >= found ? 1 : 0;
    for (std::int64_t k = 0; k < kinds; ++k)
      as_great[k] += now[k] >= reached[k] ? 1 : 0;
    ++exchanges;
  }
  exchanged_ = varies;
  if (!exchanged_)
    return CHORALE_OK;
  const auto p_of = [&](std::int64_t k) {
    return static_cast<double>(as_great[k] + 1) / static_cast<double>(exchanges + 1);
  };
  for (std::int64_t k = 0; k < kinds; ++k)
    exchange_p_[k] = p_of(k);
  all_exchange_p_ = p_of(kinds);
  return CHORALE_OK;
}

// Learns each kind alone, and keeps the kinds with a significant gain over the tagger on held-out
// groups, by the rule of Benjamini and Hochberg: with m kinds tried, keeps the i kinds with the
// smallest p, where i is the greatest number for which the i-th smallest p is at most
// kFalseKinds * i / m. If agreement is applied, a kind is also kept if its exchanges show agreement
// beyond chance and it costs at most one standard error more than the tagger: the costs of few
// groups often hide what a kind gains, while their gold labels already show that it agrees. Kinds
// are tested alone, since of two kinds with the same information neither gains anything when added
// to the other.
chorale_status LearningCourse::choose_kinds(Variant variant) noexcept {
  Array<double> costs(memory_);
  Array<std::int64_t> order(memory_);
  Array<std::uint8_t> screened(memory_);
  Array<std::uint8_t> agrees(memory_); // by kind: 1 if it is kept for its agreement
  if (!costs.resize(groups()) || !screened.copy(dropped_) || !agrees.resize(learnt_.kinds.size()))
    return no_memory();
  const double lambda = learnt_.report.regularisation;
  for (std::int64_t k = 0; k < learnt_.kinds.size(); ++k) {
    if (!has_part(k, variant)) {
      if (learnt_.told[k].verdict == CHORALE_VERDICT_KEPT)
        learnt_.told[k].verdict = CHORALE_VERDICT_NOT_APPLIED;
      continue;
    }
    std::fill(dropped_.begin(), dropped_.end(), std::uint8_t{1});
    dropped_[k] = 0;
    set_bounds(variant, with_details_);
    CHORALE_CHECK(add_planes(lambda, kMoreRuns));
    CHORALE_CHECK(label_held_out(lambda, costs));
    if (lessons_.interrupted())
      return CHORALE_OK;
    std::copy(screened.begin(), screened.end(), dropped_.begin());
    judge_kind(learnt_.told[k], costs);
    const bool is_shown = variant == Variant::all && exchange_p_[k] <= teaching_.level;
    agrees[k] = is_shown && is_no_worse(costs, lessons_.base_cost()) ? 1 : 0;
    if (!order.push(k))
      return no_memory();
  }
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const double of_a = learnt_.told[a].p;
    const double of_b = learnt_.told[b].p;
    return of_a != of_b ? of_a < of_b : a < b;
  });
  const double rate = kFalseKinds / static_cast<double>(tried_);
  std::int64_t kept = order.size();
  while (kept > 0 && (learnt_.told[order[kept - 1]].gain <= 0 ||
                      learnt_.told[order[kept - 1]].p > rate * static_cast<double>(kept)))
    --kept;
  std::int64_t kept_for_agreement = 0;
  for (std::int64_t i = kept; i < order.size(); ++i) {
    if (agrees[order[i]] != 0) {
      ++kept_for_agreement;
      continue;
    }
    learnt_.told[order[i]].verdict = CHORALE_VERDICT_NO_GAIN;
    dropped_[order[i]] = 1;
  }
  if (kept + kept_for_agreement == 0)
    learnt_.report.applied = CHORALE_APPLIED_NOTHING;
  set_bounds(variant, with_details_);
  return CHORALE_OK;
}

// Returns true if some weight of the kind is learnt under the variant.
bool LearningCourse::has_part(std::int64_t kind, Variant variant) const noexcept {
  const Kind &of = learnt_.kinds[kind];
  const chorale_learnt_weight *first = learnt_.weights.begin() + of.first_weight;
  return dropped_[kind] == 0 &&
         (has_direction(kind, variant) ||
          std::any_of(first, first + of.weights, [&](const chorale_learnt_weight &weight) {
            return (variant == Variant::all || !is_agreement(weight.basis)) &&
                   (with_details_ || !is_detail(weight.basis));
          }));
}

// Computes the gain of a kind, the tagger's costs minus `costs`, with its interval and p-value.
void LearningCourse::judge_kind(chorale_learnt_kind &told, gsl::span<const double> costs) noexcept {
  const gsl::span<const double> gains = differ(lessons_.base_cost(), costs);
  told.gain = learnt_.report.base_cost - sum(costs);
  told.p = sign_flip_p(gains, flips_for(teaching_.level, tried_));
  const Interval interval = bootstrap(gains);
  told.gain_lower = interval.lower;
  told.gain_upper = interval.upper;
}

// Multiplies some weights by a factor, within their bounds. Returns true if a weight changes.
// theta: one weight vector or several.
bool LearningCourse::multiply(gsl::span<double> theta, double factor,
                              Scaled scaled) const noexcept {
  bool changes = false;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(theta.size()); ++i) {
    const std::int64_t w = i % weights();
    const chorale_learnt_weight &of = learnt_.weights[w];
    const bool is_directed = has_direction(of.kind, variant_);
    if (scaled != Scaled::all && (is_directed != (scaled == Scaled::directed) ||
                                  learnt_.kinds[of.kind].is_property || !is_agreement(of.basis)))
      continue;
    double &weight = theta.data()[i];
    const double multiplied =
        is_directed ? factor * weight : std::clamp(factor * weight, least_[w], most_[w]);
    changes = changes || multiplied != weight;
    weight = multiplied;
  }
  return changes;
}

// Multiplies some weights by a factor, up to `times` times, and keeps the multiple under which
// held-out groups cost least, if that is less than `least`; for a factor above 1, if it is no more
// than `least`. Ends at the first factor that does not achieve this, unless goes_on. Updates
// `least`. kept: receives the number of factors that stay.
chorale_status LearningCourse::scale_some(Scaled scaled, double factor, std::int32_t times,
                                          bool goes_on, double &least,
                                          std::int32_t &kept) noexcept {
  Array<double> best(memory_);
  Array<double> costs(memory_); // by group
  if (!best.copy(fold_theta_) || !costs.resize(groups()))
    return no_memory();
  kept = 0;
  for (std::int32_t k = 1; k <= times && multiply(fold_theta_, factor, scaled); ++k) {
    CHORALE_CHECK(lessons_.label(report_, fold_theta_, fold_, false, costs));
    if (lessons_.interrupted())
      return CHORALE_OK;
    const double cost = sum(costs);
    if (factor > 1 ? cost <= least : cost < least) {
      least = cost;
      kept = k;
      std::copy(fold_theta_.begin(), fold_theta_.end(), best.begin());
    } else if (!goes_on) {
      break;
    }
  }
  std::copy(best.begin(), best.end(), fold_theta_.begin());
  for (std::int32_t k = 0; k < kept; ++k)
    multiply(theta_, factor, scaled);
  return CHORALE_OK;
}

// Chooses the factors of the final weights and of the weights of the folds by what held-out groups
// cost. Weights are enlarged unless that costs more: beyond a critical strength, which depends on
// the corpus, agreement spreads one label through whole documents. Then they shrink while that
// costs less. If only smaller weights passed the last gate (try_smaller()), these are not enlarged,
// but multiplied by kShrinkFactor once or more, whichever costs less.
chorale_status LearningCourse::scale() noexcept {
  const chorale_learnt_report &told = learnt_.report;
  if (told.applied == CHORALE_APPLIED_NOTHING) {
    multiply(theta_, kFactor, Scaled::agreement);
    multiply(fold_theta_, kFactor, Scaled::agreement);
    return CHORALE_OK;
  }
  const bool needs_smaller = told.applied == CHORALE_APPLIED_ALL && told.gain <= 0;
  double least = kInfinity;
  std::int32_t kept = 0;
  if (!needs_smaller) {
    Array<double> costs(memory_); // by group
    if (!costs.resize(groups()))
      return no_memory();
    CHORALE_CHECK(lessons_.label(report_, fold_theta_, fold_, false, costs));
    least = sum(costs);
    CHORALE_CHECK(scale_some(Scaled::agreement, kFactor, 1, false, least, kept));
    CHORALE_CHECK(scale_some(Scaled::directed, kFactor, kDirectedTimes, true, least, kept));
  }
  CHORALE_CHECK(scale_some(Scaled::all, kShrinkFactor, kShrinkTimes, needs_smaller, least, kept));
  may_shrink_ = kept < kShrinkTimes;
  return CHORALE_OK;
}

// Computes the final weights, and their intervals by a jackknife over folds: a quantile of
// Student's t times the jackknife estimate of the standard deviation of each weight, at the chosen
// lambda.
chorale_status LearningCourse::finish() noexcept {
  chorale_learnt_report &told = learnt_.report;
  const double lambda = told.regularisation;
  if (told.applied != CHORALE_APPLIED_NOTHING) {
    CHORALE_CHECK(add_planes(lambda, kMoreRuns));
    if (lessons_.interrupted())
      return CHORALE_OK;
  }
  CHORALE_CHECK(fit(lambda, -1, theta_));
  CHORALE_CHECK(fit_folds(lambda));
  Array<double> enlarged(memory_); // the largest weights that scale() can choose
  if (!enlarged.copy(theta_))
    return no_memory();
  multiply(enlarged, kFactor, Scaled::agreement);
  for (std::int32_t k = 0; k < kDirectedTimes; ++k)
    multiply(enlarged, kFactor, Scaled::directed);
  CHORALE_CHECK(scale());
  const double folds = folds_;
  for (std::int64_t w = 0; w < weights(); ++w) {
    double mean = 0;
    for (std::int32_t f = 0; f < folds_; ++f)
      mean += fold_theta_[f * weights() + w] / folds;
    // Greatest distance of the weight of a fold from the mean; divided by it, squares cannot
    // overflow.
    double largest = 0;
    for (std::int32_t f = 0; f < folds_; ++f)
      largest = std::max(largest, std::fabs(fold_theta_[f * weights() + w] - mean));
    double squares = 0;
    for (std::int32_t f = 0; f < folds_ && largest > 0; ++f) {
      const double ratio = (fold_theta_[f * weights() + w] - mean) / largest;
      squares += ratio * ratio;
    }
    const double reach = student_t(folds_ - 1) * std::sqrt((folds - 1) / folds * squares) * largest;
    chorale_learnt_weight &weight = learnt_.weights[w];
    weight.weight = theta_[w];
    weight.lower = std::max(theta_[w] - reach, -kLargestScore);
    weight.upper = std::min(theta_[w] + reach, kLargestScore);
    // The held-out costs of few groups hardly tell which factors are right (scale()). So the
    // interval reaches further: as far as the weight would be larger under the greatest factors
    // that scale() can choose, and as far as it would be smaller under one more kShrinkFactor.
    const double shrunk = may_shrink_ ? kShrinkFactor * theta_[w] : theta_[w];
    for (const double difference : {enlarged[w] - theta_[w], shrunk - theta_[w]})
      if (difference > 0)
        weight.upper = std::min(weight.upper + difference, kLargestScore);
      else
        weight.lower = std::max(weight.lower + difference, -kLargestScore);
  }
  if (told.applied == CHORALE_APPLIED_NOTHING) {
    apply_nothing();
    std::fill(fold_theta_.begin(), fold_theta_.end(), 0.0);
  }
  return lessons_.fit_temperature(report_, fold_theta_, fold_, told.temperature);
}

void LearningCourse::apply_nothing() noexcept {
  learnt_.report.applied = CHORALE_APPLIED_NOTHING;
  for (chorale_learnt_weight &weight : learnt_.weights)
    weight.weight = 0;
  for (chorale_learnt_kind &told : learnt_.told)
    if (told.verdict == CHORALE_VERDICT_KEPT)
      told.verdict = CHORALE_VERDICT_NOT_APPLIED;
}

} // namespace

chorale_status learn(const Report &report, const Memory &memory, const Teaching &teaching,
                     Learnt &learnt) noexcept {
  return LearningCourse(report, memory, teaching, learnt).run();
}

} // namespace chorale
