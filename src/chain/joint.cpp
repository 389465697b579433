// joint.hpp explains the words used here.
#include "chain/joint.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>
#include <new>

namespace chorale {
namespace {

std::int64_t limited_product(std::int64_t a, std::int64_t b) noexcept {
  return a > INT32_MAX / std::max<std::int64_t>(b, 1) ? INT32_MAX : a * b;
}

} // namespace

// Computes the plan from sizes alone. The bit field of a property in a key is wide enough for its
// codes in any role. plan.most bounds the number of combinations of codes in one run, in which at
// most one property has the role `outgoing`.
JointPlan Joint::plan() const noexcept {
  JointPlan plan;
  const bool tree = view_.parents != nullptr;
  const Role others = absorbs() ? Role::absorbed_required : Role::paid;
  std::int64_t all = 1;
  // Greatest ratio, over the properties, of the number of codes in the role `outgoing` to the
  // number in the role `others`.
  std::int64_t widest = 1;
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    Layout measure;
    const BoundProperty property(measure, attachments_.at(k), tree);
    const std::int64_t tracked = property.code_limit(Role::outgoing);
    const std::int64_t other = property.code_limit(others);
    plan.keys.add(use_ == JointUse::messages ? std::max(other, tracked) : other);
    if (tree)
      plan.firing_keys.add(tracked);
    all = limited_product(all, other);
    widest = std::max(widest, (tracked + other - 1) / other);
  }
  plan.most = use_ == JointUse::messages ? limited_product(all, widest) : all;
  const std::int32_t asked =
      options_.mode == CHORALE_JOINT_BEAM ? options_.beam_width : options_.budget;
  // The message of one property alone is always exact, whatever the budget.
  plan.width = is_single_message()
                   ? static_cast<std::int32_t>(plan.most)
                   : static_cast<std::int32_t>(std::min<std::int64_t>(plan.most, asked));
  return plan;
}

Joint::Joint(Layout &layout, const ChainView &view, const Attachments &attachments,
             const JointOptions &options, JointUse use, BoundTables *shared) noexcept
    : view_(view), attachments_(attachments), options_(options), use_(use), plan_(plan()),
      scores_(layout, view), properties_(layout.take<BoundProperty>(attachments.count)),
      fields_(layout.take<KeyField>(attachments.count)) {
  const bool tree = view.parents != nullptr;
  KeyLayout keys;
  std::size_t longest = 0;
  for (std::int32_t k = 0; k < attachments.count; ++k) {
    BoundTables *tables = shared && !layout.measuring() ? shared + k : shared;
    const BoundProperty property(layout, attachments.at(k), tree, tables);
    const std::int64_t tracked = property.code_limit(Role::outgoing);
    const std::int64_t other =
        property.code_limit(absorbs() ? Role::absorbed_required : Role::paid);
    const KeyField field = keys.add(use == JointUse::messages ? std::max(other, tracked) : other);
    longest = std::max(longest, static_cast<std::size_t>(tracked));
    if (!layout.measuring()) {
      new (properties_ + k) BoundProperty(property);
      fields_[k] = field;
    }
  }
  if (use == JointUse::decoding)
    labelling = layout.take_span<std::int32_t>(view.length);
  else if (use == JointUse::messages)
    message_ = layout.take_span<double>(longest);
  lower_ = layout.take_span<double>(longest + 1);
  first_ = layout.take_span<std::int32_t>(view.length);
  if (!fits())
    return;
  if (tree)
    tree_.emplace(layout, view, plan_.keys, plan_.firing_keys, attachments.count, plan_.most,
                  plan_.width, static_cast<std::int64_t>(longest), use == JointUse::decoding);
  else if (is_single_message())
    single_.emplace(layout, view, plan_.most);
  else
    chain_.emplace(layout, view, plan_.keys, attachments.count, plan_.most, plan_.width,
                   static_cast<std::int64_t>(longest), use);
}

void Joint::prepare(Limits *limits) noexcept {
  bool goes_on = scores_.load(limits);
  for (std::int32_t k = 0; k < attachments_.count && goes_on; ++k)
    goes_on = properties_[k].bind(view_.all_parents(), scores_.limits());
}

void Joint::assign(std::int32_t outgoing) noexcept {
  for (std::int32_t k = 0; k < attachments_.count; ++k)
    properties_[k].assign(k == outgoing ? Role::outgoing : absorbs() ? Role::absorbed : Role::paid);
}

double Joint::run(std::int32_t outgoing, gsl::span<double> message, gsl::span<const double> lower,
                  gsl::span<std::int32_t> to, std::int32_t width, JointOutcome &outcome) noexcept {
  const bool is_exact = width == 0 && may_overflow();
  const JointLimits limits{width == 0 ? plan_.width : width, is_exact || is_single_message()};
  return tree_ ? tree_->run(scores_, properties(), fields(), limits, outgoing, message, to, nullptr,
                            outcome)
               : chain_->run(scores_, properties(), fields(), limits, outgoing, message, lower, to,
                             outcome);
}

