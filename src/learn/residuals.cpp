// residuals.hpp explains the words used here.
#include "learn/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chorale {

bool Residuals::begin_pool(std::int32_t kind, std::int32_t width, PoolType type) noexcept {
  std::int64_t moments = -1;
  if (type == PoolType::centred) {
    for (std::int64_t p = pools_.size(); p > 0 && moments < 0; --p)
      moments = pools_[p - 1].kind == kind ? pools_[p - 1].moments : -1;
    if (moments < 0) {
      moments = moments_.size();
      if (!moments_.resize(moments + std::int64_t{width} * width))
        return false;
    }
  }
  return pools_.push(
      {kind, width, type, rows_.size(), order_.size(), members_.size(), cliques_.size(), moments});
}

bool Residuals::add_row(std::int64_t &row) noexcept {
  const std::int32_t width = pools_[pools_.size() - 1].width;
  row = rows_.size();
  if (!order_.push(row) || !rows_.resize(row + width) || !expected_.resize(row + width))
    return false;
  std::fill(rows_.begin() + row, rows_.end(), 0.0);
  std::fill(expected_.begin() + row, expected_.end(), 0.0);
  return true;
}

bool Residuals::add_clique(gsl::span<const std::int64_t> rows) noexcept {
  const Pool &pool = pools_[pools_.size() - 1];
  for (const std::int64_t row : rows)
    if (!members_.push(pool.first_place + (row - pool.first_row) / pool.width) || !at_.push(row))
      return false;
  return cliques_.push(static_cast<std::int64_t>(rows.size()));
}

bool Residuals::find_degrees() noexcept {
  if (!degree_.resize(order_.size()) || !sorted_.resize(order_.size()))
    return false;
  std::fill(degree_.begin(), degree_.end(), 0);
  for (const std::int64_t place : members_)
    ++degree_[place];
  std::iota(sorted_.begin(), sorted_.end(), 0);
  for (std::int64_t p = 0; p < pools_.size(); ++p)
    std::sort(sorted_.begin() + pools_[p].first_place, sorted_.begin() + last_place(p),
              [&](std::int64_t a, std::int64_t b) {
                return degree_[a] != degree_[b] ? degree_[a] < degree_[b] : a < b;
              });
  return true;
}

void Residuals::settle() noexcept {
  for (std::int64_t first = 0; first < pools_.size(); ++first) {
    const std::int32_t kind = pools_[first].kind;
    const std::int32_t width = pools_[first].width;
    const bool apart = pools_[first].type == PoolType::apart;
    const auto is_fitted = [kind](const Pool &pool) {
      return pool.kind == kind && pool.type != PoolType::apart;
    };
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

double Residuals::likeness(gsl::span<double> by_kind) noexcept {
  std::fill(by_kind.begin(), by_kind.end(), 0.0);
  std::fill(moments_.begin(), moments_.end(), 0.0);
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    const std::int32_t width = pools_[p].width;
    double &total = by_kind[to_size(pools_[p].kind)];
    const std::int64_t *member = at_.begin() + pools_[p].first_member;
    for (std::int64_t c = pools_[p].first_clique; c < last_clique(p); ++c) {
      const std::int64_t n = cliques_[c];
      if (pools_[p].type == PoolType::centred) {
        add_moments(member, n, width, moments_.begin() + pools_[p].moments);
        member += n;
        continue;
      }
      double products = 0; // sum over ordered pairs of different members
      for (std::int32_t v = 0; n > 1 && v < width; ++v) {
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
    if (pools_[p].type == PoolType::centred) {
      const double *matrix = moments_.begin() + pools_[p].moments;
      total =
          std::sqrt(std::inner_product(matrix, matrix + std::int64_t{width} * width, matrix, 0.0));
    }
  }
  return std::accumulate(by_kind.begin(), by_kind.end(), 0.0);
}

// Adds a centred clique of n - 1 members and their centre to the matrix of likeness().
void Residuals::add_moments(const std::int64_t *member, std::int64_t n, std::int32_t width,
                            double *matrix) const noexcept {
  if (n < 2)
    return;
  const double *centre = rows_.begin() + member[n - 1];
  for (std::int32_t v = 0; v < width; ++v) {
    double sum = 0;
    for (std::int64_t i = 0; i < n - 1; ++i)
      sum += rows_[member[i] + v];
    const double mean = sum / static_cast<double>(n - 1);
    for (std::int32_t c = 0; c < width; ++c)
      matrix[std::int64_t{c} * width + v] += centre[c] * mean;
  }
}

void Residuals::exchange() noexcept {
  for (std::int64_t p = 0; p < pools_.size(); ++p) {
    const std::int64_t *end = sorted_.begin() + last_place(p);
    for (const std::int64_t *first = sorted_.begin() + pools_[p].first_place; first != end;) {
      const std::int64_t *last = std::find_if(
          first, end, [&](std::int64_t place) { return degree_[place] != degree_[*first]; });
      for (std::int64_t i = last - first; i > 1; --i)
        std::swap(order_[first[i - 1]], order_[first[random_.below(i)]]);
      first = last;
    }
  }
  std::transform(members_.begin(), members_.end(), at_.begin(),
                 [this](std::int64_t place) { return order_[place]; });
}

} // namespace chorale
