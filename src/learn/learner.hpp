// The whole of learning: checks the problems, screens kinds, fits weights, chooses lambda and kinds
// by cross-validation, and fills the report.
#pragma once

#include "learn/lessons.hpp"

namespace chorale {

// Arguments of chorale_learn. Already checked, except the rules and the contents of the problems.
struct Teaching {
  Problems problems;
  gsl::span<const double> seen; // by problem: as in chorale_learn_options; may be empty
  gsl::span<const chorale_weight_rule> rules;
  std::int64_t folds = 10;
  double level = 0.05;
  LearnSpec spec;
};

chorale_status learn(const Report &report, const Memory &memory, const Teaching &teaching,
                     Learnt &learnt) noexcept;

} // namespace chorale
