#include "front/rules.hpp"

#include "chain/checks.hpp"
#include "potential/create.hpp"
#include "property/tables.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {
namespace {

// Greatest number of labels of a corpus with rules, which need tables of labels x labels.
constexpr std::int64_t kMostRuledLabels = 8192;
constexpr std::int64_t kExplainSteps = std::int64_t{1} << 26; // limit for the reasons of one chain

// Creates the potential of a clique of one member over `values` values, EMPTY and CONFLICT. Its score
// is `empty` if the member's property fires nothing (EMPTY), else `fires`.
chorale_status create_price(const Report &report, const Memory &memory, std::int64_t values,
                            double empty, double fires, Potential *&made) noexcept {
  Array<double> tables(memory);
  if (!tables.resize(2 * (values + 2)))
    return report.out_of_memory();
  for (std::int64_t v = 0; v < values + 2; ++v) {
    tables[2 * v] = 0;
    tables[2 * v + 1] = v == values ? empty : fires;
  }
  return create_by_tables(report, memory, {values + 2}, Form::sum,
                          {tables.begin(), values + 2, 2, 2}, made);
}

// Makes the property that fires where the label of a position is not the position's class. The
// classes of a member are the labels to which its chain is pinned. NULL if memory runs out.
Property *make_pin(const Memory &memory, std::int64_t labels) noexcept {
  AutomatonTables tables(memory, labels, labels, 1);
  if (!tables.add_states(1))
    return nullptr;
  for (std::int64_t pinned = 0; pinned < labels; ++pinned)
    for (std::int64_t y = 0; y < labels; ++y)
      tables.set(0, pinned, y, 0, y == pinned ? CHORALE_FIRE_NOTHING : 0);
  return tables.compile();
}

} // namespace

Rules::~Rules() {
  for (const Rule &rule : rules_)
    release(rule.property);
}

// ---- Reading ----------------------------------------------------------------------------------

chorale_status Rules::read(const Report &report, const chorale_rules *given,
                           const CorpusParts &parts) noexcept {
  if (!given)
    return CHORALE_OK;
  chorale_rules rules{};
  CHORALE_CHECK(read_struct(report, "rules", given, rules));
  CHORALE_CHECK(check_size(report, "rules->count", rules.count, 0));
  CHORALE_CHECK(check_array(report, rules.rules, rules.count, "rules->rules"));
  if (!(rules.most_cost >= 0 && rules.most_cost <= kLargestScore))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "rules->most_cost is ", rules.most_cost,
                       "; it must be from 0, for no limit, to ", kLargestScore);
  most_cost_ = rules.most_cost > 0 ? rules.most_cost : kInfinity;
  const std::int64_t labels = parts.corpus().labels;
  LabelKinds kinds{labels, labels, nullptr, nullptr};
  if (rules.map) {
    chorale_label_map map{};
    CHORALE_CHECK(read_struct(report, "rules->map", rules.map, map));
    kinds = kinds_of(map);
    CHORALE_CHECK(check_kinds(report, kinds));
    if (map.labels != labels)
      return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "rules->map->labels is ", map.labels,
                         "; it must be that of the corpus, ", labels);
  }
  any_ = rules.count > 0;
  if (any() && labels > kMostRuledLabels)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "corpus->labels is ", labels,
                       "; with rules it may be at most ", kMostRuledLabels,
                       ", since rules keep numbers for all pairs of labels");
  for (std::int64_t k = 0; k < rules.count; ++k)
    CHORALE_CHECK(add(report, rules, k, kinds, parts));
  return by_chain_.fill(any() ? parts.chains() : 0, -1) ? CHORALE_OK : report.out_of_memory();
}

