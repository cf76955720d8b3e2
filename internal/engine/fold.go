package engine

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// foldedBacklog is what one subscriber has yet to be told, in the least space that
// keeps its promises. It is for a subscriber that asked for folding and has fallen
// behind: however long it sleeps, it owes at most maxPerKey deltas for a key.
//
// Deltas fold by the rule of package delta. They come from one log, so each continues the
// one before it. Beyond the rule:
//
//   - An object that came and went while the subscriber was away, unknown to it,
//     vanishes with everything about it, and is counted. If its scope was removed
//     silently before and added again, the subscriber may know the object, and it stays.
//   - A Sync asks to see the object again, so any pending change answers it.
//
// An Updated that exchanges an object for another one of the same name, as a relist can
// show it, is the end of one and the beginning of the other, and treated so.
//
// Deltas come out in the order in which each was first due; for one key that is
// the order in which things happened. It has no lock and no clock.
type foldedBacklog[T any] struct {
	uid func(T) string

	oldest, newest *owed[T]               // chained through next. Invariant: in the order of number.
	latest         map[delta.Key]*owed[T] // Invariant: the newest of each key that is owed anything.
	length         int                    // Invariant: the number of deltas in the chain.

	folded   uint64 // deltas that went into another one
	vanished uint64 // deltas of objects that came and went unknown
}

// maxPerKey is how many deltas of one key are pending at most: the last changes
// of the object that the subscriber knows and its end, then the beginning of the next
// object of the same name and what became of it. There is one more after a silent removal,
// because the object that the subscriber may know is then Added a second time.
const maxPerKey = 5

// owed is a delta not yet told.
type owed[T any] struct {
	delta.Delta[T]
	number uint64    // in the log, of the first event in it
	at     time.Time // when that event was published
	again  bool      // an Added of what the subscriber may know already

	prev, next *owed[T] // in the order of number
	before     *owed[T] // the one of the same key that is told first
}

func newFoldedBacklog[T any](uid func(T) string) *foldedBacklog[T] {
	return &foldedBacklog[T]{uid: uid, latest: map[delta.Key]*owed[T]{}}
}

// add takes the next delta, which is the number-th of the log.
func (b *foldedBacklog[T]) add(d *delta.Delta[T], number uint64, at time.Time) {
	last := b.latest[d.Key]
	switch {
	case last != nil && d.Op == delta.Sync && !isEnd(last.Op):
		b.answer(&last.Delta, d)
	case last != nil && b.foldable(&last.Delta) && b.foldable(d) && b.sameObject(last.Old, d.New):
		fold(&last.Delta, d)
		b.folded++
	case last != nil && d.Op == delta.Added && !isEnd(last.Op):
		b.addAgain(d, number, at)
	case last != nil && b.ends(d):
		b.addEnd(d, number, at)
	default:
		b.push(d, number, at)
	}
}

// answer has a delta that is pending stand for a Sync of the same object. Two Syncs are
// one of a resync if either is.
func (b *foldedBacklog[T]) answer(pending, sync *delta.Delta[T]) {
	if pending.Op == delta.Sync {
		pending.Origin = either(pending.Origin, sync.Origin)
	}
	pending.Folded += 1 + sync.Folded
	b.folded++
}

// either returns the origin of a Sync that stands for two. Where two resyncs asked, it
// does what either wants: at the higher lane, and leaving out no more than both do.
func either(a, b *delta.Origin) *delta.Origin {
	switch {
	case b == nil || b.Resync == nil || a == b:
		return a
	case a == nil || a.Resync == nil:
		return b
	}
	x, y := *a.Resync, *b.Resync
	return &delta.Origin{Resync: &delta.ResyncTerms{
		OnDemand: x.OnDemand || y.OnDemand,
		AsUpdate: x.AsUpdate && y.AsUpdate,
		Lane:     max(x.Lane, y.Lane), OnlyIfNotReconciledFor: min(x.OnlyIfNotReconciledFor, y.OnlyIfNotReconciledFor),
	}}
}

// foldable reports whether the rule lets d fold: it is within one object's life.
func (b *foldedBacklog[T]) foldable(d *delta.Delta[T]) bool {
	switch d.Op {
	case delta.Updated, delta.Sync: // never Deleted: that would hide the end of an object that the subscriber knows
		return b.sameObject(d.Old, d.New)
	default:
		return false
	}
}

