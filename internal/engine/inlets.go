package engine

import (
	"container/heap"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
)

// inlets are those that are open, and which of them something is to be done about: an event must not
// cost more because its kind has many scopes. The queue's lock guards it.
type inlets[T any] struct {
	waiting []*Inlet[T] // their first lists are not visible
	moved   []*Inlet[T] // they have heard something since the last batch was handed out
	handed  []*Inlet[T] // they had, when it was

	lowest    byVersion[T] // those whose version has an order, by what was handed out
	unordered int          // how many others there are that have one
}

// move notes that an inlet has heard something.
func (l *inlets[T]) move(in *Inlet[T]) {
	if !in.moved {
		in.moved = true
		l.moved = append(l.moved, in)
	}
}

// handOut notes where the inlets are that have moved.
func (l *inlets[T]) handOut() {
	for _, in := range l.moved {
		if in.moved = false; in.closed {
			continue
		}
		in.unpopped = false
		l.file(in, in.heard)
		l.handed = append(l.handed, in)
	}
	clear(l.moved)
	l.moved = l.moved[:0]
}

// reveal notes that readers see what was handed out.
func (l *inlets[T]) reveal() {
	for _, in := range l.handed {
		in.visible = in.out
	}
	clear(l.handed)
	l.handed = l.handed[:0]
}

// file puts an inlet where its version belongs. The empty one belongs nowhere.
func (l *inlets[T]) file(in *Inlet[T], version string) {
	_, was := reflector.VersionNumber(in.out)
	_, is := reflector.VersionNumber(version)
	switch {
	case was && is:
		in.out = version
		heap.Fix(&l.lowest, in.place)
		return
	case was:
		heap.Remove(&l.lowest, in.place)
	case in.out != "":
		l.unordered--
	}
	in.out = version
	switch {
	case is:
		heap.Push(&l.lowest, in)
	case version != "":
		l.unordered++
	}
}

// byVersion is a heap: the lowest version is first.
type byVersion[T any] []*Inlet[T]

// Len is that of [heap.Interface], as are the others.
func (h byVersion[T]) Len() int { return len(h) }

// Less puts the older first.
func (h byVersion[T]) Less(i, j int) bool { return reflector.Older(h[i].out, h[j].out) }

// Swap keeps the places right.
func (h byVersion[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push adds an inlet.
func (h *byVersion[T]) Push(in any) {
	added := in.(*Inlet[T]) //nolint:forcetypeassert // nothing else is pushed
	added.place = len(*h)
	*h = append(*h, added)
}

// Pop takes the last.
func (h *byVersion[T]) Pop() any {
	last := len(*h) - 1
	in := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return in
}
