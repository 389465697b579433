package chorale

// #include "shim.h"
import "C"

import (
	"unsafe"
)

// Tables of mentions are experimental: they may change or go in any version.

// EvidenceOrigin says where [Evidence] comes from.
type EvidenceOrigin int32

// The origins of evidence.
const (
	EvidenceGiven     EvidenceOrigin = C.CHORALE_EVIDENCE_GIVEN     // by the caller
	EvidenceEstimated EvidenceOrigin = C.CHORALE_EVIDENCE_ESTIMATED // from how mentions of a key disagree
	EvidenceLearnt    EvidenceOrigin = C.CHORALE_EVIDENCE_LEARNT    // from right labels of some mentions
)

// Evidence decides whether the mentions of a key have one label. A mention says at most Most, in
// log-odds. A key of n mentions is two things if all that its mentions say against one label is above
// Once + Each * n.
type Evidence struct {
	Most float64 // 0: all three numbers are found from the mentions
	Once float64 // infinite: every key is one thing
	Each float64 // at least 0

	Origin   EvidenceOrigin // in results
	Mentions int            // of how many it was found; of learnt evidence, how many with right labels
	Right    int            // of learnt evidence: how many more labels are right on keys left out; if not above 0, labels stay
}

// Answers about a key, beside labels.
const (
	NoAnswer      int32 = C.CHORALE_NO_ANSWER      // nobody was asked
	AnswerDiffers int32 = C.CHORALE_ANSWER_DIFFERS // its mentions differ: each keeps its own label
)

// Mentions are the rows of a table: each is a mention of a key, such as a name, with a label.
type Mentions struct {
	Keys       int       // K
	Labels     int       // m
	Key        []int32   // the key of each row, below K; -1: none
	Label      []int32   // the label of each row; -1: it says nothing. nil: the one with the best score
	Confidence []float64 // how probable the label is; NaN: the row says nothing. nil: 0.8
	Scores     []float64 // m for each row: log-probabilities of all labels. nil: all but Label are equally probable
	Times      []int64   // for how many equal rows each stands; nil: one
	Gold       []int32   // the right label of each row; -1: unknown. nil: unknown
	Answers    []int32   // the label of each key, or NoAnswer or AnswerDiffers; nil: no answers
	Told       []int32   // for [Ledger.Add]
}

// SettledMention says what became of a mention, and why.
type SettledMention struct {
	Label             int32   // -1: none
	Changed           bool    // whether it is another label than before
	Probability       float64 // of the label; NaN: there is none
	ProbabilityBefore float64 // of the label that it had; NaN: it had none
	Others            int     // the other mentions of the key
	AgreeingBefore    int     // how many of them had Label before
	Agreeing          int     // how many have it now
}

// SettledKey says what became of a key.
type SettledKey struct {
	Label    int32   // of all mentions; -1: each has its own
	Conflict bool    // evidence does not settle the key
	Mentions int     // how many it has
	Against  float64 // what they say against the best label
	Price    float64 // what counts as too much
	Expected float64 // how many are expected to change if a person says what the key is: ask for the greatest
}

// Settled is the result of [Settle].
type Settled struct {
	Mentions []SettledMention // of all rows, in their order
	Keys     []SettledKey     // of all keys, by their numbers
	Evidence Evidence         // what decided
}

