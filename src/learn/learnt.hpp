// The result of learning: kinds of cliques, their potentials, and the report.
#pragma once

#include "base/array.hpp"
#include "base/report.hpp"
#include "base/span.hpp"
#include "cluster/model/exchange.hpp"
#include "problem/problem.hpp"

#include <chorale/experimental.h>

#include <gsl/util>

#include <algorithm>
#include <new>
#include <string_view>

namespace chorale {

// If memory ran out, throws std::bad_alloc, for which guarded() (capi/firewall.hpp) returns a status.
inline void need(bool has_memory) {
  if (!has_memory)
    throw std::bad_alloc();
}

// Functions of the counts n_v of a clique with n members. A potential is a sum of such functions,
// each times its weight; a kind with a weight of majority has no other functions. Learning gives
// weights to agreement, single and centre; the others occur in results of 0.2. sum_v omits EMPTY,
// CONFLICT and the values in Kind::left_out and, except in `single`, UNLISTED. The functions from
// `value` on have indices that depend on the number of values: they apply only to cliques with
// Kind::values values.
enum class Basis : std::int32_t {
  agreement,     // sum_v n_v^2 / n
  log_agreement, // sum_v n_v^2 / log n
  share,         // index i of 1, 2, 3: sum_v max(0, n_v - i n / 4)
  single,        // sum_v n_v
  out,           // n_UNLISTED
  empty,         // n_EMPTY
  conflict,      // n_CONFLICT
  value,         // index v: n_v
  centre,        // index c C + v, with C columns: n_v if the centre has value c
  majority       // index a C + v, with C columns: n_v if a has the highest count
};

struct Weight {
  std::int32_t kind;
  Basis basis;
  std::int64_t index; // 0 if the basis has none
  double weight;
};

// Families of kinds. All kinds of a family share one strength and one bonus.
enum Family : std::size_t { kOfPositions, kOfProperties, kOfCentres, kFamilies };

// What all cliques of a kind have in common, and what was learnt for them.
struct Kind {
  std::int64_t cliques = 0; // 0: no clique has the kind; only `name` may be set
  std::int64_t members = 0;
  std::int32_t values = 0; // number of values of each clique; 0: cliques differ in it
  std::int32_t centre_values = 0; // 0: without a centre
  bool is_property = false;
  bool has_empty = false; // the cliques have columns for EMPTY and CONFLICT
  bool has_out = false;   // the last value is UNLISTED
  bool uses_log_odds = false; // as in chorale_learnt_kind
  double strength = 0;
  double bonus = 0;
  std::string_view name{}; // in Learnt::names
  // Bit v: some label with a class (the option `classes`) has value v. 0 for properties. Needed
  // only in find_kinds().
  std::int64_t counted = 0;
  // Bit v: labels have value v, but none with a class. 0 for properties, and if `values` is 0.
  std::int64_t left_out = 0;

  std::int64_t columns() const noexcept { return values + (has_empty ? 2 : 0); }
  bool is_centred() const noexcept { return centre_values > 0; }
  Family family() const noexcept {
    return is_centred() ? kOfCentres : is_property ? kOfProperties : kOfPositions;
  }
  bool leaves_out(std::int64_t value) const noexcept {
    return value < kLeftOutValues && (left_out >> value & 1) != 0;
  }
  // Values from this one on are never left out: left_out must fit in 18 digits to be read from JSON.
  static constexpr std::int32_t kLeftOutValues = 59;
};

// The figures of the rows of a report: of the tagger's labels, the control, and those that agree.
using LearntReport = chorale_learnt_report;
inline constexpr double LearntReport::*kFigures[][5] = {
    {&LearntReport::tagger_cost, &LearntReport::tagger_precision, &LearntReport::tagger_recall,
     &LearntReport::tagger_f1, &LearntReport::tagger_accuracy},
    {&LearntReport::control_cost, &LearntReport::control_precision, &LearntReport::control_recall,
     &LearntReport::control_f1, &LearntReport::control_accuracy},
    {&LearntReport::agreeing_cost, &LearntReport::agreeing_precision, &LearntReport::agreeing_recall,
     &LearntReport::agreeing_f1, &LearntReport::agreeing_accuracy}};

} // namespace chorale

struct chorale_learnt {
  explicit chorale_learnt(const chorale::Memory &from) noexcept : memory(from) {}
  gsl::span<const chorale::Weight> weights_of(std::int64_t kind) const noexcept {
    const auto is_before = [](const chorale::Weight &a, std::int64_t number) { return a.kind < number; };
    const auto *first = std::lower_bound(weights.begin(), weights.end(), kind, is_before);
    const auto *last = std::lower_bound(first, weights.end(), kind + 1, is_before);
    return chorale::span_of(first, last - first);
  }

  chorale::Memory memory;
  chorale_learnt_report report{};
  chorale::Array<chorale::Kind> kinds{memory};
  chorale::Array<chorale::Weight> weights{memory}; // in the order of kinds; none if nothing is applied
  chorale::Arena names{memory};
};

