package manager_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsconfig "k8s.io/client-go/applyconfigurations/apps/v1"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// web is an object of the fake API, which gives no UIDs.
func web() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web", UID: "uid"}}
}

// written is a fake API with one object, and a client that writes it.
type written struct {
	client.Client
	writes *writes.Writes
	obj    *appsv1.Deployment // as the client read it
}

func newWritten(t *testing.T) *written {
	t.Helper()
	w := &written{writes: writes.New(0), obj: web()}
	api := fake.NewClientBuilder().WithStatusSubresource(web()).Build()
	w.Client = manager.RecordWrites(api, w.writes)
	must(t, api.Create(t.Context(), w.obj))
	return w
}

func labelled(obj client.Object) { obj.SetLabels(map[string]string{"app": "web"}) }

// TestWritesThatAreNoted does each kind of write, and looks whether it is known whose
// the version that came of it is.
func TestWritesThatAreNoted(t *testing.T) {
	locked := func(obj client.Object) client.Patch {
		return client.MergeFromWithOptions(obj.DeepCopyObject().(client.Object), client.MergeFromWithOptimisticLock{})
	}
	for name, tt := range map[string]struct {
		write func(context.Context, *written) error
		noted bool
	}{
		"update": {func(ctx context.Context, w *written) error {
			labelled(w.obj)
			return w.Update(ctx, w.obj)
		}, true},
		"update of any version": {func(ctx context.Context, w *written) error {
			labelled(w.obj)
			w.obj.ResourceVersion = ""
			return w.Update(ctx, w.obj)
		}, false},
		"patch of a version": {func(ctx context.Context, w *written) error {
			patch := locked(w.obj)
			labelled(w.obj)
			return w.Patch(ctx, w.obj, patch)
		}, true},
		"patch of any version": {func(ctx context.Context, w *written) error {
			patch := client.MergeFrom(w.obj.DeepCopy())
			labelled(w.obj)
			return w.Patch(ctx, w.obj, patch)
		}, false},
		"JSON patch": {func(ctx context.Context, w *written) error {
			return w.Patch(ctx, w.obj, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"add","path":"/metadata/labels","value":{"app":"web"}}]`)))
		}, false},
		"apply of any version": {func(ctx context.Context, w *written) error {
			return w.Apply(ctx, appsconfig.Deployment("web", "team").WithLabels(map[string]string{"app": "web"}), client.FieldOwner("me"))
		}, false},
		"status update": {func(ctx context.Context, w *written) error {
			w.obj.Status.Replicas = 3
			return w.Status().Update(ctx, w.obj)
		}, true},
		"status patch of a version": {func(ctx context.Context, w *written) error {
			patch := locked(w.obj)
			w.obj.Status.Replicas = 3
			return w.Status().Patch(ctx, w.obj, patch)
		}, true},
		"status patch of any version": {func(ctx context.Context, w *written) error {
			patch := client.MergeFrom(w.obj.DeepCopy())
			w.obj.Status.Replicas = 3
			return w.Status().Patch(ctx, w.obj, patch)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWritten(t)
			before := w.obj.ResourceVersion
			must(t, tt.write(t.Context(), w))
			now := web()
			must(t, w.Get(t.Context(), client.ObjectKeyFromObject(now), now))
			if now.ResourceVersion == before {
				t.Fatal("nothing was written")
			}
			if got := w.writes.Made("uid", before, now.ResourceVersion); got != tt.noted {
				t.Errorf("it is noted: %v, want %v", got, tt.noted)
			}
			if got := w.writes.Status(); got.UnderWay > 0 || got.Remembered > 1 {
				t.Errorf("afterwards there are %+v", got)
			}
		})
	}
}

// TestCreatedAndDeleted follows an object from its first to its last write.
func TestCreatedAndDeleted(t *testing.T) {
	log := writes.New(0)
	c := manager.RecordWrites(fake.NewClientBuilder().Build(), log)
	obj := web()
	must(t, c.Create(t.Context(), obj))
	first := obj.ResourceVersion
	labelled(obj)
	must(t, c.Update(t.Context(), obj))
	if !log.Made("uid", "", first) || !log.Made("uid", "", obj.ResourceVersion) {
		t.Error("it does not know what it created")
	}
	if err := c.Create(t.Context(), web()); err == nil || log.Status().Remembered != 2 {
		t.Errorf("a refused Create (%v) was noted", err)
	}
	if err := c.Delete(t.Context(), web()); err != nil || log.Deleted("uid") {
		t.Errorf("deleting whatever has that name (%v) was taken for deleting this object", err)
	}
	must(t, c.Create(t.Context(), web()))
	if err := c.Delete(t.Context(), web(), client.Preconditions{UID: new(types.UID("uid"))}); err != nil || !log.Deleted("uid") {
		t.Errorf("Delete returned %v, and it is noted: %v", err, log.Deleted("uid"))
	}
}

// TestDryRunsAreNotNoted does what is noted otherwise.
func TestDryRunsAreNotNoted(t *testing.T) {
	uid := client.Preconditions{UID: new(types.UID("uid"))}
	w := newWritten(t)
	var sent int
	count := func() error { sent++; return nil }
	api := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return count() },
		Update: func(_ context.Context, _ client.WithWatch, obj client.Object, _ ...client.UpdateOption) error {
			obj.SetResourceVersion("next")
			return count()
		},
		Patch: func(_ context.Context, _ client.WithWatch, obj client.Object, p client.Patch, _ ...client.PatchOption) error {
			_, err := p.Data(obj)
			obj.SetResourceVersion("next")
			return errors.Join(err, count())
		},
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return count() },
		SubResourceUpdate: func(_ context.Context, _ client.Client, _ string, obj client.Object, _ ...client.SubResourceUpdateOption) error {
			obj.SetResourceVersion("next")
			return count()
		},
	})
	dry := client.NewDryRunClient(manager.RecordWrites(api, w.writes))
	ctx := t.Context()
	for _, err := range []error{
		dry.Create(ctx, web()), dry.Update(ctx, w.obj.DeepCopy()), dry.Patch(ctx, w.obj.DeepCopy(), client.Merge),
		dry.Delete(ctx, web(), uid), dry.Status().Update(ctx, w.obj.DeepCopy()),
	} {
		must(t, err)
	}
	if got := w.writes.Status(); got != (writes.Status{}) || sent != 5 {
		t.Errorf("%d dry runs were sent, and %+v noted", sent, got)
	}
}

// TestUnderWayUntilAnswered looks at the writes while they are at the server.
func TestUnderWayUntilAnswered(t *testing.T) {
	log := writes.New(0)
	seen := map[string]int{}
	see := func(what string) error {
		seen[what] = log.Status().UnderWay
		return errors.New("refused")
	}
	api := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return see("create")
		},
		Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			return see("update")
		},
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			return see("delete")
		},
		Patch: func(_ context.Context, _ client.WithWatch, obj client.Object, p client.Patch, _ ...client.PatchOption) error {
			if _, err := p.Data(obj); err != nil {
				return err
			}
			if _, err := p.Data(obj); err != nil { // tried again
				return err
			}
			return see("patch")
		},
		Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
			return see("apply")
		},
	})
	c := manager.RecordWrites(api, log)
	obj := web()
	obj.ResourceVersion = "7"
	free := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"resourceVersion": "7"}}}
	ctx := t.Context()
	for i, err := range []error{
		c.Create(ctx, web()), c.Update(ctx, obj), c.Patch(ctx, obj, client.Merge),
		c.Delete(ctx, obj, client.Preconditions{UID: new(types.UID("uid"))}),
		c.Apply(ctx, coreconfig.Pod("web", "team").WithResourceVersion("7")),
		c.Apply(ctx, client.ApplyConfigurationFromUnstructured(free)),
	} {
		if err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("write %d returned %v, want what the client below said", i, err)
		}
	}
	for _, what := range []string{"create", "update", "delete", "patch", "apply"} {
		if seen[what] != 1 {
			t.Errorf("%s: %d writes were under way while the server had it", what, seen[what])
		}
	}
	if err := c.Apply(ctx, coreconfig.Pod("web", "team")); err == nil || seen["apply"] != 0 {
		t.Error("somebody would wait for an answer that proves nothing")
	}
	if got := log.Status(); got != (writes.Status{}) {
		t.Errorf("refused writes left %+v", got)
	}
}

// TestPatchesThatLookLocked sends patches that a server takes for ones of any version,
// or not at all.
func TestPatchesThatLookLocked(t *testing.T) {
	api := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Patch: func(_ context.Context, _ client.WithWatch, obj client.Object, p client.Patch, _ ...client.PatchOption) error {
			_, err := p.Data(obj)
			obj.SetResourceVersion("8")
			return err
		},
	})
	for data, noted := range map[string]bool{
		`{"metadata":{"resourceVersion":"7"}}`:                     true,
		`{"metadata":{},"metadata":{"resourceVersion":"7"}}`:       true,
		`{"metadata":{"resourceVersion":"7"},"metadata":{}}`:       false,
		`{"metadata":{"resourceversion":"7"}}`:                     false,
		`{"Metadata":{"resourceVersion":"7"}}`:                     false,
		`{"metadata":{"resourceVersion":null}}`:                    false,
		`{"metadata":{"resourceVersion":""}}`:                      false,
		`{"metadata":{"resourceVersion":7}}`:                       false,
		`{"metadata":[{"resourceVersion":"7"}]}`:                   false,
		`{"spec":{"template":{"metadata":{"resourceVersion":7}}}}`: false,
		`null`: false, ``: false, `{`: false,
		"metadata:\n  resourceVersion: '7'\n": false, // YAML, as an apply patch may be in
	} {
		log := writes.New(0)
		obj := web()
		must(t, manager.RecordWrites(api, log).Patch(t.Context(), obj, client.RawPatch(types.MergePatchType, []byte(data))))
		if got := log.Made("uid", "7", "8"); got != noted || log.Status().UnderWay != 0 {
			t.Errorf("%q is noted: %v, want %v", data, got, noted)
		}
	}
}

// TestClientStaysWhatItWas looks at what a client can do besides.
func TestClientStaysWhatItWas(t *testing.T) {
	api := fake.NewClientBuilder().Build()
	c := manager.RecordWrites(api, nil)
	if manager.OwnWrites(c) == nil || manager.OwnWrites(api) != nil {
		t.Error("it is not told apart who remembers its writes")
	}
	if again := manager.RecordWrites(c, nil); again != c {
		t.Error("a client that notes its writes was wrapped once more")
	}
	if _, ok := c.(client.WithWatch); !ok {
		t.Error("the client can't watch any more")
	}
	without := interceptor.NewClient(api, interceptor.Funcs{})
	if _, ok := manager.RecordWrites(struct{ client.Client }{without}, nil).(client.WithWatch); ok {
		t.Error("it says that it can watch, and can't")
	}
	kind, err := c.GroupVersionKindFor(web())
	if err != nil || kind.Kind != "Deployment" || c.Scheme() != api.Scheme() || c.RESTMapper() != api.RESTMapper() {
		t.Errorf("its kinds are others: %v, %v", kind, err)
	}
}

func TestManagersClientRemembers(t *testing.T) {
	shared := writes.New(0)
	theirs := func(*rest.Config, client.Options) (client.Client, error) {
		return fake.NewClientBuilder().Build(), nil
	}
	broken := func(*rest.Config, client.Options) (client.Client, error) { return nil, errors.New("broken") }
	for name, tt := range map[string]struct {
		newClient client.NewClientFunc
		writes    *writes.Writes
	}{
		"default": {nil, nil}, "the user's": {theirs, nil}, "shared": {theirs, shared},
	} {
		opts := options()
		opts.NewClient = tt.newClient
		must(t, manager.Configure(&opts, manager.WithWrites(tt.writes)))
		mgr, err := ctrlmanager.New(nowhere, opts)
		must(t, err)
		own := manager.OwnWrites(mgr.GetClient())
		if own == nil || tt.writes != nil && own != delta.OwnWrites(tt.writes) {
			t.Errorf("%s: the manager's client remembers its writes in %v", name, own)
		}
	}
	opts := options()
	opts.NewClient = broken
	if _, err := newManager(nowhere, opts); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("with a client that can't be made there is a manager: %v", err)
	}
	opts = options()
	opts.Client.DryRun = new(true)
	mgr, err := newManager(nowhere, opts)
	if err != nil || manager.OwnWrites(mgr.GetClient()) != nil {
		t.Errorf("a client that writes nothing remembers its writes (%v)", err)
	}
	if _, err := manager.NewClient(nil, client.Options{}); err == nil {
		t.Error("without a config there is a client")
	}
}
