// Exported C functions of problem.h and experimental.h: names, gold labels and notes of a
// model. Files are in problem_file.cpp.
#include "capi/firewall.hpp"
#include "problem/problem.hpp"

namespace chorale {
namespace {

// Returns the bytes of a text, and stores their number in *length, unless `length` is NULL.
const char *tell(chorale_text text, std::size_t *length) noexcept {
  if (length)
    *length = text.length;
  return text.bytes;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_problem_create(const chorale_host *host, const chorale_model *model,
                                      chorale_problem **problem, chorale_error *error) {
  return creating(error, host, "problem", problem, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_given(report, "model", model));
    Draft<Problem> made;
    CHORALE_CHECK(create_in(report, memory, made, model));
    *problem = made.release();
    return chorale_status{CHORALE_OK};
  });
}

void chorale_problem_destroy(chorale_problem *problem) { destroy(problem); }

const chorale_model *chorale_problem_model(const chorale_problem *problem) {
  return problem ? problem->model : nullptr;
}

// ---- Texts --------------------------------------------------------------------------------------

chorale_status chorale_problem_set_texts(chorale_problem *problem, chorale_text_list list,
                                         const chorale_text *texts, size_t text_size,
                                         int64_t count, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "problem", problem));
    CHORALE_CHECK(check_element_size<chorale_text>(report, "text_size", text_size));
    CHORALE_CHECK(check_elements<chorale_text>(report, "texts", texts, text_size, count));
    return problem->set_texts(report, list, texts, text_size, count);
  });
}

int64_t chorale_problem_text_count(const chorale_problem *problem, chorale_text_list list) {
  return problem ? problem->text_count(list) : 0;
}

const char *chorale_problem_text(const chorale_problem *problem, chorale_text_list list,
                                 int64_t index, size_t *length) {
  return tell(problem ? problem->text(list, index) : chorale_text{}, length);
}

// ---- Kinds and value names of cliques -----------------------------------------------------------

chorale_status chorale_problem_set_cliques(chorale_problem *problem, const int32_t *kinds,
                                           const chorale_text_list *values, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "problem", problem));
    const std::int64_t cliques = problem->model->cliques.size();
    return problem->set_cliques(report, span_of(kinds, cliques), span_of(values, cliques));
  });
}

int32_t chorale_problem_clique_kind(const chorale_problem *problem, int64_t clique) {
  return problem && clique >= 0 && clique < problem->kinds.size() ? problem->kinds[clique] : -1;
}

const char *chorale_problem_value_name(const chorale_problem *problem, int64_t clique,
                                       int32_t value, size_t *length) {
  if (!problem || clique < 0 || clique >= problem->values.size())
    return tell({}, length);
  const Clique &of = problem->model->cliques[clique];
  if (value < 0 || value >= of.values())
    return tell({}, length);
  const std::int64_t index = of.dictionary() ? of.dictionary()->value(value) : value;
  return chorale_problem_text(problem, problem->values[clique], index, length);
}

// ---- Gold labels --------------------------------------------------------------------------------

chorale_status chorale_problem_set_gold(chorale_problem *problem, const int32_t *gold,
                                        chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "problem", problem));
    return problem->set_gold(report, span_of(gold, problem->model->label_count));
  });
}

const int32_t *chorale_problem_gold(const chorale_problem *problem) {
  return problem && !problem->gold.empty() ? problem->gold.begin() : nullptr;
}

// ---- Notes --------------------------------------------------------------------------------------

chorale_status chorale_problem_set_note(chorale_problem *problem, const char *name,
                                        size_t name_length, const char *text, size_t text_length,
                                        chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "problem", problem));
    CHORALE_CHECK(check_given(report, "name", name || name_length == 0, "text",
                              text || text_length == 0));
    return problem->set_note(report, {name, name_length}, {text, text_length});
  });
}

} // extern "C"
