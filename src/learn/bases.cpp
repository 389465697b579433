#include "learn/bases.hpp"

#include "base/logarithm.hpp"
#include "potential/create.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Returns the column with the highest count; the first such column if there are several.
std::int32_t majority_of(gsl::span<const std::int64_t> counts) noexcept {
  return static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) -
                                   counts.begin());
}

} // namespace

std::string_view basis_name(chorale_basis basis) noexcept {
  switch (basis) {
  case CHORALE_BASIS_AGREEMENT:
    return "agreement";
  case CHORALE_BASIS_LOG_AGREEMENT:
    return "log-agreement";
  case CHORALE_BASIS_SHARE:
    return "share";
  case CHORALE_BASIS_MAJORITY:
    return "majority";
  case CHORALE_BASIS_CENTRE:
    return "centre";
  case CHORALE_BASIS_SINGLE:
    return "single";
  case CHORALE_BASIS_EMPTY:
    return "empty";
  case CHORALE_BASIS_CONFLICT:
    return "conflict";
  case CHORALE_BASIS_OUT:
    return "out";
  case CHORALE_BASIS_VALUE:
    return "value";
  default:
    return {};
  }
}

void add_bases(const Kind &kind, gsl::span<const chorale_learnt_weight> weights,
               const Clique &clique, gsl::span<const std::int64_t> counts, std::int32_t centre,
               gsl::span<double> to) noexcept {
  const std::int32_t columns = clique.columns();
  const std::int64_t *count = counts.data();
  double *sum = to.data();
  const std::int32_t graded = columns - (kind.has_empty ? 2 : 0);
  const double n = static_cast<double>(clique.members);
  double single = 0;
  double squares = 0;
  double above[kShares] = {};
  for (std::int32_t v = 0; v < graded; ++v) {
    const double k = static_cast<double>(count[v]);
    if (kind.left_out != 0 && is_left_out(kind, clique.value_of(v)))
      continue;
    single += k;
    if (kind.has_out && v == graded - 1)
      continue; // members that are OUT have different values, so they do not agree
    squares += k * k;
    for (std::int32_t i = 1; i < kShares; ++i)
      above[i] += std::max(0.0, k - n * i / kShares);
  }
  std::int32_t majority = -1;
  for (std::int64_t w = 0; w < kind.weights; ++w) {
    const chorale_learnt_weight &weight = weights.data()[w];
    const auto index = static_cast<std::int32_t>(weight.index);
    switch (weight.basis) {
    case CHORALE_BASIS_AGREEMENT:
      sum[w] += n > 0 ? squares / n : 0;
      break;
    case CHORALE_BASIS_LOG_AGREEMENT:
      sum[w] += clique.members > 1 ? squares / natural_log(n) : squares;
      break;
    case CHORALE_BASIS_SHARE:
      sum[w] += above[index];
      break;
    case CHORALE_BASIS_MAJORITY:
      if (majority < 0)
        majority = majority_of(counts);
      if (index / columns == majority)
        sum[w] += static_cast<double>(count[index % columns]);
      break;
    case CHORALE_BASIS_CENTRE:
      if (index / columns == centre)
        sum[w] += static_cast<double>(count[index % columns]);
      break;
    case CHORALE_BASIS_SINGLE:
      sum[w] += single;
      break;
    case CHORALE_BASIS_EMPTY:
      sum[w] += static_cast<double>(count[graded]);
      break;
    case CHORALE_BASIS_CONFLICT:
      sum[w] += static_cast<double>(count[graded + 1]);
      break;
    case CHORALE_BASIS_OUT:
      sum[w] += static_cast<double>(count[graded - 1]);
      break;
    default: // CHORALE_BASIS_VALUE
      for (std::int32_t v = 0; v < graded; ++v)
        if (clique.value_of(v) == index)
          sum[w] += static_cast<double>(count[v]);
      break;
    }
  }
}

chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const chorale_learnt_weight> weights,
                             gsl::span<const double> thetas,
                             std::int64_t values, std::int64_t centre_value,
                             Potential *&made) noexcept {
  CHORALE_CHECK(check_size(report, "values", values));
  const double *theta = thetas.data();
  const std::int64_t columns = values + (kind.has_empty ? 2 : 0);
  Array<double> numbers(memory);
  Array<std::uint8_t> mask(memory);
  const std::int64_t wanted = kind.majority ? columns * columns : kMixtureHead + columns;
  if (!numbers.resize(wanted) || !mask.resize(columns))
    return report.out_of_memory(to_size(columns) * sizeof(double));
  std::fill(numbers.begin(), numbers.end(), 0.0);
  if (kind.majority) {
    for (std::int64_t w = 0; w < kind.weights; ++w)
      numbers[weights.data()[w].index] = theta[w];
    return create_by_square(report, memory, {columns}, CHORALE_FAMILY_MAJORITY,
                            {numbers.begin(), columns, columns, columns}, {}, made);
  }
  const std::uint8_t plain = kind.is_centred ? kLinearOnly : 1;
  std::fill(mask.begin(), mask.begin() + values, plain);
  std::fill(mask.begin() + values - (kind.has_out ? 1 : 0), mask.end(), kLinearOnly);
  for (std::int32_t v = 0; v < values && v < kLeftOutValues; ++v)
    if (is_left_out(kind, v))
      mask[v] = kLinearOnly;
  double *head = numbers.begin();
  double *linear = head + kMixtureHead;
  for (std::int64_t w = 0; w < kind.weights; ++w) {
    const std::int64_t index = weights.data()[w].index;
    switch (weights.data()[w].basis) {
    case CHORALE_BASIS_AGREEMENT:
      head[0] += theta[w];
      break;
    case CHORALE_BASIS_LOG_AGREEMENT:
      head[1] += theta[w];
      break;
    case CHORALE_BASIS_SHARE:
      head[1 + index] += theta[w];
      break;
    case CHORALE_BASIS_CENTRE:
      if (index / columns == centre_value)
        linear[index % columns] += theta[w];
      break;
    case CHORALE_BASIS_SINGLE:
      for (std::int32_t v = 0; v < values; ++v)
        linear[v] += is_left_out(kind, v) ? 0 : theta[w];
      break;
    case CHORALE_BASIS_EMPTY:
      linear[values] += theta[w];
      break;
    case CHORALE_BASIS_CONFLICT:
      linear[values + 1] += theta[w];
      break;
    case CHORALE_BASIS_OUT:
      linear[values - 1] += theta[w];
      break;
    default: // CHORALE_BASIS_VALUE
      linear[index] += theta[w];
      break;
    }
  }
  return create_mixture(report, memory, span_of(mask.begin(), columns),
                        span_of(head, kMixtureHead), span_of(linear, columns), made);
}

Kind kind_of(const Clique &clique) noexcept {
  Kind kind;
  kind.values = clique.values();
  kind.centre_values = clique.centred() ? clique.centre_values() : 0;
  kind.is_property = clique.property() != nullptr;
  kind.has_empty = clique.all_columns() > clique.values();
  kind.has_out = clique.dictionary() && clique.dictionary()->has_out;
  kind.is_centred = clique.centred();
  return kind;
}

bool join(Kind &kind, const Clique &clique) noexcept {
  const Kind other = kind_of(clique);
  if (kind.is_property != other.is_property || kind.has_empty != other.has_empty ||
      kind.has_out != other.has_out || kind.is_centred != other.is_centred ||
      kind.centre_values != other.centre_values)
    return false;
  if (kind.values != other.values)
    kind.values = 0;
  return true;
}

} // namespace chorale
