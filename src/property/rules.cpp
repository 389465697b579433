#include "property/rules.hpp"

#include "property/tables.hpp"

#include <gsl/gsl>

#include <algorithm>
#include <iterator>

namespace chorale {
namespace {

constexpr RuleKind kRuleKinds[] = {{CHORALE_RULE_AT_MOST, "at most", false, 2},
                                   {CHORALE_RULE_AT_LEAST, "at least", false, 2},
                                   {CHORALE_RULE_EXACTLY, "exactly", false, 2},
                                   {CHORALE_RULE_NEVER, "never", false, 0},
                                   {CHORALE_RULE_AT_MOST_TOKENS, "at most tokens", false, 1},
                                   {CHORALE_RULE_NO_LONGER, "no longer", false, 1},
                                   {CHORALE_RULE_BEFORE, "before", true, 0},
                                   {CHORALE_RULE_DIRECTLY_AFTER, "directly after", true, 0},
                                   {CHORALE_RULE_NOT_TOGETHER, "not together", true, 0},
                                   {CHORALE_RULE_NEEDS, "needs", true, 0},
                                   {CHORALE_RULE_PROPERTY, "property", false, 0}};

constexpr std::int32_t kBroken = -1;

// What a label is to a rule about kinds a and b. first_a: a label of kind a that always begins a
// segment.
enum class Is { other, b, a, first_a };

// The next state after a state and a label; kBroken if the label breaks the rule.
//
// Rules that count segments have the states 0: before the first segment, 2j - 1: in segment j, 2j:
// after segment j. AT_LEAST stays in state 2k - 1, since more segments never break it.
std::int32_t next_of(const chorale_rule &rule, std::int32_t state, Is is) noexcept {
  const bool is_a = is == Is::a || is == Is::first_a;
  const auto k = static_cast<std::int32_t>(rule.k);
  switch (rule.kind) {
  case CHORALE_RULE_AT_LEAST:
    if (state == 2 * k - 1)
      return state;
    [[fallthrough]];
  case CHORALE_RULE_AT_MOST:
  case CHORALE_RULE_EXACTLY: {
    const bool inside = state % 2 == 1;
    if (!is_a)
      return inside ? state + 1 : state;
    if (inside && is == Is::a)
      return state;
    const std::int32_t next = state + (inside ? 2 : 1);
    return next < 2 * k ? next : kBroken;
  }
  case CHORALE_RULE_NEVER:
    return is_a ? kBroken : 0;
  case CHORALE_RULE_AT_MOST_TOKENS: // the state is the number of positions with a
    return !is_a ? state : state < k ? state + 1 : kBroken;
  case CHORALE_RULE_NO_LONGER: // the state is the length of the current segment of a
    return !is_a ? 0 : is == Is::first_a ? 1 : state < k ? state + 1 : kBroken;
  case CHORALE_RULE_BEFORE: // 1: some label so far is a b
    return is == Is::b ? 1 : is_a && state == 1 ? kBroken : state;
  case CHORALE_RULE_DIRECTLY_AFTER: // the label before is 1: a b, 2: an a, 0: another, or missing
    if (!is_a)
      return is == Is::b ? 1 : 0;
    return state == 1 || (state == 2 && is == Is::a) ? 2 : kBroken;
  case CHORALE_RULE_NOT_TOGETHER: // 1: there was an a, 2: there was a b
    if (is == Is::other)
      return state;
    return state == (is_a ? 2 : 1) ? kBroken : is_a ? 1 : 2;
  default: // NEEDS. 1: there was an a but no b, 2: there was a b
    return is == Is::b ? 2 : is_a && state == 0 ? 1 : state;
  }
}

// True if a labelling that ends in this state breaks the rule.
bool breaks_at_end(const chorale_rule &rule, std::int32_t state) noexcept {
  switch (rule.kind) {
  case CHORALE_RULE_AT_LEAST:
  case CHORALE_RULE_EXACTLY:
    return state < 2 * rule.k - 1;
  case CHORALE_RULE_NEEDS:
    return state == 1;
  default:
    return false;
  }
}

} // namespace

const RuleKind *find_rule_kind(chorale_rule_kind kind) noexcept {
  const auto *found = std::find_if(std::begin(kRuleKinds), std::end(kRuleKinds),
                                   [=](const RuleKind &of) { return of.kind == kind; });
  return found == std::end(kRuleKinds) ? nullptr : found;
}

Property *make_rule(const Memory &memory, const LabelKinds &kinds, const RuleKind &kind,
                    const chorale_rule &rule) noexcept {
  const auto states = gsl::narrow_cast<std::int32_t>(kind.states(rule.k));
  const std::int32_t broken = states; // one more state, in which nothing fires any more
  AutomatonTables tables(memory, kinds.labels, 1, 1);
  if (!tables.add_states(states + 1))
    return nullptr;
  for (std::int32_t y = 0; y < kinds.labels; ++y) {
    const std::int32_t of = kinds.kind(y);
    const Is is = of == rule.a                   ? kinds.begins(y) ? Is::first_a : Is::a
                  : kind.takes_b && of == rule.b ? Is::b
                                                 : Is::other;
    for (std::int32_t s = 0; s < states; ++s) {
      const std::int32_t next = next_of(rule, s, is);
      tables.set(s, 0, y, next == kBroken ? broken : next, next == kBroken ? 0 : CHORALE_FIRE_NOTHING);
    }
  }
  for (std::int32_t s = 0; s < states; ++s)
    if (breaks_at_end(rule, s))
      tables.set_end(s, 0);
  return tables.compile();
}

} // namespace chorale
