// Package promise judges whether a reconciler may skip a piece of its work. It knows nothing of
// ledgers: only what the reconciler has read, and what watches have shown.
//
//	each read ──▶ Reads ──Outdated(piece, what the watches show last)──▶ a read that shows something else: no skip
//	                ▲
//	   Begin, Dealt ┘ the calls
//
// It is the promise of docs/guides/what-changed.md. A reconciler may have acted by every state that it has
// read since the last call began that dealt with all that it was told. So each of these states has to lead to the same
// result as the newest one that was shown. A state that no watch has shown yet does not count, because
// it will be told.
//
// It is test support: only _test.go files import it. Its callers lock. Both judges that ask it have mutants to show that they
// can fail: see hack/mutants.
package promise

import "slices"

// Read is a state of what a piece of work is about, and what the work makes of it.
type Read struct {
	Version int64
	Value   string
}

// Reads are those that one request's reconciler may have acted by. P is a piece of work.
type Reads[P comparable] struct {
	since map[P][]Read // the last call began that dealt with what it was told. Invariant: ascending, none twice.
	call  map[P][]Read // the same of the present call
}

// Begin notes that a call begins.
func (r *Reads[P]) Begin() { r.call = nil }

// Add notes a read of the present call.
func (r *Reads[P]) Add(piece P, read Read) {
	r.since = insert(r.since, piece, read)
	r.call = insert(r.call, piece, read)
}

func insert[P comparable](all map[P][]Read, piece P, read Read) map[P][]Read {
	if all == nil {
		all = map[P][]Read{}
	}
	old := all[piece]
	at, found := slices.BinarySearchFunc(old, read.Version, func(one Read, version int64) int { return int(one.Version - version) })
	if !found || old[at] != read {
		all[piece] = slices.Insert(old, at, read)
	}
	return all
}

// Dealt notes that the present call has dealt with all that it was told.
func (r *Reads[P]) Dealt() { r.since, r.call = r.call, nil }

// Outdated returns a read whose value is not that of the newest state that watches have shown.
func (r *Reads[P]) Outdated(piece P, shown Read) (Read, bool) {
	return Outdated(r.since[piece], shown)
}

// Outdated does so for some reads.
func Outdated(reads []Read, shown Read) (Read, bool) {
	i := slices.IndexFunc(reads, func(read Read) bool { return read.Version <= shown.Version && read.Value != shown.Value })
	if i < 0 {
		return Read{}, false
	}
	return reads[i], true
}
