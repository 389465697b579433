// The problems to learn from: their gold labels, groups, scores with costs added, and the runs that
// label them. chorale/learn.h explains kinds, bases, groups and the unit; chorale/run.h, runs.
//
// Positions, chains and groups are numbered consecutively over all problems. `theta` holds one
// number for each weight. The tagger's labels (`base`) are the best labellings of the chains
// without cliques. The reference of a chain is its gold labelling, completed where gold is unknown.
#pragma once

#include "base/limits.hpp"
#include "base/span.hpp"
#include "cluster/model/exchange.hpp"
#include "learn/bases.hpp"
#include "learn/objective.hpp"
#include "learn/residuals.hpp"
#include "problem/problem.hpp"

namespace chorale {

// The learnt potential of a kind for cliques of `values` values, under weight vector number
// `theta`.
struct MadePotential {
  std::int32_t kind;
  std::int32_t values;
  std::int32_t theta;
  const Potential *potential;     // NULL for a centred kind
  const Potential *const *centre; // by value of the centre; NULL if not centred
};

// A problem, with what is computed from it before it is labelled.
struct Lesson {
  explicit Lesson(const Memory &memory) noexcept : unary(memory) {}
  ~Lesson();
  Lesson(const Lesson &) = delete;
  Lesson &operator=(const Lesson &) = delete;

  const Problem *problem = nullptr;
  const Model *model = nullptr; // the model of the problem
  std::int64_t first_position = 0;
  std::int64_t positions = 0;
  std::int64_t first_chain = 0;
  std::int64_t first_group = 0;
  std::int64_t groups = 0;
  double gold_bonus = 0; // added to the score of every gold label ("weaker taggers" in learn.h)
  // Two copies of the unary scores of all chains: with the gold bonus added, then with bonus and
  // costs added. unary: by copy and chain (2 x chains), where the chain begins in `scores`.
  Block scores;
  Array<const void *> unary;
  // The last run with costs added, from which the next one starts; in the end, the run whose
  // probabilities decide about the temperature. The run holds a reference to its model.
  chorale_run *earlier = nullptr;
  std::int32_t shares = 0; // shares of the chains that decide about the temperature
};

// Value of chorale_run_options::rounds that lets this module choose the number of rounds.
inline constexpr std::int64_t kOwnRounds = -1;
// Loss-augmented scores are the scores with kLossShare * unit * cost added to each label. If this
// share were 1/2, the highest plane could soon be a labelling that gives all members of a small
// clique the same wrong label. It has as much agreement as the gold labels, so it would not raise
// the weights of agreement further, although they would still be too small to change a label.
inline constexpr double kLossShare = 0.25;

// How confident a model is in a group where it is not sure ("temperature" in learn.h).
struct Confidence {
  std::int64_t positions = 0; // number of positions that count
  double excess = 0; // sum of their highest probabilities, minus the number of right labels
};

struct LearnSpec {
  const chorale_host *host = nullptr;
  Matrix<const double> costs;            // labels x labels; may be absent
  gsl::span<const std::int32_t> classes; // by label; may be absent: see chorale_learn_options
  chorale_run_options run{};
  double time_limit = -1;
  const chorale_cancel *cancel = nullptr;
  chorale_learn_progress_function progress = nullptr;
  void *progress_user = nullptr;
};

class Lessons {
public:
  Lessons(const Memory &memory, const LearnSpec &spec) noexcept;
  ~Lessons();
  Lessons(const Lessons &) = delete;
  Lessons &operator=(const Lessons &) = delete;

  // Reads the problems, whose kinds find_kinds() has checked. Computes groups, the gold labels that
  // chains allow, the unit, the bonuses for weaker taggers (seen: by problem, or empty), and the
  // tagger's labels.
  chorale_status prepare(const Report &report, Problems problems, gsl::span<const double> seen,
                         Learnt &learnt) noexcept;
  // Computes the loss-augmented scores and the bases of the reference labellings, and adds the
  // tagger's labels to the pools. Must be called after find_weights() and prepare().
  chorale_status begin(const Report &report) noexcept;

  // Labels every problem. `theta` holds weight vectors one after the other; group g is labelled
  // under vector theta_of_group[g], or under vector 0 if theta_of_group is empty. `with_costs`:
  // adds the costs to the scores. Adds the labelling of each group to the pools (objective.hpp) and
  // writes the costs of the labellings by group to `cost` (may be empty). If a limit ends the call,
  // interrupted() is true afterwards.
  chorale_status label(const Report &report, gsl::span<const double> theta,
                       gsl::span<const std::int32_t> theta_of_group, bool with_costs,
                       gsl::span<double> cost) noexcept;

