// kinds.hpp explains the words used here.
#include "learn/kinds.hpp"

#include "potential/create.hpp"

#include <algorithm>

namespace chorale {
namespace {

// The numbers of kinds are below this. All kinds below the greatest number take memory.
constexpr std::int32_t kMostKinds = 1 << 16;

chorale_status find_names(const Report &report, Problems problems, Learnt &learnt) noexcept {
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k)
    for (std::size_t p = 0; p < problems.size(); ++p) {
      Kind::Name &known = learnt.kinds[k].name;
      std::size_t length = 0;
      const char *name = chorale_problem_text(problems[p], CHORALE_TEXTS_KINDS, k, &length);
      const std::string_view text(name ? name : "", length);
      if (known.length == 0) {
        known = {learnt.names.size(), static_cast<std::int64_t>(length)};
        for (const char c : text)
          if (!learnt.names.push(c))
            return report.out_of_memory(length);
      } else if (name && learnt.text_of(known) != text) {
        return report.fail(CHORALE_ERROR_MODEL_MISMATCH, "kind ", k, " of problems[", p,
                           "] is named '", text, "'; it must be '", learnt.text_of(known),
                           "', as in the problems before it");
      }
    }
  return CHORALE_OK;
}

// Sets Kind::left_out of the kinds of position cliques that all have the same number of values.
bool leave_out(Problems problems, gsl::span<const std::int32_t> classes, Learnt &learnt) noexcept {
  Array<std::int64_t> counted(learnt.memory); // by kind, bit v: some label that counts has value v
  if (!counted.resize(learnt.kinds.size()))
    return false;
  std::fill(counted.begin(), counted.end(), 0);
  for (const Problem *problem : problems)
    for (std::int64_t c = 0; c < problem->kinds.size(); ++c) {
      const Clique clique = problem->model->cliques[c];
      const std::int32_t k = problem->kinds[c];
      if (k < 0 || clique.members == 0 || learnt.kinds[k].is_property || learnt.kinds[k].values == 0)
        continue;
      for (std::int32_t y = 0; y < static_cast<std::int32_t>(classes.size()); ++y)
        if (const std::int32_t v = clique.value_of(clique.column_of(0, y));
            v >= 0 && v < Kind::kLeftOutValues)
          (classes.data()[y] >= 0 ? counted[k] : learnt.kinds[k].left_out) |= std::int64_t{1} << v;
    }
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k)
    learnt.kinds[k].left_out &= ~counted[k];
  return true;
}

} // namespace

chorale_status find_kinds(const Report &report, Problems problems,
                          gsl::span<const std::int32_t> classes, Learnt &learnt) noexcept {
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const Problem &problem = *problems[p];
    for (std::int64_t i = 0; i < problem.model->chains.size(); ++i)
      if (problem.model->chains[i].is_instance)
        return report.fail(CHORALE_ERROR_KIND, "chain ", i, " of problems[", p,
                           "] is an instance; strengths are learnt from chains and trees");
    for (std::int64_t c = 0; c < problem.kinds.size(); ++c) {
      const std::int32_t number = problem.kinds[c];
      if (number < 0)
        continue;
      const Clique clique = problem.model->cliques[c];
      if (clique.weighted())
        return report.fail(CHORALE_ERROR_WEIGHTS, "clique ", c, " of problems[", p,
                           "] is of kind ", number, " and has members with weights above 1; "
                           "strengths are learnt from members that count once");
      if (number >= kMostKinds)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "clique ", c, " of problems[", p,
                           "] is of kind ", number, "; kinds to learn are numbered from 0 to ",
                           kMostKinds - 1);
      while (learnt.kinds.size() <= number)
        if (!learnt.kinds.push({}))
          return report.out_of_memory(sizeof(Kind));
      Kind &kind = learnt.kinds[number];
      if (kind.cliques == 0)
        kind = kind_of(clique);
      else if (!join(kind, clique))
        return report.fail(CHORALE_ERROR_KIND, "clique ", c, " of problems[", p, "] is of kind ",
                           number, "; it must be like the cliques of that kind before it in "
                                   "property, EMPTY, OUT and centre");
      ++kind.cliques;
      kind.members += clique.members;
    }
  }
  if (learnt.kinds.empty())
    return report.fail(CHORALE_ERROR_KIND,
                       "no clique has a kind, so there is nothing to learn; set kinds with "
                       "chorale_problem_set_cliques");
  learnt.report.kinds = learnt.kinds.size();
  CHORALE_CHECK(find_names(report, problems, learnt));
  if (!classes.empty() && !leave_out(problems, classes, learnt))
    return report.out_of_memory(sizeof(Kind));
  return CHORALE_OK;
}

