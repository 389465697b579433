// extern "C" of problem.h: the names around a model. Files are in problem_file.cpp.
#include "capi/problem_checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

struct ListRule {
  std::string_view what;
  std::int64_t count;
  bool exact;
};

std::int64_t most_labels(const Model &model) noexcept {
  std::int32_t most = 0;
  for (const Chain &chain : model.chains)
    if (!chain.is_instance)
      most = std::max(most, chain.labels);
  return most;
}

bool names_values(chorale_text_list list) noexcept {
  return list == CHORALE_TEXTS_NONE || list == CHORALE_TEXTS_LABELS ||
         list == CHORALE_TEXTS_TOKENS || list >= CHORALE_TEXTS_VALUES;
}

chorale_status out_of_memory(const Report &report, const chorale_problem &problem) noexcept {
  report.takes_from(problem.memory);
  return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory");
}

// Copies `count` integers over what was there; NULL leaves it. False: no memory.
bool replace(Array<std::int32_t> &to, const std::int32_t *from, std::int64_t count) noexcept {
  if (!to.resize(count))
    return false;
  std::copy_n(from, count, to.begin());
  return true;
}

} // namespace

chorale_status check_list(const Report &report, const Problem &problem, chorale_text_list list,
                          std::int64_t count) noexcept {
  const Model &model = *problem.model;
  CHORALE_CHECK(check_size(report, "count", count, 0));
  if (list >= CHORALE_TEXTS_VALUES) {
    const std::int64_t next = CHORALE_TEXTS_VALUES + problem.value_lists();
    if (list > next)
      return report.unknown_constant("list", list,
                                     "a CHORALE_TEXTS_ constant, or at most that of the next new "
                                     "list of value names");
    return CHORALE_OK;
  }
  ListRule rule{"", 0, false};
  switch (list) {
  case CHORALE_TEXTS_LABELS:
    rule = {"the labels of every chain", most_labels(model), false};
    break;
  case CHORALE_TEXTS_TOKENS:
  case CHORALE_TEXTS_GROUPS:
  case CHORALE_TEXTS_KINDS:
    return CHORALE_OK;
  case CHORALE_TEXTS_WORDS:
  case CHORALE_TEXTS_SPACES:
    rule = {"the positions of all chains", model.label_count, true};
    break;
  case CHORALE_TEXTS_CHAINS:
    rule = {"the chains", model.chains.size(), true};
    break;
  case CHORALE_TEXTS_CLIQUES:
    rule = {"the cliques", model.cliques.size(), true};
    break;
  default:
    return report.unknown_constant("list", list, "a CHORALE_TEXTS_ constant");
  }
  if (count != 0 && (rule.exact ? count != rule.count : count < rule.count))
    return report.fail(CHORALE_ERROR_SHAPE, "count is ", count, "; it must be ",
                       rule.exact ? "" : "at least ", rule.count, ", by ", rule.what, ", or 0");
  return CHORALE_OK;
}

} // namespace chorale

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
    CHORALE_CHECK(check_list(report, *problem, list, count));
    if (!texts && count > 0)
      return report.null_argument("texts");
    for (std::int64_t k = 0; k < count; ++k)
      CHORALE_CHECK(check_text(report, texts[k],
                               [&](MessageWriter &place) { place << "texts[" << k << "]"; }));
    return problem->set_list(list, texts, count) ? CHORALE_OK : out_of_memory(report, *problem);
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
    const std::int64_t cliques = problem->model->cliques.size();
    for (std::int64_t c = 0; kinds && c < cliques; ++c)
      if (kinds[c] < -1)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "kinds[", c, "] is ", kinds[c],
                           "; it must be at least -1");
    for (std::int64_t c = 0; values && c < cliques; ++c)
      if (!names_values(values[c]))
        return report.fail(
            CHORALE_ERROR_OUT_OF_RANGE, "values[", c, "] is ", values[c],
            "; it must be CHORALE_TEXTS_NONE, _LABELS, _TOKENS, or at least _VALUES");
    // Room for both comes before either changes.
    if ((kinds && !problem->kinds.reserve(cliques)) ||
        (values && !problem->values.reserve(cliques)))
      return out_of_memory(report, *problem);
    if (kinds)
      replace(problem->kinds, kinds, cliques);
    if (values)
      replace(problem->values, values, cliques);
    return CHORALE_OK;
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
    if (!gold) {
      problem->gold.truncate(0);
      return CHORALE_OK;
    }
    const Model &model = *problem->model;
    const std::int32_t *at = gold;
    for (std::int64_t i = 0; i < model.chains.size(); ++i)
      for (std::int32_t t = 0; t < model.chains[i].length; ++t, ++at)
        if (*at < -1 || *at >= model.chains[i].labels)
          return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "gold[", at - gold, "], position ", t,
                             " of chain ", i, ", is ", *at, "; it must be from -1 to ",
                             model.chains[i].labels - 1);
    return replace(problem->gold, gold, model.label_count) ? CHORALE_OK
                                                           : out_of_memory(report, *problem);
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
    if (name.length == 0)
      return report.fail(CHORALE_ERROR_SIZE, "name.length is 0; it must be at least 1");
    CHORALE_CHECK(check_text(report, name, [](MessageWriter &place) { place << "name"; }));
    CHORALE_CHECK(check_text(report, text, [](MessageWriter &place) { place << "text"; }));
    return problem->set_note(name, text) ? CHORALE_OK : out_of_memory(report, *problem);
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
