package predicate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// edits are possible changes of a Deployment, by their path.
var edits = map[string]func(*appsv1.Deployment, int){
	"metadata.labels.app":      func(d *appsv1.Deployment, i int) { d.Labels["app"] = fmt.Sprint(i) },
	"metadata.annotations.a":   func(d *appsv1.Deployment, i int) { d.Annotations["a"] = fmt.Sprint(i) },
	"metadata.generation":      func(d *appsv1.Deployment, i int) { d.Generation = int64(i) },
	"metadata.managedFields":   func(d *appsv1.Deployment, i int) { d.ManagedFields[0].Manager = fmt.Sprint(i) },
	"spec.replicas":            func(d *appsv1.Deployment, i int) { d.Spec.Replicas = new(int32(i)) },
	"spec.paused":              func(d *appsv1.Deployment, i int) { d.Spec.Paused = i%2 == 0 },
	"status.readyReplicas":     func(d *appsv1.Deployment, i int) { d.Status.ReadyReplicas = int32(i) },
	"status.conditions":        func(d *appsv1.Deployment, i int) { d.Status.Conditions[0].Reason = fmt.Sprint(i) },
	"metadata.finalizers":      func(d *appsv1.Deployment, i int) { d.Finalizers[0] = fmt.Sprint("f/", i) },
	"metadata.resourceVersion": func(d *appsv1.Deployment, i int) { d.ResourceVersion = fmt.Sprint("again-", i) },
}

func deployment() *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: "web", UID: "uid", ResourceVersion: "1", Generation: 1000,
		Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"a": "b"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "me"}}, Finalizers: []string{"f/0"},
	}}
	d.Spec.Replicas = new(int32(1000))
	d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Ready"}}
	return d
}

// untyped is the same object in unstructured form.
func untyped(obj client.Object) client.Object {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: content}
}

func update(before, after client.Object) event.UpdateEvent {
	return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
}

// impossible are paths that no Deployment has.
var impossible = []string{"spec.replicas.none", "data"}

// changedAt is the expected result of ChangedAt. A path that no Deployment has is always
// touched. If objects do not show what fields they can have, every change touches it.
func changedAt(changed []string, path string, obj client.Object) bool {
	if slices.Contains(impossible, path) {
		_, typed := obj.(*appsv1.Deployment)
		return typed || slices.ContainsFunc(changed, func(at string) bool {
			return at != "metadata.managedFields" && at != "metadata.resourceVersion"
		})
	}
	return slices.ContainsFunc(changed, func(at string) bool {
		return at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(path, at+".")
	})
}

// notStatusOnly is the expected result of NotStatusOnly.
func notStatusOnly(changed []string) bool {
	return slices.ContainsFunc(changed, func(at string) bool {
		return !strings.HasPrefix(at, "status.") && at != "metadata.managedFields" && at != "metadata.resourceVersion"
	})
}

// TestPredicatesAgainstModel changes fields at random, and combines predicates with
// controller-runtime's And, Or and Not.
func TestPredicatesAgainstModel(t *testing.T) {
	var all []string
	for path := range edits {
		all = append(all, path)
	}
	slices.Sort(all)
	asked := []string{"spec", "spec.replicas", "spec.replicas.none", "status", "metadata.labels", `metadata.labels.app`, "metadata.annotations", "data"}
	seeds.Run(t, 200, func(t *testing.T, rng *rand.Rand) {
		before := deployment()
		after := before.DeepCopy()
		var changed []string
		for i := range rng.IntN(4) {
			path := all[rng.IntN(len(all))]
			edits[path](after, 2*i+1)
			if path != "spec.paused" { // it stays false
				changed = append(changed, path)
			}
		}
		same := len(changed) == 0 && rng.IntN(2) == 0
		if !same {
			after.ResourceVersion = "2"
		}
		var e event.UpdateEvent
		if e = update(before, after); rng.IntN(2) == 0 {
			e = update(untyped(before), untyped(after))
		}
		path := asked[rng.IntN(len(asked))]
		at, status, resync := predicate.ChangedAt(path), predicate.NotStatusOnly(), predicate.NotResync()
		wantAt, wantStatus, wantResync := changedAt(changed, path, e.ObjectNew), same || notStatusOnly(changed), !same
		for name, c := range map[string]struct {
			p    ctrlpredicate.Predicate
			want bool
		}{
			"ChangedAt": {at, wantAt}, "NotStatusOnly": {status, wantStatus}, "NotResync": {resync, wantResync},
			"And": {ctrlpredicate.And(at, status, resync), wantAt && wantStatus && wantResync},
			"Or":  {ctrlpredicate.Or(at, ctrlpredicate.Not(status)), wantAt || !wantStatus},
			"Not": {ctrlpredicate.Not(resync), !wantResync},
		} {
			if got := c.p.Update(e); got != c.want {
				t.Errorf("%s at %s is %v, want %v, after changes at %q", name, path, got, c.want, changed)
			}
		}
	})
}

