// group_moves.hpp explains the words used here.
#include "clique/moves/group_moves.hpp"

#include "base/lanes.hpp"

#include <algorithm>
#include <cstring>

namespace chorale {
namespace {

// Number of vectors of columns processed at once; their sums stay in registers in the loop over
// members.
constexpr int kVectors = 2;

// Adds up, for each threshold j and column v, the gains scores[i][v] - stay[i] that exceed
// threshold[j][v], and counts them. `scores`: members x columns; `threshold`, `gains` and
// `movable`: kThresholds x columns.
template <int kThresholds>
CHORALE_INLINE void add_gains(const double *scores, const double *stay, std::int64_t members,
                              std::int64_t columns, const double *threshold, double *gains,
                              std::int64_t *movable) noexcept {
  std::int64_t v = 0;
  for (; v + kVectors * kLanes <= columns; v += kVectors * kLanes) {
    Lanes at[kVectors][kThresholds];
    Lanes sums[kVectors][kThresholds] = {};
    Indices counts[kVectors][kThresholds] = {};
    for (int b = 0; b < kVectors; ++b)
      for (int j = 0; j < kThresholds; ++j)
        std::memcpy(&at[b][j], threshold + j * columns + v + b * kLanes, sizeof(Lanes));
    const double *row = scores + v;
    for (std::int64_t i = 0; i < members; ++i, row += columns) {
      const double own = stay[i];
      for (int b = 0; b < kVectors; ++b) {
        Lanes gain;
        std::memcpy(&gain, row + b * kLanes, sizeof gain);
        gain -= Lanes{own, own, own, own};
        for (int j = 0; j < kThresholds; ++j) {
          sums[b][j] += gain > at[b][j] ? gain : Lanes{};
          counts[b][j] -= gain > at[b][j];
        }
      }
    }
    for (int b = 0; b < kVectors; ++b)
      for (int j = 0; j < kThresholds; ++j) {
        std::memcpy(gains + j * columns + v + b * kLanes, &sums[b][j], sizeof(Lanes));
        std::memcpy(movable + j * columns + v + b * kLanes, &counts[b][j], sizeof(Indices));
      }
  }
  for (; v < columns; ++v)
    for (int j = 0; j < kThresholds; ++j) {
      double sum = 0;
      std::int64_t count = 0;
      const double *score = scores + v;
      for (std::int64_t i = 0; i < members; ++i, score += columns)
        if (*score - stay[i] > threshold[j * columns + v]) {
          sum += *score - stay[i];
          ++count;
        }
      gains[j * columns + v] = sum;
      movable[j * columns + v] = count;
    }
}

} // namespace

GroupMoves::GroupMoves(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), counts_(layout.take<std::int32_t>(instance.columns)),
      join_(layout.take<double>(instance.columns)),
      stay_(layout.take<double>(instance.members)),
      threshold_(layout.take<double>(std::int64_t{instance.columns} * kThresholds)),
      gains_(layout.take<double>(std::int64_t{instance.columns} * kThresholds)),
      movable_(layout.take<std::int64_t>(std::int64_t{instance.columns} * kThresholds)) {}

void GroupMoves::prepare(gsl::span<const std::int32_t> labelling) noexcept {
  const Instance &in = *instance_;
  const std::int32_t *const assignment = labelling.data();
  in.count(labelling, in.by_column(counts_));
  for (std::int64_t i = 0; i < in.members; ++i) {
    const std::int32_t u = assignment[i];
    const double *f = in.potential.tables[u] + counts_[u];
    stay_[i] = in.score(i, u) + (f[0] - f[-1]);
  }
  for (std::int64_t v = 0; v < in.columns; ++v)
    for (int j = 0; j < kThresholds; ++j) {
      const double *f =
          in.potential.tables[v] + std::min(counts_[v] + kMore[j], in.members);
      threshold_[j * in.columns + v] = f[-1] - f[0];
    }
}

// Removes each member from the sums gains_ and counts movable_ of its own column: staying there is
// not a move.
void GroupMoves::leave_out_own(gsl::span<const std::int32_t> labelling) noexcept {
  const Instance &in = *instance_;
  const std::int32_t *const assignment = labelling.data();
  for (std::int64_t i = 0; i < in.members; ++i) {
    const std::int32_t u = assignment[i];
    const double gain = in.score(i, u) - stay_[i];
    for (int j = 0; j < kThresholds; ++j)
      if (gain > threshold_[j * in.columns + u]) {
        gains_[j * in.columns + u] -= gain;
        --movable_[j * in.columns + u];
      }
  }
}

bool GroupMoves::nearly_agree(gsl::span<const std::int32_t> labelling) noexcept {
  instance_->count(labelling, instance_->by_column(counts_));
  const std::int64_t most = *std::max_element(counts_, counts_ + instance_->columns);
  return 5 * most >= 4 * std::int64_t{instance_->members};
}

bool GroupMoves::move_group(gsl::span<std::int32_t> labelling) noexcept {
  const Instance &in = *instance_;
  std::int32_t *assignment = labelling.data();
  prepare(labelling);
  on_best_units([this, &in]() CHORALE_INLINE_LAMBDA {
    add_gains<kThresholds>(in.scores, stay_, in.members, in.columns, threshold_, gains_, movable_);
  });
  leave_out_own(labelling);

  std::int32_t to = -1;
  double above = 0;
  double most = kForbidden;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const double *f = in.potential.tables[v] + counts_[v];
    for (int j = 0; j < kThresholds; ++j) {
      const std::int64_t e = j * std::int64_t{in.columns} + v;
      if (movable_[e] >= 2 && gains_[e] + (f[movable_[e]] - f[0]) > most) {
        most = gains_[e] + (f[movable_[e]] - f[0]);
        to = v;
        above = threshold_[e];
      }
    }
  }
  if (to < 0)
    return false;
  for (std::int64_t i = 0; i < in.members; ++i)
    assignment[i] = in.score(i, to) - stay_[i] > above ? to : assignment[i];
  return true;
}

