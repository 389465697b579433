// Exported C functions of run.h and experimental.h.
#include "cluster/run/labelling.hpp"
#include "cluster/run/run.hpp"
#include "capi/chain_call.hpp"
#include "clique/algorithms.hpp"
#include "potential/checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

chorale_status take_run_options(const Report &report, const Model &model,
                            const chorale_run_options *given, RunOptions &to) noexcept {
  chorale_run_options options{};
  CHORALE_CHECK(read_struct(report, "options", given, options));
  if (options.rules)
    return report.fail(CHORALE_ERROR_KIND,
                       "options->rules is set; rules are kept by chorale_decode alone");
  if (options.rounds < CHORALE_NO_ROUNDS)
    return report.fail(CHORALE_ERROR_SIZE, "options->rounds is ", options.rounds,
                       "; it must be at least 0, or CHORALE_NO_ROUNDS");
  CHORALE_CHECK(check_finite(report, "options->damping", options.damping));
  if (options.damping < 0 || options.damping >= 1)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->damping is ", options.damping,
                       "; it must be from 0 to below 1");
  const Algorithm *algorithm = find_algorithm(options.algorithm);
  if (!algorithm || !algorithm->marginals.has_any_of(kAllForms))
    return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, "options->algorithm is ", options.algorithm,
                       "; it must be the constant of ",
                       AlgorithmNames{&Algorithm::marginals, kAllForms},
                       ", which find max-marginals");
  CHORALE_CHECK(check_flag(report, options.exact_marginals, "options->exact_marginals"));
  CHORALE_CHECK(check_flag(report, options.no_local_search, "options->no_local_search"));
  CHORALE_CHECK(check_flag(report, options.restrict_range, "options->restrict_range"));
  CHORALE_CHECK(check_flag(report, options.edits, "options->edits"));
  CHORALE_CHECK(take_joint_options(report, options, model.most_labels, to.joint));
  if (options.message_element != CHORALE_MESSAGES_AUTO &&
      options.message_element != CHORALE_MESSAGES_FLOAT64 &&
      options.message_element != CHORALE_MESSAGES_MAGNITUDE16)
    return report.unknown_constant("options->message_element", options.message_element,
                                   "a CHORALE_MESSAGES_ constant");
  CHORALE_CHECK(check_least(report, options.threads, 0, "options->threads"));
  CHORALE_CHECK(check_seconds(report, "options->time_limit", options.time_limit));
  CHORALE_CHECK(check_least(report, options.bound_steps, 0, "options->bound_steps"));
  CHORALE_CHECK(check_finite(report, "options->effort", options.effort));
  to.rounds = options.rounds == CHORALE_NO_ROUNDS ? 0 : value_or(options.rounds, to.rounds);
  to.damping = options.damping;
  to.clique = {options.algorithm, options.exact_marginals != 0, options.bound_steps > 0};
  for (std::int32_t *size : {&to.joint.beam_width, &to.joint.budget})
    *size = std::max(*size, 1);
  to.messages = options.message_element;
  to.polish = options.no_local_search == 0;
  to.restrict_range = options.restrict_range != 0;
  to.executor.workers =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(options.threads, 1, kMostWorkers));
  to.executor.external = options.executor;
  to.executor.user = options.executor_user;
  to.time_limit = seconds_of(options.time_limit);
  to.cancel = options.cancel;
  to.progress = options.progress;
  to.progress_user = options.progress_user;
  to.bound_steps = options.bound_steps;
  to.edits = options.edits != 0;
  to.effort = options.effort == 0 && to.edits ? -1 : options.effort;
  return CHORALE_OK;
}

// Reports that a chain has too many joint states. `beam_helps`: true if a beam, which the options can
// ask for, would avoid this error.
chorale_status state_space(const Report &report, const chorale_run &run, bool beam_helps,
                           std::int64_t chain) noexcept {
  return report.fail(CHORALE_ERROR_STATE_SPACE, "the properties of chain ", chain,
                     " have more joint states than options->max_states = ",
                     run.options.joint.budget, "; raise max_states",
                     beam_helps ? ", use a beam (options->joint_mode)" : "",
                     ", or use fewer properties");
}

