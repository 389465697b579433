// Residuals of the members of cliques, for a permutation test of agreement: do members of one
// clique agree beyond what the tagger expects?
//
// The residual of a member is a row with one entry for each value v,
//     (1 if its gold label shows v, else 0) - (a + b p),
// where p is the tagger's probability of v. For each v, a and b are fitted by least squares over
// all members of a kind, so that an overconfident or ignorant tagger does not by itself produce
// residuals that are alike. If members agree beyond the tagger's expectation, their residuals have
// the same signs.
//
// Cliques are grouped in pools, and the test exchanges members only within a pool. A pool of
// position cliques is of one kind and group of chains, so that an exchange preserves whatever all
// members of a group have in common. A pool of property cliques is of one kind and problem: a group
// often has only one property clique of a kind, whose members can only be exchanged with members of
// other groups.
#pragma once

#include "learn/chance.hpp"

namespace chorale {

class Residuals {
public:
  explicit Residuals(const Memory &memory) noexcept
      : rows_(memory), expected_(memory), order_(memory), pools_(memory), cliques_(memory) {}

  // Begins a pool of cliques of a kind, whose members have rows of `width` entries. apart: true if
  // the entries of a row stand for values of this pool only, so that a and b are fitted to this
  // pool alone; false if they stand for the same values in all pools of the kind. Returns false if
  // memory runs out.
  bool begin_pool(std::int32_t kind, std::int32_t width, bool apart) noexcept;
  // Adds a clique of `members` members to the last pool. row: receives the offset of the row of its
  // first member; the other members have the rows that follow. All entries are zero. Returns false
  // if memory runs out.
  bool add_clique(std::int64_t members, std::int64_t &row) noexcept;
  // Two rows of the member with offset `row`, for the caller to fill. shown(): 1 for the value that
  // the gold label shows, else 0. probable(): the tagger's probability of each value.
  double *shown(std::int64_t row) noexcept { return rows_.begin() + row; }
  double *probable(std::int64_t row) noexcept { return expected_.begin() + row; }
  // Fits a and b, and turns the rows into residuals. Call once, after all cliques were added.
  void settle() noexcept;

  // True if some pool has two cliques between which members can be exchanged.
  bool can_exchange() const noexcept;
  // Computes the test statistic of each kind: the sum, over cliques, values and ordered pairs of
  // different members, of (product of the residuals of the two members) / n. Here n is the number
  // of members of the clique. Returns the sum over all kinds.
  double likeness(gsl::span<double> by_kind) const noexcept;
  // Deals the members of each pool to the cliques of the pool at random.
  void exchange() noexcept;

private:
  struct Pool {
    std::int32_t kind;
    std::int32_t width;
    bool apart;
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

  Array<double> rows_; // 1 for the value shown, else 0; after settle(), residuals
  Array<double> expected_;
  Array<std::int64_t> order_; // by index of a member: offset of its row
  Array<Pool> pools_;
  Array<std::int64_t> cliques_; // by clique: number of members
  Random random_{3};
};

} // namespace chorale
