package reflector

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Sink is where a [Reflector] puts what it learns. All calls come from the
// goroutine that runs the Reflector. An error of Push or Bookmark means that
// this one event is lost, and is reported; an error of Replace means that the
// list is, and makes the Reflector list again.
type Sink[T any] interface {
	// Push hands on one event of a watch: d has the Op (Added, Updated or Deleted), New
	// and Version. position is the version that the event brings us to. It is empty for an
	// event that tells of something which was there before the watch began.
	Push(d delta.Delta[T], position string) error
	// Replace hands on everything there is, and the ownership of objs and of their keys in r. A
	// server may list an object twice: the last counts.
	Replace(objs []T, r Replacement) error
	// Bookmark says that everything up to version has been handed on.
	Bookmark(version string) error
}

// Replacement says what kind of list a Replace is.
type Replacement struct {
	// Version is the list's resource version.
	Version string
	// NewHistory means that the server went back in time: an object may have a version that we have seen and be
	// different, so contents are compared.
	NewHistory bool
	// Compared means that no version is believed, and the contents are compared, although the
	// history is the same as far as anybody can tell.
	Compared bool
	// Partial means that something on the server could not be read: an object's
	// absence from the list proves nothing, and no deletion may be derived from it.
	Partial bool
	// Keys are the keys of the objects, in the same order, as they were before [Options.Ingest].
	Keys []delta.Key
	// Refused are the keys of objects that are there and that Ingest has refused: what
	// is known of them stays. None of them is among Keys.
	Refused []delta.Key
	// Ingested means that the objects went through [Options.Ingest].
	Ingested bool
	// Lent means that an object that is kept must be detached; see [listwatch.Page].
	Lent bool
}

// BelievesVersions reports whether an object that has the version which is known is as it is known.
func (r Replacement) BelievesVersions() bool { return !r.NewHistory && !r.Compared }

// Options is what a Reflector may be told. The zero value is ready.
type Options[T any] struct {
	informer.Settings

	Kind    string // what is listed and watched, in words for people
	Logger  logr.Logger
	Limiter *Limiter // shared with other Reflectors; nil for no limit
	Line    *Line    // shared with those of the same server; nil for none
	Tally   *Tally   // shared with those that count together; nil for its own
	Horizon *Horizon // shared with the Reflectors of the same kind on the same server; may be nil

	// Ingest is applied to each object of a streaming list before it is kept, so that a stream holds what a transform
	// makes of it. Objects of lists in pages and of watches do not pass through it: the sink sees those as they come.
	Ingest func(T) (T, error)

	// Detach is that of the traits. With it a first list is detached page by page, so that the pages are not all in
	// memory; the sink does it for others.
	Detach func(T) T

	// OnError is told of each failed attempt, as an [Error]. It is called
	// by the goroutine that runs the Reflector, which waits for it.
	OnError func(ctx context.Context, err error)
	// OnSkip is told why an object or event had to be left out. Nil logs it.
	OnSkip func(ctx context.Context, err error)
	// Guard calls cycle and may recover a panic of it. Then the attempt has failed,
	// and the list is read again. Nil lets a panic go its way.
	Guard func(ctx context.Context, cycle func())

	// These are for the informer that the Reflector belongs to. The goroutine that runs the Reflector calls them. Each may
	// be nil.
	Degraded func() // the kind has become degraded
	LeftOut  func() // something was skipped
	Unread   func() // an event came that the sink is not shown

	// Now and AfterFunc are for adapters whose users bring a clock along; AfterFunc
	// returns a function that stops the timer. Nil is package time.
	Now       func() time.Time
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
}

// call calls a hook, if there is one.
func call(hook func()) {
	if hook != nil {
		hook()
	}
}

// Reflector keeps a [Sink] in step with what a [listwatch.ListWatcher] shows. Run does it
// until its context ends; Status tells how it goes.
type Reflector[T any] struct {
	lw   listwatch.ListWatcher[T]
	sink Sink[T]
	key  func(T) (delta.Key, error)
	opts Options[T]

	random func() float64 // in [0, 1); a test's own, so that its seed decides all

	// These belong to the goroutine that runs Cycle.
	at         position
	turn       *turn     // to list; nil where none is taken
	outdone    bool      // a streaming list came to no end, so the first list has to be of the newest state
	paged      bool      // the server answers in pages even from memory
	listed     time.Time // when the last whole list was handed on
	unsure     bool      // something has been left out since, or of that list
	rewound    time.Time // when an event last showed another history
	doubts     doubts    // whether the server still has the history that we know
	brief      int       // how many watches in a row have ended within a second with nothing new
	streamFrom time.Time // no streaming list is tried before
	failures   backoff
	internal   grace
	degradedBy failure // what the log has it for
	expired    bool    // an attempt since the last list failed because our version is gone
	compares   bool    // the list that is read is compared with what is known, whatever its versions are
	distrust   bool    // the last list took objects for known by versions that mean something else now
	recheck    bool    // the next list is read because something may have been missed
	reason     Reason  // why the list is read that has begun

	relists // who wants a new list; any goroutine may ask

	mu     lock.Mutex[lock.Reflector] // guards everything below
	status informer.ReflectorStatus
	outage outage
	silent bool // the kind counts as disconnected because of Suspect
}

