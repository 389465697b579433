// Checks of the arguments with which a potential is used: the number of members, strengths, counts
// and weights of members. Also callback_status(), which reports that a callback failed, and
// score_counts().
#pragma once

#include "base/array.hpp"
#include "base/report.hpp"
#include "base/span.hpp"
#include "potential/rescale.hpp"

#include <gsl/gsl>

namespace chorale {

// Checks that the tables of the potential are long enough for this number of members. `name`:
// texts that together name the potential.
template <class... Name>
chorale_status check_tables_serve(const Report &report, const Potential &potential,
                                  std::int64_t members, const Name &...name) noexcept {
  if (members > potential.members_limit())
    return report.fail(CHORALE_ERROR_TABLE_TOO_SHORT, name..., " has tables of ",
                       potential.table_length, " entries; they must have at least ",
                       static_cast<std::uint64_t>(members) + 1, ", for counts 0 to ", members);
  return CHORALE_OK;
}

// Checks a strength: a finite factor >= 0 that keeps all numbers in the range of scores.
inline chorale_status check_factor(const Report &report, std::string_view name, double factor,
                                   const Potential &potential) noexcept {
  if (!std::isfinite(factor))
    return check_finite(report, name, factor);
  if (factor < 0)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", factor, "; it must be at least 0");
  if (!may_rescale(potential, factor))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", factor,
                       "; for this potential it must be at most ", greatest_factor(potential));
  return CHORALE_OK;
}

// Checks the counts of the values (R): each must be in 0 .. members, and their sum must be
// `members`.
inline chorale_status check_counts(const Report &report, gsl::span<const std::int64_t> counts,
                                   std::int64_t members) noexcept {
  CHORALE_CHECK(check_size(report, "members", members, 0));
  std::int64_t total = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    if (counts[v] < 0 || counts[v] > members)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "counts[", v, "] is ", counts[v],
                         "; it must be from 0 to members = ", members);
    total += counts[v];
  }
  if (total != members)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "counts sum to ", total,
                       "; they must sum to members = ", members);
  return CHORALE_OK;
}

// Checks the weights of the members of a clique: each must be at least 1, and their sum at most
// kLargestSize. Writes the sum to `total`. Error messages refer to weights[i] as entry first + i of
// the argument `name`.
inline chorale_status check_weights(const Report &report, std::string_view name,
                                    gsl::span<const std::int64_t> weights, std::int64_t first,
                                    std::int64_t &total) noexcept {
  total = 0;
  std::int64_t at = first;
  for (const std::int64_t weight : weights) {
    if (weight < 1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, "[", at, "] is ", weight,
                         "; it must be at least 1");
    if (weight > kLargestSize - total)
      return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, "[", at, "] is ", weight,
                         "; the weights of a clique must add up to at most ", kLargestSize);
    total += weight;
    ++at;
  }
  return CHORALE_OK;
}

// Writes to an error message the counts with which a callback was called (at most kShown of those
// that are not 0) and the number of members.
inline TextWriter &operator<<(TextWriter &to, const CallbackFailure &failure) noexcept {
  for (std::int32_t k = 0; k < failure.shown; ++k)
    to << (k == 0 ? "" : ", ") << failure.counts[k] << " of value " << failure.values[k];
  return to << (failure.more ? " and others" : "") << ", among " << failure.members << " members";
}

// Reports that the callback of a potential failed, and returns the status; CHORALE_OK if `failure`
// is `none`. clique: the number of the clique, for the message; -1: the message names no clique,
// since the call is about a single potential or clique.
inline chorale_status callback_status(const Report &report, const CallbackFailure &failure,
                                      std::int64_t clique = -1) noexcept {
  if (failure == CallbackFailure::none)
    return CHORALE_OK;
  char of_clique[40];
  TextWriter place(of_clique, sizeof of_clique);
  if (clique >= 0)
    place << " of clique " << clique;
  char gave[40];
  TextWriter score(gave, sizeof gave);
  if (std::isnan(failure.score))
    score << "NaN";
  else if (std::isinf(failure.score))
    score << "plus infinity";
  else
    score << failure.score;
  if (failure.kind == CallbackFailure::Kind::stopped)
    return report.fail(CHORALE_ERROR_CALLBACK_STOPPED, "the potential's callback returned non-zero "
                       "for the counts", std::string_view(of_clique), ": ", failure,
                       "; so it asked to stop");
  return report.fail(CHORALE_ERROR_CALLBACK_VALUE, "the potential's callback gave ",
                     std::string_view(gave), " for the counts", std::string_view(of_clique), ": ", failure,
                     "; it must give a number or minus infinity, also after scaling of magnitude "
                     "at most ", kLargestAnswer);
}

// Writes to `score` what the potential gives for `counts`, which has one entry for each value. A
// callback gets count 0 for uncounted values. Fails, and writes nothing, if the callback fails or
// memory runs out.
inline chorale_status score_counts(const Report &report, const Potential &potential,
                                   const std::int64_t *counts, std::int64_t members,
                                   double &score) noexcept {
  const bool masks = potential.callback && potential.mask;
  Array<std::int64_t> masked(potential.memory);
  if (masks && !masked.resize(potential.values))
    return report.out_of_memory();
  for (std::int32_t v = 0; masks && v < potential.values; ++v)
    masked[v] = potential.counts(v) ? counts[v] : 0;
  CallbackFailure failure = CallbackFailure::none;
  const double found = potential.evaluate(
      span_of(masks ? masked.begin() : counts, potential.values), members, &failure);
  CHORALE_CHECK(callback_status(report, failure));
  score = found;
  return CHORALE_OK;
}

} // namespace chorale
