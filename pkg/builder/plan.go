package builder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// plan is what a builder's calls come down to. One Build makes one.
type plan[R comparable] struct {
	*TypedBuilder[R]
	ledger   *delta.Ledger[R]        // nil: the controller keeps none
	shared   *managed.Runtime        // nil if there is no ledger
	kindOf   schema.GroupVersionKind // of For
	name     string
	log      logr.Logger
	watching map[string]int // how many sources of each kind there are
}

func newPlan[R comparable](b *TypedBuilder[R]) (*plan[R], error) {
	p := &plan[R]{TypedBuilder: b}
	if b.primary.object != nil {
		var err error
		if p.kindOf, err = apiutil.GVKForObject(b.primary.object, b.mgr.GetScheme()); err != nil {
			return nil, err
		}
	}
	if p.name = cmp.Or(b.name, strings.ToLower(p.kindOf.Kind)); p.name == "" {
		return nil, errors.New("one of For() or Named() must be called")
	}
	p.log = b.mgr.GetLogger().WithValues("controller", p.name)
	if !b.unkept {
		p.shared = p.runtime()
		opts := ledgerOptions(b.mgr, p.shared, b.ledgers)
		if opts.Log.IsZero() {
			opts.Log = p.log
		}
		p.ledger = delta.NewLedger[R](opts)
	}
	return p, nil
}

