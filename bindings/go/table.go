package chorale

// #include "shim.h"
import "C"

// Evidence decides whether the mentions of a key have one label. A mention says at most Most, in
// log-odds. A key of n mentions is two things if all that its mentions say against one label is above
// Once + Each * n.
// Experimental: it may change or go in any version.
type Evidence struct {
	Most float64 // 0: all three numbers are found from the mentions
	Once float64 // infinite: every key is one thing
	Each float64 // at least 0

	Origin   EvidenceOrigin // in results
	Mentions int            // of how many it was found; of learnt evidence, how many with right labels
	Right    int            // of learnt evidence: how many more labels are right on keys left out; if not above 0, labels stay
}

// Answers about a key, beside labels.
// Experimental: it may change or go in any version.
const (
	NoAnswer      int32 = C.CHORALE_NO_ANSWER      // nobody was asked
	AnswerDiffers int32 = C.CHORALE_ANSWER_DIFFERS // its mentions differ: each keeps its own label
)

// Settled is the result of [Settle].
// Experimental: it may change or go in any version.
type Settled struct {
	Mentions []SettledMention // of all rows, in their order
	Keys     []SettledKey     // of all keys, by their numbers
	Evidence Evidence         // what decided
}

func (c *call) mentions(mentions *Mentions) *C.chorale_mentions {
	told := c.mentionsInC(mentions)
	if mentions != nil {
		c.least("mentions.Keys", mentions.Keys, 0)
		told.count = C.int64_t(len(mentions.Key))
	}
	return told
}

func (e *Evidence) inC() *C.chorale_evidence {
	told := &C.chorale_evidence{struct_size: C.sizeof_chorale_evidence}
	if e != nil {
		told.most, told.once, told.per_mention = C.double(e.Most), C.double(e.Once), C.double(e.Each)
	}
	return told
}

func evidenceOf(told *C.chorale_evidence) Evidence {
	return Evidence{float64(told.most), float64(told.once), float64(told.per_mention), EvidenceOrigin(told.origin), int(told.mentions), int(told.right)}
}

// Settle gives all mentions of a key one label, unless the key is really two things. evidence: what
// decides; nil: it is learnt from Gold, or estimated from the mentions.
// Experimental: it may change or go in any version.
func Settle(mentions *Mentions, evidence *Evidence) (*Settled, error) {
	c := begin()
	defer c.end()
	given := c.mentions(mentions)
	if c.err != nil {
		return nil, c.err
	}
	decides := evidence.inC()
	rows := make([]C.chorale_settled_mention, len(mentions.Key))
	keys := make([]C.chorale_settled_key, mentions.Keys)
	if c.failed(C.chorale_settle(nil, given, decides, (*C.chorale_settled_mention)(first(rows)), C.sizeof_chorale_settled_mention,
		(*C.chorale_settled_key)(first(keys)), C.sizeof_chorale_settled_key, c.detail)) {
		return nil, c.err
	}
	return &Settled{converted(rows, settledMention), converted(keys, settledKey), evidenceOf(decides)}, nil
}

// Ledger keeps the mentions of a stream. The labels are those that [Settle] gives a table of all
// mentions under the same evidence, whatever the order in which they came. One goroutine at a time
// may use it.
// Experimental: it may change or go in any version.
type Ledger handle

// NewLedger makes a ledger without mentions. evidence decides until [Ledger.Refit]; its Most must be
// above 0.
// Experimental: it may change or go in any version.
func NewLedger(labels int, evidence Evidence) (*Ledger, error) {
	c := begin()
	defer c.end()
	var ledger *C.chorale_ledger
	if c.failed(C.chorale_ledger_create(nil, C.int64_t(labels), evidence.inC(), &ledger, c.detail)) {
		return nil, c.err
	}
	return newLedger(ledger), nil
}

// Refit decides anew by other evidence; nil: it is estimated from all mentions. Refit returns it.
// Experimental: it may change or go in any version.
func (l *Ledger) Refit(evidence *Evidence) (Evidence, error) {
	c := begin()
	defer c.end()
	ledger := (*C.chorale_ledger)(c.alone(l.handle()))
	decides := evidence.inC()
	if c.err != nil || c.failed(C.chorale_ledger_refit(ledger, decides, c.detail)) {
		return Evidence{}, c.err
	}
	return evidenceOf(decides), nil
}
