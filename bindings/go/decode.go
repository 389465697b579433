package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
)

// AgreementKind is the kind of labels or values that an [Agreement] concerns.
type AgreementKind int32

// Kinds of agreements.
const (
	AgreeWords    AgreementKind = C.CHORALE_AGREE_WORDS    // the labels of all positions with the same token
	AgreeKeys     AgreementKind = C.CHORALE_AGREE_KEYS     // the labels of all positions with the same entry of Keys
	AgreeProperty AgreementKind = C.CHORALE_AGREE_PROPERTY // the values of Property on whole chains, such as the label after the title
	AgreeCliques  AgreementKind = C.CHORALE_AGREE_CLIQUES  // the labels of the positions in each clique of CliqueOffsets and Members
)

// Agreement is a soft constraint: labels of positions, or property values of chains, that should agree.
// It is made by [NewAgreement].
type Agreement struct {
	Kind   AgreementKind // the kind of the agreement
	Across bool          // true: cliques across all groups of chains; false: within each. Ignored by AgreeCliques
	// Strength of the agreement: a clique of n positions (or chains), n_v of which have value v, adds
	// Strength / n * sum_v n_v^2 to the score. A position that changes to the value of all others gains up
	// to twice the strength; so strength 1 outweighs a tagger that prefers another label by less than 2.
	// Negative: values should differ. 1 by default.
	Strength  float64
	Potential *Potential // replaces Strength: over the labels, or over the values of Property; nil: Strength is used
	Minimum   int        // least number of positions or chains of a clique, at least 1; 2 by default
	Keys      []int32    // for AgreeKeys, by position of the corpus: a key >= 0, or -1 for none
	Stop      []int32    // for AgreeWords and AgreeKeys: tokens or keys without cliques
	Property  *Property  // for AgreeProperty
	// For AgreeCliques: clique c holds the positions Members[CliqueOffsets[c]] to Members[CliqueOffsets[c +
	// 1] - 1], numbered as in [Corpus]. CliqueOffsets nil: one clique, with all Members.
	CliqueOffsets []int64
	Members       []int64
	// Weights are how often each position (of AgreeProperty: each chain) counts, at least 1; nil: 1 for all. n and
	// n_v are then sums of weights. The Strength must be at least 0, or the Potential a convex sum.
	Weights []int64
}

// NewAgreement returns the defaults of a kind.
func NewAgreement(kind AgreementKind) *Agreement {
	var told C.chorale_agreement
	C.chorale_agreement_init(&told, C.sizeof_chorale_agreement)
	return &Agreement{Kind: kind, Across: told.across != 0, Strength: float64(told.strength), Minimum: int(told.minimum)}
}

// Decoded is a corpus that has been labelled together. Any number of goroutines may read the results,
// while none solves its [Decoded.Run] further.
type Decoded struct {
	run     *Run // its handle also owns the result
	decoded *C.chorale_decoded
}

// Decode labels a corpus, maximising the scores plus the potentials of all agreements. options: of the
// run; nil for the defaults.
//
// If the deadline or the cancellation of the context (nil: none) ends the run, Decode returns both the
// result so far, with the outcome [Cancelled], and the error of the context. Before round 0 is complete
// there are no labels ([Decoded.Labels] fails), and the score is minus infinity. The time limit of the
// options, which starts when the model has been built, gives an outcome and no error. After any other
// error there is no result. Messages name an agreement by its index, such as "agreements[1]".
func Decode(ctx context.Context, corpus *Corpus, agreements []*Agreement, options *RunOptions) (*Decoded, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	d := &Decoded{}
	var ended error
	run, err := newRun(options, func(c *call, run *Run, host *C.chorale_host, told *C.chorale_run_options) (*C.chorale_run, func()) {
		given, offsets := c.corpus(corpus)
		all := c.agreements(agreements, offsets)
		if c.err != nil {
			return nil, nil
		}
		finish := raiseAtEnd(ctx, told.cancel, true)
		var decoded *C.chorale_decoded
		status := C.chorale_decode(host, given, (*C.chorale_agreement)(first(all)), C.int64_t(len(all)), told, &decoded, c.detail)
		finish()
		result := newRunResult()
		if c.failed(status) {
			return nil, nil
		}
		if c.failed(C.chorale_decoded_get_result(decoded, result, c.detail)) {
			C.chorale_decoded_destroy(decoded)
			return nil, nil
		}
		if Outcome(result.outcome) == Cancelled {
			ended = ctx.Err() // nil where a callback asked for the end
		}
		d.decoded = decoded
		run.model = newModel(C.chorale_model_retain(C.chorale_decoded_model(decoded)))
		for _, agreement := range agreements { // whose callbacks a further Solve calls
			(*handle)(run.model).relate((*handle)(agreement.Potential))
		}
		return C.chorale_decoded_run(decoded), func() { C.chorale_decoded_destroy(decoded) }
	})
	if err != nil {
		return nil, err
	}
	d.run = run
	return d, ended
}

