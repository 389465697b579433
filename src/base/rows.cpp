#include "base/rows.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"
#include "base/numeric.hpp"

#include <cstring>

namespace chorale {
namespace {

// is_finite_score, or is_score with kForbiddenToo, of all numbers.
template <bool kForbiddenToo>
CHORALE_INLINE bool are_fine(const double *row, std::int64_t count) noexcept {
  constexpr int vectors = 4; // at a time: the comparisons of one wait for nothing
  const Indices magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  const Lanes most = {kLargestScore, kLargestScore, kLargestScore, kLargestScore};
  const Lanes forbidden = {kForbidden, kForbidden, kForbidden, kForbidden};
  Indices fine[vectors];
  for (Indices &lanes : fine)
    lanes = Indices{-1, -1, -1, -1};
  std::int64_t x = 0;
  for (; x + vectors * kLanes <= count; x += vectors * kLanes)
    for (int b = 0; b < vectors; ++b) {
      Lanes numbers;
      std::memcpy(&numbers, row + x + b * kLanes, sizeof numbers);
      const Indices bits = reinterpret_cast<Indices>(numbers) & magnitude;
      Indices these = reinterpret_cast<Lanes>(bits) <= most;
      if constexpr (kForbiddenToo)
        these |= numbers == forbidden;
      fine[b] &= these;
    }
  const Indices together = (fine[0] & fine[1]) & (fine[2] & fine[3]);
  bool all = (together[0] & together[1] & together[2] & together[3]) != 0;
  for (; x < count; ++x)
    all = all && is_score(row[x]);
  return all;
}

// Most rows are finite, which takes one comparison a number.
CHORALE_INLINE bool are_scores_in(const double *row, std::int64_t count) noexcept {
  return are_fine<false>(row, count) || are_fine<true>(row, count);
}

// The lane of the greatest score, of equals that of the lowest column; columns of lanes differ, or
// are -1 where the score is minus infinity.
CHORALE_INLINE int greatest_lane(const double *score, const std::int64_t *column) noexcept {
  int found = 0;
  for (int lane = 1; lane < kLanes; ++lane)
    found =
        score[lane] > score[found] || (score[lane] == score[found] && column[lane] < column[found])
            ? lane
            : found;
  return found;
}

CHORALE_INLINE void top_two_of(const double *row, std::int64_t rows, std::int32_t columns,
                               const TopTwo &top) noexcept {
  for (std::int64_t i = 0; i < rows; ++i, row += columns) {
    Lanes best = {kForbidden, kForbidden, kForbidden, kForbidden};
    Lanes second = best;
    Indices best_at = {-1, -1, -1, -1};
    Indices second_at = best_at;
    Indices at = {0, 1, 2, 3};
    std::int32_t v = 0;
    for (; v + kLanes <= columns; v += kLanes) {
      Lanes score;
      std::memcpy(&score, row + v, sizeof score);
      const Indices is_best = score > best;
      const Indices is_second = score > second;
      second = is_best ? best : is_second ? score : second;
      second_at = is_best ? best_at : is_second ? at : second_at;
      best = is_best ? score : best;
      best_at = is_best ? at : best_at;
      at += kLanes;
    }
    double score[kLanes];
    std::int64_t column[kLanes];
    std::memcpy(score, &best, sizeof best);
    std::memcpy(column, &best_at, sizeof best_at);
    // The second-best is the best of another lane, or the second of this one.
    int lane = greatest_lane(score, column);
    double first_score = score[lane];
    std::int64_t first = column[lane];
    score[lane] = second[lane];
    column[lane] = second_at[lane];
    lane = greatest_lane(score, column);
    double next_score = score[lane];
    std::int64_t next = column[lane];
    for (; v < columns; ++v)
      if (row[v] > first_score) {
        next_score = first_score;
        next = first;
        first_score = row[v];
        first = v;
      } else if (row[v] > next_score) {
        next_score = row[v];
        next = v;
      }
    top.best[i] = static_cast<std::int32_t>(first);
    top.second[i] = static_cast<std::int32_t>(next);
    top.best_score[i] = first_score;
    top.second_score[i] = next_score;
  }
}

bool are_scores_anywhere(const double *row, std::int64_t count) noexcept {
  return are_scores_in(row, count);
}
void top_two_anywhere(const double *matrix, std::int64_t rows, std::int32_t columns,
                      const TopTwo &top) noexcept {
  top_two_of(matrix, rows, columns, top);
}
constexpr RowScans kAnywhere{are_scores_anywhere, top_two_anywhere};

#if CHORALE_HAS_AVX2_VARIANTS
[[gnu::target("avx2")]] bool are_scores_avx2(const double *row, std::int64_t count) noexcept {
  return are_scores_in(row, count);
}
[[gnu::target("avx2")]] void top_two_avx2(const double *matrix, std::int64_t rows,
                                          std::int32_t columns, const TopTwo &top) noexcept {
  top_two_of(matrix, rows, columns, top);
}
constexpr RowScans kAvx2{are_scores_avx2, top_two_avx2};
#endif

} // namespace

const RowScans &row_scans_here() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  if (has_avx2())
    return kAvx2;
#endif
  return kAnywhere;
}

} // namespace chorale
