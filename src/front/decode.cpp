// Exported C functions of decode.h and rules.h, those of experimental.h on chorale_decoded,
// and chorale_problem_create_agreeing() of learn.h.
#include "cluster/run/run.hpp"
#include "front/agreements.hpp"
#include "front/rules.hpp"
#include "learn/learnt.hpp"
#include "potential/checks.hpp"

#include <chorale/learn.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

struct chorale_decoded {
  explicit chorale_decoded(const chorale::Memory &from) noexcept
      : memory(from), first_clique(from), strengths(from), found(from), rules(from) {}
  ~chorale_decoded() {
    chorale_run_destroy(run);
    chorale_model_release(model);
    chorale_model_builder_destroy(builder);
  }
  chorale_decoded(const chorale_decoded &) = delete;
  chorale_decoded &operator=(const chorale_decoded &) = delete;

  chorale::Memory memory;
  chorale_model_builder *builder = nullptr; // NULL after the model is frozen
  chorale_model *model = nullptr;
  chorale_run *run = nullptr;
  // first_clique[k] is the index of the first clique of agreement k; the last entry is the number of
  // all cliques of agreements. The cliques of rules follow these.
  chorale::Array<std::int64_t> first_clique;
  chorale::Array<double> strengths; // by agreement: given or found; 0: none, or a potential
  chorale::Array<std::uint8_t> found; // by agreement: 1 if its strength was sought; empty: none was
  chorale::Rules rules;
  double own_score = 0; // with rules: the score of the tagger's own labels, without rules
};