// agreements lends a specification to C, for the chains with these offsets.
func (c *call) agreements(agreements []*Agreement, offsets []int64) []C.chorale_agreement {
	all := make([]C.chorale_agreement, len(agreements))
	for i, agreement := range agreements {
		at := fmt.Sprintf("agreements[%d]", i)
		if agreement == nil {
			c.fail(refuse(ErrNullArgument, "%s is nil", at))
		}
		if c.err != nil {
			return nil
		}
		told := &all[i]
		C.chorale_agreement_init(told, C.sizeof_chorale_agreement)
		told.kind = C.chorale_agreement_kind(agreement.Kind)
		told.across = flag(agreement.Across)
		told.strength = C.double(agreement.Strength)
		told.potential = (*C.chorale_potential)(c.optional((*handle)(agreement.Potential)))
		told.minimum = C.int64_t(agreement.Minimum)
		c.check(at+".Keys", len(agreement.Keys), int(offsets[len(offsets)-1]))
		told.keys = (*C.int32_t)(lend(&c.memory, agreement.Keys))
		told.stop = (*C.int32_t)(lend(&c.memory, agreement.Stop))
		told.stop_count = C.int64_t(len(agreement.Stop))
		told.property = (*C.chorale_property)(c.optional((*handle)(agreement.Property)))
		cliques := c.parts(at+".CliqueOffsets", agreement.CliqueOffsets, len(agreement.Members))
		told.cliques = C.int64_t(len(cliques) - 1)
		told.clique_offsets = (*C.int64_t)(lend(&c.memory, cliques))
		told.members = (*C.int64_t)(lend(&c.memory, agreement.Members))
		entries := int(offsets[len(offsets)-1])
		if agreement.Kind == AgreeProperty {
			entries = len(offsets) - 1
		}
		c.check(at+".Weights", len(agreement.Weights), entries)
		told.weights = (*C.int64_t)(lend(&c.memory, agreement.Weights))
	}
	return all
}

func (d *Decoded) begin() (*call, *C.chorale_decoded) {
	c := begin()
	if c.share(d.Run().handle()) == nil {
		return c, nil
	}
	return c, d.decoded
}

// Close frees the result, and the run with it.
func (d *Decoded) Close() error { return d.Run().Close() }

// Run is the run of the result; if it is solved further, the result changes too. It belongs to the
// result: Close of either closes both. nil for nil.
func (d *Decoded) Run() *Run {
	if d == nil {
		return nil
	}
	return d.run
}

// Model is the model of the result: a new handle, which the caller closes.
func (d *Decoded) Model() (*Model, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(C.chorale_decoded_model(decoded)), (*handle)(d.run.model)), nil
}

// Labels are the labels of all chains, labelled together: row i belongs to chain i. All rows are parts
// of one array, in the order of the corpus.
func (d *Decoded) Labels() ([][]int32, error) { return d.labels(Together) }

// Alone are the best labels of every chain without cliques, in the same form as [Decoded.Labels].
func (d *Decoded) Alone() ([][]int32, error) { return d.labels(Alone) }

func (d *Decoded) labels(of Labelling) ([][]int32, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	labels := c.numbers(func(to *C.int32_t, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_decoded_labels(decoded, C.chorale_labelling(of), to, capacity, needed, c.detail)
	})
	if c.err != nil {
		return nil, c.err
	}
	return cut(labels, d.run.model.ChainLengths()), nil
}

// Result is the score, its upper bound, and the outcome of the run.
func (d *Decoded) Result() (RunResult, error) {
	c, decoded := d.begin()
	defer c.end()
	result := newRunResult()
	if decoded == nil || c.failed(C.chorale_decoded_get_result(decoded, result, c.detail)) {
		return RunResult{}, c.err
	}
	return runResult(result), nil
}

// Reason is one reason why a chain's labels differ from its best labels without cliques: a clique in
// which a position or chain changed its value.
type Reason struct {
	Agreement int     // index of the agreement
	Clique    int     // number of the clique in the model
	Chain     int     // number of the chain in the corpus
	Position  int     // position in the chain; -1: the whole chain, in a clique over a property
	Members   int     // number of positions or chains of the clique
	Agreeing  int     // number of other members with Value now
	OwnValue  int32   // value without cliques: a label, or a value of the property, R for EMPTY, R + 1 for CONFLICT
	Value     int32   // value now
	Amount    float64 // decrease of the score of the clique if this member alone took OwnValue again; plus infinity if that is forbidden
}

// Reasons are all reasons, by chain, then position, then agreement. A changed position without a reason
// follows its neighbours in the chain.
func (d *Decoded) Reasons() ([]Reason, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_decoded_reasons(decoded, nil, C.sizeof_chorale_reason, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_reason, needed)
	if c.failed(C.chorale_decoded_reasons(decoded, &found[0], C.sizeof_chorale_reason, needed, nil, c.detail)) {
		return nil, c.err
	}
	reasons := make([]Reason, len(found))
	for i, r := range found {
		reasons[i] = Reason{
			int(r.agreement), int(r.clique), int(r.chain), int(r.position), int(r.members), int(r.agreeing), int32(r.own_value),
			int32(r.value), float64(r.amount),
		}
	}
	return reasons, nil
}

// Agreement is the index of the agreement that made a clique of the model; -1 if out of range, and for a
// closed result.
func (d *Decoded) Agreement(clique int) int {
	c, decoded := d.begin()
	defer c.end()
	return int(C.chorale_decoded_agreement(decoded, C.int64_t(clique)))
}