chorale_status failure_status(const Report &report, const chorale_run &run,
                              const RunFailure &failure) noexcept {
  switch (failure.kind) {
  case RunFailure::Kind::none:
    break;
  case RunFailure::Kind::potential:
    return callback_status(report, failure.callback,
                           run.model->place_cliques[failure.first_slot]);
  case RunFailure::Kind::instance_stopped:
    return report.fail(CHORALE_ERROR_CALLBACK_STOPPED,
                       "the callback of the instance that is chain ", failure.chain,
                       " returned non-zero: it asked to stop");
  case RunFailure::Kind::instance_value:
    return report.fail(CHORALE_ERROR_CALLBACK_VALUE,
                       "the callback of the instance that is chain ", failure.chain,
                       " gave NaN, plus infinity, a magnitude above ", kLargestAnswer,
                       ", or a label or value out of range; it must give numbers or minus "
                       "infinity, and labels and values of its own");
  case RunFailure::Kind::executor:
    return report.fail(CHORALE_ERROR_EXECUTOR,
                       "options->executor left out some steps of a loop, called some twice, or "
                       "gave a worker out of range; it must call the body once for every step");
  case RunFailure::Kind::state_space:
    return state_space(report, run, true, failure.chain);
  }
  return CHORALE_OK;
}

// For calls that change the run: fails with BUSY while another call on the same run is active,
// which means that this call was made from a callback of that one.
chorale_status check_at_rest(const Report &report, const chorale_run *run) noexcept {
  CHORALE_CHECK(check_given(report, "run", run));
  if (run->call.activity.load(std::memory_order_relaxed) == Activity::none)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_BUSY, "run is in the middle of a call; a callback of that call "
                                         "must not change it");
}

// For calls that read the run: fails with BUSY while another call on the same run changes
// labellings and messages, but not in the progress callback of that call. `name`: the name of the
// argument, for the error message.
chorale_status check_readable(const Report &report, std::string_view name,
                              const chorale_run *run) noexcept {
  CHORALE_CHECK(check_given(report, name, run));
  if (run->call.activity.load(std::memory_order_relaxed) != Activity::working)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_BUSY, name,
                     " is in the middle of a call; it can be read when the call has ended, or from "
                     "its progress callback");
}

// Like check_at_rest(), for calls that return no status: true if the run may be changed; otherwise
// writes a warning to the log.
bool is_at_rest(const chorale_run *run, std::string_view call) noexcept {
  if (run->call.activity.load(std::memory_order_relaxed) == Activity::none)
    return true;
  run->model->log.write(CHORALE_LOG_WARNING, call,
                        " does nothing: the run is in the middle of a call, and was asked from a "
                        "callback of that call");
  return false;
}

// Marks a run as working as long as this object exists.
class Occupied {
public:
  explicit Occupied(chorale_run &run) noexcept : run_(run) {
    run_.call.activity.store(Activity::working, std::memory_order_relaxed);
  }
  ~Occupied() { run_.call.activity.store(Activity::none, std::memory_order_relaxed); }
  Occupied(const Occupied &) = delete;
  Occupied &operator=(const Occupied &) = delete;

private:
  chorale_run &run_;
};

// Body of the calls that compute and return a result (step, solve, local search, bound): checks the
// arguments, starts the limits, calls work(report), and reports failures and the result.
template <class Work>
chorale_status carry_out(chorale_run *run, chorale_run_result *result, chorale_error *error,
                         Work &&work) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_at_rest(report, run));
    CHORALE_CHECK(check_result(report, result));
    const Occupied occupied(*run);
    run->begin_call();
    CHORALE_CHECK(work(report));
    CHORALE_CHECK(failure_status(report, *run, run->call.failure()));
    if (result)
      write_struct(result, run->outcome().result());
    return CHORALE_OK;
  });
}

// Checks that the run may be read and that it has a labelling.
chorale_status check_which_labelling(const Report &report, const chorale_run *run) noexcept {
  CHORALE_CHECK(check_readable(report, "run", run));
  if (!run->has_result())
    return report.fail(CHORALE_ERROR_NO_LABELLING,
                       "the run has no labelling: it has not begun, or no chain has an "
                       "allowed labelling");
  return CHORALE_OK;
}

