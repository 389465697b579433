// The exported functions of learn.h.
#include "capi/firewall.hpp"
#include "learn/learner.hpp"

namespace chorale {
namespace {

constexpr double kUsualSeconds = 300;

struct LearntDraft {
  ~LearntDraft() {
    if (made)
      Memory::destroy(made, made->memory);
  }
  Learnt *made = nullptr;
};

chorale_status check_problems(const Report &report, const chorale_problem *const *problems,
                              std::int64_t count) noexcept {
  if (!problems)
    return report.null_argument("problems");
  CHORALE_CHECK(check_size(report, "count", count));
  for (std::int64_t k = 0; k < count; ++k)
    if (!problems[k])
      return report.fail(CHORALE_ERROR_NULL_ARGUMENT, "problems[", k,
                         "] is NULL; it must not be");
  return CHORALE_OK;
}

chorale_status check_costs(const Report &report, const chorale_learn_options &options) noexcept {
  for (std::int64_t a = 0; options.costs && a < options.labels; ++a)
    for (std::int64_t b = 0; b < options.labels; ++b) {
      const double cost = options.costs[a * options.labels + b];
      if (!is_finite_score(cost))
        return fail_number(report, cost, false, [&](TextWriter &at) {
          at << "options->costs[" << a << "][" << b << "]";
        });
      if (cost < 0 || (a == b && cost != 0))
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->costs[", a, "][", b, "] is ",
                           cost, "; it must be at least 0, and 0 where both labels are one");
    }
  return CHORALE_OK;
}

chorale_status check_classes(const Report &report, const chorale_learn_options &options) noexcept {
  bool any = false;
  for (std::int64_t a = 0; options.classes && a < options.labels; ++a) {
    if (options.classes[a] < -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->classes[", a, "] is ",
                         options.classes[a], "; it must be at least -1");
    any = any || options.classes[a] >= 0;
  }
  if (options.classes && !any)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE,
                       "options->classes are all -1; some label must count");
  for (std::int64_t a = 0; options.begins && a < options.labels; ++a)
    if (options.begins[a] != 0 && options.begins[a] != 1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->begins[", a, "] is ",
                         options.begins[a], "; it must be 0 or 1");
  return CHORALE_OK;
}

// Checks the arrays that have an entry for each label.
chorale_status check_labels(const Report &report, const chorale_learn_options &options,
                            Problems problems) noexcept {
  if (!options.classes && !options.begins && !options.costs)
    return CHORALE_OK;
  if (options.classes && options.costs)
    return report.fail(CHORALE_ERROR_KIND, "options->costs and options->classes are both given; "
                                           "one of them must be NULL");
  if (options.begins && !options.classes)
    return report.fail(CHORALE_ERROR_KIND, "options->begins is given without options->classes, which "
                                           "say what spans are of");
  CHORALE_CHECK(check_size(report, "options->labels", options.labels));
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const auto &chains = problems[k]->model->chains;
    for (std::int64_t i = 0; i < chains.size(); ++i)
      if (chains[i].labels != options.labels)
        return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", i, " of problems[", k,
                           "] has ", chains[i].labels, " labels; it must have options->labels = ",
                           options.labels, ", those of options->",
                           options.classes ? "classes" : "costs");
  }
  CHORALE_CHECK(check_costs(report, options));
  return check_classes(report, options);
}

chorale_status check_options(const Report &report, LearnSpec &spec) noexcept {
  chorale_learn_options &options = spec.options;
  CHORALE_CHECK(check_size(report, "options->threads", options.threads, 0));
  if (std::isnan(options.time_limit))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER,
                       "options->time_limit is NaN; it must be seconds, or 0 for 300");
  options.threads = std::max<std::int64_t>(options.threads, 1);
  options.time_limit = seconds_of(value_or(options.time_limit, kUsualSeconds));
  CHORALE_CHECK(check_labels(report, options, spec.problems));
  spec.measure.classes = span_of(options.classes, options.classes ? options.labels : 0);
  spec.measure.begins = span_of(options.begins, options.begins ? options.labels : 0);
  if (options.costs)
    spec.measure.costs = matrix_of(options.costs, options.labels, options.labels);
  return CHORALE_OK;
}

