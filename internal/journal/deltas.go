package journal

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Entry is a delta of a journal.
type Entry struct {
	ID    uint64
	Kind  string
	GVK   schema.GroupVersionKind
	Delta delta.Delta[any]
}

// Manager is the field manager that made the change, as [delta.Change.Manager] has it.
func (e *Entry) Manager() string {
	d := &e.Delta
	c := delta.Change{Op: d.Op, Missed: d.Missed, Relisted: d.Relisted, Deltas: 1, Origin: d.Origin}
	c.Old, _ = d.Old.(delta.Object)
	c.New, _ = d.New.(delta.Object)
	return c.Manager()
}

// Filter says which deltas somebody wants. The zero value is all.
type Filter struct {
	Kind, Namespace, Name string
	Op                    delta.Op
	Manager               string
	Since                 uint64 // only those with a higher number
	Limit                 int    // no more than this. Zero means as many as there are.
}

// wants looks at the manager last, because that has to be found out.
func (f *Filter) wants(e *Entry) bool {
	return e.ID > f.Since && f.fits(e.Kind, &e.Delta.Key, e.Delta.Op) && f.wantsManager(e)
}

// wantsManager parses managed fields, so nobody calls it under a lock.
func (f *Filter) wantsManager(e *Entry) bool { return f.Manager == "" || f.Manager == e.Manager() }

// fits looks at what costs nothing.
func (f *Filter) fits(kind string, key *delta.Key, op delta.Op) bool {
	return fits(f.Kind, kind) && fits(f.Namespace, key.Namespace) && fits(f.Name, key.Name) && (f.Op == 0 || f.Op == op)
}

func fits(asked, has string) bool { return asked == "" || asked == has }

// Deltas are the last deltas of one kind.
type Deltas struct {
	shelf[Entry]

	gvk  schema.GroupVersionKind
	gone ring[gone] // the last that were dropped; guarded by mu

	// started is the batch that is being noted; guarded by mu.
	started struct {
		before uint64 // what was noted until then
		more   int    // entries that are not measured
	}
}

// Begin begins a batch. End has to follow, and meanwhile nobody can read what there is of the
// kind:
//
//	deltas.Begin()
//	for i := range events {
//		deltas.Add(&events[i].Delta)
//	}
//	deltas.End()
func (d *Deltas) Begin() {
	d.mu.Lock()
	d.started.before, d.started.more = d.noted, 0
}

// Add notes a delta. The journal copies it, and keeps its objects, which nobody may change.
func (d *Deltas) Add(noted *delta.Delta[any]) {
	if noted.Initial {
		return
	}
	e, more := d.addLocked()
	if more {
		d.started.more++
	}
	e.ID, e.Kind, e.GVK, e.Delta = d.journal.ids.Add(1), d.name, d.gvk, *noted
}

// End ends a batch.
func (d *Deltas) End() {
	more, kept := d.started.more, d.noted > d.started.before
	d.mu.Unlock()
	if kept {
		d.journal.followers.tell(d.name)
		d.journal.noted(more)
	}
}

// boundGone changes of how many that were dropped something is known.
func (d *Deltas) boundGone(most int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if most != d.gone.most {
		d.gone.bound(most)
	}
}

// bury notes that an entry is gone. The lock is held.
func (d *Deltas) bury(e *Entry) {
	place, _ := d.gone.add()
	*place = gone{e.ID, e.Delta.Key, e.Delta.Op}
}

// Deltas returns the deltas that the filter wants, newest first.
func (j *Journal) Deltas(want Filter) (found []Entry) {
	for _, d := range j.kindsNamed(want.Kind) {
		found = append(found, d.find(want.Limit, func(e *Entry) choice {
			switch {
			case e.ID <= want.Since:
				return noneAnyMore
			case want.wants(e):
				return yes
			default:
				return no
			}
		})...)
	}
	slices.SortFunc(found, func(a, b Entry) int { return newer(a.ID, b.ID) })
	return first(found, want.Limit)
}

// newer puts the higher number first.
func newer(a, b uint64) int {
	if a > b {
		return -1
	}
	return 1
}

// first returns no more than limit. A limit of 0 is none.
func first[E any](all []E, limit int) []E {
	if limit > 0 && len(all) > limit {
		return all[:limit]
	}
	return all
}
