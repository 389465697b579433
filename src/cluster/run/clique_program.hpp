// What a run asks of one clique: answer all its members, bound its best score.
//
// A clique may work on some of its columns only: `kept` lists them, and the potential given for
// them has those alone. What is left out is answered with minus infinity.
#pragma once

#include "clique/computation.hpp"
#include "cluster/run/inputs.hpp"
#include "cluster/run/options.hpp"

namespace chorale {

// Members of the largest closed clique whose messages are worked out, where marginals are asked.
inline constexpr std::int32_t kAnsweredMembers = 256;

class CliqueProgram {
public:
  CliqueProgram(Layout &layout, const Clique &clique, const CliqueSettings &settings,
                const KeptColumns *kept) noexcept;
  std::size_t room_bytes() const noexcept;
  void set_room(std::byte *room) noexcept { room_ = room; }

  // The clique's rows, as the model lays them out: scores from the members, answers to them (NULL
  // of a closed clique with more than kAnsweredMembers).
  double *incoming;
  double *outgoing;

  // Both calls spend their work on `limits`. A call that the limits end returns false, leaves what
  // it was to fill undefined, and interrupted() is true until the next call.
  bool interrupted() const noexcept { return interrupted_; }

  // Fills `outgoing` from `incoming`. False where a callback failed.
  bool answer(Limits &limits) noexcept;
  // Fills `shown` from the scores of a closed clique in `incoming`; `solved` is false where every
  // labelling is forbidden. False where a callback failed.
  bool solve(Limits &limits) noexcept;
  // No less than the greatest score under `incoming`, in *value, by exact algorithms and dual
  // bounds alone; plus infinity where the family has none. `shown` is a labelling near it (a centre
  // last); false in *found where there is none. False where a callback failed.
  bool bound(double *value, bool *found, Limits &limits) noexcept;

  std::int32_t *shown;
  bool solved = false;
  RunFailure failure = RunFailure::none;

private:
  enum class Use { answer, solve, bound };
  CliqueTask task_for(const Potential &potential, Use use) const noexcept;
  bool answers() const noexcept {
    return !clique_->closed() || clique_->members <= kAnsweredMembers;
  }
  void note(CallbackFailure failed) noexcept;
  void answer_centred(Limits &limits) noexcept;
  double bound_within(Limits &limits, bool *found) noexcept;
  // True if a computation came to its end.
  bool finish(const Limits &limits) noexcept {
    interrupted_ = limits.interruption() != Interruption::none;
    return failure == RunFailure::none && !interrupted_;
  }
  std::int32_t used_columns() const noexcept { return kept_ ? kept_->count : clique_->columns(); }

  const Clique *clique_;
  CliqueSettings settings_;
  const KeptColumns *kept_;
  double *gathered_ = nullptr; // n x kept columns
  double *answers_ = nullptr;  // n x kept columns, or n x columns of one value of a centre
  // Bounds of a centred clique, n: a labelling under one value of the centre.
  std::int32_t *candidate_ = nullptr;
  std::byte *room_ = nullptr;
  bool interrupted_ = false;
};

// The counts of what members show, into `counts` (columns), by `shown_by(member)`; -1 counts for
// nothing.
template <class ShownBy>
void count_columns(const Clique &clique, std::int64_t *counts, ShownBy &&shown_by) noexcept {
  for (std::int32_t v = 0; v < clique.columns(); ++v)
    counts[v] = 0;
  for (std::int32_t i = 0; i < clique.members; ++i)
    if (const std::int32_t v = shown_by(i); v >= 0)
      ++counts[v];
}

// C of counts over the clique's columns. A callback sees zeros where nothing counts; `counts` is
// changed for that.
double clique_score(const Clique &clique, std::int64_t *counts, std::int32_t centre,
                    CallbackFailure *failure) noexcept;

} // namespace chorale
