// The residual of a member is a row with one entry for each value v,
//     (1 if its gold label shows v, else 0) - (how often gold labels show v where the tagger's label
//                                              does, or does not, show v, as here).
// If members agree beyond the tagger's labels, the residuals of a clique have the same signs.
//
// Shares are counted, and residuals exchanged, within a *pool*: the position cliques of one kind and
// group of chains, so that an exchange preserves whatever the members of a group have in common; or
// the property cliques of one kind and problem, since a group often has only one of these. A position
// has one residual in all cliques of its pool, and exchanges it only with positions in equally many
// of them: so the graph that cliques of neighbours make stays as it is.
#include "learn/agreement.hpp"

#include "learn/chance.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace chorale {
namespace {

constexpr std::int64_t kMostColumns = 64; // of residuals; values share columns if there are more
// Number of residuals from which on cliques are left out at random.
constexpr std::int64_t kManyResiduals = 1 << 19;
constexpr std::int64_t kExchanges = 999;
constexpr std::int64_t kExchangesAsGreat = 100;

class AgreementTest {
public:
  AgreementTest(const Report &report, const Memory &memory, Lessons &lessons) noexcept
      : report_(report), lessons_(lessons), cliques_(memory), places_(memory), latest_(memory),
        members_(memory), rows_(memory), order_(memory), sorted_(memory), matrix_(memory) {}
  chorale_status run(double &p) noexcept;

private:
  struct Pooled { // a clique; the first two are the key of its pool
    std::int32_t kind;
    std::int64_t owner; // group of position cliques, problem of property cliques
    std::int32_t lesson;
    std::int32_t clique;
    std::int64_t members; // those with gold labels, and the centre
  };
  struct Place { // a member, or a position that may be a member of several cliques
    std::int64_t pool; // the first place of its pool
    std::int64_t degree; // the number of cliques that contain it
    std::int32_t gold; // columns of the values that the gold label and the tagger's label show
    std::int32_t base; // -1: none
  };
  chorale_status no_memory() const noexcept { return report_.out_of_memory(sizeof(Pooled)); }
  const Kind &kind_of(const Pooled &pooled) const noexcept {
    return lessons_.learnt().kinds[pooled.kind];
  }
  static std::int64_t width_of(const Kind &kind) noexcept {
    return kind.is_property ? kMostColumns : std::min<std::int64_t>(kind.values, kMostColumns);
  }
  chorale_status collect() noexcept;
  chorale_status add_members(Pooled &pooled) noexcept;
  bool add_rows(std::int64_t width) noexcept;
  void exchange() noexcept;
  double statistic() noexcept;

