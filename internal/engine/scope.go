package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Scope is a part of a kind that is listed and watched on its own: one namespace,
// or all but some.
type Scope[T any] struct {
	// Namespace is the one namespace. Empty is all but those in Except, and the
	// objects that have none.
	Namespace string
	// Except are the namespaces that are not in the scope, and none of them is empty. Only
	// where Namespace is empty.
	Except []string
	// ListWatcher shows the scope. Objects that it shows of other namespaces are left out.
	ListWatcher listwatch.ListWatcher[T]
	// Settings are for this scope's Reflector, where it is to differ from
	// [Options].Reflector.
	Settings informer.Settings
	// Resync is for the subscribers that have no policy of their own: when they are
	// shown the objects of this scope.
	Resync resync.Policy
}

func (s Scope[T]) String() string { return newReach(s.Namespace, s.Except).String() }

// scope is a [Scope] at work.
type scope[T any] struct {
	reach     reach
	resync    resync.Policy // guarded by the informer's lock
	inlet     *Inlet[T]
	reflector *reflector.Reflector[T]

	task *lifecycle.Task // runs the reflector; nil before the launch; guarded by the informer's lock
}

// NewScoped returns an informer that keeps several scopes of a kind in one store.
func NewScoped[T any](scopes []Scope[T], opts Options[T]) (*Informer[T], error) {
	i := newInformer(opts)
	for _, s := range scopes {
		if err := i.AddScope(s); err != nil {
			return nil, err
		}
	}
	if len(scopes) == 0 {
		return nil, fmt.Errorf("make informer for %s: it has no scope", opts.Name)
	}
	i.fifo.asMade = true
	return i, nil
}

// AddScope adds a scope, which shares no namespace with another: one of all but some namespaces has to except it.
// While the informer runs it is listed and watched at once; its objects are told, marked Initial, when its first list
// is there. HasSynced and Synced are about the scopes that were there at the start.
func (i *Informer[T]) AddScope(add Scope[T]) error {
	i.scoping.Lock()
	defer i.scoping.Unlock()
	if err := i.check(add); err != nil {
		return fmt.Errorf("add scope of %s to informer for %s: %w", add, i.opts.Name, err)
	}
	s := i.newScope(add)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == stopped || i.phase == running && !s.launch(i.group) {
		s.inlet.shut()
		return fmt.Errorf("add scope of %s to informer for %s: %w", add, i.opts.Name, ErrStopped)
	}
	i.cover(append(slices.Clone(i.coverage.Load().scopes), s)...)
	i.rearrangeResyncLocked()
	return nil
}

// RemoveScope stops listing and watching a scope, that of this namespace or of all but some where it is empty, and
// takes its objects out of the store. On return nothing of it is left, and nothing more is told of it but what was
// published before. It waits for the ListWatcher, so that must not call it.
func (i *Informer[T]) RemoveScope(namespace string, how informer.Removal) error {
	i.scoping.Lock()
	defer i.scoping.Unlock()
	s := i.coverage.Load().called(namespace)
	if s == nil {
		return fmt.Errorf("remove scope of namespace %q from informer for %s: %w", namespace, i.opts.Name, informer.ErrNotCovered)
	}
	if how != informer.Silently && how != informer.AsOutOfScope {
		return fmt.Errorf("remove scope of %s from informer for %s: the way is %d, which is neither informer.Silently nor informer.AsOutOfScope", s.reach, i.opts.Name, how)
	}
	i.mu.Lock()
	i.cover(slices.DeleteFunc(slices.Clone(i.coverage.Load().scopes), func(other *scope[T]) bool { return other == s })...)
	i.rearrangeResyncLocked()
	i.mu.Unlock()
	i.countGap() // before anything of it is dropped
	s.end()
	s.inlet.shut()
	dismiss := func(how informer.Removal) func() error {
		return func() error {
			i.controller.dismiss(s.reach, how)
			return nil
		}
	}
	return i.inTurn(dismiss(how), dismiss(informer.Silently)) // without a Controller nobody is told
}

// check returns why the scope cannot be added.
func (i *Informer[T]) check(add Scope[T]) error {
	if err := add.Resync.Check(); err != nil {
		return fmt.Errorf("Resync: %w", err)
	}
	within := newReach(add.Namespace, add.Except)
	for _, s := range i.coverage.Load().scopes {
		if s.reach.overlaps(within) {
			return fmt.Errorf("%w: there is one of %s already", ErrOverlap, s.reach)
		}
	}
	return nil
}

// newScope returns a scope that is connected to the queue and does not run.
func (i *Informer[T]) newScope(from Scope[T]) *scope[T] {
	s := &scope[T]{resync: from.Resync}
	s.inlet = i.fifo.Open(from.Namespace, slices.Clone(from.Except), func(err error) { s.reflector.Skip(context.Background(), err) })
	s.reach = s.inlet.reach
	s.inlet.onGap, s.inlet.ready = i.countGap, i.controller.ready
	opts := i.reflectorOptions()
	opts.Settings = reflector.Fill(from.Settings, opts.Settings)
	if !s.reach.everything() {
		opts.Kind += " in " + s.reach.String()
	}
	opts.Degraded, opts.LeftOut, opts.Unread, opts.Tally = s.inlet.degraded, i.countGap, s.inlet.omitAny, &i.tally
	s.reflector = reflector.New(from.ListWatcher, s.inlet, i.opts.Traits.Key, opts)
	return s
}

// reflectorOptions completes what the user said with what only the informer knows.
func (i *Informer[T]) reflectorOptions() reflector.Options[T] {
	opts := i.opts.Reflector
	opts.Kind = i.opts.Name
	opts.Detach = i.opts.Traits.Detach
	opts.Logger = i.opts.Log
	// A stream holds everything until it is complete, so what is held should be the
	// transformed objects. They are not observed: what a list shows has no one writer.
	opts.Ingest = i.opts.Transform
	return opts
}

// launch has the scope listed and watched. It reports false when the informer is
// stopping.
func (s *scope[T]) launch(group *lifecycle.Group) bool {
	s.task = group.Task(strings.TrimSuffix("reflect "+s.reach.namespace, " "), func(ctx context.Context) {
		_ = s.reflector.Run(ctx) // returns when ctx ends, and then nil
	})
	return s.task != nil
}

// end stops listing and watching, and waits for it.
func (s *scope[T]) end() {
	if s.task != nil {
		s.task.End()
	}
}
