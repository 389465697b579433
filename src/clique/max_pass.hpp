// Exact inference for MAX potentials: alpha-pass that scores labelling k of alpha by f_alpha(k)
// alone.
//
// The optimum has some column beta with f_beta(n_beta) = C, and labelling n_beta of the pass of
// beta has at least its member score and at least f_beta(n_beta) of potential: so the maximum over
// all passes of member score + f_alpha(k) is the optimum, and the other counts need not be looked
// at (Theorem 5.1 of the paper, with k from 0). The same holds with one member fixed, which makes
// all max-marginals exact in O(K n log n).
#pragma once

#include "clique/alpha_sweep.hpp"

namespace chorale {

class MaxPass {
public:
  MaxPass(Layout &layout, const Instance &instance) noexcept;

  void run(Limits &limits, Solution &solution) noexcept;
  // messages: n x K, see AlphaPassMarginals. False when interrupted: then lower bounds.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  // Where f_alpha(0) would be scored although nothing counts: the member that loses least by
  // leaving the rest for a counted column other than alpha.
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
  // With gains(k) the sum of the first k gains and f the table of alpha; all leave out the
  // labelling in which nobody but the fixed member could have alpha (see Leaver):
  double *without_up_;   // max over k' <= k of gains(k') + f(k'): the member stands before its turn
  double *without_from_; // max over k' >= k of gains(k') + f(k' - 1): it has left alpha
  double *with_up_;      // max over k' <= k of gains(k') + f(k' + 1): it has joined alpha
  double *with_from_;    // max over k' >= k of gains(k') + f(k'): it has alpha in its turn
};

} // namespace chorale