// Like the function above, but also checks that `labelling` is CHORALE_TOGETHER or CHORALE_ALONE.
chorale_status check_which_labelling(const Report &report, const chorale_run *run,
                               chorale_labelling labelling) noexcept {
  CHORALE_CHECK(check_which_labelling(report, run));
  if (labelling == CHORALE_TOGETHER || labelling == CHORALE_ALONE)
    return CHORALE_OK;
  return report.unknown_constant("labelling", labelling, "CHORALE_TOGETHER or CHORALE_ALONE");
}

const Assignment &assignment(const chorale_run &run, chorale_labelling labelling) noexcept {
  return labelling == CHORALE_ALONE ? run.state.own : run.state.answer();
}

// The chains first .. last - 1.
struct ChainRange {
  std::int32_t first, last;
};

// Checks `chain`, which must be the number of a chain or CHORALE_ALL_CHAINS, and sets `to` to the
// chain or to all chains.
chorale_status read_chains(const Report &report, const chorale_run &run, std::int64_t chain,
                           ChainRange &to) noexcept {
  const std::int64_t count = run.model->chains.size();
  const bool is_all = chain == CHORALE_ALL_CHAINS;
  if (!is_all)
    CHORALE_CHECK(check_index(report, "chain", chain, count));
  to = {gsl::narrow_cast<std::int32_t>(is_all ? 0 : chain),
        gsl::narrow_cast<std::int32_t>(is_all ? count : chain + 1)};
  return CHORALE_OK;
}

// Checks that the run may be changed, and was created with options.edits, so has memory for edits.
chorale_status check_edits(const Report &report, const chorale_run *run) noexcept {
  CHORALE_CHECK(check_at_rest(report, run));
  if (run->options.edits)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_STATE,
                     "options->edits was 0 when the run was created; to edit, it must be 1");
}

// Checks that the run has a labelling which no clique forbids, and that it does not leave out the
// chain (chorale_run_left_out()).
chorale_status check_has_labels(const Report &report, const chorale_run &run,
                                std::int64_t chain) noexcept {
  if (!run.state.found())
    return report.fail(CHORALE_ERROR_NO_LABELLING,
                       "some clique forbids every labelling that the run has met");
  if (!run.state.own.lacks(gsl::narrow_cast<std::int32_t>(chain)))
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_NO_LABELLING, "chain ", chain,
                     " is left out; chorale_run_left_out() tells what forbids its labellings");
}

// Checks that the run may be changed (the calls use its workspace), that `chain` is no instance,
// and that the run has a labelling in which the chain has labels. Sets `to` to the caller's matrix,
// positions x labels of the chain; without data if `data` is NULL.
chorale_status take_label_matrix(const Report &report, const chorale_run *run, std::int64_t chain,
                                 double *data, std::int64_t row_stride,
                                 Matrix<double> &to) noexcept {
  CHORALE_CHECK(check_at_rest(report, run));
  CHORALE_CHECK(check_which_labelling(report, run));
  CHORALE_CHECK(check_index(report, "chain", chain, run->model->chains.size()));
  const Chain &of = run->model->chains[chain];
  if (of.is_instance)
    return report.fail(CHORALE_ERROR_KIND, "chain ", chain,
                       " is an instance, whose positions the run does not know");
  CHORALE_CHECK(check_has_labels(report, *run, chain));
  if (data)
    CHORALE_CHECK(take_row_stride(report, "the length of the chain", std::max(of.length, 1),
                                  "its labels", of.labels, "row_stride", row_stride));
  to = {data, of.length, of.labels, gsl::narrow_cast<std::ptrdiff_t>(row_stride)};
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_run_estimate(const chorale_model *model, const chorale_run_options *options,
                                    chorale_run_cost *cost, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "model", model));
    chorale_run_cost full{};
    CHORALE_CHECK(take_struct(report, "cost", cost, full));
    RunOptions checked;
    CHORALE_CHECK(take_run_options(report, *model, options, checked));
    Run run(Memory(), *model, checked);
    run.choose_messages();
    full = {};
    full.run_bytes = run.estimate();
    if (full.run_bytes == SIZE_MAX)
      return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the run exceeds the address space");
    full.model_bytes = model->bytes();
    full.score_bytes = model->score_bytes;
    for (const Chain &chain : model->chains) {
      double configurations = 1;
      for (std::int32_t s = 0; s < chain.wholes() && !chain.is_instance; ++s)
        configurations *= model->cliques[model->clique_of(chain.first_slot + s)].property()->states;
      full.chain_steps += static_cast<double>(chain.length) * chain.labels * chain.labels *
                          std::min(configurations, static_cast<double>(checked.joint.budget));
    }
    for (const Clique &clique : model->cliques)
      full.clique_scores += static_cast<double>(clique.members) * clique.columns();
    write_struct(cost, full);
    return CHORALE_OK;
  });
}

