package journal

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
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

// class says why an entry was noted. Each class has room of its own, so that a resync of many objects pushes no change out.
type class uint8

const (
	changed class = iota // what has happened, and calls for it
	shown                // objects that a resync showed again, and calls for nothing else
	classes
)

// shownPart is the part of all room that is for shown entries: one of so many.
const shownPart = 8

// Journal keeps the last deltas and calls.
type Journal struct {
	limits Limits
	ids    atomic.Uint64  // the last number that an entry has
	shares [classes]share // of the bytes
	wake   chan struct{}  // cap 1; holds a token if something was noted since the last pass began

	followers followers

	mu          lock.Mutex[lock.Journal] // guards everything below
	kinds       map[string]*Deltas
	controllers map[string]*Calls
}

// share bounds the bytes of the entries of one class.
type share struct {
	bytes   int64        // at most
	fresh   atomic.Int64 // entries that are not measured
	average atomic.Int64 // bytes of an entry, when they were last measured; 0: they have not been yet
	scale   scale        // Run's alone
}

// New returns an empty Journal.
func New(limits Limits) *Journal {
	j := &Journal{
		limits: limits.orDefaults(), wake: make(chan struct{}, 1),
		kinds: map[string]*Deltas{}, controllers: map[string]*Calls{},
	}
	j.shares[shown].bytes = j.limits.Bytes / shownPart
	j.shares[changed].bytes = j.limits.Bytes - j.shares[shown].bytes
	return j
}

// Kind returns where to note the deltas of a kind. It is made when it is first asked for.
func (j *Journal) Kind(name string, gvk schema.GroupVersionKind) *Deltas {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, ok := j.kinds[name]
	if !ok {
		d = &Deltas{gvk: gvk}
		d.put(j, name, j.limits.Deltas)
		d.number, d.load = (*Entry).number, (*Entry).load
		j.kinds[name] = d
	}
	return d
}

// Controller returns where to note the calls of a controller's reconciler. It is made when it
// is first asked for.
func (j *Journal) Controller(name string) *Calls {
	j.mu.Lock()
	defer j.mu.Unlock()
	c, ok := j.controllers[name]
	if !ok {
		c = &Calls{failing: map[delta.Key]*Failing{}}
		c.put(j, name, j.limits.Calls)
		c.number, c.load = (*Call).number, (*Call).load
		j.controllers[name] = c
	}
	return c
}

// book is a Deltas or a Calls, for those who bound them all.
type book interface {
	// dropTo drops all entries up to a number.
	dropTo(of class, id uint64)
	// loads appends what all entries hold, and counts them as measured.
	loads(of class, to []load) []load
}

func (j *Journal) books() (books []book) {
	for _, d := range j.kindsNamed("") {
		books = append(books, d)
	}
	for _, c := range j.controllersNamed("") {
		books = append(books, c)
	}
	return books
}

// kindsNamed returns the kind of that name if there is one, and all of them if the name is empty.
func (j *Journal) kindsNamed(name string) []*Deltas {
	j.mu.Lock()
	defer j.mu.Unlock()
	return named(j.kinds, name)
}

func (j *Journal) controllersNamed(name string) []*Calls {
	j.mu.Lock()
	defer j.mu.Unlock()
	return named(j.controllers, name)
}

// named returns them in the order of their names.
func named[B any](all map[string]B, name string) (found []B) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if fits(name, key) {
			found = append(found, all[key])
		}
	}
	return found
}

// noted says that something was noted, and how many more entries of each class are not measured than before.
// No lock is held.
func (j *Journal) noted(more [classes]int64) {
	select {
	case j.wake <- struct{}{}:
	default:
	}
	for of := range classes {
		if more[of] == 0 {
			continue
		}
		s := &j.shares[of]
		fresh := s.fresh.Add(more[of])
		if average := s.average.Load(); average > 0 && fresh > s.bytes/average {
			j.keepNewest(of, uint64(s.bytes/average/2)) //nolint:gosec // it is not negative
		}
	}
}

// keepNewest drops the entries of a class, of all kinds and controllers, except those with the last so many numbers. That is
// half of what there is room for, so that not every batch has to.
func (j *Journal) keepNewest(of class, numbers uint64) {
	newest := j.ids.Load()
	for _, b := range j.books() {
		b.dropTo(of, newest-min(newest, numbers))
	}
}

// Newest is the highest number that an entry has had so far.
func (j *Journal) Newest() uint64 { return j.ids.Load() }