// Checks that the weights of a kind can be applied to cliques of `values` values. name: parts of
// the error message that together name this number.
template <class... Name>
chorale_status check_values(const Report &report, const Learnt &learnt, std::int64_t number,
                            std::int64_t values, const Name &...name) noexcept {
  const Kind &kind = learnt.kinds[number];
  const auto weights = learnt.weights_of(kind);
  const bool is_bound =
      kind.left_out != 0 || std::any_of(weights.begin(), weights.end(), [](const Weight &weight) {
        return weight.basis == Basis::centre || weight.basis == Basis::value ||
               weight.basis == Basis::majority;
      });
  if (!is_bound || values == kind.values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUES_MISMATCH, name..., " is ", values, "; it must be ",
                     kind.values, ", for which kind ", number, " was learnt");
}

// Creates the model of a problem, with learnt potentials for the cliques that have a kind.
chorale_status apply(const Report &report, const Memory &memory, const Log &log,
                     const Learnt &learnt, const Problem &problem, Model *&to) noexcept {
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    std::size_t length = 0;
    const char *name = chorale_problem_text(&problem, CHORALE_TEXTS_KINDS, k, &length);
    const std::string_view known = learnt.text_of(learnt.kinds[k].name);
    if (name && !known.empty() && known != std::string_view(name, length))
      return report.fail(CHORALE_ERROR_MODEL_MISMATCH, "kind ", k, " of the problem is named '",
                         std::string_view(name, length), "'; it must be '", known,
                         "', as where it was learnt");
  }
  const Model &model = *problem.model;
  Potentials potentials(memory);
  if (!potentials.begin(model))
    return report.out_of_memory(sizeof(Exchange));
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const std::int32_t number = chorale_problem_clique_kind(&problem, c);
    const Clique clique = model.cliques[c];
    if (number < 0)
      continue;
    if (number >= learnt.kinds.size() || learnt.kinds[number].cliques == 0)
      return report.fail(CHORALE_ERROR_KIND, "clique ", c, " is of kind ", number,
                         "; it must be of a kind that was learnt, or of none (-1)");
    if (clique.weighted())
      return report.fail(CHORALE_ERROR_WEIGHTS, "clique ", c, " is of kind ", number,
                         " and has members with weights above 1; learnt potentials are for "
                         "members that count once");
    const Kind &kind = learnt.kinds[number];
    Kind like = kind;
    if (!join(like, clique))
      return report.fail(CHORALE_ERROR_KIND, "clique ", c, " is of kind ", number,
                         "; it must be like those learnt from in property, EMPTY, OUT and centre");
    CHORALE_CHECK(check_values(report, learnt, number, clique.values(),
                               "the number of values of clique ", c));
    CHORALE_CHECK(
        potentials.give(report, model, c, number, kind, 0, [&](Array<Weight> &weights) {
          bool fits = true;
          for (const Weight &weight : learnt.weights_of(kind))
            fits = fits && weights.push(weight);
          return fits ? chorale_status{CHORALE_OK} : report.out_of_memory(sizeof(Weight));
        }));
  }
  Model *made = exchange(memory, log, model, potentials.exchanges(), {});
  if (!made)
    return report.out_of_memory(sizeof(Model));
  to = made;
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_learn(const chorale_host *host, const chorale_problem *const *problems,
                             int64_t count, const chorale_learn_options *options,
                             chorale_learnt **learnt, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_problems(report, problems, count));
    if (!learnt)
      return report.null_argument("learnt");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    const Memory memory(&lent);
    LearnSpec spec{host, {problems, to_size(count)}, {}};
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, spec.options));
    CHORALE_CHECK(check_options(report, spec));
    LearntDraft draft{memory.create<Learnt>(memory)};
    if (!draft.made)
      return report.out_of_memory(sizeof(Learnt));
    CHORALE_CHECK(learn(report, memory, spec, *draft.made));
    *learnt = std::exchange(draft.made, nullptr);
    return CHORALE_OK;
  });
}

void chorale_learnt_destroy(chorale_learnt *learnt) {
  if (learnt)
    Memory::destroy(learnt, learnt->memory);
}

chorale_status chorale_learnt_apply(const chorale_host *host, const chorale_learnt *learnt,
                                    const chorale_problem *problem, chorale_model **model,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!learnt)
      return report.null_argument("learnt");
    if (!problem)
      return report.null_argument("problem");
    if (!model)
      return report.null_argument("model");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    return apply(report, Memory(&lent), Log(&lent), *learnt, *problem, *model);
  });
}

