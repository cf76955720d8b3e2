package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
)

var (
	errPanicked = errors.New("it has panicked, and the log says where")
	// errNotSynced is for our informers: their cache gives up waiting only if it has stopped.
	errNotSynced = fmt.Errorf("cache did not sync: %w", observe.ErrCacheStopped)
)

// session is one Start of a source. It looks for the informer, and ends with its context.
type session struct {
	source  fmt.Stringer
	from    cache.Cache
	tasks   *lifecycle.Group      // Invariant: they stop when the context ends, or with a bad answer.
	missing atomic.Pointer[error] // why there is no informer yet

	once    sync.Once // sets the answer
	answer  answer    // Invariant: nobody changes it once settled is closed.
	settled chan struct{}
}

// answer is what WaitForSync returns.
type answer struct {
	err         error // nil if synced
	interrupted bool  // somebody gave up, and nothing is wrong
	panicked    bool  // the task panicked before it could answer
}

// sessions has the latest Start of one source.
type sessions struct {
	latest atomic.Pointer[session] // nil before the first
}

// begin runs task, which may go on until ctx ends. The session is settled by the task, or with its error.
func (all *sessions) begin(ctx context.Context, source fmt.Stringer, from cache.Cache, task func(context.Context, *session) error) {
	s := &session{source: source, from: from, tasks: lifecycle.New(ctx), settled: make(chan struct{})}
	started := s.tasks.Guest(source.String(), func(ctx context.Context) {
		defer utilruntime.HandleCrashWithContext(ctx) // perhaps nobody waits
		defer s.ended()
		if err := task(ctx, s); err != nil {
			s.failed(ctx, err)
		}
	})
	if !started {
		s.failed(ctx, ctx.Err())
	}
	all.latest.Store(s)
}

// wait is the source's WaitForSync.
func (all *sessions) wait(ctx context.Context, source fmt.Stringer) error {
	latest := all.latest.Load()
	if latest == nil {
		return fmt.Errorf("wait for %s: it has not been started", source)
	}
	return latest.wait(ctx)
}

// settle sets the answer. It reports false if there is one already.
func (s *session) settle(a answer) (first bool) {
	s.once.Do(func() {
		s.answer, first = a, true
		close(s.settled)
	})
	return first
}

// answered reports whether there is an answer.
func (s *session) answered() bool {
	select {
	case <-s.settled:
		return true
	default:
		return false
	}
}

// follower hears when an informer has ended and another one takes its place, and when none will. The error is why.
type follower interface {
	restart()
	ended(ctx context.Context, err error)
}

// followInformers calls follow with the cache's informer for obj. If follow returns because
// the informer has ended, it calls restart, and then follow with the informer that has taken
// the other's place. Somebody who removes an informer wants its watch to end, so the source
// does not ask for the next one itself. In the end it calls ended, also if something panics.
func (s *session) followInformers(
	ctx context.Context, obj client.Object, follow func(cache.Informer) (again bool, err error), to follower,
) (err error) {
	err = errPanicked
	defer func() { to.ended(ctx, err) }()
	var before weak.Pointer[engine.Informer[any]] // while the source waits for the next one, it keeps nothing of this one alive
	var again bool
	var ended error
	for asking := ctx; ; asking = observe.AskForSuccessor(ctx) {
		found, err := s.findInformer(asking, obj)
		if err != nil {
			return err
		}
		now := weak.Make(coreOf(found))
		switch {
		case again && now == before:
			return fmt.Errorf("the informer has ended, and the cache has no other: %w", cmp.Or(ended, engine.ErrStopped))
		case again:
			log.Info("The cache has removed the informer; the next one tells the handler everything from the beginning", "source", s.source.String())
		}
		if again, ended = follow(found); !again {
			return ended
		}
		to.restart()
		before = now
	}
}

// stay waits until the subscriber has heard of everything that was there, and calls listed.
// Then it waits until ctx or the subscription ends. It reports true if there may be another
// informer to subscribe to.
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

// synced gives the good answer.
func (s *session) synced() { s.settle(answer{}) }

// failed gives any other answer, and ends the session unless it has synced. It logs the error, because nobody
// waits for a source that joins a running controller.
func (s *session) failed(ctx context.Context, err error) {
	interrupted := ctx.Err() != nil
	if !interrupted {
		log.Error(err, "The source tells nothing", "source", s.source.String())
	}
	if s.settle(answer{err: err, interrupted: interrupted}) {
		s.tasks.Stop()
	}
}

// ended ends the session with its task. If there is no answer by then, the task panicked.
func (s *session) ended() {
	s.settle(answer{panicked: true})
	s.tasks.Stop()
}

// wait returns the answer, or gives up with ctx.
func (s *session) wait(ctx context.Context) error {
	if !s.answered() { // an answer counts even if ctx has ended
		select {
		case <-s.settled:
		case <-ctx.Done():
			s.giveUp(ctx)
		}
	}
	switch a := s.answer; {
	case a.panicked:
		_ = s.tasks.Wait() // panics, unless panics are configured not to end the process
		return fmt.Errorf("start %s: it panicked, and the log says where", s.source)
	case a.interrupted && errors.Is(ctx.Err(), context.Canceled):
		return nil // to stop waiting is not an error
	default:
		return a.err
	}
}

// giveUp ends the session because ctx has ended before there was an answer.
func (s *session) giveUp(ctx context.Context) {
	err := ctx.Err()
	if !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("timed out waiting for cache to be synced for %s", s.source)
		if last := s.missing.Load(); last != nil {
			err = fmt.Errorf("%w: %w", err, *last)
		}
		if why := notSynced(s.from); why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
	}
	s.failed(ctx, err)
}

// notSynced says which kinds of a cache of ours are not synced, and why. A source waits for all
// kinds that there are when it starts, so its own kind need not be the one that is missing.
func notSynced(from cache.Cache) string {
	of := managed.Of(from)
	if of == nil {
		return ""
	}
	var whys []string
	if runs := of.Cache(); runs != nil {
		for _, k := range runs.Kinds() {
			if status := k.Informer.Status(); !status.Synced {
				whys = append(whys, status.Reflector.Why)
			}
		}
	}
	return strings.Join(whys, "; ")
}
