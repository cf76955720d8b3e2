package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	restwatch "k8s.io/client-go/rest/watch"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Watch watches the kind.
func (c *Client) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[any], error) {
	opts.Watch = true
	ctx, cancel := context.WithCancel(ctx)
	answered, err := c.askAgain(ctx, opts, nil)
	switch {
	case err == nil:
	case ctx.Err() == nil && (hungUp(err) || utilnet.IsTimeout(err)):
		cancel()
		return ended{}, nil // as client-go does: the server has ended the watch
	default:
		cancel()
		return nil, err
	}
	s := &stream{client: c, body: answered.body, cancel: cancel, objects: c.objects()}
	s.objects.events = true
	s.objects.trusted = c.Known != nil && opts.SendInitialEvents != nil && *opts.SendInitialEvents && !listwatch.Distrusts(ctx)
	if err := s.read(answered); err != nil {
		s.Close()
		return nil, fmt.Errorf("watch %s: %w", c.GVK.Kind, err)
	}
	return s, nil
}

const (
	// maxAgain is how often a request is made once more whose connection ends before there is an answer.
	maxAgain = 10
	// againAfter is how long that waits. Both are client-go's.
	againAfter = time.Second
)

// askAgain sends a request, as [Client.ask] does. If the connection ends before there is an answer, as it does when a
// server restarts or a load balancer has forgotten it, nothing is lost by asking once more. A time-out has taken so
// long already that the reader should know.
func (c *Client) askAgain(ctx context.Context, opts metav1.ListOptions, list *measure) (answer, error) {
	for again := 0; ; again++ {
		answered, err := c.ask(ctx, opts, list)
		if err == nil || ctx.Err() != nil || !hungUp(err) || again == maxAgain {
			return answered, err
		}
		wait := time.NewTimer(againAfter)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return answer{}, err
		}
	}
}

// ended is a watch that is over.
type ended struct{}

func (ended) Next(context.Context) (listwatch.Event[any], error) {
	return listwatch.Event[any]{}, io.EOF
}
func (ended) Close() {}

// hungUp reports whether a connection ended before there was an answer. A server may answer that one of its own did.
func hungUp(err error) bool {
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		return false
	}
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err)
}

// stream is a watch in progress. It reads in the goroutine that asks for events.
type stream struct {
	client  *Client
	body    io.Closer
	cancel  context.CancelFunc
	events  events
	objects *objects
	closed  atomic.Bool
}

// Next reads the next event. What ends ctx must end the context of the watch, too, which ends the reading.
func (s *stream) Next(ctx context.Context) (listwatch.Event[any], error) {
	t, got, err := s.events.next()
	switch {
	case ctx.Err() != nil:
		return listwatch.Event[any]{}, ctx.Err()
	case err != nil && s.closed.Load():
		return listwatch.Event[any]{}, io.EOF
	case err != nil:
		return listwatch.Event[any]{}, ending(err)
	case got.err != nil && t == watch.Error:
		// Nobody takes this for the end of the connection, whatever the decoder's error is.
		return listwatch.Event[any]{}, ending(errors.New("an error of the server can't be decoded: " + got.err.Error()))
	case got.err != nil:
		event := listwatch.Event[any]{Err: listwatch.WithoutQuotes(got.err)}
		if t == watch.Deleted { // its key may be known
			event.Op = delta.Deleted
		}
		return event, nil // the watch goes on
	case t == watch.Error:
		return listwatch.Event[any]{}, listwatch.WithoutQuotes(apierrors.FromObject(got.obj))
	}
	if got.known != nil {
		return s.client.read.Known(t, got.key, got.version, got.known), nil
	}
	event := s.client.read.Event(watch.Event{Type: t, Object: got.obj})
	if event.InitialEnd {
		s.objects.trusted = false // what comes now is what happens
	}
	return event, nil
}

// Close ends the watch. It does not wait for the goroutine that reads.
func (s *stream) Close() {
	if s.closed.CompareAndSwap(false, true) {
		s.cancel()
		_ = s.body.Close()
	}
}

// read chooses how to read the answer.
func (s *stream) read(answered answer) error {
	decoder, serializer, framer, err := s.client.Negotiator.StreamDecoder(answered.name, answered.params)
	if err != nil {
		return err
	}
	s.objects.decode = keyedDecoder{decoder, &s.client.Kind}
	in := newWindow(answered.body, firstWindow)
	switch answered.media {
	case isJSON:
		s.events = &jsonWatch{in: in, objects: s.objects}
	case isProto:
		s.events = &protoWatch{in: in, objects: s.objects}
	default:
		frames := streaming.NewDecoder(framer.NewFrameReader(answered.body), serializer)
		s.events = foreignEvents{restwatch.NewDecoder(frames, decoder)}
	}
	return nil
}

// foreignEvents reads events as client-go does.
type foreignEvents struct{ from *restwatch.Decoder }

func (f foreignEvents) next() (watch.EventType, arrival, error) {
	t, obj, err := f.from.Decode()
	return t, arrival{obj: obj}, err
}

// events reads what a watch brings.
type events interface {
	// next reads the next event. Its error is the end of the watch.
	next() (watch.EventType, arrival, error)
}

// ending is the end of a watch as client-go's watches tell it: io.EOF where the connection ended, and an error of
// the server's making where nobody knows what the bytes mean.
func ending(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), utilnet.IsProbableEOF(err), utilnet.IsTimeout(err):
		return io.EOF
	}
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")
	return apierrors.FromObject(reporter.AsObject(fmt.Errorf("unable to read an event of the watch: %w", listwatch.WithoutQuotes(err))))
}