bool GroupMoves::thin_fullest(gsl::span<std::int32_t> labelling) noexcept {
  const Instance &in = *instance_;
  std::int32_t *assignment = labelling.data();
  in.count(labelling, in.by_column(counts_));
  const auto fullest =
      static_cast<std::int32_t>(std::max_element(counts_, counts_ + in.columns) - counts_);
  const std::int32_t count = counts_[fullest];
  const double *f = in.potential.tables[fullest];
  // Three fifths of the count, at least 1.
  const std::int32_t smaller = count - count * 2 / 5;
  const double kept_by = f[smaller] - f[smaller - 1];
  // All members decide by the counts before the first move below.
  for (std::int64_t v = 0; v < in.columns; ++v) {
    const double *g = in.potential.tables[v] + counts_[v];
    join_[v] = counts_[v] < in.members ? g[1] - g[0] : 0.0;
  }
  double lost = 0;
  std::int32_t left = 0;
  for (std::int64_t i = 0; i < in.members; ++i) {
    const bool is_best = in.best[i] == fullest;
    const std::int32_t to = is_best ? in.second[i] : in.best[i];
    const double at_other = is_best ? in.second_score[i] : in.best_score[i];
    const double loss = in.score(i, fullest) - (at_other + join_[std::max(to, 0)]);
    // Tests with one branch instead of three, since the processor cannot predict which members are
    // in the fullest column.
    if (int{assignment[i] == fullest} & int{loss + kept_by < 0} & int{to >= 0}) {
      assignment[i] = to;
      lost += loss;
      ++left;
    }
  }
  return left >= 2 && lost + (f[count] - f[count - left]) < f[count] - f[count - 1];
}

} // namespace chorale
