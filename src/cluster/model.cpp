#include "cluster/model.hpp"

chorale_model::~chorale_model() {
  // The public releases are this simple, and do not throw.
  for (const chorale::Potential *potential : potentials)
    chorale_potential_release(potential);
  for (const chorale::Property *property : properties)
    chorale_property_release(property);
  for (const chorale::Dictionary *dictionary : dictionaries)
    chorale_dictionary_release(dictionary);
  for (const chorale::Transitions *matrix : transitions)
    chorale_transitions_release(matrix);
}

std::size_t chorale_model::bytes() const noexcept {
  return sizeof(chorale_model) + arena.bytes() + chains.bytes() + slots.bytes() + wholes.bytes() +
         cliques.bytes() + members.bytes() + potentials.bytes() + properties.bytes() +
         dictionaries.bytes() + transitions.bytes() + widened_bytes;
}
