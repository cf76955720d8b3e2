package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
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
	in *Inlet[note]
}

func newHandFed(t *testing.T, opts Options[note]) *handFed {
	t.Helper()
	opts.Name, opts.Traits = "notes", noteTraits
	i := New[note](&written[note]{}, opts)
	return &handFed{t: t, Informer: i, in: i.coverage.Load().scopes[0].inlet}
}

func (h *handFed) list(r reflector.Replacement, objs ...note) {
	h.t.Helper()
	r.Keys = keysOf(h.t, noteTraits.Key, objs)
	if err := h.in.Replace(objs, r); err != nil {
		h.t.Fatal(err)
	}
}

// keysOf are those of the objects of a list.
func keysOf[T any](t *testing.T, of func(T) (delta.Key, error), objs []T) []delta.Key {
	t.Helper()
	keys := make([]delta.Key, len(objs))
	for i, obj := range objs {
		var err error
		if keys[i], err = of(obj); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func (h *handFed) push(op delta.Op, obj note) {
	h.t.Helper()
	if err := h.in.Push(delta.Delta[note]{Op: op, New: obj, Version: obj.version}, obj.version); err != nil {
		h.t.Fatal(err)
	}
}

// release makes what was handed out count as visible.
func (f *DeltaFIFO[T]) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.releaseLocked()
}

// apply makes what is pending visible, and returns what there is to tell of it.
func (h *handFed) apply() []event[note] {
	h.t.Helper()
	batch, ok := h.fifo.Next()
	if !ok {
		return nil
	}
	defer h.fifo.release()
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

// usualSeeds is how many random scripts a model test plays.
const usualSeeds = 100

// heavySeeds is the same for those that play a whole informer.
const heavySeeds = 15

// someKeys are the keys of n objects whose names are numbers.
func someKeys(n int) []delta.Key {
	keys := make([]delta.Key, n)
	for i := range keys {
		keys[i] = delta.Key{Name: fmt.Sprint(i)}
	}
	return keys
}

// odd and even choose among the objects whose names are numbers.
var odd, even = labels.SelectorFromSet(labels.Set{"odd": "true"}), labels.SelectorFromSet(labels.Set{"odd": "false"})

func numberLabels(key delta.Key) labels.Set {
	n, err := strconv.Atoi(key.Name)
	if err != nil {
		panic(err)
	}
	return labels.Set{"odd": fmt.Sprint(n%2 == 1)}
}

// The next delta after a state that was left out says so, once for each object, until a
// list shows everything.
func TestUpdatesSayWhatWasLeftOutBeforeThem(t *testing.T) {
	refusing := func(n note) (note, error) {
		if n.text == "bad" {
			return n, errors.New("as the test wants it")
		}
		return n, nil
	}
	a, b := note{"a", "1", "x"}, note{"b", "1", "x"}
	refuse := func(h *handFed) {
		_ = h.in.Push(delta.Delta[note]{Op: delta.Updated, New: note{"a", "2", "bad"}, Version: "2"}, "2")
	}
	unread := func(h *handFed) { h.in.omitAny() }
	for name, tt := range map[string]struct {
		left func(*handFed)
		want string
	}{
		"nothing":                {func(*handFed) {}, "a:false b:false a:false"},
		"a state of one":         {refuse, "a:true b:false a:false"},
		"a state of some object": {unread, "a:true b:true a:false"},
		"again and again":        {func(h *handFed) { unread(h); h.push(delta.Updated, note{"b", "3", "y"}); unread(h) }, "b:true a:true b:true a:false"},
		"before it was deleted":  {func(h *handFed) { refuse(h); h.push(delta.Deleted, note{"a", "3", "x"}) }, "a:false a:false b:false a:false"},
		"before a list":          {func(h *handFed) { refuse(h); unread(h); h.list(reflector.Replacement{Version: "5"}, a, b) }, "a:false b:false a:false"},
		"what a list lacks":      {func(h *handFed) { h.list(reflector.Replacement{Version: "5", Partial: true}, b) }, "a:true b:false a:false"},
		"what a list refuses":    {func(h *handFed) { h.list(reflector.Replacement{Version: "5"}, note{"a", "5", "bad"}, b) }, "a:true b:false a:false"},
		"what was not ingested":  {func(h *handFed) { h.list(reflector.Replacement{Version: "5", Refused: []delta.Key{{Name: "a"}}}, b) }, "a:true b:false a:false"},
	} {
		h := newHandFed(t, Options[note]{Transform: refusing})
		h.list(reflector.Replacement{Version: "1"}, a, b)
		h.apply()
		tt.left(h)
		h.push(delta.Updated, note{"a", "10", "y"})
		h.push(delta.Updated, note{"b", "11", "z"})
		h.push(delta.Updated, note{"a", "12", "z"})
		got := ""
		for _, e := range h.apply() {
			got += fmt.Sprintf(" %s:%t", e.Key, e.Relisted)
		}
		if got != " "+tt.want {
			t.Errorf("left out %s: marked%s, want %s", name, got, tt.want)
		}
	}
}

// The memory has a bound. Beyond it everything may have been left out.
func TestOmissionsAreBounded(t *testing.T) {
	var o omissions
	for i := range maxOmissions + 1 {
		o.of(delta.Key{Name: fmt.Sprint(i)})
	}
	if len(o.keys) != maxOmissions || !o.before(delta.Key{Name: "other"}) || o.before(delta.Key{Name: "other"}) {
		t.Errorf("%d keys, and whether any may be meant is %t", len(o.keys), o.any)
	}
	for i := range maxOmissions + 1 {
		o.before(delta.Key{Name: fmt.Sprint("sure", i)})
	}
	if len(o.sure) != maxOmissions {
		t.Errorf("%d are remembered to be sure of", len(o.sure))
	}
}