// Returns the score that decoding maximises, for a given labelling: phi (the score of the chain or
// tree alone) plus ChainView::added plus the message score of each property's value. Minus infinity
// if a value fires that is outside a dictionary without OUT, or if interrupted.
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

// Runs the program once for a tree, if properties are absorbed, and for the message of the only
// property. Otherwise a run with a narrow beam comes first. If this beam drops nothing, its result
// is exact. If it drops something, the scores that it attains are lower bounds, by which a run with
// the full width prunes partial labellings.
double Joint::run_bounded(std::int32_t outgoing, gsl::span<double> message,
                          gsl::span<std::int32_t> to, JointOutcome &outcome) noexcept {
  if (is_interrupted())
    return kForbidden;
  assign(outgoing);
  if (single_)
    return single_->run(scores_, properties_[0], message, outcome.most);
  if (tree_ || absorbs())
    return run(outgoing, message, {}, to, 0, outcome);
  const bool decodes = outgoing < 0;
  const std::int32_t entries = decodes ? 1 : properties_[outgoing].local_count + 2;
  if (!chain_->guide(scores_, first_)) {
    if (!decodes)
      std::fill_n(message.data(), entries, kForbidden);
    return kForbidden;
  }
  const gsl::span<double> lower = lower_.first(to_size(entries));
  constexpr std::int32_t kNarrow = 16;
  const std::int32_t narrow = std::min(kNarrow, plan_.width);
  double own = kForbidden;
  if (decodes)
    own = lower[0] = value_of(first_);
  JointOutcome attempt;
  double best = run(outgoing, message, decodes ? lower : gsl::span<double>(), to, narrow, attempt);
  if (is_interrupted())
    return kForbidden;
  outcome.most = std::max(outcome.most, attempt.most);
  if (!attempt.pruned) {
    // Nothing was dropped: the result is exact up to rounding, which the end of this function
    // allows for.
  } else if (plan_.width == narrow && options_.mode != CHORALE_JOINT_EXACT) {
    outcome.pruned = true;
  } else if (decodes) {
    lower[0] = std::max(own, best);
    if (best > own) {
      std::copy_n(to.data(), view_.length, first_.data());
      own = best;
    }
    best = run(outgoing, {}, lower, to, 0, outcome);
  } else {
    double *sent = message.data();
    const double *attained = lower.data();
    std::copy_n(sent, entries, lower.data());
    best = run(outgoing, message, lower, {}, 0, outcome);
    for (std::int32_t v = 0; v < entries && !outcome.overflow; ++v)
      sent[v] = std::max(sent[v], attained[v]);
  }
  if (is_interrupted())
    return kForbidden;
  // `own` is the score of the best labelling known before the full run. The full run may miss this
  // labelling: a beam may have dropped it or, where large messages cancel, rounding may have pruned
  // it.
  if (decodes && !outcome.overflow && own > best) {
    std::copy_n(first_.data(), view_.length, to.data());
    best = own;
  }
  return best;
}

void Joint::send(gsl::span<double *const> outgoing, JointSummary &summary) noexcept {
  Expects(outgoing.size() >= to_size(attachments_.count));
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    double *to = outgoing.data()[k];
    if (!to)
      continue;
    summary.score = std::max(summary.score, run_bounded(k, message_, {}, summary.outcome));
    if (summary.outcome.overflow || is_interrupted())
      return;
    const BoundProperty &property = properties_[k];
    const std::int32_t values = property.attached.values();
    const double *sent = message_.data();
    std::fill_n(to, values, kForbidden);
    for (std::int32_t v = 0; v < property.local_count; ++v)
      to[property.numbers[v]] = sent[v];
    to[values] = sent[property.empty()];
    to[values + 1] = sent[property.conflict()];
  }
  summary.exact = !summary.outcome.pruned && !absorbs();
}

void Joint::decode(JointSummary &summary) noexcept {
  summary.score = run_bounded(-1, {}, labelling, summary.outcome);
  summary.exact = !summary.outcome.pruned && !absorbs();
}

void Joint::marginals(const Matrix<double> &to, JointSummary &summary) noexcept {
  if (is_interrupted())
    return;
  assign(-1);
  const JointLimits limits{plan_.width, may_overflow()};
  chain_->marginals(scores_, properties(), fields(), limits, nullptr, to, summary.outcome);
}

void Joint::assign_for_sums() noexcept {
  assign(-1);
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    BoundProperty &property = properties_[k];
    if (property.role != Role::absorbed_required)
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
  chain_->marginals(scores_, properties(), fields(),
                    {plan_.width, options_.mode != CHORALE_JOINT_BEAM}, &sums, to, summary.outcome);
  summary.lost = chain_->lost();
  summary.exact = !absorbs() && summary.lost == 0;
}

void Joint::sum(const LogSums &sums, JointSummary &summary) noexcept {
  if (is_interrupted())
    return;
  assign_for_sums();
  summary.score = tree_->run(scores_, properties(), fields(), {plan_.width, true}, -1, {}, {},
                             &sums, summary.outcome);
  summary.exact = !absorbs();
}

} // namespace chorale
