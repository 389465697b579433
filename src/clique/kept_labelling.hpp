// The labelling that a large clique is answered with once the limits have come.
//
// To write and score a labelling of ten million members takes a tenth of a second, too long after a
// deadline or a cancel. So labellings are scored while the search goes on, and the best of them is
// ready when the search ends.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// What a labelling adds up to, by the definition of F.
struct Rated {
  double member_score = kForbidden; // in the order of the members
  double clique_score = 0;
  double magnitude = 0; // sum_i |psi_i,x_i| + |clique_score|

  double score() const noexcept { return member_score + clique_score; }
};

class KeptLabelling {
public:
  // large: takes the memory to keep one; otherwise labellings are only rated.
  KeptLabelling(Layout &layout, const Instance &instance, bool large) noexcept;

  // Rates a labelling over columns (NULL: of each member's best value) and writes its values (NULL:
  // nowhere). False where the limits ended it. Quick: most members stand at their best columns or
  // the next, whose scores lie together.
  template <class Limits_>
  bool rate(Limits_ &&limits, const std::int32_t *assignment, std::int32_t *values,
            Rated &to) noexcept;

  // Keeps each member's best value, and from then on the best of what is offered. False where the
  // limits ended it.
  bool begin(Limits &limits) noexcept;
  bool is_active() const noexcept { return limits_ != nullptr; }

  // Rates the labelling, which the search takes to score `score`, if it is time to and it promises
  // more than the last one: no more than a fifth of all time goes into this.
  void offer(const std::int32_t *assignment, double score) noexcept {
    if (is_active() && score > offered_ && limits_->looks() >= due_)
      take(*limits_, assignment, score);
  }
  // Rates the labelling that the search ended with, and keeps it if it promises more or the search
  // is complete. Whether it is the one kept: not where the limits ended that, either.
  bool finish(Limits &limits, const std::int32_t *assignment, double score,
              bool complete) noexcept {
    return (complete || score > offered_) && take(limits, assignment, score, true);
  }

  const std::int32_t *values() const noexcept { return values_; }
  const Rated &rated() const noexcept { return rated_; }
  CallbackFailure failure() const noexcept { return failure_; }

  // The column of the member's best value, the lowest of equals: the rest column comes last though
  // its value may be low.
  std::int32_t best_column(std::int64_t i) const noexcept;

private:
  bool take(Limits &limits, const std::int32_t *assignment, double score,
            bool anyway = false) noexcept;

  const Instance *instance_;
  const Potential *source_;
  std::int64_t *counts_;           // R: counts by value
  std::int32_t *values_ = nullptr; // n: the labelling kept; NULL in small cliques
  std::int32_t *spare_ = nullptr;  // n: one being written
  Rated rated_;
  CallbackFailure failure_ = CallbackFailure::none;
  Limits *limits_ = nullptr; // of the search, once it keeps labellings
  double offered_ = kForbidden;
  std::int64_t due_ = 0; // looks at the limits before another labelling is rated
};

// The potential's part of F. A callback sees zeros for the values that do not count.
double score_counts(const Potential &potential, std::int32_t members, std::int64_t *counts,
                    CallbackFailure *failure) noexcept;

} // namespace chorale
