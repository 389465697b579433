#include "cluster/run/labelling.hpp"

#include "cluster/run/evaluation.hpp"
#include "potential/checks.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Memory for scoring: the labelling, and the counts of one clique, with room for the most columns
// that a clique has.
struct Scratch {
  Scratch(Layout &layout, const Model &model) noexcept
      : of(layout, model), counts(layout.take_span<std::int64_t>(model.most_columns)) {}
  Assignment of;
  gsl::span<std::int64_t> counts;
};

} // namespace

chorale_status take_labels(const Report &report, const Model &model, const std::int32_t *labels,
                           std::int64_t count,
                           gsl::span<const std::int32_t> &to) noexcept {
  if (count != model.label_count)
    return report.fail(CHORALE_ERROR_SHAPE, "count is ", count,
                       "; it must be the number of positions of all chains, ", model.label_count);
  CHORALE_CHECK(check_array(report, labels, count, "labels"));
  std::int64_t p = 0;
  for (std::int64_t i = 0; i < model.chains.size(); ++i) {
    const Chain &chain = model.chains[i];
    const std::int64_t end = p + chain.length;
    for (; p < end; ++p)
      if (!chain.is_instance && (labels[p] < -1 || labels[p] >= chain.labels))
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "labels[", p, "] is ", labels[p],
                           "; it must be from 0 to ", chain.labels - 1, ", the labels of chain ", i,
                           ", or -1 to leave the chain out");
  }
  to = span_of(labels, count);
  return CHORALE_OK;
}

chorale_status score_labels(const Report &report, const Memory &memory, const Model &model,
                            gsl::span<const std::int32_t> labels,
                            const ScoresOfLabelling &to) noexcept {
  for (std::int64_t i = 0; i < model.chains.size(); ++i)
    if (model.chains[i].is_instance)
      return report.fail(CHORALE_ERROR_KIND, "chain ", i,
                         " is an instance, which scores the labellings that it decodes alone");
  Layout measure;
  const Scratch measured(measure, model);
  const Block block(memory, measure.bytes());
  if (!block)
    return report.out_of_memory(measure.bytes());
  Layout layout(block.data());
  Scratch scratch(layout, model);
  scratch.of.is_partial = std::count(labels.data(), labels.data() + labels.size(), -1) > 0;

  BlockedSum chains;
  for (std::int32_t i = 0; i < model.chains.size(); ++i) {
    const std::size_t length = to_size(model.chains[i].length);
    const gsl::span<const std::int32_t> given = labels.first(length);
    labels = labels.subspan(length);
    if (std::count(given.data(), given.data() + length, -1) > 0) {
      scratch.of.leave_out(i);
    } else {
      scratch.of.judge(i, model.chains[i].view(), given);
      chains.add(scratch.of.phi(i));
    }
    if (!to.chains.empty())
      to.chains.data()[i] = scratch.of.phi(i);
  }
  BlockedSum cliques;
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    CallbackFailure failed = CallbackFailure::none;
    Clique clique = model.cliques[c];
    if (scratch.of.is_partial)
      clique.absent = absent_weight(model, clique, scratch.of);
    const double score = score_of_clique(clique, 1, scratch.of, scratch.counts, &failed);
    CHORALE_CHECK(callback_status(report, failed, c));
    cliques.add(score);
    if (!to.cliques.empty())
      to.cliques.data()[c] = score;
  }
  if (to.total)
    *to.total = chains.sum().total + cliques.sum().total;
  return CHORALE_OK;
}

} // namespace chorale
