// The whole of learning: checks the problems, screens kinds, fits weights, chooses lambda and kinds
// by cross-validation, and fills the report.
#pragma once

#include "learn/lessons.hpp"

namespace chorale {

// Arguments of chorale_learn. Already checked, except the contents of the problems.
struct Teaching {
  const chorale_problem *const *problems = nullptr;
  std::int64_t count = 0;
  const double *seen = nullptr;
  const chorale_weight_rule *rules = nullptr;
  std::int64_t rule_count = 0;
  std::int64_t folds = 5;
  double level = 0.05;
  LearnSpec spec;
};

chorale_status learn(const Report &report, const Memory &memory, const Teaching &teaching,
                     Learnt &learnt) noexcept;

} // namespace chorale