namespace chorale {
namespace {

// Reads agreement k. `place`: its name in messages.
chorale_status read_agreement(const Report &report, const chorale_agreement *agreements,
                              std::int64_t k, std::string_view place, chorale_agreement &to) {
  CHORALE_CHECK(read_struct_of(report, place, agreements, k, to));
  to.minimum = value_or<std::int64_t>(to.minimum, 2);
  return CHORALE_OK;
}

// Builds the model, with the cliques of the agreements and of the rules that have been added to
// chains, and stores it in `made`. Strengths that have been found take the place of those given.
// rules: the caller's, at the first build; NULL at later ones, or if there are none. `error`: the
// struct to which `report` writes, also passed to the public calls made here.
chorale_status build(const Report &report, const chorale_host *host, const chorale_corpus *given,
                     const chorale_agreement *agreements, std::int64_t count,
                     const chorale_rules *rules, chorale_decoded &made,
                     chorale_error *error) noexcept {
  CHORALE_CHECK(chorale_model_builder_create(host, &made.builder, error));
  CHORALE_CHECK(chorale_model_builder_add_corpus(made.builder, given, nullptr, error));
  chorale_corpus corpus{};
  CHORALE_CHECK(read_struct(report, "corpus", given, corpus));
  const CorpusParts parts(corpus);
  CHORALE_CHECK(made.rules.read(report, rules, parts));
  made.first_clique.truncate(0);
  const bool first_time = made.strengths.empty();
  if (!made.first_clique.push(0))
    return report.out_of_memory(sizeof(std::int64_t));
  for (std::int64_t k = 0; k < count; ++k) {
    char place[48];
    TextWriter(place, sizeof place) << "agreements[" << k << "]";
    chorale_agreement agreement{};
    CHORALE_CHECK(read_agreement(report, agreements, k, place, agreement));
    if (!made.found.empty() && made.found[k] != 0)
      agreement.strength = made.strengths[k] == 0 ? kNoAgreement : made.strengths[k];
    std::int64_t added = 0;
    CHORALE_CHECK(
        add_agreement(report, place, made.memory, host, parts, agreement, made.builder, added));
    if (!made.first_clique.push(made.first_clique[k] + added) ||
        (first_time && !made.strengths.push(agreement.potential || agreement.strength == kNoAgreement
                                                ? 0
                                                : agreement.strength)))
      return report.out_of_memory(sizeof(std::int64_t));
  }
  CHORALE_CHECK(made.rules.add_cliques(report, *made.builder, corpus.labels));
  CHORALE_CHECK(chorale_model_builder_freeze(made.builder, &made.model, error));
  chorale_model_builder_destroy(std::exchange(made.builder, nullptr));
  return CHORALE_OK;
}

// Returns the agreement of a clique; -1 for a clique of a rule.
std::int64_t agreement_of(const chorale_decoded &decoded, std::int64_t clique) noexcept {
  const auto &first = decoded.first_clique;
  if (clique >= first[first.size() - 1])
    return -1;
  return std::upper_bound(first.begin(), first.end(), clique) - first.begin() - 1;
}

// Owns a problem and what was learnt from it.
struct StrengthSearch {
  ~StrengthSearch() {
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
  }
  chorale_problem *problem = nullptr;
  chorale_learnt *learnt = nullptr;
};

// Creates a problem of the model, in which the cliques of agreement k are of kind k; of no kind if
// are_found is given and are_found[k] is 0.
chorale_status create_problem(const Report &report, const chorale_host *host,
                              const chorale_decoded &made, const std::uint8_t *are_found,
                              chorale_problem *&problem, chorale_error *error) noexcept {
  Array<std::int32_t> kinds(made.memory);
  if (!kinds.resize(chorale_model_clique_count(made.model)))
    return report.out_of_memory(sizeof(std::int32_t));
  for (std::int64_t c = 0; c < kinds.size(); ++c) {
    const std::int64_t k = agreement_of(made, c);
    kinds[c] = are_found && are_found[k] == 0 ? -1 : static_cast<std::int32_t>(k);
  }
  CHORALE_CHECK(chorale_problem_create(host, made.model, &problem, error));
  return chorale_problem_set_cliques(problem, kinds.begin(), nullptr, error);
}

// Finds the strengths of the agreements whose strength is 0 and which have no potential and no
// weights above 1, and replaces the model by one with these strengths. Those with weights above 1
// have strength 1.
chorale_status find_strengths(const Report &report, const chorale_host *host,
                              const chorale_corpus *given, const chorale_agreement *agreements,
                              std::int64_t count, const chorale_run_options &options,
                              chorale_decoded &made, chorale_error *error) noexcept {
  Array<std::uint8_t> are_found(made.memory);
  if (!are_found.resize(count))
    return report.out_of_memory(to_size(count));
  bool any = false;
  for (std::int64_t k = 0; k < count; ++k) {
    chorale_agreement agreement{};
    CHORALE_CHECK(read_agreement(report, agreements, k, "agreement", agreement));
    are_found[k] = agreement.strength == 0 && !agreement.potential;
    if (are_found[k] == 0)
      continue;
    made.strengths[k] = made.first_clique[k] < made.first_clique[k + 1];
    for (std::int64_t c = made.first_clique[k]; c < made.first_clique[k + 1]; ++c)
      if (made.model->cliques[c].weighted())
        are_found[k] = 0;
    any = any || (are_found[k] != 0 && made.first_clique[k] < made.first_clique[k + 1]);
  }
  if (!any)
    return CHORALE_OK;
  chorale_corpus corpus{};
  CHORALE_CHECK(read_struct(report, "corpus", given, corpus));
  Array<std::int32_t> classes(made.memory);
  if (!classes.resize(corpus.labels))
    return report.out_of_memory(sizeof(std::int32_t));
  std::iota(classes.begin(), classes.end(), 0);
  for (std::int64_t k = 0; k < corpus.uncounted_count; ++k)
    classes[corpus.uncounted[k]] = -1;
  chorale_learn_options how{};
  how.struct_size = sizeof how;
  how.without_gold = 1;
  how.labels = corpus.labels;
  how.classes = classes.begin();
  how.threads = options.threads;
  how.time_limit = options.time_limit / 2;
  how.cancel = options.cancel;

  StrengthSearch search;
  CHORALE_CHECK(create_problem(report, host, made, are_found.begin(), search.problem, error));
  CHORALE_CHECK(chorale_learn(host, &search.problem, 1, &how, &search.learnt, error));
  const Array<Kind> &kinds = search.learnt->kinds;
  for (std::int64_t k = 0; k < kinds.size(); ++k)
    if (are_found[k] != 0 && kinds[k].cliques > 0)
      made.strengths[k] = kinds[k].strength;
  if (!made.found.copy(are_found))
    return report.out_of_memory(to_size(count));
  chorale_model_release(std::exchange(made.model, nullptr));
  return build(report, host, given, agreements, count, nullptr, made, error);
}

chorale_status check_specification(const Report &report, const chorale_corpus *corpus,
                                   const chorale_agreement *agreements,
                                   std::int64_t count) noexcept {
  CHORALE_CHECK(check_given(report, "corpus", corpus));
  CHORALE_CHECK(check_size(report, "count", count, 0));
  return check_array(report, agreements, count, "agreements");
}

using Clock = std::chrono::steady_clock;

// Creates a run of the model and solves it. The time limit of the options counts from `start`.
// labels: of all positions, from which the run starts; empty: it starts without labels.
chorale_status solve(const chorale_host *host, const chorale_run_options &options,
                     Clock::time_point start, gsl::span<const std::int32_t> labels,
                     chorale_decoded &made, chorale_error *error) noexcept {
  CHORALE_CHECK(chorale_run_create(host, made.model, &options, nullptr, &made.run, error));
  if (!labels.empty())
    CHORALE_CHECK(chorale_run_set_labels(made.run, labels.data(),
                                         static_cast<std::int64_t>(labels.size()), error));
  double &limit = made.run->options.time_limit;
  const double given = limit;
  const std::chrono::duration<double> spent = Clock::now() - start;
  if (given > 0)
    limit = std::max(given - spent.count(), 0.0);
  const chorale_status status = chorale_run_solve(made.run, nullptr, error);
  limit = given;
  return status;
}

// Adds the rules that the labelling breaks and solves again, until it breaks none that could be
// added.
chorale_status keep_rules(const Report &report, const chorale_host *host,
                          const chorale_corpus *corpus, const chorale_agreement *agreements,
                          std::int64_t count, const chorale_run_options &options,
                          Clock::time_point start, chorale_decoded &made,
                          chorale_error *error) noexcept {
  Array<std::int32_t> labels(made.memory);
  Array<std::int32_t> own_labels(made.memory);
  Rules::Scratch scratch(made.memory);
  const RunOptions &limit_of = made.run->options;
  const std::chrono::duration<double> spent = Clock::now() - start;
  Limits limits(limit_of.time_limit < 0 ? -1 : std::max(limit_of.time_limit - spent.count(), 0.0),
                limit_of.cancel);
  made.own_score = made.run->outcome().result().own_score;
  for (;;) {
    const std::int64_t positions = made.model->label_count;
    if (!made.run->has_result())
      return CHORALE_OK;
    for (const auto &[which, to] :
         {std::pair{CHORALE_TOGETHER, &labels}, std::pair{CHORALE_ALONE, &own_labels}}) {
      if (!to->resize(positions))
        return report.out_of_memory(sizeof(std::int32_t));
      CHORALE_CHECK(chorale_run_labels(made.run, CHORALE_ALL_CHAINS, which, to->begin(), positions,
                                       nullptr, error));
    }
    bool added = false;
    if (!made.rules.check(*made.model, labels, own_labels, limits, scratch, added))
      return report.out_of_memory();
    if (!added)
      return CHORALE_OK;
    made.rules.write_labels(*made.model, own_labels);
    chorale_run_destroy(std::exchange(made.run, nullptr));
    chorale_model_release(std::exchange(made.model, nullptr));
    CHORALE_CHECK(build(report, host, corpus, agreements, count, nullptr, made, error));
    CHORALE_CHECK(solve(host, options, start, own_labels, made, error));
  }
}

// Returns the index of the first position of a checked corpus: offsets[0], or 0 without offsets.
std::int64_t first_of(const chorale_corpus *corpus) noexcept {
  return corpus->offsets ? corpus->offsets[0] : 0;
}

// ---- Reasons ----------------------------------------------------------------------------------

using Reasons = Array<chorale_reason>;

// Collects the reasons of the run that come from cliques of agreements. Those that come from rules
// are in chorale_decoded_rule_reasons.
chorale_status collect(const Report &report, const chorale_decoded &decoded, Reasons &reasons,
                       chorale_error *error) {
  std::int64_t count = 0;
  const auto read = [&](std::int64_t capacity) noexcept {
    return chorale_run_reasons(decoded.run, CHORALE_ALL_CHAINS, reasons.begin(),
                               sizeof(chorale_reason), capacity, &count, error);
  };
  CHORALE_CHECK(read(0));
  if (!reasons.resize(count))
    return report.out_of_memory(sizeof(chorale_reason));
  CHORALE_CHECK(read(count));
  for (chorale_reason &reason : reasons)
    reason.agreement = agreement_of(decoded, reason.clique);
  const auto *end = std::remove_if(reasons.begin(), reasons.end(),
                                   [](const chorale_reason &r) { return r.agreement < 0; });
  reasons.truncate(end - reasons.begin());
  return CHORALE_OK;
}

// Body of the calls that write a list: collect(report, list) fills the list.
template <class Entry, class Collect>
chorale_status write_list(const chorale_decoded *decoded, Entry *to, std::size_t entry_size,
                          std::int64_t capacity, std::int64_t *needed, chorale_error *error,
                          std::string_view name, std::string_view size_name,
                          Collect &&collect) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "decoded", decoded));
    CHORALE_CHECK(check_element_size<Entry>(report, size_name, entry_size));
    Array<Entry> found(decoded->memory);
    CHORALE_CHECK(collect(report, found));
    return write_entries(report, name, to, entry_size, capacity, found.size(), needed,
                         [&](Entry *at) { std::copy(found.begin(), found.end(), at); });
  });
}

