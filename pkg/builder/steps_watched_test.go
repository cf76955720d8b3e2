package builder_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// The Secret "tls" is for the ConfigMap "web".
func secretWith(value string) client.Object {
	obj := newObject(secret, "tls", "web").(*corev1.Secret)
	obj.UID, obj.Data = "s", map[string][]byte{"value": []byte(value)}
	return obj
}

// watchOfSecrets is a source of ours that a user adds.
func watchOfSecrets(from cache.Cache, filters ...predicate.Predicate) ctrlsource.SyncingSource {
	return source.NewKind(from, client.Object(&corev1.Secret{}), handler.EnqueueRequestsFromMapFunc(secretsRequests), filters...)
}

// onSecrets is a reconciler that does work which depends on Secrets, with a step and without.
func onSecrets() *stepping {
	return &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
		var err error
		if delta.From(ctx).Of(&corev1.Secret{}).Touches("data") {
			err = ran("Of")(ctx)
		}
		return reconcile.Result{}, errors.Join(err,
			delta.Plan(ctx).On(&corev1.Secret{}, "data").Do("secrets", ran("secrets")),
			delta.Plan(ctx).On(&corev1.Pod{}).Do("pods", ran("pods")),
		)
	}}
}

const (
	always = "Of secrets" // the work on Secrets can't be skipped
	never  = ""
)

// ofAnUpdate has a controller for ConfigMaps and their Pods hear of a ConfigMap and of its
// update, and returns what ran for the update.
func ofAnUpdate(t *testing.T, build func(*world, *builder.Builder, reconcile.Reconciler) error) (ran string) {
	inWorld(t, func(t *testing.T, w *world) {
		s := onSecrets()
		must(t, build(w, builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}), s))
		w.start()
		w.servers[configMap].Add(withValue("1"))
		synctest.Wait()
		if s.since() == never {
			t.Error("nothing ran for a new ConfigMap: the controller has not begun")
		}
		w.servers[configMap].Modify(withValue("2"))
		synctest.Wait()
		ran = s.since()
	})
	return ran
}

// wrapped is a user's source around another one.
type wrapped struct{ ctrlsource.SyncingSource }

// A raw source counts as a watch of the kind that it tells the ledger of, and of no other kind.
func TestAStepOnAKindThatARawSourceMayShow(t *testing.T) {
	tell := handler.EnqueueRequestsFromMapFunc(secretsRequests)
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(secret)
	for name, tt := range map[string]struct {
		source func(cache.Cache) ctrlsource.Source
		want   string
	}{
		"Kind": {func(from cache.Cache) ctrlsource.Source { return watchOfSecrets(from) }, never},
		"Kind for metadata": {func(from cache.Cache) ctrlsource.Source {
			return source.NewKind(from, client.Object(metadata), tell)
		}, never},
		"Kind in a source of a user's": {func(from cache.Cache) ctrlsource.Source { return wrapped{watchOfSecrets(from)} }, never},
		"deltas": {func(from cache.Cache) ctrlsource.Source {
			return source.NewDeltas(from, &corev1.Secret{}, func(context.Context, delta.Delta[client.Object], queue) {}, informer.SubscribeOptions{})
		}, never},
		"Kind for another ledger": {func(from cache.Cache) ctrlsource.Source {
			return &source.Kind[client.Object, reconcile.Request]{
				Type: &corev1.Secret{}, Cache: from, Handler: tell, Ledger: delta.NewLedger[reconcile.Request](delta.LedgerOptions{}),
			}
		}, always},
		"Kind for Pods": {func(from cache.Cache) ctrlsource.Source {
			return source.NewKind(from, client.Object(&corev1.Pod{}), tell)
		}, always},
		"channel": {func(cache.Cache) ctrlsource.Source {
			return source.Channel(make(chan event.GenericEvent), &handler.EnqueueRequestForObject{})
		}, always},
		"a source that does not say": {func(cache.Cache) ctrlsource.Source {
			return ctrlsource.Func(func(context.Context, queue) error { return nil })
		}, always},
	} {
		t.Run(name, func(t *testing.T) {
			got := ofAnUpdate(t, func(w *world, b *builder.Builder, r reconcile.Reconciler) error {
				return b.WatchesRawSource(tt.source(w.manager.cache)).Complete(r)
			})
			later := ofAnUpdate(t, func(w *world, b *builder.Builder, r reconcile.Reconciler) error {
				c, err := b.Build(r)
				return errors.Join(err, c.Watch(tt.source(w.manager.cache)))
			})
			if got != tt.want || later != tt.want {
				t.Errorf("ran %q, and %q where the source is added later, want %q", got, later, tt.want)
			}
		})
	}
}

