// The residual of a member is a row with one entry for each value v,
//     (1 if its gold label shows v, else 0) - (how often gold labels show v where the tagger's label
//                                              does, or does not, show v, as here).
// If members agree beyond the tagger's labels, the residuals of a clique have the same signs.
//
// A *stratum* is what these shares are counted over: all position cliques of a kind; or the property
// cliques of a kind and problem, since problems may number the values of a property differently.
// Residuals are exchanged within a *pool*: the position cliques of one kind and group of chains, so
// that an exchange preserves whatever all members of a group have in common; or a stratum of property
// cliques, since a group often has only one of these. A position has one residual in all cliques of
// its pool, and exchanges it only with positions in equally many of them: so the graph that cliques
// of neighbours make stays as it is.
#include "learn/agreement.hpp"

#include "learn/chance.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace chorale {
namespace {

constexpr std::int32_t kMostValues = 64; // values with residuals: those that gold shows most often
// Greatest number of residuals. If there would be more, only every k-th clique of each kind is used,
// for the least k that avoids this.
constexpr std::int64_t kMostResiduals = 1 << 19;
constexpr std::int64_t kExchanges = 999;
constexpr std::int64_t kExchangesAsGreat = 100;

class AgreementTest {
public:
  AgreementTest(const Report &report, const Memory &memory, Lessons &lessons) noexcept
      : report_(report), memory_(memory), lessons_(lessons), pooled_(memory), places_(memory),
        latest_(memory), members_(memory), cliques_(memory), pools_(memory), strata_(memory),
        shown_(memory), rows_(memory), order_(memory), sorted_(memory), matrix_(memory) {}
  chorale_status run(double &p) noexcept;

private:
  struct Pooled { // a clique, with the keys of its stratum (the first two) and pool (the first three)
    std::int32_t kind;
    std::int32_t problem; // 0 for position cliques
    std::int64_t group;   // 0 for property cliques
    std::int32_t lesson;
    std::int32_t clique;
  };
  struct Place { // a member, or a position that may be a member of several cliques
    std::int32_t gold; // values that the gold label and the tagger's label show; -1: none
    std::int32_t base;
    std::int64_t degree; // the number of cliques that contain it
  };
  struct Pool {
    std::int64_t first_place;
    std::int64_t first_clique;
  };
  struct Stratum {
    std::int32_t width;
    bool is_centred;
    std::int64_t first_row;
    std::int64_t first_place;
    std::int64_t first_clique;
    std::int64_t first_member;
  };
  struct Value {
    std::int64_t count;
    std::int32_t value;
  };
  chorale_status no_memory() const noexcept { return report_.out_of_memory(sizeof(Pooled)); }
  const Kind &kind_of(const Pooled &pooled) const noexcept {
    return lessons_.learnt().kinds[pooled.kind];
  }
  static bool takes_part(const Kind &kind) noexcept {
    return kind.is_property ? !kind.is_centred : kind.values > 0;
  }
  chorale_status collect() noexcept;
  chorale_status add_clique(const Pooled &pooled, std::int64_t first_place) noexcept;
  bool add_rows(Stratum &stratum) noexcept;
  bool can_exchange() const noexcept;
  void exchange() noexcept;
  double statistic() noexcept;
  std::int64_t end_of(std::int64_t Stratum::*first, std::int64_t s, std::int64_t all) const noexcept {
    return s + 1 < strata_.size() ? strata_[s + 1].*first : all;
  }

