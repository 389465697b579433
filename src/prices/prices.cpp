// Exported C functions of experimental.h on prices. A chorale_prices is a run of a copy of the caller's model in
// which the shared cliques (experimental.h) have linear potentials. Each solve writes its prices into
// these potentials.
#include "capi/firewall.hpp"
#include "cluster/model/exchange.hpp"
#include "cluster/run/evaluation.hpp"
#include "cluster/run/run.hpp"
#include "potential/checks.hpp"
#include "potential/create.hpp"
#include "potential/tangent.hpp"

#include <chorale/experimental.h>

#include <algorithm>
#include <utility>

namespace chorale {

// A shared clique, with R values. In the model of the run its columns may be fewer: only the values
// that its members can fire (fired_columns.hpp). Clique::value_of() returns the value of a column.
struct SharedClique {
  std::int32_t clique;
  std::int32_t values;      // values of the caller's potential: R, or R + 2 with EMPTY, CONFLICT
  std::int64_t first_value; // where the clique's prices and counts begin in the caller's arrays
  double *weights; // numbers of its linear potential in that model: the price of each column
};

} // namespace chorale

struct chorale_prices {
  explicit chorale_prices(const chorale::Memory &from) noexcept
      : memory(from), shared(from), is_shared(from), counts(from) {}
  ~chorale_prices() { chorale_run_destroy(run); }
  chorale_prices(const chorale_prices &) = delete;
  chorale_prices &operator=(const chorale_prices &) = delete;

  void set(const double *numbers) noexcept;
  chorale_status score_without(const chorale::Report &report, double &score) noexcept;

  chorale::Memory memory;
  chorale::Array<chorale::SharedClique> shared;
  chorale::Array<std::uint8_t> is_shared; // by clique: 1 if shared
  chorale::Array<std::int64_t> counts; // scratch: counts of a clique that is not shared, by column
  std::int64_t values = 0;                // sum of `values` over the shared cliques
  chorale_run *run = nullptr;
};

namespace chorale {
namespace {

using Prices = ::chorale_prices;

// Fills to.shared (except `weights`), to.is_shared and to.values for the `count` cliques that the
// caller names, and makes to.counts large enough for any clique.
chorale_status list_shared(const Report &report, const Model &model, const std::int64_t *cliques,
                           std::int64_t count, Prices &to) noexcept {
  if (!to.is_shared.resize(model.cliques.size()))
    return report.out_of_memory();
  std::fill(to.is_shared.begin(), to.is_shared.end(), std::uint8_t{0});
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t c = cliques[k];
    CHORALE_CHECK(check_below(report, c, model.cliques.size(), "cliques[", k, "]"));
    const Clique clique = model.cliques[c];
    if (clique.centred())
      return report.fail(CHORALE_ERROR_KIND, "cliques[", k, "] is clique ", c,
                         ", which is centred; prices are for cliques of one potential");
    if (std::exchange(to.is_shared[c], std::uint8_t{1}) != 0)
      return report.fail(CHORALE_ERROR_DUPLICATE_MEMBER, "cliques[", k, "] is clique ", c,
                         ", which is there already");
    const std::int32_t values = clique.type->given->values;
    if (!to.shared.push({static_cast<std::int32_t>(c), values, to.values, nullptr}))
      return report.out_of_memory();
    to.values += values;
  }
  return to.counts.resize(model.most_columns) ? CHORALE_OK : report.out_of_memory();
}

// Creates the model of the run: a copy of `model` in which each shared clique has a linear
// potential of its own. Sets `weights` of the shared cliques to the numbers of these potentials.
chorale_status exchange_potentials(const Report &report, const Model &model, Prices &to,
                                   Model *&made) noexcept {
  Array<Exchange> exchanges(to.memory);
  Array<double> zeros(to.memory);
  Array<Potential *> linear(to.memory);
  std::int32_t most = kMixtureHead;
  for (const SharedClique &shared : to.shared)
    most = std::max(most, shared.values);
  chorale_status status = CHORALE_OK;
  if (!exchanges.fill(model.cliques.size(), Exchange{}) || !zeros.fill(most, 0.0) ||
      !linear.reserve(to.shared.size()))
    return report.out_of_memory();
  for (const SharedClique &shared : to.shared) {
    Potential *potential = nullptr;
    status = create_mixture(report, to.memory, {}, span_of(zeros.begin(), kMixtureHead),
                            span_of(zeros.begin(), shared.values), potential);
    if (status != CHORALE_OK)
      break;
    linear.push(potential);
    exchanges[shared.clique].potential = potential;
  }
  if (status == CHORALE_OK) {
    made = exchange(to.memory, model.log, model, span_of(exchanges.begin(), exchanges.size()));
    if (!made)
      status = report.out_of_memory();
  }
  for (Potential *potential : linear)
    release(potential);
  if (status != CHORALE_OK)
    return status;
  // It is safe to write to these potentials: no other clique and no other model uses them.
  for (SharedClique &shared : to.shared)
    shared.weights =
        const_cast<double *>(made->cliques[shared.clique].potential()->numbers) + kMixtureHead;
  return CHORALE_OK;
}

chorale_status check_prices(const Report &report, const double *numbers, std::int64_t count,
                            std::int64_t values) noexcept {
  if (count == 0 && !numbers)
    return CHORALE_OK;
  if (count != values)
    return report.fail(CHORALE_ERROR_SHAPE, "count is ", count,
                       "; it must be that of all values of the shared cliques, ", values);
  CHORALE_CHECK(check_array(report, numbers, count, "numbers"));
  for (std::int64_t v = 0; v < values; ++v)
    if (!is_finite_score(numbers[v]))
      return fail_number(report, numbers[v], false, "numbers[", v, "]");
  return CHORALE_OK;
}

// Fails with BUSY if called from a callback of the run. If `reads`, the call only reads the run,
// which is allowed in the progress callback.
chorale_status check_resting(const Report &report, const Prices &prices, bool reads) noexcept {
  const Activity activity = prices.run->call.activity.load(std::memory_order_relaxed);
  if (activity == Activity::none || (reads && activity == Activity::telling))
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_BUSY, "prices is in the middle of a call; a callback of that "
                                         "call must not use it");
}