Kind kind_of(const Clique &clique) noexcept {
  Kind kind;
  kind.values = clique.values();
  kind.centre_values = clique.centred() ? clique.centre_values() : 0;
  kind.is_property = clique.property() != nullptr;
  kind.has_empty = clique.all_columns() > clique.values();
  kind.has_out = clique.dictionary() && clique.dictionary()->has_out;
  kind.is_centred = clique.centred();
  return kind;
}

bool join(Kind &kind, const Clique &clique) noexcept {
  const Kind other = kind_of(clique);
  if (kind.is_property != other.is_property || kind.has_empty != other.has_empty ||
      kind.has_out != other.has_out || kind.is_centred != other.is_centred ||
      kind.centre_values != other.centre_values)
    return false;
  if (kind.values != other.values)
    kind.values = 0;
  return true;
}

chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const Weight> weights, std::int64_t values,
                             std::int64_t centre_value, Potential *&made) noexcept {
  CHORALE_CHECK(check_size(report, "values", values));
  const std::int64_t columns = values + (kind.has_empty ? 2 : 0);
  Array<double> numbers(memory);
  Array<std::uint8_t> mask(memory);
  if (!numbers.resize(kMixtureHead + columns) || !mask.resize(columns))
    return report.out_of_memory(to_size(columns) * sizeof(double));
  std::fill(numbers.begin(), numbers.end(), 0.0);
  for (std::int64_t v = 0; v < columns; ++v) {
    const bool agrees = v < values - (kind.has_out ? 1 : 0) && !kind.is_centred;
    mask[v] = agrees && !kind.leaves_out(v) ? 1 : kLinearOnly;
  }
  double *head = numbers.begin();
  double *linear = head + kMixtureHead;
  if (!weights.empty() && weights.data()->basis == Basis::majority) {
    if (!numbers.resize(columns * columns))
      return report.out_of_memory(to_size(columns * columns) * sizeof(double));
    std::fill(numbers.begin(), numbers.end(), 0.0);
    for (const Weight &weight : weights)
      numbers[weight.index] = weight.weight;
    return create_by_square(report, memory, {columns}, CHORALE_FAMILY_MAJORITY,
                            {numbers.begin(), columns, columns, columns}, {}, made);
  }
  for (const auto &[number, basis, index, weight] : weights)
    switch (basis) {
    case Basis::agreement:
      head[0] += weight;
      break;
    case Basis::log_agreement:
      head[1] += weight;
      break;
    case Basis::share:
      head[1 + index] += weight;
      break;
    case Basis::centre:
      if (index / columns == centre_value)
        linear[index % columns] += weight;
      break;
    case Basis::single:
      for (std::int64_t v = 0; v < values; ++v)
        linear[v] += kind.leaves_out(v) ? 0 : weight;
      break;
    case Basis::empty:
      linear[values] += weight;
      break;
    case Basis::conflict:
      linear[values + 1] += weight;
      break;
    case Basis::out:
      linear[values - 1] += weight;
      break;
    case Basis::value:
      linear[index] += weight;
      break;
    case Basis::majority: // see above
      break;
    }
  return create_mixture(report, memory, span_of(mask.begin(), columns),
                        span_of(head, kMixtureHead), span_of(linear, columns), made);
}

bool Potentials::begin(const Model &model) noexcept {
  clear();
  if (!exchanges_.resize(model.cliques.size()))
    return false;
  std::fill(exchanges_.begin(), exchanges_.end(), Exchange{});
  return true;
}

chorale_status Potentials::create(const Report &report, Made made, const Kind &kind,
                                  Exchange &to) noexcept {
  if (!made_.reserve(made_.size() + 1))
    return report.out_of_memory(sizeof(Made));
  Potential *potential = nullptr;
  if (!kind.is_centred) {
    CHORALE_CHECK(create_learnt(report, memory_, kind, weights_, made.values, -1, potential));
    made.exchange.potential = potential;
    made_.push(made);
  } else {
    auto *centre = centres_.take_array<const Potential *>(kind.centre_values);
    if (!centre)
      return report.out_of_memory(sizeof(Potential *) * to_size(kind.centre_values));
    std::fill_n(centre, kind.centre_values, nullptr);
    made.exchange.centre = centre;
    made.centre_values = kind.centre_values;
    made_.push(made);
    for (std::int32_t c = 0; c < kind.centre_values; ++c) {
      CHORALE_CHECK(create_learnt(report, memory_, kind, weights_, made.values, c, potential));
      centre[c] = potential;
    }
  }
  to = made.exchange;
  return CHORALE_OK;
}

void Potentials::clear() noexcept {
  for (const Made &made : made_) {
    release(made.exchange.potential);
    for (std::int32_t c = 0; c < made.centre_values; ++c)
      release(made.exchange.centre[c]);
  }
  made_.truncate(0);
}

} // namespace chorale
