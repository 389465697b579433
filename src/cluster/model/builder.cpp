// builder.hpp explains the words used here.
#include "cluster/model/builder.hpp"

#include "base/components.hpp"
#include "base/lists.hpp"
#include "cluster/model/fired_columns.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace chorale {
namespace {

std::size_t number_bytes(const ChainView &view) noexcept {
  return view.single ? sizeof(float) : sizeof(double);
}

// Returns the number of edge scores that the chain has in memory.
std::int64_t edge_numbers(const ChainView &view) noexcept {
  if (!view.edges)
    return 0;
  return std::int64_t{view.edge_each ? view.length - 1 : 1} * view.labels * view.labels;
}

template <class Number, class At>
void gather_numbers(const void *from, std::int64_t count, At &&at, void *to) noexcept {
  for (std::int64_t i = 0; i < count; ++i)
    static_cast<Number *>(to)[i] = static_cast<const Number *>(from)[at(i)];
}

// Returns a copy of `count` numbers, float or double as in `view`; number i of the copy is number
// at(i) of `from`. is_whole: at(i) is known to be i for all i. NULL if memory runs out.
template <class At>
const void *copy_numbers(Arena &arena, const ChainView &view, const void *from, std::int64_t count,
                         bool is_whole, At &&at) noexcept {
  const std::size_t bytes =
      saturating_product(static_cast<std::size_t>(count), number_bytes(view));
  void *to = arena.take(bytes);
  if (to && is_whole && count > 0)
    std::memcpy(to, from, bytes);
  else if (to && view.single)
    gather_numbers<float>(from, count, at, to);
  else if (to)
    gather_numbers<double>(from, count, at, to);
  return to;
}

template <class Number>
bool copy_array(Arena &arena, const Number *&array, std::int64_t count) noexcept {
  if (!array)
    return true;
  array = arena.copy(array, count);
  return array != nullptr;
}

// Copies all arrays of a chain to the arena without gaps, and lets `view` and `tokens` point to the
// copies. False if memory runs out.
bool copy_chain(Arena &arena, ChainView &view, gsl::span<const std::int32_t> &tokens) noexcept {
  const std::int64_t m = view.labels;
  const std::int64_t T = view.length;
  const std::ptrdiff_t row = view.labels;
  view.unary = copy_numbers(
      arena, view, view.unary, T * m, view.unary_row == row && view.unary_column == 1,
      [&](std::int64_t i) { return i / m * view.unary_row + i % m * view.unary_column; });
  view.unary_row = row;
  view.unary_column = 1;
  if (!view.unary)
    return false;
  if (tokens.data()) {
    const std::int32_t *to = arena.copy(tokens.data(), T);
    if (!to)
      return false;
    tokens = {to, tokens.size()};
  }
  if (view.edges) {
    const auto at = [&](std::int64_t i) {
      return i / (m * m) * view.edge_matrix + i / m % m * view.edge_from + i % m * view.edge_to;
    };
    view.edges = copy_numbers(arena, view, view.edges, edge_numbers(view), false, at);
    view.edge_matrix = row * row;
    view.edge_from = row;
    view.edge_to = 1;
    if (!view.edges)
      return false;
  }
  for (const void **ends : {&view.start, &view.end})
    if (*ends && !(*ends = copy_numbers(arena, view, *ends, m, true, [](std::int64_t i) { return i; })))
      return false;
  if (view.allowed) {
    auto *to = arena.take_array<std::uint8_t>(T * m);
    for (std::int64_t i = 0; to && i < T * m; ++i)
      to[i] = view.allowed[i / m * view.allowed_row + i % m];
    view.allowed = to;
    view.allowed_row = row;
    if (!to)
      return false;
  }
  return copy_array(arena, view.parents, T) && copy_array(arena, view.forced, T);
}

// True if the chain is not plain (chains.hpp), so that the model must store its view.
bool is_unusual(const ChainView &view) noexcept {
  return view.edges || view.start || view.end || view.parents || view.forced || view.allowed ||
         view.unary_column != 1 || view.unary_row != view.labels;
}

} // namespace
} // namespace chorale

using namespace chorale;

void chorale_model_builder::take_back(std::int64_t slots_before,
                                      std::int64_t wholes_before) noexcept {
  for (std::int64_t k = slots_before; k < slots.size(); ++k) {
    Clique &clique = model->cliques[slots[k].clique];
    clique.full_total = --clique.members;
  }
  if (slots.size() > slots_before)
    taken.forget();
  slots.truncate(slots_before);
  model->wholes.truncate(wholes_before);
}

void chorale_model_builder::drop_cliques(std::int64_t count) noexcept {
  model->cliques.truncate(count);
  centres.truncate(count);
}

