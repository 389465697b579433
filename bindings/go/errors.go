package chorale

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// ErrClosed answers calls on a handle that has been closed, or was never made.
var ErrClosed = errors.New("chorale: the handle is closed")

// ErrBusy answers calls on a handle that another goroutine is using, where only one may.
var ErrBusy = errors.New("chorale: the handle is in use by another goroutine")

// Status says why a call could not be carried out. It is an error that errors.Is finds in an [Error]; its numbers
// are those of chorale/status.h, which says what each means. A newer library may know more of them.
type Status int32

// Statuses.
const (
	ErrNullArgument      Status = C.CHORALE_ERROR_NULL_ARGUMENT
	ErrSize              Status = C.CHORALE_ERROR_SIZE
	ErrSizeOverflow      Status = C.CHORALE_ERROR_SIZE_OVERFLOW
	ErrStride            Status = C.CHORALE_ERROR_STRIDE
	ErrTableTooShort     Status = C.CHORALE_ERROR_TABLE_TOO_SHORT
	ErrShape             Status = C.CHORALE_ERROR_SHAPE
	ErrValuesMismatch    Status = C.CHORALE_ERROR_VALUES_MISMATCH
	ErrStructSize        Status = C.CHORALE_ERROR_STRUCT_SIZE
	ErrNotANumber        Status = C.CHORALE_ERROR_NOT_A_NUMBER
	ErrInfinite          Status = C.CHORALE_ERROR_INFINITE
	ErrOutOfRange        Status = C.CHORALE_ERROR_OUT_OF_RANGE
	ErrUnknownConstant   Status = C.CHORALE_ERROR_UNKNOWN_CONSTANT
	ErrForbiddenValue    Status = C.CHORALE_ERROR_FORBIDDEN_VALUE
	ErrAlgorithmMismatch Status = C.CHORALE_ERROR_ALGORITHM_MISMATCH
	ErrNotConvex         Status = C.CHORALE_ERROR_NOT_CONVEX
	ErrNotConcave        Status = C.CHORALE_ERROR_NOT_CONCAVE
	ErrNotExact          Status = C.CHORALE_ERROR_NOT_EXACT
	ErrCallbackValue     Status = C.CHORALE_ERROR_CALLBACK_VALUE
	ErrCallbackStopped   Status = C.CHORALE_ERROR_CALLBACK_STOPPED
	ErrExecutor          Status = C.CHORALE_ERROR_EXECUTOR
	ErrOutOfMemory       Status = C.CHORALE_ERROR_OUT_OF_MEMORY
	ErrWorkspaceTooSmall Status = C.CHORALE_ERROR_WORKSPACE_TOO_SMALL
	ErrAlignment         Status = C.CHORALE_ERROR_ALIGNMENT
	ErrLabelsMismatch    Status = C.CHORALE_ERROR_LABELS_MISMATCH
	ErrParentOrder       Status = C.CHORALE_ERROR_PARENT_ORDER
	ErrParentCycle       Status = C.CHORALE_ERROR_PARENT_CYCLE
	ErrNotAChain         Status = C.CHORALE_ERROR_NOT_A_CHAIN
	ErrAutomatonOnTree   Status = C.CHORALE_ERROR_AUTOMATON_ON_TREE
	ErrValueOutsideRange Status = C.CHORALE_ERROR_VALUE_OUTSIDE_RANGE
	ErrStateSpace        Status = C.CHORALE_ERROR_STATE_SPACE
	ErrLabelName         Status = C.CHORALE_ERROR_LABEL_NAME
	ErrDuplicateMember   Status = C.CHORALE_ERROR_DUPLICATE_MEMBER
	ErrFrozen            Status = C.CHORALE_ERROR_FROZEN
	ErrTokensMissing     Status = C.CHORALE_ERROR_TOKENS_MISSING
	ErrModelMismatch     Status = C.CHORALE_ERROR_MODEL_MISMATCH
	ErrNoLabelling       Status = C.CHORALE_ERROR_NO_LABELLING
	ErrRunBusy           Status = C.CHORALE_ERROR_BUSY // ErrBusy comes first, as Go answers before C does
	ErrInternal          Status = C.CHORALE_ERROR_INTERNAL
	ErrFileFormat        Status = C.CHORALE_ERROR_FILE_FORMAT
	ErrFileByteOrder     Status = C.CHORALE_ERROR_FILE_BYTE_ORDER
	ErrFileVersion       Status = C.CHORALE_ERROR_FILE_VERSION
	ErrFileTruncated     Status = C.CHORALE_ERROR_FILE_TRUNCATED
	ErrFileChecksum      Status = C.CHORALE_ERROR_FILE_CHECKSUM
	ErrFileSection       Status = C.CHORALE_ERROR_FILE_SECTION
	ErrInputOutput       Status = C.CHORALE_ERROR_INPUT_OUTPUT
	ErrNotSavable        Status = C.CHORALE_ERROR_NOT_SAVABLE
	ErrText              Status = C.CHORALE_ERROR_TEXT

	ErrAllocatorAlignment Status = C.CHORALE_ERROR_ALLOCATOR_ALIGNMENT
)

// Error returns the name of the status in C.
func (s Status) Error() string {
	return C.GoString(C.chorale_status_name(C.chorale_status(s)))
}

// Error is a call that could not be carried out.
type Error struct {
	Status  Status
	Message string // names the argument, its value and the rule
	Cause   error  // what a callback returned, or nil
}

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

// Unwrap returns what a callback returned.
func (e *Error) Unwrap() error { return e.Cause }

func refuse(status Status, format string, arguments ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, arguments...)}
}

func newError(status C.chorale_status, detail *C.chorale_error) *Error {
	message := C.GoString((*C.char)(unsafe.Pointer(&detail.message[0])))
	if message == "" {
		message = Status(status).Error()
	}
	return &Error{Status: Status(status), Message: message}
}