chorale_status Rules::check_rule(const Report &report, std::string_view place,
                                 const RuleKind &kind, const LabelKinds &kinds,
                                 const CorpusParts &parts, chorale_rule &rule) noexcept {
  const bool is_property = rule.kind == CHORALE_RULE_PROPERTY;
  if (rule.each != 0 && (rule.each != 1 || is_property))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, place, ".each is ", rule.each, "; it must be ",
                       is_property ? "0 for a property" : "0 or 1");
  if (!is_property && rule.each == 0)
    CHORALE_CHECK(check_below(report, rule.a, kinds.kinds, place, ".a"));
  if (kind.takes_b) {
    CHORALE_CHECK(check_below(report, rule.b, kinds.kinds, place, ".b"));
    if (rule.each == 0 && rule.a == rule.b)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, place, ".b is ", rule.b,
                         ", as .a; they must differ");
  }
  CHORALE_CHECK(check_least(report, rule.k, 0, place, ".k"));
  if (rule.k == 0)
    rule.k = 1;
  if (kind.takes_k() &&
      (rule.k > kMostRuleCells || (kind.states(rule.k) + 1) * kinds.labels > kMostRuleCells))
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, place, ".k is ", rule.k,
                       "; the states of a rule, which grow with k, times the labels may be at most ",
                       kMostRuleCells);
  if (std::isnan(rule.price))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER, place, ".price is NaN; it must be a number");
  if (!(rule.price >= 0 && rule.price <= kLargestScore))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, place, ".price is ", rule.price,
                       "; it must be from 0, for a rule that is never broken, to ", kLargestScore);
  if (is_property) {
    if (!rule.property)
      return report.null_argument(place, ".property");
    if (rule.property->labels != kinds.labels)
      return report.fail(CHORALE_ERROR_LABELS_MISMATCH, place, ".property has ",
                         rule.property->labels, " labels; it must have those of the corpus, ",
                         kinds.labels);
    if (rule.property->reads_table() && !parts.corpus().tokens && parts.positions() > 0)
      return report.fail(CHORALE_ERROR_TOKENS_MISSING, place,
                         ".property reads tokens, and corpus->tokens is NULL; give the tokens");
  }
  CHORALE_CHECK(check_least(report, rule.chain_count, 0, place, ".chain_count"));
  CHORALE_CHECK(check_array(report, rule.chains, rule.chain_count, place, ".chains"));
  for (std::int64_t c = 0; rule.chains && c < rule.chain_count; ++c)
    CHORALE_CHECK(check_below(report, rule.chains[c], parts.chains(), place, ".chains[", c, "]"));
  return CHORALE_OK;
}

chorale_status Rules::add(const Report &report, const chorale_rules &given, std::int64_t index,
                          const LabelKinds &kinds, const CorpusParts &parts) noexcept {
  chorale_rule rule{};
  char place[64];
  TextWriter(place, sizeof place) << "rules[" << index << "]";
  CHORALE_CHECK(read_struct_of(report, place, given.rules, index, rule));
  const RuleKind *const kind = find_rule_kind(rule.kind);
  if (!kind)
    return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, place, ".kind is ", rule.kind,
                       "; it must be a CHORALE_RULE_ constant");
  TextWriter(place, sizeof place) << "rules[" << index << "] (" << kind->name << ")";
  CHORALE_CHECK(check_rule(report, place, *kind, kinds, parts, rule));
  Rule made{nullptr,  rule.price > 0 ? rule.price : kInfinity,
            index,    rule.a,
            chains_.size(), rule.chains ? rule.chain_count : -1,
            -1,       rule.k};
  if (!chains_.append(span_of(rule.chains, rule.chain_count)))
    return report.out_of_memory();
  std::sort(chains_.begin() + made.first_chain, chains_.end());
  const chorale_corpus &corpus = parts.corpus();
  // True if some label of the kind is not among the `uncounted` ones of the corpus.
  const auto is_counted = [&](std::int32_t of) {
    for (std::int32_t y = 0; y < kinds.labels; ++y)
      if (kinds.kind(y) == of && (corpus.uncounted_count == 0 ||
                                  std::find(corpus.uncounted,
                                            corpus.uncounted + corpus.uncounted_count, y) ==
                                      corpus.uncounted + corpus.uncounted_count))
        return true;
    return false;
  };
  const std::int32_t first = rule.each != 0 ? 0 : rule.a;
  const std::int32_t end =
      rule.each != 0 ? static_cast<std::int32_t>(kinds.kinds) : rule.a + 1;
  for (std::int32_t a = first; a < end; ++a) {
    if (rule.each != 0 && ((kind->takes_b && a == rule.b) || !is_counted(a)))
      continue;
    rule.a = made.a = a;
    if (made.price == kInfinity &&
        (rule.kind == CHORALE_RULE_AT_MOST || rule.kind == CHORALE_RULE_EXACTLY)) {
      made.first_counted = counted_.size();
      for (std::int32_t y = 0; y < kinds.labels; ++y)
        if (!counted_.push(kinds.kind(y) != a ? 0 : kinds.begins(y) ? 2 : 1))
          return report.out_of_memory();
    }
    made.property = rule.kind == CHORALE_RULE_PROPERTY ? retain(rule.property)
                                                       : make_rule(memory_, kinds, *kind, rule);
    if (!made.property || !rules_.push(made)) {
      release(made.property);
      return report.out_of_memory();
    }
  }
  return CHORALE_OK;
}

