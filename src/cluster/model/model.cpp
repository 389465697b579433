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
  pairs_labels = from.pairs_labels;
  most_members = from.most_members;
  most_counted = from.most_counted;
  score_bytes = from.score_bytes;
  base = chorale::retain(from.base ? from.base : &from);
  return true;
}

namespace chorale {
namespace {

// Makes a model with the chains of another model, and with its potentials multiplied by factors.
class Reweighing {
public:
  Reweighing(Model &to, const Model &from) noexcept : to_(to), from_(from) {}

  bool run(gsl::span<const double> factors) noexcept {
    if (!to_.derive_from(from_) || !to_.chains.copy(from_.chains))
      return false;
    for (std::int64_t c = 0; c < to_.cliques.size(); ++c)
      if (!take_clique(c, factors.data()[c]))
        return false;
    return true;
  }

private:
  // Sets the new type of clique c. Consecutive cliques with the same type and factor share the new
  // type. This is possible, since no field of a type depends on the clique.
  bool take_clique(std::int64_t c, double factor) noexcept {
    const CliqueType *from = &from_.cliques.type(c);
    if (c > 0 && from == &from_.cliques.type(c - 1) && factor == last_factor_)
      return to_.cliques.set_type(c, &to_.cliques.type(c - 1));
    const double factor_before = std::exchange(last_factor_, factor);
    auto *type = to_.arena.take_array<CliqueType>(1);
    if (!type)
      return false;
    *type = *from;
    if (!to_.cliques.set_type(c, type))
      return false;
    if (!from->centre) {
      // If the clique before has another type, but the same potential and factor, the two types
      // share the rescaled potential.
      const CliqueType *before = c > 0 ? &from_.cliques.type(c - 1) : nullptr;
      if (before && before->potential == from->potential && factor == factor_before) {
        type->potential = to_.cliques.type(c - 1).potential;
        type->given = to_.cliques.type(c - 1).given;
        return true;
      }
      type->potential = times(*from->potential, factor);
      type->given = from->given == from->potential ? type->potential : times(*from->given, factor);
      return type->potential && type->given;
    }
    auto *centre = to_.arena.take_array<const Potential *>(from->centre_values);
    for (std::int32_t k = 0; centre && k < from->centre_values; ++k)
      if (!(centre[k] = times(*from->centre[k], factor)))
        return false;
    type->centre = centre;
    return centre != nullptr;
  }

  const Potential *times(const Potential &potential, double factor) noexcept {
    if (!to_.potentials.reserve(to_.potentials.size() + 1))
      return nullptr;
    if (factor == 1) {
      to_.potentials.push(retain(&potential));
      return &potential;
    }
    const Potential *made = rescale(to_.memory, potential, factor);
    if (!made)
      return nullptr;
    to_.potentials.push(made);
    to_.made_bytes += sizeof(Potential);
    return made;
  }

  Model &to_;
  const Model &from_;
  double last_factor_ = -1;
};

} // namespace

chorale_status create_reweighed(const Report &report, const Memory &memory, const Log &log,
                                const Model &model, gsl::span<const double> factors,
                                Model *&made) noexcept {
  if (factors.size() < to_size(model.cliques.size()))
    return report.null_argument("factors");
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const Clique &clique = model.cliques[c];
    char name[40];
    TextWriter(name, sizeof name) << "factors[" << c << "]";
    for (std::int32_t k = 0; k < std::max(clique.centre_values(), 1); ++k)
      CHORALE_CHECK(check_factor(report, name, factors.data()[c], clique.potential_at(k)));
  }
  Held<Model> draft(memory.create<Model>(memory, log));
  if (!draft || !Reweighing(*draft, model).run(factors))
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                       "the allocator gave no memory for a model of ", model.chains.size(),
                       " chains");
  made = draft.give();
  return CHORALE_OK;
}

} // namespace chorale
