#include "clique/algorithms.hpp"

#include "clique/dual/count_boxes.hpp"
#include "clique/dual/dual_bound.hpp"
#include "clique/flows/concave_flow.hpp"
#include "clique/majority/exact_majority.hpp"
#include "clique/paper/generalised_alpha_pass.hpp"
#include "clique/paper/lagrangian.hpp"
#include "clique/paper/modified_alpha_pass.hpp"
#include "clique/search.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr FormSet kNone;
constexpr FormSet kSum(Form::sum);
constexpr FormSet kMax(Form::max);
constexpr FormSet kMajority(Form::majority);

// ---- Entries -----------------------------------------------------------------------------------

template <class Solver, auto... kArguments> void solve_by(CliqueSearch &search) noexcept {
  search.solve_by<Solver>(kArguments...);
}
template <class Solver, auto... kArguments> void find_marginals_by(CliqueSearch &search) noexcept {
  search.find_marginals_by<Solver>(kArguments...);
}

template <void (CliqueSearch::*kImprove)() noexcept>
void improve_start(CliqueSearch &search) noexcept {
  search.start();
  (search.*kImprove)();
}

void run_alpha_pass(CliqueSearch &search) noexcept { search.run_planned_passes(); }
void find_pass_marginals(CliqueSearch &search) noexcept { search.find_pass_marginals(); }

void run_generalised_alpha_pass(CliqueSearch &search) noexcept {
  // Generalised alpha-pass includes alpha-pass: its passes over sets of one column visit the same
  // labellings. For MAX cliques alpha-pass is run first nevertheless, since it finds and proves the
  // optimum there (MaxPass).
  if (search.potential().form == Form::max)
    search.run_alpha_pass();
  with_count_score(search.potential(), [&]<class Score>(std::type_identity<Score>) {
    search.solve_by<GeneralisedAlphaPass<Score>>(search.options().subset_size);
  });
  search.close_bound_of_pass();
}

// Branch and bound starts from the labelling that the passes find.
void run_count_boxes(CliqueSearch &search) noexcept {
  search.start_from_passes();
  search.solve_by<CountBoxes>(search.options());
}
void find_box_marginals(CliqueSearch &search) noexcept {
  search.start_from_passes();
  search.find_marginals_by<CountBoxes>(search.options());
}
void run_dual_bound(CliqueSearch &search) noexcept {
  search.start_from_passes();
  search.solve_by<DualBound>();
}

// ---- The table ---------------------------------------------------------------------------------

constexpr Algorithm kAlgorithms[] = {
    // id, name, solves, marginals, exact, needs, weights, solve, find_marginals
    {CHORALE_ALGORITHM_AUTO, "auto", kAllForms, kAllForms, kNone, TableShape::any, true, nullptr,
     nullptr},
    {CHORALE_ALGORITHM_ALPHA_PASS, "alpha-pass", kAllForms, kAllForms, kMax, TableShape::any, true,
     run_alpha_pass, find_pass_marginals},
    {CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS, "generalised-alpha-pass", kAllForms, kNone, kMax,
     TableShape::any, false, run_generalised_alpha_pass, nullptr},
    {CHORALE_ALGORITHM_ALPHA_EXPANSION, "alpha-expansion", kSum, kNone, kNone, TableShape::any,
     false, improve_start<&CliqueSearch::run_alpha_expansion>, nullptr},
    {CHORALE_ALGORITHM_LOCAL_SEARCH, "local-search", kSum, kNone, kNone, TableShape::convex, true,
     improve_start<&CliqueSearch::run_local_search>, nullptr},
    {CHORALE_ALGORITHM_ICM, "icm", kAllForms, kNone, kNone, TableShape::any, true,
     improve_start<&CliqueSearch::run_single_moves>, nullptr},
    {CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS, "modified-alpha-pass", kMajority, kNone, kNone,
     TableShape::any, false, solve_by<ModifiedAlphaPass>, nullptr},
    {CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT, "lagrangian-subgradient", kMajority, kNone, kNone,
     TableShape::any, false, solve_by<Lagrangian, StepRule::subgradient>, nullptr},
    {CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION, "lagrangian-golden-section", kMajority, kNone,
     kNone, TableShape::any, false, solve_by<Lagrangian, StepRule::golden_section>, nullptr},
    {CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE, "lagrangian-conservative", kMajority, kNone, kNone,
     TableShape::any, false, solve_by<Lagrangian, StepRule::conservative>, nullptr},
    {CHORALE_ALGORITHM_EXACT_MAJORITY, "exact-majority", kMajority, kMajority, kMajority,
     TableShape::any, false, solve_by<ExactMajority>, find_marginals_by<ExactMajority>},
    {CHORALE_ALGORITHM_CONCAVE_FLOW, "concave-flow", kSum, kSum, kSum, TableShape::concave, false,
     solve_by<ConcaveFlow, false>, find_marginals_by<ConcaveFlow, true>},
    {CHORALE_ALGORITHM_COUNT_BOXES, "count-boxes", kSum, kSum, kSum, TableShape::any, false,
     run_count_boxes, find_box_marginals},
    {CHORALE_ALGORITHM_DUAL_BOUND, "dual-bound", kSum, kNone, kNone, TableShape::any, true,
     run_dual_bound, nullptr},
};

} // namespace

gsl::span<const Algorithm> algorithms() noexcept { return kAlgorithms; }

const Algorithm *find_algorithm(chorale_algorithm id) noexcept {
  const auto *found = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                   [=](const Algorithm &a) { return a.id == id; });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

std::string_view family_name(Form form) noexcept {
  switch (form) {
  case Form::sum:
    return "SUM";
  case Form::max:
    return "MAX";
  case Form::majority:
    return "MAJORITY";
  case Form::pairs:
    return "PAIRS";
  case Form::callback:
    return "CALLBACK";
  }
  return {};
}

namespace {

// Writes the names of the algorithms for which is_meant(algorithm) is true, as in "a, b or c".
// `with_needs`: true to write "(convex)" or "(concave)" after an algorithm that needs such tables.
template <class IsMeant>
TextWriter &write_names(TextWriter &writer, bool with_needs, IsMeant &&is_meant) noexcept {
  auto left = std::count_if(std::begin(kAlgorithms), std::end(kAlgorithms), is_meant);
  for (const Algorithm &algorithm : kAlgorithms) {
    if (!is_meant(algorithm))
      continue;
    writer << algorithm.name;
    if (with_needs && algorithm.needs != TableShape::any)
      writer << (algorithm.needs == TableShape::convex ? " (convex)" : " (concave)");
    --left;
    writer << (left > 1 ? ", " : left == 1 ? " or " : "");
  }
  return writer;
}

} // namespace

TextWriter &operator<<(TextWriter &writer, const AlgorithmNames &names) noexcept {
  return write_names(writer, true, [&](const Algorithm &a) {
    return (a.*names.set).has_any_of(names.forms);
  });
}

TextWriter &operator<<(TextWriter &writer, WeightedNames names) noexcept {
  return write_names(writer, false, [&](const Algorithm &a) {
    return a.weights && (names.marginals ? a.marginals : a.solves).has(Form::sum);
  });
}

} // namespace chorale
