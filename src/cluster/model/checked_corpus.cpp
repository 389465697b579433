#include "chain/checks.hpp"
#include "cluster/model/checked_builder.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// A corpus as the builder takes it. Every chain's length fits 32 bits, since all positions do.
chorale_status take_corpus(const Report &report, chorale_corpus corpus, Corpus &to) noexcept {
  CHORALE_CHECK(check_size(report, "corpus->chains", corpus.chains, 0));
  CHORALE_CHECK(check_size(report, "corpus->labels", corpus.labels));
  if (corpus.offsets)
    CHORALE_CHECK(check_offsets(report, corpus.offsets, corpus.chains, "corpus->offsets"));
  to.chains = corpus.chains;
  to.offsets = corpus.offsets;
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
  if (!corpus.unary && positions > 0)
    return report.null_argument("corpus->unary");
  CHORALE_CHECK(take_strides(report, "corpus->unary", end, corpus.labels, corpus.unary_row_stride,
                             corpus.unary_column_stride));
  to.unary = corpus.unary;
  to.row = gsl::narrow_cast<std::ptrdiff_t>(corpus.unary_row_stride);
  to.column = gsl::narrow_cast<std::ptrdiff_t>(corpus.unary_column_stride);
  to.transitions = corpus.transitions;
  if (corpus.transitions && corpus.transitions->labels != corpus.labels)
    return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "corpus->labels is ", corpus.labels,
                       "; it must be that of the transitions, ", corpus.transitions->labels);
  to.tokens = corpus.tokens;
  to.groups = corpus.groups;
  return CHORALE_OK;
}

// Checks every score and token. All positions together are looked at as one chain.
chorale_status check_contents(const Report &report, const Corpus &corpus) noexcept {
  ChainView rows;
  rows.labels = corpus.labels;
  rows.single = corpus.single;
  rows.unary_row = corpus.row;
  rows.unary_column = corpus.column;
  const std::int64_t begin = corpus.begin(0);
  rows.length = gsl::narrow_cast<std::int32_t>(corpus.begin(corpus.chains) - begin);
  rows.unary = static_cast<const std::byte *>(corpus.unary) +
               begin * corpus.row *
                   static_cast<std::ptrdiff_t>(corpus.single ? sizeof(float) : sizeof(double));
  CHORALE_CHECK(check_unary(report, "corpus->unary", rows, begin));
  for (std::int64_t p = begin; corpus.tokens && p < begin + rows.length; ++p)
    if (corpus.tokens[p] < -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "corpus->tokens[", p, "] is ",
                         corpus.tokens[p], "; it must be a token id, or -1 for none");
  return CHORALE_OK;
}

// An entry of `name` that is an index into `count` things.
chorale_status check_entry(const Report &report, std::string_view name, std::int64_t entry,
                           std::int64_t index, std::int64_t count) noexcept {
  if (index >= 0 && index < count) // before the name is put together
    return CHORALE_OK;
  char place[64];
  MessageWriter(place, sizeof place) << name << "[" << entry << "]";
  return check_index(report, place, index, count);
}

} // namespace

chorale_status CheckedBuilder::add_corpus(const chorale_corpus &corpus) const noexcept {
  Corpus taken{};
  CHORALE_CHECK(take_corpus(report_, corpus, taken));
  CHORALE_CHECK(check_contents(report_, taken));
  CHORALE_CHECK(check_room("chains", model().chains.size(), taken.chains));
  CHORALE_CHECK(check_room("positions", model().label_count,
                           taken.begin(taken.chains) - taken.begin(0)));
  return builder_->add_corpus(taken) ? CHORALE_OK : out_of_memory();
}

chorale_status CheckedBuilder::add_cliques(chorale_clique_setup setup,
                                           std::int64_t count) const noexcept {
  CHORALE_CHECK(take_setup(setup));
  CHORALE_CHECK(check_size(report_, "count", count, 0));
  CHORALE_CHECK(check_room("cliques", model().cliques.size(), count));
  return builder_->add_cliques(setup, count) ? CHORALE_OK : out_of_memory();
}

chorale_status CheckedBuilder::check_parts(const RaggedMembers &of) const noexcept {
  CHORALE_CHECK(check_size(report_, "count", of.count, 0));
  if (of.count == 0)
    return CHORALE_OK;
  CHORALE_CHECK(check_index(report_, "first", of.first, model().cliques.size()));
  if (of.count > model().cliques.size() - of.first)
    return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "count is ", of.count,
                        "; it must be at most the number of cliques from first on, ",
                        model().cliques.size() - of.first);
  if (!of.offsets)
    return report_.null_argument("offsets");
  CHORALE_CHECK(check_offsets(report_, of.offsets, of.count, "offsets"));
  if (!of.chains && of.offsets[of.count] > of.offsets[0])
    return report_.null_argument("chains");
  return check_room("members", builder_->slots.size() + model().cliques.size(),
                    of.offsets[of.count] - of.offsets[0]);
}

// Adds every entry, or none: add(one, clique, entry) checks an entry and has the builder `one` add
// it, whose messages then get the name of the entry.
template <class Add>
chorale_status CheckedBuilder::add_entries(const RaggedMembers &of, Add &&add) const noexcept {
  CHORALE_CHECK(check_parts(of));
  if (of.count == 0)
    return CHORALE_OK;
  MembersBefore before(*builder_, of.first, of.count);
  if (!before)
    return out_of_memory();
  chorale_error error;
  const Report inner(&error);
  const CheckedBuilder one(inner, builder_);
  for (std::int64_t c = 0; c < of.count; ++c)
    for (std::int64_t e = of.offsets[c]; e < of.offsets[c + 1]; ++e) {
      chorale_status status =
          check_entry(report_, "chains", e, of.chains[e], model().chains.size());
      if (status == CHORALE_OK)
        status = add(one, of.first + c, e);
      if (status == CHORALE_OK)
        continue;
      before.restore();
      return error.status == CHORALE_OK
                 ? status
                 : report_.fail(status, "chains[", e, "]: ", std::string_view(error.message));
    }
  return CHORALE_OK;
}

chorale_status CheckedBuilder::add_positions(const RaggedMembers &of,
                                             const std::int64_t *positions) const noexcept {
  return add_entries(of, [&](const CheckedBuilder &one, std::int64_t clique,
                             std::int64_t e) noexcept -> chorale_status {
    const std::int64_t position = positions ? positions[e] : 0;
    const Chain &chain = model().chains[of.chains[e]];
    if (!chain.is_instance)
      CHORALE_CHECK(check_entry(report_, "positions", e, position, chain.length));
    return one.add_position(clique, of.chains[e], position);
  });
}

chorale_status CheckedBuilder::add_members(const RaggedMembers &of) const noexcept {
  return add_entries(of, [&](const CheckedBuilder &one, std::int64_t clique,
                             std::int64_t e) noexcept {
    return one.add_member(clique, of.chains[e], chorale_member_options{});
  });
}

} // namespace chorale
