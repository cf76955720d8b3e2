package builder_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	ctrlbuilder "sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

var noop = reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
})

// nobodys is a kind that no scheme has.
type nobodys struct{ corev1.ConfigMap }

func (n *nobodys) DeepCopyObject() runtime.Object { return n }

// TestMistakesAreCalledAsTheyCallThem builds the same nonsense with both builders.
func TestMistakesAreCalledAsTheyCallThem(t *testing.T) {
	type (
		ours   = *builder.Builder
		theirs = *ctrlbuilder.Builder
	)
	enqueue := &handler.EnqueueRequestForObject{}
	for name, c := range map[string]struct {
		ours   func(ours) ours
		theirs func(theirs) theirs
	}{
		"nothing": {func(b ours) ours { return b }, func(b theirs) theirs { return b }},
		"no name": {
			func(b ours) ours { return b.Watches(&corev1.Pod{}, enqueue) },
			func(b theirs) theirs { return b.Watches(&corev1.Pod{}, enqueue) },
		},
		"no watches": {func(b ours) ours { return b.Named("n") }, func(b theirs) theirs { return b.Named("n") }},
		"two kinds": {
			func(b ours) ours { return b.For(&corev1.Pod{}).For(&corev1.Secret{}) },
			func(b theirs) theirs { return b.For(&corev1.Pod{}).For(&corev1.Secret{}) },
		},
		"an owner of nothing": {
			func(b ours) ours { return b.Named("n").Owns(&corev1.Pod{}) },
			func(b theirs) theirs { return b.Named("n").Owns(&corev1.Pod{}) },
		},
		"nobody's kind": {
			func(b ours) ours { return b.For(&nobodys{}) },
			func(b theirs) theirs { return b.For(&nobodys{}) },
		},
		"nobody's metadata": {
			func(b ours) ours { return b.Named("n").WatchesMetadata(&nobodys{}, enqueue) },
			func(b theirs) theirs { return b.Named("n").WatchesMetadata(&nobodys{}, enqueue) },
		},
		"nobody's metadata, owned": {
			func(b ours) ours { return b.For(&corev1.Pod{}).Owns(&nobodys{}, builder.OnlyMetadata) },
			func(b theirs) theirs { return b.For(&corev1.Pod{}).Owns(&nobodys{}, ctrlbuilder.OnlyMetadata) },
		},
		"two reconcilers": {
			func(b ours) ours { return b.For(&corev1.Pod{}).WithOptions(controller.Options{Reconciler: noop}) },
			func(b theirs) theirs { return b.For(&corev1.Pod{}).WithOptions(controller.Options{Reconciler: noop}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFakeManager(&informertest.FakeInformers{})
			made, err := c.ours(builder.ControllerManagedBy(m)).Build(noop)
			_, want := c.theirs(ctrlbuilder.ControllerManagedBy(m)).Build(noop)
			if err == nil || made != nil || strings.ReplaceAll(err.Error(), "builder_test.", "") != strings.ReplaceAll(want.Error(), "builder_test.", "") {
				t.Errorf("Build returned %v, %v; theirs: %v", made, err, want)
			}
		})
	}
	none, mine := ctrlbuilder.ControllerManagedBy(nil).For(&corev1.Pod{}), builder.ControllerManagedBy(nil).For(&corev1.Pod{})
	for _, r := range []reconcile.Reconciler{nil, noop} {
		if err, want := mine.Complete(r), none.Complete(r); err == nil || err.Error() != want.Error() {
			t.Errorf("without a manager, reconciler %v: %v, want %v", r, err, want)
		}
	}
	typed := reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) { return reconcile.Result{}, nil })
	m := newFakeManager(&informertest.FakeInformers{})
	err, want := builder.TypedControllerManagedBy[string](m).For(&corev1.Pod{}).Complete(typed), ctrlbuilder.TypedControllerManagedBy[string](m).For(&corev1.Pod{}).Complete(typed)
	if err == nil || err.Error() != want.Error() {
		t.Errorf("For with requests of another type: %v, want %v", err, want)
	}
}

