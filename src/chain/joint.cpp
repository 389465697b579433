// joint.hpp explains the words used here.
#include "chain/joint.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>
#include <functional>
#include <new>

namespace chorale {
namespace {

std::int64_t limited_product(std::int64_t a, std::int64_t b) noexcept {
  return a > INT32_MAX / std::max<std::int64_t>(b, 1) ? INT32_MAX : a * b;
}

// Greatest number of configurations of reach() at one position: kReachRowScores / m, but at least
// kFewestReachRows and at most kMostReachRows.
constexpr std::int64_t kReachRowScores = std::int64_t{1} << 17;
constexpr std::int64_t kFewestReachRows = 2048;
constexpr std::int64_t kMostReachRows = 8192;

} // namespace

// plan_.most bounds the number of combinations of codes in one run. If properties have local
// scores, at most one has the role `outgoing`; otherwise this role has as many codes as `paid`.
Joint::Joint(Layout &layout, const ChainView &view, const Attachments &attachments,
             const JointOptions &options, JointUse use, BoundTables *shared) noexcept
    : view_(view), attachments_(attachments), options_(options), use_(use), scores_(layout, view),
      properties_(layout.take<BoundProperty>(attachments.count)) {
  const bool tree = view.parents != nullptr;
  const Role others = is_local() ? Role::local_required : Role::paid;
  // Greater than every code in any role; so also at least the number of entries of a message, by
  // local value.
  std::int64_t longest = 0;
  // Greatest ratio, over the properties, of the number of codes in the role `outgoing` to the
  // number in the role `others`.
  std::int64_t widest = 1;
  for (std::int32_t k = 0; k < attachments.count; ++k) {
    BoundTables *tables = shared && !layout.measuring() ? shared + k : shared;
    const BoundProperty property(layout, attachments.at(k), tree, tables);
    const std::int64_t tracked = property.code_limit(Role::outgoing);
    const std::int64_t other = property.code_limit(others);
    plan_.most = limited_product(plan_.most, other);
    longest = std::max(longest, tracked);
    widest = std::max(widest, (tracked + other - 1) / other);
    if (!layout.measuring())
      new (properties_ + k) BoundProperty(property);
  }
  if (has_messages())
    plan_.most = limited_product(plan_.most, widest);
  std::int64_t asked = options.mode == CHORALE_JOINT_BEAM ? options.beam_width : options.budget;
  if (use == JointUse::reach)
    asked = std::clamp(kReachRowScores / view.labels, kFewestReachRows, kMostReachRows);
  // The message of one property alone is always exact, whatever the budget.
  plan_.width = static_cast<std::int32_t>(
      is_single_message() ? plan_.most : std::min<std::int64_t>(plan_.most, asked));
  const auto take_rows = [&](Matrix<double> &to) {
    const std::size_t rows = to_size(attachments.count);
    to = matrix_of(layout.take<double>(saturating_product(rows, to_size(longest))),
                   attachments.count, longest);
  };
  if (decodes(use))
    labelling = layout.take_span<std::int32_t>(view.length);
  if (has_messages()) {
    take_rows(messages_);
    take_rows(slack_);
  }
  if (use == JointUse::reach) {
    take_rows(steady_);
    attained_ = layout.take<double>(attachments.count + 1);
    values_ = layout.take<std::int32_t>(attachments.count);
  }
  first_ = layout.take_span<std::int32_t>(view.length);
  if (tree)
    tree_.emplace(layout, view, attachments.count, plan_.most, plan_.width, longest,
                  use == JointUse::decoding);
  else if (is_single_message())
    single_.emplace(layout, view, plan_.most);
  else
    chain_.emplace(layout, view, attachments.count, plan_.most, plan_.width, longest,
                   use);
}

void Joint::prepare(Limits *limits) noexcept {
  bool goes_on = scores_.load(limits);
  for (std::int32_t k = 0; k < attachments_.count && goes_on; ++k)
    goes_on = properties_[k].bind(view_.all_parents(), scores_.limits());
}

void Joint::assign(std::int32_t outgoing) noexcept {
  for (std::int32_t k = 0; k < attachments_.count; ++k)
    properties_[k].assign(k == outgoing ? Role::outgoing : is_local() ? Role::local : Role::paid);
}

double Joint::run(const JointTargets &targets, std::int32_t width, bool is_exact,
                  JointOutcome &outcome) noexcept {
  const JointLimits limits{width, is_exact};
  return tree_ ? tree_->run(scores_, properties(), limits, targets, nullptr, outcome)
               : chain_->run(scores_, properties(), limits, targets, outcome);
}

// Returns the score that decoding maximises, for a given labelling: phi (the score of the chain or
// tree alone) plus ChainView::added plus the message score of each property's value. Minus infinity
// if the labelling is forbidden (also by a value that fires outside a dictionary without UNLISTED),
// or if interrupted.
double Joint::value_of(gsl::span<const std::int32_t> labels) noexcept {
  if (!scores_.spend(8 * std::int64_t{view_.length}))
    return kForbidden;
  double total = view_.score(labels);
  const std::int32_t *label_at = labels.data();
  if (view_.added)
    for (std::int64_t t = 0; t < view_.length; ++t)
      total += view_.added[t * view_.labels + label_at[t]];
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    if (!scores_.spend(8 * std::int64_t{view_.length}))
      return kForbidden;
    const Attached attached = attachments_.at(k);
    if (attached.fires_outside(labels, view_.all_parents()))
      return kForbidden;
    const std::int32_t shown = attached.evaluate(labels, view_.all_parents());
    total += attached.message ? attached.message[shown] : 0.0;
  }
  return total;
}