func (c *call) mentions(mentions *Mentions) *C.chorale_mentions {
	if mentions == nil {
		c.fail(refuse(ErrNullArgument, "mentions is nil; it must not be"))
		return nil
	}
	n := len(mentions.Key)
	if mentions.Scores == nil {
		c.present("mentions.Label", len(mentions.Label), n)
	}
	c.check("mentions.Label", len(mentions.Label), n)
	c.check("mentions.Confidence", len(mentions.Confidence), n)
	c.check("mentions.Times", len(mentions.Times), n)
	c.check("mentions.Gold", len(mentions.Gold), n)
	c.check("mentions.Told", len(mentions.Told), n)
	c.check("mentions.Answers", len(mentions.Answers), mentions.Keys)
	c.least("mentions.Keys", mentions.Keys, 0)
	if mentions.Scores != nil && mentions.Labels > 0 && len(mentions.Scores)/mentions.Labels < n {
		c.check("mentions.Scores", len(mentions.Scores), n*mentions.Labels)
	}
	if c.err != nil {
		return nil
	}
	told := new(C.chorale_mentions)
	told.struct_size = C.sizeof_chorale_mentions
	told.count, told.keys, told.labels = C.int64_t(n), C.int64_t(mentions.Keys), C.int64_t(mentions.Labels)
	told.key = (*C.int32_t)(lend(&c.memory, mentions.Key))
	told.label = (*C.int32_t)(lend(&c.memory, mentions.Label))
	told.confidence = (*C.double)(lend(&c.memory, mentions.Confidence))
	told.scores = (*C.double)(lend(&c.memory, mentions.Scores))
	told.times = (*C.int64_t)(lend(&c.memory, mentions.Times))
	told.gold = (*C.int32_t)(lend(&c.memory, mentions.Gold))
	told.answers = (*C.int32_t)(lend(&c.memory, mentions.Answers))
	told.told = (*C.int32_t)(lend(&c.memory, mentions.Told))
	return told
}

func (e *Evidence) inC() *C.chorale_evidence {
	told := new(C.chorale_evidence)
	told.struct_size = C.sizeof_chorale_evidence
	if e != nil {
		told.most, told.once, told.per_mention = C.double(e.Most), C.double(e.Once), C.double(e.Each)
	}
	return told
}

func evidenceOf(told *C.chorale_evidence) Evidence {
	return Evidence{float64(told.most), float64(told.once), float64(told.per_mention), EvidenceOrigin(told.origin), int(told.mentions), int(told.right)}
}

func settledKeys(found []C.chorale_settled_key) []SettledKey {
	keys := make([]SettledKey, len(found))
	for i, k := range found {
		keys[i] = SettledKey{int32(k.label), k.conflict != 0, int(k.mentions), float64(k.against), float64(k.price), float64(k.expected)}
	}
	return keys
}

// Settle gives all mentions of a key one label, unless the key is really two things. evidence: what
// decides; nil: it is learnt from Gold, or estimated from the mentions. host: nil for the defaults.
func Settle(mentions *Mentions, evidence *Evidence, host *Host) (*Settled, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	given := c.mentions(mentions)
	if c.err != nil {
		return nil, c.err
	}
	decides := evidence.inC()
	rows := make([]C.chorale_settled_mention, len(mentions.Key))
	keys := make([]C.chorale_settled_key, mentions.Keys)
	if c.failed(C.chorale_settle(in, given, decides, (*C.chorale_settled_mention)(first(rows)), C.sizeof_chorale_settled_mention,
		(*C.chorale_settled_key)(first(keys)), C.sizeof_chorale_settled_key, c.detail)) {
		return nil, c.err
	}
	settled := &Settled{make([]SettledMention, len(rows)), settledKeys(keys), evidenceOf(decides)}
	for i, r := range rows {
		settled.Mentions[i] = SettledMention{int32(r.label), r.changed != 0, float64(r.probability), float64(r.probability_before),
			int(r.others), int(r.agreeing_before), int(r.agreeing)}
	}
	return settled, nil
}

// Ledger keeps the mentions of a stream. The labels are those that [Settle] gives a table of all
// mentions under the same evidence, whatever the order in which they came. One goroutine at a time
// may use it.
type Ledger handle

// NewLedger makes a ledger without mentions. evidence decides until [Ledger.Refit]; its Most must be
// above 0.
func NewLedger(labels int, evidence Evidence, host *Host) (*Ledger, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	var ledger *C.chorale_ledger
	if c.failed(C.chorale_ledger_create(in, C.int64_t(labels), evidence.inC(), &ledger, c.detail)) {
		return nil, c.err
	}
	h := newHandle(unsafe.Pointer(ledger), func(pointer unsafe.Pointer) {
		C.chorale_ledger_destroy((*C.chorale_ledger)(pointer))
	})
	h.relate((*handle)(host))
	return (*Ledger)(h), nil
}

// Close frees the ledger.
func (l *Ledger) Close() error { return (*handle)(l).close() }

