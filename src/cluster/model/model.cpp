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
         cliques.bytes() + members.bytes() + weights.bytes() + site_chains.bytes() +
         place_cliques.bytes() + groups.bytes() + parts.bytes() + potentials.bytes() +
         properties.bytes() + dictionaries.bytes() + transitions.bytes() + made_bytes +
         (bytes_of ? bytes_of->owned.bytes() : 0);
}
