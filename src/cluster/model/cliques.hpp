// The cliques of a model, stored compactly, and PartIndex, which finds for example the chain of a
// site. model.hpp explains slot, site, place, column, EMPTY and CONFLICT.
#pragma once

#include "base/array.hpp"
#include "base/iterator.hpp"
#include "base/packed.hpp"
#include "potential/potential.hpp"
#include "property/attached.hpp"

namespace chorale {

// The data of a clique apart from its members. Consecutive cliques in which all these fields are
// equal can share one CliqueType.
struct CliqueType {
  const Property *property;       // members show its values; NULL if members are positions
  const Dictionary *dictionary;   // numbers the property's values; or NULL
  const Potential *given;         // the caller's potential; NULL for a centred clique
  const Potential *potential;     // `given` over the columns; NULL: columns unknown yet, or centred
  const Potential *const *centre; // potential for each value of the centre; NULL: not centred
  const std::int32_t *map;        // by label: the column, or -1 for EMPTY; NULL: equal to the label
  const std::int32_t *centre_map; // by label of the centre: its value; NULL: equal to the label
  std::int32_t map_labels;        // length of `map`
  std::int32_t centre_map_labels; // length of `centre_map`
  std::int32_t centre_values;
  std::int32_t values;  // R, the number of values
  // R + 2, or R if no member can be EMPTY and the potentials are over R values; fewer if `fired` is
  // set.
  std::int32_t columns;
  // True if the type has neither property nor centre, and every member of every clique of this type
  // is a single item (a chain of one position) that is in no other clique. Such cliques are
  // *closed*: they exchange no messages and have no message rows.
  bool closed;
  // Set for a property clique with many values: a dictionary of the values that its members can
  // fire. The columns are these values, EMPTY and CONFLICT (fired_columns.hpp). NULL: every value
  // has a column.
  const Dictionary *fired;
  const std::int32_t *fired_values; // by column, except EMPTY and CONFLICT: the caller's value
  // Where message rows and counts begin. In the array of all messages, the row of the member at
  // place s begins at entry first_message + s * columns. In the array of all counts, the counts of
  // clique c begin at entry first_count + c * columns.
  std::int64_t first_message;
  std::int64_t first_count;
  // The running sums of the members' weights (Model::weights). NULL if every member counts once.
  const PackedIntegers *weights;
};

// One clique, as Cliques::operator[] returns it.
struct Clique {
  CliqueType *type;
  std::int32_t first_slot; // place of its first member in Model::members
  std::int32_t members;    // n, without the centre
  // Sum of the weights of the members whose chains a run leaves out (run/inputs.hpp).
  std::int32_t absent = 0;

