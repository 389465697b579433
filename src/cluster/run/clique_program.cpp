// clique_program.hpp explains the words used here.
#include "cluster/run/clique_program.hpp"

#include "potential/member_row.hpp"

#include <algorithm>

namespace chorale {
namespace {

// In bound(), the node limit of branch and bound over counts is kBoundMembers / n for n members,
// but not less than 2 nor more than kBoundNodes.
constexpr std::int64_t kBoundNodes = 200;
constexpr std::int64_t kBoundMembers = 1 << 20;
// If members have weights, bound() uses the dual bound with at most this many steps.
constexpr std::int64_t kBoundSteps = 200;
// Scores are divided by the strength. So messages and best columns of a clique of strength 0 are
// computed with this strength (all others are at least 1e-6). C then matters within the rounding
// errors of the scores alone, and forbidden counts stay forbidden.
constexpr double kLeastStrength = 1e-12;

void multiply(gsl::span<double> scores, double factor) noexcept {
  double *const first = scores.data();
  if (factor != 1)
    std::transform(first, first + scores.size(), first,
                   [factor](double score) { return score * factor; });
}

} // namespace

CliqueProgram::CliqueProgram(Layout &layout, const Clique &clique, const CliqueSettings &settings,
                             const std::uint8_t *kept, double strength) noexcept
    : clique_(&clique), members_(clique.members), settings_(settings), kept_(kept),
      strength_(strength) {
  const std::int64_t entries = clique.entries();
  incoming = layout.take_span<double>(entries);
  if (answers())
    outgoing = layout.take_span<double>(entries);
  if (settings.bounds || clique.closed())
    shown = layout.take_span<std::int32_t>(clique.all_members());
  if (clique.weighted()) {
    weights_ = layout.take<std::int64_t>(clique.members);
    for (std::int32_t i = 0; !layout.measuring() && i < clique.members; ++i)
      weights_[i] = clique.weight(i);
  }
  if (clique.centred()) {
    answers_ = layout.take<double>(std::int64_t{clique.members} * clique.columns());
    // bound() uses candidate_ and not answers_, so the two share memory.
    candidate_ = reinterpret_cast<std::int32_t *>(answers_);
  }
}

void CliqueProgram::leave_out(const Model &model, const Assignment &own) noexcept {
  if (clique_->absent == 0 && !(clique_->centred() && own.is_partial))
    return;
  model_ = &model;
  out_ = &own;
}

// True if the clique adds nothing to equation 1: the centre is left out; or there is no centre, and
// no member that takes part.
bool CliqueProgram::is_idle() const noexcept {
  return clique_->centred() ? is_out(clique_->members) : members_ == 0;
}

// Moves the rows and weights of the members that take part to the front. Returns their number.
std::int32_t CliqueProgram::gather_present() noexcept {
  if (!out_)
    return clique_->members;
  std::int32_t present = 0;
  const std::int64_t K = clique_->columns();
  for (std::int32_t i = 0; i < clique_->members; ++i) {
    if (is_out(i))
      continue;
    if (present < i)
      std::copy_n(incoming.data() + i * K, K, incoming.data() + present * K);
    if (weights_)
      weights_[present] = weights_[i];
    ++present;
  }
  return present;
}

// Undoes the move of gather_present() in an array with `width` entries for each member: moves the
// entries from the front to the places of the members that take part. The entries of the members
// that are left out become `absent`.
template <class T>
void CliqueProgram::spread_present(T *entries, std::int64_t width, T absent) const noexcept {
  for (std::int32_t i = clique_->members - 1, next = members_ - 1; out_ && i >= 0; --i) {
    T *to = entries + i * width;
    if (is_out(i))
      std::fill_n(to, width, absent);
    else if (const std::int32_t from = next--; from < i)
      std::copy_n(entries + from * width, width, to);
  }
}

CliqueTask CliqueProgram::task_for(const Potential &potential, Use use) const noexcept {
  const bool wants_marginals = use == Use::answer;
  CliqueTask task;
  const std::int32_t total = clique_->total();
  task.kind = CliqueKind(potential, total);
  task.kind.weighted = clique_->weighted();
  const std::int32_t values = potential.values;
  task.problem.scores = {incoming.data(), members_, values, values};
  task.problem.weights = span_of(weights_, members_);
  task.wants_marginals = wants_marginals;
  task.messages_only = !clique_->centred(); // the message to a centre needs the best score
  // The scores of a centred clique must not be overwritten, since they are used again for the next
  // value of the centre.
  task.in_place = !clique_->centred();
  task.wants_messages = true;
  task.marginals = {nullptr, members_, values, values};
  // Chooses the algorithm for the members that take part as for all members: an algorithm chosen
  // for fewer might need more memory than the run has reserved.
  CliqueKind kind =
      clique_->absent > 0 ? CliqueKind(potential, clique_->full_total) : task.kind;
  kind.weighted = task.kind.weighted;
  if (wants_marginals) {
    // If the requested algorithm cannot compute messages of this clique, uses AUTO instead. If AUTO
    // cannot compute exact messages, no longer asks for exact ones.
    task.plan = plan_marginals(kind, settings_.algorithm, settings_.exact_marginals);
    if (task.plan.misfit != Misfit::none)
      task.plan = plan_marginals(kind, CHORALE_ALGORITHM_AUTO, settings_.exact_marginals);
    if (task.plan.misfit != Misfit::none)
      task.plan = plan_marginals(kind, CHORALE_ALGORITHM_AUTO, false);
  } else if (use == Use::solve) {
    const bool exact = settings_.exact_marginals && kind.form == Form::sum;
    task.plan = plan_solve(kind, settings_.algorithm, exact);
    if (task.plan.misfit != Misfit::none)
      task.plan = plan_solve(kind, CHORALE_ALGORITHM_AUTO, exact);
    task.options.gap = exact ? 0 : task.options.gap;
    task.assignment = span_of(shown.data(), members_);
  } else {
    task.plan = plan_solve(kind, CHORALE_ALGORITHM_AUTO, kind.form == Form::sum);
    task.options.gap = 0;
    task.options.node_limit = task.options.node_pool =
        std::clamp<std::int64_t>(kBoundMembers / members_, 2, kBoundNodes);
    task.options.iteration_limit = task.kind.weighted ? kBoundSteps : 0;
  }
  return task;
}

// A run may leave members out, and the program may need more memory for one member than for all. So
// the room is large enough for all members and for one; see leave_out() for numbers between.
std::size_t CliqueProgram::room_bytes() const noexcept {
  std::size_t bytes = 0;
  const std::int32_t n = clique_->members;
  for (const std::int32_t present : {n, std::min(n, 1)}) {
    if (present == 0)
      continue;
    Clique clique = *clique_;
    clique.absent = n - present;
    CliqueProgram program(*this);
    program.clique_ = &clique;
    program.members_ = present;
    for (std::int32_t c = 0; c < std::max(clique.centre_values(), 1); ++c) {
      const Potential &potential = clique.potential_at(c);
      if (answers())
        bytes = std::max(bytes, measure(program.task_for(potential, Use::answer)));
      if (clique.closed())
        bytes = std::max(bytes, measure(program.task_for(potential, Use::solve)));
      if (settings_.bounds)
        bytes = std::max(bytes, measure(program.task_for(potential, Use::bound)));
    }
  }
  return bytes;
}

bool CliqueProgram::fits(const CliqueTask &task) const noexcept {
  return !out_ || measure(task) <= room_size_;
}

void CliqueProgram::note(const CallbackFailure &failed) noexcept {
  if (failed != CallbackFailure::none)
    failure = RunFailure::of(failed, *clique_);
}

// Divides `incoming` by the strength s. Since scores + s C = s (scores / s + C), the potential C
// itself need not be scaled: the best columns are the same, and strengthen() multiplies the
// messages by s.
void CliqueProgram::weaken() noexcept {
  multiply(incoming, 1 / std::max(strength_, kLeastStrength));
}

void CliqueProgram::strengthen() noexcept {
  multiply(outgoing, std::max(strength_, kLeastStrength));
}

// Sets the entries of the columns that messages do not cover to minus infinity.
void CliqueProgram::forbid_uncovered(gsl::span<double> rows) const noexcept {
  const std::int32_t K = clique_->columns();
  for (std::int32_t i = 0; kept_ && i < members_; ++i)
    for (std::int32_t v = 0; v < K; ++v)
      if (kept_[v] == 0)
        rows.data()[std::int64_t{i} * K + v] = kForbidden;
}

bool CliqueProgram::solve(Limits &limits) noexcept {
  weaken();
  members_ = gather_present();
  CliqueTask task;
  if (!is_idle())
    task = task_for(*clique_->potential(), Use::solve);
  if (is_idle() || !fits(task))
    return finish(limits);
  const CliqueAnswer answer = compute(task, limits, room_);
  note(answer.failure);
  solved = answer.member_score > kForbidden;
  spread_present(shown.data(), 1, -1);
  return finish(limits);
}

bool CliqueProgram::answer(Limits &limits) noexcept {
  weaken();
  members_ = gather_present();
  if (is_idle()) {
    std::fill_n(outgoing.data(), outgoing.size(), 0.0);
    return finish(limits);
  }
  if (clique_->centred()) {
    answer_centred(limits);
  } else {
    forbid_uncovered(incoming);
    CliqueTask task = task_for(*clique_->potential(), Use::answer);
    task.marginals.data = outgoing.data();
    if (!fits(task)) {
      std::fill_n(outgoing.data(), outgoing.size(), 0.0);
      return finish(limits);
    }
    note(compute(task, limits, room_).failure);
    forbid_uncovered(outgoing);
  }
  strengthen();
  spread_present(outgoing.data(), clique_->columns(), 0.0);
  return finish(limits);
}

// Computes the messages of a centred clique, in one computation for each value c of the centre.
// Entry c of the message to the centre is the best score for c. An entry of a message to a member
// is the maximum, over c, of that entry of the message computed for c plus entry c of the message
// from the centre.
void CliqueProgram::answer_centred(Limits &limits) noexcept {
  const std::int64_t n = members_;
  const std::int64_t entries = n * clique_->columns();
  const std::int64_t of_centre = std::int64_t{clique_->members} * clique_->columns();
  const double *from_centre = incoming.data() + of_centre;
  double *to_members = outgoing.data();
  double *to_centre = to_members + of_centre;
  std::fill_n(to_members, entries, kForbidden);
  for (std::int32_t c = 0; c < clique_->centre_values(); ++c) {
    if (n == 0) {
      to_centre[c] = clique_->potential_at(c).evaluate_empty(0);
      continue;
    }
    CliqueTask task = task_for(*clique_->type->centre[c], Use::answer);
    task.marginals.data = answers_;
    if (!fits(task)) {
      std::fill_n(outgoing.data(), outgoing.size(), 0.0);
      return;
    }
    const CliqueAnswer answer = compute(task, limits, room_);
    note(answer.failure);
    if (failure != RunFailure::none || limits.interruption() != Interruption::none)
      return;
    to_centre[c] =
        answer.member_score == kForbidden ? kForbidden : answer.score();
    for (std::int64_t e = 0; e < entries; ++e)
      to_members[e] = std::max(to_members[e], answers_[e] + from_centre[c]);
  }
}

bool CliqueProgram::bound(double *value, bool *found, Limits &limits) noexcept {
  *found = false;
  members_ = gather_present();
  if (strength_ == 0 || is_idle()) {
    // The strength times C is 0, or minus infinity for counts that the potential forbids. So the
    // sum of the best scores of the members, and of the centre, that take part is an upper bound.
    *value = 0;
    for (std::int32_t i = 0; i < clique_->all_members(); ++i) {
      const double *row = incoming.data() + std::int64_t{i} * clique_->columns();
      if (i < members_ || (i == clique_->members && !is_out(i)))
        *value += *std::max_element(row, row + clique_->width(i));
    }
    return finish(limits);
  }
  weaken();
  *value = bound_within(limits, found) * strength_;
  if (*found)
    spread_present(shown.data(), 1, -1);
  return finish(limits);
}

// bound() after weaken(): returns the bound for the divided scores, the maximum over the values of
// the centre if there is one. Plus infinity if the room does not suffice, on failure, or if
// interrupted.
double CliqueProgram::bound_within(Limits &limits, bool *found) noexcept {
  const std::int32_t n = members_;
  double best = kForbidden;
  double best_score = kForbidden;
  const double *from_centre =
      incoming.data() + std::int64_t{clique_->members} * clique_->columns();
  for (std::int32_t c = 0; c < std::max(clique_->centre_values(), 1); ++c) {
    const double own = clique_->centred() ? from_centre[c] : 0.0;
    if (own == kForbidden)
      continue;
    const Potential &potential = clique_->potential_at(c);
    double bound = n > 0 ? 0 : potential.evaluate_empty(0);
    double score = bound;
    if (n > 0) {
      CliqueTask task = task_for(potential, Use::bound);
      task.problem.scores.data = incoming.data();
      // For a centred clique, the assignment goes to candidate_ first, since the assignment for
      // another value of the centre may be better.
      task.assignment = span_of(clique_->centred() ? candidate_ : shown.data(), n);
      if (!fits(task)) {
        *found = false;
        return kInfinity;
      }
      const CliqueAnswer answer = compute(task, limits, room_);
      note(answer.failure);
      if (failure != RunFailure::none || limits.interruption() != Interruption::none)
        return kInfinity;
      bound = answer.upper_bound;
      score = answer.member_score == kForbidden ? kForbidden : answer.score();
    }
    if (score > kForbidden && score + own > best_score) {
      best_score = score + own;
      *found = true;
      if (clique_->centred()) {
        std::copy_n(candidate_, n, shown.data());
        shown.data()[clique_->members] = c;
      }
    }
    best = std::max(best, bound + own);
  }
  return best;
}

double clique_score(const Clique &clique, double strength, gsl::span<std::int64_t> counts,
                    std::int32_t centre, CallbackFailure *failure) noexcept {
  *failure = CallbackFailure::none;
  if (clique.centred() ? centre < 0 : clique.total() == 0)
    return 0;
  return scale_score(
      evaluate_counted(clique.potential_at(centre), counts, clique.total(), failure), strength);
}

} // namespace chorale