chorale_status chorale_run_create(const chorale_host *host, const chorale_model *model,
                                  const chorale_run_options *options, const chorale_run *earlier,
                                  chorale_run **run, chorale_error *error) {
  return creating(error, host, "run", run, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_given(report, "model", model));
    RunOptions checked;
    CHORALE_CHECK(take_run_options(report, *model, options, checked));
    if (earlier)
      CHORALE_CHECK(check_readable(report, "earlier", earlier));
    if (earlier && (earlier->model->chains.size() != model->chains.size() ||
                    earlier->model->cliques.size() != model->cliques.size()))
      return report.fail(CHORALE_ERROR_MODEL_MISMATCH, "earlier is of a model of ",
                         earlier->model->chains.size(), " chains and ",
                         earlier->model->cliques.size(), " cliques; this one has ",
                         model->chains.size(), " and ", model->cliques.size());
    Draft<Run> draft;
    CHORALE_CHECK(create_in(report, memory, draft, *model, checked));
    draft->choose_messages();
    if (!draft->prepare())
      return report.out_of_memory(draft->estimate());
    if (const std::int32_t chain = draft->try_joint_states(); chain >= 0)
      return state_space(report, *draft, true, chain);
    draft->restrict_ranges();
    CHORALE_CHECK(failure_status(report, *draft, draft->call.failure()));
    if (earlier)
      draft->start_from(*earlier);
    *run = draft.release();
    return chorale_status{CHORALE_OK};
  });
}

void chorale_run_destroy(chorale_run *run) {
  if (run && is_at_rest(run, "chorale_run_destroy"))
    destroy(run);
}

void chorale_run_reset(chorale_run *run) {
  if (run && is_at_rest(run, "chorale_run_reset"))
    run->reset();
}

chorale_status chorale_run_set_chain(chorale_run *run, int64_t chain, const chorale_chain *scores,
                                     chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_at_rest(report, run));
    CHORALE_CHECK(check_index(report, "chain", chain, run->model->chains.size()));
    const Chain &of = run->model->chains[chain];
    if (of.is_instance)
      return report.fail(CHORALE_ERROR_KIND, "chain ", chain,
                         " is an instance, which keeps its own scores");
    ChainCall call(report);
    CHORALE_CHECK(call.take_chain(scores));
    CHORALE_CHECK(call.check_numbers());
    const ChainView before = of.view();
    bool same = call.view.length == before.length && call.view.labels == before.labels &&
                (call.view.parents != nullptr) == (before.parents != nullptr);
    for (std::int32_t t = 0; same && before.parents && t < before.length; ++t)
      same = call.view.parents[t] == before.parents[t];
    if (!same)
      return report.fail(CHORALE_ERROR_SHAPE, "scores is a chain of ", call.view.length,
                         " positions and ", call.view.labels, " labels; chain ", chain, " has ",
                         before.length, " and ", before.labels,
                         ", and both must be chains, or trees with the same parents");
    switch (run->replace(gsl::narrow_cast<std::int32_t>(chain), call.view)) {
    case Replacement::no_memory:
      return report.out_of_memory();
    case Replacement::state_space:
      return state_space(report, *run, true, chain);
    case Replacement::done:
      break;
    }
    return CHORALE_OK;
  });
}

chorale_status chorale_run_set_allowed(chorale_run *run, int64_t chain, int64_t position,
                                       const uint8_t *allowed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_edits(report, run));
    CHORALE_CHECK(check_index(report, "chain", chain, run->model->chains.size()));
    const Chain &of = run->model->chains[chain];
    if (of.is_instance)
      return report.fail(CHORALE_ERROR_KIND, "chain ", chain,
                         " is an instance, whose labels the run does not choose");
    CHORALE_CHECK(check_index(report, "position", position, of.length));
    const auto number = gsl::narrow_cast<std::int32_t>(chain);
    const auto place = gsl::narrow_cast<std::int32_t>(position);
    const gsl::span<const std::uint8_t> labels = span_of(allowed, of.labels);
    if (allowed && !run->inputs.leaves_any(number, place, labels))
      return report.fail(CHORALE_ERROR_FORBIDDEN_VALUE, "allowed leaves no label to position ",
                         position, " of chain ", chain,
                         "; it must allow one that neither the chain's own forced or allowed "
                         "labels nor a unary score of minus infinity forbid");
    run->set_allowed(number, place, labels);
    return CHORALE_OK;
  });
}

