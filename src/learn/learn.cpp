// Exported C functions of learn.h, except chorale_problem_create_agreeing() (front/decode.cpp).
#include "base/parallel.hpp"
#include "capi/firewall.hpp"
#include "learn/lessons.hpp"

namespace chorale {
namespace {

constexpr double kUsualSeconds = 300;

// Creates a result and has fill(result) fill it in.
template <class Fill>
chorale_status create_result(const Report &report, const Memory &memory, Learnt *&to, Fill &&fill) {
  Draft<Learnt> made;
  CHORALE_CHECK(create_in(report, memory, made));
  CHORALE_CHECK(fill(*made));
  to = made.release();
  return CHORALE_OK;
}

// Checks the arrays by label: classes, begins and costs, of which only some combinations are
// allowed.
chorale_status check_labels(const Report &report, const chorale_learn_options &options,
                            Problems problems) noexcept {
  const std::int32_t *classes = options.classes;
  const std::int64_t m = options.labels;
  if (!classes && !options.begins && !options.costs)
    return CHORALE_OK;
  if (classes && options.costs)
    return report.fail(CHORALE_ERROR_KIND, "options->costs and options->classes are both given; "
                                           "one of them must be NULL");
  if (options.begins && !classes)
    return report.fail(CHORALE_ERROR_KIND, "options->begins is given without options->classes, which "
                                           "say what spans are of");
  CHORALE_CHECK(check_size(report, "options->labels", m));
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const auto &chains = problems[k]->model->chains;
    for (std::int64_t i = 0; i < chains.size(); ++i)
      if (chains[i].labels != m)
        return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", i, " of problems[", k, "] has ",
                           chains[i].labels, " labels; it must have options->labels = ", m,
                           ", those of options->", classes ? "classes" : "costs");
  }
  for (std::int64_t k = 0; options.costs && k < m * m; ++k) {
    const double cost = options.costs[k];
    char place[64];
    TextWriter(place, sizeof place) << "options->costs[" << k / m << "][" << k % m << "]";
    CHORALE_CHECK(check_finite(report, place, cost));
    if (cost < 0 || (k / m == k % m && cost != 0))
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, place, " is ", cost,
                         "; it must be at least 0, and 0 where both labels are one");
  }
  CHORALE_CHECK(check_entries(report, classes, m, -1, kAnyEntry, "options->classes"));
  CHORALE_CHECK(check_entries(report, options.begins, m, 0, 1, "options->begins"));
  return classes && *std::max_element(classes, classes + m) < 0
             ? report.fail(CHORALE_ERROR_OUT_OF_RANGE,
                           "options->classes are all -1; some label must count")
             : CHORALE_OK;
}

chorale_status take_options(const Report &report, const chorale_learn_options *given,
                            LearnSpec &spec) noexcept {
  chorale_learn_options &options = spec.options;
  CHORALE_CHECK(read_struct(report, "options", given, options));
  options.threads = std::min<std::int64_t>(options.threads, kMostWorkers); // a run uses no more
  CHORALE_CHECK(check_size(report, "options->threads", options.threads, 0));
  if (std::isnan(options.time_limit))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER,
                       "options->time_limit is NaN; it must be seconds, or 0 for 300");
  options.threads = value_or(options.threads, std::int64_t{1});
  options.time_limit = seconds_of(value_or(options.time_limit, kUsualSeconds));
  CHORALE_CHECK(check_labels(report, options, spec.problems));
  spec.measure.classes = span_of(options.classes, options.labels);
  spec.measure.begins = span_of(options.begins, options.labels);
  spec.measure.costs = matrix_of(options.costs, options.labels, options.labels);
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_learn(const chorale_host *host, const chorale_problem *const *problems,
                             int64_t count, const chorale_learn_options *options,
                             chorale_learnt **learnt, chorale_error *error) {
  return creating(error, host, "learnt", learnt, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_given(report, "problems", problems));
    CHORALE_CHECK(check_size(report, "count", count));
    for (std::int64_t k = 0; k < count; ++k)
      if (!problems[k])
        return report.null_argument("problems[", k, "]");
    LearnSpec spec{host, {problems, to_size(count)}, {}};
    CHORALE_CHECK(take_options(report, options, spec));
    return create_result(report, memory, *learnt,
                         [&](Learnt &made) { return learn(report, memory, spec, made); });
  });
}

