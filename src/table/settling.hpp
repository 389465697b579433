// A table of mentions, ordered by key: estimates or learns the numbers of chorale_evidence, and
// settles the keys, that is, decides the labels of their mentions.
#pragma once

#include "base/report.hpp"
#include "table/evidence.hpp"

#include <chorale/experimental/table.h>

namespace chorale {

// Checks the numbers of evidence that the caller gives; `most` must be above 0.
chorale_status check_evidence(const Report &report, const chorale_evidence &evidence) noexcept;

// Checks the arrays of mentions: their sizes and all their entries.
chorale_status check_mentions(const Report &report, const chorale_mentions &mentions) noexcept;

// The probability of a label if the caller gives no confidences.
inline constexpr double kConfidence = 0.8;

class SettledTable {
public:
  SettledTable(const Memory &memory, const chorale_mentions &mentions) noexcept
      : given_(mentions), mentions_(memory), first_(memory), scores_(memory), place_(memory),
        counts_(memory), memory_(memory) {}

  // Computes the votes of all rows, and orders the rows by key. To be called before find() and
  // settle(). False if memory runs out.
  bool prepare() noexcept;

  // Estimates the numbers of `evidence`; if right labels are given, learns `once` and `per_mention`
  // from these. False if memory runs out.
  bool find(chorale_evidence &evidence) noexcept;

  // Settles all keys, and the rows without one. settled: by row; keys: by key; either may be NULL.
  void settle(const Evidence &evidence, chorale_settled_mention *settled,
              chorale_settled_key *keys) noexcept;

private:
  // A row. The rows of a key stand side by side, so that each pass over keys reads memory in order.
  struct Mention {
    double margin;       // margin and own: its vote
    std::int32_t own;
    std::int32_t before; // the label given (if the caller gives no labels: own); -1: none
    std::int64_t row;
    std::int64_t times;

    // Its label if its key has no single label.
    std::int32_t own_label() const noexcept { return own >= 0 ? own : before; }
  };
  // Numbers of mentions with a label: as given, and if each mention has its own label.
  struct Counts {
    std::int64_t before;
    std::int64_t now;
  };

  bool estimate(chorale_evidence &evidence) noexcept;
  void learn(chorale_evidence &evidence) noexcept;
  void sum_up(std::int64_t key, double most) noexcept;
  std::int64_t place_of(std::int64_t label) noexcept;
  std::int32_t best_label() const noexcept;
  double own_probability(const Mention &mention, std::int32_t label, double most) const noexcept;
  chorale_settled_key settle_key(std::int64_t key, const Evidence &evidence,
                                 chorale_settled_mention *settled) noexcept;

  Vote vote_of_row(std::int64_t row) const noexcept;
  // Returns the key of a row; the number of keys for a row without one.
  std::int64_t key_of(std::int64_t row) const noexcept {
    return given_.key[row] < 0 ? given_.keys : given_.key[row];
  }
  gsl::span<const Mention> mentions_of(std::int64_t key) const noexcept {
    return {mentions_.begin() + first_[key], to_size(first_[key + 1] - first_[key])};
  }

  chorale_mentions given_;
  Array<Mention> mentions_;
  Array<std::int64_t> first_; // mentions_ of key k begin at first_[k]
  // The sums of the present key. place_[v]: where label v is in scores_ and counts_; -1: nowhere.
  Array<LabelScore> scores_;
  Array<std::int32_t> place_;
  Array<Counts> counts_;
  Sums sums_;
  Memory memory_;
};

} // namespace chorale
