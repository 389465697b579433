#include "learn/residuals.hpp"

#include <algorithm>

namespace chorale {

bool Residuals::begin_pool(std::int32_t width) noexcept {
  return pools_.push({width, order_.size(), cliques_.size()});
}

bool Residuals::add_clique(std::int64_t members, std::int64_t &row) noexcept {
  const std::int32_t width = pools_[pools_.size() - 1].width;
  row = rows_.size();
  for (std::int64_t i = 0; i < members; ++i)
    if (!order_.push(row + i * width))
      return false;
  if (!rows_.resize(row + members * width) || !cliques_.push(members))
    return false;
  std::fill(rows_.begin() + row, rows_.end(), 0.0);
  return true;
}

bool Residuals::can_exchange() const noexcept {
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    const std::int64_t *first = cliques_.begin() + pools_[p].first_clique;
    const std::int64_t *last = cliques_.begin() + last_clique(p);
    if (std::count_if(first, last, [](std::int64_t n) { return n > 0; }) > 1 &&
        std::any_of(first, last, [](std::int64_t n) { return n > 1; }))
      return true;
  }
  return false;
}

double Residuals::likeness() const noexcept {
  double total = 0;
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    const std::int64_t *member = order_.begin() + pools_[p].first_member;
    for (std::int64_t c = pools_[p].first_clique; c < last_clique(p); ++c) {
      const std::int64_t n = cliques_[c];
      double products = 0; // twice
      for (std::int32_t v = 0; n > 1 && v < pools_[p].width; ++v) {
        double sum = 0;
        double squares = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          const double residual = rows_[member[i] + v];
          sum += residual;
          squares += residual * residual;
        }
        products += sum * sum - squares;
      }
      total += n > 1 ? products / static_cast<double>(n) : 0;
      member += n;
    }
  }
  return total;
}

void Residuals::exchange() noexcept {
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    std::int64_t *first = order_.begin() + pools_[p].first_member;
    for (std::int64_t i = last_member(p) - pools_[p].first_member; i > 1; --i)
      std::swap(first[i - 1], first[random_.below(i)]);
  }
}

} // namespace chorale
