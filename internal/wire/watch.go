package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
)

// events reads what a watch brings.
type events interface {
	// next reads the next event. Its error is the end of the watch.
	next() (watch.EventType, arrival, error)
}

// ending is the end of a watch as client-go's watches tell it: io.EOF where the connection ended, and an error of
// the server's making where nobody knows what the bytes mean.
func ending(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), net.IsProbableEOF(err), net.IsTimeout(err):
		return io.EOF
	}
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")
	return apierrors.FromObject(reporter.AsObject(fmt.Errorf("unable to read an event of the watch: %w", err)))
}
