#include "cluster/builder.hpp"

#include "potential/recolumn.hpp"

#include <algorithm>

namespace chorale {
namespace {

std::size_t number_bytes(const ChainView &view) noexcept {
  return view.single ? sizeof(float) : sizeof(double);
}

std::int64_t edge_numbers(const ChainView &view) noexcept {
  if (!view.edges)
    return 0;
  return std::int64_t{view.edge_each ? view.length - 1 : 1} * view.labels * view.labels;
}

// Copies numbers of the view's own type, `at(i)` saying where each lies.
template <class At>
const void *copy_numbers(Arena &arena, const ChainView &view, const void *from, std::int64_t count,
                         At &&at) noexcept {
  const auto copy = [&]<class Number>(const Number *source) -> const void * {
    Number *to = arena.take_array<Number>(count);
    for (std::int64_t i = 0; to && i < count; ++i)
      to[i] = source[at(i)];
    return to;
  };
  return view.single ? copy(static_cast<const float *>(from))
                     : copy(static_cast<const double *>(from));
}

template <class Number>
bool copy_array(Arena &arena, const Number *&array, std::int64_t count) noexcept {
  if (!array)
    return true;
  array = arena.copy(array, count);
  return array != nullptr;
}

// Moves all arrays of a chain into the arena, without gaps.
bool copy_chain(Arena &arena, ChainView &view) noexcept {
  const std::int64_t m = view.labels;
  const std::int64_t T = view.length;
  const auto one_after_another = [](std::int64_t i) { return i; };
  view.unary = copy_numbers(arena, view, view.unary, T * m, [&](std::int64_t i) {
    return i / m * view.unary_row + i % m * view.unary_column;
  });
  view.unary_row = m;
  view.unary_column = 1;
  if (!view.unary)
    return false;
  if (view.edges) {
    view.edges = copy_numbers(arena, view, view.edges, edge_numbers(view), [&](std::int64_t i) {
      return i / (m * m) * view.edge_matrix + i / m % m * view.edge_from + i % m * view.edge_to;
    });
    view.edge_matrix = m * m;
    view.edge_from = m;
    view.edge_to = 1;
    if (!view.edges)
      return false;
  }
  for (const void **ends : {&view.start, &view.end})
    if (*ends && !(*ends = copy_numbers(arena, view, *ends, m, one_after_another)))
      return false;
  if (view.allowed) {
    auto *to = arena.take_array<std::uint8_t>(T * m);
    for (std::int64_t i = 0; to && i < T * m; ++i)
      to[i] = view.allowed[i / m * view.allowed_row + i % m];
    view.allowed = to;
    view.allowed_row = m;
    if (!to)
      return false;
  }
  return copy_array(arena, view.parents, T) && copy_array(arena, view.forced, T);
}

// Cliques in a row mostly have equal maps, and then share one.
const std::int32_t *share_or_copy(Arena &arena, const std::int32_t *before,
                                  std::int64_t before_count, const std::int32_t *given,
                                  std::int64_t count) noexcept {
  if (before && before_count == count && std::equal(given, given + count, before))
    return before;
  return arena.copy(given, count);
}

bool comes_after(std::int32_t chain, std::int32_t position, std::int32_t chain_before,
                 std::int32_t position_before) noexcept {
  return chain != chain_before ? chain > chain_before : position > position_before;
}

bool is_unusual(const ChainView &view) noexcept {
  return view.edges || view.start || view.end || view.parents || view.forced || view.allowed ||
         view.unary_column != 1 || view.unary_row != view.labels;
}

} // namespace
} // namespace chorale

using namespace chorale;

bool chorale_model_builder::reserve_chain() noexcept {
  return model->chains.reserve(model->chains.size() + 1) && groups.reserve(groups.size() + 1) &&
         last_slot.reserve(last_slot.size() + 1) &&
         model->transitions.reserve(model->transitions.size() + 1);
}

bool chorale_model_builder::add_chain(ChainView view, const std::int32_t *tokens, bool borrow,
                                      std::int64_t group) noexcept {
  if (!reserve_chain())
    return false;
  if (!borrow &&
      (!copy_chain(model->arena, view) || !copy_array(model->arena, tokens, view.length)))
    return false;
  Chain chain{};
  chain.unary = view.unary;
  chain.transitions = view.transitions;
  chain.tokens = tokens;
  chain.length = view.length;
  chain.labels = view.labels;
  chain.single = view.single ? 1 : 0;
  if (is_unusual(view)) {
    chain.other = model->arena.copy(&view, 1);
    if (!chain.other)
      return false;
  }
  // One reference serves chains in a row.
  if (view.transitions &&
      (model->transitions.empty() || *(model->transitions.end() - 1) != view.transitions)) {
    chorale_transitions_retain(view.transitions);
    model->transitions.push(view.transitions);
  }
  const auto numbers =
      static_cast<std::size_t>(std::int64_t{view.length} * view.labels + edge_numbers(view));
  model->score_bytes += numbers * number_bytes(view);
  model->copied_score_bytes += borrow ? 0 : numbers * number_bytes(view);
  chain.first_label = static_cast<std::int32_t>(model->label_count);
  model->label_count += view.length;
  model->most_labels = std::max(model->most_labels, view.labels);
  model->chains.push(chain);
  groups.push(group);
  last_slot.push(-1);
  return true;
}

