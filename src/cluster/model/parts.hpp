// Divides the chains of a model into parts that no clique connects. The best labelling of a part
// does not depend on the other parts.
#pragma once

#include "base/packed.hpp"

#include <gsl/span>

namespace chorale {

class Parts {
public:
  explicit Parts(const Memory &memory) noexcept : of_(memory), first_(memory) {}

  // Computes the parts from the connected components of the chains: lowest[i] is the lowest chain
  // number in the component of chain i. is_free(i) is true if the best labelling of chain i is
  // found directly, without messages or polish, so that the chain may be counted in any part.
  // Overwrites `lowest`. False if memory runs out.
  template <class IsFree> bool make(gsl::span<std::int32_t> lowest, IsFree &&is_free) noexcept;
  bool copy(const Parts &from) noexcept {
    count_ = from.count_;
    return of_.copy(from.of_) && first_.copy(from.first_);
  }

  std::int32_t count() const noexcept { return count_; }
  // Returns the part of a chain, from 0 to count() - 1. O(log count()).
  std::int32_t of(std::int64_t chain) const noexcept {
    if (!of_.empty())
      return of_[chain];
    std::int32_t part = 0;
    for (std::int32_t end = count_; end - part > 1;) {
      const std::int32_t middle = part + (end - part) / 2;
      (first_[middle] <= chain ? part : end) = middle;
    }
    return part;
  }
  std::size_t bytes() const noexcept { return of_.bytes() + first_.bytes(); }

private:
  // At most one of the two arrays is used. of_: the part of each chain. first_: the first chain of
  // each part; used if the chains of every part are consecutive. Both are empty if there is only
  // one part.
  PackedIntegers of_;
  PackedIntegers first_;
  std::int32_t count_ = 1;
};

template <class IsFree>
bool Parts::make(gsl::span<std::int32_t> lowest, IsFree &&is_free) noexcept {
  std::int32_t *root = lowest.data();
  const auto chains = static_cast<std::int64_t>(lowest.size());
  // Replaces root[i], the lowest chain that is connected with i, by the number of the part of i, or by
  // -1 if is_free(i).
  std::int32_t parts = 0;
  std::int32_t last = -1;
  bool ascends = true;
  for (std::int64_t i = 0; i < chains; ++i) {
    root[i] = is_free(i) ? -1 : root[i] == i ? parts++ : root[root[i]];
    ascends = ascends && (root[i] < 0 || root[i] >= last);
    last = std::max(last, root[i]);
  }
  if (parts <= 1)
    return true;
  count_ = parts;
  if (!ascends) {
    if (!of_.make(chains, 0, parts - 1))
      return false;
    for (std::int64_t i = 0; i < chains; ++i)
      of_.set(i, std::max(root[i], 0));
    return true;
  }
  if (!first_.make(parts, 0, chains))
    return false;
  for (std::int64_t i = chains - 1; i >= 0; --i)
    if (root[i] >= 0)
      first_.set(root[i], i);
  return true;
}

} // namespace chorale
