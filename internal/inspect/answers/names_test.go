package answers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestEachKindHasTheNameOfTheCache names kinds of two groups, and one that the cache has without its
// Go type.
func TestEachKindHasTheNameOfTheCache(t *testing.T) {
	ours, theirs := schema.GroupVersionKind{Group: "a.example.com", Version: "v1", Kind: "Site"}, schema.GroupVersionKind{Group: "b.example.com", Version: "v2", Kind: "Site"}
	pod, node := corev1.SchemeGroupVersion.WithKind("Pod"), corev1.SchemeGroupVersion.WithKind("Node")
	as := New(Options{Runtime: managed.New()}).telling()
	as.names = namesOf([]observe.Kind{
		{GVK: ours, Name: "a.example.com/v1 Site"},
		{GVK: node, Form: "metadata", Name: "v1 Node (metadata)"},
		{GVK: pod, Form: "metadata", Name: "v1 Pod (metadata)"},
		{GVK: pod, Name: "v1 Pod"},
		{GVK: pod, Form: "unstructured", Name: "v1 Pod (unstructured)"},
	})
	for gvk, want := range map[schema.GroupVersionKind]string{
		ours: "a.example.com/v1 Site", theirs: "b.example.com/v2 Site", pod: "v1 Pod", node: "v1 Node (metadata)",
		corev1.SchemeGroupVersion.WithKind("Secret"): "v1 Secret", {}: "",
	} {
		if got := as.of(gvk); got != want {
			t.Errorf("%v is %q, want %q", gvk, got, want)
		}
		changes, _ := as.changesOf(delta.NewChanges(delta.Change{Cause: delta.Primary, Kind: gvk}))
		if len(changes) != 1 || changes[0].Kind != want {
			t.Errorf("a change of %v is %+v, want one of %q", gvk, changes, want)
		}
		c := &observe.Controller{
			Kind: gvk, Calls: &observe.Calls{}, HeldBack: func() uint64 { return 0 },
			Ledger: func() delta.LedgerStatus { return delta.LedgerStatus{} }, Steps: func() []delta.StepStatus { return nil },
		}
		if got := as.controllerOf(c).Kind; got != want {
			t.Errorf("a controller of %v is of %q, want %q", gvk, got, want)
		}
		if got := as.loopOf(c, &hotloop.Episode[delta.Key]{Kind: gvk}).Kind; got != want {
			t.Errorf("a loop of %v is of %q, want %q", gvk, got, want)
		}
	}
}
