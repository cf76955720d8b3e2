package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Informer keeps a store in step with an API and tells its subscribers each
// change. It runs once. The zero value can't be used; see [New].
type Informer[T any] struct {
	opts       Options[T]
	store      *store.Store[T]
	fifo       *DeltaFIFO[T]
	processor  *processor[T]
	controller *controller[T]
	resync     *resyncer
	mutated    mutated

	coverage atomic.Pointer[coverage[T]] // replaced under mu, never changed in place
	gaps     atomic.Uint64               // see Gaps
	tally    reflector.Tally             // of all scopes that there are, and all that there were

	scoping lock.Mutex[lock.InformerScopes] // held to change the scopes
	direct  lock.Mutex[lock.InformerDirect] // held to write the store instead of the Controller

	mu            lock.Mutex[lock.Informer] // guards everything below; never held while calling out or waiting
	phase         runPhase                  // Invariant: it only goes up.
	group         *lifecycle.Group          // Invariant: nil until phase is running, and then never again.
	subscriptions map[*Subscription[T]]struct{}
	override      resync.Policy // see OverrideResync
}

type runPhase uint8

const (
	configured runPhase = iota
	running
	stopped
)

// Options configure an [Informer]. Name and Traits are required.
type Options[T any] struct {
	// Name is the kind, for logs and status: "apps/v1 Deployment".
	Name string
	// Traits tells what the informer must know of an object.
	Traits store.Traits[T]
	// Indexers are the store's indexes from the start; see [Informer.AddIndexers].
	Indexers store.Indexers[T]
	// Transform replaces each object once, before it is kept. It is called without a lock, and for a list in pages
	// not for an object that it shows unchanged.
	Transform func(T) (T, error)
	// Observe reads off the object of each event what Transform may remove. It returns the
	// delta's Origin. Events of a streaming list have none.
	Observe func(T) *delta.Origin
	// ShowUnchanged shows an object that is seen again in the state in which it is known as a Sync to the subscribers that
	// take part in resyncs, and to all where none does. Otherwise nobody is told. An event that brings another content
	// under a known version is a change.
	ShowUnchanged bool
	// OnMutation is told of objects of the store that somebody has changed in place,
	// which must not happen. Nil looks for it only if Mutations says how: then the
	// first is logged. It may call the informer. While it takes its time no resync begins, and no
	// more than Mutations.Objects reports wait for it.
	OnMutation func(informer.Mutation)
	Mutations  MutationOptions
	// Witness returns somebody who is shown everything that subscribers are told, or nil. The
	// Controller asks for each batch. Nil has no witness.
	Witness func() Witness[T]
	// Saved reads what an earlier process has saved of the kind. Nil has no past.
	Saved Saved[T]
	// WhenSettled does not have subscribers wait for scopes that are degraded before they have synced, so that a kind
	// which the server does not have keeps nobody from starting. Their objects are told, marked Initial, when they come.
	WhenSettled bool
	// Reflector says how to list and watch. Where there are several scopes, each has
	// a Reflector with these options, so that what is called here is called by
	// several goroutines. Its Logger is Log.
	Reflector reflector.Options[T]
	// Gaps grows with what [Informer.Gaps] returns. Several informers may share it. Nil isn't counted.
	Gaps *atomic.Uint64
	// Log is where warnings go. The zero Logger is silent.
	Log logr.Logger
}

// New returns an informer for what lw lists and watches. Nothing happens until it
// runs.
func New[T any](lw listwatch.ListWatcher[T], opts Options[T]) *Informer[T] {
	i := newInformer(opts)
	i.cover(i.newScope(Scope[T]{ListWatcher: lw}))
	i.fifo.asMade = true
	return i
}

// newInformer connects the parts, except the scopes.
func newInformer[T any](opts Options[T]) *Informer[T] {
	i := &Informer[T]{
		opts:          opts,
		store:         store.New(opts.Traits, opts.Indexers),
		subscriptions: map[*Subscription[T]]struct{}{},
	}
	i.fifo = NewDeltaFIFO(&i.opts, i.store)
	i.processor = newProcessor(&i.opts.Traits, opts.Log)
	i.processor.calmed = i.fifo.ring
	i.resync = newResyncer(i.resyncKeys, i.processor.lagOrAwait, i.fifo.ring)
	i.controller = &controller[T]{
		fifo:      i.fifo,
		store:     i.store,
		processor: i.processor,
		opts:      &i.opts,
		resync:    i.resync,
		ready:     i.fifo.synced,
		launch:    i.launch,
	}
	if opts.Saved != nil {
		i.controller.past = &past[T]{load: opts.Saved, turn: make(chan struct{}, 1)}
	}
	if opts.WhenSettled {
		i.controller.ready = i.fifo.settled
	}
	i.detectMutations()
	i.coverage.Store(&coverage[T]{})
	return i
}

// Run lists and watches, and tells the subscribers, until ctx ends. When it
// returns, nothing of the informer runs any more. A panic of a handler that its
// subscriber did not recover, or of a function from the options, is raised again
// here.
func (i *Informer[T]) Run(ctx context.Context) error {
	group := lifecycle.New(ctx)
	if err := i.begin(group); err != nil {
		group.Stop()
		return err
	}
	defer i.end()
	defer group.Stop()
	group.Go("keep time", func(ctx context.Context) error { return keepTime(ctx, i.resync, i.eachSecond) })
	err := group.Here("apply", i.apply)
	if i.controller.mutations != nil {
		i.controller.mutations.LookAtAll()
	}
	if err != nil {
		return fmt.Errorf("informer for %s: %w", i.opts.Name, err)
	}
	return nil
}

