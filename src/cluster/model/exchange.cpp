#include "cluster/model/exchange.hpp"

#include "cluster/model/fired_columns.hpp"

namespace chorale {
namespace {

// Copies chains, slots, cliques, members, groups, parts and totals into the new model `to`, which
// keeps `from` alive as its `base`, since it uses the scores, label maps, properties and weights that
// `from` owns. The types of the cliques are still those of `from`. False if memory runs out.
bool copy_topology(Model &to, const Model &from) noexcept {
  if (!to.chains.copy(from.chains) || !to.slots.copy(from.slots) || !to.wholes.copy(from.wholes) ||
      !to.cliques.copy(from.cliques) || !to.members.copy(from.members) ||
      !to.site_chains.copy(from.site_chains) || !to.place_cliques.copy(from.place_cliques) ||
      !to.groups.copy(from.groups) || !to.parts.copy(from.parts))
    return false;
  static_cast<ModelTotals &>(to) = from;
  to.base = retain(&from);
  return true;
}

// Returns a copy of a type with the exchanged potentials. NULL if memory runs out.
CliqueType *exchanged(Model &to, const CliqueType &from, const Exchange &exchange) noexcept {
  auto *type = to.arena.take_array<CliqueType>(1);
  if (!type)
    return nullptr;
  *type = from;
  if (exchange.potential) {
    type->given = exchange.potential;
    type->potential = from.fired
                          ? narrow(to, *exchange.potential, from.values,
                                   {from.fired_values, to_size(from.fired->size())})
                          : widen(to, exchange.potential, from.columns);
    return type->potential ? type : nullptr;
  }
  if (!exchange.centre)
    return type;
  auto *centre = to.arena.take_array<const Potential *>(from.centre_values);
  for (std::int32_t k = 0; centre && k < from.centre_values; ++k)
    if (!(centre[k] = widen(to, exchange.centre[k], from.columns)))
      return nullptr;
  type->centre = centre;
  return centre ? type : nullptr;
}

} // namespace

Model *exchange(const Memory &memory, const Log &log, const Model &model,
                gsl::span<const Exchange> exchanges) noexcept {
  Held<Model> draft(memory.create<Model>(memory, log));
  if (!draft || !copy_topology(*draft, model))
    return nullptr;
  Expects(exchanges.size() >= to_size(model.cliques.size()));
  const Exchange *given = exchanges.data();
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    CliqueType *&type = draft->cliques[c].type;
    // Consecutive cliques of one type with the same exchange share the new type.
    const bool is_alike = c > 0 && type == model.cliques[c - 1].type &&
                          given[c].potential == given[c - 1].potential &&
                          given[c].centre == given[c - 1].centre;
    type = is_alike ? draft->cliques[c - 1].type : exchanged(*draft, *type, given[c]);
    if (!type)
      return nullptr;
  }
  return draft.give();
}

} // namespace chorale
