package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
)

// NoAgreement, as Agreement.Strength, means that the agreement is as if it were not there.
const NoAgreement = float64(C.CHORALE_NO_AGREEMENT)

// Decoded is the result of [Decode]: the labels of a corpus and the reasons for them. Any number of
// goroutines may read it, as long as none solves its run ([Decoded.Run]) further.
type Decoded struct {
	run     *Run // the run, whose handle also frees `decoded`
	decoded *C.chorale_decoded
}

// Decode labels a corpus so that the scores plus the potentials of all agreements are as great as
// possible. options: those of the run; nil for the defaults.
//
// If the deadline or the cancellation of the context (nil: none) ends the run, Decode returns both
// the result so far, with the outcome [Cancelled], and the error of the context: at worst the labels
// of each chain by itself. If the time limit of the options ends the run, the outcome says so and
// there is no error; the time covers the building of the model. After any other error there is no
// result. The message of an error names an agreement by its index, such as "agreements[1]".
func Decode(ctx context.Context, corpus *Corpus, agreements []*Agreement, options *RunOptions) (*Decoded, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	d := &Decoded{}
	run, err := newRun(options, func(c *call, run *Run, told *C.chorale_run_options) (*C.chorale_run, func()) {
		given, offsets := c.corpus(corpus)
		all := c.agreements(agreements, offsets)
		if c.err != nil || c.failed(during(ctx, told.cancel, true, func() C.chorale_status {
			return C.chorale_decode(nil, given, (*C.chorale_agreement)(first(all)), C.int64_t(len(all)), told, &d.decoded, c.detail)
		})) {
			return nil, nil
		}
		run.model = newModel(C.chorale_model_retain(C.chorale_decoded_model(d.decoded)))
		for _, agreement := range agreements { // a further Solve of the run may call the callbacks of the agreements' potentials
			run.model.handle().relate(agreement.Potential.handle())
		}
		decoded := d.decoded
		return C.chorale_decoded_run(decoded), func() { C.chorale_decoded_destroy(decoded) }
	})
	if err != nil {
		return nil, err
	}
	d.run = run
	result, err := d.Result()
	if err == nil && result.Outcome == Cancelled {
		err = ctx.Err() // nil if a callback, not the context, ended the call
	}
	return d, err
}

// agreements returns agreements as C structs whose arrays C may read until the call ends. It checks
// that the arrays are as long as the corpus requires. offsets: as in [Corpus].
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
		cliques := c.parts(at+".CliqueOffsets", agreement.CliqueOffsets, len(agreement.Members))
		entries := int(offsets[len(offsets)-1])
		c.check(at+".Keys", len(agreement.Keys), entries)
		if agreement.Kind == AgreeProperty {
			entries = len(offsets) - 1
		}
		c.check(at+".Weights", len(agreement.Weights), entries)
		all[i] = *c.agreementInC(agreement)
		all[i].cliques = C.int64_t(len(cliques) - 1)
		all[i].clique_offsets = (*C.int64_t)(lend(c, cliques))
	}
	return all
}

func (c *call) decoded(d *Decoded) *C.chorale_decoded {
	if c.share(d.Run().handle()) == nil {
		return nil
	}
	return d.decoded
}

// Close frees the result and its run.
func (d *Decoded) Close() error { return d.Run().Close() }

// Run returns the run of the result, or nil if the result is nil. If the run is solved further, the
// result changes too. Result and run are one object: closing either closes both.
func (d *Decoded) Run() *Run {
	if d == nil {
		return nil
	}
	return d.run
}

// Model returns the model of the result as a new handle, which the caller closes.
func (d *Decoded) Model() (*Model, error) {
	c := begin()
	defer c.end()
	decoded := c.decoded(d)
	if decoded == nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(C.chorale_decoded_model(decoded)), d.run.model.handle()), nil
}

// Labels returns the labels of all chains, labelled together: row i belongs to chain i, and is -1
// throughout if the chain is left out ([Run.LeftOut]). All rows are parts of one array, in the order
// of the corpus.
func (d *Decoded) Labels() ([][]int32, error) { return d.labels(Together) }

// Alone returns the best labels of every chain without cliques and rules, in the same form as
// [Decoded.Labels]. Known labels (Forced) count here too.
func (d *Decoded) Alone() ([][]int32, error) { return d.labels(Alone) }

func (d *Decoded) labels(of Labelling) ([][]int32, error) {
	c := begin()
	defer c.end()
	decoded := c.decoded(d)
	if decoded == nil {
		return nil, c.err
	}
	labels, err := filled(c, func(to *int32, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_decoded_labels(decoded, C.chorale_labelling(of), (*C.int32_t)(to), capacity, needed, c.detail)
	})
	if err != nil {
		return nil, err
	}
	return cut(labels, d.run.model.ChainLengths()), nil
}

// Strength returns the strength of an agreement, given or found; 0 for [NoAgreement], if its
// potential was given, if even the smallest strength would change too many labels (then nothing
// agrees; give a number), if there is no such agreement, and for a closed result.
func (d *Decoded) Strength(agreement int) float64 {
	c := begin()
	defer c.end()
	decoded := c.decoded(d)
	return float64(C.chorale_decoded_strength(decoded, C.int64_t(agreement)))
}
