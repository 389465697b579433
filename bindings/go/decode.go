package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
)

// AgreementKind says what an [Agreement] joins.
type AgreementKind int32

// Kinds of agreements.
const (
	AgreeWords    AgreementKind = C.CHORALE_AGREE_WORDS    // the labels of all positions with the same token
	AgreeKeys     AgreementKind = C.CHORALE_AGREE_KEYS     // the labels of all positions with the same entry of Keys
	AgreeProperty AgreementKind = C.CHORALE_AGREE_PROPERTY // what whole chains show of Property: the label after the title, say
	AgreeCliques  AgreementKind = C.CHORALE_AGREE_CLIQUES  // the labels of the positions that CliqueOffsets and Members put together
)

// Agreement is one thing that ought to agree, softly. It is made by [NewAgreement].
type Agreement struct {
	Kind   AgreementKind // what is joined
	Across bool          // over all groups of chains; false: within each. AgreeCliques ignores it
	// How strongly: n positions (or chains) of which n_v show v add Strength / n * sum_v n_v^2 to the score. One that joins
	// all others gains up to twice the strength; so strength 1 outweighs a tagger that prefers another label by less than 2.
	// Negative: they ought to differ. 1 by default.
	Strength  float64
	Potential *Potential // in the place of Strength: over the labels, or over the values of Property; nil: Strength
	Minimum   int        // how many positions or chains make a clique, at least 1; 2 by default
	Keys      []int32    // of AgreeKeys, by position of the corpus: a key >= 0, or -1 for none
	Stop      []int32    // of AgreeWords and AgreeKeys: tokens or keys that make no clique
	Property  *Property  // of AgreeProperty
	// Of AgreeCliques: clique c holds the positions Members[CliqueOffsets[c]] to Members[CliqueOffsets[c + 1] - 1], numbered as
	// in [Corpus]. CliqueOffsets nil: one clique, which gets all Members.
	CliqueOffsets []int64
	Members       []int64
}

// NewAgreement returns the defaults of a kind.
func NewAgreement(kind AgreementKind) *Agreement {
	var told C.chorale_agreement
	C.chorale_agreement_init(&told, C.sizeof_chorale_agreement)
	return &Agreement{Kind: kind, Across: told.across != 0, Strength: float64(told.strength), Minimum: int(told.minimum)}
}

// Decoded is a corpus that has been labelled together. Results may be read by any number of goroutines, while nobody solves
// its [Decoded.Run] further.
type Decoded struct {
	run     *Run // its handle is that of the whole
	decoded *C.chorale_decoded
}

// Decode labels a corpus so that what the agreements name agrees, as far as the scores allow. options: of the run; nil for
// the defaults.
//
// Where the deadline or the cancellation of the context (nil: none) ends the run, both are given: what was found until then,
// with the outcome [Cancelled], and the error of the context. Before round 0 is done there are no labels, which [Decoded.Labels]
// says, and the score is minus infinity. The time limit of the options is an outcome alone; it counts from when the model
// is made. After any other error there is no result. Messages name an agreement by its place, "agreements[1]".
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

// agreements lends a specification for the chains with these offsets.
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

// Run is the run behind the result, for all that it tells; it may be solved further, and then the result is the new one. It
// belongs to the result: Close of either closes both. nil for nil.
func (d *Decoded) Run() *Run {
	if d == nil {
		return nil
	}
	return d.run
}

// Model is the model behind the result: a handle of its own, to be closed.
func (d *Decoded) Model() (*Model, error) {
	c, decoded := d.begin()
	defer c.end()
	if decoded == nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(C.chorale_decoded_model(decoded)), (*handle)(d.run.model)), nil
}

// Labels are the labels of all chains that were found together: row i are those of chain i. All rows are parts of one array,
// in the order of the corpus.
func (d *Decoded) Labels() ([][]int32, error) { return d.labels(Together) }

// Alone are the labels of every chain's own best labelling, as [Decoded.Labels].
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

// Result is the score, its upper bound, and how the run ended.
func (d *Decoded) Result() (RunResult, error) {
	c, decoded := d.begin()
	defer c.end()
	result := newRunResult()
	if decoded == nil || c.failed(C.chorale_decoded_get_result(decoded, result, c.detail)) {
		return RunResult{}, c.err
	}
	return runResult(result), nil
}

// Reason is why a chain changed: one thing that agrees better now.
type Reason struct {
	Agreement int     // which of the agreements
	Clique    int     // within the model
	Chain     int     // of the corpus
	Position  int     // within the chain; -1: the whole chain, of a property
	Members   int     // how many positions or chains the clique has
	Agreeing  int     // how many of the others show Value now
	OwnValue  int32   // what it showed by itself: a label, or a value of the property, R for EMPTY, R + 1 for CONFLICT
	Value     int32   // what it shows now
	Amount    float64 // what the clique would lose if it alone went back; plus infinity where that is forbidden
}

// Reasons are all reasons, by chain, then position, then agreement. A changed position without one was moved by its
// neighbours.
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

// Agreement tells which of the agreements made a clique of the model; -1 for one that the model does not have, and for a
// closed result.
func (d *Decoded) Agreement(clique int) int {
	c, decoded := d.begin()
	defer c.end()
	return int(C.chorale_decoded_agreement(decoded, C.int64_t(clique)))
}
