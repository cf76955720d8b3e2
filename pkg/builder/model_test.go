package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestEveryChangeIsToldToThoseItIsFor plays random events of three kinds to a controller with
// several workers. Each event is mapped to several requests. The reconciler fails, panics,
// asks to be called again, and settles or keeps what it was told. At the end the model checks
// each change that was told: it has happened, it was for that request, and it was told once
// until it was dealt with. No change may be left out.
func TestEveryChangeIsToldToThoseItIsFor(t *testing.T) {
	for name, limits := range map[string]delta.LedgerLimits{
		"unlimited": {},
		"narrow":    {PerRequest: 3, Changes: 8, Requests: 4, Remembered: 4},
	} {
		told, complete := 0, 0
		t.Run(name, func(t *testing.T) {
			seeds.Run(t, 15, func(t *testing.T, rng *rand.Rand) {
				inWorld(t, func(t *testing.T, w *world) {
					g := &game{world: w, rng: rng, calls: map[string][]call{}}
					g.play(t, limits)
					told, complete = told+g.told, complete+g.complete
				})
			})
		})
		t.Logf("%s: %d calls, %d of them complete", name, told, complete)
		if complete < told/4 {
			t.Errorf("%s: only %d of %d calls had complete changes, so the test proves little", name, complete, told)
		}
	}
}

// game is one play.
type game struct {
	*world
	alive    map[string]client.Object // the objects on the server, by kind and name
	lives    int
	told     int // calls
	complete int // calls with complete changes

	mu     sync.Mutex // guards everything below
	rng    *rand.Rand
	events []happened // in order within each kind
	calls  map[string][]call
	calm   bool // all calls succeed
}

// happened is a delta that an observer was told.
type happened struct {
	kind schema.GroupVersionKind
	delta.Delta[any]
}

// call is one call of the reconciler.
type call struct {
	at      time.Time
	changes []delta.Change
	of      delta.Changes
	dealt   bool // whether the changes that were told are settled
	failed  bool
}

func (g *game) play(t *testing.T, limits delta.LedgerLimits) {
	t.Helper()
	for kind, i := range g.informers {
		if _, err := i.Core().Subscribe(func(d *delta.Delta[any]) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.events = append(g.events, happened{kind, *d})
		}, informer.SubscribeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := builder.ControllerManagedBy(g.manager).
		For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 3}).
		WithLedger(delta.LedgerOptions{LedgerLimits: limits}).
		Build(reconcile.Func(g.reconcile))
	if err != nil {
		t.Fatal(err)
	}
	g.start()
	g.alive = map[string]client.Object{}
	for range 150 {
		g.step()
	}
	g.settle()
	if s := builder.LedgerOf(c).Status(); s.Changes != 0 || s.Requests != 0 && limits.Requests == 0 {
		t.Errorf("when everything has succeeded the ledger holds %+v", s)
	}
	for request, calls := range g.calls {
		v := verdict{t: t, request: request, happened: g.of(request), narrow: limits.Requests > 0}
		v.judge(calls)
		g.told, g.complete = g.told+len(calls), g.complete+v.complete
	}
}

// dice rolls a number. Any goroutine may call it.
func (g *game) dice(sides int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rng.IntN(sides)
}

var requests = []string{"c0", "c1", "c2", "c3"}

// step makes a change on the server, and sometimes lets time pass.
func (g *game) step() {
	kind := []schema.GroupVersionKind{configMap, pod, secret}[g.dice(3)]
	name := "c" + strconv.Itoa(g.dice(4))
	var isFor []string
	for _, r := range requests {
		if g.dice(3) == 0 {
			isFor = append(isFor, r)
		}
	}
	obj := newObject(kind, name, isFor...)
	g.write(kind, obj)
	if g.dice(40) == 0 {
		g.servers[kind].ResetWatch() // a list shows the dropped events
		time.Sleep(time.Minute)
	}
	if g.dice(2) == 0 {
		time.Sleep(time.Duration(g.dice(60)) * time.Millisecond)
	}
}

