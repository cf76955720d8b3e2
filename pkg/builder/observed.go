package builder

import (
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/metrics"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// about is which controller a reconciler is of, for those who look at it.
type about struct {
	name    string
	kind    schema.GroupVersionKind
	runtime *managed.Runtime // of its manager
	log     logr.Logger
}

// runtime returns what the controller shares with the other parts of its manager. If none of them knows it, the
// controller shares nothing. The log says so.
func (p *plan[R]) runtime() *managed.Runtime {
	if of := managed.Of(p.mgr.GetCache(), p.mgr.GetClient()); of != nil {
		return of
	}
	p.log.Info("The manager's cache is not one of ours, or somebody has wrapped both the cache and the client: an inspector does not show this controller, "+
		"and the controller reads the kinds' schemas for itself; call manager.Configure, and wrap one of the two at most", "cache", fmt.Sprintf("%T", p.mgr.GetCache()))
	return managed.New()
}

// observe shows the controller to metrics and to inspectors until the caller calls hide.
func (r *recordedReconciler[R]) observe() (hide func()) {
	metrics.Register(r.about.log)
	return r.about.runtime.Reconciles(r.observed())
}

// observed is what can be seen of the controller.
func (r *recordedReconciler[R]) observed() *observe.Controller {
	o := &observe.Controller{
		Name: r.about.name, Kind: r.about.kind, Calls: &r.calls,
		Ledger: r.ledger.Status, Steps: r.ledger.Steps, HeldBack: r.ledger.Clerk().HeldBack,
		Queue: func() (stats queue.Stats, ours bool) {
			if q := r.inspected(); q != nil {
				return q.Stats(), true
			}
			return stats, false
		},
	}
	o.Record = func(in *journal.Journal) {
		if in == nil {
			r.journal.Store(nil)
			return
		}
		r.journal.Store(in.Controller(r.about.name))
	}
	if r.guard != nil {
		o.Loops, o.LoopsFound = r.guard.episodes, r.guard.counts
		o.DefersLoops, o.LoopsHeld = r.guard.defers, r.guard.heldUp.Load
	}
	if plain, ok := any(r).(*recordedReconciler[reconcile.Request]); ok {
		o.Requests = requests{plain}
		if r.guard != nil {
			o.HeldUntil = func(of delta.Key) time.Time { return plain.guard.heldUntil(asRequest(of)) }
		}
	}
	return o
}

// inspected returns the controller's queue. It returns nil before the controller has one, and
// if the queue is not ours.
func (r *recordedReconciler[R]) inspected() ctrlqueue.Inspectable[R] {
	q := r.plain.Load()
	if q == nil {
		return nil
	}
	if ours, ok := ctrlqueue.Inspect[R](*q); ok {
		return ours
	}
	return nil
}

// requests are what is known of a controller's requests.
type requests struct {
	of *recordedReconciler[reconcile.Request]
}

var _ observe.Requests = requests{}

// keyOf returns a request as a key. A request of a type of the user's is a name without a
// namespace.
func keyOf[R comparable](request R) delta.Key {
	if plain, ok := any(request).(reconcile.Request); ok {
		return delta.Key{Namespace: plain.Namespace, Name: plain.Name}
	}
	return delta.Key{Name: fmt.Sprint(request)}
}

// episodes returns those under way, and then the last that ended.
func (g *guard[R]) episodes() (all []hotloop.Episode[delta.Key]) {
	for _, e := range g.watch.Episodes(time.Now()) {
		all = append(all, hotloop.Episode[delta.Key]{
			Request: keyOf(e.Request), Pattern: e.Pattern, Kind: e.Kind, Key: e.Key, Paths: e.Paths, Managers: e.Managers,
			Began: e.Began, Last: e.Last, Ended: e.Ended, Rounds: e.Rounds,
		})
	}
	return all
}

// counts returns how many episodes there were of each pattern.
func (g *guard[R]) counts() map[string]uint64 {
	return map[string]uint64{
		hotloop.Fight.String():     g.found[hotloop.Fight].Load(),
		hotloop.OwnWrites.String(): g.found[hotloop.OwnWrites].Load(),
	}
}

func asRequest(key delta.Key) reconcile.Request {
	var r reconcile.Request
	r.Namespace, r.Name = key.Namespace, key.Name
	return r
}

// Contents returns up to limit requests of the queue.
func (r requests) Contents(limit int) (all []queue.Entry[delta.Key]) {
	q := r.of.inspected()
	if q == nil {
		return nil
	}
	for _, e := range q.Contents(limit) {
		all = append(all, byKey(&e))
	}
	return all
}

// Entry returns what the queue has of one request.
func (r requests) Entry(of delta.Key) (queue.Entry[delta.Key], bool) {
	if q := r.of.inspected(); q != nil {
		e, there := q.Entry(asRequest(of))
		return byKey(&e), there
	}
	return queue.Entry[delta.Key]{}, false
}

func byKey(e *queue.Entry[reconcile.Request]) queue.Entry[delta.Key] {
	return queue.Entry[delta.Key]{
		Key:      delta.Key{Namespace: e.Key.Namespace, Name: e.Key.Name},
		Priority: e.Priority, Queued: e.Queued, Due: e.Due, Working: e.Working, Attempts: e.Attempts,
	}
}

// Waiting returns what the next call for a request will be told.
func (r requests) Waiting(of delta.Key) delta.Changes {
	return r.of.ledger.Clerk().Waiting(asRequest(of))
}

// LastSuccess returns when the reconciler last succeeded with a request, if that is known.
func (r requests) LastSuccess(of delta.Key) (time.Time, bool) {
	return r.of.ledger.LastSuccess(asRequest(of))
}

// Forget forgets the failures of a request. If the request waits for a timer, it is queued now.
func (r requests) Forget(of delta.Key) bool {
	q := r.of.plain.Load()
	if q == nil {
		return false
	}
	(*q).Forget(asRequest(of))
	if !r.Cancel(of) {
		return false
	}
	(*q).Add(asRequest(of)) // not recorded, as the ledger expects what the timer would have brought
	return true
}

// Cancel removes a request's delayed add, and reports whether there was one.
func (r requests) Cancel(of delta.Key) bool {
	q := r.of.inspected()
	return q != nil && q.Cancel(asRequest(of))
}

// plainQueue is a controller's queue without its ledger.
type plainQueue[R comparable] = workqueue.TypedRateLimitingInterface[R]
