// Upper bound on equation 1, the score of a labelling of the model (the sum of phi_i over chains i
// and of C_p, here with the strength of the clique, over cliques p), by dual decomposition.
//
// Each slot has a multiplier for each column. The multiplier is added to the score of the slot's
// chain if the slot shows this column, and subtracted from the score of the slot's clique. Then
//
//     D = sum_i max { phi_i + multipliers }  +  sum_p max { C_p - multipliers }
//
// is never less than equation 1 of any labelling. The maxima are exact or bounded from above; beams
// and local scores (chain/joint.hpp) are not used. The multipliers follow subgradients of D: if a
// slot shows different columns in the best labelling of its chain and in the best assignment of its
// clique, the multiplier of the chain's column falls and that of the clique's column rises. Step
// sizes follow Polyak's rule, with the best known score as target.
//
// The labellings that maximise the terms of the chains form a labelling of the model. After each
// evaluation of D it is compared with the best known labelling; after 4, 8, 16, ... comparisons it
// is polished first, if the run polishes.
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

class Dual {
public:
  // Only for runs with bounds, in which RunState::dual is not NULL.
  Dual(const Setting &setting, RunState &state) noexcept
      : setting_(setting), model_(setting.model), state_(state), dual_(*state.dual),
        course_(state.course.dual), evaluation_(setting, state) {}

  // Does `steps` subgradient steps, or the steps that an interrupted call has left.
  void run(std::int64_t steps) noexcept;

private:
  bool shows_outside() const noexcept;
  bool load_half() noexcept;
  bool evaluate(double &value) noexcept;
  bool offer(double value) noexcept;
  // Returns the multipliers of the row of a member (or the centre) of a clique.
  gsl::span<double> multiplier_row(const Clique &clique, std::int32_t member) const noexcept {
    return {dual_.multipliers.data() + clique.row(member), to_size(clique.width(member))};
  }
  // Announces the steps of reading or writing the row of a member (Limits::spend). False if
  // interrupted.
  static bool spend_row(const Clique &clique, std::int32_t member, Worker &worker) noexcept {
    return worker.limits.spend(kRowSteps + 2 * std::int64_t{clique.width(member)});
  }
  void bound_chain(std::int32_t number, Worker &worker, double &known) noexcept;
  void bound_clique(std::int64_t number, Worker &worker, double &known) noexcept;
  void take(double value) noexcept;
  bool move(double value) noexcept;

  const Setting &setting_;
  const Model &model_;
  RunState &state_;
  DualState &dual_;
  DualCourse &course_;
  Evaluation evaluation_;
  double magnitude_ = 0; // sum of the absolute values of the terms of D at its last evaluation
};

} // namespace chorale
