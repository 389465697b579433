// extern "C" of problem.h: the names around a model. Files are in problem_file.cpp.
#include "capi/firewall.hpp"
#include "problem/problem.hpp"

using namespace chorale;

extern "C" {

chorale_status chorale_problem_create(const chorale_host *host, const chorale_model *model,
                                      chorale_problem **problem, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!model)
      return report.null_argument("model");
    if (!problem)
      return report.null_argument("problem");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    const Memory memory(&lent);
    Problem *made = memory.create<Problem>(memory, model);
    if (!made)
      return report.out_of_memory(sizeof(Problem));
    *problem = made;
    return CHORALE_OK;
  });
}

void chorale_problem_destroy(chorale_problem *problem) {
  if (problem)
    Memory::destroy(problem, problem->memory);
}

const chorale_model *chorale_problem_model(const chorale_problem *problem) {
  return problem ? problem->model : nullptr;
}

// ---- Texts --------------------------------------------------------------------------------------

chorale_status chorale_problem_set_texts(chorale_problem *problem, chorale_text_list list,
                                         const chorale_text *texts, int64_t count,
                                         chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!problem)
      return report.null_argument("problem");
    return problem->set_texts(report, list, texts, count);
  });
}

int64_t chorale_problem_text_count(const chorale_problem *problem, chorale_text_list list) {
  const TextList *found = problem ? problem->list(list) : nullptr;
  return found ? found->count : 0;
}

chorale_text chorale_problem_text(const chorale_problem *problem, chorale_text_list list,
                                  int64_t index) {
  const TextList *found = problem ? problem->list(list) : nullptr;
  return found && index >= 0 && index < found->count ? found->text(index) : chorale_text{};
}

// ---- What cliques are about ---------------------------------------------------------------------

chorale_status chorale_problem_set_cliques(chorale_problem *problem, const int32_t *kinds,
                                           const chorale_text_list *values, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!problem)
      return report.null_argument("problem");
    return problem->set_cliques(report, kinds, values);
  });
}

int32_t chorale_problem_clique_kind(const chorale_problem *problem, int64_t clique) {
  return problem && clique >= 0 && clique < problem->kinds.size() ? problem->kinds[clique] : -1;
}

chorale_text chorale_problem_value_name(const chorale_problem *problem, int64_t clique,
                                        int32_t value) {
  if (!problem || clique < 0 || clique >= problem->values.size())
    return {};
  const Clique &of = problem->model->cliques[clique];
  if (value < 0 || value >= of.values())
    return {};
  const std::int64_t index =
      of.dictionary() ? chorale_dictionary_value(of.dictionary(), value) : value;
  return chorale_problem_text(problem, problem->values[clique], index);
}

// ---- Gold labels --------------------------------------------------------------------------------

chorale_status chorale_problem_set_gold(chorale_problem *problem, const int32_t *gold,
                                        chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!problem)
      return report.null_argument("problem");
    return problem->set_gold(report, gold);
  });
}

const int32_t *chorale_problem_gold(const chorale_problem *problem) {
  return problem && !problem->gold.empty() ? problem->gold.begin() : nullptr;
}

// ---- Notes --------------------------------------------------------------------------------------

chorale_status chorale_problem_set_note(chorale_problem *problem, chorale_text name,
                                        chorale_text text, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!problem)
      return report.null_argument("problem");
    return problem->set_note(report, name, text);
  });
}

int64_t chorale_problem_note_count(const chorale_problem *problem) {
  return problem ? problem->notes.size() : 0;
}

chorale_text chorale_problem_note_name(const chorale_problem *problem, int64_t index) {
  return problem && index >= 0 && index < problem->notes.size() ? problem->notes[index].name()
                                                                : chorale_text{};
}

chorale_text chorale_problem_note(const chorale_problem *problem, int64_t index) {
  return problem && index >= 0 && index < problem->notes.size() ? problem->notes[index].text()
                                                                : chorale_text{};
}

} // extern "C"
