// Learns: checks what is given, screens, fits, chooses, and says what it found.
#pragma once

#include "learn/lessons.hpp"

namespace chorale {

// Everything has been checked but what the problems are.
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
