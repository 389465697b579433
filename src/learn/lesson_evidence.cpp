// Evidence from the gold labels before anything is learnt: whether the scores say anything about
// the gold labels, and the residuals of members of cliques. lessons.hpp explains the words used
// here.
#include "learn/lessons.hpp"

#include <algorithm>

#include "base/logarithm.hpp"

namespace chorale {
namespace {

// Greatest number of residuals, over all members and values (residuals.hpp). If there would be
// more, only every `step`-th clique of each kind is used (find_residuals()).
constexpr std::int64_t kMostResiduals = 1 << 19;

// Greatest number of values for which members of property cliques have residuals: the values that
// gold labels show most often.
constexpr std::int32_t kMostShown = 64;

// Returns true for a kind of position cliques that all have the same number of values, as many as
// their centre if they have one.
bool has_residuals(const Kind &kind) noexcept {
  return !kind.is_property && kind.values > 0 &&
         (!kind.is_centred || kind.values == kind.centre_values);
}

// Returns true for a kind of property cliques without a centre.
bool has_property_residuals(const Kind &kind) noexcept {
  return kind.is_property && !kind.is_centred;
}

// Returns the value of the property that a labelling shows, as the property numbers it, even if the
// clique's dictionary does not have this value. Returns -1 for EMPTY and CONFLICT.
std::int32_t single_value(Attached attached, gsl::span<const std::int32_t> labels,
                          gsl::span<const std::int32_t> parents) noexcept {
  std::int32_t shown = -1;
  bool is_single = true;
  attached.each_firing(labels, parents, [&](std::int32_t value) {
    is_single = is_single && (shown < 0 || shown == value);
    shown = value;
  });
  return is_single ? shown : -1;
}

} // namespace

chorale_status Lessons::compare_with_dealt(const Report &report,
                                           gsl::span<double> surplus) noexcept {
  Array<double> marginals(memory_);
  Array<double> shares(memory_); // by label: its share of the gold labels of a problem
  std::fill(surplus.begin(), surplus.end(), 0.0);
  for (const Lesson *lesson : lessons_) {
    const std::int32_t *gold = gold_.begin() + lesson->first_position;
    const std::int32_t *end = gold + lesson->positions;
    const std::int32_t greatest = gold == end ? -1 : *std::max_element(gold, end);
    if (!shares.resize(1 + std::max(0, greatest)))
      return report.out_of_memory(to_size(shares.size()) * sizeof(double));
    std::fill(shares.begin(), shares.end(), 0.0);
    const double share = 1 / static_cast<double>(std::max<std::int64_t>(
                                 1, lesson->positions - std::count(gold, end, -1)));
    for (const std::int32_t *at = gold; at != end; ++at)
      if (*at >= 0)
        shares[*at] += share;
    for (std::int64_t i = 0; i < lesson->model->chains.size(); ++i) {
      const Chain &chain = lesson->model->chains[i];
      if (!spend_on(chain.view()) || !spend(32 * std::int64_t{chain.length} * chain.labels))
        return CHORALE_OK;
      CHORALE_CHECK(max_marginals(report, *lesson, i, marginals));
      const std::int32_t m = chain.labels;
      const auto shown = std::min<std::int64_t>(m, shares.size());
      for (std::int32_t t = 0; t < chain.length; ++t) {
        const std::int32_t right = gold_[chain_start(*lesson, i) + t];
        if (right < 0)
          continue;
        const double *scores = marginals.begin() + std::int64_t{t} * m;
        const double best = *std::max_element(scores, scores + m);
        double total = 0;
        double dealt = 0;
        for (std::int32_t y = 0; y < m; ++y) {
          const double weight = natural_exp((scores[y] - best) / unit_);
          total += weight;
          dealt += y < shown ? shares[y] * weight : 0;
        }
        surplus.data()[group_of(*lesson, i)] +=
            (natural_exp((scores[right] - best) / unit_) - dealt) / total;
      }
    }
  }
  return CHORALE_OK;
}

chorale_status Lessons::find_residuals(const Report &report, gsl::span<const std::uint8_t> wanted,
                                       Residuals &found) noexcept {
  std::int64_t numbers = 0;
  for (std::int64_t k = 0; k < learnt_->kinds.size(); ++k) {
    const Kind &kind = learnt_->kinds[k];
    if (wanted.data()[k] == 0)
      continue;
    if (has_property_residuals(kind))
      numbers += kind.members * kMostShown;
    if (!has_residuals(kind))
      continue;
    numbers += kind.members * kind.values;
    if (kind.is_centred) // each clique adds to a matrix (Residuals::likeness())
      numbers += kind.cliques * kind.values * kind.values;
  }
  const std::int64_t step = 1 + numbers / kMostResiduals;
  for (const Lesson *lesson : lessons_) {
    CHORALE_CHECK(fill_residuals(report, *lesson, wanted, step, found));
    CHORALE_CHECK(fill_property_residuals(report, *lesson, wanted, step, found));
    if (interrupted())
      return CHORALE_OK;
  }
  found.settle();
  return found.find_degrees() ? chorale_status{CHORALE_OK}
                              : report.out_of_memory(sizeof(std::int64_t));
}

// Adds every `step`-th position clique of each wanted kind to `found`, with the values shown by
// gold labels and the tagger's probabilities. Residuals::settle() turns these into residuals later.
// A position has one row in a pool, unless its labels show different values in different cliques.
// Members without a gold label are left out, and so are cliques whose centre has none.
chorale_status Lessons::fill_residuals(const Report &report, const Lesson &lesson,
                                       gsl::span<const std::uint8_t> wanted, std::int64_t step,
                                       Residuals &found) noexcept {
  struct Pooled {
    std::int32_t kind;
    std::int64_t group;
    std::int64_t clique;
    auto operator<=>(const Pooled &) const = default;
  };
  // The member of a clique for which a row was added.
  struct Member {
    Slot slot;
    std::int64_t clique;
    std::int32_t number;
    std::int64_t row;
  };
  const Model &model = *lesson.model;
  Array<Pooled> cliques(memory_);
  Array<Member> members(memory_);      // by row
  Array<std::int64_t> latest(memory_); // by position: index in `members` of its last row; -1: none
  Array<std::int64_t> rows(memory_);   // by member of a clique: its row
  Array<double> marginals(memory_);
  Array<std::int64_t> passed(memory_); // by kind: number of cliques met so far
  if (!passed.resize(learnt_->kinds.size()) || !latest.resize(lesson.positions))
    return report.out_of_memory(to_size(lesson.positions) * sizeof(std::int64_t));
  std::fill(passed.begin(), passed.end(), 0);
  std::fill(latest.begin(), latest.end(), -1);
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
    if (kind >= 0 && wanted.data()[kind] != 0 && has_residuals(learnt_->kinds[kind]) &&
        passed[kind]++ % step == 0 && model.cliques[c].members > 0 &&
        !cliques.push({kind, group_of(lesson, model.chain_of(model.cliques[c], 0)), c}))
      return report.out_of_memory(sizeof(Pooled));
  }
  std::sort(cliques.begin(), cliques.end());
  std::int64_t first_of_pool = 0; // index in `members`
  for (std::int64_t k = 0; k < cliques.size(); ++k) {
    const auto &[kind, group, c] = cliques[k];
    const Kind &of = learnt_->kinds[kind];
    const Clique clique = model.cliques[c];
    if (k == 0 || cliques[k - 1].kind != kind || cliques[k - 1].group != group) {
      using Type = Residuals::PoolType;
      first_of_pool = members.size();
      if (!found.begin_pool(kind, of.values, of.is_centred ? Type::centred : Type::cliques))
        return report.out_of_memory(sizeof(Pooled));
    }
    const auto shows = [&](const Member &member, std::int32_t label) {
      return model.cliques[member.clique].column_of(member.number, label);
    };
    rows.truncate(0);
    bool is_known = true; // the member met last has a gold label
    for (std::int32_t i = 0; i < clique.all_members(); ++i) {
      const Slot slot = model.member(static_cast<std::int32_t>(c), i);
      const std::int64_t position = chain_start(lesson, slot.chain) + slot.position;
      is_known = gold_[position] >= 0;
      if (!is_known)
        continue;
      Member member{slot, c, i, 0};
      std::int64_t &last = latest[position - lesson.first_position];
      bool has_row = last >= first_of_pool;
      for (std::int32_t y = 0; has_row && y < model.chains[slot.chain].labels; ++y)
        has_row = shows(members[last], y) == shows(member, y);
      if (!has_row) {
        last = members.size();
        if (!found.add_row(member.row) || !members.push(member))
          return report.out_of_memory(to_size(of.values) * sizeof(double));
      }
      if (!rows.push(members[last].row))
        return report.out_of_memory(sizeof(std::int64_t));
    }
    if (of.is_centred && !is_known)
      rows.truncate(0);
    if (!found.add_clique(rows))
      return report.out_of_memory(to_size(rows.size()) * sizeof(std::int64_t));
  }
  std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
    return a.slot.chain != b.slot.chain ? a.slot.chain < b.slot.chain : a.row < b.row;
  });
  for (std::int64_t k = 0; k < members.size(); ++k) {
    const Member &member = members[k];
    const std::int32_t chain = member.slot.chain;
    if (k == 0 || members[k - 1].slot.chain != chain)
      CHORALE_CHECK(max_marginals(report, lesson, chain, marginals));
    const std::int32_t m = model.chains[chain].labels;
    const double *scores = marginals.begin() + std::int64_t{member.slot.position} * m;
    const double best = *std::max_element(scores, scores + m);
    double total = 0;
    for (std::int32_t y = 0; y < m; ++y)
      total += natural_exp((scores[y] - best) / unit_);
    const Clique clique = model.cliques[member.clique];
    const Kind &kind = learnt_->kinds[chorale_problem_clique_kind(lesson.problem, member.clique)];
    const std::int32_t gold = gold_[chain_start(lesson, chain) + member.slot.position];
    for (std::int32_t y = 0; y < m; ++y) {
      const std::int32_t v = clique.column_of(member.number, y);
      if (v < 0 || v >= kind.values || is_left_out(kind, v))
        continue;
      found.shown(member.row)[v] += y == gold ? 1 : 0;
      found.probable(member.row)[v] += natural_exp((scores[y] - best) / unit_) / total;
    }
  }
  return CHORALE_OK;
}

