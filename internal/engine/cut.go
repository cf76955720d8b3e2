package engine

import (
	"iter"
	"slices"
	"strconv"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Cut is a state that an informer had, with the version of the server at which it was so. All
// subscribers of [Informer.SubscribeRecalling] have heard of everything up to there. Some may have
// heard of more, which a watch from the version brings once more.
//
//	told to all ──────┐
//	                  ▼
//	log: ─── e1 ─ e2 ─┼─ e3 ─ e4 ──▶ the store
//	                  │  └── taken back: an object is what it was before its first one
//	                 cut
type Cut[T any] struct {
	// Version is where a watch goes on.
	Version string
	// Changes grows with each change of the informer's store. Two cuts with the same number and nothing taken
	// back have the same objects.
	Changes uint64
	// TakenBack means that there was something that not all have heard of.
	TakenBack bool

	view   inventory[T]
	before map[delta.Key]*T // of the objects that are taken back; nil: it did not exist
}

// All yields the objects. Call it once.
func (c *Cut[T]) All() iter.Seq2[delta.Key, T] {
	return func(yield func(delta.Key, T) bool) {
		for key, obj := range c.view.All() {
			if _, back := c.before[key]; !back && !yield(key, obj) {
				return
			}
		}
		for key, obj := range c.before {
			if obj != nil && !yield(key, *obj) {
				return
			}
		}
	}
}

// Len is the number of objects, or a few more.
func (c *Cut[T]) Len() int { return c.view.Len() + len(c.before) }

// Release ends the cut. It must not be read afterwards.
func (c *Cut[T]) Release() { c.view.Release() }

// Cut returns the newest cut. It returns nil if there is none yet, or if nobody can tell where it is: an
// informer with several scopes, one that has not synced, versions that are not numbers, or a list that shows what
// not all have heard of. It may also be called when the informer has ended.
func (i *Informer[T]) Cut() *Cut[T] {
	entry := &cutting[T]{answer: make(chan *Cut[T], 1)}
	i.direct.Lock()
	defer i.direct.Unlock()
	i.mu.Lock()
	running := i.phase == running
	queued := running && i.fifo.control(entry)
	i.mu.Unlock()
	if queued {
		if cut := <-entry.answer; !entry.gone {
			return cut
		}
	}
	if running && !i.Stopped() { // the Controller may still be at work
		return nil
	}
	return i.controller.cut()
}

// cutting asks the Controller for a cut.
type cutting[T any] struct {
	answer chan *Cut[T]
	gone   bool // the Controller has ended
}

func (c *cutting[T]) abandon(error) {
	c.gone = true
	c.answer <- nil
}

// cut is for the Controller, or its heir.
func (c *controller[T]) cut() *Cut[T] {
	if !isClosed(c.fifo.synced) {
		return nil
	}
	version, alone := c.fifo.onlyVersion()
	if !alone {
		return nil
	}
	cut := &Cut[T]{Version: version, Changes: c.processor.log.length(), view: c.store.View()}
	from, behind, known := c.processor.slowest()
	if !known || behind && !cut.takeBack(from) {
		cut.Release()
		return nil
	}
	return cut
}

// takeBack takes back what is in the log from a place on. It reports false if it can't.
func (c *Cut[T]) takeBack(from cursor[T]) bool {
	c.before = map[delta.Key]*T{}
	for {
		events, _ := from.peek()
		if len(events) == 0 {
			return true
		}
		for i := range events {
			if e := &events[i]; e.Op != delta.Sync && !c.takeBackOne(e) {
				return false
			}
		}
		from.skip(len(events))
	}
}

func (c *Cut[T]) takeBackOne(e *event[T]) bool {
	version, err := strconv.ParseUint(e.Version, 10, 64)
	if err != nil || version == 0 || e.Relisted || e.Missed || e.Op == delta.OutOfScope {
		return false
	}
	if !c.TakenBack { // they come in order
		c.TakenBack, c.Version = true, strconv.FormatUint(version-1, 10)
	}
	if _, back := c.before[e.Key]; back {
		return true
	}
	if e.Op == delta.Added {
		c.before[e.Key] = nil
	} else {
		c.before[e.Key] = &e.Old
	}
	return true
}

// onlyVersion returns the version that readers see, if there is one scope.
func (f *DeltaFIFO[T]) onlyVersion() (version string, alone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.inlets) != 1 {
		return "", false
	}
	f.revealLocked()
	return f.inlets[0].visible, f.inlets[0].visible != ""
}

// maxLeftBehind bounds what is kept for a subscriber that has left before the informer has.
const maxLeftBehind = 1 << 16

// slowest returns where the one is of those who recall that has heard of least. It reports false for behind if all
// have heard of everything, or there are none, and false for known if one was forgotten.
func (p *processor[T]) slowest() (place cursor[T], behind, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	length := p.log.length()
	least := length
	p.recallers = slices.DeleteFunc(p.recallers, func(l *subscriber[T]) bool {
		at, joined := l.heard()
		if !joined {
			return false
		}
		if l.gone.Load() && length-at.position() > maxLeftBehind {
			p.lostSome = true
			return true
		}
		if at.position() < least {
			place, behind, least = at, true, at.position()
		}
		return false
	})
	return place, behind, !p.lostSome
}

// recalling is what a cut has to know of a subscriber.
type recalling[T any] struct {
	run    cursor[T] // where the events begin that run is telling
	length int       // how many they are
	left   cursor[T] // what had not been told when the subscriber left; zero before
}

// heard returns a place in the log up to which everything was told. It reports false for a
// subscriber that has not joined.
func (l *subscriber[T]) heard() (at cursor[T], joined bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.recall.left.node != nil {
		return l.recall.left, true
	}
	return l.heardLocked()
}

func (l *subscriber[T]) heardLocked() (at cursor[T], has bool) {
	switch {
	case l.place.node == nil:
		return cursor[T]{}, false
	case l.taken.end == 0 || l.taken.first: // nothing of the log is being told
		return l.place, true
	}
	at = l.recall.run
	untold := int(l.taken.end - l.calls.Load())  //nolint:gosec // a part of length
	at.index += max(0, l.recall.length-untold-1) // one may be on its way
	return at, true
}

// leaveOffLocked notes where the subscriber has left, for a cut.
func (l *subscriber[T]) leaveOffLocked() {
	if at, joined := l.heardLocked(); joined && l.from == withSaved {
		l.recall.left = at
	}
}
