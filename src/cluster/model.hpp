// The public model: chains, cliques, and the slots where they meet. Immutable once frozen.
//
// A *slot* is one membership: a chain (by one position, by a property, or as an instance's port) in
// a clique. Chain by chain, a slot is the place of the member in the list of all members:
// whole-chain ones first, in the order of adding, then positions in ascending order. Clique by
// clique, a member is a *site*: the place of its label in all labels laid end to end (every chain
// at an even one where two labels share a byte), or, of a whole chain, -1 - w for the w-th
// whole-chain slot; a centre is its clique's last member. Two numbers a membership; the rest of a
// Slot is found from them.
//
// What a slot shows is a *column* of its clique: 0 .. R-1, then EMPTY and CONFLICT where the clique
// has them; -1 for a value that no column stands for. Messages of a clique are one row of columns a
// member, one after the other, the centre's row (one entry a value of the centre) last.
#pragma once

#include "base/array.hpp"
#include "base/log.hpp"
#include "base/packed.hpp"
#include "base/shared_bytes.hpp"
#include "chain/chain_view.hpp"
#include "cluster/message_store.hpp"
#include "potential/potential.hpp"
#include "property/attached.hpp"

#include <chorale/model.h>

#include <atomic>

namespace chorale {

// Where no chain has more labels than this, a labelling takes half a byte for each.
inline constexpr std::int32_t kPairedLabels = 16;

// What is said of one chain.
struct Chain {
  const void *unary; // of a chain without gaps; NULL of an instance
  const Transitions *transitions;
  const std::int32_t *tokens; // or NULL
  const void *other;        // what few chains have: a ChainView of everything, an instance; or NULL
  std::int32_t first_label; // its sites are first_label .. first_label + length - 1
  std::int32_t first_slot;
  std::int32_t slots;
  std::int32_t length;
  std::int32_t labels;
  std::int32_t whole_slots; // of the slots: properties and ports
  bool single;              // floats
  bool is_instance;

  const chorale_instance *instance() const noexcept {
    return is_instance ? static_cast<const chorale_instance *>(other) : nullptr;
  }
  std::int32_t wholes() const noexcept { return whole_slots; }
  std::int64_t unary_bytes() const noexcept { // of a chain without gaps
    return std::int64_t{length} * labels *
           static_cast<std::int64_t>(single ? sizeof(float) : sizeof(double));
  }
  ChainView view() const noexcept {
    if (other && !is_instance)
      return *static_cast<const ChainView *>(other);
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

// All chains. Kept is what differs from one to the next; its length, and how many slots it has,
// follow from where the next one begins.
class Chains {
public:
  explicit Chains(const Memory &memory) noexcept
      : records_(memory), types_(memory), tokens_(memory) {}

  std::int64_t size() const noexcept { return records_.size(); }
  Chain operator[](std::int64_t i) const noexcept;
  std::int32_t first_label(std::int64_t i) const noexcept { return records_[i].first_label; }
  std::int32_t first_slot(std::int64_t i) const noexcept { return records_[i].first_slot; }
  std::int64_t sites() const noexcept { return sites_; }

  // Adds a chain; its tokens may lie right behind its unary scores. Slots are not looked at.
  // False where there is no memory, and nothing was added.
  bool push(const Chain &chain) noexcept;
  // Where each chain's labels begin: every chain at an even site, or one right behind the other.
  void place(bool even) noexcept;
  // slots(i): how many.
  template <class Slots> void place_slots(Slots &&slots) noexcept {
    slots_ = 0;
    for (std::int64_t i = 0; i < size(); ++i) {
      records_[i].first_slot = slots_;
      slots_ += slots(i);
    }
  }
  void set_wholes(std::int64_t i, std::int32_t wholes) noexcept {
    records_[i].wholes = static_cast<std::uint32_t>(wholes) & kMostWholes;
  }
  void shrink() noexcept {
    records_.shrink();
    types_.shrink();
    tokens_.shrink();
  }
  bool copy(const Chains &from) noexcept {
    if (!records_.copy(from.records_) || !types_.copy(from.types_) || !tokens_.copy(from.tokens_))
      return false;
    sites_ = from.sites_;
    slots_ = from.slots_;
    return true;
  }
  std::size_t bytes() const noexcept {
    return records_.bytes() + types_.bytes() + tokens_.bytes();
  }

  class Iterator {
  public:
    Iterator(const Chains &of, std::int64_t i) noexcept : of_(&of), i_(i) {}
    Chain operator*() const noexcept { return (*of_)[i_]; }
    Iterator &operator++() noexcept {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator &other) const noexcept { return i_ != other.i_; }

  private:
    const Chains *of_;
    std::int64_t i_;
  };
  Iterator begin() const noexcept { return {*this, 0}; }
  Iterator end() const noexcept { return {*this, size()}; }

private:
  static constexpr std::uint32_t kMostWholes = 0x7fffffffU;

  enum class Kind : std::uint8_t { plain, view, instance };
  // What chains in a row have in common.
  struct Type {
    const Transitions *transitions;
    std::int32_t labels;
    Kind kind;
    bool single;
    bool tokens_behind; // the unary scores
    friend bool operator==(const Type &, const Type &) = default;
  };
  struct Record {
    const void *scores; // unary, or a ChainView, or an instance
    std::int32_t first_label;
    std::int32_t first_slot;
    std::uint32_t type;
    std::uint32_t wholes : 31;
    std::uint32_t skips : 1; // the site behind it is nobody's
  };

  std::int32_t type_of(const Type &type) noexcept; // -1: no memory

  Array<Record> records_;
  Array<Type> types_;
  Array<const std::int32_t *> tokens_; // by chain; empty as long as all lie behind scores
  std::int32_t sites_ = 0;
  std::int32_t slots_ = 0;
};

// A slot with all that can be said of it.
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
  std::int32_t chain;
};

// What cliques in a row have in common.
struct CliqueType {
  const Property *property;       // NULL: positions
  const Dictionary *dictionary;   // or NULL
  const Potential *given;         // as the caller made it; NULL where centred
  const Potential *potential;     // the same over `columns`
  const Potential *const *centre; // over `columns`, one a value of the centre
  const std::int32_t *map;        // label to column, -1 for EMPTY; NULL: itself
  const std::int32_t *centre_map; // or NULL
  std::int32_t map_labels;
  std::int32_t centre_map_labels;
  std::int32_t centre_values;
  std::int32_t values;  // R
  std::int32_t columns; // R + 2, or R where nothing can be EMPTY
  // Rows and counts of these cliques follow from the places of their members and their numbers.
  std::int64_t first_message; // of a member in place 0, if it were one of theirs
  std::int64_t first_count;   // of the clique 0, if it were one of these
};

// What is said of one clique.
struct Clique {
  CliqueType *type;
  std::int32_t first_slot; // in Model::members
  std::int32_t members;    // n; the centre is not one of them