// True if the rule's automaton, in its start state, changes its state or fires at this label.
bool Rules::is_touched_by(const Property &property, std::int32_t label) const noexcept {
  const std::int64_t at = property.cell(property.start, 0) * property.labels + label;
  return property.next[at] != property.start || property.actions[at] != CHORALE_FIRE_NOTHING;
}

// ---- Checking ---------------------------------------------------------------------------------

bool Rules::concerns(const Rule &rule, std::int64_t chain) const noexcept {
  const std::int64_t *first = chains_.begin() + rule.first_chain;
  return rule.chain_count < 0 || std::binary_search(first, first + rule.chain_count, chain);
}

Attached Rules::attach(std::int32_t rule, const Chain &chain) const noexcept {
  return {rules_[rule].property, nullptr, nullptr, chain.tokens, nullptr, chain.length};
}

// Calls visit(rule) with each rule that the labelling of a chain breaks.
template <class Visit>
void Rules::each_broken(std::int64_t chain, const Chain &of, gsl::span<const std::int32_t> labels,
                        Visit &&visit) const noexcept {
  for (std::int32_t r = 0; r < rules_.size(); ++r)
    if (concerns(rules_[r], chain) && AttachedRule{attach(r, of), 0}.broken_by(labels))
      visit(r);
}

// Solves a chain under the rules in scratch.list except the rule `without` (-1: none). The result is
// in scratch.search. False if memory runs out.
bool Rules::search(const Chain &chain, std::int32_t without, Limits &limits,
                   Scratch &scratch) const noexcept {
  scratch.attached.truncate(0);
  for (const std::int32_t r : scratch.list)
    if (r != without) {
      const Rule &rule = rules_[r];
      const std::uint8_t *counted =
          rule.first_counted < 0 ? nullptr : counted_.begin() + rule.first_counted;
      if (!scratch.attached.push({attach(r, chain), rule.price, counted, counted ? rule.most : 0}))
        return false;
    }
  return scratch.search.run(chain.view(), scratch.attached, limits);
}

// Solves a chain under the rules in scratch.list, adds to the list the rules that the labelling found
// breaks, and repeats this until there are no new ones, no labelling is found, or the limits
// interrupt. The last result is in scratch.search. Never uses the rule `without` (-1: none). False
// if memory runs out.
bool Rules::close(const Model &model, std::int64_t chain, std::int32_t without, Limits &limits,
                  Scratch &scratch) const noexcept {
  const Chain of = model.chains[chain];
  Array<std::int32_t> &list = scratch.list;
  for (;;) {
    if (!search(of, without, limits, scratch))
      return false;
    if (!scratch.search.found() || limits.interruption() != Interruption::none)
      return true;
    const std::int64_t before = list.size();
    bool has_room = true;
    each_broken(chain, of, scratch.search.labelling, [&](std::int32_t r) {
      if (r != without && std::find(list.begin(), list.begin() + before, r) ==
                              list.begin() + before)
        has_room = has_room && list.push(r);
    });
    if (!has_room)
      return false;
    if (list.size() == before)
      return true;
  }
}

bool Rules::set_active(Ruled &ruled, gsl::span<const std::int32_t> active) noexcept {
  ruled.first_active = active_.size();
  ruled.active_count = static_cast<std::int64_t>(active.size());
  return active_.append(active);
}

// Solves a chain by itself under the rules in scratch.list and those that close() adds, and fills
// `ruled`, of which `chain` and `alone` are set. own: the labels of the chain without cliques.
// False if memory runs out.
bool Rules::settle(const Model &model, Ruled &ruled, gsl::span<const std::int32_t> own,
                   Limits &limits, Scratch &scratch) noexcept {
  RuleSearch &search = scratch.search;
  Array<std::int32_t> &list = scratch.list;
  const Chain of = model.chains[ruled.chain];
  const double own_score = of.view().score(own);
  if (!close(model, ruled.chain, -1, limits, scratch))
    return false;
  // After an interruption the labelling may break rules that were not added.
  bool keeps = search.found();
  if (keeps && limits.interruption() != Interruption::none)
    each_broken(ruled.chain, of, search.labelling, [&](std::int32_t r) {
      keeps = keeps && std::find(list.begin(), list.end(), r) != list.end();
    });
  ruled.score = keeps ? search.score : own_score;
  ruled.paid = keeps ? search.paid : 0;
  ruled.cost = keeps ? std::max(own_score - search.score, 0.0) : kInfinity;
  ruled.gap = keeps ? std::min(search.gap(), ruled.cost) : 0;
  ruled.state = keeps ? ruled.cost - ruled.gap > most_cost_ ? CHORALE_RULES_TOO_DEAR
                                                             : CHORALE_RULES_KEPT
                : search.impossible() ? CHORALE_RULES_IMPOSSIBLE
                                       : CHORALE_RULES_UNFINISHED;
  ruled.first_label = labels_.size();
  ruled.length = of.length;
  return labels_.append(ruled.state == CHORALE_RULES_KEPT ? search.labelling : own) &&
         own_labels_.append(own) && set_active(ruled, list) &&
         (ruled.state != CHORALE_RULES_IMPOSSIBLE || find_conflict(model, ruled, limits, scratch));
}

