// The functions of Joint that compute the messages of all properties in one pass (joint.hpp).
//
// To compute messages, every property has the role outgoing, so its message is added to a labelling
// when the labelling is complete, and the rows of the last position give the best score of each
// combination of values. A pass that only decodes gives all properties the role paid.
#include "chain/joint.hpp"

#include <algorithm>

namespace chorale {

bool Joint::guide() noexcept {
  std::fill_n(attained_, attachments_.count + 1, kForbidden);
  std::fill_n(steady_.data, steady_.rows * steady_.columns, 0.0);
  best_ = kForbidden;
  return !is_interrupted() && chain_->guide(scores_, labelling);
}

std::int32_t Joint::column(std::int32_t k, std::int32_t entry) const noexcept {
  const BoundProperty &property = properties_[k];
  return entry < property.local_count
             ? property.numbers[entry]
             : property.attached.values() + (entry - property.local_count);
}

// Writes the local values that a labelling shows to values_. `shown`: as in offer(). False if the
// labelling fires a value outside a dictionary without UNLISTED, which forbids it.
bool Joint::read_values(gsl::span<const std::int32_t> labels,
                        gsl::span<const std::int32_t> shown) noexcept {
  for (std::int32_t k = 0; k < attachments_.count; ++k) {
    const BoundProperty &property = properties_[k];
    const std::int32_t value = shown.data()[k];
    const std::int32_t beyond = value - property.attached.values();
    if (value < 0 || (property.watches_conflicts() && property.attached.fires_outside(labels, {})))
      return false;
    const std::int32_t *end = property.numbers + property.local_count;
    values_[k] = beyond >= 0 ? property.local_count + beyond
                             : static_cast<std::int32_t>(std::lower_bound<const std::int32_t *>(
                                                             property.numbers, end, value) -
                                                         property.numbers);
  }
  return true;
}

bool Joint::offer(gsl::span<const std::int32_t> labels, double score,
                  gsl::span<const std::int32_t> shown) noexcept {
  const std::int32_t count = attachments_.count;
  Expects(labels.size() >= to_size(view_.length) && shown.size() >= to_size(count));
  for (std::int32_t t = 0; t < view_.length && view_.limits_labels(); ++t)
    if (!view_.allows(t, labels.data()[t]))
      return false;
  if (!read_values(labels, shown))
    return false;
  bool is_best = false;
  for (std::int32_t but = 0; but <= count; ++but) {
    double total = score;
    for (std::int32_t k = 0; k < count; ++k)
      total += (k == but ? steady_.row(k).data() : properties_[k].message)[values_[k]];
    is_best = total > kForbidden && total >= attained_[but];
    attained_[but] = std::max(attained_[but], total);
  }
  return is_best;
}

bool Joint::reach(gsl::span<const double> reaches) noexcept {
  const std::int32_t count = attachments_.count;
  JointOutcome outcome;
  if (reaches.empty()) {
    assign(-1);
    best_ = std::max(offered(), run({labelling, {}, offered(), {}}, plan_.width, true, outcome));
    traced_ = best_;
    return !outcome.overflow && !is_interrupted();
  }
  Expects(reaches.size() >= to_size(count));
  const double *reach = reaches.data();
  for (std::int32_t k = 0; k < count; ++k) {
    properties_[k].assign(Role::outgoing);
    for (std::int32_t v = 0; v < entries(k); ++v)
      slack_.row(k).data()[v] = steady(k).data()[v] + reach[k] - attained_[k];
  }
  traced_ = kForbidden;
  best_ = std::max(offered(), run({{}, messages_, offered(), slack_}, plan_.width, true, outcome));
  if (outcome.overflow || is_interrupted())
    return false;
  for (std::int32_t k = 0; k < count; ++k) {
    double *to = messages_.row(k).data();
    const double *added = steady(k).data();
    double most = attained_[k];
    for (std::int32_t v = 0; v < entries(k); ++v)
      most = std::max(most, to[v] + added[v]);
    for (std::int32_t v = 0; v < entries(k); ++v)
      to[v] = std::max(to[v], most - reach[k] - added[v]);
  }
  return true;
}

bool Joint::trace() noexcept {
  JointOutcome outcome;
  if (traced_ == kForbidden) {
    assign(-1);
    traced_ = run({labelling, {}, best_, {}}, plan_.width, true, outcome);
  }
  return traced_ > kForbidden && !outcome.overflow && !is_interrupted();
}

} // namespace chorale
