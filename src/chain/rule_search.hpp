// The best labelling of a chain under rules, by a search over partial labellings from left to
// right.
//
// A rule is a property that fires where a labelling breaks the rule. A *node* is a set of partial
// labellings that end at the same position with the same label, and with the same state of each
// rule's automaton; only the best of them matters. Its *bound* is its score plus the best score of
// the positions after it, without rules (Scores::complete), so no completion scores more. At each
// position the search keeps the nodes with the greatest bounds, up to a *width*. The greatest bound
// of those that it dropped is an upper bound on what it missed. The search is repeated with greater
// widths: the labelling found so far gives a *floor*, below which wider searches drop nodes without
// loss.
//
// If the best labellings without rules break rules of the form "at most k segments", these bounds
// are far too high. So wider searches use Lagrangian bounds: each such rule that must not be broken
// has a *multiplier* of at least 0; a bound is lowered by the multiplier for each segment, and
// raised by k times it. For labellings that keep the rule, the sum of these changes is at least 0:
// bounds stay valid.
#pragma once

#include "base/array.hpp"
#include "base/workspace.hpp"
#include "chain/scores.hpp"
#include "property/attached.hpp"

namespace chorale {

// A rule on one chain. price: is subtracted once from the score of a labelling that breaks the
// rule; plus infinity if the rule must not be broken.
struct AttachedRule {
  Attached attached;
  double price;
  // For a rule that allows at most `most` segments of a kind and must not be broken, else NULL. By
  // label: 0 if the label is not of this kind; 2 if it is and always begins a segment; else 1.
  const std::uint8_t *counted = nullptr;
  std::int64_t most = 0;

  // True if label y, after label x (-1: at the first position), begins a segment that is counted.
  bool counts(std::int32_t x, std::int32_t y) const noexcept {
    return counted && counted[y] != 0 && (x < 0 || counted[y] == 2 || counted[x] == 0);
  }
  // True if `labelling` breaks the rule.
  bool broken_by(gsl::span<const std::int32_t> labelling) const noexcept {
    bool fires = false;
    attached.each_firing(labelling, {}, [&](std::int32_t) { fires = true; });
    return fires;
  }
};

class RuleSearch {
public:
  explicit RuleSearch(const Memory &memory) noexcept
      : labelling(memory), workspace_(memory), completion_(memory), now_(memory), next_(memory),
        states_(memory), next_states_(memory), trail_(memory), layers_(memory), table_(memory),
        order_(memory), stepped_(memory), multipliers_(memory), best_multipliers_(memory),
        payments_(memory), priced_(memory), path_(memory) {}

  // Searches. The chain must have at least one position. False if memory runs out. If `limits`
  // interrupt the search, the best labelling found so far is the result, if there is one.
  bool run(const ChainView &view, gsl::span<const AttachedRule> rules, Limits &limits) noexcept;

  bool found() const noexcept { return score > kForbidden; }
  // True if the search proved that every labelling is forbidden: by the scores, or since it breaks
  // a rule that must not be broken.
  bool impossible() const noexcept { return bound == kForbidden; }
  double gap() const noexcept { return found() ? bound - score : kInfinity; }

  Array<std::int32_t> labelling;
  double score = kForbidden; // phi of the labelling, minus the prices of the rules that it breaks
  double paid = 0;           // sum of the prices of the rules that the labelling breaks
  double bound = kInfinity;  // upper bound on the scores of all labellings

private:
  struct Node {
    double bound;
    double score;
    double paid; // sum of the multipliers of its segments
    std::int32_t label;
    std::int32_t from; // index of the node at the position before
  };
  // What is kept of the nodes of earlier positions.
  struct Step {
    std::int32_t label;
    std::int32_t from;
  };

  void set_payments(gsl::span<const AttachedRule> rules) noexcept;
  double complete_paying(Scores &scores) noexcept;
  bool tighten(Scores &scores, gsl::span<const AttachedRule> rules, Limits &limits) noexcept;
  bool search(Scores &scores, gsl::span<const AttachedRule> rules, std::int64_t width,
              Limits &limits) noexcept;
  bool extend(Scores &scores, gsl::span<const AttachedRule> rules, std::int32_t t,
              std::int64_t node) noexcept;
  bool add(const Node &node) noexcept;
  void keep_best(std::int64_t width) noexcept;
  bool end_layer() noexcept;
  void finish(const ChainView &view, gsl::span<const AttachedRule> rules) noexcept;

  Workspace workspace_;
  Array<double> completion_;
  std::int32_t rules_ = 0;
  double floor_ = kForbidden; // nodes whose bounds are not above it are dropped
  double dropped_ = kForbidden; // greatest bound of a node dropped because the width was full
  // The nodes of the current and of the next position, and the states of the rules' automata,
  // rules_ for each node.
  Array<Node> now_;
  Array<Node> next_;
  Array<std::int32_t> states_;
  Array<std::int32_t> next_states_;
  Array<Step> trail_;          // the nodes of all positions
  Array<std::int64_t> layers_; // where the nodes of each position begin in trail_
  Array<std::int32_t> table_;  // hash table of next_: index of a node, or -1
  Array<std::int32_t> order_;   // indices of the nodes of next_ that are kept
  Array<std::int32_t> stepped_; // states of the rules in the node that extend() makes
  // Multipliers of the rules, all 0 before tighten(); and the best ones that tighten() has found.
  Array<double> multipliers_;
  Array<double> best_multipliers_;
  double advance_ = 0; // added to all bounds: sum over the rules of multiplier * AttachedRule::most
  // (m + 1) x m: entry (x, y) is the sum of the multipliers of the rules for which label y after
  // label x begins a segment; row m: label y at the first position.
  Array<double> payments_;
  Array<double> priced_; // m x m: transition scores less payments, a row for each "to" label
  Array<std::int32_t> path_; // best labelling of complete_paying()
};

} // namespace chorale