  bool centred() const noexcept { return type->centre != nullptr; }
  std::int32_t values() const noexcept { return type->values; }
  std::int32_t columns() const noexcept { return type->columns; }
  std::int32_t centre_values() const noexcept { return type->centre_values; }
  const Property *property() const noexcept { return type->property; }
  const Dictionary *dictionary() const noexcept { return type->dictionary; }
  const Potential *potential() const noexcept { return type->potential; }
  std::int32_t all_members() const noexcept { return members + (centred() ? 1 : 0); }
  std::int32_t width(std::int32_t member) const noexcept {
    return member == members ? type->centre_values : type->columns;
  }
  std::int64_t row(std::int32_t member) const noexcept {
    return type->first_message + (std::int64_t{first_slot} + member) * type->columns;
  }
  RowPlace row_place(std::int32_t member) const noexcept {
    return {row(member), std::int64_t{first_slot} + member};
  }
  // Of all rows together.
  std::int64_t entries() const noexcept {
    return std::int64_t{members} * type->columns + type->centre_values;
  }
  // What a position shows; values of a label of its chain.
  std::int32_t column_of(std::int32_t member, std::int32_t label) const noexcept {
    if (member == members)
      return type->centre_map ? type->centre_map[label] : label;
    if (!type->map)
      return label;
    return type->map[label] >= 0 ? type->map[label] : type->values;
  }
  // The potential that holds when the centre shows `value`.
  const Potential &potential_at(std::int32_t value) const noexcept {
    return type->centre ? *type->centre[value] : *type->potential;
  }
};

// All cliques. Their members follow from where the next one begins.
class Cliques {
public:
  explicit Cliques(const Memory &memory) noexcept : records_(memory), types_(memory) {}

  std::int64_t size() const noexcept { return records_.size(); }
  bool empty() const noexcept { return records_.empty(); }
  Clique operator[](std::int64_t c) const noexcept {
    const Record &record = records_[c];
    CliqueType *type = types_[record.type];
    const std::int32_t end = c + 1 < size() ? records_[c + 1].first_slot : slots_;
    return {type, record.first_slot, end - record.first_slot - (type->centre ? 1 : 0)};
  }
  CliqueType &type(std::int64_t c) const noexcept { return *types_[records_[c].type]; }
  std::int32_t first_slot(std::int64_t c) const noexcept { return records_[c].first_slot; }
  std::int32_t slots() const noexcept { return slots_; }