bool chorale_model_builder::push_chain(const Chain &chain, std::int64_t group) noexcept {
  if (!groups.reserve(groups.size() + 1) || !model->chains.push(chain))
    return false;
  Chain &added = model->chains[model->chains.size() - 1];
  added.first_label = static_cast<std::int32_t>(model->label_count);
  model->label_count += added.length;
  model->most_labels = std::max(model->most_labels, added.labels);
  groups.push(group);
  return true;
}

bool chorale_model_builder::push_chain(ChainView view, gsl::span<const std::int32_t> tokens,
                                       bool borrow, std::int64_t group) noexcept {
  Array<const Transitions *> &transitions = model->transitions;
  if (!transitions.reserve(transitions.size() + 1) ||
      (!borrow && !copy_chain(model->arena, view, tokens)))
    return false;
  Chain chain{};
  chain.unary = view.unary;
  chain.transitions = view.transitions;
  chain.tokens = tokens.data();
  chain.length = view.length;
  chain.labels = view.labels;
  chain.single = view.single;
  if ((is_unusual(view) && !(chain.other = model->arena.copy(&view, 1))) ||
      !push_chain(chain, group))
    return false;
  // Consecutive chains with the same transitions share one entry of the list.
  if (view.transitions && (transitions.empty() || *(transitions.end() - 1) != view.transitions))
    transitions.push(retain(view.transitions));
  const std::size_t bytes =
      to_size(std::int64_t{view.length} * view.labels + edge_numbers(view)) * number_bytes(view);
  model->score_bytes += bytes;
  model->copied_score_bytes += borrow ? 0 : bytes;
  return true;
}

CliqueType *chorale_model_builder::same_type(const chorale_clique_setup &setup) const noexcept {
  if (model->cliques.empty() || setup.centre_values > 0)
    return nullptr;
  CliqueType *type = model->cliques[model->cliques.size() - 1].type;
  const bool same =
      !type->centre && type->property == setup.property && type->dictionary == setup.dictionary &&
      type->given == setup.potential && type->values == setup.values &&
      (type->map != nullptr) == (setup.label_values != nullptr) &&
      (!type->map || (type->map_labels == setup.labels &&
                      std::equal(type->map, type->map + type->map_labels, setup.label_values)));
  return same ? type : nullptr;
}

bool chorale_model_builder::add_centre(const chorale_clique_setup &setup,
                                       CliqueType &type) noexcept {
  type.centre_values = static_cast<std::int32_t>(setup.centre_values);
  auto *centre = model->arena.take_array<const Potential *>(setup.centre_values);
  if (!centre)
    return false;
  for (std::int64_t c = 0; c < setup.centre_values; ++c) {
    centre[c] = widen(*model, setup.centre_potentials[c], type.columns);
    if (!centre[c])
      return false;
  }
  type.centre = centre;
  if (!setup.centre_label_values)
    return true;
  type.centre_map_labels = static_cast<std::int32_t>(setup.centre_labels);
  type.centre_map = model->arena.copy(setup.centre_label_values, setup.centre_labels);
  return type.centre_map != nullptr;
}

CliqueType *chorale_model_builder::make_type(const chorale_clique_setup &setup) noexcept {
  CliqueType type{};
  const std::int64_t given =
      setup.centre_values > 0 ? setup.centre_potentials[0]->values : setup.potential->values;
  bool may_be_empty = setup.property != nullptr;
  for (std::int64_t y = 0; setup.label_values && y < setup.labels; ++y)
    may_be_empty = may_be_empty || setup.label_values[y] < 0;
  type.values = static_cast<std::int32_t>(setup.values);
  type.columns = may_be_empty || given == setup.values + 2 ? type.values + 2 : type.values;
  auto *made = model->arena.take_array<CliqueType>(1);
  if (!made || !model->properties.reserve(model->properties.size() + 1) ||
      !model->dictionaries.reserve(model->dictionaries.size() + 1))
    return nullptr;
  if (setup.label_values) {
    type.map_labels = static_cast<std::int32_t>(setup.labels);
    type.map = model->arena.copy(setup.label_values, setup.labels);
    if (!type.map)
      return nullptr;
  }
  if (setup.centre_values > 0) {
    if (!add_centre(setup, type))
      return nullptr;
  } else {
    type.given = setup.potential;
    // The columns of a clique with many values are set when all of its members are known
    // (fired_columns.hpp).
    if (setup.property && type.columns > kFewColumns) {
      if (!model->potentials.push(setup.potential))
        return nullptr;
      retain(setup.potential);
    } else if (!(type.potential = widen(*model, setup.potential, type.columns))) {
      return nullptr;
    }
  }
  if (setup.property) {
    type.property = setup.property;
    retain(setup.property);
    model->properties.push(setup.property);
    if (setup.dictionary) {
      type.dictionary = setup.dictionary;
      retain(setup.dictionary);
      model->dictionaries.push(setup.dictionary);
    }
  }
  *made = type;
  return made;
}

