// Exact inference for MAX potentials C = max_v f_v(n_v), by alpha-pass.
//
// Labelling k of the pass of alpha gives alpha to the k members with the greatest gain, and to each
// other member its default column, the best one other than alpha (alpha_sweep.hpp). MaxPass uses
// the sum of the member scores plus f_alpha(k) as the score of this labelling. This is a lower
// bound on the score, as C is a maximum over columns.
//
// In an optimal labelling, C = f_beta(n_beta) for some column beta. Labelling n_beta of the pass of
// beta has at least the sum of member scores of the optimum, and its potential is at least
// f_beta(n_beta). So the greatest sum of member scores + f_alpha(k) over all passes is the optimum,
// and the tables of other columns need not be read (Theorem 5.1 of the paper named in
// chorale/potential.h; here k starts at 0). The same holds with one member fixed, so all
// max-marginals are exact, in O(K n log n).
//
// The potential is 0 by definition if no member has a counted column, that is, if all are in the
// rest column, which stands for the uncounted values.
//
// Notation (instance.hpp): n members, K columns; f_v is the table of column v.
#pragma once

#include "clique/passes/alpha_sweep.hpp"

namespace chorale {

class MaxPass {
public:
  MaxPass(Layout &layout, const Instance &instance) noexcept;

  // Writes the optimum to `solution`, with itself as the bound, or marks the problem as infeasible.
  // If interrupted, writes the best labelling found.
  void run(Limits &limits, Solution &solution) noexcept;
  // Writes the messages (n x K): entry (i, v) is the best score of a labelling with x_i = v, minus
  // the score of member i at v. False if interrupted; entries are then lower bounds.
  bool messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept;

private:
  // The cheapest move of a member from the rest column to a counted column other than alpha. If
  // every member is in the rest column, the potential is 0, and f_alpha(0) is no lower bound on it.
  // After this move f_alpha(0) is a lower bound.
  struct Leaver {
    std::int32_t member = -1;
    std::int32_t column = -1;
    double loss = kInfinity; // score of the member in the rest column minus that at `column`
  };
  // Returns the cheapest move out of the rest column (Leaver) over all members but `except`, or
  // over all members if `except` is -1. Its member is -1 if there is no such move, or if
  // interrupted.
  Leaver cheapest_leaver(std::int32_t alpha, std::int32_t except) const noexcept;
  // Raises the messages to the scores found in the pass of alpha. False if interrupted.
  bool pass_messages(std::int32_t alpha, Matrix<double> messages) noexcept;

  const Instance *instance_;
  AlphaSweep sweep_;
  // Maxima over labellings k' of the pass of alpha, after one member has been moved to the column
  // to which it is fixed. Each array has n + 2 entries, by k. gains(k'): the sum of the gains of
  // ranks forced() .. k' - 1; f: the table of alpha. Labellings in which no member has alpha after
  // the move are left out: if all members are then in the rest column, the potential is 0, not
  // f(0).
  //
  // The member moves from its default column to another column than alpha: alpha keeps count k'.
  double *without_up_; // max over k' <= k of gains(k') + f(k')
  // The member moves from alpha to another column.
  double *without_from_; // max over k' >= k of gains(k') + f(k' - 1)
  // The member moves from its default column to alpha.
  double *with_up_; // max over k' <= k of gains(k') + f(k' + 1)
  // The member has alpha and is fixed to alpha.
  double *with_from_; // max over k' >= k of gains(k') + f(k')
};

} // namespace chorale
