package cache

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crtools "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// inform makes the kind's informer.
func (k *kind) inform(c *Cache, general settings) error {
	scopes := make([]engine.Scope[any], 0, len(*k.byName.Load()))
	policies := make([]resync.Policy, 0, cap(scopes))
	for namespace, s := range *k.byName.Load() {
		scope := k.scope(namespace, s)
		scopes, policies = append(scopes, scope), append(policies, scope.Resync)
	}
	if *general.ShareDuplicates {
		k.kin = &relatives{known: func(key delta.Key) (any, bool) { return k.core.Store().Get(key) }}
	}
	var err error
	opts := k.options(c, general)
	saved := k.remembered(c)
	if saved != nil {
		opts.Saved = saved.past
	}
	if k.core, err = engine.NewScoped(scopes, opts); err != nil {
		return err
	}
	if saved != nil {
		saved.remember()
	}
	how := peer.Shown{
		Kind:     k.id.String(),
		Policies: policies,
		ByPolicy: func() bool { return general.Resync.Period != 0 || k.followed.Load() },
		Indexers: crtools.Indexers{crtools.NamespaceIndex: crtools.MetaNamespaceIndexFunc},
		Hooks:    &k.hooks,
	}
	if general.Resync.Period == 0 {
		how.ResyncPeriod = jittered(*general.SyncPeriod)
	}
	k.shown = peer.Show(k.core, how)
	return nil
}

func (k *kind) options(c *Cache, general settings) engine.Options[any] {
	log := c.ours.Log
	about := crtools.ReflectorOptions{TypeDescription: k.id.String(), Logger: &log}
	opts := engine.Options[any]{
		Name:       k.id.String(),
		Traits:     objects.Traits,
		Indexers:   store.Indexers[any]{crtools.NamespaceIndex: inNamespace},
		Transform:  k.transform(),
		Observe:    k.lastWrite,
		OnMutation: c.ours.OnMutation,
		Witness:    k.witness,
		Reflector:  peer.Options(nil, about),
		Gaps:       &c.gaps,
		Log:        log,

		ShowUnchanged: *general.ShowUnchanged,
		WhenSettled:   k.missing == WaitForIt,
	}
	if opts.OnMutation == nil {
		opts.OnMutation = peer.OnMutation(k.id.String())
	}
	if opts.OnMutation == nil {
		opts.Mutations = engine.Sample
	}
	opts.Reflector.Settings = reflector.Fill(general.Reflector, opts.Reflector.Settings)
	opts.Reflector.Limiter, opts.Reflector.Line, opts.Reflector.Horizon = c.limiter, c.line, c.server.horizon(k.id.gvk.GroupKind())
	opts.Reflector.OnError = k.onError(c.onWatchError, about)
	return opts
}

// onError is told of each failed attempt to list or watch the kind. Without a handler of the
// user's it logs an error. If the kind may be missing, that is none: the Reflector's log says
// once that the kind is degraded, and once that it is there.
func (k *kind) onError(fallback crtools.WatchErrorHandlerWithContext, about crtools.ReflectorOptions) func(context.Context, error) {
	handler := func() crtools.WatchErrorHandlerWithContext { return k.hooks.OnError.Or(fallback) }
	tell := peer.OnWatchError(peer.Reflector(&crtools.ListWatch{}, k.example, about), handler)
	return func(ctx context.Context, err error) {
		if k.missing != WaitForIt || handler() != nil || !reflector.Degrades(err) {
			tell(ctx, err)
		}
	}
}

// inNamespace is the index by namespace that client-go's informers are made with.
func inNamespace(obj any) ([]string, error) {
	key, err := objects.Key(obj)
	return []string{key.Namespace}, err
}

// scope is the kind in one namespace, or in all that have no entry.
func (k *kind) scope(namespace string, s settings) engine.Scope[any] {
	scope := engine.Scope[any]{
		Namespace:   namespace,
		ListWatcher: &byteReader{of: k, namespace: namespace, settings: s},
		Resync:      s.inEffect(),
	}
	if namespace == metav1.NamespaceAll {
		for other := range *k.byName.Load() {
			if other != metav1.NamespaceAll {
				scope.Except = append(scope.Except, other)
			}
		}
	}
	if !*s.EnableWatchBookmarks { // a streaming list would wait in vain for the bookmark that ends it
		scope.Settings.Lists = informer.PagesOnly
	}
	return scope
}

// transform is what each object passes through before it is kept: the user's
// function for its namespace, and then what spares memory. Where the server sends metadata,
// it does not say their kind, so that is added first. An object that we have decoded shares already; now that it
// changes no more, others may share with it. After a function of the user's nothing is shared that it may have.
func (k *kind) transform() func(any) (any, error) {
	return func(obj any) (any, error) {
		k.arrived.Add(1)
		about, ok := obj.(client.Object)
		if !ok {
			return obj, nil
		}
		if k.id.form == metadataForm {
			about.GetObjectKind().SetGroupVersionKind(k.id.gvk)
		}
		kept := obj
		transform := k.transformIn(about.GetNamespace())
		if transform != nil {
			var err error
			if kept, err = transform(obj); err != nil {
				return kept, err
			}
		}
		if k.kin != nil && putsNothing(transform) {
			k.kin.note(about)
		}
		return kept, nil
	}
}

// lastWrite reads off an object who wrote it, if a transform follows, which may strip the managed fields.
func (k *kind) lastWrite(obj any) *delta.Origin {
	object, ok := obj.(delta.Object)
	if !ok || k.transformIn(object.GetNamespace()) == nil {
		return nil
	}
	last := path.LastWrite(object)
	if last == nil {
		return nil
	}
	return &delta.Origin{Manager: last.Manager, Operation: string(last.Operation), Time: last.Time.Time}
}

// await waits until the kind can be read, or is known to be missing where that
// is allowed. It does not wait for a kind that the server can't list.
func (k *kind) await(ctx context.Context, ended <-chan struct{}) error {
	if err := k.made(ctx); err != nil {
		return err
	}
	there, never := k.core.Synced(), k.binding.listless
	if k.missing == WaitForIt {
		there, never = k.core.Settled(), nil
	}
	select {
	case <-there:
		return nil
	default:
	}
	select {
	case <-there:
		return nil
	case <-never:
		return fmt.Errorf("wait for %s, which no cache can hold: %w", k.id, k.binding.whyNoList())
	case <-k.removed:
		return fmt.Errorf("wait for %s: %w", k.id, errRemoved)
	case <-ended:
		return fmt.Errorf("wait for %s: %w", k.id, errStopped)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", k.core.Status().Reflector.Why, ctx.Err())
	}
}