func (l *Ledger) begin() (*call, *C.chorale_ledger) {
	c := begin()
	return c, (*C.chorale_ledger)(c.alone((*handle)(l)))
}

// Add adds mentions, which are rows of the ledger: the first that is ever added is row 0. Keys is the
// number of keys in all. Scores, Gold and Answers are not taken. Told: labels that the caller has
// already been told, when a ledger is filled from [Ledger.Rows]. Add returns the labels of the new
// rows.
func (l *Ledger) Add(mentions *Mentions) ([]int32, error) {
	c, ledger := l.begin()
	defer c.end()
	given := c.mentions(mentions)
	if c.err != nil {
		return nil, c.err
	}
	labels := make([]int32, len(mentions.Key))
	if c.failed(C.chorale_ledger_add(ledger, given, ints(labels), c.detail)) {
		return nil, c.err
	}
	return labels, nil
}

// LedgerChange is a row whose label should now be another than the caller was told.
type LedgerChange struct {
	Row   int   // the number of the row: the first that was ever added is 0
	Label int32 // the label that it should now have; -1: none
	Told  int32 // the label that the caller was told; -1: none
}

// Changes returns the rows whose labels have changed since the caller was told of them. take: from now
// on the caller has been told.
func (l *Ledger) Changes(take bool) ([]LedgerChange, error) {
	c, ledger := l.begin()
	defer c.end()
	var needed C.int64_t
	if c.err != nil || c.failed(C.chorale_ledger_changes(ledger, flag(take), nil, C.sizeof_chorale_ledger_change, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_ledger_change, needed)
	if c.failed(C.chorale_ledger_changes(ledger, flag(take), &found[0], C.sizeof_chorale_ledger_change, needed, nil, c.detail)) {
		return nil, c.err
	}
	changes := make([]LedgerChange, len(found))
	for i, r := range found {
		changes[i] = LedgerChange{int(r.row), int32(r.label), int32(r.told)}
	}
	return changes, nil
}

// Refit decides anew by other evidence; nil: it is estimated from all mentions. Refit returns it.
func (l *Ledger) Refit(evidence *Evidence) (Evidence, error) {
	c, ledger := l.begin()
	defer c.end()
	decides := evidence.inC()
	if c.err != nil || c.failed(C.chorale_ledger_refit(ledger, decides, c.detail)) {
		return Evidence{}, c.err
	}
	return evidenceOf(decides), nil
}

// LedgerRow is a row as it was added, with its label.
type LedgerRow struct {
	Key, Given  int32   // the key and the label that it came with; -1: none
	Confidence  float64 // NaN: the row says nothing
	Times       int64   // for how many equal rows it stands
	Label, Told int32   // the label that it has now and the one that the caller was told; -1: none
}

// Rows returns all rows: to read all labels, or to save the ledger.
func (l *Ledger) Rows() ([]LedgerRow, error) {
	c, ledger := l.begin()
	defer c.end()
	var needed C.int64_t
	if c.err != nil || c.failed(C.chorale_ledger_rows(ledger, nil, C.sizeof_chorale_ledger_row, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_ledger_row, needed)
	if c.failed(C.chorale_ledger_rows(ledger, &found[0], C.sizeof_chorale_ledger_row, needed, nil, c.detail)) {
		return nil, c.err
	}
	rows := make([]LedgerRow, len(found))
	for i, r := range found {
		rows[i] = LedgerRow{int32(r.key), int32(r.given), float64(r.confidence), int64(r.times), int32(r.label), int32(r.told)}
	}
	return rows, nil
}

// Keys returns what became of all keys, as [Settle] does.
func (l *Ledger) Keys() ([]SettledKey, error) {
	c, ledger := l.begin()
	defer c.end()
	var needed C.int64_t
	if c.err != nil || c.failed(C.chorale_ledger_keys(ledger, nil, C.sizeof_chorale_settled_key, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_settled_key, needed)
	if c.failed(C.chorale_ledger_keys(ledger, &found[0], C.sizeof_chorale_settled_key, needed, nil, c.detail)) {
		return nil, c.err
	}
	return settledKeys(found), nil
}
