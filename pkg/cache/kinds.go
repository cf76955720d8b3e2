package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
)

var (
	errRemoved  = errors.New("the informer was removed from the cache")
	errStopped  = observe.ErrCacheStopped
	errPanicked = errors.New("making the informer panicked")
)

// kind returns a kind of the cache, which is made if there is none. A task of its own
// makes it: what asks the API takes no context, and a caller whose context ends must not
// wait for the answer. Those who go on waiting for the same kind get it when it comes.
func (c *Cache) kind(ctx context.Context, id kindID) (*kind, error) {
	k, mine := c.claim(id)
	if k == nil {
		return nil, fmt.Errorf("make an informer for %s: %w", id, errStopped)
	}
	if !mine {
		err := c.whenMade(ctx, k)
		return k, err
	}
	making := lifecycle.New(context.WithoutCancel(ctx))
	making.Go("make an informer for "+id.String(), func(context.Context) error {
		if c.make(k); k.err == nil { // an error is said to who asks
			if err := k.followResync(c); err != nil { // a plan that was changed meanwhile
				c.ours.Log.Error(err, "A changed resync policy has no effect", "kind", id.String())
			}
		}
		return nil
	})
	err := c.whenMade(ctx, k)
	if errors.Is(err, errPanicked) {
		_ = making.Wait() // panics
	}
	return k, err
}

// grace is how long a call waits for a server that answers although its context ended before it.
const grace = time.Second

// whenMade is made, except that controller-runtime's cache does not look at a context before its start. So a call
// goes on for a while if it has ended before.
func (c *Cache) whenMade(ctx context.Context, k *kind) error {
	if ctx.Err() == nil || c.isStarted() {
		return k.made(ctx)
	}
	err := k.made(ctx)
	select {
	case <-k.ready:
		return k.err
	case <-time.After(grace):
		return err
	}
}

// make makes a kind that has been claimed, and runs it if the cache runs.
func (c *Cache) make(k *kind) {
	k.err = errPanicked
	defer func() {
		if k.err != nil {
			c.remove(k) // before anybody learns of it: who asks again gets another try
		}
		c.noteUnmade(k)
		close(k.ready)
	}()
	if k.err = k.make(c); k.err == nil {
		c.run(k)
	}
	select {
	case <-k.removed: // meanwhile
		k.leaveMemory()
	default:
	}
}

// madeKinds returns the kinds that have an informer, in order of their names.
func (c *Cache) madeKinds() []*kind {
	all := slices.DeleteFunc(slices.Collect(maps.Values(*c.kinds.Load())), func(k *kind) bool { return !k.isMade() })
	slices.SortFunc(all, func(a, b *kind) int { return cmp.Compare(a.id.String(), b.id.String()) })
	return all
}

// claim returns the kind, and whether it is the caller's to make. A cache that has ended makes none: a source
// would ask for it for ever.
func (c *Cache) claim(id kindID) (k *kind, mine bool) {
	if k := (*c.kinds.Load())[id]; k != nil {
		return k, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds := *c.kinds.Load()
	if k := kinds[id]; k != nil || c.phase == stopped {
		return k, false
	}
	k = &kind{id: id, claimed: time.Now(), ready: make(chan struct{}), removed: make(chan struct{}), resyncs: map[string]resyncOrigin{}}
	kinds = maps.Clone(kinds)
	kinds[id] = k
	c.kinds.Store(&kinds)
	close(c.claimed)
	c.claimed = make(chan struct{})
	return k, true
}

// successor returns a kind that was removed once somebody has asked for it again, and waits until then.
func (c *Cache) successor(ctx context.Context, id kindID) (*kind, error) {
	for {
		c.mu.Lock()
		k, next := (*c.kinds.Load())[id], c.claimed
		c.mu.Unlock()
		if k != nil {
			err := k.made(ctx)
			return k, err
		}
		select {
		case <-next:
		case <-c.ended:
			return nil, fmt.Errorf("wait for another informer for %s: %w", id, errStopped)
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another informer for %s, which was removed: %w", id, ctx.Err())
		}
	}
}

// remove takes a kind out of the cache, which ends it.
func (c *Cache) remove(k *kind) {
	defer k.leaveMemory()
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds := *c.kinds.Load()
	if kinds[k.id] != k {
		return
	}
	kinds = maps.Clone(kinds)
	delete(kinds, k.id)
	c.kinds.Store(&kinds)
	c.gaps.Add(1)
	close(k.removed)
	if k.running != nil {
		k.running.Stop()
	}
}

// run starts a kind that has been made, if the cache runs; Start does for those
// that came before.
func (c *Cache) run(k *kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.phase {
	case configured:
		k.waiting = true
	case running:
		c.runLocked(k)
	case stopped:
	}
}

func (c *Cache) runLocked(k *kind) {
	k.running = c.group.Task("informer for "+k.id.String(), func(ctx context.Context) {
		k.shown.RunWithContext(logr.NewContext(ctx, c.ours.Log))
	})
	if k.running == nil {
		return // the cache is about to end
	}
	select {
	case <-k.removed: // while it was being made
		k.running.Stop()
	default:
	}
}

// made waits until the kind has been made, and returns why it could not be.
func (k *kind) made(ctx context.Context) error {
	select {
	case <-k.ready:
		return k.err
	default:
	}
	select {
	case <-k.ready:
		return k.err
	case <-ctx.Done():
		return fmt.Errorf("make an informer for %s: %w", k.id, ctx.Err())
	}
}

// timedOut returns err in the words that people look for where it is that ctx ended.
func (c *Cache) timedOut(ctx context.Context, id kindID, err error) error {
	if err == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return apierrors.NewTimeoutError(fmt.Sprintf("failed waiting for %s Informer to sync: %v", id.typeName(c.scheme), err), 0)
}

// gvkOf returns the kind of an object or list. A Go type's name in the scheme does not
// change, so it is looked up once.
func (c *Cache) gvkOf(obj runtime.Object) (schema.GroupVersionKind, error) {
	if formOf(obj) != typedForm {
		return apiutil.GVKForObject(obj, c.scheme)
	}
	t := reflect.TypeOf(obj)
	if gvk, ok := c.gvks.Load(t); ok {
		return gvk.(schema.GroupVersionKind), nil //nolint:forcetypeassert // nothing else is stored
	}
	gvk, err := apiutil.GVKForObject(obj, c.scheme)
	if err != nil {
		return gvk, err
	}
	if all, _, err := c.scheme.ObjectKinds(obj); err == nil && len(all) == 1 { // others are told apart by the object
		c.gvks.Store(t, gvk)
	}
	return gvk, nil
}

// idOf returns the kind of an object or list in its form.
func (c *Cache) idOf(obj runtime.Object) (kindID, error) {
	gvk, err := c.gvkOf(obj)
	return kindID{gvk: gvk, form: formOf(obj)}, err
}
