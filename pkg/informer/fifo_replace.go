package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Replace takes the complete list of a scope. Objects whose newest known state is
// the listed one add nothing, or a Sync; the others are queued as Replaced; and
// what is known of the scope but not listed is queued as a missed deletion.
//
// No two objects may have the same key, but where no versions are compared.
//
// It looks twice, because the objects that changed are transformed in between,
// without the lock. That is safe as long as one goroutine feeds a scope: applying
// what was handed out meanwhile moves a state from one layer to the next, but
// does not change which one is the newest.
func (f *DeltaFIFO[T]) Replace(objs []T, r Replacement) error {
	keys := make([]delta.Key, len(objs))
	for i, obj := range objs {
		key, err := f.opts.Traits.Key(obj)
		if err != nil {
			return fmt.Errorf("replace all objects at version %s: read the key of object %d: %w", r.Version, i, err)
		}
		keys[i] = key
	}
	news, gone := f.compare(objs, keys, r)
	now := time.Now()
	for i := range news {
		it := &news[i]
		it.seen = now
		switch {
		case it.op != delta.Replaced:
		case r.Ingested:
		default:
			if err := f.dress(it, it.obj); err != nil {
				err = fmt.Errorf("replace %s at version %s: %w", it.key, r.Version, err)
				if f.opts.OnSkip == nil {
					return err
				}
				f.opts.OnSkip(err)
				it.op = 0
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending.makeRoom(len(news))
	for i := range news {
		switch news[i].op {
		case 0: // skipped; its last good state stays
		case delta.Sync:
			f.syncLocked(news[i])
		default:
			news[i].initial = !f.listed
			f.appendLocked(news[i])
		}
	}
	for i := range gone {
		gone[i].seen = now
		f.appendLocked(gone[i])
	}
	f.finishReplaceLocked(r.Version)
	return nil
}

func (f *DeltaFIFO[T]) finishReplaceLocked(version string) {
	f.pending.version = version
	f.ringLocked()
	if f.listed {
		return
	}
	f.listed = true
	f.initialEnd = f.arrived
	f.initialLeft = f.pending.live + f.out.live
	if f.pending.empty() && !f.busy { // nothing will be popped, so nothing is missing
		f.settleLocked()
	}
}

// compare returns what the list adds to what is known: items for the objects that
// need one, and the deletions that it implies.
func (f *DeltaFIFO[T]) compare(objs []T, keys []delta.Key, r Replacement) (news, gone []item[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.comparing() || f.opts.Known == nil || f.opts.Known.Count(r.Namespace) == 0 {
		news = make([]item[T], 0, len(objs)) // all of them are
	}
	found := 0
	for i, key := range keys {
		unchanged, present := f.isKnownLocked(key, objs[i], r)
		if present {
			found++
		}
		switch {
		case !unchanged:
			news = append(news, item[T]{key: key, op: delta.Replaced, foreign: r.NewHistory, obj: objs[i], version: f.version(objs[i])})
		case f.opts.Unchanged != SkipUnchanged:
			news = append(news, item[T]{key: key, op: delta.Sync, unchanged: true, to: nobody})
		}
	}
	// The usual relist has each known object and so deletes none: no two of its keys
	// are the same, so counting them is enough to see that.
	stored := f.pending.live == 0 && f.out.live == 0
	switch {
	case r.Partial:
	case stored && f.comparing() && f.opts.Known != nil && found == f.opts.Known.Count(r.Namespace):
	default:
		gone = f.absentLocked(newKeySet(keys), r)
	}
	return news, gone
}

// comparing reports whether versions are compared at all.
func (f *DeltaFIFO[T]) comparing() bool { return f.opts.Traits.Version != nil }

func (f *DeltaFIFO[T]) version(obj T) string {
	if !f.comparing() {
		return ""
	}
	return f.opts.Traits.Version(obj)
}

// isKnownLocked reports whether the object is known, and in this very state.
func (f *DeltaFIFO[T]) isKnownLocked(key delta.Key, obj T, r Replacement) (unchanged, present bool) {
	if !f.comparing() {
		return false, false
	}
	known, present := f.latestLocked(key)
	return present && !r.NewHistory && f.opts.Traits.SameState(known, obj), present
}

// absentLocked returns a missed deletion for each object of the scope that exists
// to our knowledge and is not listed, in order of the keys.
func (f *DeltaFIFO[T]) absentLocked(listed keySet, r Replacement) (gone []item[T]) {
	check := func(key delta.Key) {
		if listed.has(key) || (r.Namespace != "" && r.Namespace != key.Namespace) {
			return
		}
		if last, present := f.latestLocked(key); present {
			gone = append(gone, item[T]{key: key, op: delta.Deleted, missed: true, obj: last, version: r.Version})
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
	if f.opts.Known != nil {
		for key := range f.opts.Known.Keys(r.Namespace) {
			if !f.pending.has(key) && !f.out.has(key) {
				check(key)
			}
		}
	}
	slices.SortFunc(gone, func(a, b item[T]) int { return a.key.Compare(b.key) })
	return gone
}
