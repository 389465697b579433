// The rules of a corpus (chorale/rules.h), and the chains whose labellings break them.
#pragma once

#include "base/limits.hpp"
#include "chain/rule_search.hpp"
#include "cluster/model/builder.hpp"
#include "front/agreements.hpp"
#include "property/rules.hpp"

namespace chorale {

class Rules {
public:
  explicit Rules(const Memory &memory) noexcept
      : memory_(memory), rules_(memory), chains_(memory), counted_(memory), ruled_(memory),
        by_chain_(memory), active_(memory), labels_(memory), own_labels_(memory),
        conflicts_(memory) {}
  ~Rules();
  Rules(const Rules &) = delete;
  Rules &operator=(const Rules &) = delete;

  // Scratch memory of the calls below.
  struct Scratch {
    explicit Scratch(const Memory &memory) noexcept
        : search(memory), attached(memory), list(memory) {}
    RuleSearch search;
    Array<AttachedRule> attached;
    Array<std::int32_t> list; // the rules of the chain at hand
  };

  // Checks the caller's rules and makes their properties; does nothing if `given` is NULL. To be
  // called with rules at most once.
  chorale_status read(const Report &report, const chorale_rules *given,
                      const CorpusParts &parts) noexcept;
  bool any() const noexcept { return any_; } // true if the caller gave any

  // Adds to each chain that is not pinned the rules that its labels break and that it does not have
  // yet; to a chain without rules also those that its own labels break. A chain that gets its first
  // rules is solved by itself. labels, own_labels: of all positions, chain after chain: the labels
  // of the run, and those of the chains without cliques. added: set to true if any rule was added,
  // else to false. False if memory runs out.
  bool check(const Model &model, gsl::span<const std::int32_t> labels,
             gsl::span<const std::int32_t> own_labels, Limits &limits, Scratch &scratch,
             bool &added) noexcept;
  // Replaces the labels of each chain with rules by those in labels_: labels that keep the rules,
  // or the chain's own labels if none were found or if they cost too much.
  void write_labels(const Model &model, gsl::span<std::int32_t> labels) const noexcept;
  // Adds the rules of each chain to a model as cliques of one member, one for each rule. A pinned
  // chain gets one clique instead, which forbids all labels but those in labels_.
  chorale_status add_cliques(const Report &report, Builder &builder,
                             std::int64_t labels) const noexcept;

  // Append the results of rules.h to `to`. False if memory runs out.
  bool list(Array<chorale_ruled_chain> &to) const noexcept;
  bool list(Array<chorale_rule_conflict> &to) const noexcept;
  bool explain(const Model &model, Array<chorale_rule_reason> &to) const noexcept;
  // Sum of the gaps of the chains that keep rules and are in no clique of an agreement.
  double gap() const noexcept;

private:
  // A checked rule, the caller's rule `index` for the kind of labels `a`. Its chains are the entries
  // first_chain .. first_chain + chain_count - 1 of chains_, ascending; all chains if chain_count is
  // -1.
  struct Rule {
    const Property *property;
    double price; // plus infinity: must not be broken
    std::int64_t index;
    std::int32_t a;
    std::int64_t first_chain;
    std::int64_t chain_count;
    // AttachedRule::counted begins at this index of counted_; -1: it is NULL. most: as there.
    std::int64_t first_counted;
    std::int64_t most;
  };
  // A chain with rules. Its rules are the active_count entries of active_ from first_active on.
  // From first_label on, labels_ has the best labelling found that keeps them, or the chain's own
  // if `state` is not KEPT. If `state` is IMPOSSIBLE, the conflict_count entries of conflicts_ from
  // first_conflict on are rules that exclude each other. cost, gap: as in chorale_ruled_chain.
  struct Ruled {
    std::int64_t chain;
    chorale_rule_state state;
    bool alone; // in no clique of an agreement
    // score: phi, less `paid`, of the best labelling found that keeps the rules; if none was found,
    // phi of the chain's own labels. paid: the sum of the prices of the rules that the labelling
    // breaks.
    double score;
    double paid;
    double cost;
    double gap;
    std::int64_t first_active;
    std::int64_t active_count;
    std::int64_t first_label;
    std::int32_t length;
    std::int64_t first_conflict;
    std::int64_t conflict_count;

    // True if the clique that add_cliques() adds for the chain forbids all labels but those in
    // labels_.
    bool pinned() const noexcept { return alone || state != CHORALE_RULES_KEPT; }
  };

  chorale_status add(const Report &report, const chorale_rules &given, std::int64_t index,
                     const LabelKinds &kinds, const CorpusParts &parts) noexcept;
  chorale_status check_rule(const Report &report, std::string_view place,
                            const RuleKind &kind, const LabelKinds &kinds,
                            const CorpusParts &parts, chorale_rule &rule) noexcept;
  bool is_touched_by(const Property &property, std::int32_t label) const noexcept;
  bool concerns(const Rule &rule, std::int64_t chain) const noexcept;
  Attached attach(std::int32_t rule, const Chain &chain) const noexcept;
  template <class Visit>
  void each_broken(std::int64_t chain, const Chain &of, gsl::span<const std::int32_t> labels,
                   Visit &&visit) const noexcept;
  bool search(const Chain &chain, std::int32_t without, Limits &limits,
              Scratch &scratch) const noexcept;
  bool close(const Model &model, std::int64_t chain, std::int32_t without, Limits &limits,
             Scratch &scratch) const noexcept;
  bool settle(const Model &model, Ruled &ruled, gsl::span<const std::int32_t> own, Limits &limits,
              Scratch &scratch) noexcept;
  bool find_conflict(const Model &model, Ruled &ruled, Limits &limits, Scratch &scratch) noexcept;
  bool set_active(Ruled &ruled, gsl::span<const std::int32_t> active) noexcept;
  gsl::span<const std::int32_t> labels_of(const Ruled &ruled) const noexcept {
    return span_of(labels_.begin() + ruled.first_label, ruled.length);
  }
  gsl::span<const std::int32_t> active_of(const Ruled &ruled) const noexcept {
    return span_of(active_.begin() + ruled.first_active, ruled.active_count);
  }

  Memory memory_;
  bool any_ = false;
  double most_cost_ = kInfinity;
  Array<Rule> rules_;
  Array<std::int64_t> chains_;
  Array<std::uint8_t> counted_;
  Array<Ruled> ruled_;
  Array<std::int32_t> by_chain_; // by chain: index of its entry in ruled_, or -1
  Array<std::int32_t> active_;
  Array<std::int32_t> labels_;
  Array<std::int32_t> own_labels_; // at the same indices as labels_
  Array<std::int32_t> conflicts_;
};

} // namespace chorale
