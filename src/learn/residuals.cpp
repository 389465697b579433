// residuals.hpp explains the words used here.
#include "learn/residuals.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {

bool Residuals::begin_pool(std::int32_t kind, std::int32_t width, bool apart) noexcept {
  return pools_.push({kind, width, apart, rows_.size(), order_.size(), cliques_.size()});
}

bool Residuals::add_clique(std::int64_t members, std::int64_t &row) noexcept {
  const std::int32_t width = pools_[pools_.size() - 1].width;
  row = rows_.size();
  for (std::int64_t i = 0; i < members; ++i)
    if (!order_.push(row + i * width))
      return false;
  if (!rows_.resize(row + members * width) || !expected_.resize(row + members * width) ||
      !cliques_.push(members))
    return false;
  std::fill(rows_.begin() + row, rows_.end(), 0.0);
  std::fill(expected_.begin() + row, expected_.end(), 0.0);
  return true;
}

void Residuals::settle() noexcept {
  for (std::int64_t first = 0; first < pools_.size(); ++first) {
    const std::int32_t kind = pools_[first].kind;
    const std::int32_t width = pools_[first].width;
    const bool apart = pools_[first].apart;
    const auto is_fitted = [kind](const Pool &pool) { return pool.kind == kind && !pool.apart; };
    if (!apart && std::any_of(pools_.begin(), pools_.begin() + first, is_fitted))
      continue;
    const auto each = [&](std::int32_t v, auto &&take) {
      for (std::int64_t p = first; p < (apart ? first + 1 : pools_.size()); ++p)
        for (std::int64_t at = pools_[p].first_row + v;
             (apart || is_fitted(pools_[p])) && at < last_row(p); at += width)
          take(rows_[at], expected_[at]);
    };
    for (std::int32_t v = 0; v < width; ++v) {
      double count = 0;
      double mean_shown = 0;
      double mean_probable = 0;
      each(v, [&](double shown, double probable) {
        count += 1;
        mean_shown += shown;
        mean_probable += probable;
      });
      mean_shown /= std::max(count, 1.0);
      mean_probable /= std::max(count, 1.0);
      double together = 0;
      double squares = 0;
      each(v, [&](double shown, double probable) {
        together += (shown - mean_shown) * (probable - mean_probable);
        squares += (probable - mean_probable) * (probable - mean_probable);
      });
      const double slope = squares > 0 ? together / squares : 0;
      each(v, [&](double &shown, double probable) {
        shown -= mean_shown + slope * (probable - mean_probable);
      });
    }
  }
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

double Residuals::likeness(gsl::span<double> by_kind) const noexcept {
  std::fill(by_kind.begin(), by_kind.end(), 0.0);
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    double &total = by_kind[to_size(pools_[p].kind)];
    const std::int64_t *member = order_.begin() + pools_[p].first_member;
    for (std::int64_t c = pools_[p].first_clique; c < last_clique(p); ++c) {
      const std::int64_t n = cliques_[c];
      double products = 0; // sum over ordered pairs of different members
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
  return std::accumulate(by_kind.begin(), by_kind.end(), 0.0);
}

void Residuals::exchange() noexcept {
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    std::int64_t *first = order_.begin() + pools_[p].first_member;
    for (std::int64_t i = last_member(p) - pools_[p].first_member; i > 1; --i)
      std::swap(first[i - 1], first[random_.below(i)]);
  }
}

} // namespace chorale