// A controller that runs gets a watch for Secrets. Nobody knows what happened to a Secret before
// that watch has listed. So a step that depends on Secrets runs until the next success after the
// list, also where the list leads to no request.
func TestAWatchThatJoinsARunningController(t *testing.T) {
	none := predicate.NewPredicateFuncs(func(client.Object) bool { return false })
	for name, tt := range map[string]struct {
		happens func(*api)
		filters []predicate.Predicate
	}{
		"the Secret was deleted":                         {happens: func(server *api) { server.Delete(secretWith("1")) }},
		"the Secret has changed, and creates don't pass": {func(server *api) { server.Modify(secretWith("2")) }, []predicate.Predicate{none}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
					return reconcile.Result{}, delta.Plan(ctx).On(&corev1.Secret{}, "data").Do("secret", ran("secret"))
				}}
				c, err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Build(s)
				must(t, err)
				w.startWithOneOfEach(s)
				server := w.servers[secret]
				tt.happens(&server)
				synctest.Wait()
				must(t, c.Watch(watchOfSecrets(w.manager.cache, tt.filters...)))
				for n, want := range []string{"secret", ""} {
					time.Sleep(time.Minute)
					synctest.Wait()
					s.since()
					w.servers[configMap].Modify(withValue([]string{"2", "3"}[n]))
					synctest.Wait()
					if got := s.since(); got != want {
						t.Errorf("at call %d after the list ran %q, want %q", n+1, got, want)
					}
				}
			})
		})
	}
}

// stoppable is a user's source around another one, which can be stopped while the controller runs.
type stoppable struct {
	ctrlsource.SyncingSource
	stop context.CancelFunc
}

func (s *stoppable) Start(ctx context.Context, q queue) error {
	ctx, s.stop = context.WithCancel(ctx)
	return s.SyncingSource.Start(ctx, q)
}

// A source for Secrets is stopped. From then on the controller hears nothing of Secrets, so no step that depends on them can be skipped.
func TestAWatchThatEndsIsNoWatch(t *testing.T) {
	t.Run("it is the only one", func(t *testing.T) { endAWatch(t, func(*builder.Builder) {}) })
	t.Run("another one tells other requests", func(t *testing.T) {
		endAWatch(t, func(b *builder.Builder) {
			b.Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return nil }))
		})
	})
}

func endAWatch(t *testing.T, more func(*builder.Builder)) {
	inWorld(t, func(t *testing.T, w *world) {
		s, secrets := onSecrets(), &stoppable{SyncingSource: watchOfSecrets(w.manager.cache)}
		b := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).WatchesRawSource(secrets)
		more(b)
		must(t, b.Complete(s))
		w.startWithOneOfEach(s)
		called := func(value, want string) {
			t.Helper()
			s.since()
			w.servers[configMap].Modify(withValue(value))
			synctest.Wait()
			if got, _ := strings.CutSuffix(s.since(), "pods"); strings.TrimSpace(got) != want { // nobody watches Pods
				t.Errorf("at %s ran %q, want %q", value, got, want)
			}
		}
		called("2", never)
		secrets.stop()
		synctest.Wait()
		called("3", always)
		called("4", always)
		called("5", always)
	})
}

// A ConfigMap is deleted and created again. Nothing was done for the new one yet, so each step runs for it, also one that
// depends on other objects alone.
func TestStepsRunForANewObjectOfAnOldName(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		exists := true
		s := &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
			if !exists { // as client.IgnoreNotFound does
				return reconcile.Result{}, nil
			}
			return reconcile.Result{}, secretAndData(ctx, ran)
		}}
		w.settleWith(t, s)
		exists = false
		w.servers[configMap].Delete(withValue("1"))
		time.Sleep(time.Minute)
		synctest.Wait()
		exists = true
		w.addAnother()
		if got := s.since(); got != "secret data" {
			t.Errorf("for the newborn ConfigMap ran %q, want both steps", got)
		}
	})
}

// The same, and the reconciler never sees that the ConfigMap was away: it is replaced between two calls.
func TestStepsRunForAnObjectThatWasReplaced(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var told []string
		s := &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
			told = append(told, delta.From(ctx).String())
			return reconcile.Result{}, secretAndData(ctx, ran)
		}}
		w.settleWith(t, s)
		w.servers[configMap].Delete(withValue("1"))
		w.addAnother()
		if got := s.since(); got != "secret data" && got != "data secret data" && got != "secret data secret data" {
			t.Errorf("for the newborn ConfigMap ran %q, want both steps; it was told %q", got, told[len(told)-1])
		}
	})
}

// secretAndData does a step that depends on a Secret, and one that depends on the ConfigMap.
func secretAndData(ctx context.Context, ran func(string) func(context.Context) error) error {
	plan := delta.Plan(ctx)
	return errors.Join(
		plan.On(&corev1.Secret{}, "data").Do("secret", ran("secret")),
		plan.On(&corev1.ConfigMap{}, "data").Do("data", ran("data")),
	)
}

// settleWith runs a controller of ConfigMaps and Secrets until it has done its work for one of each.
func (w *world) settleWith(t *testing.T, s *stepping) {
	t.Helper()
	err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests)).Complete(s)
	must(t, err)
	w.startWithOneOfEach(s)
}

// startWithOneOfEach starts the controller, and waits until it has done its work for a ConfigMap and a Secret.
func (w *world) startWithOneOfEach(s *stepping) {
	w.start()
	w.servers[secret].Add(secretWith("1"))
	w.servers[configMap].Add(withValue("1"))
	synctest.Wait()
	s.since()
}

// addAnother adds another ConfigMap of the same name.
func (w *world) addAnother() {
	next := withValue("1")
	next.SetUID(types.UID("another"))
	w.servers[configMap].Add(next)
	time.Sleep(time.Minute)
	synctest.Wait()
}
