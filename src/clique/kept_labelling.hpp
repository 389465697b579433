// The labelling that a large clique returns when its limits end the search.
//
// Writing and scoring a labelling of ten million members takes a tenth of a second, too long after
// a deadline or a cancellation. So labellings are scored during the search, and the best of them is
// ready when the search ends.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// The score of a labelling by the definition of F (clique.h).
struct Rated {
  double member_score = kForbidden; // sum_i psi_i,x_i, added up in the order of i
  double clique_score = 0;
  double magnitude = 0; // sum_i |psi_i,x_i| + |clique_score|

  double score() const noexcept { return member_score + clique_score; }
};

class KeptLabelling {
public:
  // `large`: takes the memory to keep a labelling; otherwise only rate() may be called.
  KeptLabelling(Layout &layout, const Instance &instance, bool large) noexcept;

  // Scores a labelling: `assignment` holds n columns; NULL means each member's best value. Writes
  // the values of the labelling to `values` (n) unless it is NULL. False if interrupted. Reads
  // scores of best and second-best columns, where most members are, from Instance's own arrays,
  // which lie closer together than rows.
  template <class Limits_>
  bool rate(Limits_ &&limits, const std::int32_t *assignment, std::int32_t *values,
            Rated &to) noexcept;

  // Keeps the labelling of each member's best value, and then the best of all labellings offered.
  // False if interrupted.
  bool begin(Limits &limits) noexcept;
  bool is_active() const noexcept { return limits_ != nullptr; }

  // Scores a labelling if the search's own `score` of it exceeds that of the last labelling scored
  // and enough time has passed; at most a fifth of the time goes into scoring.
  void offer(const std::int32_t *assignment, double score) noexcept {
    if (is_active() && score > offered_ && limits_->looks() >= due_)
      take(*limits_, assignment, score);
  }
  // Scores the search's last labelling and keeps it, if its `score` exceeds that of the last
  // labelling scored or the search is complete. True if this labelling is kept; false if `limits`
  // ended the scoring too.
  bool finish(Limits &limits, const std::int32_t *assignment, double score,
              bool complete) noexcept {
    return (complete || score > offered_) && take(limits, assignment, score, true);
  }

  const std::int32_t *values() const noexcept { return values_; }
  const Rated &rated() const noexcept { return rated_; }
  CallbackFailure failure() const noexcept { return failure_; }

  // Returns the column of member i's best value, the lowest of equal values. Instance::best has the
  // lowest of equal columns instead, and the rest column is the last though its value may be low.
  std::int32_t best_column(std::int64_t i) const noexcept;

private:
  bool take(Limits &limits, const std::int32_t *assignment, double score,
            bool anyway = false) noexcept;

  const Instance *instance_;
  const Potential *source_;
  std::int64_t *counts_;           // R: counts by value
  std::int32_t *values_ = nullptr; // n: the labelling kept; NULL in small cliques
  std::int32_t *spare_ = nullptr;  // n: a labelling that is being scored
  Rated rated_;
  CallbackFailure failure_ = CallbackFailure::none;
  Limits *limits_ = nullptr; // of the search; NULL before begin()
  double offered_ = kForbidden;
  std::int64_t due_ = 0; // no labelling is scored while Limits::looks() is below this
};

} // namespace chorale
