// Single-member moves (ICM) in sums without forbidden counts: the moves of SingleMoves, with far
// fewer evaluations.
//
// join_v is the change of the potential when a member joins column v, leave_u the change when a
// member leaves column u. An evaluation of a member's moves gives its lead: its score at its own
// column minus the greatest score plus join at any other. No move gains while leave of its column,
// plus the greatest rise of any join since the evaluation, is below the lead; until then the member
// is skipped. Rises are measured from the beginnings of epochs: rise_[e] is the greatest rise of
// any join since epoch e began, so that one number serves all members last evaluated in epoch e. An
// evaluation inside an epoch takes the greater of the present join and the join at the beginning of
// the epoch, so that its lead is valid for rise_[e].
#pragma once

#include "clique/sum_view.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumMoves {
public:
  SumMoves(Layout &layout, const Instance &instance) noexcept;

  // As SingleMoves::improve; for the vector units of the machine (cpu.hpp).
  double improve(gsl::span<std::int32_t> labelling, Limits &limits, std::int64_t &sweeps) noexcept;
  double improve(const SumView &view, gsl::span<std::int32_t> labelling, Limits &limits,
                 std::int64_t &sweeps) noexcept;

  // The same, faster, if the last call improved a labelling that differs from this one in few
  // members: the leads of all other members are adjusted instead of computed anew. At most
  // kFewMembers members. Gives up if the score is too low after a sweep to reach, by later sweeps,
  // what the caller has.
  struct LeastScores {
    double after_first; // after the first sweep
    double after_later; // after each later one
  };
  double improve_again(gsl::span<std::int32_t> labelling, const LeastScores &least, Limits &limits,
                       std::int64_t &sweeps) noexcept;
  static constexpr std::int32_t kFewMembers = 500;

  CallbackFailure failure() const noexcept { return CallbackFailure::none; }

private:
  template <class Rows>
  double improve_rows(const Rows &in, std::int32_t *assignment, Limits &limits,
                      std::int64_t &sweeps) noexcept;
  // The same for at most kFewMembers members. Rises are added up over the epochs, an upper bound,
  // so that no numbers of earlier epochs are kept.
  template <class Rows>
  double improve_few(const Rows &in, std::int32_t *assignment, const LeastScores *least_scores,
                     Limits &limits, std::int64_t &sweeps) noexcept;
  template <class Rows>
  void adjust_leads(const Rows &in, const std::int32_t *assignment, double least) noexcept;
  template <class Rows>
  bool begin_leads(const Rows &in, const std::int32_t *assignment, double least) noexcept;
  void move(std::int32_t from, std::int32_t to) noexcept;
  void begin_epoch() noexcept;

  static constexpr std::int32_t kEpochs = 64; // at most; the last one has no end

  const Instance *instance_;
  FiniteSumScore score_;
  std::int32_t *counts_;   // K
  double *reference_;      // K x kEpochs: join at the beginning of each epoch
  double *most_;           // K: the greater of join now and at the beginning of this epoch
  double *safe_;           // n: the lead; the member is skipped while leave plus rise is below it
  std::uint8_t *epoch_of_; // n: the epoch of the member's last evaluation
  std::int32_t *last_;     // n: the labelling that the last call returned; NULL if many members
  std::int32_t *waiting_;  // n: members to evaluate in a sweep; NULL if many members
  double rise_[kEpochs] = {}; // greatest rise of any join since the beginning of each epoch
  std::int32_t epoch_ = 0;    // the present epoch
  std::int32_t moves_ = 0;    // in this epoch
  // Few members: the least gain of a move, from the score of the labelling that was improved first.
  double least_ = 0;
  double risen_ = 0; // few members: upper bound on the rise of any join since leads were computed
};

} // namespace chorale