// Checks counts, one for each value, whose sum must be at most `members`.
chorale_status check_part_counts(const Report &report, const std::int64_t *counts,
                                 std::int64_t values, std::int64_t members) noexcept {
  std::int64_t left = members;
  for (std::int64_t v = 0; v < values; ++v) {
    if (counts[v] < 0 || counts[v] > left)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "counts[", v, "] is ", counts[v],
                         "; it must be at least 0, and all counts together at most members = ",
                         members);
    left -= counts[v];
  }
  return CHORALE_OK;
}

chorale_status check_tangents(const Report &report, const Potential &potential,
                              std::int64_t members) noexcept {
  if (has_tangents(potential, members))
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_KIND, "potential is of family ",
                     chorale_potential_family(&potential),
                     "; it must be a SUM that is convex and forbids no count");
}

chorale_status check_sizes(const Report &report, const Potential &potential, std::int64_t values,
                           std::int64_t members) noexcept {
  if (values != potential.values)
    return report.fail(CHORALE_ERROR_VALUES_MISMATCH, "values is ", values,
                       "; it must be that of the potential, ", potential.values);
  CHORALE_CHECK(check_least(report, members, 0, "members"));
  return check_tables_serve(report, potential, members, "potential");
}

} // namespace
} // namespace chorale

using namespace chorale;

// Copies the caller's prices to the weights of the shared cliques. NULL: all prices are 0. A column
// whose value the caller's potential does not have gets weight 0.
void chorale_prices::set(const double *numbers) noexcept {
  for (const SharedClique &of : shared) {
    const Clique clique = run->model->cliques[of.clique];
    for (std::int32_t k = 0; k < clique.columns(); ++k) {
      const std::int32_t v = clique.value_of(k);
      of.weights[k] = numbers && v >= 0 && v < of.values ? numbers[of.first_value + v] : 0.0;
    }
  }
}

// Writes to `score` the score (equation 1, model.h) of the run's best labelling without the shared
// cliques: the sum of the scores of all chains and of the cliques that are not shared. Writes
// kForbidden if the run has no labelling that all cliques allow. Fails, and writes nothing, if the
// callback of a potential fails.
chorale_status chorale_prices::score_without(const Report &report, double &score) noexcept {
  if (!run->state.found()) {
    score = kForbidden;
    return CHORALE_OK;
  }
  const RunState &state = run->state;
  double total = run->outcome().result().chain_score;
  for (std::int64_t c = 0; c < run->model->cliques.size(); ++c) {
    if (is_shared[c] != 0)
      continue;
    CallbackFailure failure = CallbackFailure::none;
    total += score_of_clique(run->inputs.clique(c), 1.0, state.best,
                             span_of(counts.begin(), counts.size()), &failure);
    CHORALE_CHECK(callback_status(report, failure, c));
  }
  score = total;
  return CHORALE_OK;
}

