package skip

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// key is the object's name in the form that clients use.
func (id objectID) key() types.NamespacedName {
	return types.NamespacedName{Namespace: id.namespace, Name: id.name}
}

// build makes the controller of the operator in a manager.
func (o *operator) build(l *life) error {
	o.life = l
	b := builder.ControllerManagedBy(l.manager).Named(o.temper.String()).
		WithOptions(controller.Options{MaxConcurrentReconciles: o.workers, CacheSyncTimeout: time.Hour})
	if o.sluggish {
		b.WithOptions(controller.Options{MaxConcurrentReconciles: o.workers, CacheSyncTimeout: time.Hour, NewQueue: o.sluggishQueue})
	}
	if o.has(narrowness) {
		b.WithLedger(delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{PerRequest: 3, Changes: 8, Requests: 4, Remembered: 4}})
	}
	var late []ctrlsource.Source
	for _, w := range o.watches {
		if src := o.watch(b, w, l); src != nil && w.late {
			late = append(late, src)
		} else if src != nil {
			b.WatchesRawSource(src)
		}
	}
	if o.has(channels) {
		ring := source.Channel(o.bell, &handler.EnqueueRequestForObject{})
		if o.has(foreigners) {
			ring = ctrlsource.Channel(o.bell, &handler.EnqueueRequestForObject{})
		}
		b.WatchesRawSource(ring)
	}
	made, err := b.Build(o)
	if err != nil || len(late) == 0 {
		return err
	}
	o.errand(func() {
		if !o.started(l) {
			return
		}
		for _, src := range late {
			if err := made.Watch(src); err != nil {
				o.fail("add a watch to the %s controller: %v", o.temper, err)
			}
		}
	})
	return nil
}

// started waits until the controller has started, and a little longer. While it starts it
// holds a lock, and Watch waits for that lock. Meanwhile time would stand still in a bubble.
func (o *operator) started(l *life) bool {
	began := time.Now()
	for wait := 1200 * time.Millisecond; ; wait = 100 * time.Millisecond {
		select {
		case <-time.After(wait):
		case <-l.context.Done():
			return false
		}
		o.mu.Lock()
		called := o.calledAt
		o.mu.Unlock()
		if called.After(began) || time.Since(began) > 20*time.Second {
			return true
		}
	}
}

// watch adds a watch to the controller, or returns a source for it.
func (o *operator) watch(b *builder.Builder, w *watch, l *life) ctrlsource.Source {
	example, whole := w.kind.example(w.form), w.kind.example(w.whole())
	var predicates []predicate.Predicate
	if w.filter.make != nil {
		predicates = append(predicates, &judged{operator: o, watch: w, Predicate: w.filter.make(l)})
	}
	tell := &handling{operator: o, watch: w, life: l, handler: o.handler(w, l)}
	noted := append(slices.Clip(predicates), &noted{operator: o, watch: w, life: l})
	switch w.route {
	case viaFor:
		b.For(whole, append([]builder.ForOption{builder.WithPredicates(noted...)}, options[builder.ForOption](w)...)...)
	case viaOwns:
		b.Owns(whole, append([]builder.OwnsOption{builder.WithPredicates(noted...)}, options[builder.OwnsOption](w)...)...)
	case viaWatches:
		b.Watches(whole, tell, append([]builder.WatchesOption{builder.WithPredicates(predicates...)}, options[builder.WatchesOption](w)...)...)
	case viaOurs:
		return source.NewKind(l.manager.GetCache(), example, handler.EventHandler(tell), predicates...)
	case viaTheirs:
		return ctrlsource.Kind(l.manager.GetCache(), example, handler.EventHandler(tell), predicates...)
	case viaDeltas:
		return source.NewDeltas(l.manager.GetCache(), example, tell.delta, informer.SubscribeOptions{})
	case viaTyped:
		if w.kind == secret {
			return typedSource[*corev1.Secret](l, example, tell)
		}
		return typedSource[*corev1.ConfigMap](l, example, tell)
	}
	return nil
}

// base is the handler that adds the requests of an object.
func (o *operator) handler(w *watch, l *life) handler.EventHandler {
	switch w.relation {
	case byOwner:
		return handler.EnqueueRequestForOwner(l.manager.GetScheme(), l.manager.GetRESTMapper(),
			o.primary().example(o.watches[0].whole()), handler.OnlyControllerOwner())
	case itself:
		return &handler.EnqueueRequestForObject{}
	default:
		return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []reconcile.Request {
			return o.requestsOf(ctx, w, l, obj)
		})
	}
}

// requestsOf returns the requests that depend on an object.
func (o *operator) requestsOf(ctx context.Context, w *watch, l *life, obj client.Object) []reconcile.Request {
	var names []string
	switch w.relation {
	case byOwner:
		for _, reference := range obj.GetOwnerReferences() {
			names = append(names, reference.Name)
		}
	case byLabel:
		if name := obj.GetLabels()["for"]; name != "" {
			names = append(names, name)
		}
	case byMention:
		names = o.mentioning(ctx, l, obj)
	default:
		names = []string{obj.GetName()}
	}
	var all []reconcile.Request
	for _, name := range names {
		all = append(all, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: name}})
	}
	return all
}

// mentioning returns the primary objects in the cache that name an object. If they can't be
// read, it tries again while the manager runs. A user's function that gave up would miss the
// event.
func (o *operator) mentioning(ctx context.Context, l *life, obj client.Object) []string {
	k, f := o.primary(), o.watches[0].form
	for list := k.list(f); ; time.Sleep(50 * time.Millisecond) {
		if err := l.cache.List(ctx, list, client.InNamespace(obj.GetNamespace())); err != nil {
			if l.context.Err() != nil {
				return nil
			}
			continue
		}
		var names []string
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			primary := item.(client.Object)
			was := o.stateOf(objectID{k, primary.GetNamespace(), primary.GetName()}, primary)
			if was.object != nil && k.ref.get(was.object) == obj.GetName() {
				names = append(names, primary.GetName())
			}
			return nil
		})
		return names
	}
}

// whole is the form of the example object for the builder.
func (w *watch) whole() form {
	if w.form == metadataForm {
		return typedForm
	}
	return w.form
}

// options returns the builder's option for metadata, if the watch has that form.
func options[O any](w *watch) []O {
	if w.form != metadataForm {
		return nil
	}
	return []O{any(builder.OnlyMetadata).(O)}
}