// Returns OK if a list could be filled, and the error for memory that ran out if not.
template <class Entry>
chorale_status listed(const Report &report, const Array<Entry> &, bool is_filled) noexcept {
  return is_filled ? chorale_status{CHORALE_OK} : report.out_of_memory(sizeof(Entry));
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_decode(const chorale_host *host, const chorale_corpus *corpus,
                              const chorale_agreement *agreements, int64_t count,
                              const chorale_run_options *given, chorale_decoded **decoded,
                              chorale_error *error) {
  const Clock::time_point start = Clock::now();
  return creating(error, host, "decoded", decoded, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_specification(report, corpus, agreements, count));
    Draft<chorale_decoded> made;
    CHORALE_CHECK(create_in(report, memory, made));
    chorale_run_options options{};
    CHORALE_CHECK(read_struct(report, "options", given, options));
    options.struct_size = sizeof options;
    const chorale_rules *rules = std::exchange(options.rules, nullptr); // a run takes none
    CHORALE_CHECK(build(report, host, corpus, agreements, count, rules, *made, error));
    CHORALE_CHECK(
        find_strengths(report, host, corpus, agreements, count, options, *made, error));
    CHORALE_CHECK(solve(host, options, start, {}, *made, error));
    if (made->rules.any())
      CHORALE_CHECK(
          keep_rules(report, host, corpus, agreements, count, options, start, *made, error));
    *decoded = made.release();
    return chorale_status{CHORALE_OK};
  });
}