// Writes to conflicts_ a minimal set of rules in scratch.list that exclude each other on a chain:
// of the rules that must not be broken, drops each one without which the others still exclude each
// other. The set may not be minimal if the limits interrupt. False if memory runs out.
bool Rules::find_conflict(const Model &model, Ruled &ruled, Limits &limits, Scratch &scratch) noexcept {
  Array<std::int32_t> &list = scratch.list;
  const Chain of = model.chains[ruled.chain];
  list.truncate(std::remove_if(list.begin(), list.end(),
                                [this](std::int32_t r) { return rules_[r].price < kInfinity; }) -
                 list.begin());
  std::sort(list.begin(), list.end());
  for (std::int64_t k = 0; k < list.size();) {
    if (!search(of, list[k], limits, scratch))
      return false;
    if (scratch.search.impossible())
      list.truncate(std::remove(list.begin(), list.end(), list[k]) - list.begin());
    else
      ++k;
  }
  ruled.first_conflict = conflicts_.size();
  ruled.conflict_count = list.size();
  return conflicts_.append(list);
}

bool Rules::check(const Model &model, gsl::span<const std::int32_t> labels,
                  gsl::span<const std::int32_t> own_labels, Limits &limits, Scratch &scratch,
                  bool &added) noexcept {
  added = false;
  Array<std::int32_t> &list = scratch.list;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < model.chains.size(); ++i) {
    const Chain chain = model.chains[i];
    const auto take = [&](gsl::span<const std::int32_t> from) {
      return span_of(from.data() + begin, chain.length);
    };
    const auto now = take(labels);
    const auto own = take(own_labels);
    begin += chain.length;
    // No rule concerns a chain without positions, and a chain that is left out has no labelling.
    if (chain.length == 0 || own.data()[0] < 0)
      continue;
    Ruled *ruled = by_chain_[i] < 0 ? nullptr : &ruled_[by_chain_[i]];
    if (ruled && ruled->pinned())
      continue;
    list.truncate(0);
    bool has_room = true;
    const auto collect = [&](std::int32_t r) {
      if (std::find(list.begin(), list.end(), r) == list.end())
        has_room = has_room && list.push(r);
    };
    if (!ruled)
      each_broken(i, chain, own, collect);
    each_broken(i, chain, now, collect);
    if (ruled) { // nothing is added unless the list has a rule that the chain lacks
      const auto active = active_of(*ruled);
      if (std::all_of(list.begin(), list.end(), [&](std::int32_t r) {
            return std::find(active.begin(), active.end(), r) != active.end();
          }))
        continue;
      std::for_each(active.begin(), active.end(), collect);
      if (!has_room || !set_active(*ruled, list))
        return false;
      added = true;
      continue;
    }
    if (!has_room)
      return false;
    if (list.empty())
      continue;
    Ruled made{};
    made.chain = i;
    made.alone = chain.slots == 0;
    if (!settle(model, made, own, limits, scratch) || !ruled_.push(made))
      return false;
    by_chain_[i] = static_cast<std::int32_t>(ruled_.size() - 1);
    added = true;
  }
  return true;
}

void Rules::write_labels(const Model &model, gsl::span<std::int32_t> labels) const noexcept {
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < model.chains.size(); ++i) {
    if (by_chain_[i] >= 0) {
      const auto from = labels_of(ruled_[by_chain_[i]]);
      std::copy(from.begin(), from.end(), labels.begin() + begin);
    }
    begin += model.chains[i].length;
  }
}

// ---- Cliques ----------------------------------------------------------------------------------

