// An upper bound of equation 1 by dual decomposition.
//
// With multipliers for what each slot shows, paid to its chain and charged to its clique,
//
//     D = sum_i max { phi_i + multipliers }  +  sum_p max { C_p - multipliers }
//
// is never below equation 1. Chains are decoded exactly or bounded from above, cliques by exact
// algorithms or their own dual; beams and absorption have no part in it. The multipliers follow
// subgradients: where chain and clique disagree about a slot, what the chain shows gets cheaper and
// what the clique wants dearer, by steps towards the best score known (Polyak's rule).
#include "cluster/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chorale {
namespace {

constexpr std::int64_t kGrain = 2;
constexpr std::int64_t kPatience = 6;
constexpr double kSlower = 0.7;
// Where no labelling is known, and where the bound all but meets the one that is, steps aim this
// part of the magnitude of what the bound adds up below it.
constexpr double kReach = 0.01;
constexpr double kLeastReach = 1e-9;

class Dual {
public:
  explicit Dual(Run &run) noexcept : run_(run), model_(*run.model), dual_(run.dual),
                              course_(run.course.dual) {}

  void run(std::int64_t steps) noexcept {
    if (shows_outside())
      return;
    if (course_.stage == DualStage::none) {
      run_.drop_round();
      run_.course.polish = {};
      course_.left = steps;
      course_.stage = run_.dual_started ? DualStage::steps : DualStage::plain;
    }
    double value = 0;
    // The better of no multipliers and half of the last messages.
    if (course_.stage == DualStage::plain) {
      if (!course_.evaluating) {
        std::fill_n(dual_.multipliers, model_.message_count, 0.0);
        std::fill_n(dual_.best, model_.message_count, 0.0);
      }
      if (!evaluate(value))
        return;
      run_.dual_started = true;
      course_.stage =
          value == kInfinity || run_.zero_messages ? DualStage::steps : DualStage::half;
      take(value);
      if (run_.must_stop())
        return;
    }
    if (course_.stage == DualStage::half) {
      if (!course_.evaluating)
        load_half();
      if (!evaluate(value))
        return;
      course_.stage = DualStage::steps;
      take(value);
      if (run_.must_stop())
        return;
    }
    for (; course_.left > 0; --course_.left) {
      if (!course_.evaluating && run_.has_labelling &&
          closes_gap(run_.at.best.total(), run_.at.best.magnitude, run_.upper_bound))
        break;
      if (!evaluate(value))
        return;
      take(value);
      if (value == kInfinity || value == kForbidden || !move(value))
        break;
      if (run_.must_stop()) {
        --course_.left;
        return;
      }
    }
    course_ = {};
  }

private:
  // Whether some labelling may show a value outside a dictionary: (1) admits it, chains do not
  // decode it, so there is no bound.
  bool shows_outside() const noexcept {
    for (const Clique &clique : model_.cliques)
      if (clique.dictionary() && clique.members > 0 &&
          !clique.dictionary()->holds_all(clique.property()->values))
        return true;
    return false;
  }

  void load_half() noexcept {
    for (const Clique &clique : model_.cliques)
      for (std::int32_t i = 0; i < clique.all_members(); ++i)
        run_.at.to_chain.load(clique.row_place(i), clique.width(i),
                              dual_.multipliers + clique.row(i));
    for (std::int64_t e = 0; e < model_.message_count; ++e)
      dual_.multipliers[e] = dual_.multipliers[e] == kForbidden ? 0.0 : dual_.multipliers[e] / 2;
  }

  // D at the multipliers, into `value`. Bounds that are not known yet are NaN. False where the call
  // must end.
  bool evaluate(double &value) noexcept {
    RunMemory &at = run_.at;
    double *clique_value = at.bounds;
    double *chain_value = clique_value + model_.cliques.size();
    if (!std::exchange(course_.evaluating, true))
      std::fill_n(at.bounds, model_.cliques.size() + model_.chains.size(),
                  std::numeric_limits<double>::quiet_NaN());
    parallel_for(run_.options.executor, model_.cliques.size(), kGrain,
                 [&](std::int64_t c, std::int32_t w) noexcept {
                   if (std::isnan(clique_value[c]) && run_.check_limits(at.workers[w]))
                     bound_clique(c, at.workers[w], clique_value[c]);
                 });
    parallel_for(run_.options.executor, model_.chains.size(), kGrain,
                 [&](std::int64_t i, std::int32_t w) noexcept {
                   if (std::isnan(chain_value[i]) && run_.check_limits(at.workers[w]))
                     bound_chain(static_cast<std::int32_t>(i), at.workers[w], chain_value[i]);
                 });
    if (run_.must_stop())
      return false;
    const auto total = [](const double *of, std::int64_t count) {
      MeasuredSum sum;
      for (std::int64_t i = 0; i < count && sum.total > kForbidden; ++i)
        sum.add(of[i]);
      return sum;
    };
    const MeasuredSum chains = total(chain_value, model_.chains.size());
    const MeasuredSum cliques = total(clique_value, model_.cliques.size());
    value = chains.total == kForbidden || cliques.total == kForbidden
                ? kForbidden
                : chains.total + cliques.total;
    magnitude_ = chains.magnitude + cliques.magnitude;
    // What the chains show now is a labelling like any other.
    if (value > kForbidden && run_.has_labelling && !run_.offer_now())
      return false;
    course_.evaluating = false;
    return true;
  }