bool chorale_model_builder::add_instance(const chorale_instance &instance) noexcept {
  if (!reserve_chain())
    return false;
  Chain chain{};
  chain.other = model->arena.copy(&instance, 1);
  if (!chain.other)
    return false;
  chain.is_instance = 1;
  chain.length = static_cast<std::int32_t>(instance.length);
  chain.labels = static_cast<std::int32_t>(instance.labels);
  chain.first_label = static_cast<std::int32_t>(model->label_count);
  model->label_count += chain.length;
  model->most_labels = std::max(model->most_labels, chain.labels);
  model->chains.push(chain);
  groups.push(0);
  last_slot.push(-1);
  return true;
}

const Potential *chorale_model_builder::over_columns(const Potential *potential,
                                                     std::int32_t columns) noexcept {
  // Cliques with one potential mostly come in a row, and then share what is held for it.
  if (!model->cliques.empty())
    if (const CliqueType &before = *(model->cliques.end() - 1)->type;
        before.given == potential && before.columns == columns)
      return before.potential;
  if (potential->values == columns) {
    if (!model->potentials.push(potential))
      return nullptr;
    return chorale_potential_retain(potential);
  }
  auto *from = model->arena.take_array<std::int32_t>(columns);
  if (!from || !model->potentials.reserve(model->potentials.size() + 1))
    return nullptr;
  for (std::int32_t v = 0; v < columns; ++v)
    from[v] = v < potential->values ? v : -1;
  Potential *widened = recolumn(memory, *potential, from, columns);
  if (!widened)
    return nullptr;
  model->potentials.push(widened);
  model->made_potential_bytes += sizeof(Potential) + widened->storage.bytes();
  return widened;
}

CliqueType *chorale_model_builder::same_type(const chorale_clique_setup &setup) const noexcept {
  if (model->cliques.empty() || setup.centre_values > 0)
    return nullptr;
  CliqueType *type = (model->cliques.end() - 1)->type;
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
    centre[c] = over_columns(setup.centre_potentials[c], type.columns);
    if (!centre[c])
      return false;
  }
  type.centre = centre;
  if (!setup.centre_label_values)
    return true;
  const CliqueType *before = model->cliques.empty() ? nullptr : (model->cliques.end() - 1)->type;
  type.centre_map_labels = static_cast<std::int32_t>(setup.centre_labels);
  type.centre_map = share_or_copy(model->arena, before ? before->centre_map : nullptr,
                                  before ? before->centre_map_labels : 0, setup.centre_label_values,
                                  setup.centre_labels);
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
  const CliqueType *before = model->cliques.empty() ? nullptr : (model->cliques.end() - 1)->type;
  auto *made = model->arena.take_array<CliqueType>(1);
  if (!made || !model->properties.reserve(model->properties.size() + 1) ||
      !model->dictionaries.reserve(model->dictionaries.size() + 1))
    return nullptr;
  if (setup.label_values) {
    type.map_labels = static_cast<std::int32_t>(setup.labels);
    type.map = share_or_copy(model->arena, before ? before->map : nullptr,
                             before ? before->map_labels : 0, setup.label_values, setup.labels);
    if (!type.map)
      return nullptr;
  }
  if (setup.centre_values > 0) {
    if (!add_centre(setup, type))
      return nullptr;
  } else {
    type.given = setup.potential;
    type.potential = over_columns(setup.potential, type.columns);
    if (!type.potential)
      return nullptr;
  }
  if (setup.property) {
    type.property = setup.property;
    chorale_property_retain(setup.property);
    model->properties.push(setup.property);
    if (setup.dictionary) {
      type.dictionary = setup.dictionary;
      chorale_dictionary_retain(setup.dictionary);
      model->dictionaries.push(setup.dictionary);
    }
  }
  *made = type;
  return made;
}

