// Whether members of a clique are alike in what their tagger did not expect.
//
// The residual of a member is, by value, 1 where its gold label shows the value, less what the
// probability that the tagger gives the value lets expect: a + b p, by least squares over all members
// of a kind, so that a tagger that is too sure, or that knows nothing, leaves no residuals that are
// alike because its mistakes are. Members of a clique that are alike beyond what the tagger knows have
// residuals of one sign. Cliques come in pools: of one kind and one group, so that exchanging their
// members leaves what is alike in all of a group as it is.
#pragma once

#include "learn/chance.hpp"

namespace chorale {

class Residuals {
public:
  explicit Residuals(const Memory &memory) noexcept
      : rows_(memory), expected_(memory), order_(memory), pools_(memory), cliques_(memory) {}

  // A pool of cliques of a kind follows, whose members have `width` values each. False: no memory.
  bool begin_pool(std::int32_t kind, std::int32_t width) noexcept;
  // A clique of the last pool with so many members. `row`: where those of the first begin, zeros.
  bool add_clique(std::int64_t members, std::int64_t &row) noexcept;
  double *shown(std::int64_t row) noexcept { return rows_.begin() + row; }
  double *probable(std::int64_t row) noexcept { return expected_.begin() + row; }
  // Once all are there: takes what was to be expected from what is shown.
  void settle() noexcept;

  // True if some clique has two members that can be exchanged with another's.
  bool can_exchange() const noexcept;
  // The sum over cliques and values of the products of two members' residuals, over n.
  double likeness() const noexcept;
  // Deals the members of each pool to its cliques anew.
  void exchange() noexcept;

private:
  struct Pool {
    std::int32_t kind;
    std::int32_t width;
    std::int64_t first_row;
    std::int64_t first_member;
    std::int64_t first_clique;
  };
  std::int64_t last_member(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_member : order_.size();
  }
  std::int64_t last_clique(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_clique : cliques_.size();
  }

  std::int64_t last_row(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_row : rows_.size();
  }

  Array<double> rows_; // what is shown; once settled, residuals
  Array<double> expected_;
  Array<std::int64_t> order_; // by place of a member: where its row begins
  Array<Pool> pools_;
  Array<std::int64_t> cliques_; // members
  Random random_{3};
};

} // namespace chorale
