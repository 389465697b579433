package chorale

// #include "shim.h"
import "C"

import "unsafe"

// The words of this file. A property reads a labelled chain and fires a value, or nothing, at each
// position. The chain shows the value v if only v fired, EMPTY if nothing fired, and CONFLICT if
// two different values fired. A property has R values; in arrays EMPTY has the number R and
// CONFLICT R + 1. A message is a list of R + 2 scores, from a clique to the chain or from the chain
// to a clique. With several properties the computation runs over configurations: the joint states
// of all properties.

// Attachment is a property that is attached to a chain, with the arrays that the property reads and
// the message that the chain has received from the property's clique.
type Attachment struct {
	Property   *Property   // the property
	Dictionary *Dictionary // the subset of the property's values that the clique uses; nil: all values
	Classes    []int32     // class of each position, read by the property's rules; nil: all 0
	Table      []int32     // for each position an entry that the property reads, such as the token id; -1: FireTable fires nothing. nil if the property reads no table
	Message    []float64   // message of the clique to the chain: R + 2 scores, one for each value, then EMPTY and CONFLICT; nil: zeros
}

func (c *call) attachment(a *Attachment, length int) C.chorale_attachment {
	var told C.chorale_attachment
	told.struct_size = C.sizeof_chorale_attachment
	if a == nil {
		c.fail(refuse(ErrNullArgument, "the attachment is nil"))
		return told
	}
	property := (*C.chorale_property)(c.share((*handle)(a.Property)))
	dictionary := (*C.chorale_dictionary)(c.optional((*handle)(a.Dictionary)))
	if c.err != nil {
		return told
	}
	told.property = property
	told.dictionary = dictionary
	c.check("Classes", len(a.Classes), length)
	c.check("Table", len(a.Table), length)
	c.check("Message", len(a.Message), int(C.chorale_attachment_values(&told))+2)
	if c.err != nil {
		return told
	}
	told.classes = (*C.int32_t)(lend(&c.memory, a.Classes))
	told.table = (*C.int32_t)(lend(&c.memory, a.Table))
	told.message = (*C.double)(lend(&c.memory, a.Message))
	return told
}

// attachments returns attachments as C structs, and R of each.
func (c *call) attachments(all []Attachment, chain *Chain) ([]C.chorale_attachment, []int) {
	told, values := make([]C.chorale_attachment, len(all)), make([]int, len(all))
	if c.err != nil {
		return told, values
	}
	for p := range all {
		if told[p] = c.attachment(&all[p], chain.Length); c.err != nil {
			return told, values
		}
		values[p] = int(C.chorale_attachment_values(&told[p]))
	}
	return told, values
}

// Values returns R: the number of values of the dictionary, if there is one, otherwise of the
// property; 0 if a handle is closed, or if Message has fewer than R + 2 scores.
func (a *Attachment) Values() int {
	c := begin()
	defer c.end()
	told := c.attachment(a, 0)
	if c.err != nil {
		return 0
	}
	return int(C.chorale_attachment_values(&told))
}

// labelled returns the attachment for C, after checking the arguments of Shown and Fired.
func (c *call) labelled(a *Attachment, labelling, parents []int32) C.chorale_attachment {
	told := c.attachment(a, len(labelling))
	c.check("parents", len(parents), len(labelling))
	return told
}

// Shown returns the value that a labelling shows: 0 to R - 1, R for EMPTY, R + 1 for CONFLICT, or
// -1 for a value that is not in the dictionary, if the dictionary has no UNLISTED. parents: the
// parent of each position of a tree; nil: a chain.
func (a *Attachment) Shown(labelling, parents []int32) (int32, error) {
	c := begin()
	defer c.end()
	told := c.labelled(a, labelling, parents)
	if c.err != nil {
		return 0, c.err
	}
	var value C.int32_t
	c.failed(C.chorale_property_shown(&told, C.int64_t(len(labelling)), ints(labelling), ints(parents), &value, c.detail))
	return int32(value), c.single()
}

// Fired returns all values that the property fires on a labelling, in order of positions and with
// repetitions: values of the property, not their numbers in the dictionary. parents: the parent of
// each position of a tree; nil: a chain.
func (a *Attachment) Fired(labelling, parents []int32) ([]int32, error) {
	c := begin()
	defer c.end()
	told := c.labelled(a, labelling, parents)
	if c.err != nil {
		return nil, c.err
	}
	values := make([]int32, len(labelling)+1) // a value for each position, and one at the end
	var count C.int64_t
	if c.failed(C.chorale_property_fired(&told, C.int64_t(len(labelling)), ints(labelling), ints(parents), ints(values), C.int64_t(len(values)), &count, c.detail)) {
		return nil, c.single()
	}
	return values[:count], nil
}

// JointMode is the method for a chain with several properties. The computation runs over
// configurations, which are joint states of all properties of the chain.
type JointMode int32

// The methods for several properties.
const (
	JointAuto        JointMode = C.CHORALE_JOINT_AUTO         // exact if no position has more than MaxStates configurations, otherwise a beam that keeps the MaxStates best ones at each position
	JointExact       JointMode = C.CHORALE_JOINT_EXACT        // exact; more than MaxStates configurations are refused with ErrStateSpace
	JointLocalScores JointMode = C.CHORALE_JOINT_LOCAL_SCORES // approximate: adds the message's score of a value at every position that fires the value
	JointBeam        JointMode = C.CHORALE_JOINT_BEAM         // approximate: keeps the BeamWidth best configurations at each position
)