bool chorale_model_builder::push_cliques(const chorale_clique_setup &setup,
                                         std::int64_t count) noexcept {
  const std::int64_t before = model->cliques.size();
  CliqueType *type = count == 0 ? nullptr : same_type(setup);
  if (count > 0 && !type && !(type = make_type(setup)))
    return false;
  for (; count > 0; --count)
    if (!centres.push({-1, -1}) || !model->cliques.push({type, 0, 0, 0})) {
      drop_cliques(before);
      return false;
    }
  return true;
}

bool chorale_model_builder::push_member(std::int64_t clique, std::int64_t chain,
                                        std::int64_t position, std::int64_t whole) noexcept {
  Clique &to = model->cliques[clique];
  if (!slots.push({{static_cast<std::int32_t>(chain), static_cast<std::int32_t>(clique), to.members,
                    static_cast<std::int32_t>(position), static_cast<std::int32_t>(whole)},
                   1}))
    return false;
  to.full_total = ++to.members;
  return true;
}

// Sorts the slots of each chain, and stores them in the model. False if memory runs out.
bool chorale_model_builder::order_slots() noexcept {
  Lists<std::int32_t> places(memory); // by chain: the places of its slots
  const auto each_slot = [this](auto &&add) {
    for (const AddedSlot &slot : slots)
      add(slot.chain, model->cliques[slot.clique].first_slot + slot.member);
    for (std::int64_t c = 0; c < model->cliques.size(); ++c)
      if (const Clique &clique = model->cliques[c]; clique.centred())
        add(centres[c].chain, clique.first_slot + clique.members);
  };
  const std::int64_t count = model->members.size();
  if (!places.make(model->chains.size(), each_slot) ||
      !model->slots.make(count, 0, std::max<std::int64_t>(count - 1, 0)))
    return false;
  std::int32_t slot = 0;
  for (std::int64_t i = 0; i < model->chains.size(); ++i) {
    Chain &chain = model->chains[i];
    const gsl::span<std::int32_t> of_chain = places[i];
    std::int32_t *const first = of_chain.data();
    chain.first_slot = slot;
    chain.slots = static_cast<std::int32_t>(of_chain.size());
    const PackedIntegers &sites = model->members;
    // Sorts the places of the chain's slots. First come the whole-chain slots (negative sites), by
    // place and hence by clique; those of an instance in the order of adding, in which sites
    // descend. Then come the slots of positions, by site.
    const bool is_instance = chain.is_instance;
    std::sort(first, first + chain.slots, [&sites, is_instance](std::int32_t a, std::int32_t b) {
      const std::int32_t site_a = sites[a];
      const std::int32_t site_b = sites[b];
      if (site_a < 0 && site_b < 0)
        return is_instance ? site_a > site_b : a < b;
      return site_a != site_b ? site_a < site_b : a < b;
    });
    while (chain.whole_slots < chain.slots && sites[first[chain.whole_slots]] < 0)
      ++chain.whole_slots;
    for (std::int32_t s = 0; s < chain.slots; ++s)
      model->slots.set(slot++, first[s]);
  }
  return true;
}

// Sets where the members of each clique begin, and the arrays by place (members, weights,
// place_cliques) and by site (site_chains) of the model. False if memory runs out.
bool chorale_model_builder::place_members() noexcept {
  std::int32_t places = 0;
  std::int64_t heaviest = 1;
  bool any_weights = false;
  for (Clique &clique : model->cliques) {
    clique.first_slot = places;
    places += clique.all_members();
    model->most_counted = std::max(model->most_counted, clique.full_total);
    if (clique.weighted()) {
      any_weights = true;
      clique.type->weights = &model->weights;
    }
  }
  for (const AddedSlot &slot : slots)
    heaviest = std::max<std::int64_t>(heaviest, slot.weight);
  const std::int64_t sites = model->label_count;
  if (!model->members.make(places, -model->wholes.size(), std::max<std::int64_t>(sites - 1, 0)) ||
      !model->place_cliques.make(places, 0, std::max<std::int64_t>(model->cliques.size() - 1, 0)) ||
      !model->site_chains.make(sites, 0, std::max<std::int64_t>(model->chains.size() - 1, 0)) ||
      (any_weights && !model->weights.make(places, 1, heaviest)))
    return false;
  for (std::int64_t i = 0; i < model->chains.size(); ++i)
    for (std::int32_t t = 0; t < model->chains[i].length; ++t)
      model->site_chains.set(model->chains[i].first_label + t, i);
  const auto site = [&](std::int32_t chain, std::int32_t position) {
    return model->chains[chain].first_label + position;
  };
  for (const AddedSlot &slot : slots) {
    const std::int64_t place = model->cliques[slot.clique].first_slot + slot.member;
    model->members.set(place,
                       slot.position < 0 ? -1 - slot.whole : site(slot.chain, slot.position));
    if (slot.weight > 1)
      model->weights.set(place, slot.weight);
  }
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique &clique = model->cliques[c];
    if (clique.centred())
      model->members.set(clique.first_slot + clique.members,
                         site(centres[c].chain, centres[c].position));
    for (std::int32_t k = 0; k < clique.all_members(); ++k)
      model->place_cliques.set(clique.first_slot + k, c);
  }
  return true;
}

