// sum_pass_marginals.hpp explains the words used here.
#include "clique/passes/sum_pass_marginals.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"

#include <algorithm>
#include <cstring>

namespace chorale {
namespace {

constexpr std::int32_t kRowBlock = 8;            // rows per block
constexpr std::int32_t kWindow = 32 * kRowBlock; // rows stored at a time

// Up to this many columns, each column has a lane of its own.
constexpr std::int32_t kFewestColumns = 64;
// Up to this many columns, there is memory for a lane for each column.
constexpr std::int32_t kAllColumns = 512;

// Raises to[j] to by[j] + add, for the kLanes entries j of a vector.
CHORALE_INLINE void raise_vector(double *to, const double *by, double add) noexcept {
  Lanes old;
  Lanes sum;
  std::memcpy(&old, to, sizeof old);
  std::memcpy(&sum, by, sizeof sum);
  sum += add;
  old = sum > old ? sum : old;
  std::memcpy(to, &old, sizeof old);
}

// Raises to[v] to by[v] + add, for v = 0 .. count - 1.
CHORALE_INLINE void raise_by_sum(double *to, const double *by, double add,
                                 std::int64_t count) noexcept {
  std::int64_t v = 0;
  for (; v + kLanes <= count; v += kLanes)
    raise_vector(to + v, by + v, add);
  for (; v < count; ++v) {
    const double sum = by[v] + add;
    to[v] = sum > to[v] ? sum : to[v];
  }
}

// Raises the kVectors vectors of `best` to the maximum of the first kVectors vectors of `count`
// rows. Consecutive rows begin `width` numbers apart.
template <int kVectors>
CHORALE_INLINE void raise_by_rows(Lanes *best, const double *row, std::int64_t count,
                                  std::int64_t width) noexcept {
  for (; count > 0; --count, row += width)
    for (int j = 0; j < kVectors; ++j) {
      Lanes by;
      std::memcpy(&by, row + j * kLanes, sizeof by);
      best[j] = by > best[j] ? by : best[j];
    }
}

} // namespace

SumPassMarginals::SumPassMarginals(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), sweep_(layout, instance), start_(layout, instance),
      score_(layout, instance.potential), most_lanes_(instance.columns),
      may_have_lanes_(instance.columns > kFewestColumns && instance.columns > instance.members) {
  if (instance.columns > kAllColumns)
    most_lanes_ =
        std::min<std::int64_t>(instance.columns, 2 * std::int64_t{instance.members} + 2);
  const auto lanes = static_cast<std::size_t>(most_lanes_);
  const auto members = static_cast<std::size_t>(instance.members);
  const std::size_t labellings = members + 1;
  const std::size_t width = (lanes + kLanes) / kLanes * kLanes;
  const std::size_t rows = std::min<std::size_t>(labellings, kWindow);
  if (may_have_lanes_) {
    lane_of_ = layout.take<std::int32_t>(instance.columns);
    column_of_ = layout.take<std::int32_t>(lanes);
    lane_join_ = layout.take<double>(lanes);
    heard_ = layout.take<double>(saturating_product(members, std::min(lanes, 2 * members)));
    heard_cold_ = layout.take<Heard>(instance.members);
  }
  next_ = layout.take<std::int32_t>(lanes);
  before_ = layout.take<double>(saturating_product(lanes, width));
  states_ = layout.take<double>(saturating_product(rows, width));
  blocks_ = layout.take<double>(saturating_product(rows / kRowBlock + 1, width));
  scores_ = layout.take<double>(labellings);
  range_ = layout.take<double>(width);
}

void SumPassMarginals::place_lanes() noexcept {
  const std::int32_t K = instance_->columns;
  start_.begin();
  has_lanes_ = false;
  lanes_ = defaults_ = K;
  if (may_have_lanes_) {
    const std::int32_t defaults = place_defaults();
    has_lanes_ = K > most_lanes_ || defaults + 2 < K / 4 * 3;
    if (has_lanes_) {
      defaults_ = defaults;
      lanes_ = defaults_ + 2;
      lane_join_[defaults_] = 0;
      std::fill(heard_, heard_ + std::int64_t{instance_->members} * defaults_, kForbidden);
      std::fill(heard_cold_, heard_cold_ + instance_->members,
                Heard{kForbidden, kForbidden, -1});
    }
  }
  width_ = (lanes_ + kLanes) / kLanes * kLanes;
}

// Numbers the columns that are some member's best or second-best column, from 0 on. Writes the
// numbers to lane_of_, and the next number for all other columns; fills column_of_. Returns how many
// columns were numbered.
std::int32_t SumPassMarginals::place_defaults() noexcept {
  const Instance &in = *instance_;
  std::fill(lane_of_, lane_of_ + in.columns, -1);
  for (std::int64_t i = 0; i < in.members; ++i) {
    lane_of_[in.best[i]] = 0;
    if (in.second[i] >= 0)
      lane_of_[in.second[i]] = 0;
  }
  std::int32_t count = 0;
  for (std::int32_t v = 0; v < in.columns; ++v)
    if (lane_of_[v] == 0) {
      column_of_[count] = v;
      lane_of_[v] = count++;
    }
  std::replace(lane_of_, lane_of_ + in.columns, -1, count);
  return count;
}

// Updates the entry of lane_join_ for `column`, which has a lane of its own or is alpha.
CHORALE_INLINE void SumPassMarginals::note_join(std::int32_t column) noexcept {
  const std::int32_t lane = lane_of_[column];
  lane_join_[lane < defaults_ ? lane : lanes_ - 1] = score_.join()[column];
}

CHORALE_INLINE void SumPassMarginals::move(std::int32_t from, std::int32_t to) noexcept {
  score_.move(from, to);
  if (has_lanes_) {
    note_join(from);
    note_join(to);
  }
}

CHORALE_INLINE void SumPassMarginals::hear(std::int64_t member, const double *row, double add,
                                           Matrix<double> messages) noexcept {
  const std::int64_t K = instance_->columns;
  if (!has_lanes_) {
    raise_by_sum(messages.data + member * messages.stride, row, add, K);
    return;
  }
  raise_by_sum(heard_ + member * defaults_, row, add, defaults_);
  Heard &heard = heard_cold_[member];
  const double sum = row[defaults_] + add;
  if (heard.alpha == alpha_)
    heard.best = std::max(heard.best, sum);
  else if (sum > heard.best)
    heard = {sum, heard.best, alpha_};
  else
    heard.other = std::max(heard.other, sum);
  if (lane_of_[alpha_] >= defaults_) {
    double &own = messages.data[member * messages.stride + alpha_];
    own = std::max(own, row[lanes_ - 1] + add);
  }
}

void SumPassMarginals::write_lanes(Matrix<double> messages) const noexcept {
  const Instance &in = *instance_;
  Pace pace(in, std::int64_t{4} * in.columns, in.members);
  for (std::int64_t i = 0; i < in.members && pace.next(); ++i) {
    double *to = messages.row(i).data();
    const Heard &heard = heard_cold_[i];
    for (std::int32_t v = 0; v < in.columns; ++v) {
      if (lane_of_[v] < defaults_) {
        to[v] = heard_[i * defaults_ + lane_of_[v]];
        continue;
      }
      to[v] = std::max(to[v], (heard.alpha == v ? heard.other : heard.best) + step_of(v));
    }
  }
}

CHORALE_INLINE std::int32_t SumPassMarginals::place(std::int32_t k) const noexcept {
  return (k - sweep_.forced()) % kWindow;
}

CHORALE_INLINE void SumPassMarginals::write_state(std::int32_t k, double score) noexcept {
  const std::int64_t K = lanes_;
  scores_[k] = score;
  double *row = state(k);
  const double *join = joins();
  std::int64_t v = 0;
  for (; v + kLanes <= K; v += kLanes) {
    Lanes joined;
    std::memcpy(&joined, join + v, sizeof joined);
    joined += score;
    std::memcpy(row + v, &joined, sizeof joined);
  }
  for (; v < K; ++v)
    row[v] = join[v] + score;
  row[v] = score;
  for (++v; v < width_; ++v)
    row[v] = kForbidden;

  double *block = blocks_ + place(k) / kRowBlock * width_;
  if (place(k) % kRowBlock == 0)
    std::copy(row, row + width_, block);
  else
    for (v = 0; v < width_; v += kLanes)
      raise_vector(block + v, row + v, 0);
}

template <int kVectors>
CHORALE_INLINE void SumPassMarginals::fold_columns(std::int64_t v, std::int32_t from,
                                                   std::int32_t to) noexcept {
  Lanes best[kVectors];
  for (Lanes &lanes : best)
    lanes = Lanes{kForbidden, kForbidden, kForbidden, kForbidden};
  const std::int32_t first_block = (from + kRowBlock - 1) / kRowBlock;
  const std::int32_t last_block = to / kRowBlock;
  if (first_block < last_block) {
    raise_by_rows<kVectors>(best, states_ + from * width_ + v, first_block * kRowBlock - from,
                            width_);
    raise_by_rows<kVectors>(best, blocks_ + first_block * width_ + v, last_block - first_block,
                            width_);
    from = last_block * kRowBlock;
  }
  raise_by_rows<kVectors>(best, states_ + from * width_ + v, to - from, width_);
  for (int j = 0; j < kVectors; ++j)
    std::memcpy(range_ + v + j * kLanes, &best[j], sizeof best[j]);
}

CHORALE_INLINE void SumPassMarginals::fold(std::int32_t column, std::int32_t k) noexcept {
  const std::int32_t b = lane_of(column);
  const std::int32_t first = next_[b];
  if (first > k)
    return;
  next_[b] = k + 1;
  const std::int32_t from = place(first);
  const std::int32_t to = place(k) + 1;
  std::int64_t v = 0;
  for (; v + 4 * kLanes <= width_; v += 4 * kLanes)
    fold_columns<4>(v, from, to);
  for (; v < width_; v += kLanes)
    fold_columns<1>(v, from, to);
  double *row = before_ + b * width_;
  const double stays = std::max(row[b], range_[lanes_]);
  raise_by_sum(row, range_, score_.leave()[column], width_);
  row[b] = stays;
}

CHORALE_INLINE void SumPassMarginals::fold_all(std::int32_t k) noexcept {
  for (std::int32_t lane = 0; lane < defaults_; ++lane)
    fold(has_lanes_ ? column_of_[lane] : lane, k);
}

CHORALE_INLINE void SumPassMarginals::read_before(std::int32_t rank,
                                                  Matrix<double> messages) noexcept {
  const auto &[gain, member, from] = sweep_.at(rank);
  hear(member, before_ + lane_of(from) * width_, -instance_->score(member, from), messages);
}

// Computes suffix maxima of the rows from the last labelling back, and raises the messages of each
// member to the maximum over the labellings in which the member has alpha. Members with alpha in
// every labelling read the maximum over all labellings. False if interrupted.
CHORALE_INLINE bool SumPassMarginals::read_after(std::int32_t alpha,
                                                 Matrix<double> messages) noexcept {
  const std::int64_t own = has_lanes_ && lane_of_[alpha] >= defaults_ ? lanes_ - 1 : lane_of(alpha);
  double *best = range_;
  const double *join = joins();
  const double *f = instance_->potential.tables[alpha];
  const bool has_rows = sweep_.allowed() - sweep_.forced() < kWindow;
  std::fill(best, best + width_, kForbidden);
  Pace pace(*instance_, 4 * width_ + 16, sweep_.allowed());
  for (std::int32_t k = sweep_.allowed(); k > 0; --k) {
    if (!pace.next())
      return false;
    if (k >= sweep_.forced()) {
      const double score = scores_[k];
      const double leave = f[k - 1] - f[k];
      const double stays = std::max(best[own], score);
      if (has_rows) {
        raise_by_sum(best, state(k), leave, width_);
      } else {
        if (k < sweep_.allowed())
          move(alpha, sweep_.at(k).from);
        for (std::int64_t v = 0; v < lanes_; ++v) {
          const double sum = score + join[v] + leave;
          best[v] = sum > best[v] ? sum : best[v];
        }
      }
      best[own] = stays;
    }
    const std::int64_t member = sweep_.at(k - 1).member;
    hear(member, best, -instance_->score(member, alpha), messages);
  }
  return true;
}

CHORALE_INLINE bool SumPassMarginals::pass(std::int32_t alpha, Matrix<double> messages) noexcept {
  alpha_ = alpha;
  start_.reset(score_, sweep_.counts(), alpha);
  if (has_lanes_) {
    for (std::int32_t lane = 0; lane < defaults_; ++lane)
      lane_join_[lane] = score_.join()[column_of_[lane]];
    lane_join_[lanes_ - 1] = kForbidden;
    note_join(alpha);
  }
  std::fill(next_, next_ + defaults_, sweep_.forced());
  std::fill(before_, before_ + defaults_ * width_, kForbidden);

  double members = sweep_.base();
  // Work per labelling: the default columns fold rows, by blocks, and one member reads a row.
  Pace pace(*instance_, 8 * width_ + 16 + defaults_ * width_ / 4,
            sweep_.allowed() - sweep_.forced() + 1);
  for (std::int32_t k = sweep_.forced();; ++k) {
    if (!pace.next())
      return false;
    if (k > sweep_.forced() && place(k) == 0)
      fold_all(k - 1);
    write_state(k, members + score_.total());
    if (k == sweep_.allowed())
      break;
    const std::int32_t from = sweep_.at(k).from;
    fold(from, k);
    read_before(k, messages);
    members += sweep_.at(k).gain;
    move(from, alpha);
  }
  Pace others(*instance_, 4 * width_ + 16, instance_->members);
  for (std::int32_t rank = sweep_.allowed(); rank < instance_->members; ++rank) {
    if (!others.next())
      return false;
    fold(sweep_.at(rank).from, sweep_.allowed());
    read_before(rank, messages);
  }
  return read_after(alpha, messages);
}

CHORALE_INLINE void SumPassMarginals::run_passes(Limits &limits, Solution &solution,
                                                 Matrix<double> messages) noexcept {
  const Instance &in = *instance_;
  if (!clear_messages(in, messages))
    return;
  place_lanes();
  const double reach = in.potential.convex ? in.potential.convex_steps().range() : kInfinity;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (!limits.spend(defaults_ * width_) || !sweep_.order_by(alpha, reach) ||
        !pass(alpha, messages))
      return;
    ++solution.iterations;
  }
  if (has_lanes_)
    write_lanes(messages);
}

void SumPassMarginals::run(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
  on_best_units([&, this]() CHORALE_INLINE_LAMBDA { run_passes(limits, solution, messages); });
}

} // namespace chorale
