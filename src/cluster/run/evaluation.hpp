// Evaluates equation 1 of whole labellings, and keeps the best labelling.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// Returns `strength` times C of a clique in an assignment. `counts`: scratch, one entry for each
// column.
double score_of_clique(const Clique &clique, double strength, const Assignment &of,
                       std::int64_t *counts, CallbackFailure *failure) noexcept;

// Returns the bytes that evaluate() needs for the scores of one batch of cliques.
std::size_t scored_bytes(const Model &model) noexcept;

class Evaluation {
public:
  Evaluation(const Setting &setting, RunState &state) noexcept : setting_(setting), state_(state) {}

  // Computes the totals of an assignment; resumes an interrupted evaluation. False if the call must
  // end.
  bool evaluate(Assignment &of) noexcept;
  // Evaluates `now` and copies it to `best` if it is better. False if the call must end.
  bool offer() noexcept;
  // Does offer() without limits. `round`: round that found `now`. Leaves `best` if a potential
  // fails.
  void offer_at_once(std::int64_t round) noexcept;
  void report_progress() noexcept;

private:
  double score_clique(const Assignment &of, std::int64_t number, std::int32_t worker) noexcept;
  void take(std::int64_t round) noexcept;

  const Setting &setting_;
  RunState &state_;
};

} // namespace chorale