chorale_status chorale_learnt_potential(const chorale_host *host, const chorale_learnt *learnt,
                                        int64_t kind, int64_t values, int64_t centre_value,
                                        chorale_potential **potential, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!learnt)
      return report.null_argument("learnt");
    if (!potential)
      return report.null_argument("potential");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_index(report, "kind", kind, learnt->kinds.size()));
    const Kind &of = learnt->kinds[kind];
    if (of.is_centred)
      CHORALE_CHECK(check_index(report, "centre_value", centre_value, of.centre_values));
    else if (centre_value != -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "centre_value is ", centre_value,
                         "; it must be -1, since kind ", kind, " has no centre");
    CHORALE_CHECK(check_size(report, "values", values));
    CHORALE_CHECK(check_values(report, *learnt, kind, values, "values"));
    Potential *made = nullptr;
    CHORALE_CHECK(create_learnt(report, Memory(&lent), of, learnt->weights_of(of), values,
                                centre_value, made));
    *potential = made;
    return CHORALE_OK;
  });
}

chorale_status chorale_learnt_get_report(const chorale_learnt *learnt,
                                         chorale_learnt_report *report, chorale_error *error) {
  return guarded(error, [&](Report &to) -> chorale_status {
    if (!learnt)
      return to.null_argument("learnt");
    if (!report)
      return to.null_argument("report");
    chorale_learnt_report ignored{};
    CHORALE_CHECK(read_struct(to, "report", report, ignored));
    write_struct(report, learnt->report);
    return CHORALE_OK;
  });
}

chorale_status chorale_learnt_kinds(const chorale_learnt *learnt, chorale_learnt_kind *kinds,
                                    size_t kind_size, int64_t capacity, int64_t *needed,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!learnt)
      return report.null_argument("learnt");
    CHORALE_CHECK(check_element_size<chorale_learnt_kind>(report, "kind_size", kind_size));
    bool fills = false;
    CHORALE_CHECK(
        take_buffer(report, "kinds", kinds, capacity, learnt->kinds.size(), needed, fills));
    for (std::int64_t k = 0; fills && k < learnt->kinds.size(); ++k) {
      const Kind &from = learnt->kinds[k];
      const chorale_learnt_kind told{static_cast<std::int32_t>(k), from.uses_log_odds ? 1 : 0,
                                     from.cliques, from.members, from.strength, from.bonus};
      // Entries of the caller may be of another version of the header: longer, or shorter.
      std::byte *at = reinterpret_cast<std::byte *>(kinds) + to_size(k) * kind_size;
      std::memset(at, 0, kind_size);
      std::memcpy(at, &told, std::min(kind_size, sizeof told));
    }
    return CHORALE_OK;
  });
}

chorale_status chorale_learnt_text(const chorale_learnt *learnt, chorale_text_form form,
                                   char *buffer, size_t capacity, size_t *needed,
                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!learnt)
      return report.null_argument("learnt");
    if (form != CHORALE_TEXT_LINES && form != CHORALE_TEXT_JSON)
      return report.unknown_constant("form", form, "CHORALE_TEXT_LINES or CHORALE_TEXT_JSON");
    const auto write = form == CHORALE_TEXT_LINES ? write_lines : write_learnt_json;
    bool fills = false;
    CHORALE_CHECK(
        take_buffer(report, "buffer", buffer, capacity, write(*learnt, nullptr, 0), needed, fills));
    if (fills)
      write(*learnt, buffer, capacity);
    return CHORALE_OK;
  });
}

chorale_status chorale_learnt_read(const chorale_host *host, const char *json, size_t length,
                                   chorale_learnt **learnt, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!json)
      return report.null_argument("json");
    if (!learnt)
      return report.null_argument("learnt");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    const Memory memory(&lent);
    LearntDraft draft{memory.create<Learnt>(memory)};
    if (!draft.made)
      return report.out_of_memory(sizeof(Learnt));
    CHORALE_CHECK(read_learnt(report, {json, length}, *draft.made));
    *learnt = std::exchange(draft.made, nullptr);
    return CHORALE_OK;
  });
}

} // extern "C"
