package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Replace takes the complete list of a scope, and the ownership of objs and their keys. Objects whose newest known state is the
// listed one add nothing, or a Sync; the others are queued as Replaced; and what is known of the scope but not listed
// is a missed deletion. If an object is listed twice the last counts.
//
// It looks twice, because changed objects are transformed in between without the lock. That is safe as one goroutine
// feeds a scope: applying what was handed out moves a state to the next layer, and does not change which is the
// newest.
func (in *Inlet[T]) Replace(objs []T, r reflector.Replacement) error {
	f := in.fifo
	objs, keys := in.inReach(objs, r.Keys)
	if !distinct(keys) {
		objs, keys = lastOfEach(objs, keys)
	}
	news, suspects, gone := in.compare(objs, keys, r)
	now := time.Now()
	if !r.Ingested {
		in.dressAll(objs, keys, news, r)
	}
	news = f.acquit(objs, news, suspects)
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.closed {
		return nil
	}
	gone = in.omitLocked(gone, r)
	f.pending.makeRoom(len(news))
	for i := range news {
		n := &news[i]
		switch n.op {
		case 0: // skipped; its last good state stays
			in.omitted.of(keys[n.at])
		case delta.Sync:
			d := delta.Delta[T]{Key: keys[n.at], Op: n.op, Seen: now}
			f.syncLocked(&item[T]{event: event[T]{Delta: d}})
		default:
			d := delta.Delta[T]{
				Key: keys[n.at], Op: n.op, Initial: !in.listed,
				New: objs[n.at], Version: n.version, Seen: now, Origin: n.origin,
			}
			f.appendLocked(&item[T]{event: event[T]{Delta: d, foreign: !r.BelievesVersions()}})
		}
	}
	for i := range gone {
		gone[i].Seen = now
		f.appendLocked(&gone[i])
	}
	in.finishReplaceLocked(r.Version, now)
	return nil
}

// listing is an object of a list that adds something to what is known. It is small, because the
// first list has one for each object.
type listing struct {
	at      int      // in the list
	op      delta.Op // Replaced, Sync if it is as it is known, or zero if the transform refuses it
	version string   // as listed, before a transform
	origin  *delta.Origin
}

// dressAll gives each new object of the list its final form.
func (in *Inlet[T]) dressAll(objs []T, keys []delta.Key, news []listing, r reflector.Replacement) {
	f := in.fifo
	for i := range news {
		n := &news[i]
		if n.op != delta.Replaced {
			continue
		}
		d := delta.Delta[T]{New: objs[n.at]}
		if r.Lent && f.opts.Traits.Detach != nil {
			d.New = f.opts.Traits.Detach(d.New)
		}
		if err := f.dress(&d); err != nil {
			in.onSkip(fmt.Errorf("replace %s at version %s: %w", keys[n.at], r.Version, err))
			n.op = 0
		}
		objs[n.at], n.origin = d.New, d.Origin
	}
}

// omitLocked begins a new count of what was left out, with what the Reflector could not take
// of the list. It returns the deletions that are certain.
func (in *Inlet[T]) omitLocked(gone []item[T], r reflector.Replacement) []item[T] {
	in.omitted = omissions{partial: r.Partial}
	for _, key := range r.Refused {
		in.omitted.of(key)
	}
	if !r.Partial {
		return gone
	}
	for i := range gone { // any of these may be what could not be read
		in.omitted.of(gone[i].Key)
	}
	return nil
}

// inReach leaves out of a list what the scope does not have.
func (in *Inlet[T]) inReach(objs []T, keys []delta.Key) ([]T, []delta.Key) {
	if in.reach.everything() {
		return objs, keys
	}
	n := 0
	for i, key := range keys {
		if in.reach.has(key.Namespace) {
			objs[n], keys[n] = objs[i], key
			n++
		}
	}
	clear(objs[n:])
	return objs[:n], keys[:n]
}

// compare returns what the list adds to what is known, and the deletions that it implies if it is whole. Suspects are
// those of news that have the version which is known, as they are known, by their place in the list: they are to be
// compared.
func (in *Inlet[T]) compare(objs []T, keys []delta.Key, r reflector.Replacement) (news []listing, suspects map[int]T, gone []item[T]) {
	f := in.fifo
	f.mu.Lock()
	defer f.mu.Unlock()
	stored := in.stored()
	if stored == 0 {
		news = make([]listing, 0, len(objs)) // all of them are
	}
	found := 0
	for i, key := range keys {
		known, present := f.latestLocked(key)
		if present {
			found++
		}
		unchanged := present && f.opts.Traits.SameState(known, objs[i])
		if unchanged && r.Compared && !r.NewHistory {
			if suspects == nil {
				suspects = map[int]T{}
			}
			suspects[i] = known
		}
		unchanged = unchanged && r.BelievesVersions()
		switch {
		case !unchanged:
			news = append(news, listing{at: i, op: delta.Replaced, version: f.opts.Traits.Version(objs[i])})
		case f.opts.ShowUnchanged:
			news = append(news, listing{at: i, op: delta.Sync})
		}
	}
	for _, key := range r.Refused {
		if _, present := f.latestLocked(key); present && in.reach.has(key.Namespace) {
			found++
		}
	}
	// The usual relist has each known object and so deletes none: no two of its keys
	// are the same, so counting them is enough to see that.
	if len(f.pending.items) > 0 || len(f.out.items) > 0 || found != stored {
		gone = in.absentLocked(newKeySet(slices.Concat(keys, r.Refused)), r.Version)
	}
	return news, suspects, gone
}

// acquit compares suspects with what is known, without the lock. It returns what is news after all.
func (f *DeltaFIFO[T]) acquit(objs []T, news []listing, suspects map[int]T) []listing {
	if len(suspects) == 0 {
		return news
	}
	left := news[:0]
	for _, n := range news {
		known, suspect := suspects[n.at]
		if suspect && n.op == delta.Replaced && f.opts.Traits.SameContent(known, objs[n.at]) {
			if !f.opts.ShowUnchanged {
				continue
			}
			n.op = delta.Sync
		}
		left = append(left, n)
	}
	return left
}

// stored is how many objects of the scope the store has.
func (in *Inlet[T]) stored() int {
	s := in.fifo.store
	if in.reach.namespace != "" {
		return len(s.Select(in.reach.namespace, nil))
	}
	n := s.Len()
	for _, namespace := range in.reach.except {
		n -= len(s.Select(namespace, nil))
	}
	return n
}

// absentLocked returns a missed deletion for each object of the scope that exists
// to our knowledge and is not listed, in order of the keys.
func (in *Inlet[T]) absentLocked(listed keySet, version string) (gone []item[T]) {
	f := in.fifo
	check := func(key delta.Key) {
		if _, ok := listed[key]; ok || !in.reach.has(key.Namespace) {
			return
		}
		if last, present := f.latestLocked(key); present {
			d := delta.Delta[T]{Key: key, Op: delta.Deleted, Missed: true, Old: last, Version: version}
			gone = append(gone, item[T]{event: event[T]{Delta: d}})
		}
	}
	for key := range f.pending.keys() {
		check(key)
	}
	for key := range f.out.keys() {
		if !f.pending.has(key) {
			check(key)
		}
	}
	view := f.store.View()
	defer view.Release()
	for key := range view.Keys(in.reach.namespace) {
		if !f.pending.has(key) && !f.out.has(key) {
			check(key)
		}
	}
	slices.SortFunc(gone, func(a, b item[T]) int { return a.Key.Compare(b.Key) })
	return gone
}
