// Finds the kinds and the weights that can be learnt from a list of problems.
#include "learn/kinds.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Greatest number of values for which VALUE bonuses are learnt by default.
constexpr std::int32_t kFewValues = 64;
// Greatest number of values of cliques for which the bases MAJORITY and CENTRE can be learnt. Both
// have many weights: one for each pair of values.
constexpr std::int32_t kMostSquare = 62;
constexpr std::int64_t kMostWeights = 1 << 16;

bool is_default(const Kind &kind, chorale_basis basis) noexcept {
  switch (basis) {
  case CHORALE_BASIS_AGREEMENT:
    return !kind.is_centred;
  case CHORALE_BASIS_CENTRE:
    return kind.is_centred;
  case CHORALE_BASIS_SINGLE:
    return (kind.has_empty || kind.left_out != 0) && !kind.is_centred;
  case CHORALE_BASIS_EMPTY:
  case CHORALE_BASIS_CONFLICT:
    return kind.has_empty && !kind.is_centred;
  case CHORALE_BASIS_OUT:
    return kind.has_out && !kind.is_centred;
  case CHORALE_BASIS_VALUE:
    return !kind.is_property && !kind.is_centred && kind.values > 0 && kind.values <= kFewValues;
  default:
    return false;
  }
}

// Returns why a kind cannot have a basis; NULL if it can.
const char *obstacle(const Kind &kind, chorale_basis basis) noexcept {
  if (kind.is_centred != (basis == CHORALE_BASIS_CENTRE))
    return kind.is_centred ? "its cliques have a centre" : "its cliques have no centre";
  if (needs_values(basis) && kind.values == 0)
    return "its cliques have different numbers of values";
  if ((basis == CHORALE_BASIS_MAJORITY || basis == CHORALE_BASIS_CENTRE) &&
      kind.values > kMostSquare)
    return "it has more than 62 values";
  if ((basis == CHORALE_BASIS_EMPTY || basis == CHORALE_BASIS_CONFLICT) && !kind.has_empty)
    return "its members cannot show EMPTY or CONFLICT";
  if (basis == CHORALE_BASIS_OUT && !kind.has_out)
    return "its cliques have no dictionary with OUT";
  return nullptr;
}

// The indices that a basis has in cliques of a kind: first .. first + count - 1.
struct IndexRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
};
IndexRange indices_of(const Kind &kind, chorale_basis basis) noexcept {
  const std::int64_t columns = kind.columns();
  switch (basis) {
  case CHORALE_BASIS_SHARE:
    return {1, kShares - 1};
  case CHORALE_BASIS_MAJORITY:
    return {0, columns * columns};
  case CHORALE_BASIS_CENTRE:
    return {0, kind.centre_values * columns};
  case CHORALE_BASIS_VALUE:
    return {0, kind.values};
  default:
    return {};
  }
}

bool fits(const chorale_weight_rule &rule, std::int64_t kind, chorale_basis basis) noexcept {
  return (rule.kind == -1 || rule.kind == kind) && rule.basis == basis;
}

chorale_status check_rule(const Report &report, const chorale_weight_rule &rule,
                          std::int64_t number, const Learnt &learnt) noexcept {
  const auto fail = [&](chorale_status status, const auto &...parts) {
    return report.fail(status, "options->rules[", number, "]", parts...);
  };
  if (basis_name(rule.basis).empty())
    return fail(CHORALE_ERROR_UNKNOWN_CONSTANT, ".basis is ", rule.basis,
                "; it must be a CHORALE_BASIS_ constant");
  if (rule.kind < -1 || rule.kind >= learnt.kinds.size())
    return fail(CHORALE_ERROR_OUT_OF_RANGE, ".kind is ", rule.kind, "; it must be from -1 to ",
                learnt.kinds.size() - 1);
  for (const bool is_least : {true, false}) {
    const double bound = is_least ? rule.least : rule.most;
    const std::string_view field = is_least ? ".least is " : ".most is ";
    if (std::isnan(bound))
      return fail(CHORALE_ERROR_NOT_A_NUMBER, field, "NaN; it must be a number");
    if (!is_finite_score(bound) && bound != (is_least ? kForbidden : kInfinity))
      return fail(CHORALE_ERROR_OUT_OF_RANGE, field, bound, "; it must be ",
                  is_least ? "minus" : "plus", " infinity or from ", -kLargestScore, " to ",
                  kLargestScore);
  }
  if (rule.least > rule.most)
    return fail(CHORALE_ERROR_OUT_OF_RANGE, ".least is ", rule.least,
                "; it must not be above most = ", rule.most);
  bool is_had = false;
  std::int64_t refused = -1; // the first kind that cannot have the basis; -1: none yet
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    const Kind &kind = learnt.kinds[k];
    if (kind.cliques == 0 || (rule.kind != -1 && rule.kind != k))
      continue;
    const char *why = obstacle(kind, rule.basis);
    if (why && rule.kind != -1)
      return fail(CHORALE_ERROR_KIND, " is for basis ", basis_name(rule.basis), ", which kind ", k,
                  " cannot have: ", why);
    is_had = is_had || !why;
    if (why && refused < 0)
      refused = k;
    const IndexRange indices = indices_of(kind, rule.basis);
    if (rule.kind != -1 && rule.index != -1 &&
        (rule.index < indices.first || rule.index >= indices.first + indices.count))
      return fail(CHORALE_ERROR_OUT_OF_RANGE, ".index is ", rule.index, "; it must be -1, or from ",
                  indices.first, " to ", indices.first + indices.count - 1);
  }
  if (!is_had && rule.kind == -1)
    return fail(CHORALE_ERROR_KIND, " is for basis ", basis_name(rule.basis),
                ", which no kind can have; kind ", refused,
                " cannot: ", obstacle(learnt.kinds[refused], rule.basis));
  return CHORALE_OK;
}

} // namespace