namespace chorale {

using Learnt = ::chorale_learnt;

// Write the result as text to `buffer`: as much as fits, and a NUL. Return the number of bytes that
// the whole text with its NUL needs.
std::size_t write_lines(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept;
std::size_t write_learnt_json(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept;
// Reads the JSON of write_learnt_json(), of this version or of 0.2, into an empty result.
chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to);

// The problems to learn from; none is NULL.
using Problems = gsl::span<const chorale_problem *const>;

// Lists the kinds of all problems in learnt.kinds. Fails if no clique has a kind, if check_alike()
// fails, if a kind has a number above 65535, if two problems give a kind different names, or if a
// problem has an instance. classes: by label, -1 if it does not count; may be empty.
chorale_status find_kinds(const Report &report, Problems problems,
                          gsl::span<const std::int32_t> classes, Learnt &learnt);

// Checks that the names that a problem gives to kinds are those in `learnt`. Calls add(kind, name)
// for each kind without a name in `learnt`; the name is empty if the problem does not name it
// either.
template <class Add>
chorale_status check_names(const Report &report, const Problem &problem, auto &learnt, Add &&add) {
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    std::size_t length = 0;
    const char *text = chorale_problem_text(&problem, CHORALE_TEXTS_KINDS, k, &length);
    const std::string_view name(text ? text : "", length), known = learnt.kinds[k].name;
    if (known.empty())
      add(learnt.kinds[k], name);
    else if (text && known != name)
      return report.fail(CHORALE_ERROR_MODEL_MISMATCH, "kind ", k, " of a problem is named '", name,
                         "'; it must be '", known, "', as where it was learnt");
  }
  return CHORALE_OK;
}

// Returns a kind that describes `clique`, with no cliques counted yet.
Kind kind_of(const Clique &clique) noexcept;
// Fails if `clique` differs from the cliques that `kind` describes in being a property clique, in
// having EMPTY or UNLISTED or a centre, or in the number of values of the centre, or if members
// have weights above 1. number: the index of the clique, for the message.
chorale_status check_alike(const Report &report, const Kind &kind, const Clique &clique,
                           std::int64_t number) noexcept;

// Creates the potential of a kind under `weights`, all of this kind, for cliques of `values`
// values, plus EMPTY and CONFLICT if the kind has them. Fails if the weights or Kind::left_out are
// only for cliques of Kind::values values, and `values` is another number. centre_value: of a
// centred kind, the value of the centre that the potential belongs to; otherwise not read.
chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const Weight> weights, std::int64_t values,
                             std::int64_t centre_value, Potential *&made);

// Creates the model of a problem in which each clique that has a kind has the potential of this kind.
// Cliques of equal kind, number of values and key = key_of(index of the clique, kind) share one
// potential (with a centre: one list of potentials, by value of the centre), whose weights are
// weights_of(kind, key). Fails if a clique is of a kind that was not learnt, or if check_alike() or
// create_learnt() fails.
template <class KeyOf, class WeightsOf>
chorale_status exchange_kinds(const Report &report, const Memory &memory, const Log &log,
                              const Learnt &learnt, const Problem &problem, KeyOf &&key_of,
                              WeightsOf &&weights_of, Model *&to) {
  struct Known {
    std::int32_t kind;
    std::int32_t values;
    std::int64_t key;
    Exchange exchange;
  };
  Array<Known> known(memory);
  Array<Exchange> exchanges(memory); // by clique
  Array<const Potential *> made(memory); // the model holds references of its own
  const auto done = gsl::finally([&] {
    for (const Potential *potential : made)
      release(potential);
  });
  Arena arena(memory); // lists of potentials by value of the centre
  const Model &model = *problem.model;
  need(exchanges.resize(model.cliques.size()));
  for (std::int32_t c = 0; c < model.cliques.size(); ++c) {
    const std::int32_t number = chorale_problem_clique_kind(&problem, c);
    const Clique clique = model.cliques[c];
    exchanges[c] = {};
    if (number < 0)
      continue;
    if (number >= learnt.kinds.size() || learnt.kinds[number].cliques == 0)
      return report.fail(CHORALE_ERROR_KIND, "clique ", c, " is of kind ", number,
                         "; it must be of a kind that was learnt, or of none (-1)");
    const Kind &kind = learnt.kinds[number];
    CHORALE_CHECK(check_alike(report, kind, clique, c));
    Known now{number, clique.values(), key_of(c, number), {}};
    const auto *like = std::find_if(known.begin(), known.end(), [&](const Known &other) {
      return other.kind == now.kind && other.values == now.values && other.key == now.key;
    });
    if (like != known.end()) {
      exchanges[c] = like->exchange;
      continue;
    }
    const gsl::span<const Weight> weights = weights_of(number, now.key);
    const std::int32_t count = std::max(kind.centre_values, 1);
    auto *potentials = arena.take_array<const Potential *>(count);
    need(potentials && made.reserve(made.size() + count));
    for (std::int32_t v = 0; v < count; ++v) {
      Potential *potential = nullptr;
      CHORALE_CHECK(create_learnt(report, memory, kind, weights, now.values, v, potential));
      made.push(potentials[v] = potential);
    }
    now.exchange = kind.is_centred() ? Exchange{nullptr, potentials} : Exchange{potentials[0], {}};
    exchanges[c] = now.exchange;
    need(known.push(now));
  }
  to = exchange(memory, log, model, exchanges);
  need(to != nullptr);
  return CHORALE_OK;
}

} // namespace chorale
