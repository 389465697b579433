// Evaluates equation 1 (assignment.hpp) of whole labellings, and keeps the best labelling.
#pragma once

#include "cluster/run/setting.hpp"
#include "cluster/run/state.hpp"

namespace chorale {

// Returns `strength` times C of a clique in the labelling `of`. `counts`: scratch with one entry
// for each column.
double score_of_clique(const Clique &clique, double strength, const Assignment &of,
                       gsl::span<std::int64_t> counts, CallbackFailure *failure) noexcept;

// Returns the bytes that evaluate() needs for the scores of one batch of cliques.
std::size_t scored_bytes(const Model &model) noexcept;

class Evaluation {
public:
  Evaluation(const Setting &setting, RunState &state) noexcept : setting_(setting), state_(state) {}

  // Evaluates a labelling, `own` or `now` of the state, and copies to `best` the parts of the model
  // in which it scores more than `best`, or as much if it is `own`; if there is no best labelling
  // yet, all of it. A part (parts.hpp) is a set of chains that no clique connects with other
  // chains, so its best labelling does not depend on the other parts. `round`: the round that found
  // the labelling. Resumes an interrupted evaluation. False if the call must end.
  bool offer(Assignment &of, std::int64_t round) noexcept;
  // As offer(), but ignores the limits. False on failure of a callback or of the caller's executor.
  bool offer_in_full(Assignment &of, std::int64_t round) noexcept;
  // Must be called after a local search has changed `best` itself: evaluates it, ignoring the
  // limits. `round`: as in offer().
  void renew_best(std::int64_t round) noexcept;
  // Calls the progress callback, if there is one, and cancels the call if the callback says so.
  void report_progress() noexcept;

private:
  struct Totals {
    MeasuredSum chains;
    MeasuredSum cliques;
  };
  template <class Choose>
  bool evaluate(Choose &&choose, gsl::span<double> by_part, Totals &totals) noexcept;
  bool evaluate(Assignment &of, gsl::span<double> by_part) noexcept;
  bool take(const Assignment &from, std::int64_t round) noexcept;
  void keep_all(const Assignment &from, std::int64_t round) noexcept;
  double score_clique(const Assignment &of, std::int64_t number, std::int32_t worker) noexcept;

  const Setting &setting_;
  RunState &state_;
  bool ignores_limits_ = false;
};

} // namespace chorale
