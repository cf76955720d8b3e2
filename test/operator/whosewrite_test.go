package operator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	appsconfig "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// In TestWhoseWriteItWas two clients write the same objects in every possible way. One of
// them remembers its writes. The test looks at each event of a watch: writes of the other
// client must never count as our own, and our writes over a known version always must.
func TestWhoseWriteItWas(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	connections := controlplane.HTTPClientForTest(t, config)
	own, err := drmanager.NewClient(config, client.Options{HTTPClient: connections, Scheme: newScheme()})
	must(t, err)
	shown := watched(t, config, namespace)
	known := sync.Map{} // the versions that are certainly ours
	for seed := range uint64(200) {
		name := fmt.Sprint("seed-", seed)
		ours := &author{client: own, rng: rand.New(rand.NewPCG(seed, 1)), name: "ours", ways: allWays(), known: &known}
		theirs := &author{client: api, rng: rand.New(rand.NewPCG(seed, 2)), name: "theirs", ways: allWays()}
		first := []*author{ours, theirs}[seed%2]
		first.begin(t, namespace, name)
		if seed%4 < 2 { // one after the other
			for range 8 {
				[]*author{ours, theirs}[ours.rng.IntN(2)].write(t, namespace, name)
			}
		} else { // both at once: only versions with a certain writer are compared
			theirs.ways = []way{updated, patchedOver, statusUpdated}
			theirs.known = &sync.Map{}
			var busy sync.WaitGroup
			busy.Go(func() { theirs.writeMany(t, namespace, name) })
			ours.writeMany(t, namespace, name)
			busy.Wait()
			theirs.known.Range(func(version, _ any) bool {
				if _, both := known.Load(version); both {
					t.Errorf("%s: both have made version %v", name, version)
				}
				known.Store(version, "theirs")
				return true
			})
		}
		[]*author{ours, theirs}[ours.rng.IntN(2)].end(t, namespace, name)
	}
	must(t, api.Create(t.Context(), newDeployment(namespace, "last")))
	judge(t, shown(), drmanager.OwnWrites(own), &known)
}

// judge asks for every event whether it shows our own write.
func judge(t *testing.T, events []watch.Event, writes delta.OwnWrites, known *sync.Map) {
	t.Helper()
	last, told := map[types.UID]*appsv1.Deployment{}, map[string]int{}
	for _, e := range events {
		obj := e.Object.(*appsv1.Deployment)
		change := delta.Change{Cause: delta.Primary, New: obj}
		switch e.Type {
		case watch.Added:
			change.Op = delta.Added
		case watch.Modified:
			change.Op, change.Old = delta.Updated, last[obj.UID]
		default:
			change.Op, change.Old = delta.Deleted, last[obj.UID]
		}
		last[obj.UID] = obj
		of := any(obj.ResourceVersion)
		if change.Op == delta.Deleted {
			of = obj.UID
		}
		whose, certain := known.Load(of)
		got := slices.Collect(delta.NewChanges(change).Assume(delta.Circumstances{Writes: writes}).All())[0].Own()
		if want := certain && whose == "ours"; got != want {
			t.Errorf("%s %s at version %s: Own is %v, want %v (%v)", e.Type, obj.Name, obj.ResourceVersion, got, want, whose)
		}
		told[fmt.Sprint(e.Type, " own=", got)]++
	}
	t.Logf("the answers for %d events: %v", len(events), told)
	for _, kind := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		if told[fmt.Sprint(kind, " own=true")] < 10 || told[fmt.Sprint(kind, " own=false")] < 10 {
			t.Errorf("too few events of the type %s: %v", kind, told)
		}
	}
}

// watched returns a function that returns all events up to the object called last.
func watched(t *testing.T, config *rest.Config, namespace string) func() []watch.Event {
	t.Helper()
	connections := controlplane.HTTPClientForTest(t, config)
	c, err := client.NewWithWatch(config, client.Options{HTTPClient: connections, Scheme: newScheme()})
	must(t, err)
	stream, err := c.Watch(t.Context(), &appsv1.DeploymentList{}, client.InNamespace(namespace))
	must(t, err)
	var events []watch.Event
	var reading sync.WaitGroup
	reading.Go(func() {
		for e := range stream.ResultChan() {
			if e.Type == watch.Error || e.Object.(client.Object).GetName() == "last" {
				return
			}
			events = append(events, e)
		}
	})
	t.Cleanup(stream.Stop)
	return func() []watch.Event {
		reading.Wait()
		return events
	}
}

func newDeployment(namespace, name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: map[string]string{"value": "0"}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}},
			},
		},
	}
}

// author writes an object in random ways. There are few values, so in many writes the object
// has the value already.
type author struct {
	client client.Client
	name   string
	rng    *rand.Rand
	ways   []way
	known  *sync.Map // the versions that writes over a known version made; nil if nobody asks
}

