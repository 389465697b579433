// The objective over labellings that have been found, and its minimum.
//
// A labelling y of a group is a *plane* over the weights: how much it scores above gold, with costs,
//     constant + sum_i slopes[i] theta_i.
// The objective is  strength / 2 |theta|^2 + sum over groups of the highest plane, within bounds.
#pragma once

#include "base/array.hpp"

namespace chorale {

// Planes by group. Gold itself is the first plane of each group: all zeros.
class Pools {
public:
  // The most planes of a group. A further plane takes the place of the oldest one but gold.
  static constexpr std::int32_t kMostInGroup = 60;

  explicit Pools(const Memory &memory) noexcept
      : numbers_(memory), next_(memory), first_(memory), last_(memory), kept_(memory) {}

  bool make(std::int64_t weights, std::int64_t groups) noexcept; // false: no memory
  // Adds a plane of `weights` slopes unless the group has the same one. False: no memory.
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
  Array<std::int32_t> kept_; // by group: how many
};

struct Objective {
  const Pools &pools;
  const std::uint8_t *takes_part; // by group
  const double *least;            // by weight; may be minus infinity
  const double *most;
  double strength; // > 0

  double value(const double *theta) const noexcept;
};

// Minimises: Frank-Wolfe steps from one plane of a group to another in the dual, with exact line
// search, until the duality gap is `gap` or no step gets on. shares: by plane, its part of its group,
// from which it begins; planes that are new have none, and where all are new it begins with gold. So
// the shares of another objective over these planes are a start. theta: receives the weights.
// Deterministic. False: no memory.
bool minimise(const Memory &memory, const Objective &objective, double gap, Array<double> &shares,
              double *theta) noexcept;

// The step from plane `from` to plane `to` that maximises the dual, 0 <= step <= most_step.
// sum[i]: sum over planes of their shares times slopes. `breaks`: scratch, 2 x weights + 2.
double exact_step(const Objective &objective, const double *sum, std::int32_t from,
                  std::int32_t to, double most_step, double *breaks) noexcept;

} // namespace chorale
