package chorale

// #include "shim.h"
import "C"

import "unsafe"

// Attachment is a property on a chain, with its inputs and the message of its clique.
type Attachment struct {
	Property   *Property   // the property
	Dictionary *Dictionary // nil: the property's own values
	Classes    []int32     // by position the class that the property reads; nil: 0
	Table      []int32     // by position the value that FireTable fires, -1: nothing; nil if the property reads no table
	Message    []float64   // message of the clique: R + 2 scores, EMPTY and CONFLICT last; nil: zeros
}

func (c *call) attachment(a *Attachment, length int) C.chorale_attachment {
	var told C.chorale_attachment
	C.chorale_attachment_init(&told, C.sizeof_chorale_attachment)
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

// attachments converts attachments for C, and returns R of each.
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

// Values is R, the number of values of the dictionary or property; 0 if a handle is closed.
func (a *Attachment) Values() int {
	c := begin()
	defer c.end()
	told := c.attachment(a, 0)
	if c.err != nil {
		return 0
	}
	return int(C.chorale_attachment_values(&told))
}

// labelled checks the arguments that Shown and Fired read.
func (c *call) labelled(a *Attachment, labelling, parents []int32) (C.chorale_attachment, *C.int32_t) {
	told := c.attachment(a, len(labelling))
	c.check("parents", len(parents), len(labelling))
	if len(labelling) == 0 {
		labelling = []int32{0}
	}
	return told, ints(labelling)
}

// Shown is the value of the property on a labelling: 0 .. R-1, R for EMPTY, R + 1 for CONFLICT, -1 for a
// value outside the dictionary. parents: of a tree; nil: a chain.
func (a *Attachment) Shown(labelling, parents []int32) (int32, error) {
	c := begin()
	defer c.end()
	told, labels := c.labelled(a, labelling, parents)
	if c.err != nil {
		return 0, c.err
	}
	var value C.int32_t
	c.failed(C.chorale_property_shown(&told, C.int64_t(len(labelling)), labels, ints(parents), &value, c.detail))
	return int32(value), c.single()
}

// Fired is all values that a labelling fires, in order, in the property's own numbers.
func (a *Attachment) Fired(labelling, parents []int32) ([]int32, error) {
	c := begin()
	defer c.end()
	told, labels := c.labelled(a, labelling, parents)
	if c.err != nil {
		return nil, c.err
	}
	values := make([]int32, len(labelling)+1) // always enough
	var count C.int64_t
	if c.failed(C.chorale_property_fired(&told, C.int64_t(len(labelling)), labels, ints(parents), ints(values), C.int64_t(len(values)), &count, c.detail)) {
		return nil, c.single()
	}
	return values[:count], nil
}

// JointMode is the method for several properties on a chain.
type JointMode int32

// Joint modes.
const (
	JointAuto       JointMode = C.CHORALE_JOINT_AUTO       // exact within the budget, otherwise a beam
	JointExact      JointMode = C.CHORALE_JOINT_EXACT      // exact: all configurations, the joint states of the properties
	JointAbsorption JointMode = C.CHORALE_JOINT_ABSORPTION // approximate: adds the message of a value at every firing
	JointBeam       JointMode = C.CHORALE_JOINT_BEAM       // approximate: keeps the BeamWidth best configurations at each position
)

// MessageOptions are the options for several properties on one chain. They are made by
// [NewMessageOptions].
type MessageOptions struct {
	Mode      JointMode // the method for several properties on a chain
	BeamWidth int       // number of configurations that a beam keeps, at least 1
	Budget    int       // greatest number of configurations in the other modes, at least 1; more are ErrStateSpace
}

// NewMessageOptions returns the defaults, which also apply if options are nil.
func NewMessageOptions() *MessageOptions {
	told := messageOptions(nil)
	return &MessageOptions{JointMode(told.mode), int(told.beam_width), int(told.budget)}
}

func messageOptions(options *MessageOptions) *C.chorale_message_options {
	told := new(C.chorale_message_options)
	C.chorale_message_options_init(told, C.sizeof_chorale_message_options)
	if options != nil {
		told.mode = C.chorale_joint_mode(options.Mode)
		told.beam_width = C.int64_t(options.BeamWidth)
		told.budget = C.int64_t(options.Budget)
	}
	return told
}

// MessageResult is the result of a call, besides messages and labels.
type MessageResult struct {
	Outcome        Outcome // Complete, Infeasible or NothingFound
	Pruned         bool    // whether a beam dropped configurations
	Exact          bool    // whether messages, or the labelling, are exact
	Configurations int     // the greatest number of configurations at one position
	Score          float64 // ChainScore + MessageScore; of decoding only
	ChainScore     float64 // score of the labelling in the chain
	MessageScore   float64 // sum of the messages at the values of the labelling
}

func messageResult(r *C.chorale_message_result) MessageResult {
	return MessageResult{
		Outcome(r.outcome), r.pruned != 0, r.exact != 0, int(r.configurations),
		float64(r.score), float64(r.chain_score), float64(r.message_score),
	}
}

// MessageTask is the task for which a workspace is sized.
type MessageTask int32

// Tasks under properties.
const (
	MessageSend   MessageTask = C.CHORALE_MESSAGE_SEND   // Messages
	MessageDecode MessageTask = C.CHORALE_MESSAGE_DECODE // Decode
)

func attachmentsFirst(all []C.chorale_attachment) *C.chorale_attachment {
	return (*C.chorale_attachment)(first(all))
}

// MessageBytes is the number of bytes that a fixed solver, or a [Scratch], needs for a task.
func MessageBytes(chain *Chain, attachments []Attachment, options *MessageOptions, task MessageTask) (int, error) {
	c := begin()
	defer c.end()
	told := c.chain(chain, &c.memory)
	with, _ := c.attachments(attachments, chain)
	if c.err != nil {
		return 0, c.err
	}
	var bytes C.size_t
	c.failed(C.chorale_message_bytes(told, attachmentsFirst(with), C.int64_t(len(with)), messageOptions(options), C.chorale_message_task(task), &bytes, c.detail))
	return int(bytes), c.err
}

// ReserveMessages grows the workspace so that no call of the task on such a chain allocates.
func (s *ChainSolver) ReserveMessages(chain *Chain, attachments []Attachment, options *MessageOptions, task MessageTask) error {
	c := begin()
	defer c.end()
	w := s.in(c)
	told := c.chain(chain, &c.memory)
	with, _ := c.attachments(attachments, chain)
	if c.err != nil {
		return c.err
	}
	c.failed(C.chorale_message_reserve(w.solver, told, attachmentsFirst(with), C.int64_t(len(with)), messageOptions(options), C.chorale_message_task(task), c.detail))
	return c.err
}

// Messages are the messages of a chain to the cliques of its properties: for attachment p, in row p, R +
// 2 scores, EMPTY and CONFLICT last. Each is the best score of all labellings with the value, including
// the messages of the other attachments. Minus infinity: no labelling has the value.
func (s *ChainSolver) Messages(chain *Chain, attachments []Attachment, options *MessageOptions) ([][]float64, MessageResult, error) {
	return messages(s.in, chain, attachments, options)
}

// Messages does the same as [ChainSolver.Messages].
func (s *Scratch) Messages(chain *Chain, attachments []Attachment, options *MessageOptions) ([][]float64, MessageResult, error) {
	return messages(s.in, chain, attachments, options)
}

func messages(in func(*call) workspace, chain *Chain, attachments []Attachment, options *MessageOptions) ([][]float64, MessageResult, error) {
	c := begin()
	defer c.end()
	w := in(c)
	told := c.chain(chain, &c.memory)
	with, values := c.attachments(attachments, chain)
	if c.err != nil {
		return nil, MessageResult{}, c.err
	}
	// An array of addresses, and the memory to which they point, must be memory of C.
	block := c.memory.allocate(len(with) * int(unsafe.Sizeof(uintptr(0))))
	outgoing := unsafe.Slice((**C.double)(block), len(with))
	for p := range outgoing {
		outgoing[p] = (*C.double)(c.memory.allocate((values[p] + 2) * 8))
	}
	result := new(C.chorale_message_result)
	C.chorale_message_result_init(result, C.sizeof_chorale_message_result)
	var status C.chorale_status
	if w.solver != nil {
		status = C.chorale_chain_messages(w.solver, told, attachmentsFirst(with), C.int64_t(len(with)), messageOptions(options), (**C.double)(block), result, c.detail)
	} else {
		status = C.chorale_kernel_messages(w.scratch, w.bytes, told, attachmentsFirst(with), C.int64_t(len(with)), messageOptions(options), (**C.double)(block), result, c.detail)
	}
	if c.failed(status) {
		return nil, MessageResult{}, c.err
	}
	all := make([][]float64, len(with))
	for p := range all {
		all[p] = append([]float64(nil), unsafe.Slice((*float64)(outgoing[p]), values[p]+2)...)
	}
	return all, messageResult(result), nil
}

// Decode finds the best labelling under the messages of the cliques, and the value of each property on
// it; nil if no labelling was found.
func (s *ChainSolver) Decode(chain *Chain, attachments []Attachment, options *MessageOptions) (labelling, values []int32, _ MessageResult, _ error) {
	return decode(s.in, chain, attachments, options)
}

// Decode does the same as [ChainSolver.Decode].
func (s *Scratch) Decode(chain *Chain, attachments []Attachment, options *MessageOptions) (labelling, values []int32, _ MessageResult, _ error) {
	return decode(s.in, chain, attachments, options)
}

func decode(in func(*call) workspace, chain *Chain, attachments []Attachment, options *MessageOptions) (labelling, values []int32, _ MessageResult, _ error) {
	c := begin()
	defer c.end()
	w := in(c)
	told := c.chain(chain, &c.memory)
	with, _ := c.attachments(attachments, chain)
	if c.err != nil {
		return nil, nil, MessageResult{}, c.err
	}
	labelling, values = unwrittenLabels(chain.Length), unwrittenLabels(len(with))
	result := new(C.chorale_message_result)
	C.chorale_message_result_init(result, C.sizeof_chorale_message_result)
	var status C.chorale_status
	if w.solver != nil {
		status = C.chorale_chain_decode(w.solver, told, attachmentsFirst(with), C.int64_t(len(with)), messageOptions(options), ints(labelling), ints(values), result, c.detail)
	} else {
		status = C.chorale_kernel_decode(w.scratch, w.bytes, told, attachmentsFirst(with), C.int64_t(len(with)), messageOptions(options), ints(labelling), ints(values), result, c.detail)
	}
	if c.failed(status) {
		return nil, nil, MessageResult{}, c.err
	}
	return found(labelling), found(values), messageResult(result), nil
}
