// The public model: chains, cliques, and the slots where they meet. Immutable once frozen.
//
// A *slot* is one membership in a clique. The member is one position of a chain, or a whole chain,
// whose value is that of a property. An *instance* is a chain for which callbacks of the caller do
// the inference; its slots count as whole-chain slots. The members of a clique are numbered
// 0 .. n - 1; in a centred clique, member n is the *centre*, a position whose value selects the
// potential. The centre has a slot too, but its values are its own, not those of the members.
//
// A slot is stored as three numbers, from which all fields of the struct Slot are found:
// members[place]: the *site* of the slot. `members` has an entry for each slot, clique by clique,
//   the centre of a clique last; the index of the entry is the slot's *place*. The site of a
//   position is the index of its label in an array of all labels, chain after chain. The site of
//   whole-chain slot w of the model is -1 - w.
// slots[number]: the place of the slot. `slots` has an entry for each slot, chain by chain: first
//   the whole-chain slots of the chain, by clique (those of an instance in the order of adding),
//   then the slots of its positions, by position. The index of the entry is the slot's *number*.
// place_cliques[place]: the clique of the slot.
//
// A slot shows a *column* of its clique: a value 0 .. R-1 (R: the number of values), or EMPTY or
// CONFLICT if the clique has these two; -1 if the value has no column, since the clique's dictionary
// lacks it and has no value UNLISTED for all that it lacks. (chorale/property.h explains how a
// property *fires* values. It shows EMPTY if it fires no value, CONFLICT if it fires two different
// values.) If R is large and members can fire few of the values, only the values that can fire have
// columns (fired_columns.hpp), and Clique::value_of converts a column to the caller's value. The
// messages of a clique are one row of `columns` entries for each member, without gaps, then the row of
// the centre, with an entry for each value of the centre. A closed clique (CliqueType::closed) has
// none.
#pragma once

#include "base/array.hpp"
#include "base/log.hpp"
#include "base/packed.hpp"
#include "base/shared_bytes.hpp"
#include "cluster/model/chains.hpp"
#include "cluster/model/cliques.hpp"
#include "cluster/model/parts.hpp"

namespace chorale {

// All fields of a slot.
struct Slot {
  std::int32_t chain;
  std::int32_t clique;
  std::int32_t member;   // == Clique::members for a centre
  std::int32_t position; // -1: the whole chain
  std::int32_t whole;    // number among all whole-chain slots; -1: the slot is a position
};

// A whole-chain slot, with the arrays that the property of its clique reads: each has an entry for
// every position of the chain. classes: NULL if all classes are 0. table: NULL if the property
// reads none. Both are NULL for an instance.
struct WholeSlot {
  const std::int32_t *classes;
  const std::int32_t *table;
  std::int32_t chain;
};

// Sums and maxima over the chains and cliques of a model.
struct ModelTotals {
  std::int64_t label_count = 0;   // positions of all chains together
  std::int64_t message_count = 0; // sum of the lengths of all message rows
  std::int64_t closed_slots = 0;  // number of members of closed cliques
  // True if every chain is an item (Chain::is_item) and every member of a clique is in a closed one
  // (CliqueType::closed).
  bool items_alone = false;
  // Sum of `columns` over all cliques: length of an array of all counts.
  std::int64_t count_count = 0;
  std::int32_t most_labels = 1;
  std::int32_t most_columns = 1; // greatest number of columns of a clique
  std::int32_t most_counted = 0; // greatest sum of the weights of the members of a clique
  std::size_t score_bytes = 0;   // bytes of the unary and edge scores of all chains
  // The part of score_bytes that was copied to the arena (of a derived model: to that of `base`).
  std::size_t copied_score_bytes = 0;
};

} // namespace chorale

struct chorale_model : chorale::Counted, chorale::ModelTotals {
  explicit chorale_model(const chorale::Memory &from, const chorale::Log &to) noexcept
      : Counted(from), log(to), arena(from), chains(from), slots(from), wholes(from), cliques(from),
        members(from), weights(from), site_chains(from), place_cliques(from), groups(from),
        parts(from), potentials(from), properties(from), dictionaries(from), transitions(from) {}
  ~chorale_model();