extern "C" {

chorale_status chorale_prices_create(const chorale_host *host, const chorale_model *model,
                                     const int64_t *cliques, int64_t count,
                                     const chorale_run_options *options, chorale_prices **prices,
                                     chorale_error *error) {
  return creating(error, host, "prices", prices, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_given(report, "model", model));
    CHORALE_CHECK(check_size(report, "count", count, 0));
    CHORALE_CHECK(check_array(report, cliques, count, "cliques"));
    chorale_run_options checked{};
    CHORALE_CHECK(read_struct(report, "options", options, checked));
    checked.struct_size = sizeof checked;
    checked.edits = 0;
    if (checked.message_element == CHORALE_MESSAGES_AUTO)
      checked.message_element = CHORALE_MESSAGES_FLOAT64;
    Draft<Prices> draft;
    CHORALE_CHECK(create_in(report, memory, draft));
    CHORALE_CHECK(list_shared(report, *model, cliques, count, *draft));
    Model *priced = nullptr;
    CHORALE_CHECK(exchange_potentials(report, *model, *draft, priced));
    const chorale_status status =
        chorale_run_create(host, priced, &checked, nullptr, &draft->run, error);
    release(priced);
    if (status != CHORALE_OK)
      return status;
    *prices = draft.release();
    return status;
  });
}

void chorale_prices_destroy(chorale_prices *prices) { destroy(prices); }

chorale_status chorale_prices_solve(chorale_prices *prices, const double *numbers, int64_t count,
                                    double *score, chorale_run_result *result,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "prices", prices));
    CHORALE_CHECK(check_resting(report, *prices, false));
    CHORALE_CHECK(check_result(report, result));
    CHORALE_CHECK(check_prices(report, numbers, count, prices->values));
    prices->set(numbers);
    chorale_run_reset(prices->run);
    CHORALE_CHECK(chorale_run_solve(prices->run, nullptr, error));
    if (score)
      CHORALE_CHECK(prices->score_without(report, *score));
    return result ? chorale_run_get_result(prices->run, result, error) : CHORALE_OK;
  });
}

chorale_status chorale_prices_counts(const chorale_prices *prices, int64_t *counts,
                                     int64_t capacity, int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "prices", prices));
    CHORALE_CHECK(check_resting(report, *prices, true));
    const auto fill = [&]() -> chorale_status {
      const Run &run = *prices->run;
      if (!run.state.found())
        return report.fail(CHORALE_ERROR_NO_LABELLING,
                           "prices has no labelling: it has not been solved, or every labelling "
                           "met is forbidden");
      std::fill_n(counts, prices->values, std::int64_t{0});
      for (const SharedClique &of : prices->shared) {
        const Clique clique = run.model->cliques[of.clique];
        for (std::int32_t i = 0; i < clique.members; ++i) {
          const std::int32_t v = clique.value_of(run.state.best.shown(clique, i));
          if (v >= 0 && v < of.values)
            counts[of.first_value + v] += clique.weight(i);
        }
      }
      return CHORALE_OK;
    };
    return fill_buffer(report, "counts", counts, capacity, prices->values, needed, fill);
  });
}

const chorale_run *chorale_prices_run(const chorale_prices *prices) {
  return prices ? prices->run : nullptr;
}

chorale_status chorale_potential_prices(const chorale_potential *potential, const int64_t *counts,
                                        int64_t values, int64_t members, double *prices,
                                        double *score, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "potential", potential, "counts", counts));
    CHORALE_CHECK(check_sizes(report, *potential, values, members));
    CHORALE_CHECK(check_part_counts(report, counts, values, members));
    if (prices)
      CHORALE_CHECK(check_tangents(report, *potential, members));
    if (score)
      CHORALE_CHECK(score_counts(report, *potential, counts, members, *score));
    if (prices)
      write_tangent(*potential, span_of(counts, values), members, span_of(prices, values));
    return CHORALE_OK;
  });
}

chorale_status chorale_potential_most(const chorale_potential *potential, const double *prices,
                                      int64_t values, int64_t members, double *most,
                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "potential", potential, "prices", prices, "most", most));
    CHORALE_CHECK(check_sizes(report, *potential, values, members));
    for (std::int64_t v = 0; v < values; ++v)
      if (!is_finite_score(prices[v]))
        return fail_number(report, prices[v], false, "prices[", v, "]");
    CHORALE_CHECK(check_tangents(report, *potential, members));
    *most = most_above(*potential, span_of(prices, values), members);
    return CHORALE_OK;
  });
}

} // extern "C"