bool chorale_model_builder::add_clique(const chorale_clique_setup &setup) noexcept {
  if (!model->cliques.reserve(model->cliques.size() + 1) || !centres.reserve(centres.size() + 1) ||
      !latest.reserve(latest.size() + 1) || !members.reserve(members.size() + 1))
    return false;
  CliqueType *type = same_type(setup);
  if (!type)
    type = make_type(setup);
  if (!type)
    return false;
  model->cliques.push({type, 0, 0});
  centres.push({-1, -1});
  latest.push({-1, -1});
  members.push(0);
  return true;
}

bool chorale_model_builder::add_slot(const Slot &slot) noexcept {
  if (!previous.push(last_slot[slot.chain]))
    return false;
  if (!slots.push(slot)) {
    previous.truncate(previous.size() - 1);
    return false;
  }
  last_slot[slot.chain] = static_cast<std::int32_t>(slots.size() - 1);
  Place &last = latest[slot.clique];
  const bool ascends = comes_after(slot.chain, slot.position, last.chain, last.position);
  last = last.chain != -2 && ascends ? Place{slot.chain, slot.position} : Place{-2, -1};
  return true;
}

bool chorale_model_builder::add_whole(std::int32_t clique, std::int32_t chain,
                                      const std::int32_t *classes, const std::int32_t *table,
                                      bool borrow) noexcept {
  const std::int32_t T = model->chains[chain].length;
  if (!borrow) {
    if (!copy_array(model->arena, classes, T) ||
        (table != model->chains[chain].tokens && !copy_array(model->arena, table, T)))
      return false;
  }
  const auto whole = static_cast<std::int32_t>(model->wholes.size());
  if (!model->wholes.push({classes, table, chain}))
    return false;
  if (!add_slot({chain, clique, members[clique], -1, whole})) {
    model->wholes.truncate(whole);
    return false;
  }
  ++members[clique];
  return true;
}

bool chorale_model_builder::add_position(std::int32_t clique, std::int32_t chain,
                                         std::int32_t position) noexcept {
  if (!add_slot({chain, clique, members[clique], position, -1}))
    return false;
  ++members[clique];
  return true;
}

bool chorale_model_builder::has_member(std::int32_t clique, std::int32_t chain,
                                       std::int32_t position) const noexcept {
  const Place &centre = centres[clique];
  // Members mostly come in ascending order, and a chain may have very many slots.
  const Place &last = latest[clique];
  const bool is_new = last.chain != -2 && comes_after(chain, position, last.chain, last.position);
  for (std::int32_t s = is_new ? -1 : last_slot[chain]; s >= 0; s = previous[s])
    if (slots[s].clique == clique && slots[s].position == position)
      return true;
  return position >= 0 && centre.chain == chain && centre.position == position;
}

bool chorale_model_builder::add_repeated_words(const chorale_repeated_words_options &options,
                                               const chorale_clique_setup &setup,
                                               std::int64_t &count) noexcept {
  struct Word {
    std::int64_t group;
    std::int32_t token;
    std::int32_t chain;
    std::int32_t position;
  };
  Array<Word> words(memory);
  Array<std::int32_t> stop(memory);
  count = 0;
  if (!stop.resize(options.stop_count))
    return false;
  std::copy_n(options.stop, options.stop_count, stop.begin());
  std::sort(stop.begin(), stop.end());
  for (std::int32_t i = 0; i < model->chains.size(); ++i) {
    const Chain &chain = model->chains[i];
    for (std::int32_t t = 0; chain.tokens && t < chain.length; ++t)
      if (chain.tokens[t] >= 0 && !std::binary_search(stop.begin(), stop.end(), chain.tokens[t]) &&
          !words.push({options.across != 0 ? 0 : groups[i], chain.tokens[t], i, t}))
        return false;
  }
  std::sort(words.begin(), words.end(), [](const Word &a, const Word &b) {
    if (a.group != b.group)
      return a.group < b.group;
    if (a.token != b.token)
      return a.token < b.token;
    return a.chain != b.chain ? a.chain < b.chain : a.position < b.position;
  });
  const std::int64_t cliques_before = model->cliques.size();
  const std::int64_t slots_before = slots.size();
  bool fits = true;
  for (const Word *word = words.begin(); fits && word != words.end();) {
    const Word *end = word;
    while (end != words.end() && end->group == word->group && end->token == word->token)
      ++end;
    if (end - word >= options.minimum) {
      fits = add_clique(setup);
      const auto clique = static_cast<std::int32_t>(model->cliques.size() - 1);
      for (; fits && word != end; ++word)
        fits = add_position(clique, word->chain, word->position);
      ++count;
    }
    word = end;
  }
  if (fits)
    return true;
  for (std::int64_t s = slots.size() - 1; s >= slots_before; --s)
    last_slot[slots[s].chain] = previous[s];
  slots.truncate(slots_before);
  previous.truncate(slots_before);
  model->cliques.truncate(cliques_before);
  centres.truncate(cliques_before);
  latest.truncate(cliques_before);
  members.truncate(cliques_before);
  return false;
}