// Decides which types are closed (CliqueType::closed), and sets Model::closed_slots and items_alone.
void chorale_model_builder::close_cliques() noexcept {
  for (const Clique &clique : model->cliques)
    clique.type->closed = !clique.property() && !clique.centred();
  // A clique of one member whose potential may forbid values is not closed: if it forbids all
  // values, a run must leave the chain out (run/state.hpp), and the solution of closed cliques
  // (run/closed.hpp) does not do this.
  for (const Clique &clique : model->cliques)
    if (clique.may_forbid_alone())
      clique.type->closed = false;
  for (const AddedSlot &slot : slots) {
    const Chain &chain = model->chains[slot.chain];
    if (!chain.is_item() || chain.slots != 1)
      model->cliques[slot.clique].type->closed = false;
  }
  model->closed_slots = 0;
  for (const AddedSlot &slot : slots)
    model->closed_slots += model->cliques[slot.clique].type->closed ? 1 : 0;
  model->items_alone = model->closed_slots == model->slots.size();
  for (std::int64_t i = 0; model->items_alone && i < model->chains.size(); ++i)
    model->items_alone = model->chains[i].is_item();
}

// Sets first_message and first_count of each type from its first clique. Since the cliques of a type
// are consecutive, the formulas at CliqueType::first_message hold for all of them. Adds up the
// sizes of all messages and counts.
void chorale_model_builder::count_messages() noexcept {
  const CliqueType *before = nullptr;
  model->message_count = model->count_count = 0;
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique clique = model->cliques[c];
    CliqueType &type = *clique.type;
    if (&type != before) {
      type.first_message =
          type.closed ? 0
                      : model->message_count - std::int64_t{clique.first_slot} * type.columns;
      type.first_count = model->count_count - c * type.columns;
      before = &type;
    }
    model->message_count += type.closed ? 0 : clique.entries();
    model->count_count += type.columns;
    model->most_columns = std::max(model->most_columns, type.columns);
  }
}

// Finds the connected components of the chains by union-find and stores the parts of the model.
// False if memory runs out.
bool chorale_model_builder::find_parts() noexcept {
  if (model->items_alone)
    return true; // every chain is in part 0 (Parts::make)
  const std::int64_t chains = model->chains.size();
  chorale::Array<std::int32_t> above(memory); // by chain: parent in the forest of Components
  chorale::Array<std::int32_t> first(memory); // by clique: its first chain, or -1
  if (!above.resize(chains) || !first.fill(model->cliques.size(), -1))
    return false;
  std::iota(above.begin(), above.end(), 0);
  chorale::Components components(above);
  const auto join = [&](std::int64_t clique, std::int32_t chain) {
    if (first[clique] < 0)
      first[clique] = chain;
    components.join(first[clique], chain);
  };
  for (const AddedSlot &slot : slots)
    join(slot.clique, slot.chain);
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    if (model->cliques[c].centred())
      join(c, centres[c].chain);
  components.flatten();
  return model->parts.make(above, [this](std::int64_t i) {
    const Chain &chain = model->chains[i];
    return chain.slots == 0 || model->is_closed(chain);
  });
}

// Sorts the slots and completes `model`. False if memory runs out.
bool chorale_model_builder::complete() noexcept {
  if (!place_members() || !order_slots())
    return false;
  if (!number_fired(*model))
    return false;
  close_cliques();
  count_messages();
  if (!find_parts())
    return false;
  if (std::any_of(groups.begin(), groups.end(), [](std::int64_t group) { return group != 0; })) {
    const auto [least, most] = std::minmax_element(groups.begin(), groups.end());
    if (!model->groups.make(groups.size(), *least, *most))
      return false;
    for (std::int64_t i = 0; i < groups.size(); ++i)
      model->groups.set(i, groups[i]);
  }
  model->chains.shrink();
  model->wholes.shrink();
  model->cliques.shrink();
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    if (model->cliques[c].all_members() == 0)
      log.write(CHORALE_LOG_WARNING, "clique ", c, " has no members");
  return true;
}
