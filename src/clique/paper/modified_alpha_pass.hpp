// The paper's modified alpha-pass for MAJORITY. The weights of the majority column alpha are added
// to the member scores, and only labellings in which alpha is the majority are kept.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class ModifiedAlphaPass {
public:
  ModifiedAlphaPass(Layout &layout, const Instance &instance) noexcept;

  // For every alpha and k = 1 .. n, gives alpha to the k members that lose least by alpha, and the
  // other members their best other column. Keeps the best of these labellings by exact score in
  // which no column has more members than alpha, or the labelling with all members in the rest
  // column (uncounted values), which has no majority. No guarantee, no bound. Finds nothing if
  // forbidden entries keep every alpha from the majority.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  bool prepare(std::int32_t alpha) noexcept;
  bool label(std::int32_t alpha, std::int32_t k) noexcept;
  bool sweep(std::int32_t alpha, Limits &limits, Solution &solution) noexcept;

  const Instance *instance_;
  double *gains_;            // n: psi + w at alpha minus psi + w at the best other column
  std::int32_t *other_;      // n: the best other column, or -1
  std::int32_t *order_;      // n: members by descending gain
  std::int32_t *assignment_; // n
  std::int32_t *counts_;     // K
  std::int32_t bound_to_;    // number of members that may take only alpha
  std::int32_t able_;        // number of members that may take alpha
  MajorityScore score_;
};

} // namespace chorale
