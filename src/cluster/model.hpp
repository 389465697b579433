// The public model: chains, cliques, and the slots where they meet. Immutable once frozen.
//
// A *slot* is one membership: a chain (by one position, by a property, or as an instance's port) in
// a clique. Slots lie chain by chain: whole-chain ones first, in the order of adding, then
// positions in ascending order. A clique lists its slots in the order of its members, a centre
// last.
//
// What a slot shows is a *column* of its clique: 0 .. R-1, then EMPTY and CONFLICT where the clique
// has them; -1 for a value that no column stands for. Messages of a clique are one row of columns a
// member, one after the other, the centre's row (one entry a value of the centre) last.
#pragma once

#include "base/array.hpp"
#include "base/log.hpp"
#include "base/shared_bytes.hpp"
#include "chain/chain_view.hpp"
#include "potential/potential.hpp"
#include "property/attached.hpp"

#include <chorale/model.h>

#include <atomic>

namespace chorale {

// What few chains have; most are arrays without gaps over shared transitions.
struct UnusualChain {
  ChainView view;
};

struct Chain {
  const void *unary;
  const Transitions *transitions;
  const std::int32_t *tokens;       // or NULL
  const UnusualChain *unusual;      // or NULL
  const chorale_instance *instance; // or NULL
  std::int64_t first_label;         // of all chains' labels, laid end to end
  std::int64_t first_slot;
  std::int32_t slots;
  std::int32_t whole_slots; // of those: properties and ports
  std::int32_t length;
  std::int32_t labels;
  bool single;

  ChainView view() const noexcept {
    if (unusual)
      return unusual->view;
    ChainView view;
    view.length = length;
    view.labels = labels;
    view.single = single;
    view.unary = unary;
    view.unary_row = labels;
    view.unary_column = 1;
    view.transitions = transitions;
    return view;
  }
};

struct Slot {
  std::int32_t chain;
  std::int32_t clique;
  std::int32_t member;   // == Clique::members for a centre
  std::int32_t position; // -1: the whole chain
  std::int32_t whole;    // number among all whole-chain slots, or -1
};

// Of a whole-chain slot; NULLs where the property reads none.
struct WholeSlot {
  const std::int32_t *classes;
  const std::int32_t *table;
};

struct Clique {
  const Property *property;       // NULL: positions
  const Dictionary *dictionary;   // or NULL
  const Potential *potential;     // over `columns`; NULL where centred
  const Potential *const *centre; // over `columns`, one a value of the centre
  const std::int32_t *map;        // label to column, -1 for EMPTY; NULL: itself
  const std::int32_t *centre_map; // or NULL
  std::int64_t first_slot;        // in Model::members
  std::int64_t first_message;
  std::int64_t first_count; // in an array of all cliques' counts
  std::int32_t map_labels;
  std::int32_t centre_map_labels;
  std::int32_t centre_values;
  std::int32_t values;  // R
  std::int32_t columns; // R + 2, or R where nothing can be EMPTY
  std::int32_t members; // n; the centre is not one of them

  bool centred() const noexcept { return centre != nullptr; }
  std::int32_t all_members() const noexcept { return members + (centred() ? 1 : 0); }
  std::int32_t width(std::int32_t member) const noexcept {
    return member == members ? centre_values : columns;
  }
  std::int64_t row(std::int32_t member) const noexcept {
    return first_message + std::int64_t{member} * columns;
  }
  // What a position shows; values of a label of its chain.
  std::int32_t column_of(std::int32_t member, std::int32_t label) const noexcept {
    if (member == members)
      return centre_map ? centre_map[label] : label;
    if (!map)
      return label;
    return map[label] >= 0 ? map[label] : values;
  }
  // The potential that holds when the centre shows `value`.
  const Potential &potential_at(std::int32_t value) const noexcept {
    return centre ? *centre[value] : *potential;
  }
};

} // namespace chorale

struct chorale_model {
  explicit chorale_model(const chorale::Memory &from, const chorale::Log &to) noexcept
      : memory(from), log(to), arena(from), chains(from), slots(from), wholes(from), cliques(from),
        members(from), groups(from), potentials(from), properties(from), dictionaries(from),
        transitions(from) {}
  ~chorale_model();
  chorale_model(const chorale_model &) = delete;
  chorale_model &operator=(const chorale_model &) = delete;

  const chorale::Slot &slot(const chorale::Clique &clique, std::int32_t member) const noexcept {
    return slots[members[clique.first_slot + member]];
  }
  chorale::Attached attached(const chorale::Slot &slot) const noexcept {
    const chorale::Clique &clique = cliques[slot.clique];
    const chorale::WholeSlot &whole = wholes[slot.whole];
    return {clique.property, clique.dictionary, whole.classes,
            whole.table,     nullptr,           chains[slot.chain].length};
  }
  std::int32_t width(const chorale::Slot &slot) const noexcept {
    return cliques[slot.clique].width(slot.member);
  }
  std::int64_t row(const chorale::Slot &slot) const noexcept {
    return cliques[slot.clique].row(slot.member);
  }
  std::size_t bytes() const noexcept;

  chorale::Memory memory;
  chorale::Log log;
  mutable std::atomic<std::int64_t> references{1};
  chorale::Arena arena;
  chorale::Array<chorale::Chain> chains;
  chorale::Array<chorale::Slot> slots;
  chorale::Array<chorale::WholeSlot> wholes;
  chorale::Array<chorale::Clique> cliques;
  chorale::Array<std::int32_t> members; // slots, clique by clique
  chorale::Array<std::int64_t> groups;  // of the chains; empty where all are 0
  // One reference each. The potentials are as given, or made from those for the model alone.
  chorale::Array<const chorale::Potential *> potentials;
  chorale::Array<const chorale::Property *> properties;
  chorale::Array<const chorale::Dictionary *> dictionaries;
  chorale::Array<const chorale::Transitions *> transitions;

  std::int64_t label_count = 0;   // of all chains together
  std::int64_t message_count = 0; // of all rows together
  std::int64_t count_count = 0;   // of all cliques' columns
  std::int32_t most_labels = 1;
  std::size_t score_bytes = 0;
  std::size_t made_potential_bytes = 0;
  // References, or NULL: the model whose chains and properties these are; where borrowed arrays
  // lie.
  const chorale_model *base = nullptr;
  const chorale::SharedBytes *bytes_of = nullptr;
};

namespace chorale {

using Model = ::chorale_model;

// The same model with factors[c] * C as the potential of clique c; checked. NULL where memory ran
// out.
Model *reweigh(const Memory &memory, const Log &log, const Model &model,
               const double *factors) noexcept;

} // namespace chorale
