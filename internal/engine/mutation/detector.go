package mutation

import (
	"math"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Detector finds out that somebody has changed an object of a store in place. It keeps fingerprints of
// the current objects, a sample of them where they are too many, and of those last replaced, which
// handlers may still have in hand.
type Detector[T any] struct {
	opts    Options
	version func(T) string
	report  func(informer.Mutation)
	noted   time.Time // when Observe last took note of something

	mu       lock.Mutex[lock.Mutations] // guards everything below; version is called under it, report is not
	untold   []informer.Mutation        // Observe adds to at most opts.Objects
	watched  []watchedObject[T]
	places   map[delta.Key]int  // Invariant: watched[places[key]] has the key.
	replaced []watchedObject[T] // a ring of the last ones that are not current any more
	oldest   int                // in replaced
	cursor   int                // in watched: where the next check goes on
}

// Options bound what a Detector does.
type Options struct {
	// Objects is how many current objects are watched at most, and a quarter as
	// many that have been replaced. Zero means 10000.
	Objects int
	// Batch is how many objects one look reads. Zero means 1000.
	Batch int
	// Pause is the time from one object that is taken note of to the next. Zero takes note of all.
	Pause time.Duration
}

type watchedObject[T any] struct {
	key     delta.Key
	version string
	object  T
	print   fingerprint // nil if it leads to too much
}

// New returns a detector that calls report for each object that
// it finds changed, once for each change. It is told of 20 parts of an object at most.
func New[T any](opts Options, version func(T) string, report func(informer.Mutation)) *Detector[T] {
	if opts.Objects == 0 {
		opts.Objects = 10000
	}
	if opts.Batch == 0 {
		opts.Batch = 1000
	}
	return &Detector[T]{opts: opts, version: version, report: report, places: map[delta.Key]int{}}
}

// Observe takes note of a change of the store. The writer of the store calls it before
// anybody else sees the object. Look reports the findings, because a report may wait for the
// writer.
func (d *Detector[T]) Observe(change *delta.Delta[T]) {
	stored := change.Op == delta.Added || change.Op == delta.Updated
	if stored && d.opts.Pause > 0 {
		now := time.Now()
		if now.Sub(d.noted) < d.opts.Pause {
			return
		}
		d.noted = now
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch change.Op {
	case delta.Added, delta.Updated:
		d.putLocked(change.Key, change.New)
	case delta.Deleted, delta.OutOfScope:
		d.dropLocked(change.Key)
	case delta.Replaced, delta.Sync: // no change
	}
}

func (d *Detector[T]) putLocked(key delta.Key, object T) {
	w := watchedObject[T]{key, d.version(object), object, takeFingerprint(object)}
	if place, ok := d.places[key]; ok {
		d.retireLocked(d.watched[place])
		d.watched[place] = w
		return
	}
	if len(d.watched) >= d.opts.Objects {
		// Any other makes room: what remains is a sample. Which one a map's
		// iteration begins with is as good as random.
		for other := range d.places {
			d.dropLocked(other)
			break
		}
	}
	d.places[key] = len(d.watched)
	d.watched = append(d.watched, w)
}

func (d *Detector[T]) dropLocked(key delta.Key) {
	place, ok := d.places[key]
	if !ok {
		return
	}
	d.retireLocked(d.watched[place])
	last := len(d.watched) - 1
	d.watched[place] = d.watched[last]
	d.places[d.watched[place].key] = place
	d.watched[last] = watchedObject[T]{}
	d.watched = d.watched[:last]
	delete(d.places, key)
}

// retireLocked moves w to the replaced ones. If that pushes another one out, it is looked
// at for the last time.
func (d *Detector[T]) retireLocked(w watchedObject[T]) {
	if len(d.replaced) < max(1, d.opts.Objects/4) {
		d.replaced = append(d.replaced, w)
		return
	}
	if len(d.untold) < d.opts.Objects {
		d.compareLocked(&d.replaced[d.oldest])
	}
	d.replaced[d.oldest] = w
	d.oldest = (d.oldest + 1) % len(d.replaced)
}

// Look looks at the next batch of objects, and again at the first when it is through. It
// reports what it finds and what Observe has found.
func (d *Detector[T]) Look() { d.look(d.opts.Batch) }

// LookAtAll is [Detector.Look] at every object, for the end: what a short test did is found, too.
func (d *Detector[T]) LookAtAll() { d.look(math.MaxInt) }

func (d *Detector[T]) look(n int) {
	d.mu.Lock()
	all := len(d.watched) + len(d.replaced)
	for range min(n, all) {
		d.cursor = (d.cursor + 1) % all
		if d.cursor < len(d.watched) {
			d.compareLocked(&d.watched[d.cursor])
		} else {
			d.compareLocked(&d.replaced[d.cursor-len(d.watched)])
		}
	}
	found := d.untold
	d.untold = nil
	d.mu.Unlock()
	for _, f := range found {
		d.report(f)
	}
}

// compareLocked notes what has changed since the last look.
func (d *Detector[T]) compareLocked(w *watchedObject[T]) {
	if w.print == nil || w.print.matches(w.object) {
		return
	}
	d.untold = append(d.untold, informer.Mutation{Key: w.key, Version: w.version, Paths: w.print.changedPaths(w.object)})
	w.print = takeFingerprint(w.object)
}