// write adds, changes or deletes an object. Sometimes the watch does not show it.
func (g *game) write(kind schema.GroupVersionKind, obj client.Object) {
	server, id := g.servers[kind], kind.Kind+obj.GetName()
	before := g.alive[id]
	tell := []func(runtime.Object){server.Modify, server.ModifyDropWatch}
	g.alive[id] = obj
	if before == nil {
		g.lives++
		obj.SetUID(types.UID(strconv.Itoa(g.lives)))
		tell = []func(runtime.Object){server.Add, server.AddDropWatch}
	} else {
		obj.SetUID(before.GetUID())
		if g.dice(5) == 0 {
			delete(g.alive, id)
			tell = []func(runtime.Object){server.Delete, server.DeleteDropWatch}
		}
	}
	if g.dice(30) == 0 {
		tell[1](obj)
	} else {
		tell[0](obj)
	}
}

// settle lets all calls succeed, and makes a change for all requests, so that requests that
// are not tried again are called, too.
func (g *game) settle() {
	g.mu.Lock()
	g.calm = true
	g.mu.Unlock()
	for _, server := range g.servers {
		server.ResetWatch()
	}
	time.Sleep(time.Hour)
	g.write(secret, newObject(secret, "last", requests...))
	for _, server := range g.servers {
		server.ResetWatch()
	}
	time.Sleep(time.Hour)
	synctest.Wait()
}

// reconcile is the reconciler.
func (g *game) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	fate, pause := g.note(request.Name, delta.From(ctx))
	time.Sleep(pause)
	switch fate {
	case 0:
		return reconcile.Result{}, errors.New("as the game wants it")
	case 1:
		return reconcile.Result{}, reconcile.TerminalError(errors.New("as the game wants it"))
	case 2:
		panic("as the game wants it")
	case 3:
		return reconcile.Result{RequeueAfter: pause + 1}, nil
	case 4:
		delta.Settle(ctx)
		return reconcile.Result{RequeueAfter: pause}, nil
	case 5:
		delta.Settle(ctx)
		return reconcile.Result{}, errors.New("as the game wants it")
	case 6:
		delta.Keep(ctx)
		return reconcile.Result{}, nil
	default:
		return reconcile.Result{}, nil
	}
}

// note records what was told, and decides how the call ends.
func (g *game) note(request string, changes delta.Changes) (fate int, pause time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fate, pause = g.rng.IntN(14), time.Duration(g.rng.IntN(50))*time.Millisecond
	if g.calm {
		fate = 9
	}
	g.calls[request] = append(g.calls[request], call{
		at: time.Now(), of: changes, changes: slices.Collect(changes.All()),
		dealt: fate > 3 && fate != 6, failed: fate <= 2 || fate == 5,
	})
	return fate, pause
}

// of returns the events for a request, by object.
func (g *game) of(request string) map[string][]happened {
	mine := map[string][]happened{}
	for _, h := range g.events {
		if slices.ContainsFunc(requestsFor(h), func(r reconcile.Request) bool { return r.Name == request }) {
			id := h.kind.Kind + " " + h.Key.Name
			mine[id] = append(mine[id], h)
		}
	}
	return mine
}

// requestsFor returns the requests that a delta is for.
func requestsFor(h happened) []reconcile.Request {
	states := []any{h.Old, h.New}
	switch {
	case h.Op == delta.Deleted && h.Missed:
		states = states[:1]
	case h.Op != delta.Updated:
		states = states[1:]
	}
	var all []reconcile.Request
	for _, state := range states {
		obj := state.(client.Object)
		switch h.kind {
		case configMap:
			all = append(all, named(obj.GetName()))
		case secret:
			all = append(all, secretsRequests(context.Background(), obj)...)
		default:
			for _, owner := range obj.GetOwnerReferences() {
				all = append(all, named(owner.Name))
			}
		}
	}
	return all
}
