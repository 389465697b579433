#include "cluster/run/message_unit.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// At most kSamples positions, evenly spaced over the model, are sampled, and at most kScores scores
// are read.
constexpr std::int64_t kSamples = 1024;
constexpr std::int64_t kScores = 1 << 20;
// The unit is near the quantile 1 / kUnitParts of the sampled differences. So huge differences,
// from scores that stand for "never", do not affect the unit even if most positions have them.
constexpr std::int64_t kUnitParts = 4;
// Limits the exponent of the unit, so that the unit and its inverse are normal doubles.
constexpr int kLargestExponent = 1000;

// Returns the greatest unary score of a position minus the second greatest. If the two are equal or
// only one score is above minus infinity, returns the absolute value of the greatest score; 0 if none
// is.
double lead_at(const ChainView &view, std::int32_t t) noexcept {
  TwoBest top;
  for (std::int32_t y = 0; y < view.labels; ++y)
    top.add(view.unary_at(t, y));
  return top.first > top.second && top.second > kForbidden ? top.margin()
                                                           : magnitude_of(top.first);
}

// Returns the absolute value of a number of the potential: lambda, or if lambda is 0, the strength
// times the first finite nonzero entry of its tables or its matrix. Returns 0 if none of the first
// `left` entries is such an entry. Reduces `left` by about the number of entries read.
double first_number(const Potential &p, std::int64_t &left) noexcept {
  --left;
  if (p.lambda != 0)
    return std::fabs(p.lambda);
  const std::int64_t R = p.values;
  const bool is_square = p.family == Form::majority || p.family == Form::pairs;
  const bool has_tables = p.source == TableSource::stored || p.source == TableSource::cardinality;
  const std::int64_t count = is_square ? R * R : has_tables ? p.table_count * p.table_length : 0;
  for (std::int64_t k = 0; k < count && left > 0; ++k, --left)
    if (p.numbers[k] != 0 && is_finite_score(p.numbers[k]))
      return std::fabs(p.numbers[k]) * p.strength;
  return 0;
}

} // namespace

double message_unit(const Model &model, const Inputs &inputs) noexcept {
  std::int16_t exponents[kSamples];
  std::int64_t count = 0;
  const auto add = [&](double number) {
    if (number > 0)
      exponents[count++] = static_cast<std::int16_t>(std::ilogb(number));
  };
  const std::int64_t sites = model.label_count;
  const std::int64_t samples =
      std::min({sites, kSamples, std::max<std::int64_t>(kScores / model.most_labels, 1)});
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t site = k * sites / samples;
    const std::int32_t number = model.chain_at(static_cast<std::int32_t>(site));
    const Chain chain = model.chains[number];
    if (!chain.is_instance)
      add(lead_at(inputs.view_of(number), static_cast<std::int32_t>(site - chain.first_label)));
  }
  std::int64_t left = kScores;
  for (std::int64_t c = 0; count == 0 && c < model.cliques.size() && left > 0; ++c)
    add(first_number(model.cliques[c].potential_at(0), left));
  double unit = 1;
  if (count > 0) {
    std::int16_t *chosen = exponents + count / kUnitParts;
    std::nth_element(exponents, chosen, exponents + count);
    unit = std::scalbn(1.0, std::clamp<int>(*chosen, -kLargestExponent, kLargestExponent));
  }
  return unit;
}

} // namespace chorale