  // Room for one more. False where there is no memory.
  bool reserve() noexcept {
    return records_.reserve(records_.size() + 1) && types_.reserve(types_.size() + 1);
  }
  // A clique without members, after reserve().
  void push(CliqueType *type) noexcept {
    set_type_of(records_.size(), type);
    records_.push({0, static_cast<std::int32_t>(types_.size()) - 1});
  }
  void truncate(std::int64_t count) noexcept { records_.truncate(count); }
  // slots(c): how many, a centre included.
  template <class Slots> void place_slots(Slots &&slots) noexcept {
    slots_ = 0;
    for (std::int64_t c = 0; c < size(); ++c) {
      records_[c].first_slot = slots_;
      slots_ += slots(c);
    }
  }
  void shrink() noexcept {
    records_.shrink();
    types_.shrink();
  }
  // The cliques of another model, without their types; `set_type` gives them in order.
  bool copy(const Cliques &from) noexcept {
    if (!records_.copy(from.records_) || !types_.reserve(from.types_.size()))
      return false;
    slots_ = from.slots_;
    return true;
  }
  bool set_type(std::int64_t c, CliqueType *type) noexcept {
    if (!types_.reserve(types_.size() + 1))
      return false;
    set_type_of(c, type);
    records_[c].type = static_cast<std::int32_t>(types_.size()) - 1;
    return true;
  }
  std::size_t bytes() const noexcept { return records_.bytes() + types_.bytes(); }

  class Iterator {
  public:
    Iterator(const Cliques &of, std::int64_t c) noexcept : of_(&of), c_(c) {}
    Clique operator*() const noexcept { return (*of_)[c_]; }
    Iterator &operator++() noexcept {
      ++c_;
      return *this;
    }
    bool operator!=(const Iterator &other) const noexcept { return c_ != other.c_; }

  private:
    const Cliques *of_;
    std::int64_t c_;
  };
  Iterator begin() const noexcept { return {*this, 0}; }
  Iterator end() const noexcept { return {*this, size()}; }

private:
  struct Record {
    std::int32_t first_slot; // in Model::members
    std::int32_t type;
  };
  // The last type is that of the cliques in a row before; another one is added.
  void set_type_of(std::int64_t c, CliqueType *type) noexcept {
    if (c == 0 || types_.empty() || *(types_.end() - 1) != type)
      types_.push(type);
  }

  Array<Record> records_;
  Array<CliqueType *> types_;
  std::int32_t slots_ = 0;
};

// Parts that lie end to end: which of them holds a number. One number is kept for kStep others.
class PartIndex {
public:
  explicit PartIndex(const Memory &memory) noexcept : at_(memory) {}

  // start_of(part): ascending; `total` numbers in all.
  template <class StartOf>
  bool build(std::int32_t parts, std::int64_t total, StartOf &&start_of) noexcept {
    const std::int64_t steps = total / kStep + 2;
    if (!at_.make(steps, 0, parts))
      return false;
    std::int32_t part = 0;
    for (std::int64_t k = 0; k < steps; ++k) {
      while (part + 1 < parts && start_of(part + 1) <= k * kStep)
        ++part;
      at_.set(k, part);
    }
    return true;
  }
  template <class StartOf>
  std::int32_t find(std::int32_t number, StartOf &&start_of) const noexcept {
    std::int32_t first = at_[number / kStep];
    std::int32_t last = at_[number / kStep + 1];
    while (first < last) {
      const std::int32_t middle = last - (last - first) / 2;
      if (start_of(middle) <= number)
        first = middle;
      else
        last = middle - 1;
    }
    return first;
  }
  bool copy(const PartIndex &from) noexcept { return at_.copy(from.at_); }
  std::size_t bytes() const noexcept { return at_.bytes(); }

private:
  static constexpr std::int32_t kStep = 16;
  PackedIntegers at_;
};

inline Chain Chains::operator[](std::int64_t i) const noexcept {
  const Record &record = records_[i];
  const Type &type = types_[record.type];
  const bool is_last = i + 1 == size();
  Chain chain;
  chain.transitions = type.transitions;
  chain.first_label = record.first_label;
  chain.first_slot = record.first_slot;
  chain.slots = (is_last ? slots_ : records_[i + 1].first_slot) - record.first_slot;
  chain.length = (is_last ? sites_ : records_[i + 1].first_label) - record.first_label -
                 static_cast<std::int32_t>(record.skips);
  chain.labels = type.labels;
  chain.whole_slots = static_cast<std::int32_t>(record.wholes);
  chain.single = type.single;
  chain.is_instance = type.kind == Kind::instance;
  chain.other = type.kind == Kind::plain ? nullptr : record.scores;
  chain.unary = type.kind == Kind::plain  ? record.scores
                : type.kind == Kind::view ? static_cast<const ChainView *>(record.scores)->unary
                                          : nullptr;
  if (type.tokens_behind)
    chain.tokens = reinterpret_cast<const std::int32_t *>(
        static_cast<const std::byte *>(chain.unary) + chain.unary_bytes());
  else
    chain.tokens = tokens_.empty() ? nullptr : tokens_[i];
  return chain;
}

} // namespace chorale

struct chorale_model {
  explicit chorale_model(const chorale::Memory &from, const chorale::Log &to) noexcept
      : memory(from), log(to), arena(from), chains(from), slots(from), wholes(from), cliques(from),
        members(from), chain_index(from), clique_index(from), groups(from), potentials(from),
        properties(from), dictionaries(from), transitions(from) {}
  ~chorale_model();
  chorale_model(const chorale_model &) = delete;
  chorale_model &operator=(const chorale_model &) = delete;

