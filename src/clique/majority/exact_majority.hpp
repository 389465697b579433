// Exact solver for MAJORITY cliques: the optimum and all max-marginals.
//
// MAJORITY scores a labelling by b_a + sum_v w_av n_v, where a is the column with the most members
// (the *majority column*). Let G_a(k) be the best score of the labellings with majority column a
// and count k of a. It is computed by a flow (majority_flow.hpp), and it is concave in k. For each
// a, the best k is searched. The prices of a flow, even of an unfinished one, give a linear upper
// bound on G_a. This bound rules out the counts, often all, with which no labelling scores more
// than the best labelling found so far. The columns a are searched in descending order of b_a +
// sum_i max_v theta_iv, where theta_iv = psi_iv + w_av: an upper bound on G_a(k) for all k.
//
// Max-marginals m(i, v) follow from the residual distances of finished flows. In the flow of a and
// k, let member i have column u = x_i:
//
//     m(i, v) = max over a, k of G_a(k) + theta_iv - theta_iu - distance(v, u)
//
// where distance(v, u) is the least loss of a chain of moves that takes a member out of column v
// and brings one into column u (ColumnFlow::residual()).
//
// A count k is skipped only if a linear bound on G_a(k) shows that its flow raises no message,
// where a message is a max-marginal without the member's own score.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v. w_av
// and b_a are the weights and biases of the potential.
#pragma once

#include "clique/instance.hpp"
#include "clique/majority/majority_flow.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class ExactMajority {
public:
  ExactMajority(Layout &layout, const Instance &instance) noexcept;

  // Writes the optimum to `solution`, with itself as the bound. If ended early by the limits,
  // options.iteration_limit or options.gap, writes the best labelling so far and an upper bound
  // instead; no bound if interrupted before bounds_ are computed.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // Calls run(), then writes to entry v of messages.row(i) the best score of a labelling with x_i =
  // v, minus the score of member i at v; minus infinity if no such labelling exists. True if the
  // messages are exact. False if interrupted; they are then lower bounds.
  bool messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept;

private:
  struct Counts { // range of counts k not yet ruled out, lowest .. highest
    std::int64_t lowest;
    std::int64_t highest;
    bool empty() const noexcept { return lowest > highest; }
    // Drops counts from both ends as long as the line is at most `least` at the count.
    void cut(const CountLine &line, double least) noexcept;
  };

  bool bound_majorities(Limits &limits) noexcept;
  Counts possible_counts(std::int32_t a) const noexcept;
  bool search_counts(std::int32_t a, Limits &limits, Solution &solution) noexcept;

  void seed_messages(const Solution &solution, Matrix<double> messages) noexcept;
  bool sweep_counts(std::int32_t a, Limits &limits, Solution &solution,
                    Matrix<double> messages) noexcept;
  bool raise_messages(Limits &limits, Matrix<double> messages) noexcept;
  double least_useful(Matrix<double> messages) const noexcept;

  const Instance *instance_;
  MajorityFlow flow_;
  double *transposed_;       // K x K: w_av at v * K + a, for counted columns a
  double *bounds_;           // K: by a, upper bound on G_a(k) over all k
  std::int32_t *order_;      // counted columns by descending bound
  std::int32_t *assignment_; // n: scratch, a labelling
  gsl::span<std::int32_t> counts_; // K: number of members by column
  // K x K, scratch: by column u before and v after a member's move, the terms of a message that depend
  // only on u and v. Other functions use the first K entries, each for itself.
  double *levels_;
  MajorityScore moved_score_; // potential of labellings with one member moved
  // Count at which the next search over counts begins, taken from the majority columns searched
  // before. 0: none has been searched yet.
  std::int64_t last_k_ = 0;
  double slack_ = 0;        // greatest score difference that counts as rounding
  double penalty_ = 0; // -penalty_ is the score of forbidden entries in the flows for max-marginals
};

} // namespace chorale
