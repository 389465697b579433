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

bool chorale_model_builder::reserve_clique() noexcept {
  return model->cliques.reserve(model->cliques.size() + 1) && centres.reserve(centres.size() + 1) &&
         latest.reserve(latest.size() + 1) && members.reserve(members.size() + 1);
}

void chorale_model_builder::push_clique(const Clique &clique) noexcept {
  model->cliques.push(clique);
  centres.push({-1, -1});
  latest.push({-1, -1});
  members.push(0);
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
  chain.single = view.single;
  if (is_unusual(view)) {
    const UnusualChain unusual{view};
    chain.unusual = model->arena.copy(&unusual, 1);
    if (!chain.unusual)
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
  chain.first_label = model->label_count;
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
  chain.instance = model->arena.copy(&instance, 1);
  if (!chain.instance)
    return false;
  chain.length = static_cast<std::int32_t>(instance.length);
  chain.labels = static_cast<std::int32_t>(instance.labels);
  chain.first_label = model->label_count;
  model->label_count += chain.length;
  model->most_labels = std::max(model->most_labels, chain.labels);
  model->chains.push(chain);
  groups.push(0);
  last_slot.push(-1);
  return true;
}

const Potential *chorale_model_builder::over_columns(const Potential *potential,
                                                     std::int32_t columns) noexcept {
  if (potential->values == columns)
    return potential;
  // Cliques with one potential mostly come in a row, and then share the widened one.
  if (!model->cliques.empty() && !model->potentials.empty()) {
    const Clique &before = *(model->cliques.end() - 1);
    const Potential *last = *(model->potentials.end() - 1);
    if (before.potential == last && last->base == potential && before.columns == columns)
      return last;
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

bool chorale_model_builder::add_clique(const chorale_clique_setup &setup) noexcept {
  Clique clique{};
  const std::int64_t given =
      setup.centre_values > 0 ? setup.centre_potentials[0]->values : setup.potential->values;
  bool may_be_empty = setup.property != nullptr;
  for (std::int64_t y = 0; setup.label_values && y < setup.labels; ++y)
    may_be_empty = may_be_empty || setup.label_values[y] < 0;
  clique.values = static_cast<std::int32_t>(setup.values);
  clique.columns = may_be_empty || given == setup.values + 2 ? clique.values + 2 : clique.values;
  const std::int64_t potentials = std::max<std::int64_t>(setup.centre_values, 1);
  if (!reserve_clique() || !model->properties.reserve(model->properties.size() + 1) ||
      !model->dictionaries.reserve(model->dictionaries.size() + 1) ||
      !model->potentials.reserve(model->potentials.size() + potentials))
    return false;
  const Clique *before = model->cliques.empty() ? nullptr : model->cliques.end() - 1;
  if (setup.label_values) {
    clique.map_labels = static_cast<std::int32_t>(setup.labels);
    clique.map = share_or_copy(model->arena, before ? before->map : nullptr,
                               before ? before->map_labels : 0, setup.label_values, setup.labels);
    if (!clique.map)
      return false;
  }
  if (setup.centre_values > 0) {
    clique.centre_values = static_cast<std::int32_t>(setup.centre_values);
    auto *centre = model->arena.take_array<const Potential *>(setup.centre_values);
    if (!centre)
      return false;
    for (std::int64_t c = 0; c < setup.centre_values; ++c) {
      const Potential *own = setup.centre_potentials[c];
      centre[c] = over_columns(own, clique.columns);
      if (!centre[c])
        return false;
      if (centre[c] == own) {
        if (!model->potentials.push(own))
          return false;
        chorale_potential_retain(own);
      }
    }
    clique.centre = centre;
    if (setup.centre_label_values) {
      clique.centre_map_labels = static_cast<std::int32_t>(setup.centre_labels);
      clique.centre_map = share_or_copy(model->arena, before ? before->centre_map : nullptr,
                                        before ? before->centre_map_labels : 0,
                                        setup.centre_label_values, setup.centre_labels);
      if (!clique.centre_map)
        return false;
    }
  } else {
    clique.potential = over_columns(setup.potential, clique.columns);
    if (!clique.potential)
      return false;
    if (clique.potential == setup.potential &&
        (model->potentials.empty() || *(model->potentials.end() - 1) != setup.potential))
      model->potentials.push(chorale_potential_retain(setup.potential));
  }
  if (setup.property) {
    clique.property = setup.property;
    chorale_property_retain(setup.property);
    model->properties.push(setup.property);
    if (setup.dictionary) {
      clique.dictionary = setup.dictionary;
      chorale_dictionary_retain(setup.dictionary);
      model->dictionaries.push(setup.dictionary);
    }
  }
  push_clique(clique);
  return true;
}

bool chorale_model_builder::add_slot(const Slot &slot) noexcept {
  if (!previous.push(last_slot[slot.chain]))
    return false;
  if (!model->slots.push(slot)) {
    previous.truncate(previous.size() - 1);
    return false;
  }
  last_slot[slot.chain] = static_cast<std::int32_t>(model->slots.size() - 1);
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
  if (!model->wholes.push({classes, table}))
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
    if (model->slots[s].clique == clique && model->slots[s].position == position)
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
  const std::int64_t slots_before = model->slots.size();
  bool fits = true;
  for (const Word *word = words.begin(); fits && word != words.end();) {
    const Word *end = word;
    while (end != words.end() && end->group == word->group && end->token == word->token)
      ++end;
    if (end - word >= options.minimum) {
      // All share the first one's copies.
      if (count == 0) {
        fits = add_clique(setup);
      } else {
        const Clique same = model->cliques[cliques_before];
        fits = reserve_clique();
        if (fits)
          push_clique(same);
      }
      const auto clique = static_cast<std::int32_t>(model->cliques.size() - 1);
      for (; fits && word != end; ++word)
        fits = add_position(clique, word->chain, word->position);
      ++count;
    }
    word = end;
  }
  if (fits)
    return true;
  for (std::int64_t s = model->slots.size() - 1; s >= slots_before; --s)
    last_slot[model->slots[s].chain] = previous[s];
  model->slots.truncate(slots_before);
  previous.truncate(slots_before);
  model->cliques.truncate(cliques_before);
  centres.truncate(cliques_before);
  latest.truncate(cliques_before);
  members.truncate(cliques_before);
  return false;
}

bool chorale_model_builder::order_slots() noexcept {
  const std::int64_t cliques = model->cliques.size();
  const std::int64_t chains = model->chains.size();
  const std::int64_t slots = model->slots.size();
  std::int64_t centred = 0;
  for (std::int64_t c = 0; c < cliques; ++c)
    centred += model->cliques[c].centred() ? 1 : 0;
  Array<Slot> ordered(memory);
  Array<std::int64_t> next(memory);
  if (!ordered.resize(slots + centred) || !next.resize(chains + 1) ||
      !model->members.resize(slots + centred))
    return false;
  std::fill(next.begin(), next.end(), 0);
  const auto each_slot = [&](auto &&visit) {
    for (std::int64_t s = 0; s < slots; ++s)
      visit(model->slots[s]);
    for (std::int64_t c = 0; c < cliques; ++c)
      if (model->cliques[c].centred())
        visit(Slot{centres[c].chain, static_cast<std::int32_t>(c), members[c], centres[c].position,
                   -1});
  };
  each_slot([&](const Slot &slot) { ++next[slot.chain + 1]; });
  for (std::int64_t i = 0; i < chains; ++i)
    next[i + 1] += next[i];
  for (std::int64_t i = 0; i < chains; ++i) {
    model->chains[i].first_slot = next[i];
    model->chains[i].slots = static_cast<std::int32_t>(next[i + 1] - next[i]);
  }
  each_slot([&](const Slot &slot) { ordered[next[slot.chain]++] = slot; });

  for (std::int64_t i = 0; i < chains; ++i) {
    Chain &chain = model->chains[i];
    Slot *first = ordered.begin() + chain.first_slot;
    // The ports of an instance keep the order of adding, which is that of their numbers.
    const bool ports = chain.instance != nullptr;
    std::sort(first, first + chain.slots, [ports](const Slot &a, const Slot &b) {
      if (a.position != b.position)
        return a.position < b.position;
      return ports ? a.whole < b.whole : a.clique < b.clique;
    });
    while (chain.whole_slots < chain.slots && first[chain.whole_slots].position < 0)
      ++chain.whole_slots;
  }
  std::int64_t member = 0;
  for (std::int64_t c = 0; c < cliques; ++c) {
    Clique &clique = model->cliques[c];
    clique.members = members[c];
    clique.first_slot = member;
    member += clique.all_members();
    clique.first_message = model->message_count;
    model->message_count += std::int64_t{clique.members} * clique.columns + clique.centre_values;
    clique.first_count = model->count_count;
    model->count_count += clique.columns;
  }
  for (std::int64_t s = 0; s < ordered.size(); ++s) {
    const Clique &clique = model->cliques[ordered[s].clique];
    model->members[clique.first_slot + ordered[s].member] = static_cast<std::int32_t>(s);
  }
  model->slots = std::move(ordered);
  return true;
}

bool chorale_model_builder::freeze() noexcept {
  if (!order_slots())
    return false;
  if (std::any_of(groups.begin(), groups.end(), [](std::int64_t group) { return group != 0; })) {
    model->groups = std::move(groups);
    model->groups.shrink();
  }
  model->chains.shrink();
  model->slots.shrink();
  model->wholes.shrink();
  model->cliques.shrink();
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    if (model->cliques[c].all_members() == 0)
      log.write(CHORALE_LOG_WARNING, "clique ", c, " has no members");
  return true;
}