// New connects a server to a sink and starts nothing. key names an
// object; an object whose key cannot be read is reported and left out.
func New[T any](lw listwatch.ListWatcher[T], sink Sink[T], key func(T) (delta.Key, error), opts Options[T]) *Reflector[T] {
	opts.Settings = Fill(opts.Settings, DefaultSettings)
	if opts.StallAfter > 0 {
		opts.StallAfter = max(opts.StallAfter, minStallAfter)
	}
	opts.Tally = cmp.Or(opts.Tally, new(Tally))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.AfterFunc == nil {
		opts.AfterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	return &Reflector[T]{
		lw: lw, sink: sink, key: key, opts: opts,
		random:   rand.Float64,
		failures: backoff{Backoff: opts.Backoff},
		status:   informer.ReflectorStatus{Kind: opts.Kind, State: Idle},
	}
}

// Adjust changes settings. It must not be called while Run or Cycle does.
func (r *Reflector[T]) Adjust(change func(*informer.Settings)) {
	change(&r.opts.Settings)
}

// Run lists and watches until ctx ends, and returns nil then. It must not be
// called while it runs.
func (r *Reflector[T]) Run(ctx context.Context) error {
	defer r.opts.Horizon.enter(r.LastSyncResourceVersion)()
	defer r.enter(Stopped) // also when something that is called here panics
	for ctx.Err() == nil {
		r.Recover(ctx, r.guarded(ctx))
	}
	return nil
}

// A step is one state: it does its work and says which state comes next. A nil
// step ends the cycle, with the error that ended it.
type step func(context.Context) (step, error)

// Cycle reads a whole list and follows the watches that come after it, until the list has to be read again. It
// returns why, or nil if ctx ended. [Reflector.Run] calls it; adapters may.
func (r *Reflector[T]) Cycle(ctx context.Context) error {
	next := r.start()
	var err error
	for next != nil {
		// Not even an ended ctx skips a step: it may have a watch to close.
		next, err = next(ctx)
	}
	if ctx.Err() != nil {
		return nil //nolint:nilerr // to be told to stop is not a failure
	}
	return err
}

// Recover waits as long as has to be waited between a Cycle that ended with err
// and the next.
func (r *Reflector[T]) Recover(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if r.expiredInHealth(err) {
		return
	}
	if !classify(err).degrades() {
		r.wait(ctx, BackingOff, err)
		return
	}
	first := false
	now := r.opts.Now()
	r.note(func(s *informer.ReflectorStatus) {
		if first = s.DegradedSince.IsZero(); first {
			s.DegradedSince = now
		}
	})
	if why := classify(err); first || why != r.degradedBy { // and not at each attempt
		r.degradedBy = why
		r.opts.Logger.Info("kind is degraded, it will be tried again",
			"kind", r.opts.Kind, "reason", err.Error(), "remedy", remedy(err))
	}
	if first {
		call(r.opts.Degraded)
	}
	r.wait(ctx, Degraded, err)
}

// fail records a failed attempt, tells who wants to know, and returns it.
func (r *Reflector[T]) fail(ctx context.Context, during string, err error) error {
	failed := &Error{During: during, Kind: r.opts.Kind, Version: r.at.streamFrom(), Err: err}
	r.noteFailure(failed)
	r.opts.Logger.V(1).Info("attempt ended", "kind", r.opts.Kind, "state", during, "version", failed.Version, "reason", err.Error())
	if r.opts.OnError != nil {
		r.opts.OnError(ctx, failed)
	}
	return failed
}

func (r *Reflector[T]) noteFailure(err error) {
	if classify(err).lostVersion() {
		r.expired = true
	} else {
		r.doubts.failed()
	}
	now := r.opts.Now()
	r.note(func(s *informer.ReflectorStatus) {
		s.Attempts++
		s.LastError, s.LastErrorAt = err, now
		r.noteDisconnected(s, now, err)
	})
}

// Skip records that something was left out.
func (r *Reflector[T]) Skip(ctx context.Context, err error) {
	r.opts.Tally.skipped.Add(1)
	r.note(func(s *informer.ReflectorStatus) {
		s.Skipped++
		s.LastSkipped = skipped{err}
	})
	call(r.opts.LeftOut)
	if r.opts.OnSkip != nil {
		r.opts.OnSkip(ctx, err)
		return
	}
	r.opts.Logger.Error(err, "left out what could not be understood", "kind", r.opts.Kind)
}

// wait spends the time that has to pass after a failure, or less if ctx ends.
func (r *Reflector[T]) wait(ctx context.Context, state string, err error) {
	r.rest(ctx, state, max(r.failures.wait(r.opts.Now(), r.random()), retryAfter(err)), r.backAfter(err))
}

// backAfter returns a channel that ends the wait after err early, unless the server has said how long to wait. There
// is one only until a watch has been open for HealthyAfter. Else two kinds whose watches fail would wake one another
// again and again.
func (r *Reflector[T]) backAfter(err error) <-chan struct{} {
	r.mu.Lock()
	woken := r.outage.woken
	r.mu.Unlock()
	if woken || retryAfter(err) > 0 || !waitsForServer(err) {
		return nil
	}
	return r.opts.Line.restored()
}

// rest spends that time, or less if ctx ends or back is closed.
func (r *Reflector[T]) rest(ctx context.Context, state string, delay time.Duration, back <-chan struct{}) {
	now := r.opts.Now()
	r.note(func(s *informer.ReflectorStatus) {
		s.State, s.Since, s.NextTry = state, now, now.Add(delay)
	})
	r.sayDisconnected(now.Add(delay))
	over := make(chan struct{})
	stop := r.opts.AfterFunc(delay, func() { close(over) })
	defer stop()
	select {
	case <-over:
	case <-back:
		r.mu.Lock()
		r.outage.woken = true
		r.mu.Unlock()
	case <-ctx.Done():
	}
}