void chorale_learnt_destroy(chorale_learnt *learnt) { destroy(learnt); }

chorale_status chorale_learnt_apply(const chorale_host *host, const chorale_learnt *learnt,
                                    const chorale_problem *problem, chorale_model **model,
                                    chorale_error *error) {
  return creating(error, host, "model", model, [&](Report &report, const Memory &memory,
                                                   const chorale_host &lent) {
    CHORALE_CHECK(check_given(report, "learnt", learnt, "problem", problem));
    CHORALE_CHECK(check_names(report, *problem, *learnt, [](const Kind &, std::string_view) {}));
    return exchange_kinds(
        report, memory, Log(&lent), *learnt, *problem, [](std::int64_t, std::int32_t) { return 0; },
        [&](std::int32_t kind, std::int64_t) { return learnt->weights_of(kind); }, *model);
  });
}

chorale_status chorale_learnt_potential(const chorale_host *host, const chorale_learnt *learnt,
                                        int64_t kind, int64_t values, int64_t centre_value,
                                        chorale_potential **potential, chorale_error *error) {
  return creating(error, host, "potential", potential, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_given(report, "learnt", learnt));
    CHORALE_CHECK(check_index(report, "kind", kind, learnt->kinds.size()));
    const Kind &of = learnt->kinds[kind];
    if (of.is_centred())
      CHORALE_CHECK(check_index(report, "centre_value", centre_value, of.centre_values));
    else if (centre_value != -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "centre_value is ", centre_value,
                         "; it must be -1, since kind ", kind, " has no centre");
    CHORALE_CHECK(check_size(report, "values", values));
    return create_learnt(report, memory, of, learnt->weights_of(kind), values, centre_value,
                         *potential);
  });
}

chorale_status chorale_learnt_get_report(const chorale_learnt *learnt,
                                         chorale_learnt_report *report, chorale_error *error) {
  return guarded(error, [&](Report &to) -> chorale_status {
    CHORALE_CHECK(check_given(to, "learnt", learnt, "report", report));
    CHORALE_CHECK(check_result(to, report, "report"));
    write_struct(report, learnt->report);
    return CHORALE_OK;
  });
}

chorale_status chorale_learnt_kinds(const chorale_learnt *learnt, chorale_learnt_kind *kinds,
                                    size_t kind_size, int64_t capacity, int64_t *needed,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "learnt", learnt));
    CHORALE_CHECK(check_element_size<chorale_learnt_kind>(report, "kind_size", kind_size));
    return write_entries(report, "kinds", kinds, kind_size, capacity, learnt->kinds.size(), needed,
                         [&](chorale_learnt_kind *to) {
                           std::int32_t number = 0;
                           for (const Kind &kind : learnt->kinds)
                             *to++ = {number++,     kind.uses_log_odds ? 1 : 0, kind.cliques,
                                      kind.members, kind.strength,              kind.bonus};
                         });
  });
}

chorale_status chorale_learnt_text(const chorale_learnt *learnt, chorale_text_form form,
                                   char *buffer, size_t capacity, size_t *needed,
                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "learnt", learnt));
    if (form != CHORALE_TEXT_LINES && form != CHORALE_TEXT_JSON)
      return report.unknown_constant("form", form, "CHORALE_TEXT_LINES or CHORALE_TEXT_JSON");
    const auto write = form == CHORALE_TEXT_LINES ? write_lines : write_learnt_json;
    return fill_buffer(report, "buffer", buffer, capacity, write(*learnt, nullptr, 0), needed,
                       [&] { write(*learnt, buffer, capacity); });
  });
}

chorale_status chorale_learnt_read(const chorale_host *host, const char *json, size_t length,
                                   chorale_learnt **learnt, chorale_error *error) {
  return creating(error, host, "learnt", learnt, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_given(report, "json", json));
    return create_result(report, memory, *learnt, [&](Learnt &made) {
      return read_learnt(report, {json, length}, made);
    });
  });
}

} // extern "C"
