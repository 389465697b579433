// Exact inference for MAX: alpha-pass in which labelling k (k members at alpha) scores f_alpha(k).
//
// The optimum has some column beta with f_beta(n_beta) = C. Labelling n_beta of the pass of beta
// has at least the optimum's member score, and its potential is at least f_beta(n_beta). So the
// maximum of member score + f_alpha(k) over all passes is the optimum, and other counts are not
// needed (Theorem 5.1 of the paper, with k from 0). The same holds with one member fixed, so all
// max-marginals are exact, in O(K n log n).
#pragma once

#include "clique/passes/alpha_sweep.hpp"

namespace chorale {

class MaxPass {
public:
  MaxPass(Layout &layout, const Instance &instance) noexcept;

  void run(Limits &limits, Solution &solution) noexcept;
  // `messages`: n x K, see AlphaPassMarginals. False if interrupted; entries are then lower bounds.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  // The member that loses least by moving from the rest column (uncounted values) to a counted
  // column other than alpha. Needed where every member is in the rest column: nothing counts there,
  // so the potential is 0 and f_alpha(0) is reached only after such a move.
  struct Leaver {
    std::int32_t member = -1;
    std::int32_t column = -1;
    double loss = kInfinity;
  };
  Leaver cheapest_leaver(std::int32_t alpha, std::int32_t except) const noexcept;
  bool pass_messages(std::int32_t alpha, double *messages) noexcept;
  bool all_rest_messages(double *messages) noexcept;

  const Instance *instance_;
  AlphaSweep sweep_;
  // Maxima over the labellings of a pass, for the messages to a fixed member; n + 2 each, by count
  // k of alpha. gains(k): sum of the first k gains; f: table of alpha. Labellings with count 0 of
  // alpha are left out (see Leaver).
  double *without_up_;   // max over k' <= k of gains(k') + f(k'): member not yet at alpha
  double *without_from_; // max over k' >= k of gains(k') + f(k' - 1): member removed from alpha
  double *with_up_;      // max over k' <= k of gains(k') + f(k' + 1): member added to alpha
  double *with_from_;    // max over k' >= k of gains(k') + f(k'): member at alpha already
};

} // namespace chorale
