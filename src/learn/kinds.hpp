// The kinds of cliques, and potentials of their weights.
#pragma once

#include "cluster/model/exchange.hpp"
#include "learn/learnt.hpp"
#include "problem/problem.hpp"

namespace chorale {

// The problems to learn from; none is NULL.
using Problems = gsl::span<const chorale_problem *const>;

// Lists the kinds of all problems in learnt.kinds. Fails if no clique has a kind, if cliques of one
// kind differ (join()), if a kind has a number above 65535, if two problems give a kind different
// names, if a problem has an oracle instance, or if a member of a clique with a kind has a weight
// above 1. classes: by label, -1 if it does not count; may be empty.
chorale_status find_kinds(const Report &report, Problems problems,
                          gsl::span<const std::int32_t> classes, Learnt &learnt) noexcept;

// Returns a new kind that describes `clique`.
Kind kind_of(const Clique &clique) noexcept;
// Returns false if a clique differs from those of a kind in being a property clique, in having EMPTY
// or OUT, in having a centre, or in the number of values of the centre. If only its own number of
// values differs, sets kind.values to 0.
bool join(Kind &kind, const Clique &clique) noexcept;

// Creates the potential of a kind under its weights, for cliques of `values` values, plus EMPTY and
// CONFLICT if the kind has them. centre_value: of a centred kind, the value of the centre that the
// potential belongs to; otherwise -1.
chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const Weight> weights, std::int64_t values,
                             std::int64_t centre_value, Potential *&made) noexcept;

// Potentials for the cliques of one model. Cliques of equal kind, number of values and key share
// theirs.
class Potentials {
public:
  explicit Potentials(const Memory &memory) noexcept
      : memory_(memory), made_(memory), exchanges_(memory), weights_(memory),
        centres_(memory) {}
  ~Potentials() { clear(); }
  Potentials(const Potentials &) = delete;
  Potentials &operator=(const Potentials &) = delete;

  // Begins a model: every clique keeps its potential. False if memory runs out.
  bool begin(const Model &model) noexcept;
  // Gives clique `number`, of kind `kind_number`, its potential. If there is none for this kind and
  // key yet, make(weights) fills in the weights for it.
  template <class Make>
  chorale_status give(const Report &report, const Model &model, std::int64_t number,
                      std::int32_t kind_number, const Kind &kind, std::int64_t key,
                      Make &&make) noexcept {
    const std::int32_t values = model.cliques[number].values();
    for (const Made &made : made_)
      if (made.kind == kind_number && made.values == values && made.key == key) {
        exchanges_[number] = made.exchange;
        return CHORALE_OK;
      }
    weights_.truncate(0);
    CHORALE_CHECK(make(weights_));
    return create(report, {kind_number, values, key, {}}, kind, exchanges_[number]);
  }
  gsl::span<const Exchange> exchanges() const noexcept { return exchanges_; }
  // Releases the potentials. Models that use them hold references of their own.
  void clear() noexcept;

private:
  struct Made {
    std::int32_t kind;
    std::int32_t values;
    std::int64_t key;
    Exchange exchange;
    std::int32_t centre_values = 0;
  };
  chorale_status create(const Report &report, Made made, const Kind &kind, Exchange &to) noexcept;

  const Memory &memory_;
  Array<Made> made_;
  Array<Exchange> exchanges_;
  Array<Weight> weights_; // of the potential that is made
  Arena centres_;
};

} // namespace chorale
