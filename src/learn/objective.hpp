// The learning objective over stored labellings, and its minimisation.
//
// A labelling y of a group is a *plane*: a linear function of the weights theta,
//     constant + sum_i slopes[i] theta_i,
// equal to the cost of y plus the score of y minus the score of the gold labelling. The objective
// is
//     strength / 2 |theta|^2 + sum over groups of the maximum over the group's planes, within
//     bounds.
#pragma once

#include "base/array.hpp"

namespace chorale {

// Planes by group, as linked lists. The first plane of each group is that of the gold labelling:
// all zeros.
class Pools {
public:
  // Greatest number of planes of a group. A further plane replaces the oldest one, but never
  // gold's.
  static constexpr std::int32_t kMostInGroup = 60;

  explicit Pools(const Memory &memory) noexcept
      : numbers_(memory), next_(memory), first_(memory), last_(memory), kept_(memory) {}

  bool make(std::int64_t weights, std::int64_t groups) noexcept; // false: no memory
  // Adds a plane of `weights` slopes, unless the group has an equal one. False: no memory.
  bool add(std::int64_t group, double constant, const double *slopes) noexcept;

  std::int64_t weights() const noexcept { return weights_; }
  std::int64_t groups() const noexcept { return first_.size(); }
  std::int64_t planes() const noexcept { return next_.size(); }
  std::int32_t first(std::int64_t group) const noexcept { return first_[group]; }
  std::int32_t next(std::int32_t plane) const noexcept { return next_[plane]; } // -1: the last
  double constant(std::int32_t plane) const noexcept { return numbers_[plane * (weights_ + 1)]; }
  const double *slopes(std::int32_t plane) const noexcept {
    return numbers_.begin() + plane * (weights_ + 1) + 1;
  }
  double value(std::int32_t plane, const double *theta) const noexcept;
  double highest(std::int64_t group, const double *theta) const noexcept;

private:
  std::int64_t weights_ = 0;
  Array<double> numbers_;      // planes x (1 + weights)
  Array<std::int32_t> next_;   // by plane
  Array<std::int32_t> first_;  // by group
  Array<std::int32_t> last_;
  Array<std::int32_t> kept_; // by group: number of planes
};

struct Objective {
  const Pools &pools;
  const std::uint8_t *takes_part; // by group
  const double *least;            // by weight; may be minus infinity
  const double *most;
  double strength; // > 0

  double value(const double *theta) const noexcept;
};

// Minimises the objective in the dual, where each plane has a share >= 0 and the shares of a group
// sum to 1. Frank-Wolfe steps with exact line search move share from one plane of a group to
// another, until the duality gap is at most `gap` or no step improves the dual.
// shares: by plane, the starting point, updated. New planes have share 0; in a group without
// shares, gold has share 1. So the solution for another objective over these planes can be the
// start.
// theta: receives the weights. Deterministic. False: no memory.
bool minimise(const Memory &memory, const Objective &objective, double gap, Array<double> &shares,
              double *theta) noexcept;

// Returns the step in 0 .. most_step from plane `from` to plane `to` that maximises the dual.
// sum[i]: sum over planes of share times slope i. breaks: scratch, 2 x weights + 2.
double exact_step(const Objective &objective, const double *sum, std::int32_t from,
                  std::int32_t to, double most_step, double *breaks) noexcept;

} // namespace chorale