// TestPredicatesPassAllElse asks about events that are not updates, or odd ones.
func TestPredicatesPassAllElse(t *testing.T) {
	web := deployment()
	for name, p := range map[string]ctrlpredicate.Predicate{
		"ChangedAt": predicate.ChangedAt("spec"), "NotResync": predicate.NotResync(),
		"NotStatusOnly": predicate.NotStatusOnly(), "NotOwnWrite": predicate.NotOwnWrite(writes.New(0)),
		"of nobody": predicate.NotOwnWrite(nil), "of no pointer": predicate.NotOwnWrite((*writes.Writes)(nil)),
		"no path": predicate.ChangedAt(), "nonsense": predicate.ChangedAt("spec", "spec..[[", "metadata"),
	} {
		for what, passed := range map[string]bool{
			"create": p.Create(event.CreateEvent{Object: web}), "delete": p.Delete(event.DeleteEvent{Object: web}),
			"generic": p.Generic(event.GenericEvent{Object: web}), "nothing": p.Update(event.UpdateEvent{}),
			"no old": p.Update(update(nil, web)), "no object": p.Create(event.CreateEvent{}),
			"nil pointer": p.Update(update((*appsv1.Deployment)(nil), web)),
		} {
			if !passed {
				t.Errorf("%s does not pass an event: %s", name, what)
			}
		}
	}
	for _, p := range []ctrlpredicate.Predicate{predicate.ChangedAt(), predicate.ChangedAt("spec", "spec..[[")} {
		if !p.Update(update(web, web)) {
			t.Error("a predicate without a valid path holds something back")
		}
	}
}

// In TestNotOwnWriteModel we and others write objects, and the test shows their states as a
// watch that skips some of them. No write of others may be held back.
func TestNotOwnWriteModel(t *testing.T) {
	seeds.Run(t, 300, func(t *testing.T, rng *rand.Rand) {
		limit := 1 + rng.IntN(5)
		known := writes.New(limit)
		p := predicate.NotOwnWrite(known)
		var states []client.Object // the states of the object, oldest first
		var ours []bool            // whether we made them
		for i := range 30 {
			obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: "uid", ResourceVersion: fmt.Sprint(i + 1)}}
			mine := rng.IntN(3) > 0
			if mine {
				from := ""
				if i > 0 {
					from = fmt.Sprint(i)
				}
				known.Wrote("uid", from, obj.ResourceVersion)
			}
			states, ours = append(states, obj), append(ours, mine)
			shown := max(0, i-rng.IntN(4)) // the state that was shown before
			want := shown == i || i-shown > limit || slices.Contains(ours[shown+1:], false)
			if passed := p.Update(update(states[shown], obj)); passed != want {
				t.Fatalf("from %d to %d: passes is %v, want %v; ours are %v, and the last %d of them are known", shown+1, i+1, passed, want, ours, limit)
			}
			if created := p.Create(event.CreateEvent{Object: obj}); !created && slices.Contains(ours, false) {
				t.Fatalf("the object at %d has been written by others, and its creation is held back: %v", i+1, ours)
			}
		}
	})
}

