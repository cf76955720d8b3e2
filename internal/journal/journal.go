package journal

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// Limits bound what a Journal keeps. The zero value is ready.
type Limits struct {
	// Deltas is how many are kept of each kind. Zero means 512.
	Deltas int
	// Calls is how many are kept of each controller. Zero means 512.
	Calls int
	// Bytes is how much memory the objects of all of them may keep alive. Zero means 32 MiB.
	Bytes int64
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Deltas: cmp.Or(max(0, l.Deltas), 512),
		Calls:  cmp.Or(max(0, l.Calls), 512),
		Bytes:  cmp.Or(max(0, l.Bytes), 32<<20),
	}
}

// Journal keeps the last deltas and calls.
type Journal struct {
	limits  Limits
	ids     atomic.Uint64 // the last number that an entry has
	fresh   atomic.Int64  // entries that are not measured
	average atomic.Int64  // bytes of an entry, when they were last measured; 0: they have not been yet
	news    atomic.Bool   // something was noted since the last pass began
	wake    chan struct{} // cap 1; holds a token while there is news
	scale   scale         // Run's alone

	followers followers

	mu          lock.Mutex[lock.Journal] // guards everything below
	kinds       map[string]*Deltas
	controllers map[string]*Calls
}

// New returns an empty Journal.
func New(limits Limits) *Journal {
	return &Journal{
		limits: limits.orDefaults(), wake: make(chan struct{}, 1),
		kinds: map[string]*Deltas{}, controllers: map[string]*Calls{},
	}
}

// Kind returns where to note the deltas of a kind. It is made when it is first asked for.
func (j *Journal) Kind(name string, gvk schema.GroupVersionKind) *Deltas {
	d, all := j.kind(name, gvk)
	for _, other := range all { // without the lock: a kind's own comes before it
		other.boundGone(mostGoneOf(len(all)))
	}
	return d
}

// kind returns a kind, and all of them if it is new.
func (j *Journal) kind(name string, gvk schema.GroupVersionKind) (d *Deltas, all []*Deltas) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if d, ok := j.kinds[name]; ok {
		return d, nil
	}
	d = &Deltas{gvk: gvk, gone: ring[gone]{most: mostGone}}
	d.shelf.bury = d.bury
	d.shelf.put(j, name, j.limits.Deltas, func(e *Entry) uint64 { return e.ID })
	j.kinds[name] = d
	return d, slices.Collect(maps.Values(j.kinds))
}

// Controller returns where to note the calls of a controller's reconciler. It is made when it
// is first asked for.
func (j *Journal) Controller(name string) *Calls {
	j.mu.Lock()
	defer j.mu.Unlock()
	c, ok := j.controllers[name]
	if !ok {
		c = &Calls{}
		c.shelf.put(j, name, j.limits.Calls, func(call *Call) uint64 { return call.ID })
		j.controllers[name] = c
	}
	return c
}

// book is a Deltas or a Calls, for those who bound them all.
type book interface {
	// freshIDs appends the numbers of the entries that are not measured.
	freshIDs(to []uint64) []uint64
	// dropTo drops all entries up to a number.
	dropTo(id uint64)
	// weigh appends what all entries hold, and counts them as measured.
	weigh(to []load, of *weight) []load
	// weighs says what all entries together hold.
	weighs(bytes int64)
}

func (j *Journal) books() []book {
	kinds, controllers := j.all()
	books := make([]book, 0, len(kinds)+len(controllers))
	for _, d := range kinds {
		books = append(books, d)
	}
	for _, c := range controllers {
		books = append(books, c)
	}
	return books
}

// all returns everything there is, in the order of the names.
func (j *Journal) all() (kinds []*Deltas, controllers []*Calls) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(j.kinds)) {
		kinds = append(kinds, j.kinds[name])
	}
	for _, name := range slices.Sorted(maps.Keys(j.controllers)) {
		controllers = append(controllers, j.controllers[name])
	}
	return kinds, controllers
}

// kindsNamed returns the kind of that name if there is one, and all of them if the name is empty.
func (j *Journal) kindsNamed(name string) []*Deltas {
	if name == "" {
		kinds, _ := j.all()
		return kinds
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if d, ok := j.kinds[name]; ok {
		return []*Deltas{d}
	}
	return nil
}

// noted says that something was noted, and how many more entries are not measured than before.
// No lock is held.
func (j *Journal) noted(more int) {
	fresh := j.fresh.Load()
	if more != 0 {
		fresh = j.fresh.Add(int64(more))
	}
	if !j.news.Load() && j.news.CompareAndSwap(false, true) {
		select {
		case j.wake <- struct{}{}:
		default:
		}
	}
	if average := j.average.Load(); average > 0 && fresh > j.limits.Bytes/average {
		j.shed(int(j.limits.Bytes / average))
	}
}

// shed drops the oldest entries, over all kinds and controllers, if there are more than most that
// are not measured. It makes room for as many again, so that not every batch has to.
func (j *Journal) shed(most int) {
	books := j.books()
	var ids []uint64
	for _, b := range books {
		ids = b.freshIDs(ids)
	}
	if len(ids) <= most {
		return
	}
	slices.Sort(ids)
	last := ids[len(ids)-most/2-1]
	for _, b := range books {
		b.dropTo(last)
	}
}

// Newest is the highest number that an entry has had so far.
func (j *Journal) Newest() uint64 { return j.ids.Load() }

// Status is what a Journal has dropped.
type Status struct{ Kinds, Controllers []BookStatus }

// BookStatus is what a Journal has dropped of one kind or controller.
type BookStatus struct {
	Name    string
	Dropped uint64 // entries that there were and are not there any more
}

// Status tells what is not there any more.
func (j *Journal) Status() (s Status) {
	kinds, controllers := j.all()
	for _, d := range kinds {
		s.Kinds = append(s.Kinds, d.status())
	}
	for _, c := range controllers {
		s.Controllers = append(s.Controllers, c.status())
	}
	return s
}
