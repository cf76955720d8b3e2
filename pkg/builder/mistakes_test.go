package builder_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	ctrlbuilder "sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// nobodys is a kind that no scheme has.
type nobodys struct{ corev1.ConfigMap }

func (n *nobodys) DeepCopyObject() runtime.Object { return n }

// TestMistakesAreCalledAsTheyCallThem makes the same mistakes with both builders, and
// compares the errors.
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

// TestMistakesThatOnlyOursKnows is about options that controller-runtime's builder does not
// have.
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

// loggingManager is a manager that keeps its log.
func loggingManager(m *fakeManager) (lines func() []string) {
	var mu sync.Mutex
	var all []string
	m.logger = funcr.New(func(_, args string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, strings.ReplaceAll(args, `\"`, `"`))
	}, funcr.Options{Verbosity: 1})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func untypedOf(kind schema.GroupVersionKind) client.Object {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}

func TestPathsAreCheckedWhenAControllerIsBuilt(t *testing.T) {
	build := func(example client.Object, paths ...string) error {
		m := newFakeManager(&informertest.FakeInformers{Scheme: scheme.Scheme})
		return builder.ControllerManagedBy(m).For(&corev1.ConfigMap{}).WithPaths(example, paths...).Complete(noop)
	}
	for _, c := range []struct {
		example client.Object
		paths   []string
		want    []string // empty if it is built
	}{
		{&appsv1.Deployment{}, []string{"spec.replicas", "metadata.labels.app", ""}, nil},
		{&appsv1.Deployment{}, []string{"spec.replicas", "spec.replica", "data"}, []string{
			"check what WithPaths() names for *v1.Deployment: path spec.replica can't exist in apps/v1.Deployment: spec has no field replica; did you mean spec.replicas?",
			"path data can't exist in apps/v1.Deployment",
		}},
		{&corev1.Secret{}, []string{"data.tls.crt"}, []string{`did you mean data["tls.crt"]?`}},
		{&corev1.Secret{}, []string{"data..a"}, []string{"a name has to follow"}},
		{untypedOf(appsv1.SchemeGroupVersion.WithKind("Deployment")), []string{"spec.replica"}, nil},
		{untypedOf(appsv1.SchemeGroupVersion.WithKind("Deployment")), []string{"metadata.label"}, []string{"did you mean metadata.labels?"}},
		{&metav1.PartialObjectMetadata{}, []string{"metadata.label"}, []string{"did you mean metadata.labels?"}},
		{nil, []string{"metadata.labels"}, []string{"must be given an example"}},
	} {
		err := build(c.example, c.paths...)
		if (err == nil) != (len(c.want) == 0) {
			t.Errorf("%T with %q: error %v, want %q", c.example, c.paths, err, c.want)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%T with %q: error %v, want %q", c.example, c.paths, err, want)
			}
		}
	}
}

// No change touches a path of a kind that is not watched, so the path must be wrong.
func TestPathsOfKindsThatNobodyWatchesAreTouched(t *testing.T) {
	for name, tt := range map[string]struct {
		raw  func(*world) ctrlsource.Source // nil: there is none
		want bool
	}{
		"not watched": {nil, true},
		"there is a channel": {func(*world) ctrlsource.Source {
			return source.Channel(make(chan event.GenericEvent), &handler.EnqueueRequestForObject{})
		}, true},
		"by a raw source of ours": {func(w *world) ctrlsource.Source {
			return source.NewKind(w.manager.cache, client.Object(&corev1.Pod{}), &handler.EnqueueRequestForObject{})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				lines := loggingManager(w.manager)
				var touched, data []bool
				b := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).WithPaths(&corev1.Pod{}, "spec.nodeName")
				if tt.raw != nil {
					b.WatchesRawSource(tt.raw(w))
				}
				must(t, b.Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
					touched, data = append(touched, delta.From(ctx).Touches("spec.nodeName")), append(data, delta.From(ctx).Touches("binaryData"))
					return reconcile.Result{}, nil
				})))
				w.start()
				for n := range 3 {
					w.servers[configMap].Add(withValue(strconv.Itoa(n)))
					time.Sleep(time.Minute)
					synctest.Wait()
				}
				if said := slices.ContainsFunc(lines(), func(line string) bool { return strings.Contains(line, "can't exist") }); said != tt.want {
					t.Errorf("the log says that the path can't exist: %t, want %t", said, tt.want)
				}
				if len(touched) != 3 || !touched[0] || touched[1] != tt.want || touched[2] != tt.want || data[2] {
					t.Errorf("touched: %t, want %t, and a path of a watched kind: %t", touched, tt.want, data)
				}
			})
		})
	}
}
