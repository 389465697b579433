// model.hpp explains the words used here.
#include "cluster/model/model.hpp"

#include "potential/checks.hpp"

#include <algorithm>
#include <utility>

chorale_model::~chorale_model() {
  for (const chorale::Potential *potential : potentials)
    chorale::release(potential);
  for (const chorale::Property *property : properties)
    chorale::release(property);
  for (const chorale::Dictionary *dictionary : dictionaries)
    chorale::release(dictionary);
  for (const chorale::Transitions *matrix : transitions)
    chorale::release(matrix);
  chorale::release(base);
  chorale::release(bytes_of);
}

std::size_t chorale_model::bytes() const noexcept {
  return sizeof(chorale_model) + arena.bytes() + chains.bytes() + slots.bytes() + wholes.bytes() +
         cliques.bytes() + members.bytes() + weights.bytes() + chain_index.bytes() +
         clique_index.bytes() + groups.bytes() + parts.bytes() + potentials.bytes() +
         properties.bytes() +
         dictionaries.bytes() + transitions.bytes() + made_bytes +
         (bytes_of ? bytes_of->owned.bytes() : 0);
}

bool chorale_model::derive_from(const chorale_model &from) noexcept {
  if (!slots.copy(from.slots) || !wholes.copy(from.wholes) || !cliques.copy(from.cliques) ||
      !members.copy(from.members) || !chain_index.copy(from.chain_index) ||
      !clique_index.copy(from.clique_index) || !groups.copy(from.groups) ||
      !parts.copy(from.parts))
    return false;
  label_count = from.label_count;
  message_count = from.message_count;
  closed_slots = from.closed_slots;
  items_alone = from.items_alone;
  count_count = from.count_count;
  most_labels = from.most_labels;
  most_counted = from.most_counted;
  score_bytes = from.score_bytes;
  base = chorale::retain(from.base ? from.base : &from);
  return true;
}
