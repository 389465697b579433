// Fits the temperature of probabilities: "temperature" in chorale/learn.h.
#include "learn/lessons.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/logarithm.hpp"

namespace chorale {
namespace {

// Temperatures are u * sqrt(2)^k, for k from -kStepsDown to kStepsUp, where u is the unit.
constexpr std::int32_t kStepsDown = 2;
constexpr std::int32_t kStepsUp = 6;
// Positions with a label at least this probable do not count.
constexpr double kSure = 0.95;
constexpr std::int64_t kUnsureChains = 128; // greatest number of chains that count
constexpr std::int32_t kUnsureShares = 8;   // parts of these chains, taken one after the other
// No further share is taken once this many positions count at the unit, divided among the lessons.
constexpr std::int64_t kEnoughUnsure = 1000;

} // namespace

chorale_status Lessons::fit_temperature(const Report &report, gsl::span<const double> theta,
                                        gsl::span<const std::int32_t> theta_of_group,
                                        double &found) noexcept {
  fits_temperature_ = true;
  for (Lesson *lesson : lessons_) {
    CHORALE_CHECK(label_lesson(report, *lesson, theta, theta_of_group, false));
    if (interrupted())
      return CHORALE_OK;
  }
  fits_temperature_ = false;
  const auto temperature = [this](double k) {
    return unit_ * natural_exp(k * std::numbers::ln2 / 2);
  };
  // Higher temperatures make the model less confident. So this goes up while it is too confident,
  // or down while it is not confident enough, and ends between the two last temperatures.
  double last = 0;
  CHORALE_CHECK(find_excess(report, unit_, true, last));
  const std::int32_t way = last > 0 ? 1 : -1;
  double k = 0;
  while (last * way > 0 && k * way < (way > 0 ? kStepsUp : kStepsDown)) {
    double next = 0;
    CHORALE_CHECK(find_excess(report, temperature(k + way), false, next));
    if (interrupted())
      return CHORALE_OK;
    k += next * way > 0 ? way : way * last / (last - next);
    last = next;
  }
  found = temperature(k);
  return CHORALE_OK;
}

// Takes the chosen chains share by share, each share spread over the lesson.
chorale_status Lessons::find_excess(const Report &report, double temperature, bool is_first,
                                    double &excess) noexcept {
  const std::int64_t nearest = (group_of_chain_.size() + kUnsureChains - 1) / kUnsureChains;
  const std::int64_t step = nearest * kUnsureShares;
  if (!confidence_.resize(groups()))
    return report.out_of_memory(to_size(groups()) * sizeof(Confidence));
  std::fill(confidence_.begin(), confidence_.end(), Confidence{});
  std::int64_t positions = 0;
  for (Lesson *lesson : lessons_) {
    const std::int64_t enough = positions + kEnoughUnsure / lessons_.size() + 1;
    lesson->shares = is_first ? kUnsureShares : lesson->shares;
    for (std::int32_t share = 0; share < lesson->shares; ++share) {
      // Of all chains of all lessons, share s has those with the numbers s * nearest + k * step.
      const std::int64_t from = share * nearest - lesson->first_chain % step;
      for (std::int64_t i = from < 0 ? from + step : from; i < lesson->model->chains.size();
           i += step) {
        CHORALE_CHECK(add_confidence(report, *lesson, i, temperature, positions));
        if (interrupted())
          return CHORALE_OK;
      }
      if (is_first && positions >= enough)
        lesson->shares = share + 1;
    }
  }
  excess = 0;
  if (positions == 0)
    return CHORALE_OK;
  const auto all = static_cast<double>(positions);
  for (const Confidence &group : confidence_)
    excess += group.excess / all;
  double squares = 0;
  for (const Confidence &group : confidence_) {
    const double more = (group.excess - excess * static_cast<double>(group.positions)) / all;
    squares += more * more;
  }
  excess += std::sqrt(squares);
  return CHORALE_OK;
}

// A chain whose probabilities cannot be computed adds nothing.
chorale_status Lessons::add_confidence(const Report &report, const Lesson &lesson, std::int64_t i,
                                       double temperature, std::int64_t &positions) noexcept {
  const std::int32_t *gold = gold_.begin() + chain_start(lesson, i);
  const std::int64_t length = lesson.model->chains[i].length;
  const std::int64_t m = lesson.model->chains[i].labels;
  if (std::count(gold, gold + length, -1) == length || !spend(64 + length * m * (8 + m)))
    return CHORALE_OK;
  if (!unary_.resize(std::max(unary_.size(), length * m)))
    return report.out_of_memory(to_size(length * m) * sizeof(double));
  chorale_error error;
  if (chorale_run_probabilities(lesson.earlier, i, temperature, unary_.begin(), 0, nullptr,
                                &error) != CHORALE_OK)
    return CHORALE_OK;
  Confidence &group = confidence_[group_of(lesson, i)];
  for (std::int64_t t = 0; t < length; ++t) {
    const double *row = unary_.begin() + t * m;
    const double *best = std::max_element(row, row + m);
    if (gold[t] < 0 || *best >= kSure)
      continue;
    group.excess += *best - (best == row + gold[t] ? 1 : 0);
    ++group.positions;
    ++positions;
  }
  return CHORALE_OK;
}

} // namespace chorale
