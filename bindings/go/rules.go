package chorale

// #include "shim.h"
import "C"

// RuleKind says what a [Rule] demands of kinds A and B of labels. A segment is a longest stretch of
// positions with labels of one kind ([LabelMap]). Rules are provisional.
type RuleKind int32

// The kinds of rules.
const (
	RuleAtMost        RuleKind = C.CHORALE_RULE_AT_MOST        // at most K segments of A
	RuleAtLeast       RuleKind = C.CHORALE_RULE_AT_LEAST       // at least K segments of A
	RuleExactly       RuleKind = C.CHORALE_RULE_EXACTLY        // K segments of A
	RuleNever         RuleKind = C.CHORALE_RULE_NEVER          // no position has A
	RuleAtMostTokens  RuleKind = C.CHORALE_RULE_AT_MOST_TOKENS // at most K positions have A
	RuleNoLonger      RuleKind = C.CHORALE_RULE_NO_LONGER      // no segment of A has more than K positions
	RuleBefore        RuleKind = C.CHORALE_RULE_BEFORE         // no A comes after a B
	RuleDirectlyAfter RuleKind = C.CHORALE_RULE_DIRECTLY_AFTER // the position before a segment of A exists and has B
	RuleNotTogether   RuleKind = C.CHORALE_RULE_NOT_TOGETHER   // A and B are not both in the chain
	RuleNeeds         RuleKind = C.CHORALE_RULE_NEEDS          // if A is in the chain, B is too
	RuleProperty      RuleKind = C.CHORALE_RULE_PROPERTY       // Property fires nothing
)

// Rule says what the labelling of a chain must look like. The zero value: at most one segment of
// label 0.
type Rule struct {
	Kind     RuleKind  // what the rule demands
	Each     bool      // a rule for each kind A but B and those that the corpus does not count; A is ignored
	A, B     int32     // kinds of labels
	K        int       // 0: 1
	Price    float64   // what a labelling that breaks the rule loses, once for each chain; 0: the rule is never broken
	Property *Property // read by RuleProperty
	Chains   []int64   // the chains that the rule concerns; nil: all
}

// Rules are what labellings must keep: a field of the options of [Decode], whose result is then the
// best labelling of those that keep them. A chain of which no labelling keeps them has its own labels
// ([Decoded.RuledChains]). The message of an error names a rule by index and kind.
type Rules struct {
	Rules    []Rule    // the rules, in any order
	Map      *LabelMap // the kinds of the labels; nil: each label is its own kind
	MostCost float64   // a chain whose rules cost more keeps its own labels; 0: no limit
}

// RuleState says what became of the rules of a chain.
type RuleState int32

// The states of rules.
const (
	RulesKept       RuleState = C.CHORALE_RULES_KEPT       // the chain keeps its rules
	RulesImpossible RuleState = C.CHORALE_RULES_IMPOSSIBLE // no labelling keeps them ([Decoded.RuleConflicts])
	RulesTooDear    RuleState = C.CHORALE_RULES_TOO_DEAR   // they cost more than MostCost
	RulesUnfinished RuleState = C.CHORALE_RULES_UNFINISHED // a limit ended the search before a labelling was found
)

// RuledChain is a chain to which rules were added, since a labelling of it broke them.
type RuledChain struct {
	Chain int       // number of the chain
	State RuleState // other than RulesKept: the chain has its own labels
	Cost  float64   // what the rules cost, by the scores of the chain alone; infinite if they are impossible
	Gap   float64   // how much lower the cost may still be; 0: it is proven
}

// RuleConflict is one of the rules that exclude each other on a chain.
type RuleConflict struct {
	Chain int   // number of the chain
	Rule  int   // index of the rule
	A     int32 // the kind A, for a rule with Each
}

// RuleReason tells why rules changed a label.
type RuleReason struct {
	Chain, Position int     // number of the chain, and a position of it
	Rule            int     // index of the rule
	A               int32   // the kind A, for a rule with Each
	OwnLabel        int32   // label in the best labelling without rules and cliques
	Label           int32   // label in the best labelling of the chain that keeps the rules
	Cost            float64 // how much better the chain would be without this rule; if no single rule makes the change, what all cost
}

// rules returns rules as C structs, which C may read until the call ends; nil for nil.
func (c *call) rules(rules *Rules) *C.chorale_rules {
	if rules == nil {
		return nil
	}
	all := make([]C.chorale_rule, len(rules.Rules))
	for i := range rules.Rules {
		rule, told := &rules.Rules[i], &all[i]
		told.struct_size = C.sizeof_chorale_rule
		told.kind = C.chorale_rule_kind(rule.Kind)
		told.each = flag(rule.Each)
		told.a, told.b, told.k = C.int32_t(rule.A), C.int32_t(rule.B), C.int64_t(rule.K)
		told.price = C.double(rule.Price)
		told.property = (*C.chorale_property)(c.optional((*handle)(rule.Property)))
		told.chains = (*C.int64_t)(lend(&c.memory, rule.Chains))
		told.chain_count = C.int64_t(len(rule.Chains))
	}
	told := C.chorale_rules{struct_size: C.sizeof_chorale_rules}
	told.rules = (*C.chorale_rule)(lend(&c.memory, all))
	told.count = C.int64_t(len(all))
	if rules.Map != nil {
		told._map = (*C.chorale_label_map)(lend(&c.memory, []C.chorale_label_map{*c.labelMap(rules.Map, nil)}))
	}
	told.most_cost = C.double(rules.MostCost)
	return (*C.chorale_rules)(lend(&c.memory, []C.chorale_rules{told}))
}

// RuledChains returns the chains to which rules were added, in ascending order.
func (d *Decoded) RuledChains() ([]RuledChain, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_decoded_ruled_chains(decoded, nil, C.sizeof_chorale_ruled_chain, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_ruled_chain, needed)
	if c.failed(C.chorale_decoded_ruled_chains(decoded, &found[0], C.sizeof_chorale_ruled_chain, needed, nil, c.detail)) {
		return nil, c.err
	}
	ruled := make([]RuledChain, len(found))
	for i, r := range found {
		ruled[i] = RuledChain{int(r.chain), RuleState(r.state), float64(r.cost), float64(r.gap)}
	}
	return ruled, nil
}

// RuleConflicts returns, for each chain whose rules are impossible, rules that exclude each other,
// of which each is needed for that.
func (d *Decoded) RuleConflicts() ([]RuleConflict, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_decoded_rule_conflicts(decoded, nil, C.sizeof_chorale_rule_conflict, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_rule_conflict, needed)
	if c.failed(C.chorale_decoded_rule_conflicts(decoded, &found[0], C.sizeof_chorale_rule_conflict, needed, nil, c.detail)) {
		return nil, c.err
	}
	conflicts := make([]RuleConflict, len(found))
	for i, r := range found {
		conflicts[i] = RuleConflict{int(r.chain), int(r.rule), int32(r.a)}
	}
	return conflicts, nil
}

// RuleReasons returns why rules changed labels, by chain, then position.
func (d *Decoded) RuleReasons() ([]RuleReason, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_decoded_rule_reasons(decoded, nil, C.sizeof_chorale_rule_reason, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_rule_reason, needed)
	if c.failed(C.chorale_decoded_rule_reasons(decoded, &found[0], C.sizeof_chorale_rule_reason, needed, nil, c.detail)) {
		return nil, c.err
	}
	reasons := make([]RuleReason, len(found))
	for i, r := range found {
		reasons[i] = RuleReason{int(r.chain), int(r.position), int(r.rule), int32(r.a), int32(r.own_label), int32(r.label), float64(r.cost)}
	}
	return reasons, nil
}
