//go:build !race

package builder_test

import (
	"context"
	"fmt"
	"slices"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// shelf is an informer, as far as it has come: what it has told or is to tell. It follows the
// server only when a watch is to be told something, because nobody can tell the difference.
type shelf struct {
	form    form
	log     []happening
	head    int // the newest version in it
	relists uint64
	listing bool // it has begun to list again
}

// watch is one watch of the controller, at its own pace.
type watch struct {
	watched
	number int
	store  *shelf
	next   int    // of the store's log
	begun  int    // the newest version that it was told, or is being told
	resync bool   // it is to be shown a resync instead
	to     string // the request that its handler has added last
	thread *thread
	tell   func(*delta.Delta[any])
}

// watched is the informer that a watch subscribes to. A real one, which never runs, makes the
// subscription.
type watched struct {
	cache.Cache    // none: a source asks for the informer and nothing else
	cache.Informer // likewise
	real           *engine.Informer[any]
	play           *play
	how            watching
}

func (w *watch) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return w, nil
}

func (w *watch) WaitForCacheSync(context.Context) bool { return true }

func (w *watch) Subscribe(tell func(*delta.Delta[any]), opts informer.SubscribeOptions) (*engine.Subscription[any], error) {
	w.tell = tell
	return w.real.Subscribe(tell, opts)
}

func (w *watch) SubscribeComparing(tell func(*delta.Delta[any]), opts informer.SubscribeOptions) (*engine.Subscription[any], error) {
	return w.Subscribe(tell, opts)
}

func (w *watch) Unsubscribe(s *engine.Subscription[any]) { w.real.Unsubscribe(s) }

// Gaps are none.
func (w *watch) Gaps() uint64 { return 0 }

// Relists is how often the informer has listed again.
func (w *watch) Relists() uint64 { return w.store.relists }

// newWatch starts a source, which subscribes.
func (p *play) newWatch(ctx context.Context, number int) *watch {
	how := p.scope.watches[number]
	if p.stores[how.form] == nil {
		p.stores[how.form] = &shelf{form: how.form}
	}
	w := &watch{watched: watched{play: p, how: how, real: engine.New[any](nil, engine.Options[any]{})}, number: number, store: p.stores[how.form]}
	w.thread = newThread(func() { w.deliverNext(p) })
	if err := p.sourceFor(w).Start(ctx, p.queue); err != nil {
		panic(err)
	}
	synctest.Wait()
	return w
}

func (p *play) sourceFor(w *watch) ctrlsource.Source {
	var example client.Object = &corev1.ConfigMap{}
	if w.how.form == metadataAlone {
		meta := &metav1.PartialObjectMetadata{}
		meta.SetGroupVersionKind(configMap)
		example = meta
	}
	if w.how.deltas {
		return source.NewDeltas(w, example, func(_ context.Context, _ delta.Delta[client.Object], q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			w.handle(q)
		}, informer.SubscribeOptions{})
	}
	k := &source.Kind[client.Object, reconcile.Request]{
		Type: example, Cache: w, Handler: w.handler(), Ledger: p.ledger, Cause: w.how.cause, GVK: configMap,
	}
	if len(w.how.hides) > 0 {
		passes := predicate.NewPredicateFuncs(func(obj client.Object) bool {
			return !slices.Contains(w.how.hides, versionIn(obj))
		})
		k.Predicates = append(k.Predicates, predicate.Funcs{
			CreateFunc: passes.Create, DeleteFunc: passes.Delete,
			UpdateFunc: func(e event.UpdateEvent) bool { return e.ObjectOld == e.ObjectNew || passes.Update(e) },
		})
	}
	return k
}

// handler is controller-runtime's for the primary object, and one with ideas of its own for
// others.
func (w *watch) handler() handler.EventHandler {
	if w.how.cause == delta.Primary {
		return &handler.EnqueueRequestForObject{}
	}
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	return handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { w.handle(q) },
		UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q queue) { w.handle(q) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q queue) { w.handle(q) },
	}
}

// handle adds the request, or keeps the queue for later.
func (w *watch) handle(q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	about := *w.thread.about
	if slices.Contains(w.how.keeps, about.to) {
		w.play.kept = append(slices.Clone(w.play.kept), keptQueue{about, q})
		return
	}
	w.play.pause("handling")
	w.to = "c"
	if slices.Contains(w.how.others, about.to) {
		w.to = "another"
	}
	q.Add(named(w.to))
}

// deliverNext tells what is next.
func (w *watch) deliverNext(p *play) {
	if w.resync {
		w.resync = false
		p.deliver(w, happening{from: w.begun, to: w.begun, resync: true})
		return
	}
	if w.next == len(w.store.log) {
		p.take(w.store)
	}
	e := w.store.log[w.next]
	w.next++
	p.deliver(w, e)
}

// take has an informer take in the next version.
func (p *play) take(s *shelf) {
	s.log = append(s.log, happening{from: s.head, to: s.head + 1})
	s.head++
}

func (p *play) deliver(w *watch, e happening) {
	w.begun = e.to
	e.watch = w.number
	w.thread.about = &e
	if d, ok := p.delta(e, w.how.form); ok {
		w.tell(d)
	}
	w.thread.about = nil
}

func (p *play) watchSteps(number int, w *watch) []step {
	name := fmt.Sprint("watch ", number)
	if w.thread.at != idle {
		return []step{{fmt.Sprintf("%s goes on from %q", name, w.thread.at), func() { p.resume(w.thread) }}}
	}
	var all []step
	there := len(w.store.log) - w.next
	if !w.store.listing {
		there += p.server - w.store.head
	}
	if there > 0 {
		all = append(all, step{name + " is told an event", func() { p.resume(w.thread) }})
	}
	if p.resyncs < p.scope.resyncs && p.there(w.begun) {
		all = append(all, step{name + " is shown a resync", func() {
			p.resyncs++
			w.resync = true
			p.resume(w.thread)
		}})
	}
	return all
}

func (p *play) relistSteps() []step {
	var all []step
	for _, f := range []form{whole, metadataAlone} {
		s := p.stores[f]
		if s == nil || p.scope.relists == 0 {
			continue
		}
		if s.listing {
			all = append(all, step{fmt.Sprint("informer ", f, " has the list"), func() {
				s.listing = false
				if s.head != p.server {
					s.log = append(s.log, happening{from: s.head, to: p.server, relisted: true})
					s.head = p.server
				}
			}})
			continue
		}
		if s.head < p.server {
			all = append(all, step{fmt.Sprint("informer ", f, " takes"), func() { p.take(s) }})
		}
		if p.relists < p.scope.relists {
			all = append(all, step{fmt.Sprint("informer ", f, " lists again"), func() {
				p.relists++
				s.listing, s.relists = true, s.relists+1
			}})
		}
	}
	return all
}