  void bound_chain(std::int32_t number, Worker &worker, double &known) noexcept {
    const Chain &chain = model_.chains[number];
    if (chain.slots == 0) {
      if (run_.has_labelling) {
        run_.at.now.score[number] = run_.at.own.score[number];
        for (std::int32_t t = 0; t < chain.length; ++t)
          run_.at.now.labels.set(chain.first_label + t,
                                 run_.at.own.labels.get(chain.first_label + t));
        known = run_.at.own.score[number];
        return;
      }
    }
    Layout layout(worker.room);
    ChainProgram program(layout, model_, number, run_.view_of(number), run_.options.joint);
    program.set_room(worker.room + layout.bytes());
    for (std::int32_t s = 0; s < chain.slots; ++s)
      std::copy_n(dual_.multipliers + program.row_place(s).entry, program.columns_of(s),
                  program.incoming + program.row_begin()[s]);
    double value = 0;
    if (!program.bound(&value, worker.limits)) {
      run_.give_up(program, worker);
      return;
    }
    if (program.score > kForbidden) {
      run_.at.now.set(number, program.labels, program.shown, program.score);
    }
    for (std::int32_t s = 0; s < chain.slots; ++s)
      dual_.by_chain[model_.slots[chain.first_slot + s]] =
          program.score > kForbidden ? program.shown[s] : -1;
    known = value;
    run_.finish_step();
  }

  void bound_clique(std::int64_t number, Worker &worker, double &known) noexcept {
    const Clique &clique = model_.cliques[number];
    if (clique.all_members() == 0) {
      known = 0;
      return;
    }
    Layout layout(worker.room);
    CliqueProgram program(layout, clique, run_.options.clique, nullptr);
    program.set_room(worker.room + layout.bytes());
    const std::int64_t entries = clique.entries();
    for (std::int64_t e = 0; e < entries; ++e)
      program.incoming[e] = -dual_.multipliers[clique.row(0) + e];
    bool found = false;
    double value = 0;
    if (!program.bound(&value, &found, worker.limits)) {
      run_.fail(program.failure);
      if (program.interrupted())
        run_.check_limits(worker);
      return;
    }
    for (std::int32_t i = 0; i < clique.all_members(); ++i)
      dual_.by_clique[clique.first_slot + i] = found ? program.shown[i] : -1;
    known = value;
    run_.finish_step();
  }

  void take(double value) noexcept {
    if (value < run_.dual_bound) {
      run_.dual_bound = value;
      run_.dual_stalled = 0;
      std::copy_n(dual_.multipliers, model_.message_count, dual_.best);
    } else if (++run_.dual_stalled >= kPatience) {
      run_.dual_stalled = 0;
      run_.dual_pace *= kSlower;
    }
    run_.upper_bound = std::min(run_.upper_bound, value);
    if (run_.has_labelling) // a bound that rounding left a hair below the score is the score
      run_.upper_bound = std::max(run_.upper_bound, run_.at.best.total());
    if (run_.upper_bound < kInfinity)
      run_.report_progress();
  }

  // One step; false where chains and cliques agree throughout.
  bool move(double value) noexcept {
    std::int64_t differences = 0;
    const auto each = [&](auto &&visit) {
      for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
        const Clique &clique = model_.cliques[c];
        for (std::int32_t i = 0; i < clique.all_members(); ++i) {
          const std::int32_t wanted = dual_.by_clique[clique.first_slot + i];
          const std::int32_t shown = dual_.by_chain[clique.first_slot + i];
          if (wanted != shown && wanted >= 0 && shown >= 0)
            visit(dual_.multipliers + clique.row(i), shown, wanted);
        }
      }
    };
    each([&](double *, std::int32_t, std::int32_t) { ++differences; });
    if (differences == 0)
      return false;
    const bool knows_labelling = run_.has_labelling && run_.at.best.total() > kForbidden;
    const double gap = knows_labelling
                           ? std::max(value - run_.at.best.total(), kLeastReach * magnitude_)
                           : kReach * magnitude_;
    const double size = run_.dual_pace * gap / static_cast<double>(2 * differences);
    each([&](double *row, std::int32_t shown, std::int32_t wanted) {
      row[shown] -= size;
      row[wanted] += size;
    });
    return true;
  }

  Run &run_;
  const Model &model_;
  DualMemory &dual_;
  DualCourse &course_;
  double magnitude_ = 0; // of the last D: sum of |chain's part| and |clique's part|
};

} // namespace
} // namespace chorale

using namespace chorale;

void chorale_run::tighten(std::int64_t steps) noexcept { Dual(*this).run(steps); }
