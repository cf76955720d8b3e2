package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// note is an object whose content may change without its version.
type note struct{ name, version, text string }

func (n note) String() string { return n.name + "@" + n.version + " " + n.text }

var noteTraits = store.Traits[note]{
	Key: func(n note) (delta.Key, error) {
		if n.name == "" {
			return delta.Key{}, faulty.ErrNoName
		}
		return delta.ParseKey(n.name), nil
	},
	Version: func(n note) string { return n.version },
	UID:     func(note) string { return "" },
	Labels:  func(note) map[string]string { return nil },
}

// byText finds notes by what they say.
var byText = store.Indexers[note]{"text": func(n note) ([]string, error) { return []string{n.text}, nil }}

// handFed is an informer that nobody runs: the test puts into its queue what a
// Reflector would, and applies the batches itself.
type handFed struct {
	t *testing.T
	*Informer[note]
	in *inlet[note]
}

func newHandFed(t *testing.T, opts Options[note]) *handFed {
	t.Helper()
	opts.Name, opts.Traits = "notes", noteTraits
	i := New[note](&written[note]{}, opts)
	return &handFed{t: t, Informer: i, in: i.coverage.Load().scopes[0].inlet}
}

func (h *handFed) list(r reflector.Replacement, objs ...note) {
	h.t.Helper()
	if err := h.in.Replace(objs, r); err != nil {
		h.t.Fatal(err)
	}
}

func (h *handFed) push(op delta.Op, obj note) {
	h.t.Helper()
	if err := h.in.Push(delta.Delta[note]{Op: op, New: obj, Version: obj.version}, obj.version); err != nil {
		h.t.Fatal(err)
	}
}

// apply makes what is pending visible, and returns what there is to tell of it.
func (h *handFed) apply() []event[note] {
	h.t.Helper()
	batch, ok, err := h.fifo.tryPop()
	if err != nil {
		h.t.Fatal(err)
	}
	if !ok {
		return nil
	}
	defer h.fifo.Release()
	return h.controller.apply(batch)
}

// wantTold applies what is pending and compares what there is to tell.
func (h *handFed) wantTold(what string, want ...string) {
	h.t.Helper()
	var got []string
	for _, e := range h.apply() {
		got = append(got, fmt.Sprintf("%s %s→%s", e.Op, e.Old.text, e.New.text))
	}
	if !slices.Equal(got, want) {
		h.t.Errorf("of %s is told %q, want %q", what, got, want)
	}
}

// written is a server that has one list, shows each event that it is sent, and has
// no streaming lists.
type written[T any] struct {
	page   listwatch.Page[T]
	events chan listwatch.Event[T]
}

var errWatchIsOver = errors.New("the watch is over")

func (w *written[T]) List(context.Context, metav1.ListOptions) (listwatch.Page[T], error) {
	page := w.page
	page.Items = slices.Clone(page.Items)
	return page, nil
}

func (w *written[T]) Watch(_ context.Context, opts metav1.ListOptions) (listwatch.Stream[T], error) {
	if opts.SendInitialEvents != nil {
		return nil, faulty.Answer("invalid")
	}
	return w, nil
}

func (w *written[T]) Next(ctx context.Context) (listwatch.Event[T], error) {
	select {
	case event, more := <-w.events:
		if !more {
			return event, io.EOF
		}
		return event, nil
	case <-ctx.Done():
		return listwatch.Event[T]{}, errWatchIsOver
	}
}

func (w *written[T]) Close() {}