chorale_status chorale_run_set_strength(chorale_run *run, int64_t clique, double factor,
                                        chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_edits(report, run));
    CHORALE_CHECK(check_index(report, "clique", clique, run->model->cliques.size()));
    const Clique &of = run->model->cliques[clique];
    CHORALE_CHECK(check_finite(report, "factor", factor));
    if (factor != 0 && !(factor >= 1e-6 && factor <= 1e6))
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "factor is ", factor,
                         "; it must be 0 or from 1e-6 to 1e6");
    for (std::int32_t k = 0; k < std::max(of.centre_values(), 1); ++k)
      CHORALE_CHECK(check_factor(report, "factor", factor, of.potential_at(k)));
    run->set_strength(gsl::narrow_cast<std::int32_t>(clique), factor);
    return CHORALE_OK;
  });
}

chorale_status chorale_run_set_labels(chorale_run *run, const int32_t *labels, int64_t count,
                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_at_rest(report, run));
    gsl::span<const std::int32_t> read;
    CHORALE_CHECK(take_labels(report, *run->model, labels, count, read));
    run->set_labels(read);
    return CHORALE_OK;
  });
}

chorale_status chorale_run_step(chorale_run *run, chorale_run_result *result,
                                chorale_error *error) {
  bool has_worked = true;
  const chorale_status status = carry_out(run, result, error, [&](Report &) {
    has_worked = run->has_round_to_do();
    run->step();
    return CHORALE_OK;
  });
  if (status == CHORALE_OK && result && !has_worked)
    result->messages_changed = 0;
  return status;
}

chorale_status chorale_run_solve(chorale_run *run, chorale_run_result *result,
                                 chorale_error *error) {
  return carry_out(run, result, error, [&](Report &) { return run->solve(), CHORALE_OK; });
}

chorale_status chorale_run_local_search(chorale_run *run, chorale_run_result *result,
                                        chorale_error *error) {
  return carry_out(run, result, error, [&](Report &) { return run->polish(), CHORALE_OK; });
}

chorale_status chorale_run_bound(chorale_run *run, int64_t steps, chorale_run_result *result,
                                 chorale_error *error) {
  return carry_out(run, result, error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_least(report, steps, 0, "steps"));
    if (run->options.bound_steps == 0)
      return report.fail(CHORALE_ERROR_STATE,
                         "options->bound_steps was 0 when the run was created; for a bound, it "
                         "must be at least 1");
    run->tighten(steps);
    return CHORALE_OK;
  });
}

chorale_status chorale_run_set_limits(chorale_run *run, double time_limit,
                                      const chorale_cancel *cancel, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_at_rest(report, run));
    CHORALE_CHECK(check_seconds(report, "time_limit", time_limit));
    run->options.time_limit = seconds_of(time_limit);
    run->options.cancel = cancel;
    return CHORALE_OK;
  });
}

chorale_status chorale_run_get_result(const chorale_run *run, chorale_run_result *result,
                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_readable(report, "run", run));
    CHORALE_CHECK(check_given(report, "result", result));
    CHORALE_CHECK(check_result(report, result));
    write_struct(result, run->outcome().result());
    return CHORALE_OK;
  });
}

chorale_status chorale_run_left_out(const chorale_run *run, chorale_left_out *left_out,
                                    size_t left_out_size, int64_t capacity, int64_t *needed,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_readable(report, "run", run));
    CHORALE_CHECK(check_element_size<chorale_left_out>(report, "left_out_size", left_out_size));
    const std::int64_t count = run->outcome().left_out({});
    return write_entries(
        report, "left_out", left_out, left_out_size, capacity, count, needed,
        [&](chorale_left_out *to) { run->outcome().left_out(span_of(to, count)); });
  });
}

