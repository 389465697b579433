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
