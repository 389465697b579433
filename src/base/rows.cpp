#include "base/rows.hpp"

#include "base/lanes.hpp"
#include "base/numeric.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace chorale {
namespace {

// True if all numbers are finite scores. Doubles that are not negative are ordered like their bits
// read as integers, so each absolute value is compared as an integer with kLargestScore.
CHORALE_INLINE bool are_finite_scores(const double *row, std::int64_t count) noexcept {
  constexpr int vectors = 4; // compared at once, so that comparisons do not wait for each other
  constexpr std::int64_t magnitude = std::numeric_limits<std::int64_t>::max();
  constexpr auto most = std::bit_cast<std::int64_t>(kLargestScore);
  Indices beyond[vectors] = {}; // a lane becomes negative if an absolute value is too large
  std::int64_t x = 0;
  for (; x + vectors * kLanes <= count; x += vectors * kLanes)
    for (int b = 0; b < vectors; ++b) {
      Indices bits;
      std::memcpy(&bits, row + x + b * kLanes, sizeof bits);
      beyond[b] |= most - (bits & magnitude);
    }
  const Indices together = (beyond[0] | beyond[1]) | (beyond[2] | beyond[3]);
  std::int64_t any = (together[0] | together[1]) | (together[2] | together[3]);
  for (; x < count; ++x)
    any |= most - (std::bit_cast<std::int64_t>(row[x]) & magnitude);
  return any >= 0;
}

// True if all numbers are scores. Forbidden scores are rare. So each stretch of numbers is first
// tested for finite scores alone; only if this fails are its numbers tested one by one.
CHORALE_INLINE bool are_scores_in(gsl::span<const double> numbers) noexcept {
  constexpr std::int64_t stretch = 256;
  const double *row = numbers.data();
  const auto count = static_cast<std::int64_t>(numbers.size());
  for (std::int64_t x = 0; x < count; x += stretch) {
    const std::int64_t length = std::min(stretch, count - x);
    if (!are_finite_scores(row + x, length) && !std::all_of(row + x, row + x + length, is_score))
      return false;
  }
  return true;
}

// Finds the best and the second-best column of each row (RowScans::top_two). Processes four rows at
// a time, one in each lane. If fewer than four rows are left, the last row also fills the lanes
// that would be empty.
CHORALE_INLINE void top_two_of(const double *matrix, std::int64_t rows, std::int32_t columns,
                               const TopTwo &top) noexcept {
  using Columns = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
  for (std::int64_t i = 0; i < rows; i += kLanes) {
    const double *row[kLanes];
    for (int lane = 0; lane < kLanes; ++lane)
      row[lane] = matrix + std::min(i + lane, rows - 1) * columns;
    Lanes best = {kForbidden, kForbidden, kForbidden, kForbidden};
    Lanes second = best;
    Indices best_at = {-1, -1, -1, -1};
    Indices second_at = best_at;
    Indices at = {0, 0, 0, 0};
    const auto see = [&](const Lanes &score) CHORALE_INLINE_LAMBDA {
      const Indices is_best = score > best;
      const Indices is_second = score > second;
      second_at = is_best ? best_at : is_second ? at : second_at;
      best_at = is_best ? at : best_at;
      second = is_best ? best : is_second ? score : second;
      best = is_best ? score : best;
      at += 1;
    };
    std::int32_t v = 0;
    for (; v + kLanes <= columns; v += kLanes) {
      Lanes a, b, c, d;
      std::memcpy(&a, row[0] + v, sizeof a);
      std::memcpy(&b, row[1] + v, sizeof b);
      std::memcpy(&c, row[2] + v, sizeof c);
      std::memcpy(&d, row[3] + v, sizeof d);
      transpose(a, b, c, d);
      see(a);
      see(b);
      see(c);
      see(d);
    }
    for (; v < columns; ++v)
      see(Lanes{row[0][v], row[1][v], row[2][v], row[3][v]});
    const auto first = __builtin_convertvector(best_at, Columns);
    const auto next = __builtin_convertvector(second_at, Columns);
    const auto write = [&](std::size_t count) CHORALE_INLINE_LAMBDA {
      std::memcpy(top.best + i, &first, count * sizeof(std::int32_t));
      std::memcpy(top.second + i, &next, count * sizeof(std::int32_t));
      std::memcpy(top.best_score + i, &best, count * sizeof(double));
      std::memcpy(top.second_score + i, &second, count * sizeof(double));
    };
    if (i + kLanes <= rows)
      write(kLanes);
    else
      write(static_cast<std::size_t>(rows - i));
  }
}

constexpr RowScans kAnywhere{Compiled<are_scores_in>::anywhere, Compiled<top_two_of>::anywhere};
constexpr RowScans kAvx2{Compiled<are_scores_in>::avx2, Compiled<top_two_of>::avx2};

} // namespace

const RowScans &row_scans_here() noexcept { return has_avx2() ? kAvx2 : kAnywhere; }

} // namespace chorale
