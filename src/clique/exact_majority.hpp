// The optimum of a MAJORITY clique, and all its max-marginals. [Exact Algorithm]
//
// With the majority column a and its count k fixed, the best score G_a(k) is a flow
// (majority_flow.hpp) and concave in k. So for each a, in the order of the bound that every
// member's best entry gives, k is searched; each set of prices is a line above G_a that cuts off
// the counts, often all of them, that cannot beat the best labelling so far, even before its flow
// is finished.
//
// Max-marginals are read off the residual distances of finished flows:
//
//     m(i, v) = max over a, k of G_a(k) + theta_iv - theta_iu - distance(v, u),   u = x_i
//
// A flow is left out only where its line is below every entry that it could raise.
#pragma once

#include "clique/instance.hpp"
#include "clique/majority_flow.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class ExactMajority {
public:
  ExactMajority(Layout &layout, const Instance &instance) noexcept;

  // Leaves the optimum in `solution`, or, interrupted, the best so far and a bound.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // Also fills messages[i * K + v] with the best F with x_i = v, member i's own score left out;
  // minus infinity where there is no such labelling. True if they are exact, false if they are
  // lower bounds because of an interruption.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  struct Counts {
    std::int64_t lowest;
    std::int64_t highest;
    bool empty() const noexcept { return lowest > highest; }
    // Drops the counts at which the line is not above `least`.
    void cut(const CountLine &line, double least) noexcept;
  };

  bool bound_majorities(Limits &limits) noexcept;
  Counts possible_counts(std::int32_t a) const noexcept;
  bool search_counts(std::int32_t a, Limits &limits, Solution &solution) noexcept;

  void seed_messages(const Solution &solution, double *messages) noexcept;
  bool sweep_counts(std::int32_t a, Limits &limits, Solution &solution, double *messages) noexcept;
  bool settle_count(std::int64_t k, Limits &limits, Solution &solution, bool *possible) noexcept;
  bool raise_messages(Limits &limits, double *messages) noexcept;
  double least_useful(const double *messages) const noexcept;
  bool is_live(std::int64_t i) const noexcept { return only_live_ < 0 || i == only_live_; }

  const Instance *instance_;
  MajorityFlow flow_;
  std::int32_t stride_;      // of transposed_: K rounded up to whole vectors
  double *transposed_;       // K x stride: w_av at v * stride + a, of counted a
  double *bounds_;           // stride: best score with majority a if counts did not matter
  std::int32_t *order_;      // counted columns, by falling bound
  std::int32_t *assignment_; // n
  std::int32_t *counts_;     // K
  double *distances_;        // (K + 1) x (K + 1)
  double *levels_; // K x K: at u, v what a member of u can count on at v, its own score aside
  MajorityScore moved_score_;
  std::int64_t last_k_; // the best count of the last majority searched, 0 before the first
  double slack_;        // scores closer than this are not worth a flow
  double penalty_;      // of a forbidden entry, in messages
  // The only member with messages above minus infinity, because it alone has no admissible column;
  // -1: all members have some.
  std::int32_t only_live_;
};

} // namespace chorale
