package chorale

// #include "shim.h"
import "C"

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
		told.chains = (*C.int64_t)(lend(c, rule.Chains))
		told.chain_count = C.int64_t(len(rule.Chains))
	}
	told := C.chorale_rules{struct_size: C.sizeof_chorale_rules}
	told.rules = (*C.chorale_rule)(lend(c, all))
	told.count = C.int64_t(len(all))
	if rules.Map != nil {
		told._map = (*C.chorale_label_map)(lend(c, []C.chorale_label_map{*c.labelMap(rules.Map, nil)}))
	}
	told.most_cost = C.double(rules.MostCost)
	return (*C.chorale_rules)(lend(c, []C.chorale_rules{told}))
}

// RuledChains returns the chains to which rules were added, in ascending order.
func (d *Decoded) RuledChains() ([]RuledChain, error) {
	c, decoded := d.begin()
	defer c.end()
	return listed(c, func(to *C.chorale_ruled_chain, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_decoded_ruled_chains(decoded, to, C.sizeof_chorale_ruled_chain, capacity, needed, c.detail)
	}, ruledChain)
}

// RuleConflicts returns, for each chain whose rules are impossible, rules that exclude each other,
// of which each is needed for that.
func (d *Decoded) RuleConflicts() ([]RuleConflict, error) {
	c, decoded := d.begin()
	defer c.end()
	return listed(c, func(to *C.chorale_rule_conflict, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_decoded_rule_conflicts(decoded, to, C.sizeof_chorale_rule_conflict, capacity, needed, c.detail)
	}, ruleConflict)
}

// RuleReasons returns why rules change labels, by chain, then position, as if there were no
// agreements: Label need not be the label in the result.
func (d *Decoded) RuleReasons() ([]RuleReason, error) {
	c, decoded := d.begin()
	defer c.end()
	return listed(c, func(to *C.chorale_rule_reason, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_decoded_rule_reasons(decoded, to, C.sizeof_chorale_rule_reason, capacity, needed, c.detail)
	}, ruleReason)
}
