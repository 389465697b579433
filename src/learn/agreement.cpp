// The permutation test of agreement: do members of one clique agree beyond the tagger's labels?
// README.md tells how, and why so (step 2).
#include "learn/lessons.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace chorale {
namespace {

constexpr std::int32_t kMostShown = 64; // values are counted modulo this number
constexpr std::int64_t kManyMembers = 1 << 19; // if there are more, cliques are left out at random
constexpr std::int64_t kExchanges = 999;
constexpr std::int64_t kEnough = 100; // so many exchanges with as great a statistic end the test

struct Member {
  std::int32_t kind;
  std::int64_t owner;  // the group, or the problem of a property clique
  std::int32_t base;   // base, gold: values by the tagger's and gold labels; -1: none that counts
  std::int64_t number; // the position; for a whole chain a negative number of this member alone
  std::int32_t gold;
  std::int64_t clique;
  bool is_centre;
  std::int64_t place; // index of its gold value in the array of those that are exchanged
  int degree;         // bit width of the number of cliques that the position is in; whole chain: 0

  auto stratum() const noexcept { return std::tie(kind, owner, base, degree); }
};

} // namespace

double test_agreement(const Memory &memory, Lessons &lessons) {
  Array<Member> members(memory);
  Array<std::int32_t> gold(memory);   // by place
  Array<std::int64_t> strata(memory); // the first place of each stratum, and the number of places
  Array<std::uint32_t> cliques(memory); // by position: how many cliques it is in
  need(cliques.fill(lessons.gold.size(), 0));
  std::uint64_t random = 3;
  std::int64_t count = 0;
  for (const Kind &kind : lessons.learnt.kinds)
    count += kind.members;
  std::int64_t clique = 0;
  lessons.each_clique([&](const Lesson &lesson, std::int32_t c, std::int32_t number) {
    const Kind &kind = lessons.learnt.kinds[number];
    if (draw_below(random, 1 + count / kManyMembers) > 0)
      return;
    ++clique;
    for (std::int32_t i = 0; i < lesson.model->cliques[c].all_members(); ++i) {
      const Slot slot = lesson.model->member(c, i);
      const std::int64_t position =
          lessons.starts[lesson.first_chain + slot.chain] + slot.position;
      lessons.spend(slot.position < 0 ? 64 + 16 * std::int64_t{lesson.model->chains[slot.chain].length}
                                      : Limits::kScattered);
      if (slot.position >= 0)
        ++cliques[position];
      const auto shown = [&](const Array<std::int32_t> &labels) {
        const std::int32_t value = lessons.value_shown(lesson, slot, labels);
        return value < 0                                         ? value
               : kind.leaves_out(value) && !kind.is_centred() ? -1
                                                              : value % kMostShown;
      };
      if (const std::int32_t value = shown(lessons.gold); value != Lessons::kUnknown)
        need(members.push({number,
                           kind.is_property ? &lesson - lessons.lessons.begin()
                                            : lessons.group_of(lesson, c),
                           shown(lessons.base), slot.position < 0 ? -members.size() - 1 : position,
                           value, clique, i == lesson.model->cliques[c].members, 0, 0}));
    }
  });
  for (Member &member : members)
    member.degree =
        member.number < 0 ? 0 : static_cast<int>(std::bit_width(cliques[member.number]));
  std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
    return std::tuple_cat(a.stratum(), std::tie(a.number)) <
           std::tuple_cat(b.stratum(), std::tie(b.number));
  });
  for (std::int64_t k = 0; k < members.size(); ++k) {
    Member &now = members[k];
    const bool begins = k == 0 || now.stratum() != members[k - 1].stratum();
    need(!begins || strata.push(gold.size()));
    need((!begins && now.number == members[k - 1].number) || gold.push(now.gold));
    now.place = gold.size() - 1;
  }
  need(strata.push(gold.size()));
  std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) {
    return std::tie(a.clique, a.is_centre, a.place) < std::tie(b.clique, b.is_centre, b.place);
  });

  Array<double> counts(memory); // centre values x values, and their sums by value and by centre
  need(counts.resize(kMostShown * (kMostShown + 2)));
  double *by_value = counts.begin() + kMostShown * kMostShown, *by_centre = by_value + kMostShown;
  const auto statistic = [&] {
    lessons.spend(8 * members.size() + counts.size());
    std::fill(counts.begin(), counts.end(), 0.0);
    double total = 0, all = 0;
    std::int32_t alike[kMostShown] = {}; // by value: members of the present clique met so far
    for (const Member *first = members.begin(), *last = first; first != members.end(); first = last) {
      while (last != members.end() && last->clique == first->clique)
        ++last;
      const bool is_centred = lessons.learnt.kinds[first->kind].is_centred();
      const std::int32_t centre = last[-1].is_centre ? gold[last[-1].place] : -1;
      for (const Member *member = first; member != last; ++member)
        if (const std::int32_t v = gold[member->place]; v >= 0 && !is_centred) {
          total += 2.0 * alike[v]++ / static_cast<double>(last - first);
        } else if (v >= 0 && centre >= 0 && !member->is_centre) {
          ++counts[centre * kMostShown + v];
          ++by_value[v];
          ++by_centre[centre];
          ++all;
        }
      for (const Member *member = first; member != last; ++member)
        if (gold[member->place] >= 0)
          alike[gold[member->place]] = 0;
    }
    for (std::int64_t k = 0; k < by_value - counts.begin(); ++k)
      if (counts[k] > 0)
        total += all * counts[k] * counts[k] / (by_centre[k / kMostShown] * by_value[k % kMostShown]);
    return total - all;
  };
  const double found = statistic();
  std::int64_t exchanges = 0, as_great = 0;
  bool varies = false; // some exchange changed the statistic
  for (; exchanges < kExchanges && as_great < kEnough; ++exchanges) {
    for (std::int64_t s = 0; s + 1 < strata.size(); ++s)
      for (std::int64_t i = strata[s + 1] - strata[s]; i > 1; --i)
        std::swap(gold[strata[s] + i - 1], gold[strata[s] + draw_below(random, i)]);
    const double difference = statistic() - found;
    varies = varies || std::fabs(difference) > 1e-9 * std::fabs(found);
    as_great += difference >= -1e-9 * std::fabs(found) ? 1 : 0;
  }
  return varies ? static_cast<double>(as_great + 1) / static_cast<double>(exchanges + 1) : -1;
}

} // namespace chorale
