// The learning objective over stored labellings, and its minimisation.
//
// A stored labelling y of a group (a document) is a *plane*: a linear function of the weights
// theta,
//     constant + sum_i slopes[i] theta_i.
// It equals the cost of y times a factor, plus the score of y, minus the score of the gold
// labelling.
// The objective is
//     strength / 2 |theta|^2 + sum over groups of the maximum over the group's planes,
// minimised over the theta within the bounds of the weights.
//
// Weights can share a *direction* D, a vector with one number for each of them. Then theta[i] is
// e[i] + s D[i]; s and the e[i] are minimised over in the place of theta[i], |theta|^2 has
// s^2 + sum_i e[i]^2 in the place of theta[i]^2, and the bounds are those of e[i]. So theta is
// drawn to a multiple of D, not to 0.
#pragma once

#include "base/array.hpp"
#include "base/span.hpp"

namespace chorale {

// The planes of each group, as a linked list. The first plane of a group is that of the gold
// labelling, whose constant and slopes are 0.
class Pools {
public:
  // Greatest number of planes of a group. A further plane replaces the oldest one, but never the
  // first, that of the gold labelling.
  static constexpr std::int32_t kMostInGroup = 60;

  explicit Pools(const Memory &memory) noexcept
      : numbers_(memory), next_(memory), first_(memory), last_(memory), kept_(memory) {}

  bool make(std::int64_t weights, std::int64_t groups) noexcept; // false: no memory
  // Adds a plane, unless the group has an equal one. slopes: one for each weight. False: no memory.
  bool add(std::int64_t group, double constant, gsl::span<const double> slopes) noexcept;

  std::int64_t weights() const noexcept { return weights_; }
  std::int64_t groups() const noexcept { return first_.size(); }
  std::int64_t planes() const noexcept { return next_.size(); }
  std::int32_t first(std::int64_t group) const noexcept { return first_[group]; }
  std::int32_t next(std::int32_t plane) const noexcept { return next_[plane]; } // -1 after the last
  double constant(std::int32_t plane) const noexcept { return numbers_[plane * (weights_ + 1)]; }
  gsl::span<const double> slopes(std::int32_t plane) const noexcept {
    return {numbers_.begin() + plane * (weights_ + 1) + 1, to_size(weights_)};
  }
  double value(std::int32_t plane, gsl::span<const double> theta) const noexcept;
  double highest(std::int64_t group, gsl::span<const double> theta) const noexcept;

private:
  std::int64_t weights_ = 0;
  Array<double> numbers_;     // planes x (1 + weights): constant, then slopes
  Array<std::int32_t> next_;  // by plane: the next plane of its group
  Array<std::int32_t> first_; // by group: its first plane
  Array<std::int32_t> last_;
  Array<std::int32_t> kept_; // by group: number of planes
};

struct Direction {
  std::int64_t first;              // number of the first weight that shares it
  gsl::span<const double> numbers; // D, by weight from the first on

  // Returns the sum of the products of D and the same entries of `vector` (by weight).
  double product(gsl::span<const double> vector) const noexcept;
};

struct Objective {
  const Pools &pools;
  gsl::span<const std::uint8_t> takes_part; // by group
  gsl::span<const double> least;            // by weight; may be minus infinity
  gsl::span<const double> most;
  double strength;                         // > 0
  gsl::span<const Direction> directions{}; // no weight shares two of them
};

// Minimises the objective in the dual, where each plane has a share >= 0 and the shares of a group
// sum to 1. Makes Frank-Wolfe steps until the duality gap is at most `gap`, for at most 2000 sweeps
// over the groups. Each step moves share from one plane of a group to another, by the amount that
// increases the dual most.
// shares: by plane. On input the shares to start from, such as those found for another objective
// with the same pools; planes beyond the end of the array start with share 0. If the array is
// empty, the first plane of each group starts with share 1. On output the shares found.
// theta: receives the weights, e[i] + s D[i] where a direction is shared. Deterministic. False: no
// memory.
bool minimise(const Memory &memory, const Objective &objective, double gap, Array<double> &shares,
              gsl::span<double> theta) noexcept;

// Returns how much share, from 0 to most_step, to move from plane `from` to plane `to` so that the
// dual is greatest. sum: by weight i, the sum over all planes of share times slope i. breaks:
// scratch memory, 2 x weights + 2 numbers.
double exact_step(const Objective &objective, gsl::span<const double> sum, std::int32_t from,
                  std::int32_t to, double most_step, gsl::span<double> breaks) noexcept;

} // namespace chorale
