// Data of a run that overrides its model: replaced scores of chains, allowed labels of positions,
// strengths of cliques, restricted columns of cliques, and members that are left out.
#pragma once

#include "base/array.hpp"
#include "base/workspace.hpp"
#include "cluster/model/model.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

class Inputs {
public:
  Inputs(const Memory &memory, const Model &model) noexcept
      : model_(model), views_(memory) {}
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  // Returns the scores of a chain: those that replace the model's, if any, with the labels that
  // set_allowed() forbids.
  CHORALE_INLINE_NATIVE ChainView view_of(std::int32_t chain) const noexcept {
    const View *given = find_view(chain);
    ChainView view = given ? given->view : model_.chains[chain].view();
    if (is_masked(chain))
      view.masked = mask_of(chain);
    return view;
  }
  // True if phi, the score of an item (a chain of one position), is its entry of Chain::unary alone.
  bool is_plain_item(const Chain &item, std::int32_t chain) const noexcept {
    return !item.other && !(item.transitions && (item.transitions->start || item.transitions->end)) &&
           !is_masked(chain) && (views_.empty() || !find_view(chain));
  }
  // Returns view_of() of a chain; if edits are expected, with a mask, since edits may add one
  // later. Used to measure memory.
  ChainView widest_view_of(std::int32_t chain) const noexcept {
    static constexpr std::uint8_t kSome = 1;
    ChainView view = view_of(chain);
    if (expects_edits_)
      view.masked = &kSome;
    return view;
  }
  // True if the scores of the chain were replaced.
  bool replaces(std::int32_t chain) const noexcept { return find_view(chain) != nullptr; }
  // True if the scores of a chain were replaced or an edit is in force.
  bool replaces_any() const noexcept { return !views_.empty() || edited_ > 0; }
  // Replaces the scores of a chain; the arrays of `view` are not copied. False, with nothing
  // replaced, if memory runs out.
  bool replace(std::int32_t chain, const ChainView &view) noexcept;
  // Undoes replace() for a chain whose scores were replaced.
  void restore(std::int32_t chain) noexcept;
  // Undoes all replaced scores and edits: scores are those of the model, set_allowed() forbids no
  // label, the factors of all strengths are 1, and no member is left out. Restricted columns stay.
  void restore_all() noexcept;

  // Lays out the memory of set_absent(); with `edits` that of set_allowed() and set_strength(), and
  // with `kept` that of keep_columns().
  void take(Layout &layout, bool edits, bool kept) noexcept;

  // ---- Edits ----
  // States whether the run takes edits. Must be called before memory is measured. Returns what was
  // stated before.
  bool expect_edits(bool expects) noexcept { return std::exchange(expects_edits_, expects); }
  bool takes_edits() const noexcept { return masked_.data() != nullptr; }
  // Allows at a position the labels y with allowed[y] != 0 and no others; all labels if `allowed`
  // is empty.
  void set_allowed(std::int32_t chain, std::int32_t position,
                   gsl::span<const std::uint8_t> allowed) noexcept;
  // True if some label of the position is allowed by `allowed` and by the chain itself, and has a
  // unary score above minus infinity.
  bool leaves_any(std::int32_t chain, std::int32_t position,
                  gsl::span<const std::uint8_t> allowed) const noexcept;
  void set_strength(std::int64_t clique, double factor) noexcept;
  // Returns the factor of the clique's potential; 1 without edits.
  double strength(std::int64_t clique) const noexcept {
    return strengths_.empty() ? 1.0 : strengths_.data()[clique];
  }

  // ---- Members that are left out, since their chains have no labelling ----
  // States the sum of the weights of the members of a clique that are left out. Must be called for
  // every clique before use_absent(true). After use_absent(false) no member counts as left out.
  void set_absent(std::int64_t clique, std::int32_t weight) noexcept {
    absent_.data()[clique] = weight;
  }
  void use_absent(bool some) noexcept { some_absent_ = some; }
  // Returns a clique of the model, with Clique::absent set.
  Clique clique(std::int64_t number) const noexcept {
    Clique of = model_.cliques[number];
    of.absent = some_absent_ ? absent_.data()[number] : 0;
    return of;
  }

  // ---- Restricted ranges (option restrict_range) ----
  // For a clique with a property: returns an array with an entry for each column. The caller must
  // set all entries before the first message: 0 if messages leave the column out, otherwise 1.
  gsl::span<std::uint8_t> keep_columns(std::int64_t clique) noexcept {
    return kept_.subspan(to_size(model_.first_count(clique)),
                         to_size(model_.cliques[clique].columns()));
  }
  // Returns the array of keep_columns() for a clique: an entry is 0 if messages leave the column
  // out. NULL if they cover all columns.
  const std::uint8_t *kept(std::int64_t clique) const noexcept {
    return kept_.empty() || !model_.cliques[clique].property()
               ? nullptr
               : kept_.data() + model_.first_count(clique);
  }

private:
  struct View {
    std::int32_t chain;
    ChainView view;
  };
  // Returns the first replaced view of a chain with a number of at least `chain`.
  View *lower_bound(std::int32_t chain) noexcept;
  const View *find_view(std::int32_t chain) const noexcept;
  // True if set_allowed() forbids some label of the chain.
  bool is_masked(std::int32_t chain) const noexcept {
    return takes_edits() && masked_.data()[chain] > 0;
  }
  std::uint8_t *mask_of(std::int32_t chain) const noexcept {
    return masks_.data() + std::int64_t{model_.chains[chain].first_label} * model_.most_labels;
  }

  const Model &model_;
  Array<View> views_;           // replaced views, ascending by chain
  gsl::span<std::uint8_t> kept_; // by clique and column; empty: messages cover all columns
  // The next three are empty without edits. masks_ has most_labels bytes for each site. The mask of
  // a chain begins at the bytes of its first site. It has an entry for each position and label,
  // row-major without gaps: 1 if the label is allowed at the position, otherwise 0. It is
  // initialised only while the chain's entry of masked_ is above 0.
  gsl::span<std::uint8_t> masks_;
  // By chain: number of positions with a label that set_allowed() forbids.
  gsl::span<std::int32_t> masked_;
  gsl::span<double> strengths_;    // by clique: factor of its potential
  bool expects_edits_ = false;
  bool some_absent_ = false;       // false: no member is left out, and absent_ is not read
  gsl::span<std::int32_t> absent_; // by clique: see set_absent()
  // Number of positions with a label that set_allowed() forbids, plus number of cliques with a
  // strength other than 1.
  std::int64_t edited_ = 0;
};

} // namespace chorale