chorale_status chorale_run_labels(const chorale_run *run, int64_t chain,
                                  chorale_labelling labelling, int32_t *labels, int64_t capacity,
                                  int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_which_labelling(report, run, labelling));
    ChainRange chains;
    CHORALE_CHECK(read_chains(report, *run, chain, chains));
    return fill_buffer(
        report, "labels", labels, capacity,
        chain == CHORALE_ALL_CHAINS ? run->model->label_count : run->model->chains[chain].length,
        needed, [&] {
          for (std::int32_t i = chains.first; i < chains.last; ++i) {
            const std::int32_t length = run->model->chains[i].length;
            run->state.read(assignment(*run, labelling), i, {labels, to_size(length)});
            labels += length;
          }
        });
  });
}

chorale_status chorale_run_values(const chorale_run *run, int64_t clique,
                                  chorale_labelling labelling, int32_t *values, int64_t capacity,
                                  int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_which_labelling(report, run, labelling));
    CHORALE_CHECK(check_index(report, "clique", clique, run->model->cliques.size()));
    const Clique &of = run->model->cliques[clique];
    return fill_buffer(report, "values", values, capacity, of.all_members(), needed, [&] {
      for (std::int32_t i = 0; i < of.all_members(); ++i)
        values[i] = of.value_of(assignment(*run, labelling).shown(of, i));
    });
  });
}

chorale_status chorale_run_reasons(const chorale_run *run, int64_t chain, chorale_reason *reasons,
                                   size_t reason_size, int64_t capacity, int64_t *needed,
                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_which_labelling(report, run));
    ChainRange chains;
    CHORALE_CHECK(read_chains(report, *run, chain, chains));
    CHORALE_CHECK(check_element_size<chorale_reason>(report, "reason_size", reason_size));
    RunFailure failure;
    const std::int64_t count = run->outcome().reasons(chains.first, chains.last, {}, &failure);
    return write_entries(report, "reasons", reasons, reason_size, capacity, count, needed,
                         [&](chorale_reason *to) {
                           run->outcome().reasons(chains.first, chains.last, span_of(to, count),
                                                  &failure);
                           return failure_status(report, *run, failure);
                         });
  });
}

chorale_status chorale_run_max_marginals(chorale_run *run, int64_t chain, double *marginals,
                                         int64_t row_stride, double *margins,
                                         chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    Matrix<double> to;
    CHORALE_CHECK(take_label_matrix(report, run, chain, marginals, row_stride, to));
    const RunFailure failure = run->chain_marginals(gsl::narrow_cast<std::int32_t>(chain), to,
                                                    span_of(margins, to.rows));
    return failure_status(report, *run, failure);
  });
}

chorale_status chorale_run_probabilities(chorale_run *run, int64_t chain, double temperature,
                                         double *probabilities, int64_t row_stride, int32_t *exact,
                                         chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_finite(report, "temperature", temperature));
    if (temperature <= 0)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "temperature is ", temperature,
                         "; it must be above 0");
    CHORALE_CHECK(check_given(report, "probabilities", probabilities));
    Matrix<double> to;
    CHORALE_CHECK(take_label_matrix(report, run, chain, probabilities, row_stride, to));
    bool is_exact = true;
    bool found = true;
    const RunFailure failure = run->chain_probabilities(gsl::narrow_cast<std::int32_t>(chain),
                                                        temperature, to, is_exact, found);
    // This failure does not depend on the joint mode, so the message does not propose a beam.
    if (failure.kind == RunFailure::Kind::state_space)
      return state_space(report, *run, false, chain);
    CHORALE_CHECK(failure_status(report, *run, failure));
    if (!found)
      return report.fail(CHORALE_ERROR_NO_LABELLING, "the messages of the cliques forbid every "
                         "labelling of chain ", chain);
    if (exact)
      *exact = is_exact ? 1 : 0;
    return CHORALE_OK;
  });
}

chorale_status chorale_run_json(const chorale_run *run, char *buffer, size_t capacity,
                                size_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_which_labelling(report, run));
    RunFailure failure;
    const std::size_t bytes = run->outcome().write_json({}, &failure);
    CHORALE_CHECK(failure_status(report, *run, failure));
    return fill_buffer(report, "buffer", buffer, capacity, bytes, needed, [&] {
      run->outcome().write_json({buffer, capacity}, &failure);
      return failure_status(report, *run, failure);
    });
  });
}

} // extern "C"
