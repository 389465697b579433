// The exported functions of learn.h.
#include "capi/firewall.hpp"
#include "learn/learner.hpp"

namespace chorale {
namespace {


chorale_learn_options default_learn_options() noexcept {
  chorale_learn_options options{};
  options.struct_size = sizeof options;
  options.rule_size = sizeof(chorale_weight_rule);
  options.folds = 10;
  options.level = 0.05;
  options.time_limit = -1;
  return options;
}

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

// Checks that every chain of the problems has `labels` labels, as the array `name` of the options
// has (costs or classes).
chorale_status check_labels_of(const Report &report, std::string_view name, std::int64_t labels,
                               const Teaching &teaching) noexcept {
  for (std::size_t k = 0; k < teaching.problems.size(); ++k) {
    const auto &chains = teaching.problems[k]->model->chains;
    for (std::int64_t i = 0; i < chains.size(); ++i)
      if (chains[i].labels != labels)
        return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", i, " of problems[", k,
                           "] has ", chains[i].labels, " labels; it must have options->labels = ",
                           labels, ", those of options->", name);
  }
  return CHORALE_OK;
}

chorale_status check_costs(const Report &report, const chorale_learn_options &options,
                           const Teaching &teaching) noexcept {
  if (!options.costs)
    return CHORALE_OK;
  CHORALE_CHECK(check_size(report, "options->labels", options.labels));
  for (std::int64_t a = 0; a < options.labels; ++a)
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
  return check_labels_of(report, "costs", options.labels, teaching);
}

chorale_status check_classes(const Report &report, const chorale_learn_options &options,
                             const Teaching &teaching) noexcept {
  if (!options.classes)
    return CHORALE_OK;
  if (options.costs)
    return report.fail(CHORALE_ERROR_KIND, "options->costs and options->classes are both given; "
                                           "one of them must be NULL");
  CHORALE_CHECK(check_size(report, "options->labels", options.labels));
  bool any = false;
  for (std::int64_t a = 0; a < options.labels; ++a) {
    if (options.classes[a] < -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->classes[", a, "] is ",
                         options.classes[a], "; it must be at least -1");
    any = any || options.classes[a] >= 0;
  }
  if (!any)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE,
                       "options->classes are all -1; some label must count");
  return check_labels_of(report, "classes", options.labels, teaching);
}

chorale_status check_seen(const Report &report, const chorale_learn_options &options,
                          std::int64_t count) noexcept {
  for (std::int64_t k = 0; options.seen && k < count; ++k) {
    const double seen = options.seen[k];
    if (std::isnan(seen))
      return report.fail(CHORALE_ERROR_NOT_A_NUMBER, "options->seen[", k,
                         "] is NaN; it must be a number");
    if (!(seen > 0 && seen <= 1))
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->seen[", k, "] is ", seen,
                         "; it must be above 0 and at most 1");
  }
  return CHORALE_OK;
}

chorale_status take_learn_options(const Report &report, const chorale_learn_options &options,
                            Teaching &teaching, Array<chorale_weight_rule> &rules) noexcept {
  CHORALE_CHECK(check_size(report, "options->folds", options.folds, 2));
  if (std::isnan(options.level))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER, "options->level is NaN; it must be a number");
  if (std::isnan(options.time_limit))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER,
                       "options->time_limit is NaN; it must be seconds, or negative for none");
  if (!(options.level > 0 && options.level < 1))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->level is ", options.level,
                       "; it must be above 0 and below 1");
  CHORALE_CHECK(check_size(report, "options->rule_count", options.rule_count, 0));
  if (options.rule_count > 0) {
    if (!options.rules)
      return report.null_argument("options->rules");
    CHORALE_CHECK(check_element_size<chorale_weight_rule>(report, "options->rule_size",
                                                          options.rule_size));
    CHORALE_CHECK(check_elements(report, "options->rules", options.rules, options.rule_size,
                                 options.rule_count));
    if (!rules.resize(options.rule_count))
      return report.out_of_memory(sizeof(chorale_weight_rule) * to_size(options.rule_count));
    for (std::int64_t r = 0; r < options.rule_count; ++r)
      std::memcpy(&rules[r],
                  reinterpret_cast<const std::byte *>(options.rules) +
                      static_cast<std::size_t>(r) * options.rule_size,
                  sizeof(chorale_weight_rule));
  }
  CHORALE_CHECK(check_costs(report, options, teaching));
  CHORALE_CHECK(check_classes(report, options, teaching));
  CHORALE_CHECK(check_seen(report, options, static_cast<std::int64_t>(teaching.problems.size())));
  LearnSpec &spec = teaching.spec;
  chorale_run_options_init(&spec.run, sizeof spec.run);
  if (options.run)
    CHORALE_CHECK(read_struct(report, "options->run", options.run, spec.run));
  else
    spec.run.rounds = kOwnRounds;
  spec.run.struct_size = sizeof spec.run;
  spec.run.progress = nullptr;
  spec.run.bound_steps = 0;
  spec.costs = matrix_of(options.costs, options.labels, options.labels);
  spec.classes = span_of(options.classes, options.labels);
  spec.time_limit = options.time_limit;
  spec.cancel = options.cancel;
  spec.progress = options.progress;
  spec.progress_user = options.progress_user;
  teaching.seen = {options.seen, options.seen ? teaching.problems.size() : 0};
  teaching.rules = rules;
  teaching.folds = options.folds;
  teaching.level = options.level;
  return CHORALE_OK;
}

