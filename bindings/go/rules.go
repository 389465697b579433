package chorale

// #include "shim.h"
import "C"

// rules returns rules as C structs, which C may read until the call ends; nil for nil.
func (c *call) rules(rules *Rules) *C.chorale_rules {
	if rules == nil {
		return nil
	}
	all := make([]C.chorale_rule, len(rules.Rules))
	for i := range rules.Rules {
		all[i] = *c.ruleInC(&rules.Rules[i])
	}
	told := c.rulesInC(rules)
	told.rules = (*C.chorale_rule)(lend(c, all))
	told.count = C.int64_t(len(all))
	if rules.Map != nil {
		told._map = (*C.chorale_label_map)(lend(c, []C.chorale_label_map{*c.labelMapInC(rules.Map)}))
	}
	return (*C.chorale_rules)(lend(c, []C.chorale_rules{*told}))
}