  std::int32_t site(const chorale::Clique &clique, std::int32_t member) const noexcept {
    return members[std::int64_t{clique.first_slot} + member];
  }
  std::int32_t chain_of(const chorale::Clique &clique, std::int32_t member) const noexcept {
    return chain_at(site(clique, member));
  }
  // Returns the chain of the slot whose site is `at`.
  std::int32_t chain_at(std::int32_t at) const noexcept {
    return at < 0 ? wholes[-1 - at].chain : site_chains[at];
  }
  std::int32_t clique_of(std::int64_t slot) const noexcept { return place_cliques[slots[slot]]; }
  // True if the chain is an item (one position) and a member of a closed clique
  // (CliqueType::closed).
  bool is_closed(const chorale::Chain &chain) const noexcept {
    return closed_slots > 0 && chain.slots == 1 &&
           (closed_slots == slots.size() || cliques[clique_of(chain.first_slot)].closed());
  }
  // Returns the part of the model (parts.hpp) to which the chains of a clique belong.
  std::int32_t part_of_clique(std::int64_t number) const noexcept {
    if (parts.count() == 1 || cliques[number].all_members() == 0)
      return 0;
    return parts.of(chain_of(cliques[number], 0));
  }
  // Returns the number of a whole-chain slot among all whole-chain slots.
  std::int32_t whole_of(std::int64_t slot) const noexcept { return -1 - members[slots[slot]]; }
  // Returns the s-th slot of a chain.
  chorale::Slot slot(std::int32_t chain, std::int32_t s) const noexcept {
    const std::int64_t number = std::int64_t{chains[chain].first_slot} + s;
    const std::int32_t clique = clique_of(number);
    const std::int32_t place = slots[number];
    const std::int32_t at = members[place];
    return {chain, clique, place - cliques[clique].first_slot,
            at < 0 ? -1 : at - chains[chain].first_label, at < 0 ? -1 - at : -1};
  }
  // Returns member `number` of a clique as a slot.
  chorale::Slot member(std::int32_t clique, std::int32_t number) const noexcept {
    const std::int32_t at = site(cliques[clique], number);
    const std::int32_t chain = chain_of(cliques[clique], number);
    return {chain, clique, number, at < 0 ? -1 : at - chains[chain].first_label,
            at < 0 ? -1 - at : -1};
  }
  // Returns the property of a whole-chain slot with the arrays that it reads for the chain.
  chorale::Attached attached(const chorale::Slot &slot) const noexcept {
    const chorale::Clique &clique = cliques[slot.clique];
    const chorale::WholeSlot &whole = wholes[slot.whole];
    return {clique.property(), clique.numbering(),       whole.classes, whole.table,
            nullptr,           chains[slot.chain].length};
  }
  // Returns the length of the message row of a slot.
  std::int32_t width(const chorale::Slot &slot) const noexcept {
    return cliques[slot.clique].width(slot.member);
  }
  // Returns where the counts of a clique begin in an array of the counts of all cliques.
  std::int64_t first_count(std::int64_t clique) const noexcept {
    const chorale::CliqueType &type = *cliques[clique].type;
    return type.first_count + clique * type.columns;
  }
  std::size_t bytes() const noexcept;

  chorale::Log log;
  chorale::Arena arena;
  chorale::Array<chorale::Chain> chains;
  chorale::PackedIntegers slots; // the place of each slot, chain by chain
  chorale::Array<chorale::WholeSlot> wholes;
  chorale::Array<chorale::Clique> cliques;
  chorale::PackedIntegers members;      // the site of each slot, clique by clique
  // By place: the weight of the member, 1 for a centre. Empty if every member counts once, and in a
  // derived model, whose cliques use the array of `base` (CliqueType::weights).
  chorale::PackedIntegers weights;
  chorale::PackedIntegers site_chains;   // by site: its chain
  chorale::PackedIntegers place_cliques; // by place: its clique
  // By chain: its group (document), as the caller numbers them. Empty if all groups are 0.
  chorale::PackedIntegers groups;
  chorale::Parts parts;
  // The model holds one reference to each entry of these lists. The potentials are the caller's, or
  // copies of these with other columns (fired_columns.hpp).
  chorale::Array<const chorale::Potential *> potentials;
  chorale::Array<const chorale::Property *> properties;
  chorale::Array<const chorale::Dictionary *> dictionaries;
  chorale::Array<const chorale::Transitions *> transitions;

  // Bytes of the potentials and dictionaries that the model made (fired_columns.hpp).
  std::size_t made_bytes = 0;
  // The model holds a reference on each of these two, which may be NULL. base: the model from which
  // this one is derived (exchange.hpp). It owns the scores, label maps, properties and weights that
  // this model uses. bytes_of: the bytes of a problem file, in which arrays lie that the model does
  // not copy.
  const chorale_model *base = nullptr;
  const chorale::SharedBytes *bytes_of = nullptr;
};

namespace chorale {

using Model = ::chorale_model;

} // namespace chorale