chorale_status check_kind(const Report &report, const Learnt &learnt, std::int64_t kind) noexcept {
  return check_index(report, "kind", kind, learnt.kinds.size());
}

// Checks that the weights of a kind can be applied to cliques of `values` values. name: parts of
// the error message that together name this number.
template <class... Name>
chorale_status check_values(const Report &report, const Learnt &learnt, std::int64_t kind,
                            std::int64_t values, const Name &...name) noexcept {
  const Kind &of = learnt.kinds[kind];
  if (!learnt.needs_values(of) || values == of.values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUES_MISMATCH, name..., " is ", values, "; it must be ",
                     of.values, ", for which kind ", kind, " was learnt");
}

chorale_status make_potential(const Report &report, const Memory &memory, const Learnt &learnt,
                              std::int64_t number, std::int64_t values, std::int64_t centre_value,
                              Potential *&made) noexcept {
  const Kind &kind = learnt.kinds[number];
  Array<double> theta(memory);
  if (!theta.resize(kind.weights))
    return report.out_of_memory(to_size(kind.weights) * sizeof(double));
  const auto weights = span_of(learnt.weights.begin() + kind.first_weight, kind.weights);
  for (std::int64_t w = 0; w < kind.weights; ++w)
    theta[w] = weights.data()[w].weight;
  return create_learnt(report, memory, kind, weights, theta, values, centre_value, made);
}

// Creates the result of chorale_learnt_apply(): the model of a problem, with learnt potentials for
// the cliques that have a kind. Cliques of the same kind and number of values share potentials.
class Application {
public:
  Application(const Report &report, const Memory &memory, const Learnt &learnt,
              const Problem &problem) noexcept
      : report_(report), memory_(memory), learnt_(learnt), problem_(problem), made_(memory),
        exchanges_(memory), centres_(memory) {}
  ~Application() {
    for (const MadePotential &made : made_) {
      release(made.potential);
      for (std::int32_t k = 0; made.centre && k < learnt_.kinds[made.kind].centre_values; ++k)
        release(made.centre[k]);
    }
  }
  Application(const Application &) = delete;
  Application &operator=(const Application &) = delete;

  chorale_status run(const Log &log, Model *&model) noexcept {
    CHORALE_CHECK(check_names());
    const Model &from = *problem_.model;
    if (!exchanges_.resize(from.cliques.size()))
      return report_.out_of_memory(sizeof(Exchange));
    for (std::int64_t c = 0; c < from.cliques.size(); ++c) {
      exchanges_[c] = {};
      if (const std::int32_t kind = chorale_problem_clique_kind(&problem_, c); kind >= 0)
        CHORALE_CHECK(take(c, kind));
    }
    Model *made = exchange(memory_, log, from, span_of(exchanges_.begin(), exchanges_.size()), {});
    if (!made)
      return report_.out_of_memory(sizeof(Model));
    model = made;
    return CHORALE_OK;
  }

private:
  chorale_status check_names() const noexcept {
    for (std::int64_t k = 0; k < learnt_.kinds.size(); ++k) {
      std::size_t length = 0;
      const char *name = chorale_problem_text(&problem_, CHORALE_TEXTS_KINDS, k, &length);
      const std::string_view learnt = learnt_.name(learnt_.kinds[k]);
      if (name && !learnt.empty() && learnt != std::string_view(name, length))
        return report_.fail(CHORALE_ERROR_MODEL_MISMATCH, "kind ", k, " of the problem is named '",
                            std::string_view(name, length), "'; it must be '", learnt,
                            "', as where it was learnt");
    }
    return CHORALE_OK;
  }
  chorale_status take(std::int64_t c, std::int32_t number) noexcept {
    const Clique clique = problem_.model->cliques[c];
    if (number >= learnt_.kinds.size() || learnt_.kinds[number].cliques == 0)
      return report_.fail(CHORALE_ERROR_KIND, "clique ", c, " is of kind ", number,
                          "; it must be of a kind that was learnt, or of none (-1)");
    if (clique.weighted())
      return report_.fail(CHORALE_ERROR_WEIGHTS, "clique ", c, " is of kind ", number,
                          " and has members with weights above 1; learnt potentials are for "
                          "members that count once");
    const Kind &kind = learnt_.kinds[number];
    Kind like = kind;
    if (!join(like, clique))
      return report_.fail(CHORALE_ERROR_KIND, "clique ", c, " is of kind ", number,
                          "; it must be like those learnt from in property, EMPTY, OUT and centre");
    CHORALE_CHECK(check_values(report_, learnt_, number, clique.values(),
                               "the number of values of clique ", c));
    for (std::int64_t i = 0; i < made_.size(); ++i)
      if (made_[i].kind == number && made_[i].values == clique.values()) {
        exchanges_[c] = {made_[i].potential, made_[i].centre};
        return CHORALE_OK;
      }
    if (!made_.reserve(made_.size() + 1))
      return report_.out_of_memory(sizeof(MadePotential));
    MadePotential made{number, clique.values(), 0, nullptr, nullptr};
    Potential *potential = nullptr;
    if (!kind.is_centred) {
      CHORALE_CHECK(
          make_potential(report_, memory_, learnt_, number, clique.values(), -1, potential));
      made.potential = potential;
      made_.push(made);
    } else {
      auto *centre = centres_.take_array<const Potential *>(kind.centre_values);
      if (!centre)
        return report_.out_of_memory(sizeof(Potential *));
      std::fill_n(centre, kind.centre_values, nullptr);
      made.centre = centre;
      made_.push(made);
      for (std::int32_t k = 0; k < kind.centre_values; ++k) {
        CHORALE_CHECK(
            make_potential(report_, memory_, learnt_, number, clique.values(), k, potential));
        centre[k] = potential;
      }
    }
    exchanges_[c] = {made.potential, made.centre};
    return CHORALE_OK;
  }

