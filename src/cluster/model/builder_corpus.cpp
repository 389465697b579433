// Many chains, cliques and members at once.
#include "cluster/model/builder.hpp"

#include <algorithm>

using namespace chorale;

namespace {

std::size_t score_bytes(const Corpus &corpus) noexcept {
  return corpus.single ? sizeof(float) : sizeof(double);
}

// Bytes of a copied chain: its scores without gaps, and its tokens right behind. A multiple of 8,
// so that the next chain is aligned.
std::size_t copied_bytes(const Corpus &corpus, std::int64_t chain) noexcept {
  const std::size_t position = static_cast<std::size_t>(corpus.labels) * score_bytes(corpus) +
                               (corpus.tokens ? sizeof(std::int32_t) : 0);
  return (static_cast<std::size_t>(corpus.length(chain)) * position + 7) / 8 * 8;
}

template <class Number>
void copy_rows(const Corpus &corpus, std::int64_t begin, std::int64_t rows, void *to) noexcept {
  const std::int64_t m = corpus.labels;
  const Number *from = static_cast<const Number *>(corpus.unary) + begin * corpus.row;
  auto *out = static_cast<Number *>(to);
  if (corpus.column == 1 && corpus.row == m) {
    std::copy_n(from, rows * m, out);
    return;
  }
  for (std::int64_t t = 0; t < rows; ++t, from += corpus.row)
    for (std::int64_t y = 0; y < m; ++y)
      *out++ = from[y * corpus.column];
}

// Copies a chain to `to`; returns where its tokens are.
std::int32_t *copy_chain(const Corpus &corpus, std::int64_t chain, std::byte *to) noexcept {
  const std::int64_t begin = corpus.begin(chain);
  const std::int64_t rows = corpus.length(chain);
  if (corpus.single)
    copy_rows<float>(corpus, begin, rows, to);
  else
    copy_rows<double>(corpus, begin, rows, to);
  if (!corpus.tokens)
    return nullptr;
  auto *tokens = reinterpret_cast<std::int32_t *>(
      to + static_cast<std::size_t>(rows * corpus.labels) * score_bytes(corpus));
  std::copy_n(corpus.tokens + begin, rows, tokens);
  return tokens;
}

} // namespace

bool chorale_model_builder::add_corpus(const Corpus &corpus) noexcept {
  const std::int64_t before = model->chains.size();
  const auto sites_before = static_cast<std::int32_t>(model->chains.sites());
  const std::int64_t after = before + corpus.chains;
  const std::int64_t positions = corpus.begin(corpus.chains) - corpus.begin(0);
  if (!groups.reserve(after) || !last_slot.reserve(after) || !model->chains.reserve(after) ||
      !model->transitions.reserve(model->transitions.size() + 1))
    return false;
  std::byte *copy = nullptr;
  if (!corpus.borrow) {
    std::size_t bytes = 0;
    for (std::int64_t i = 0; i < corpus.chains; ++i)
      bytes = saturating_sum(bytes, copied_bytes(corpus, i));
    copy = static_cast<std::byte *>(model->arena.take(bytes));
    if (!copy)
      return false;
  }
  const bool has_gaps = corpus.column != 1 || corpus.row != corpus.labels;
  for (std::int64_t i = 0; i < corpus.chains; ++i) {
    Chain chain{};
    chain.transitions = corpus.transitions;
    chain.length = corpus.length(i);
    chain.labels = corpus.labels;
    chain.single = corpus.single;
    if (corpus.borrow) {
      const std::int64_t begin = corpus.begin(i);
      chain.unary = static_cast<const std::byte *>(corpus.unary) +
                    begin * corpus.row * static_cast<std::ptrdiff_t>(score_bytes(corpus));
      chain.tokens = corpus.tokens ? corpus.tokens + begin : nullptr;
      if (has_gaps) {
        ChainView view = chain.view();
        view.unary_row = corpus.row;
        view.unary_column = corpus.column;
        chain.other = model->arena.copy(&view, 1);
      }
    } else {
      chain.unary = copy;
      chain.tokens = copy_chain(corpus, i, copy);
      copy += copied_bytes(corpus, i);
    }
    if ((corpus.borrow && has_gaps && !chain.other) || !model->chains.push(chain)) {
      model->chains.truncate(before, sites_before);
      return false;
    }
  }
  if (corpus.chains > 0)
    note_transitions(corpus.transitions);
  note_scores(positions * corpus.labels, score_bytes(corpus), corpus.borrow);
  model->label_count += positions;
  if (corpus.chains > 0)
    model->most_labels = std::max(model->most_labels, corpus.labels);
  for (std::int64_t i = 0; i < corpus.chains; ++i) {
    groups.push(corpus.groups ? corpus.groups[i] : 0);
    last_slot.push(-1);
  }
  return true;
}

bool chorale_model_builder::add_cliques(const chorale_clique_setup &setup,
                                        std::int64_t count) noexcept {
  const std::int64_t before = model->cliques.size();
  const std::int64_t after = before + count;
  if (count == 0)
    return true;
  if (!centres.reserve(after) || !latest.reserve(after) || !members.reserve(after) ||
      !add_clique(setup))
    return false;
  CliqueType *type = &model->cliques.type(before);
  while (model->cliques.size() < after)
    if (!push_clique(type)) {
      drop_cliques(before);
      return false;
    }
  return true;
}

MembersBefore::MembersBefore(Builder &builder, std::int64_t first, std::int64_t count) noexcept
    : builder_(builder), first_(first), slots_(builder.slots.size()),
      wholes_(builder.model->wholes.size()), latest_(builder.memory), members_(builder.memory),
      has_memory_(latest_.resize(count) && members_.resize(count)) {
  if (!has_memory_)
    return;
  std::copy_n(builder.latest.begin() + first, count, latest_.begin());
  std::copy_n(builder.members.begin() + first, count, members_.begin());
}

void MembersBefore::restore() noexcept {
  builder_.take_back(slots_, wholes_);
  std::copy(latest_.begin(), latest_.end(), builder_.latest.begin() + first_);
  std::copy(members_.begin(), members_.end(), builder_.members.begin() + first_);
}