  bool centred() const noexcept { return type->centre != nullptr; }
  bool closed() const noexcept { return type->closed; }
  std::int32_t values() const noexcept { return type->values; }
  std::int32_t columns() const noexcept { return type->columns; }
  std::int32_t centre_values() const noexcept { return type->centre_values; }
  const Property *property() const noexcept { return type->property; }
  const Dictionary *dictionary() const noexcept { return type->dictionary; }
  // Returns the dictionary that numbers the columns; NULL if the columns are the values of the
  // property.
  const Dictionary *numbering() const noexcept {
    return type->fired ? type->fired : type->dictionary;
  }
  // Returns the number of columns that the caller sees: one for each value, EMPTY and CONFLICT,
  // even if only the values that can fire have columns here.
  std::int32_t all_columns() const noexcept { return type->fired ? values() + 2 : columns(); }
  // Returns the caller's value of a column; returns -1 for column -1.
  std::int32_t value_of(std::int32_t column) const noexcept {
    if (!type->fired || column < 0)
      return column;
    const std::int32_t fired = type->fired->size();
    return column < fired ? type->fired_values[column] : type->values + column - fired;
  }
  // True if the columns stand for the same values as those of `other`.
  bool has_columns_of(const Clique &other) const noexcept {
    if (columns() != other.columns() || (type->fired != nullptr) != (other.type->fired != nullptr))
      return false;
    return !type->fired ||
           (values() == other.values() &&
            std::equal(type->fired_values, type->fired_values + type->fired->size(),
                       other.type->fired_values));
  }
  const Potential *potential() const noexcept { return type->potential; }
  // True if the potential may forbid some values of the members.
  bool may_forbid_some() const noexcept {
    for (std::int32_t c = 0; c < centre_values(); ++c)
      if (may_forbid(potential_at(c)))
        return true;
    return !centred() && may_forbid(*potential());
  }
  // The same for a clique that has one member.
  bool may_forbid_alone() const noexcept { return all_members() == 1 && may_forbid_some(); }
  std::int32_t all_members() const noexcept { return members + (centred() ? 1 : 0); }
  // Returns the weight of a member: the number by which it raises the count of its column.
  std::int32_t weight(std::int32_t member) const noexcept {
    return type->weights ? weight_between(member, member + 1) : 1;
  }
  // Returns the sum of the weights of the members that take part, which the potential sees as n.
  std::int32_t total() const noexcept { return full_total() - absent; }
  // Returns the sum of the weights of all members. Equals the number of members unless weights were
  // given.
  std::int32_t full_total() const noexcept {
    return type->weights ? weight_between(0, members) : members;
  }
  bool weighted() const noexcept { return full_total() != members; }
  std::int32_t width(std::int32_t member) const noexcept {
    return member == members ? type->centre_values : type->columns;
  }
  // Returns where the message row of a member begins in an array of all message rows of the model.
  std::int64_t row(std::int32_t member) const noexcept {
    return type->first_message + (std::int64_t{first_slot} + member) * type->columns;
  }
  // Returns how many entries the message rows of all members have together, with the centre's row.
  std::int64_t entries() const noexcept {
    return std::int64_t{members} * type->columns + type->centre_values;
  }
  // Returns the column that a member (or the centre) shows if its position has this label.
  std::int32_t column_of(std::int32_t member, std::int32_t label) const noexcept {
    if (member == members)
      return type->centre_map ? type->centre_map[label] : label;
    if (!type->map)
      return label;
    return type->map[label] >= 0 ? type->map[label] : type->values;
  }
  // True if the column (or the value of the centre) is the label itself.
  bool shows_labels(std::int32_t member) const noexcept {
    return !(member == members ? type->centre_map : type->map);
  }
  // Returns the potential that holds while the centre shows `value`; `value` is ignored if the
  // clique has no centre.
  const Potential &potential_at(std::int32_t value) const noexcept {
    return type->centre ? *type->centre[value] : *type->potential;
  }

private:
  std::int32_t weight_between(std::int32_t begin, std::int32_t end) const noexcept {
    const std::int64_t first = first_slot;
    return static_cast<std::int32_t>(type->weights->wide(first + end) -
                                     type->weights->wide(first + begin));
  }
};

// All cliques. A clique's number of members is not stored: it follows from where its own members
// and those of the next clique begin.
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

  // Makes room for one more clique. False if memory runs out.
  bool reserve() noexcept {
    return records_.reserve(records_.size() + 1) && types_.reserve(types_.size() + 1);
  }
  // Adds a clique without members. reserve() must have been called before.
  void push(CliqueType *type) noexcept {
    set_type_of(records_.size(), type);
    records_.push({0, static_cast<std::int32_t>(types_.size()) - 1});
  }
  void truncate(std::int64_t count) noexcept { records_.truncate(count); }
  // Removes all types. The caller must then call set_type() for all cliques, in order.
  void forget_types() noexcept { types_.truncate(0); }
  // Sets where the members of each clique begin; slots(c) returns the number of members of clique
  // c, with the centre.
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
  // Copies the cliques of another model without their types. The caller must then call set_type()
  // for all cliques, in order.
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

  IndexIterator<Cliques> begin() const noexcept { return {*this, 0}; }
  IndexIterator<Cliques> end() const noexcept { return {*this, size()}; }

private:
  struct Record {
    std::int32_t first_slot; // place of the first member in Model::members
    std::int32_t type;
  };
  // Appends the type unless it is already the last one.
  void set_type_of(std::int64_t c, CliqueType *type) noexcept {
    if (c == 0 || types_.empty() || *(types_.end() - 1) != type)
      types_.push(type);
  }

  Array<Record> records_;
  Array<CliqueType *> types_;
  std::int32_t slots_ = 0;
};

// An index of the numbers 0 .. total - 1, which are divided into consecutive parts: for example all
// sites, each part being the sites of one chain. find() returns the part that contains a number.
// The index stores the part of every kStep-th number, and find() searches between two stored parts.
// (These parts are not those of parts.hpp.)
class PartIndex {
public:
  explicit PartIndex(const Memory &memory) noexcept : at_(memory) {}

  // Builds the index. start_of(part) returns the first number of a part; parts are in ascending
  // order, and there are `total` numbers.
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
    const std::int32_t last = at_[number / kStep + 1];
    // A binary search without branches. The processor would mispredict branches half of the time,
    // since both outcomes of a comparison are equally likely.
    for (std::int32_t left = last - first; left > 0; left /= 2) {
      const std::int32_t half = left - left / 2;
      first += start_of(first + half) <= number ? half : 0;
    }
    return first;
  }
  bool copy(const PartIndex &from) noexcept { return at_.copy(from.at_); }
  std::size_t bytes() const noexcept { return at_.bytes(); }

private:
  static constexpr std::int32_t kStep = 8;
  PackedIntegers at_;
};

} // namespace chorale
