// Divides the chains of a model into parts that no clique connects. The best labelling of a part
// does not depend on the other parts.
#pragma once

#include "base/packed.hpp"

#include <gsl/span>

namespace chorale {

class Parts {
public:
  explicit Parts(const Memory &memory) noexcept : of_(memory) {}

  // Computes the parts from the connected components of the chains: lowest[i] is the lowest chain
  // number in the component of chain i. is_free(i) is true if the best labelling of chain i is found
  // directly, without messages or polish; such chains need no part of their own and join part 0.
  // Overwrites `lowest`. False if memory runs out.
  template <class IsFree> bool make(gsl::span<std::int32_t> lowest, IsFree &&is_free) noexcept {
    std::int32_t *part = lowest.data();
    const auto chains = static_cast<std::int64_t>(lowest.size());
    std::int32_t parts = 0;
    for (std::int64_t i = 0; i < chains; ++i)
      part[i] = is_free(i) ? 0 : part[i] == i ? parts++ : part[part[i]];
    if (parts <= 1)
      return true;
    if (!of_.make(chains, 0, parts - 1))
      return false;
    for (std::int64_t i = 0; i < chains; ++i)
      of_.set(i, part[i]);
    count_ = parts;
    return true;
  }
  bool copy(const Parts &from) noexcept {
    count_ = from.count_;
    return of_.copy(from.of_);
  }

  std::int32_t count() const noexcept { return count_; }
  // Returns the part of a chain, from 0 to count() - 1.
  std::int32_t of(std::int64_t chain) const noexcept { return of_.empty() ? 0 : of_[chain]; }
  std::size_t bytes() const noexcept { return of_.bytes(); }

private:
  PackedIntegers of_; // by chain; empty if there is only one part
  std::int32_t count_ = 1;
};

} // namespace chorale