func (p *plan[R]) build(r reconcile.TypedReconciler[R]) (controller.TypedController[R], error) {
	options, err := p.controllerOptions(r)
	if err != nil {
		return nil, err
	}
	made, err := p.newController(p.name, p.mgr, options)
	if err != nil {
		return nil, err
	}
	watches, err := p.sources()
	if err != nil {
		return nil, err
	}
	if p.ledger != nil {
		made = &recordedController[R]{TypedController: made, ledger: p.ledger, shared: p.shared}
	}
	for _, src := range watches {
		if err := made.Watch(src); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// controllerOptions returns the user's options, completed.
func (p *plan[R]) controllerOptions(r reconcile.TypedReconciler[R]) (controller.TypedOptions[R], error) {
	options, general := p.options, p.mgr.GetControllerOptions()
	if options.Reconciler != nil {
		return options, errors.New("reconciler was set via WithOptions() and via Build() or Complete()")
	}
	options.Reconciler = r
	if p.primary.object != nil && options.MaxConcurrentReconciles == 0 {
		options.MaxConcurrentReconciles = max(0, general.GroupKindConcurrency[p.kindOf.GroupKind().String()])
	}
	options.CacheSyncTimeout = cmp.Or(options.CacheSyncTimeout, max(0, general.CacheSyncTimeout))
	if options.LogConstructor == nil {
		options.LogConstructor = p.logConstructor()
	}
	if options.NewQueue == nil {
		defaulted := options
		defaulted.DefaultFromConfig(general)
		options.NewQueue = newQueue(defaulted)
	}
	if p.ledger != nil {
		recorded := &recordedReconciler[R]{
			to: r, ledger: p.ledger, causeLog: p.causeLog,
			guard: newGuard[R](p.name, p.mgr, p.ledgers),
			about: about{name: p.name, kind: p.kindOf, runtime: p.shared, log: p.log},
		}
		options.Reconciler, options.NewQueue = recorded, recorded.queueWith(options.NewQueue)
	}
	return options, nil
}

// logConstructor does what controller-runtime's does, with the same keys.
func (p *plan[R]) logConstructor() func(*R) logr.Logger {
	general := p.log
	if p.kindOf.Kind != "" {
		general = general.WithValues("controllerGroup", p.kindOf.Group, "controllerKind", p.kindOf.Kind)
	}
	return func(r *R) logr.Logger {
		request, ok := any(r).(*reconcile.Request)
		if !ok || request == nil {
			return general
		}
		about := general
		if p.kindOf.Kind != "" {
			about = about.WithValues(p.kindOf.Kind, klog.KRef(request.Namespace, request.Name))
		}
		return about.WithValues("namespace", request.Namespace, "name", request.Name)
	}
}

// newQueue makes our queue. It has priorities, unless UsePriorityQueue is switched off.
func newQueue[R comparable](options controller.TypedOptions[R]) makeQueue[R] {
	return func(name string, limiter workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
		if !ptr.Deref(options.UsePriorityQueue, true) {
			return ctrlqueue.NewTypedRateLimitingQueueWithConfig(limiter, ctrlqueue.TypedRateLimitingQueueConfig[R]{Name: name})
		}
		return ctrlqueue.New(name, func(o *ctrlqueue.Opts[R]) {
			o.RateLimiter = limiter
			o.Log = options.Logger.WithValues("controller", name)
		})
	}
}

// sources returns what the controller watches, in controller-runtime's order.
func (p *plan[R]) sources() (all []ctrlsource.TypedSource[R], err error) {
	add := func(w watch[R]) error {
		src, err := p.source(w)
		all = append(all, src)
		return err
	}
	if w := p.primary; w.object != nil {
		var ok bool
		w.how.resync = timetable.Or(w.how.resync, p.resync)
		w.tell, ok = forRequests[R](&handler.EnqueueRequestForObject{})
		if err := add(w); err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("For() can only be used with reconcile.Request, got %T", *new(R))
		}
	}
	if len(p.owned) > 0 && p.primary.object == nil {
		return nil, errors.New("Owns() can only be used together with For()")
	}
	for _, w := range p.owned {
		var opts []handler.OwnerOption
		if !w.how.everyOwner {
			opts = append(opts, handler.OnlyControllerOwner())
		}
		w.tell, _ = forRequests[R](handler.EnqueueRequestForOwner(p.mgr.GetScheme(), p.mgr.GetRESTMapper(), p.primary.object, opts...))
		if err := add(w); err != nil {
			return nil, err
		}
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	for _, w := range p.watched {
		if err := add(w); err != nil {
			return nil, fmt.Errorf("failed to project for %T: %w", w.object, err)
		}
	}
	return append(all, p.raw...), nil
}

// check returns what is wrong with the watches together.
func (p *plan[R]) check() error {
	switch {
	case len(p.watched) == 0 && p.primary.object == nil && len(p.raw) == 0:
		return errors.New("there are no watches configured, controller will never get triggered. " +
			"Use For(), Owns(), Watches() or WatchesRawSource() to set them up")
	case p.resynced && p.primary.object == nil:
		return errors.New("WithResync() can only be used together with For()")
	}
	return nil
}

// forRequests returns a handler of reconcile.Requests as one of Rs. It reports false if an R is
// anything else.
func forRequests[R comparable](tell handler.EventHandler) (handler.TypedEventHandler[client.Object, R], bool) {
	h, ok := tell.(handler.TypedEventHandler[client.Object, R])
	return h, ok
}

func (p *plan[R]) source(w watch[R]) (ctrlsource.TypedSource[R], error) {
	if err := w.how.resync.Check(); err != nil {
		return nil, fmt.Errorf("resync policy for %T: %w", w.object, err)
	}
	// The scheme may learn of the kind later, as the cache asks it when it starts.
	gvk, err := apiutil.GVKForObject(w.object, p.mgr.GetScheme())
	if w.how.metadata {
		if err != nil {
			return nil, fmt.Errorf("unable to determine GVK of %T for a metadata-only watch: %w", w.object, err)
		}
		example := &metav1.PartialObjectMetadata{}
		example.SetGroupVersionKind(gvk)
		w.object = example
	}
	return &source.Kind[client.Object, R]{
		Type: w.object, Cache: p.mgr.GetCache(), Handler: w.tell,
		Predicates: slices.Concat(p.predicates, w.how.predicates),
		Ledger:     p.ledger, Cause: w.cause, GVK: gvk,
		Resync: w.how.resync,
		Name:   p.subscriber(kindName(gvk, w.object)),
	}, nil
}

// subscriber names the subscriber of a source. No two of a controller have the same name.
func (p *plan[R]) subscriber(kind string) string {
	if p.watching == nil {
		p.watching = map[string]int{}
	}
	p.watching[kind]++
	name := p.name + ": " + kind
	if n := p.watching[kind]; n > 1 {
		name += fmt.Sprintf(" (%d)", n)
	}
	return name
}

// kindName names a kind in warnings and status.
func kindName(gvk schema.GroupVersionKind, object client.Object) string {
	if gvk.Empty() {
		return fmt.Sprintf("%T", object)
	}
	version, kind := gvk.ToAPIVersionAndKind()
	return version + " " + kind
}