  // Writes one number for each group to `surplus`: the sum, over its positions with gold labels, of
  // the term p(gold) - sum_v s(v) p(v). The tagger's probability p(v) of label v is the softmax of
  // (max-marginals of the position / unit); s(v) is the share of label v among the gold labels of
  // the problem. If gold labels were dealt to positions at random, the terms would be 0 on average.
  chorale_status compare_with_dealt(const Report &report, gsl::span<double> surplus) noexcept;

  // Finds the temperature at which the model is as confident as it is right. Groups are labelled as
  // by label(), but without costs and gold bonuses.
  chorale_status fit_temperature(const Report &report, gsl::span<const double> theta,
                                 gsl::span<const std::int32_t> theta_of_group,
                                 double &found) noexcept;

  // Computes the residuals of members of position and property cliques (residuals.hpp). wanted: by
  // kind, 1 if its residuals are wanted, else 0.
  chorale_status find_residuals(const Report &report, gsl::span<const std::uint8_t> wanted,
                                Residuals &found) noexcept;

  // Checks the time limit and the cancel flag; true if one of them ends the call.
  bool look() noexcept;
  // Announces `work` steps; checks the time limit and the cancel flag about once a millisecond.
  // False once interrupted: the caller then returns at once, and its results must not be used.
  bool spend(std::int64_t work) noexcept {
    if (!limits_.spend(work))
      look();
    return !interrupted();
  }
  bool interrupted() const noexcept { return outcome_ != CHORALE_OUTCOME_COMPLETE; }
  chorale_outcome outcome() const noexcept { return outcome_; }
  std::int64_t groups() const noexcept { return labelled_.size(); }
  std::int64_t runs() const noexcept { return runs_; }
  void set_most_runs(std::int64_t runs) noexcept { most_runs_ = runs; }
  double unit() const noexcept { return unit_; }
  gsl::span<const double> base_cost() const noexcept { return base_cost_; } // by group
  // By group: number of gold labels.
  gsl::span<const std::int64_t> labelled() const noexcept { return labelled_; }
  Pools &pools() noexcept { return pools_; }
  // The basis of a weight on the reference labelling of a group.
  double reference(std::int64_t group, std::int64_t weight) const noexcept {
    return reference_measure_[group * (1 + learnt_->weights.size()) + 1 + weight];
  }
  // True if every kind with cliques is of property cliques.
  bool are_all_properties() const noexcept {
    return std::all_of(learnt_->kinds.begin(), learnt_->kinds.end(),
                       [](const Kind &kind) { return kind.is_property || kind.cliques == 0; });
  }
  // By group and weight: the basis of the weight on the reference labelling, minus the same basis
  // on the tagger's labels.
  gsl::span<const double> differences() const noexcept { return differences_; }

private:
  chorale_status find_groups(const Report &report, Lesson &lesson) noexcept;
  chorale_status find_reference(const Report &report, Lesson &lesson) noexcept;
  chorale_status find_unseen(const Report &report) noexcept;
  chorale_status find_unit(const Report &report) noexcept;
  chorale_status find_unit_of_softmax(const Report &report, double mean) noexcept;
  chorale_status find_costs(const Report &report) noexcept;
  // Computes the mean excess of confidence (Confidence) at a temperature, plus its standard error.
  // is_first: chooses the chains that count, by lesson the shares of all chains; later calls use
  // the same chains.
  chorale_status find_excess(const Report &report, double temperature, bool is_first,
                             double &excess) noexcept;
  // Adds the positions of a chain to confidence_ and to their number.
  chorale_status add_confidence(const Report &report, const Lesson &lesson, std::int64_t chain,
                                double temperature, std::int64_t &positions) noexcept;
  chorale_status find_bonus(const Report &report, gsl::span<const double> seen) noexcept;
  chorale_status fill_residuals(const Report &report, const Lesson &lesson,
                                gsl::span<const std::uint8_t> wanted, std::int64_t step,
                                Residuals &found) noexcept;
  bool spend_on(const ChainView &view) noexcept;
  chorale_status fill_property_residuals(const Report &report, const Lesson &lesson,
                                         gsl::span<const std::uint8_t> wanted, std::int64_t step,
                                         Residuals &found) noexcept;
  chorale_status decode_chains(const Report &report, const Lesson &lesson, double bonus,
                               gsl::span<std::int32_t> labels) noexcept;
  // Writes max-marginals of a chain, positions x labels; `marginals` grows as needed.
  chorale_status max_marginals(const Report &report, const Lesson &lesson, std::int64_t chain,
                               Array<double> &marginals) noexcept;
  chorale_status solve_chain(const Report &report, const Lesson &lesson, std::int64_t chain,
                             double bonus, gsl::span<std::int32_t> labels,
                             gsl::span<double> margins) noexcept;
  // Fills lesson.scores and lesson.unary. False if out of memory.
  bool augment(Lesson &lesson) noexcept;
  template <class Number>
  void augment_chain(const Lesson &lesson, std::int64_t chain, double bonus, double loss,
                     Number *to) const noexcept;
  std::int64_t own_rounds() const noexcept; // the number of rounds if it is left to this module
  chorale_status label_lesson(const Report &report, Lesson &lesson, gsl::span<const double> theta,
                              gsl::span<const std::int32_t> theta_of_group,
                              bool with_costs) noexcept;
  chorale_status make_exchanges(const Report &report, const Lesson &lesson,
                                gsl::span<const double> theta,
                                gsl::span<const std::int32_t> theta_of_group) noexcept;
  chorale_status make_potential(const Report &report, const Kind &kind, std::int32_t number,
                                std::int32_t values, std::int32_t theta_number,
                                gsl::span<const double> theta, MadePotential &made) noexcept;
  void drop_potentials() noexcept;
  // Writes, for each group of the lesson, 1 + weights numbers: the score with the gold bonus and
  // without the cliques that have a kind, then, for each weight, the sum of its basis over the
  // group's cliques.
  chorale_status measure(const Report &report, const Lesson &lesson,
                         gsl::span<const std::int32_t> labels, Array<double> &to) noexcept;
  // Adds a labelling of a problem to the pools, one plane for each group.
  chorale_status add_planes(const Report &report, const Lesson &lesson,
                            gsl::span<const std::int32_t> labels) noexcept;
  void add_costs(const Lesson &lesson, gsl::span<const std::int32_t> labels,
                 gsl::span<double> to) const noexcept;
  double cost_of(std::int32_t gold, std::int32_t label) const noexcept {
    return costs_ ? costs_.data[gold * costs_.stride + label] : gold == label ? 0.0 : 1.0;
  }
  std::int64_t chain_start(const Lesson &lesson, std::int64_t chain) const noexcept {
    return starts_[lesson.first_chain + chain];
  }
  // Returns the labels of one chain of the lesson. `labels`: the label of every position, problem
  // after problem.
  template <class Label>
  gsl::span<Label> of_chain(const Lesson &lesson, std::int64_t chain,
                            gsl::span<Label> labels) const noexcept {
    return labels.subspan(to_size(chain_start(lesson, chain)),
                          to_size(lesson.model->chains[chain].length));
  }
  std::int64_t group_of(const Lesson &lesson, std::int64_t chain) const noexcept {
    return group_of_chain_[lesson.first_chain + chain];
  }
  chorale_status pass_on(const Report &report, chorale_status status,
                         const chorale_error &error) const noexcept;

