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
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

class Dual {
public:
  Dual(const Setting &setting, RunState &state) noexcept
      : setting_(setting), model_(setting.model), state_(state), dual_(state.dual),
        course_(state.course.dual), evaluation_(setting, state) {}

  // So many subgradient steps, or the rest of those that a call has left.
  void run(std::int64_t steps) noexcept;

private:
  bool shows_outside() const noexcept;
  void load_half() noexcept;
  bool evaluate(double &value) noexcept;
  bool has_zeros(std::int32_t number) const noexcept;
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
  double magnitude_ = 0; // of the last D: sum of |chain's part| and |clique's part|
};

} // namespace chorale
