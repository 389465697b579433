// fired_columns.hpp explains the words used here.
#include "cluster/model/fired_columns.hpp"

#include "potential/recolumn.hpp"

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

// gather() removes duplicates from its list of values whenever the list has grown to this length, or to
// twice the length that the last removal left, if that is more.
constexpr std::int64_t kRepetitions = 1 << 16;

class FiredColumns {
public:
  explicit FiredColumns(Model &model) noexcept : model_(model), values_(model.memory) {}

  bool run() noexcept {
    for (std::int32_t c = 0; c < model_.cliques.size(); ++c)
      if (Clique &clique = model_.cliques[c]; clique.centred() || clique.potential())
        replaced_ = nullptr;
      else if (!(clique.type = type_of(c)))
        return false;
    return true;
  }

private:
  // Returns the type of a clique with its columns set. NULL if memory runs out.
  CliqueType *type_of(std::int32_t clique) noexcept {
    CliqueType &type = *model_.cliques[clique].type;
    bool all = type.given->callback != nullptr || reads_absent_values(*type.given);
    if (!all && !gather(clique, all))
      return nullptr;
    return all || values_.size() + 2 > type.columns / 2 ? with_all(type) : with_fired(type);
  }

  // Fills values_ with the values that members can fire, as numbers of the caller's dictionary (if
  // there is one), in ascending order. The value UNLISTED of the dictionary (all values outside
  // it), which always has a column, comes last. If there would be no value, value 0 is added. If a
  // member is an instance, which may show any value, sets `all` and leaves the list incomplete.
  // False if memory runs out.
  bool gather(std::int32_t clique, bool &all) noexcept {
    values_.truncate(0);
    fires_outside_ = false;
    const Dictionary *dictionary = model_.cliques[clique].dictionary();
    const std::int32_t out = dictionary && dictionary->has_unlisted ? dictionary->count : -1;
    std::int64_t limit = kRepetitions;
    bool fits = true;
    const auto push = [&](std::int32_t number) {
      fires_outside_ = fires_outside_ || number < 0;
      if (number < 0 || number == out || (!values_.empty() && *(values_.end() - 1) == number))
        return;
      fits = fits && values_.push(number);
      if (values_.size() < limit)
        return;
      sort_values();
      limit = std::max(kRepetitions, 2 * values_.size());
    };
    for (std::int32_t i = 0; i < model_.cliques[clique].members && fits; ++i) {
      const Slot slot = model_.member(clique, i);
      const Chain &chain = model_.chains[slot.chain];
      all = chain.is_instance;
      if (all)
        return true;
      const Attached attached = model_.attached(slot);
      attached.each_possible(chain.view().parents != nullptr,
                             [&](std::int32_t value) { push(attached.number(value)); });
    }
    if (values_.empty() && out < 0)
      fits = fits && values_.push(0);
    sort_values();
    if (out >= 0)
      fits = fits && values_.push(out);
    return fits;
  }

  void sort_values() noexcept {
    std::sort(values_.begin(), values_.end());
    values_.truncate(std::unique(values_.begin(), values_.end()) - values_.begin());
  }

  // Returns the type with a column for each value. Consecutive cliques of one type share it.
  CliqueType *with_all(CliqueType &type) noexcept {
    if (std::exchange(replaced_, &type) != &type) {
      const Potential *potential = widen(model_, type.given, type.columns);
      whole_ = potential ? copy(type, potential) : nullptr;
    }
    return whole_;
  }

  // Returns a type with columns for values_, EMPTY and CONFLICT.
  CliqueType *with_fired(const CliqueType &type) noexcept {
    replaced_ = nullptr;
    const Dictionary *fired = dictionary_of(type);
    const Potential *potential =
        fired ? narrow(model_, *type.given, type.values, span_of(values_.begin(), values_.size()))
              : nullptr;
    CliqueType *made = potential ? copy(type, potential) : nullptr;
    if (!made)
      return nullptr;
    made->fired = fired;
    made->columns = static_cast<std::int32_t>(values_.size()) + 2;
    made->fired_values = type.dictionary ? model_.arena.copy(values_.begin(), values_.size())
                                         : fired->values;
    return made->fired_values ? made : nullptr;
  }

  // Returns a dictionary that maps the values that the property fires to columns. NULL if memory
  // runs out.
  const Dictionary *dictionary_of(const CliqueType &type) noexcept {
    if (!model_.dictionaries.reserve(model_.dictionaries.size() + 1))
      return nullptr;
    auto *made = model_.memory.create<Dictionary>(model_.memory);
    if (!made)
      return nullptr;
    model_.dictionaries.push(made);
    made->storage =
        Block(model_.memory, static_cast<std::size_t>(values_.size()) * sizeof(std::int32_t));
    if (!made->storage)
      return nullptr;
    made->has_unlisted = type.dictionary && type.dictionary->has_unlisted;
    made->covers_firings = !fires_outside_;
    made->count = static_cast<std::int32_t>(values_.size()) - (made->has_unlisted ? 1 : 0);
    auto *to = reinterpret_cast<std::int32_t *>(made->storage.data());
    for (std::int32_t k = 0; k < made->count; ++k)
      to[k] = type.dictionary ? type.dictionary->values[values_[k]] : values_[k];
    made->values = to;
    model_.made_bytes += sizeof(Dictionary) + made->storage.bytes();
    return made;
  }

  // Returns a copy of the type with another potential. NULL if memory runs out.
  CliqueType *copy(const CliqueType &type, const Potential *potential) noexcept {
    auto *made = model_.arena.take_array<CliqueType>(1);
    if (made) {
      *made = type;
      made->potential = potential;
    }
    return made;
  }

  Model &model_;
  Array<std::int32_t> values_; // values that the members of the current clique can fire (gather())
  // Members of the current clique can also fire a value that has no number in the caller's
  // dictionary.
  bool fires_outside_ = false;
  // The type in whose place with_all() put whole_ for the clique before the current one; NULL if it
  // put none there.
  const CliqueType *replaced_ = nullptr;
  CliqueType *whole_ = nullptr;
};

// Returns recolumn() of a potential. The model holds the reference. NULL if memory runs out.
const Potential *add_recolumned(Model &model, const Potential &given,
                                gsl::span<const std::int32_t> from) noexcept {
  Potential *made = model.potentials.reserve(model.potentials.size() + 1)
                        ? recolumn(model.memory, given, from)
                        : nullptr;
  if (!made)
    return nullptr;
  model.potentials.push(made);
  model.made_bytes += made->bytes();
  return made;
}

} // namespace

const Potential *widen(Model &model, const Potential *potential, std::int32_t columns) noexcept {
  if (potential->values == columns)
    return model.potentials.push(potential) ? retain(potential) : nullptr;
  Array<std::int32_t> from(model.memory);
  if (!from.resize(columns))
    return nullptr;
  for (std::int32_t v = 0; v < columns; ++v)
    from[v] = v < potential->values ? v : -1;
  return add_recolumned(model, *potential, from);
}

const Potential *narrow(Model &model, const Potential &given, std::int32_t values,
                        gsl::span<const std::int32_t> fired) noexcept {
  Array<std::int32_t> from(model.memory);
  const auto count = static_cast<std::int64_t>(fired.size());
  if (!from.resize(count + 2))
    return nullptr;
  std::copy_n(fired.data(), count, from.begin());
  for (std::int32_t k = 0; k < 2; ++k)
    from[count + k] = given.values > values ? values + k : -1;
  return add_recolumned(model, given, from);
}

bool number_fired(Model &model) noexcept { return FiredColumns(model).run(); }

} // namespace chorale
