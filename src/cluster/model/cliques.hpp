// One clique of a model. model.hpp explains slot, site, place, column, EMPTY and CONFLICT.
#pragma once

#include "base/packed.hpp"
#include "potential/potential.hpp"
#include "property/attached.hpp"

namespace chorale {

// The data of a clique apart from its members. Consecutive cliques in which all these fields are
// equal can share one CliqueType.
struct CliqueType {
  const Property *property;       // whose values the members show; NULL if they are positions
  const Dictionary *dictionary;   // numbers the property's values; or NULL
  const Potential *given;         // the caller's potential; NULL for a centred clique
  // `given` with a value for each column. NULL for a centred clique, and until the columns are known.
  const Potential *potential;
  const Potential *const *centre; // potential for each value of the centre; NULL: not centred
  const std::int32_t *map;        // by label: the column, or -1 for EMPTY; NULL: equal to the label
  const std::int32_t *centre_map; // by label of the centre: its value; NULL: equal to the label
  std::int32_t map_labels;        // length of `map`
  std::int32_t centre_map_labels; // length of `centre_map`
  std::int32_t centre_values;
  std::int32_t values;  // R, the number of values
  // Number of columns: R + 2; or R if no member can be EMPTY and the potentials have R values; or
  // one for each value of `fired`, EMPTY and CONFLICT.
  std::int32_t columns;
  // True if the cliques of this type are *closed*: they exchange no messages and have no message rows,
  // since each can be solved by itself. Then the type has neither property nor centre, every member of
  // every clique of the type is an item (a chain of one position) that is in no other clique, and cliques
  // of the type that have only one member cannot forbid a value.
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
  // The weights of members (Model::weights). NULL if every member counts once.
  const PackedIntegers *weights;
};

struct Clique {
  CliqueType *type;
  std::int32_t first_slot; // place of its first member in Model::members
  std::int32_t members;    // n, without the centre
  // Sum of the weights of all members. It is n if every member counts once.
  std::int32_t full_total;
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
  // Returns the number of columns that the caller sees: one for each value, even if only the values
  // that can fire have columns here, and one each for EMPTY and CONFLICT if the clique has these.
  std::int32_t all_columns() const noexcept { return type->fired ? values() + 2 : columns(); }
  // Returns the caller's value of a column; returns -1 for column -1.
  std::int32_t value_of(std::int32_t column) const noexcept {
    if (!type->fired || column < 0)
      return column;
    const std::int32_t fired = type->fired->size();
    return column < fired ? type->fired_values[column] : type->values + column - fired;
  }
  // True if there are as many columns as in `other`, and if they are only the values that can fire,
  // these are the same.
  bool has_columns_of(const Clique &other) const noexcept {
    if (columns() != other.columns() || (type->fired != nullptr) != (other.type->fired != nullptr))
      return false;
    return !type->fired ||
           (values() == other.values() &&
            std::equal(type->fired_values, type->fired_values + type->fired->size(),
                       other.type->fired_values));
  }
  const Potential *potential() const noexcept { return type->potential; }
  // True if the potential, or with a centre one of the potentials, may forbid some counts.
  bool may_forbid_some() const noexcept {
    for (std::int32_t c = 0; c < centre_values(); ++c)
      if (may_forbid(potential_at(c)))
        return true;
    return !centred() && may_forbid(*potential());
  }
  // True if the clique has one member, or a centre alone, and may forbid some values of it.
  bool may_forbid_alone() const noexcept { return all_members() == 1 && may_forbid_some(); }
  std::int32_t all_members() const noexcept { return members + (centred() ? 1 : 0); }
  // Returns the weight of a member: the number by which it raises the count of its column.
  std::int32_t weight(std::int32_t member) const noexcept {
    return type->weights ? (*type->weights)[std::int64_t{first_slot} + member] : 1;
  }
  // Returns the sum of the weights of the members that take part, which the potential sees as n.
  std::int32_t total() const noexcept { return full_total - absent; }
  bool weighted() const noexcept { return full_total != members; }
  // Returns the length of the message row of a member or of the centre.
  std::int32_t width(std::int32_t member) const noexcept {
    return member == members ? type->centre_values : type->columns;
  }
  // Returns where the message row of a member begins in an array of all message rows of the model.
  std::int64_t row(std::int32_t member) const noexcept {
    return type->first_message + (std::int64_t{first_slot} + member) * type->columns;
  }
  // Returns the number of entries of all message rows of the clique, that of the centre included.
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
  // True if the member shows its label itself as a column (or as the value of the centre).
  bool shows_labels(std::int32_t member) const noexcept {
    return !(member == members ? type->centre_map : type->map);
  }
  // Returns the potential that holds while the centre shows `value`; `value` is ignored if the
  // clique has no centre.
  const Potential &potential_at(std::int32_t value) const noexcept {
    return type->centre ? *type->centre[value] : *type->potential;
  }
};

} // namespace chorale
