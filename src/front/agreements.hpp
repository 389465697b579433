// Adds the cliques of a chorale_agreement to a model.
#pragma once

#include "base/array.hpp"
#include "capi/firewall.hpp"

#include <chorale/decode.h>

namespace chorale {

// The strength of an agreement that is switched off.
inline constexpr double kNoAgreement = CHORALE_NO_AGREEMENT;

// Gives access to a checked corpus by chain and position. If an array of the corpus is NULL, its
// default is used.
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
  // Returns the chain that contains a position of the corpus. O(log chains).
  std::int64_t chain_of(std::int64_t position) const noexcept;

private:
  const chorale_corpus &corpus_;
};

// Adds the cliques of one agreement to `builder`, which must have the chains of the corpus and may
// have cliques of other agreements. place: the name of the agreement in error messages, such as
// "agreements[1]". cliques: receives the number of cliques added.
chorale_status add_agreement(const Report &report, std::string_view place, const Memory &memory,
                             const chorale_host *host, const CorpusParts &parts,
                             const chorale_agreement &agreement, chorale_model_builder *builder,
                             std::int64_t &cliques) noexcept;

} // namespace chorale