// Runs the program once for a tree, if properties have local scores, and for the message of the
// only property. Otherwise a run with a narrow beam comes first. If this beam drops nothing, its
// result is exact. If it drops something, the scores that it attains are lower bounds, by which a
// run with the full width drops partial labellings; if the full width is no greater, the result of
// the narrow beam stays, except in the mode EXACT. `outgoing`: the property whose message is
// computed; -1: decodes, and returns the best score, or minus infinity if interrupted.
double Joint::run_bounded(std::int32_t outgoing, JointOutcome &outcome) noexcept {
  if (is_interrupted())
    return kForbidden;
  assign(outgoing);
  if (single_)
    return single_->run(scores_, properties_[0], messages_.row(0), outcome.most);
  JointTargets targets{labelling, messages_, kForbidden, slack_};
  if (tree_ || is_local())
    return run(targets, plan_.width, may_overflow() || is_single_message(), outcome);
  const bool decodes = outgoing < 0;
  const auto sent = decodes ? gsl::span<double>()
                            : messages_.row(outgoing).first(to_size(entries(outgoing)));
  std::fill_n(sent.data(), sent.size(), kForbidden);
  if (!chain_->guide(scores_, first_))
    return kForbidden;
  constexpr std::int32_t kNarrow = 16;
  const std::int32_t narrow = std::min(kNarrow, plan_.width);
  double own = kForbidden;
  if (decodes)
    own = targets.lower = value_of(first_);
  JointOutcome attempt;
  double best = run(targets, narrow, false, attempt);
  if (is_interrupted())
    return kForbidden;
  outcome.most = std::max(outcome.most, attempt.most);
  if (!attempt.pruned) {
    // Nothing was dropped: the result is exact up to rounding, which the end of this function
    // allows for.
  } else if (plan_.width == narrow && options_.mode != CHORALE_JOINT_EXACT) {
    outcome.pruned = true;
  } else if (decodes) {
    if (best > own) {
      std::copy_n(labelling.data(), view_.length, first_.data());
      own = targets.lower = best;
    }
    best = run(targets, plan_.width, may_overflow(), outcome);
  } else {
    double *slack = slack_.row(outgoing).data();
    std::transform(sent.data(), sent.data() + sent.size(), slack, std::negate<>());
    targets.lower = kInfinity;
    run(targets, plan_.width, may_overflow(), outcome);
    for (std::size_t v = 0; v < sent.size() && !outcome.overflow; ++v)
      sent.data()[v] = std::max(sent.data()[v], -slack[v]);
  }
  if (is_interrupted())
    return kForbidden;
  // `own` is the score of the best labelling known before the full run. The full run may miss this
  // labelling: a beam may have dropped it or, where large messages cancel, rounding may have
  // dropped it.
  if (decodes && !outcome.overflow && own > best) {
    std::copy_n(first_.data(), view_.length, labelling.data());
    best = own;
  }
  return best;
}

void Joint::write_message(std::int32_t k, gsl::span<double> row) const noexcept {
  const BoundProperty &property = properties_[k];
  const std::int32_t values = property.attached.values();
  Expects(row.size() >= to_size(values + 2));
  double *to = row.data();
  const double *sent = messages_.row(k).data();
  std::fill_n(to, values, kForbidden);
  for (std::int32_t v = 0; v < property.entries(); ++v)
    to[column(k, v)] = sent[v];
}

void Joint::send(gsl::span<double *const> outgoing, JointSummary &summary) noexcept {
  Expects(outgoing.size() >= to_size(attachments_.count));
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    double *to = outgoing.data()[k];
    if (!to)
      continue;
    run_bounded(k, summary.outcome);
    if (summary.outcome.overflow || is_interrupted())
      return;
    summary.score =
        std::max(summary.score, greatest(messages_.row(k).first(to_size(entries(k)))));
    write_message(k, {to, to_size(properties_[k].attached.values() + 2)});
  }
  summary.exact = !summary.outcome.pruned && !is_local();
}

void Joint::decode(JointSummary &summary) noexcept {
  summary.score = run_bounded(-1, summary.outcome);
  summary.exact = !summary.outcome.pruned && !is_local();
}

void Joint::marginals(const Matrix<double> &to, JointSummary &summary) noexcept {
  if (is_interrupted())
    return;
  assign(-1);
  const JointLimits limits{plan_.width, may_overflow()};
  chain_->marginals(scores_, properties(), limits, nullptr, to, summary.outcome);
}

void Joint::assign_for_sums() noexcept {
  assign(-1);
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    BoundProperty &property = properties_[k];
    if (property.role != Role::local_required)
      continue;
    const Attached &attached = property.attached;
    const double most = greatest(span_of(attached.message, attached.values()));
    for (std::int32_t v = 0; v < property.local_count && most > kForbidden; ++v)
      property.message[v] -= most;
  }
}

void Joint::sums(const LogSums &sums, const Matrix<double> &to, JointSummary &summary) noexcept {
  if (is_interrupted())
    return;
  assign_for_sums();
  chain_->marginals(scores_, properties(),
                    {plan_.width, options_.mode != CHORALE_JOINT_BEAM}, &sums, to, summary.outcome);
  summary.lost = chain_->lost();
  summary.exact = !is_local() && summary.lost == 0;
}

void Joint::sum(const LogSums &sums, JointSummary &summary) noexcept {
  if (is_interrupted())
    return;
  assign_for_sums();
  summary.score = tree_->run(scores_, properties(), {plan_.width, true}, {}, &sums,
                             summary.outcome);
  summary.exact = !is_local();
}

} // namespace chorale
