package inspector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

var (
	// ErrNotFound is why a subject can't answer about something that it does not know.
	ErrNotFound = errors.New("there is nothing of that name")
	// ErrUnable is why a subject can't do something now, or with this kind or queue.
	ErrUnable = errors.New("that can't be done")
	// ErrBusy is why a subject does not do now what takes long and is done for one at a time.
	ErrBusy = errors.New("somebody else asked for that and has no answer yet")
)

// refusal is an error that the caller has to deal with, and not the operator.
type refusal struct {
	status int
	why    string
}

// Error is the sentence for the caller.
func (r *refusal) Error() string { return r.why }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// statusOf is the status that an error is answered with.
func statusOf(err error) int {
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return refused.status
	case errors.Is(err, ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, ErrUnable):
		return http.StatusConflict
	case errors.Is(err, ErrBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}
