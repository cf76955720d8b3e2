package engine

import (
	"errors"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// callerPanic is the panic of a function that the Controller called on behalf of a
// caller who waits for the answer.
type callerPanic struct{ value any }

func (p *callerPanic) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// answerWith calls a caller's function and sends its result, or its panic, to the
// caller. The Controller survives the panic, because other callers still need it.
func answerWith(answer chan<- error, call func() error) {
	err := lifecycle.ErrGoexit // unless call returns or panics
	defer func() {
		if value := recover(); value != nil {
			err = &callerPanic{value}
		}
		answer <- err
	}()
	err = call()
}

// raise panics in the caller's goroutine with what its function panicked with, and
// returns any other answer.
func raise(answer error) error {
	var raised *callerPanic
	if errors.As(answer, &raised) {
		panic(raised.value)
	}
	return answer
}
