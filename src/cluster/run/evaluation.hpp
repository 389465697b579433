// Equation 1 of whole labellings, and which one is the best.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// C of a clique in an assignment. `counts`: scratch, one number a column.
double score_of_clique(const Clique &clique, const Assignment &of, std::int64_t *counts,
                       CallbackFailure *failure) noexcept;

// Bytes for the scores of a stretch of cliques, behind the counts of one.
std::size_t scored_bytes(const Model &model) noexcept;

class Evaluation {
public:
  Evaluation(const Setting &setting, RunState &state) noexcept : setting_(setting), state_(state) {}

  // Computes the totals of an assignment, from where the last call has left that. False where the
  // call must end.
  bool evaluate(Assignment &of) noexcept;
  // Evaluates `now`, and takes it as the best labelling where it is. False where the call must end.
  bool offer() noexcept;
  // The same at once and without limits, `round` being where `now` comes from. Not where a
  // potential fails.
  void offer_at_once(std::int64_t round) noexcept;
  void report_progress() noexcept;

private:
  double score_clique(const Assignment &of, std::int64_t number, std::int32_t worker) noexcept;
  void take(std::int64_t round) noexcept;

  const Setting &setting_;
  RunState &state_;
};

} // namespace chorale
