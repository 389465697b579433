// Whether members of a clique are alike in what their tagger did not expect.
//
// The residual of a member is, by value, 1 where its gold label shows the value, less how probable
// the tagger holds that. Members of a clique that are alike beyond what the tagger knows have
// residuals of one sign. Cliques come in pools: of one kind and one group, so that exchanging their
// members leaves what is alike in all of a group as it is.
#pragma once

#include "learn/chance.hpp"

namespace chorale {

class Residuals {
public:
  explicit Residuals(const Memory &memory) noexcept
      : rows_(memory), order_(memory), pools_(memory), cliques_(memory) {}

  // A pool of cliques follows, whose members have `width` values each. False: no memory.
  bool begin_pool(std::int32_t width) noexcept;
  // A clique of the last pool with so many members. `row`: where the zeros of the first begin.
  bool add_clique(std::int64_t members, std::int64_t &row) noexcept;
  double *row(std::int64_t at) noexcept { return rows_.begin() + at; }

  // True if some clique has two members that can be exchanged with another's.
  bool can_exchange() const noexcept;
  // The sum over cliques and values of the products of two members' residuals, over n.
  double likeness() const noexcept;
  // Deals the members of each pool to its cliques anew.
  void exchange() noexcept;

private:
  struct Pool {
    std::int32_t width;
    std::int64_t first_member;
    std::int64_t first_clique;
  };
  std::int64_t last_member(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_member : order_.size();
  }
  std::int64_t last_clique(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_clique : cliques_.size();
  }

  Array<double> rows_;
  Array<std::int64_t> order_; // by place of a member: where its row begins
  Array<Pool> pools_;
  Array<std::int64_t> cliques_; // members
  Random random_{3};
};

} // namespace chorale
