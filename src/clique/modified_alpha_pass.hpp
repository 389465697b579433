// Alpha-pass for MAJORITY: the weights of the majority alpha are folded into the vertex scores, and
// only labellings in which alpha is the majority are kept. [Modified alpha-pass]
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class ModifiedAlphaPass {
public:
  ModifiedAlphaPass(Layout &layout, const Instance &instance) noexcept;

  // For every alpha and k = 1 .. n, the k members that lose least by alpha take it and the others
  // their best other column; of those in which no column has more members than alpha, the best by
  // true score. So is everybody in the rest, which has no majority. No guarantee, and no bound; it
  // finds nothing where forbidden entries keep every alpha from the majority.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  bool prepare(std::int32_t alpha) noexcept;
  bool label(std::int32_t alpha, std::int32_t k) noexcept;
  bool sweep(std::int32_t alpha, Limits &limits, Solution &solution) noexcept;

  const Instance *instance_;
  double *gains_;            // n: psi + w of alpha less those of the best other column
  std::int32_t *other_;      // n: that column, or -1
  std::int32_t *order_;      // n: members by falling gain
  std::int32_t *assignment_; // n
  std::int32_t *counts_;     // K
  std::int32_t bound_to_;    // members that may take nothing but alpha
  std::int32_t able_;        // members that may take alpha
  MajorityScore score_;
};

} // namespace chorale
