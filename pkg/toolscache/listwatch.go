package toolscache

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

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
)

// ListWatcherOptions say what a [Client] is expected to bring.
type ListWatcherOptions[T any] struct {
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

// newListWatcher shows a client as a ListWatcher.
func newListWatcher[T any](client Client, opts ListWatcherOptions[T]) listwatch.ListWatcher[T] {
	l := &listWatcher[T]{
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

type listWatcher[T any] struct {
	client  Client
	convert func(runtime.Object) (T, error)
	expect  expectation
	each    func(list runtime.Object, do func(runtime.Object) error) error
	lend    bool
}

var _ listwatch.ListWatcher[any] = (*listWatcher[any])(nil)

// List copies each object out of the list it came in, or lends it. Objects of a
// typed list are elements of one array, which would otherwise stay in memory for as
// long as any one of them does.
func (l *listWatcher[T]) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[T], error) {
	list, err := l.client.List(ctx, opts)
	if err != nil {
		return listwatch.Page[T]{}, err
	}
	if isTable(list) {
		return listwatch.Page[T]{}, errTable
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return listwatch.Page[T]{}, fmt.Errorf("read the answer to a list: %w", err)
	}
	page := listwatch.Page[T]{
		Version:  about.GetResourceVersion(),
		Continue: about.GetContinue(),
		Items:    make([]T, 0, meta.LenList(list)),
		Lent:     l.lend,
	}
	err = l.each(list, func(item runtime.Object) error {
		obj, err := l.convert(item)
		if err != nil {
			page.Broken = append(page.Broken, err)
			return nil
		}
		page.Items = append(page.Items, obj)
		return nil
	})
	if err != nil {
		return listwatch.Page[T]{}, fmt.Errorf("read the items of a list: %w", err)
	}
	return page, nil
}

func (l *listWatcher[T]) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[T], error) {
	w, err := l.client.Watch(ctx, opts)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, errors.New("the client returned neither a watch nor an error")
	}
	return &stream[T]{of: l, w: w}, nil
}

// stream reads a watch.Interface in the goroutine that asks for events.
type stream[T any] struct {
	of     *listWatcher[T]
	w      watch.Interface
	closed bool
}

func (s *stream[T]) Next(ctx context.Context) (listwatch.Event[T], error) {
	select {
	case <-ctx.Done():
		return listwatch.Event[T]{}, ctx.Err()
	case event, ok := <-s.w.ResultChan():
		switch {
		case !ok:
			return listwatch.Event[T]{}, io.EOF
		case event.Type == watch.Error:
			return listwatch.Event[T]{}, apierrors.FromObject(event.Object)
		}
		return s.of.read(event), nil
	}
}

func (s *stream[T]) Close() {
	if !s.closed {
		s.closed = true
		s.w.Stop()
	}
}

func (l *listWatcher[T]) read(event watch.Event) listwatch.Event[T] {
	if err := l.expect.check(event.Object); err != nil {
		return listwatch.Event[T]{Type: event.Type, Err: err}
	}
	about, err := meta.Accessor(event.Object)
	if err != nil {
		return listwatch.Event[T]{Type: event.Type, Err: fmt.Errorf("read the metadata of a %T: %w", event.Object, err)}
	}
	read := listwatch.Event[T]{Type: event.Type, Version: about.GetResourceVersion()}
	if event.Type == watch.Bookmark {
		read.InitialEnd = about.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
		return read
	}
	read.Object, read.Err = l.convert(event.Object)
	return read
}
