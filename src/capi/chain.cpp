// Exported C functions of chain.h, except those on transitions and masks (transitions.cpp).
#include "capi/chain_call.hpp"
#include "chain/programs.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// A dynamic program and its copy of the scores, laid out in one workspace.
template <class Program> struct WithScores {
  template <class... Sizes>
  WithScores(Layout &layout, const ChainView &view, Sizes... sizes) noexcept
      : scores(layout, view), program(layout, view, sizes...) {}
  Scores scores;
  Program program;
};

using Best = WithScores<BestLabelling>;
using RankedBest = WithScores<KBest>;
// The dynamic programs for max-marginals and for the best labelling, with one copy of the scores.
struct Marginals : WithScores<MaxMarginals> {
  Marginals(Layout &layout, const ChainView &view) noexcept
      : WithScores(layout, view), best(layout, view) {}
  BestLabelling best;
};

template <class Run, class... Sizes>
std::size_t measure_chain(const ChainView &view, Sizes... sizes) noexcept {
  Layout layout;
  const Run run(layout, view, sizes...);
  return layout.bytes();
}

void write_result(const ChainView &view, bool feasible, const BestLabelling &best,
                  std::int32_t *labelling, chorale_chain_result *result) noexcept {
  if (feasible && labelling)
    std::copy_n(best.labelling.data(), view.length, labelling);
  if (!result)
    return;
  chorale_chain_result full{};
  full.outcome = feasible ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_INFEASIBLE;
  full.score = feasible ? best.score : kForbidden;
  write_struct(result, full);
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_chain_score(const chorale_chain *chain, const int32_t *labelling,
                                   double *score, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "score", score));
    ChainCall call(report);
    CHORALE_CHECK(call.take_chain(chain));
    CHORALE_CHECK(call.check_numbers());
    CHORALE_CHECK(call.check_labelling(labelling));
    *score = call.view.score(span_of(labelling, call.view.length));
    return CHORALE_OK;
  });
}

chorale_status chorale_chain_solver_create(const chorale_host *host, chorale_chain_solver **solver,
                                           chorale_error *error) {
  return create_solver(host, solver, error);
}

void chorale_chain_solver_destroy(chorale_chain_solver *solver) { destroy(solver); }

chorale_status chorale_chain_solve(chorale_chain_solver *solver, const chorale_chain *chain,
                                  int32_t *labelling, chorale_chain_result *result,
                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver));
    ChainCall call(report);
    CHORALE_CHECK(call.take_chain(chain));
    CHORALE_CHECK(call.check_numbers());
    CHORALE_CHECK(check_result(report, result));
    CHORALE_CHECK(call.reserve(*solver, measure_chain<Best>(call.view)));
    Layout layout(solver->workspace.data());
    Best run(layout, call.view);
    run.scores.load();
    const bool feasible = run.program.run(run.scores);
    solver->log.write(CHORALE_LOG_DEBUG, "chain of ", call.view.length, " positions: score ",
                      feasible ? run.program.score : kForbidden);
    write_result(call.view, feasible, run.program, labelling, result);
    return CHORALE_OK;
  });
}

chorale_status chorale_chain_max_marginals(chorale_chain_solver *solver, const chorale_chain *chain,
                                           double *marginals, int64_t row_stride,
                                           double *edge_marginals, double *margins,
                                           int32_t *labelling, chorale_chain_result *result,
                                           chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver));
    ChainCall call(report);
    CHORALE_CHECK(call.take_chain(chain));
    CHORALE_CHECK(call.check_numbers());
    CHORALE_CHECK(check_result(report, result));
    if (marginals)
      CHORALE_CHECK(take_row_stride(report, "chain->length", call.view.length, "chain->labels",
                                    call.view.labels, "row_stride", row_stride));
    CHORALE_CHECK(call.reserve(*solver, measure_chain<Marginals>(call.view)));
    Layout layout(solver->workspace.data());
    Marginals run(layout, call.view);
    run.scores.load();
    const std::int64_t T = call.view.length;
    const std::int64_t m = call.view.labels;
    run.program.run(run.scores, {{marginals, T, m, gsl::narrow_cast<std::ptrdiff_t>(row_stride)},
                                 span_of(edge_marginals, std::max<std::int64_t>(T - 1, 0) * m * m),
                                 span_of(margins, T)});
    if (labelling || result) {
      const bool feasible = run.best.run(run.scores);
      write_result(call.view, feasible, run.best, labelling, result);
    }
    return CHORALE_OK;
  });
}

chorale_status chorale_chain_k_best(chorale_chain_solver *solver, const chorale_chain *chain,
                                    int64_t k, int32_t *labellings, int64_t row_stride,
                                    double *scores, int64_t *found, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver, "found", found));
    ChainCall call(report);
    CHORALE_CHECK(call.take_chain(chain));
    if (call.view.parents)
      return report.fail(CHORALE_ERROR_NOT_A_CHAIN,
                         "chain->parents is given; for the k best labellings it must be NULL");
    CHORALE_CHECK(call.check_numbers());
    CHORALE_CHECK(check_size(report, "k", k));
    if (labellings && call.view.length > 0)
      CHORALE_CHECK(take_row_stride(report, "k", k, "chain->length", call.view.length,
                                    "row_stride", row_stride));
    CHORALE_CHECK(call.reserve(*solver, measure_chain<RankedBest>(call.view, k)));
    Layout layout(solver->workspace.data());
    RankedBest run(layout, call.view, k);
    run.scores.load();
    *found = run.program.run(
        run.scores,
        {labellings, k, call.view.length, gsl::narrow_cast<std::ptrdiff_t>(row_stride)},
        span_of(scores, k));
    return CHORALE_OK;
  });
}

} // extern "C"
