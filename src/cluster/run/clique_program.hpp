// Inference on one clique: computes the messages to all members, the best columns, or an upper
// bound. C is the potential of the clique; the clique has n members and perhaps a centre, whose
// value selects the potential. An *assignment* is a column for each member, and a value of the
// centre if there is one.
//
// A program that is given kept columns (Inputs::kept) computes messages as if the members could show
// no other column. The messages are minus infinity for all other columns.
#pragma once

#include "clique/computation.hpp"
#include "cluster/run/assignment.hpp"
#include "cluster/run/options.hpp"

namespace chorale {

// A closed clique (closed.hpp) computes messages, from which max-marginals follow, only if it has
// at most this many members.
inline constexpr std::int32_t kAnsweredMembers = 256;

class CliqueProgram {
public:
  // kept: by column, not 0 if messages cover it; NULL: they cover all. strength: factor of the
  // potential (Inputs::strength).
  CliqueProgram(Layout &layout, const Clique &clique, const CliqueSettings &settings,
                const std::uint8_t *kept = nullptr, double strength = 1) noexcept;
  std::size_t room_bytes() const noexcept;
  // room: scratch memory of `bytes` bytes, at least room_bytes().
  void set_room(std::byte *room, std::size_t bytes) noexcept {
    room_ = room;
    room_size_ = bytes;
  }
  // Leaves out the members whose chains are left out in `own` (Assignment::lacks). The functions
  // below then compute for the other members alone; members that are left out get messages of 0 and
  // show column -1. The others may need more memory than the room has: then all messages are 0,
  // solve() finds no assignment, and the bound is plus infinity.
  void leave_out(const Model &model, const Assignment &own) noexcept;

  // Messages from and to the members: n rows with an entry for each column, then the row of the
  // centre, if any. `outgoing` is empty for a closed clique with more than kAnsweredMembers
  // members.
  gsl::span<double> incoming;
  gsl::span<double> outgoing;
  // Returns the row to a member, or to the centre if `member` is n.
  gsl::span<double> outgoing_row(std::int32_t member) const noexcept {
    return {outgoing.data() + std::int64_t{member} * clique_->columns(),
            to_size(clique_->width(member))};
  }

  // All functions below overwrite `incoming` and announce their work to `limits` (Limits::spend).
  // If a limit ends a function, it returns false, its results are undefined, and interrupted() is
  // true until the next call.
  bool interrupted() const noexcept { return interrupted_; }

  // Computes `outgoing` from `incoming`. False if a callback failed.
  bool answer(Limits &limits) noexcept;
  // For a closed clique, with the scores of its members in `incoming`: finds the best column of
  // each member and writes it to `shown`. Sets `solved` to true, or to false if it finds no allowed
  // assignment. Returns false if a callback failed.
  bool solve(Limits &limits) noexcept;
  // Writes to *value an upper bound on the maximum, over all assignments, of the strength times C
  // plus the incoming entries. Uses only exact algorithms and dual bounds; *value is plus infinity if
  // neither exists for this kind of potential and the strength is not 0. Sets *found to true if an
  // allowed assignment, not necessarily the best, was found and stored in `shown`; otherwise to
  // false. Returns false if a callback failed.
  bool bound(double *value, bool *found, Limits &limits) noexcept;

  // Column of each member, then the value of the centre, if any. Empty if the program can neither
  // solve() (the clique is not closed) nor bound() (CliqueSettings::bounds is false).
  gsl::span<std::int32_t> shown;
  bool solved = false;
  RunFailure failure = RunFailure::none;

private:
  enum class Use { answer, solve, bound };
  // True if a member (or the centre, member n) is left out.
  bool is_out(std::int32_t member) const noexcept {
    return out_ && out_->lacks(model_->chain_of(*clique_, member));
  }
  bool is_idle() const noexcept;
  // True if the room holds the memory of the task. It always does if no member is left out.
  bool fits(const CliqueTask &task) const noexcept;
  std::int32_t gather_present() noexcept;
  template <class T> void spread_present(T *entries, std::int64_t width, T absent) const noexcept;
  CliqueTask task_for(const Potential &potential, Use use) const noexcept;
  // True if answer() may be called.
  bool answers() const noexcept {
    return !clique_->closed() || clique_->members <= kAnsweredMembers;
  }
  void forbid_uncovered(gsl::span<double> rows) const noexcept;
  // Sets `failure` if a callback has failed.
  void note(const CallbackFailure &failed) noexcept;
  void weaken() noexcept;
  void strengthen() noexcept;
  void answer_centred(Limits &limits) noexcept;
  double bound_within(Limits &limits, bool *found) noexcept;
  // Sets interrupted_. True if the computation ended without failure or interruption.
  bool finish(const Limits &limits) noexcept {
    interrupted_ = limits.interruption() != Interruption::none;
    return failure == RunFailure::none && !interrupted_;
  }

  const Clique *clique_;
  std::int32_t members_; // number of the members that take part; their rows come first
  const Model *model_ = nullptr;
  const Assignment *out_ = nullptr; // tells by lacks() which members are left out; NULL: none
  std::int64_t *weights_ = nullptr; // weight of each row's member; NULL: every member counts once
  CliqueSettings settings_;
  const std::uint8_t *kept_;
  double strength_;
  double *answers_ = nullptr; // in a centred clique, n x columns: messages for one value of the centre
  // In bound() of a centred clique: the assignment found for one value of the centre, as the column
  // of each of the n members.
  std::int32_t *candidate_ = nullptr;
  std::byte *room_ = nullptr;
  std::size_t room_size_ = 0;
  bool interrupted_ = false;
};

// Writes to `counts`, for each column, the sum of the weights of the members that show it.
// shown_by(member) returns the column of a member, or -1 for none.
template <class ShownBy>
void count_columns(const Clique &clique, gsl::span<std::int64_t> counts,
                   ShownBy &&shown_by) noexcept {
  Expects(!kContracts || counts.size() >= to_size(clique.columns()));
  std::int64_t *of_column = counts.data();
  for (std::int32_t v = 0; v < clique.columns(); ++v)
    of_column[v] = 0;
  for (std::int32_t i = 0; i < clique.members; ++i)
    if (const std::int32_t v = shown_by(i); v >= 0)
      of_column[v] += clique.weight(i);
}

// Returns `strength` times C for the counts of the clique's columns. If the potential is a
// callback, sets the counts of uncounted columns to 0, as callbacks expect. `centre`: the value of
// the centre; -1 if the centre is left out; ignored if the clique has none. Returns 0 if the centre
// is left out, or if there is no centre and no member takes part.
double clique_score(const Clique &clique, double strength, gsl::span<std::int64_t> counts,
                    std::int32_t centre, CallbackFailure *failure) noexcept;

} // namespace chorale