  const Report &report_;
  Lessons &lessons_;
  Array<Pooled> cliques_; // pool by pool
  Array<Place> places_;
  Array<std::int64_t> latest_;  // by position of all problems: its place in the last pool that has it
  Array<std::int64_t> members_; // by member of a clique: its place
  Array<double> rows_;          // the residuals of each place
  Array<std::int64_t> order_;   // by place: where its row begins now
  Array<std::int64_t> sorted_;  // the places, by pool and degree
  Array<double> matrix_;        // of statistic(), for one kind
  std::int64_t pool_ = 0;       // the first place of the last pool
  Random random_{3};
};

chorale_status AgreementTest::run(double &p) noexcept {
  CHORALE_CHECK(collect());
  if (!latest_.resize(lessons_.positions()) || !matrix_.resize(kMostColumns * kMostColumns))
    return no_memory();
  std::fill(latest_.begin(), latest_.end(), -1);
  for (std::int64_t k = 0; k < cliques_.size(); ++k) {
    CHORALE_CHECK(add_members(cliques_[k]));
    const bool ends_pool = k + 1 == cliques_.size() || cliques_[k].kind != cliques_[k + 1].kind ||
                           cliques_[k].owner != cliques_[k + 1].owner;
    if (ends_pool && !add_rows(width_of(kind_of(cliques_[k]))))
      return no_memory();
    if (!lessons_.spend(64))
      return CHORALE_OK;
  }
  if (!sorted_.resize(places_.size()))
    return no_memory();
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::sort(sorted_.begin(), sorted_.end(), [&](std::int64_t a, std::int64_t b) {
    return std::tie(places_[a].pool, places_[a].degree, a) <
           std::tie(places_[b].pool, places_[b].degree, b);
  });
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
  std::int64_t residuals = 0;
  for (const Kind &kind : lessons_.learnt().kinds)
    residuals += width_of(kind) * (kind.members + (kind.is_centred ? width_of(kind) * kind.cliques : 0));
  for (std::int32_t l = 0; l < lessons_.count(); ++l) {
    const Lesson &lesson = lessons_[l];
    for (std::int32_t c = 0; c < lesson.model->cliques.size(); ++c) {
      const std::int32_t number = chorale_problem_clique_kind(lesson.problem, c);
      const Clique clique = lesson.model->cliques[c];
      if (!lessons_.spend(Limits::kScattered))
        return CHORALE_OK;
      if (number < 0 || clique.members == 0 || width_of(lessons_.learnt().kinds[number]) == 0 ||
          random_.below(1 + residuals / kManyResiduals) > 0)
        continue;
      const std::int64_t owner = lessons_.learnt().kinds[number].is_property
                                     ? l
                                     : lessons_.group_of(lesson, lesson.model->chain_of(clique, 0));
      if (!cliques_.push({number, owner, l, c, 0}))
        return no_memory();
    }
  }
  std::sort(cliques_.begin(), cliques_.end(), [](const Pooled &a, const Pooled &b) {
    return std::tie(a.kind, a.owner, a.lesson, a.clique) <
           std::tie(b.kind, b.owner, b.lesson, b.clique);
  });
  return CHORALE_OK;
}

// Adds the members of a clique to the last pool. Members with an unknown gold label (property cliques:
// with any in their chain) are left out; so are all members of a clique whose centre has none.
chorale_status AgreementTest::add_members(Pooled &pooled) noexcept {
  const Kind &kind = kind_of(pooled);
  const Lesson &lesson = lessons_[pooled.lesson];
  const Clique clique = lesson.model->cliques[pooled.clique];
  const std::int64_t width = width_of(kind);
  const std::int64_t first_member = members_.size();
  bool is_known = true; // the member met last has gold labels
  for (std::int32_t i = 0; i < clique.all_members(); ++i) {
    const Slot slot = lesson.model->member(pooled.clique, i);
    const std::int32_t length = lesson.model->chains[slot.chain].length;
    if (!lessons_.spend(slot.position < 0 ? 64 + 16 * std::int64_t{length} : Limits::kScattered))
      return CHORALE_OK;
    const std::int32_t gold = lessons_.value_shown(lesson, slot, lessons_.gold());
    const std::int32_t base = lessons_.value_shown(lesson, slot, lessons_.base());
    is_known = gold != Lessons::kUnknown;
    if (!is_known)
      continue;
    std::int64_t unshared = -1;
    std::int64_t &at = slot.position < 0
                           ? unshared
                           : latest_[lessons_.start(lesson, slot.chain) + slot.position];
    if (at < pool_) {
      at = places_.size();
      const auto column = [&](std::int32_t value) {
        return value < 0 || kind.leaves_out(value) ? -1 : static_cast<std::int32_t>(value % width);
      };
      if (!places_.push({pool_, 0, column(gold), column(base)}))
        return no_memory();
    }
    ++places_[at].degree;
    if (!members_.push(at))
      return no_memory();
  }
  if (kind.is_centred && !is_known)
    members_.truncate(first_member);
  pooled.members = members_.size() - first_member;
  return CHORALE_OK;
}

// Adds the residuals of the last pool, and begins another. False if memory runs out.
bool AgreementTest::add_rows(std::int64_t width) noexcept {
  const std::int64_t first_row = rows_.size();
  const auto count = static_cast<double>(places_.size() - pool_);
  if (!rows_.resize(first_row + (places_.size() - pool_) * width) || !order_.resize(places_.size()))
    return false;
  for (std::int64_t v = 0; v < width; ++v) {
    double gold = 0; // how often gold labels show the value, the tagger's labels, and both
    double base = 0;
    double both = 0;
    for (std::int64_t k = pool_; k < places_.size(); ++k) {
      gold += places_[k].gold == v ? 1 : 0;
      base += places_[k].base == v ? 1 : 0;
      both += places_[k].gold == v && places_[k].base == v ? 1 : 0;
    }
    const double with = both / std::max(base, 1.0);
    const double without = (gold - both) / std::max(count - base, 1.0);
    for (std::int64_t k = pool_; k < places_.size(); ++k) {
      order_[k] = first_row + (k - pool_) * width;
      rows_[order_[k] + v] = (places_[k].gold == v ? 1 : 0) - (places_[k].base == v ? with : without);
    }
  }
  pool_ = places_.size();
  return true;
}

// Permutes the rows of each pool at random, among places of equal degree.
void AgreementTest::exchange() noexcept {
  for (const std::int64_t *first = sorted_.begin(), *last = first; first != sorted_.end();
       first = last) {
    while (last != sorted_.end() && places_[*last].pool == places_[*first].pool &&
           places_[*last].degree == places_[*first].degree)
      ++last;
    for (std::int64_t i = last - first; i > 1; --i)
      std::swap(order_[first[i - 1]], order_[first[random_.below(i)]]);
  }
}

// Returns the sum over the kinds. n is the number of members of a clique, without its centre.
//   Cliques without a centre: the sum, over cliques, values and ordered pairs of different members,
// of (product of the residuals of the two members) / n.
//   Centred cliques: of the matrix whose entry (c, v) is the sum, over cliques and members, of
// (residual of the centre for c) (residual of the member for v) / n, the root of the sum of squares.
double AgreementTest::statistic() noexcept {
  double total = 0;
  const std::int64_t *member = members_.begin();
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (std::int64_t c = 0; c < cliques_.size(); ++c) {
    const Kind &kind = kind_of(cliques_[c]);
    const std::int64_t width = width_of(kind);
    const std::int64_t n = cliques_[c].members - (kind.is_centred ? 1 : 0);
    for (std::int64_t v = 0; v < width && n > 0; ++v) {
      double sum = 0;
      double squares = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double residual = rows_[order_[member[i]] + v];
        sum += residual;
        squares += residual * residual;
      }
      if (!kind.is_centred)
        total += (sum * sum - squares) / static_cast<double>(n);
      for (std::int64_t w = 0; kind.is_centred && w < width; ++w)
        matrix_[w * kMostColumns + v] += rows_[order_[member[n]] + w] * sum / static_cast<double>(n);
    }
    member += cliques_[c].members;
    if (kind.is_centred && (c + 1 == cliques_.size() || cliques_[c + 1].kind != cliques_[c].kind)) {
      total += std::sqrt(std::inner_product(matrix_.begin(), matrix_.end(), matrix_.begin(), 0.0));
      std::fill(matrix_.begin(), matrix_.end(), 0.0);
    }
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
