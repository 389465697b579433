// What a run reads in the place of what its model holds: scores of some chains, and some of the
// columns of some cliques.
#pragma once

#include "base/array.hpp"
#include "cluster/model/model.hpp"

namespace chorale {

// Some columns of a property clique, in a run that restricts ranges.
struct KeptColumns {
  const std::int32_t *columns; // ascending
  std::int32_t count;          // 0: all columns, and no potential
  const Potential *potential;  // over these columns alone
};

class Inputs {
public:
  Inputs(const Memory &memory, const Model &model) noexcept
      : memory_(memory), model_(model), views_(memory), columns_(memory), kept_(memory) {}
  ~Inputs();
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  ChainView view_of(std::int32_t chain) const noexcept {
    const View *given = find_view(chain);
    return given ? given->view : model_.chains[chain].view();
  }
  // True if the chain is read elsewhere than in the model.
  bool replaces(std::int32_t chain) const noexcept { return find_view(chain) != nullptr; }
  bool replaces_any() const noexcept { return !views_.empty(); }
  // Reads a chain elsewhere from now on. False, and unchanged, where there is no memory.
  bool replace(std::int32_t chain, const ChainView &view) noexcept;
  void restore(std::int32_t chain) noexcept;
  void restore_all() noexcept { views_.truncate(0); }

  // NULL: the clique keeps all its columns.
  const KeptColumns *kept(std::int64_t clique) const noexcept {
    return kept_.empty() || kept_[clique].count == 0 ? nullptr : &kept_[clique];
  }
  bool knows_kept() const noexcept { return !kept_.empty(); }
  // Keeps all columns of every clique; then some of one; then, once, settles where they lie. False
  // where there is no memory.
  bool keep_all() noexcept;
  bool keep(std::int64_t clique, const Array<std::int32_t> &columns) noexcept;
  void settle_kept() noexcept;

private:
  struct View {
    std::int32_t chain;
    ChainView view;
  };
  // The first view of `chain` or a later one.
  View *lower_bound(std::int32_t chain) noexcept;
  const View *find_view(std::int32_t chain) const noexcept;

  Memory memory_;
  const Model &model_;
  Array<View> views_; // ascending by chain
  Array<std::int32_t> columns_; // kept columns of all cliques, end to end
  Array<KeptColumns> kept_;     // by clique, or empty
};

} // namespace chorale
