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
// Cliques are grouped in pools, and the test exchanges residuals only within a pool. A pool of
// position cliques is of one kind and group of chains, so that an exchange preserves whatever all
// members of a group have in common. A pool of property cliques is of one kind and problem: a group
// often has only one property clique of a kind, whose members can only be exchanged with members of
// other groups.
//
// Several cliques of a pool can contain the same position, as neighbourhoods of a graph do. Such a
// position has one residual, so that an exchange leaves the graph as it is, and gives each of its
// nodes the residual of a node with equally many neighbours. (Otherwise residuals that depend on
// the number of neighbours, with neighbours dealt at random, would look alike.)
#pragma once

#include "learn/chance.hpp"

namespace chorale {

class Residuals {
public:
  explicit Residuals(const Memory &memory) noexcept
      : rows_(memory), expected_(memory), degree_(memory), sorted_(memory), order_(memory),
        members_(memory), at_(memory), pools_(memory), cliques_(memory), moments_(memory) {}

  // What the values of a pool mean, and what its cliques are.
  enum class PoolType : std::int32_t {
    cliques, // cliques without a centre; values mean the same in all pools of the kind
    centred, // centred cliques; values mean the same in all pools of the kind
    apart    // cliques without a centre; values are those of this pool only, so a and b are too
  };
  // Begins a pool of cliques of a kind, whose members have rows of `width` entries. All pools of a
  // kind have the same type, and the same width unless they are `apart`. Returns false if memory
  // runs out.
  bool begin_pool(std::int32_t kind, std::int32_t width, PoolType type) noexcept;
  // Adds a row to the last pool, whose entries are zero. row: receives its offset. Returns false if
  // memory runs out.
  bool add_row(std::int64_t &row) noexcept;
  // Adds a clique to the last pool. rows: by member, the offset of its row in this pool; the centre
  // of a centred clique is the last member. Returns false if memory runs out.
  bool add_clique(gsl::span<const std::int64_t> rows) noexcept;
  // The two parts of the row at offset `row`, for the caller to fill. shown(): 1 for the value that
  // the gold label shows, else 0. probable(): the tagger's probability of each value.
  double *shown(std::int64_t row) noexcept { return rows_.begin() + row; }
  double *probable(std::int64_t row) noexcept { return expected_.begin() + row; }
  // Fits a and b, and turns the rows into residuals. Call once, after all cliques were added.
  void settle() noexcept;
  // Call after all cliques were added, before exchange(). Returns false if memory runs out.
  bool find_degrees() noexcept;

  // True if some pool has two cliques between which members can be exchanged.
  bool can_exchange() const noexcept;
  // Computes the test statistic of each kind, and returns the sum over all kinds. n is the number
  // of members of a clique, without its centre.
  //   Cliques without a centre: the sum, over cliques, values and ordered pairs of different
  // members, of (product of the residuals of the two members) / n. High if members are alike.
  //   Centred cliques: the matrix whose entry (c, v) is the sum, over cliques and members, of
  // (residual of the centre for c) (residual of the member for v) / n; of this matrix the root of
  // the sum of squares. High if members depend on the centre, alike or not.
  double likeness(gsl::span<double> by_kind) noexcept;
  // Permutes the rows of each pool at random, among places that are in equally many cliques.
  void exchange() noexcept;

private:
  struct Pool {
    std::int32_t kind;
    std::int32_t width;
    PoolType type;
    std::int64_t first_row;
    std::int64_t first_place;
    std::int64_t first_member;
    std::int64_t first_clique;
    std::int64_t moments; // centred: offset of the matrix of the kind
  };
  void add_moments(const std::int64_t *member, std::int64_t n, std::int32_t width,
                   double *matrix) const noexcept;
  std::int64_t last_place(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_place : order_.size();
  }
  std::int64_t last_clique(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_clique : cliques_.size();
  }
  std::int64_t last_row(std::int64_t pool) const noexcept {
    return pool + 1 < pools_.size() ? pools_[pool + 1].first_row : rows_.size();
  }

  Array<double> rows_; // 1 for the value shown, else 0; after settle(), residuals
  Array<double> expected_;
  Array<std::int64_t> degree_;  // by place: the number of cliques that contain it
  Array<std::int64_t> sorted_;  // the places of each pool, sorted by degree
  Array<std::int64_t> order_;   // by place, a row before exchanges: offset of its row now
  Array<std::int64_t> members_; // by member: its place
  Array<std::int64_t> at_;      // by member: offset of its row now
  Array<Pool> pools_;
  Array<std::int64_t> cliques_; // by clique: number of members, with the centre
  Array<double> moments_;       // matrices of likeness(), width x width for each centred kind
  Random random_{3};
};

} // namespace chorale
