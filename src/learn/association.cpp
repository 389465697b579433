#include "learn/association.hpp"

#include "base/logarithm.hpp"

namespace chorale {

void find_log_odds(gsl::span<const double> counts, std::int32_t columns,
                   gsl::span<double> log_odds) noexcept {
  const double *count = counts.data();
  double *to = log_odds.data();
  const auto size = static_cast<std::int64_t>(counts.size());
  double all = 0;
  for (std::int32_t v = 0; v < columns; ++v) {
    double column = 0;
    for (std::int64_t k = v; k < size; k += columns)
      column += count[k] + 1;
    for (std::int64_t k = v; k < size; k += columns)
      to[k] = natural_log((count[k] + 1) / column);
    all += column;
  }
  for (std::int64_t k = 0; k < size; k += columns) {
    double row = 0;
    for (std::int32_t v = 0; v < columns; ++v)
      row += count[k + v] + 1;
    const double share = natural_log(row / all);
    for (std::int32_t v = 0; v < columns; ++v)
      to[k + v] -= share;
  }
}

} // namespace chorale
