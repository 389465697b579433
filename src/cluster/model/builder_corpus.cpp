// Checks and adds many chains, cliques or members at once: all of them, or on an error none.
#include "cluster/model/builder.hpp"

#include "chain/checks.hpp"

#include <gsl/gsl>

#include <algorithm>

using namespace chorale;

namespace {

// ---- Checks -------------------------------------------------------------------------------------

// Checks a corpus, except for what check_contents() checks, and stores it in `to`. Every chain's
// length fits 32 bits, since the number of all positions does.
chorale_status take_corpus(const Report &report, chorale_corpus corpus, Corpus &to) noexcept {
  CHORALE_CHECK(check_size(report, "corpus->chains", corpus.chains, 0));
  CHORALE_CHECK(check_size(report, "corpus->labels", corpus.labels));
  if (corpus.offsets)
    CHORALE_CHECK(check_offsets(report, corpus.offsets, corpus.chains, "corpus->offsets"));
  to.chains = corpus.chains;
  to.offsets = span_of(corpus.offsets, corpus.chains + 1);
  to.labels = gsl::narrow_cast<std::int32_t>(corpus.labels);
  to.single = corpus.element == CHORALE_FLOAT32;
  to.borrow = corpus.borrow != 0;
  const std::int64_t end = to.begin(to.chains);
  const std::int64_t positions = end - to.begin(0);
  if (positions > kLongest)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "corpus->offsets span ", positions,
                       " positions; they must be at most ", kLongest);
  if (corpus.element != CHORALE_FLOAT64 && corpus.element != CHORALE_FLOAT32)
    return report.unknown_constant("corpus->element", corpus.element,
                                   "CHORALE_FLOAT64 or CHORALE_FLOAT32");
  CHORALE_CHECK(check_array(report, corpus.unary, positions, "corpus->unary"));
  CHORALE_CHECK(take_strides(report, "corpus->unary", end, corpus.labels, corpus.unary_row_stride,
                             corpus.unary_column_stride));
  to.unary = corpus.unary;
  to.row = gsl::narrow_cast<std::ptrdiff_t>(corpus.unary_row_stride);
  to.column = gsl::narrow_cast<std::ptrdiff_t>(corpus.unary_column_stride);
  to.transitions = corpus.transitions;
  if (corpus.transitions && corpus.transitions->labels != corpus.labels)
    return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "corpus->labels is ", corpus.labels,
                       "; it must be that of the transitions, ", corpus.transitions->labels);
  CHORALE_CHECK(check_size(report, "corpus->uncounted_count", corpus.uncounted_count, 0));
  if (corpus.uncounted_count > 0 && !corpus.uncounted)
    return report.null_argument("corpus->uncounted");
  if (corpus.uncounted && corpus.uncounted_count == 0)
    return report.fail(CHORALE_ERROR_SIZE, "corpus->uncounted_count is 0; it must be at least 1, "
                                           "since corpus->uncounted is given");
  for (std::int64_t k = 0; k < corpus.uncounted_count; ++k)
    if (corpus.uncounted[k] < 0 || corpus.uncounted[k] >= corpus.labels)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "corpus->uncounted[", k, "] is ",
                         corpus.uncounted[k], "; it must be a label, from 0 to ",
                         corpus.labels - 1);
  to.tokens = span_of(corpus.tokens, end);
  to.edges = corpus.edges;
  to.forced = corpus.forced;
  to.allowed = corpus.allowed;
  to.groups = span_of(corpus.groups, corpus.chains);
  to.counts = span_of(corpus.counts, corpus.chains);
  for (const std::int64_t &count : to.counts)
    if (count < 1 || count > INT32_MAX)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "corpus->counts[", &count - corpus.counts,
                         "] is ", count, "; it must be from 1 to ", INT32_MAX);
  return CHORALE_OK;
}

// Checks all scores, forced labels and tokens. Views all positions as one chain, but skips the edge
// scores of the first position of each chain.
chorale_status check_contents(const Report &report, const Corpus &corpus) noexcept {
  const std::int64_t begin = corpus.begin(0);
  const std::int64_t end = corpus.begin(corpus.chains);
  const ChainView all = corpus.view(begin, static_cast<std::int32_t>(end - begin));
  CHORALE_CHECK(check_unary(report, "corpus->unary", all, begin));
  for (std::int64_t i = 0; corpus.edges && i < corpus.chains; ++i)
    for (std::int64_t p = corpus.begin(i) + 1; p < corpus.begin(i + 1); ++p)
      CHORALE_CHECK(check_edges(report, "corpus->edges", all, static_cast<std::int32_t>(p - begin), p));
  CHORALE_CHECK(check_forced(report, "corpus->forced", all, begin));
  return corpus.tokens.data()
             ? check_tokens(report, "corpus->tokens", corpus.tokens.subspan(to_size(begin)), begin)
             : CHORALE_OK;
}