// TestMistakesThatOnlyOursKnows is about what controller-runtime's builder lacks.
func TestMistakesThatOnlyOursKnows(t *testing.T) {
	m := newFakeManager(&informertest.FakeInformers{})
	bad := resync.Policy{Rate: -1}
	for want, b := range map[string]*builder.Builder{
		"WithResync() can only be used together with For()": builder.ControllerManagedBy(m).Named("n").
			Watches(&corev1.Pod{}, &handler.EnqueueRequestForObject{}).WithResync(resync.Policy{Period: time.Hour}),
		"resync policy for *v1.Pod: ":       builder.ControllerManagedBy(m).For(&corev1.Pod{}).WithResync(bad),
		"resync policy for *v1.Secret: ":    builder.ControllerManagedBy(m).For(&corev1.Pod{}).Owns(&corev1.Secret{}, builder.WithResyncPolicy(bad)),
		"resync policy for *v1.ConfigMap: ": builder.ControllerManagedBy(m).For(&corev1.Pod{}).Watches(&corev1.ConfigMap{}, nil, builder.WithResyncPolicy(bad)),
	} {
		if err := b.Complete(noop); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Complete returned %v, want %s", err, want)
		}
	}
}

// TestLogsAsTheirsDo has a controller of each builder log while it reconciles.
func TestLogsAsTheirsDo(t *testing.T) {
	reconcileID := regexp.MustCompile(`"reconcileID"="[^"]*"`)
	talking := func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		log.FromContext(ctx).Info("here")
		return reconcile.Result{}, nil
	}
	var logs [2][]string
	for n, build := range []func(*world) error{
		func(w *world) error {
			return builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Complete(reconcile.Func(talking))
		},
		func(w *world) error {
			return ctrlbuilder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Complete(reconcile.Func(talking))
		},
	} {
		inWorld(t, func(t *testing.T, w *world) {
			w.manager.logger = funcr.New(func(prefix, args string) {
				if strings.Contains(args, `"here"`) {
					logs[n] = append(logs[n], prefix+reconcileID.ReplaceAllString(args, ""))
				}
			}, funcr.Options{})
			if err := build(w); err != nil {
				t.Fatal(err)
			}
			w.start()
			w.servers[configMap].Add(newObject(configMap, "web"))
			time.Sleep(time.Minute) // theirs polls
		})
	}
	if !slices.Equal(logs[0], logs[1]) || len(logs[0]) != 1 {
		t.Errorf("it logs\n%s\nwant\n%s", logs[0], logs[1])
	}
}

// TestWhichQueue looks at the queue that the sources are started with.
func TestWhichQueue(t *testing.T) {
	mine := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer mine.ShutDown()
	for name, c := range map[string]struct {
		options controller.Options
		general *bool // UsePriorityQueue of the manager
		ours    bool
	}{
		"by default":                     {ours: true},
		"with priorities":                {controller.Options{UsePriorityQueue: new(true)}, new(false), true},
		"without priorities":             {controller.Options{UsePriorityQueue: new(false)}, nil, false},
		"without priorities, by manager": {controller.Options{}, new(false), false},
		"of the user's":                  {controller.Options{NewQueue: func(string, workqueue.TypedRateLimiter[reconcile.Request]) queue { return mine }}, nil, false},
		"of the user's, which is ours":   {controller.Options{NewQueue: ctrlqueue.NewQueue[reconcile.Request]}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.manager.options.UsePriorityQueue = c.general
				var got queue
				if err := builder.ControllerManagedBy(w.manager).Named("queues").WithoutLedger().WithOptions(c.options).
					WatchesRawSource(ctrlsource.Func(func(_ context.Context, q queue) error { got = q; return nil })).
					Complete(noop); err != nil {
					t.Fatal(err)
				}
				w.start()
				if _, ours := got.(ctrlqueue.PriorityQueue[reconcile.Request]); ours != c.ours {
					t.Errorf("the queue is a %T", got)
				}
			})
		})
	}
}

// TestWithoutALedgerNothingIsKnown looks at the queue of the handlers and the context of
// the reconciler.
func TestWithoutALedgerNothingIsKnown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var started, handed queue
		var known []string
		c, err := builder.ControllerManagedBy(w.manager).Named("secrets").WithoutLedger().
			WatchesRawSource(ctrlsource.Func(func(_ context.Context, q queue) error { started = q; return nil })).
			Watches(&corev1.Secret{}, handler.Funcs{CreateFunc: nil, DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) {
				handed = q
				q.Add(named(e.Object.GetName()))
			}}).
			Build(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				known = append(known, delta.From(ctx).String())
				return reconcile.Result{}, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		w.start()
		w.servers[secret].Add(newObject(secret, "s"))
		w.servers[secret].Delete(newObject(secret, "s"))
		synctest.Wait()
		if started != handed || handed == nil {
			t.Errorf("the handler was given a %T", handed)
		}
		if want := []string{"nothing known (incomplete: nothing is recorded here: the controller is not one of delta-runtime's builder, or the context is not the reconciler's)"}; !slices.Equal(known, want) {
			t.Errorf("the reconciler knows %q", known)
		}
		if builder.LedgerOf(c) != nil {
			t.Error("a controller without a ledger has one")
		}
	})
}