// TestChangedAtKnowsWhatCanExist has paths that some kinds have, and paths that no kind has.
func TestChangedAtKnowsWhatCanExist(t *testing.T) {
	statusOf := func(form func(client.Object) client.Object) event.UpdateEvent {
		after := deployment()
		after.Status.ReadyReplicas, after.ResourceVersion = 7, "2"
		return update(form(deployment()), form(after))
	}
	asIs := func(obj client.Object) client.Object { return obj }
	known := func(obj client.Object) client.Object {
		u := untyped(obj)
		u.GetObjectKind().SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
		return u
	}
	config := func(version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version, Annotations: map[string]string{"at": version}}}
	}
	for _, path := range []string{"spec.replica", "Spec.Replicas", "/spec/replicas", "{.spec.replicas}", "metadata.label"} {
		for name, form := range map[string]func(client.Object) client.Object{"typed": asIs, "unstructured": known} {
			if !predicate.ChangedAt(path).Update(statusOf(form)) {
				t.Errorf("%s, %s: holds back an update, although nothing of that name can exist", name, path)
			}
		}
		after := deployment()
		after.ResourceVersion = "2"
		if p := predicate.TypedChangedAt[*appsv1.Deployment](path); !p.Update(event.TypedUpdateEvent[*appsv1.Deployment]{ObjectOld: deployment(), ObjectNew: after}) {
			t.Errorf("%s: a predicate of a type holds back an update, although the type has nothing of that name", path)
		}
	}
	both := predicate.ChangedAt("spec.replicas", "data")
	if !both.Update(statusOf(asIs)) {
		t.Error("the path data is not called wrong, although no kind with data was seen")
	}
	both.Create(event.CreateEvent{Object: config("1")})
	if both.Update(statusOf(asIs)) || both.Update(statusOf(known)) || both.Update(update(config("1"), config("2"))) {
		t.Error("a path of one kind is touched by another")
	}
	filled := &corev1.ConfigMap{Data: map[string]string{"a": "b"}}
	if !both.Update(update(config("1"), filled)) {
		t.Error("a path that one of the kinds has is not touched")
	}
	custom := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Custom"}}
	if predicate.ChangedAt("spec.anything").Update(update(custom, custom)) {
		t.Error("a path of an unknown kind is called wrong")
	}
}

func TestNotStatusOnlyOfOddKinds(t *testing.T) {
	config := func(version, value string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}, Data: map[string]string{"status": value}}
	}
	partial := func(version string, generation int64, label string) client.Object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: version, Generation: generation, Labels: map[string]string{"app": label},
		}}
	}
	priority := func(version string) client.Object {
		p := partial(version, 1, "web")
		p.GetObjectKind().SetGroupVersionKind(schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"))
		return p
	}
	custom := func(version, top string) client.Object {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Odd", top: "x", "metadata": map[string]any{"name": "a", "resourceVersion": version},
		}}
	}
	for name, tt := range map[string]struct {
		e      event.UpdateEvent
		passes bool
	}{
		"without status, nothing":         {update(config("1", "a"), config("2", "a")), false},
		"without status, something":       {update(config("1", "a"), config("2", "b")), true},
		"metadata, status":                {update(partial("1", 7, "web"), partial("2", 7, "web")), false},
		"metadata, spec":                  {update(partial("1", 7, "web"), partial("2", 8, "web")), true},
		"metadata, label":                 {update(partial("1", 7, "web"), partial("2", 7, "db")), true},
		"metadata, who knows":             {update(partial("1", 0, "web"), partial("2", 0, "web")), true},
		"a generation that never changes": {update(priority("1"), priority("2")), true},
		"a status that is a text":         {update(custom("1", "other"), custom("2", "status")), true},
		"a field that begins like it":     {update(custom("1", "status"), custom("2", "statusOfOthers")), true},
		"a removed spec":                  {update(custom("1", "spec"), custom("2", "status")), true},
		"unstructured, and nothing else":  {update(custom("1", "status"), custom("2", "status")), false},
	} {
		if got := predicate.NotStatusOnly().Update(tt.e); got != tt.passes {
			t.Errorf("%s: passes is %v, want %v", name, got, tt.passes)
		}
	}
}
