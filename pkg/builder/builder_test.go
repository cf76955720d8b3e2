package builder_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrlbuilder "sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

var noop = reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
})

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
			must(t, build(w))
			w.start()
			w.servers[configMap].Add(newObject(configMap, "web"))
			time.Sleep(time.Minute) // theirs polls
		})
	}
	if !slices.Equal(logs[0], logs[1]) || len(logs[0]) != 1 {
		t.Errorf("it logs\n%s\nwant\n%s", logs[0], logs[1])
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
		must(t, err)
		w.start()
		w.servers[secret].Add(newObject(secret, "s"))
		w.servers[secret].Delete(newObject(secret, "s"))
		synctest.Wait()
		if started != handed || handed == nil {
			t.Errorf("the handler was given a %T", handed)
		}
		if want := []string{"nothing known (incomplete: nothing is recorded here: the controller is not one of delta-runtime's builder, or it is WithoutLedger, or the context is not the reconciler's)"}; !slices.Equal(known, want) {
			t.Errorf("the reconciler knows %q", known)
		}
		if builder.LedgerOf(c) != nil {
			t.Error("a controller without a ledger has one")
		}
	})
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
		must(t, builder.ControllerManagedBy(w.manager).
			For(&corev1.ConfigMap{}, builder.WithPredicates(ask("for"))).
			Owns(&corev1.Pod{}, builder.WithPredicates(ask("owns")), builder.MatchEveryOwner).
			Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests), builder.WithPredicates(ask("watches"))).
			WithEventFilter(ask("all")).
			Complete(reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
				requests = append(requests, r.Name)
				return reconcile.Result{}, nil
			})))
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
		must(t, builder.ControllerManagedBy(m).For(&corev1.ConfigMap{}, builder.OnlyMetadata).Owns(&corev1.Pod{}).
			WatchesMetadata(&corev1.Secret{}, &handler.EnqueueRequestForObject{}).Complete(noop))
		w := newWorldOf(t, m)
		w.start()
		w.stop(t)
		slices.Sort(asked.kinds)
		if want := []string{"*v1.PartialObjectMetadata ConfigMap", "*v1.PartialObjectMetadata Secret", "*v1.Pod "}; !slices.Equal(asked.kinds, want) {
			t.Errorf("asked for %q, want %q", asked.kinds, want)
		}
	})
}

// TestCauseLog reads the line of each call.
func TestCauseLog(t *testing.T) {
	for level, want := range map[int][]string{
		0: {
			`"because"="InitialList Secret team/a Added" "result"="success" "incomplete"="an object was there`,
			`"because"="Primary Secret team/a Updated (data.password: (hidden) → (hidden))" "result"="error" "steps"=["copy done"]`,
			`"because"="Retry, Primary Secret team/a Updated (told again) (data.password: (hidden) → (hidden))" "result"="success" "attempt"=2`,
		},
		1: nil,
	} {
		inWorld(t, func(t *testing.T, w *world) {
			var lines []string
			w.manager.logger = funcr.New(func(_, args string) {
				if strings.Contains(args, `"msg"="Reconciled"`) {
					lines = append(lines, args)
				}
			}, funcr.Options{Verbosity: 0})
			var calls atomic.Int32
			about := newObject(secret, "a").(*corev1.Secret)
			about.Data = map[string][]byte{"password": []byte("canary")}
			w.servers[secret].Add(about)
			synctest.Wait()
			reconciler := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				if calls.Add(1) != 2 {
					return reconcile.Result{}, nil
				}
				err := delta.Plan(ctx).On(&corev1.Secret{}, "data").Do("copy", func(context.Context) error { return nil })
				return reconcile.Result{}, errors.Join(err, errors.New("once"))
			})
			must(t, builder.ControllerManagedBy(w.manager).Named("logs").For(&corev1.Secret{}).WithCauseLog(level).Complete(reconciler))
			w.start()
			about = about.DeepCopy()
			about.Data["password"] = []byte("another canary")
			w.servers[secret].Modify(about)
			w.awaitCalls(func() bool { return calls.Load() == 3 })
			if len(lines) != len(want) {
				t.Fatalf("level %d has %d lines, want %d: %q", level, len(lines), len(want), lines)
			}
			for i, line := range lines {
				line = regexp.MustCompile(`"took"="[^"]*" ?`).ReplaceAllString(line, "")
				if !strings.Contains(line, want[i]) {
					t.Errorf("line %d is\n%s\nwant in it\n%s", i, line, want[i])
				}
				if strings.Contains(line, "canary") || !strings.Contains(line, `"name"="a"`) {
					t.Errorf("line %d shows a value, or not whose it is: %s", i, line)
				}
			}
		})
	}
}