chorale_status Rules::add_cliques(const Report &report, Builder &builder,
                                  std::int64_t labels) const noexcept {
  const auto add = [&](const Property *property, const Potential *potential, std::int64_t chain,
                       const std::int32_t *classes) {
    chorale_clique_setup setup{};
    setup.property = property;
    setup.potential = potential;
    CHORALE_CHECK(builder.add_cliques(report, setup, 1));
    return builder.add_member(report, builder.model->cliques.size() - 1, chain, classes, nullptr,
                              false);
  };
  Held<Property> pin;
  Held<Potential> free_pin;
  for (const Ruled &ruled : ruled_) {
    if (ruled.pinned()) {
      if (!pin) {
        pin.slot() = make_pin(memory_, labels);
        if (!pin)
          return report.out_of_memory();
        CHORALE_CHECK(create_price(report, memory_, 1, 0, kForbidden, free_pin.slot()));
      }
      Held<Potential> paid;
      if (ruled.paid > 0 && ruled.state == CHORALE_RULES_KEPT)
        CHORALE_CHECK(create_price(report, memory_, 1, -ruled.paid, kForbidden, paid.slot()));
      CHORALE_CHECK(add(pin.slot(), paid ? paid.slot() : free_pin.slot(), ruled.chain,
                        labels_.begin() + ruled.first_label));
      continue;
    }
    for (const std::int32_t r : active_of(ruled)) {
      const Rule &rule = rules_[r];
      Held<Potential> price;
      CHORALE_CHECK(
          create_price(report, memory_, rule.property->values, 0, -rule.price, price.slot()));
      CHORALE_CHECK(add(rule.property, price.slot(), ruled.chain, nullptr));
    }
  }
  return CHORALE_OK;
}

// ---- Results ----------------------------------------------------------------------------------

double Rules::gap() const noexcept {
  double sum = 0;
  for (const Ruled &ruled : ruled_)
    if (ruled.alone && ruled.state == CHORALE_RULES_KEPT)
      sum += ruled.gap;
  return sum;
}

bool Rules::list(Array<chorale_ruled_chain> &to) const noexcept {
  for (const std::int32_t at : by_chain_)
    if (at >= 0) {
      const Ruled &ruled = ruled_[at];
      if (!to.push({ruled.chain, ruled.state, 0, ruled.cost, ruled.gap}))
        return false;
    }
  return true;
}

bool Rules::list(Array<chorale_rule_conflict> &to) const noexcept {
  for (const std::int32_t at : by_chain_)
    for (std::int64_t k = 0; at >= 0 && k < ruled_[at].conflict_count; ++k) {
      const Rule &rule = rules_[conflicts_[ruled_[at].first_conflict + k]];
      if (!to.push({ruled_[at].chain, rule.index, rule.a, 0}))
        return false;
    }
  return true;
}

bool Rules::explain(const Model &model, Array<chorale_rule_reason> &to) const noexcept {
  Scratch scratch(memory_);
  for (const std::int32_t at : by_chain_) {
    if (at < 0 || ruled_[at].state != CHORALE_RULES_KEPT)
      continue;
    const Ruled &ruled = ruled_[at];
    Limits limits = Limits::of_steps(kExplainSteps);
    const std::int64_t first = to.size();
    const std::int32_t *own = own_labels_.begin() + ruled.first_label;
    const std::int32_t *labels = labels_.begin() + ruled.first_label;
    Array<std::int32_t> broken(memory_);
    bool has_room = true;
    each_broken(ruled.chain, model.chains[ruled.chain], span_of(own, ruled.length),
                [&](std::int32_t r) { has_room = has_room && broken.push(r); });
    if (!has_room)
      return false;
    for (std::int32_t t = 0; t < ruled.length; ++t) {
      if (own[t] == labels[t])
        continue;
      const std::int32_t *about =
          std::find_if(broken.begin(), broken.end(), [&](std::int32_t r) {
            return is_touched_by(*rules_[r].property, own[t]);
          });
      const Rule &rule = rules_[about == broken.end() ? broken[0] : *about];
      if (!to.push({ruled.chain, t, rule.index, rule.a, own[t], labels[t], 0, 0}))
        return false;
    }
    for (const std::int32_t r : active_of(ruled)) {
      if (to.size() == first)
        break;
      scratch.list.truncate(0);
      if (!scratch.list.append(active_of(ruled)) ||
          !close(model, ruled.chain, r, limits, scratch))
        return false;
      if (limits.interruption() != Interruption::none)
        break;
      const double cost = std::max(scratch.search.score - ruled.score, 0.0);
      for (std::int64_t e = first; scratch.search.found() && e < to.size(); ++e)
        if (chorale_rule_reason &reason = to[e];
            scratch.search.labelling[reason.position] == reason.own_label && cost > reason.cost) {
          reason.rule = rules_[r].index;
          reason.a = rules_[r].a;
          reason.cost = cost;
        }
    }
    for (std::int64_t e = first; e < to.size(); ++e)
      if (to[e].cost == 0)
        to[e].cost = ruled.cost;
  }
  return true;
}

} // namespace chorale
