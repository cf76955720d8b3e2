package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// session is one Start of a source: from looking for the informer until its context
// ends.
type session struct {
	source  fmt.Stringer
	tasks   *lifecycle.Group // stopped when the context ends, or with a bad answer
	settled chan struct{}    // closed once there is an answer

	mu     sync.Mutex // guards everything below
	answer answer
	done   bool  // settled is closed
	last   error // why there is no informer yet
}

// answer is what WaitForSync is told.
type answer struct {
	err         error // nil if synced
	interrupted bool  // it failed because somebody gave up, not because something is wrong
	crashed     bool  // there is none: the task panicked
}

// sessions are the Starts of one source, of which it remembers the latest.
type sessions struct {
	mu     sync.Mutex // guards latest
	latest *session   // nil before the first
}

// begin runs task, which has to settle the session, and may go on until ctx ends.
func (all *sessions) begin(ctx context.Context, source fmt.Stringer, task func(context.Context, *session)) {
	s := &session{source: source, tasks: lifecycle.New(ctx), settled: make(chan struct{})}
	started := s.tasks.Guest(source.String(), func(ctx context.Context) {
		defer utilruntime.HandleCrashWithContext(ctx) // nobody may be waiting
		defer s.crashed()
		task(ctx, s)
	})
	if !started {
		s.failed(ctx, ctx.Err())
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.latest = s
}

// wait is WaitForSync of the source.
func (all *sessions) wait(ctx context.Context, source fmt.Stringer) error {
	all.mu.Lock()
	latest := all.latest
	all.mu.Unlock()
	if latest == nil {
		return fmt.Errorf("wait for %s: it has not been started", source)
	}
	return latest.wait(ctx)
}

// settle gives the answer, unless there is one.
func (s *session) settle(a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	s.answer, s.done = a, true
	close(s.settled)
}

// answered reports whether there is an answer.
func (s *session) answered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// followInformers calls follow with the cache's informer for obj, and when it returns
// because the informer has ended, with the one that has taken its place. Restart is called
// in between.
func (s *session) followInformers(
	ctx context.Context, from cache.Cache, obj client.Object, follow func(cache.Informer) (again bool, err error), restart func(),
) error {
	var before cache.Informer
	var ended error
	for {
		found, err := findInformer(ctx, from, obj, s)
		switch {
		case err != nil:
			return err
		case before != nil && found == before:
			return fmt.Errorf("the informer has ended, and the cache has no other: %w", cmp.Or(ended, engine.ErrStopped))
		case before != nil:
			log.Info("The informer was removed from the cache; the handler is told by the next one, from the beginning", "source", s.source.String())
		}
		var again bool
		if again, ended = follow(found); !again {
			return ended
		}
		restart()
		before = found
	}
}

// stay waits until a subscriber has been told everything that was there, says so, and
// then until ctx or the subscription ends. It reports true if there may be another informer
// to subscribe to.
func (s *session) stay(ctx context.Context, sub *engine.Subscription[any], listed func()) (again bool, err error) {
	select {
	case <-sub.Synced():
		listed()
		s.synced()
	case <-sub.Done():
		return ctx.Err() == nil, fmt.Errorf("wait for the first list: %w", engine.ErrStopped)
	case <-ctx.Done():
		return false, errors.New("handler did not sync")
	}
	select {
	case <-sub.Done():
		return ctx.Err() == nil, nil
	case <-ctx.Done():
		return false, nil
	}
}

// synced is the good answer.
func (s *session) synced() { s.settle(answer{}) }

// failed is any other answer; it ends the session. It is logged, since nobody waits
// for a source that is added to a controller that runs.
func (s *session) failed(ctx context.Context, err error) {
	interrupted := ctx.Err() != nil
	if !interrupted {
		log.Error(err, "The source tells nothing", "source", s.source.String())
	}
	s.settle(answer{err: err, interrupted: interrupted})
	s.tasks.Stop()
}

// crashed answers for a task that panicked before it could.
func (s *session) crashed() {
	s.settle(answer{crashed: true})
	s.tasks.Stop() // also where the task has ended as it should
}

// missing notes why there is no informer yet.
func (s *session) missing(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = err
}

func (s *session) lastError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// wait returns the answer, or gives up with ctx.
func (s *session) wait(ctx context.Context) error {
	select {
	case <-s.settled: // also where ctx has ended
	default:
		select {
		case <-s.settled:
		case <-ctx.Done():
			s.giveUp(ctx)
		}
	}
	s.mu.Lock()
	a := s.answer
	s.mu.Unlock()
	switch {
	case a.crashed:
		_ = s.tasks.Wait() // panics, unless it is configured that panics be survived
		return fmt.Errorf("start %s: it panicked, and the log says where", s.source)
	case a.interrupted && errors.Is(ctx.Err(), context.Canceled):
		return nil // to stop waiting is no error
	default:
		return a.err
	}
}

// giveUp ends the session because ctx has ended before it was settled.
func (s *session) giveUp(ctx context.Context) {
	err := ctx.Err()
	if !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("timed out waiting for cache to be synced for %s", s.source)
		if last := s.lastError(); last != nil {
			err = fmt.Errorf("%w: %w", err, last)
		}
	}
	s.failed(ctx, err)
}
