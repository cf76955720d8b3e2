package predicate_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

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