// TestOutcomes calls a controller's Reconcile, and looks what it is told the next time.
func TestOutcomes(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		end     func() (reconcile.Result, error)
		panics  bool
		attempt int
		next    string
	}{
		"success":      {func() (reconcile.Result, error) { return reconcile.Result{}, nil }, false, 1, "nothing known"},
		"error":        {func() (reconcile.Result, error) { return reconcile.Result{}, broken }, false, 2, "Retry, External"},
		"terminal":     {func() (reconcile.Result, error) { return reconcile.Result{}, reconcile.TerminalError(broken) }, false, 2, "Retry, External"},
		"both":         {func() (reconcile.Result, error) { return reconcile.Result{RequeueAfter: 1}, broken }, false, 2, "Retry, External"},
		"panic":        {func() (reconcile.Result, error) { panic(broken) }, true, 2, "Retry, External"},
		"RequeueAfter": {func() (reconcile.Result, error) { return reconcile.Result{RequeueAfter: 1}, nil }, false, 1, "Timer"},
		"Requeue":      {func() (reconcile.Result, error) { return reconcile.Result{Requeue: true}, nil }, false, 1, "Timer"}, //nolint:staticcheck // somebody may still
	} {
		t.Run(name, func(t *testing.T) {
			var told delta.Changes
			made, err := builder.ControllerManagedBy(newFakeManager(&informertest.FakeInformers{})).Named("n").
				WithOptions(controller.Options{RecoverPanic: new(false)}).
				WatchesRawSource(ctrlsource.Func(func(context.Context, queue) error { return nil })).
				Build(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
					told = delta.From(ctx)
					return c.end()
				}))
			if err != nil {
				t.Fatal(err)
			}
			ledger := builder.LedgerOf(made)
			ledger.Clerk().Record(named("a"), delta.Change{Cause: delta.External})
			ledger.Clerk().Landed(named("a"))
			for range 2 {
				if raised := panicOf(func() { _, _ = made.Reconcile(t.Context(), named("a")) }); (raised != nil) != c.panics {
					t.Errorf("Reconcile panicked with %v", raised)
				}
			}
			if got := told.String(); told.Attempt() != c.attempt || !strings.HasPrefix(got, c.next) {
				t.Errorf("at attempt %d it is told %s", told.Attempt(), got)
			}
		})
	}
}

func panicOf(do func()) (raised any) {
	defer func() { raised = recover() }()
	do()
	return nil
}

// TestOptionsOfWatches looks at events through all options that choose among them.
func TestOptionsOfWatches(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var asked []string
		ask := func(name string) predicate.Predicate {
			return predicate.NewPredicateFuncs(func(obj client.Object) bool {
				asked = append(asked, name+" "+obj.GetName())
				return !strings.HasPrefix(obj.GetName(), "not-"+name)
			})
		}
		var requests []string
		if err := builder.ControllerManagedBy(w.manager).
			For(&corev1.ConfigMap{}, builder.WithPredicates(ask("for"))).
			Owns(&corev1.Pod{}, builder.WithPredicates(ask("owns")), builder.MatchEveryOwner).
			Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests), builder.WithPredicates(ask("watches"))).
			WithEventFilter(ask("all")).
			Complete(reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
				requests = append(requests, r.Name)
				return reconcile.Result{}, nil
			})); err != nil {
			t.Fatal(err)
		}
		w.start()
		owned := newObject(pod, "p", "a")
		owned.SetOwnerReferences(append(owned.GetOwnerReferences(), metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "b"}))
		for _, obj := range []client.Object{newObject(configMap, "c"), newObject(configMap, "not-for"), newObject(configMap, "not-all")} {
			w.servers[configMap].Add(obj)
		}
		synctest.Wait()
		w.servers[pod].Add(owned)
		synctest.Wait()
		w.servers[secret].Add(newObject(secret, "s", "d"))
		synctest.Wait()
		slices.Sort(requests[1:3]) // the owners of one object
		if want := []string{"c", "a", "b", "d"}; !slices.Equal(requests, want) {
			t.Errorf("requests %q, want %q", requests, want)
		}
		want := []string{"all c", "for c", "all not-for", "for not-for", "all not-all", "all p", "owns p", "all s", "watches s"}
		if !slices.Equal(asked, want) {
			t.Errorf("asked\n%q, want\n%q", asked, want)
		}
	})
}

