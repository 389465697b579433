// What ought to agree (chorale_agreement), made into the cliques of a model.
#pragma once

#include "base/array.hpp"
#include "capi/firewall.hpp"

#include <chorale/decode.h>

namespace chorale {

// A checked corpus, with the struct's fields as they hold today.
class CorpusParts {
public:
  explicit CorpusParts(const chorale_corpus &corpus) noexcept : corpus_(corpus) {}

  const chorale_corpus &corpus() const noexcept { return corpus_; }
  std::int64_t chains() const noexcept { return corpus_.chains; }
  std::int64_t begin(std::int64_t chain) const noexcept {
    return corpus_.offsets ? corpus_.offsets[chain] : chain;
  }
  std::int64_t positions() const noexcept { return begin(chains()) - begin(0); }
  std::int64_t group(std::int64_t chain) const noexcept {
    return corpus_.groups ? corpus_.groups[chain] : 0;
  }
  // The chain that holds a position, which lies in the corpus. O(log chains).
  std::int64_t chain_of(std::int64_t position) const noexcept;

private:
  const chorale_corpus &corpus_;
};

// Adds the cliques of one agreement to a builder that holds the corpus alone (and other agreements'
// cliques); `place` is how messages call the agreement, "agreements[1]". `cliques`: how many were
// added.
chorale_status add_agreement(const Report &report, std::string_view place, const Memory &memory,
                             const chorale_host *host, const CorpusParts &parts,
                             const chorale_agreement &agreement, chorale_model_builder *builder,
                             std::int64_t &cliques) noexcept;

} // namespace chorale