// MessageOptions are the options for chains with several properties. They are made by
// [NewMessageOptions].
type MessageOptions struct {
	Mode      JointMode // the method for several properties on a chain
	BeamWidth int       // number of configurations that JointBeam keeps at each position, at least 1
	MaxStates int       // greatest number of configurations at one position in every mode but JointBeam, at least 1
}

// NewMessageOptions returns the default options, which also apply where the options are nil.
func NewMessageOptions() *MessageOptions {
	return &MessageOptions{Mode: JointAuto, BeamWidth: 300, MaxStates: 1024}
}

func (c *call) messageOptions(options *MessageOptions) *C.chorale_message_options {
	told := new(C.chorale_message_options)
	told.struct_size = C.sizeof_chorale_message_options
	if options != nil {
		c.least("options.BeamWidth", options.BeamWidth, 1)
		c.least("options.MaxStates", options.MaxStates, 1)
		told.mode = C.chorale_joint_mode(options.Mode)
		told.beam_width = C.int64_t(options.BeamWidth)
		told.max_states = C.int64_t(options.MaxStates)
	}
	return told
}

// MessageResult is what a call of Messages or Decode returns besides the messages, or the labels
// and values.
type MessageResult struct {
	Outcome        Outcome // Complete; Infeasible if every labelling is forbidden; NothingFound if an approximation found no labelling
	Pruned         bool    // whether a beam dropped configurations
	Exact          bool    // whether the messages, or the labelling, are exact
	Configurations int     // the greatest number of configurations at one position
	Score          float64 // after Decode: ChainScore + MessageScore; after Messages: 0
	ChainScore     float64 // after Decode: the chain's own score of the labelling; after Messages: 0
	MessageScore   float64 // after Decode: sum over the attachments of the message's score of the value that the labelling shows; after Messages: 0
}

func messageResult(r *C.chorale_message_result) MessageResult {
	return MessageResult{
		Outcome(r.outcome), r.pruned != 0, r.exact != 0, int(r.configurations),
		float64(r.score), float64(r.chain_score), float64(r.message_score),
	}
}

func attachmentsFirst(all []C.chorale_attachment) *C.chorale_attachment {
	return (*C.chorale_attachment)(first(all))
}

// Messages computes the messages of a chain to the cliques of its properties. Row p is the message
// to the clique of attachment p: R + 2 scores, one for each value, then EMPTY and CONFLICT. The
// score of a value is the maximum, over the labellings that show this value, of the chain's score
// plus the messages of all other attachments; minus infinity if no labelling shows the value.
func (s *ChainSolver) Messages(chain *Chain, attachments []Attachment, options *MessageOptions) ([][]float64, MessageResult, error) {
	c, solver := s.begin()
	defer c.end()
	told := c.chain(chain, &c.memory)
	with, values := c.attachments(attachments, chain)
	how := c.messageOptions(options)
	if c.err != nil {
		return nil, MessageResult{}, c.err
	}
	// The array of addresses, and the rows to which they point, must be in C memory.
	block := c.memory.allocate(len(with) * int(unsafe.Sizeof(uintptr(0))))
	outgoing := unsafe.Slice((**C.double)(block), len(with))
	for p := range outgoing {
		outgoing[p] = (*C.double)(c.memory.allocate((values[p] + 2) * 8))
	}
	result := new(C.chorale_message_result)
	result.struct_size = C.sizeof_chorale_message_result
	if c.failed(C.chorale_chain_messages(solver, told, attachmentsFirst(with), C.int64_t(len(with)), how, (**C.double)(block), result, c.detail)) {
		return nil, MessageResult{}, c.err
	}
	all := make([][]float64, len(with))
	for p := range all {
		all[p] = append([]float64(nil), unsafe.Slice((*float64)(outgoing[p]), values[p]+2)...)
	}
	return all, messageResult(result), nil
}

// Decode finds the labelling for which the sum of the chain's score and the messages of all
// attachments is greatest. It returns the labels, and for each attachment the value that the
// labelling shows. Both are nil if no labelling was found.
func (s *ChainSolver) Decode(chain *Chain, attachments []Attachment, options *MessageOptions) (labelling, values []int32, _ MessageResult, _ error) {
	c, solver := s.begin()
	defer c.end()
	told := c.chain(chain, &c.memory)
	with, _ := c.attachments(attachments, chain)
	how := c.messageOptions(options)
	if c.err != nil {
		return nil, nil, MessageResult{}, c.err
	}
	labelling, values = unwrittenLabels(chain.Length), unwrittenLabels(len(with))
	result := new(C.chorale_message_result)
	result.struct_size = C.sizeof_chorale_message_result
	if c.failed(C.chorale_chain_decode(solver, told, attachmentsFirst(with), C.int64_t(len(with)), how, ints(labelling), ints(values), result, c.detail)) {
		return nil, nil, MessageResult{}, c.err
	}
	return found(labelling), found(values), messageResult(result), nil
}
