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

// Client is what lists and watches, as clients of the API do.
type Client struct {
	List  func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error)
	Watch func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

// Of shows a client as a ListWatcher of objects as they are decoded. example is an object of the kind: events with
// objects of another Go type, or for unstructured ones another group, version or kind, are left out. Nil expects
// nothing in particular.
func Of(client Client, example any) ListWatcher[any] {
	return &reader{Expecting(example), client, meta.EachListItemWithAlloc, false}
}

// Lent is Of with lists that lend their items, for an informer whose traits have Detach: what a relist shows unchanged
// is then not copied.
func Lent(client Client, example any) ListWatcher[any] {
	return &reader{Expecting(example), client, meta.EachListItem, true}
}

type reader struct {
	Reader

	client Client
	each   func(list runtime.Object, do func(runtime.Object) error) error
	lend   bool
}

// List copies each object out of the list it came in, or lends it. A typed list is one array, which would stay in
// memory for as long as any object does.
func (l *reader) List(ctx context.Context, opts metav1.ListOptions) (Page[any], error) {
	list, err := l.client.List(ctx, opts)
	if err != nil {
		return Page[any]{}, WithoutQuotes(err)
	}
	if isTable(list) {
		return Page[any]{}, ErrTable
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return Page[any]{}, fmt.Errorf("read the answer to a list: %w", err)
	}
	page := Page[any]{
		Version:  about.GetResourceVersion(),
		Continue: about.GetContinue(),
		Items:    make([]any, 0, meta.LenList(list)),
		Lent:     l.lend,
	}
	err = l.each(list, func(item runtime.Object) error {
		page.Items = append(page.Items, item)
		return nil
	})
	if err != nil {
		return Page[any]{}, fmt.Errorf("read the items of a list: %w", err)
	}
	return page, nil
}

func (l *reader) Watch(ctx context.Context, opts metav1.ListOptions) (Stream[any], error) {
	w, err := l.client.Watch(ctx, opts)
	if err != nil {
		return nil, WithoutQuotes(err)
	}
	if w == nil {
		return nil, errors.New("the client returned neither a watch nor an error")
	}
	return &clientStream{of: l, w: w}, nil
}

// stream reads a watch.Interface in the goroutine that asks for events.
type clientStream struct {
	of     *reader
	w      watch.Interface
	closed bool
}

func (s *clientStream) Next(ctx context.Context) (Event[any], error) {
	select {
	case <-ctx.Done():
		return Event[any]{}, ctx.Err()
	case event, ok := <-s.w.ResultChan():
		switch {
		case !ok:
			return Event[any]{}, io.EOF
		case event.Type == watch.Error:
			return Event[any]{}, WithoutQuotes(apierrors.FromObject(event.Object))
		}
		return s.of.Event(event), nil
	}
}

func (s *clientStream) Close() {
	if !s.closed {
		s.closed = true
		s.w.Stop()
	}
}

// Event reads an event. If it can't be understood, its error has the key of the object.
func (r Reader) Event(event watch.Event) (read Event[any]) {
	if err := r.read(&read, event); err != nil {
		read.Err = keyedBy(err, event.Object)
	}
	return read
}

// read makes a Delta of what was decoded. It goes to the subscribers from here, and each
// step on the way completes it.
func (r Reader) read(to *Event[any], event watch.Event) error {
	if err := r.check(event.Object); err != nil {
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
	to.New = event.Object
	to.Op, err = opOf(event.Type)
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

// Known makes an event whose object is known in its version. It does not look at that.
func (Reader) Known(t watch.EventType, key delta.Key, version string, obj any) (event Event[any]) {
	event.Known = true
	event.Key, event.Version, event.New = key, version, obj
	event.Op, event.Err = opOf(t)
	return event
}