// Multiplies the scores of chain i by its count. The products, doubles, are stored in `numbers`.
chorale_status multiply(const Report &report, std::int64_t i, std::int64_t count, ChainView &view,
                        Array<double> &numbers) noexcept {
  const std::int32_t T = view.length;
  const std::int32_t m = view.labels;
  const std::int32_t matrices =
      T < 2 || !view.has_edges() ? 0 : view.edges && view.edge_each ? T - 1 : 1;
  if (!numbers.resize((std::int64_t{T} + std::int64_t{matrices} * m + 2) * m))
    return report.out_of_memory();
  double *to = numbers.begin();
  // Appends a product for each label. score: of a label.
  const auto append = [&](auto &&score) {
    for (std::int32_t y = 0; y < m; ++y)
      *to++ = score(y) * static_cast<double>(count);
  };
  ChainView made = view;
  made.single = false;
  made.transitions = nullptr;
  made.unary = to;
  made.unary_row = m;
  made.unary_column = 1;
  for (std::int32_t t = 0; t < T; ++t)
    append([&](std::int32_t y) { return view.unary_at(t, y); });
  made.edges = matrices > 0 ? to : nullptr;
  made.edge_each = matrices > 1;
  for (std::int32_t t = 1; t <= matrices; ++t)
    for (std::int32_t x = 0; x < m; ++x)
      append([&](std::int32_t y) { return view.edge_at(t, x, y); });
  if (view.transitions && view.transitions->start) {
    made.start = to;
    append([&](std::int32_t y) { return view.start_at(y); });
  }
  if (view.transitions && view.transitions->end) {
    made.end = to;
    append([&](std::int32_t y) { return view.end_at(y); });
  }
  view = made;
  return std::all_of(numbers.begin(), to, is_score)
             ? CHORALE_OK
             : report.fail(CHORALE_ERROR_OUT_OF_RANGE, "corpus->counts[", i, "] is ", count,
                           "; times each score of its chain it must be at most ", kLargestScore);
}

// Returns the given weights of the members of clique given.first + c.
gsl::span<const std::int64_t> weights_of(const chorale_members &given, std::int64_t c) noexcept {
  return span_of(given.weights + given.offsets[c], given.offsets[c + 1] - given.offsets[c]);
}

} // namespace

// ---- Arguments of the caller --------------------------------------------------------------------

chorale_status Builder::add_corpus(const Report &report, const chorale_corpus &corpus) noexcept {
  Corpus read{};
  CHORALE_CHECK(take_corpus(report, corpus, read));
  CHORALE_CHECK(check_contents(report, read));
  CHORALE_CHECK(check_room(report, "chains", model->chains.size(), read.chains));
  CHORALE_CHECK(check_room(report, "positions", model->label_count,
                           read.begin(read.chains) - read.begin(0)));
  const std::int64_t before = model->chains.size();
  const ModelTotals totals_before = *model;
  if (!groups.reserve(before + read.chains) || !model->chains.reserve(before + read.chains))
    return report.out_of_memory();
  Array<double> products(memory);
  const auto push = [&](std::int64_t i) -> chorale_status {
    const std::int64_t begin = read.begin(i);
    const std::int32_t length = read.length(i);
    const std::int64_t count = read.counts.empty() ? 1 : read.counts.data()[i];
    ChainView view = read.view(begin, length);
    if (count > 1)
      CHORALE_CHECK(multiply(report, i, count, view, products));
    const auto tokens = read.tokens.data() ? read.tokens.subspan(to_size(begin), to_size(length))
                                           : read.tokens;
    return push_chain(view, tokens, read.borrow && count == 1,
                      read.groups.empty() ? 0 : read.groups.data()[i])
               ? CHORALE_OK
               : report.out_of_memory();
  };
  chorale_status status = CHORALE_OK;
  for (std::int64_t i = 0; i < read.chains && status == CHORALE_OK; ++i)
    status = push(i);
  if (status != CHORALE_OK) {
    model->chains.truncate(before);
    groups.truncate(before);
    static_cast<ModelTotals &>(*model) = totals_before;
  }
  return status;
}

