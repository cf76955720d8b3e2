package engine

import (
	"maps"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// An earlier process has saved the objects. The informer lists and watches as any other does, and reads nothing from what
// was saved: a subscriber that compares is told of each object, once the store is listed, how it differs from then. So a
// saved state that is wrong makes what is said of the past wrong, and nothing else. Where scopes have come or gone since the
// informer was made, nothing is compared.

// asSaved is the origin of what is told of the past.
var asSaved = &delta.Origin{Remembered: true}

// Saved returns the objects as they were saved, nil if nothing was. An object that now has in the very state that was saved may
// be returned in its place.
type Saved[T any] func(now func(delta.Key) (T, bool)) map[delta.Key]T

// past is what was saved. The first subscriber that compares reads it, in its own goroutine.
type past[T any] struct {
	load Saved[T]
	turn chan struct{} // has an element while somebody has the rest
	read bool
	objs map[delta.Key]T // nil for nothing
}

func (p *past[T]) states(now func(delta.Key) (T, bool)) map[delta.Key]T {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	if !p.read {
		p.objs, p.read = p.load(now), true
	}
	return p.objs
}

// comparison is what a subscriber is told that compares.
type comparison[T any] struct {
	*store.View[T]
	fifo *DeltaFIFO[T]
	past *past[T]
}

// each tells how every object differs, until tell reports false.
func (c *comparison[T]) each(tell func(delta.Delta[T]) bool) {
	saved, traits := c.past.states(c.Get), &c.fifo.opts.Traits
	if !c.fifo.isAsMade() {
		saved = nil
	}
	about := delta.Delta[T]{Initial: true, Origin: asSaved}
	if saved == nil {
		about.Origin = nil
	}
	for key, obj := range c.All() {
		d := about
		d.Key, d.Op, d.New, d.Version = key, delta.Added, obj, traits.Version(obj)
		before, known := saved[key]
		switch {
		case !known:
		case isOther(traits.UID(before), traits.UID(obj)):
			if c.isGone(key, before) && !tell(c.gone(about, key, before)) {
				return
			}
		case traits.SameState(before, obj):
			d.Op, d.Old = delta.Sync, obj
		default:
			d.Op, d.Old = delta.Updated, before
		}
		if !tell(d) {
			return
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(saved), delta.Key.Compare) {
		if _, there := c.Get(key); !there && c.isGone(key, saved[key]) && !tell(c.gone(about, key, saved[key])) {
			return
		}
	}
}

// isGone reports whether an object that was saved certainly does not exist. Handlers clean up after a deletion, so
// none is told that is not certain. A view that is older than the saved state says nothing of the object.
func (c *comparison[T]) isGone(key delta.Key, last T) bool {
	return !reflector.Older(c.Version(), c.fifo.opts.Traits.Version(last)) && !c.fifo.mayExist(key, last)
}

// mayExist reports whether an object may be there now that readers have not seen: nobody could read it, or it came a
// moment ago, or its scope has left. The caller asks when it is about to tell a deletion.
func (f *DeltaFIFO[T]) mayExist(key delta.Key, obj T) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.asMade {
		return true
	}
	for _, in := range f.scopes.open {
		if in.omitted.may(key) {
			return true
		}
	}
	latest, present := f.latestLocked(key)
	return present && !isOther(f.opts.Traits.UID(latest), f.opts.Traits.UID(obj))
}

// isOther reports whether two UIDs are certainly those of different objects. A transform may have taken one away.
func isOther(a, b string) bool { return a != "" && b != "" && a != b }

// isAsMade reports whether no scope has come or gone since the informer was made. Saved objects are those of the scopes that it was made with.
func (f *DeltaFIFO[T]) isAsMade() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asMade
}

// gone is an object that was deleted while nobody ran.
func (c *comparison[T]) gone(about delta.Delta[T], key delta.Key, last T) delta.Delta[T] {
	about.Key, about.Op, about.Missed, about.Old, about.Version = key, delta.Deleted, true, last, c.Version()
	return about
}

// ForgetSaved lets go of what was saved. Those who compare from now on are told what there is.
func (i *Informer[T]) ForgetSaved() {
	i.fifo.control(control{func() { i.controller.past = nil }, func(error) {}})
}

// listed reports whether readers see the first list.
func (c *controller[T]) listed() bool { return isClosed(c.fifo.synced) }
