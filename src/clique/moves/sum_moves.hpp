// Single-member moves (ICM) in sums without forbidden counts, the common case: the moves of
// SingleMoves, with far fewer looks.
//
// A look at a member says by how much staying beats its best move. Until its column keeps it by so
// much less, or others offer so much more, the member is passed over. What others offer is compared
// with an epoch's beginning: one number an epoch, the most that any column offers more since then.
// Within an epoch, looks take the greater of what a column offers and what it offered at the
// beginning.
#pragma once

#include "clique/sum_view.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumMoves {
public:
  SumMoves(Layout &layout, const Instance &instance) noexcept;

  // As SingleMoves::improve. Compiled for the machine at hand at run time (AVX2 or not), with the
  // same bits.
  double improve(std::int32_t *assignment, Limits &limits, std::int64_t &sweeps) noexcept;
  double improve(const SumView &view, std::int32_t *assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept;

  // The same where this object has improved a labelling that differs in a few members, in a clique
  // of at most kFewMembers: what it knows of the others still serves.
  double improve_again(std::int32_t *assignment, Limits &limits, std::int64_t &sweeps) noexcept;
  static constexpr std::int32_t kFewMembers = 500;

  CallbackFailure failure() const noexcept { return CallbackFailure::none; }

private:
  template <class Rows>
  double improve_rows(const Rows &in, std::int32_t *assignment, Limits &limits,
                      std::int64_t &sweeps) noexcept;
  // The same for few members: what others offer is compared with an epoch's beginning as well, and
  // added up over the epochs, so that little is kept.
  template <class Rows>
  double improve_few(const Rows &in, std::int32_t *assignment, bool again,
                     Limits &limits, std::int64_t &sweeps) noexcept;
  template <class Rows>
  void adjust_leads(const Rows &in, const std::int32_t *assignment, double least) noexcept;
  template <class Rows>
  bool begin_leads(const Rows &in, const std::int32_t *assignment, double least) noexcept;
  void move(std::int32_t from, std::int32_t to) noexcept;
  void begin_epoch() noexcept;

  static constexpr std::int32_t kEpochs = 64; // the last one does not end
  struct Variants;

  const Instance *instance_;
  FiniteSumScore score_;
  std::int32_t *counts_;   // K
  double *reference_;      // K x epochs: what joining a column added when the epoch began
  double *most_;           // K: that of this epoch, or what it adds now, if that is more
  double *safe_;           // n: the member stays while leaving and what has risen are below it
  std::uint8_t *epoch_of_; // n: the epoch of the last look
  std::int32_t *last_;     // n: the labelling left last; of few members
  std::int32_t *waiting_;  // n: members to look at in a sweep; of few members
  double rise_[kEpochs] = {};
  std::int32_t epoch_ = 0;
  std::int32_t moves_ = 0; // in this epoch
  double least_ = 0;       // of few members: what the labelling improved first calls an improvement
  double risen_ = 0;       // of few members: by what columns rose at most since leads were noted
};

} // namespace chorale