// TestOnlyMetadataIsWatched looks which informers the cache is asked for.
func TestOnlyMetadataIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := &askedFor{Cache: &informertest.FakeInformers{}}
		m := newFakeManager(asked)
		if err := builder.ControllerManagedBy(m).For(&corev1.ConfigMap{}, builder.OnlyMetadata).Owns(&corev1.Pod{}).
			WatchesMetadata(&corev1.Secret{}, &handler.EnqueueRequestForObject{}).Complete(noop); err != nil {
			t.Fatal(err)
		}
		w := newWorldOf(t, m)
		w.start()
		w.stop(t)
		slices.Sort(asked.kinds)
		if want := []string{"*v1.PartialObjectMetadata ConfigMap", "*v1.PartialObjectMetadata Secret", "*v1.Pod "}; !slices.Equal(asked.kinds, want) {
			t.Errorf("asked for %q, want %q", asked.kinds, want)
		}
	})
}

// TestWatchAfterBuildIsRecorded adds sources to a controller that is built, before it
// runs and after.
func TestWatchAfterBuildIsRecorded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var told []string
		c, err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).
			WithOptions(controller.Options{NeedLeaderElection: new(false)}).
			Build(reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
				for change := range delta.From(ctx).All() {
					told = append(told, r.Name+": "+change.Cause.String())
				}
				return reconcile.Result{}, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		add := func(name string) ctrlsource.Source {
			return ctrlsource.Func(func(_ context.Context, q queue) error {
				q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{}, named(name))
				return nil
			})
		}
		if err := c.Watch(add("early")); err != nil {
			t.Fatal(err)
		}
		w.start()
		if err := c.Watch(add("late")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if want := []string{"early: External", "late: External"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		if elected, ok := c.(interface{ NeedLeaderElection() bool }); !ok || elected.NeedLeaderElection() {
			t.Error("the controller does not say that it needs no leader")
		}
	})
}

// TestResyncOfAController has the objects of For resynced, and those that it owns by a
// policy of their own.
func TestResyncOfAController(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		syncs := map[string]int{}
		if err := builder.ControllerManagedBy(w.manager).
			For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}, builder.WithResyncPolicy(resync.Policy{Period: 10 * time.Hour})).
			Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests)).
			WithResync(resync.Policy{Period: time.Hour}).
			Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				for change := range delta.From(ctx).By(delta.Resync).All() {
					syncs[change.Kind.Kind]++
				}
				return reconcile.Result{}, nil
			})); err != nil {
			t.Fatal(err)
		}
		w.start()
		w.servers[configMap].Add(newObject(configMap, "c"))
		w.servers[pod].Add(newObject(pod, "p", "c"))
		w.servers[secret].Add(newObject(secret, "s", "c"))
		time.Sleep(10*time.Hour + time.Minute)
		synctest.Wait()
		if got := fmt.Sprint(syncs); got != "map[ConfigMap:10 Pod:1]" {
			t.Errorf("resyncs by kind: %s", got)
		}
	})
}

// remembering is a client that knows what it has written.
type remembering struct{ client.Client }

func (remembering) OwnWrites() delta.OwnWrites { return everythingIsOurs{} }

type everythingIsOurs struct{ delta.OwnWrites }

// TestTheClientsWritesAreKnown looks whether the builder finds what the manager's client
// remembers, and takes what it is given instead.
func TestTheClientsWritesAreKnown(t *testing.T) {
	m := newFakeManager(&informertest.FakeInformers{})
	m.client = remembering{}
	opts := builder.LedgerOptionsFor(m, delta.LedgerOptions{})
	if opts.Writes != (everythingIsOurs{}) || opts.KindOf == nil || opts.Schemas != nil {
		t.Errorf("the ledger is made with %+v", opts)
	}
	if kind, err := opts.KindOf(&corev1.Pod{}); err != nil || kind != pod {
		t.Errorf("a Pod is a %v, %v", kind, err)
	}
}