void chorale_decoded_destroy(chorale_decoded *decoded) { destroy(decoded); }

chorale_status chorale_decoded_labels(const chorale_decoded *decoded, chorale_labelling labelling,
                                      int32_t *labels, int64_t capacity, int64_t *needed,
                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "decoded", decoded));
    return chorale_run_labels(decoded->run, CHORALE_ALL_CHAINS, labelling, labels, capacity, needed,
                              error);
  });
}

chorale_status chorale_decoded_get_result(const chorale_decoded *decoded,
                                          chorale_run_result *result, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "decoded", decoded));
    CHORALE_CHECK(chorale_run_get_result(decoded->run, result, error));
    if (!decoded->rules.any() || result->score == kForbidden)
      return CHORALE_OK;
    // own_score is of the model without rules, which the tagger's own labels may break. The bounds
    // of chains that are in no clique of an agreement come from the search for labels that keep the
    // rules, not from the run; their gaps are added.
    result->own_score = decoded->own_score;
    const auto &first = decoded->first_clique;
    const double gap = decoded->rules.gap();
    result->upper_bound = (first[first.size() - 1] == 0 ? result->score : result->upper_bound) + gap;
    result->gap = result->upper_bound - result->score;
    result->proven = closes_gap(result->score, magnitude_of(result->score), result->upper_bound);
    return CHORALE_OK;
  });
}