  const Report &report_;
  const Memory &memory_;
  const Learnt &learnt_;
  const Problem &problem_;
  Array<MadePotential> made_;
  Array<Exchange> exchanges_;
  Arena centres_;
};

template <class Entry>
chorale_status fill(const Report &report, std::string_view name, std::string_view size_name,
                    const Array<Entry> &from, Entry *to, std::size_t entry_size,
                    std::int64_t capacity, std::int64_t *needed) noexcept {
  CHORALE_CHECK(check_element_size<Entry>(report, size_name, entry_size));
  bool fills = false;
  CHORALE_CHECK(take_buffer(report, name, to, capacity, from.size(), needed, fills));
  if (!fills)
    return CHORALE_OK;
  // Copies entry by entry, since the caller may use another version of the header, with shorter or
  // longer entries.
  for (std::int64_t k = 0; k < from.size(); ++k) {
    std::byte *at = reinterpret_cast<std::byte *>(to) + static_cast<std::size_t>(k) * entry_size;
    std::memset(at, 0, entry_size);
    std::memcpy(at, &from[k], std::min(entry_size, sizeof(Entry)));
  }
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

const char *chorale_basis_name(chorale_basis basis) {
  const std::string_view name = basis_name(basis);
  return name.empty() ? "unknown basis" : name.data();
}

void chorale_learn_options_init(chorale_learn_options *options, size_t struct_size) {
  init_struct(options, struct_size, default_learn_options());
}

void chorale_learnt_report_init(chorale_learnt_report *report, size_t struct_size) {
  init_struct(report, struct_size, chorale_learnt_report{});
}

chorale_status chorale_learn(const chorale_host *host, const chorale_problem *const *problems,
                             int64_t count, const chorale_learn_options *options,
                             chorale_learnt **learnt, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_problems(report, problems, count));
    if (!learnt)
      return report.null_argument("learnt");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    chorale_learn_options checked = default_learn_options();
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, checked));
    const Memory memory(&lent);
    Array<chorale_weight_rule> rules(memory);
    Teaching teaching;
    teaching.problems = {problems, to_size(count)};
    teaching.spec.host = host;
    CHORALE_CHECK(take_learn_options(report, checked, teaching, rules));
    LearntDraft draft{memory.create<Learnt>(memory)};
    if (!draft.made)
      return report.out_of_memory(sizeof(Learnt));
    CHORALE_CHECK(learn(report, memory, teaching, *draft.made));
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
    const Memory memory(&lent);
    return Application(report, memory, *learnt, *problem).run(Log(&lent), *model);
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
    CHORALE_CHECK(check_kind(report, *learnt, kind));
    const Kind &of = learnt->kinds[kind];
    if (of.is_centred)
      CHORALE_CHECK(check_index(report, "centre_value", centre_value, of.centre_values));
    else if (centre_value != -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "centre_value is ", centre_value,
                         "; it must be -1, since kind ", kind, " has no centre");
    CHORALE_CHECK(check_size(report, "values", values));
    CHORALE_CHECK(check_values(report, *learnt, kind, values, "values"));
    Potential *made = nullptr;
    CHORALE_CHECK(
        make_potential(report, Memory(&lent), *learnt, kind, values, centre_value, made));
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
    return fill(report, "kinds", "kind_size", learnt->told, kinds, kind_size, capacity, needed);
  });
}

chorale_status chorale_learnt_weights(const chorale_learnt *learnt,
                                      chorale_learnt_weight *weights, size_t weight_size,
                                      int64_t capacity, int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!learnt)
      return report.null_argument("learnt");
    return fill(report, "weights", "weight_size", learnt->weights, weights, weight_size, capacity,
                needed);
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