  const Report &report_;
  const Memory &memory_;
  Lessons &lessons_;
  Array<Pooled> pooled_;
  Array<Place> places_;
  Array<std::int64_t> latest_;  // by position of all problems: its place in the last pool that has it
  Array<std::int64_t> members_; // by member of a clique: its place
  Array<std::int64_t> cliques_; // by clique: number of members, with the centre
  Array<Pool> pools_;
  Array<Stratum> strata_;
  Array<std::int32_t> shown_;  // values that gold labels show in a stratum, sorted
  Array<double> rows_;         // the residuals of each place
  Array<std::int64_t> order_;  // by place: where its row begins now
  Array<std::int64_t> sorted_; // the places of each pool, by degree
  Array<double> matrix_;       // of statistic(), for one stratum
  Random random_{3};
};

chorale_status AgreementTest::run(double &p) noexcept {
  CHORALE_CHECK(collect());
  if (!latest_.resize(lessons_.positions()))
    return no_memory();
  std::fill(latest_.begin(), latest_.end(), -1);
  for (std::int64_t k = 0; k < pooled_.size(); ++k) {
    const Pooled &now = pooled_[k];
    const Pooled before = k > 0 ? pooled_[k - 1] : Pooled{-1, 0, 0, 0, 0};
    const bool is_new = now.kind != before.kind || now.problem != before.problem;
    if (is_new && ((k > 0 && !add_rows(strata_[strata_.size() - 1])) ||
                   !strata_.push({0, kind_of(now).is_centred, rows_.size(), places_.size(),
                                  cliques_.size(), members_.size()})))
      return no_memory();
    if ((is_new || now.group != before.group || now.lesson != before.lesson) &&
        !pools_.push({places_.size(), cliques_.size()}))
      return no_memory();
    CHORALE_CHECK(add_clique(now, pools_[pools_.size() - 1].first_place));
    if (!lessons_.spend(64))
      return CHORALE_OK;
  }
  if (!strata_.empty() && !add_rows(strata_[strata_.size() - 1]))
    return no_memory();
  if (!sorted_.resize(places_.size()) || !matrix_.resize(kMostValues * kMostValues) ||
      !pools_.push({places_.size(), cliques_.size()})) // the end of the last pool
    return no_memory();
  std::iota(sorted_.begin(), sorted_.end(), 0);
  for (std::int64_t k = 0; k + 1 < pools_.size(); ++k)
    std::sort(sorted_.begin() + pools_[k].first_place, sorted_.begin() + pools_[k + 1].first_place,
              [&](std::int64_t a, std::int64_t b) {
                return places_[a].degree != places_[b].degree ? places_[a].degree < places_[b].degree
                                                              : a < b;
              });
  if (!can_exchange())
    return CHORALE_OK;
  const double found = statistic();
  std::int64_t exchanges = 0;
  std::int64_t as_great = 0;
  bool varies = false; // some exchange changed the statistic
  for (; exchanges < kExchanges && as_great < kExchangesAsGreat; ++exchanges) {
    if (lessons_.look())
      return CHORALE_OK;
    exchange();
    const double now = statistic();
    varies = varies || std::fabs(now - found) > 1e-9 * std::fabs(found);
    as_great += now >= found - 1e-12 * std::fabs(found) ? 1 : 0;
  }
  if (varies)
    p = static_cast<double>(as_great + 1) / static_cast<double>(exchanges + 1);
  return CHORALE_OK;
}

// Lists the cliques that take part, pool by pool.
chorale_status AgreementTest::collect() noexcept {
  const Array<Kind> &kinds = lessons_.learnt().kinds;
  std::int64_t residuals = 0;
  for (const Kind &kind : kinds) {
    const std::int64_t width =
        kind.is_property ? kMostValues : std::min(kind.values, kMostValues);
    if (takes_part(kind))
      residuals += width * (kind.members + (kind.is_centred ? width * kind.cliques : 0));
  }
  const std::int64_t step = 1 + residuals / kMostResiduals;
  Array<std::int64_t> met(memory_); // by kind: number of its cliques met so far
  if (!met.resize(kinds.size()))
    return no_memory();
  std::fill(met.begin(), met.end(), 0);
  for (std::int32_t l = 0; l < lessons_.count(); ++l) {
    const Lesson &lesson = lessons_[l];
    for (std::int32_t c = 0; c < lesson.model->cliques.size(); ++c) {
      const std::int32_t kind = chorale_problem_clique_kind(lesson.problem, c);
      const Clique clique = lesson.model->cliques[c];
      if (!lessons_.spend(Limits::kScattered))
        return CHORALE_OK;
      if (kind < 0 || clique.members == 0 || !takes_part(kinds[kind]) || met[kind]++ % step != 0)
        continue;
      const bool is_property = kinds[kind].is_property;
      const std::int64_t group =
          is_property ? 0 : lessons_.group_of(lesson, lesson.model->chain_of(clique, 0));
      if (!pooled_.push({kind, is_property ? l : 0, group, l, c}))
        return no_memory();
    }
  }
  std::sort(pooled_.begin(), pooled_.end(), [](const Pooled &a, const Pooled &b) {
    return std::tie(a.kind, a.problem, a.group, a.lesson, a.clique) <
           std::tie(b.kind, b.problem, b.group, b.lesson, b.clique);
  });
  return CHORALE_OK;
}

// Adds a clique to the last pool. Members with an unknown gold label (property cliques: with any in
// their chain) are left out; so are all members of a clique whose centre has none.
chorale_status AgreementTest::add_clique(const Pooled &pooled, std::int64_t first_place) noexcept {
  const Kind &kind = kind_of(pooled);
  const Lesson &lesson = lessons_[pooled.lesson];
  const Clique clique = lesson.model->cliques[pooled.clique];
  const std::int64_t first_member = members_.size();
  bool is_known = true; // the member met last has gold labels
  for (std::int32_t i = 0; i < clique.all_members(); ++i) {
    const Slot slot = lesson.model->member(pooled.clique, i);
    const std::int32_t length = lesson.model->chains[slot.chain].length;
    if (!lessons_.spend(slot.position < 0 ? 64 + 16 * std::int64_t{length} : Limits::kScattered))
      return CHORALE_OK;
    Place place{lessons_.value_shown(lesson, slot, lessons_.gold()), -1, 0};
    is_known = place.gold != Lessons::kUnknown;
    if (!is_known)
      continue;
    place.base = lessons_.value_shown(lesson, slot, lessons_.base());
    if (place.gold >= 0 && kind.leaves_out(place.gold))
      place.gold = -1;
    std::int64_t unshared = -1;
    std::int64_t &at = slot.position < 0
                           ? unshared
                           : latest_[lessons_.start(lesson, slot.chain) + slot.position];
    if (at < first_place) {
      at = places_.size();
      if (!places_.push(place))
        return no_memory();
    }
    ++places_[at].degree;
    if (!members_.push(at))
      return no_memory();
  }
  if (kind.is_centred && !is_known)
    members_.truncate(first_member);
  return cliques_.push(members_.size() - first_member) ? CHORALE_OK : no_memory();
}

// Adds the residuals of the last stratum. False if memory runs out.
bool AgreementTest::add_rows(Stratum &stratum) noexcept {
  Value values[kMostValues] = {}; // those that gold labels show most often, most frequent first
  shown_.truncate(0);
  for (std::int64_t k = stratum.first_place; k < places_.size(); ++k)
    if (places_[k].gold >= 0 && !shown_.push(places_[k].gold))
      return false;
  std::sort(shown_.begin(), shown_.end());
  for (std::int32_t *v = shown_.begin(), *next = v; v != shown_.end(); v = next) {
    next = std::upper_bound(v, shown_.end(), *v);
    Value now{next - v, *v};
    for (Value &value : values)
      if (now.count > value.count)
        std::swap(now, value);
  }
  while (stratum.width < kMostValues && values[stratum.width].count > 0)
    ++stratum.width;
  const auto count = static_cast<double>(places_.size() - stratum.first_place);
  if (!rows_.resize(stratum.first_row + (places_.size() - stratum.first_place) * stratum.width) ||
      !order_.resize(places_.size()))
    return false;
  for (std::int64_t k = stratum.first_place; k < places_.size(); ++k)
    order_[k] = stratum.first_row + (k - stratum.first_place) * stratum.width;
  for (std::int32_t v = 0; v < stratum.width; ++v) {
    const std::int32_t value = values[v].value;
    double base = 0; // how often the tagger's labels show the value
    double both = 0;
    for (std::int64_t k = stratum.first_place; k < places_.size(); ++k) {
      base += places_[k].base == value ? 1 : 0;
      both += places_[k].base == value && places_[k].gold == value ? 1 : 0;
    }
    const double with = both / std::max(base, 1.0);
    const double without =
        (static_cast<double>(values[v].count) - both) / std::max(count - base, 1.0);
    for (std::int64_t k = stratum.first_place; k < places_.size(); ++k)
      rows_[order_[k] + v] = (places_[k].gold == value ? 1 : 0) -
                             (places_[k].base == value ? with : without);
  }
  return true;
}

// Returns true if some pool has two cliques between which members can be exchanged.
bool AgreementTest::can_exchange() const noexcept {
  for (std::int64_t p = 0; p + 1 < pools_.size(); ++p) {
    const std::int64_t *first = cliques_.begin() + pools_[p].first_clique;
    const std::int64_t *last = cliques_.begin() + pools_[p + 1].first_clique;
    if (std::count_if(first, last, [](std::int64_t n) { return n > 0; }) > 1 &&
        std::any_of(first, last, [](std::int64_t n) { return n > 1; }))
      return true;
  }
  return false;
}

// Permutes the rows of each pool at random, among places of equal degree.
void AgreementTest::exchange() noexcept {
  for (std::int64_t p = 0; p + 1 < pools_.size(); ++p) {
    const std::int64_t *end = sorted_.begin() + pools_[p + 1].first_place;
    for (const std::int64_t *first = sorted_.begin() + pools_[p].first_place; first != end;) {
      const std::int64_t *last = std::find_if(first, end, [&](std::int64_t place) {
        return places_[place].degree != places_[*first].degree;
      });
      for (std::int64_t i = last - first; i > 1; --i)
        std::swap(order_[first[i - 1]], order_[first[random_.below(i)]]);
      first = last;
    }
  }
}

// Returns the sum over the strata. n is the number of members of a clique, without its centre.
//   Cliques without a centre: the sum, over cliques, values and ordered pairs of different members,
// of (product of the residuals of the two members) / n.
//   Centred cliques: of the matrix whose entry (c, v) is the sum, over cliques and members, of
// (residual of the centre for c) (residual of the member for v) / n, the root of the sum of squares.
// High if members depend on the centre, alike or not.
double AgreementTest::statistic() noexcept {
  double total = 0;
  for (std::int64_t s = 0; s < strata_.size(); ++s) {
    const Stratum &stratum = strata_[s];
    const std::int64_t *member = members_.begin() + stratum.first_member;
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    for (std::int64_t c = stratum.first_clique;
         c < end_of(&Stratum::first_clique, s, cliques_.size()); ++c) {
      const std::int64_t n = cliques_[c] - (stratum.is_centred ? 1 : 0);
      const double *centre = stratum.is_centred && n > 0 ? rows_.begin() + order_[member[n]] : nullptr;
      for (std::int32_t v = 0; n > 0 && v < stratum.width; ++v) {
        double sum = 0;
        double squares = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          const double residual = rows_[order_[member[i]] + v];
          sum += residual;
          squares += residual * residual;
        }
        if (!centre)
          total += (sum * sum - squares) / static_cast<double>(n);
        for (std::int32_t w = 0; centre && w < stratum.width; ++w)
          matrix_[w * kMostValues + v] += centre[w] * sum / static_cast<double>(n);
      }
      member += cliques_[c];
    }
    if (stratum.is_centred)
      total += std::sqrt(std::inner_product(matrix_.begin(), matrix_.end(), matrix_.begin(), 0.0));
  }
  return total;
}

} // namespace

chorale_status test_agreement(const Report &report, const Memory &memory, Lessons &lessons,
                              double &p) noexcept {
  p = -1;
  return AgreementTest(report, memory, lessons).run(p);
}

} // namespace chorale
