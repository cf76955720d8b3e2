package engine

import "github.com/delta-runtime/delta-runtime/internal/engine/reflector"

// inlets are those that are open, and which of them something is to be done about: an event must not
// cost more because its kind has many scopes, unless it is of the one that is furthest behind. The queue's lock guards it.
type inlets[T any] struct {
	open    []*Inlet[T]
	waiting []*Inlet[T] // their first lists are not visible
	moved   []*Inlet[T] // they have heard something since the last batch was handed out
	handed  []*Inlet[T] // they had, when it was

	// last is the furthest behind, by what was handed out. It is nil where all have to be looked at: after it has moved,
	// and while some version has no order.
	last *Inlet[T]
}

// move notes that an inlet has heard something.
func (l *inlets[T]) move(in *Inlet[T]) {
	if !in.moved {
		in.moved = true
		l.moved = append(l.moved, in)
	}
}

// handOut notes where the inlets are that have moved, and returns the version that all of them have reached.
func (l *inlets[T]) handOut() string {
	for _, in := range l.moved {
		if in.moved = false; in.closed {
			continue
		}
		in.unpopped = false
		in.out = in.heard
		if l.last != nil && (in == l.last || !reflector.Older(l.last.out, in.out)) {
			l.last = nil
		}
		l.handed = append(l.handed, in)
	}
	clear(l.moved)
	l.moved = l.moved[:0]
	if l.last == nil && !l.findLast() {
		return l.lowest(func(in *Inlet[T]) string { return in.out })
	}
	return l.last.out
}

// findLast looks for the furthest behind. It reports false if there is none.
func (l *inlets[T]) findLast() bool {
	for _, in := range l.open {
		_, ordered := reflector.VersionNumber(in.out)
		switch {
		case in.out == "":
		case !ordered:
			l.last = nil
			return false
		case l.last == nil || reflector.Older(in.out, l.last.out):
			l.last = in
		}
	}
	return l.last != nil
}

// lowest returns the lowest version of all that have one.
func (l *inlets[T]) lowest(version func(*Inlet[T]) string) string {
	var lowest reflector.VersionUnion
	for _, in := range l.open {
		lowest.Add(version(in), in.heardAt)
	}
	return lowest.Version()
}

// reveal notes that readers see what was handed out.
func (l *inlets[T]) reveal() {
	for _, in := range l.handed {
		in.visible = in.out
	}
	clear(l.handed)
	l.handed = l.handed[:0]
}