// fold makes into say what into and then d said. Version, Seen and Origin speak
// of New, so they are d's.
func fold[T any](into, d *delta.Delta[T]) {
	old, initial := into.Old, into.Initial && d.Initial
	relisted, folded := into.Relisted || d.Relisted, into.Folded+d.Folded+1
	*into = *d
	into.Op, into.Old, into.Initial = delta.Updated, old, initial
	into.Relisted, into.Folded = relisted, folded
}

// begins reports whether an object's life starts with d; ends, whether one ends.
func (b *foldedBacklog[T]) begins(d *delta.Delta[T]) bool {
	return d.Op == delta.Added || b.exchanges(d)
}

func (b *foldedBacklog[T]) ends(d *delta.Delta[T]) bool {
	return isEnd(d.Op) || b.exchanges(d)
}

// isEnd is the end of an object, to those who are told of it.
func isEnd(op delta.Op) bool { return op == delta.Deleted || op == delta.OutOfScope }

func (b *foldedBacklog[T]) exchanges(d *delta.Delta[T]) bool {
	return d.Op == delta.Updated && !b.sameObject(d.Old, d.New)
}

func (b *foldedBacklog[T]) sameObject(x, y T) bool {
	ux, uy := b.uid(x), b.uid(y)
	return ux == uy || ux == "" || uy == ""
}

// addEnd takes a delta that ends an object's life. If that life began in here,
// nobody was told of it, and it vanishes.
func (b *foldedBacklog[T]) addEnd(d *delta.Delta[T], number uint64, at time.Time) {
	birth := b.latest[d.Key]
	for birth != nil && !b.begins(&birth.Delta) {
		birth = birth.before
	}
	if birth == nil || birth.again {
		b.push(d, number, at)
		return
	}
	hidden := birth.Folded + d.Folded + 1 // if birth is to stand for all of it
	for last := b.latest[d.Key]; last != birth; last = b.latest[d.Key] {
		hidden += last.Folded + 1
		b.remove(last)
		b.vanished++
	}
	b.vanished++
	began, ended := birth.Op == delta.Added, isEnd(d.Op)
	switch old := birth.Old; {
	case began && ended: // came and went
		b.remove(birth)
		b.vanished++
		return
	case began: // came and was exchanged for what there is now
		birth.Delta = *d
		var none T
		birth.Op, birth.Old = delta.Added, none
	case ended: // took a known one's place, whose end no event told, and went
		birth.Delta = *d
		var none T
		birth.Missed, birth.Old, birth.New = d.Op == delta.Deleted, old, none
	default: // took a known one's place and was exchanged itself
		birth.Delta = *d
		birth.Old = old
	}
	birth.Folded = hidden
}

// addAgain takes an Added of an object whose end was not told, because its scope was
// removed silently. Its pending deltas are forgotten as silently. The subscriber may know
// the object, unless its beginning or an earlier end is still pending here.
func (b *foldedBacklog[T]) addAgain(d *delta.Delta[T], number uint64, at time.Time) {
	mayKnow := true
	last := b.latest[d.Key]
	for ; last != nil && !isEnd(last.Op); last = b.latest[d.Key] {
		mayKnow = mayKnow && (last.Op != delta.Added || last.again)
		b.remove(last)
		b.vanished++
	}
	b.push(d, number, at)
	b.newest.again = mayKnow && last == nil
}

func (b *foldedBacklog[T]) push(d *delta.Delta[T], number uint64, at time.Time) {
	o := &owed[T]{Delta: *d, number: number, at: at, prev: b.newest, before: b.latest[d.Key]}
	if b.newest == nil {
		b.oldest = o
	} else {
		b.newest.next = o
	}
	b.newest = o
	b.latest[d.Key] = o
	b.length++
}

// remove takes out o, which is the newest or the oldest of its key.
func (b *foldedBacklog[T]) remove(o *owed[T]) {
	if o.prev == nil {
		b.oldest = o.next
	} else {
		o.prev.next = o.next
	}
	if o.next == nil {
		b.newest = o.prev
	} else {
		o.next.prev = o.prev
	}
	b.length--
	switch last := b.latest[o.Key]; {
	case last != o:
		for last.before != o {
			last = last.before
		}
		last.before = nil
	case o.before != nil:
		b.latest[o.Key] = o.before
	default:
		delete(b.latest, o.Key)
	}
}

// take moves the oldest deltas into run, until it is full or nothing is left.
func (b *foldedBacklog[T]) take(run []event[T]) []event[T] {
	for b.oldest != nil && len(run) < cap(run) {
		run = append(run, event[T]{Delta: b.oldest.Delta})
		b.remove(b.oldest)
	}
	return run
}