// apply is the Controller's task. When the Controller ends, those who wait for it learn it
// at once: one of them may be a handler that Run waits for.
func (i *Informer[T]) apply(ctx context.Context) error {
	defer i.giveUp()
	return i.controller.run(ctx)
}

// giveUp answers those who wait for the Controller, which has ended.
func (i *Informer[T]) giveUp() {
	for _, entry := range i.fifo.close() {
		entry.abandon(ErrStopped)
	}
}

// begin makes the informer running, and gives those who subscribed before their
// place in the log: at its start, as nothing has happened yet.
func (i *Informer[T]) begin(group *lifecycle.Group) error {
	i.direct.Lock() // from here on the Controller writes
	defer i.direct.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	switch i.phase {
	case running:
		return fmt.Errorf("run informer for %s: %w", i.opts.Name, ErrStarted)
	case stopped:
		return fmt.Errorf("run informer for %s: %w", i.opts.Name, ErrStopped)
	case configured:
	}
	i.phase, i.group = running, group
	i.fifo.found()
	for _, s := range i.coverage.Load().scopes {
		s.launch(group)
	}
	for _, s := range slices.SortedFunc(maps.Keys(i.subscriptions), (*Subscription[T]).older) {
		if s.subscriber.saved {
			i.controller.waiting = append(i.controller.waiting, s.subscriber)
		} else if i.processor.join(s.subscriber, nil) {
			i.launch(s.subscriber)
		}
	}
	return nil
}

// end makes all subscribers leave.
func (i *Informer[T]) end() {
	i.mu.Lock()
	i.phase = stopped
	left := slices.Collect(maps.Keys(i.subscriptions))
	i.mu.Unlock()
	for _, s := range left { // also those that the Controller never came to
		i.processor.leave(s.subscriber)
	}
	i.giveUp() // again, for a Controller that never came to run
}

func (i *Informer[T]) launch(l *subscriber[T]) bool {
	return i.group.Guest("subscriber "+l.opts.Name, l.run)
}

// resyncKeys returns the keys of the objects that a policy chooses.
func (i *Informer[T]) resyncKeys(policy resync.Policy) []delta.Key {
	view := i.store.View()
	defer view.Release()
	keys := make([]delta.Key, 0, view.Len())
	everywhere, in := len(policy.Namespaces)+len(policy.Except) == 0, timetable.InNamespace(policy)
	for key, obj := range view.All() {
		if !everywhere && !in(key.Namespace) {
			continue
		}
		if policy.Selector == nil || policy.Selector.Matches(labels.Set(i.opts.Traits.Labels(obj))) {
			keys = append(keys, key)
		}
	}
	return keys
}

// HasSynced reports whether the first list is in the store: where there are several
// scopes, that of each that was there when the informer began to run.
func (i *Informer[T]) HasSynced() bool { return isClosed(i.fifo.synced) }

// Synced is closed when [Informer.HasSynced] turns true.
func (i *Informer[T]) Synced() <-chan struct{} { return i.fifo.synced }

// Store is the informer's store. Only its reading methods are for the caller; to
// change it, use [Informer.Write].
func (i *Informer[T]) Store() *store.Store[T] { return i.store }

// Settled is closed when each scope that was there when the informer began to run
// has either synced or been found [reflector.Degraded]: from then on, who waits longer waits
// for a person.
func (i *Informer[T]) Settled() <-chan struct{} { return i.fifo.settled }

// Version is the newest resource version that the informer has heard of; where
// there are several scopes, that of the one that is the furthest behind. The store
// may be a batch behind; see the store's own Version.
func (i *Informer[T]) Version() string {
	var lowest reflector.VersionUnion
	for _, s := range i.coverage.Load().scopes {
		_, heardAt := s.inlet.progress()
		lowest.Add(s.reflector.LastSyncResourceVersion(), heardAt)
	}
	return lowest.Version()
}

// Suspect tells every scope that the server has not answered somebody since then; see [reflector.Reflector.Suspect].
func (i *Informer[T]) Suspect(since time.Time, why error) {
	for _, s := range i.coverage.Load().scopes {
		s.reflector.Suspect(since, why)
	}
}

// Stopped reports whether Run has returned, or is about to.
func (i *Informer[T]) Stopped() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase == stopped
}

// Started reports whether Run was called.
func (i *Informer[T]) Started() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase != configured
}

// AddIndexers adds indexes to the store, also while it is being read and written.
// On return they can be used. If an index function panics for an object that is
// there, so does AddIndexers, and nothing is added.
func (i *Informer[T]) AddIndexers(indexers store.Indexers[T]) error {
	add := func() error { return i.store.AddIndexers(indexers) }
	err := i.inTurn(add, add)
	if err == nil || errors.Is(err, store.ErrIndexExists) {
		return err // which has client-go's words
	}
	return fmt.Errorf("add indexers to informer for %s: %w", i.opts.Name, err)
}

// Write changes the store from outside. It is for tests that seed a cache, and for
// those who put their own writes into it; nobody is told of the change. On return
// it can be read. If change panics, so does Write, and what was written before stays.
func (i *Informer[T]) Write(change func(*store.Txn[T])) error {
	write := func() error { return i.store.Write(1, "", change) }
	return i.inTurn(write, write)
}

// inTurn has the Controller make a call while it runs. While it does not, it calls direct, one caller at a time.
func (i *Informer[T]) inTurn(call, direct func() error) error {
	i.direct.Lock()
	defer i.direct.Unlock()
	entry, answer := asked(call)
	if i.queue(entry) {
		if err := <-answer; !errors.Is(err, ErrStopped) {
			return raise(err)
		}
	}
	return direct()
}

// queue reports false if there is no Controller that would carry the entry out.
func (i *Informer[T]) queue(entry control) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase == running && i.fifo.control(entry)
}
