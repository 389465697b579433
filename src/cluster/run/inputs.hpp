// Data of a run that overrides its model: replaced scores of chains, and restricted columns of
// cliques.
#pragma once

#include "base/array.hpp"
#include "cluster/model/model.hpp"

namespace chorale {

// Columns of a property clique to which a run with restricted ranges limits its messages.
struct KeptColumns {
  const std::int32_t *columns; // the kept columns, ascending
  std::int32_t count;          // 0: no restriction; `potential` is NULL
  const Potential *potential;  // potential over these columns alone
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
  // True if the view of the chain is replaced.
  bool replaces(std::int32_t chain) const noexcept { return find_view(chain) != nullptr; }
  bool replaces_any() const noexcept { return !views_.empty(); }
  // Replaces the view of a chain. False, without change, if memory is exhausted.
  bool replace(std::int32_t chain, const ChainView &view) noexcept;
  void restore(std::int32_t chain) noexcept;
  void restore_all() noexcept { views_.truncate(0); }

  // Returns the kept columns, or NULL if the clique keeps all.
  const KeptColumns *kept(std::int64_t clique) const noexcept {
    return kept_.empty() || kept_[clique].count == 0 ? nullptr : &kept_[clique];
  }
  bool knows_kept() const noexcept { return !kept_.empty(); }
  // keep_all() lets every clique keep all columns; then keep() restricts single cliques, in
  // ascending order; then settle_kept() sets the pointers to the columns. False if memory is
  // exhausted.
  bool keep_all() noexcept;
  bool keep(std::int64_t clique, const Array<std::int32_t> &columns) noexcept;
  void settle_kept() noexcept;

private:
  struct View {
    std::int32_t chain;
    ChainView view;
  };
  // Returns the first view of a chain with number >= `chain`.
  View *lower_bound(std::int32_t chain) noexcept;
  const View *find_view(std::int32_t chain) const noexcept;

  Memory memory_;
  const Model &model_;
  Array<View> views_;           // replaced views, ascending by chain
  Array<std::int32_t> columns_; // kept columns of all cliques, end to end
  Array<KeptColumns> kept_;     // by clique; empty before keep_all()
};

} // namespace chorale