chorale_status Builder::add_cliques(const Report &report, chorale_clique_setup setup,
                                    std::int64_t count) noexcept {
  CHORALE_CHECK(take_setup(report, setup));
  CHORALE_CHECK(check_size(report, "count", count, 0));
  CHORALE_CHECK(check_room(report, "cliques", model->cliques.size(), count));
  return push_cliques(setup, count) ? CHORALE_OK : report.out_of_memory();
}

// ---- Members ------------------------------------------------------------------------------------

chorale_status Builder::check_members(const Report &report,
                                      const chorale_members &given) const noexcept {
  CHORALE_CHECK(check_size(report, "members->cliques", given.cliques, 0));
  if (given.cliques == 0)
    return CHORALE_OK;
  CHORALE_CHECK(check_index(report, "members->first", given.first, model->cliques.size()));
  if (given.cliques > model->cliques.size() - given.first)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "members->cliques is ", given.cliques,
                       "; it must be at most the number of cliques from members->first on, ",
                       model->cliques.size() - given.first);
  CHORALE_CHECK(check_given(report, "members->offsets", given.offsets));
  CHORALE_CHECK(check_offsets(report, given.offsets, given.cliques, "members->offsets"));
  const std::int64_t entries = given.offsets[given.cliques] - given.offsets[0];
  CHORALE_CHECK(check_array(report, given.chains, entries, "members->chains"));
  CHORALE_CHECK(check_room(report, "members and cliques", slots.size() + model->cliques.size(),
                           entries));
  for (std::int64_t c = 0; given.weights && c < given.cliques; ++c) {
    const std::int64_t clique = given.first + c;
    bool has = false;
    const auto of = weights_of(given, c);
    CHORALE_CHECK(check_weights_of(report, "members->weights", clique, of, given.offsets[c], has));
    if (has && model->cliques[clique].members > 0)
      return report.fail(CHORALE_ERROR_STATE, "clique ", clique, " has ",
                         model->cliques[clique].members,
                         " members already; with weights, all must be added in one call");
  }
  return CHORALE_OK;
}

chorale_status Builder::add_entry(const Report &report, const chorale_members &given,
                                  std::int64_t clique, std::int64_t entry) noexcept {
  const std::int64_t chain = given.chains[entry];
  CHORALE_CHECK(check_index(report, "chain", chain, model->chains.size()));
  const bool whole = given.positions
                         ? given.positions[entry] == -1
                         : model->cliques[clique].property() || model->chains[chain].is_instance;
  if (!whole)
    return add_position(report, clique, chain, given.positions ? given.positions[entry] : 0);
  return add_member(report, clique, chain, given.classes ? given.classes[entry] : nullptr,
                    given.tables ? given.tables[entry] : nullptr, given.borrow != 0);
}

chorale_status Builder::add_members(const Report &report, const chorale_members &given) noexcept {
  CHORALE_CHECK(check_members(report, given));
  if (given.cliques == 0)
    return CHORALE_OK;
  const std::int64_t slots_before = slots.size();
  const std::int64_t wholes_before = model->wholes.size();
  // The errors of one entry are reported to `inner`. The message to the caller begins with the name of
  // the entry, such as members->chains[3].
  chorale_error error;
  const Report inner(&error);
  const auto undo = [&](chorale_status status, std::string_view name, std::int64_t entry) {
    take_back(slots_before, wholes_before);
    return report.fail(status, name, "[", entry, "]: ", std::string_view(error.message));
  };
  for (std::int64_t c = 0; c < given.cliques; ++c)
    for (std::int64_t e = given.offsets[c]; e < given.offsets[c + 1]; ++e)
      if (const auto status = add_entry(inner, given, given.first + c, e); status != CHORALE_OK)
        return undo(status, "members->chains", e);
  const auto centre_position = [&](std::int64_t c) {
    return given.centre_positions ? given.centre_positions[c] : 0;
  };
  const std::int64_t centred = given.centre_chains ? given.cliques : 0;
  for (std::int64_t c = 0; c < centred; ++c)
    if (const auto status =
            check_centre(inner, given.first + c, given.centre_chains[c], centre_position(c));
        status != CHORALE_OK)
      return undo(status, "members->centre_chains", c);
  for (std::int64_t c = 0; c < centred; ++c)
    centres[given.first + c] = {gsl::narrow_cast<std::int32_t>(given.centre_chains[c]),
                                gsl::narrow_cast<std::int32_t>(centre_position(c))};
  for (std::int64_t c = 0; given.weights && c < given.cliques; ++c)
    if (const auto of = weights_of(given, c);
        std::any_of(of.begin(), of.end(), [](std::int64_t weight) { return weight > 1; }))
      store_weights(given.first + c, slots_before + given.offsets[c] - given.offsets[0], of);
  return CHORALE_OK;
}