  const Memory &memory_;
  const LearnSpec &spec_;
  Learnt *learnt_ = nullptr;
  Array<Lesson *> lessons_;
  Array<std::int64_t> starts_;         // by chain: its first position
  Array<std::int32_t> group_of_chain_; // by chain
  Array<std::int64_t> labelled_;
  Array<std::int32_t> gold_;      // by position; -1: unknown or not allowed
  Array<std::int32_t> reference_; // by position: label of the reference labelling
  Array<std::int32_t> base_; // by position: the tagger's label under scores with the gold bonus
  Array<std::int32_t> found_;
  Array<double> base_cost_;
  Array<double> reference_measure_; // groups x (1 + weights): measure() of the references
  Array<double> differences_;
  Array<double> measured_;
  Array<double> unary_;
  Array<double> margins_;
  Array<Confidence> confidence_; // by group
  Matrix<const double> costs_;   // labels x labels; absent: 1 for each wrong label
  Array<double> costs_of_f1_;
  bool fits_temperature_ = false;
  Array<std::int64_t> counts_;
  Array<MadePotential> made_;
  Array<Exchange> exchanges_;
  Arena centres_;
  Pools pools_;
  chorale_chain_solver *solver_ = nullptr;
  double unit_ = 1;
  std::int64_t runs_ = 0;
  std::int64_t most_runs_ = 0;
  chorale_outcome outcome_ = CHORALE_OUTCOME_COMPLETE;
  Limits limits_;
};

} // namespace chorale
