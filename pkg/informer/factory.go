package informer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// Factory keeps one informer for each kind, so that everybody who asks for a kind
// shares its store and its watch. Kinds may be added after Start; a second Start
// runs them.
//
// A panic of one of its informers stops all of them. Start, WaitForSync and Shutdown
// raise it again in the goroutine that calls them. If nobody calls them within five
// seconds, the factory raises it in a goroutine of its own, and the process ends. The
// stores are no longer up to date, and nobody would notice.
type Factory[T any] struct {
	crashed chan struct{} // closed when crash is set

	mu        sync.Mutex // guards everything below
	informers map[string]*Informer[T]
	started   map[string]bool
	group     *lifecycle.Group // nil before Start
	closed    bool
	crash     any         // what an informer panicked with
	alarm     *time.Timer // ends the process; nil where there is no need
}

// crashGrace is how long a panic waits for a call to raise it in.
const crashGrace = 5 * time.Second

// NewFactory returns a factory without informers.
func NewFactory[T any]() *Factory[T] {
	return &Factory[T]{
		crashed:   make(chan struct{}),
		informers: map[string]*Informer[T]{},
		started:   map[string]bool{},
	}
}

// For returns the informer for a kind, which build makes if there is none yet.
// build must not call the factory.
func (f *Factory[T]) For(kind string, build func() *Informer[T]) *Informer[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.informers[kind]; !ok {
		f.informers[kind] = build()
	}
	return f.informers[kind]
}

// Start runs the informers that do not run yet, until ctx of the first Start ends
// or Shutdown is called. It does not wait for them.
func (f *Factory[T]) Start(ctx context.Context) error {
	f.raise()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return fmt.Errorf("start informers: %w", ErrStopped)
	}
	if f.group == nil {
		f.group = lifecycle.New(ctx)
	}
	for kind, informer := range f.informers {
		if f.started[kind] {
			continue
		}
		f.started[kind] = f.group.Guest("informer for "+kind, func(ctx context.Context) { f.run(ctx, informer) })
	}
	return nil
}

// run runs an informer, and notes what it panics with.
func (f *Factory[T]) run(ctx context.Context, informer *Informer[T]) {
	defer func() {
		if value := recover(); value != nil {
			f.noteCrash(value)
			panic(value) // which stops the others
		}
	}()
	_ = informer.Run(ctx) // ends with ctx, and says why in its log and status
}

func (f *Factory[T]) noteCrash(value any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.crash != nil {
		return
	}
	f.crash = value
	close(f.crashed)
	if !f.closed { // else Shutdown raises it
		f.alarm = time.AfterFunc(crashGrace, func() { panic(value) })
	}
}

// raise panics if an informer did. The process then need not end, as the caller knows.
func (f *Factory[T]) raise() {
	f.mu.Lock()
	crash := f.crash
	if f.alarm != nil {
		f.alarm.Stop()
	}
	f.mu.Unlock()
	if crash != nil {
		panic(crash)
	}
}

// WaitForSync waits until every informer that was started has its first list. The
// error names those that have not when ctx ends, and why.
func (f *Factory[T]) WaitForSync(ctx context.Context) error {
	defer f.raise()
	var unsynced []error
	for kind, informer := range f.running() {
		select {
		case <-informer.Synced():
			continue
		case <-f.crashed:
		case <-ctx.Done():
		}
		if !informer.HasSynced() {
			unsynced = append(unsynced, fmt.Errorf("%s: %w: %s", kind, ErrNotSynced, informer.why()))
		}
	}
	if len(unsynced) == 0 {
		return nil
	}
	return fmt.Errorf("wait for informers: %w: %w", context.Cause(ctx), errors.Join(unsynced...))
}

// running yields the informers that were started, in order of their kinds.
func (f *Factory[T]) running() func(func(string, *Informer[T]) bool) {
	f.mu.Lock()
	started := maps.Clone(f.started)
	informers := maps.Clone(f.informers)
	f.mu.Unlock()
	return func(yield func(string, *Informer[T]) bool) {
		for _, kind := range slices.Sorted(maps.Keys(started)) {
			if !yield(kind, informers[kind]) {
				return
			}
		}
	}
}

// Shutdown stops all informers and waits until nothing of them runs. It may be
// called more than once, and before Start.
func (f *Factory[T]) Shutdown() {
	f.mu.Lock()
	f.closed = true
	group := f.group
	f.mu.Unlock()
	defer f.raise()
	if group != nil {
		group.Stop()
		_ = group.Wait() // guests return no errors
	}
}
