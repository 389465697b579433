// The cliques of a model, in few bytes, and what finds the part that a number lies in.
#pragma once

#include "base/array.hpp"
#include "base/packed.hpp"
#include "potential/potential.hpp"
#include "property/attached.hpp"

namespace chorale {

// Where the row of a member lies among all messages of a model.
struct RowPlace {
  std::int64_t entry;  // its first entry
  std::int64_t number; // how many rows lie before it
};

// What cliques in a row have in common.
struct CliqueType {
  const Property *property;       // NULL: positions
  const Dictionary *dictionary;   // or NULL
  const Potential *given;         // as the caller made it; NULL where centred
  const Potential *potential;     // the same over `columns`; NULL until they are known
  const Potential *const *centre; // over `columns`, one a value of the centre
  const std::int32_t *map;        // label to column, -1 for EMPTY; NULL: itself
  const std::int32_t *centre_map; // or NULL
  std::int32_t map_labels;
  std::int32_t centre_map_labels;
  std::int32_t centre_values;
  std::int32_t values;  // R
  std::int32_t columns; // R + 2, or R where nothing can be EMPTY; less where `fired` says so
  // True if every member of every one of these cliques is a single item (a chain of one position)
  // that is in no other clique. Such cliques exchange no messages and have no rows.
  bool closed;
  // Of a property clique of many values, or NULL: those that its members can fire. Its columns are
  // these, EMPTY and CONFLICT; `fired_values` says what the caller calls them.
  const Dictionary *fired;
  const std::int32_t *fired_values;
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
  bool closed() const noexcept { return type->closed; }
  std::int32_t values() const noexcept { return type->values; }
  std::int32_t columns() const noexcept { return type->columns; }
  std::int32_t centre_values() const noexcept { return type->centre_values; }
  const Property *property() const noexcept { return type->property; }
  const Dictionary *dictionary() const noexcept { return type->dictionary; }
  // By whose numbers the columns go.
  const Dictionary *numbering() const noexcept {
    return type->fired ? type->fired : type->dictionary;
  }
  // Columns as the caller sees them.
  std::int32_t all_columns() const noexcept { return type->fired ? values() + 2 : columns(); }
  // What the caller calls a column; -1 stays what it is.
  std::int32_t value_of(std::int32_t column) const noexcept {
    if (!type->fired || column < 0)
      return column;
    const std::int32_t fired = type->fired->size();
    return column < fired ? type->fired_values[column] : type->values + column - fired;
  }
  // Whether another clique's columns are called the same.
  bool has_columns_of(const Clique &other) const noexcept {
    if (columns() != other.columns() || (type->fired != nullptr) != (other.type->fired != nullptr))
      return false;
    return !type->fired ||
           (values() == other.values() &&
            std::equal(type->fired_values, type->fired_values + type->fired->size(),
                       other.type->fired_values));
  }
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
  // Scores of all members: n rows of columns, and a row of the centre.
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
  // Whether that is the label itself.
  bool shows_labels(std::int32_t member) const noexcept {
    return !(member == members ? type->centre_map : type->map);
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
  // All types are given anew, in order, by `set_type`.
  void forget_types() noexcept { types_.truncate(0); }
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
    const std::int32_t last = at_[number / kStep + 1];
    // Without branches: where a number lies in its step is anybody's guess.
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
