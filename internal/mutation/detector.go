package mutation

import (
	"context"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Detector finds out that somebody has changed an object of the store in
// place, which every reader shares. It is for tests and for finding a culprit,
// not for production: what it watches it reads again and again.
//
// It keeps fingerprints, not copies, of a bounded number of objects: the current
// ones, a sample of them where they are too many, and those last replaced, which
// handlers may still have in hand. A fingerprint is a hash for each part of the
// object down to [fingerprintDepth], so a report says which part it was.
type Detector[T any] struct {
	opts    Options
	version func(T) string
	report  Report
	found   chan struct{} // cap 1; holds a token while Observe has found something

	mu       sync.Mutex // guards everything below; not held while reporting
	untold   []finding  // found by Observe, at most opts.Objects
	watched  []watchedObject[T]
	places   map[delta.Key]int  // of the current ones in watched
	replaced []watchedObject[T] // a ring of the last ones that are not current any more
	oldest   int                // in replaced
	cursor   int                // in watched: where the next check goes on
}

// Options bound what a Detector does.
type Options struct {
	// Objects is how many current objects are watched at most, and a quarter as
	// many that have been replaced. Zero means 10000.
	Objects int
	// Every is the time from one check to the next. Zero means a second.
	Every time.Duration
	// Batch is how many objects one check reads. Zero means 1000.
	Batch int
}

// Report is told which object was changed in place, which version of it, and which parts,
// as Go fields: Spec.Replicas.
type Report func(key delta.Key, version string, paths []string)

// finding is what a Report is told.
type finding struct {
	key     delta.Key
	version string
	paths   []string
}

type watchedObject[T any] struct {
	key     delta.Key
	version string
	object  T
	print   fingerprint
}

// New returns a detector that calls report for each object that
// it finds changed, once for each change.
func New[T any](opts Options, version func(T) string, report Report) *Detector[T] {
	if opts.Objects == 0 {
		opts.Objects = 10000
	}
	if opts.Every == 0 {
		opts.Every = time.Second
	}
	if opts.Batch == 0 {
		opts.Batch = 1000
	}
	return &Detector[T]{
		opts: opts, version: version, report: report, places: map[delta.Key]int{},
		found: make(chan struct{}, 1),
	}
}

// Observe takes note of what has been stored. The writer of the store calls it before
// anybody else sees the objects. What it finds is reported by Run, because the report may
// wait for the writer.
func (m *Detector[T]) Observe(stored iter.Seq[*delta.Delta[T]]) {
	var found []finding
	m.mu.Lock()
	defer m.mu.Unlock()
	for d := range stored {
		switch d.Op {
		case delta.Added, delta.Updated:
			found = m.putLocked(found, d.Key, d.New)
		case delta.Deleted, delta.OutOfScope:
			found = m.dropLocked(found, d.Key)
		case delta.Replaced, delta.Sync: // no change
		}
	}
	if room := m.opts.Objects - len(m.untold); room > 0 && len(found) > 0 {
		m.untold = append(m.untold, found[:min(len(found), room)]...)
		select {
		case m.found <- struct{}{}:
		default:
		}
	}
}

func (m *Detector[T]) putLocked(found []finding, key delta.Key, object T) []finding {
	w := watchedObject[T]{key, m.version(object), object, takeFingerprint(object)}
	if place, ok := m.places[key]; ok {
		found = m.retireLocked(found, m.watched[place])
		m.watched[place] = w
		return found
	}
	if len(m.watched) >= m.opts.Objects {
		// Any other makes room: what remains is a sample. Which one a map's
		// iteration begins with is as good as random.
		for other := range m.places {
			found = m.dropLocked(found, other)
			break
		}
	}
	m.places[key] = len(m.watched)
	m.watched = append(m.watched, w)
	return found
}

func (m *Detector[T]) dropLocked(found []finding, key delta.Key) []finding {
	place, ok := m.places[key]
	if !ok {
		return found
	}
	found = m.retireLocked(found, m.watched[place])
	last := len(m.watched) - 1
	m.watched[place] = m.watched[last]
	m.places[m.watched[place].key] = place
	m.watched[last] = watchedObject[T]{}
	m.watched = m.watched[:last]
	delete(m.places, key)
	return found
}

// retireLocked moves w to the replaced ones. What it pushes out there is looked
// at for the last time.
func (m *Detector[T]) retireLocked(found []finding, w watchedObject[T]) []finding {
	if len(m.replaced) < max(1, m.opts.Objects/4) {
		m.replaced = append(m.replaced, w)
		return found
	}
	found = m.replaced[m.oldest].compare(found)
	m.replaced[m.oldest] = w
	m.oldest = (m.oldest + 1) % len(m.replaced)
	return found
}

// Check looks at the next n objects, and again at the first when it is through. It
// reports what it finds and what Observe has found.
func (m *Detector[T]) Check(n int) {
	m.mu.Lock()
	found := m.untold
	m.untold = nil
	all := len(m.watched) + len(m.replaced)
	for range min(n, all) {
		m.cursor = (m.cursor + 1) % all
		if m.cursor < len(m.watched) {
			found = m.watched[m.cursor].compare(found)
		} else {
			found = m.replaced[m.cursor-len(m.watched)].compare(found)
		}
	}
	m.mu.Unlock()
	for _, f := range found {
		m.report(f.key, f.version, f.paths)
	}
}

// checkAll looks at every watched object.
func (m *Detector[T]) checkAll() { m.Check(math.MaxInt) }

// compare adds to found what has changed since the last look.
func (w *watchedObject[T]) compare(found []finding) []finding {
	if w.print.matches(w.object) {
		return found
	}
	found = append(found, finding{w.key, w.version, w.print.changedPaths(w.object)})
	w.print = takeFingerprint(w.object)
	return found
}

// Run checks until ctx ends, and then once more everything: what a short test did
// is found, too.
func (m *Detector[T]) Run(ctx context.Context) {
	ticker := time.NewTicker(m.opts.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			m.checkAll()
			return
		case <-m.found:
			m.Check(0)
		case <-ticker.C:
			m.Check(m.opts.Batch)
		}
	}
}
