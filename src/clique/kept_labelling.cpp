// kept_labelling.hpp explains the words used here.
#include "clique/kept_labelling.hpp"

#include "potential/member_row.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

// Time between two scorings, as a multiple of the time that the last scoring took.
constexpr std::int64_t kPause = 4;

} // namespace

KeptLabelling::KeptLabelling(Layout &layout, const Instance &instance, bool large) noexcept
    : instance_(&instance), source_(instance.potential.source),
      counts_(layout.take_span<std::int64_t>(source_->values)) {
  if (!large)
    return;
  values_ = layout.take_span<std::int32_t>(instance.members);
  spare_ = layout.take_span<std::int32_t>(instance.members);
}

std::int32_t KeptLabelling::best_column(std::int64_t i) const noexcept {
  const Instance &in = *instance_;
  const std::int32_t best = in.best[i];
  const std::int32_t rest = in.potential.rest;
  return rest >= 0 && in.score(i, rest) == in.best_score[i] &&
                 in.value_of(i, rest) < in.value_of(i, best)
             ? rest
             : best;
}

template <class Limits_>
bool KeptLabelling::rate(Limits_ &&limits, gsl::span<const std::int32_t> assignment,
                         gsl::span<std::int32_t> values, Rated &to) noexcept {
  const Instance &in = *instance_;
  Expects(assignment.empty() || assignment.size() >= to_size(in.members));
  Expects(values.empty() || values.size() >= to_size(in.members));
  const std::int32_t *const x = assignment.data();
  std::int32_t *const to_values = values.data();
  std::int64_t *const counts = counts_.data();
  std::fill(counts, counts + source_->values, 0);
  MeasuredSum members;
  if (!in_stretches(limits, in.members, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int32_t column = x ? x[i] : best_column(i);
          members.add(in.score(i, column));
          const std::int32_t value = in.value_of(i, column);
          if (to_values)
            to_values[i] = value;
          counts[value] += in.weight(i);
        }
      }))
    return false;
  to.member_score = members.total;
  to.clique_score = evaluate_counted(*source_, counts_, in.potential.members, &failure_);
  to.magnitude = members.magnitude + magnitude_of(to.clique_score);
  return true;
}
template bool KeptLabelling::rate(Limits &, gsl::span<const std::int32_t>, gsl::span<std::int32_t>,
                                  Rated &) noexcept;
template bool KeptLabelling::rate(NoLimits &&, gsl::span<const std::int32_t>,
                                  gsl::span<std::int32_t>, Rated &) noexcept;

bool KeptLabelling::begin(Limits &limits) noexcept {
  rated_ = {};
  if (!rate(limits, {}, values_, rated_))
    return false;
  limits_ = &limits;
  offered_ = rated_.score();
  due_ = 0;
  return true;
}

bool KeptLabelling::take(Limits &limits, gsl::span<const std::int32_t> assignment, double score,
                         bool anyway) noexcept {
  const std::int64_t looks = limits_->looks();
  Rated rated;
  if (!rate(limits, assignment, spare_, rated))
    return false;
  due_ = limits_->looks() + kPause * (limits_->looks() - looks);
  offered_ = score;
  if (anyway || rated.score() > rated_.score()) {
    rated_ = rated;
    std::swap(values_, spare_);
  }
  return true;
}

} // namespace chorale
