// Keeps the labelling that is returned for a large clique when its limits end the search.
//
// Writing and scoring a labelling of ten million members takes a tenth of a second. After a
// deadline or a cancellation this is too long. So labellings are scored during the search, and the
// best of them is ready when the search ends.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// The score of a labelling, computed by the definition in clique.h: the sum of the member scores
// plus the potential at the counts of the values.
struct Rated {
  double member_score = kForbidden; // sum of member scores, in the order of the members
  double clique_score = 0;
  double magnitude = 0; // sum over the members of |score|, plus |clique_score|

  double score() const noexcept { return member_score + clique_score; }
};

class KeptLabelling {
public:
  // `large`: true to take the memory for a kept labelling; if false, begin() must not be called.
  KeptLabelling(Layout &layout, const Instance &instance, bool large) noexcept;

  // Scores a labelling and writes the result to `to`. `assignment`: the column of each member;
  // empty means each member's best value. Writes the value of each member to `values` unless
  // `values` is empty. False if interrupted.
  template <class Limits_>
  bool rate(Limits_ &&limits, gsl::span<const std::int32_t> assignment,
            gsl::span<std::int32_t> values, Rated &to) noexcept;

  // Scores and keeps the labelling with each member's best value. From then on, keeps the best of
  // all labellings that offer() scores. False if interrupted.
  bool begin(Limits &limits) noexcept;
  bool is_active() const noexcept { return limits_ != nullptr; }

  // Scores a labelling, and keeps it if it is better than the kept labelling. `score`: the
  // labelling's score as the search has computed it. Does nothing if `score` is at most the `score`
  // given with the labelling scored last. Also does nothing soon after that labelling was scored,
  // so that all scoring takes at most a fifth of the time of the search.
  void offer(gsl::span<const std::int32_t> assignment, double score) noexcept {
    if (is_active() && score > offered_ && limits_->looks() >= due_)
      take(*limits_, assignment, score);
  }
  // Called at the end of the search with its labelling. If the search is complete, or if `score`
  // exceeds the `score` that was given with the labelling scored last, scores this labelling and
  // keeps it. True if this labelling has been kept; false also if `limits` ended the scoring.
  bool finish(Limits &limits, gsl::span<const std::int32_t> assignment, double score,
              bool complete) noexcept {
    return (complete || score > offered_) && take(limits, assignment, score, true);
  }

  gsl::span<const std::int32_t> values() const noexcept { return values_; }
  const Rated &rated() const noexcept { return rated_; }
  CallbackFailure failure() const noexcept { return failure_; }

  // Returns the column of member i's best value; of several best values, the lowest. This may
  // differ from Instance::best[i], the lowest of several best columns: the rest column is the last
  // column, even if the uncounted value for which it stands is a low one.
  std::int32_t best_column(std::int64_t i) const noexcept;

private:
  // Scores a labelling, and keeps it if it is better than the kept labelling or if `anyway` is
  // true. False if interrupted.
  bool take(Limits &limits, gsl::span<const std::int32_t> assignment, double score,
            bool anyway = false) noexcept;

  const Instance *instance_;
  const Potential *source_;
  gsl::span<std::int64_t> counts_; // by value: number of members
  gsl::span<std::int32_t> values_; // by member: value in the kept labelling; empty unless `large`
  gsl::span<std::int32_t> spare_;  // by member: value in the labelling being scored; else empty
  Rated rated_;
  CallbackFailure failure_ = CallbackFailure::none;
  Limits *limits_ = nullptr; // limits of the search; NULL before begin()
  double offered_ = kForbidden; // `score` of the labelling scored last, as given to offer()
  // offer() does nothing while Limits::looks(), which says how often the clock has been read, is
  // below this number.
  std::int64_t due_ = 0;
};

} // namespace chorale