chorale_status find_kinds(const Report &report, Problems problems, Learnt &learnt) noexcept {
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const Problem &problem = *problems[p];
    for (std::int64_t i = 0; i < problem.model->chains.size(); ++i)
      if (problem.model->chains[i].is_instance)
        return report.fail(CHORALE_ERROR_KIND, "chain ", i, " of problems[", p,
                           "] is an oracle instance; weights are learnt from chains and trees");
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
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    Kind &kind = learnt.kinds[k];
    kind.name = learnt.names.size();
    for (std::size_t p = 0; p < problems.size(); ++p) {
      std::size_t length = 0;
      const char *name =
          chorale_problem_text(problems[p], CHORALE_TEXTS_KINDS, k, &length);
      if (!name)
        continue;
      const std::string_view text(name, length);
      if (kind.name_length > 0 && learnt.name(kind) != text)
        return report.fail(CHORALE_ERROR_MODEL_MISMATCH, "kind ", k, " of problems[", p,
                           "] is named '", text, "'; it must be '", learnt.name(kind),
                           "', as in the problems before it");
      for (std::size_t b = 0; kind.name_length == 0 && b < length; ++b)
        if (!learnt.names.push(name[b]))
          return report.out_of_memory(length);
      kind.name_length = learnt.names.size() - kind.name;
    }
    if (kind.cliques == 1)
      learnt.report.warnings |= CHORALE_WARNING_SINGLE_CLIQUE;
  }
  return CHORALE_OK;
}

bool leave_out(Problems problems, gsl::span<const std::int32_t> classes,
               Learnt &learnt) noexcept {
  // By kind, bit v: some label that counts in F1 has value v. Kind::left_out first gets the same for
  // labels that do not count.
  Array<std::int64_t> counted(learnt.memory);
  if (!counted.resize(learnt.kinds.size()))
    return false;
  std::fill(counted.begin(), counted.end(), 0);
  for (const Problem *problem : problems)
    for (std::int64_t c = 0; c < problem->kinds.size(); ++c) {
      const Clique clique = problem->model->cliques[c];
      const std::int32_t k = problem->kinds[c];
      if (k < 0 || clique.members == 0 || learnt.kinds[k].is_property || learnt.kinds[k].is_centred)
        continue;
      const std::int32_t chain = problem->model->chain_of(clique, 0);
      for (std::int32_t y = 0; y < problem->model->chains[chain].labels; ++y)
        if (const std::int32_t v = clique.value_of(clique.column_of(0, y));
            v >= 0 && v < kLeftOutValues)
          (classes.data()[y] >= 0 ? counted[k] : learnt.kinds[k].left_out) |= std::int64_t{1} << v;
    }
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k)
    learnt.kinds[k].left_out &= ~counted[k];
  return true;
}

chorale_status find_weights(const Report &report, gsl::span<const chorale_weight_rule> rules,
                            Learnt &learnt) noexcept {
  for (std::size_t r = 0; r < rules.size(); ++r)
    CHORALE_CHECK(check_rule(report, rules[r], static_cast<std::int64_t>(r), learnt));
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    Kind &kind = learnt.kinds[k];
    kind.first_weight = learnt.weights.size();
    if (kind.cliques == 0)
      continue;
    for (const chorale_weight_rule &rule : rules)
      kind.majority = kind.majority || (fits(rule, k, CHORALE_BASIS_MAJORITY) &&
                                        !obstacle(kind, CHORALE_BASIS_MAJORITY));
    for (const chorale_basis basis : kBases) {
      if (obstacle(kind, basis) || kind.majority != (basis == CHORALE_BASIS_MAJORITY))
        continue;
      const IndexRange indices = indices_of(kind, basis);
      for (std::int64_t i = indices.first; i < indices.first + indices.count; ++i) {
        bool is_learnt = is_default(kind, basis);
        const bool bends = basis == CHORALE_BASIS_AGREEMENT ||
                           basis == CHORALE_BASIS_LOG_AGREEMENT || basis == CHORALE_BASIS_SHARE;
        double least = bends ? 0 : kForbidden;
        double most = kInfinity;
        for (const chorale_weight_rule &rule : rules)
          if (fits(rule, k, basis) && (rule.index == -1 || rule.index == i)) {
            is_learnt = true;
            least = rule.least;
            most = rule.most;
          }
        if (!is_learnt)
          continue;
        if (learnt.weights.size() >= kMostWeights)
          return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the kinds and options->rules ask for "
                             "more than ", kMostWeights, " weights; there must be fewer kinds, or "
                             "rules for fewer kinds or indices");
        chorale_learnt_weight weight{};
        weight.kind = static_cast<std::int32_t>(k);
        weight.basis = basis;
        weight.index = i;
        weight.least = least;
        weight.most = most;
        if (!learnt.weights.push(weight))
          return report.out_of_memory(sizeof weight);
      }
    }
    kind.weights = learnt.weights.size() - kind.first_weight;
  }
  learnt.report.kinds = learnt.kinds.size();
  learnt.report.weights = learnt.weights.size();
  return CHORALE_OK;
}

} // namespace chorale
