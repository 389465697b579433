package chorale

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// ErrClosed is returned by a call on a handle that is nil or has been closed.
var ErrClosed = errors.New("chorale: the handle is closed")

// ErrBusy is returned by a call on a handle that another goroutine is using, if the two calls must
// not run at the same time.
var ErrBusy = errors.New("chorale: the handle is in use by another goroutine")

// Status is the reason why a call failed: errors.Is(err, status) is true if err is an [Error] with
// this status. A newer library may return further statuses.
type Status int32

// The statuses.
const (
	ErrNullArgument      Status = C.CHORALE_ERROR_NULL_ARGUMENT       // an argument that must be given is nil or empty
	ErrSize              Status = C.CHORALE_ERROR_SIZE                // a size, count or limit is below the least that is allowed
	ErrSizeOverflow      Status = C.CHORALE_ERROR_SIZE_OVERFLOW       // the product of sizes overflows, or a size is above the greatest that the library supports
	ErrStride            Status = C.CHORALE_ERROR_STRIDE              // a row stride is shorter than a row
	ErrTableTooShort     Status = C.CHORALE_ERROR_TABLE_TOO_SHORT     // a table has fewer entries than the number of members requires
	ErrShape             Status = C.CHORALE_ERROR_SHAPE               // a slice is shorter than its shape requires, or of another shape
	ErrValuesMismatch    Status = C.CHORALE_ERROR_VALUES_MISMATCH     // potential and clique have different numbers of values
	ErrStructSize        Status = C.CHORALE_ERROR_STRUCT_SIZE         // the library is older than the one that the package was built with
	ErrCapacity          Status = C.CHORALE_ERROR_CAPACITY            // a buffer that this package allocated is too small for the library's output
	ErrNotANumber        Status = C.CHORALE_ERROR_NOT_A_NUMBER        // a number is NaN
	ErrInfinite          Status = C.CHORALE_ERROR_INFINITE            // a number is infinite where it must not be
	ErrOutOfRange        Status = C.CHORALE_ERROR_OUT_OF_RANGE        // a value, label or number is outside its range, or the magnitude of a score is too large
	ErrUnknownConstant   Status = C.CHORALE_ERROR_UNKNOWN_CONSTANT    // a number is not one of the constants of its type
	ErrForbiddenValue    Status = C.CHORALE_ERROR_FORBIDDEN_VALUE     // a start assignment gives a member a value that is forbidden to it, or SetAllowed leaves a position no label
	ErrAlgorithmMismatch Status = C.CHORALE_ERROR_ALGORITHM_MISMATCH  // the algorithm does not apply to the family of the potential
	ErrNotConvex         Status = C.CHORALE_ERROR_NOT_CONVEX          // the algorithm needs convex tables, and those of the potential are not
	ErrNotConcave        Status = C.CHORALE_ERROR_NOT_CONCAVE         // the algorithm needs concave tables, and those of the potential are not
	ErrNotExact          Status = C.CHORALE_ERROR_NOT_EXACT           // exact max-marginals were requested of a potential without an exact solver
	ErrWeights           Status = C.CHORALE_ERROR_WEIGHTS             // members have weights above 1, which the potential, the algorithm or the call does not support
	ErrCallbackValue     Status = C.CHORALE_ERROR_CALLBACK_VALUE      // a callback returned NaN, +Inf or a number out of range
	ErrCallbackStopped   Status = C.CHORALE_ERROR_CALLBACK_STOPPED    // a callback returned an error, which the Error wraps
	ErrExecutor          Status = C.CHORALE_ERROR_EXECUTOR            // the executor did not do every step of a loop exactly once
	ErrOutOfMemory       Status = C.CHORALE_ERROR_OUT_OF_MEMORY       // an allocation failed, or would exceed the limit of the Host
	ErrWorkspaceTooSmall Status = C.CHORALE_ERROR_WORKSPACE_TOO_SMALL // memory of the caller is too small; the message says how many bytes are needed
	ErrAlignment         Status = C.CHORALE_ERROR_ALIGNMENT           // memory is not aligned as asked
	ErrLabelsMismatch    Status = C.CHORALE_ERROR_LABELS_MISMATCH     // a chain and its transitions or properties have different numbers of labels
	ErrParentOrder       Status = C.CHORALE_ERROR_PARENT_ORDER        // a parent does not come before its children
	ErrParentCycle       Status = C.CHORALE_ERROR_PARENT_CYCLE        // the parents form a cycle
	ErrNotAChain         Status = C.CHORALE_ERROR_NOT_A_CHAIN         // a tree was passed to a call that takes only chains
	ErrAutomatonOnTree   Status = C.CHORALE_ERROR_AUTOMATON_ON_TREE   // an automaton property was used on a tree, which allows only local properties
	ErrValueOutsideRange Status = C.CHORALE_ERROR_VALUE_OUTSIDE_RANGE // a property can fire a value outside its range
	ErrStateSpace        Status = C.CHORALE_ERROR_STATE_SPACE         // a chain with several properties has more joint states than the option MaxStates allows
	ErrLabelName         Status = C.CHORALE_ERROR_LABEL_NAME          // a label name does not have the form that the Scheme requires
	ErrDuplicateMember   Status = C.CHORALE_ERROR_DUPLICATE_MEMBER    // a chain or position is already a member of the clique, or a list names a clique twice
	ErrFrozen            Status = C.CHORALE_ERROR_FROZEN              // the model of the builder has been made, so the builder cannot change
	ErrTokensMissing     Status = C.CHORALE_ERROR_TOKENS_MISSING      // tokens are needed, and the chain has none
	ErrModelMismatch     Status = C.CHORALE_ERROR_MODEL_MISMATCH      // the model of the earlier run has another number of chains or cliques, or problems name a kind of cliques differently
	ErrNoLabelling       Status = C.CHORALE_ERROR_NO_LABELLING        // the run has no labelling: it has not begun, or no chain has any
	ErrKind              Status = C.CHORALE_ERROR_KIND                // an argument of the wrong kind: a position for a property clique, a whole chain for a position clique, an instance where a chain is needed
	ErrState             Status = C.CHORALE_ERROR_STATE               // the state of the object does not allow the call
	ErrRunBusy           Status = C.CHORALE_ERROR_BUSY                // a callback of a run made a call on the same run that would change the run, or read it while it changes; most such calls fail with ErrBusy instead
	ErrNoGold            Status = C.CHORALE_ERROR_NO_GOLD             // the problems to learn from have no gold label
	ErrOneGroup          Status = C.CHORALE_ERROR_ONE_GROUP           // all labelled chains of the problems to learn from belong to one group
	ErrInternal          Status = C.CHORALE_ERROR_INTERNAL            // a fault of the library itself: please report it
	ErrFileFormat        Status = C.CHORALE_ERROR_FILE_FORMAT         // the bytes are not those of a problem file
	ErrFileByteOrder     Status = C.CHORALE_ERROR_FILE_BYTE_ORDER     // the byte-order mark of the problem file is not little-endian
	ErrFileVersion       Status = C.CHORALE_ERROR_FILE_VERSION        // the problem file has a version that the library does not know
	ErrFileTruncated     Status = C.CHORALE_ERROR_FILE_TRUNCATED      // the problem file is truncated
	ErrFileChecksum      Status = C.CHORALE_ERROR_FILE_CHECKSUM       // a section of the problem file does not match its checksum
	ErrFileSection       Status = C.CHORALE_ERROR_FILE_SECTION        // the problem file has missing, repeated, overlapping or invalid sections
	ErrInputOutput       Status = C.CHORALE_ERROR_INPUT_OUTPUT        // the system could not read or write a file
	ErrNotSavable        Status = C.CHORALE_ERROR_NOT_SAVABLE         // the problem has an instance or a callback potential, which no file can hold
	ErrText              Status = C.CHORALE_ERROR_TEXT                // a text is not UTF-8; or ReadLearnt was given a text that Learnt.JSON did not return

	ErrAllocatorAlignment Status = C.CHORALE_ERROR_ALLOCATOR_ALIGNMENT // the allocator returned memory that is not aligned as requested
)

// Error returns the name of the status in words, such as "chorale: table too short" for
// [ErrTableTooShort].
func (s Status) Error() string {
	name := strings.TrimPrefix(C.GoString(C.chorale_status_name(C.chorale_status(s))), "CHORALE_ERROR_")
	return "chorale: " + strings.ReplaceAll(strings.ToLower(name), "_", " ")
}

// Error is the error of a failed call.
type Error struct {
	Status  Status // the reason
	Message string // names the argument, its value and the rule that the value breaks
	Cause   error  // the error of a callback, or nil
}

// Error returns the message, then the message of the cause if there is one.
func (e *Error) Error() string {
	text := "chorale: " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Is reports whether target is the status of the error.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

// Unwrap returns the error that a callback returned, or nil.
func (e *Error) Unwrap() error { return e.Cause }

func refuse(status Status, format string, arguments ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, arguments...)}
}

func newError(status C.chorale_status, detail *C.chorale_error, names map[string]string) *Error {
	message := inGo(C.GoString((*C.char)(unsafe.Pointer(&detail.message[0]))), names)
	if message == "" {
		message = strings.TrimPrefix(Status(status).Error(), "chorale: ")
	}
	return &Error{Status: Status(status), Message: message}
}
