package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Options say what a [Client] is expected to bring.
type Options[T any] struct {
	// Convert makes a T of what was decoded. Its error leaves the object out.
	Convert func(runtime.Object) (T, error)
	// Example is an object of the kind: events with objects of another Go type, or
	// for unstructured ones another group, version or kind, are left out. Nil
	// expects nothing in particular.
	Example any
	// Lend hands the objects of a list on as parts of it, for an informer whose traits
	// have Detach: what a relist shows unchanged is then not copied. Convert must
	// return the object that it is given.
	Lend bool
}

// Client is what lists and watches, as clients of the API do.
type Client struct {
	List  func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error)
	Watch func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

// Lent shows a client as a ListWatcher of objects as they are decoded, whose lists lend their
// items. example is an object of the kind.
func Lent(client Client, example any) ListWatcher[any] {
	return Of(client, Options[any]{Convert: AsItIs, Example: example, Lend: true})
}

// AsItIs keeps an object as it was decoded.
func AsItIs(obj runtime.Object) (any, error) { return obj, nil }

// Of shows a client as a ListWatcher.
func Of[T any](client Client, opts Options[T]) ListWatcher[T] {
	l := &reader[T]{
		client:  client,
		convert: opts.Convert,
		expect:  expecting(opts.Example),
		each:    meta.EachListItemWithAlloc,
		lend:    opts.Lend,
	}
	if opts.Lend {
		l.each = meta.EachListItem
	}
	return l
}

type reader[T any] struct {
	client  Client
	convert func(runtime.Object) (T, error)
	expect  expectation
	each    func(list runtime.Object, do func(runtime.Object) error) error
	lend    bool
}

var _ ListWatcher[any] = (*reader[any])(nil)

// List copies each object out of the list it came in, or lends it. A typed list is one array, which would stay in
// memory for as long as any object does.
func (l *reader[T]) List(ctx context.Context, opts metav1.ListOptions) (Page[T], error) {
	list, err := l.client.List(ctx, opts)
	if err != nil {
		return Page[T]{}, WithoutQuotes(err)
	}
	if isTable(list) {
		return Page[T]{}, ErrTable
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return Page[T]{}, fmt.Errorf("read the answer to a list: %w", err)
	}
	page := Page[T]{
		Version:  about.GetResourceVersion(),
		Continue: about.GetContinue(),
		Items:    make([]T, 0, meta.LenList(list)),
		Lent:     l.lend,
	}
	err = l.each(list, func(item runtime.Object) error {
		obj, err := l.convert(item)
		if err != nil {
			page.Broken = append(page.Broken, keyedBy(err, item))
			return nil
		}
		page.Items = append(page.Items, obj)
		return nil
	})
	if err != nil {
		return Page[T]{}, fmt.Errorf("read the items of a list: %w", err)
	}
	return page, nil
}

func (l *reader[T]) Watch(ctx context.Context, opts metav1.ListOptions) (Stream[T], error) {
	w, err := l.client.Watch(ctx, opts)
	if err != nil {
		return nil, WithoutQuotes(err)
	}
	if w == nil {
		return nil, errors.New("the client returned neither a watch nor an error")
	}
	return &clientStream[T]{of: l, w: w}, nil
}

// stream reads a watch.Interface in the goroutine that asks for events.
type clientStream[T any] struct {
	of     *reader[T]
	w      watch.Interface
	closed bool
}

func (s *clientStream[T]) Next(ctx context.Context) (Event[T], error) {
	select {
	case <-ctx.Done():
		return Event[T]{}, ctx.Err()
	case event, ok := <-s.w.ResultChan():
		switch {
		case !ok:
			return Event[T]{}, io.EOF
		case event.Type == watch.Error:
			return Event[T]{}, WithoutQuotes(apierrors.FromObject(event.Object))
		}
		return s.of.Event(event), nil
	}
}

func (s *clientStream[T]) Close() {
	if !s.closed {
		s.closed = true
		s.w.Stop()
	}
}

// Event reads an event. If it can't be understood, its error has the key of the object.
func (l *reader[T]) Event(event watch.Event) (read Event[T]) {
	if err := l.read(&read, event); err != nil {
		read.Err = keyedBy(err, event.Object)
	}
	return read
}

// read makes a Delta of what was decoded. It goes to the subscribers from here, and each
// step on the way completes it.
func (l *reader[T]) read(to *Event[T], event watch.Event) error {
	if err := l.expect.check(event.Object); err != nil {
		return err
	}
	about, err := meta.Accessor(event.Object)
	if err != nil {
		return fmt.Errorf("read the metadata of a %T: %w", event.Object, err)
	}
	to.Version = about.GetResourceVersion()
	if event.Type == watch.Bookmark {
		to.InitialEnd = about.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
		return nil
	}
	if to.Op, err = opOf(event.Type); err == nil {
		to.New, err = l.convert(event.Object)
	}
	return err
}

// opOf returns what an event with an object says. watch.Error is an error of Next.
func opOf(t watch.EventType) (delta.Op, error) {
	switch t {
	case watch.Added:
		return delta.Added, nil
	case watch.Modified:
		return delta.Updated, nil
	case watch.Deleted:
		return delta.Deleted, nil
	default:
		return 0, fmt.Errorf("the event has the unknown type %q", t)
	}
}

// Reader makes events of what somebody else has decoded.
type Reader struct{ *reader[any] }

// Expecting returns a Reader of events with objects like example.
func Expecting(example any) Reader {
	return Reader{&reader[any]{convert: AsItIs, expect: expecting(example)}}
}

// Known makes an event whose object is known in its version. It does not look at that.
func (Reader) Known(t watch.EventType, key delta.Key, version string, obj any) (event Event[any]) {
	event.Known = true
	event.Key, event.Version, event.New = key, version, obj
	event.Op, event.Err = opOf(t)
	return event
}