  std::int32_t site(const chorale::Clique &clique, std::int32_t member) const noexcept {
    return members[std::int64_t{clique.first_slot} + member];
  }
  std::int32_t chain_of(const chorale::Clique &clique, std::int32_t member) const noexcept {
    const std::int32_t at = site(clique, member);
    return at < 0 ? wholes[-1 - at].chain
                  : chain_index.find(at, [this](std::int32_t i) { return chains.first_label(i); });
  }
  std::int32_t clique_of(std::int64_t slot) const noexcept {
    return clique_index.find(slots[slot], [this](std::int32_t c) { return cliques.first_slot(c); });
  }
  // Of a whole-chain slot: its number.
  std::int32_t whole_of(std::int64_t slot) const noexcept { return -1 - members[slots[slot]]; }
  // The s-th slot of a chain.
  chorale::Slot slot(std::int32_t chain, std::int32_t s) const noexcept {
    const std::int64_t number = std::int64_t{chains.first_slot(chain)} + s;
    const std::int32_t clique = clique_of(number);
    const std::int32_t place = slots[number];
    const std::int32_t at = members[place];
    return {chain, clique, place - cliques.first_slot(clique),
            at < 0 ? -1 : at - chains.first_label(chain), at < 0 ? -1 - at : -1};
  }
  // The same from the clique's side.
  chorale::Slot member(std::int32_t clique, std::int32_t number) const noexcept {
    const std::int32_t at = site(cliques[clique], number);
    const std::int32_t chain = chain_of(cliques[clique], number);
    return {chain, clique, number, at < 0 ? -1 : at - chains.first_label(chain),
            at < 0 ? -1 - at : -1};
  }
  chorale::Attached attached(const chorale::Slot &slot) const noexcept {
    const chorale::Clique &clique = cliques[slot.clique];
    const chorale::WholeSlot &whole = wholes[slot.whole];
    return {clique.property(), clique.dictionary(),      whole.classes, whole.table,
            nullptr,           chains[slot.chain].length};
  }
  std::int32_t width(const chorale::Slot &slot) const noexcept {
    return cliques[slot.clique].width(slot.member);
  }
  std::int64_t row(const chorale::Slot &slot) const noexcept {
    return cliques[slot.clique].row(slot.member);
  }
  chorale::RowPlace row_place(const chorale::Slot &slot) const noexcept {
    return cliques[slot.clique].row_place(slot.member);
  }
  // Where the counts of a clique's columns lie in an array of all cliques' counts.
  std::int64_t first_count(std::int64_t clique) const noexcept {
    const chorale::CliqueType &type = cliques.type(clique);
    return type.first_count + clique * type.columns;
  }
  std::size_t bytes() const noexcept;

  chorale::Memory memory;
  chorale::Log log;
  mutable std::atomic<std::int64_t> references{1};
  chorale::Arena arena;
  chorale::Chains chains;
  chorale::PackedIntegers slots; // places in `members`, chain by chain
  chorale::Array<chorale::WholeSlot> wholes;
  chorale::Cliques cliques;
  chorale::PackedIntegers members;      // sites, clique by clique
  chorale::PartIndex chain_index;       // of labels
  chorale::PartIndex clique_index;      // of members
  chorale::PackedIntegers groups;       // of the chains; empty where all are 0
  // One reference each. The potentials are as given, or made from those for the model alone.
  chorale::Array<const chorale::Potential *> potentials;
  chorale::Array<const chorale::Property *> properties;
  chorale::Array<const chorale::Dictionary *> dictionaries;
  chorale::Array<const chorale::Transitions *> transitions;

  std::int64_t label_count = 0;   // positions of all chains together
  std::int64_t message_count = 0; // of all rows together
  std::int64_t count_count = 0;   // of all cliques' columns
  bool pairs_labels = false;      // two labels share a byte; every chain begins at an even site
  std::int32_t most_labels = 1;
  std::int32_t most_members = 0; // of a clique
  std::size_t score_bytes = 0;
  std::size_t copied_score_bytes = 0; // of those: in the arena
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
