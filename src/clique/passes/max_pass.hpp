// Exact inference for MAX: alpha-pass in which labelling k of the pass of alpha, with k members at
// alpha, is scored by its member scores plus f_alpha(k), a lower bound of its score.
//
// The optimum has some column beta with f_beta(n_beta) = C. Labelling n_beta of the pass of beta
// has at least the optimum's member score, and its potential is at least f_beta(n_beta). So the
// greatest member score + f_alpha(k) over all passes is the optimum, and the other tables need not
// be read (Theorem 5.1 of the paper, with k from 0). The same holds with one member fixed, so all
// max-marginals are exact, in O(K n log n).
#pragma once

#include "clique/passes/alpha_sweep.hpp"

namespace chorale {

class MaxPass {
public:
  MaxPass(Layout &layout, const Instance &instance) noexcept;

  // Writes the optimum to `solution`; the best labelling found if interrupted.
  void run(Limits &limits, Solution &solution) noexcept;
  // `messages`: n x K, see AlphaPassMarginals. False if interrupted; entries are then lower bounds.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  // A member and a counted column other than alpha, with the least loss of any member by moving
  // there from the rest column (the uncounted values). If every member is in the rest column, the
  // potential is 0 by definition; this move gives a labelling with count 0 of alpha to which
  // f_alpha(0) applies.
  struct Leaver {
    std::int32_t member = -1;
    std::int32_t column = -1;
    double loss = kInfinity;
  };
  Leaver cheapest_leaver(std::int32_t alpha, std::int32_t except) const noexcept;
  // Raises the messages by the pass of alpha. False if interrupted.
  bool pass_messages(std::int32_t alpha, double *messages) noexcept;
  // Raises the messages by the labelling with all members in the rest column. False if interrupted.
  bool all_rest_messages(double *messages) noexcept;

  const Instance *instance_;
  AlphaSweep sweep_;
  // Maxima over the labellings k' of a pass with one member fixed, n + 2 each, by count k of alpha.
  // gains(k'): sum of the first k' gains; f: the table of alpha. Labellings with count 0 of alpha
  // are left out (see Leaver).
  double *without_up_;   // max over k' <= k of gains(k') + f(k'): fixed elsewhere, default before
  double *without_from_; // max over k' >= k of gains(k') + f(k' - 1): fixed elsewhere, from alpha
  double *with_up_;      // max over k' <= k of gains(k') + f(k' + 1): fixed to alpha, from default
  double *with_from_;    // max over k' >= k of gains(k') + f(k'): fixed to alpha, alpha before
};

} // namespace chorale