chorale_status chorale_decoded_reasons(const chorale_decoded *decoded, chorale_reason *reasons,
                                       size_t reason_size, int64_t capacity, int64_t *needed,
                                       chorale_error *error) {
  return write_list(decoded, reasons, reason_size, capacity, needed, error, "reasons",
                    "reason_size", [&](const Report &report, auto &to) {
                      return collect(report, *decoded, to, error);
                    });
}

chorale_status chorale_decoded_ruled_chains(const chorale_decoded *decoded,
                                            chorale_ruled_chain *ruled, size_t ruled_size,
                                            int64_t capacity, int64_t *needed,
                                            chorale_error *error) {
  return write_list(decoded, ruled, ruled_size, capacity, needed, error, "ruled", "ruled_size",
                    [&](const Report &report, auto &to) {
                      return listed(report, to, decoded->rules.list(to));
                    });
}

chorale_status chorale_decoded_rule_conflicts(const chorale_decoded *decoded,
                                              chorale_rule_conflict *conflicts,
                                              size_t conflict_size, int64_t capacity,
                                              int64_t *needed, chorale_error *error) {
  return write_list(decoded, conflicts, conflict_size, capacity, needed, error, "conflicts",
                    "conflict_size", [&](const Report &report, auto &to) {
                      return listed(report, to, decoded->rules.list(to));
                    });
}

chorale_status chorale_decoded_rule_reasons(const chorale_decoded *decoded,
                                            chorale_rule_reason *reasons, size_t reason_size,
                                            int64_t capacity, int64_t *needed,
                                            chorale_error *error) {
  return write_list(decoded, reasons, reason_size, capacity, needed, error, "reasons",
                    "reason_size", [&](const Report &report, auto &to) {
                      return listed(report, to, decoded->rules.explain(*decoded->model, to));
                    });
}

chorale_run *chorale_decoded_run(chorale_decoded *decoded) {
  return decoded ? decoded->run : nullptr;
}

const chorale_model *chorale_decoded_model(const chorale_decoded *decoded) {
  return decoded ? decoded->model : nullptr;
}

chorale_status chorale_problem_create_agreeing(const chorale_host *host,
                                               const chorale_corpus *corpus,
                                               const chorale_agreement *agreements, int64_t count,
                                               const int32_t *gold, chorale_problem **problem,
                                               chorale_error *error) {
  return creating(error, host, "problem", problem, [&](Report &report, const Memory &memory) {
    CHORALE_CHECK(check_specification(report, corpus, agreements, count));
    Draft<chorale_decoded> built;
    CHORALE_CHECK(create_in(report, memory, built));
    CHORALE_CHECK(build(report, host, corpus, agreements, count, nullptr, *built, error));
    StrengthSearch made;
    CHORALE_CHECK(create_problem(report, host, *built, nullptr, made.problem, error));
    if (gold)
      CHORALE_CHECK(chorale_problem_set_gold(made.problem, gold + first_of(corpus), error));
    *problem = std::exchange(made.problem, nullptr);
    return chorale_status{CHORALE_OK};
  });
}

double chorale_decoded_strength(const chorale_decoded *decoded, int64_t agreement) {
  return decoded && agreement >= 0 && agreement < decoded->strengths.size()
             ? decoded->strengths[agreement]
             : 0;
}

} // extern "C"
