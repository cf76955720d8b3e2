package writes

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Writes remembers what a client has written, and knows what it is writing.
//
// A version counts as made only if the client knows which version it was made from:
// because the object was created, or because the server was told to write over that
// version alone. Without this, an answer does not tell a write from one that found
// everything done by somebody else. So each version leads back to the one before it,
// and Made follows these steps: between two versions that they connect nobody else has
// written, whatever the watch may have left out.
//
// It is bounded: what was written longest ago is forgotten, and then taken for
// somebody else's. Any goroutine may call it, and several clients may share one.
type Writes struct {
	mu      lock.Mutex[lock.Writes]                             // guards everything below
	kindOf  func(delta.Object) (schema.GroupVersionKind, error) // nil while nobody knows
	known   map[mark]string
	order   []mark // a ring of what is known. Invariant: the keys of known, in the order in which they came.
	oldest  int    // in order: the place of the next. Invariant: 0 until the ring is full.
	limit   int
	flights map[delta.Key][]flight
}

var _ delta.OwnWrites = (*Writes)(nil)

// mark is one version of an object, or where the version is empty its deletion. For a
// version, the one that it was made from is known, empty if there was none.
type mark struct {
	uid     types.UID
	version string
}

// flight is a write that has not been answered.
type flight struct {
	kind schema.GroupKind
	done chan struct{}
}

// New returns Writes that know of none and remember up to limit. Zero means 16384, which are
// about 4 MB.
func New(limit int) *Writes {
	return &Writes{limit: cmp.Or(max(0, limit), 1<<14), known: map[mark]string{}, flights: map[delta.Key][]flight{}}
}

// KnowKinds says what an object is, unless somebody has said so before: a scheme's knowledge.
// Without it an event waits for the writes of objects of the same name of other kinds, too.
func (w *Writes) KnowKinds(kindOf func(delta.Object) (schema.GroupVersionKind, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kindOf == nil {
		w.kindOf = kindOf
	}
}

// Begin notes that a write is about to be sent, and end that it was answered, or never
// will be. Its outcome has to be noted before end is called; to call that again does
// nothing. An empty kind is any.
func (w *Writes) Begin(kind schema.GroupKind, key delta.Key) (end func()) {
	f := flight{kind: kind, done: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flights[key] = append(w.flights[key], f)
	return sync.OnceFunc(func() { w.end(key, f) })
}

func (w *Writes) end(key delta.Key, f flight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.DeleteFunc(w.flights[key], func(other flight) bool { return other == f })
	if w.flights[key] = all; len(all) == 0 {
		delete(w.flights, key)
	}
	close(f.done)
}

// Wrote notes that a write made one version of an object from another. From is empty
// for an object that was created. A write that changed nothing made nothing.
func (w *Writes) Wrote(uid types.UID, from, to string) {
	if to != "" && from != to {
		w.remember(mark{uid, to}, from)
	}
}

// WroteLast notes that the object was deleted.
func (w *Writes) WroteLast(uid types.UID) { w.remember(mark{uid: uid}, "") }

// remember does nothing for an object without a UID: it can't be told from another object
// of the same name.
func (w *Writes) remember(m mark, from string) {
	if m.uid == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.known[m]; ok {
		return
	}
	w.known[m] = from
	if len(w.order) < w.limit {
		w.order = append(w.order, m)
		return
	}
	delete(w.known, w.order[w.oldest])
	w.order[w.oldest] = m
	w.oldest = (w.oldest + 1) % w.limit
}

// Made is as [delta.OwnWrites] says.
func (w *Writes) Made(uid types.UID, from, to string) bool {
	if from == to {
		return false // nothing was made
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for range len(w.order) { // no way is longer, unless a server's versions go in circles
		before, ok := w.known[mark{uid, to}]
		switch {
		case !ok || to == "":
			return false
		case before == from:
			return true
		}
		to = before
	}
	return false
}

// Deleted is as [delta.OwnWrites] says.
func (w *Writes) Deleted(uid types.UID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.known[mark{uid: uid}]
	return ok
}

// Settled is as [delta.OwnWrites] says. An event may come before the answer to the write that
// it shows.
func (w *Writes) Settled(ctx context.Context, obj delta.Object) error {
	for _, done := range w.underWay(obj) {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (w *Writes) underWay(obj delta.Object) (unanswered []<-chan struct{}) {
	keys := []delta.Key{{Namespace: obj.GetNamespace(), Name: obj.GetName()}}
	if prefix := obj.GetGenerateName(); prefix != "" {
		keys = append(keys, Unnamed(obj.GetNamespace(), prefix))
	}
	w.mu.Lock()
	busy, kindOf := len(w.flights) > 0, w.kindOf
	w.mu.Unlock()
	if !busy { // the usual case: the kind need not be found
		return nil
	}
	var kind schema.GroupKind
	if kindOf != nil {
		if gvk, err := kindOf(obj); err == nil {
			kind = gvk.GroupKind()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range keys {
		for _, f := range w.flights[key] {
			if f.kind == kind || f.kind.Empty() || kind.Empty() {
				unanswered = append(unanswered, f.done)
			}
		}
	}
	return unanswered
}

// Unnamed is the key of a write whose object the server has yet to name.
func Unnamed(namespace, generateName string) delta.Key {
	return delta.Key{Namespace: namespace, Name: generateName + "*"} // in no object's name
}

// Status is what Writes hold.
type Status struct {
	Remembered int // writes whose outcome is known
	UnderWay   int // writes that have not been answered
}

// Status tells what they hold.
func (w *Writes) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Status{Remembered: len(w.known)}
	for _, all := range w.flights {
		s.UnderWay += len(all)
	}
	return s
}
