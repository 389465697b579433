// fired_columns.hpp explains the words used here.
#include "cluster/model/fired_columns.hpp"

#include "potential/recolumn.hpp"

#include <algorithm>

namespace chorale {
namespace {

// gather() removes duplicates whenever the number of gathered values reaches a limit: this number,
// or twice the number that the last removal left, if that is more.
constexpr std::int64_t kRepetitions = 1 << 16;

class FiredColumns {
public:
  explicit FiredColumns(Model &model) noexcept
      : model_(model), types_(model.memory), values_(model.memory), from_(model.memory) {}

  bool run() noexcept {
    Cliques &cliques = model_.cliques;
    bool any = false;
    for (std::int64_t c = 0; c < cliques.size() && !any; ++c)
      any = waits(cliques.type(c));
    if (!any)
      return true;
    for (std::int64_t c = 0; c < cliques.size(); ++c) {
      CliqueType *type = &cliques.type(c);
      if (waits(*type))
        type = type_of(cliques[c]);
      if (!type || !types_.push(type))
        return false;
    }
    cliques.forget_types();
    for (std::int64_t c = 0; c < cliques.size(); ++c)
      if (!cliques.set_type(c, types_[c]))
        return false;
    return true;
  }

private:
  static bool waits(const CliqueType &type) noexcept { return !type.centre && !type.potential; }

  // Returns the new type of the clique before the current one; NULL if there is none.
  const CliqueType *before() const noexcept {
    return types_.empty() ? nullptr : types_[types_.size() - 1];
  }

  // Returns the type of a clique with its columns set. NULL if memory runs out.
  CliqueType *type_of(const Clique &clique) noexcept {
    const CliqueType &type = *clique.type;
    bool all = type.given->callback != nullptr || reads_absent_values(*type.given);
    if (!all && !gather(clique, all))
      return nullptr;
    all = all || values_.size() + 2 > type.columns / 2;
    return all ? with_all(type) : with_fired(type);
  }

  // Fills values_ with the values that members can fire, as numbers of the caller's dictionary (if
  // there is one), in ascending order. The value UNLISTED of the dictionary (all values outside
  // it), which always has a column, comes last. Sets `all` if a member is an instance, since it may
  // show any value. False if memory runs out.
  bool gather(const Clique &clique, bool &all) noexcept {
    values_.truncate(0);
    fires_outside_ = false;
    const Dictionary *dictionary = clique.dictionary();
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
    for (std::int32_t i = 0; i < clique.members && fits; ++i) {
      const Chain &chain = model_.chains[model_.chain_of(clique, i)];
      all = chain.is_instance;
      if (all)
        return true;
      const WholeSlot &whole = model_.wholes[-1 - model_.site(clique, i)];
      const Attached attached{clique.property(), dictionary, whole.classes,
                              whole.table,       nullptr,    chain.length};
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

  // Fills from_: from_[v] is the number of column v's value in the given potential. These numbers
  // ascend. If the given potential is over R values, it has no EMPTY and CONFLICT, and the entries
  // for these two are -1. False if memory runs out.
  bool list_sources(const CliqueType &type) noexcept {
    from_.truncate(0);
    bool fits = true;
    for (const std::int32_t v : values_)
      fits = fits && from_.push(v);
    for (std::int32_t k = 0; k < 2; ++k)
      fits = fits && from_.push(type.given->values > type.values ? type.values + k : -1);
    return fits;
  }

  CliqueType *with_all(const CliqueType &type) noexcept {
    if (whole_ && whole_ == before() && whole_->property == type.property &&
        whole_->dictionary == type.dictionary && whole_->given == type.given)
      return whole_;
    const Potential *potential = whole_ && whole_->given == type.given
                                     ? whole_->potential
                                     : widen(model_, type.given, type.columns);
    whole_ = potential ? copy(type, potential) : nullptr;
    return whole_;
  }

  CliqueType *with_fired(const CliqueType &type) noexcept {
    if (!list_sources(type))
      return nullptr;
    const Dictionary *fired = dictionary_of(type);
    if (!fired || !model_.potentials.reserve(model_.potentials.size() + 1))
      return nullptr;
    const Potential *potential =
        recolumn(model_.memory, *type.given, span_of(from_.begin(), from_.size()));
    if (!potential)
      return nullptr;
    model_.potentials.push(potential);
    model_.made_bytes += potential->bytes();
    CliqueType *made = copy(type, potential);
    if (!made)
      return nullptr;
    made->fired = fired;
    made->columns = static_cast<std::int32_t>(from_.size());
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

  CliqueType *copy(const CliqueType &type, const Potential *potential) noexcept {
    auto *made = model_.arena.take_array<CliqueType>(1);
    if (made) {
      *made = type;
      made->potential = potential;
    }
    return made;
  }

  Model &model_;
  Array<CliqueType *> types_;  // by clique: its new type
  Array<std::int32_t> values_; // values that the members of the current clique can fire
  Array<std::int32_t> from_;   // by column: number of its value in the given potential, or -1
  bool fires_outside_ = false;
  CliqueType *whole_ = nullptr; // the last type made with all columns
};

} // namespace

const Potential *widen(Model &model, const Potential *potential, std::int32_t columns) noexcept {
  if (potential->values == columns) {
    if (!model.potentials.push(potential))
      return nullptr;
    return retain(potential);
  }
  Array<std::int32_t> from(model.memory);
  if (!from.resize(columns) || !model.potentials.reserve(model.potentials.size() + 1))
    return nullptr;
  for (std::int32_t v = 0; v < columns; ++v)
    from[v] = v < potential->values ? v : -1;
  Potential *widened = recolumn(model.memory, *potential, span_of(from.begin(), columns));
  if (!widened)
    return nullptr;
  model.potentials.push(widened);
  model.made_bytes += widened->bytes();
  return widened;
}

bool number_fired(Model &model) noexcept { return FiredColumns(model).run(); }

} // namespace chorale
