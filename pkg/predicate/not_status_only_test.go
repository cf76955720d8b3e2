package predicate_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

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