// Adds every `step`-th property clique of each wanted kind to `found`, as fill_residuals() does for
// position cliques. In the place of the probability of a value stands 1 if the tagger's labels show
// the value, else 0.
chorale_status Lessons::fill_property_residuals(const Report &report, const Lesson &lesson,
                                                gsl::span<const std::uint8_t> wanted,
                                                std::int64_t step, Residuals &found) noexcept {
  struct Member {
    std::int32_t kind;
    std::int64_t number;
    std::int64_t clique;
    std::int32_t gold;
    std::int32_t base;
  };
  struct Value {
    std::int64_t count;
    std::int32_t value;
  };
  const Model &model = *lesson.model;
  Array<Member> members(memory_);
  Array<std::int32_t> shown(memory_);  // values of the members of a kind under gold labels, sorted
  Array<Value> values(memory_);        // values that two members or more show, by frequency
  Array<std::int64_t> rows(memory_);   // by member of a clique: its row
  Array<std::int64_t> passed(memory_); // by kind: number of cliques met so far
  if (!passed.resize(learnt_->kinds.size()))
    return report.out_of_memory(sizeof(std::int64_t));
  std::fill(passed.begin(), passed.end(), 0);
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
    if (kind < 0 || wanted.data()[kind] == 0 || !has_property_residuals(learnt_->kinds[kind]) ||
        passed[kind]++ % step != 0)
      continue;
    for (std::int32_t i = 0; i < model.cliques[c].members; ++i) {
      const Slot slot = model.member(static_cast<std::int32_t>(c), i);
      const std::int64_t start = chain_start(lesson, slot.chain);
      const ChainView view = model.chains[slot.chain].view();
      const std::int32_t *gold = gold_.begin() + start;
      if (slot.position >= 0 || std::find(gold, gold + view.length, -1) != gold + view.length)
        continue;
      if (!spend(64 + 16 * std::int64_t{view.length}))
        return CHORALE_OK;
      const Attached attached = model.attached(slot);
      const std::size_t length = to_size(view.length);
      const auto parents = view.all_parents();
      if (!members.push({kind, members.size(), c, single_value(attached, {gold, length}, parents),
                         single_value(attached, {base_.begin() + start, length}, parents)}))
        return report.out_of_memory(sizeof(Member));
    }
  }
  std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
    return a.kind != b.kind ? a.kind < b.kind : a.number < b.number;
  });
  for (const Member *first = members.begin(); first != members.end();) {
    const Member *last = std::find_if(first, static_cast<const Member *>(members.end()),
                                      [&](const Member &m) { return m.kind != first->kind; });
    shown.truncate(0);
    values.truncate(0);
    for (const Member *m = first; m != last; ++m)
      if (m->gold >= 0 && !shown.push(m->gold))
        return report.out_of_memory(sizeof(std::int32_t));
    std::sort(shown.begin(), shown.end());
    for (const std::int32_t *v = shown.begin(); v != shown.end();) {
      const auto *end = std::upper_bound(v, static_cast<const std::int32_t *>(shown.end()), *v);
      // A value that only one member shows is left out: no other member can agree on it.
      if (end - v > 1 && !values.push({end - v, *v}))
        return report.out_of_memory(sizeof(Value));
      v = end;
    }
    std::sort(values.begin(), values.end(), [](const Value &a, const Value &b) {
      return a.count != b.count ? a.count > b.count : a.value < b.value;
    });
    const auto width = static_cast<std::int32_t>(std::min<std::int64_t>(values.size(), kMostShown));
    if (width > 0 && !found.begin_pool(first->kind, width, Residuals::PoolType::apart))
      return report.out_of_memory(sizeof(Member));
    while (width > 0 && first != last) {
      const Member *end =
          std::find_if(first, last, [&](const Member &m) { return m.clique != first->clique; });
      rows.truncate(0);
      for (; first != end; ++first) {
        std::int64_t row = 0;
        if (!found.add_row(row) || !rows.push(row))
          return report.out_of_memory(to_size(width) * sizeof(double));
        for (std::int32_t v = 0; v < width; ++v) {
          found.shown(row)[v] = first->gold == values[v].value ? 1 : 0;
          found.probable(row)[v] = first->base == values[v].value ? 1 : 0;
        }
      }
      if (!found.add_clique(rows))
        return report.out_of_memory(to_size(rows.size()) * sizeof(std::int64_t));
    }
    first = last;
  }
  return CHORALE_OK;
}

} // namespace chorale
