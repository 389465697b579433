#include "cluster/model/exchange.hpp"

#include "cluster/model/fired_columns.hpp"
#include "potential/recolumn.hpp"

#include <new>

namespace chorale {
namespace {

class Exchanging {
public:
  Exchanging(Model &to, const Model &from) noexcept : to_(to), from_(from), columns_(to.memory) {}

  bool run(gsl::span<const Exchange> exchanges, gsl::span<const void *const> unary) noexcept {
    if (!to_.derive_from(from_) ||
        !(unary.empty() ? to_.chains.copy(from_.chains) : copy_chains(unary)))
      return false;
    Expects(exchanges.size() >= to_size(to_.cliques.size()));
    for (std::int64_t c = 0; c < to_.cliques.size(); ++c)
      if (!take_clique(c, exchanges.data()[c]))
        return false;
    return true;
  }

private:
  bool copy_chains(gsl::span<const void *const> unary) noexcept {
    Expects(unary.size() >= to_size(from_.chains.size()));
    for (std::int64_t i = 0; i < from_.chains.size(); ++i) {
      Chain chain = from_.chains[i];
      if (const void *scores = unary.data()[i]) {
        auto *view = to_.arena.take_array<ChainView>(1);
        if (!view)
          return false;
        new (view) ChainView(chain.view());
        view->unary = scores;
        view->unary_row = chain.labels;
        view->unary_column = 1;
        chain.other = view;
      }
      if (!to_.chains.push(chain))
        return false;
      to_.chains.set_wholes(i, chain.wholes());
    }
    to_.chains.place_slots([&](std::int64_t i) { return from_.chains[i].slots; });
    return true;
  }

  // Sets the new type of clique c. Consecutive cliques with the same type and the same exchange
  // share the new type.
  bool take_clique(std::int64_t c, const Exchange &exchange) noexcept {
    const CliqueType *from = &from_.cliques.type(c);
    if (c > 0 && from == &from_.cliques.type(c - 1) && exchange.potential == last_.potential &&
        exchange.centre == last_.centre)
      return to_.cliques.set_type(c, &to_.cliques.type(c - 1));
    last_ = exchange;
    auto *type = to_.arena.take_array<CliqueType>(1);
    if (!type)
      return false;
    *type = *from;
    if (!to_.cliques.set_type(c, type))
      return false;
    if (exchange.potential) {
      type->given = exchange.potential;
      type->potential = from->fired ? narrowed(*from, *exchange.potential)
                                    : widen(to_, exchange.potential, from->columns);
      return type->potential != nullptr;
    }
    if (!exchange.centre)
      return true;
    auto *centre = to_.arena.take_array<const Potential *>(from->centre_values);
    for (std::int32_t k = 0; centre && k < from->centre_values; ++k)
      if (!(centre[k] = widen(to_, exchange.centre[k], from->columns)))
        return false;
    type->centre = centre;
    return centre != nullptr;
  }

  // Returns `given` over the columns of `type`: the values that members can fire, EMPTY and
  // CONFLICT. NULL if memory runs out.
  const Potential *narrowed(const CliqueType &type, const Potential &given) noexcept {
    const std::int32_t fired = type.fired->size();
    if (!columns_.resize(fired + 2) || !to_.potentials.reserve(to_.potentials.size() + 1))
      return nullptr;
    for (std::int32_t v = 0; v < fired; ++v)
      columns_[v] = type.fired_values[v];
    for (std::int32_t k = 0; k < 2; ++k)
      columns_[fired + k] = given.values > type.values ? type.values + k : -1;
    Potential *made = recolumn(to_.memory, given, span_of(columns_.begin(), fired + 2));
    if (!made)
      return nullptr;
    to_.potentials.push(made);
    to_.made_bytes += made->bytes();
    return made;
  }

  Model &to_;
  const Model &from_;
  Exchange last_{};
  Array<std::int32_t> columns_;
};

} // namespace

Model *exchange(const Memory &memory, const Log &log, const Model &model,
                gsl::span<const Exchange> exchanges, gsl::span<const void *const> unary) noexcept {
  Held<Model> draft(memory.create<Model>(memory, log));
  if (!draft || !Exchanging(*draft, model).run(exchanges, unary))
    return nullptr;
  return draft.give();
}

} // namespace chorale
