package listwatch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// ListWatcher is the API that a Reflector keeps up with. Both methods honour ctx, and return errors of apimachinery's
// api/errors where the server answered.
type ListWatcher[T any] interface {
	List(ctx context.Context, opts metav1.ListOptions) (Page[T], error)
	Watch(ctx context.Context, opts metav1.ListOptions) (Stream[T], error)
}

// Lister is a ListWatcher that hands on what it lists as it arrives, so that a list is never held as a whole.
type Lister[T any] interface {
	ListWatcher[T]
	// Each lists, and calls do for each object, in the goroutine that calls it. The page that it returns has no
	// Items and nothing Broken.
	Each(ctx context.Context, opts metav1.ListOptions, do func(Item[T])) (Page[T], error)
}

// Item is one object of a list.
type Item[T any] struct {
	Obj T
	// Known means that Obj is what is known already of the object, because the server has it in this version. A
	// transform may have made it, so that it need not say what it is.
	Known bool
	// Key is that of a known object, as the server has it.
	Key delta.Key
	// Err says why the object can't be understood. It is there all the same.
	Err error
}

// distrust marks a context.
type distrust struct{}

// Distrust asks that no object be taken for known because of its version.
func Distrust(ctx context.Context) context.Context {
	return context.WithValue(ctx, distrust{}, true)
}

// Distrusts reports whether Distrust has marked the context.
func Distrusts(ctx context.Context) bool { return ctx.Value(distrust{}) != nil }

// wholeKey marks a context.
type wholeKey struct{}

// PartOf returns a context for one of the requests that somebody makes until ctx ends. It may get a deadline of its own.
func PartOf(ctx context.Context) context.Context { return context.WithValue(ctx, wholeKey{}, ctx) }

// Whole returns the context that PartOf was given, or ctx if it is part of none.
func Whole(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(wholeKey{}).(context.Context); ok {
		return whole
	}
	return ctx
}

// Page is one answer to a list request. The caller of List owns Items.
type Page[T any] struct {
	Items []T
	// Lent means that the items are parts of one piece of memory, so one that is kept has to be detached; see
	// store.Traits.
	Lent     bool
	Version  string // resource version of the list
	Continue string // token of the next page; empty on the last

	// Broken holds an error for each object that is on the page but could not be
	// understood, so that it is in Items no more than an object that is gone.
	Broken []error
}

// Stream is a watch in progress.
type Stream[T any] interface {
	// Next waits for the next event. It returns io.EOF when the server ended the watch in good order, the server's
	// error where it sent one, and ctx's error; then the Stream can't be used again. An event that can't be
	// understood is an Event with Err set.
	Next(ctx context.Context) (Event[T], error)
	// Close ends the watch. It may be called more than once.
	Close()
}

// Event is one event of a watch: a Delta as far as the server tells it, or a bookmark.
type Event[T any] struct {
	// Delta has its Op, which is Added, Updated or Deleted, its New and its Version. A
	// bookmark has no Op, and the version that it announces.
	delta.Delta[T]

	// InitialEnd marks the bookmark that ends the initial events of a streaming
	// list: everything that existed at Version has been sent.
	InitialEnd bool

	// Known is that of [Item]. Only initial events of a streaming list have it. The Delta has the Key then.
	Known bool

	// Err says why this one event could not be understood. The watch goes on. The other
	// fields mean nothing then.
	Err error
}

// IsBookmark reports whether the event announces a version and nothing else.
func (e *Event[T]) IsBookmark() bool { return e.Op == 0 && e.Err == nil }