// way is one way to write. obj is the object as it was read. The way returns the new version
// if that is certainly the author's own, or nothing.
type way func(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (version string, err error)

func allWays() []way {
	return []way{
		updated, patchedOver, statusUpdated, statusPatchedOver, scaled, appliedOver, appliedFreelyOver,
		updatedAny, patchedAny, patchedByJSON, appliedAny, statusPatchedAny,
	}
}

// over returns the version that a write has made. It returns nothing if the write has not
// changed the version.
func over(obj *appsv1.Deployment, version string, err error) (string, error) {
	if version == obj.ResourceVersion {
		return "", err
	}
	return version, err
}

func updated(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.Annotations["value"] = value
	err := a.client.Update(ctx, changed)
	return over(obj, changed.ResourceVersion, err)
}

func patchedOver(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.Annotations["value"] = value
	err := a.client.Patch(ctx, changed, client.MergeFromWithOptions(obj, client.MergeFromWithOptimisticLock{}))
	return over(obj, changed.ResourceVersion, err)
}

func statusUpdated(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.Status.ObservedGeneration = int64(len(value)) + int64(value[0])
	err := a.client.Status().Update(ctx, changed)
	return over(obj, changed.ResourceVersion, err)
}

func statusPatchedOver(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.Status.ObservedGeneration = int64(value[0])
	err := a.client.Status().Patch(ctx, changed, client.StrategicMergeFrom(obj, client.MergeFromWithOptimisticLock{}))
	return over(obj, changed.ResourceVersion, err)
}

func appliedOver(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	config := appsconfig.Deployment(obj.Name, obj.Namespace).WithResourceVersion(obj.ResourceVersion).
		WithAnnotations(map[string]string{"value": value})
	err := a.client.Apply(ctx, config, client.FieldOwner(a.name), client.ForceOwnership)
	return over(obj, *config.ResourceVersion, err)
}

func appliedFreelyOver(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	config := &unstructured.Unstructured{}
	config.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	config.SetNamespace(obj.Namespace)
	config.SetName(obj.Name)
	config.SetResourceVersion(obj.ResourceVersion)
	config.SetAnnotations(map[string]string{"value": value})
	err := a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(config), client.FieldOwner(a.name), client.ForceOwnership)
	return over(obj, config.GetResourceVersion(), err)
}

func updatedAny(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.ResourceVersion = ""
	changed.Annotations["value"] = value
	return "", a.client.Update(ctx, changed)
}

func patchedAny(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.Annotations["value"] = value
	return "", a.client.Patch(ctx, changed, client.MergeFrom(obj))
}

func patchedByJSON(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	patch := fmt.Sprintf(`[{"op":"replace","path":"/metadata/annotations/value","value":%q}]`, value)
	return "", a.client.Patch(ctx, obj, client.RawPatch(types.JSONPatchType, []byte(patch)))
}

func appliedAny(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	config := appsconfig.Deployment(obj.Name, obj.Namespace).WithAnnotations(map[string]string{"value": value})
	return "", a.client.Apply(ctx, config, client.FieldOwner(a.name), client.ForceOwnership)
}

func statusPatchedAny(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	changed := obj.DeepCopy()
	changed.Status.ObservedGeneration = int64(value[0])
	return "", a.client.Status().Patch(ctx, changed, client.MergeFrom(obj))
}

// begin creates the object.
func (a *author) begin(t *testing.T, namespace, name string) {
	t.Helper()
	obj := newDeployment(namespace, name)
	must(t, a.client.Create(t.Context(), obj))
	a.knows(obj.ResourceVersion)
}

func (a *author) knows(what any) {
	if a.known != nil && what != "" {
		a.known.Store(what, a.name)
	}
}

// write reads the object and writes it. The object may have changed in between.
func (a *author) write(t *testing.T, namespace, name string) {
	t.Helper()
	obj := &appsv1.Deployment{}
	if err := a.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, obj); err != nil {
		t.Error(err)
		return
	}
	version, err := a.ways[a.rng.IntN(len(a.ways))](t.Context(), a, obj, fmt.Sprint(a.rng.IntN(2)))
	switch {
	case err == nil:
		a.knows(version)
	case !apierrors.IsConflict(err): // conflicts are expected where the write names a version
		t.Error(err)
	}
}

func (a *author) writeMany(t *testing.T, namespace, name string) {
	t.Helper()
	for range 6 {
		a.write(t, namespace, name)
	}
}

// end deletes the object in one of several ways.
func (a *author) end(t *testing.T, namespace, name string) {
	t.Helper()
	obj := &appsv1.Deployment{}
	must(t, a.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, obj))
	uid := client.Preconditions{UID: &obj.UID}
	switch a.rng.IntN(4) {
	case 0: // without a precondition: any object of that name
		if err := a.client.Delete(t.Context(), obj); err != nil {
			t.Error(err)
		}
	case 1: // a finalizer delays the deletion
		obj.Finalizers = []string{"operator.delta-runtime.dev/wait"}
		must(t, a.client.Update(t.Context(), obj))
		a.knows(obj.ResourceVersion)
		must(t, a.client.Delete(t.Context(), obj, uid))
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		if err := a.client.Patch(t.Context(), obj, client.RawPatch(types.MergePatchType, patch)); err != nil {
			t.Error(err)
		}
	default:
		if err := a.client.Delete(t.Context(), obj, uid); err != nil {
			t.Error(err)
		}
		a.knows(obj.UID)
	}
}

func scaled(ctx context.Context, a *author, obj *appsv1.Deployment, value string) (string, error) {
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{ResourceVersion: obj.ResourceVersion}}
	scale.Spec.Replicas = int32(value[0])
	err := a.client.SubResource("scale").Update(ctx, obj, client.WithSubResourceBody(scale))
	return over(obj, scale.ResourceVersion, err)
}
