package journal

import (
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

func (e *Entry) number() uint64 { return e.ID }

func (e *Entry) load() load {
	return load{id: e.ID, own: entryBytes, old: e.Delta.Old, new: e.Delta.New}
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
	Kind, Namespace, Name string // empty is any
	Exact                 bool   // an empty Namespace is that of objects without one
	Op                    delta.Op
	Manager               string
	Since                 uint64 // only those with a higher number
	Until                 uint64 // only those up to this number; zero is all
	Limit                 int    // no more than this. Zero means as many as there are.
	First                 bool   // with a limit: it keeps those next to Since, and not the newest
}

// wantsManager looks through managed fields, so nobody calls it under a lock.
func (f *Filter) wantsManager(e *Entry) bool { return f.Manager == "" || f.Manager == e.Manager() }

// fits looks at what costs nothing.
func (f *Filter) fits(kind string, key *delta.Key, op delta.Op) bool {
	return fits(f.Kind, kind) && (f.Namespace == key.Namespace || f.Namespace == "" && !f.Exact) && fits(f.Name, key.Name) && (f.Op == 0 || f.Op == op)
}

func fits(asked, has string) bool { return asked == "" || asked == has }

// Deltas are the last deltas of one kind.
type Deltas struct {
	shelf[Entry]

	gvk schema.GroupVersionKind

	// started is the batch that is being noted; guarded by mu.
	started struct {
		kept bool
		more [classes]int64 // entries that are not measured
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
	d.started.kept, d.started.more = false, [classes]int64{}
}

// Add notes a delta. The journal copies it, and keeps its objects, which nobody may change.
func (d *Deltas) Add(noted *delta.Delta[any]) {
	if noted.Initial {
		return
	}
	of := changed
	if noted.Op == delta.Sync {
		of = shown
	}
	e, more := d.addLocked(of)
	d.started.kept = true
	d.started.more[of] += more
	e.ID, e.Kind, e.GVK, e.Delta = d.journal.ids.Add(1), d.name, d.gvk, *noted
}

// End ends a batch.
func (d *Deltas) End() {
	started := d.started
	d.mu.Unlock()
	if started.kept {
		d.journal.followers.tell(d.name)
		d.journal.noted(started.more)
	}
}

// Deltas returns the deltas that the filter wants, newest first, and how many of their kinds were dropped.
func (j *Journal) Deltas(want Filter) (found []Entry, dropped uint64) {
	most := want.Limit
	if want.First {
		most = 0
	}
	for _, d := range j.kindsNamed(want.Kind) {
		var gone uint64
		found, gone = d.find(found, want.Since, most, func(e *Entry) bool {
			return (want.Until == 0 || e.ID <= want.Until) && want.fits(e.Kind, &e.Delta.Key, e.Delta.Op) && want.wantsManager(e)
		})
		dropped += gone
	}
	found = firstOf(found, most, (*Entry).number)
	if want.First && want.Limit > 0 {
		found = found[max(0, len(found)-want.Limit):]
	}
	return found, dropped
}