// Where each member lies, and the slots of each chain in their order.
bool chorale_model_builder::order_slots() noexcept {
  const std::int64_t chains = model->chains.size();
  Array<std::int64_t> next(memory);
  if (!next.resize(chains + 1) || !model->slots.resize(model->members.size()))
    return false;
  std::fill(next.begin(), next.end(), 0);
  const auto each_slot = [&](auto &&visit) {
    for (const Slot &slot : slots)
      visit(slot.chain, slot.clique, slot.member);
    for (std::int64_t c = 0; c < model->cliques.size(); ++c)
      if (model->cliques[c].centred())
        visit(centres[c].chain, c, members[c]);
  };
  each_slot([&](std::int32_t chain, std::int64_t, std::int32_t) { ++next[chain + 1]; });
  for (std::int64_t i = 0; i < chains; ++i)
    next[i + 1] += next[i];
  for (std::int64_t i = 0; i < chains; ++i) {
    model->chains[i].first_slot = static_cast<std::int32_t>(next[i]);
    model->chains[i].slots = static_cast<std::int32_t>(next[i + 1] - next[i]);
  }
  each_slot([&](std::int32_t chain, std::int64_t clique, std::int32_t member) {
    model->slots[next[chain]++] = model->cliques[clique].first_slot + member;
  });
  for (Chain &chain : model->chains) {
    std::int32_t *first = model->slots.begin() + chain.first_slot;
    const std::int32_t *sites = model->members.begin();
    // Whole slots are before positions, by clique, which is the order of their places; the ports of
    // an instance keep the order of adding, which is that of their numbers.
    const bool ports = chain.is_instance != 0;
    std::sort(first, first + chain.slots, [sites, ports](std::int32_t a, std::int32_t b) {
      if (sites[a] < 0 && sites[b] < 0)
        return ports ? sites[a] > sites[b] : a < b;
      return sites[a] != sites[b] ? sites[a] < sites[b] : a < b;
    });
    std::int32_t wholes = 0;
    while (wholes < chain.slots && sites[first[wholes]] < 0)
      ++wholes;
    chain.whole_slots = static_cast<std::uint32_t>(wholes) & 0x3fffffffU;
  }
  return true;
}

bool chorale_model_builder::place_members() noexcept {
  std::int64_t places = 0;
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    Clique &clique = model->cliques[c];
    clique.members = members[c];
    clique.first_slot = static_cast<std::int32_t>(places);
    places += clique.all_members();
    model->most_members = std::max(model->most_members, clique.members);
  }
  if (!model->members.resize(places))
    return false;
  const auto site = [&](std::int32_t chain, std::int32_t position) {
    return model->chains[chain].first_label + position;
  };
  for (const Slot &slot : slots)
    model->members[model->cliques[slot.clique].first_slot + slot.member] =
        slot.position < 0 ? -1 - slot.whole : site(slot.chain, slot.position);
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique &clique = model->cliques[c];
    if (clique.centred())
      model->members[clique.first_slot + clique.members] =
          site(centres[c].chain, centres[c].position);
  }
  return true;
}

// Cliques of a type come in rows, so that where the first clique of a row begins says it for the
// others.
void chorale_model_builder::count_messages() noexcept {
  const CliqueType *before = nullptr;
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique &clique = model->cliques[c];
    CliqueType &type = *clique.type;
    if (&type != before) {
      type.first_message = model->message_count - std::int64_t{clique.first_slot} * type.columns;
      type.first_count = model->count_count - c * type.columns;
      before = &type;
    }
    model->message_count += clique.entries();
    model->count_count += type.columns;
  }
}

bool chorale_model_builder::freeze() noexcept {
  if (!place_members() || !order_slots() ||
      !model->chain_index.build(static_cast<std::int32_t>(model->chains.size()), model->label_count,
                                [this](std::int32_t i) { return model->chains[i].first_label; }) ||
      !model->clique_index.build(static_cast<std::int32_t>(model->cliques.size()),
                                 model->members.size(),
                                 [this](std::int32_t c) { return model->cliques[c].first_slot; }))
    return false;
  count_messages();
  if (std::any_of(groups.begin(), groups.end(), [](std::int64_t group) { return group != 0; })) {
    model->groups = std::move(groups);
    model->groups.shrink();
  }
  model->chains.shrink();
  model->wholes.shrink();
  model->cliques.shrink();
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    if (model->cliques[c].all_members() == 0)
      log.write(CHORALE_LOG_WARNING, "clique ", c, " has no members");
  return true;
}
