package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Unwrap returns the cache behind a controller-runtime cache, such as a manager's
// GetCache: for what only ours can do. It is an error if it is not one of ours, which a
// cache that [New] made is not where Options.NewInformer was set.
func Unwrap(c crcache.Cache) (*Cache, error) {
	ours, ok := c.(*Cache)
	if !ok {
		return nil, fmt.Errorf("look for our cache: it is a %T, which is not one of ours; "+
			"a manager has ours if its NewCache is cache.New of delta-runtime and its Cache.NewInformer is not set", c)
	}
	return ours, nil
}

// SetResync changes the policy of obj's kind: for each form of the kind, in every
// namespace, those that are there and those that will be. It overrides all that was
// said when things were made: by ByObject, and by handlers that came with a policy or a
// period of their own, as a controller with the builder's WithResync does.
//
// The policy's zero fields are taken from the handler's own, from ByObject and from wider
// levels, so that the zero policy goes back to these. It is in effect when SetResync returns: the
// period counts from each handler's last resync, so that a shorter one may be over
// already, and of a resync that is under way the rest goes on by the new policy.
func (c *Cache) SetResync(obj client.Object, policy resync.Policy) error {
	gvk, err := c.gvkOf(obj)
	if err == nil {
		err = policy.Check()
	}
	if err != nil {
		return fmt.Errorf("set the resync policy of %T: %w", obj, err)
	}
	return c.changeResync(func(p *plan) {
		k := p.kinds[gvk]
		k.Resync, k.override = timetable.Or(policy, k.configured), policy
		p.kinds = maps.Clone(p.kinds)
		p.kinds[gvk] = k
	})
}

// SetDefaultResync is [Cache.SetResync] for those who say nothing themselves, as if
// Default had said it: it overrides no policy of a kind, nor a handler's own.
func (c *Cache) SetDefaultResync(policy resync.Policy) error {
	if err := policy.Check(); err != nil {
		return fmt.Errorf("set the default resync policy: %w", err)
	}
	return c.changeResync(func(p *plan) { p.all.Resync = policy })
}

// changeResync changes the plan and brings it to those kinds that are there. One that
// is being made comes for it when it is.
func (c *Cache) changeResync(change func(*plan)) error {
	c.replan(change)
	var errs []error
	for _, k := range c.madeKinds() {
		errs = append(errs, k.followResync(c))
	}
	return errors.Join(errs...)
}

// replan replaces the plan. The function may be called more than once.
func (c *Cache) replan(change func(*plan)) {
	for {
		p := c.plan.Load()
		changed := *p
		change(&changed)
		if c.plan.CompareAndSwap(p, &changed) {
			return
		}
	}
}

// resyncOrigin is what a policy in effect came of, to see whether that has changed:
// what came of it has a random part.
type resyncOrigin struct {
	policy resync.Policy
	period time.Duration // SyncPeriod
}

func (s settings) resyncOrigin() resyncOrigin {
	return resyncOrigin{policy: s.Resync, period: *s.SyncPeriod}
}

func (o resyncOrigin) equal(other resyncOrigin) bool {
	return timetable.Same(o.policy, other.policy) && (o.period == other.period || o.policy.Period != 0)
}

// inEffect returns the policy for one of the kind's namespaces, with every gap
// filled. A SyncPeriod is controller-runtime's: all at once, and ten per cent more or
// less in each informer. It shows updates, as controller-runtime's informers do.
func (s settings) inEffect() resync.Policy {
	p := s.Resync
	if p.Period != 0 {
		return p
	}
	p.Period = resync.Never
	if *s.SyncPeriod > 0 {
		p.Period, p.AsUpdate = max(jittered(*s.SyncPeriod), time.Second), true // less is not granted by client-go
	}
	return p
}

// jittered spreads the resyncs of informers that start together by a tenth.
func jittered(period time.Duration) time.Duration {
	if longer := float64(period) * (0.9 + 0.2*rand.Float64()); longer < math.MaxInt64 {
		return time.Duration(longer)
	}
	return math.MaxInt64
}

// followResync puts into effect what the plan says now.
func (k *kind) followResync(c *Cache) error {
	k.resyncing.Lock()
	defer k.resyncing.Unlock()
	p := c.plan.Load()
	if err := k.core.OverrideResync(p.kinds[k.id.gvk].override); err != nil {
		return fmt.Errorf("%s: %w", k.id, err)
	}
	planned := p.of(k.id.gvk, k.madeAs)
	for namespace, made := range *k.byName.Load() {
		now, ok := planned[namespace]
		before, changed := k.resyncs[namespace]
		if !changed {
			before = made.resyncOrigin()
		}
		if !ok || now.resyncOrigin().equal(before) {
			continue
		}
		err := k.core.SetScopeResync(namespace, now.inEffect())
		if errors.Is(err, informer.ErrNotCovered) {
			continue // it is about to be added, and then follows, or to be removed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", k.id, err)
		}
		k.followed.Store(true)
		k.resyncs[namespace] = now.resyncOrigin()
	}
	return nil
}

// forgetResync is for a namespace that is gone.
func (k *kind) forgetResync(namespace string) {
	k.resyncing.Lock()
	defer k.resyncing.Unlock()
	delete(k.resyncs, namespace)
}

// Resync has every handler of obj's kind in obj's form shown the objects that the
// selector chooses, whatever the policies say, and without waiting for a period; nil
// chooses all. Handlers see OnUpdate with the same object twice, subscribers a Sync.
// Predicates of our sources and our builder's controllers let it pass; see
// predicate.OnResync. Those of controller-runtime's take it for an update, and may
// hold it back.
//
// It returns when the resync is accepted. The objects are then shown in chunks between
// live events, at the Rate of each handler's policy. Status says how far that is.
func (c *Cache) Resync(ctx context.Context, obj client.Object, selector labels.Selector) error {
	k, err := c.working(ctx, obj)
	if err == nil {
		err = k.core.Resync(selector)
	}
	if err != nil {
		return fmt.Errorf("resync %T: %w", obj, err)
	}
	return nil
}

// Relist has obj's kind in obj's form listed again in every namespace, for those who
// don't trust what the cache has. It returns when what the server has then can be
// read, or with ctx: a server that refuses the kind is asked at its own pace.
// Contents are compared, whatever the versions say. Handlers hear of an object that is as
// it was as Unchanged says.
func (c *Cache) Relist(ctx context.Context, obj client.Object) error {
	k, err := c.working(ctx, obj)
	if err == nil {
		err = k.core.Relist(ctx)
	}
	if err != nil {
		return fmt.Errorf("relist %T: %w", obj, err)
	}
	return nil
}

// working returns the kind of obj in its form, which has an informer that runs.
func (c *Cache) working(ctx context.Context, obj client.Object) (*kind, error) {
	id, err := c.idOf(obj)
	switch {
	case err != nil:
		return nil, err
	case !c.isStarted():
		return nil, &crcache.ErrCacheNotStarted{}
	}
	k := (*c.kinds.Load())[id]
	if k == nil {
		return nil, fmt.Errorf("there is no informer for %s", id)
	}
	if err := k.made(ctx); err != nil {
		return nil, err
	}
	return k, nil
}
