package managed

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// Runtime is what the parts of one manager share.
type Runtime struct {
	// Writes has what the manager's client has written; nil if the client does not remember. It is set before
	// anything runs.
	Writes delta.OwnWrites
	// Memory is the *memory.Memory in which the cache saves its kinds; nil if it does not. It is set before
	// anything runs. Its type is not said here, so that who shares a Runtime does not link the files.
	Memory any

	asked   sync.Once
	schemas diff.Schemas // set by asked
	wrong   error        // set by asked

	mu          lock.Mutex[lock.Runtime] // guards everything below; held while a journal is recorded
	cache       observe.Cache            // nil unless it runs
	ended       chan struct{}            // closed when the cache that ran last has ended; nil before the first
	controllers []*observe.Controller    // those that run. Invariant: never changed, but replaced.
	journal     *journal.Journal         // nil unless somebody looks
	inspected   bool
}

// New returns a Runtime. Nothing runs yet.
func New() *Runtime { return &Runtime{} }

// Handle is a Runtime that shows nothing of itself, for the parts' exported method: who is not of this module can do
// nothing with it.
type Handle struct{ of *Runtime }

// Handle returns the Runtime for [Of]. The Runtime may be nil.
func (r *Runtime) Handle() Handle { return Handle{r} }

// Of returns the Runtime of the first of a manager's parts that knows it. It returns nil if none does.
func Of(parts ...any) *Runtime {
	for _, part := range parts {
		if knows, ok := part.(interface{ Runtime() Handle }); ok && knows.Runtime().of != nil {
			return knows.Runtime().of
		}
	}
	return nil
}

// Runs is called when the cache starts. The caller calls end when it has ended.
func (r *Runtime) Runs(c observe.Cache) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal != nil {
		c.Record(r.journal)
	}
	r.cache = c
	ended := make(chan struct{})
	r.ended = ended
	over := sync.OnceFunc(func() { close(ended) })
	r.showLocked()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		over()
		r.cache = nil
		r.showLocked()
	}
}

// Cache returns the cache, or nil while it does not run.
func (r *Runtime) Cache() observe.Cache {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cache
}

// Ended is closed when the cache that runs, or has run last, has ended. It is nil before the first.
func (r *Runtime) Ended() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// Reconciles is called when a controller starts. The caller calls end when it has ended.
func (r *Runtime) Reconciles(c *observe.Controller) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal != nil {
		c.Record(r.journal)
	}
	r.controllers = append(slices.Clone(r.controllers), c)
	r.showLocked()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.controllers = slices.DeleteFunc(slices.Clone(r.controllers), func(other *observe.Controller) bool { return other == c })
		r.showLocked()
	}
}

// Controllers returns the controllers that run.
func (r *Runtime) Controllers() []*observe.Controller {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.controllers
}

// Record has a journal note what the cache and the controllers do, also those that start later, until the
// caller calls end. Only one journal notes at a time.
func (r *Runtime) Record(in *journal.Journal) (end func()) {
	r.record(in)
	return func() { r.record(nil) }
}

func (r *Runtime) record(in *journal.Journal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.journal = in
	if r.cache != nil {
		r.cache.Record(in)
	}
	for _, c := range r.controllers {
		c.Record(in)
	}
}

// Inspect is called for an inspector. It returns an error if there is one already: there is one journal. Forget
// makes room for another.
func (r *Runtime) Inspect() (forget func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inspected {
		return nil, errors.New("this manager has one already")
	}
	r.inspected = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.inspected = false
	}, nil
}

// Schemas returns the types of the kinds of the manager's server, which the first caller makes. All who ask
// have the same.
func (r *Runtime) Schemas(make func() (diff.Schemas, error)) (diff.Schemas, error) {
	r.asked.Do(func() { r.schemas, r.wrong = make() })
	return r.schemas, r.wrong
}

// live has the Runtimes of this process, for metrics: controller-runtime has one registry for all managers.
var live runtimes

// runtimes are those in which something runs.
type runtimes struct {
	mu  lock.Mutex[lock.Shown]
	all map[*Runtime]bool
}

// Live returns the Runtimes in which a cache or a controller runs.
func Live() []*Runtime {
	live.mu.Lock()
	defer live.mu.Unlock()
	return slices.Collect(maps.Keys(live.all))
}

// showLocked has Live tell of the Runtime as long as something runs.
func (r *Runtime) showLocked() {
	live.mu.Lock()
	defer live.mu.Unlock()
	if r.cache == nil && len(r.controllers) == 0 {
		delete(live.all, r)
		return
	}
	if live.all == nil {
		live.all = map[*Runtime]bool{}
	}
	live.all[r] = true
}