// A log that panics changes nothing of what a call has come to.
func TestAPanicOfTheCauseLogIsNoRetry(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var said atomic.Int32
		w.manager.logger = funcr.New(func(_, args string) {
			switch {
			case strings.Contains(args, `"msg"="Reconciled"`):
				panic("the log is full")
			case strings.Contains(args, "could not be shown") && strings.Contains(args, "the log is full"):
				said.Add(1)
			}
		}, funcr.Options{Verbosity: 0})
		var calls atomic.Int32
		w.servers[secret].Add(newObject(secret, "a"))
		synctest.Wait()
		reconciler := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			calls.Add(1)
			return reconcile.Result{}, nil
		})
		must(t, builder.ControllerManagedBy(w.manager).Named("full").For(&corev1.Secret{}).WithCauseLog(0).Complete(reconciler))
		w.start()
		w.awaitCalls(func() bool { return calls.Load() > 0 })
		time.Sleep(time.Hour)
		synctest.Wait()
		if calls.Load() != 1 || said.Load() != 1 {
			t.Errorf("the reconciler was called %d times, and the log says %d times why it is silent", calls.Load(), said.Load())
		}
	})
}

// TestAResyncPassesPredicatesOfUpdates resyncs a controller by its own policies and on
// demand, and has a relist. Predicates about updates hold back only the relist.
func TestAResyncPassesPredicatesOfUpdates(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex // guards told
		var told []string
		must(t, builder.ControllerManagedBy(w.manager).
			For(&corev1.ConfigMap{}).
			Owns(&corev1.Pod{}, builder.WithPredicates(drpredicate.ChangedAt("spec")), builder.WithResyncPolicy(resync.Policy{Period: 90 * time.Minute})).
			Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests), builder.WithPredicates(drpredicate.NotResync())).
			WithEventFilter(predicate.GenerationChangedPredicate{}).
			WithResync(resync.Policy{Period: time.Hour}).
			Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				for change := range delta.From(ctx).All() {
					if change.Op == delta.Sync {
						told = append(told, change.Cause.String()+" "+change.Kind.Kind)
					}
				}
				return reconcile.Result{}, nil
			})))
		w.start()
		w.servers[configMap].Add(newObject(configMap, "c"))
		w.servers[pod].Add(newObject(pod, "p", "c"))
		w.servers[secret].Add(newObject(secret, "s", "c"))
		expect := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if slices.Sort(told); !slices.Equal(told, want) {
				t.Errorf("%s: the reconciler was told %q, want %q", what, told, want)
			}
			told = nil
		}
		time.Sleep(time.Hour + time.Minute)
		expect("after an hour", "Resync ConfigMap")
		time.Sleep(30 * time.Minute)
		expect("after an hour and a half", "Resync Pod")
		for _, i := range w.informers {
			must(t, i.Core().Resync(nil))
		}
		expect("on demand", "Resync ConfigMap", "Resync Pod")
		for _, i := range w.informers {
			must(t, i.Core().Relist(t.Context()))
		}
		expect("after a relist")
	})
}
